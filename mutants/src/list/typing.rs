//! Mutants of the type system.

mutants! {
    "typing/src/infer.rs", "type/t-n" {
        "an index may use any variable": "«self.within(&n.free_vars(), premise, place)?;»" => "";
    }
    "typing/src/infer.rs", "type/t-b" {
        "a guard may use any variable":
            "«self.within(&c.free_vars(), premise, Place::Guard)?;»" => "";
    }
    "typing/src/infer.rs", "type/t-write" {
        "a write has the type of a read":
            "access(*site, «AccessMode::Wr», array, index)" => "AccessMode::Rd";
    }
    "typing/src/infer.rs", "type/t-read" {
        "t-read adds x to V":
            "«self.statement(trial.context, &binders, body)?»"
            => "self.statement(&trial.context.with(var.clone()), &binders, body)?";
        "t-read does not ask for y ∉ V": "«trial.fresh(var, 2)?;»" => "";
        "the type of a read is that of what follows it":
            "«Arc::new(Protocol::Seq(Arc::new(access), u))»" => "u";
    }
    "typing/src/infer.rs", "type/t-read-input" {
        "t-read-input does not add x to V":
            "self.statement(&«context.with(var.clone())», binders, body)?" => "context.clone()";
        "t-read-input does not ask for y ∉ V":
            "num(index, 2, Place::Index)?;\n                «trial.fresh(var, 3)?;»" => "";
    }
    "typing/src/infer.rs", "type/t-seq" {
        "the type of a sequence is that of its first statement":
            "let protocol = «Arc::new(Protocol::Seq(u1, u2))»;" => "u1";
    }
    "typing/src/infer.rs", "type/t-if" {
        "the type of a branch exchanges its sides":
            "«Protocol::If { site: *site, condition: condition.clone(), then, otherwise }»"
            => "Protocol::If { site: *site, condition: condition.clone(), then: otherwise, otherwise: then }";
    }
    "typing/src/infer.rs", "type/t-for" {
        "t-for does not add x to V":
            "let inner = «context.with(var.clone())»;" => "context.clone()";
        "t-for does not ask for x ∉ V":
            "Place::UpperBound)?;\n                «trial.fresh(var, 3)?;»" => "";
        "the type of a loop is one that never runs":
            "upper: «upper.clone()»,\n                    body," => "lower.clone()";
    }
    "typing/src/infer.rs", "type/t-sync" {
        "the type of a barrier is skip":
            "let sync = Arc::new(«Protocol::Sync { site: *site, scope: *scope }»);" => "Protocol::Skip";
    }
    "typing/src/infer.rs", "type/t-for-s" {
        "a loop with barriers is typed by the rule of loops without":
            "ForSort::S => «Rule::ForS»," => "Rule::For";
    }
    "typing/src/infer.rs", "type/t-atomic" {
        "an atomic update has the type of a write":
            "access(*site, «AccessMode::At(*scope)», array, index)" => "AccessMode::Wr";
    }
}
