//! Printed expressions, with what is needed to put them into others.

use babycuda_core::expr::BoolOp;
use babycuda_core::syntax::Domain;
use babycuda_core::{IntType, Width};

/// A printed numeric expression.
///
/// It is of a machine type, or a natural in the widest unsigned word. Its value in the text is
/// what the pattern that it denotes means in that type ([`IntType::read`]): the pattern itself,
/// but for negative values of signed types.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) text: String,
    pub(super) domain: Domain,
    pub(super) level: Level,
    /// The pattern, when the expression is a literal.
    pub(super) literal: Option<u64>,
}

/// How tightly the root of a printed expression binds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Level {
    /// A name, a call, an element of an array.
    Primary,
    /// A conversion or a negation.
    Unary,
    /// A binary operator.
    Infix(&'static str),
    /// `c ? n : m`
    Conditional,
}

impl Level {
    /// May an expression of this level stand bare on the left or right of `operator`? Only where
    /// every reader knows it, and all three languages agree: products in sums, both in
    /// comparisons, comparisons in connectives.
    fn is_bare(self, operator: &str, left: bool) -> bool {
        match self {
            Level::Primary | Level::Unary => true,
            Level::Conditional => false,
            Level::Infix(own) => match (binding(own), binding(operator)) {
                (Some(own_binding), Some(outer)) => {
                    own_binding > outer || left && own_binding == outer && own_binding > 0
                }
                // A chain of one connective.
                (None, None) => left && own == operator && matches!(own, "&&" | "||"),
                (Some(0), None) => matches!(operator, "&&" | "||" | "?"),
                _ => false,
            },
        }
    }
}

/// How tightly a comparison, a sum or a product binds.
fn binding(operator: &str) -> Option<u8> {
    match operator {
        "==" | "!=" | "<" | "<=" | ">" | ">=" => Some(0),
        "+" | "-" => Some(1),
        "*" | "/" | "%" => Some(2),
        _ => None,
    }
}

/// `text`, in parentheses unless it may stand bare.
pub(super) fn operand(text: &str, level: Level, operator: &str, left: bool) -> String {
    if level.is_bare(operator, left) { text.to_owned() } else { format!("({text})") }
}

impl Value {
    /// An expression that needs no parentheses.
    pub(super) fn primary(text: impl Into<String>, domain: Domain) -> Value {
        let text = text.into();
        Value { text, domain, level: Level::Primary, literal: None }
    }

    /// `left operator right`, of type `domain`.
    pub(super) fn infix(
        left: &Value,
        operator: &'static str,
        right: &Value,
        domain: Domain,
    ) -> Value {
        let l = operand(&left.text, left.level, operator, true);
        let r = operand(&right.text, right.level, operator, false);
        Value {
            text: format!("{l} {operator} {r}"),
            domain,
            level: Level::Infix(operator),
            literal: None,
        }
    }
}

/// A printed condition.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) text: String,
    pub(super) level: Level,
    /// Whether it holds, when it is a literal.
    pub(super) literal: Option<bool>,
}

impl Condition {
    pub(super) fn new(text: impl Into<String>, level: Level) -> Condition {
        Condition { text: text.into(), level, literal: None }
    }

    /// `true` or `false`
    pub(super) fn of(holds: bool) -> Condition {
        Condition { literal: Some(holds), ..Condition::new(holds.to_string(), Level::Primary) }
    }

    /// `self operator other`
    pub(super) fn connect(&self, op: BoolOp, other: &Condition) -> Condition {
        if let (Some(left), Some(right)) = (self.literal, other.literal) {
            return Condition::of(op.apply(left, right));
        }
        let operator = match op {
            BoolOp::And => "&&",
            BoolOp::Or => "||",
        };
        let left = operand(&self.text, self.level, operator, true);
        let right = operand(&other.text, other.level, operator, false);
        Condition::new(format!("{left} {operator} {right}"), Level::Infix(operator))
    }

    /// `!self`
    pub(super) fn negated(&self) -> Condition {
        if let Some(holds) = self.literal {
            return Condition::of(!holds);
        }
        let inner = operand(&self.text, self.level, "!", false);
        Condition::new(format!("!{inner}"), Level::Unary)
    }
}

/// The unsigned type of the same width: its values are the patterns of `domain`.
pub(super) fn patterns(domain: Domain) -> Domain {
    match domain {
        Domain::Natural => Domain::Natural,
        Domain::Machine(t) => Domain::Machine(IntType { signed: false, ..t }),
    }
}

/// The bits of a value of `domain`.
pub(super) fn width(domain: Domain) -> Width {
    match domain {
        Domain::Natural => Width::W64,
        Domain::Machine(t) => t.width,
    }
}
