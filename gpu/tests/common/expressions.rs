//! Every operator of the calculus, as expressions.

use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::{Bool, IntType, MachineOp, Num};

/// Numbers at which operators turn.
pub const EDGES: [u64; 16] = [
    0,
    1,
    2,
    7,
    31,
    32,
    64,
    0x7f,
    0x80,
    0xff,
    0x8000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 63,
    u64::MAX,
];

/// All expressions of one operator over `x` and `y`, and one with a literal on either side, so
/// that operators are printed both as calls and between their operands.
pub fn expressions() -> Vec<Num> {
    let (x, y) = (|| Num::var("x"), || Num::var("y"));
    let one_if = |c: Bool| Num::select(c, Num::lit(1u32), Num::lit(0u32));
    let mut all = Vec::new();
    for op in ArithOp::ALL {
        all.push(Num::arith(op, x(), y()));
        all.push(Num::arith(op, x(), Num::lit(3u32)));
    }
    for t in IntType::ALL {
        for op in MachineOp::ALL {
            all.push(Num::machine(op, t, x(), y()));
            all.push(Num::machine(op, t, x(), Num::lit(3u32)));
            all.push(Num::machine(op, t, Num::lit(t.write(-5)), y()));
        }
        for to in IntType::ALL {
            all.push(Num::cast(t, to, x()));
            // The same conversion, of a value that has the type already.
            all.push(Num::cast(t, to, Num::machine(MachineOp::Sub, t, x(), Num::lit(1u32))));
        }
        for relation in Relation::ALL {
            all.push(one_if(Bool::compare_machine(relation, t, x(), y())));
        }
        let typed = |n| Num::machine(MachineOp::Xor, t, n, Num::lit(0u32));
        all.push(one_if(Bool::compare(Relation::Lt, typed(x()), y())));
        all.push(Num::arith(ArithOp::Max, typed(x()), Num::lit(2u32)));
        all.push(Num::select(Bool::compare(Relation::Le, x(), y()), typed(x()), y()));
    }
    for relation in Relation::ALL {
        all.push(one_if(Bool::compare(relation, x(), y())));
    }
    all
}

/// The constants of an expression, folded by compilers.
pub fn constants() -> Vec<Num> {
    let mut all = Vec::new();
    for t in IntType::ALL {
        for op in MachineOp::ALL {
            for (l, r) in [(-5, 3), (-5, 0), (i128::from(u64::MAX >> 1) + 1, -1)] {
                all.push(Num::machine(op, t, Num::lit(t.write(l)), Num::lit(t.write(r))));
            }
        }
    }
    for op in ArithOp::ALL {
        all.push(Num::arith(op, Num::lit(7u32), Num::lit(0u32)));
    }
    all
}
