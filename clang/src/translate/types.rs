//! Types, from the text that clang writes for them.

use super::{Lowered, Translator};
use crate::document::{Node, TypeText};
use babycuda_core::IntType;
use babycuda_core::deep::grow;
use babycuda_core::machine::Width;
use babycuda_kernel::{At, Expr, ExprKind, Field, Group, Record, RecordId, Type};

/// A type with what only declarations need of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Written {
    pub(crate) ty: Type,
    pub(crate) reference: bool,
    pub(crate) constant: bool,
    pub(crate) volatile: bool,
}

const SPACES: [&str; 5] = ["__global", "__local", "__constant", "__private", "__generic"];

impl<'a> Translator<'a> {
    /// The type that clang writes so.
    pub(crate) fn ty(&mut self, text: &TypeText, node: &Node) -> Lowered<Type> {
        self.written(text, node).map(|written| written.ty)
    }

    /// The same with its qualifiers.
    pub(crate) fn written(&mut self, text: &TypeText, node: &Node) -> Lowered<Written> {
        let first = self.type_text(text.text(), node);
        match first {
            // An alias may be known where what it stands for is not.
            Err(refusal) if text.text() != text.written() => {
                self.type_text(text.written(), node).map_err(|_| refusal)
            }
            other => other,
        }
    }

    pub(super) fn type_text(&mut self, text: &str, node: &Node) -> Lowered<Written> {
        let mut reader = Reader { text, translator: self, node };
        let found = reader.abstract_declarator();
        let rest = reader.text.trim().to_owned();
        let Some(mut found) = found?.filter(|_| rest.is_empty()) else {
            return self.refuse(node, format!("type `{text}`"));
        };
        if text.contains("volatile") {
            found.volatile = true;
            self.kernel.volatile = true;
            self.kernel.volatile_places |= text.contains(['*', '&', '[']);
        }
        Ok(found)
    }

    /// The type that a name means.
    fn named(&mut self, name: &str, node: &Node) -> Lowered<Option<Type>> {
        if let Some(ty) = number(name) {
            return Ok(Some(ty));
        }
        let found = self.index.types_named(name);
        let mut within: Vec<&Node> = found.clone();
        if found.len() > 1 {
            let function = self.function;
            within.retain(|n| function.is_some_and(|f| self.index.within(n, f)));
        }
        let candidates = if within.is_empty() { &found } else { &within };
        let mut types = Vec::new();
        for declared in candidates.clone() {
            let ty = match self.declared_type(declared, node) {
                Ok(ty) => ty,
                Err(_) if candidates.len() > 1 => None,
                Err(refusal) => return Err(refusal),
            };
            if let Some(ty) = ty
                && !types.contains(&ty)
            {
                types.push(ty);
            }
        }
        match &types[..] {
            [ty] => Ok(Some(ty.clone())),
            [] => Ok(None),
            _ => self.refuse(node, format!("type `{name}`, of which there are several")),
        }
    }

    fn declared_type(&mut self, declared: &'a Node, node: &Node) -> Lowered<Option<Type>> {
        match &*declared.kind {
            "TypedefDecl" | "TypeAliasDecl" => {
                if self.alias.contains(&&*declared.id) {
                    return Ok(None);
                }
                self.alias.push(&declared.id);
                let ty = grow(|| self.ty(&declared.ty, node));
                self.alias.pop();
                ty.map(Some)
            }
            "EnumDecl" => {
                let fixed = declared.inner.iter().find_map(|n| match &*n.kind {
                    "EnumConstantDecl" => Some(n.ty.clone()),
                    _ => None,
                });
                match fixed.as_ref().map(|ty| number(ty.text())) {
                    Some(Some(ty)) => Ok(Some(ty)),
                    // In C++, constants have the type of their enumeration.
                    _ => Ok(Some(Type::Int(IntType::I32))),
                }
            }
            _ => self.record(declared, node).map(Some),
        }
    }

