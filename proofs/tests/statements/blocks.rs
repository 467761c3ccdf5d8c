//! T4, T5 and T7: whole runs of a block, and protocols.

use crate::generate::{any_program, instance};
use crate::{evidence, for_all};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::history::HostArray;
use babycuda_core::syntax::{ForSort, Geometry};
use babycuda_core::{Bool, Configuration, HostMemory, Natural, Num, Protocol};
use babycuda_proofs::{
    Failure, Vacuous, relative_access_equivalence, scoped_phases, splitting_preserves_phases,
    synchronized_access_equivalence, well_typed_programs_are_access_invariant,
};
use babycuda_semantics::Instance;
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, map_file, scoped_map_file, strategy};
use babycuda_typing::type_relative;

/// Barriers that only some threads reach are a tenth of the cases.
fn block(choices: &mut Choices<'_>) -> Instance {
    let any = *choices.pick(&[Profile::SYNCHRONIZED, Profile::ANY]);
    let well_typed = match choices.chance(1, 2) {
        true => Profile { divergent: true, ..Profile::WELL_TYPED },
        false => Profile::WELL_TYPED,
    };
    let program = any_program(choices, any, well_typed);
    instance(choices, program)
}

pub fn kind<E>(checked: &Result<E, Failure>) -> &'static str {
    match checked {
        Ok(_) => "held",
        Err(Failure::Vacuous(Vacuous::IllTyped(_))) => "ill-typed",
        Err(Failure::Vacuous(Vacuous::Stuck(_))) => "stuck",
        Err(Failure::Undecided(_)) => "undecided",
        Err(_) => "otherwise vacuous",
    }
}

#[test]
fn t4_holds_on_random_blocks() {
    let seen = for_all(10_000, strategy(block), |instance| {
        let checked = synchronized_access_equivalence::check(&instance);
        let mut labels = vec![kind(&checked)];
        if let Some(e) = evidence(checked)? {
            labels.push(if e.racy.is_empty() { "held, DRF" } else { "held, racy" });
            labels.extend((e.phases.len() > 1).then_some("held, several phases"));
            labels.extend(e.diverges.then_some("held, diverges"));
        }
        Ok(labels)
    });
    seen.assert_share("held", 0.3..=0.9);
    seen.assert_share("ill-typed", 0.05..=0.5);
    seen.assert_share("stuck", 0.02..=0.4);
    seen.assert_share("undecided", 0.0..=0.05);
    seen.assert_share("otherwise vacuous", 0.0..=0.05);
    seen.assert_share("held, DRF", 0.1..=0.7);
    seen.assert_share("held, racy", 0.1..=0.6);
    seen.assert_share("held, several phases", 0.1..=0.8);
    seen.assert_share("held, diverges", 0.001..=0.3);
}

/// Memory that agrees with the declared contents only where they are fixed to nothing.
fn other_memory(choices: &mut Choices<'_>, instance: &Instance) -> HostMemory {
    let mut memory = HostMemory::default();
    for array in &instance.program.arrays {
        let value = |choices: &mut Choices<'_>| Natural::from(choices.below(5) as u64);
        let cells = (0u32..4).map(|j| (Natural::from(j), value(choices))).collect();
        let fill = choices.chance(3, 4).then(|| value(choices));
        memory.insert(array.name.clone(), HostArray { fill, cells });
    }
    memory
}

#[test]
fn t5_holds_on_random_blocks_and_memories() {
    let generated = strategy(|choices| {
        let instance = block(choices);
        let other = other_memory(choices, &instance);
        (instance, other)
    });
    let seen = for_all(10_000, generated, |(instance, other)| {
        let checked = well_typed_programs_are_access_invariant::check(&instance, &other);
        let mut labels = vec![kind(&checked)];
        if let Some(phases) = evidence(checked)? {
            labels.extend((phases.len() > 1).then_some("held, several phases"));
            labels.extend(phases.iter().any(|p| !p.is_empty()).then_some("held, not empty"));
        }
        Ok(labels)
    });
    seen.assert_share("held", 0.3..=0.9);
    seen.assert_share("held, not empty", 0.3..=0.9);
    seen.assert_share("held, several phases", 0.1..=0.8);
    seen.assert_share("ill-typed", 0.05..=0.5);
    seen.assert_share("stuck", 0.02..=0.5);
    seen.assert_share("undecided", 0.0..=0.05);
    seen.assert_share("otherwise vacuous", 0.0..=0.05);
}

#[test]
fn t11_holds_on_random_blocks_and_memories() {
    let generated = strategy(|choices| {
        let program = any_program(choices, Profile::RELATIVE, Profile::RELATIVE);
        let instance = instance(choices, program);
        let other = other_memory(choices, &instance);
        (instance, other)
    });
    let seen = for_all(10_000, generated, |(instance, other)| {
        let checked = relative_access_equivalence::check(&instance, &other);
        let relative = type_relative(&instance.program).is_ok_and(|typed| typed.is_relative());
        let mut labels = vec![kind(&checked)];
        if let Some(e) = evidence(checked)?
            && relative
        {
            labels.push(if e.racy.is_empty() { "relative, DRF" } else { "relative, racy" });
            labels.extend((e.phases.len() > 1).then_some("relative, several phases"));
            labels.extend(e.diverges.then_some("relative, diverges"));
        }
        Ok(labels)
    });
    seen.assert_share("held", 0.3..=0.95);
    seen.assert_share("undecided", 0.0..=0.05);
    seen.assert_share("relative, DRF", 0.05..=0.7);
    seen.assert_share("relative, racy", 0.02..=0.6);
    seen.assert_share("relative, several phases", 0.02..=0.8);
    seen.assert_share("relative, diverges", 0.0005..=0.3);
}

