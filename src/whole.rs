//! Kernels that are taken apart: a part has the accesses of one memory, and only the barriers that order it (THEORY §4).
//!
//! A thread that is stuck before a barrier holds the others there, in the kernel; and what it reads of other memory may be
//! what stops it. So races of a part are looked for in runs of all of the kernel.

use crate::check::{host_memory, may_be_stuck};
use crate::{CheckError, CheckOptions, Checked, check};
use babycuda_core::evidence::{Certainty, Report, Side, Witness};
use babycuda_core::verdict::Outcome as Decided;
use babycuda_core::{Configuration, Program};
use babycuda_semantics::{Instance, Outcome, Policy, RunLimits, RunOptions, vm};

/// The verdict on a kernel that is taken apart: a race of any of these programs, or what the first one has or leaves open, or
/// what the others leave open. `whole` is the kernel if all barriers order everything.
///
/// # Errors
/// Those of [`check`].
pub fn check_apart(
    whole: &Program,
    parts: &[Program],
    options: &CheckOptions,
) -> Result<Checked, CheckError> {
    let mut found = check(whole, options)?;
    for part in parts {
        if matches!(found.verdict.outcome, Decided::Racy | Decided::Divergent) {
            break;
        }
        let mut checked = check(part, options)?;
        match &checked.verdict.outcome {
            Decided::Racy => {
                let sure = |race: &Report<Witness>| race.certainty != Certainty::Potential;
                let races = &mut checked.verdict.races;
                races.retain(|race| !sure(race) || happens(whole, race, options));
                if !races.iter().any(sure) {
                    let why = "races of a part of the kernel are in no run of all of it that was looked at: a thread may stop before";
                    checked.verdict.outcome = Decided::Unknown(why.to_owned());
                }
                found = checked;
            }
            Decided::Unknown(_) if found.verdict.outcome == Decided::Drf => found = checked,
            Decided::Divergent => {
                let why = "threads of a part of the kernel diverge".to_owned();
                checked.verdict.outcome = Decided::Unknown(why);
                found = checked;
            }
            _ => {}
        }
    }
    found.all_races = false;
    Ok(found)
}

/// Does the kernel, of which `whole` is the program whose barriers all order everything, come to both accesses of a race of one
/// of its parts? It does where no thread can be stuck; else a run of the launch shows it, in which none is.
fn happens(whole: &Program, race: &Report<Witness>, options: &CheckOptions) -> bool {
    if !may_be_stuck(whole) {
        return true;
    }
    let witness = &race.witness;
    let sides = [&witness.first, &witness.second];
    let data = sides.iter().flat_map(|side| &side.data);
    let Some(mut host) = host_memory(whole, &witness.configuration, data) else { return false };
    if let Some(replay) = &race.replay {
        for (name, array) in replay.history.host().arrays() {
            if whole.array(name).is_some() {
                host.insert(name.clone(), array.clone());
            }
        }
    }
    let program = whole.stopping().unwrap_or_else(|| whole.clone());
    let limits = RunLimits { steps: options.replay_steps, ..RunLimits::default() };
    let settings = RunOptions { limits, ambiguous: Policy::Smallest, ..RunOptions::default() };
    let run = |block: u64| {
        let at = Configuration { block, ..witness.configuration.clone() };
        vm::run(&Instance::of(program.clone(), at).with_host(host.clone()), &settings)
    };
    let comes = |side: &Side, outcome: &Outcome| {
        let Outcome::Done { history } = outcome else { return false };
        history.chronological().any(|(_, phase)| {
            let own = phase.threads().filter(|(thread, _)| *thread == side.thread.index);
            let mut own = own.flat_map(|(_, accesses)| accesses.iter());
            own.any(|(mode, cell)| mode == side.mode && *cell == witness.cell)
        })
    };
    let [first, second] = sides;
    let outcome = run(first.thread.block);
    comes(first, &outcome)
        && match witness.same_block() {
            true => comes(second, &outcome),
            false => comes(second, &run(second.thread.block)),
        }
}
