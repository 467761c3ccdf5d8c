//! Which accesses and barriers data decides.

use super::flow::{Counter, DataFlow, DataSource};
use babycuda_core::deep::grow;
use babycuda_core::name::reserved;
use babycuda_core::{AccessMode, Bool, Name, Num, Program, Site, Stmt};
use im::OrdMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Whether one access of the text depends on data, and why.
///
/// An access with all three lists empty happens in every run that gets there without being stuck,
/// in the same phase, at the same cell, whatever the arrays contain. For it LCL22 Theorem 1
/// (corrected, THEORY T1) holds even where the program as a whole is ill-typed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AccessCertainty {
    /// The statement.
    pub site: Site,
    /// How it accesses.
    pub mode: AccessMode,
    /// Which array.
    pub array: Name,
    /// The data that flows into the index.
    pub index_data: Vec<DataFlow>,
    /// The data that flows into the guards and loop bounds around it.
    pub control_data: Vec<DataFlow>,
    /// The data that decides its phase, or whether it happens at all: data that decides barriers or
    /// stops which may come before it, and opaque data that bounds loops before it. (A loop of the
    /// calculus always ends. One with an opaque bound stands for a loop that may run any number of
    /// times, and perhaps waits for another thread.)
    pub phase_data: Vec<DataFlow>,
}

impl AccessCertainty {
    /// Is the access the same for all data?
    pub fn is_independent(&self) -> bool {
        self.flows().next().is_none()
    }

    /// Everything that flows into index, control and phase.
    pub fn flows(&self) -> impl Iterator<Item = &DataFlow> {
        self.index_data.iter().chain(&self.control_data).chain(&self.phase_data)
    }
}

/// Whether data, or the thread, decides that a barrier is reached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct BarrierCertainty {
    /// The barrier.
    pub site: Site,
    /// The data that flows into the guards and loop bounds around it.
    pub control_data: Vec<DataFlow>,
    /// The variables `tid` and `threadIdx.*` that the guards and loop bounds around it mention:
    /// with none, and no data, all threads of a block reach it together.
    pub control_private: BTreeSet<Name>,
    /// As [`AccessCertainty::phase_data`].
    pub phase_data: Vec<DataFlow>,
}

/// The accesses and barriers of a program, in the order of its text, and the data that decides
/// whether its threads end, and in which phase.
pub(super) fn certainties(
    program: &Program,
) -> (Vec<AccessCertainty>, Vec<BarrierCertainty>, Vec<DataFlow>) {
    let mut walk = Walk {
        program,
        written: program.body.written(),
        unwritten: program.unwritten(),
        accesses: Vec::new(),
        barriers: Vec::new(),
    };
    let mut before = Data::default();
    walk.statement(&program.body, &Surroundings::default(), &mut before);
    (walk.accesses, walk.barriers, before.to_vec())
}

/// Data, one flow from each read: the first found.
#[derive(Clone, Default)]
struct Data(BTreeMap<(Site, Name, Name, DataSource), DataFlow>);

impl Data {
    fn insert(&mut self, flow: DataFlow) {
        let key = (flow.site, flow.variable.clone(), flow.array.clone(), flow.source);
        self.0.entry(key).or_insert(flow);
    }

    fn extend(&mut self, other: &Data) {
        for (key, flow) in &other.0 {
            self.0.entry(key.clone()).or_insert_with(|| flow.clone());
        }
    }

    fn to_vec(&self) -> Vec<DataFlow> {
        self.0.values().cloned().collect()
    }
}

/// What flows into an expression or variable: data, and which thread it is.
#[derive(Clone, Default)]
struct Inflow {
    data: Data,
    private: BTreeSet<Name>,
}

/// What flows into each variable that the program bound.
type Flows = OrdMap<Name, Arc<Inflow>>;

impl Inflow {
    fn of(vars: &BTreeSet<Name>, flows: &Flows) -> Inflow {
        let mut inflow = Inflow::default();
        for x in vars {
            match flows.get(x) {
                Some(binding) => inflow.extend(binding),
                None if reserved::is_private(x) => {
                    inflow.private.insert(x.clone());
                }
                None => {}
            }
        }
        inflow
    }

    fn extend(&mut self, other: &Inflow) {
        self.data.extend(&other.data);
        self.private.extend(other.private.iter().cloned());
    }
}

/// Where a statement stands.
#[derive(Clone, Default)]
struct Surroundings {
    flows: Flows,
    /// What flows into the guards and bounds around it.
    control: Arc<Inflow>,
}

impl Surroundings {
    fn under(&self, condition: &Bool) -> Surroundings {
        let mut control = (*self.control).clone();
        control.extend(&Inflow::of(&condition.free_vars(), &self.flows));
        Surroundings { flows: self.flows.clone(), control: Arc::new(control) }
    }

    fn in_loop(&self, site: Site, var: &Name, lower: &Num, upper: &Num) -> Surroundings {
        let mut vars = lower.free_vars();
        upper.collect_vars(&mut vars);
        let bounds = Inflow::of(&vars, &self.flows);
        let mut control = (*self.control).clone();
        control.extend(&bounds);
        let counter = Counter { variable: var.clone(), site };
        let mut inflow = Inflow { data: Data::default(), private: bounds.private };
        for flow in bounds.data.0.into_values() {
            inflow.data.insert(flow.into_counter(counter.clone()));
        }
        Surroundings {
            flows: self.flows.update(var.clone(), Arc::new(inflow)),
            control: Arc::new(control),
        }
    }

