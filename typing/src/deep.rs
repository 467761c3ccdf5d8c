//! Recursion that cannot overflow the stack: programs made by unrolling are as deep as they are
//! long. Every recursive function on statements and protocols runs its body through [`grow`].

/// Runs `f`, on a fresh piece of stack when little of the present one is left.
pub(crate) fn grow<T>(f: impl FnOnce() -> T) -> T {
    /// What must be left: more than any of our functions needs between two calls.
    const RED_ZONE: usize = 64 * 1024;
    /// What is added.
    const PIECE: usize = 2 * 1024 * 1024;
    stacker::maybe_grow(RED_ZONE, PIECE, f)
}
