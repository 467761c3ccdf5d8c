//! The environment: what variables of the kernel stand for, the functions that are being translated, and what variables hold.

use crate::arith::{and, not};
use crate::ctype::CType;
use crate::value::{Binding, Value, VarId};
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
    /// The variable that holds the value to return.
    pub(super) result: VarId,
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

    /// What a variable of the kernel stands for.
    pub(super) fn lookup(&self, v: Var) -> Option<&Binding> {
        self.bindings.get(&v)
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
        if let Binding::Var(local) = &binding
            && let Some(variable) = self.variables.get_mut(*local)
        {
            variable.of.push(v);
        }
        self.bindings.insert(v, binding);
    }

    /// Starts the body of a function that is called at `call`. Answers the variable that holds the
    /// value to return.
    pub(super) fn enter(&mut self, function: FunctionId, call: At, result: Value) -> VarId {
        let returned = self.flag("return");
        let result = self.variable("result", CType::Void, result);
        self.frames.push(Frame { function, flags: vec![returned], returned, result, call });
        result
    }

    /// Ends the body of the innermost function.
    pub(super) fn leave(&mut self) {
        self.frames.pop();
    }

    /// A new local variable.
    pub(super) fn variable(&mut self, name: &str, ctype: CType, value: Value) -> VarId {
        self.variables.push(Variable { name: name.to_owned(), ctype, of: Vec::new() });
        self.values.push(value);
        self.variables.len() - 1
    }

    /// The name of a variable.
    pub(super) fn name(&self, v: VarId) -> &str {
        &self.variables[v].name
    }

    /// The type of a variable.
    pub(super) fn ctype(&self, v: VarId) -> &CType {
        &self.variables[v].ctype
    }

    /// Changes the type of a variable.
    pub(super) fn retype(&mut self, v: VarId, ctype: CType) {
        self.variables[v].ctype = ctype;
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
