//! The checker of derivations of `u ↓ Λ`: it evaluates no protocol, trusts no evaluation, and
//! recognises instances ([`babycuda_core::instance`]) where the evaluator substitutes.

use super::derivation::{Derivation, Judgment, Premise, Reached, Rule};
use super::{Ending, MapEvidence};
use babycuda_core::derivation::{self, Fault};
use babycuda_core::expr::Relation;
use babycuda_core::history::{Access, HostMemory};
use babycuda_core::instance::{Values, is_instance};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::together;
use babycuda_core::{
    AccessMode, Bool, Cell, Configuration, Name, Natural, Num, Protocol, Site, Thread,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Where a derivation is wrong.
pub type Rejected = derivation::Rejected<Rule>;

/// Checks every node of the derivation, that the protocol of the evidence is well-scoped, and that
/// the root is about that protocol in a configuration that its declarations admit.
///
/// # Errors
/// [`Rejected`]: the root, when it is about something else; else the first wrong node.
pub fn check_map(evidence: &MapEvidence) -> Result<(), Rejected> {
    let MapEvidence { map, configuration, derivation } = evidence;
    let root = |expected| Rejected::root(derivation, expected);
    map.check_scope().map_err(|error| root(format!("a well-scoped protocol: {error}")))?;
    let declared = |x: &Name| map.declarations.params.iter().any(|p| p.name == *x);
    if !map.declarations.admits(configuration) || !configuration.parameters.keys().all(declared) {
        return Err(root("a launch and parameters that the declarations admit".into()));
    }
    if together::waits(&map.protocol, configuration.launch) {
        return Err(root("a block that waits for no other one".into()));
    }
    match &derivation.conclusion {
        Judgment::Block { configuration: found, protocol, .. }
            if found == configuration && **protocol == map.protocol =>
        {
            check_derivation(derivation)
        }
        _ => Err(root("the judgment of the protocol and its configuration".into())),
    }
}

/// Checks every node of a derivation. Inputs hold what the configuration of the root says; below a
/// root about one thread, nothing.
///
/// # Errors
/// [`Rejected`] names the first wrong node in pre-order.
pub fn check_derivation(derivation: &Derivation) -> Result<(), Rejected> {
    let nothing = HostMemory::default();
    let host = match &derivation.conclusion {
        Judgment::Block { configuration, .. } => &configuration.host,
        Judgment::Thread { .. } => &nothing,
    };
    derivation::check(derivation, |node| check_node(node, host))
}

fn check_node(node: &Derivation, host: &HostMemory) -> Result<(), Fault> {
    let mut premises = Premises { rest: node.premises.iter() };
    match &node.conclusion {
        Judgment::Thread { protocol, reached } => {
            check_thread(node.rule, protocol, reached, &mut premises, host)?;
        }
        Judgment::Block { configuration, protocol, phases, ending } => {
            if node.rule != Rule::Par {
                return Err(Fault::conclusion("the rule does not conclude this"));
            }
            let threads = premises.threads(configuration, protocol)?;
            check_together(&threads, configuration, phases, ending)?;
        }
    }
    match premises.rest.next() {
        None => Ok(()),
        Some(_) => Err(Fault::conclusion("the rule has fewer premises")),
    }
}

fn check_thread(
    rule: Rule,
    protocol: &Protocol,
    reached: &Reached,
    premises: &mut Premises<'_>,
    host: &HostMemory,
) -> Result<(), Fault> {
    let result = |expected: &Reached| match reached.is_same(expected) {
        true => Ok(()),
        false => Err(Fault::conclusion(format!("the accesses are {expected}"))),
    };
    fn same(u: &Protocol) -> impl Fn(&Protocol) -> bool {
        move |found| found == u
    }
    match (rule, protocol) {
        (Rule::Skip, Protocol::Skip) => result(&Reached::nothing()),
        (Rule::Access, Protocol::Access { mode, array, index, .. }) => {
            let j = premises.value(1, index)?.clone();
            result(&Reached::one(*mode, Cell::new(array.clone(), j)))
        }
        (Rule::Seq, Protocol::Seq(first, second)) => {
            let one = premises.thread(1, &same(first))?;
            result(&one.then(premises.thread(2, &same(second))?))
        }
        (Rule::IfTrue, Protocol::If { condition, then, .. }) => {
            premises.truth(1, condition, true)?;
            result(premises.thread(2, &same(then))?)
        }
        (Rule::IfFalse, Protocol::If { condition, otherwise, .. }) => {
            premises.truth(1, condition, false)?;
            result(premises.thread(2, &same(otherwise))?)
        }
        (Rule::For1, Protocol::For { lower, upper, .. }) => {
            premises.bounds(lower, upper, Relation::Ge)?;
            result(&Reached::nothing())
        }
        (Rule::For2, Protocol::For { site, sort, var, lower, upper, body }) => {
            let (j, k) = premises.bounds(lower, upper, Relation::Lt)?;
            let values = Values::unit(var.clone(), j.clone());
            let one = premises.thread(4, &|u| is_instance(u, body, &values))?;
            let two = premises.thread(5, &|u| {
                matches!(u, Protocol::For { site: l, sort: s, var: x, lower: n, upper: m, body: b }
                    if (l, s, x) == (site, sort, var)
                        && matches!(n, Num::Lit(next) if *next == j.successor())
                        && matches!(m, Num::Lit(last) if last == k)
                        && b == body)
            })?;
            result(&one.then(two))
        }
        (Rule::Sync, Protocol::Sync { site, scope }) => result(&Reached::barrier(*scope, *site)),
        (Rule::Input, Protocol::Input { var, array, index, body, .. }) => {
            let j = premises.value(1, index)?;
            let value = match premises.rest.next() {
                Some(Premise::LastWrite { cell, value })
                    if cell.array == *array
                        && cell.index == *j
                        && host.get(cell) == Some(value) =>
                {
                    value
                }
                _ => {
                    return Err(Fault::premise(2, format!("what the host stored in {array}[{j}]")));
                }
            };
            let values = Values::unit(var.clone(), value.clone());
            result(premises.thread(3, &|u| is_instance(u, body, &values))?)
        }
        (Rule::Any, Protocol::Any { var, domain, body, .. }) => {
            let Some(Premise::Chosen { cell: None, value }) = premises.rest.next() else {
                return Err(Fault::premise(1, "a value"));
            };
            if domain.is_some_and(|t| Natural::from(t.pattern(value)) != *value) {
                return Err(Fault::premise(1, format!("a value of the type of {var}")));
            }
            let values = Values::unit(var.clone(), value.clone());
            result(premises.thread(2, &|u| is_instance(u, body, &values))?)
        }
        _ => Err(Fault::conclusion("the rule does not conclude this")),
    }
}

/// Are these the phases and the ending of threads that wait for each other?
fn check_together(
    threads: &[&Reached],
    at: &Configuration,
    phases: &[BTreeSet<Access>],
    ending: &Ending,
) -> Result<(), Fault> {
    let passed = passed(threads, at);
    let stop = |i: usize| threads[i].barriers.get(passed[i]).copied();
    let place = |(i, site): (u64, Option<Site>)| {
        let i = usize::try_from(i).ok().filter(|i| *i < threads.len())?;
        (stop(i).map(|(_, site)| site) == site).then_some(i)
    };
    let ends = match ending {
        Ending::Done => (0..threads.len()).all(|i| stop(i).is_none()),
        Ending::Divergence { first, second } => {
            let narrowest = (0..threads.len()).filter_map(|i| Some(stop(i)?.0)).min();
            match (place(*first), place(*second), narrowest) {
                (Some(i), Some(j), Some(scope)) => {
                    first.1 != second.1 && group(at, threads.len(), scope, i).contains(&j)
                }
                _ => false,
            }
        }
        // A thread that is stuck has no derivation.
        Ending::Stuck { .. } => false,
    };
    if !ends {
        return Err(Fault::conclusion("how the threads stop in the last phase"));
    }
    let wrong = |n| Fault::conclusion(format!("the accesses of all threads in phase {n}"));
    let mut many = vec![0; phases.len()];
    let mut last = 0;
    for ((thread, reached), passed) in (0..).zip(threads).zip(&passed) {
        let mut of_phase: BTreeMap<usize, BTreeSet<_>> = BTreeMap::new();
        last = 0;
        for (n, accesses) in reached.phases.iter().take(passed + 1).enumerate() {
            let before = n.checked_sub(1).and_then(|n| reached.barriers.get(n));
            last += usize::from(before.is_some_and(|(scope, _)| *scope >= BarrierScope::Block));
            of_phase.entry(last).or_default().extend(accesses);
        }
        for (number, accesses) in of_phase {
            let phase = phases.get(number).ok_or_else(|| wrong(number))?;
            let mut own = accesses.iter();
            let holds = |(mode, cell): &&(AccessMode, Cell)| {
                phase.contains(&Access { thread, mode: *mode, cell: cell.clone() })
            };
            if !own.all(holds) {
                return Err(wrong(number));
            }
            many[number] += accesses.len();
        }
    }
    match (0..phases.len()).find(|n| many[*n] != phases[*n].len()) {
        Some(number) => Err(wrong(number)),
        None if phases.len() != last + 1 => Err(Fault::conclusion("all phases, and no other")),
        None => Ok(()),
    }
}

/// The threads of the group of thread `i`.
fn group(at: &Configuration, threads: usize, scope: BarrierScope, i: usize) -> Range<usize> {
    let group = at.launch.group(scope, Thread { block: at.block, index: i as u64 });
    let within = |index: u64| usize::try_from(index).map_or(threads, |n| n.min(threads));
    within(group.first)..within(group.end)
}

/// How many barriers each thread passes: as long as there is one at which the whole group of a thread
/// waits, it goes on.
fn passed(threads: &[&Reached], at: &Configuration) -> Vec<usize> {
    let mut passed = vec![0; threads.len()];
    loop {
        let waits = |i: usize| threads[i].barriers.get(passed[i]);
        let ready = (0..threads.len()).find_map(|i| {
            let barrier = waits(i)?;
            let mut group = group(at, threads.len(), barrier.0, i);
            group.all(|j| waits(j) == Some(barrier)).then_some((barrier.0, i))
        });
        let Some((scope, i)) = ready else { return passed };
        passed[group(at, threads.len(), scope, i)].iter_mut().for_each(|n| *n += 1);
    }
}

/// The premises not looked at yet.
struct Premises<'a> {
    rest: std::slice::Iter<'a, Premise>,
}

