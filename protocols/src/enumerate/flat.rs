//! From nested code to a row of instructions with jumps.

use super::code::{Instr, Reg};
use babycuda_core::Site;

/// Code with its structure still visible.
pub(super) enum Node {
    Plain(Site, Instr),
    If(Site, Reg, Vec<Node>, Vec<Node>),
    Loop { site: Site, counter: Reg, lower: Reg, upper: Reg, body: Vec<Node> },
}

/// Code in one row, and the place of each instruction.
pub(super) struct Flat {
    pub(super) instrs: Vec<Instr>,
    pub(super) sites: Vec<Site>,
}

impl Flat {
    /// The code of one thread, whose registers go where `place` says.
    pub(super) fn new(nodes: Vec<Node>, place: &impl Fn(Reg) -> Reg) -> Flat {
        let mut flat = Flat { instrs: Vec::new(), sites: Vec::new() };
        flat.nodes(nodes, place);
        flat.push(Site::default(), Instr::Done);
        flat
    }

    fn push(&mut self, site: Site, instr: Instr) -> usize {
        self.instrs.push(instr);
        self.sites.push(site);
        self.instrs.len() - 1
    }

    fn here(&self) -> u32 {
        u32::try_from(self.instrs.len()).unwrap_or(u32::MAX)
    }

    fn nodes(&mut self, nodes: Vec<Node>, place: &impl Fn(Reg) -> Reg) {
        for node in nodes {
            match node {
                Node::Plain(site, instr) => {
                    self.push(site, instr.renamed(place));
                }
                Node::If(site, c, then, otherwise) => {
                    let test = self.push(site, Instr::Unless(place(c), 0));
                    self.nodes(then, place);
                    if otherwise.is_empty() {
                        self.instrs[test] = Instr::Unless(place(c), self.here());
                    } else {
                        let skip = self.push(site, Instr::Goto(0));
                        self.instrs[test] = Instr::Unless(place(c), self.here());
                        self.nodes(otherwise, place);
                        self.instrs[skip] = Instr::Goto(self.here());
                    }
                }
                Node::Loop { site, counter, lower, upper, body } => {
                    let (counter, lower, upper) = (place(counter), place(lower), place(upper));
                    let enter = |exit| Instr::Enter { counter, lower, upper, exit };
                    let start = self.push(site, enter(0));
                    let back = self.here();
                    self.nodes(body, place);
                    self.push(site, Instr::Next { counter, upper, back });
                    self.instrs[start] = enter(self.here());
                }
            }
        }
    }
}

impl Instr {
    /// The same on other registers. Jumps and loops have theirs already.
    fn renamed(self, p: &impl Fn(Reg) -> Reg) -> Instr {
        match self {
            Instr::Natural(op, d, l, r) => Instr::Natural(op, p(d), p(l), p(r)),
            Instr::Add(d, l, r) => Instr::Add(p(d), p(l), p(r)),
            Instr::Mul(d, l, r) => Instr::Mul(p(d), p(l), p(r)),
            Instr::Wrapping(w, s, d, l, r) => Instr::Wrapping(w, s, p(d), p(l), p(r)),
            Instr::Machine(op, t, d, l, r) => Instr::Machine(op, t, p(d), p(l), p(r)),
            Instr::Cast(from, to, d, s) => Instr::Cast(from, to, p(d), p(s)),
            Instr::Select(d, c, l, r) => Instr::Select(p(d), p(c), p(l), p(r)),
            Instr::Compare(op, d, l, r) => Instr::Compare(op, p(d), p(l), p(r)),
            Instr::And(d, l, r) => Instr::And(p(d), p(l), p(r)),
            Instr::Or(d, l, r) => Instr::Or(p(d), p(l), p(r)),
            Instr::Not(d, s) => Instr::Not(p(d), p(s)),
            Instr::Input(d, number, index) => Instr::Input(p(d), number, p(index)),
            Instr::Access(number, index) => Instr::Access(number, p(index)),
            same => same,
        }
    }
}