    /// The data that decides how often a loop with these bounds runs, where a front end could not
    /// express it.
    fn turns(&self, lower: &Num, upper: &Num) -> Data {
        let mut vars = lower.free_vars();
        upper.collect_vars(&mut vars);
        let mut data = Inflow::of(&vars, &self.flows).data;
        data.0.retain(|_, flow| flow.source == DataSource::Opaque);
        data
    }

    fn with_data(&self, flow: DataFlow) -> Surroundings {
        let variable = flow.variable.clone();
        let mut inflow = Inflow::default();
        inflow.data.insert(flow);
        Surroundings {
            flows: self.flows.update(variable, Arc::new(inflow)),
            control: self.control.clone(),
        }
    }
}

struct Walk<'a> {
    program: &'a Program,
    written: BTreeSet<Name>,
    /// The arrays that no one can have written: a read of them is a stop (THEORY §4).
    unwritten: BTreeSet<Name>,
    accesses: Vec<AccessCertainty>,
    barriers: Vec<BarrierCertainty>,
}

impl Walk<'_> {
    fn access(
        &mut self,
        (site, mode, array, index): (Site, AccessMode, &Name, &Num),
        around: &Surroundings,
        before: &Data,
    ) {
        let index = Inflow::of(&index.free_vars(), &around.flows).data;
        self.accesses.push(AccessCertainty {
            site,
            mode,
            array: array.clone(),
            index_data: index.to_vec(),
            control_data: around.control.data.to_vec(),
            phase_data: before.to_vec(),
        });
    }

    /// Below a `let` that binds `variable` by an access of `array[index]`.
    fn below(
        &self,
        (variable, site, array, index): (&Name, Site, &Name, &Num),
        atomic: bool,
        around: &Surroundings,
    ) -> Surroundings {
        let index = Inflow::of(&index.free_vars(), &around.flows).data;
        around.with_data(DataFlow {
            variable: variable.clone(),
            site,
            array: array.clone(),
            atomic,
            source: DataSource::of(self.program, &self.written, array),
            index: index.0.into_values().next().map(Arc::new),
            counters: Vec::new(),
        })
    }

    /// Adds the data that decides the barriers of `b`, and whether its loops end.
    fn barrier_data(&self, b: &Stmt, around: &Surroundings, data: &mut Data) {
        grow(|| self.barrier_data_of_node(b, around, data));
    }

    fn barrier_data_of_node(&self, b: &Stmt, around: &Surroundings, data: &mut Data) {
        match b {
            Stmt::Skip | Stmt::Write { .. } => {}
            Stmt::Sync { .. } => data.extend(&around.control.data),
            Stmt::Read { site, var, array, index, body } => {
                let around = self.below((var, *site, array, index), false, around);
                self.barrier_data(body, &around, data);
            }
            Stmt::Atomic { site, var, array, index, body, .. } => {
                let around = self.below((var, *site, array, index), true, around);
                self.barrier_data(body, &around, data);
            }
            Stmt::Seq(b, c) => {
                self.barrier_data(b, around, data);
                self.barrier_data(c, around, data);
            }
            Stmt::If { condition, then, otherwise, .. } => {
                let around = around.under(condition);
                self.barrier_data(then, &around, data);
                self.barrier_data(otherwise, &around, data);
            }
            Stmt::For { site, var, lower, upper, body, .. } => {
                data.extend(&around.turns(lower, upper));
                let around = around.in_loop(*site, var, lower, upper);
                self.barrier_data(body, &around, data);
            }
        }
    }

    /// Notes the accesses and barriers of `b`. `before`: the data that decides barriers which may
    /// come before; extended by those of `b`.
    fn statement(&mut self, b: &Stmt, around: &Surroundings, before: &mut Data) {
        grow(|| self.node(b, around, before));
    }

    fn node(&mut self, b: &Stmt, around: &Surroundings, before: &mut Data) {
        match b {
            Stmt::Skip => {}
            Stmt::Write { site, array, index, .. } => {
                self.access((*site, AccessMode::Wr, array, index), around, before);
            }
            Stmt::Read { site, var, array, index, body } => {
                self.access((*site, AccessMode::Rd, array, index), around, before);
                if self.unwritten.contains(array) {
                    before.extend(&around.control.data);
                }
                let around = self.below((var, *site, array, index), false, around);
                self.statement(body, &around, before);
            }
            Stmt::Atomic { site, var, array, index, scope, body, .. } => {
                let mode = AccessMode::At(*scope);
                self.access((*site, mode, array, index), around, before);
                let around = self.below((var, *site, array, index), true, around);
                self.statement(body, &around, before);
            }
            Stmt::Seq(b, c) => {
                self.statement(b, around, before);
                self.statement(c, around, before);
            }
            Stmt::If { condition, then, otherwise, .. } => {
                let around = around.under(condition);
                let mut other = before.clone();
                self.statement(then, &around, before);
                self.statement(otherwise, &around, &mut other);
                before.extend(&other);
            }
            Stmt::For { site, var, lower, upper, body, .. } => {
                let turns = around.turns(lower, upper);
                let around = around.in_loop(*site, var, lower, upper);
                // A barrier of an earlier iteration may come before anything in the body, and so
                // may a loop.
                self.barrier_data(body, &around, before);
                self.statement(body, &around, before);
                before.extend(&turns);
            }
            Stmt::Sync { site, .. } => {
                let phase_data = before.to_vec();
                before.extend(&around.control.data);
                self.barriers.push(BarrierCertainty {
                    site: *site,
                    phase_data,
                    control_data: around.control.data.to_vec(),
                    control_private: around.control.private.clone(),
                });
            }
        }
    }
}
