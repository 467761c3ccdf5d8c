//! Mutants of the interpreters that devices compile: texts, not Rust.

mutants! {
    "gpu/kernels/numbers.h", "the interpreter in C" {
        "signs are not extended":
            "return (type & TYPE_SIGNED) != 0 ? «(reduced ^ sign) - sign» : reduced;" => "reduced";
        "a result keeps the bits above its width":
            "return number & («~(u64)0 >> (64 - bits(type))»);" => "~(u64)0";
        "signed integers are compared as patterns":
            "u64 bias = «(type & TYPE_SIGNED) != 0 ? (u64)1 << 63 : 0»;" => "0";
        "truncated subtraction wraps around":
            "case NATURAL_SUB: return «left > right ? left - right : 0»;" => "left - right";
        "a product that does not fit is not marked":
            "*overflow = «HIGH_PRODUCT(left, right) != 0»;" => "false";
        "n % 0 = 0": "case NATURAL_MOD: return right == 0 ? «left» :" => "0";
        "a quotient has the sign of the dividend":
            "bool negate = «negative(type, left) != negative(type, right)»;"
            => "negative(type, left)";
        "a signed remainder has the sign of the quotient":
            "return «negative(type, left)» ? 0 - remainder : remainder;"
            => "negative(type, left) != negative(type, right)";
        "a remainder by zero is zero": "u64 remainder = divisor == 0 ? «dividend» :" => "0";
        "a shift to the left takes its count modulo 64":
            "return «count >= bits(type) ? 0 : left << count»;" => "left << (count & 63)";
        "a shift to the right fills with zeros": "if («negative(type, left)») return ~" => "false";
        "a shift to the right by 64 shifts nothing":
            "return «count > 63 ? 0 : left >> count»;" => "left >> (count & 63)";
        "the least of machine integers is the greatest":
            "case MACHINE_MIN: result = less(type, left, right) ? «left : right»;"
            => "right : left";
        "at most is less":
            "case COMPARE_LE: return «!less(type, right, left)»;" => "less(type, left, right)";
    }
    "gpu/kernels/interpreter.h", "the interpreter in C" {
        "a compare-and-swap always swaps":
            "case ATOMIC_CAS:  return «old == expected ? operand : old»;" => "operand";
        "the greatest of signed integers is that of patterns":
            "case ATOMIC_MAX:  return machine(MACHINE_MAX, «type», old, operand);"
            => "type & ~TYPE_SIGNED";
        "an increment wraps one later":
            "case ATOMIC_INC:  return «old >= operand» ?" => "old > operand";
        "a decrement stays above its bound": "return «old == 0 || old > operand» ?" => "old == 0";
        "an update yields what it stored": "*overflow = wrapped;\n      return «old»;" => "value";
        "all arrays begin where the first does":
            "return program->memory + program->arrays[«2 * array»] + index;" => "0";
        "the last cell of an array is outside":
            "if («index >= program->arrays[2 * array + 1]») {"
            => "index + 1 >= program->arrays[2 * array + 1]";
        "a log is full one access early":
            "return false;\n  }\n  if («self->logged» == program->capacity) {" => "self->logged + 1";
        "a barrier of a group finds the log full one entry early":
            "return now.k;\n        if («self->logged» == program->capacity) {" => "self->logged + 1";
        "an access is of phase 0": "entry[0] = self->pc | «(u64)self->phase» << 32;" => "(u64)0";
        "the log has values for indices": "entry[1] = «index»;" => "value";
        "the last overflow is reported": "if (overflow && «self->overflow == 0») self" => "true";
        "the last unit of fuel is not used": "if («self->fuel == 0») {" => "self->fuel <= 1";
        "a cast extends no sign":
            "reduce(now.type, «extend(now.sub, registers[now.a])»);" => "registers[now.a]";
        "a selection exchanges its sides":
            "registers[registers[now.a] != 0 ? «now.b : now.c»];" => "now.c : now.b";
        "not a is 1 - a": "registers[now.d] = «registers[now.a] == 0»;" => "1 - registers[now.a]";
        "or is and": "? left && right : «left || right»;" => "left && right";
        "a branch is taken when its condition does not hold":
            "next = registers[now.a] «==» 0 ? now.k : next;" => "!=";
        "a write is logged and not made": "«*cell(program, now.k, index) = value;»" => "";
        "rows of a block are columns": "registers[2] = thread / x «% y»;" => "% x";
        "registers that no input fills are not cleared":
            "i < count ? inputs[header[HEADER_INPUT] + i] : «0»;" => "thread + 1";
        "the least stop is not cleared after the second barrier":
            "«lowest[turn ^ 1] = STOP_YIELD;»"
            => "if (self.phase < 2) lowest[turn ^ 1] = STOP_YIELD;";
        "a barrier begins no new phase": "self.phase += «1»;\n      self.pc" => "0";
        "a yield begins a new phase":
            "«if (barrier == STOP_YIELD || meetings[turn] != 0) {»"
            => "if (barrier == STOP_YIELD) self.phase += 1;\n    if (barrier == STOP_YIELD || meetings[turn] != 0) {";
        "who stopped runs again in the next turn":
            "bool runs = active && «stop == STOP_YIELD»;" => "true";
        "a group waits for the whole block": "self->size = «size»;" => "program->threads";
        "a group waits for its first thread alone":
            "if (!self->counted« || *result(program, self->first, COUNTS + round) != self->size») return" => "";
        "every warp has 32 threads": "program.warp = «header[HEADER_WARP]»;" => "WARP";
        "a tile is its warp": "if («scope == SCOPE_TILE») {" => "scope > SCOPE_GRID";
        "a barrier of a group is not logged":
            "«append(self, program, 0, 0);»\n  self->pc += 1;" => "";
        "counts of a group are not cleared":
            "«*result(program, self->index, COUNTS + (round ^ 1)) = 0;»" => "";
        "a yield is paid for":
            "if (self->left == 0) «return true»;" => "return self->fuel -= 1, true";
        "two lanes run one thread": "? «place(seed, jitter, LANES, LANE)» : LANE;"
            => "place(seed, jitter, LANES, LANE | 1)";
        "a swap never fails": "if («seen == old») {" => "true";
        "lanes without a thread access the first cells":
            "GLOBAL volatile u64 *cell = memory + «array[0] + »(x >> 1)" => "";
    }
    "gpu/kernels/interpreter.cl", "the interpreter in C" {
        "a barrier is nothing":
            "#define BARRIER() «barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)»"
            => "do {} while (0)";
        "the smallest stop is the largest":
            "#define SHARED_MIN(word, value) «atomic_min»(word, value)" => "atomic_max";
        "a compare-and-swap is a read and a write":
            "«atom_cmpxchg(cell, expected, value)»" => "(*(cell) = (value), (expected))";
    }
    "gpu/kernels/interpreter.wgsl", "the interpreter in WGSL" {
        "signs are not extended":
            "return «((bits & mask(type_)) ^ sign(type_)) - sign(type_)»;" => "bits & mask(type_)";
        "signed integers are compared as patterns":
            "return «(l ^ sign(type_)) < (r ^ sign(type_))»;" => "l < r";
        "a signed remainder has the sign of the quotient":
            "return select(remainder, (0lu - remainder) & all, «l_negative»);"
            => "l_negative != r_negative";
        "a shift to the left takes its count modulo 64":
            "Number(«select((l << u32(r & 63lu)) & all, 0lu, r >= bits(type_))», false);"
            => "(l << u32(r & 63lu)) & all";
        "a shift to the right fills with zeros":
            "let ones = «select(0lu, all, is_negative(type_, l))»;" => "0lu";
        "a product that does not fit is not marked":
            "return (l_high != 0lu && r_high != 0lu)« || middle > low»;" => "";
        "a compare-and-swap always swaps":
            "return Number(«select(old, operand, old == expected)», false);" => "operand";
        "the greatest of signed integers is that of patterns":
            "select(sub + 3u, sub, sub < 2u), «type_», old, operand);"
            => "select(type_ & 3u, type_, type_ == NATURALS)";
        "all arrays begin where the first does":
            "let cell = «array.x» + u32(a);" => "arrays[first_array].x";
        "a branch is taken when its condition does not hold":
            "if a «==» 0lu {\n                    counter = k;" => "!=";
        "stops are not cleared": "«atomicStore(&largest_complement, 0u);»" => "";
        "a yield is a barrier": "verdict = «NEXT_TURN»;" => "NEXT_PHASE";
        "a swap never fails": "if «attempt.exchanged» {" => "true";
        "a barrier is nothing":
            "«storageBarrier();\n        workgroupBarrier();»\n        if is_thread {\n            count();" => "";
        "a group waits for its first thread alone":
            "let goes_on = is_thread && counted« && group_count() == group_size»;" => "";
        "every warp has 32 threads":
            "warp_size = «max(programs[header + HEADER_WARP], 1u)»;" => "WARP";
        "a tile is its warp": "if «scope == SCOPE_TILE» {" => "scope > SCOPE_GRID";
        "a barrier of a group is not logged": "«append_entry(0lu, 0lu);»" => "";
        "counts of a group are not cleared":
            "«atomicStore(&threads[first_result + own * RESULT_WORDS + COUNT], 0u);»\n        }\n        if goes_on" => "";
    }
}
