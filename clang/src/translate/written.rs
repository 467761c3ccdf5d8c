//! What clang writes for a type, read from the left.

use super::types::{Written, number};
use super::{Lowered, Translator};
use crate::document::Node;
use babycuda_core::IntType;
use babycuda_kernel::{At, Expr, Type};

const SPACES: [&str; 5] = ["__global", "__local", "__constant", "__private", "__generic"];

/// What is left to be read of a type.
pub(super) struct Reader<'r, 'a> {
    pub(super) text: &'r str,
    pub(super) translator: &'r mut Translator<'a>,
    pub(super) node: &'r Node,
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

    pub(super) fn abstract_declarator(&mut self) -> Lowered<Option<Written>> {
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
                // All accesses of such an object are atomic; its layout is that of the plain type.
                "_Atomic" if name.is_none() && words.is_empty() && self.take("(") => {
                    let Some(inside) = self.enclosed() else { return Ok(None) };
                    words.extend(inside.split_whitespace());
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
