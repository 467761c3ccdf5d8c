//! Evaluating protocols with derivations.

use super::derivation::{Derivation, Judgment, Premise, Reached, Rule};
use super::{Ending, MapError, MapLimits, evaluate};
use babycuda_core::deep::grow;
use babycuda_core::expr::Relation;
use babycuda_core::history::{Access, HostMemory};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Bool, Cell, Configuration, Name, Natural, Num, Protocol, Site, Thread};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Chooses the value of a variable that an `any` binds, read at a site.
type Choose<'a> = &'a dyn Fn(&Name, Site) -> Natural;

/// The derivation of `u ↓ Λ` for all threads of a block.
///
/// # Errors
/// [`MapError`]: an unbound variable, an input without contents, or a limit; also an input where the
/// host stored nothing, for a thread that is stuck has no derivation.
pub fn derive(
    protocol: &Protocol,
    configuration: &Configuration,
    choose: Choose<'_>,
    limits: &MapLimits,
) -> Result<Derivation, MapError> {
    attempt(protocol, configuration, choose, limits).map_err(|attempt| attempt.error)
}

/// A protocol whose accesses have no derivation: why, and how far it comes.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Why.
    pub error: MapError,
    /// The thread that has none.
    pub thread: u64,
    /// The derivations of the threads before it.
    pub threads: Vec<Premise>,
    /// The protocols whose judgments were begun, the outermost first, each with the premises that are
    /// there; each is the next premise of the one before it.
    pub open: Vec<(Arc<Protocol>, Vec<Premise>)>,
}

/// The same, with all that there is of a derivation where there is none.
///
/// # Errors
/// As [`derive()`].
pub fn attempt(
    protocol: &Protocol,
    configuration: &Configuration,
    choose: Choose<'_>,
    limits: &MapLimits,
) -> Result<Derivation, Box<Attempt>> {
    let count = configuration.launch.block.count();
    if count > limits.threads {
        let error = MapError::Threads { threads: count, limit: limits.threads };
        let (threads, open) = (Vec::new(), Vec::new());
        return Err(Box::new(Attempt { error, thread: 0, threads, open }));
    }
    let (host, steps) = (&configuration.host, limits.steps);
    let mut deriver = Deriver { choose, host, steps, allowed: steps, open: Vec::new() };
    let (mut threads, mut premises) = (Vec::new(), Vec::new());
    // u[tid := i] ↓ Λ_i for all i ∈ T
    // ------------------------------- map/par
    // u ↓ {i:α | i ∈ T, α ∈ Λ_i}
    for i in 0..count {
        let closed = Arc::new(protocol.subst(&configuration.substitution(i)));
        match deriver.thread(&closed) {
            Ok((reached, derivation)) => {
                threads.push(reached);
                premises.push(Premise::Derived(derivation));
            }
            Err(error) => {
                let mut open = deriver.open;
                open.reverse();
                return Err(Box::new(Attempt { error, thread: i, threads: premises, open }));
            }
        }
    }
    let (phases, ending) = together(&threads, configuration);
    let conclusion = Judgment::Block {
        configuration: configuration.clone(),
        protocol: Arc::new(protocol.clone()),
        phases,
        ending,
    };
    Ok(Derivation { rule: Rule::Par, conclusion, premises })
}

