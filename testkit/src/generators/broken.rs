//! Programs that break one typing rule.

use super::expr::Kind;
use super::stmt::Stmts;
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::syntax::ForSort;
use babycuda_core::{Bool, Name, Num, Stmt};

/// The one typing rule that an almost well-typed program breaks (LCL22 Fig. 6), and how.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BrokenRule {
    /// The index of a write is data: t-write.
    WriteIndex,
    /// The index of a read is data: t-read.
    ReadIndex,
    /// A guard is data: t-if.
    Guard,
    /// A bound of a loop is data: t-for.
    Bound,
    /// A `let` rebinds a variable of the typing environment: t-read.
    LetRebinds,
    /// A loop rebinds a variable of the typing environment: t-for.
    LoopRebinds,
}

impl BrokenRule {
    /// All of them.
    pub const ALL: [BrokenRule; 6] = [
        BrokenRule::WriteIndex,
        BrokenRule::ReadIndex,
        BrokenRule::Guard,
        BrokenRule::Bound,
        BrokenRule::LetRebinds,
        BrokenRule::LoopRebinds,
    ];

    /// The id of the rule in the ledger.
    pub fn rule(self) -> &'static str {
        match self {
            BrokenRule::WriteIndex => "type/t-write",
            BrokenRule::ReadIndex | BrokenRule::LetRebinds => "type/t-read",
            BrokenRule::Guard => "type/t-if",
            BrokenRule::Bound | BrokenRule::LoopRebinds => "type/t-for",
        }
    }
}

impl Stmts<'_, '_> {
    /// A statement that breaks `rule`, and no other one.
    pub(super) fn breach(&mut self, rule: BrokenRule) -> Stmt {
        let array = self.arrays[0].name.clone();
        let read = |var: &Name, body| Stmt::read(var.clone(), array.clone(), Num::lit(0u32), body);
        let write = |index| Stmt::write(array.clone(), index, Num::lit(1u32));
        let data = self.binder();
        let datum = Num::Var(data.clone());
        // A literal index below, so that the loop of `LoopRebinds` breaks nothing else.
        let plain = write(Num::lit(0u32));
        match rule {
            BrokenRule::WriteIndex => read(&data, write(datum)),
            BrokenRule::ReadIndex => {
                let var = self.binder();
                read(&data, Stmt::read(var, array.clone(), datum, Stmt::Skip))
            }
            BrokenRule::Guard => {
                let guard = Bool::compare(Relation::Eq, datum, Num::lit(0u32));
                read(&data, Stmt::branch(guard, plain, Stmt::Skip))
            }
            BrokenRule::Bound => {
                let bound = Num::arith(ArithOp::Mod, datum, Num::lit(3u32));
                let var = self.binder();
                let zero = Num::lit(0u32);
                read(&data, Stmt::repeat(ForSort::U, var, zero, bound, plain))
            }
            BrokenRule::LetRebinds => {
                let inner = read(&data, Stmt::Skip);
                let (zero, one) = (Num::lit(0u32), Num::lit(1u32));
                Stmt::repeat(ForSort::U, data.clone(), zero, one, inner)
            }
            BrokenRule::LoopRebinds => {
                let (zero, one) = (Num::lit(0u32), Num::lit(1u32));
                let inner =
                    Stmt::repeat(ForSort::U, data.clone(), zero.clone(), one.clone(), plain);
                self.below(data.clone(), Kind::Private, |_| {
                    Stmt::repeat(ForSort::U, data, zero, one, inner)
                })
            }
        }
    }
}
