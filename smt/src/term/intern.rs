//! The table that makes structurally equal terms one node.

use std::{
    collections::{HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak},
};

use super::{Op, Term};
use crate::sort::Sort;
use babycuda_core::budget::pause;

/// What a term points to.
pub(super) struct Node {
    pub(super) op: Op,
    pub(super) args: Vec<Term>,
    pub(super) sort: Sort,
    /// A function of the structure alone, hence the same in every run.
    pub(super) hash: u64,
}

type Shard = HashMap<u64, Vec<Weak<Node>>>;

const SHARDS: usize = 16;

static TABLE: LazyLock<[Mutex<Shard>; SHARDS]> = LazyLock::new(Default::default);

fn shard(hash: u64) -> MutexGuard<'static, Shard> {
    let index = (hash >> 60) as usize % SHARDS;
    // A thread that panicked while it held the lock left at worst a dead entry behind.
    TABLE[index].lock().unwrap_or_else(PoisonError::into_inner)
}

impl Term {
    /// The one node with this head and these arguments.
    pub(super) fn node(op: Op, args: Vec<Term>, sort: Sort) -> Term {
        pause();
        let mut hasher = DefaultHasher::new();
        (&op, &args, sort).hash(&mut hasher);
        let hash = hasher.finish();
        // Nodes that share the hash by accident: kept alive until the lock is released, because
        // dropping the last reference to a node takes the lock.
        let mut collisions = Vec::new();
        let mut table = shard(hash);
        let bucket = table.entry(hash).or_default();
        for weak in bucket.iter() {
            if let Some(node) = weak.upgrade() {
                if node.sort == sort && node.op == op && node.args == args {
                    drop(table);
                    return Term(node);
                }
                collisions.push(node);
            }
        }
        let node = Arc::new(Node { op, args, sort, hash });
        bucket.push(Arc::downgrade(&node));
        drop(table);
        Term(node)
    }
}

/// Takes the node out of the table, and its arguments apart without recursion: a term may be
/// deeper than the stack.
impl Drop for Node {
    fn drop(&mut self) {
        let mut table = shard(self.hash);
        if let Some(bucket) = table.get_mut(&self.hash) {
            bucket.retain(|weak| weak.strong_count() > 0);
            if bucket.is_empty() {
                table.remove(&self.hash);
            }
        }
        drop(table);
        let mut doomed = std::mem::take(&mut self.args);
        while let Some(term) = doomed.pop() {
            if let Some(mut node) = Arc::into_inner(term.0) {
                doomed.append(&mut node.args);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_structure_is_one_node_and_dead_nodes_leave_the_table() {
        let name = "intern_test_constant";
        let first = Term::constant(name, Sort::Int);
        let second = Term::constant(name, Sort::Int);
        assert!(Arc::ptr_eq(&first.0, &second.0));
        let hash = first.0.hash;
        assert!(shard(hash).contains_key(&hash));
        drop((first, second));
        assert!(!shard(hash).contains_key(&hash));
    }

    #[test]
    fn a_million_levels_are_built_and_dropped_without_recursion() {
        let x = Term::constant("deep", Sort::Int);
        let mut term = x.clone();
        for _ in 0..1_000_000 {
            term = term.add(&x).unwrap();
        }
        assert_eq!(term.dag_size(), 1_000_001);
    }

    #[test]
    fn threads_agree_on_one_node() {
        let terms: Vec<Term> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let mut last = Term::int(0);
                        for i in 0..2_000 {
                            let x = Term::constant(format!("t{}", i % 7), Sort::Int);
                            last = x.add(&Term::int(i % 5)).unwrap();
                        }
                        last
                    })
                })
                .collect();
            workers.into_iter().map(|w| w.join().unwrap()).collect()
        });
        assert!(terms.windows(2).all(|pair| pair[0] == pair[1]));
    }
}
