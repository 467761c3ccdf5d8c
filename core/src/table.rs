//! Statements, protocols and derivations as tables, for JSON.
//!
//! The parts of one program stand in thousands of places of its derivation. In a table each
//! different part stands once, children before parents, and parts refer to their children by
//! position; so a document is as long as what it says, and nests no deeper than its expressions.

use crate::syntax::Tree;
use serde::{Deserialize, Serialize};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

/// A node: itself with `skip` for every child, and where its children stand.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Entry<T> {
    /// The node, with `skip` for every child.
    pub node: T,
    /// The positions of its children: smaller than its own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<usize>,
}

/// A table under construction.
#[derive(Debug)]
pub struct Table<T> {
    entries: Vec<Entry<T>>,
    known: HashMap<Entry<T>, usize>,
    /// Where objects stand that were entered before; `kept` keeps them alive.
    places: HashMap<*const T, usize>,
    kept: Vec<Arc<T>>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        let (entries, kept) = (Vec::new(), Vec::new());
        Table { entries, known: HashMap::new(), places: HashMap::new(), kept }
    }
}

impl<T: Tree> Table<T> {
    /// Enters the tree; where it stands.
    pub fn enter(&mut self, tree: &Arc<T>) -> usize {
        self.kept.push(tree.clone());
        // A node is met a second time when its children are entered.
        let mut pending = vec![(tree, false)];
        while let Some((node, ready)) = pending.pop() {
            if self.places.contains_key(&Arc::as_ptr(node)) {
                continue;
            }
            let children: Vec<_> = node.view().children.into_iter().flatten().collect();
            if ready {
                // Proof: they were pushed after their parent, so they were popped before.
                let children: Vec<usize> =
                    children.iter().map(|child| self.places[&Arc::as_ptr(child)]).collect();
                let leaf = Arc::new(T::SKIP);
                let entry = Entry { node: node.map_children(|_| leaf.clone()), children };
                let place = *self.known.entry(entry).or_insert_with_key(|entry| {
                    self.entries.push(entry.clone());
                    self.entries.len() - 1
                });
                self.places.insert(Arc::as_ptr(node), place);
            } else {
                pending.push((node, true));
                pending.extend(children.into_iter().rev().map(|child| (child, false)));
            }
        }
        self.places[&Arc::as_ptr(tree)]
    }

    /// The table.
    pub fn entries(self) -> Vec<Entry<T>> {
        self.entries
    }
}

/// Why entries are no table, or rows no derivation.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A row refers to something that the document does not contain, or not before it.
    #[error("there is no {0} number {1} before it is referred to")]
    Missing(&'static str, usize),
    /// A node that no other node has as a premise, or that several have where each has its own.
    #[error("node {0} is no premise of another node, or of several")]
    Unused(usize),
    /// No node.
    #[error("there is no node")]
    Empty,
    /// All judgments together speak of too much.
    #[error("the trees that all nodes refer to are too large to be checked")]
    Large,
    /// Not as many children as the node has, or one that does not stand before it, or something
    /// other than `skip` in the place of a child.
    #[error("entry {0} is not a node with children that stand before it")]
    Entry(usize),
    /// The tree is too large.
    #[error("entry {0} stands for a tree of more than {LARGEST} nodes")]
    Size(usize),
}

/// The largest tree that is read: sharing makes trees of any size out of few entries.
pub const LARGEST: u64 = 1 << 24;

/// Nodes of trees that all rows together may refer to.
const MAX_SPOKEN: u64 = 1 << 30;

/// The trees of a table that the rows of a derivation refer to.
#[derive(Debug)]
pub struct Trees<T> {
    what: &'static str,
    trees: Vec<(Arc<T>, u64)>,
    /// How many nodes the rows may still refer to, all together: no checker should walk more.
    room: Cell<u64>,
}

