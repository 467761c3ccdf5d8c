//! Barriers that all threads of a block reach together, whatever the data.

use babycuda_core::deep::grow;
use babycuda_core::name::reserved::is_private;
use babycuda_core::syntax::{Head, Tree};
use babycuda_core::{Name, Site, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// The barriers of `body` that may be reached by some threads of a block only: those below a guard
/// or in a loop that mentions a thread's own index, or what was read from memory. Where there are
/// none, no run diverges, racy or not.
pub fn nonuniform_barriers(body: &Stmt) -> Vec<Site> {
    let mut found = Vec::new();
    Checker { varying: BTreeMap::new(), found: &mut found }.stmt(body, true);
    found
}

struct Checker<'a> {
    /// Variables in scope that may differ between the threads of a block, with the number of
    /// their open binders; a binder of the other kind in between is entered as `false`.
    varying: BTreeMap<Name, Vec<bool>>,
    found: &'a mut Vec<Site>,
}

impl Checker<'_> {
    fn varies(&self, variables: &BTreeSet<Name>) -> bool {
        variables.iter().any(|x| match self.varying.get(x).and_then(|binders| binders.last()) {
            Some(varies) => *varies,
            None => is_private(x),
        })
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
        let together = together && !(decides && self.varies(&node.variables()));
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
