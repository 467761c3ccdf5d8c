//! Mutants of the checker of protocols.

mutants! {
    "protocols/src/map/check.rs", "derivations" {
        "variables of a protocol may be free":
            "«map.check_scope().map_err(|error| root(format!(\"a well-scoped protocol: {error}\")))?;»"
            => "";
        "a configuration may be one that is not declared":
            "if «!map.declarations.admits(configuration)»" => "false";
        "what is no parameter may have a value":
            "|| «!configuration.parameters.keys().all(declared)»" => "{ let _ = declared; false }";
        "Λ may be that of another configuration":
            "if «found == configuration» && **protocol" => "{ let _ = found; true }";
        "Λ may be that of another protocol":
            "&& «**protocol == map.protocol» =>" => "{ let _ = protocol; true }";
        "any rule concludes what a block does": "if «node.rule != Rule::Par» {" => "false";
        "premises too many are accepted":
            "Some(_) => «Err(Fault::conclusion(\"the rule has fewer premises\"))»," => "Ok(())";
        "any accesses are the result": "match «reached.is_same(expected)» {" => "true";
        "a part may be another protocol":
            "move |found| «found == u»" => "{ let _ = (found, u); true }";
        "a loop may end or go on at any time":
            "«self.truth(3, &Bool::compare(relation, Num::Lit(j.clone()), Num::Lit(k.clone())), true)?;»"
            => "let _ = (self.rest.next(), relation);";
        "a then side needs no condition":
            "«premises.truth(1, condition, true)?;»"
            => "let _ = (premises.rest.next(), condition);";
        "an else side needs no condition":
            "«premises.truth(1, condition, false)?;»"
            => "let _ = (premises.rest.next(), condition);";
        "a value may be that of another expression":
            "if «expression == n && n.value().as_ref() == Ok(value)» =>"
            => "n.value().as_ref() == Ok(value)";
        "an expression may have any value":
            "if «expression == n && n.value().as_ref() == Ok(value)» =>"
            => "{ let _ = value; expression == n }";
        "a truth may be that of another condition":
            "if «condition == c && *said == value && c.value() == Ok(value)» =>"
            => "{ let _ = condition; *said == value && c.value() == Ok(value) }";
        "a truth may be said to be the other":
            "if «condition == c && *said == value && c.value() == Ok(value)» =>"
            => "{ let _ = said; condition == c && c.value() == Ok(value) }";
        "a condition may have any truth":
            "if «condition == c && *said == value && c.value() == Ok(value)» =>"
            => "condition == c && *said == value";
        "an iteration may be any protocol":
            "let one = premises.thread(4, &|u| «is_instance(u, body, &values)»)?;"
            => "{ let _ = (u, &values); true }";
        "the rest of a loop may be another statement":
            "if «(l, s, x) == (site, sort, var)»" => "{ let _ = (l, s, x); true }";
        "the rest of a loop may start anywhere":
            "matches!(n, Num::Lit(next) if «*next == j.successor()»)" => "{ let _ = next; true }";
        "the rest of a loop may end anywhere":
            "matches!(m, Num::Lit(last) if «last == k»)" => "{ let _ = last; true }";
        "the rest of a loop may have another body": "&& «b == body»)" => "{ let _ = b; true }";
        "any may be what its type has not":
            "if «domain.is_some_and(|t| Natural::from(t.pattern(value)) != *value)» {" => "false";
        "the body of any may be any protocol":
            "result(premises.thread(2, &|u| «is_instance(u, body, &values)»)?)"
            => "{ let _ = (u, &values); true }";
        "threads need not wait for each other":
            "group.all(|j| «waits(j) == Some(barrier)»).then_some((barrier.0, i))"
            => "{ let _ = j; true }";
        "threads may wait at different barriers":
            "group.all(|j| «waits(j) == Some(barrier)»)" => "waits(j).is_some()";
        "a thread may end while others wait":
            "group.all(|j| «waits(j) == Some(barrier)»)"
            => "waits(j).is_none_or(|other| other == barrier)";
        "a block without threads has phases": "None if «phases.len() != last + 1» =>" => "false";
        "threads may stop anywhere in a divergence":
            "«(stop(i).map(|(_, site)| site) == site)».then_some(i)"
            => "{ let _ = site; true }";
        "threads may diverge at one place":
            "«first.1 != second.1» && group(" => "true";
        "threads of different groups may diverge":
            "first.1 != second.1 && «group(at, threads.len(), scope, i).contains(&j)»"
            => "{ let _ = (scope, i, j); true }";
        "a block may end at a barrier":
            "Ending::Done => «(0..threads.len()).all(|i| stop(i).is_none())»," => "true";
        "barriers of narrower groups end phases":
            "last += usize::from(before.is_some_and(|(scope, _)| «*scope >= BarrierScope::Block»));"
            => "{ let _ = scope; true }";
        "accesses may be missing": "if «!own.all(holds)» {" => "{ let _ = own.all(holds); false }";
        "accesses may be added":
            "match «(0..phases.len()).find(|n| many[*n] != phases[*n].len())» {"
            => "{ let _ = &many; None::<usize> }";
        "every thread is the protocol of any thread":
            "all.push(self.thread(1, &|u| «is_instance(u, protocol, &values)»)?);"
            => "{ let _ = (u, &values, protocol); true }";
    }
}
