//! Well-scopedness: every name is declared once and used as what it is.

use crate::deep::grow;
use crate::launch::MAX_BLOCK_THREADS;
use crate::name::{Name, reserved};
use crate::site::{Site, Span};
use crate::syntax::{
    AtomicOp, BarrierScope, Bound, Contents, Declarations, Expectation, Extent, ForSort, Forall,
    Head, MapFile, Program, Stmt, Tree,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A program that is not well-scoped: what is wrong, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScopeError {
    /// What is wrong.
    pub kind: ScopeErrorKind,
    /// In which statement; `None`: in the declarations.
    pub site: Option<Site>,
    /// Where that statement stands, when the program has a source.
    pub span: Option<Span>,
}

/// What is wrong with the names of a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScopeErrorKind {
    /// A variable that nothing binds.
    #[error("unbound variable `{0}`")]
    Unbound(Name),
    /// An assumption about a variable that differs between threads.
    #[error("an assumption is about all threads, but `{0}` differs between them")]
    NotUniform(Name),
    /// A binder or a declaration of a name that the launch gives meaning to.
    #[error("`{0}` is given its meaning by the launch and cannot be bound")]
    Reserved(Name),
    /// An array that is not declared.
    #[error("undeclared array `{0}`")]
    UndeclaredArray(Name),
    /// A name that is declared twice.
    #[error("`{0}` is declared twice")]
    DeclaredTwice(Name),
    /// A parameter whose value is none of its type.
    #[error("the value of `{0}` is none of its type")]
    OutOfDomain(Name),
    /// An array that is declared to hold a value that is none of its elements' type.
    #[error("`{0}` holds a value that is none of its type")]
    ContentsOutOfDomain(Name),
    /// A block or grid without threads.
    #[error("a launch of no threads")]
    NoThreads,
    /// Warps of a size that is no power of two, or more than a block may have.
    #[error("a warp of {0} threads: its size must be a power of two, at most {MAX_BLOCK_THREADS}")]
    Warp(u32),
    /// A barrier of tiles that warps are not made of.
    #[error(
        "a tile of {threads} threads: it must be a power of two, at most a warp of {warp} threads"
    )]
    #[allow(missing_docs)]
    Tile { threads: u32, warp: u32 },
    /// A write to an array that stands for what a front end could not express.
    #[error("`{0}` is opaque: no program writes it")]
    WritesOpaque(Name),
    /// An input of an array that is none: shared, written, or of contents that no host gives.
    #[error("`{0}` is no read-only input")]
    NotInput(Name),
    /// A `cas` without the value it expects.
    #[error("`cas` needs the value that it expects: `cas m if n`")]
    CasWithoutExpected,
    /// Another atomic operator with a value it expects.
    #[error("only `cas` expects a value")]
    ExpectedWithoutCas,
}

impl fmt::Display for ScopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(span) = self.span {
            write!(f, "{span}: ")?;
        }
        write!(f, "{}", self.kind)
    }
}

impl std::error::Error for ScopeError {}

/// Checks that a program or protocol is well-scoped under its declarations. In one that is:
///
/// - every variable is a parameter, reserved, or bound by an enclosing `let`, `for` or `any`; nothing
///   rebinds a reserved name (other names may be shadowed);
/// - every array accessed or expected to be racy is declared; no name is declared twice; opaque
///   arrays are not written, and inputs of a protocol are global, of given contents, and not written;
/// - `cas` and no other operator has an expected value;
/// - assumptions are about parameters and variables that are the same for a whole block, those over
///   contents about read-only inputs, with variables of their own;
/// - fixed parameters and declared contents have values of their types, and there are threads;
/// - warps and tiles are powers of two, and no tile is larger than a warp.
///
/// # Errors
/// The first [`ScopeError`]: of the declarations, then of the code in pre-order.
pub fn check_scope<T: Tree>(declarations: &Declarations, code: &T) -> Result<(), ScopeError> {
    let mut checker = Checker::of(declarations)?;
    checker.tree(code)?;
    let mut inputs = checker.inputs.iter();
    if let Some((array, site)) = inputs.find(|(array, _)| checker.changed.contains(*array)) {
        return Err(checker.error(ScopeErrorKind::NotInput(array.clone()), *site));
    }
    for (number, assumption) in declarations.contents_assumed.iter().enumerate() {
        if let Some(array) = assumption.arrays().into_iter().find(|a| checker.changed.contains(*a))
        {
            return Err(checker.assumed(number, ScopeErrorKind::NotInput(array.clone())));
        }
    }
    Ok(())
}

impl Program {
    /// [`check_scope`].
    ///
    /// # Errors
    /// [`ScopeError`]
    pub fn check_scope(&self) -> Result<(), ScopeError> {
        check_scope(&self.declarations, &self.body)
    }
}

