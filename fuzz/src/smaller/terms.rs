//! The terms in statements of kernels, and smaller ones.
//!
//! What holds of indices and guards of these kernels holds of smaller ones, too: they read no cell of the array, they stay below
//! its length, and of `d` they see a cell modulo 4.

use std::fmt;

/// A term, as the statements of kernels have them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Term {
    /// A number; is it unsigned?
    Number(u32, bool),
    /// A variable.
    Name(String),
    /// `X[…]`
    Cell(Box<Term>),
    /// `d[…] % 4u`
    Data(Box<Term>),
    /// Two terms, and what stands between them.
    Pair(Box<Term>, &'static str, Box<Term>),
}

/// What stands between two terms, and how close it binds.
const OPERATORS: [(&str, u8); 11] = [
    ("<<", 4),
    ("==", 2),
    ("*", 6),
    ("/", 6),
    ("%", 6),
    ("+", 5),
    ("-", 5),
    ("<", 3),
    (">", 3),
    ("&", 1),
    ("^", 0),
];

/// What `d[…]` is followed by.
const MODULO: &str = " % 4u";

impl Term {
    /// The term that a text is. `None`: it is none of these.
    pub(super) fn read(text: &str) -> Option<Term> {
        let mut rest = text.trim();
        let term = pairs(&mut rest, 0)?;
        rest.is_empty().then_some(term)
    }

    /// The number 0, where this stands.
    fn zero(&self) -> Term {
        Term::Number(0, self.is_unsigned())
    }

    fn is_unsigned(&self) -> bool {
        match self {
            Term::Number(_, unsigned) => *unsigned,
            Term::Name(name) => name == "x",
            Term::Cell(_) | Term::Data(_) => true,
            Term::Pair(left, _, right) => left.is_unsigned() || right.is_unsigned(),
        }
    }

    fn compares(&self) -> bool {
        matches!(self, Term::Pair(_, "<" | ">" | "==", _))
    }

    /// The smaller ones: those that lose most first.
    pub(super) fn smaller(&self) -> Vec<Term> {
        let zero = || [self.zero()].into_iter();
        match self {
            Term::Number(number, unsigned) => {
                below(*number).map(|less| Term::Number(less, *unsigned)).collect()
            }
            Term::Name(_) => zero().collect(),
            Term::Cell(index) => zero().chain(index.within(Term::Cell)).collect(),
            Term::Data(index) => zero().chain(index.within(Term::Data)).collect(),
            Term::Pair(left, operator, right) => {
                let pair = |left: &Term, right: &Term| {
                    Term::Pair(left.clone().into(), operator, right.clone().into())
                };
                let alone = if self.compares() {
                    Vec::new()
                } else {
                    vec![self.zero(), (**left).clone(), (**right).clone()]
                };
                // A smaller number before a minus leaves less than nothing.
                let lefts = if *operator == "-" { Vec::new() } else { left.smaller() };
                let divides = matches!(*operator, "/" | "%");
                let rights = right.smaller().into_iter().filter(|r| !divides || *r != r.zero());
                let rights = rights.map(|right| pair(left, &right));
                let lefts = lefts.iter().map(|left| pair(left, right));
                alone.into_iter().filter(|term| term != self).chain(lefts).chain(rights).collect()
            }
        }
    }

    /// The smaller ones of what stands in a cell's brackets.
    fn within(&self, cell: fn(Box<Term>) -> Term) -> impl Iterator<Item = Term> {
        self.smaller().into_iter().map(move |index| cell(index.alone(false).into()))
    }

    /// A number that stands alone is written in one way: with a `u`, or without.
    pub(super) fn alone(self, unsigned: bool) -> Term {
        match self {
            Term::Number(number, _) => Term::Number(number, unsigned),
            other => other,
        }
    }

    fn closeness(&self) -> u8 {
        match self {
            Term::Pair(_, operator, _) => closeness(operator),
            Term::Data(_) => closeness("%"),
            _ => u8::MAX,
        }
    }
}

/// Numbers below one: the least first, then half of it and the one before it.
pub(super) fn below(number: u32) -> impl Iterator<Item = u32> {
    let mut all = vec![0, 1, number / 2, number.saturating_sub(1)];
    all.retain(|less| *less < number);
    all.dedup();
    all.into_iter()
}

fn closeness(operator: &str) -> u8 {
    OPERATORS.iter().find(|(known, _)| *known == operator).map_or(0, |(_, close)| *close)
}

/// Terms between which stand operators that bind at least so close.
fn pairs(rest: &mut &str, least: u8) -> Option<Term> {
    let mut term = single(rest)?;
    loop {
        *rest = rest.trim_start();
        let next = OPERATORS.iter().find(|(operator, _)| rest.starts_with(operator));
        let Some((operator, close)) = next.filter(|(_, close)| *close >= least) else {
            return Some(term);
        };
        *rest = &rest[operator.len()..];
        term = Term::Pair(term.into(), operator, pairs(rest, close + 1)?.into());
    }
}

