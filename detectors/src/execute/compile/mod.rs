//! From the typed tree to instructions: functions and statements, by their control flow graphs.

mod device;
mod expr;
mod place;

use super::code::{Code, Entry, Instruction, Op};
use super::setup::Layout;
use super::value::{Shape, shape, size};
use babycuda_core::deep::grow;
use babycuda_kernel::{
    At, Exit, Expr, Function, Graph, Initial, Kernel, Step, StmtKind, Storage, Type, Var,
};
use std::collections::HashMap;

/// The instructions of a kernel that [is one](Kernel::check).
pub(super) fn compile(kernel: &Kernel, layout: &Layout) -> Code {
    let mut compiler = Compiler { kernel, layout, code: Code::default(), slots: HashMap::new() };
    for function in &kernel.functions {
        let entry = compiler.function(function);
        compiler.code.functions.push(entry);
    }
    compiler.code.constants = compiler.code.functions.len();
    let entry = compiler.constants();
    compiler.code.functions.push(entry);
    compiler.code
}

struct Compiler<'a> {
    kernel: &'a Kernel,
    layout: &'a Layout,
    code: Code,
    /// The variables of the function that is being compiled.
    slots: HashMap<Var, usize>,
}

impl<'a> Compiler<'a> {
    fn emit(&mut self, op: Op, at: At) {
        self.code.instructions.push(Instruction { op, at });
    }

    fn here(&self) -> usize {
        self.code.instructions.len()
    }

    /// A jump whose target is not known yet.
    fn jump(&mut self, op: fn(usize) -> Op, at: At) -> usize {
        self.emit(op(0), at);
        self.here() - 1
    }

    /// Lets a jump go here.
    fn land(&mut self, jump: usize) {
        self.aim(jump, self.here());
    }

    fn aim(&mut self, jump: usize, target: usize) {
        if let Some(Instruction { op: Op::Jump(to) | Op::Unless(to), .. }) =
            self.code.instructions.get_mut(jump)
        {
            *to = target;
        }
    }

    fn unsupported(&mut self, construct: impl Into<String>, at: At) {
        self.emit(Op::Unsupported(construct.into()), at);
    }

    fn slot(&mut self, v: Var) -> usize {
        let fresh = self.slots.len();
        *self.slots.entry(v).or_insert(fresh)
    }

    fn size(&self, ty: &Type) -> Option<u64> {
        size(self.kernel, ty, &|v| self.layout.template(v))
    }

    fn shape(&self, ty: &Type) -> Option<Shape> {
        shape(self.kernel, ty)
    }

    fn function(&mut self, function: &'a Function) -> Entry {
        self.slots.clear();
        let start = self.here();
        if self.kernel.opaque_objects {
            self.unsupported("objects that functions of the file may make and change", function.at);
        }
        for v in function.parameters.iter().rev() {
            let variable = &self.kernel[*v];
            let shape = match variable.storage {
                Storage::Reference => Some(Shape::Scalar(8)),
                _ => self.shape(&variable.ty),
            };
            let slot = self.slot(*v);
            match shape {
                Some(shape) => self.emit(Op::Bind(slot, shape), variable.at),
                None => self.unsupported("a parameter of this type", variable.at),
            }
        }
        self.body(&Graph::of(function), function.at);
        Entry { start, slots: self.slots.len(), parameters: function.parameters.len() }
    }

    /// What gives the constants of the file their values.
    fn constants(&mut self) -> Entry {
        self.slots.clear();
        let start = self.here();
        for stmt in &self.kernel.globals {
            if let StmtKind::Declare(v, Some(Initial::Value(value))) = &stmt.kind
                && self.layout.is_initialized(*v)
            {
                self.initialize(*v, value, stmt.at);
            }
        }
        self.emit(Op::Push(0), At(0));
        self.emit(Op::Return, At(0));
        Entry { start, slots: self.slots.len(), parameters: 0 }
    }

    fn body(&mut self, graph: &Graph<'a>, at: At) {
        let mut starts = vec![0; graph.blocks.len()];
        let mut jumps = Vec::new();
        for (number, block) in graph.blocks.iter().enumerate() {
            starts[number] = self.here();
            for step in &block.steps {
                match *step {
                    Step::Declare(v, initial) => self.declare(v, initial, self.kernel[v].at),
                    Step::Evaluate(expr) => self.effect(expr),
                    Step::Unsupported(construct, at) => self.unsupported(construct, at),
                }
            }
            self.exit(&block.exit, at, &mut jumps);
        }
        for (jump, block) in jumps {
            self.aim(jump, starts[block]);
        }
    }