    /// The type of a class.
    pub(crate) fn record(&mut self, declared: &'a Node, node: &Node) -> Lowered<Type> {
        if let Some(ty) = self.of_cuda(declared) {
            return Ok(ty);
        }
        if let Some((_, id)) = self.records.iter().find(|(known, _)| **known == *declared.id) {
            return Ok(Type::Record(*id));
        }
        let name = match declared.name.is_empty() {
            true => "closure".to_owned(),
            false => self.unique(&self.index.qualified(declared)),
        };
        self.touch(declared)?;
        if !declared.complete_definition {
            return self.refuse(node, format!("class `{name}`, which is not defined"));
        }
        let id = RecordId(self.kernel.records.len() as u32);
        self.records.push((&declared.id, id));
        self.kernel.records.push(Record { name, fields: Vec::new(), size: 0 });
        self.fields.push(Vec::new());
        match grow(|| self.layout(declared, node)) {
            Ok((fields, ids, size)) => {
                let record = &mut self.kernel.records[id.0 as usize];
                (record.fields, record.size) = (fields, size);
                self.fields[id.0 as usize] = ids;
                Ok(Type::Record(id))
            }
            Err(refusal) => {
                // What points to it meanwhile points to a class that is not understood.
                self.records.retain(|(_, other)| *other != id);
                Err(refusal)
            }
        }
    }

    /// The fields of a class, their ids, and its size.
    fn layout(
        &mut self,
        declared: &'a Node,
        node: &Node,
    ) -> Lowered<(Vec<Field>, Vec<&'a str>, u64)> {
        let (mut fields, mut ids, mut size, mut align) = (Vec::new(), Vec::new(), 0u64, 1u64);
        let name = &declared.name;
        for base in &declared.bases {
            let ty = self.ty(&base.ty, node)?;
            let Type::Record(id) = ty else {
                return self.refuse(node, format!("class `{name}`, which has a base that is none"));
            };
            let (of, wide) = (self.kernel[id].clone(), self.align(&ty).unwrap_or(1));
            // An empty base may share its byte; the second one's place is another.
            if base.is_virtual || (declared.bases.len() > 1 && !of.fields.is_empty()) {
                return self.refuse(node, format!("class `{name}`, which has several bases"));
            }
            fields.extend(of.fields.iter().cloned());
            ids.extend(self.fields[id.0 as usize].iter().copied());
            size = size.max(if of.fields.is_empty() { 0 } else { of.size });
            align = align.max(wide);
        }
        for attribute in &declared.inner {
            match &*attribute.kind {
                "AlignedAttr" => {
                    let said = attribute.inner.first().and_then(|n| n.value.as_ref());
                    match said.and_then(|v| v.as_str()).and_then(|text| text.parse::<u64>().ok()) {
                        Some(said) if said.is_power_of_two() && said <= 4096 => {
                            align = align.max(said);
                        }
                        _ => {
                            return self
                                .refuse(node, format!("class `{name}`, whose layout is said"));
                        }
                    }
                }
                "PackedAttr" | "MaxFieldAlignmentAttr" => {
                    return self.refuse(node, format!("class `{name}`, whose layout is said"));
                }
                _ => {}
            }
        }
        let union = &*declared.tag_used == "union";
        for field in declared.inner.iter() {
            if field.is_virtual {
                return self.refuse(node, format!("class `{name}`, which has virtual functions"));
            }
            if &*field.kind != "FieldDecl" {
                continue;
            }
            if field.is_bitfield {
                return self.refuse(node, "field of single bits");
            }
            if field.inner.iter().any(|n| &*n.kind == "AlignedAttr") {
                return self.refuse(node, format!("class `{name}`, whose layout is said"));
            }
            let written = self.written(&field.ty, node)?;
            let ty = if written.reference { written.ty.pointer() } else { written.ty };
            let (Some(bytes), Some(wide)) = (self.size(&ty), self.align(&ty)) else {
                return self.refuse(node, format!("class `{name}`, whose size is not known"));
            };
            align = align.max(wide);
            let Some(end) = size.checked_next_multiple_of(wide.max(1)) else {
                return self.refuse(node, format!("class `{name}`, whose size is not known"));
            };
            let offset = if union { 0 } else { end };
            size = size.max(offset.saturating_add(bytes));
            let name = match field.name.is_empty() {
                true => format!("field{}", fields.len()),
                false => field.name.to_string(),
            };
            fields.push(Field { name, ty, offset });
            ids.push(&field.id);
        }
        if let Some((_, id)) = self.records.iter().find(|(known, _)| **known == *declared.id) {
            self.aligns.insert(*id, align);
        }
        match size.max(1).checked_next_multiple_of(align.max(1)) {
            Some(size) => Ok((fields, ids, size)),
            None => self.refuse(node, format!("class `{name}`, whose size is not known")),
        }
    }

