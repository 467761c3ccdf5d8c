//! Mutants of the front end.

mutants! {
    "frontend/src/arith.rs", "expressions of kernels" {
        "an extension keeps the pattern":
            "return if «!from.signed || ranges.of(&num, from).0 >= 0» {" => "true";
        "two conversions are the outer one":
            "Num::Cast(inner, at, n) if «at.width >= to.width» =>" => "{ let _ = at; true }";
        "not less is greater": "Relation::Lt => «Relation::Ge»," => "Relation::Gt";
        "a flag that a then side raises is raised by nothing else":
            "(Bool::Lit(true), _) => «or(c, otherwise)»," => "c";
        "no truncation is needed":
            "ranges.natural(num).is_some_and(|r| «r.1 <= i128::from(t.width.mask())»)"
            => "{ let _ = (r, t); true }";
    }
    "core/src/interval/word.rs", "intervals of kernels" {
        "a negative pattern is negative at every type": "if «t.width > from.width» {" => "false";
        "the least difference is that of the least":
            "MachineOp::Sub => fit((«l.0 - r.1», l.1 - r.0), t)," => "l.0 - r.0";
        "no remainder is negative": "MachineOp::Rem if «r.0 >= 1 && l.0 >= 0» =>" => "r.0 >= 1";
    }
    "frontend/src/lower/loops/mod.rs", "loops of kernels" {
        "the update of a loop is not made": "«s.effects(update)?;»" => "let _ = update;";
        "a continue ends the loop": "«self.env.lower(&[syntax.continued]);»" => "";
        "a do loop tests its condition first":
            "false => «s.turn(syntax, next)»," => "next(s)";
    }
    "frontend/src/lower/loops/counters.rs", "counters that go on by an unsigned step" {
        "any step is a number of the counter's type":
            "or_insert(«of_its_type»)" => "true | of_its_type";
        "no variable is a counter":
            "let signed = |v: &VarId| «matches!(self.env.ctype(*v), CType::Int(t) if t.signed)»;"
            => "self.env.ctype(*v) == &CType::Void";
        "a step down is none": "_ if «is_it(without(l))» => r," => "is_it(without(l)) && *op == MachineOp::Add";
    }
    "frontend/src/whole.rs", "files that are none" {
        "a closing bracket closes any": "\"}\" if «closes(\"{\")» => drop(open.pop())," => "true";
        "a comment never ends": "let ends = «text.len() >= 4» &&" => "text.len() > 4";
        "an open conditional is decided": "if «!expanded.doubts.is_empty()» ||" => "false";
    }
    "frontend/src/lower/bits.rs", "functions of bits" {
        "a product has no upper half": "MachineOp::Shr, wide, product, «lit(32)»)" => "lit(0)";
        "a number is below itself": "compare(«Relation::Lt», t, x.clone(), lit(1_u64 << k)" => "Relation::Le";
        "bits are counted from 0": "sum(places.chain([«nonzero(x.clone())»]))" => "lit(0)";
        "the last bit is none":
            "sum((0..«t.width.bits()»).map(of))" => "(t.width.bits() - 1)";
        "pairs of bits stay": "if «size == 0» {" => "size == 1";
    }
    "frontend/src/lower/fields.rs", "fields that are the same for all threads" {
        "a structure that the kernel changes is a parameter":
            "let changed = «otherwise.contains(&path.0)» &&" => "false";
        "fields of a structure are one":
            "if !changed && «!self.uniform.contains_key(&path)» {" => "self.uniform.is_empty()";
    }
    "frontend/src/resolve/records.rs", "what is said of structures" {
        "what is said of an alignment does not count":
            "let (mut laid, mut end, mut most) = (Vec::new(), 0u64, «least»);" => "least.min(1)";
    }
    "clang/src/translate/opencl_values.rs", "what OpenCL C has of its own" {
        "vectors in memory overlap":
            "offset.clone().converted(&size, at), «u64::from(stride)»)" => "u64::from(stride.min(1))";
        "only what is chosen is read": "if «both_local(&a, &b)» {" => "true";
    }
    "clang/src/translate/opencl_atomics.rs", "atomic functions of OpenCL C" {
        "an update of C11's is not known":
            "match «name.strip_prefix(\"fetch_\").unwrap_or(name)» {" => "name";
    }
    "frontend/src/lower/loops/ahead.rs", "limits that are read in inputs" {
        "a limit is the same though its place changes":
            "*array == same && «self.stands_before(&index.subst(&fixed), trial)»;" => "true";
        "a limit is the same though iterations write its array":
            "if «trial.body.written().contains(array)» {" => "false";
        "a limit is the same behind a barrier":
            "let alone = «!trial.body.has_sync()» &&" => "true";
    }
    "frontend/src/lower/prune.rs", "reads that are no other accesses" {
        "a cell that was read before a barrier is not read behind it":
            "Stmt::Sync { .. } => {\n                «self.seen.clear();»" => "";
        "what stands below a guard has been read": "«self.before.split_off(mark)»" => "Vec::new()";
        "any two reads at a place are one":
            "if «self.seen.get(site) == Some(&read)» &&" => "self.seen.contains_key(site)";
    }
    "frontend/src/lower/kernel.rs", "limits that are read in inputs" {
        "a limit is the same though its array is written":
            "if «found.is_disjoint(&lower.arrays.inputs)» && more_rows.is_none() {"
            => "true || found.is_empty()";
        "a block that was taken for a row stays one":
            "found.is_disjoint(&lower.arrays.inputs) && «more_rows.is_none()» {" => "true";
    }
    "frontend/src/lower/groups.rs", "cooperative groups" {
        "tiles have any number of threads":
            "Ok(size) if «!size.is_power_of_two()» =>" => "false";
        "tiles of a tile may be larger":
            "(_, Some(of)) if «self.threads_of(scope).is_none_or(|threads| of < threads)» =>"
            => "{ let _ = of; false }";
        "a tile of a tile counts those of the block":
            "Some(of) => «machine(MachineOp::Rem, t, place, lit(of.into()))»,"
            => "{ let _ = of; place }";
        "a thread gets back what it gives": "Some(ctype) => Ok(«self.unknown(&ctype, value.at)»),"
            => "{ let _ = ctype; known }";
        "a mask of one tile is that of each":
            "all.all(|thread| «names(thread) == Some(true)»)" => "names(thread).is_some()";
        "a `dim3` has one dimension": "«self.launches.mention(of);»" => "let _ = of;";
    }
    "frontend/src/resolve/groups.rs", "cooperative groups" {
        "own functions hide those of groups":
            "return match «by_argument» && !self.taking(" => "{ let _ = by_argument; false }";
        "any argument is a group":
            "self.expr(node).is_ok_and(|value| «matches!(value.ty, Type::Group(_))»)"
            => "value.at.0 < u32::MAX";
    }
    "frontend/src/lower/copies.rs", "asynchronous copies" {
        "a copy passes every barrier": "[copies.at_barrier, «copies.at_group»]"
            => "copies.at_barrier";
        "something may be done between an arrival and its wait":
            "if «self.arrival != Some(self.here())» {" => "self.arrival.is_none()";
    }
    "frontend/src/lower/flight/mod.rs", "copies in flight" {
        "a copy is made at its call only":
            "out.extend(«flight.stages.iter().rev().cloned()»);" => "flight.stages[..0].iter().rev().cloned()";
        "a wait leaves one stage more":
            "flight.stages.truncate(stays.saturating_add(«1»));" => "2";
    }
    "frontend/src/lower/flight/rounds.rs", "copies that loops have in flight" {
        "an iteration leaves what it will": "self.iteration(end, (k, back + «1»), fresh)?" => "0";
        "what a loop began with is complete": "return Some(both(«entry», all));" => "Stmt::Skip";
    }
    "frontend/src/lower/flight/clashes.rs", "own accesses of copies in flight" {
        "a thread may access what it copies":
            "if «same == Bool::Lit(false)» {" => "{ let _ = same; true }";
    }
    "frontend/src/lower/matrix.rs", "fragments of matrices" {
        "columns are rows":
            "let (lines, length) = match «by_columns» {" => "{ let _ = by_columns; false }";
        "each fragment is held otherwise":
            "self.fragments.iter().find(|(known, _)| «*known == key»)"
            => "{ let _ = known; key == babycuda_kernel::Type::Void }";
    }
    "frontend/src/lower/launches.rs", "cooperative groups" {
        "tiles divide blocks that nobody partitions":
            "let all = «self.out.depth() == 1 && self.env.active() == Bool::Lit(true)»;" => "true";
        "what only some threads evaluate divides their block":
            "if all && «!self.mode.perhaps»" => "true";
        "a thread's place in its block is its first index": "if «!rows» {" => "{ let _ = rows; true }";
    }
    "frontend/src/misread.rs", "cooperative groups" {
        "a declaration may be an expression":
            "if «is_variable != matches!(taken, Taken::Expression)» {" => "{ let _ = &taken; is_variable }";
    }
    "frontend/src/lower/intrinsics.rs", "cooperative groups" {
        "a lane gets back what it gives":
            "let value = match «exchanged == Some(number)» {" => "false";
    }
    "frontend/src/lower/loops/counted.rs", "loops of kernels" {
        "the last test of a condition has no effects":
            "«self.leave_counted(plan)?;»\n        }\n        Ok(())" => "";
    }
    "frontend/src/lower/loops/breaks.rs", "loops that a break ends" {
        "several breaks are one":
            "flags.filter(|_| !taken || «exits(plan.syntax.body) == 1»)" => "true";
        "the iteration that a break leaves is not there":
            "if «!plan.breaks» {" => "true";
        "what stands behind a break that is taken runs":
            "«self.env.raise(flag);»\n        }\n    }\n}" => "";
    }
    "frontend/src/lower/floats.rs", "floats that are known" {
        "sums are exact":
            "(sum, «(l - (sum - other)) + (r - other) == 0.0»)" => "true";
        "all doubles are floats":
            "«f64::from(value as f32) == value» && (value == 0.0" => "true";
        "what is behind the point counts":
            "let whole = «self.value.trunc()»;" => "self.value.ceil()";
    }
    "frontend/src/lower/loops/fits.rs", "counters that leave their type" {
        "what doubles fits":
            "return «values.into_iter().map(fits).fold(Bool::Lit(true), and)»;" => "values.into_iter().map(fits).fold(Bool::Lit(true), |_, _| Bool::Lit(true))";
    }
    "kernel/src/surface.rs", "surfaces" {
        "rows are as long as a byte": "before += «bits»;" => "&0";
        "nobody gets behind the edge": "let guard = make(ExprKind::Conditional(Box::new([«inside», nothing, trap])), Type::Void);" => "Expr::int(inside.ty, 1, at)";
    }
    "frontend/src/lower/loops/recurrence.rs", "closed forms" {
        "what goes down goes up":
            "Form::Down(step) => machine(«MachineOp::Sub», *t, start, times(step, k)),"
            => "MachineOp::Add";
        "the number of bits to shift wraps around": "let k = if «few» {" => "few || true";
        "negative numbers are divided by shifting":
            "MachineOp::Div if is_x(l) && «ranges.of(start, *at).0 >= 0» =>" => "true";
        "an unsigned shift is made at the type of the variable":
            "Some((if matches!(form, Form::Right(_)) { «*at» } else { t }, form))" => "t";
        "every first value is the second":
            "«select(even, start, flipped)»" => "select(even, flipped, start)";
        "what follows from the iteration before follows from this one":
            "let before = «natural(ArithOp::Sub, k.clone(), lit(1))»;" => "k.clone()";
    }
    "frontend/src/lower/loops/times.rs", "how often loops run" {
        "a loop up to and including its bound runs once too few":
            "(false, _) => {\n                let whole = machine(MachineOp::Div, u, distance, step.clone());\n                «natural(ArithOp::Add, whole, lit(1))»"
            => "whole";
    }
    "frontend/src/lower/loops/trip.rs", "how often loops run" {
        "the farther of two limits ends a loop":
            "natural(«ArithOp::Min», one, other);" => "ArithOp::Max";
        "a part of a condition that does not change is ignored":
            "counted.count = «select(enabled, counted.count, lit(0))»;"
            => "{ let _ = enabled; counted.count }";
    }
    "frontend/src/lower/switch.rs", "switches of kernels" {
        "a case does not fall through":
            "«entered = or(entered, label.unwrap_or_else(|| otherwise.clone()));»"
            => "entered = label.unwrap_or_else(|| otherwise.clone());";
        "default is always entered":
            "let otherwise = «crate::arith::not(any)»;" => "{ let _ = any; Bool::Lit(true) }";
        "a break leaves no switch":
            "let runs = «and(entered.clone(), s.env.active())»;" => "entered.clone()";
    }
    "frontend/src/lower/operators.rs", "expressions of kernels" {
        "pointers only go up":
            "let op = if «op == PLUS» { MachineOp::Add } else { MachineOp::Sub };"
            => "{ let _ = op; true }";
    }
    "frontend/src/lower/layout.rs", "cells of kernels" {
        "pointers count cells": "Some(machine(MachineOp::Mul, IntType::U64, elements, «cells»))" => "lit(1)";
        "an access is one of its first cell": "Ok(«(size / cell).max(1)»)" => "1";
        "a part begins where the whole does": "p.index.clone(), «lit(bytes / cell)»);" => "lit(0)";
        "cells are those of the last access": "self.bytes = «gcd(self.bytes, bytes)»;" => "bytes";
        "what is far apart suits any cell":
            "«self.apart(base, apart);»" => "";
        "integers of cells of several types are not known":
            "(Domain::Machine(t), _, CType::Int(u)) if «array.mixed» =>" => "false & array.mixed";
        "what the index is of does not matter": "«self.apart(base, size);»" => "";
    }
    "frontend/src/lower/calls.rs", "what the device provides" {
        "a generator keeps its state": "«self.store_unknown(&state, at)?;»" => "";
        "other results are not stored": "«self.store_unknown(&place, arg.at)?;»" => "";
    }
    "frontend/src/lower/stmt.rs", "what is known of kernels" {
        "a thread goes on behind what is not known":
            "«self.halt(Bool::Lit(true), NEXT, stmt.at);»" => "";
    }
    "frontend/src/lower/kernel.rs", "what is known of kernels" {
        "what cannot be parsed is known": "if «misread» { None } else" => "false & misread";
    }
    "frontend/src/resolve/operators.rs", "expressions of kernels" {
        "the left operand is not converted to the common type":
            "_ => («common(l, r)», common(l, r))," => "l";
        "a shift computes at the type of its count":
            "\"<<\" | \">>\" => («promote(l)», promote(r))," => "promote(r)";
        "a comparison is an integer":
            "let result = if compares { «Type::Bool» } else { Type::Int(l) };" => "Type::Int(l)";
    }
    "frontend/src/resolve/records.rs", "structures of kernels" {
        "fields follow each other without room":
            "let offset = «end.checked_next_multiple_of(alignment)?»;" => "{ let _ = alignment; end }";
    }
    "kernel/src/constant.rs", "constants of kernels" {
        "a constant may overflow": "(!t.signed || «t.read(bits) == result»).then_some(bits)" => "true";
    }
    "kernel/src/graph.rs", "control flow of kernels" {
        "a continue skips the update": "self.continues.replace(«update»)" => "test";
    }
    "frontend/src/resolve/functions.rs", "kernels of a file" {
        "all instances of a template are one":
            "self.instances.iter().find(|(other, _)| «*other == instance»)"
            => "other.definition == instance.definition";
    }
    "frontend/src/lower/conversions.rs", "expressions of kernels" {
        "a negative index is extended with zeros":
            "Ok(«cast(t, IntType::U64, num, &self.ranges)»)"
            => "cast(IntType { signed: false, ..t }, IntType::U64, num, &self.ranges)";
        "an assignment converts nothing":
            "Value::Int(*t, «cast(from, *t, num, &self.ranges)»)" => "{ let _ = from; num }";
        "what is negative is false":
            "compare(«Relation::Ne», t, num, lit(0), &self.ranges)" => "Relation::Gt";
        "a group is one of any class":
            "if «group.scope == *scope && !group.any» =>" => "{ let _ = scope; true }";
    }
    "frontend/src/lower/atomics.rs", "atomics of kernels" {
        "atomics of a block are those of the device": "(base, «Scope::Block»)" => "Scope::Device";
        "what is expected is what is stored":
            "(op == AtomicOp::Cas).then(|| self.payload(«values[0].clone()», at))"
            => "values[1].clone()";
    }
    "frontend/src/lower/branch.rs", "branches of kernels" {
        "an else side knows the condition to hold":
            "«self.in_block_where(&not(condition.clone()), otherwise)?»"
            => "self.in_block_where(&condition, otherwise)?";
        "a branch leaves the values of the other side":
            "let joined = «select(condition.clone(), x, y)»;" => "select(condition.clone(), y, x)";
        "a branch changes nothing":
            "«self.join(&condition, then_values, at);»" => "let _ = then_values;";
    }
    "frontend/src/lower/order.rs", "the order of operands" {
        "a call changes none of its arguments":
            "if «self.may_change(*v, &self.kernel[*function].body, depth)» {" => "false";
        "no operand is looked at": "if «changed.is_empty()» {" => "changed.len() < 100";
        "a pointer of another name is another place":
            "inside.contains(&parameter) || «self.aliases(body.into(), parameter)»" => "false";
    }
    "frontend/src/broken.rs", "kernels of a file" {
        "a kernel that cannot be read is dropped":
            "if !is_known && «!around.take(MAX_DEPTH).any(harmless)» {" => "{ let _ = (around, harmless); false }";
        "what instantiates a template is a kernel":
            "template.is_some_and(|name| «defined.contains(name)»)" => "{ let _ = name; false }";
        "an instantiation needs no template":
            "template.is_some_and(|name| «defined.contains(name)»)" => "{ let _ = name; true }";
        "a prototype is a kernel":
            "«!node.has_error() && function_declarator(node).is_some()»" => "false";
        "no macro of a missing header makes a kernel":
            "let is_possible = «asks.contains(&true)» &&" => "asks.is_empty()";
    }
    "frontend/src/other.rs", "kernels that another parser reads" {
        "what is in doubt is read all the same":
            "if let Some(refusal) = «self.doubt(&doubts, &entry)».filter(|_| !vague) {" => "None::<Refusal>.filter(|_| self.doubt(&doubts, &entry).is_some())";
        "the file overrides the command line":
            "let overridden = «self.unit.expanded.overridden.as_ref()»;" => "None::<&Reason>";
        "a barrier orders all memory":
            "= «fences::crossed(&program, &narrow)» {"
            => "fences::crossed(&program, &narrow).filter(|_| false)";
    }
    "frontend/src/fences.rs", "barriers of shared memory" {
        "a loop does not come back":
            "&& «body.subterms().any(is_other)»" => "false";
        "a part has the barriers of the other space":
            "Stmt::Sync { site, .. } if «(self.left_out)(*site)» => Stmt::Skip," => "false";
        "what is read in the other space is 0":
            "contents: «Contents::Opaque»," => "Contents::Fill(0u64.into())";
        "no barrier is passed": "«passed += 1;»" => "passed += 0;";
    }
    "clang/src/translate/types.rs", "what clang reads" {
        "destructors do nothing":
            "if declared.definition_data.is_some() && «!self.is_left_alone(declared)» {" => "false";
    }
    "clang/src/translate/calls.rs", "what clang reads" {
        "every implicit assignment copies":
            "(definition.is_implicit || definition.body().is_none()) && «class.is_some_and(copies)»"
            => "(class.is_some_and(copies) || true)";
        "names of CUDA are certain": "match shared && «!exact» {" => "{ let _ = exact; false }";
    }
    "clang/src/translate/declare.rs", "what clang reads" {
        "each call has shared variables of its own":
            "let v = match «self.globals.get(&*node.id)» {" => "None::<&babycuda_kernel::Var>";
    }
    "clang/src/translate/operators.rs", "what clang reads" {
        "OpenCL C shifts as C does": "if «self.opencl» && shifts =>" => "false";
    }
    "frontend/src/builtin.rs", "contracts" {
        "what a kernel requires is assumed in any case": "if «!options.ignore_requires» {" => "true";
        "a comment requires something of all kernels":
            "filter(|(_, r)| «about(&r.span).is_some_and(|f| *f == own)»)" => "{ let _ = r; true }";
    }
    "frontend/src/lower/launches.rs", "all grids" {
        "who asks for one block gets all":
            "None => («self.any_grid()» && grid_mentioned.contains(&true))" => "true";
    }
}
