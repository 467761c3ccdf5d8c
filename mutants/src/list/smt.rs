//! Mutants of the embedded solver: circuits, intervals, values and simplification.

use crate::mutant::Mutant;

/// The mutants.
pub(super) const ALL: &[Mutant] = &[
    words(
        "a carry is made and never passed on",
        "«carry = self.majority(*x, *y, carry);»",
        "carry = self.and(*x, *y);",
    ),
    words("a difference is one too small", "self.add(a, &invert(b), «Bit::TRUE»)", "Bit::FALSE"),
    words(
        "only the highest bits are compared",
        "less = «self.majority(!*x, *y, less)»;",
        "self.and(!*x, *y)",
    ),
    words("signed words are compared as unsigned ones", "*sign = «!*sign»;", "*sign"),
    words("a shift beyond the width shifts nothing", "«beyond = self.or(beyond, *select);»", ""),
    words("left is right", "let from = if «left» {", "!left"),
    words(
        "a run of ones is added twice",
        "sum = self.accumulate(sum, &row, start, «true»);",
        "false",
    ),
    words("a negative factor is positive", "if «*sign == Bit::FALSE || shift >= width» {", "true"),
    words(
        "words are extended with zeros",
        "let sign = «word.last().copied().unwrap_or(Bit::FALSE)»;",
        "Bit::FALSE",
    ),
    gates("exclusive or lacks a clause", "«self.clause(&[out, a, !b]);»", ""),
    gates("and may be false where both sides are true", "«self.clause(&[out, !a, !b]);»", ""),
    gates(
        "the majority of a bit and its inverse is the bit",
        "None if x == !y => return «z»,",
        "x",
    ),
    gates(
        "a choice of nothing or something is made backwards",
        "(Some(false), _) => return «self.and(!condition, otherwise)»,",
        "self.and(condition, otherwise)",
    ),
    gates(
        "the sum of three bits is inverted",
        "let odd = «pattern.count_ones() % 2»;",
        "(pattern.count_ones() + 1) % 2",
    ),
    divide(
        "a remainder by a power of two is the dividend",
        "return Ok((quotient, «resize(&n[..shift], width)»));",
        "resize(n, width)",
    ),
    divide(
        "a remainder may be the divisor",
        "let small = self.below(&resize(&r, width), d, «false»);",
        "true",
    ),
    divide(
        "a signed remainder has the sign of the quotient",
        "let rest = «self.choose_word(n_sign, &minus_r, &r)»;",
        "self.choose_word(differ, &minus_r, &r)",
    ),
    divide(
        "a signed quotient has the sign of the dividend",
        "let quotient = «self.choose_word(differ, &minus_q, &q)»;",
        "self.choose_word(n_sign, &minus_q, &q)",
    ),
    divide("a quotient by zero is zero", "let ones = vec![«Bit::TRUE»; width];", "Bit::FALSE"),
    encoder(
        "integers have no room for their sign",
        "usize::try_from(bits(lo).max(bits(hi)) + «1»).ok()",
        "0",
    ),
    encoder(
        "at most is less",
        "(Op::SLe, [a, b]) => truth(c.below_signed(a, b, «true»)),",
        "false",
    ),
    encoder(
        "an arithmetic shift fills with zeros",
        "(Op::AShr, [a, b]) => c.shift(a, b, false, «a[a.len() - 1]»),",
        "Bit::FALSE",
    ),
    encoder("no integer is negative", "if «interval.is_nonnegative()» {", "true"),
    interval(
        "the interval of both ends with the lesser",
        "upper: «pick(&self.upper, &other.upper, Ord::max, false)»,",
        "pick(&self.upper, &other.upper, Ord::min, false)",
    ),
    interval(
        "the greatest negation is that of the greatest",
        "Interval { lower: «self.upper.as_ref().map(|n| -n)»,",
        "self.lower.as_ref().map(|n| -n)",
    ),
    interval(
        "a product of unlike signs is forgotten",
        "let corners = [a * c, a * d, «b * c», b * d];",
        "a * c",
    ),
    interval("a negative factor exchanges no ends", "if «k.is_negative()» {", "false"),
    interval(
        "a remainder is below the least divisor",
        "let most: BigInt = «lo.abs().max(hi.abs()) - 1»;",
        "lo.abs().min(hi.abs()) - 1",
    ),
    interval(
        "a remainder of a negative number is at most that",
        "if «self.is_nonnegative()» {\n            // A remainder",
        "true",
    ),
    interval(
        "0 is positive",
        "«self.lower.as_ref().is_some_and(Signed::is_positive)»",
        "self.is_nonnegative()",
    ),
    interval(
        "the greatest does not belong",
        "self.upper.as_ref().is_none_or(|hi| «n <= hi»)",
        "n < hi",
    ),
    fold(
        "an arithmetic shift beyond the width shifts nothing",
        "let by = amount(width, b).unwrap_or(«width»);",
        "0",
    ),
    fold(
        "a remainder by zero is zero",
        "Op::URem if b.is_zero() => «Value::bitvec(width, a.clone())»,",
        "Value::bitvec(width, 0u32)",
    ),
    fold(
        "a negative quotient by zero is that of a positive one",
        "Op::SDiv if b.is_zero() && «a.bit(u64::from(width) - 1)»",
        "false",
    ),
    fold(
        "signed words are compared as unsigned ones",
        "Op::SLt => Value::Bool(«sa() < sb()»),",
        "a < b",
    ),
    value(
        "a quotient by a negative divisor is rounded the other way",
        "(Sign::Minus, Sign::Minus) => «(q + 1, r - d)»,",
        "(q - 1, r + d)",
    ),
    value("no word is negative", "if «bits.bit(u64::from(width) - 1)» {", "false"),
    model(
        "a selection exchanges its sides",
        "if «self.lookup(condition)? == Value::Bool(true)» {",
        "self.lookup(condition)? == Value::Bool(false)",
    ),
    simplify(
        "signed comparisons bound all words",
        "Some((low, high)) if «*high <= top» => {",
        "{ let _ = high; true }",
    ),
    rewrite(
        "what is at most zero is refuted",
        "let fails = «holds.negated().minus(&Poly::constant(1.into()))»;",
        "holds.negated()",
    ),
    radix("the lower digit may be large", "&& «facts.prove(algebra, &room.minus(&low))»", "true"),
    radix("the lower digit may be small", "&& «facts.prove(algebra, &room.plus(&low))»", "true"),
    radix(
        "a remainder may be negative",
        "(«facts.prove(algebra, &low)» && facts.prove(algebra, &room)).then_some((high, low))",
        "true",
    ),
    radix(
        "a remainder may reach the divisor",
        "(facts.prove(algebra, &low) && «facts.prove(algebra, &room)»).then_some((high, low))",
        "true",
    ),
    facts(
        "less is at most",
        "let one = Poly::constant(BigInt::from(u32::from(«strict»)));",
        "!strict",
    ),
    facts(
        "words are compared as if none were negative",
        "if «algebra.ranges.of(side).upper > half || half.is_none()» {",
        "half.is_none()",
    ),
    facts("not less is greater", "else { (a.minus(&b), «!strict») };", "strict"),
    bounds(
        "the least value is one too large",
        "Interval::at_least(«-euclid(&most, &size).0»)",
        "-euclid(&most, &size).0 + 1",
    ),
    bounds(
        "the greatest value is one too small",
        "Interval::at_most(«euclid(&most, &size).0»)",
        "euclid(&most, &size).0 - 1",
    ),
    eliminate(
        "a constant is solved for with the wrong sign",
        "let value = «Poly::default().plus_scaled(&rest, &-coefficient, &[])»;",
        "Poly::default().plus_scaled(&rest, coefficient, &[])",
    ),
    recombine(
        "quotient and remainder by any divisor are the number",
        "if «positive(facts, algebra, &divisor)» {",
        "true",
    ),
];

const fn words(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/builtin/words.rs", "circuits", name, place, to)
}

const fn gates(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/builtin/gates.rs", "circuits", name, place, to)
}

const fn divide(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/builtin/divide.rs", "circuits", name, place, to)
}

const fn encoder(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/builtin/encode.rs", "circuits", name, place, to)
}

const fn interval(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/interval.rs", "intervals", name, place, to)
}

const fn fold(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/term/fold.rs", "values of terms", name, place, to)
}

const fn value(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/value.rs", "values of terms", name, place, to)
}

const fn model(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/model.rs", "values of terms", name, place, to)
}

const fn simplify(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/simplify/mod.rs", "simplification", name, place, to)
}

const fn rewrite(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/simplify/rewrite.rs", "simplification", name, place, to)
}

const fn radix(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/simplify/radix.rs", "the mixed-radix lemma", name, place, to)
}

const fn facts(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/simplify/facts.rs", "simplification", name, place, to)
}

const fn bounds(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/simplify/bounds.rs", "simplification", name, place, to)
}

const fn eliminate(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/simplify/eliminate.rs", "simplification", name, place, to)
}

const fn recombine(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
    Mutant::of("smt/src/simplify/recombine.rs", "simplification", name, place, to)
}
