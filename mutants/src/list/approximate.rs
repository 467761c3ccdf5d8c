//! Mutants of the environment and the approximation of types.

mutants! {
    "typing/src/context.rs", "the environment of a program" {
        "parameters are not in V":
            "let params = «program.params.iter()».map(|p| p.name.clone());"
            => "program.params[..0].iter()";
    }
    "typing/src/approximate/certainty.rs", "which accesses data decides" {
        "a loop with an opaque bound always ends": "«before.extend(&turns);»" => "let _ = turns;";
        "no data decides a barrier in a loop":
            "Stmt::Sync { .. } => «data.extend(&around.control.data)»," => "()";
        "barriers of a then side are forgotten": "«before.extend(&other);»" => "*before = other;";
        "no data decides a branch":
            "«control.extend(&Inflow::of(&condition.free_vars(), &self.flows));»"
            => "let _ = condition;";
        "no data flows through a counter":
            "«inflow.data.insert(flow.into_counter(counter.clone()));»" => "let _ = flow;";
        "threads decide every branch alike": "«inflow.private.insert(x.clone());»" => "";
        "a barrier of an earlier iteration is forgotten":
            "«self.barrier_data(body, &around, before);»\n                self.statement" => "";
    }
    "typing/src/approximate/domain.rs", "which values a read may yield" {
        "whatever is stored fits":
            "&& !«stored(t).is_within(&patterns(t))»" => "{ let _ = stored(t); true }";
        "a read at the site of an update is that update":
            "Stmt::Read { site, .. } => «drop(found.insert(*site, None))»," => "drop(site)";
        "copies of an update all do what the first does":
            "operand: «a.operand.join(&b.operand)»" => "a.operand";
    }
    "typing/src/approximate/any.rs", "where any and input stand" {
        "an update is separated from its cell":
            "if «binds_update(p)» && !p.has_sync() =>" => "binds_update(p) && false";
    }
}
