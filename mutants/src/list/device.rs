//! Mutants of the simulated device.

use crate::mutant::Mutant;

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    sim(
        "not a is 1 - a",
        "self.set(to, «(self.get(from) == 0).into()»),",
        "1u64.wrapping_sub(self.get(from))",
    ),
    sim(
        "a branch is taken when its condition does not hold",
        "self.pc = if «self.get(condition) == 0» {",
        "self.get(condition) != 0",
    ),
    sim(
        "a selection exchanges its sides",
        "let chosen = if «self.get(condition) != 0» {",
        "self.get(condition) == 0",
    ),
    sim(
        "a condition is the lowest bit",
        "let chosen = if «self.get(condition) != 0» {",
        "self.get(condition) % 2 == 1",
    ),
    sim(
        "the log has values for indices",
        "[self.pc as u64 | u64::from(self.phase) << 32, «index», value]",
        "value",
    ),
    sim("a barrier begins no new phase", "«self.phase += 1;»", ""),
    sim(
        "an update yields what it stored",
        "self.mark(overflowed);\n                self.set(to, «old»);",
        "new",
    ),
    sim("the last overflow is reported", "if overflowed && «self.overflow == 0» {", "true"),
    sim(
        "a write is logged and not made",
        "self.log(index, value, memory);\n                «memory.cells[cell] = value;»",
        "",
    ),
    block(
        "threads at different barriers are together",
        "stops.all(|stop| «stop == first»)",
        "matches!(stop, Some(Stop::Barrier(_)))",
    ),
    arithmetic(
        "an increment wraps one later",
        "AtomicOp::Inc => fits(if «old >= operand» {",
        "old > operand",
    ),
    arithmetic(
        "a decrement stays above its bound",
        "AtomicOp::Dec => fits(if «old == 0 || old > operand» {",
        "old == 0",
    ),
    arithmetic(
        "a compare-and-swap always swaps",
        "AtomicOp::Cas => fits(if «old == expected» {",
        "{ let _ = expected; true }",
    ),
    arithmetic(
        "truncated subtraction wraps around",
        "ArithOp::Sub => fits(«left.saturating_sub(right)»),",
        "left.wrapping_sub(right)",
    ),
    arithmetic("n % 0 = 0", "fits(left.checked_rem(right).unwrap_or(«left»)),", "0"),
    arithmetic(
        "machine integers are compared as patterns",
        "Some(t) => «t.read(left).cmp(&t.read(right))»,",
        "{ let _ = t; left.cmp(&right) }",
    ),
    arithmetic(
        "a sum that does not fit is not marked",
        "ArithOp::Add => «left.overflowing_add(right)»,",
        "fits(left.wrapping_add(right))",
    ),
];

const fn sim(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/sim/thread.rs", "the simulator", name, place, to)
}

const fn block(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/sim/machine.rs", "the simulator", name, place, to)
}

const fn arithmetic(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("gpu/src/bytecode/arithmetic.rs", "arithmetic of devices", name, place, to)
}
