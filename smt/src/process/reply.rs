//! Reading replies, without recursion and without trust.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint};

use crate::{sort::Sort, value::Value};

/// An s-expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Sexpr {
    /// A symbol, numeral, string …, as written, without bars.
    Atom(String),
    /// `( … )`.
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// Reads one s-expression that fills `text`. Lists may nest at most 64 deep: values and
    /// `get-value` replies nest 4 deep.
    pub(super) fn parse(text: &str) -> Option<Sexpr> {
        let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
        let mut rest = text.trim_start();
        while let Some(first) = rest.chars().next() {
            let used = match first {
                '(' => {
                    if open.len() > 64 {
                        return None;
                    }
                    open.push(Vec::new());
                    1
                }
                ')' => {
                    let list = open.pop()?;
                    open.last_mut()?.push(Sexpr::List(list));
                    1
                }
                '|' | '"' => {
                    let length = rest[1..].find(first)?;
                    let atom = rest[1..=length].to_owned();
                    open.last_mut()?.push(Sexpr::Atom(atom));
                    length + 2
                }
                _ => {
                    let stop = |c: char| c.is_whitespace() || "()|\"".contains(c);
                    let length = rest.find(stop).unwrap_or(rest.len());
                    let atom = rest[..length].to_owned();
                    open.last_mut()?.push(Sexpr::Atom(atom));
                    length
                }
            };
            rest = rest[used..].trim_start();
        }
        match (open.pop(), open.is_empty()) {
            (Some(mut top), true) if top.len() == 1 => top.pop(),
            _ => None,
        }
    }

    fn atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(text) => Some(text),
            Sexpr::List(_) => None,
        }
    }

    /// Reads a value of the given sort.
    fn value(&self, sort: Sort) -> Option<Value> {
        match sort {
            Sort::Bool => match self.atom()? {
                "true" => Some(Value::Bool(true)),
                "false" => Some(Value::Bool(false)),
                _ => None,
            },
            Sort::Int => self.integer().map(Value::Int),
            Sort::BitVec(width) => self.pattern(width),
        }
    }

    fn integer(&self) -> Option<BigInt> {
        match self {
            Sexpr::Atom(text) => natural(text).map(BigInt::from),
            Sexpr::List(parts) => match parts.as_slice() {
                [minus, number] if minus.atom() == Some("-") => {
                    Some(-BigInt::from(natural(number.atom()?)?))
                }
                _ => None,
            },
        }
    }

    fn pattern(&self, width: u32) -> Option<Value> {
        let (bits, found) = match self {
            Sexpr::Atom(text) => {
                let (digits, radix, each) = match text.strip_prefix("#x") {
                    Some(digits) => (digits, 16, 4),
                    None => (text.strip_prefix("#b")?, 2, 1),
                };
                if !digits.chars().all(|c| c.is_digit(radix)) {
                    return None;
                }
                let bits = BigUint::parse_bytes(digits.as_bytes(), radix)?;
                (bits, each * digits.len() as u64)
            }
            Sexpr::List(parts) => match parts.as_slice() {
                [underscore, value, size] if underscore.atom() == Some("_") => {
                    (natural(value.atom()?.strip_prefix("bv")?)?, size.atom()?.parse().ok()?)
                }
                _ => return None,
            },
        };
        (found == u64::from(width) && bits.bits() <= found).then_some(Value::BitVec { width, bits })
    }
}

/// Reads the reply to `get-value` of these constants, asked for in this order.
pub(super) fn values(
    reply: &str,
    constants: &[(Arc<str>, Sort)],
) -> Option<Vec<(Arc<str>, Value)>> {
    let Sexpr::List(pairs) = Sexpr::parse(reply)? else {
        return None;
    };
    if pairs.len() != constants.len() {
        return None;
    }
    let mut found = Vec::with_capacity(pairs.len());
    for (pair, (name, sort)) in pairs.iter().zip(constants) {
        let Sexpr::List(parts) = pair else {
            return None;
        };
        let [asked, value] = parts.as_slice() else {
            return None;
        };
        let quoted = crate::quote::quote(name);
        if asked.atom()? != quoted.trim_matches('|') {
            return None;
        }
        found.push((name.clone(), value.value(*sort)?));
    }
    Some(found)
}

fn natural(text: &str) -> Option<BigUint> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    BigUint::parse_bytes(text.as_bytes(), 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, sort: Sort) -> Option<Value> {
        Sexpr::parse(text)?.value(sort)
    }

    #[test]
    fn values_of_every_notation_are_read() {
        assert_eq!(read("true", Sort::Bool), Some(Value::Bool(true)));
        assert_eq!(read(" 17\n", Sort::Int), Some(Value::Int(17.into())));
        assert_eq!(read("(- 17)", Sort::Int), Some(Value::Int((-17).into())));
        let eleven = Some(Value::bitvec(8, 11u32));
        assert_eq!(read("#x0b", Sort::BitVec(8)), eleven);
        assert_eq!(read("#b00001011", Sort::BitVec(8)), eleven);
        assert_eq!(read("(_ bv11 8)", Sort::BitVec(8)), eleven);
    }

    #[test]
    fn nonsense_is_not_a_value() {
        for (text, sort) in [
            ("maybe", Sort::Bool),
            ("1", Sort::Bool),
            ("true", Sort::Int),
            ("1.5", Sort::Int),
            ("-1", Sort::Int),
            ("(- 1 2)", Sort::Int),
            ("(/ 1 2)", Sort::Int),
            ("#x0b", Sort::BitVec(7)),
            ("#b", Sort::BitVec(1)),
            ("#xzz", Sort::BitVec(8)),
            ("(_ bv256 8)", Sort::BitVec(8)),
            ("(_ bv1 8", Sort::BitVec(8)),
            ("1 2", Sort::Int),
            (")", Sort::Int),
            ("|", Sort::Int),
            ("", Sort::Int),
        ] {
            assert_eq!(read(text, sort), None, "{text}");
        }
        assert_eq!(Sexpr::parse(&"(".repeat(1_000_000)), None);
    }

    #[test]
    fn a_reply_must_answer_what_was_asked() {
        let asked = [(Arc::from("a b"), Sort::Int), (Arc::from("p"), Sort::Bool)];
        assert!(values("((|a b| 1) (p true))", &asked).is_some());
        assert!(values("((|a b| 1))", &asked).is_none());
        assert!(values("((p true) (|a b| 1))", &asked).is_none());
        assert!(values("((|a b| 1) (p 1))", &asked).is_none());
        assert!(values("(error \"no model\")", &asked).is_none());
    }
}
