//! Kernels to the paper's language (§3).
//!
//! A read within an expression becomes a command `v := a[e]` before it. A shared scalar is an array of one
//! cell: the paper keeps shared scalars in the stack, where its Def. 2, which looks at `↦` only, does not see
//! them. Launches have one block in one dimension, as the paper has one set of threads.

mod expr;

use super::language::{Array, Command, Exp, Local, Node, Program, Shared};
use crate::detector::Refusal;
use babycuda_core::{Configuration, MachineOp, Name, Natural};
use babycuda_kernel::device::Device;
use babycuda_kernel::{
    At, Exit, Expr, ExprKind, Graph, Initial, Kernel, Place, Step, Stmt, StmtKind, Storage, Type,
    Var,
};
use expr::{machine, scalar};
use std::collections::BTreeMap;

/// The most threads that a launch may have here.
pub const MOST_THREADS: u32 = 1024;

/// The kernel at a launch, as a control flow graph of commands.
///
/// # Errors
/// [`Refusal::Unsupported`] for what the paper's language does not have, [`Refusal::Configuration`] for a
/// launch of several blocks or dimensions, or without the value of a parameter.
pub fn translate(kernel: &Kernel, configuration: &Configuration) -> Result<Program, Refusal> {
    crate::detector::accept(kernel)?;
    let launch = configuration.launch;
    let (grid, block) = (launch.grid.components(), launch.block.components());
    if grid != [1, 1, 1] || block[1..] != [1, 1] || !(1..=MOST_THREADS).contains(&block[0]) {
        let says = format!("a launch of one block of 1 to {MOST_THREADS} threads in a line");
        return Err(Refusal::Configuration(format!("the technique is about {says}")));
    }
    let Some(entry) = kernel.entry() else {
        return Err(Refusal::Configuration("there is no kernel".into()));
    };
    let mut builder = Builder {
        kernel,
        configuration,
        nodes: Vec::new(),
        open: Vec::new(),
        at: entry.at,
        values: Vec::new(),
        locals: BTreeMap::new(),
        shared: BTreeMap::new(),
        arrays: Vec::new(),
    };
    builder.push(Command::Skip);
    for v in kernel.template.iter().chain(&entry.parameters) {
        builder.parameter(*v)?;
    }
    let graph = Graph::of(entry);
    let mut starts: BTreeMap<usize, usize> = BTreeMap::new();
    let (mut jumps, mut returns) = (Vec::new(), Vec::new());
    for block in graph.reachable() {
        if block > 0 {
            builder.open.clear();
        }
        starts.insert(block, builder.push(Command::Skip));
        for step in &graph.blocks[block].steps {
            builder.step(*step)?;
        }
        match &graph.blocks[block].exit {
            Exit::Goto(next) => jumps.push((builder.open.clone(), *next)),
            Exit::Branch(condition, [yes, no]) => {
                builder.at = condition.at;
                let condition = builder.value(condition)?;
                let before = builder.open.clone();
                for (b, next) in [(condition.clone(), *yes), (Exp::Not(Box::new(condition)), *no)] {
                    builder.open.clone_from(&before);
                    builder.push(Command::Assume(b));
                    jumps.push((builder.open.clone(), next));
                }
            }
            Exit::Switch(value, ..) => return Err(Refusal::unsupported("`switch`", value.at)),
            Exit::Return(_) => returns.append(&mut builder.open),
        }
    }
    for (from, to) in jumps {
        for node in from {
            builder.nodes[node].next.extend(starts.get(&to));
        }
    }
    builder.open = returns;
    builder.at = entry.at;
    builder.push(Command::Skip);
    let Builder { nodes, values, arrays, .. } = builder;
    Ok(Program { nodes, locals: values.len(), values, arrays, threads: block[0] })
}

struct Builder<'a> {
    kernel: &'a Kernel,
    configuration: &'a Configuration,
    nodes: Vec<Node>,
    /// The nodes that go on with the next one.
    open: Vec<usize>,
    /// Where the statement stands.
    at: At,
    values: Vec<i128>,
    locals: BTreeMap<Var, Local>,
    shared: BTreeMap<Var, Array>,
    arrays: Vec<Shared>,
}

