//! Mutants of the checker of runs.

mutants! {
    "semantics/src/check/premises.rs", "derivations" {
        "any value is the last one written":
            "if «said == cell && held.contains(value)» =>" => "said == cell";
        "a premise about a thread may be in another history":
            "if «same_history(history, place.history)»\n                    && *thread == place.thread\n                    && same(a, before)\n                    && program.is(b) =>"
            => "true";
        "a premise about a thread may be about another one":
            "&& «*thread == place.thread»\n                    && same(a, before)\n                    && program.is(b) =>"
            => "true";
        "a premise about a thread may start from other accesses":
            "&& «same(a, before)»\n                    && program.is(b) =>" => "true";
        "a premise about a thread may be about another program": "&& «program.is(b)» =>" => "true";
        "a premise up to a barrier may be in another history":
            "if «same_history(history, place.history)»\n                && *thread == place.thread\n                && same(a, before)\n                && program.is(k) =>"
            => "true";
        "a premise up to a barrier may be about another thread":
            "&& «*thread == place.thread»\n                && same(a, before)\n                && program.is(k) =>"
            => "true";
        "a premise up to a barrier may start from other accesses":
            "&& «same(a, before)»\n                && program.is(k) =>" => "true";
        "a premise up to a barrier may be about another program": "&& «program.is(k)» =>" => "true";
        "the value of an update may be that of another cell":
            "Some(Premise::Chosen { cell: Some(said), value }) if «said == cell» =>" => "true";
        "premises too many are accepted":
            "Some(_) => «Err(Fault::conclusion(\"the rule has fewer premises\"))»," => "Ok(())";
        "a value may be that of another expression":
            "if «expression == n && value == k» =>" => "value == k";
        "an expression may have any value":
            "if «expression == n && value == k» =>" => "expression == n";
        "a condition may have any truth":
            "let holds = «c.value() == Ok(value)»;" => "c.value().is_ok()";
        "a truth may be that of another condition":
            "if «holds && condition == c && *said == value» =>" => "holds && *said == value";
        "a truth may be said to be the other":
            "if «holds && condition == c && *said == value» =>" => "holds && condition == c";
        "a loop may end or go on at any time":
            "«self.truth(3, &test, true)?;»" => "let _ = (self.rest.next(), test);";
        "what was read may be of another cell":
            "if «said == cell && held.contains(value)» =>" => "held.contains(value)";
    }
    "semantics/src/check/blocks.rs", "derivations" {
        "any history follows from the threads' results":
            "match «**after == older.push(merged)» {" => "{ let _ = merged; true }";
        "threads may diverge where they never stopped":
            "if «!places || divergence.first.1 == divergence.second.1» {"
            => "divergence.first.1 == divergence.second.1";
        "a block may start with any code":
            "*thread == i && «Code::Instance(program, block.values(i)).is(code)»" => "true";
        "a run may be of fewer threads":
            "let right_threads = «start.remaining.len() as u64 == block.len()»;" => "true";
        "a block may start in another history":
            "right_code && «same_history(&start.before, before)» &&" => "true";
        "a run may end otherwise than its block":
            "&& «same_ending(&start.ending, ending)» {" => "true";
        "an ending may be of another history":
            "«same_history(&a.history, &b.history)» && a.divergence" => "true";
        "an ending may diverge otherwise": "&& «a.divergence == b.divergence»" => "true";
        "a thread may be in a block twice":
            "if «!remaining.is_sorted_by(|(i, _), (j, _)| i < j)» {"
            => "!remaining.is_sorted_by(|(i, _), (j, _)| i <= j)";
        "a block may end at a barrier":
            "if «!stops.of.iter().all(|(_, stop)| **stop == Stop::Done)» {" => "false";
        "a block may end in any history":
            "match «*ending.history == *history» && ending.divergence.is_none() {" => "true";
        "a block that ends may diverge":
            "match *ending.history == *history && «ending.divergence.is_none()» {" => "true";
        "threads may go on from different barriers":
            "            if «Some(*site) == first» =>\n" => "{ let _ = site; true }";
        "a block without threads goes on":
            ".filter(|rest| «!rest.is_empty()»);" => "{ let _ = rest; true }";
        "a block may go on in another history":
            "«*continued.before == *before»\n" => "{ let _ = &before; true }";
        "a block may go on with other code":
            "&& «*continued.remaining == *rest»" => "{ let _ = &rest; true }";
        "a block may go on to another ending":
            "&& «same_ending(&continued.ending, ending)»\n        }" => "{ let _ = ending; true }";
        "warps may change their size on the way": "&& «continued.warp == warp»" => "{ let _ = warp; true }";
        "a group may go on without one of its threads":
            "if «group.iter().all(|(_, s)| scope(s) == Some(of) && s.site() == site)» {"
            => "group.iter().any(|(_, s)| scope(s) == Some(of) && s.site() == site)";
        "threads may diverge at one place":
            "if «!places || divergence.first.1 == divergence.second.1» {" => "!places";
        "a divergence may be in any history":
            "match «*ending.history == *history» && divergence.phase" => "true";
        "a divergence may be in any phase":
            "&& «divergence.phase.checked_add(1) == Some(history.len())» {" => "true";
    }
    "semantics/src/check/thread.rs", "derivations" {
        "any accesses are the result":
            "let result = |expected: &Accesses| match «same(after, expected)» {" => "true";
        "a read is not added to R":
            "let (read, continuation) = («before.read(cell)», Code::put(body, var, k));"
            => "babycuda_core::Accesses::clone(before)";
    }
    "semantics/src/check/barriers.rs", "derivations" {
        "any accesses are the result": "match «same(after, expected)» {" => "true";
        "a thread may stop anywhere": "true if «stop == at» => Ok(())," => "true";
        "there may be barriers in code without": "if «code.has_sync()» {" => "false";
    }
    "semantics/src/check/code.rs", "derivations" {
        "the rest of a loop may be another statement":
            "«(site, sort, var) == (&self.site, &self.sort, self.var)»"
            => "{ let _ = (site, sort, var); true }";
        "the rest of a loop may start anywhere":
            "matches!(lower, Num::Lit(next) if «*next == self.lower.successor()»)"
            => "{ let _ = next; true }";
        "the rest of a loop may end anywhere":
            "matches!(upper, Num::Lit(k) if «k == self.upper»)" => "{ let _ = k; true }";
        "the rest of a loop may have another body":
            "&& «is_same(body, self.body)»" => "{ let _ = body; true }";
        "an iteration may be any code":
            "Stmt::Seq(first, rest) => «repeat.iteration().is(first)» &&"
            => "{ let _ = first; true }";
        "what follows an iteration may be any code":
            "&& «repeat.is_others(rest)»," => "{ let _ = rest; true }";
    }
    "semantics/src/check/evidence.rs", "derivations" {
        "variables of a program may be free":
            "«program.check_scope().map_err(|error| format!(\"a well-scoped program: {error}\"))?;»"
            => "";
        "a block may have other extents":
            "let fits = «extents(geometry.block, block.launch.block)»" => "true";
        "a grid may have other extents":
            "&& «geometry.grid.is_none_or(|grid| extents(grid, block.launch.grid))»" => "true";
        "a block may be outside its grid":
            "&& «block.index < block.launch.grid.count()»;" => "true";
        "an extent may be 0": "«n > 0» && (*e == Extent::Symbolic" => "true";
        "a parameter may have another value than the declared one":
            "«param.value.as_ref().is_none_or(|fixed| fixed == value)»" => "true";
        "a parameter may have a value that its type has not":
            "&& «param.domain.contains(value)»" => "true";
        "what is no parameter may have a value":
            "if «parameters.len() != program.params.len()» {" => "false";
        "assumptions need not hold":
            ".find(|c| «c.eval(&value) != Ok(true)»)" => "{ let _ = c; false }";
        "memory need not be as assumed":
            "if let Some((_, why)) = «program.unmet_in(&configuration, host)» {"
            => "None::<(usize, String)>.or_else(|| { let _ = &configuration; None })";
        "memory may hold what is not declared":
            "declared.filter(|declared| «is_declared(declared, array)»)"
            => "{ let _ = declared; true }";
        "memory may lack what is declared":
            "find(|a| «!is_declared(a, &undefined)»)" => "{ let _ = (a, &undefined); false }";
        "a run may be of another block": "if «root.block != block» {" => "false";
        "a run may start after other phases": "let started = «root.before.len() == 1»" => "true";
        "a run may start with accesses":
            "&& «root.before.head().is_some_and(|phase| phase.threads().next().is_none())»"
            => "true";
        "a run may start from other memory": "&& «*root.before.host() == host»;" => "true";
        "a run may be of another program":
            "match «Code::Instance(&body, values).is(&root.program)» {"
            => "{ let _: babycuda_core::instance::Values = values; true }";
        "any choices may be listed":
            "let found = «listed.iter().all(|choice| rest.any(|other| other == *choice))»;"
            => "{ let _ = &mut rest; true }";
        "any number of choices may be said":
            "«made.len() as u64 == evidence.choices_made» &&" => "true";
    }
}
