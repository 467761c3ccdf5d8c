//! Algorithm 2, `BarrierDivergence` (SKBG18 §5.2): `(tid_i != tid_j) ∧ (P_i ⊕ P_j)` of each barrier.

use super::encode::{Encoder, Value};
use super::findings::{Diverging, Findings, divergence};
use super::formula::Translated;
use super::question::Asked;
use super::races::{needed, same, size};
use super::reading::{Arrays, Barriers, Reading, Threads};
use super::terms::Built;
use super::world::World;
use babycuda_kernel::Launch;
use babycuda_smt::{Term, Value as Constant};

/// Algorithm 2.
pub(super) fn detect(
    all: &Translated,
    world: &World,
    reading: Reading,
    asked: Asked<'_>,
    findings: &mut Findings,
) {
    for barrier in all.barriers() {
        let at = [all.formulae[barrier].at; 2];
        let divergence = || ask(all, world, reading, barrier, asked);
        findings.divergences.extend(asked.about(at, &mut findings.undecided, divergence));
    }
}

/// Ψ of a barrier: a divergence, none, or why that is not known.
fn ask(
    all: &Translated,
    world: &World,
    reading: Reading,
    barrier: usize,
    asked: Asked<'_>,
) -> Result<Option<Diverging>, String> {
    let arrays = reading.arrays != Arrays::Unknown;
    let formula = &all.formulae[barrier];
    let included =
        [(); 2].map(|()| needed(all, barrier, formula.predicate.iter().collect(), arrays));
    let sizes = size(all, &included, [barrier; 2]);
    let build = || -> Built<(Encoder<'_>, Term)> {
        let mut encoder = Encoder::new(all, world, reading, included)?;
        let first = encoder.predicate(0, &formula.predicate)?;
        let second = encoder.predicate(1, &formula.predicate)?;
        encoder.query.assert(&first.xor(&second)?)?;
        let distinct = same(&mut encoder, Launch::ThreadIdx)?.not()?;
        encoder.query.assert(&distinct)?;
        if reading.threads == Threads::Identity {
            let block = same(&mut encoder, Launch::BlockIdx)?;
            encoder.query.assert(&block)?;
        }
        if reading.barriers == Barriers::SameIteration {
            for number in &formula.loops {
                let count = all.counts[number.0];
                let both = (encoder.symbol(0, count)?, encoder.symbol(1, count)?);
                let (Value::Int(k), Value::Int(l)) = both else { continue };
                encoder.query.assert(&k.term.equals(&l.term)?)?;
            }
        }
        Ok((encoder, first))
    };
    let (mut encoder, gets_there) = build().map_err(|e| e.to_string())?;
    let Some(model) = asked.model(&encoder.query)? else { return Ok(None) };
    let first = usize::from(gets_there.eval(&model) != Ok(Constant::Bool(true)));
    let found = divergence(&mut encoder, &model, barrier, first, sizes);
    found.map(Some).map_err(|e| e.to_string())
}
