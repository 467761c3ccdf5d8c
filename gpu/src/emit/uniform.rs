//! Barriers that all threads of a block reach together, whatever the data.

use babycuda_core::deep::grow;
use babycuda_core::expr::ArithOp;
use babycuda_core::launch::WARP_SIZE;
use babycuda_core::name::reserved::{THREAD_IDX, TID, is_private};
use babycuda_core::syntax::{BarrierScope, Extent, Head, Program, Tree};
use babycuda_core::{Bool, MachineOp, Name, Num, NumOp, Site, Stmt, Width};
use std::collections::{BTreeMap, BTreeSet};

/// The barriers of `body` that may be reached by some threads of a block only: those below a guard
/// or in a loop that mentions a thread's own index, or what was read from memory. Where there are
/// none, no run diverges, racy or not.
pub fn nonuniform_barriers(body: &Stmt) -> Vec<Site> {
    let mut found = Vec::new();
    Checker { varying: BTreeMap::new(), group: None, found: &mut found }.stmt(body, true);
    found
}

/// The threads of a group, if groups have the same number of threads and divide a warp of a device.
pub(super) fn group_size(warp: u32, scope: BarrierScope) -> Option<u32> {
    let size = match scope {
        BarrierScope::Tile(threads) => threads.min(warp),
        BarrierScope::Warp => warp,
        BarrierScope::Block | BarrierScope::Grid => return None,
    };
    let divides = |size: u32| size > 0 && WARP_SIZE.is_multiple_of(size);
    (divides(warp) && divides(size)).then_some(size)
}

/// The barriers of tiles and warps that all threads of a group reach together, whatever the data:
/// guards and bounds around them mention a thread's own index divided by what its group has at
/// most. Others may be such barriers, too.
pub(super) fn group_barriers(program: &Program) -> BTreeSet<Site> {
    let mut scopes: BTreeMap<BarrierScope, BTreeSet<Site>> = BTreeMap::new();
    for b in program.body.subterms() {
        if let Stmt::Sync { site, scope } = b
            && *scope < BarrierScope::Block
        {
            scopes.entry(*scope).or_default().insert(*site);
        }
    }
    let [_, y, z] = program.geometry.block;
    let line = [y, z] == [Extent::Known(1); 2];
    let mut all = BTreeSet::new();
    for (scope, mut sites) in scopes {
        let Some(size) = group_size(program.geometry.warp, scope) else { continue };
        let mut uneven = Vec::new();
        let group = Some((size.into(), line));
        Checker { varying: BTreeMap::new(), group, found: &mut uneven }.stmt(&program.body, true);
        sites.retain(|site| !uneven.contains(site));
        all.append(&mut sites);
    }
    all
}

/// Nodes of a condition that are looked at one by one.
const MAX_LOOK: usize = 1 << 10;

struct Checker<'a> {
    /// Variables in scope that may differ between the threads of a block, with the number of
    /// their open binders; a binder of the other kind in between is entered as `false`.
    varying: BTreeMap<Name, Vec<bool>>,
    /// For groups of so many threads instead of blocks; have blocks one dimension?
    group: Option<(u64, bool)>,
    found: &'a mut Vec<Site>,
}

