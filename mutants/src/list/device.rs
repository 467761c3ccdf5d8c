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
        "a barrier begins no new phase": "_ => «self.phase += 1»," => "{}";
        "a barrier of a group is not logged": "=> «self.log(0, 0, memory)»," => "{}";
        "an update yields what it stored":
            "self.mark(overflowed);\n                self.set(to, «old»);" => "new";
        "the last overflow is reported": "if overflowed && «self.overflow == 0» {" => "true";
        "a write is logged and not made":
            "self.log(index, value, memory);\n                «memory.cells[cell] = value;»" => "";
    }
    "gpu/src/sim/machine.rs", "the simulator" {
        "threads at different barriers are together":
            ".all(|other| «other.stop == stop»)" => "matches!(other.stop, Some(Stop::Barrier(..)))";
        "a group waits for the whole block":
            "self.launch.group(«scope», Index {" => "scope.max(BarrierScope::Block)";
        "a group waits for nobody":
            "let members = «group.first as usize..group.end as usize»;" => "thread..thread + 1";
        "every warp has 32 threads": "Launch { warp: «header[WARP]», .." => "32";
        "all strides begin with one thread":
            "«lane.wrapping_mul(by).wrapping_add(first)» % lanes" => "lane.wrapping_mul(by)";
    }
    "gpu/src/sim/mod.rs", "the simulator" {
        "blocks do not wait for each other":
            "if barrier.is_some() && «waiting.iter().filter(|m| meets(m)).count() == blocks» {" => "true";
    }
    "gpu/src/report.rs", "reports of devices" {
        "stages are missing": "Step::Passed(group) => «phase.pass(group.first, group.end)»," => "{}";
    }
    "gpu/src/report/steps.rs", "reports of devices" {
        "a barrier comes after the access behind it":
            "|next| «next.after as usize»);" => "next.after as usize + 1";
    }
    "gpu/src/decode.rs", "reports of devices" {
        "the group of the widest scope diverges":
            "«waiting().map(|(i, (scope, _))| (scope, i)).min()» else {"
            => "waiting().map(|(i, (scope, _))| (scope, i)).max()";
    }
    "gpu/src/bytecode/encode.rs", "bytecode" {
        "every tile has one thread":
            "(scope::TILE, «threads.checked_ilog2().unwrap_or(0)»)," => "threads & 0";
    }
    "gpu/src/bytecode/verify.rs", "bytecode" {
        "a barrier may have two scopes":
            "if «*scopes.entry(barrier).or_insert(scope) != scope» {" => "scopes.is_empty()";
    }
    "gpu/src/batch.rs", "the packer of images" {
        "every block of a grid has global cells of its own":
            "Some(first) if «is_common(array)» =>" => "is_common(array) && number == 0";
        "every warp has 32 threads":
            "(header::WARP, «job.block().launch.warp.max(1)»)," => "32";
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
