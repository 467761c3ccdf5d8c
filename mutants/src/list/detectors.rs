//! Mutants of techniques and of what they share.

mutants! {
    "detectors/src/hirace/derive.rs", "the derived machine" {
        "a barrier does not part its own level":
            "after.iter_mut().take(«sync»)" => "sync.saturating_sub(1)";
        "a barrier parts the next wider level too":
            "after.iter_mut().take(«sync»)" => "sync + 1";
        "accesses of several groups are those of the last accessor's":
            "let apart = «recent.several || level == relation»;" => "level == relation";
        "a thread races with its own group":
            "let apart = «recent.several || level == relation»;" => "recent.several || level >= relation";
        "atomics of a block cover no block":
            "mode.conflicts(other, «level <= chain.block()»)" => "level < chain.block()";
        "atomics of a block cover the grid":
            "mode.conflicts(other, «level <= chain.block()»)" => "level <= chain.grid()";
        "a second group is not told from the first":
            "recent.several |= «level == relation» &&" => "false";
        "two groups are several behind a barrier":
            "level == relation && «recent.modes().next().is_some()»" => "true";
    }
    "detectors/src/hirace/repair.rs", "the fewest changes" {
        "what leads to a state costs nothing":
            "own + «(0..state).map(|before| to(before).count()).sum::<usize>()»" => "0";
    }
    "detectors/src/hirace/compare.rs", "what differs" {
        "states are looked at once":
            "} else if !says.0 && «seen.insert(next)» {" => "seen.insert((next.0, INIT))";
    }
    "detectors/src/hirace/shadow.rs", "shadow memory" {
        "a clock is compared modulo half its range":
            "let clocks = «differs & ((1 << at) - 1)»;" => "differs & ((1 << at) - 1) >> 1";
        "another thread is the same one":
            "let mut relation = usize::from(«moved != 0»);" => "false";
        "the last thread of a group is outside":
            "relation += usize::from(«place >= u64::from(*all)»);" => "place + 1 >= u64::from(*all)";
        "a race is said at each access":
            "let found = «next == race && state != u64::from(race)»;" => "next == race";
        "a clock stays below its greatest value":
            "match «passed <= most» {" => "passed < most";
        "a thread's number may take the bits of the state":
            "if «id > mask(self.layout.thread)» {" => "false";
    }
    "detectors/src/hirace/replay.rs", "runs through shadow memory" {
        "all blocks have one shared array":
            "(cell, «trace.shared.contains(&cell.array).then_some(thread.block)»)" => "None";
        "threads of all blocks have the same numbers":
            "let id = «first.saturating_add(thread.index)»;" => "thread.index";
        "a tile's lanes count from the block's first":
            "let own = «group.first - warp.first..group.end - warp.first»;" => "group.first..group.end";
        "a barrier is one of all threads before its group's end":
            "Ok(Passing::Group { level, threads: «before(group.first)..before(group.end)» })" =>
                "0..before(group.end)";
        "a mask is one of all lanes":
            "Event::LaneBarrier { lanes, .. } => «Some(lanes)»," => "Some(u64::MAX)";
        "a thread without a clock goes on":
            "if let Some((_, why)) = «self.over.iter().find(|(over, _)| *over == thread)» {" =>
                "self.over.iter().find(|_| false)";
    }
    "detectors/src/hirace/detector.rs", "what a machine says of a run" {
        "a replay that stops is not said to":
            "(Some((_, stop)), _) => «said(stop)»," => "\"one run is not all of them\".to_owned()";
        "what was forgotten is not said":
            "(None, None) if «seen.forgotten > 0» => format!(" => "false";
        "the other side is the last accessor":
            "let first = last.filter(|last| «racing.contains(last) || racing.is_empty()»);" => "true";
    }
    "detectors/src/hirace/lanes.rs", "barriers of lanes" {
        "masks lead on to their own lanes alone":
            "if «reached & mask != 0» {" => "*mask == reached";
        "a history forgets nothing and knows nothing":
            "let skipped = «self.masks.len().checked_sub(since)?»;" => "self.masks.len().saturating_sub(since)";
        "what is forgotten races":
            "&& «behind(r) == Some(false)»;" => "behind(r) != Some(true)";
        "an unordered access is covered":
            "«behind(r) == Some(false) || !covers(mode, r.mode)»" => "!covers(mode, r.mode)";
        "every access is covered":
            "«behind(r) == Some(false) || !covers(mode, r.mode)»" => "behind(r) == Some(false)";
        "a dropped access is not counted":
            "records.accesses.pop_front();\n            self.forgotten += «1»;" => "0";
        "a barrier of the warp begins no new history":
            "if «history.clocks != clocks» {" => "false";
        "records of another warp stay":
            "if «(records.warp, records.clocks) != (warp.start, history.clocks)» {" => "records.clocks != history.clocks";
        "records stay behind a barrier of the warp":
            "if «(records.warp, records.clocks) != (warp.start, history.clocks)» {" => "records.warp != warp.start";
        "the lanes of a warp are told apart by the machine":
            "let one = «self.shadow.as_group(self.level, thread)»;" => "thread.clone()";
        "a race is said again":
            "if «records.raced» {" => "false";
        "the last accessor is the first of its warp":
            "std::mem::replace(&mut records.last, «thread.id()»)" => "warp.start";
    }
    "detectors/src/hirace/traces.rs", "the definition of a race" {
        "an unordered access is forgotten":
            "if covered && «since.is_some_and(|since| usize::from(since) >= level)» {" => "true";
        "a read stands for atomics":
            "«MODES.into_iter().all(|next| conflicts(mode, next) || !conflicts(other, next))»" =>
                "MODES.into_iter().any(|next| conflicts(mode, next) || !conflicts(other, next))";
    }
    "detectors/src/execute/compile/expr.rs", "places of accesses" {
        "a step stands where its operator does":
            "self.load(&place.ty, «place.at»);\n        if !prefix {" => "at";
        "an update stands where its statement does":
            "self.load(&place.ty, «place.at»);\n        // The value, the address" => "at";
        "an assignment stands where its statement does":
            "self.store(&place.ty, «place.at»);\n            }\n            ExprKind::Update" => "at";
    }
    "detectors/src/execute/thread.rs", "threads that run" {
        "an atomic update yields what it leaves":
            "self.stack.push(«old»);" => "value";
    }
    "detectors/src/execute/lanes.rs", "lanes that masks name" {
        "a mask may leave out who waits":
            "(«launch.warp <= 32 && mask.checked_shr(lane).unwrap_or(0) & 1 == 1»).then_some(lane)" =>
                "launch.warp <= 32";
        "as many lanes as a tile has are one":
            "let own = «size.is_power_of_two() && mask & lanes == first(size)? << (lane / size * size)»;" =>
                "size.is_power_of_two()";
    }
    "detectors/src/execute/device.rs", "what lanes exchange" {
        "a ballot counts from the warp's first lane":
            "Some(set | bit << «offer.lane.saturating_sub(first).min(63)»)" => "offer.lane.min(63)";
    }
    "detectors/src/execute/record.rs", "cells" {
        "a cell is an element": "*cell = «gcd(gcd(*cell, *size), offset.unsigned_abs())»;" => "*cell";
    }
    "detectors/src/execute/operate.rs", "instructions" {
        "what is no number is not unequal":
            "let unequal = «*relation == Relation::Ne»;" => "false";
        "what nobody knows chooses":
            "Value::Known(_) => then,\n                _ => «shape.unknown()»," => "{ let _ = shape; otherwise }";
    }
    "detectors/src/execute/bounds.rs", "floats between bounds" {
        "nothing is rounded": "let room = |x: f64| «x.abs() * ROOM + TINY»;" => "x * 0.0";
        "what may be 0 divides": "MachineOp::Div if «(c.max(-d)) < 1.0 / LARGEST» => None," => "false";
        "bounds that meet are apart":
            "(Ordering::Equal, «self.least <= other.most && other.least <= self.most»)," => "false";
    }
    "detectors/src/execute/setup.rs", "what there is before a run" {
        "all blocks have the first one's shared arrays":
            "let place = «self.blocks.binary_search(&block).unwrap_or_else(|place| place)»;" =>
                "usize::from(self.blocks.is_empty() && block == 0)";
    }
    "detectors/src/execute/arithmetic.rs", "C's arithmetic" {
        "a count as large as the width shifts":
            "Ok(count) if «count < u64::from(t.width.bits())»" => "count <= u64::from(t.width.bits())";
        "sums of floats are rounded": "(«rest == 0.0»).then_some(sum)" => "true";
        "unsigned arithmetic overflows":
            "match «t.signed && exact.is_some_and(|exact| exact != range)» {" =>
                "exact.is_some_and(|exact| exact != range)";
    }
    "detectors/src/execute/schedule.rs", "who waits for whom" {
        "the last thread need not come":
            "let together = «all.len() as u64 == size»" => "all.len() as u64 + 1 >= size";
        "a vote of all is one of some":
            "(Some(Reduce::And), Some(n)) => Value::Known(u64::from(«n == voters»))," => "n > 0";
        "lanes that are not there are waited for":
            "(0..«u64::from(self.world.launch.warp).min(there).min(32)»)" =>
                "u64::from(self.world.launch.warp).min(32)";
        "barriers of lanes order nothing":
            "if «offers.iter().any(|(_, trade, _, _)| *trade == Trade::Barrier)» {" => "false";
        "exchanges of lanes order accesses":
            "if «offers.iter().any(|(_, trade, _, _)| *trade == Trade::Barrier)» {" => "true";
        "threads at two barriers go on":
            "Status::Waiting(_, there) if «*there == site»)" => "there.1 == site.1";
    }
    "detectors/src/happens_before.rs", "the order of accesses" {
        "masks lead nowhere": "|| «self.led(first, second)»" => "false";
        "whoever is at a mask was led there":
            "if «barrier.members().any(|thread| reached.contains(&thread))» {" => "true";
        "masks before an access lead on from it":
            "let between = «first.number..second.number»;" => "0..second.number";
        "tiles lead nowhere between masks":
            "Some(lanes)) = («scope», self.lanes.get_mut(&warp))" => "BarrierScope::Grid";
        "accesses behind a mask are those before it":
            "self.scopes.iter().map(count).chain(«lanes»).collect()" => "None";
        "a barrier orders whoever is there":
            "a != b && «self.launch.group(*scope, first.thread).holds(second.thread)»" => "true";
        "all blocks have one shared array":
            "(cell, «trace.shared.contains(&cell.array).then_some(thread.block)»)" => "None";
        "atomic updates decide nothing":
            "run.trace.events.iter().any(«atomic»)" => "|_| false";
    }
    "detectors/src/happens_before/claims.rs", "reported races" {
        "a race may be one of two blocks' own arrays":
            "if «first.thread.block == second.thread.block || !trace.shared.contains(&cell.array)» {" => "true";
        "a barrier parts no accesses of a witness":
            "claimed && other.mode.conflicts(mode, same_block) && «!clocks.ordered(other, &access)»" => "true";
        "any race of a cell is that of all statements": "«claimed» && other.mode" => "true";
        "statements stand anywhere": "let there = «access.site.is_some_and(|site| self.sites.contains(&site))»;" => "true";
        "a read is a write":
            "there && «(self.thread, self.mode) == (access.thread, access.mode)»" => "self.thread == access.thread";
    }
    "detectors/src/symbolic_heap/translate/expr.rs", "symbolic heaps: the language" {
        "a read stands where its statement does":
            "self.push_at(Command::Load(local, array, index), «place.at»);" => "self.at";
    }
    "detectors/src/symbolic_heap/translate/mod.rs", "symbolic heaps: the language" {
        "a write stands where its statement does":
            "self.push_at(Command::Store(array, index, value), «place.at»);" => "self.at";
    }
    "detectors/src/symbolic_heap/norace.rs", "symbolic heaps: `NoRace`" {
        "a thread is compared with itself":
            "vec![«thread(\"i\").differs(&thread(\"j\"))?»]" => "Term::bool(true)";
        "no two writes store the same value":
            "if «other» { Notion" => "true";
        "threads at different barriers are compared":
            "if «first.paths.iter().chain(&second.paths).any(|p| p.node != first.paths[0].node)» {" => "false";
        "what passed is said again":
            "!a.mode.conflicts(b.mode, true) || «passed.iter().any(known)» {" => "false";
    }
    "detectors/src/symbolic_heap/value.rs", "symbolic heaps: values" {
        "values never wrap around":
            "if «least <= self.least && self.greatest <= greatest» {" => "true";
        "quotients are rounded down":
            "let quotient = «if a >= 0 { down } else { int(0).at_most(&l.term)?.ite(&down, &up)? }»;" => "down";
    }
    "detectors/src/symbolic_heap/heap.rs", "symbolic heaps: contents" {
        "what the host stored is forgotten":
            "value = choose(&at.equals(&int(*index))?, «Value::int(*n)», value)?;" => "Value::int(of.fill)";
    }
    "detectors/src/symbolic_heap/mod.rs", "symbolic heaps: phases" {
        "what was accessed before a barrier conflicts behind it":
            "«path.accessed.clear();»" => "";
    }
    "detectors/src/symbolic_heap/execute.rs", "symbolic heaps: Table 1" {
        "there is a thread more":
            "query.declare_int(name, 0, «i128::from(self.program.threads) - 1»)" => "i128::from(self.program.threads)";
        "a write is that of one thread":
            "if «self.rules == Rules::TwoThreads || self.update == Update::Own» {" => "true";
    }
    "detectors/src/symbolic_heap/concrete.rs", "symbolic heaps: the concrete semantics" {
        "no shared state is another than the first":
            "RaceRule::Deterministic => «other(&found[0].memory)»" => "None";
    }
    "detectors/src/benign.rs", "benign races" {
        "one run is all of them": "let in_all = «self.0.iter()».flat_map" => "self.0[..1].iter()";
    }
    "detectors/src/detector.rs", "what all techniques refuse" {
        "barriers of one space order everything":
            "«kernel.narrow_barriers.first()».map(narrow)" => "kernel.narrow_barriers.first().filter(|_| false)";
    }
    "detectors/src/two_thread/races.rs", "Algorithm 1" {
        "two reads conflict":
            "l.array == r.array && «(l.mode == AccessMode::Wr || r.mode == AccessMode::Wr)»" => "true";
        "a statement conflicts with no copy of itself":
            "for r in «&operations[i..]» {" => "&operations[i + 1..]";
        "threads of two blocks are ordered by barriers":
            "encoder.query.assert(&«same_block.implies(&interval)?»)?;" => "interval";
        "iterations around a barrier do not count":
            "all.push(«k.equals(&l.term.sub(&Term::int(*second))?)?»);" => "Term::bool(true)";
        "what a right operand reads is read in any case":
            "guards.push(«if *op == BoolOp::And { left } else { left.negated() }»);" => "Wff::truth(true)";
    }
    "detectors/src/two_thread/divergence.rs", "Algorithm 2" {
        "both threads get to a divergent barrier":
            "encoder.query.assert(&«first.xor(&second)?»)?;" => "Term::and([&first, &second])?";
    }
    "detectors/src/two_thread/translate/expr.rs", "formulae" {
        "the condition of a choice is not read": "let c = «self.condition(&all[0])?»;" => "self.expr(&all[0])?";
    }
    "detectors/src/two_thread/intervals.rs", "barrier intervals" {
        "loops that ended before begin anew": "«entered.map_or(0, |at| at + 1)»" => "{ let _ = entered; 0 }";
        "an iteration is as old as the next":
            "Age::In(n.filter(|n| *n == 0).map(|_| «1»))" => "0";
        "a loop that ended goes on": "Age::In(n) | Age::Out(n) => «Age::Out(n)»," => "Age::In(n)";
        "what is behind a branch is behind its first side":
            "both.extend(«walk(otherwise, now, all, found)»);" => "{ walk(otherwise, now, all, found); Intervals::new() }";
    }
    "detectors/src/two_thread/arrays.rs", "arrays" {
        "equal indices of an array may hold different values":
            "let same = other.equals(&index.term)?.implies(&«held.equals(term)?»)?;" => "Term::bool(true)";
    }
    "detectors/src/two_thread/encode.rs", "queries" {
        "there is a thread more": "self.query.assert(&«index.term.less_than(&extent.term)?»)?;" =>
            "index.term.at_most(&extent.term)?";
        "a block has any number of threads":
            "if «self.world.is_symbolic() && product.high > most» {" => "false";
        "the right of `||` is reached where the left holds":
            "self.guard.push(«if *op == BoolOp::And { l.clone() } else { l.not()? }»);" => "l.clone()";
        "what C leaves undefined happens": "if let Some(defined) = «defined» {" => "defined.filter(|_| false)";
        "two threads describe two arrays":
            "if «reading.arrays == Arrays::Shared» {" => "false";
    }
    "detectors/src/two_thread/translate/assign.rs", "SSA" {
        "a side that assigns nothing has the other's value":
            "self.emit_if(«c.clone()», Action::Equal(e, self.variable(b)), at);" => "c.clone().negated()";
    }
    "detectors/src/two_thread/translate/loops.rs", "loops" {
        "the body may count, too":
            "if «changed.contains(&variable) || !assigned(condition).is_empty()» {" => "false";
        "a step may change":
            "if «reads(&step) || by.is_some_and(|by| mentions(by, variable, &changed))» {" => "false";
        "behind a loop its condition holds":
            "self.emit(Action::Assume(«goes_on.negated()»), at);" => "goes_on";
    }
    "detectors/src/two_thread/translate/mod.rs", "formulae" {
        "a return stops nobody":
            "self.returned.push(«all.unwrap_or(Wff::truth(true)).negated()»);" => "Wff::truth(true)";
        "values of a table are forgotten": "if is_array && keeps && «initial.is_some()» {" => "false";
    }
    "core/src/shadow/label.rs", "labels" {
        "a foreign clock counts":
            "let sync = if «self.sync < self.relation» { 0 }" => "false";
    }
    "core/src/shadow/csv.rs", "tables of machines" {
        "what is quoted is a name": "!name.is_empty() && «!name.contains(strange)»" => "{ let _ = strange; true }";
        "nothing is a name": "«!name.is_empty()» && !name" => "true";
        "a state ends where the table does":
            "let last = «self.ends[usize::from(state)]»;" => "self.last";
        "what is no UTF-8 is in the first line":
            "let line = «1 + before.filter(|byte| **byte == b'\\n').count()»;" => "{ let _ = before; 1 }";
        "a cell may stand twice":
            "match «self.cells.insert(cell, (line, next))» {"
            => "self.cells.insert(cell, (line, next)).filter(|_| false)";
    }
    "detectors/src/amplification/determinism.rs", "the sweep over a log" {
        "accesses of different blocks are ordered by barriers":
            "if !same(&|last| «epoch(last) == epoch(&entry)») {" => "interval(last) == interval(&entry)";
        "barriers of warps order the block":
            "if !same(&|last| «interval(last) == interval(&entry)») {" => "stage(last) == stage(&entry)";
        "the first entry is kept, whatever its mode":
            "if «self.0.iter().all(|(_, other)| other.mode != entry.mode)» {" => "self.0.is_empty()";
    }
    "detectors/src/amplification/log.rs", "the log" {
        "all blocks have one shared array":
            "owner: if «shared» {" => "false";
    }
    "detectors/src/amplification/sort.rs", "the external sort" {
        "what came before stays":
            "if «self.last.replace(entry) != Some(entry)» {" => "true";
        "runs are as long as the log":
            "if «self.held.len() == self.room» {" => "false";
    }
    "detectors/src/amplification/walk.rs", "taint" {
        "conditions taint nothing":
            "let taint = «value.taint.or(self.around())»;" => "value.taint";
        "what follows a return is not guarded":
            "«self.guard.or(self.left).or(self.continued).or(self.broken)»" =>
                "self.guard.or(self.continued).or(self.broken)";
        "what follows a break is not guarded":
            "«self.guard.or(self.left).or(self.continued).or(self.broken)»" =>
                "self.guard.or(self.left).or(self.continued)";
        "a continue decides nothing":
            "«self.guard.or(self.left).or(self.continued).or(self.broken)»" =>
                "self.guard.or(self.left).or(self.broken)";
        "addresses are not looked at":
            "if let Some(taint) = «address» {" => "address.filter(|_| false)";
        "locals without a value hold nothing":
            "function.is_some_and(|function| «unset(self.kernel, function, v)»)" => "false";
    }
    "detectors/src/amplification/unset.rs", "locals without values" {
        "what is read first is set": "Some(false) => «return true»," => "continue";
        "conditions read nothing":
            "if «condition.is_some_and(|condition| mentions(condition.into(), v))» {" => "false";
    }
    "detectors/src/amplification/inputs.rs", "inputs" {
        "floats are no data":
            "«matches!(kernel[v].ty.innermost(), Type::Float(_) | Type::Vector(..))»" => "false";
        "constants with values are inputs":
            "if «kernel[*v].constant» => Some((*v, initial.as_ref()))" => "false";
    }
    "detectors/src/amplification/invariance.rs", "invariance" {
        "no input decides alone":
            "let decides = |input: &Input| «!walk(kernel, &BTreeSet::from([*input])).holds()»;" => "false";
    }
    "detectors/src/amplification/calls.rs", "taint through functions of the device" {
        "functions of the device store nowhere":
            "let objects: BTreeSet<Object> = «self.pointees(&pointer)»;" => "BTreeSet::new()";
        "data may decide a trap":
            "Device::Trap | Device::Assert => {\n                self.barrier(at, «joined.taint»);" => "None";
    }
    "detectors/src/amplification/value.rs", "taint of values" {
        "a load forgets the address":
            "let mut value = Value { taint: «address», points: BTreeSet::new() };" => "None";
        "what a condition chooses is not tainted by it":
            "Value { taint: «value.taint.or(taint)», ..value }" => "value.taint";
    }
    "detectors/src/amplification/detector.rs", "amplification" {
        "a run that does not end is amplified":
            "match «complete(&run)».and_then(" => "Ok(())";
        "contents may decide accesses":
            "decide.iter().find(|input| «matches!(input, Input::Contents(_))»)" => "false && matches!(input, Input::Contents(_))";
    }
    "detectors/src/amplification/rewrite.rs", "the rewriting of Fig. 6" {
        "an inner condition forgets the outer":
            "«self.branch(condition, then, otherwise, Some(guard), at)?»" => "self.branch(condition, then, otherwise, None, at)?";
        "places with effects are rewritten":
            "if «!is_pure(place.as_ref().into())» || !is_pure" => "false";
    }
}
