//! Indices, pointers, and what they denote.

use super::types::Ty;
use super::{Array, Generator};

/// What can be read and written.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) ty: Ty,
    /// A field of a structure without gaps?
    pub(super) packed: bool,
}

impl Generator<'_> {
    /// A variable that indexes.
    pub(super) fn leaf(&mut self) -> String {
        // The thread's own number most often.
        match self.choices.below(5) {
            0 | 1 => "i".to_owned(),
            _ => self.indices[self.choices.below(self.indices.len())].clone(),
        }
    }

    /// A small index, mostly not negative.
    pub(super) fn index(&mut self) -> String {
        let leaf = self.leaf();
        let small = self.choices.below(12);
        match self.choices.weighted(&[6, 4, 4, 3, 2, 2, 1, 1, 1, 1, 1, 1, 2]) {
            1 => format!("{leaf} + {small}"),
            2 => format!("{leaf} * {}", 2 + small % 3),
            3 => format!("{leaf} * {} + {}", 2 + small % 3, self.leaf()),
            4 => format!("{leaf} % {}", 2 + small % 4),
            5 => format!("({leaf} >> 1)"),
            6 => format!("{leaf} - {}", small % 4),
            7 => {
                self.label("table");
                format!("TABLE[{leaf} & 3]")
            }
            8 => {
                self.label("table of structures");
                let field = ["at", "by"][small % 2];
                format!("STEPS[{leaf} & 1].{field} + {}", self.leaf())
            }
            9 => {
                self.label("sizeof");
                let ty = self.any_type();
                format!("{leaf} + (int)sizeof({})", self.name(&ty))
            }
            10 if !self.simple => {
                self.label("enum class");
                let value = ["A", "B", "C"][small % 3];
                match small % 2 {
                    0 => format!("{leaf} + static_cast<int>(Kind::{value})"),
                    _ => format!("{leaf} * (int)Kind::{value}"),
                }
            }
            12 => {
                self.label("index of another type");
                match small % 7 {
                    6 => format!("(small_t)({leaf} * 90)"),
                    0 => format!("(unsigned char)({leaf} * 50)"),
                    1 => format!("(unsigned){leaf} % 3u + 1"),
                    2 => format!("(({leaf} << 3) ^ 5)"),
                    3 => format!("(~{leaf} & 15)"),
                    4 => format!("(size_t){leaf} * sizeof(short)"),
                    _ => format!("((long long){leaf} - 2)"),
                }
            }
            11 => format!("min({leaf}, {small})"),
            _ => leaf,
        }
    }

    /// A pointer to values of the type.
    pub(super) fn pointer(&mut self, ty: &Ty) -> String {
        let same: Vec<usize> =
            (0..self.arrays.len()).filter(|n| self.arrays[*n].ty.as_ref() == Some(ty)).collect();
        if !same.is_empty() && self.choices.chance(4, 5) {
            let at = same[self.choices.below(same.len())];
            return self.plain(at);
        }
        let at = self.choices.below(self.arrays.len());
        let (array, to) = (self.plain(at), self.name(ty));
        self.label("cast");
        match self.choices.weighted(&[4, 2, 3, 2, 2]) {
            1 => format!("reinterpret_cast<{to} *>({array})"),
            2 => {
                let row = self.leaf();
                self.label("pitched rows");
                let pitch = match self.choices.below(3) {
                    0 => "64".to_owned(),
                    1 => "pitch".to_owned(),
                    _ => format!("{}", 16 * (1 + self.choices.below(6))),
                };
                format!("(({to} *)((char *){array} + {row} * {pitch}))")
            }
            3 => format!("(({to} *)((char *){array} + {}))", 16 * self.choices.below(9)),
            4 if ty.is_narrow() && self.arrays[at].ty.is_some() => {
                // Alignment matters to no scalar of the host.
                let index = self.index();
                format!("(({to} *)&{array}[{index}])")
            }
            _ => format!("(({to} *){array})"),
        }
    }

    /// An array of elements of its own type.
    pub(super) fn plain(&mut self, at: usize) -> String {
        let Array { name, rows, .. } = self.arrays[at].clone();
        if rows {
            let row = self.leaf();
            return format!("{name}[{row} & 7]");
        }
        name
    }

    /// An element of the type.
    pub(super) fn element(&mut self, ty: &Ty) -> Place {
        let (pointer, index) = (self.pointer(ty), self.index());
        let text = match self.choices.below(6) {
            0 => format!("(*({pointer} + {index}))"),
            _ => format!("{pointer}[{index}]"),
        };
        Place { text, ty: ty.clone(), packed: false }
    }

    /// A part of a place, or itself.
    pub(super) fn part(&mut self, place: Place) -> Place {
        let Place { text, ty, packed } = place;
        match &ty {
            Ty::Scalar(_) => Place { text, ty, packed },
            Ty::Vector(_, component, count) => {
                self.label("component");
                let name = ["x", "y", "z", "w"][self.choices.below(*count)];
                Place { text: format!("{text}.{name}"), ty: Ty::Scalar(component), packed }
            }
            Ty::Record(number) => {
                self.label("field");
                let record = &self.records[*number];
                let at = self.choices.below(record.fields.len());
                let (name, field) = record.fields[at].clone();
                let packed = packed || record.packed;
                Place { text: format!("{text}.{name}"), ty: field, packed }
            }
            Ty::Array(element, extent) => {
                self.label("array in a structure");
                let index = match self.choices.below(3) {
                    0 => format!("{} % {extent}", self.leaf()),
                    _ => self.choices.below(*extent).to_string(),
                };
                Place { text: format!("{text}[{index}]"), ty: (**element).clone(), packed }
            }
        }
    }

    /// A place of a scalar.
    pub(super) fn scalar_place(&mut self) -> Place {
        let ty = self.any_type();
        let mut place = self.element(&ty);
        while !place.ty.is_scalar() {
            place = self.part(place);
        }
        place
    }

    /// A place whose type is no scalar, and no array.
    pub(super) fn whole_place(&mut self) -> Place {
        let ty = match self.choices.below(3) {
            0 => self.vector(),
            _ if self.records.is_empty() => self.vector(),
            _ => Ty::Record(self.choices.below(self.records.len())),
        };
        let place = self.element(&ty);
        if self.choices.chance(1, 3) {
            let part = self.part(place.clone());
            if matches!(part.ty, Ty::Vector(..) | Ty::Record(_)) {
                return part;
            }
        }
        place
    }

    /// A number: data, or none.
    pub(super) fn value(&mut self) -> String {
        match self.choices.weighted(&[4, 2, 3]) {
            1 => format!("{} + {}", self.scalar_place().text, self.scalar_place().text),
            2 => format!("{} + {}", self.leaf(), self.choices.below(9)),
            _ => self.scalar_place().text,
        }
    }
}
