//! Mutants of the solver path: terms, intervals, ways and queries.

mutants! {
    "protocols/src/solve/encode.rs", "expressions as terms" {
        "an extension keeps the pattern":
            "«operand.reading(*from)?»" => "operand.pattern(from_bits)?";
        "a signed remainder has the sign of the quotient":
            "let r = «Int::select(&x_negative, &zero.sub(&r)?, &r)?»;"
            => "Int::select(&x_negative.xor(&y_negative)?, &zero.sub(&r)?, &r)?";
        "a signed quotient is never negative":
            "let q = «Int::select(&x_negative.xor(&y_negative)?, &zero.sub(&q)?, &q)?»;" => "q";
        "a selection exchanges its sides":
            "«Quantity::select(&bool(c, scope)?, &then, &otherwise)?»"
            => "Quantity::select(&bool(c, scope)?, &otherwise, &then)?";
        "subtraction is not truncated": "«difference.max(&Int::literal(0))»" => "Ok(difference)";
        "at most is less": "Relation::Le => «r.less(l)?.not()»" => "l.less(r)";
        "the left side of a comparison is a pattern":
            "Some(t) => («scope.refine(l.reading(t)?)», scope"
            => "scope.refine(l.pattern(t.width.bits())?)";
        "or is exclusive": "MachineOp::Or => «Term::or([x, y])?»" => "x.xor(&y)?";
        "or has as many bits as its smaller side":
            "let count = if «op == MachineOp::And» {" => "true";
        "a shift to the right fills with zeros":
            "let value = «l.reading(t)?»;" => "l.pattern(width)?";
        "a mask masks nothing": "return Ok(«value.mod_literal(&modulus)?»);" => "value.clone()";
        "the least of signed integers is that of patterns":
            "MachineOp::Min => «pattern(l.reading(t)?.min(&r.reading(t)?)?)»,"
            => "pattern(l.pattern(width)?.min(&r.pattern(width)?)?)";
        "signed integers are divided as patterns":
            "MachineOp::Div => «pattern(quotient(&l.reading(t)?, &r.reading(t)?)?.0)»,"
            => "pattern(quotient(&l.pattern(width)?, &r.pattern(width)?)?.0)";
        "a divisor is never negative":
            "if «x.nonnegative() && y.nonnegative()» {" => "x.nonnegative()";
    }
    "protocols/src/solve/overflow.rs", "machine arithmetic" {
        "what is exact of one sign is exact of any": "if «!given» {" => "false & given";
        "a sum that moves the wrong way may be exact": "if !t.signed || at != t || «left != start» {" => "false";
    }
    "protocols/src/solve/quantity.rs", "intervals of terms" {
        "patterns are equal only where their integers are":
            "is_some_and(|(low, high)| «high - low < all»);" => "high - low < all * 2";
        "n / 0 = n":
            "if divisor.is_zero() {\n                return «Ok(Int::literal(0))»;"
            => "Ok(self.clone())";
        "n % 0 = 0": "return if divisor.is_zero() { «Ok(self.clone())» }" => "Ok(Int::literal(0))";
        "the divisor is as large as the largest dividend":
            "Interval::compare(«Relation::Lt», &self.range, &other.range) == Some(true)"
            => "Relation::Le";
        "a divisor that may be 0 is taken for positive":
            "if «self.range.is_positive()» {\n            return Ok(otherwise.clone());"
            => "self.range.is_nonnegative()";
        "only what has the same interval is equal":
            "if «self.range.meet(&other.range).is_empty()» {" => "self.range != other.range";
        "the lesser is the greater":
            "«Int::select(&self.less(other)?, self, other)?»"
            => "Int::select(&self.less(other)?, other, self)?";
        "a pattern is not reduced":
            "let natural = «integer.mod_literal(&power(width))?»;" => "integer.clone()";
        "a narrow sum is read at a wider type": "Some((w, integer)) if «*w >= width» =>" => "true";
        "a sum that is 2^(w-1) is read as positive":
            "if «ring.within(&-half.clone(), &(&half - 1))» {"
            => "ring.within(&-half.clone(), &half)";
        "the pattern 2^(w-1) is read as positive":
            "if «pattern.within(&BigInt::zero(), &(&half - 1))» {"
            => "pattern.within(&BigInt::zero(), &half)";
        "a negative pattern is read one too large":
            "let shifted = «pattern.sub(&Int::literal(power(width)))?»;"
            => "pattern.sub(&Int::literal(power(width) - 1))?";
        "2^w is a pattern":
            "if «self.within(&BigInt::zero(), &(divisor - 1))» {"
            => "self.within(&BigInt::zero(), divisor)";
    }
    "protocols/src/solve/world.rs", "threads of a query" {
        "two threads may be one":
            "if self.threads.of_one_block() {\n            «self.query.assert(&Term::or(apart)?)?;»"
            => "let _ = apart;";
        "positions are not bounded by the block": "«self.query.assert(&less)?;»" => "let _ = less;";
        "blocks have at most 64 threads":
            "Extent::Symbolic => Interval::new(1, «room.min(u64::from(MAX_BLOCK_DIM[d]))»),"
            => "room.min(64)";
        "two blocks may be one":
            "if across {\n            «self.query.assert(&Term::or(apart)?)?;»" => "let _ = apart;";
        "all layers of a block are one":
            "let rows = «y.natural.add(&height.natural.mul(&z.natural)?)?»;"
            => "y.natural.add(&z.natural)?";
        "assumptions are noted and not made":
            "for assumption in &uniform {\n            «world.assume(assumption, 0, &nowhere)?;»"
            => "world.note(assumption, 0, &nowhere)?;";
        "equal indices of opaque arrays give equal values":
            "let given = «a.contents == Contents::Any» ||" => "a.contents != Contents::Undefined";
    }
    "protocols/src/solve/contents.rs", "assumptions over contents" {
        "an assumption holds outside of its ranges":
            "«self.query.assert(&guard.implies(&holds)?)?»;" => "self.query.assert(&holds)?";
        "the end of a range is in it":
            "guards.push(«x.less(&high?.natural)?»);" => "high?.natural.less(x)?.not()?";
        "what is read at x + k is assumed of x":
            "let value = «at.natural.sub(&Int::literal(k.clone()))?»;"
            => "{ let _ = &k; at.natural.clone() }";
        "few instances are enough":
            "let values: Vec<Int> = «values.iter().map(literal).collect()»;"
            => "{ let _ = (values, literal); Vec::new() }";
        "the assumptions of cells without values hold":
            "defined.push(«index.natural.less(&Int::literal(k.len()))?»);"
            => "{ let _ = k; Term::bool(true) }";
    }
    "protocols/src/solve/chains.rs", "assumptions over contents" {
        "a chain has one cell more":
            "lower: after(&lower), upper: «after(&upper)» }" => "after(&after(&upper))";
        "all cells are neighbours": "|| «next != &start + 1» ||" => "false";
        "no index of an assumption wraps":
            "if «wraps(m) || wraps(n)» {" => "{ let _ = (&wraps, n); false }";
        "what rises from cell to cell rises once":
            "Relation::Lt => «Bool::and(compared(relation), less_by(&low, &high, apart, op.machine))»,"
            => "{ let _ = apart; compared(relation) }";
    }
    "protocols/src/solve/amounts.rs", "values of atomic updates" {
        "every operand is at most its share":
            "if «operands.iter().all(|operand| self.is_at_most(operand, &share))»" => "true";
    }
    "protocols/src/solve/walk.rs", "ways to accesses" {
        "the declared values of an input are any values":
            "«self.query.assert(&here.implies(&there)?)?;»" => "let _ = here.implies(&there)?;";
        "counters start anywhere": "«self.query.assert(&from)?;»" => "let _ = from;";
        "counters end anywhere": "«self.query.assert(&to)?;»" => "let _ = to;";
        "no counter is shared":
            "self.loops(var, «*shared», thread, (lower, upper), &locals)?;"
            => "{ let _ = shared; false }";
        "all counters are shared":
            "self.loops(var, «*shared», thread, (lower, upper), &locals)?;"
            => "{ let _ = shared; true }";
        "two reads of a cell may differ":
            "«self.query.assert(&consistent)?;»" => "let _ = consistent;";
        "the second index is that of the first thread":
            "left.equal(&self.num(&second.index, «1», &b)?)?;" => "0";
    }
    "protocols/src/solve/path.rs", "ways to accesses" {
        "an else side has the condition of its then side":
            "self.perhaps(«Step::Guard(Bool::not(condition.clone()))», otherwise);"
            => "Step::Guard(condition.clone())";
        "no data matters to an access": "«relevant.push(step);»" => "";
    }
    "protocols/src/solve/counters.rs", "values of atomic updates" {
        "a plain access of a counter does no harm":
            "let AccessMode::At(scope) = access.mode else { «return None» };" => "continue";
        "an update that is not known does no harm":
            "let update = «self.known.get(&access.site)?»;\n            if !scope"
            => "match self.known.get(&access.site) { Some(u) => u, None => continue }";
        "an update adds no more than it must":
            "match (&z.operand, «all.single()») {" => "all.lower.as_ref()";
        "updates within blocks are ordered across blocks":
            "if «!scope.covers(!across)» {" => "{ let _ = scope; false }";
        "a sum always fits":
            "width.is_none_or(|w| «sum.as_ref().is_some_and(|sum| *sum <= power(w))»)"
            => "{ let _ = w; true }";
        "one thread makes all updates":
            "access.times.as_ref().map(|n| «n * threads»)" => "{ let _ = threads; n.clone() }";
        "other blocks have the phases of this one":
            "filter(|_| x.here && y.here && «!across»)" => "(true || across)";
        "updates of an earlier phase are of this one":
            "phase.filter(|_| «x.here && y.here» && !across)" => "true";
        "updates stand in the first phase that has them":
            "let phase = there.next().filter(|_| «there.next().is_none()»);" => "true";
        "blocks share their counters":
            "if «world.threads == Threads::DifferentBlocks && !across» {" => "false";
        "constants that are equal are other cells":
            "matches!((a, b), (Num::Lit(j), Num::Lit(k)) if «j != k»)" => "j == k";
        "a sum of 2^w does not fit":
            "width.is_none_or(|w| «sum.as_ref().is_some_and(|sum| *sum <= power(w))»)"
            => "sum.as_ref().is_some_and(|sum| *sum < power(w))";
        "equal additions do not come back":
            "(count? <= «power(w) >> zeros»)" => "{ let _ = zeros; power(w) }";
        "operators of all widths add alike":
            "let at = |t: Option<IntType>| «t.map(|t| t.width.bits()) == width»;"
            => "{ let _ = t; true }";
        "every increment adds":
            "AtomicOp::Inc if «operand.single() == Some(&(power(w) - 1))»" => "true";
        "a winner may leave what others expect":
            "&& «!update.operand.contains(&value)»" => "true";
        "a compare-and-swap expects what the other does":
            "expected(x).filter(|v| «expected(y).as_ref() == Some(v)»)?" => "{ let _ = v; true }";
        "an addition brings nothing back":
            "«matches!(update.op, AtomicOp::Cas | AtomicOp::Exch)»"
            => "matches!(update.op, AtomicOp::Cas | AtomicOp::Exch | AtomicOp::Add(_))";
        "updates of different cells are ordered":
            "self.query.assert(&«same.implies(&holds)?»)?;" => "{ let _ = same; holds }";
        "a site of copies tells which update it is":
            "filter(|_| «self.run.only(*site).is_some()»)" => "true";
        "a sum is that of one order": "x.add(&Int::literal(«sum.clone()»))?" => "sum - 1";
    }
    "protocols/src/solve/period.rs", "values of atomic updates" {
        "loops run once":
            "map(|(n, rounds)| «n * rounds.max(BigInt::zero())»)" => "{ let _ = rounds; n }";
    }
    "protocols/src/solve/facts.rs", "consequences of conditions" {
        "what is less is less by two":
            "let upper = high.range.upper.as_ref().map(|n| «n - gap»);" => "n - gap - 1";
        "what is greater is greater by two":
            "let lower = low.range.lower.as_ref().map(|n| «n + gap»);" => "n + gap + 1";
        "at most is less":
            "(Relation::Le, true) | (Relation::Gt, false) => facts.order(&left, &right, «false»)?,"
            => "true";
        "both sides of a disjunction hold":
            "if «(*op == BoolOp::And) == truth» {" => "{ let _ = op; true }";
        "a negation is what it negates": "consequences(operand, «!truth», scope, facts)" => "truth";
    }
    "protocols/src/solve/alike.rs", "groups of accesses" {
        "the largest number of a group is left out":
            "(Num::lit((*least).clone()), «Num::lit(*most + &Natural::from(1u32))»)"
            => "Num::lit((*most).clone())";
        "the conditions of one access are those of its group":
            "let prefix = «both.take_while(|(a, b)| a == b).count()»;" => "both.count()";
        "the second number of a group is its first":
            "known.get(«next.next()?.as_slice()»)"
            => "{ let _ = next.next(); columns.first()?.as_slice() }";
    }
    "protocols/src/solve/bounds.rs", "guesses of parameters" {
        "a guess is no pattern of its type":
            "Domain::Machine(t) => Some(«BigInt::from(value) & (power(t.width.bits()) - 1)»)"
            => "BigInt::from(value)";
        "all parameters are guessed to be one":
            "let value = «if parameter == self.parameter { self.value } else { Guess::OTHERS }»;"
            => "{ let _ = parameter; self.value }";
    }
    "protocols/src/solve/pairs.rs", "pairs of accesses" {
        "no race of few threads is no race":
            "Ok(Answer::Unsat) if «bounds == Bounds::ALL» => return," => "true";
        "a group does not race with itself":
            "let rest = «if first == second { i } else { 0 }»;"
            => "if first == second { i + 1 } else { 0 }";
        "atomics of a block cover other blocks":
            "mode.conflicts(*other, «threads.of_one_block()»)" => "true";
        "groups that may meet never do": "Ok(Answer::Sat(_)) => («false», 1)" => "true";
    }
    "protocols/src/solve/driver.rs", "queries of a protocol" {
        "no divergence of few threads is no divergence":
            "«self.ask(threads, Bounds::ALL, state)»\n    }\n\n    pub(super) fn ask("
            => "self.ask(threads, Bounds::SMALL, state)";
        "an answer for small launches is one for all": "«key.extend(bound);»" => "let _ = bound;";
    }
    "protocols/src/solve/relations.rs", "pairs of threads" {
        "a warp is as large as its block": "self.query.assert(&«if together { same } else { same.not()? }»)?;"
            => "if together { babycuda_smt::Term::bool(true) } else { same.not()? }";
        "pairs of a narrower group count as those of a wider one":
            "self.query.assert(&«if together { same } else { same.not()? }»)?;"
            => "if together { same } else { babycuda_smt::Term::bool(true) }";
        "blocks share their arrays":
            "paths.retain(|p| «self.declarations.is_global(&p.array)»);" => "{ let _ = p; true }";
        "threads that diverge share the periods of updates":
            "self.phases(&segments(&protocol), Threads::SameBlock(relation), «&[]»);" => "&periods";
        "what a warp does is all that happens between its barriers":
            "                _ => «periods»," => "periods.get(number..=number).unwrap_or_default()";
        "threads that diverge are in phase":
            "«self.open.is_empty() && splits.iter().all(|(.., phases)| phases.is_ok())»"
            => "splits.iter().all(|(.., phases)| phases.is_ok())";
        "all blocks decide alike about barriers of the grid":
            "if obligations.is_empty() && «is_uniform(&protocol)» =>"
            => "{ let _ = is_uniform(&protocol); true }";
    }
    "protocols/src/relation.rs", "relations" {
        "barriers of blocks order blocks":
            "if «!protocol.has_sync()» {" => "protocol.scoped_barrier().is_none()";
        "barriers of narrower groups part wider ones":
            "Protocol::Sync { scope, .. } if «*scope < self.within» => Protocol::Skip," => "false";
        "wider barriers part nothing":
            "Protocol::Sync { scope, .. } if «*scope < self.within» => Protocol::Skip,"
            => "*scope != self.within";
        "tiles of any size nest": "«nested && warp.is_power_of_two()»" => "{ let _ = nested; true }";
    }
    "protocols/src/solve/align.rs", "divergence" {
        "groups of narrower scopes decide as the block does":
            "Threads::SameBlock(«Relation { apart: None, ..relation }»)" => "Relation::BLOCK";
        "a barrier of an else side needs no other side":
            "let syncs = «Term::or([side(then_syncs, 0)?, side(otherwise_syncs, 1)?])?»;"
            => "{ let _ = otherwise_syncs; side(then_syncs, 0)? }";
        "threads that part never meet again":
            "if !said
                && «may_meet_again(protocol, site)»" => "false";
    }
    "protocols/src/solve/confirm.rs", "witnesses of models" {
        "both threads are in the block of the first":
            "block: grid.linear(«blocks[thread]»)," => "blocks[thread * 0]";
        "both threads have the position of the first":
            "block.linear(position(reserved::THREAD_IDX, «t»))" => "t * 0";
    }
    "protocols/src/solve/meet.rs", "meeting again" {
        "who comes again was there before":
            "let after = «Bool::compare(Relation::Lt, Num::Var(first.clone()), next.clone())»;"
            => "Bool::compare(Relation::Gt, Num::Var(first.clone()), next.clone())";
        "threads that meet again decided alike":
            "Side::Branch(c) => «world.bool(c, 1, &b)?.not()?»," => "world.bool(c, 1, &b)?";
    }
    "protocols/src/solve/places.rs", "places in the grid" {
        "every number is the extent of a block":
            "is(n, BLOCK_DIM[d]) || «places.block.as_ref() == Some(n)»;" => "matches!(n, Num::Lit(_))";
        "places do not wrap": "most.filter(|most| «*most < power(BITS)») else" => "{ let _ = (most, BITS); true }";
    }
}
