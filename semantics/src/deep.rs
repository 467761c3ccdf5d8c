//! Recursion that cannot overflow the stack.

/// Runs `f`, on a fresh piece of stack when little of the present one is left.
pub(crate) fn grow<T>(f: impl FnOnce() -> T) -> T {
    const RED_ZONE: usize = 128 * 1024;
    const PIECE: usize = 4 * 1024 * 1024;
    stacker::maybe_grow(RED_ZONE, PIECE, f)
}
