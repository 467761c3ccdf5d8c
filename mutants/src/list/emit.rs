//! Mutants of texts that programs are printed as.

mutants! {
    "gpu/src/emit/expr.rs", "printed programs" {
        "a cast is not printed":
            "None => «self.language.convert(&value, Domain::Machine(*to))»,"
            => "Value { domain: Domain::Machine(*to), ..value }";
        "a conversion to a wider type extends the sign":
            "true => «self.language.convert(value, patterns(value.domain))»,\n            false => value.clone(),\n        };\n        self.language.convert(&value, domain)"
            => "value.clone()";
        "signed integers are compared as patterns":
            "Some(t) => {\n                let domain = «Domain::Machine(t)»;"
            => "Domain::Machine(IntType { signed: false, ..t })";
    }
    "gpu/src/emit/value.rs", "printed programs" {
        "a right operand needs no parentheses":
            "let r = «operand(&right.text, right.level, operator, false)»;" => "right.text.clone()";
        "a left operand needs no parentheses":
            "let l = «operand(&left.text, left.level, operator, true)»;" => "left.text.clone()";
        "a negation binds what follows it only":
            "let inner = «operand(&self.text, self.level, \"!\", false)»;" => "self.text.clone()";
    }
    "gpu/src/emit/body.rs", "printed programs" {
        "a barrier is not printed":
            "«self.placed(self.exprs.language.barrier(), *site);»" => "let _ = site;";
        "a barrier of a group is not recorded": "«this.line(&format!(\"{record};\"));»" => "";
        "a barrier of a group is not printed": "self.placed(&«text», site);\n        self.pass" => "String::new()";
        "an else side has the condition of its then side":
            "language.guard(&«printed.negated()».text)" => "printed.clone()";
        "a variable stands for itself behind its scope": "«binders.pop();»" => "";
        "every loop starts from 0":
            "let lower = «self.exprs.passed(&lower, Domain::Natural)»;"
            => "{ let _ = lower; \"0\".to_owned() }";
    }
    "gpu/src/emit/monitor/table.rs", "monitored programs" {
        "a step of a machine leads elsewhere":
            "if same { KEEP } else { «next as u8» }"
            => "if state == 3 && number == 7 { machine.race() as u8 } else { next as u8 }";
        "every step that leaves the state leaves the word":
            "let same = «next == state && room.contains(&number)»;" => "next == state";
    }
    "gpu/src/emit/monitor/mod.rs", "monitored programs" {
        "a barrier of a warp is one of the block":
            "BarrierScope::Tile(_) | BarrierScope::Warp => «\"pass_warp\"»," => "\"pass_block\"";
        "a barrier of some lanes is one of their warp":
            "BarrierScope::Tile(threads) if threads < self.warp => «\"pass_some\"»," => "\"pass_warp\"";
        "atomics of a block never race": "AccessMode::At(Scope::Block) => «space == Space::Shared»," => "true";
        "arrays that are written are not watched":
            "match «modes().all(|mode| mode == AccessMode::Rd)» || modes()" => "modes().all(|mode| mode != AccessMode::At(Scope::Block))";
    }
    "gpu/src/emit/c/monitor.h", "monitored programs" {
        "a barrier of the block is not counted": "«monitor->block_clock += 1;»" => "";
        "a barrier of the warp is not counted": "«monitor->warp_clock += 1;»" => "";
        "a clock of a block that is full is not told":
            "monitor->global_blind & 3u | («monitor->block_clock > GLOBAL_BLOCK_CLOCK» ? 1u : 0u);" => "false";
    }
    "gpu/src/emit/c/watch.h", "monitored programs" {
        "a barrier of a warp orders nothing": "(«OTHER_WARP_CLOCK && relation < 2u») ? 1u" => "false";
        "an access beyond an array is made": "if («index >= cells») {" => "false";
    }
    "gpu/src/emit/wgsl/watch.wgsl", "monitored programs" {
        "a step that another thread overtakes is forgotten": "«        old = seen.old_value;»" => "        return true;";
    }
    "gpu/src/emit/c/mod.rs", "printed programs" {
        "a tile waits for its warp": "let (lanes, first) = («(1u64 << size) - 1», WARP" => "0xffff_ffffu64";
    }
    "gpu/src/emit/uniform.rs", "printed programs" {
        "parts of a group are groups": "&& «threads % size == 0» && self.is_index(l)" => "true";
        "a group is a line in every block":
            "|| «self.group.is_some_and(|(_, line)| line)» && x.as_str()" => "true";
    }
    "gpu/src/emit/update.rs", "printed programs" {
        "an update is a plain read":
            "self.placed(&language.constant(&name, array.element, &«call»), site);"
            => "{ let _ = call; language.read(&array, &cell) }";
        "a compare-and-swap always swaps":
            "return «exprs.choose(&equal, m, old)»;" => "{ let _ = equal; m.clone() }";
    }
    "gpu/src/emit/header.rs", "printed programs" {
        "threads read shared arrays while they are filled":
            "self.block(&head, |this| filled.iter().try_for_each(|(a, c)| this.fill(a, c)))?;\n        «self.line(language.barrier());»"
            => "";
    }
    "gpu/src/emit/c/atomics.rs", "printed programs" {
        "an update for a block is one for the device": "Scope::Block => «\"_block\"»," => "\"\"";
        "an update for the device is one for a block": "Scope::Device => «\"\"»," => "\"_block\"";
        "signed integers are ordered as patterns":
            "«element»,\n    }\n}\n\n/// CUDA's spelling" => "patterns(element)";
    }
    "gpu/src/emit/c/helpers.rs", "printed programs" {
        "a signed remainder by zero is zero":
            "MachineOp::Rem if t.signed => {\n            «format!(\"b == 0 ? a : b == -1 ? ({value})0 : ({value})(a % b)\")»"
            => "format!(\"b == 0 ? ({value})0 : b == -1 ? ({value})0 : ({value})(a % b)\")";
        "a shift to the right fills with zeros":
            "let sign = «format!(\"({value})(a < 0 ? -1 : 0)\")»;" => "\"0\".to_owned()";
        "truncated subtraction wraps around":
            "None => «\"a > b ? a - b : 0\"».to_owned()," => "\"a - b\"";
    }
    "gpu/src/emit/c/kernel.rs", "printed programs" {
        "an array that the program writes is not volatile":
            "arguments.push(«format!(\"{global}{constant}{volatile}{element} *{}\", array.text)»);"
            => "format!(\"{global}{constant}{element} *{}\", array.text)";
        "a shared array is not volatile":
            "Some(«format!(\"__shared__ volatile {element} {}[{}];\", array.text, length.max(1))»)"
            => "format!(\"__shared__ {element} {}[{}];\", array.text, length.max(1))";
    }
}
