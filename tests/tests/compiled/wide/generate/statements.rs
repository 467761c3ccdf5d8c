//! Statements that access memory.

use super::Generator;
use super::places::Place;
use super::types::Ty;

impl Generator<'_> {
    /// A statement, of one or more lines.
    pub(super) fn statement(&mut self, depth: u32) -> Vec<String> {
        self.budget -= 1;
        match self.choices.weighted(&[10, 8, 8, 6, 5]) {
            1 if depth > 0 && self.budget > -6 => self.flow(depth),
            2 => self.object(),
            3 => self.idiom(),
            4 => self.device(),
            _ => self.access(),
        }
    }

    /// A vector as it is made.
    fn made(&mut self, name: &str, count: usize) -> String {
        let values: Vec<String> = (0..count).map(|_| self.value()).collect();
        format!("make_{name}({})", values.join(", "))
    }

    /// What accesses arrays, and nothing else.
    pub(super) fn access(&mut self) -> Vec<String> {
        match self.choices.weighted(&[6, 3, 4, 3, 2, 2, 2, 2]) {
            1 => {
                let place = self.scalar_place();
                match self.choices.below(3) {
                    0 => vec![format!("{}++;", place.text)],
                    _ => vec![format!("{} += {};", place.text, self.value())],
                }
            }
            2 => self.copy(),
            3 => {
                let ty = self.vector();
                let Ty::Vector(name, _, count) = ty else { return Vec::new() };
                self.label("vector made");
                let to = self.element(&ty).text;
                // A macro's first argument has no comma.
                let place = self.fresh("at");
                let made = self.made(name, count);
                vec![format!("{name} *{place} = &{to}; BC_SET(*{place}, {made});")]
            }
            4 => self.atomic(),
            5 => self.bytes(),
            6 => self.exchanged(),
            7 => {
                let place = self.scalar_place();
                self.label("__ldg");
                let target = self.scalar_place().text;
                match place.packed {
                    true => vec![format!("{target} = {};", place.text)],
                    false => vec![format!("{target} = __ldg(&{});", place.text)],
                }
            }
            _ => {
                let place = self.scalar_place();
                vec![format!("{} = {};", place.text, self.value())]
            }
        }
    }

    /// A copy of a structure or vector, perhaps changed on its way.
    fn copy(&mut self) -> Vec<String> {
        let from = self.whole_place();
        let to = self.element(&from.ty);
        self.label("copy");
        if self.choices.chance(1, 2) {
            return vec![format!("{} = {};", to.text, from.text)];
        }
        let (local, name) = (self.fresh("x"), self.name(&from.ty));
        let mut out = vec![format!("{name} {local} = {};", from.text)];
        let mut part = Place { text: local.clone(), ty: from.ty.clone(), packed: from.packed };
        while !part.ty.is_scalar() {
            part = self.part(part);
        }
        out.push(format!("{} = {};", part.text, self.value()));
        if self.choices.chance(1, 2) {
            out.push(format!("{} = {};", self.scalar_place().text, part.text));
        }
        if self.choices.chance(2, 3) {
            out.push(format!("{} = {local};", to.text));
        }
        out
    }

    fn atomic(&mut self) -> Vec<String> {
        let place = match self.choices.below(8) {
            0 => {
                let place = self.scalar_place();
                match &place.ty {
                    Ty::Scalar("int" | "unsigned" | "float") if !place.packed => {
                        self.label("atomic of a part");
                        place
                    }
                    _ => return self.access(),
                }
            }
            _ => {
                let (text, ty) = (format!("acc[{}]", self.index()), self.counter.clone());
                Place { text, ty, packed: false }
            }
        };
        self.label("atomic");
        let name = match place.ty {
            Ty::Scalar("float") => "atomicAdd",
            _ => *self.choices.pick(&["atomicAdd", "atomicMax", "atomicExch", "atomicOr"]),
        };
        let call = format!("{name}(&{}, {})", place.text, self.leaf());
        match self.choices.below(3) {
            0 => vec![format!("{} = {call};", self.scalar_place().text)],
            1 => vec![format!("{call}; acc[{}] = {};", self.index(), self.value())],
            _ => vec![format!("{call};")],
        }
    }

    /// Bytes that are copied or filled.
    fn bytes(&mut self) -> Vec<String> {
        let (to, from) = (self.whole_place(), self.whole_place());
        let name = self.name(&to.ty);
        match self.choices.below(4) {
            0 => {
                self.label("memset");
                vec![format!("memset(&{}, 0, sizeof({name}));", to.text)]
            }
            1 => {
                self.label("memcpy");
                let count = [4, 8, 12, 16, 3][self.choices.below(5)];
                vec![format!("memcpy(&{}, &{}, {count});", to.text, from.text)]
            }
            2 => {
                self.label("memcpy");
                let local = self.fresh("x");
                vec![
                    format!("{name} {local};"),
                    format!("memcpy(&{local}, &{}, sizeof({name}));", to.text),
                    format!("{} = {local};", self.element(&to.ty).text),
                ]
            }
            _ => {
                self.label("memcpy");
                let from = self.element(&to.ty);
                vec![format!("memcpy(&{}, &{}, sizeof({name}));", to.text, from.text)]
            }
        }
    }

    /// What the threads of a warp tell each other.
    fn exchanged(&mut self) -> Vec<String> {
        if !self.uniform {
            return self.access();
        }
        self.label("warp");
        let (x, value) = (self.fresh("x"), self.value());
        let all = "0xffffffffu";
        let (ty, call) = match self.choices.below(8) {
            0 => ("float", format!("__shfl_xor_sync({all}, (float)({value}), 1)")),
            1 => ("int", format!("__shfl_down_sync({all}, (int)({value}), 2)")),
            2 => ("unsigned", format!("__ballot_sync({all}, ({value}) > 1)")),
            3 => ("int", format!("__any_sync({all}, ({value}) > 3)")),
            4 => ("unsigned", format!("__match_any_sync({all}, (int)({value}))")),
            5 => ("unsigned", format!("__reduce_add_sync({all}, (unsigned)({value}))")),
            6 => ("unsigned", "__activemask()".to_owned()),
            _ => ("int", format!("__shfl_sync({all}, (int)({value}), 0)")),
        };
        vec![format!("{ty} {x} = {call};"), format!("{} = {x};", self.scalar_place().text)]
    }
}
