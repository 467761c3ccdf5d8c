//! The walk through a kernel that propagates taint (LGAGJL12 §4.1), statement by statement, until nothing changes.

use super::inputs::{Input, fixed, points};
use super::invariance::{Invariance, Variance, VarianceKind};
use super::taint::{Flow, Taint, Taints};
use super::unset::unset;
use babycuda_kernel::{At, FunctionId, Initial, Kernel, Loop, Node, Stmt, StmtKind, Storage, Var};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// How deep calls may be nested, and how many there may be of all functions together.
const DEEPEST: usize = 64;
const MOST_CALLS: usize = 20_000;

/// Memory that the analysis tells apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Object {
    /// A variable, of a call of its function; what a reference is bound to is what it points to.
    Variable(u32, Var),
    /// What a parameter of the kernel points to, directly or not.
    Pointee(Var),
    /// Any memory: where a pointer of unknown origin points to.
    Any,
}

/// A value: its taint, and what it points to.
#[derive(Clone, Default, Debug)]
pub(super) struct Value {
    pub taint: Option<Taint>,
    pub points: BTreeSet<Object>,
}

impl Value {
    pub fn join(mut self, other: Value) -> Value {
        self.taint = self.taint.or(other.taint);
        self.points.extend(other.points);
        self
    }
}

pub(super) struct Walk<'a> {
    pub kernel: &'a Kernel,
    pub taints: Taints,
    /// What objects hold.
    held: BTreeMap<Object, Value>,
    /// The numbers of calls: by the call around, where it stands, and the function.
    calls: HashMap<(u32, At, FunctionId), u32>,
    /// The call that is walked, and the functions around it.
    pub context: u32,
    pub stack: Vec<FunctionId>,
    /// What the conditions around the statement are tainted with.
    guard: Option<Taint>,
    /// Why the function may have been left before, or the iteration, or the statement around that `break` leaves.
    left: Option<Taint>,
    continued: Option<Taint>,
    broken: Option<Taint>,
    /// What the function yields.
    pub yielded: Value,
    changed: bool,
    variances: BTreeMap<(At, VarianceKind), Option<Taint>>,
    branches: BTreeSet<At>,
    loops: BTreeSet<At>,
}

/// The analysis of a kernel in which these inputs are data.
pub(super) fn walk(kernel: &Kernel, data: &BTreeSet<Input>) -> Invariance {
    let mut walk = Walk::new(kernel);
    walk.start(data);
    while let Some(entry) = kernel.entry() {
        walk.changed = false;
        walk.variances.clear();
        for stmt in &kernel.globals {
            walk.stmt(stmt);
        }
        walk.stack = vec![FunctionId(0)];
        (walk.left, walk.continued, walk.broken) = (None, None, None);
        walk.stmt(&entry.body);
        if !walk.changed {
            break;
        }
    }
    let mut variances: Vec<Variance> = Vec::new();
    for ((at, kind), taint) in &walk.variances {
        let way = taint.map(|taint| walk.taints.way(taint)).unwrap_or_default();
        variances.push(Variance { at: *at, kind: kind.clone(), way });
    }
    Invariance { variances, branches: walk.branches, loops: walk.loops }
}

