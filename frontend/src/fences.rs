//! Barriers that order the accesses of one space only (`barrier(CLK_LOCAL_MEM_FENCE)` of OpenCL C).
//!
//! A program knows barriers that order all memory. It says the same of a kernel where no thread accesses an
//! array, that the kernel writes, before and behind a barrier that does not order it. Any other kernel is taken
//! [apart]: into the program where all barriers order everything, which says where threads wait for each other and
//! what is a race in any case, and one for each space, with the barriers that order it and its accesses. What is read
//! in the other space may be anything there. Where none of them has a race, a thread reads what it reads in the
//! first one: what it wrote itself, or what was there at the last barrier that orders it.
//!
//! Of other functions that a work-group calls together (`work_group_any`) it is not said whether they order memory. Where
//! no array that the kernel writes is accessed before and behind such a call, with no barrier between that orders it,
//! that is all the same. Any other kernel is race-free where it is if all of them order everything, and its accesses of
//! such arrays are if none does; it is refused if an asynchronous copy accesses one of these, too.

use babycuda_core::deep::grow;
use babycuda_core::syntax::{ArrayDecl, BarrierScope, Contents, ForSort, Space, Stopping};
use babycuda_core::{Name, Num, Program, Site, Span, Stmt};
use babycuda_kernel::device::Device;
use babycuda_kernel::{At, Expr, ExprKind, Kernel, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Where barriers stand that order one space only, and which.
pub(crate) type Narrow = [(Span, Space)];

/// A barrier of a macro that has another one, which orders other memory: they stand at one place.
pub(crate) fn mixed(kernel: &Kernel) -> Option<At> {
    if kernel.narrow_barriers.is_empty() {
        return None;
    }
    let bodies = kernel.functions.iter().flat_map(|f| Node::Stmt(&f.body).subterms());
    let barriers = bodies.filter_map(|node| match node {
        Node::Expr(Expr { kind: ExprKind::Device(name, _), at, .. }) => {
            let of_device = Device::of(name.as_str()) == Some(Device::Barrier);
            (of_device || kernel.open_barriers.contains(at)).then_some(*at)
        }
        _ => None,
    });
    let orders = |at: At| -> (bool, Vec<Space>) {
        let narrow = kernel.narrow_barriers.iter().filter(|(barrier, _)| *barrier == at);
        (kernel.open_barriers.contains(&at), narrow.map(|(_, space)| *space).collect())
    };
    let mut known = BTreeMap::new();
    for at in barriers {
        let place = &kernel[at].bytes;
        let here = orders(at);
        if *known.entry((place.start, place.end)).or_insert_with(|| here.clone()) != here {
            return Some(at);
        }
    }
    None
}

/// An array that is written, and accessed at both sides of a barrier that does not order it.
pub(crate) fn crossed(program: &Program, barriers: &Narrow) -> Option<Name> {
    [Space::Global, Space::Shared]
        .into_iter()
        .find_map(|space| crossed_in(program, barriers, space))
}

/// What calls leave open.
#[derive(Default)]
pub(crate) struct LeftOpen {
    /// The arrays that are written, and accessed at both sides of such a call, with no barrier between that orders them; and
    /// the call.
    pub(crate) arrays: BTreeMap<Name, Site>,
    /// The arrays that copies access.
    copied: BTreeSet<Name>,
}

/// What the calls at these places leave open.
pub(crate) fn left_open(
    program: &Program,
    barriers: &Narrow,
    (open, copies): (&[Span], &[Span]),
) -> LeftOpen {
    let written = program.body.written();
    let mut walk = Open { program, barriers, open, copies, written, found: LeftOpen::default() };
    if !open.is_empty() {
        walk.statement(&program.body, &mut Sides::default());
    }
    walk.found
}

/// Programs of which one has a race where the kernel has one; none: there are no such. The first one is the program.
pub(crate) fn bounds(
    program: &Program,
    barriers: &Narrow,
    open: &[Span],
    left: &LeftOpen,
) -> Vec<Program> {
    if left.arrays.keys().any(|name| left.copied.contains(name)) {
        return Vec::new();
    }
    let is_open = |site| program.sources.spans.get(&site).is_none_or(|span| open.contains(span));
    let mut programs = match crossed(program, barriers) {
        Some(_) => apart(program, barriers),
        None => vec![program.clone()],
    };
    for space in [Space::Global, Space::Shared] {
        let concerned = |name: &Name| left.arrays.contains_key(name) && is_in(program, space, name);
        if left.arrays.keys().any(&concerned) {
            let left_out = |site| is_open(site) || leaves_out(program, barriers, space, site);
            programs.push(part(program, &|name| !concerned(name), &left_out));
        }
    }
    programs
}

/// What was accessed since a barrier ordered it: at all, and before a call that may order it.
#[derive(Clone, Default, PartialEq)]
struct Sides {
    accessed: BTreeSet<Name>,
    before: BTreeMap<Name, Site>,
}

impl Sides {
    fn join(&mut self, other: Sides) {
        self.accessed.extend(other.accessed);
        self.before.extend(other.before);
    }
}

struct Open<'a> {
    program: &'a Program,
    barriers: &'a Narrow,
    open: &'a [Span],
    /// Where copies are made that are complete at the next such call.
    copies: &'a [Span],
    written: BTreeSet<Name>,
    found: LeftOpen,
}

