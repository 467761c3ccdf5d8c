//! The environment: what variables of the kernel stand for, the functions that are being translated, and what variables hold.

use super::objects::Part;
use crate::arith::{and, not};
use crate::ctype::CType;
use crate::value::{Binding, Place, Value, VarId};
use babycuda_core::Bool;
use babycuda_kernel::{At, FunctionId, Var};
use std::collections::{BTreeSet, HashMap};
use std::ops::{Index, IndexMut};

/// A local variable.
#[derive(Debug)]
struct Variable {
    name: String,
    ctype: CType,
    /// The variables of the kernel that have stood for it.
    of: Vec<Var>,
    /// Of a part of an object: the object's variable, and the first byte in it.
    part: Option<(VarId, u64)>,
    /// Of an object, how many parts have the variables behind its own.
    parts: usize,
}

/// An inlined function, or the kernel itself.
#[derive(Debug)]
pub(super) struct Frame {
    /// Which function, to detect recursion.
    pub(super) function: FunctionId,
    /// Flags that stop the statements that follow: returned, broken out of, continued.
    pub(super) flags: Vec<VarId>,
    /// The flag of `return`.
    pub(super) returned: VarId,
    /// What holds the value to return; `None`: there is none.
    pub(super) result: Option<Place>,
    /// Where it is called.
    pub(super) call: At,
}

/// Bindings, functions and variables. Every variable holds one value, found by `env[variable]`.
#[derive(Debug)]
pub(super) struct Env {
    /// What the kernel's variables stand for. No function calls itself, so one of each is alive.
    bindings: HashMap<Var, Binding>,
    /// The functions, innermost last.
    pub(super) frames: Vec<Frame>,
    variables: Vec<Variable>,
    /// What each variable holds now.
    values: Vec<Value>,
}

impl Env {
    /// The environment outside of functions.
    pub(super) fn new() -> Self {
        let (frames, variables, values) = (Vec::new(), Vec::new(), Vec::new());
        Env { bindings: HashMap::new(), frames, variables, values }
    }

    /// What a variable of the kernel stands for. Behind what is refused, nothing of what was to be declared there.
    pub(super) fn lookup(&self, v: Var) -> Option<&Binding> {
        self.bindings.get(&v).filter(|binding| match binding {
            Binding::Var(local) | Binding::Object(local) => *local < self.variables.len(),
            Binding::Reference(place) => place.variable().is_none_or(|v| v < self.variables.len()),
            Binding::Array(..) | Binding::Cell(..) | Binding::Constant(_) => true,
        })
    }

    /// Does a variable of the kernel stand for what other threads may see?
    pub(super) fn is_visible(&self, v: Var) -> bool {
        match self.lookup(v) {
            Some(Binding::Cell(..)) => true,
            Some(Binding::Reference(place)) => place.is_visible(),
            _ => false,
        }
    }

    /// The variables that are those of these variables of the kernel, and of no others.
    pub(super) fn only_of(&self, these: &BTreeSet<Var>) -> impl Iterator<Item = VarId> {
        let only = |variable: &Variable| {
            !variable.of.is_empty() && variable.of.iter().all(|v| these.contains(v))
        };
        self.variables.iter().enumerate().filter(move |(_, v)| only(v)).map(|(id, _)| id)
    }

    /// Says what a variable of the kernel stands for.
    pub(super) fn bind(&mut self, v: Var, binding: Binding) {
        let locals = match &binding {
            Binding::Var(local) => *local..*local + 1,
            Binding::Object(object) => *object..*object + 1 + self.parts(*object).len(),
            _ => 0..0,
        };
        for variable in self.variables.get_mut(locals).into_iter().flatten() {
            variable.of.push(v);
        }
        self.bindings.insert(v, binding);
    }

    /// Starts the body of a function that is called at `call`.
    pub(super) fn enter(&mut self, function: FunctionId, call: At) {
        let returned = self.flag("return");
        self.frames.push(Frame { function, flags: vec![returned], returned, result: None, call });
    }

    /// Says what holds the value that the innermost function returns.
    pub(super) fn returns(&mut self, result: Place) {
        if let Some(frame) = self.frames.last_mut() {
            frame.result = Some(result);
        }
    }

