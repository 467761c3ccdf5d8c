//! Recursion that cannot overflow the stack.
//!
//! Programs made by unrolling are deep: a sequence of a hundred thousand statements is a tree of
//! that height. Every recursive function on trees runs its body through [`grow`]; comparing,
//! hashing and searching trees use a list of what is still to do.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;

/// Runs `f`, on a fresh piece of stack when little of the present one is left. It
/// [pauses](crate::budget::pause), so recursion ends with the time that it has.
pub fn grow<T>(f: impl FnOnce() -> T) -> T {
    crate::budget::pause();
    on_enough_stack(f)
}

/// [`grow`] for what must come to its end.
fn on_enough_stack<T>(f: impl FnOnce() -> T) -> T {
    /// What must be left: more than any of our functions needs between two calls of [`grow`].
    const RED_ZONE: usize = 128 * 1024;
    /// What is added.
    const PIECE: usize = 4 * 1024 * 1024;
    stacker::maybe_grow(RED_ZONE, PIECE, f)
}

/// Drops what `child` contains, when no one else holds it and it has children itself, with enough
/// stack; `leaf` is left in its place. To be called from `Drop`, whose generated part recurses
/// unprotected.
pub(crate) fn release<T>(child: &mut Arc<T>, is_leaf: impl FnOnce(&T) -> bool, leaf: T) {
    if !is_leaf(child)
        && let Some(content) = Arc::get_mut(child)
    {
        let content = std::mem::replace(content, leaf);
        on_enough_stack(|| drop(content));
    }
}

/// How children of tree nodes are written in JSON, for `#[serde(with = "deep::Child::<Num>")]`:
/// as themselves, with enough stack.
pub(crate) struct Child<T>(std::marker::PhantomData<T>);

impl<T: Serialize> Child<T> {
    pub(crate) fn serialize<S: Serializer>(child: &Arc<T>, s: S) -> Result<S::Ok, S::Error> {
        grow(|| child.as_ref().serialize(s))
    }
}

impl<T> Child<T> {
    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Arc<T>, D::Error>
    where
        T: Deserialize<'de>,
    {
        grow(|| T::deserialize(d)).map(Arc::new)
    }
}

#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> schemars::JsonSchema for Child<T> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> std::borrow::Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        T::json_schema(generator)
    }
}

/// Implements equality, order and hashing of a tree by its nodes in pre-order.
///
/// `$tree::parts(&self)` must give a node without its children, and the children; nodes that
/// compare equal must have equally many.
macro_rules! compare_in_preorder {
    ($tree:ty) => {
        impl PartialEq for $tree {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other).is_eq()
            }
        }

        impl Eq for $tree {}

        impl PartialOrd for $tree {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Ord for $tree {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                let mut pending = Vec::new();
                let mut next = Some((self.node(), other.node()));
                while let Some((left, right)) = next {
                    if !left.is_same(right) {
                        let ((l, lefts), (r, rights)) = (left.parts(), right.parts());
                        let ordering = l.cmp(&r);
                        if ordering.is_ne() {
                            return ordering;
                        }
                        let pairs = lefts.into_iter().zip(rights).rev();
                        pending.extend(pairs.filter_map(|(l, r)| Some((l?, r?))));
                    }
                    next = pending.pop();
                }
                std::cmp::Ordering::Equal
            }
        }

        impl std::hash::Hash for $tree {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                let mut pending = Vec::new();
                let mut next = Some(self.node());
                while let Some(node) = next {
                    let (head, children) = node.parts();
                    head.hash(state);
                    pending.extend(children.into_iter().rev().flatten());
                    next = pending.pop();
                }
            }
        }
    };
}
pub(crate) use compare_in_preorder;
