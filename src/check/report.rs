//! From what was found to what is reported.

use babycuda_core::expr::Bool;
use babycuda_core::launch::{MAX_BLOCK_DIM, MAX_GRID_DIM, WARP_SIZE};
use babycuda_core::name::Name;
use babycuda_core::site::Span;
use babycuda_core::syntax::Extent;
use babycuda_core::verdict::ScopeOfVerdict;
use babycuda_core::{Configuration, Declarations};
use babycuda_semantics::Stuck;
use std::collections::BTreeSet;

/// Why a verdict on this one launch would be about nothing; `None` when the declarations allow the
/// launch.
pub(super) fn vacuous(declarations: &Declarations, at: &Configuration) -> Option<String> {
    if declarations.admits(at) {
        return None;
    }
    let broken = broken(&declarations.assumptions, at);
    Some(match declarations.unmet_in(at, &at.host) {
        Some((_, why)) if broken.is_empty() => format!("vacuous: {why}"),
        _ => no_launch(declarations, broken),
    })
}

/// The assumptions that a configuration does not satisfy.
pub(super) fn broken<'a>(assumptions: &'a [Bool], at: &Configuration) -> Vec<&'a Bool> {
    let holds = |c: &Bool| c.eval(&|x| at.value_of(x, 0)).unwrap_or(false);
    assumptions.iter().filter(|c| !holds(c)).collect()
}

/// A verdict that would be about nothing: no launch satisfies these assumptions, with contents as
/// assumed.
pub(super) fn no_launch<'a>(
    declarations: &Declarations,
    assumptions: impl IntoIterator<Item = &'a Bool>,
) -> String {
    let said = assumptions.into_iter().map(|c| declarations.sources.said(c));
    let texts = said.chain(declarations.said_of_contents()).map(|text| format!("`{text}`"));
    let texts: Vec<String> = texts.collect();
    match texts.as_slice() {
        [] => "vacuous: no launch satisfies the declarations".to_owned(),
        _ => format!("vacuous: no launch satisfies {}", texts.join(" and ")),
    }
}

/// Why a race or a divergence was not replayed: where its run stopped.
pub(super) fn not_replayed(what: &str, declarations: &Declarations, stuck: &Stuck) -> String {
    let why = stuck.explain(&declarations.sources);
    format!("a potential {what} was not replayed: in {why}")
}

/// What a verdict on the races on `array` is about; `None`: on all arrays.
/// Updates of `ordered` are taken to yield what an order gives; threads wait for those of their tile or
/// warp only where `in_warps` says so.
pub(super) fn scope(
    declarations: &Declarations,
    in_warps: bool,
    array: Option<&Name>,
    ordered_updates: BTreeSet<Name>,
) -> ScopeOfVerdict {
    let texts = |extents: [Extent; 3], limits: [u32; 3]| {
        let mut texts = [const { String::new() }; 3];
        for ((text, extent), limit) in texts.iter_mut().zip(extents).zip(limits) {
            *text = match extent {
                Extent::Known(k) => k.to_string(),
                Extent::Symbolic => format!("1..={limit}"),
            };
        }
        texts
    };
    let warp = declarations.geometry.warp;
    // Several facts about one launch have one text.
    let mut seen = BTreeSet::new();
    ScopeOfVerdict {
        block: texts(declarations.geometry.block, MAX_BLOCK_DIM),
        grid: declarations.geometry.grid.map(|grid| texts(grid, MAX_GRID_DIM)),
        warp: (in_warps || warp != WARP_SIZE).then_some(warp),
        fixed: declarations
            .fixed()
            .map(|(name, k)| (name.clone(), declarations.read_parameter(&name, &k)))
            .collect(),
        assumptions: declarations
            .assumptions
            .iter()
            .map(|c| declarations.sources.said(c))
            .chain(declarations.said_of_contents())
            .filter(|said| seen.insert(said.clone()))
            .collect(),
        array: array.cloned(),
        no_overflow_at: {
            let stops = declarations.sources.overflows.values().flatten();
            let all: BTreeSet<Span> =
                stops.chain(&declarations.sources.unstopped).copied().collect();
            all.into_iter().collect()
        },
        ordered_updates,
    }
}
