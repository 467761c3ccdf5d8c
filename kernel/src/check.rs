//! Is a tree well formed? Its numbers name what there is, and its types fit.

use crate::expr::{Expr, ExprKind, Initial, Member, Place, PlaceKind, UnaryOp};
use crate::kernel::{At, Function, Kernel, Storage, Var};
use crate::stmt::{Stmt, StmtKind};
use crate::tree::Node;
use crate::types::{Group, Type};
use babycuda_core::MachineOp;
use std::fmt;

/// What is wrong with a tree, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// Where.
    pub at: At,
    /// What.
    pub what: &'static str,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }
}

impl std::error::Error for Malformed {}

impl Kernel {
    /// Is the tree well formed, as the documentation of its nodes says? Printing and translating one that is
    /// not may panic.
    ///
    /// # Errors
    /// The first thing that is wrong, in the order of functions and within them in pre-order.
    pub fn check(&self) -> Result<(), Malformed> {
        let checker = Checker { kernel: self, at: At(0) };
        checker.all(!self.functions.is_empty(), "a kernel without a function")?;
        checker.all(!self.origins.is_empty(), "a kernel that stands nowhere")?;
        for variable in &self.variables {
            checker.origin(variable.at)?.ty(&variable.ty)?;
        }
        for field in self.records.iter().flat_map(|record| &record.fields) {
            checker.ty(&field.ty)?;
        }
        for v in &self.template {
            let variable = checker.variable(*v)?;
            checker.all(variable == Storage::Template, "a template's parameter lives elsewhere")?;
        }
        for (i, function) in self.functions.iter().enumerate() {
            checker.function(function, i == 0)?;
        }
        let bounds = self.most_threads.iter();
        let assumed = self.assumptions.iter().flat_map(|assumption| {
            let bounds = assumption.over.iter().flat_map(|(_, lower, upper)| [lower, upper]);
            bounds.chain([&assumption.condition])
        });
        let exprs = bounds.chain(assumed).map(Node::from);
        for node in self.globals.iter().map(Node::from).chain(exprs) {
            checker.tree(node, &Type::Void)?;
        }
        for assumption in &self.assumptions {
            checker.truth(&assumption.condition)?;
        }
        Ok(())
    }
}

type Checked<T = ()> = Result<T, Malformed>;

#[derive(Clone, Copy)]
struct Checker<'a> {
    kernel: &'a Kernel,
    at: At,
}

const NUMBERS: &str = "a number that names nothing";

impl<'a> Checker<'a> {
    fn all(&self, holds: bool, what: &'static str) -> Checked {
        if holds { Ok(()) } else { Err(Malformed { at: self.at, what }) }
    }

    /// The same at another place, which there must be.
    fn origin(self, at: At) -> Checked<Self> {
        self.all((at.0 as usize) < self.kernel.origins.len(), NUMBERS)?;
        Ok(Checker { at, ..self })
    }

    /// Where a variable lives that there must be.
    fn variable(&self, v: Var) -> Checked<Storage> {
        let variable = self.kernel.variables.get(v.0 as usize);
        variable.map(|v| v.storage).ok_or(Malformed { at: self.at, what: NUMBERS })
    }

    fn ty(&self, ty: &Type) -> Checked {
        match ty {
            Type::Record(record) => {
                self.all((record.0 as usize) < self.kernel.records.len(), NUMBERS)
            }
            Type::Float(bytes) => self.all(matches!(bytes, 2 | 4 | 8), "a float of another size"),
            Type::Vector(of, _) | Type::Pointer(of) => self.ty(of),
            Type::Array(element, extent) => {
                self.ty(element)?;
                extent.as_deref().map_or(Ok(()), |extent| self.number(extent))
            }
            Type::Group(Group::Tile(size)) => self.number(size),
            Type::Void | Type::Bool | Type::Int(_) | Type::Opaque(_) | Type::Group(_) => Ok(()),
        }
    }

    /// An integer in a type.
    fn number(&self, expr: &Expr) -> Checked {
        self.all(matches!(expr.ty, Type::Int(_) | Type::Bool), "an extent that is no integer")?;
        self.tree(expr.into(), &Type::Void)
    }