fn single(rest: &mut &str) -> Option<Term> {
    *rest = rest.trim_start();
    if let Some(inner) = rest.strip_prefix('(') {
        return closed(rest, inner, ")");
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
    let (word, behind) = rest.split_at(end);
    *rest = behind;
    if word.starts_with(|c: char| c.is_ascii_digit()) {
        let unsigned = word.ends_with('u');
        return Some(Term::Number(word.trim_end_matches('u').parse().ok()?, unsigned));
    }
    match (word, behind.strip_prefix('[')) {
        ("", _) => None,
        ("X", Some(index)) => Some(Term::Cell(closed(rest, index, "]")?.into())),
        ("d", Some(index)) => {
            let index = closed(rest, index, "]")?;
            *rest = rest.strip_prefix(MODULO)?;
            Some(Term::Data(index.into()))
        }
        (_, Some(_)) => None,
        (name, None) => Some(Term::Name(name.to_owned())),
    }
}

/// The term before what closes it; `rest` is what comes then.
fn closed<'t>(rest: &mut &'t str, inner: &'t str, close: &str) -> Option<Term> {
    *rest = inner;
    let term = pairs(rest, 0)?;
    *rest = rest.trim_start().strip_prefix(close)?;
    Some(term)
}

/// With the brackets that it needs.
impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Number(number, false) => write!(f, "{number}"),
            Term::Number(number, true) => write!(f, "{number}u"),
            Term::Name(name) => f.write_str(name),
            Term::Cell(index) => write!(f, "X[{index}]"),
            Term::Data(index) => write!(f, "d[{index}]{MODULO}"),
            Term::Pair(left, operator, right) => {
                let close = self.closeness();
                let side = |f: &mut fmt::Formatter<'_>, term: &Term, least| match term.closeness() {
                    own if own < least => write!(f, "({term})"),
                    _ => write!(f, "{term}"),
                };
                side(f, left, close)?;
                write!(f, " {operator} ")?;
                side(f, right, close + 1)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_validation::scorecard::kernel::Line;
    use babycuda_validation::scorecard::{Case, Fragment};

    fn smaller(text: &str) -> Vec<String> {
        Term::read(text).expect(text).smaller().iter().map(Term::to_string).collect()
    }

    #[test]
    fn terms_lose_operands_and_numbers() {
        assert_eq!(smaller("t + 4"), ["0", "t", "4", "0 + 4", "t + 0", "t + 1", "t + 2", "t + 3"]);
        assert_eq!(smaller("x + X[i]"), ["0u", "x", "X[i]", "0u + X[i]", "x + 0u", "x + X[0]"]);
        // What is seen of `d` stays modulo 4; nothing is divided by 0, and nothing becomes negative.
        assert_eq!(smaller("d[t] % 4u"), ["0u", "d[0] % 4u"]);
        assert_eq!(smaller("X[d[0] % 4u]"), ["0u", "X[0]"]);
        assert_eq!(smaller("t % 2"), ["0", "t", "2", "0 % 2", "t % 1"]);
        assert_eq!(smaller("8 - t"), ["0", "8", "t", "8 - 0"]);
        // A guard stays one.
        assert_eq!(smaller("t < n"), ["0 < n", "t < 0"]);
        assert!(smaller("0").is_empty());
    }

    /// All terms of the kernels that campaigns try are read, and are written as they were.
    #[test]
    fn terms_of_kernels_are_read() {
        fn all(lines: &[Line], fragment: Fragment, count: &mut usize) {
            for line in lines {
                let term = match line {
                    Line::Code(code) => code.split_once(" = ").map(|(_, right)| right),
                    Line::Block(head, inner) => {
                        all(inner, fragment, count);
                        head.strip_prefix("if (").and_then(|head| head.strip_suffix(')'))
                    }
                };
                for term in term.into_iter().map(|term| term.trim_end_matches(';')) {
                    let read = Term::read(term).unwrap_or_else(|| panic!("{fragment}: {term}"));
                    assert_eq!(read.to_string(), term);
                    *count += 1;
                }
            }
        }
        let mut count = 0;
        for case in (0..660).filter_map(|number| Case::of(5, number)) {
            all(&case.small.body, case.fragment, &mut count);
        }
        assert!(count > 1_000, "{count}");
        for wrong in ["", "t +", "(t", "X[", "d[t]", "f(t)", "t ? 1", "t 1"] {
            assert_eq!(Term::read(wrong), None, "{wrong}");
        }
    }
}