impl Builder<'_> {
    fn push(&mut self, command: Command) -> usize {
        self.push_at(command, self.at)
    }

    /// The same of a command that stands elsewhere than its statement: an access, at its place.
    fn push_at(&mut self, command: Command, at: At) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node { command, at, next: Vec::new() });
        for before in std::mem::replace(&mut self.open, vec![node]) {
            self.nodes[before].next.push(node);
        }
        node
    }

    fn fresh(&mut self, value: i128) -> Local {
        self.values.push(value);
        self.values.len() - 1
    }

    fn parameter(&mut self, v: Var) -> Result<(), Refusal> {
        let variable = &self.kernel[v];
        if let Type::Pointer(_) = variable.ty {
            return self.array(v).map(|_| ());
        }
        let name = Name::from(variable.name.as_str());
        let t = scalar(&variable.ty, variable.at)?;
        let given = self.configuration.parameters.get(&name);
        let value = given.ok_or_else(|| Refusal::no_value(&variable.name))?;
        let local = self.fresh(t.read(t.pattern(value)));
        self.locals.insert(v, local);
        Ok(())
    }

    /// The array of a variable; a shared scalar is one of a single cell.
    fn array(&mut self, v: Var) -> Result<Array, Refusal> {
        if let Some(array) = self.shared.get(&v) {
            return Ok(*array);
        }
        let variable = &self.kernel[v];
        let refuse = |what: &str| Err(Refusal::unsupported(what, variable.at));
        let initialized =
            |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Declare(w, Some(_)) if *w == v);
        if self.kernel.globals.iter().any(initialized) {
            return refuse("an array that the file initializes");
        }
        let (element, size) = match (&variable.ty, variable.storage) {
            (Type::Array(element, extent), Storage::Shared | Storage::Device) => {
                match extent.as_deref().map(|e| &e.kind) {
                    Some(ExprKind::Int(size)) => (&**element, Some(*size)),
                    _ => return refuse("an array whose extent is not a number"),
                }
            }
            (Type::Array(element, None), Storage::Dynamic) => (&**element, None),
            (Type::Pointer(element), Storage::Shared | Storage::Device | Storage::Local) => {
                (&**element, None)
            }
            (Type::Int(_) | Type::Bool, Storage::Shared | Storage::Device) => {
                (&variable.ty, Some(1))
            }
            _ => return refuse("a variable of this storage and type"),
        };
        let t = scalar(element, variable.at)?;
        let name = Name::from(variable.name.as_str());
        let host = self.configuration.host.array(&name);
        let value = |n: &Natural| t.read(t.pattern(n));
        let cells = host.into_iter().flat_map(|host| &host.cells);
        let initial = cells.filter_map(|(index, n)| Some((index.to_u64()? as i64, value(n))));
        self.arrays.push(Shared {
            element: t,
            size,
            initial: initial.map(|(index, n)| (i128::from(index), n)).collect(),
            fill: host.and_then(|host| host.fill.as_ref()).map_or(0, value),
            name,
        });
        self.shared.insert(v, self.arrays.len() - 1);
        Ok(self.arrays.len() - 1)
    }

    fn step(&mut self, step: Step<'_>) -> Result<(), Refusal> {
        match step {
            Step::Unsupported(what, at) => Err(Refusal::unsupported(what, at)),
            Step::Evaluate(e) => {
                self.at = e.at;
                self.effect(e)
            }
            Step::Declare(v, initial) => {
                let variable = &self.kernel[v];
                if matches!(variable.storage, Storage::Shared | Storage::Dynamic) {
                    return self.array(v).map(|_| ());
                }
                scalar(&variable.ty, variable.at)?;
                if variable.storage != Storage::Local {
                    return Err(Refusal::unsupported("a reference", variable.at));
                }
                let local = match self.locals.get(&v) {
                    Some(local) => *local,
                    None => self.fresh(0),
                };
                self.locals.insert(v, local);
                match initial {
                    Some(Initial::Value(value)) => {
                        self.at = value.at;
                        let value = self.value(value)?;
                        self.push(Command::Assign(local, value));
                    }
                    Some(Initial::Place(place)) => {
                        return Err(Refusal::unsupported("a reference", place.at));
                    }
                    None => {
                        let what = "a local variable without a first value";
                        return Err(Refusal::unsupported(what, variable.at));
                    }
                }
                Ok(())
            }
        }
    }

    /// What a statement does.
    fn effect(&mut self, e: &Expr) -> Result<(), Refusal> {
        match &e.kind {
            ExprKind::Assign(place, value) => {
                let value = self.value(value)?;
                self.store(place, |_, _| Ok(value))
            }
            ExprKind::Update { op, place, value, computed } => {
                let value = self.value(value)?;
                let (t, held) = (scalar(computed, e.at)?, scalar(&place.ty, e.at)?);
                self.store(place, |_, old| {
                    let old = Exp::Convert(t, Box::new(old));
                    let new = machine(*op, t, [old, value], e.at)?;
                    Ok(Exp::Convert(held, Box::new(new)))
                })
            }
            ExprKind::Step { place, up, .. } => {
                let t = scalar(&place.ty, e.at)?;
                let op = if *up { MachineOp::Add } else { MachineOp::Sub };
                self.store(place, |_, old| Ok(Exp::Op(op, t, Box::new([old, Exp::Int(1)]))))
            }
            ExprKind::Comma(both) => {
                self.effect(&both[0])?;
                self.effect(&both[1])
            }
            ExprKind::Convert(inner) if e.ty == Type::Void => self.effect(inner),
            ExprKind::Device(name, arguments) => match Device::of(name.as_str()) {
                Some(Device::Barrier) if name.as_str() == "__syncthreads" => {
                    self.push(Command::Barrier);
                    // Behind it all go on at one node, also where a branch follows.
                    self.push(Command::Skip);
                    Ok(())
                }
                Some(Device::Assert) if arguments.len() == 1 => {
                    let b = self.value(&arguments[0])?;
                    self.push(Command::Assert(b));
                    Ok(())
                }
                _ => Err(Refusal::unsupported(format!("`{name}`"), e.at)),
            },
            // A value that nobody wants: it may read, and does nothing else.
            _ => self.value(e).map(|_| ()),
        }
    }

    /// Stores what `value` makes of the old value; where it does not use that, nothing is read for it.
    fn store(
        &mut self,
        place: &Place,
        value: impl FnOnce(&mut Self, Exp) -> Result<Exp, Refusal>,
    ) -> Result<(), Refusal> {
        if let Some(local) = self.local(place) {
            let value = value(self, Exp::Var(local))?;
            self.push(Command::Assign(local, value));
            return Ok(());
        }
        let (array, index) = self.cell(place)?;
        let old = self.fresh(0);
        let value = value(self, Exp::Var(old))?;
        if value.mentions(old) {
            self.push_at(Command::Load(old, array, index.clone()), place.at);
        }
        self.push_at(Command::Store(array, index, value), place.at);
        Ok(())
    }
}
