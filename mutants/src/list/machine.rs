//! Mutants of the virtual machine, interleavings and grids.

mutants! {
    "semantics/src/vm/arithmetic.rs", "the virtual machine" {
        "a selection exchanges its sides":
            "let (c, m, n) = (stack.pop()?, stack.pop()?, stack.pop()?);\n                if «c == 0»"
            => "c != 0";
        "truncated subtraction is the distance":
            "ArithOp::Sub => Some(«l.saturating_sub(r)»)," => "l.abs_diff(r)";
    }
    "semantics/src/vm/log.rs", "the virtual machine" {
        "a thread does not see its own writes":
            "if entry.atomic == NONE { «entry.written.as_ref()» } else { None }" => "None";
        "a read does not race with a write": "|| «writers.differs_from(readers)»" => "false";
        "an update by one thread is lost":
            "Some(atomics) => «atomics.view.clone()»,"
            => "{ let _ = atomics; self.states[entry.cell as usize].content.clone() }";
        "a write does not hide the updates before it": "«atomics.updates.clear();»" => "";
    }
    "semantics/src/vm/memory.rs", "the virtual machine" {
        "the values of a racy phase are not all known":
            "return Content::among(values, «true», first.to_natural());" => "false";
        "updates by any operators commute":
            "            «first.is_some_and(|op| op.commutes()) && operators.all(|op| Some(op) == first)»;"
            => "first.is_some_and(|op| op.commutes())";
    }
    "semantics/src/vm/alone.rs", "the virtual machine" {
        "a loop runs once too often":
            "let again = «value.compare(&self.machine.slots[counter + 1]).is_lt()»;"
            => "value.compare(&self.machine.slots[counter + 1]).is_le()";
    }
    "semantics/src/vm/machine.rs", "the virtual machine" {
        "threads at different barriers are together":
            "if other.is_none() && «place != first» {" => "place.is_some() != first.is_some()";
    }
    "semantics/src/vm/compile.rs", "the virtual machine" {
        "a variable is that of the outermost binder":
            "«self.scope.iter().rev().find(|(var, _)| *var == name)»"
            => "self.scope.iter().find(|(var, _)| *var == name)";
    }
    "semantics/src/interleavings/explore.rs", "interleavings" {
        "all steps are independent":
            "(Some((m, a)), Some((n, b))) => «a != b || (m, n) == (AccessMode::Rd, AccessMode::Rd)»,"
            => "{ let _ = (m, n, a, b); true }";
        "two writes of a cell are independent":
            "(Some((m, a)), Some((n, b))) => «a != b || (m, n) == (AccessMode::Rd, AccessMode::Rd)»,"
            => "a != b || m == n";
        "an update stores nothing":
            "«memory.insert(cell.clone(), update.apply(value));»" => "let _ = update;";
        "any barriers let threads pass":
            "let waits = |(next, ..): &State| «*next == Next::Barrier(site, scope)»;"
            => "{ let _ = site; matches!(next, Next::Barrier(..)) }";
        "the first of a group passes its barrier alone":
            "|| «!at.threads[group.clone()].iter().all(waits)»" => "{ let _ = waits; false }";
        "a barrier begins no new interval": "«at.intervals.push(Interval::new());»" => "";
        "every end is the end of all threads":
            "} else if «at.threads.iter().all(|(next, ..)| *next == Next::End)» {" => "true";
    }
    "semantics/src/interleavings/schedule.rs", "interleavings" {
        "nobody waits for a value":
            "None if «yields(*i).is_none_or(|value| values.contains(&value))» => -1,"
            => "{ let _ = (yields(*i), values); true }";
    }
    "semantics/src/orders.rs", "orders of updates" {
        "every update yields anything": "is_some_and(|(_, yielded)| «*yielded == value»)" => "{ let _ = yielded; true }";
        "the updates of a thread come in any order": "«made[i] += 1»;" => "made[i] += 2";
        "plain writes order nothing":
            "if «accesses.writes.contains_key(cell)» {" => "false";
        "cells of other blocks are this one's":
            "updated([phase]).into_iter().filter(«mine»)"
            => "{ let _ = mine; &(|_: &Cell| true) as &dyn Fn(&Cell) -> bool }";
    }
    "semantics/src/interleavings/step.rs", "interleavings" {
        "a loop makes steps of two":
            "lower: Num::Lit(«j.successor()»)," => "j.successor().successor()";
    }
    "semantics/src/grid.rs", "grids" {
        "threads of one block are of different blocks":
            "let apart = «first.0.block != second.0.block»;" => "true";
        "atomics of a block cover other blocks":
            "first.1.conflicts(second.1, «false»)" => "true";
        "blocks share their arrays":
            "program.array(&cell.array).is_some_and(|array| «array.space == Space::Global»);"
            => "{ let _ = array; true }";
        "a block does not race with the next one": "next = (i + 1, «i + 2»);" => "i + 3";
        "every block is the first": "instance.clone().with_block(«index»)" => "index * 0";
    }
}
