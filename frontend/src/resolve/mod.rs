//! From the parser's tree of a file to the typed trees of its kernels: names, types, templates,
//! overloads, conversions.
//!
//! A function is resolved once for each instance that is called: what the parameters of its template
//! are bound to, and which of its references are bound to places. What is not understood becomes a node
//! that says so: the smallest statement around it, or operand that C may leave out.

mod assembly;
mod assume;
mod calls;
mod casts;
mod coalesced;
mod copies;
mod declare;
mod enums;
mod expr;
mod functions;
mod globals;
mod groups;
mod host;
mod kernel;
mod matrix;
pub(crate) mod names;
mod operators;
mod places;
mod records;
mod stmt;
mod templates;
mod textures;
mod types;

pub(crate) use assume::FORALL;
pub(crate) use host::Host;
pub(crate) use kernel::{assume, kernel};

use crate::error::{Refusal, refuse};
use crate::unit::{MAX_DEPTH, Unit, part};
use babycuda_core::deep::grow;
use babycuda_kernel::{
    At, Expr, FunctionId, Kernel, Origin, Place, RecordId, Storage, Type, Var, Variable,
};
use functions::Instance;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use templates::Bound;
use tree_sitter::Node;

/// What resolving yields, or what was not understood.
pub(crate) type Resolved<T> = Result<T, Refusal>;

/// At most this many nodes of the parser's tree are resolved for one kernel, counting every instance of a
/// function.
const MAX_WORK: usize = 400_000;

/// What a name means.
#[derive(Clone, Debug)]
enum Entity {
    /// A variable.
    Variable(Var),
    /// A constant: an enumerator, or an argument of a template.
    Constant(Expr),
    /// A type.
    Type(Type),
}

/// A kernel that is being resolved.
struct Resolver<'t> {
    unit: &'t Unit<'t>,
    kernel: Kernel,
    /// The origin of each range of the preprocessed text that has one.
    origins: HashMap<(usize, usize), At>,
    /// Names, innermost scope last: the file's, and those of the function that is being resolved.
    scopes: Vec<HashMap<&'t str, Entity>>,
    /// Enumerators by the names of their enumerations and their own; `None`: several are called so.
    enumerators: HashMap<(&'t str, &'t str), Option<Expr>>,
    /// Names that mean other types, too, wherever that is.
    renamed: HashSet<&'t str>,
    /// What variables always hold, by its pattern.
    known: HashMap<Var, u64>,
    instances: Vec<(Instance, FunctionId)>,
    /// What the template of the innermost function is bound to.
    template: Vec<Bound>,
    /// The shared variables of functions, by what declares them and what its template is bound to.
    shared: Vec<(usize, Vec<Bound>, Var)>,
    /// The structures that were looked at, by the bodies that define them; `None`: an opaque one.
    structures: HashMap<usize, Option<RecordId>>,
    /// The functions that are being resolved, innermost last.
    active: Vec<&'t str>,
    /// The type of the value of the innermost of them.
    result: Type,
    /// Is it an assumption about the kernel, which declares nothing?
    assuming: bool,
    depth: usize,
    work: usize,
}

impl<'t> Resolver<'t> {
    fn new(unit: &'t Unit<'t>) -> Self {
        Resolver {
            unit,
            kernel: Kernel {
                volatile: unit.text.contains("volatile"),
                volatile_places: unit.makes_volatile,
                ..Kernel::default()
            },
            origins: HashMap::new(),
            scopes: vec![HashMap::new()],
            enumerators: HashMap::new(),
            renamed: HashSet::new(),
            known: HashMap::new(),
            instances: Vec::new(),
            template: Vec::new(),
            shared: Vec::new(),
            structures: HashMap::new(),
            active: Vec::new(),
            result: Type::Void,
            assuming: false,
            depth: 0,
            work: 0,
        }
    }

    /// Counts one unit of work at `node`, and one level of nesting while `f` runs.
    fn nested<T>(
        &mut self,
        node: Node<'t>,
        f: impl FnOnce(&mut Self) -> Resolved<T>,
    ) -> Resolved<T> {
        self.work += 1;
        if self.work > MAX_WORK {
            return refuse(node, format_args!("functions of more than {MAX_WORK} parts"));
        }
        if self.depth > MAX_DEPTH {
            return refuse(node, format_args!("nesting of more than {MAX_DEPTH} levels"));
        }
        self.depth += 1;
        let result = grow(|| f(self));
        self.depth -= 1;
        result
    }

    fn text(&self, node: Node<'_>) -> &'t str {
        self.unit.text_of(node)
    }

    /// The text of a node's operator.
    fn operator(&self, node: Node<'t>) -> &'t str {
        part(node, "operator").map_or("", |n| self.text(n))
    }

    /// Where a node stands.
    fn at(&mut self, node: Node<'_>) -> At {
        self.origin(&node.byte_range())
    }

    /// Where a range of the preprocessed text comes from.
    fn origin(&mut self, range: &Range<usize>) -> At {
        let (unit, origins) = (self.unit, &mut self.kernel.origins);
        *self.origins.entry((range.start, range.end)).or_insert_with(|| {
            origins.push(origin(unit, range));
            At(origins.len() as u32 - 1)
        })
    }

    fn expression(&mut self, node: Node<'t>, kind: babycuda_kernel::ExprKind, ty: Type) -> Expr {
        Expr { kind, ty, at: self.at(node) }
    }

    /// A construct that was not understood, in the place of an expression.
    fn unsupported(&mut self, refusal: Refusal) -> Expr {
        Expr::unsupported(refusal.construct, self.origin(&refusal.range))
    }

    /// Runs `f` in a new scope.
    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(HashMap::new());
        let result = f(self);
        self.scopes.pop();
        result
    }

    /// What a name means here.
    fn lookup(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name))
    }

    fn bind(&mut self, name: &'t str, entity: Entity) {
        if let Entity::Type(_) = entity {
            self.renamed.insert(name);
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, entity);
        }
    }

    /// A new variable, which no name means yet.
    fn variable(&mut self, name: &str, ty: Type, storage: Storage, node: Node<'_>) -> Var {
        let at = self.at(node);
        let (constant, volatile) = (storage == Storage::Template, false);
        let variable = Variable { name: name.to_owned(), ty, storage, constant, volatile, at };
        self.kernel.variables.push(variable);
        Var(self.kernel.variables.len() as u32 - 1)
    }

    fn variable_of(&mut self, v: Var) -> &mut Variable {
        &mut self.kernel.variables[v.0 as usize]
    }

    /// A variable as a place.
    fn place_of(&mut self, v: Var, node: Node<'_>) -> Place {
        let at = self.at(node);
        Place::variable(v, self.kernel[v].ty.clone(), at)
    }

    /// The pattern of a constant expression.
    fn constant(&self, expr: &Expr) -> Option<u64> {
        babycuda_kernel::constant(expr, &|v| self.known.get(&v).copied())
    }

    /// The expression as a literal where it is a constant. In types it stands nowhere, so that equal ones are.
    fn folded(&self, expr: Expr) -> Expr {
        match self.constant(&expr) {
            Some(bits) => Expr::int(expr.ty, bits, At(0)),
            None => expr,
        }
    }
}

/// Where a range of the preprocessed text comes from.
pub(crate) fn origin(unit: &Unit<'_>, range: &Range<usize>) -> Origin {
    let map = &unit.expanded.map;
    let included = map.included(range.start).map(|(file, line)| (file.into(), line));
    Origin { bytes: map.original(range), spelled: map.spelled(range), included }
}
