//! The types of what kernels access.

use super::Generator;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Scalar(&'static str),
    /// A vector: what a component is, and how many there are.
    Vector(&'static str, usize),
    /// A structure or union of the file.
    Record(usize),
    Array(Box<Ty>, usize),
}

/// Scalars; those of 4 bytes often.
const SCALARS: [&str; 14] = [
    "int", "float", "uint", "int", "float", "short", "char", "double", "long", "uchar", "ushort",
    "ulong", "float", "int",
];

/// Vectors: of what, how many; the usual ones often.
const VECTORS: [(&str, usize); 17] = [
    ("float", 4),
    ("float", 4),
    ("int", 2),
    ("float", 2),
    ("int", 4),
    ("float", 3),
    ("double", 2),
    ("uchar", 4),
    ("uint", 2),
    ("short", 2),
    ("ushort", 4),
    ("int", 3),
    ("uint", 4),
    ("float", 8),
    ("short", 8),
    ("char", 16),
    ("float", 16),
];

/// A structure or union.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) fields: Vec<(String, Ty)>,
}

impl Ty {
    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Ty::Scalar(_))
    }
}

impl Generator<'_> {
    pub(super) fn scalar(&mut self) -> Ty {
        Ty::Scalar(SCALARS[self.choices.below(SCALARS.len())])
    }

    pub(super) fn vector(&mut self) -> Ty {
        let (component, count) = *self.choices.pick(&VECTORS);
        Ty::Vector(component, count)
    }

    /// A type that arrays are of.
    pub(super) fn any_type(&mut self) -> Ty {
        match self.choices.weighted(&[4, 5, 3]) {
            2 if !self.records.is_empty() => Ty::Record(self.choices.below(self.records.len())),
            1 => self.vector(),
            _ => self.scalar(),
        }
    }

    /// The name of a type that is no array.
    pub(super) fn name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(name) => (*name).to_owned(),
            Ty::Vector(component, count) => format!("{component}{count}"),
            Ty::Record(number) => self.records[*number].name.clone(),
            Ty::Array(element, _) => self.name(element),
        }
    }

    /// A declaration of a name.
    fn declared(&self, ty: &Ty, name: &str) -> String {
        match ty {
            Ty::Array(element, extent) => self.declared(element, &format!("{name}[{extent}]")),
            _ => format!("{} {name}", self.name(ty)),
        }
    }

    fn field(&mut self, is_union: bool) -> Ty {
        match self.choices.weighted(&[6, 4, 2, 2]) {
            1 if !is_union => self.vector(),
            2 => {
                let element = self.scalar();
                Ty::Array(Box::new(element), 2 + self.choices.below(3))
            }
            3 if !self.records.is_empty() && !is_union => {
                self.label("nested structure");
                Ty::Record(self.choices.below(self.records.len()))
            }
            _ => self.scalar(),
        }
    }

    /// Declares a structure, or a union of scalars and arrays of them.
    pub(super) fn record(&mut self) {
        let is_union = self.choices.chance(1, 5);
        self.label(if is_union { "union" } else { "structure" });
        let name = self.own(&format!("R{}", self.records.len()));
        let count = 2 + self.choices.below(3);
        let fields: Vec<(String, Ty)> = (0..count)
            .map(|n| (["a", "b", "c", "d"][n].to_owned(), self.field(is_union)))
            .collect();
        let kind = if is_union { "union" } else { "struct" };
        let mut text = format!("typedef {kind} {name} {{");
        for (field, ty) in &fields {
            text += &format!(" {};", self.declared(ty, field));
        }
        if !is_union {
            let parts = fields.iter().map(|(field, _)| format!("rt_part({field}, o.{field});"));
            let parts: Vec<String> = parts.collect();
            text += &format!(" BC_COPIED({name}, {})", parts.join(" "));
        }
        self.lines.push(text + &format!(" }} {name};"));
        self.records.push(Record { name, fields });
    }
}