    /// What a class of our own header stands for.
    fn of_cuda(&self, declared: &Node) -> Option<Type> {
        if !self.is_device(declared) {
            return None;
        }
        let name = &*declared.name;
        let group = match name {
            "thread_block" => Group::Block,
            "grid_group" => Group::Grid,
            "thread_group" => Group::Any,
            "thread_block_tile" => {
                let size = declared.child("TemplateArgument")?.value.as_ref()?.as_u64()?;
                let size = Expr::int(Type::Int(IntType::I32), size, At(0));
                Group::Tile(Box::new(size))
            }
            "dim3" => return Some(Type::Vector(Box::new(Type::Int(IntType::U32)), 3)),
            "half" | "__half" | "__nv_bfloat16" => return Some(Type::Float(2)),
            "half2" | "__half2" => return Some(Type::Vector(Box::new(Type::Float(2)), 2)),
            _ => {
                let lanes = name.chars().last()?.to_digit(10)?;
                let lane = match &name[..name.len() - 1] {
                    "longlong" => number("long")?,
                    "ulonglong" => number("unsigned long")?,
                    other => number(other)
                        .or_else(|| number(&format!("unsigned {}", other.strip_prefix('u')?)))?,
                };
                return Some(Type::Vector(Box::new(lane), lanes));
            }
        };
        Some(Type::Group(group))
    }

    /// The size of an object in bytes.
    pub(crate) fn size(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Record(id) => Some(self.kernel[*id].size).filter(|size| *size > 0),
            Type::Array(element, Some(extent)) => match extent.kind {
                ExprKind::Int(extent) => extent.checked_mul(self.size(element)?),
                _ => None,
            },
            // A class of three components fills up to the fourth where that is a type of the language.
            Type::Vector(lane, 3) if self.opencl => lane.size()?.checked_mul(4),
            other => other.size(),
        }
    }

    fn align(&self, ty: &Type) -> Option<u64> {
        match ty {
            Type::Array(element, _) => self.align(element),
            Type::Vector(lane, 3) if !self.opencl => lane.size(),
            Type::Vector(lane, lanes) if !self.opencl => {
                Some(lane.size()?.checked_mul(u64::from(*lanes))?.min(16))
            }
            Type::Vector(lane, lanes) => {
                lane.size()?.checked_mul(u64::from(*lanes))?.checked_next_power_of_two()
            }
            Type::Record(id) if self.aligns.contains_key(id) => self.aligns.get(id).copied(),
            Type::Record(id) => {
                let fields = &self.kernel[*id].fields;
                fields.iter().map(|f| self.align(&f.ty)).try_fold(1, |a, b| Some(a.max(b?)))
            }
            other => other.size(),
        }
    }
}

/// A number's type, from words.
pub(crate) fn number(name: &str) -> Option<Type> {
    let words: Vec<&str> = name.split_whitespace().collect();
    let known = |w: &&str| matches!(*w, "unsigned" | "signed" | "int" | "long" | "short" | "char");
    Some(match &words[..] {
        ["void"] => Type::Void,
        ["bool" | "_Bool"] => Type::Bool,
        ["half" | "__fp16" | "_Float16"] => Type::Float(2),
        ["float"] => Type::Float(4),
        ["double"] => Type::Float(8),
        ["wchar_t" | "char32_t"] => Type::Int(IntType::U32),
        ["char16_t"] => Type::Int(IntType::U16),
        words if !words.is_empty() && words.iter().all(known) => {
            let has = |word: &str| words.contains(&word);
            let width = match () {
                () if has("char") => Width::W8,
                () if has("short") => Width::W16,
                () if has("long") => Width::W64,
                () => Width::W32,
            };
            Type::Int(IntType { width, signed: !has("unsigned") })
        }
        _ => return None,
    })
}

/// What is left to be read of a type.
struct Reader<'r, 'a> {
    text: &'r str,
    translator: &'r mut Translator<'a>,
    node: &'r Node,
}