    /// Ends the body of the innermost function. Answers what holds its value.
    pub(super) fn leave(&mut self) -> Option<Place> {
        self.frames.pop()?.result
    }

    /// A new local variable.
    pub(super) fn variable(&mut self, name: &str, ctype: CType, value: Value) -> VarId {
        let name = name.to_owned();
        self.variables.push(Variable { name, ctype, of: Vec::new(), part: None, parts: 0 });
        self.values.push(value);
        self.variables.len() - 1
    }

    /// A new local object that has these parts: its own variable holds its pattern, those behind it the parts.
    pub(super) fn object(&mut self, name: &str, ctype: CType, parts: &[Part]) -> VarId {
        let object = self.variable(name, ctype, Value::DATA);
        for part in parts {
            let value = match &part.ctype {
                CType::Array(..) => Value::Void,
                CType::Data(data) => Value::Data(data.clone(), None),
                _ => Value::Undefined,
            };
            let v = self.variable(&format!("{name}{}", part.name), part.ctype.clone(), value);
            self.variables[v].part = Some((object, part.offset));
        }
        self.variables[object].parts = parts.len();
        object
    }

    /// The parts of an object: their variables, and the first byte of each.
    pub(super) fn parts(&self, object: VarId) -> Vec<(VarId, u64)> {
        let last = object + self.variables[object].parts;
        (object + 1..=last).filter_map(|v| Some((v, self.variables[v].part?.1))).collect()
    }

    /// The object that a variable is a part of, and where in it.
    pub(super) fn part_of(&self, v: VarId) -> Option<(VarId, u64)> {
        self.variables[v].part
    }

    /// The name of a variable.
    pub(super) fn name(&self, v: VarId) -> &str {
        &self.variables[v].name
    }

    /// The type of a variable.
    pub(super) fn ctype(&self, v: VarId) -> &CType {
        &self.variables[v].ctype
    }

    /// What all variables hold.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    /// Gives the variables that there are values for what they held, and drops the others. Answers
    /// what all held.
    pub(super) fn restore(&mut self, values: Vec<Value>) -> Vec<Value> {
        self.variables.truncate(values.len());
        std::mem::replace(&mut self.values, values)
    }

    /// Drops all variables but the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        self.variables.truncate(count);
        self.values.truncate(count);
    }

    /// A new flag, not raised.
    pub(super) fn flag(&mut self, name: &str) -> VarId {
        self.variable(name, CType::Bool, Value::Bool(Bool::Lit(false)))
    }

    /// Raises a flag.
    pub(super) fn raise(&mut self, flag: VarId) {
        self[flag] = Value::Bool(Bool::Lit(true));
    }

    /// Lowers flags.
    pub(super) fn lower(&mut self, flags: &[VarId]) {
        for flag in flags {
            self[*flag] = Value::Bool(Bool::Lit(false));
        }
    }

    /// The flags that stop the statements of the current function.
    pub(super) fn flags(&self) -> &[VarId] {
        self.frames.last().map_or(&[], |f| &f.flags)
    }

    /// Puts a flag in force, until [`Env::pop_flag`].
    pub(super) fn push_flag(&mut self, flag: VarId) {
        if let Some(frame) = self.frames.last_mut() {
            frame.flags.push(flag);
        }
    }

    /// Puts the latest flag out of force.
    pub(super) fn pop_flag(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.flags.pop();
        }
    }

    /// The condition under which the next statement runs: no flag is raised.
    pub(super) fn active(&self) -> Bool {
        let lowered = self.flags().iter().map(|flag| match &self[*flag] {
            Value::Bool(raised) => not(raised.clone()),
            // Flags are never anything else.
            _ => Bool::Lit(true),
        });
        lowered.fold(Bool::Lit(true), and)
    }
}

impl Index<VarId> for Env {
    type Output = Value;

    fn index(&self, v: VarId) -> &Value {
        &self.values[v]
    }
}

impl IndexMut<VarId> for Env {
    fn index_mut(&mut self, v: VarId) -> &mut Value {
        &mut self.values[v]
    }
}
