//! What a launch says, as relations of the kernel's tree.

use super::Says;
use super::text::text;
use super::under::literal;
use crate::options::Options;
use babycuda_core::expr::Relation;
use babycuda_core::{BigInt, IntType, MachineOp, Name, Width};
use babycuda_kernel::{
    At, Expr, ExprKind, Kernel as Tree, Launch, Node, Place, PlaceKind, Storage, Type, Var,
    Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// The expression without conversions between types of 32 bits, which keep the pattern.
fn same_width(expr: &Expr) -> &Expr {
    let narrow = |e: &Expr| matches!(e.ty, Type::Int(t) if t.width == Width::W32);
    match &expr.kind {
        ExprKind::Convert(inner) if narrow(expr) && narrow(inner) => same_width(inner),
        _ => expr,
    }
}

/// The values that are not known, as variables of the kernel's tree: one that a parameter is given as it is, is that
/// parameter, and every other one a parameter of its own.
pub(super) struct Relations<'a> {
    tree: &'a Tree,
    says: &'a Says,
    variables: BTreeMap<Var, Var>,
    names: BTreeMap<Var, String>,
}

impl<'a> Relations<'a> {
    pub(super) fn new(tree: &'a Tree, says: &'a Says) -> Self {
        let (mut variables, mut names) = (BTreeMap::new(), BTreeMap::new());
        let arguments = says.arguments.iter().flatten();
        let parameters = tree.entry().map(|f| &f.parameters[..]).unwrap_or_default();
        for (v, argument) in parameters.iter().zip(arguments) {
            // Of one type: the kernel may be given a copy of another width.
            if let Some(Expr { kind: ExprKind::Load(place), ty, .. }) = argument
                && let PlaceKind::Variable(symbol) = &place.kind
                && *ty == tree[*v].ty
            {
                variables.entry(*symbol).or_insert(*v);
                names.entry(*symbol).or_insert_with(|| tree[*v].name.clone());
            }
        }
        let mut next = tree.variables.len() as u32;
        for (i, (name, _)) in says.symbols.iter().enumerate() {
            let symbol = Var(i as u32);
            let again = says.symbols[..i].iter().filter(|(other, _)| other == name).count();
            variables.entry(symbol).or_insert_with(|| {
                next += 1;
                Var(next - 1)
            });
            names.entry(symbol).or_insert_with(|| match again {
                0 => format!("host.{name}"),
                n => format!("host.{name}.{n}"),
            });
        }
        Relations { tree, says, variables, names }
    }