impl Checker<'_> {
    fn varies(&self, variables: &BTreeSet<Name>) -> bool {
        variables.iter().any(|x| self.variable_varies(x))
    }

    fn variable_varies(&self, x: &Name) -> bool {
        match self.varying.get(x).and_then(|binders| binders.last()) {
            Some(varies) => *varies,
            None => is_private(x),
        }
    }

    /// May the guard or a bound differ between the threads of a group?
    fn decides(&self, b: &Stmt, variables: &BTreeSet<Name>) -> bool {
        let mut left = MAX_LOOK;
        self.varies(variables)
            && match (self.group, b) {
                (Some(_), Stmt::If { condition, .. }) => self.bool_varies(condition, &mut left),
                (Some(_), Stmt::For { lower, upper, .. }) => {
                    self.num_varies(lower, &mut left) || self.num_varies(upper, &mut left)
                }
                _ => true,
            }
    }

    fn bool_varies(&self, c: &Bool, left: &mut usize) -> bool {
        match c {
            Bool::Lit(_) => false,
            Bool::Compare(_, l, r) => self.num_varies(l, left) || self.num_varies(r, left),
            Bool::Connective(_, c, d) => {
                grow(|| self.bool_varies(c, left)) || grow(|| self.bool_varies(d, left))
            }
            Bool::Not(c) => grow(|| self.bool_varies(c, left)),
        }
    }

    fn num_varies(&self, n: &Num, left: &mut usize) -> bool {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return true;
        }
        match n {
            Num::Var(x) => self.variable_varies(x),
            Num::Lit(_) => false,
            Num::Binary(op, l, r) if self.is_group(*op, l, r) => false,
            Num::Binary(_, l, r) => {
                grow(|| self.num_varies(l, left)) || grow(|| self.num_varies(r, left))
            }
            Num::Cast(_, _, n) => grow(|| self.num_varies(n, left)),
            Num::Select(c, n, m) => {
                grow(|| self.bool_varies(c, left))
                    || grow(|| self.num_varies(n, left))
                    || grow(|| self.num_varies(m, left))
            }
        }
    }

    /// Is it the number of the thread's group, or of several in a row?
    fn is_group(&self, op: NumOp, l: &Num, r: &Num) -> bool {
        let (Some((size, _)), Num::Lit(k)) = (self.group, r) else { return false };
        // Types of 16 bits and more hold every index.
        let threads = match (op, k.to_u64()) {
            (NumOp::Natural(ArithOp::Div), Some(k)) => k,
            (NumOp::Machine(MachineOp::Div, t), Some(k)) if t.width > Width::W8 => k,
            (NumOp::Machine(MachineOp::Shr, t), Some(k)) if t.width > Width::W8 && k < 10 => 1 << k,
            _ => return false,
        };
        threads > 0 && threads <= 1 << 10 && threads % size == 0 && self.is_index(l)
    }

    fn is_index(&self, n: &Num) -> bool {
        match n {
            Num::Var(x) if self.varying.get(x).is_some_and(|binders| !binders.is_empty()) => false,
            Num::Var(x) => {
                x.as_str() == TID
                    || self.group.is_some_and(|(_, line)| line) && x.as_str() == THREAD_IDX[0]
            }
            Num::Cast(from, to, n) => {
                from.width > Width::W8 && to.width > Width::W8 && grow(|| self.is_index(n))
            }
            _ => false,
        }
    }

    fn below(&mut self, x: &Name, varies: bool, body: &Stmt, together: bool) {
        self.varying.entry(x.clone()).or_default().push(varies);
        grow(|| self.stmt(body, together));
        if let Some(binders) = self.varying.get_mut(x) {
            binders.pop();
        }
    }

    /// `together`: all threads of the block run the statement, equally often.
    fn stmt(&mut self, b: &Stmt, together: bool) {
        let (head, node) = (b.head(), b.view());
        if matches!(head, Head::Sync(_)) && !together {
            self.found.extend(node.site);
        }
        let decides = matches!(head, Head::If | Head::For(_));
        let together = together && !(decides && self.decides(b, &node.variables()));
        for child in node.children.into_iter().flatten() {
            match node.binder {
                // Counters of one loop are equal; what is read from memory may be anything.
                Some(x) => self.below(x, !(decides && together), child, together),
                None => grow(|| self.stmt(child, together)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::nonuniform_barriers;
    use babycuda_core::parse::parse_program;

    fn count(text: &str) -> usize {
        nonuniform_barriers(&parse_program(text).unwrap().body).len()
    }

    #[test]
    fn groups_decide_together_by_their_number() {
        let alike = |text: &str| super::group_barriers(&parse_program(text).unwrap()).len();
        assert_eq!(alike("if tid / 32 == 1 { sync.warp; sync.tile4; sync }"), 2);
        assert_eq!(alike("threads 99; if shr.u32(threadIdx.x, 6) < 1 { sync.warp }"), 1);
        assert_eq!(
            alike("threads 99; if div.i32(cast.u32.i32(threadIdx.x), 8) < 1 { sync.tile8 }"),
            1
        );
        // Of several dimensions, of less than a group, of none, of a type that is too narrow.
        assert_eq!(alike("block 48, 2, 1; if threadIdx.x / 32 == 1 { sync.warp }"), 0);
        assert_eq!(alike("if tid / 16 == 1 { sync.warp }; if tid / 3 == 0 { sync.tile2 }"), 0);
        assert_eq!(alike("if tid % 32 == 1 { sync.warp }; if tid / 0 == 0 { sync.tile2 }"), 0);
        assert_eq!(alike("if div.i8(tid, 32) == 1 { sync.warp }"), 0);
        assert_eq!(alike("let x = A[0] in if x / 32 == 1 { sync.warp }"), 0);
        assert_eq!(alike("let tid' = A[0] in forS x in 0..tid / 64 { sync.tile2 }"), 1);
        assert_eq!(alike("warp 3; sync.warp; sync.tile2"), 0);
        assert_eq!(alike("warp 4; if tid / 4 < 2 { sync.warp; sync.tile16 }"), 2);
        assert_eq!(alike("forU tid' in 0..tid { sync.warp }"), 0);
    }

    #[test]
    fn guards_and_bounds_decide() {
        assert_eq!(count("sync; A[tid] := 1; sync"), 0);
        assert_eq!(count("param N; if N < 3 { sync }; forS x in 0..N { if x == 1 { sync } }"), 0);
        assert_eq!(count("if blockIdx.x == 0 { sync }"), 0);
        assert_eq!(count("if tid == 0 { sync } else { sync }"), 2);
        assert_eq!(count("forS x in 0..threadIdx.y { sync }"), 1);
        assert_eq!(count("let x = A[0] in if x == 0 { sync }"), 1);
        assert_eq!(count("let x = A[0] in forS x in 0..3 { if x == 0 { sync } }"), 0);
        assert_eq!(count("forS x in 0..3 { let x = A[0] in if x == 0 { sync } }"), 1);
        assert_eq!(count("forS x in 0..tid { forU y in 0..2 { sync } }; sync"), 1);
    }
}
