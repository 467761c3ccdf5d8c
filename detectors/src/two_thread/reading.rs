//! What the paper leaves open or says in a way that does not hold, each with what can be done about it.

/// A way to read the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// What tells two threads apart.
    pub threads: Threads,
    /// Which pairs of statements may meet.
    pub intervals: Intervals,
    /// What a read of an array yields.
    pub arrays: Arrays,
    /// What a variable holds that a loop assigns.
    pub loops: Loops,
    /// Which iterations of a loop two threads are in at a barrier.
    pub barriers: Barriers,
}

/// What tells two threads apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// `tid_i != tid_j`, and nothing of their blocks, which `ThreadIFY` copies as it does all variables that
    /// are "not global or shared" (§5.1).
    Printed,
    /// They differ in block or index; in a block's own arrays they are of one block.
    Identity,
}

/// Which pairs of statements may meet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Intervals {
    /// All: neither Algorithm 1 nor Φ has a condition on barriers.
    Printed,
    /// Those in one barrier interval, or of two blocks: as the definition of a race in §5.1 has it.
    Same,
}

/// What a read of an array yields.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrays {
    /// One array in SSA form for both threads: `ThreadIFY` leaves alone what is global or shared (§5.1). So
    /// both threads say what `A2` is.
    Shared,
    /// One for each thread, from one beginning: a thread sees what it wrote itself.
    Own,
    /// Any value, where the kernel writes the array.
    Unknown,
}

/// What a variable holds that a loop assigns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Loops {
    /// In the arbitrary iteration, what it held before the loop; behind it, what that iteration made of it
    /// (§4.1, "For Loop").
    Printed,
    /// Any value.
    Unknown,
}

/// Which iterations of a loop two threads are in at a barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Barriers {
    /// Any two: Ψ has no condition on the counters (§5.2).
    Printed,
    /// The same one.
    SameIteration,
}

impl Reading {
    /// The paper to the letter.
    pub const PRINTED: Reading = Reading {
        threads: Threads::Printed,
        intervals: Intervals::Printed,
        arrays: Arrays::Shared,
        loops: Loops::Printed,
        barriers: Barriers::Printed,
    };

    /// What it needs to miss no race that its formulae can express. Where a loop has a barrier under a
    /// condition, iterations at both sides of it are not told apart: alarms may be false there.
    pub const REPAIRED: Reading = Reading {
        threads: Threads::Identity,
        intervals: Intervals::Same,
        arrays: Arrays::Unknown,
        loops: Loops::Unknown,
        barriers: Barriers::SameIteration,
    };
}