/// The threads of a block, from barrier to barrier.
fn together(threads: &[Arc<Reached>], at: &Configuration) -> (Vec<BTreeSet<Access>>, Ending) {
    let mut passed = vec![0; threads.len()];
    let ending = loop {
        let stops =
            threads.iter().zip(&passed).map(|(reached, n)| reached.barriers.get(*n).copied());
        let stops: Vec<_> = (0..).zip(stops).collect();
        let groups = evaluate::together(&stops, at);
        if groups.is_empty() {
            break evaluate::ending(&stops, at);
        }
        for ((i, _), passed) in stops.iter().zip(&mut passed) {
            let thread = Thread { block: at.block, index: *i };
            *passed += usize::from(groups.iter().any(|group| group.holds(thread)));
        }
    };
    let mut phases = vec![BTreeSet::new()];
    for ((thread, reached), passed) in (0..).zip(threads).zip(passed) {
        let mut number = 0;
        for (n, accesses) in reached.phases.iter().take(passed + 1).enumerate() {
            let wider = |(scope, _): &(BarrierScope, Site)| *scope >= BarrierScope::Block;
            let before = n.checked_sub(1).and_then(|n| reached.barriers.get(n));
            number += usize::from(before.is_some_and(wider));
            phases.resize(phases.len().max(number + 1), BTreeSet::new());
            let accesses = accesses.iter();
            let accesses =
                accesses.map(|(mode, cell)| Access { thread, mode: *mode, cell: cell.clone() });
            phases[number].extend(accesses);
        }
    }
    (phases, ending)
}

struct Deriver<'a> {
    choose: Choose<'a>,
    /// `H0`
    host: &'a HostMemory,
    steps: u64,
    allowed: u64,
    /// Where there is no derivation: the judgments that were begun, the innermost first.
    open: Vec<(Arc<Protocol>, Vec<Premise>)>,
}

type Derived = Result<(Arc<Reached>, Derivation), MapError>;