    fn function(&self, function: &Function, is_kernel: bool) -> Checked {
        let here = self.origin(function.at)?;
        here.ty(&function.result)?;
        for v in &function.parameters {
            let storage = here.variable(*v)?;
            let reference = matches!(storage, Storage::Reference | Storage::Template);
            let own = matches!(storage, Storage::Local | Storage::Shared);
            here.all(own || reference, "a parameter that lives elsewhere")?;
            here.all(!(is_kernel && reference), "a kernel's parameter that is a reference")?;
        }
        here.tree((&function.body).into(), &function.result)
    }

    /// A tree, in a function whose value is of type `result`.
    fn tree(&self, root: Node<'_>, result: &Type) -> Checked {
        for node in root.subterms() {
            let here = self.origin(node.at())?;
            match node {
                Node::Stmt(stmt) => here.stmt(stmt, result)?,
                Node::Expr(expr) => {
                    here.ty(&expr.ty)?;
                    here.expr(expr)?;
                }
                Node::Place(place) => {
                    here.ty(&place.ty)?;
                    here.place(place)?;
                }
            }
        }
        Ok(())
    }

    fn truth(&self, expr: &Expr) -> Checked {
        self.same(&expr.ty, &Type::Bool)
    }

    fn same(&self, one: &Type, other: &Type) -> Checked {
        self.all(similar(one, other), "types that do not fit")
    }

    fn stmt(&self, stmt: &Stmt, result: &Type) -> Checked {
        match &stmt.kind {
            StmtKind::Declare(v, initial) => {
                self.variable(*v)?;
                initial.as_ref().map_or(Ok(()), |initial| self.initial(*v, initial))
            }
            StmtKind::If(condition, ..) => self.truth(condition),
            StmtKind::Loop(parts) => {
                parts.condition.as_ref().map_or(Ok(()), |condition| self.truth(condition))
            }
            StmtKind::Switch(value, cases) => {
                self.all(matches!(value.ty, Type::Int(_)), "a switch on what is no integer")?;
                let mut labels = cases.iter().filter_map(|case| case.label.as_ref());
                labels.try_for_each(|label| self.same(&label.ty, &value.ty))
            }
            StmtKind::Return(Some(value)) if !is_unknown(value) => self.same(&value.ty, result),
            _ => Ok(()),
        }
    }

    /// What a variable is at first.
    fn initial(&self, v: Var, initial: &Initial) -> Checked {
        let reference = self.variable(v)? == Storage::Reference;
        let ty = &self.kernel[v].ty;
        match initial {
            Initial::Place(_) => self.all(reference, "a place for what is no reference"),
            Initial::Value(_) if reference => self.all(false, "a value for a reference"),
            Initial::Value(value) if is_unknown(value) => Ok(()),
            Initial::Value(value) => self.same(&value.ty, ty),
        }
    }

    fn expr(&self, expr: &Expr) -> Checked {
        let ty = &expr.ty;
        match &expr.kind {
            ExprKind::Int(_) => {
                self.all(matches!(ty, Type::Int(_) | Type::Bool), "an integer of another type")
            }
            ExprKind::Float(_) => self.all(matches!(ty, Type::Float(_)), "a float of another type"),
            ExprKind::Null | ExprKind::String => {
                self.all(matches!(ty, Type::Pointer(_)), "a pointer of another type")
            }
            ExprKind::Launch(_, dimension) => self.all(*dimension < 3, "a fourth dimension"),
            ExprKind::Load(place) => {
                self.all(!matches!(place.ty, Type::Array(..)), "an array as a value")?;
                self.same(ty, &place.ty)
            }
            ExprKind::Decay(place) => match (&place.ty, ty) {
                (Type::Array(element, _), Type::Pointer(to)) => self.same(element, to),
                _ => self.all(false, "a pointer into what is no array"),
            },
            ExprKind::AddressOf(place) => self.same(ty, &place.ty.clone().pointer()),
            ExprKind::Unary(UnaryOp::Not, value) => {
                self.truth(value)?;
                self.truth(expr)
            }
            ExprKind::Unary(_, value) => self.same(&value.ty, ty),
            ExprKind::Arithmetic(op, both) => self.arithmetic(*op, both, ty),
            ExprKind::Compare(_, both) => {
                self.truth(expr)?;
                self.operands(both)
            }
            ExprKind::Logical(_, both) => {
                both.iter().try_for_each(|operand| self.truth(operand))?;
                self.truth(expr)
            }
            ExprKind::Conditional(all) => {
                self.truth(&all[0])?;
                self.same(&all[1].ty, ty)?;
                self.same(&all[2].ty, ty)
            }
            ExprKind::Comma(both) => self.same(&both[1].ty, ty),
            ExprKind::Assign(place, value) => {
                self.same(&place.ty, &value.ty)?;
                self.same(&place.ty, ty)
            }
            ExprKind::Call { function, arguments, .. } => {
                let Some(function) = self.kernel.functions.get(function.0 as usize) else {
                    return self.all(false, NUMBERS);
                };
                self.same(&function.result, ty)?;
                let fits = function.parameters.len() == arguments.len();
                self.all(fits, "a call with another number of arguments")?;
                let mut pairs = function.parameters.iter().zip(arguments);
                pairs.try_for_each(|(v, argument)| self.initial(*v, argument))
            }
            ExprKind::WarpSize
            | ExprKind::Component(..)
            | ExprKind::Convert(_)
            | ExprKind::Update { .. }
            | ExprKind::Step { .. }
            | ExprKind::List(_)
            | ExprKind::Device(..)
            | ExprKind::Unsupported(_) => Ok(()),
        }
    }