    fn exit(&mut self, exit: &Exit<'a>, at: At, jumps: &mut Vec<(usize, usize)>) {
        match exit {
            Exit::Goto(next) => {
                let jump = self.jump(Op::Jump, at);
                jumps.push((jump, *next));
            }
            Exit::Branch(condition, [yes, no]) => {
                self.value(condition);
                let unless = self.jump(Op::Unless, condition.at);
                let jump = self.jump(Op::Jump, condition.at);
                jumps.extend([(unless, *no), (jump, *yes)]);
            }
            Exit::Switch(value, labels, otherwise) => {
                self.value(value);
                for (label, block) in labels {
                    self.emit(Op::Dup, label.at);
                    self.value(label);
                    match value.ty.integer() {
                        Some(t) => {
                            self.emit(Op::Compare(babycuda_core::expr::Relation::Eq, t), label.at);
                        }
                        None => self.unsupported("a `switch` of this type", value.at),
                    }
                    let next = self.jump(Op::Unless, label.at);
                    self.emit(Op::Pop, label.at);
                    let jump = self.jump(Op::Jump, label.at);
                    jumps.push((jump, *block));
                    self.land(next);
                }
                self.emit(Op::Pop, value.at);
                let jump = self.jump(Op::Jump, value.at);
                jumps.push((jump, *otherwise));
            }
            Exit::Return(value) => {
                match value {
                    Some(value) => self.value(value),
                    None => self.emit(Op::Push(0), at),
                }
                self.emit(Op::Return, at);
            }
        }
    }

    fn declare(&mut self, v: Var, initial: Option<&'a Initial>, at: At) {
        let variable = &self.kernel[v];
        if !matches!(variable.storage, Storage::Local | Storage::Reference) {
            // Those of a block are there before its threads begin. A constant of a function is one of the file.
            match initial {
                Some(Initial::Value(value)) if self.layout.is_initialized(v) => {
                    self.initialize(v, value, at);
                }
                _ => {}
            }
            return;
        }
        let slot = self.slot(v);
        if let Some(Initial::Place(place)) = initial {
            self.emit(Op::Begin(slot, 8), at);
            self.address(place);
            self.emit(Op::Slot(slot), at);
            self.emit(Op::Store(Shape::Scalar(8)), at);
            return self.emit(Op::Pop, at);
        }
        let Some(size) = self.size(&variable.ty) else {
            return self.unsupported(format!("the size of `{}`", variable.name), at);
        };
        match initial {
            Some(Initial::Value(value)) => match self.shape(&variable.ty) {
                Some(shape) => {
                    self.value(value);
                    self.emit(Op::Begin(slot, size), at);
                    self.emit(Op::Slot(slot), at);
                    self.emit(Op::Store(shape), at);
                    self.emit(Op::Pop, at);
                }
                None => {
                    self.emit(Op::Begin(slot, size), at);
                    self.array_value(&variable.ty, value, &|s| s.emit(Op::Slot(slot), at));
                }
            },
            _ => self.emit(Op::Begin(slot, size), at),
        }
    }

    /// Gives a variable that is no thread's its value.
    fn initialize(&mut self, v: Var, value: &'a Expr, at: At) {
        let ty = &self.kernel[v].ty;
        match self.shape(ty) {
            Some(shape) => {
                self.value(value);
                self.variable(v, at);
                self.emit(Op::Store(shape), at);
                self.emit(Op::Pop, at);
            }
            None => self.array_value(ty, value, &|s| s.variable(v, at)),
        }
    }

    /// An expression for what it does. A place whose value nobody wants is not read, unless it may be
    /// volatile.
    fn effect(&mut self, expr: &'a Expr) {
        grow(|| match &expr.kind {
            babycuda_kernel::ExprKind::Load(place) if !self.kernel.volatile => {
                self.address(place);
                self.emit(Op::Pop, expr.at);
            }
            babycuda_kernel::ExprKind::Comma(both) => {
                self.effect(&both[0]);
                self.effect(&both[1]);
            }
            _ => {
                self.value(expr);
                self.emit(Op::Pop, expr.at);
            }
        });
    }
}
