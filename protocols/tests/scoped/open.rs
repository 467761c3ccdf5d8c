//! Blocks of any size.

use crate::parsed;
use babycuda_core::Declarations;
use babycuda_core::syntax::{BarrierScope, Extent, Geometry};
use babycuda_protocols::solve::{SolveOptions, check};
use babycuda_smt::Builtin;

/// Any block of these extents, warps of this size.
fn open(block: [Extent; 3], warp: u32) -> Declarations {
    Declarations::of_geometry(Geometry { block, warp, ..Geometry::line() })
}

const ONE: Extent = Extent::Known(1);

#[test]
fn guards_are_uniform_on_linear_indices() {
    let text = "if threadIdx.x / 32 == 0 { wr A[tid]; sync.warp; rd A[tid] }";
    let asked = |block| check(&parsed(text), &open(block, 32), &Builtin, &SolveOptions::default());
    assert!(asked([Extent::Symbolic, ONE, ONE]).is_drf());
    assert!(asked([Extent::Known(64), Extent::Known(4), ONE]).is_drf());
    // In a block of 48 x 2, warp 1 has threads of both rows.
    let odd = asked([Extent::Known(48), Extent::Known(2), ONE]);
    let [odd] = odd.divergences.values().collect::<Vec<_>>()[..] else { panic!("{odd:#?}") };
    assert_eq!(odd.divergence.scope, BarrierScope::Warp);
    let plain = check(
        &parsed("if threadIdx.x < 16 { sync.warp }"),
        &open([Extent::Symbolic, ONE, ONE], 32),
        &Builtin,
        &SolveOptions::default(),
    );
    assert_eq!(plain.divergences.len(), 1, "{plain:#?}");
}

#[test]
fn a_reduction_of_each_warp_of_any_block() {
    let step = |barrier: &str| {
        format!(
            "wr s[tid]; {barrier}; \
             forS k in 0..5 {{ \
               if tid % 32 < 16 / (1 + k) {{ rd s[tid + 16 / (1 + k)] }}; {barrier}; \
               if tid % 32 < 16 / (1 + k) {{ wr s[tid] }}; {barrier} }}"
        )
    };
    let of_line = open([Extent::Symbolic, ONE, ONE], 32);
    let ask =
        |text: &str, d: &Declarations| check(&parsed(text), d, &Builtin, &SolveOptions::default());
    let whole = of_line.clone();
    let synchronized = ask(&step("sync.warp"), &whole);
    assert!(synchronized.is_drf(), "{synchronized:#?}");
    assert!(ask(&step("sync"), &whole).is_drf());
    let racy = ask(&step("skip"), &whole);
    assert!(!racy.races.is_empty(), "{racy:#?}");
    // A neighbour in another warp is not waited for.
    let beyond = ask("wr s[tid]; sync.warp; rd s[tid + 1]", &whole);
    let [race] = beyond.races.as_slice() else { panic!("{beyond:#?}") };
    assert_ne!(race.first.thread.index / 32, race.second.thread.index / 32);
    // Nor one in another tile.
    let tiles = ask("wr s[tid]; sync.tile4; rd s[4 * (tid / 4) + (tid + 1) % 4]", &whole);
    assert!(tiles.is_drf(), "{tiles:#?}");
    let tiles =
        ask("wr s[tid]; sync.tile4; rd s[8 * (tid / 8) + (tid + 1) % 8]; sync.warp", &whole);
    let [race] = tiles.races.as_slice() else { panic!("{tiles:#?}") };
    assert_eq!(race.first.thread.index / 32, race.second.thread.index / 32);
    assert_ne!(race.first.thread.index / 4, race.second.thread.index / 4);
}
