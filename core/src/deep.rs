//! Recursion that cannot overflow the stack.
//!
//! Programs made by unrolling are deep: a sequence of a hundred thousand statements is a tree of
//! that height. Every recursive function on trees runs its body through [`grow`].

/// Runs `f`, on a fresh piece of stack when little of the present one is left.
pub(crate) fn grow<T>(f: impl FnOnce() -> T) -> T {
    /// What must be left: more than any of our functions needs between two calls of [`grow`].
    const RED_ZONE: usize = 64 * 1024;
    /// What is added.
    const PIECE: usize = 2 * 1024 * 1024;
    stacker::maybe_grow(RED_ZONE, PIECE, f)
}
