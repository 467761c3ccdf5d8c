//! Mutants of the embedded solver: circuits, intervals, values and simplification.

mutants! {
    "smt/src/builtin/words.rs", "circuits" {
        "a carry is made and never passed on":
            "«carry = self.majority(*x, *y, carry);»" => "carry = self.and(*x, *y);";
        "a difference is one too small": "self.add(a, &invert(b), «Bit::TRUE»)" => "Bit::FALSE";
        "only the highest bits are compared":
            "less = «self.majority(!*x, *y, less)»;" => "self.and(!*x, *y)";
        "signed words are compared as unsigned ones": "*sign = «!*sign»;" => "*sign";
        "no word is negative": "let negative = «bits.last() == Some(&true)»;" => "false";
        "a run of ones is added twice":
            "sum = self.accumulate(sum, &row, start, «true»);" => "false";
        "a negative factor is positive": "if «*sign == Bit::FALSE || shift >= width» {" => "true";
        "words are extended with zeros":
            "let sign = «word.last().copied().unwrap_or(Bit::FALSE)»;" => "Bit::FALSE";
    }
    "smt/src/builtin/gates.rs", "circuits" {
        "exclusive or lacks a clause": "«self.clause(&[out, a, !b]);»" => "";
        "and may be false where both sides are true": "«self.clause(&[out, !a, !b]);»" => "";
        "the majority of a bit and its inverse is the bit": "None if x == !y => return «z»," => "x";
        "a choice of nothing or something is made backwards":
            "(Some(false), _) => return «self.and(!condition, otherwise)»,"
            => "self.and(condition, otherwise)";
        "the sum of three bits is inverted":
            "let odd = «pattern.count_ones() % 2»;" => "(pattern.count_ones() + 1) % 2";
    }
    "smt/src/builtin/divide.rs", "circuits" {
        "a remainder may be the divisor":
            "let small = self.below(&resize(&r, width), &resize(&size, width), «false»);" => "true";
    }
    "smt/src/builtin/encode.rs", "circuits" {
        "integers have no room for their sign":
            "usize::try_from(bits(lo).max(bits(hi)) + «1»).ok()" => "0";
        "at most is less": "Op::Le => Some(c.below_signed(&x, &y, «true»))," => "false";
        "no integer is negative": "if «interval.is_nonnegative()» {" => "true";
    }
    "core/src/interval/mod.rs", "intervals" {
        "a quotient by a negative divisor is rounded the other way":
            "(Sign::Minus, Sign::Minus) => «(q + 1, r - d)»," => "(q - 1, r + d)";
        "the least product is that of the least":
            "lower: «corners.iter().min().cloned()»," => "Some(a * c)";
        "words have no highest bit":
            "Domain::Machine(t) => Interval::new(0, «t.width.mask()»)," => "t.width.mask() >> 1";
        "what is at most is less":
            "Relation::Lt => («less(l, r)», at_most(r, l))," => "at_most(l, r)";
        "what is not less is greater":
            "Relation::Le => (at_most(l, r), «less(r, l)»)," => "at_most(r, l)";
        "the least quotient is one by a divisor that is not 0":
            "(Some(lo), Some(hi)) if «r.is_positive()» => euclid(lo, hi).0,"
            => "r.is_nonnegative()";
        "the interval of both ends with the lesser":
            "upper: «pick(&self.upper, &other.upper, Ord::max, false)»,"
            => "pick(&self.upper, &other.upper, Ord::min, false)";
        "the greatest negation is that of the greatest":
            "Interval { lower: «self.upper.as_ref().map(|n| -n)»,"
            => "self.lower.as_ref().map(|n| -n)";
        "a product of unlike signs is forgotten":
            "let corners = [a * c, a * d, «b * c», b * d];" => "a * c";
        "a negative factor exchanges no ends": "if «k.is_negative()» {" => "false";
        "a remainder is below the least divisor":
            "let most: BigInt = «lo.abs().max(hi.abs()) - 1»;" => "lo.abs().min(hi.abs()) - 1";
        "a remainder of a negative number is at most that":
            "if «self.is_nonnegative()» {\n            // A remainder" => "true";
        "0 is positive":
            "«self.lower.as_ref().is_some_and(Signed::is_positive)»" => "self.is_nonnegative()";
        "the greatest does not belong":
            "self.upper.as_ref().is_none_or(|hi| «n <= hi»)" => "n < hi";
    }
    "smt/src/model.rs", "values of terms" {
        "a selection exchanges its sides":
            "if «self.lookup(condition)? == Value::Bool(true)» {"
            => "self.lookup(condition)? == Value::Bool(false)";
    }
    "smt/src/simplify/radix.rs", "the mixed-radix lemma" {
        "the lower digit may be large": "&& «facts.prove(algebra, &room.minus(&low))»" => "true";
        "the lower digit may be small": "&& «facts.prove(algebra, &room.plus(&low))»" => "true";
    }
    "smt/src/simplify/facts.rs", "simplification" {
        "less is at most":
            "let one = Poly::constant(BigInt::from(u32::from(«strict»)));" => "!strict";
        "not less is greater": "else { (a.minus(&b), «!strict») };" => "strict";
    }
    "smt/src/simplify/bounds.rs", "simplification" {
        "the least value is one too large":
            "Interval::at_least(«-euclid(&most, &size).0»)" => "-euclid(&most, &size).0 + 1";
        "the greatest value is one too small":
            "Interval::at_most(«euclid(&most, &size).0»)" => "euclid(&most, &size).0 - 1";
    }
    "smt/src/simplify/recombine.rs", "simplification" {
        "quotient and remainder by any divisor are the number":
            "if «positive(facts, algebra, &divisor)» {" => "true";
    }
}
