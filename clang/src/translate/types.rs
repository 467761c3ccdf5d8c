//! Types, from the text that clang writes for them.

use super::opencl_images::image;
use super::written::Reader;
use super::{Lowered, Translator};
use crate::document::{Node, TypeText};
use babycuda_core::IntType;
use babycuda_core::deep::grow;
use babycuda_core::machine::Width;
use babycuda_kernel::device::{BARRIER, COALESCED, PIPELINE, TOKEN};
use babycuda_kernel::surface::is_surface;
use babycuda_kernel::{At, Expr, ExprKind, Field, Group, Record, RecordId, Type};

/// `cuda::thread_scope_block` and `cuda::thread_scope_thread`.
const SCOPE_BLOCK: u64 = 2;
const SCOPE_THREAD: u64 = 3;

/// A type with what only declarations need of it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Written {
    pub(crate) ty: Type,
    pub(crate) reference: bool,
    pub(crate) constant: bool,
    pub(crate) volatile: bool,
}

impl<'a> Translator<'a> {
    /// The type that clang writes so.
    pub(crate) fn ty(&mut self, text: &TypeText, node: &Node) -> Lowered<Type> {
        self.written(text, node).map(|written| written.ty)
    }

    /// The same with its qualifiers.
    pub(crate) fn written(&mut self, text: &TypeText, node: &Node) -> Lowered<Written> {
        // Numbers in our header, and nothing to be computed with.
        let name = text.written().trim_start_matches("const ");
        let object = is_surface(name) || name == "cudaTextureObject_t";
        if object && !self.opencl {
            let opaque = || Type::Opaque(name.into());
            let ty = if is_surface(name) { Type::Void.pointer() } else { opaque() };
            return Ok(Written { ty, reference: false, constant: false, volatile: false });
        }
        if let Some(ty) = image(text.written()).filter(|_| self.opencl) {
            self.writes_images |= matches!(ty, Type::Pointer(_));
            return Ok(Written { ty, reference: false, constant: false, volatile: false });
        }
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
    pub(super) fn named(&mut self, name: &str, node: &Node) -> Lowered<Option<Type>> {
        if let Some(ty) = number(name) {
            return Ok(Some(ty));
        }
        let found = self.index.types_named(name);
        let mut within: Vec<&Node> = found.clone();
        if found.len() > 1 {
            // What the function declares comes before what its class does, and the classes around that.
            let class = |inner: &&'a Node| self.index.class_of(inner);
            let around = std::iter::successors(self.function, class).take(super::MAX_DEPTH);
            let mut of_each = around.map(|outer| {
                let inside = found.iter().copied().filter(|n| self.index.within(n, outer));
                inside.collect::<Vec<&Node>>()
            });
            within = of_each.find(|inside| !inside.is_empty()).unwrap_or_default();
        }
        let candidates = if within.is_empty() { &found } else { &within };
        let mut types = Vec::new();
        // One that is refused may be the one that is meant.
        for declared in candidates.clone() {
            if let Some(ty) = self.declared_type(declared, node)?
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
                // `typedef struct {…} T;`: the class has no name of its own.
                let tag = declared.inner.iter().find_map(|n| n.owned_tag_decl.as_deref());
                if let Some(tag) = tag.filter(|tag| tag.name.is_empty())
                    && let Some(tag) = self.index.definition(&tag.id)
                {
                    return match &*tag.kind {
                        "EnumDecl" => self.enumeration(tag, node).map(Some),
                        _ => self.record(tag, node).map(Some),
                    };
                }
                if self.alias.contains(&&*declared.id) {
                    return Ok(None);
                }
                self.alias.push(&declared.id);
                let ty = grow(|| self.ty(&declared.ty, node));
                self.alias.pop();
                ty.map(Some)
            }
            "EnumDecl" => self.enumeration(declared, node).map(Some),
            _ => self.record(declared, node).map(Some),
        }
    }

