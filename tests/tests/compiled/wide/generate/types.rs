//! The types of what kernels access.

use super::Generator;

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Ty {
    Scalar(&'static str),
    /// A vector: its name, and what a component is.
    Vector(&'static str, &'static str, usize),
    /// A structure or union of the file.
    Record(usize),
    Array(Box<Ty>, usize),
}

/// Scalars; those of 4 bytes often.
const SCALARS: [&str; 13] = [
    "int",
    "float",
    "unsigned",
    "int",
    "float",
    "short",
    "char",
    "double",
    "long long",
    "unsigned char",
    "unsigned short",
    "unsigned long long",
    "signed char",
];

/// Vectors: name, component, how many.
const VECTORS: [(&str, &str, usize); 13] = [
    ("float4", "float", 4),
    ("int2", "int", 2),
    ("float2", "float", 2),
    ("int4", "int", 4),
    ("float3", "float", 3),
    ("double2", "double", 2),
    ("uchar4", "unsigned char", 4),
    ("uint2", "unsigned", 2),
    ("short2", "short", 2),
    ("ushort4", "unsigned short", 4),
    ("int3", "int", 3),
    ("uint4", "unsigned", 4),
    ("longlong2", "long long", 2),
];

/// A structure or union.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) fields: Vec<(String, Ty)>,
    /// Without gaps: no reference to a field can be.
    pub(super) packed: bool,
    pub(super) is_union: bool,
}

impl Ty {
    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Ty::Scalar(_))
    }

    /// May it stand at any multiple of 8?
    pub(super) fn is_narrow(&self) -> bool {
        match self {
            Ty::Scalar(_) => true,
            Ty::Vector(name, ..) => {
                matches!(*name, "int2" | "float2" | "uchar4" | "uint2" | "short2" | "ushort4")
            }
            _ => false,
        }
    }
}

impl Generator<'_> {
    pub(super) fn scalar(&mut self) -> Ty {
        Ty::Scalar(SCALARS[self.choices.below(SCALARS.len())])
    }

    pub(super) fn vector(&mut self) -> Ty {
        let (name, component, count) = *self.choices.pick(&VECTORS);
        Ty::Vector(name, component, count)
    }

    /// A type that arrays are of.
    pub(super) fn any_type(&mut self) -> Ty {
        match self.choices.weighted(&[4, 3, 3]) {
            2 if !self.records.is_empty() => Ty::Record(self.choices.below(self.records.len())),
            1 => self.vector(),
            _ => self.scalar(),
        }
    }

    /// The name of a type that is no array.
    pub(super) fn name(&self, ty: &Ty) -> String {
        match ty {
            Ty::Scalar(name) | Ty::Vector(name, ..) => (*name).to_owned(),
            Ty::Record(number) => self.records[*number].name.clone(),
            Ty::Array(element, _) => self.name(element),
        }
    }

    /// A declaration of a name.
    pub(super) fn declared(&self, ty: &Ty, name: &str) -> String {
        match ty {
            Ty::Array(element, extent) => self.declared(element, &format!("{name}[{extent}]")),
            _ => format!("{} {name}", self.name(ty)),
        }
    }

    fn field(&mut self, packed: bool, is_union: bool) -> Ty {
        match self.choices.weighted(&[6, 2, 2, 2]) {
            1 if !packed => self.vector(),
            2 => {
                let element = self.scalar();
                Ty::Array(Box::new(element), 2 + self.choices.below(3))
            }
            3 if !packed && !self.records.is_empty() => {
                let inner = self.choices.below(self.records.len());
                // A union's fields are copied as bytes.
                if is_union && !self.records[inner].is_union {
                    return self.vector();
                }
                self.label("nested structure");
                let inner = Ty::Record(inner);
                match self.choices.below(2) {
                    0 => inner,
                    _ => Ty::Array(Box::new(inner), 2),
                }
            }
            _ => self.scalar(),
        }
    }

    /// Declares a structure or union.
    pub(super) fn record(&mut self) {
        let other = if self.simple { 0 } else { 1 };
        let kind = self.choices.weighted(&[26, 12 * other, 5, 2 * other]);
        let packed = kind == 3;
        let name = format!("R{}", self.records.len());
        let count = 2 + self.choices.below(3);
        let fields: Vec<(String, Ty)> = (0..count)
            .map(|n| (["a", "b", "c", "d"][n].to_owned(), self.field(packed, kind == 1)))
            .collect();
        let head = match kind {
            1 => "union ",
            2 => "struct __align__(16) ",
            3 => "struct __attribute__((packed)) ",
            _ => "struct ",
        };
        self.label(["structure", "union", "aligned structure", "packed structure"][kind]);
        let mut text = format!("{head}{name} {{");
        for (field, ty) in &fields {
            text += &format!(" {};", self.declared(ty, field));
        }
        if kind != 1 && !packed {
            let parts = fields.iter().map(|(field, _)| format!("rt_part({field}, o.{field});"));
            let parts: Vec<String> = parts.collect();
            text += &format!(" BC_COPIED({name}, {})", parts.join(" "));
        }
        self.lines.push(text + " };");
        self.records.push(Record { name, fields, packed, is_union: kind == 1 });
    }
}