    /// Adds the variables that are no parameters of the kernel; those that `conditions` mention are parameters of its
    /// template.
    pub(super) fn declare<'e>(&self, tree: &mut Tree, conditions: impl Iterator<Item = &'e Expr>) {
        let first = self.tree.variables.len() as u32;
        let places = conditions.flat_map(|e| Node::from(e).subterms());
        let mentioned: BTreeSet<Var> = places
            .filter_map(|node| match node {
                Node::Place(Place { kind: PlaceKind::Variable(v), .. }) => Some(*v),
                _ => None,
            })
            .collect();
        for (symbol, v) in &self.variables {
            if v.0 >= first {
                let (_, ty) = &self.says.symbols[symbol.0 as usize];
                tree.variables.push(Variable {
                    name: self.names[symbol].clone(),
                    ty: ty.clone(),
                    storage: Storage::Template,
                    constant: true,
                    volatile: false,
                    at: At(0),
                });
                tree.template.extend(mentioned.get(v));
            }
        }
    }

    pub(super) fn said(&self, expr: &Expr) -> String {
        text(expr, &|v| self.names.get(&v).cloned().unwrap_or_default())
    }

    /// The expression over variables of the tree.
    pub(super) fn own(&self, expr: &Expr) -> Expr {
        let all = |list: &[Expr]| list.iter().map(|e| self.own(e)).collect::<Vec<_>>();
        let pair = |both: &[Expr; 2]| Box::new([self.own(&both[0]), self.own(&both[1])]);
        let kind = match &expr.kind {
            ExprKind::Load(place) => match &place.kind {
                PlaceKind::Variable(v) => {
                    let v = self.variables.get(v).copied().unwrap_or(*v);
                    ExprKind::Load(Box::new(Place::variable(v, place.ty.clone(), At(0))))
                }
                _ => expr.kind.clone(),
            },
            ExprKind::Convert(inner) => ExprKind::Convert(Box::new(self.own(inner))),
            ExprKind::Unary(op, inner) => ExprKind::Unary(*op, Box::new(self.own(inner))),
            ExprKind::Arithmetic(op, both) => ExprKind::Arithmetic(*op, pair(both)),
            ExprKind::Compare(relation, both) => ExprKind::Compare(*relation, pair(both)),
            ExprKind::Logical(op, both) => ExprKind::Logical(*op, pair(both)),
            ExprKind::Conditional(parts) => {
                let [c, x, y] = &**parts;
                ExprKind::Conditional(Box::new([self.own(c), self.own(x), self.own(y)]))
            }
            ExprKind::Device(name, arguments) => ExprKind::Device(name.clone(), all(arguments)),
            other => other.clone(),
        };
        Expr { kind, ty: expr.ty.clone(), at: At(0) }
    }

    /// What is said of an extent; the kernel is meant for launches with this dimension in any case.
    pub(super) fn extent(&self, of: Launch, d: usize, value: Option<&Expr>) -> (Expr, String) {
        let t = Type::Int(IntType::U32);
        let extent = Expr { kind: ExprKind::Launch(of, d), ty: t.clone(), at: At(0) };
        let one = Expr::int(t, 1, At(0));
        let Some(value) = value else {
            return (compared(Relation::Ge, extent, one), String::new());
        };
        // Extents of 1 are what everybody expects.
        let said = match (literal(value), d) {
            (Some(1), 1..) => String::new(),
            _ => self.said(&compared(Relation::Eq, extent.clone(), value.clone())),
        };
        (compared(Relation::Eq, extent, self.own(value)), said)
    }

    /// What follows from extents that are quotients, and solvers see too late: `gridDim.x == n / 16` bounds `n` from
    /// below, since an extent is 1 at least. The division is one of 32 bits by a number that is positive, a literal or the
    /// extent of a block; the product is no more than `n`, so that it does not wrap.
    pub(super) fn facts(&self) -> Vec<Expr> {
        let mut facts = Vec::new();
        let launch =
            |of, d| Expr { kind: ExprKind::Launch(of, d), ty: Type::Int(IntType::U32), at: At(0) };
        for (d, extent) in self.says.grid.iter().enumerate() {
            let Some(extent) = extent.as_ref().map(same_width) else { continue };
            let ExprKind::Arithmetic(MachineOp::Div, both) = &extent.kind else { continue };
            let Some(t) = extent.ty.integer().filter(|t| t.width == Width::W32) else { continue };
            let ty = Type::Int(t);
            let divisor = match literal(same_width(&both[1])) {
                Some(k) => (t.read(k) > 0).then(|| Expr::int(ty.clone(), k, At(0))),
                None => {
                    let is_divisor = |e: &Option<Expr>| {
                        e.as_ref().is_some_and(|e| same_width(e) == same_width(&both[1]))
                    };
                    let of = self.says.block.iter().position(is_divisor);
                    of.map(|of| launch(Launch::BlockDim, of).converted(&ty, At(0)))
                }
            };
            let Some(divisor) = divisor else { continue };
            let dividend = self.own(&both[0]);
            let blocks = launch(Launch::GridDim, d).converted(&ty, At(0));
            let both = Box::new([blocks, divisor.clone()]);
            let least = Expr { kind: ExprKind::Arithmetic(MachineOp::Mul, both), ty, at: At(0) };
            facts.push(compared(Relation::Ge, dividend.clone(), divisor));
            facts.push(compared(Relation::Ge, dividend, least));
        }
        facts
    }

    /// What is said of a parameter.
    pub(super) fn parameter(
        &self,
        v: Var,
        argument: Option<&Expr>,
        options: &mut Options,
        stated: &mut Vec<(Expr, String)>,
        constants: &mut Vec<String>,
        exact: &mut bool,
    ) {
        let variable = &self.tree[v];
        let t = match (&variable.ty, argument) {
            (Type::Int(t), _) => *t,
            // Truth values that are constants.
            (Type::Bool, Some(argument)) if literal(argument).is_some() => IntType::U8,
            // Floats and objects decide nothing as often as they decide something.
            (ty, _) => {
                *exact &= !matches!(ty, Type::Bool | Type::Record(_) | Type::Vector(..));
                return;
            }
        };
        let Some(argument) = argument else {
            *exact = false;
            return;
        };
        let value = argument.clone().converted(&variable.ty, At(0));
        let name = Name::new(&variable.name);
        if let Some(bits) = babycuda_kernel::constant(&value, &|_| None)
            && !options.settings.params.contains_key(&name)
        {
            let read = t.read(bits);
            constants.push(format!("{name} == {read}"));
            options.settings.params.insert(name, BigInt::from(read));
            return;
        }
        *exact &= literal(argument).is_some();
        if let ExprKind::Load(place) = &argument.kind
            && let PlaceKind::Variable(symbol) = &place.kind
            && self.variables.get(symbol) == Some(&v)
        {
            return;
        }
        let place = Place::variable(v, variable.ty.clone(), At(0));
        let condition = compared(Relation::Eq, place.value(), self.own(&value));
        stated.push((condition, format!("{name} == {}", self.said(&value))));
    }
}

/// `l relation r`, of one type.
fn compared(relation: Relation, l: Expr, r: Expr) -> Expr {
    Expr { kind: ExprKind::Compare(relation, Box::new([l, r])), ty: Type::Bool, at: At(0) }
}
