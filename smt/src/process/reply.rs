//! Reading the replies to `get-value`, without trust: smtlib's parser reads them, once it is known
//! that they are one list and not deep.

use std::sync::Arc;

use num_bigint::{BigInt, BigUint};
use smtlib::lowlevel::{
    Storage,
    ast::{GetValueResponse, Identifier, QualIdentifier, SpecConstant, Term, ValuationPair},
    lexicon::Symbol,
};

use crate::{sort::Sort, value::Value};

/// Lists nest no deeper: values and replies nest 4 deep.
const DEEPEST: usize = 64;

/// Reads the reply to `get-value` of these constants, asked for in this order.
pub(super) fn values(
    reply: &str,
    constants: &[(Arc<str>, Sort)],
) -> Option<Vec<(Arc<str>, Value)>> {
    if !is_one_list(reply.trim()) {
        return None;
    }
    let storage = Storage::new();
    let GetValueResponse(pairs) = GetValueResponse::parse(&storage, reply).ok()?;
    let found = pairs.iter().zip(constants).map(|(ValuationPair(asked, found), (name, sort))| {
        let quoted = crate::quote::quote(name);
        let same = symbol(asked)?.trim_matches('|') == quoted.trim_matches('|');
        Some((name.clone(), value(found, *sort).filter(|_| same)?))
    });
    if pairs.len() == constants.len() { found.collect() } else { None }
}

/// Is the text one list, of lists that nest no deeper than [`DEEPEST`]? The parser recurs, and stops
/// behind the first list.
fn is_one_list(text: &str) -> bool {
    let (mut depth, mut quote) = (0usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(end), _) => quote = (c != end).then_some(end),
            (None, '|' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_last = at + c.len_utf8() == text.len();
        if depth > DEEPEST || (depth == 0) != is_last {
            return false;
        }
    }
    true
}

/// Reads a value of the given sort.
fn value(term: &Term<'_>, sort: Sort) -> Option<Value> {
    match sort {
        Sort::Bool => symbol(term)?.parse().ok().map(Value::Bool),
        Sort::Int => match term {
            Term::Application(minus, [number]) if simple(minus) == Some("-") => {
                Some(Value::Int(-BigInt::from(natural(number)?)))
            }
            _ => natural(term).map(|n| Value::Int(n.into())),
        },
    }
}

fn natural(term: &Term<'_>) -> Option<BigUint> {
    let Term::SpecConstant(SpecConstant::Numeral(numeral)) = term else { return None };
    numeral.to_string().parse().ok()
}

fn symbol<'st>(term: &Term<'st>) -> Option<&'st str> {
    if let Term::Identifier(name) = term { simple(name) } else { None }
}

fn simple<'st>(name: &QualIdentifier<'st>) -> Option<&'st str> {
    match name {
        QualIdentifier::Identifier(Identifier::Simple(Symbol(name))) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, sort: Sort) -> Option<Value> {
        let values = values(&format!("((x {text}))"), &[(Arc::from("x"), sort)])?;
        values.into_iter().next().map(|(_, value)| value)
    }

    #[test]
    fn values_of_every_notation_are_read() {
        assert_eq!(read("true", Sort::Bool), Some(Value::Bool(true)));
        assert_eq!(read(" 17\n", Sort::Int), Some(Value::Int(17.into())));
        assert_eq!(read("(- 17)", Sort::Int), Some(Value::Int((-17).into())));
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
            ("#x0b", Sort::Int),
            ("(_ bv1 8)", Sort::Int),
            ("1 2", Sort::Int),
            (")", Sort::Int),
            ("|", Sort::Int),
            ("", Sort::Int),
        ] {
            assert_eq!(read(text, sort), None, "{text}");
        }
        assert_eq!(read(&"(".repeat(1_000_000), Sort::Int), None);
        assert_eq!(read(&format!("{}1{}", "(- ".repeat(100), ")".repeat(100)), Sort::Int), None);
    }

    #[test]
    fn a_reply_must_answer_what_was_asked() {
        let asked = [(Arc::from("a b"), Sort::Int), (Arc::from("p"), Sort::Bool)];
        assert!(values("((|a b| 1) (p true))", &asked).is_some());
        assert!(values("((|a b| 1))", &asked).is_none());
        assert!(values("((p true) (|a b| 1))", &asked).is_none());
        assert!(values("((|a b| 1) (p true)) ((p true))", &asked).is_none());
        assert!(values("((|a b| 1) (p true)", &asked).is_none());
        assert!(values("((|a b| 1) (p 1))", &asked).is_none());
        assert!(values("(error \"no model\")", &asked).is_none());
    }
}
