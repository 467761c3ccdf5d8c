//! Mutants of the semantics of protocols.

mutants! {
    "protocols/src/map/thread.rs", "map/access" {
        "an access is of the next cell":
            "index: «closed(*site, index)?» }," => "closed(*site, index)?.successor()";
    }
    "protocols/src/map/thread.rs", "map/seq" {
        "only the first part of a sequence is run":
            "«tasks.push(Task::Run(q.clone(), iteration.clone()));»" => "";
    }
    "protocols/src/map/thread.rs", "map/if-t" {
        "the sides of a branch are exchanged":
            "let branch = «if holds { then } else { otherwise }»;"
            => "if holds { otherwise } else { then }";
    }
    "protocols/src/map/thread.rs", "map/if-f" {
        "the else side is never run":
            "let branch = «if holds { then } else { otherwise }»;" => "then";
    }
    "protocols/src/map/thread.rs", "map/for-1" {
        "a loop runs once too often": "«next >= upper»" => "next > upper";
    }
    "protocols/src/map/thread.rs", "map/for-2" {
        "the body of a loop sees its counter one too large":
            "let now = Arc::new(«body.subst_value(&var, &next)»);"
            => "body.subst_value(&var, &next.successor())";
        "every loop starts from 0": "next: «closed(*site, lower)?»," => "Natural::zero()";
    }
    "protocols/src/map/thread.rs", "map/input" {
        "an input is of the next cell":
            "match «contents.get(&index)» {" => "contents.get(&index.successor())";
    }
    "protocols/src/map/thread.rs", "map/sync" {
        "nothing is left to do after a barrier":
            "Halt::Barrier(*site, *scope, «Residual { tasks }»)" => "Residual::default()";
    }
    "protocols/src/map/evaluate.rs", "map/par" {
        "every thread is thread 0": "configured.protocol.subst(&at.substitution_of(&free, «i»))" => "0";
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
