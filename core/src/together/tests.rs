//! The one block does what the blocks do.

use super::*;
use crate::parse::parse_program;
use crate::site::Site;
use crate::syntax::Stmt;

fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The grid of the declarations, as one block.
fn together(program: &Program) -> Option<Together<'_>> {
    Together::of(program, &program.body, program.geometry.launch()?)
}

/// The index and the payload of the first write, in a thread of a launch.
fn written(body: &Stmt, launch: Launch, thread: Thread) -> [Natural; 2] {
    let value = |x: &Name| launch.value_of(x, thread);
    let write = body.subterms().find_map(|b| match b {
        Stmt::Write { index, payload, .. } => Some([index, payload]),
        _ => None,
    });
    write.unwrap_or_else(|| panic!("{body}")).map(|n| n.eval(&value).unwrap())
}

const PLACE: &str = "threadIdx.x + 10 * (threadIdx.y + 10 * (threadIdx.z + 10 * (blockIdx.x
    + 10 * (blockIdx.y + 10 * (blockIdx.z + 10 * (blockDim.y + 10 * (gridDim.z + 10 * tid)))))))";

#[test]
fn every_thread_knows_its_place_and_has_the_cells_of_its_block() {
    for launch in ["grid 2; block 3", "grid 2, 3, 2; block 2, 2, 3", "grid 1, 4; block 1, 1, 5"] {
        for space in ["global", "shared"] {
            let text = format!("{launch}; {space} A; sync.grid; A[{PLACE}] := {PLACE}");
            let program = program(&text);
            let (blocks, launch) = (together(&program).unwrap(), program.geometry.launch());
            let (launch, one) = (launch.unwrap(), blocks.program(&program));
            assert_eq!(one.geometry.launch(), Some(blocks.launch()));
            for (number, thread) in (0..).zip(launch.all()) {
                assert_eq!((blocks.number(thread), blocks.thread(number)), (number, thread));
                let of_one = Thread { block: 0, index: number };
                let [index, payload] = written(&program.body, launch, thread);
                let [all, same] = written(&one.body, blocks.launch(), of_one);
                assert_eq!(payload, same, "{text}");
                let (cell, own) = (Cell::new("A", all), Cell::new("A", index));
                assert_eq!(blocks.cell(&own, thread.block), cell, "{text}");
                assert_eq!(blocks.own(&cell), own, "{text}");
                assert_eq!(cell == own, space == "global" || own.index == Natural::zero());
            }
        }
    }
}

#[test]
fn barriers_hold_together_whom_they_did() {
    for (threads, warp) in [(4, 2), (5, 2), (7, 4), (2, 32), (8, 8), (33, 32)] {
        for scope in ["tile1", "tile2", "warp", "block", "grid"] {
            let head = format!("grid 3; threads {threads}; warp {warp}");
            let program = program(&format!("{head}; sync.{scope}; sync.grid"));
            let (blocks, launch) = (together(&program).unwrap(), program.geometry.launch());
            let launch = launch.unwrap();
            let of = |p: &Program| {
                p.body.subterms().find_map(|b| match b {
                    Stmt::Sync { scope, .. } => Some(*scope),
                    _ => None,
                })
            };
            let (scope, scope_of_one) =
                (of(&program).unwrap(), of(&blocks.program(&program)).unwrap());
            for a in launch.all() {
                for b in launch.all() {
                    let at = |thread| Thread { block: 0, index: blocks.number(thread) };
                    let one = |t| blocks.launch().group(scope_of_one, at(t));
                    let together = launch.group(scope, a) == launch.group(scope, b);
                    assert_eq!(one(a) == one(b), together, "{head}; {scope:?}: {a:?}, {b:?}");
                }
            }
        }
    }
}