impl MapFile {
    /// [`check_scope`].
    ///
    /// # Errors
    /// [`ScopeError`]
    pub fn check_scope(&self) -> Result<(), ScopeError> {
        check_scope(&self.declarations, &self.protocol)
    }
}

/// The sites of `forU` loops with barriers inside. Such a loop is legal, and runs as `forS` does
/// (THEORY §4: barriers anywhere); but LCL22 has no barriers in `forU`, so it is probably a slip.
pub fn barriers_in_unsynchronized_loops(body: &Stmt) -> Vec<Site> {
    struct Loop {
        site: Site,
        outer: Option<usize>,
        has_barrier: bool,
    }
    let mut loops: Vec<Loop> = Vec::new();
    let mut pending = vec![(body, None)];
    while let Some((b, inside)) = pending.pop() {
        match b {
            Stmt::For { site, sort: ForSort::U, body, .. } => {
                loops.push(Loop { site: *site, outer: inside, has_barrier: false });
                pending.push((body, Some(loops.len() - 1)));
            }
            Stmt::Sync { .. } => {
                let mut enclosing = inside;
                while let Some(number) = enclosing.filter(|&number| !loops[number].has_barrier) {
                    loops[number].has_barrier = true;
                    enclosing = loops[number].outer;
                }
            }
            _ => pending.extend(b.children().map(|child| (child, inside))),
        }
    }
    let mut sites: Vec<Site> = loops.iter().filter(|l| l.has_barrier).map(|l| l.site).collect();
    sites.sort();
    sites
}

struct Checker<'a> {
    declarations: &'a Declarations,
    arrays: BTreeMap<&'a Name, &'a Contents>,
    /// How many open binders, or declarations, each variable has.
    bound: BTreeMap<Name, usize>,
    /// The arrays that are written or updated so far.
    changed: BTreeSet<Name>,
    /// The arrays that are inputs so far.
    inputs: BTreeMap<Name, Option<Site>>,
}

impl<'a> Checker<'a> {
    /// Checks the declarations.
    fn of(declarations: &'a Declarations) -> Result<Self, ScopeError> {
        let mut checker = Checker {
            declarations,
            arrays: BTreeMap::new(),
            bound: BTreeMap::new(),
            changed: BTreeSet::new(),
            inputs: BTreeMap::new(),
        };
        let mut declared = BTreeSet::new();
        for name in declarations
            .params
            .iter()
            .map(|p| &p.name)
            .chain(declarations.arrays.iter().map(|a| &a.name))
        {
            checker.bindable(name, None)?;
            if !declared.insert(name) {
                return Err(checker.error(ScopeErrorKind::DeclaredTwice(name.clone()), None));
            }
        }
        for param in &declarations.params {
            if param.value.as_ref().is_some_and(|value| !param.domain.contains(value)) {
                let kind = ScopeErrorKind::OutOfDomain(param.name.clone());
                return Err(checker.error(kind, None));
            }
        }
        for array in &declarations.arrays {
            let values = match &array.contents {
                Contents::Values(values) => values.as_slice(),
                Contents::Fill(value) => std::slice::from_ref(value),
                Contents::Undefined | Contents::Any | Contents::Opaque => &[],
            };
            if values.iter().any(|value| !array.element.contains(value)) {
                let kind = ScopeErrorKind::ContentsOutOfDomain(array.name.clone());
                return Err(checker.error(kind, None));
            }
        }
        checker.arrays = declarations.arrays.iter().map(|a| (&a.name, &a.contents)).collect();
        checker.bound = declarations.params.iter().map(|p| (p.name.clone(), 1)).collect();
        let extents =
            declarations.geometry.block.iter().chain(declarations.geometry.grid.iter().flatten());
        if extents.into_iter().any(|e| *e == Extent::Known(0)) {
            return Err(checker.error(ScopeErrorKind::NoThreads, None));
        }
        let warp = declarations.geometry.warp;
        if !warp.is_power_of_two() || u64::from(warp) > MAX_BLOCK_THREADS {
            return Err(checker.error(ScopeErrorKind::Warp(warp), None));
        }
        for assumption in &declarations.assumptions {
            checker.variables(assumption.free_vars(), None)?;
            if let Some(x) = assumption.free_vars().into_iter().find(|x| reserved::is_private(x)) {
                return Err(checker.error(ScopeErrorKind::NotUniform(x), None));
            }
        }
        for (number, assumption) in declarations.contents_assumed.iter().enumerate() {
            let checked = checker.assumption(assumption);
            checked.map_err(|error| checker.assumed(number, error.kind))?;
        }
        for expectation in &declarations.expectations {
            if let Expectation::Racy(Some((array, _))) = expectation {
                checker.declared(array, None)?;
            }
        }
        Ok(checker)
    }

    fn error(&self, kind: ScopeErrorKind, site: Option<Site>) -> ScopeError {
        let span = site.and_then(|site| self.declarations.sources.spans.get(&site).copied());
        ScopeError { kind, site, span }
    }

