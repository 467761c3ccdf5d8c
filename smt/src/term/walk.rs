//! Traversals, without recursion.

use std::collections::{HashMap, HashSet};

use super::Term;
use babycuda_core::budget::pause;

/// Every distinct subterm of the roots, arguments before the terms that use them, in the order of
/// a left-to-right walk.
pub(crate) fn postorder<'a>(roots: impl IntoIterator<Item = &'a Term>) -> Vec<Term> {
    let mut seen: HashSet<&Term> = HashSet::new();
    let mut order = Vec::new();
    for root in roots {
        if !seen.insert(root) {
            continue;
        }
        let mut stack = vec![(root, 0)];
        while let Some((term, next)) = stack.pop() {
            pause();
            match term.args().get(next) {
                Some(arg) => {
                    stack.push((term, next + 1));
                    if seen.insert(arg) {
                        stack.push((arg, 0));
                    }
                }
                None => order.push(term.clone()),
            }
        }
    }
    order
}

/// Rebuilds a term bottom up: `step` gets each distinct subterm with its rebuilt arguments.
pub(super) fn rebuild<E>(
    root: &Term,
    mut step: impl FnMut(&Term, Vec<Term>) -> Result<Term, E>,
) -> Result<Term, E> {
    let mut done: HashMap<Term, Term> = HashMap::new();
    for term in postorder([root]) {
        let args = term.args().iter().map(|arg| done.get(arg).unwrap_or(arg).clone()).collect();
        let new = step(&term, args)?;
        done.insert(term, new);
    }
    Ok(done.remove(root).unwrap_or_else(|| root.clone()))
}
