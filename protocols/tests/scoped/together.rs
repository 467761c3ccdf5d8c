//! Blocks that run together, as one, are as the sentence says of the grid.

use crate::model::Model;
use crate::{evaluators_agree, fixed, launch, parsed, with_array, with_global};
use babycuda_core::evidence::PairKey;
use babycuda_core::syntax::{Contents, Space};
use babycuda_core::{Configuration, Dim3, Launch, Together};
use babycuda_protocols::enumerate::{EnumerationLimits, enumerate};
use babycuda_protocols::map::Ending;
use std::collections::BTreeSet;

#[test]
fn blocks_together_are_as_the_sentence_says() {
    let statements = [
        "wr A[tid]",
        "wr A[2 * blockIdx.x + tid]",
        "rd A[3 - 2 * blockIdx.x - tid]",
        "wr S[tid]",
        "rd S[1 - tid]",
        "if blockIdx.x == 0 { wr S[blockIdx.x] }",
        "sync.grid",
        "sync",
        "sync.warp",
        "if tid == 0 { rd A[2] }",
        "if blockIdx.x == 1 { sync.grid }",
        "if blockIdx.x == 1 { sync; wr S[0] }",
        "if threadIdx.x / 2 == 0 { sync.tile2 }",
        "forS x in 0..2 { sync.grid; wr A[2 * ((blockIdx.x + x) % 2) + tid] }",
        "forS x in 0..2 { wr A[2 * x + tid]; if x == blockIdx.x { sync } }",
    ];
    let (mut free, mut racy, mut divergent) = (0, 0, 0);
    for (threads, warp) in [(2, 2), (3, 2), (4, 2), (2, 32)] {
        let launch = Launch { grid: Dim3::line(2), ..launch(threads, warp) };
        let declarations = with_global("A", fixed(launch));
        let declarations = with_array("S", Space::Shared, Contents::Undefined, declarations);
        for first in statements {
            for second in statements {
                for third in statements {
                    let p = parsed(&format!("{first}; {second}; {third}")).numbered();
                    let Some(blocks) = Together::of(&declarations, &p, launch) else { continue };
                    let model = Model::of(&p, launch);
                    let one = blocks.code(&p);
                    let at = blocks.configuration(&Configuration::of_launch(launch));
                    let (_, ending) = evaluators_agree(&one, &at);
                    assert_eq!(model.runs, ending == Ending::Done, "{p}");
                    divergent += u32::from(!model.runs);
                    if !model.runs {
                        continue;
                    }
                    let limits = EnumerationLimits::default();
                    let found = enumerate(&one, &blocks.declarations(), &at, &limits).unwrap();
                    let statements = |pair: PairKey| (pair.array, pair.first, pair.second);
                    for race in found.races.values() {
                        let apart = blocks.witness_apart(race.witness.clone());
                        assert!(model.races.contains(&apart.pair()), "{p}: {apart}");
                        let again = blocks.witness(&apart);
                        assert_eq!(
                            (&again.cell, again.pair()),
                            (&race.witness.cell, race.witness.pair())
                        );
                    }
                    let found: BTreeSet<_> = found.races.into_keys().map(statements).collect();
                    let races: BTreeSet<_> = model.races.into_iter().map(statements).collect();
                    assert_eq!(found, races, "{p}");
                    free += u32::from(races.is_empty());
                    racy += u32::from(!races.is_empty());
                }
            }
        }
    }
    println!("{free} {racy} {divergent}");
    assert!(free > 500 && racy > 2_000 && divergent > 1_000, "{free} {racy} {divergent}");
}
