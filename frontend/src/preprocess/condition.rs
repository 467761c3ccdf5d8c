//! The conditions of `#if` and `#elif`.

use super::macros::{Macros, Piece, expand, pieces};
use super::token::Kind;
use crate::literal;

/// Conditions may not nest deeper than this.
const MAX_DEPTH: usize = 100;

/// The value of a condition: C's integer expressions at 64 bits, with `defined`. Names that are
/// no macros count as 0.
///
/// # Errors
/// A message when the text is no such expression.
pub(super) fn evaluate(text: &str, macros: &Macros) -> Result<bool, String> {
    let input = expand(resolve_defined(pieces(text), macros), macros)?;
    let mut parser = Parser { input: &input, at: 0, depth: 0 };
    let value = parser.ternary()?;
    match parser.input.get(parser.at) {
        None => Ok(value != 0),
        Some(piece) => Err(format!("unexpected `{}` in a condition", piece.text)),
    }
}

/// Replaces `defined X` and `defined(X)` by 1 or 0, before macros are expanded.
fn resolve_defined(input: Vec<Piece>, macros: &Macros) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(piece) = input.get(at) {
        at += 1;
        if piece.text != "defined" {
            out.push(piece.clone());
            continue;
        }
        let parenthesized = input.get(at).is_some_and(|p| p.text == "(");
        at += usize::from(parenthesized);
        let known = input.get(at).is_some_and(|p| macros.contains_key(&p.text));
        at += 1 + usize::from(parenthesized);
        out.push(Piece { kind: Kind::Number, text: u8::from(known).to_string() });
    }
    out
}

/// Binary operators, loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

struct Parser<'a> {
    input: &'a [Piece],
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&'a str> {
        self.input.get(self.at).map(|p| p.text.as_str())
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.peek() == Some(text);
        self.at += usize::from(found);
        found
    }

    fn ternary(&mut self) -> Result<i64, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("condition nests too deeply".into());
        }
        let condition = self.binary(0)?;
        let value = if self.accept("?") {
            let then = self.ternary()?;
            if !self.accept(":") {
                return Err("expected `:` in a condition".into());
            }
            let otherwise = self.ternary()?;
            if condition != 0 { then } else { otherwise }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize) -> Result<i64, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.peek().filter(|t| operators.contains(t)) {
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = apply(operator, left, right)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<i64, String> {
        let Some(piece) = self.input.get(self.at) else {
            return Err("a condition ends too early".into());
        };
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("condition nests too deeply".into());
        }
        let value = match (piece.kind, piece.text.as_str()) {
            (_, "!") => i64::from(self.unary()? == 0),
            (_, "~") => !self.unary()?,
            (_, "-") => self.unary()?.wrapping_neg(),
            (_, "+") => self.unary()?,
            (_, "(") => {
                let value = self.ternary()?;
                if !self.accept(")") {
                    return Err("expected `)` in a condition".into());
                }
                value
            }
            (Kind::Identifier, "true") => 1,
            (Kind::Identifier, _) => 0,
            (Kind::Number | Kind::Literal, text) => match literal::integer(text) {
                Some((_, bits)) => bits as i64,
                None => return Err(format!("`{text}` is no integer")),
            },
            (_, text) => return Err(format!("unexpected `{text}` in a condition")),
        };
        self.depth -= 1;
        Ok(value)
    }
}

fn apply(operator: &str, l: i64, r: i64) -> Result<i64, String> {
    let truth = i64::from;
    Ok(match operator {
        "||" => truth(l != 0 || r != 0),
        "&&" => truth(l != 0 && r != 0),
        "|" => l | r,
        "^" => l ^ r,
        "&" => l & r,
        "==" => truth(l == r),
        "!=" => truth(l != r),
        "<" => truth(l < r),
        ">" => truth(l > r),
        "<=" => truth(l <= r),
        ">=" => truth(l >= r),
        "<<" => l.checked_shl(r.try_into().unwrap_or(64)).unwrap_or(0),
        ">>" => l >> r.clamp(0, 63),
        "+" => l.wrapping_add(r),
        "-" => l.wrapping_sub(r),
        "*" => l.wrapping_mul(r),
        _ if r == 0 => return Err("division by zero in a condition".into()),
        "/" => l.wrapping_div(r),
        _ => l.wrapping_rem(r),
    })
}
