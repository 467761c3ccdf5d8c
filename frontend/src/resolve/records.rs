//! Structures: their fields, and where these lie, where nothing but plain fields decides that.

use super::{Resolver, types::Declared};
use crate::unit::{children, field, function_declarator, part, walk};
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
        self.kernel.records.push(Record {
            name: name.to_owned(),
            fields: Vec::new(),
            size: 0,
            align: 1,
        });
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

    /// The names and types of a structure's fields, and what is said of where it lies; `None`: there may be more to it.
    fn fields(&mut self, body: Node<'t>) -> Option<(Vec<(&'t str, Type)>, Said)> {
        let whole = body.parent()?;
        let said = |text: &str| LAYOUT.into_iter().any(|word| text.contains(word));
        let around = whole.parent().filter(|n| n.kind() == "type_definition").unwrap_or(whole);
        let (head, rest) =
            self.unit.text[around.byte_range()].split_at(body.start_byte() - around.start_byte());
        if self.unit.expanded.packs || self.unit.source.contains("_Pragma") || said(rest) {
            return None;
        }
        let lies = if said(head) { said_before(head)? } else { Said::Aligned(1) };
        // A type that has another alignment by another name. What stands before a body is of that class.
        let renamed = |text: &str| text.contains("typedef") || text.contains("using");
        let other = |text: &str| {
            let of_class = text.ends_with('{') && text.contains("struct");
            renamed(text) && said(text) && !of_class
        };
        if self.unit.text.split_inclusive(['{', '}', ';']).any(other) {
            return None;
        }
        let plain = |n: &Node<'t>| {
            matches!(n.kind(), "type_identifier" | "field_declaration_list")
                || (lies != Said::Aligned(1) && n.end_byte() <= body.start_byte())
        };
        if !children(whole).iter().all(plain) || self.text(body).contains("virtual") {
            return None;
        }
        let mut fields = Vec::new();
        for member in children(body) {
            let has = |kind: &str| {
                walk(member, |node, _| node.kind().contains(kind).then_some(())).is_some()
            };
            // Constructors and conversions have no type, nor have destructors, which change nothing that is used.
            let makes = matches!(member.kind(), "function_definition" | "declaration")
                && part(member, "type").is_none()
                && !has("destructor_name");
            if makes || has("operator_") || part(member, "default_value").is_some() {
                self.kernel.opaque_objects = true;
            }
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
        Some((fields, lies))
    }
}

/// What is said of where a structure and its fields lie.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// The place of the whole is a multiple of this.
    Aligned(u64),
    /// Everything lies where the last thing ends.
    Packed,
}

/// What is said before the body of a structure, in one of the ways that are understood.
fn said_before(head: &str) -> Option<Said> {
    let head: String = head.split_whitespace().collect();
    for packed in ["__attribute__((packed))", "__attribute__((__packed__))"] {
        if let Some((before, behind)) = head.split_once(packed) {
            let again =
                LAYOUT.into_iter().any(|word| before.contains(word) || behind.contains(word));
            return (!again && !behind.contains(':')).then_some(Said::Packed);
        }
    }
    let forms = [("__attribute__((aligned(", ")))"), ("alignas(", ")")];
    let (before, number, behind) = forms.iter().find_map(|(open, close)| {
        let (before, rest) = head.split_once(open)?;
        let (number, behind) = rest.split_once(close)?;
        Some((before, number, behind))
    })?;
    let again = LAYOUT.into_iter().any(|word| before.contains(word) || behind.contains(word));
    let number = number.parse::<u64>().ok().filter(|n| n.is_power_of_two() && *n <= 4096);
    number.filter(|_| !again && !behind.contains(':')).map(Said::Aligned)
}

/// Is the declarator one of a pointer to a function, or to a member?
fn points_to_function(text: &str) -> bool {
    let text: String = text.split_whitespace().collect();
    text.contains("(*") || text.contains("::*") || text.contains("(&")
}

/// The fields in order, each at the first place that suits it; the whole at one that is a multiple of what is
/// said. Compilers do not agree on what is packed of classes.
fn laid_out(
    kernel: &Kernel,
    name: &str,
    (fields, said): (Vec<(&str, Type)>, Said),
) -> Option<Record> {
    let least = if let Said::Aligned(least) = said { least } else { 1 };
    let (mut laid, mut end, mut most) = (Vec::new(), 0u64, least);
    for (name, ty) in fields {
        let (size, mut alignment) = (kernel.size(&ty)?, alignment(kernel, &ty)?);
        if said == Said::Packed {
            alignment = ty.is_of_scalars().then_some(1)?;
        }
        let offset = end.checked_next_multiple_of(alignment)?;
        end = offset.checked_add(size)?;
        most = most.max(alignment);
        laid.push(Field { name: name.to_owned(), ty, offset });
    }
    let size = end.max(1).checked_next_multiple_of(most)?;
    Some(Record { name: name.to_owned(), fields: laid, size, align: most })
}

/// What the place of an object is a multiple of; at most 16 for CUDA's vectors.
fn alignment(kernel: &Kernel, ty: &Type) -> Option<u64> {
    match ty {
        Type::Vector(lane, 3) => lane.size(),
        Type::Vector(..) => Some(ty.size()?.min(16)),
        Type::Array(element, _) => alignment(kernel, element),
        Type::Record(record) => Some(kernel[*record].align),
        _ => ty.size(),
    }
}
