//! Mutants of `lastwrite`, of accesses, of races, and of what is a read-only input.

mutants! {
    "core/src/syntax/program.rs", "read-only inputs" {
        "what the program writes is an input":
            "self.may_be_input(name) && «!written.contains(*name)»;" => "(written.len() < 99)";
    }
    "core/src/syntax/forall.rs", "assumptions over contents" {
        "a condition that reads what nobody stored holds":
            "None => {\n                        «self.found();»" => "";
        "a range has its end": "while «next < upper» &&" => "next <= upper";
        "one read is another": "if *a == array && «*n == index»" => "{ let _ = n; true }";
    }
    "core/src/syntax/declarations.rs", "read-only inputs" {
        "what a front end could not express is an input":
            "«!matches!(a.contents, Contents::Undefined | Contents::Opaque)»"
            => "!matches!(a.contents, Contents::Undefined)";
        "what each block has for itself is an input":
            "«a.space == Space::Global» && given(a)" => "true";
    }
    "core/src/history/lastwrite.rs", "lastwrite/curr" {
        "lastwrite goes on to older phases: the oldest one that writes decides":
            "            «break;»" => "continue;";
        "after a racy phase only the value of its last writer is possible":
            "«LastWrite::several(values.collect(), true, Natural::clone(first))»"
            => "LastWrite::several(values.last().into_iter().collect(), true, Natural::clone(first))";
    }
    "core/src/history/lastwrite.rs", "lastwrite/prev" {
        "phases that only update a cell are passed over": "«updating.push((phase, effects));»" => "";
    }
    "core/src/history/lastwrite.rs", "lastwrite/undef" {
        "a cell that nobody wrote holds 0":
            "// lastwrite/undef\n        None => «LastWrite::Undefined»,"
            => "LastWrite::One(Natural::zero())";
    }
    "core/src/history/lastwrite.rs", "lastwrite/host" {
        "what the host stored is not read":
            "match history.host().get(cell) {\n        Some(k) => «LastWrite::One(k.clone())»,"
            => "{ let _ = k; LastWrite::Undefined }";
    }
    "core/src/history/lastwrite.rs", "lastwrite/atomic" {
        "updates by any operators commute":
            "«first.is_some_and(AtomicOp::commutes)»" => "first.is_some()";
    }
    "core/src/history/lastwrite.rs", "lastwrite/atomic-curr" {
        "of the updates of several threads one is made":
            "«effects.iter().fold(before, |value, effect| effect.apply(value))»"
            => "effects.iter().take(1).fold(before, |value, effect| effect.apply(value))";
    }
    "core/src/history/phase.rs", "accesses" {
        "R ∪ {j} is forgotten": "«next.reads.insert(cell);»" => "";
        "a second write of a cell keeps the first value":
            "«next.writes.insert(cell, value);»"
            => "if !next.writes.contains_key(&cell) { next.writes.insert(cell, value); }";
        "a write does not hide the updates before it": "«log.updates = Vector::new();»" => "";
        "an update does not record its scope, so nothing races with it":
            "«log.scopes.insert(scope);»" => "";
    }
    "core/src/history/phase.rs", "THEORY T12" {
        "a barrier orders threads that are not all of its group":
            "between.any(|stage| «stage.holds(i) && stage.holds(j)»)"
            => "stage.holds(i) || stage.holds(j)";
        "a barrier orders no accesses":
            "between.any(|stage| «stage.holds(i) && stage.holds(j)»)"
            => "{ let _ = (stage, i, j); false }";
    }
    "core/src/history/lastwrite.rs", "THEORY T12" {
        "values that were overwritten behind a barrier are still possible":
            "let staged = «phase.is_staged()»;" => "{ let _ = phase; false }";
    }
    "core/src/together.rs", "THEORY T12" {
        "blocks share the cells of shared arrays":
            "*index = «index.clone() * self.grid.grid.count() + place»;"
            => "{ let _ = place; index.clone() }";
        "blocks have cells of global arrays of their own":
            "let shared = «code.head().accessed().is_some_and(|a| !self.declarations.is_global(a))»;"
            => "code.head().accessed().is_some()";
        "a barrier of a warp holds its block together":
            "BarrierScope::Warp => «self.grid.warp»," => "self.launch.warp";
        "a barrier of the grid holds blocks together only":
            "BarrierScope::Grid => return «BarrierScope::Block»," => "BarrierScope::Warp";
        "threads are numbered through the grid for themselves too":
            "let (index, place) = («tid() % block.count()», tid() / block.count());" => "tid()";
        "updates of the scope of a block cover the grid":
            "Some((AccessMode::At(Scope::Block), array)) if global(array) => «false»," => "true";
        "a row of blocks is a column":
            "let rest = if «before == 1» { linear.clone() } else { linear.clone() / before };"
            => "{ let _ = before; true }";
    }
    "core/src/launch.rs", "THEORY T12" {
        "a ragged warp has all its threads": "(first, «end.min(first.saturating_add(size))»)"
            => "{ let _ = end; first.saturating_add(size) }";
    }
    "core/src/history/access.rs", "LCL22 Def. 1" {
        "two reads race": "(AccessMode::Rd, AccessMode::Rd) => «false»," => "true";
        "a read and a write do not race": "            _ => «true»,\n" => "self == other";
    }
    "core/src/history/access.rs", "THEORY §4, atomics" {
        "two atomic updates race whatever their scope":
            "«!(s.covers(same_block) && t.covers(same_block))»" => "true";
    }
    "core/src/history/race.rs", "LCL22 Def. 1" {
        "a thread races with itself: i1 ≠ i2 is forgotten":
            "if «t != u» && m.conflicts" => "true";
        "only races of the first access are found":
            "_ => (i, j) = «(i + 1, i + 1)»," => "(accesses.len(), accesses.len())";
        "accesses to different cells race": "Some(second) if «second.0 == first.0»" => "true";
        "cells that are only updated do not race":
            "any(|(_, (_, m), _)| «*m != AccessMode::Rd»)" => "*m == AccessMode::Wr";
    }
}