impl Open<'_> {
    fn statement(&mut self, stmt: &Stmt, sides: &mut Sides) {
        if let Some(array) = stmt.accessed().filter(|array| self.written.contains(*array)) {
            if let Some(site) = sides.before.get(array) {
                self.found.arrays.entry(array.clone()).or_insert(*site);
            }
            let place = stmt.site().and_then(|site| self.program.sources.spans.get(&site));
            if place.is_some_and(|span| self.copies.contains(span)) {
                self.found.copied.insert(array.clone());
            } else {
                sides.accessed.insert(array.clone());
            }
        }
        match stmt {
            Stmt::Sync { site, scope } => self.barrier(*site, *scope, sides),
            Stmt::If { then, otherwise, .. } => {
                let mut other = sides.clone();
                grow(|| self.statement(then, sides));
                grow(|| self.statement(otherwise, &mut other));
                sides.join(other);
            }
            Stmt::For { body, .. } => loop {
                let before = sides.clone();
                grow(|| self.statement(body, sides));
                sides.join(before.clone());
                if *sides == before {
                    break;
                }
            },
            other => {
                for child in other.children() {
                    grow(|| self.statement(child, sides));
                }
            }
        }
    }

    fn barrier(&self, site: Site, scope: BarrierScope, sides: &mut Sides) {
        let place = self.program.sources.spans.get(&site);
        if place.is_none_or(|span| self.open.contains(span)) {
            let before = sides.accessed.iter().map(|array| (array.clone(), site));
            sides.before.extend(before.collect::<Vec<_>>());
        } else if matches!(scope, BarrierScope::Block | BarrierScope::Grid) {
            for space in [Space::Global, Space::Shared] {
                if !leaves_out(self.program, self.barriers, space, site) {
                    let stays = |name: &Name| !is_in(self.program, space, name);
                    sides.accessed.retain(stays);
                    sides.before.retain(|name, _| stays(name));
                }
            }
        }
    }
}

/// The programs that a kernel is taken apart into. What it does not write holds the same in all of them: a table, or
/// what stops a thread that reads it.
pub(crate) fn apart(program: &Program, barriers: &Narrow) -> Vec<Program> {
    let mut written = program.body.written();
    if let Some(stopping) = &program.sources.stopping {
        written.extend(stopping.body.written());
    }
    let parts = [Space::Global, Space::Shared].map(|space| {
        let other = |name: &Name| written.contains(name) && !is_in(program, space, name);
        part(program, &other, &|site| leaves_out(program, barriers, space, site))
    });
    [program.clone()].into_iter().chain(parts).collect()
}

/// Does the barrier order other accesses than those of `space`? One whose place is not known may.
fn leaves_out(program: &Program, barriers: &Narrow, space: Space, site: Site) -> bool {
    let place = program.sources.spans.get(&site);
    place.is_none_or(|span| barriers.iter().any(|(at, ordered)| at == span && *ordered != space))
}

fn is_in(program: &Program, space: Space, name: &Name) -> bool {
    program.array(name).is_none_or(|a| a.space == space)
}