impl<T: Tree> Trees<T> {
    /// Reads a table of `what`.
    ///
    /// # Errors
    /// [`TableError`] names the first wrong entry.
    pub fn new(what: &'static str, entries: Vec<Entry<T>>) -> Result<Trees<T>, TableError> {
        Ok(Trees { what, trees: read(entries)?, room: Cell::new(MAX_SPOKEN) })
    }

    /// The tree at a place.
    ///
    /// # Errors
    /// [`TableError`] when there is none, or when all that were asked for are too large together.
    pub fn get(&self, place: usize) -> Result<Arc<T>, TableError> {
        let (tree, size) = self.trees.get(place).ok_or(TableError::Missing(self.what, place))?;
        self.room.set(self.room.get().checked_sub(*size).ok_or(TableError::Large)?);
        Ok(tree.clone())
    }
}

/// The nodes of a derivation that is read row by row, premises before conclusions, the root last.
#[derive(Debug)]
pub struct Nodes<D>(Vec<(Option<D>, bool)>);

impl<D> Default for Nodes<D> {
    fn default() -> Nodes<D> {
        Nodes(Vec::new())
    }
}

impl<D> Nodes<D> {
    /// Adds the next node.
    pub fn push(&mut self, node: D) {
        self.0.push((Some(node), false));
    }

    /// A node, which no other has as a premise.
    ///
    /// # Errors
    /// [`TableError`] when it does not stand before, or another has it.
    pub fn take(&mut self, place: usize) -> Result<D, TableError> {
        let (node, used) = self.0.get_mut(place).ok_or(TableError::Missing("node", place))?;
        *used = true;
        node.take().ok_or(TableError::Unused(place))
    }

    /// A node, which others may have too.
    ///
    /// # Errors
    /// [`TableError`] when it does not stand before.
    pub fn share(&mut self, place: usize) -> Result<D, TableError>
    where
        D: Clone,
    {
        let node = self.take(place)?;
        self.0[place].0 = Some(node.clone());
        Ok(node)
    }

    /// The root: the last node. All others must be premises.
    ///
    /// # Errors
    /// [`TableError`] when there is no node, or one that is no premise.
    pub fn root(mut self) -> Result<D, TableError> {
        let root = self.0.pop().and_then(|(root, _)| root).ok_or(TableError::Empty)?;
        match self.0.iter().position(|(_, used)| !used) {
            Some(place) => Err(TableError::Unused(place)),
            None => Ok(root),
        }
    }
}

