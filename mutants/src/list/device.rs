//! Mutants of the simulated device.

mutants! {
    "gpu/src/sim/thread.rs", "the simulator" {
        "not a is 1 - a":
            "self.set(to, «(self.get(from) == 0).into()»)," => "1u64.wrapping_sub(self.get(from))";
        "a branch is taken when its condition does not hold":
            "self.pc = if «self.get(condition) == 0» {" => "self.get(condition) != 0";
        "a selection exchanges its sides":
            "let chosen = if «self.get(condition) != 0» {" => "self.get(condition) == 0";
        "a condition is the lowest bit":
            "let chosen = if «self.get(condition) != 0» {" => "self.get(condition) % 2 == 1";
        "the log has values for indices":
            "[self.pc as u64 | u64::from(self.phase) << 32, «index», value]" => "value";
        "a barrier begins no new phase": "«self.phase += 1;»" => "";
        "an update yields what it stored":
            "self.mark(overflowed);\n                self.set(to, «old»);" => "new";
        "the last overflow is reported": "if overflowed && «self.overflow == 0» {" => "true";
        "a write is logged and not made":
            "self.log(index, value, memory);\n                «memory.cells[cell] = value;»" => "";
    }
    "gpu/src/sim/machine.rs", "the simulator" {
        "threads at different barriers are together":
            "stops.all(|stop| «stop == first»)" => "matches!(stop, Some(Stop::Barrier(_)))";
    }
    "gpu/src/batch.rs", "the packer of images" {
        "every block of a grid has global cells of its own":
            "Some(first) if «is_common(array)» =>" => "is_common(array) && number == 0";
    }
    "gpu/src/bytecode/arithmetic.rs", "arithmetic of devices" {
        "an increment wraps one later":
            "AtomicOp::Inc => fits(if «old >= operand» {" => "old > operand";
        "a decrement stays above its bound":
            "AtomicOp::Dec => fits(if «old == 0 || old > operand» {" => "old == 0";
        "a compare-and-swap always swaps":
            "AtomicOp::Cas => fits(if «old == expected» {" => "{ let _ = expected; true }";
        "truncated subtraction wraps around":
            "ArithOp::Sub => fits(«left.saturating_sub(right)»)," => "left.wrapping_sub(right)";
        "n % 0 = 0": "fits(left.checked_rem(right).unwrap_or(«left»))," => "0";
        "machine integers are compared as patterns":
            "Some(t) => «t.read(left).cmp(&t.read(right))»," => "{ let _ = t; left.cmp(&right) }";
        "a sum that does not fit is not marked":
            "ArithOp::Add => «left.overflowing_add(right)»," => "fits(left.wrapping_add(right))";
    }
}