impl Deriver<'_> {
    fn thread(&mut self, protocol: &Arc<Protocol>) -> Derived {
        let mut done = Vec::new();
        let tried = grow(|| self.apply(protocol, &mut done));
        if tried.is_err() {
            self.open.push((protocol.clone(), done));
        }
        tried
    }

    fn conclude(
        rule: Rule,
        protocol: &Arc<Protocol>,
        reached: Arc<Reached>,
        premises: &mut Vec<Premise>,
    ) -> Derived {
        let premises = std::mem::take(premises);
        let conclusion = Judgment::Thread { protocol: protocol.clone(), reached: reached.clone() };
        Ok((reached, Derivation { rule, conclusion, premises }))
    }

    /// The one rule that fits, in the ledger's order. Its premises are `done` as far as they hold.
    fn apply(&mut self, u: &Arc<Protocol>, done: &mut Vec<Premise>) -> Derived {
        self.steps = self.steps.checked_sub(1).ok_or(MapError::Steps(self.allowed))?;
        let nothing = || Arc::new(Reached::nothing());
        match &**u {
            // ---------- map/skip
            // skip ↓ ∅
            Protocol::Skip => Self::conclude(Rule::Skip, u, nothing(), done),
            //      n ↓ j
            // ---------------- map/access
            // o A[n] ↓ {o A[j]}
            Protocol::Access { site, mode, array, index } => {
                let (j, index) = number(*site, index)?;
                let reached = Arc::new(Reached::one(*mode, Cell::new(array.clone(), j)));
                done.push(index);
                Self::conclude(Rule::Access, u, reached, done)
            }
            // u1 ↓ Λ1    u2 ↓ Λ2
            // ------------------ map/seq
            // u1; u2 ↓ Λ1 ∪ Λ2
            Protocol::Seq(first, second) => {
                let (one, first) = self.thread(first)?;
                done.push(Premise::Derived(first));
                let (two, second) = self.thread(second)?;
                done.push(Premise::Derived(second));
                Self::conclude(Rule::Seq, u, Arc::new(one.then(&two)), done)
            }
            // c ↓ true    u1 ↓ Λ                           c ↓ false    u2 ↓ Λ
            // ---------------------- map/if-t              ----------------------- map/if-f
            // if c {u1} else {u2} ↓ Λ                      if c {u1} else {u2} ↓ Λ
            Protocol::If { site, condition, then, otherwise } => {
                let value = condition.value().map_err(|error| MapError::Unbound(*site, error))?;
                done.push(Premise::Truth { condition: condition.clone(), value });
                let (rule, branch) =
                    if value { (Rule::IfTrue, then) } else { (Rule::IfFalse, otherwise) };
                let (reached, derivation) = self.thread(branch)?;
                done.push(Premise::Derived(derivation));
                Self::conclude(rule, u, reached, done)
            }
            // n ↓ j    m ↓ k    (j ≥ k) ↓ true
            // -------------------------------- map/for-1
            //     forU x in n..m {u} ↓ ∅
            //
            // n ↓ j   m ↓ k   (j < k) ↓ true   u[x := j] ↓ Λ1   forU x in j+1..k {u} ↓ Λ2
            // ---------------------------------------------------------------------------- map/for-2
            //     forU x in n..m {u} ↓ Λ1 ∪ Λ2
            Protocol::For { site, sort, var, lower, upper, body } => {
                let ((j, lower), (k, upper)) = (number(*site, lower)?, number(*site, upper)?);
                let again = j < k;
                let relation = if again { Relation::Lt } else { Relation::Ge };
                let condition = Bool::compare(relation, Num::Lit(j.clone()), Num::Lit(k.clone()));
                let test = Premise::Truth { condition, value: true };
                done.extend([lower, upper, test]);
                if !again {
                    return Self::conclude(Rule::For1, u, nothing(), done);
                }
                let (one, iteration) = self.thread(&Arc::new(body.subst_value(var, &j)))?;
                done.push(Premise::Derived(iteration));
                let others = Protocol::For {
                    site: *site,
                    sort: *sort,
                    var: var.clone(),
                    lower: Num::Lit(j.successor()),
                    upper: Num::Lit(k),
                    body: body.clone(),
                };
                let (two, others) = self.thread(&Arc::new(others))?;
                done.push(Premise::Derived(others));
                Self::conclude(Rule::For2, u, Arc::new(one.then(&two)), done)
            }
            // ------------------------------- map/sync
            // sync_ℓ ↓ ∅, then sync_ℓ ▷ skip
            Protocol::Sync { site, scope } => {
                let reached = Arc::new(Reached::barrier(*scope, *site));
                Self::conclude(Rule::Sync, u, reached, done)
            }
            // n ↓ j    H0(A[j]) = k    u[x := k] ↓ Λ
            // -------------------------------------- map/input
            //      let x = input A[n] in u ↓ Λ
            Protocol::Input { site, var, array, index, body } => {
                let (j, index) = number(*site, index)?;
                done.push(index);
                let cell = Cell::new(array.clone(), j);
                let unknown = || MapError::Input { site: *site, array: array.clone() };
                let value = self.host.get(&cell).ok_or_else(unknown)?.clone();
                done.push(Premise::LastWrite { cell, value: value.clone() });
                let (reached, derivation) =
                    self.thread(&Arc::new(body.subst_value(var, &value)))?;
                done.push(Premise::Derived(derivation));
                Self::conclude(Rule::Input, u, reached, done)
            }
            // k ∈ ℕ, of the type of x    u[x := k] ↓ Λ
            // ---------------------------------------- map/any
            //              any x {u} ↓ Λ
            Protocol::Any { site, var, domain, body } => {
                let value = (self.choose)(var, *site);
                let value = domain.map_or(value.clone(), |t| t.pattern(&value).into());
                done.push(Premise::Chosen { cell: None, value: value.clone() });
                let (reached, derivation) =
                    self.thread(&Arc::new(body.subst_value(var, &value)))?;
                done.push(Premise::Derived(derivation));
                Self::conclude(Rule::Any, u, reached, done)
            }
        }
    }
}

/// `n ↓ j`
fn number(site: Site, n: &Num) -> Result<(Natural, Premise), MapError> {
    let value = n.value().map_err(|error| MapError::Unbound(site, error))?;
    Ok((value.clone(), Premise::Value { expression: n.clone(), value }))
}