impl<'r> Reader<'r, '_> {
    fn take(&mut self, token: &str) -> bool {
        self.text = self.text.trim_start();
        let rest = self.text.strip_prefix(token);
        self.text = rest.unwrap_or(self.text);
        rest.is_some()
    }

    /// The next word, if there is one.
    fn word(&mut self) -> Option<&'r str> {
        let text = self.text.trim_start();
        let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(text.len());
        if end == 0 {
            return None;
        }
        self.text = &text[end..];
        Some(&text[..end])
    }

    /// What stands up to the bracket that closes the one before the text, which is taken, too.
    fn enclosed(&mut self) -> Option<&'r str> {
        let mut depth = 1u32;
        for (i, c) in self.text.char_indices() {
            match c {
                '(' | '[' | '<' | '{' => depth += 1,
                ')' | ']' | '>' | '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                let inside = &self.text[..i];
                self.text = &self.text[i + c.len_utf8()..];
                return Some(inside);
            }
        }
        None
    }

    fn abstract_declarator(&mut self) -> Lowered<Option<Written>> {
        let (mut words, mut name) = (Vec::new(), None::<&str>);
        let (mut constant, mut lanes) = (false, None);
        loop {
            self.text = self.text.trim_start();
            let before = self.text;
            if self.text.starts_with("(*") || self.text.starts_with("(&") {
                break;
            }
            if name.is_none() && words.is_empty() && self.text.starts_with('(') {
                // A closure, or something else that has no name.
                self.text = &self.text[1..];
                if self.enclosed().is_none() {
                    return Ok(None);
                }
                let rest = self.path();
                name = Some(&before[..before.len() - rest.len()]);
                continue;
            }
            let Some(word) = self.word() else { break };
            match word {
                "const" => constant = true,
                "volatile" | "struct" | "class" | "enum" | "union" | "typename" | "restrict"
                | "__restrict" => {}
                space if SPACES.contains(&space) => {}
                "__attribute__" => {
                    if !self.take("((") {
                        return Ok(None);
                    }
                    let Some(inside) = self.enclosed() else { return Ok(None) };
                    if !self.take(")") {
                        return Ok(None);
                    }
                    let inside = inside.strip_prefix("ext_vector_type(");
                    match inside.and_then(|n| n.trim_end_matches(')').parse().ok()) {
                        Some(count) => lanes = Some(count),
                        None => return Ok(None),
                    }
                }
                word if name.is_none() && number(word).is_some() => words.push(word),
                _ if name.is_none() && words.is_empty() => {
                    let rest = self.path();
                    name = Some(&before[..before.len() - rest.len()]);
                }
                _ => return Ok(None),
            }
        }
        let base = match name {
            Some(name) if words.is_empty() => self.translator.named(name.trim(), self.node)?,
            Some(_) => None,
            None => number(&words.join(" ")),
        };
        let Some(mut ty) = base else { return Ok(None) };
        if let Some(count) = lanes {
            ty = Type::Vector(Box::new(ty), count);
        }
        let written = Written { ty, reference: false, constant, volatile: false };
        Ok(self.declarator(written))
    }

    /// What stands behind a name that belongs to it: arguments of a template, further names.
    fn path(&mut self) -> &'r str {
        loop {
            if self.text.starts_with('<') {
                self.text = &self.text[1..];
                if self.enclosed().is_none() {
                    self.text = "";
                }
            } else if let Some(rest) = self.text.strip_prefix("::") {
                self.text = rest;
                if self.text.starts_with('(') {
                    self.text = &self.text[1..];
                    let _inside = self.enclosed();
                } else if self.word().is_none() {
                    return self.text;
                }
            } else {
                return self.text;
            }
        }
    }

    fn declarator(&mut self, mut written: Written) -> Option<Written> {
        loop {
            if self.take("*") {
                written.ty = written.ty.pointer();
                written.constant = false;
            } else if self.take("&") {
                if written.reference && !self.text.starts_with('&') {
                    // `T &&`
                    continue;
                }
                written.reference = true;
            } else if self.take("__restrict") || self.take("restrict") || self.take("volatile") {
            } else if self.take("const") {
                written.constant = true;
            } else if let Some(rest) = SPACES.iter().find_map(|space| self.text.strip_prefix(space))
            {
                self.text = rest;
            } else {
                break;
            }
        }
        let mut nested = None;
        self.text = self.text.trim_start();
        if self.text.starts_with("(*") || self.text.starts_with("(&") {
            self.text = &self.text[1..];
            nested = Some(self.enclosed()?);
        }
        let mut extents = Vec::new();
        while self.take("[") {
            let inside = self.enclosed()?;
            extents.push(match inside.trim() {
                "" => None,
                number => {
                    let extent = number.parse().ok()?;
                    Some(Box::new(Expr::int(Type::Int(IntType::U64), extent, At(0))))
                }
            });
        }
        for extent in extents.into_iter().rev() {
            written.ty = Type::Array(Box::new(written.ty), extent);
        }
        if let Some(nested) = nested {
            let rest = std::mem::replace(&mut self.text, nested);
            written.constant = false;
            written = self.declarator(written)?;
            if !self.text.trim().is_empty() {
                return None;
            }
            self.text = rest;
        }
        Some(written)
    }
}