impl<'a> Premises<'a> {
    /// `n ↓ k`
    fn value(&mut self, number: usize, n: &Num) -> Result<&'a Natural, Fault> {
        match self.rest.next() {
            Some(Premise::Value { expression, value })
                if expression == n && n.value().as_ref() == Ok(value) =>
            {
                Ok(value)
            }
            _ => Err(Fault::premise(number, format!("the value of {n}"))),
        }
    }

    /// `c ↓ value`
    fn truth(&mut self, number: usize, c: &Bool, value: bool) -> Result<(), Fault> {
        match self.rest.next() {
            Some(Premise::Truth { condition, value: said })
                if condition == c && *said == value && c.value() == Ok(value) =>
            {
                Ok(())
            }
            _ => Err(Fault::premise(number, format!("{c} ↓ {value}"))),
        }
    }

    /// `n ↓ j`, `m ↓ k`, and `(j < k) ↓ true` or `(j ≥ k) ↓ true`: premises 1 to 3.
    fn bounds(
        &mut self,
        lower: &Num,
        upper: &Num,
        relation: Relation,
    ) -> Result<(&'a Natural, &'a Natural), Fault> {
        let (j, k) = (self.value(1, lower)?, self.value(2, upper)?);
        self.truth(3, &Bool::compare(relation, Num::Lit(j.clone()), Num::Lit(k.clone())), true)?;
        Ok((j, k))
    }

    /// `u ↓ Λ` for a protocol that is as expected; gives Λ.
    fn thread(
        &mut self,
        number: usize,
        expected: &dyn Fn(&Protocol) -> bool,
    ) -> Result<&'a Reached, Fault> {
        match self.rest.next() {
            Some(Premise::Derived(Derivation {
                conclusion: Judgment::Thread { protocol, reached },
                ..
            })) if expected(protocol) => Ok(reached),
            _ => Err(Fault::premise(number, "the judgment of the part that the rule names")),
        }
    }

    /// `u[tid := i] ↓ Λ_i` for every thread `i`: premise 1 of map/par.
    fn threads(
        &mut self,
        configuration: &Configuration,
        protocol: &Protocol,
    ) -> Result<Vec<&'a Reached>, Fault> {
        let mut all = Vec::new();
        // A document may name any number of threads; only as many are looked at as have premises.
        for i in 0..configuration.launch.block.count() {
            let values = configuration.values(i);
            all.push(self.thread(1, &|u| is_instance(u, protocol, &values))?);
        }
        Ok(all)
    }
}