    /// An error in an assumption over contents.
    fn assumed(&self, number: usize, kind: ScopeErrorKind) -> ScopeError {
        let span = self.declarations.sources.contents_assumed.get(number).copied();
        ScopeError { kind, site: None, span }
    }

    fn assumption(&self, assumption: &Forall) -> Result<(), ScopeError> {
        let mut own = BTreeSet::new();
        let known = |used: BTreeSet<Name>, own: &BTreeSet<Name>| {
            let free: BTreeSet<Name> = used.difference(own).cloned().collect();
            let uniform = |x: &Name| {
                [reserved::BLOCK_DIM, reserved::GRID_DIM]
                    .iter()
                    .any(|names| names.contains(&x.as_str()))
            };
            match free.iter().find(|x| reserved::is_reserved(x) && !uniform(x)) {
                Some(x) => Err(self.error(ScopeErrorKind::NotUniform(x.clone()), None)),
                None => self.variables(free, None),
            }
        };
        for bound in &assumption.over {
            bound.exprs().try_for_each(|n| known(n.free_vars(), &own))?;
            if let Bound::Read { array, .. } = bound {
                self.declared(array, None)?;
                if !self.declarations.may_be_input(array) {
                    return Err(self.error(ScopeErrorKind::NotInput(array.clone()), None));
                }
            }
            let var = bound.var();
            self.bindable(var, None)?;
            if self.bound.contains_key(var) || !own.insert(var.clone()) {
                return Err(self.error(ScopeErrorKind::DeclaredTwice(var.clone()), None));
            }
        }
        known(assumption.condition.free_vars(), &own)
    }

    fn bindable(&self, name: &Name, site: Option<Site>) -> Result<(), ScopeError> {
        match reserved::is_reserved(name) {
            true => Err(self.error(ScopeErrorKind::Reserved(name.clone()), site)),
            false => Ok(()),
        }
    }

    fn declared(&self, array: &Name, site: Option<Site>) -> Result<&'a Contents, ScopeError> {
        let contents = self.arrays.get(array).copied();
        contents.ok_or_else(|| self.error(ScopeErrorKind::UndeclaredArray(array.clone()), site))
    }

    fn written(&self, array: &Name, site: Option<Site>) -> Result<(), ScopeError> {
        match self.declared(array, site)? {
            Contents::Opaque => Err(self.error(ScopeErrorKind::WritesOpaque(array.clone()), site)),
            _ => Ok(()),
        }
    }

    fn variables(&self, used: BTreeSet<Name>, site: Option<Site>) -> Result<(), ScopeError> {
        let known =
            |x: &Name| reserved::is_reserved(x) || self.bound.get(x).is_some_and(|n| *n > 0);
        match used.into_iter().find(|x| !known(x)) {
            Some(x) => Err(self.error(ScopeErrorKind::Unbound(x), site)),
            None => Ok(()),
        }
    }

    fn tree<T: Tree>(&mut self, tree: &T) -> Result<(), ScopeError> {
        let (head, node) = (tree.head(), tree.view());
        match head {
            Head::Write(array) | Head::Atomic(array, ..) => self.written(array, node.site)?,
            Head::Read(array) | Head::Access(_, array) => {
                self.declared(array, node.site)?;
            }
            Head::Input(array) => {
                self.declared(array, node.site)?;
                if !self.declarations.may_be_input(array) {
                    return Err(self.error(ScopeErrorKind::NotInput(array.clone()), node.site));
                }
                self.inputs.insert(array.clone(), node.site);
            }
            Head::Sync(BarrierScope::Tile(threads)) => {
                let warp = self.declarations.geometry.warp;
                if !threads.is_power_of_two() || threads > warp {
                    return Err(self.error(ScopeErrorKind::Tile { threads, warp }, node.site));
                }
            }
            Head::Skip | Head::Sync(_) | Head::Seq | Head::If | Head::For(_) | Head::Any(_) => {}
        }
        self.changed.extend(head.written().cloned());
        for expr in node.exprs.into_iter().flatten() {
            let mut used = BTreeSet::new();
            expr.collect_vars(&mut used);
            self.variables(used, node.site)?;
        }
        if let Head::Atomic(_, op, _) = head {
            match (op == AtomicOp::Cas, node.exprs[2].is_some()) {
                (true, false) => {
                    return Err(self.error(ScopeErrorKind::CasWithoutExpected, node.site));
                }
                (false, true) => {
                    return Err(self.error(ScopeErrorKind::ExpectedWithoutCas, node.site));
                }
                _ => {}
            }
        }
        if let Some(var) = node.binder {
            self.bindable(var, node.site)?;
            *self.bound.entry(var.clone()).or_default() += 1;
        }
        grow(|| node.children.into_iter().flatten().try_for_each(|child| self.tree(&**child)))?;
        if let Some(binders) = node.binder.and_then(|var| self.bound.get_mut(var)) {
            *binders -= 1;
        }
        Ok(())
    }
}
