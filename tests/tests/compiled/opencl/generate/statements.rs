//! Statements that access memory.

use super::Generator;
use super::places::Place;
use super::types::Ty;

impl Generator<'_> {
    /// A statement, of one or more lines.
    pub(super) fn statement(&mut self, depth: u32) -> Vec<String> {
        self.budget -= 1;
        match self.choices.weighted(&[4, 4, 4, 2]) {
            1 if depth > 0 && self.budget > -6 => self.flow(depth),
            2 => self.plainly(Self::vectors),
            3 => self.idiom(),
            _ => self.access(),
        }
    }

    /// A statement, mostly with indices that are only sums and products.
    fn plainly(&mut self, statement: impl FnOnce(&mut Self) -> Vec<String>) -> Vec<String> {
        let before = self.plain;
        self.plain |= self.choices.chance(19, 20);
        let out = statement(self);
        self.plain = before;
        out
    }

    /// What accesses arrays, and nothing else.
    pub(super) fn access(&mut self) -> Vec<String> {
        match self.choices.weighted(&[12, 6, 8, 6, 3, 8, 4, 1, 2]) {
            1 => {
                let place = self.scalar_place(true);
                match self.choices.below(3) {
                    0 => vec![format!("{}++;", place.text)],
                    _ => vec![format!("{} += {};", place.text, self.value())],
                }
            }
            2 => self.copy(),
            3 => self.atomic(),
            4 => self.plainly(Self::halves),
            5 if self.images => self.pixel(),
            6 if !self.copying => self.group_copies(),
            7 => self.hint(),
            8 => self.exchanged(),
            _ => {
                let place = self.scalar_place(true);
                vec![format!("{} = {};", place.text, self.value())]
            }
        }
    }

    /// A copy of a structure or vector, perhaps changed on its way.
    fn copy(&mut self) -> Vec<String> {
        let ty = match self.choices.below(2) {
            0 => self.vector(),
            _ => Ty::Record(self.choices.below(self.records.len())),
        };
        self.label("copy");
        let (from, to) = (self.element(&ty, false), self.element(&ty, true));
        if self.choices.chance(1, 2) {
            return vec![format!("{} = {};", to.text, from.text)];
        }
        let (local, name) = (self.fresh("x"), self.name(&ty));
        let mut part = Place { text: local.clone(), ty, space: "" };
        while !part.ty.is_scalar() {
            part = self.part(part);
        }
        vec![
            format!("{name} {local} = {};", from.text),
            format!("{} = {};", part.text, self.value()),
            format!("{} = {local};", to.text),
        ]
    }
}