impl<'a> Walk<'a> {
    fn new(kernel: &'a Kernel) -> Walk<'a> {
        Walk {
            kernel,
            taints: Taints::default(),
            held: BTreeMap::new(),
            calls: HashMap::new(),
            context: 0,
            stack: Vec::new(),
            guard: None,
            left: None,
            continued: None,
            broken: None,
            yielded: Value::default(),
            changed: false,
            variances: BTreeMap::new(),
            branches: BTreeSet::new(),
            loops: BTreeSet::new(),
        }
    }

    /// What inputs are at first: parameters that may hold a pointer point to memory of their own.
    fn start(&mut self, data: &BTreeSet<Input>) {
        let kernel = self.kernel;
        let parameters = kernel.entry().map_or(&[][..], |entry| &entry.parameters);
        for v in parameters.iter().filter(|v| points(&kernel[**v].ty)) {
            let points = BTreeSet::from([Object::Pointee(*v)]);
            self.hold(Object::Variable(0, *v), Value { taint: None, points: points.clone() });
            self.hold(Object::Pointee(*v), Value { taint: None, points });
        }
        for input in data {
            let variable = &kernel[input.var()];
            let flow = Flow::Input(variable.name.clone());
            let taint = Some(self.taints.step(0, variable.at, flow, None));
            let object = match input {
                Input::Contents(v) if parameters.contains(v) => Object::Pointee(*v),
                Input::Contents(v) | Input::Value(v) => Object::Variable(0, *v),
            };
            self.hold(object, Value { taint, points: BTreeSet::new() });
        }
    }

    /// The object that is a variable, in the call that is walked.
    pub fn object(&self, v: Var) -> Object {
        let own = matches!(self.kernel[v].storage, Storage::Local | Storage::Reference);
        Object::Variable(if own { self.context } else { 0 }, v)
    }

    /// What an object holds.
    pub fn held(&self, object: Object) -> Value {
        self.held.get(&object).cloned().unwrap_or_default()
    }

    /// An object may hold this, too.
    pub fn hold(&mut self, object: Object, value: Value) {
        let held = self.held.entry(object).or_default();
        let new = value.points.iter().any(|to| !held.points.contains(to));
        if new || held.taint.is_none() && value.taint.is_some() {
            held.points.extend(value.points);
            held.taint = held.taint.or(value.taint);
            self.changed = true;
        }
    }

    /// Objects may be assigned a value here, if what is around is done.
    pub fn assign(&mut self, at: At, objects: &BTreeSet<Object>, value: &Value) {
        let taint = value.taint.or(self.around());
        for object in objects {
            let taint = taint.map(|taint| match self.held(*object).taint {
                // It is tainted already: no new step.
                Some(known) => known,
                None => {
                    let flow = Flow::Into(self.name(*object));
                    self.taints.step(self.context, at, flow, Some(taint))
                }
            });
            self.hold(*object, Value { taint, points: value.points.clone() });
        }
    }

    fn name(&self, object: Object) -> String {
        match object {
            Object::Variable(_, v) | Object::Pointee(v) => self.kernel[v].name.clone(),
            Object::Any => "memory".to_owned(),
        }
    }

    /// What decides whether the statement is done.
    pub fn around(&self) -> Option<Taint> {
        self.guard.or(self.left).or(self.continued).or(self.broken)
    }

    pub fn vary(&mut self, at: At, kind: VarianceKind, taint: Option<Taint>) {
        self.variances.entry((at, kind)).or_insert(taint);
    }

    /// An access of objects whose address has this taint; only memory that threads share is looked at.
    pub fn access(&mut self, at: At, objects: &BTreeSet<Object>, address: Option<Taint>) {
        if !objects.iter().any(|object| self.is_shared(*object)) {
            return;
        }
        if let Some(taint) = address {
            self.vary(at, VarianceKind::Address, Some(taint));
        }
        if let Some(taint) = self.around() {
            self.vary(at, VarianceKind::Guard, Some(taint));
        }
    }

    fn is_shared(&self, object: Object) -> bool {
        match object {
            Object::Variable(_, v) => matches!(
                self.kernel[v].storage,
                Storage::Shared | Storage::Dynamic | Storage::Device
            ),
            Object::Pointee(_) | Object::Any => true,
        }
    }

    /// A barrier, or a stop: all that is around it decides.
    pub fn barrier(&mut self, at: At, operands: Option<Taint>) {
        if let Some(taint) = operands.or(self.around()) {
            self.vary(at, VarianceKind::Barrier, Some(taint));
        }
    }

    pub fn unknown(&mut self, at: At, what: &str) {
        self.vary(at, VarianceKind::Unknown(what.to_owned()), None);
    }

    /// The taint of a condition that is met here.
    pub fn decides(&mut self, at: At, condition: &Value) -> Option<Taint> {
        let context = self.context;
        condition.taint.map(|taint| self.taints.step(context, at, Flow::Decides, Some(taint)))
    }

    /// What is done only if a condition says so.
    pub fn guarded<T>(&mut self, taint: Option<Taint>, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.guard;
        self.guard = outer.or(taint);
        let result = walk(self);
        self.guard = outer;
        result
    }

    pub fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Block(stmts) => stmts.iter().for_each(|stmt| self.stmt(stmt)),
            StmtKind::Declare(v, Some(initial)) => self.initial(*v, initial, stmt.at),
            StmtKind::Declare(v, None) => self.declared(*v, stmt.at),
            StmtKind::Expr(expr) => drop(self.value(expr)),
            StmtKind::If(condition, then, otherwise) => {
                let value = self.value(condition);
                let taint = self.decides(stmt.at, &value);
                if taint.is_some() {
                    self.branches.insert(stmt.at);
                }
                self.guarded(taint, |walk| {
                    walk.stmt(then);
                    otherwise.iter().for_each(|otherwise| walk.stmt(otherwise));
                });
            }
            StmtKind::Loop(parts) => self.turns(parts, stmt.at),
            StmtKind::Switch(value, cases) => {
                let value = self.value(value);
                let taint = self.decides(stmt.at, &value);
                let outer = self.broken;
                self.guarded(taint, |walk| {
                    let all = cases.iter().flat_map(|case| &case.body);
                    all.for_each(|stmt| walk.stmt(stmt));
                });
                self.broken = outer;
            }
            StmtKind::Break => self.broken = self.around(),
            StmtKind::Continue => self.continued = self.around(),
            StmtKind::Return(value) => {
                let value = value.as_ref().map(|value| self.value(value)).unwrap_or_default();
                let around = self.around();
                self.yielded.points.extend(value.points);
                self.yielded.taint = self.yielded.taint.or(value.taint).or(around);
                self.left = around;
            }
            StmtKind::Unsupported(construct) => self.unknown(stmt.at, construct),
        }
    }

    /// A loop. What leaves an iteration, or the loop, decides what the next one does.
    fn turns(&mut self, parts: &'a Loop, at: At) {
        let (broken, continued) = (self.broken, self.continued);
        parts.initial.iter().for_each(|stmt| self.stmt(stmt));
        let mut before = None;
        loop {
            let condition = parts.condition.as_ref().map(|c| self.value(c)).unwrap_or_default();
            let taint = self.decides(at, &condition);
            self.guarded(taint, |walk| {
                walk.stmt(&parts.body);
                // What `continue` leaves is this iteration alone.
                walk.continued = continued;
                parts.update.iter().for_each(|update| drop(walk.value(update)));
                parts.condition.iter().for_each(|condition| drop(walk.value(condition)));
            });
            if taint.is_some() || self.broken != broken {
                self.loops.insert(at);
            }
            let now = (self.left, self.broken, taint);
            if before == Some(now) {
                break;
            }
            before = Some(now);
        }
        (self.broken, self.continued) = (broken, continued);
    }

    /// A variable that begins to live without a value: if it is read before it is set, it holds anything.
    fn declared(&mut self, v: Var, at: At) {
        if self.kernel[v].storage != Storage::Local {
            return;
        }
        let function = self.stack.last().and_then(|f| self.kernel.functions.get(f.0 as usize));
        if function.is_some_and(|function| unset(self.kernel, function, v)) {
            let flow = Flow::Unknown(self.kernel[v].name.clone());
            let taint = Some(self.taints.step(self.context, at, flow, None));
            self.hold(self.object(v), Value { taint, points: BTreeSet::new() });
        }
    }

    /// What a variable is at first, or a reference is bound to.
    fn initial(&mut self, v: Var, initial: &'a Initial, at: At) {
        let global = self.stack.is_empty();
        if global
            && !fixed(self.kernel).contains_key(&v)
            && self.kernel[v].storage != Storage::Reference
        {
            return;
        }
        let value = self.argument(initial);
        self.assign(at, &BTreeSet::from([self.object(v)]), &value);
    }

    /// The value of an argument; of a reference, what it is bound to, as if it were a pointer there.
    pub fn argument(&mut self, initial: &'a Initial) -> Value {
        match initial {
            Initial::Value(value) => self.value(value),
            Initial::Place(place) => {
                let (points, taint) = self.place(place);
                Value { taint, points }
            }
        }
    }

    /// A call of a function of the file, as if its body stood here with variables of its own.
    pub fn call(&mut self, at: At, id: FunctionId, arguments: &'a [Initial]) -> Value {
        let arguments: Vec<Value> = arguments.iter().map(|a| self.argument(a)).collect();
        let kernel = self.kernel;
        let Some(function) = kernel.functions.get(id.0 as usize) else {
            self.unknown(at, "a function without a body");
            return Value::default();
        };
        let new = u32::try_from(self.calls.len() + 1).unwrap_or(u32::MAX);
        let context = *self.calls.entry((self.context, at, id)).or_insert(new);
        if self.stack.contains(&id) {
            self.unknown(at, "recursion");
            return Value::default();
        }
        if self.stack.len() >= DEEPEST || self.calls.len() > MOST_CALLS {
            self.unknown(at, "so many calls");
            return Value::default();
        }
        let outer_context = std::mem::replace(&mut self.context, context);
        self.stack.push(id);
        for (v, value) in function.parameters.iter().zip(&arguments) {
            let object = self.object(*v);
            self.assign(at, &BTreeSet::from([object]), value);
        }
        let (left, continued, broken) = (self.left, self.continued, self.broken);
        let guard = self.around();
        let outer = std::mem::take(&mut self.yielded);
        (self.left, self.continued, self.broken) = (None, None, None);
        self.guarded(guard, |walk| walk.stmt(&function.body));
        (self.left, self.continued, self.broken) = (left, continued, broken);
        self.stack.pop();
        self.context = outer_context;
        let mut yielded = std::mem::replace(&mut self.yielded, outer);
        yielded.taint = yielded.taint.map(|taint| {
            let flow = Flow::Returned(function.name.clone());
            self.taints.step(context, at, flow, Some(taint))
        });
        yielded
    }
}

/// Is the variable mentioned in the node?
pub(super) fn mentions(node: Node<'_>, v: Var) -> bool {
    use babycuda_kernel::PlaceKind;
    node.subterms()
        .any(|node| matches!(node, Node::Place(place) if place.kind == PlaceKind::Variable(v)))
}
