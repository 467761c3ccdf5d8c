//! Mutants of the semantics of protocols.

mutants! {
    "protocols/src/map/thread.rs", "map/access" {
        "an access is of the next cell":
            "index: «number(*site, index, &values)?» }," => "number(*site, index, &values)?.successor()";
    }
    "protocols/src/map/thread.rs", "map/seq" {
        "only the first part of a sequence is run":
            "«tasks.push(run(q, iteration.clone()));»" => "";
    }
    "protocols/src/map/thread.rs", "map/if-t" {
        "the sides of a branch are exchanged":
            "run(«if holds { then } else { otherwise }», iteration)"
            => "if holds { otherwise } else { then }";
    }
    "protocols/src/map/thread.rs", "map/if-f" {
        "the else side is never run":
            "run(«if holds { then } else { otherwise }», iteration)" => "then";
    }
    "protocols/src/map/thread.rs", "map/for-1" {
        "a loop runs once too often": "«next >= upper»" => "next > upper";
    }
    "protocols/src/map/thread.rs", "map/for-2" {
        "the body of a loop sees its counter one too large":
            "values.push((var, «next.clone()»));" => "next.successor()";
        "every loop starts from 0": "«number(*site, lower, &values)?»" => "Natural::zero()";
    }
    "protocols/src/map/thread.rs", "map/input" {
        "an input is of the next cell":
            "= «contents.get(&index)» else" => "contents.get(&index.successor())";
    }
    "protocols/src/map/thread.rs", "map/sync" {
        "nothing is left to do after a barrier":
            "Halt::Barrier(*site, *scope, «Residual { tasks, values }»)"
            => "{ tasks.clear(); Residual { tasks, values } }";
    }
    "protocols/src/map/evaluate.rs", "map/par" {
        "every thread is thread 0": "at.value_of(x, «i»)" => "0";
        "the writes of Λ count as reads when races are looked for":
            "«accesses.write(cell, Natural::zero())»" => "accesses.read(cell)";
    }
    "protocols/src/map/evaluate.rs", "map/sync" {
        "threads at different barriers are together": "if «*group != site» {" => "false";
        "a barrier orders threads that its group does not hold":
            "«[a, b].iter().all(|event| (group.first..group.end).contains(&event.thread))»"
            => "[a, b].iter().any(|event| (group.first..group.end).contains(&event.thread))";
        "a barrier orders all accesses of its phase":
            "!«self.barriers.get(early..late)»"
            => "{ let _ = (early, late); self.barriers.get(..) }";
    }
}
