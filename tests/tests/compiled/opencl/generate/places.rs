//! Indices, pointers, and what they denote.

use super::types::Ty;
use super::{Array, Generator};

/// What can be read, and perhaps written.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) text: String,
    pub(super) ty: Ty,
    pub(super) space: &'static str,
}

impl Generator<'_> {
    /// A variable that indexes.
    pub(super) fn leaf(&mut self) -> String {
        // The work-item's own number most often.
        match self.choices.below(5) {
            0 | 1 => "i".to_owned(),
            _ => self.indices[self.choices.below(self.indices.len())].clone(),
        }
    }

    /// A small index, mostly not negative.
    pub(super) fn index(&mut self) -> String {
        let leaf = self.leaf();
        let small = self.choices.below(12);
        let more = if self.plain { 0 } else { 1 };
        let weights = [6, 4, 4, 3, 2, 2, 1, 2 * more, more, 2 * more, 2 * more, more];
        match self.choices.weighted(&weights) {
            1 => format!("{leaf} + {small}"),
            2 => format!("{leaf} * {}", 2 + small % 3),
            3 => format!("{leaf} * {} + {}", 2 + small % 3, self.leaf()),
            4 => format!("{leaf} % {}", 2 + small % 4),
            5 => format!("({leaf} >> 1)"),
            6 => format!("{leaf} - {}", small % 4),
            7 => {
                self.label("table");
                format!("{}[{leaf} & 3]", self.own("TABLE"))
            }
            8 => {
                self.label("sizeof");
                let ty = self.any_type();
                format!("{leaf} + (int)sizeof({})", self.name(&ty))
            }
            9 => {
                self.label("work-item function");
                let function = [
                    "get_global_id(0)",
                    "get_local_size(0) * get_group_id(0)",
                    "get_num_groups(0)",
                    "get_global_size(0)",
                    "get_local_id(1)",
                    "get_local_size(1)",
                    "get_global_linear_id()",
                    "get_local_linear_id()",
                ];
                format!("{leaf} + {}", function[small % 8])
            }
            10 => {
                self.label("index of another type");
                match small % 6 {
                    0 => format!("convert_uchar({leaf} * 50)"),
                    1 => format!("(uint){leaf} % 3u + 1"),
                    2 => format!("(({leaf} << 3) ^ 5)"),
                    3 => format!("as_uint(~{leaf} & 15)"),
                    4 => format!("(size_t){leaf} * sizeof(short)"),
                    _ => format!("((long){leaf} - 2)"),
                }
            }
            11 => {
                self.label("function of integers");
                let other = self.leaf();
                match small % 5 {
                    0 => format!("min({leaf}, {small})"),
                    1 => format!("clamp({leaf}, 1, {small} + 1)"),
                    2 => format!("mul24({leaf}, 3)"),
                    3 => format!("mad24({leaf}, 2, {other})"),
                    _ => format!("select({leaf}, {other}, i & 1)"),
                }
            }
            _ => leaf,
        }
    }

    /// A pointer to values of the type, and its address space. `written`: not into constant memory.
    pub(super) fn pointer(&mut self, ty: &Ty, written: bool) -> (String, &'static str) {
        let usable = |a: &Array| !(written && a.space == "constant");
        let all: Vec<usize> = (0..self.arrays.len()).filter(|n| usable(&self.arrays[*n])).collect();
        let same: Vec<usize> = all.iter().copied().filter(|n| self.arrays[*n].ty == *ty).collect();
        if !same.is_empty() && self.choices.chance(4, 5) {
            let at = same[self.choices.below(same.len())];
            return (self.plain(at), self.arrays[at].space);
        }
        let at = all[self.choices.below(all.len())];
        let (array, to, space) = (self.plain(at), self.name(ty), self.arrays[at].space);
        self.label("cast");
        let text = match self.choices.weighted(&[5, 3, 3, 2]) {
            1 => {
                let row = self.leaf();
                self.label("pitched rows");
                let pitch = match self.choices.below(3) {
                    0 => "64".to_owned(),
                    1 => "pitch".to_owned(),
                    _ => format!("{}", 16 * (1 + self.choices.below(6))),
                };
                format!("(({space} {to} *)(({space} char *){array} + {row} * {pitch}))")
            }
            2 => format!(
                "(({space} {to} *)(({space} char *){array} + {}))",
                16 * self.choices.below(9)
            ),
            3 if ty.is_scalar() => {
                let index = self.index();
                format!("(({space} {to} *)&{array}[{index}])")
            }
            _ => format!("(({space} {to} *){array})"),
        };
        (text, space)
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
    pub(super) fn element(&mut self, ty: &Ty, written: bool) -> Place {
        let ((pointer, space), index) = (self.pointer(ty, written), self.index());
        let text = match self.choices.below(6) {
            0 => format!("(*({pointer} + {index}))"),
            _ => format!("{pointer}[{index}]"),
        };
        Place { text, ty: ty.clone(), space }
    }

    /// A part of a place, or itself.
    pub(super) fn part(&mut self, place: Place) -> Place {
        let Place { text, ty, space } = place;
        match &ty {
            Ty::Scalar(_) => Place { text, ty, space },
            Ty::Vector(component, count) => {
                self.label("component");
                let at = self.choices.below(*count);
                let name = match self.choices.below(2) {
                    0 if at < 4 => ["x", "y", "z", "w"][at].to_owned(),
                    _ => format!("s{at:x}"),
                };
                Place { text: format!("{text}.{name}"), ty: Ty::Scalar(component), space }
            }
            Ty::Record(number) => {
                self.label("field");
                let record = &self.records[*number];
                let at = self.choices.below(record.fields.len());
                let (name, field) = record.fields[at].clone();
                Place { text: format!("{text}.{name}"), ty: field, space }
            }
            Ty::Array(element, extent) => {
                self.label("array in a structure");
                let index = match self.choices.below(3) {
                    0 => format!("{} % {extent}", self.leaf()),
                    _ => self.choices.below(*extent).to_string(),
                };
                Place { text: format!("{text}[{index}]"), ty: (**element).clone(), space }
            }
        }
    }

    /// A place of a scalar.
    pub(super) fn scalar_place(&mut self, written: bool) -> Place {
        let ty = self.any_type();
        let mut place = self.element(&ty, written);
        while !place.ty.is_scalar() {
            place = self.part(place);
        }
        place
    }

    /// A number: data, or none.
    pub(super) fn value(&mut self) -> String {
        match self.choices.weighted(&[4, 2, 3]) {
            1 => {
                let [one, other] = [(); 2].map(|()| self.scalar_place(false).text);
                format!("{one} + {other}")
            }
            2 => format!("{} + {}", self.leaf(), self.choices.below(9)),
            _ => self.scalar_place(false).text,
        }
    }
}
