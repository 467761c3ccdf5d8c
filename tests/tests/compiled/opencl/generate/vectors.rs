//! Values of vectors, and several components of vectors at once.

use super::Generator;
use super::places::Place;
use super::types::Ty;

/// An integer type of as many bits, with a sign: what comparisons of vectors yield.
fn compared(component: &str) -> &'static str {
    match component {
        "char" | "uchar" => "char",
        "short" | "ushort" => "short",
        "long" | "ulong" | "double" => "long",
        _ => "int",
    }
}

impl Generator<'_> {
    /// A vector of these components, however it is made.
    pub(super) fn vector_value(&mut self, component: &'static str, count: usize) -> String {
        let name = format!("{component}{count}");
        let ty = Ty::Vector(component, count);
        match self.choices.weighted(&[4, 3, 2, 2, 2, 2, 1, 1]) {
            1 => self.literal(component, count),
            2 => {
                self.label("operator of vectors");
                let op = ["+", "-", "*"][self.choices.below(3)];
                let one = self.element(&ty, false).text;
                match self.choices.below(3) {
                    0 => format!("({one} {op} ({component})({}))", self.value()),
                    _ => format!("({one} {op} {})", self.element(&ty, false).text),
                }
            }
            3 => {
                self.label("conversion of a vector");
                let other = *self.choices.pick(&["int", "float", "uchar", "short", "double"]);
                let value = self.element(&Ty::Vector(other, count), false).text;
                format!("convert_{name}({value})")
            }
            4 => self.parts(component, count).unwrap_or_else(|| self.literal(component, count)),
            5 => {
                let elements = self.pointer(&Ty::Scalar(component), false).0;
                self.label("vload");
                format!("vload{count}({}, {elements})", self.index())
            }
            6 => {
                self.label("comparison of vectors");
                let truth = compared(component);
                let [a, b, c, d] = [(); 4].map(|()| self.element(&ty, false).text);
                // A choice by what is compared.
                match truth == component && self.choices.chance(1, 2) {
                    true => format!("({a} < {b})"),
                    false => format!("select({a}, {b}, {c} > {d})"),
                }
            }
            7 if matches!(component, "int" | "uint" | "float") => {
                self.label("as_type of a vector");
                let other = *self.choices.pick(&["int", "float", "uint"]);
                let value = self.element(&Ty::Vector(other, count), false).text;
                format!("as_{name}({value})")
            }
            _ => self.element(&ty, false).text,
        }
    }

    /// `(T)(…)`: of numbers, of shorter vectors, or of one number.
    fn literal(&mut self, component: &'static str, count: usize) -> String {
        self.label("literal of a vector");
        let mut parts = Vec::new();
        let mut left = if self.choices.chance(1, 4) { 1 } else { count };
        while left > 0 {
            match self.choices.below(3) {
                0 if left >= 2 && count > 2 => {
                    let part = match self.choices.below(2) {
                        0 => self.element(&Ty::Vector(component, 2), false).text,
                        _ => match self.parts(component, 2) {
                            Some(part) => part,
                            None => continue,
                        },
                    };
                    parts.push(part);
                    left -= 2;
                }
                _ => {
                    parts.push(match self.choices.below(2) {
                        0 => self.choices.below(9).to_string(),
                        _ => self.value(),
                    });
                    left -= 1;
                }
            }
        }
        format!("BC_VEC({component}{count}, {})", parts.join(", "))
    }

    /// The name of so many components of a vector, each once if `distinct`; `None`: there are not as many.
    fn names(&mut self, of: usize, count: usize, distinct: bool) -> Option<String> {
        if count == of / 2 && of != 3 && self.choices.chance(1, 2) {
            return Some(["lo", "hi", "even", "odd"][self.choices.below(4)].to_owned());
        }
        let letters = of <= 4 && self.choices.chance(2, 3);
        let mut chosen: Vec<usize> = Vec::new();
        while chosen.len() < count {
            let lane = self.choices.below(of);
            if distinct && chosen.contains(&lane) {
                // The next ones that are left.
                let other = (0..of).find(|lane| !chosen.contains(lane))?;
                chosen.push(other);
            } else {
                chosen.push(lane);
            }
        }
        let name: String = match letters {
            true => chosen.iter().map(|lane| ["x", "y", "z", "w"][*lane]).collect(),
            false => chosen.iter().map(|lane| format!("{lane:x}")).collect(),
        };
        Some(if letters { name } else { format!("s{name}") })
    }

    /// Components of a vector in memory, as a value.
    fn parts(&mut self, component: &'static str, count: usize) -> Option<String> {
        let of = *self.choices.pick(&[4, 4, 2, 8, 3, 16]);
        let name = self.names(of, count, false)?;
        self.label("several components");
        let place = self.element(&Ty::Vector(component, of), false).text;
        Some(format!("BC_OF({place}, {name})"))
    }

    /// A store to several components: only they are written.
    fn stored_parts(&mut self) -> Option<String> {
        let (component, of) = match self.vector() {
            Ty::Vector(component, of) => (component, of),
            _ => return None,
        };
        let count = *self.choices.pick(&[2, 2, 3, 4]);
        if count > of {
            return None;
        }
        let name = self.names(of, count, true)?;
        self.label("several components stored");
        let place = self.element(&Ty::Vector(component, of), true).text;
        let op = ["=", "=", "+=", "*="][self.choices.below(4)];
        let value = self.vector_value(component, count);
        Some(format!("BC_TO({place}, {name}) {op} {value};"))
    }

    /// A statement of vectors.
    pub(super) fn vectors(&mut self) -> Vec<String> {
        let ty = self.vector();
        let Ty::Vector(component, count) = ty else { return Vec::new() };
        match self.choices.weighted(&[4, 4, 3, 2, 2]) {
            1 => self.stored_parts().map_or_else(|| self.access(), |text| vec![text]),
            2 => {
                self.label("vstore");
                let value = self.vector_value(component, count);
                let elements = self.pointer(&Ty::Scalar(component), true).0;
                vec![format!("vstore{count}({value}, {}, {elements});", self.index())]
            }
            3 => {
                // A private vector, of which components are changed.
                let (x, value) = (self.fresh("v"), self.vector_value(component, count));
                let mut out = vec![format!("{component}{count} {x} = {value};")];
                if let Some(name) = self.names(count, 2, true) {
                    let pair = self.vector_value(component, 2);
                    out.push(format!("BC_TO({x}, {name}) = {pair};"));
                }
                let part = Place { text: x.clone(), ty: ty.clone(), space: "" };
                let part = self.part(part).text;
                out.push(format!("{part} = {};", self.value()));
                out.push(format!("{} = {x};", self.element(&ty, true).text));
                out
            }
            4 => {
                let op = ["+=", "-=", "*="][self.choices.below(3)];
                let value = self.vector_value(component, count);
                vec![format!("{} {op} {value};", self.element(&ty, true).text)]
            }
            _ => {
                let value = self.vector_value(component, count);
                vec![format!("{} = {value};", self.element(&ty, true).text)]
            }
        }
    }
}
