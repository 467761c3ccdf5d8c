//! Structures: their fields, and where these lie, where nothing but plain fields decides that.

use super::{Resolver, types::Declared};
use crate::unit::{children, field, function_declarator, part};
use babycuda_kernel::{Field, Kernel, Record, RecordId, Type};
use tree_sitter::Node;

/// What says how something is laid out.
const LAYOUT: [&str; 6] =
    ["alignas", "_Alignas", "__align__", "__attribute__", "__declspec", "__builtin_align__"];

impl<'t> Resolver<'t> {
    /// The type of a structure that the file defines, by its name or by the node that defines it; opaque
    /// where more than plain fields are in it.
    pub(super) fn structure(&mut self, name: &'t str, body: Option<Node<'t>>) -> Type {
        let opaque = Type::Opaque(name.into());
        let body = body.or_else(|| match self.unit.structures.get(name).map(|found| &found[..]) {
            Some([only]) => Some(*only),
            _ => None,
        });
        let Some(body) = body else {
            return opaque;
        };
        if let Some(known) = self.structures.get(&body.id()) {
            return known.map_or(opaque, Type::Record);
        }
        // A field may point to such a structure.
        let id = RecordId(self.kernel.records.len() as u32);
        self.kernel.records.push(Record { name: name.to_owned(), fields: Vec::new(), size: 0 });
        self.structures.insert(body.id(), Some(id));
        let record = self.nested(body, |s| Ok(s.fields(body))).ok().flatten();
        let record = record.and_then(|fields| laid_out(&self.kernel, name, fields));
        match record {
            Some(record) => {
                self.kernel.records[id.0 as usize] = record;
                Type::Record(id)
            }
            None => {
                self.structures.insert(body.id(), None);
                opaque
            }
        }
    }

    /// The names and types of a structure's fields; `None`: there may be more to it.
    fn fields(&mut self, body: Node<'t>) -> Option<Vec<(&'t str, Type)>> {
        let whole = body.parent()?;
        let said = |text: &str| LAYOUT.into_iter().any(|word| text.contains(word));
        let around = whole.parent().filter(|n| n.kind() == "type_definition").unwrap_or(whole);
        if self.unit.expanded.packs
            || self.unit.source.contains("_Pragma")
            || said(self.text(around))
        {
            return None;
        }
        // A type that has another alignment by another name.
        let renamed = |text: &str| text.contains("typedef") || text.contains("using");
        if self.unit.text.split(['{', '}', ';']).any(|text| renamed(text) && said(text)) {
            return None;
        }
        let plain = |n: &Node<'t>| matches!(n.kind(), "type_identifier" | "field_declaration_list");
        if !children(whole).iter().all(plain) || self.text(body).contains("virtual") {
            return None;
        }
        let mut fields = Vec::new();
        for member in children(body) {
            match member.kind() {
                // A pointer to a function, and not a function.
                "field_declaration" if points_to_function(self.text(member)) => return None,
                "field_declaration" if function_declarator(member).is_some() => {}
                "field_declaration" => {
                    let odd = |n: &Node<'t>| {
                        matches!(n.kind(), "bitfield_clause" | "storage_class_specifier")
                            || n.kind().contains("attribute")
                    };
                    if children(member).iter().any(odd) {
                        return None;
                    }
                    let base = self.declared_base(member).ok()??;
                    for declarator in field(member, "declarator") {
                        let declared = self.declarator(base.clone(), Some(declarator));
                        let Declared { name, ty, reference } = declared.ok()?;
                        let name = name.filter(|_| !reference)?;
                        fields.push((self.text(name), ty));
                    }
                    part(member, "declarator")?;
                }
                "access_specifier" | "function_definition" | "declaration" => {}
                _ => return None,
            }
        }
        Some(fields)
    }
}

/// Is the declarator one of a pointer to a function, or to a member?
fn points_to_function(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    text.contains("(*") || text.contains("::*") || text.contains("(&")
}

/// The fields in order, each at the first place that suits it.
fn laid_out(kernel: &Kernel, name: &str, fields: Vec<(&str, Type)>) -> Option<Record> {
    let (mut laid, mut end, mut most) = (Vec::new(), 0u64, 1);
    for (name, ty) in fields {
        let (size, alignment) = (kernel.size(&ty)?, alignment(kernel, &ty)?);
        let offset = end.checked_next_multiple_of(alignment)?;
        end = offset.checked_add(size)?;
        most = most.max(alignment);
        laid.push(Field { name: name.to_owned(), ty, offset });
    }
    let size = end.max(1).checked_next_multiple_of(most)?;
    Some(Record { name: name.to_owned(), fields: laid, size })
}

/// What the place of an object is a multiple of; at most 16 for CUDA's vectors.
fn alignment(kernel: &Kernel, ty: &Type) -> Option<u64> {
    match ty {
        Type::Vector(lane, 3) => lane.size(),
        Type::Vector(..) => Some(ty.size()?.min(16)),
        Type::Array(element, _) => alignment(kernel, element),
        Type::Record(record) => {
            let fields = kernel[*record].fields.iter();
            fields.map(|field| alignment(kernel, &field.ty)).try_fold(1, |m, a| Some(m.max(a?)))
        }
        _ => ty.size(),
    }
}