    /// The integers that an enumeration is made of.
    fn enumeration(&mut self, declared: &'a Node, node: &Node) -> Lowered<Type> {
        if let Some(fixed) = &declared.fixed_underlying_type {
            return self.ty(fixed, node);
        }
        // Otherwise those that hold all constants: of 32 bits, where none is larger.
        let mut constants = declared.inner.iter().filter(|n| &*n.kind == "EnumConstantDecl");
        let folded = |n: &Node| match &*n.kind {
            // The value of a constant that is converted to the type of all of them.
            "ImplicitCastExpr" => n.parts().next()?.value.as_ref()?.as_str()?.parse::<i128>().ok(),
            _ => n.value.as_ref()?.as_str()?.parse::<i128>().ok(),
        };
        // One that has no value of its own is one more than that before it.
        let small = |n: &Node| match n.parts().next() {
            None => true,
            Some(value) => match folded(value) {
                Some(k) => i32::try_from(k).is_ok_and(|k| k < i32::MAX),
                // What it is computed as holds it.
                None => matches!(
                    number(value.ty.text()),
                    Some(Type::Int(t)) if t.signed && t.width <= Width::W32
                ),
            },
        };
        match constants.all(small) {
            true => Ok(Type::Int(IntType::I32)),
            false => self.refuse(node, format!("enumeration `{}` of large numbers", declared.name)),
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
        self.kernel.records.push(Record { name, fields: Vec::new(), size: 0, align: 1 });
        self.fields.push(Vec::new());
        match grow(|| self.layout(declared, node)) {
            Ok((fields, ids, size)) => {
                let record = &mut self.kernel.records[id.0 as usize];
                (record.fields, record.size) = (fields, size);
                record.align = self.aligns.get(&id).copied().unwrap_or(1);
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

    /// Does a name in the text of a type stand for one with another alignment? Clang's own headers know
    /// another size of `int_fast16_t` and the like than the system's.
    fn is_aligned(&self, text: &str) -> bool {
        let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.filter(|word| !word.is_empty()).any(|word| {
            let named = self.index.types_named(word);
            word.contains("int_fast")
                || named
                    .iter()
                    .any(|n| n.child("AlignedAttr").is_some() && n.kind.starts_with("Type"))
        })
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
            // What is behind the base's last field may be where its own fields end, or at the base's end.
            let end = of.fields.iter().map(|f| Some(f.offset + self.size(&f.ty)?)).max().flatten();
            if end.is_some_and(|end| end != of.size) {
                return self.refuse(node, format!("class `{name}`, whose base ends with padding"));
            }
            // Nor do two empty parts of one class share a place.
            let nested = |n: &Node| &*n.kind == "FieldDecl" && !n.ty.text().contains('*');
            let parts = declared.inner.iter().filter(|n| nested(n));
            if of.fields.is_empty() && parts.into_iter().any(|n| number(n.ty.text()).is_none()) {
                return self.refuse(node, format!("class `{name}`, which has an empty base"));
            }
            // An empty base may share its byte; the second one's place is another.
            if base.is_virtual || (declared.bases.len() > 1 && !of.fields.is_empty()) {
                return self.refuse(node, format!("class `{name}`, which has several bases"));
            }
            fields.extend(of.fields.iter().cloned());
            ids.extend(self.fields[id.0 as usize].iter().copied());
            size = size.max(if of.fields.is_empty() { 0 } else { of.size });
            align = align.max(wide);
        }
        // What compilers pack alike has neither bases nor an alignment, and fields of scalars.
        let packed = declared.child("PackedAttr").is_some();
        let more = !declared.bases.is_empty() || declared.child("AlignedAttr").is_some();
        if packed && more {
            return self.refuse(node, format!("class `{name}`, whose layout is said"));
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
                "MaxFieldAlignmentAttr" => {
                    return self.refuse(node, format!("class `{name}`, whose layout is said"));
                }
                _ => {}
            }
        }
        // Clang's document does not say where a destructor is called. Bases and fields say for themselves what theirs do.
        if declared.definition_data.is_some() && !self.is_left_alone(declared) {
            return self.refuse(node, format!("class `{name}`, whose destructor does something"));
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
            let said = |n: &Node| matches!(&*n.kind, "AlignedAttr" | "PackedAttr");
            if field.inner.iter().any(said) || self.is_aligned(field.ty.written()) {
                return self.refuse(node, format!("class `{name}`, whose layout is said"));
            }
            let written = self.written(&field.ty, node)?;
            let ty = if written.reference { written.ty.pointer() } else { written.ty };
            let (Some(bytes), Some(mut wide)) = (self.size(&ty), self.align(&ty)) else {
                return self.refuse(node, format!("class `{name}`, whose size is not known"));
            };
            if packed {
                if !ty.is_of_scalars() {
                    return self.refuse(node, format!("class `{name}`, whose layout is said"));
                }
                wide = 1;
            }
            align = align.max(wide);
            let Some(end) = size.checked_next_multiple_of(wide.max(1)) else {
                return self.refuse(node, format!("class `{name}`, whose size is not known"));
            };
            let offset = if union { 0 } else { end };
            size = size.max(offset.saturating_add(bytes));
            let captured = || self.captured_name(self.index.lambda(declared)?, fields.len());
            let name = match field.name.is_empty() {
                true => captured().map_or_else(|| format!("field{}", fields.len()), str::to_owned),
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
            "pipeline" | "barrier" => {
                let scope = declared.child("TemplateArgument")?.value.as_ref()?.as_u64()?;
                let class = match (name, scope) {
                    ("pipeline", SCOPE_THREAD) => PIPELINE,
                    ("barrier", SCOPE_BLOCK) => BARRIER,
                    _ => return None,
                };
                return Some(Type::Opaque(class.into()));
            }
            "coalesced_group" => return Some(Type::Opaque(COALESCED.into())),
            "arrival_token" => return Some(Type::Opaque(TOKEN.into())),
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

    pub(crate) fn align(&self, ty: &Type) -> Option<u64> {
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
        ["wchar_t"] => Type::Int(IntType::I32),
        ["char32_t"] => Type::Int(IntType::U32),
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
