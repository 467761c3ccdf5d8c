//! A kernel under a launch of it.

use super::text::text;
use super::{LaunchSite, Says};
use crate::lower;
use crate::options::Options;
use crate::{Kernel, Translation};
use babycuda_core::expr::Relation;
use babycuda_core::launch::MAX_GRID_DIM;
use babycuda_core::name::reserved;
use babycuda_core::syntax::{Extent, Geometry};
use babycuda_core::{BigInt, IntType, MachineOp, Name, Program, Settings, Width};
use babycuda_kernel::{
    Assumption, At, Expr, ExprKind, Kernel as Tree, Launch, Node, Place, PlaceKind, Storage, Type,
    Var, Variable,
};
use std::collections::{BTreeMap, BTreeSet};

/// A kernel as one launch runs it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launched {
    /// The program, for what the launch says.
    pub program: Program,
    /// What it says, in C. Values of the host that are no parameters of the kernel are called `host.NAME`.
    pub conditions: Vec<String>,
    /// Does it say all: are extents and integer parameters constants?
    pub exact: bool,
    /// Two pointers that the launch passes begin with one variable: these parameters.
    pub overlapping: Option<[String; 2]>,
}

impl LaunchSite {
    /// Is it a launch of this kernel, as far as names and arguments of templates say? Of instances that are not told
    /// apart, it is one of each.
    pub fn is_of(&self, kernel: &Kernel) -> bool {
        let (stem, instance) = match kernel.name.split_once('<') {
            Some((stem, rest)) => (stem, rest.strip_suffix('>')),
            None => (kernel.name.as_str(), None),
        };
        if stem.rsplit("::").next().unwrap_or(stem).trim() != self.kernel {
            return false;
        }
        let number = |text: &str| text.trim().parse::<i64>().ok();
        let given = instance.map(|list| list.split(',').collect::<Vec<_>>()).unwrap_or_default();
        let mut both = given.iter().zip(&self.says.written);
        !both.any(|(a, b)| matches!((number(a), number(b)), (Some(a), Some(b)) if a != b))
    }

    /// Does it say that a dimension has more than the one place that a verdict of these extents is about? What the
    /// settings fix is what is asked about.
    pub fn exceeds(&self, geometry: &Geometry, settings: &Settings) -> bool {
        let grid = geometry.grid.unwrap_or([Extent::Known(1); 3]);
        let block = settings.block.is_none().then_some((&self.says.block, geometry.block));
        let grid = settings.grid.is_none().then_some((&self.says.grid, grid));
        block.into_iter().chain(grid).any(|(said, meant)| {
            said.iter().zip(meant).any(|(said, meant)| {
                meant == Extent::Known(1) && said.as_ref().is_some_and(|e| literal(e) != Some(1))
            })
        })
    }

    /// The kernel of the file `source` under this launch, as it was read with `options`; `None`: the launch passes
    /// another number of arguments, or the kernel cannot be translated under it.
    pub fn under(&self, kernel: &Kernel, source: &str, options: &Options) -> Option<Launched> {
        let Translation::Program(base) = &kernel.translation else { return None };
        let tree = kernel.tree.as_deref().filter(|tree| tree.narrow_barriers.is_empty())?;
        let entry = tree.entry()?;
        if let Some(arguments) = &self.says.arguments
            && arguments.len() > entry.parameters.len()
        {
            return None;
        }
        let mut options = options.clone();
        let relations = Relations::new(tree, &self.says);
        let says = &self.says;
        let mut stated: Vec<(Expr, String)> = Vec::new();
        let mut constants: Vec<String> = Vec::new();
        let mut exact = self.unknown.is_none();
        let mut under = tree.clone();
        let block = says.block.each_ref().map(|extent| extent.as_ref().and_then(literal));
        if let [Some(x), Some(y), Some(z)] = block {
            let said = [x, y, z].map(|e| u32::try_from(e).unwrap_or(0));
            if options.settings.block.is_some_and(|b| b.components() != said)
                || tree.block.is_some_and(|b| b != said)
                || said.contains(&0)
            {
                return None;
            }
            under.block = Some(said);
            let said = said.map(|e| e.to_string());
            let shown = if said[1..] == ["1", "1"] { &said[..1] } else { &said[..] };
            constants.push(format!("blocks of {}", shown.join(" x ")));
        } else {
            exact = false;
            for (d, extent) in says.block.iter().enumerate() {
                stated.push(relations.extent(Launch::BlockDim, d, extent.as_ref()));
            }
        }
        for (d, extent) in says.grid.iter().enumerate() {
            exact &= extent.as_ref().and_then(literal).is_some();
            stated.push(relations.extent(Launch::GridDim, d, extent.as_ref()));
        }
        let arguments = says.arguments.iter().flatten();
        for (v, argument) in entry.parameters.iter().zip(arguments.map(Option::as_ref)) {
            relations.parameter(
                *v,
                argument,
                &mut options,
                &mut stated,
                &mut constants,
                &mut exact,
            );
        }
        exact &= says.arguments.is_some();
        for (name, value) in &says.template {
            if let Some(v) = tree.template.iter().find(|v| tree[**v].name == *name) {
                let value = Some(value);
                relations.parameter(
                    *v,
                    value,
                    &mut options,
                    &mut stated,
                    &mut constants,
                    &mut exact,
                );
            }
        }
        for condition in &says.conditions {
            stated.push((relations.own(condition), relations.said(condition)));
        }
        stated.extend(relations.facts().into_iter().map(|fact| (fact, String::new())));
        relations.declare(&mut under, stated.iter().map(|(condition, _)| condition));
        for (condition, text) in &stated {
            let condition = condition.clone().converted(&Type::Bool, At(0));
            let text = match text.is_empty() {
                true => format!("a launch as at {}", self.span),
                false => text.clone(),
            };
            under.assumptions.push(Assumption { text, over: Vec::new(), condition });
        }
        let (program, skipped) = lower::kernel::kernel(&under, source, &options);
        let mut conditions = constants;
        for (i, (_, text)) in stated.into_iter().enumerate() {
            // What cannot be assumed is not said.
            let number = tree.assumptions.len() + i;
            if !text.is_empty() && !skipped.iter().any(|s| s.number == number) {
                conditions.push(text);
            }
        }
        let mut program = program.ok()?;
        if options.settings.grid.is_none() {
            program.geometry.grid = Some(blocks(&says.grid, &program)?);
        }
        program.name = base.name.clone();
        program.sources.parser.clone_from(&base.sources.parser);
        for note in &base.notes {
            if !program.notes.contains(note) {
                program.notes.push(note.clone());
            }
        }
        let overlapping = self.overlapping(tree, &program);
        Some(Launched { program, conditions, exact, overlapping })
    }