/// The protocol and a barrier where threads may decide differently: whether they do depends on how
/// many there are, so the split has an obligation that some configurations meet.
fn under_a_decision(choices: &mut Choices<'_>, p: Protocol) -> Protocol {
    let p = Protocol::seq(p, Protocol::sync());
    let some = Num::lit(1 + choices.below(4));
    let tid = Num::var("tid");
    let rounds = |lower, upper, p| Protocol::repeat(ForSort::S, "round", lower, upper, p);
    match choices.below(3) {
        0 => {
            let otherwise = if choices.chance(1, 2) { p.clone() } else { Protocol::Skip };
            let condition = Bool::compare(Relation::Lt, tid, some);
            Protocol::branch(condition, p, otherwise)
        }
        1 => {
            let far = Num::arith(ArithOp::Div, tid, some);
            rounds(Num::lit(0u32), Num::arith(ArithOp::Add, far, Num::lit(1u32)), p)
        }
        _ => {
            let from = Num::arith(ArithOp::Mod, tid, some.clone());
            rounds(from.clone(), Num::arith(ArithOp::Add, from, some), p)
        }
    }
}

#[test]
fn t7_holds_on_random_protocols() {
    let generated = strategy(|choices| {
        let profile = Profile { data_dependent: false, huge: false, ..Profile::ANY };
        let divergent = choices.chance(1, 2);
        let mut file = map_file(choices, Profile { divergent, ..profile });
        if choices.chance(1, 4) {
            file.protocol = under_a_decision(choices, file.protocol).numbered();
        }
        (file, choices.chance(1, 2))
    });
    let seen = for_all(10_000, generated, |(file, any_block)| {
        // Proof: the generators fix every extent.
        let launch = file.declarations.geometry.launch().expect("a concrete launch");
        let mut declarations = file.declarations;
        if any_block {
            declarations.geometry = Geometry::line();
        }
        let at = [1, 2, 3, 5].map(Configuration::threads);
        let at: Vec<Configuration> =
            [Configuration::of_launch(launch)].into_iter().chain(at).collect();
        let checked = splitting_preserves_phases::check(&file.protocol, &declarations, &at);
        let mut labels = vec![match &checked {
            Ok(_) => "held",
            Err(Failure::Vacuous(Vacuous::Unmet)) => "obligations unmet",
            Err(Failure::Undecided(Vacuous::NotSplit(_))) => "not split",
            Err(Failure::Undecided(_)) => "otherwise undecided",
            Err(_) => "otherwise vacuous",
        }];
        if let Some(e) = evidence(checked)? {
            labels.extend((e.obligations > 0).then_some("held, obligations met"));
            labels.extend((e.phases.iter().any(|n| *n > 1)).then_some("held, several phases"));
        }
        Ok(labels)
    });
    seen.assert_share("held", 0.5..=1.0);
    seen.assert_share("held, several phases", 0.2..=0.9);
    seen.assert_share("held, obligations met", 0.02..=0.5);
    seen.assert_share("obligations unmet", 0.01..=0.3);
    seen.assert_share("not split", 0.0..=0.1);
    seen.assert_share("otherwise undecided", 0.0..=0.05);
    seen.assert_share("otherwise vacuous", 0.0..=0.05);
}

#[test]
fn t12_holds_on_random_protocols() {
    let profile = Profile { divergent: true, ..Profile::SYNCHRONIZED };
    let seen = for_all(6_000, strategy(move |c| scoped_map_file(c, profile)), |map| {
        let launch = map.declarations.geometry.launch().expect("it is fixed");
        let checked = scoped_phases::check(&map.protocol, &Configuration::of_launch(launch));
        let mut labels = vec![kind(&checked)];
        labels.extend(map.protocol.scoped_barrier().map(|_| "scoped"));
        if let Some(e) = evidence(checked)? {
            labels.extend(e.diverges.then_some("diverges"));
            labels.extend((!e.races.is_empty()).then_some("racy"));
            labels.extend((e.within_groups > 0).then_some("racy within a group"));
            labels.extend((e.races.is_empty() && !e.diverges).then_some("race-free"));
        }
        Ok(labels)
    });
    seen.assert_share("held", 0.8..=1.0);
    seen.assert_share("scoped", 0.4..=1.0);
    seen.assert_share("diverges", 0.01..=0.6);
    seen.assert_share("racy", 0.08..=0.9);
    seen.assert_share("racy within a group", 0.02..=0.9);
    seen.assert_share("race-free", 0.2..=0.9);
}
