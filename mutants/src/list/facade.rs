//! Mutants of the way from what is found to a verdict.

mutants! {
    "src/check/replay.rs", "replays" {
        "what is stuck waits for nobody":
            "let ordered = «other.then(|| Judged::ordered(program, witness, options)).flatten()»;"
            => "{ let _ = other; None::<Judged> }";
        "the contents of a witness need not be as assumed":
            "let met = |host: &HostMemory| «program.unmet_in(&witness.configuration, host).is_none()»;"
            => "{ let _ = host; true }";
        "a cell may hold two values before the launch":
            "if «before.is_some_and(|value| value != choice.value)» {" => "before.is_none() && false";
        "a run with atomic updates is that of every interleaving":
            "!has_opaque_data(program) && «!has_atomic(&program.body)» && witness.same_block()" => "true";
        "an opaque value is a real one":
            "let ordered = «!has_opaque_data(program)» &&" => "true";
        "data decides no barrier": "if independent && «!decided_by_data» &&" => "{ let _ = decided_by_data; true }";
        "threads do not stop at overflows of data":
            "if «scene.found_in(&runs).is_none()» {" => "false";
        "what others wait for does not matter beside a stop":
            "&& «!may_read_undefined(program, &stops)»" => "true";
        "a thread that stops in another phase stops in this one":
            "&& «witness.phase() == Some(s.phase)»" => "true";
        "a run that is too long proves what depends on data":
            "if «independent» && (too_long || stuck_there()) {" => "{ let _ = independent; true }";
        "a run that is too long proves what stuck threads would do":
            "too_long && witness.confirmation != Confirmation::Alone && «!may_be_stuck(program)»;" => "true";
    }
    "src/check/replay/scene.rs", "replays" {
        "a race may be made by another statement":
            "(visit.thread, visit.site, visit.mode) == (side.thread.index, «side.site», side.mode)"
            => "visit.site";
        "the phase of an access does not matter":
            "&& «side.phase.is_none_or(|phase| phase == visit.phase)»" => "true";
        "a race is made in two phases": "self.is_side(b, second) && «b.phase == a.phase»;" => "true";
        "one run serves all launches":
            "*p == policy && «*i == instance»;" => "{ let _ = (i, &instance); true }";
        "a run beyond a racy phase is that of every interleaving":
            "self.basis != Basis::Run || «run.racy.is_none_or(|first| first >= phase)»" => "{ let _ = (run, phase); true }";
    }
    "src/check/diverge.rs", "replays" {
        "data decides no barrier at which threads diverge":
            "let independent = «certain(&witness.divergence)»;" => "true";
        "a run to the end diverges":
            "Outcome::Done { .. } => {\n            found.certainty = «Certainty::Potential»;" => "found.certainty";
        "an overflow of data keeps nobody from a barrier":
            "«program.sources.stopping.is_some()» || may_read_undefined" => "false";
    }
    "src/check/exact.rs", "verdicts by a run" {
        "contents that the host chooses are those of the run":
            "program.arrays.iter().all(|a| «!matches!(a.contents, Contents::Any | Contents::Opaque)»)" => "{ let _ = (a, Contents::Any); true }";
        "a program with atomic updates has one run": "&& «!has_atomic(&program.body)»;" => "{ let _ = has_atomic; true }";
        "a run that breaks an assumption decides":
            "if «!report::broken(&program.assumptions, at).is_empty()» {" => "false";
        "a stuck run is one without races":
            "(None, Some(stuck)) => «Outcome::Unknown(stuck.to_string())»," => "{ let _ = stuck; Outcome::Drf }";
        "a statement may be of another stage":
            "if !here || «stage_from(history.begun().stages().count()) != stage» {"
            => "{ let _ = (stage_from, stage); false }";
        "later racy phases count":
            "filter(|r| «Some(r.phase) == first_racy»)" => "{ let _ = r; true }";
    }
    "src/check/conclude.rs", "verdicts" {
        "what is open hides no divergence": "if diverges && «open.is_empty()» {" => "true";
        "races of other arrays are reported":
            "«options.asks_for(&w.cell.array)»;" => "{ let _ = w; true }";
        "alarms without contents are for sure":
            "filter(asked).map(«potential»));"
            => "|witness| Report { certainty: Certainty::Provable, ..potential(witness) }";
        "one race is all of them": "let all_races = «!options.verdict_only»" => "true";
        "a race that may be none ends the search":
            "if self.options.verdict_only && «certain(&report)» {" => "true";
        "a potential race leaves nothing open": "None => «resting += 1»," => "{}";
    }
    "src/check/updates.rs", "verdicts" {
        "what updates add is not said":
            "if «known.is_none_or(|update| update.operand.single().is_some())» {" => "{ let _ = known; true }";
    }
    "src/check/least.rs", "contents of witnesses" {
        "only all cells together are left out": "None if «part.len() > 1» =>" => "false";
        "numbers are as large as they were found":
            "let (mut below, mut next) = (Natural::zero(), «Natural::from(1u32)»);" => "Natural::zero()";
    }
    "src/check/replay/waiting.rs", "replays" {
        "nobody is stuck but at stops":
            "self.program.sources.stopping.is_some() || «may_read_undefined(self.program, stops)»" => "false";
    }
    "src/check/replay/order.rs", "replays" {
        "threads of several blocks are those of one":
            "find_in_block(&all.program(program), &«all.witness(witness)», options)?;" => "witness.clone()";
    }
    "src/interleaved.rs", "all interleavings of a small launch" {
        "a run with zeros speaks for all contents":
            "Some((visit(&zeros)?, «any_contents»))" => "true";
        "a thread that waits for what nobody wrote has ended":
            "(!«all.ends.iter().any(|end| is_stuck(&end.kind))»).then_some(all)" => "false";
        "one block is all of them":
            "Some(blocks) => «instance.in_one(blocks)»," => "instance.clone()";
    }
    "src/concrete.rs", "runs of kernels" {
        "contents that are assumed are any": "if !open || «!program.contents_assumed.is_empty()» {" => "false";
        "launches that are not meant are run": "if «!self.program.admits(&of_launch)» {" => "{ let _ = &of_launch; false }";
        "other blocks run beside the one that is meant": "if «program.geometry.grid.is_none()» {" => "{ let _ = program; false }";
        "statements of other places have the race": "place.is_some() && «place == own» &&" => "true";
        "a thread goes on behind what nobody wrote":
            "AccessMode::Rd | AccessMode::At(_) => «written.contains(&place)»," => "{ let _ = place; true }";
    }
    "src/concrete/values.rs", "runs of kernels" {
        "floats are all alike": "Type::Float(4) => u64::from((pattern.float(«value») as f32)" => "{ let _: u64 = value; 1 }";
    }
    "src/check/smaller.rs", "smaller launches" {
        "launches that are not declared are smaller": "if «!declarations.admits(at)» || !apart() {" => "false";
        "no parameter is made smaller": "while «next < value» && self.tries > 0 {" => "false";
    }
    "src/places.rs", "races of techniques" {
        "a macro's place tells its stores":
            "«(!others || !self.is_shared(At(node.0)))».then_some(span)" => "{ let _ = others; true }";
        "a macro's place is that of each of its stores":
            "if «found.len() > 1 && found.iter().any(|at| self.is_shared(*at))» {" => "false";
    }
    "src/replayed.rs", "races of techniques" {
        "statements of other places are tried": "&& «program.sources.spans.get(site).map(|span| span.start) == at»" => "true";
        "a race that no run shows is replayed":
            "(«report.certainty == Certainty::Replayed»).then_some(report)" => "true";
    }
    "src/check/alone.rs", "protocols" {
        "contents that are not as assumed show races":
            "let found = «found.filter(|_| declarations.admits(&at))»?;" => "found";
        "a witness with data needs no look at its contents":
            "if «!witness.depends_on_data()» && witness.confirmation" => "true";
    }
    "src/check/report.rs", "verdicts" {
        "every launch is meant": "let holds = |c: &Bool| «c.eval(&|x| at.value_of(x, 0)).unwrap_or(false)»;" => "{ let _ = (c, at); true }";
    }
    "src/check/enumerate.rs", "verdicts by enumeration" {
        "a block stands for all blocks of a grid":
            "if one_block && «used.iter().any(is_grid_variable)» {" => "false";
    }
    "core/src/settings.rs", "settings" {
        "an assumption may speak of a thread":
            "find(|x| «!is_uniform(&declarations, x)»);" => "{ let _ = x; false }";
    }
    "src/benign.rs", "benign races" {
        "a read that comes too early is benign":
            "if «sides.iter().any(|side| side.mode != AccessMode::Wr)» {" => "false";
        "blocks have one place": "is(&BLOCK_IDX) && «race.same_block()»;" => "true";
    }
    "src/check/mod.rs", "benign races" {
        "one benign race makes all benign":
            "&& «self.verdict.races.iter().all(|race| self.same_value_of(race).is_some())»"
            => "self.verdict.races.iter().any(|race| self.same_value_of(race).is_some())";
    }
    "src/contract/source.rs", "contracts" {
        "a race-free kernel is so under every launch":
            "site.unknown.is_none() && («exceeds()» || site.repeats(kernel))" => "{ let _ = exceeds; false }";
    }
}