#[test]
fn a_divergence_is_of_its_scope_and_block() {
    let found = |text: &str, scope, site: Option<u32>| {
        let program = program(text);
        let blocks = together(&program).unwrap();
        let one = Divergence::of_block(1, (4, site.map(Site)), (7, None));
        let one = blocks.divergence(&program.body, Divergence { scope, ..one });
        let (block, found) = blocks.own_divergence(one);
        (found.scope, block, found.first.0, found.second.0)
    };
    let text = "grid 2; threads 4; warp 2; sync.grid; sync; sync.warp; sync.tile1";
    let of = |scope| found(text, scope, None);
    assert_eq!(of(BarrierScope::Block), (BarrierScope::Grid, 0, 4, 7));
    assert_eq!(of(BarrierScope::Warp), (BarrierScope::Block, 1, 0, 3));
    assert_eq!(of(BarrierScope::Tile(2)), (BarrierScope::Warp, 1, 0, 3));
    assert_eq!(of(BarrierScope::Tile(1)), (BarrierScope::Tile(1), 1, 0, 3));
    // Where a warp, or a tile, is a whole block, its barrier is still its own.
    let text = "grid 2; threads 4; warp 4; sync.grid; sync.tile4; sync.warp; sync";
    for (site, scope) in
        [(1, BarrierScope::Tile(4)), (2, BarrierScope::Warp), (3, BarrierScope::Block)]
    {
        assert_eq!(found(text, BarrierScope::Warp, Some(site)).0, scope, "{site}");
    }
}

#[test]
fn the_arrays_of_each_block_hold_what_is_declared() {
    let text = "grid 2; threads 2; shared S[3] = [7, 8]; shared F = fill 3; global A = [4, 5];
        global n[9] = any; assume forall i in 0..gridDim.x: n[i + blockDim.x] <= gridDim.x;
        assume gridDim.x == 2; sync.grid; S[0] := 1; F[0] := 1; A[0] := 1";
    let program = program(text);
    let blocks = together(&program).unwrap();
    let one = blocks.program(&program);
    let declared = HostMemory::declared(&program);
    assert_eq!(blocks.host(&declared), HostMemory::declared(&one));
    for (index, value) in [7u32, 7, 8, 8].into_iter().enumerate() {
        let cell = Cell::new("S", index as u64);
        assert_eq!(HostMemory::declared(&one).get(&cell), Some(&value.into()));
    }
    let lengths = ["S", "n"].map(|a| one.array(&a.into()).unwrap().length.clone());
    assert_eq!(lengths, [6u32, 9].map(|n| Some(n.into())));
    // What is assumed of the launch is of the grid's.
    assert_eq!(one.assumptions[0].value(), Ok(true));
    assert!(one.contents_assumed[0].free_vars().is_empty());
    let at = blocks.configuration(&Configuration::of_launch(blocks.grid()));
    let mut host = HostMemory::declared(&one);
    assert_eq!(one.unmet_in(&at, &host), None);
    for (index, met) in [(1u32, true), (2, false), (3, false), (4, true)] {
        host.insert("n".into(), HostArray::default());
        (0u32..9).for_each(|i| host.set(Cell::new("n", i), 2u32.into()));
        host.set(Cell::new("n", index), 3u32.into());
        assert_eq!(one.unmet_in(&at, &host).is_none(), met, "{index}");
    }
}

#[test]
fn what_cannot_be_one_block_is_none() {
    let is = |text: &str| together(&program(text)).is_some();
    let head = "threads 2; global A; shared S = fill 0; sync.grid;";
    assert!(is(&format!("grid 2; {head} A[0] := 1")));
    assert!(!is(&format!("grid 1; {head} A[0] := 1")));
    assert!(!is(&format!("grid 2; {head} A[0] := 1").replace("sync.grid", "sync")));
    let update = |of: &str| format!("grid 2; {head} let x = atomic.block {of}[0] add 1 in skip");
    assert!(is(&update("S")) && !is(&update("A")));
    let open =
        |of: &str| format!("grid 2; {head} let x = {of}[0] in skip").replace("fill 0", "any");
    assert!(is(&open("A")) && !is(&open("S")));
    let many = |blocks: u32| format!("grid {blocks}; {head} S[0] := 1").replace("fill 0", "[1, 2]");
    assert!(is(&many(1 << 19)) && !is(&many((1 << 19) + 1)));
    assert!(!is(&format!("grid 4194304; {head} A[0] := 1").replace("threads 2", "threads 1024")));
}