    fn arithmetic(&self, op: MachineOp, both: &[Expr; 2], ty: &Type) -> Checked {
        let [l, r] = both;
        match (op, &l.ty, &r.ty) {
            (MachineOp::Shl | MachineOp::Shr, Type::Int(_), Type::Int(_)) => self.same(&l.ty, ty),
            (MachineOp::Sub, Type::Pointer(_), Type::Pointer(_)) => {
                self.all(matches!(ty, Type::Int(_)), "a difference that is no integer")
            }
            (_, Type::Pointer(_), _) => self.same(&l.ty, ty),
            (_, _, Type::Pointer(_)) => self.same(&r.ty, ty),
            (_, l, r) if l.is_data() || r.is_data() => {
                self.all(ty.is_data(), "an integer computed from what is none")
            }
            _ => {
                self.operands(both)?;
                self.same(&l.ty, ty)
            }
        }
    }

    /// Two numbers of one type, or what C compares and computes with otherwise.
    fn operands(&self, [l, r]: &[Expr; 2]) -> Checked {
        let number = |t: &Type| matches!(t, Type::Int(_) | Type::Float(_) | Type::Bool);
        match number(&l.ty) && number(&r.ty) {
            true => self.same(&l.ty, &r.ty),
            false => Ok(()),
        }
    }

    fn place(&self, place: &Place) -> Checked {
        match &place.kind {
            PlaceKind::Variable(v) => {
                self.variable(*v)?;
                self.same(&place.ty, &self.kernel[*v].ty)
            }
            PlaceKind::Deref(pointer) => self.same(&pointer.ty, &place.ty.clone().pointer()),
            PlaceKind::Index(both) => {
                let index = matches!(both[1].ty, Type::Int(_) | Type::Bool);
                self.all(index, "an index that is no integer")?;
                self.same(&both[0].ty, &place.ty.clone().pointer())
            }
            PlaceKind::Member(of, member) => self.member(&of.ty, member, &place.ty),
            PlaceKind::Unsupported(_) => Ok(()),
        }
    }

    fn member(&self, of: &Type, member: &Member, ty: &Type) -> Checked {
        match (of, member) {
            (Type::Vector(lane, _), Member::Lane(_)) => self.same(lane, ty),
            (Type::Record(record), Member::Field(field)) => {
                match self.kernel[*record].fields.get(*field) {
                    Some(field) => self.same(&field.ty, ty),
                    None => self.all(false, NUMBERS),
                }
            }
            (_, Member::Named(_)) => Ok(()),
            _ => self.all(false, "a component of what has none"),
        }
    }
}

/// Was it not understood? Then its type says nothing.
fn is_unknown(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Unsupported(_))
}

/// Are the types the same, wherever the extents in them stand?
fn similar(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Pointer(one), Type::Pointer(other)) => similar(one, other),
        (Type::Array(one, _), Type::Array(other, _)) => similar(one, other),
        (Type::Group(Group::Tile(_)), Type::Group(Group::Tile(_))) => true,
        _ => one == other,
    }
}