/// Writes each node once, premises before conclusions: `write` gets it with the places of its
/// `premises`, which are the numbers of the calls that wrote them, from 0.
pub fn write_rows<'a, N>(
    root: &'a N,
    premises: impl Fn(&'a N) -> Vec<&'a N>,
    mut write: impl FnMut(&'a N, Vec<usize>),
) {
    let mut places: HashMap<*const N, usize> = HashMap::new();
    // A node is met a second time when its premises are written.
    let mut pending = vec![(root, false)];
    while let Some((node, ready)) = pending.pop() {
        if places.contains_key(&std::ptr::from_ref(node)) {
            continue;
        }
        let premises = premises(node);
        if ready {
            // Proof: they were pushed after the node, so they were popped, and written, before.
            write(node, premises.iter().map(|p| places[&std::ptr::from_ref(*p)]).collect());
            places.insert(node, places.len());
        } else {
            pending.push((node, true));
            pending.extend(premises.into_iter().rev().map(|premise| (premise, false)));
        }
    }
}

/// Writes and reads a derivation in JSON as a form of it, which is made `From` it and from which
/// it is made by `TryFrom`.
#[macro_export]
macro_rules! written_as {
    ($derivation:ty, $form:ty) => {
        impl serde::Serialize for $derivation {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                <$form>::from(self).serialize(serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $derivation {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                <$form as serde::Deserialize>::deserialize(deserializer)?
                    .try_into()
                    .map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $derivation {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                <$form>::schema_name()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                <$form>::json_schema(generator)
            }
        }
    };
}

/// The trees of a table, each with its number of nodes.
fn read<T: Tree>(entries: Vec<Entry<T>>) -> Result<Vec<(Arc<T>, u64)>, TableError> {
    let mut read: Vec<(Arc<T>, u64)> = Vec::with_capacity(entries.len());
    for (place, Entry { node, children }) in entries.into_iter().enumerate() {
        let leaves: Vec<_> = node.view().children.into_iter().flatten().collect();
        if leaves.len() != children.len() || leaves.iter().any(|leaf| ***leaf != T::SKIP) {
            return Err(TableError::Entry(place));
        }
        let found = children.iter().map(|child| read.get(*child).cloned());
        let found: Vec<_> = found.collect::<Option<_>>().ok_or(TableError::Entry(place))?;
        let size = found.iter().fold(1u64, |sum, (_, size)| sum.saturating_add(*size));
        if size > LARGEST {
            return Err(TableError::Size(place));
        }
        let mut found = found.into_iter().map(|(child, _)| child);
        let tree = node.map_children(|leaf| found.next().unwrap_or_else(|| leaf.clone()));
        read.push((Arc::new(tree), size));
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse_stmt;
    use crate::syntax::Stmt;

    fn statement(text: &str) -> Arc<Stmt> {
        Arc::new(parse_stmt(text).unwrap_or_else(|e| panic!("{text}: {e}")))
    }

    #[test]
    fn equal_parts_stand_once_and_are_read_back() {
        let tree = Arc::new(Stmt::Seq(statement("A[0] := 1"), statement("A[0] := 1")));
        let mut table = Table::default();
        assert_eq!(table.enter(&tree), 1);
        assert_eq!(table.enter(&statement("A[0] := 1")), 0);
        let entries = table.entries();
        assert_eq!(entries.len(), 2);
        let read = read(entries).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((&read[1].0, read[1].1), (&tree, 3));
    }

    /// Rows that refer to one tree again and again have more nodes than any checker should walk.
    #[test]
    fn all_rows_together_speak_of_so_many_nodes() {
        let mut entries = vec![Entry { node: Stmt::Skip, children: Vec::new() }];
        entries.extend(
            (0..19)
                .map(|i| Entry { node: Stmt::seq(Stmt::Skip, Stmt::Skip), children: vec![i, i] }),
        );
        let trees = Trees::new("statement", entries).unwrap_or_else(|e| panic!("{e}"));
        // Its tree has 2^20 - 1 nodes: after 1024 of them there is room for 1024 nodes more.
        for _ in 0..1024 {
            assert!(trees.get(19).is_ok());
        }
        assert_eq!(trees.get(19), Err(TableError::Large));
        assert!(trees.get(0).is_ok());
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let skip = || Entry { node: Stmt::Skip, children: Vec::new() };
        let seq = |first, second| Entry {
            node: Stmt::seq(Stmt::Skip, Stmt::Skip),
            children: vec![first, second],
        };
        assert_eq!(read(vec![seq(0, 0)]), Err(TableError::Entry(0)));
        assert_eq!(read(vec![skip(), seq(0, 1)]), Err(TableError::Entry(1)));
        assert_eq!(read(vec![skip(), seq(0, 9)]), Err(TableError::Entry(1)));
        let missing = Entry { node: Stmt::seq(Stmt::Skip, Stmt::Skip), children: vec![0] };
        assert_eq!(read(vec![skip(), missing]), Err(TableError::Entry(1)));
        let full = Entry { node: Stmt::seq(Stmt::sync(), Stmt::Skip), children: vec![0, 0] };
        assert_eq!(read(vec![skip(), full]), Err(TableError::Entry(1)));
        let doubling = std::iter::once(skip()).chain((0..64).map(|i| seq(i, i)));
        assert!(matches!(read(doubling.collect()), Err(TableError::Size(_))));
    }
}