    /// Two pointers that begin with one variable, one of which the kernel writes to.
    fn overlapping(&self, tree: &Tree, program: &Program) -> Option<[String; 2]> {
        let parameters = &tree.entry()?.parameters;
        let pointers: Vec<(&str, &str)> = parameters
            .iter()
            .zip(&self.says.names)
            .filter(|(v, _)| matches!(tree[**v].ty, Type::Pointer(_)))
            .filter_map(|(v, name)| Some((tree[*v].name.as_str(), name.as_deref()?)))
            .collect();
        let written = program.body.written();
        let writes = |name: &str| written.iter().any(|array| array.stem() == name);
        for (i, (first, a)) in pointers.iter().enumerate() {
            for (second, b) in &pointers[i + 1..] {
                if a == b && (writes(first) || writes(second)) {
                    return Some([(*first).to_owned(), (*second).to_owned()]);
                }
            }
        }
        None
    }
}

/// The expression without conversions between types of 32 bits, which keep the pattern.
fn same_width(expr: &Expr) -> &Expr {
    let narrow = |e: &Expr| matches!(e.ty, Type::Int(t) if t.width == Width::W32);
    match &expr.kind {
        ExprKind::Convert(inner) if narrow(expr) && narrow(inner) => same_width(inner),
        _ => expr,
    }
}

/// What a constant is.
fn literal(expr: &Expr) -> Option<u64> {
    match expr.kind {
        ExprKind::Int(bits) => Some(bits),
        _ => None,
    }
}

/// The grid of a launch: its blocks race with each other, too. Where nothing is known of an extent, it is 1 unless the
/// kernel asks for its place in that dimension. `None`: no device has such a grid.
fn blocks(said: &[Option<Expr>; 3], program: &Program) -> Option<[Extent; 3]> {
    let asked = program.body.free_vars();
    let mut grid = [Extent::Symbolic; 3];
    for (d, extent) in said.iter().enumerate() {
        match extent.as_ref().map(literal) {
            Some(Some(k)) => {
                let k = u32::try_from(k).ok().filter(|k| (1..=MAX_GRID_DIM[d]).contains(k))?;
                grid[d] = Extent::Known(k);
            }
            None if !asked.contains(&Name::new(reserved::BLOCK_IDX[d])) => {
                grid[d] = Extent::Known(1)
            }
            Some(None) | None => {}
        }
    }
    Some(grid)
}

/// The values that are not known, as variables of the kernel's tree: one that a parameter is given as it is, is that
/// parameter, and every other one a parameter of its own.
struct Relations<'a> {
    tree: &'a Tree,
    says: &'a Says,
    variables: BTreeMap<Var, Var>,
    names: BTreeMap<Var, String>,
}

impl<'a> Relations<'a> {
    fn new(tree: &'a Tree, says: &'a Says) -> Self {
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
    fn declare<'e>(&self, tree: &mut Tree, conditions: impl Iterator<Item = &'e Expr>) {
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

    fn said(&self, expr: &Expr) -> String {
        text(expr, &|v| self.names.get(&v).cloned().unwrap_or_default())
    }

    /// The expression over variables of the tree.
    fn own(&self, expr: &Expr) -> Expr {
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
    fn extent(&self, of: Launch, d: usize, value: Option<&Expr>) -> (Expr, String) {
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
    fn facts(&self) -> Vec<Expr> {
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
    fn parameter(
        &self,
        v: Var,
        argument: Option<&Expr>,
        options: &mut Options,
        stated: &mut Vec<(Expr, String)>,
        constants: &mut Vec<String>,
        exact: &mut bool,
    ) {
        let variable = &self.tree[v];
        let Type::Int(t) = variable.ty else {
            // Floats and objects decide nothing as often as they decide something.
            *exact &= !matches!(variable.ty, Type::Bool | Type::Record(_) | Type::Vector(..));
            return;
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