fn crossed_in(program: &Program, barriers: &Narrow, space: Space) -> Option<Name> {
    if barriers.iter().all(|(_, ordered)| *ordered == space) {
        return None;
    }
    let written = program.body.written();
    let concerned = |name: &&Name| written.contains(*name) && is_in(program, space, name);
    let is_other = |stmt: &Stmt| matches!(stmt, Stmt::Sync { site, .. } if leaves_out(program, barriers, space, *site));
    // What is executed later stands later in pre-order, but for the next iteration of a loop.
    let (mut passed, mut seen) = (0usize, BTreeMap::new());
    for stmt in program.body.subterms() {
        if is_other(stmt) {
            passed += 1;
        }
        if let Some(name) = stmt.accessed().filter(concerned)
            && *seen.entry(name).or_insert(passed) != passed
        {
            return Some(name.clone());
        }
        if let Stmt::For { body, .. } = stmt
            && body.subterms().any(is_other)
            && let Some(name) = body.arrays().iter().find(concerned)
        {
            return Some(name.clone());
        }
    }
    None
}

/// The accesses of all but `other` arrays, without the barriers that are left out.
fn part(
    program: &Program,
    other: &dyn Fn(&Name) -> bool,
    left_out: &dyn Fn(Site) -> bool,
) -> Program {
    let taken: BTreeSet<&Name> = program.arrays.iter().map(|a| &a.name).collect();
    let mut apart = Apart { other, left_out, names: BTreeMap::new() };
    for array in program.arrays.iter().filter(|a| other(&a.name)) {
        let mut name = format!("{}.unordered", array.name);
        while taken.contains(&Name::new(&name)) {
            name.push('_');
        }
        apart.names.insert(array.name.clone(), Name::new(name));
    }
    let arrays = |of: &[ArrayDecl]| -> Vec<ArrayDecl> {
        let opaque = |array: &ArrayDecl| match apart.names.get(&array.name) {
            Some(name) => ArrayDecl {
                name: name.clone(),
                space: Space::Global,
                contents: Contents::Opaque,
                length: None,
                ..array.clone()
            },
            None => array.clone(),
        };
        of.iter().map(opaque).collect()
    };
    let mut declarations = program.declarations.clone();
    declarations.arrays = arrays(&program.arrays);
    declarations.sources.stopping = program.sources.stopping.as_ref().map(|stopping| {
        let Stopping { body, arrays: of, overflows } = stopping.as_ref();
        let (body, overflows) = (apart.statement(body), overflows.clone());
        Arc::new(Stopping { body, arrays: arrays(of), overflows })
    });
    declarations.around(apart.statement(&program.body))
}

struct Apart<'a> {
    /// Is the array one of the others?
    other: &'a dyn Fn(&Name) -> bool,
    /// Is the barrier left out?
    left_out: &'a dyn Fn(Site) -> bool,
    /// What is read in place of the other arrays.
    names: BTreeMap<Name, Name>,
}

impl Apart<'_> {
    fn statement(&self, statement: &Stmt) -> Stmt {
        use babycuda_core::syntax::Tree;
        let below = |stmt: &Arc<Stmt>| Arc::new(self.statement(stmt));
        match statement {
            Stmt::Sync { site, .. } if (self.left_out)(*site) => Stmt::Skip,
            Stmt::Write { array, .. } if (self.other)(array) => Stmt::Skip,
            Stmt::Read { site, var, array, body, .. }
            | Stmt::Atomic { site, var, array, body, .. }
                if (self.other)(array) =>
            {
                let array = self.names.get(array).unwrap_or(array).clone();
                let (var, index) = (var.clone(), Num::from(0));
                Stmt::Read { site: *site, var, array, index, body: below(body) }
            }
            Stmt::For { site, var, lower, upper, body, .. } => {
                let body = below(body);
                let sort = if body.has_sync() { ForSort::S } else { ForSort::U };
                let (var, lower, upper) = (var.clone(), lower.clone(), upper.clone());
                Stmt::For { site: *site, sort, var, lower, upper, body }
            }
            other => babycuda_core::deep::grow(|| other.map_children(below)),
        }
    }
}
