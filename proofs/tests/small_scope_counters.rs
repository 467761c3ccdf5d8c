//! T13 on every few updates of a cell of 8 bits, in all interleavings.

use babycuda_core::syntax::{AtomicOp, AtomicUpdate};
use babycuda_core::{IntType, Natural};
use babycuda_proofs::atomic_counters::{Updates, check};

fn updates() -> Vec<AtomicUpdate<Natural>> {
    let of = |op, operand: u32, expected: Option<u32>| AtomicUpdate {
        op,
        operand: operand.into(),
        expected: expected.map(Natural::from),
    };
    let add = |n| of(AtomicOp::Add(Some(IntType::U8)), n, None);
    let mut all: Vec<_> = [0, 1, 2, 64, 85, 86, 128, 255].into_iter().map(add).collect();
    all.push(of(AtomicOp::Sub(Some(IntType::U8)), 1, None));
    all.push(of(AtomicOp::Max(Some(IntType::U8)), 1, None));
    all.push(of(AtomicOp::Exch, 0, None));
    all.push(of(AtomicOp::Exch, 1, None));
    all.extend([(1, 0), (2, 0), (0, 0), (0, 1)].map(|(m, v)| of(AtomicOp::Cas, m, Some(v))));
    all
}

/// Three updates by two threads, or by three, from 0, 1 and 255; and all that is equal up to five.
#[test]
fn t13_on_all_few_updates() {
    let all = updates();
    let mut counts = [0u32; 5];
    let mut checked = |before: u32, threads: Vec<Vec<AtomicUpdate<Natural>>>| {
        let updates = Updates { element: IntType::U8, before: before.into(), threads };
        let found = check(&updates).unwrap_or_else(|why| panic!("{why}"));
        let held = [found.ranges, found.around, found.equal == Some(true)];
        let held = held.into_iter().chain([found.equal == Some(false), found.winners]);
        counts.iter_mut().zip(held).for_each(|(n, held)| *n += u32::from(held));
    };
    for before in [0, 1, 255] {
        for a in &all {
            for b in &all {
                for c in &all {
                    checked(before, vec![vec![a.clone(), b.clone()], vec![c.clone()]]);
                }
                let c = &all[5];
                checked(before, vec![vec![a.clone()], vec![b.clone()], vec![c.clone()]]);
            }
            for n in 1..=5 {
                checked(before, vec![vec![a.clone(); n], vec![a.clone(); 5 - n]]);
            }
        }
    }
    println!("ranges, around, distinct, not distinct, winners: {counts:?}");
    assert!(counts.iter().all(|n| *n >= 20), "{counts:?}");
}
