//! The conditions of `#if` and `#elif`.

use super::expand::Expander;
use super::token::{Kind, Token, primary};
use super::{Reason, State};
use crate::literal;
use std::collections::{BTreeSet, VecDeque};

/// Conditions may not nest deeper than this.
const MAX_DEPTH: usize = 100;

/// Is something so? Or it cannot be said, for this reason.
pub(super) type Decided = Result<bool, Reason>;

/// The value of the condition on the directive's line: C's integer expressions at 64 bits, with `defined` and
/// `__has_include`. Names that are no macros count as 0, but for `true`. Also what is assumed of
/// the names in it.
///
/// # Errors
/// A message when the text is no such expression.
pub(super) fn evaluate(state: &mut State<'_>) -> Result<(Decided, BTreeSet<Reason>), String> {
    let mut expander = Expander::default();
    let mut input = VecDeque::new();
    loop {
        let token = expander.get(state, false)?;
        match (token.kind, &*token.text) {
            (Kind::Padding(_), _) => {}
            (Kind::End, _) => break,
            (Kind::Identifier, "defined") => {
                let name = defined_name(state, &mut expander)?;
                expander.assumed.extend(state.assumed_macro(&name));
                input.push_back(Input::Known(state.defined(&name)));
            }
            (Kind::Identifier, "__has_include" | "__has_include_next") => {
                let name = header_name(state, &mut expander)?;
                input.push_back(Input::Known(state.has_include(&name)));
            }
            _ => {
                if token.kind == Kind::Identifier {
                    expander.assumed.extend(state.assumed_macro(&token.text));
                }
                input.push_back(Input::Token(token));
            }
        }
    }
    let mut parser = Parser { input, state, depth: 0 };
    let value = parser.comma(true)?;
    if let Some(Input::Token(token)) = parser.input.front() {
        return Err(format!("unexpected `{}` in a condition", token.text));
    }
    if !parser.input.is_empty() {
        return Err("unexpected `defined` in a condition".into());
    }
    let decided = match (value, expander.doubt) {
        (_, Some(reason)) => Err(reason),
        (value, None) => value.map(|v| v.bits != 0),
    };
    Ok((decided, expander.assumed))
}

/// The next token that is no padding, unexpanded.
fn raw(state: &mut State<'_>, expander: &mut Expander) -> Result<Token, String> {
    loop {
        let token = expander.get(state, true)?;
        if token.visible() {
            return Ok(token);
        }
    }
}

/// The name after `defined`.
fn defined_name(state: &mut State<'_>, expander: &mut Expander) -> Result<String, String> {
    let mut token = raw(state, expander)?;
    let parenthesized = token.is("(");
    if parenthesized {
        token = raw(state, expander)?;
    }
    if token.kind != Kind::Identifier {
        return Err("`defined` without a name".into());
    }
    if parenthesized && !raw(state, expander)?.is(")") {
        return Err("expected `)` after `defined`".into());
    }
    Ok(token.text.to_string())
}

/// The header that `__has_include` names, with its quotes or brackets.
fn header_name(state: &mut State<'_>, expander: &mut Expander) -> Result<String, String> {
    if !raw(state, expander)?.is("(") {
        return Err("expected `(` after `__has_include`".into());
    }
    let mut name = String::new();
    let mut depth = 0usize;
    loop {
        let token = raw(state, expander)?;
        match token.kind {
            Kind::End => return Err("expected `)` after `__has_include`".into()),
            _ if token.is(")") && depth == 0 => return Ok(name),
            _ => {}
        }
        depth += usize::from(token.is("("));
        depth -= usize::from(token.is(")"));
        name.push_str(&token.text);
    }
}

enum Input {
    Token(Token),
    Known(Decided),
}

/// A value at 64 bits.
#[derive(Clone, Copy)]
struct Number {
    bits: u64,
    unsigned: bool,
}

/// A value, or why it is not known.
type Value = Result<Number, Reason>;

fn signed(value: i64) -> Number {
    Number { bits: value as u64, unsigned: false }
}

fn truth(value: bool) -> Number {
    signed(value.into())
}

/// Binary operators, loosest first, by their names, too.
const LEVELS: [&[&str]; 10] = [
    &["||", "or"],
    &["&&", "and"],
    &["|", "bitor"],
    &["^", "xor"],
    &["&", "bitand"],
    &["==", "!=", "not_eq"],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Reads and computes at once. What is not evaluated (`live` is false) may divide by zero.
struct Parser<'a> {
    input: VecDeque<Input>,
    state: &'a State<'a>,
    depth: usize,
}

impl Parser<'_> {
    fn accept(&mut self, text: &str) -> bool {
        let found = matches!(self.input.front(), Some(Input::Token(t)) if primary(&t.text) == text);
        if found {
            self.input.pop_front();
        }
        found
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("condition nests more than {MAX_DEPTH} deep"));
        }
        Ok(())
    }

    fn comma(&mut self, live: bool) -> Result<Value, String> {
        let mut value = self.ternary(live)?;
        while self.accept(",") {
            value = self.ternary(live)?;
        }
        Ok(value)
    }

    fn ternary(&mut self, live: bool) -> Result<Value, String> {
        self.deeper()?;
        let condition = self.binary(0, live)?;
        let value = if self.accept("?") {
            let holds = condition.as_ref().map(|c| c.bits != 0);
            let then = self.comma(live && holds != Ok(false))?;
            if !self.accept(":") {
                return Err("expected `:` in a condition".into());
            }
            let otherwise = self.ternary(live && holds != Ok(true))?;
            let unsigned = |v: &Value| v.as_ref().is_ok_and(|v| v.unsigned);
            let unsigned = unsigned(&then) || unsigned(&otherwise);
            match holds {
                Ok(true) => then.map(|v| Number { unsigned, ..v }),
                Ok(false) => otherwise.map(|v| Number { unsigned, ..v }),
                Err(reason) => Err(reason.clone()),
            }
        } else {
            condition
        };
        self.depth -= 1;
        Ok(value)
    }

    fn binary(&mut self, level: usize, live: bool) -> Result<Value, String> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary(live);
        };
        let mut left = self.binary(level + 1, live)?;
        while let Some(operator) = operators.iter().find(|o| self.accept(o)) {
            let stops = match *operator {
                "||" | "or" => Some(true),
                "&&" | "and" => Some(false),
                _ => None,
            };
            let Some(stops) = stops else {
                let right = self.binary(level + 1, live)?;
                left = match (left, right) {
                    (Ok(l), Ok(r)) => Ok(apply(operator, l, r, live)?),
                    (Err(reason), _) | (_, Err(reason)) => Err(reason),
                };
                continue;
            };
            let l = left.map(|l| l.bits != 0);
            let right = self.binary(level + 1, live && l != Ok(stops))?.map(|r| r.bits != 0);
            left = match (l, right) {
                (Ok(l), _) if l == stops => Ok(truth(stops)),
                (_, Ok(r)) if r == stops => Ok(truth(stops)),
                (Err(reason), _) | (_, Err(reason)) => Err(reason),
                _ => Ok(truth(!stops)),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, live: bool) -> Result<Value, String> {
        let token = match self.input.pop_front() {
            None => return Err("a condition ends too early".into()),
            Some(Input::Known(known)) => return Ok(known.map(truth)),
            Some(Input::Token(token)) => token,
        };
        self.deeper()?;
        let value = match (token.kind, &*token.text) {
            (_, "!" | "not") => self.unary(live)?.map(|v| truth(v.bits == 0)),
            (_, "~" | "compl") => self.unary(live)?.map(|v| Number { bits: !v.bits, ..v }),
            (_, "-") => self.unary(live)?.map(|v| Number { bits: v.bits.wrapping_neg(), ..v }),
            (_, "+") => self.unary(live)?,
            (_, "(") => {
                let value = self.comma(live)?;
                if !self.accept(")") {
                    return Err("expected `)` in a condition".into());
                }
                value
            }
            (Kind::Identifier, "true") => Ok(truth(true)),
            (Kind::Identifier, name) => match self.state.defined(name) {
                // What is a macro was expanded.
                Ok(_) => Ok(truth(false)),
                Err(reason) => {
                    self.skip_call();
                    Err(reason)
                }
            },
            (Kind::Number | Kind::Literal, text) => Ok(number(text)?),
            (_, text) => return Err(format!("unexpected `{text}` in a condition")),
        };
        self.depth -= 1;
        Ok(value)
    }

    /// Skips the arguments of what may be a macro.
    fn skip_call(&mut self) {
        if !self.accept("(") {
            return;
        }
        let mut depth = 1usize;
        while depth > 0
            && let Some(input) = self.input.pop_front()
        {
            if let Input::Token(token) = input {
                depth += usize::from(token.is("("));
                depth -= usize::from(token.is(")"));
            }
        }
    }
}

/// The value of a literal. Decimal or not, it has 64 bits; unsigned when it says so or must be.
fn number(text: &str) -> Result<Number, String> {
    let (_, bits) = literal::integer(text).ok_or_else(|| format!("`{text}` is no integer"))?;
    if text.contains(['\'', '"']) && !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Ok(signed(i64::from(bits as u32 as i32)));
    }
    let suffixed = text.to_ascii_lowercase().contains('u');
    Ok(Number { bits, unsigned: suffixed || bits > i64::MAX as u64 })
}

fn apply(operator: &str, l: Number, r: Number, live: bool) -> Result<Number, String> {
    let unsigned = l.unsigned || r.unsigned;
    let number = |bits: u64| Number { bits, unsigned };
    let less = |l: Number, r: Number| {
        if unsigned { l.bits < r.bits } else { (l.bits as i64) < (r.bits as i64) }
    };
    let (a, b) = (l.bits as i64, r.bits as i64);
    Ok(match operator {
        "|" | "bitor" => number(l.bits | r.bits),
        "^" | "xor" => number(l.bits ^ r.bits),
        "&" | "bitand" => number(l.bits & r.bits),
        "==" => truth(l.bits == r.bits),
        "!=" | "not_eq" => truth(l.bits != r.bits),
        "<" => truth(less(l, r)),
        ">" => truth(less(r, l)),
        "<=" => truth(!less(r, l)),
        ">=" => truth(!less(l, r)),
        // A negative count shifts the other way.
        "<<" if !r.unsigned && b < 0 => shift(l, b.unsigned_abs(), false),
        "<<" => shift(l, r.bits, true),
        ">>" if !r.unsigned && b < 0 => shift(l, b.unsigned_abs(), true),
        ">>" => shift(l, r.bits, false),
        "+" => number(l.bits.wrapping_add(r.bits)),
        "-" => number(l.bits.wrapping_sub(r.bits)),
        "*" => number(l.bits.wrapping_mul(r.bits)),
        _ if r.bits == 0 && live => return Err("division by zero in a condition".into()),
        _ if r.bits == 0 => number(0),
        "/" if unsigned => number(l.bits / r.bits),
        "/" => number(a.wrapping_div(b) as u64),
        _ if unsigned => number(l.bits % r.bits),
        _ => number(a.wrapping_rem(b) as u64),
    })
}

/// `value` shifted by `count` places, its sign kept on the way to the right.
fn shift(value: Number, count: u64, left: bool) -> Number {
    let negative = !value.unsigned && (value.bits as i64) < 0;
    let bits = match (left, u32::try_from(count).ok().filter(|c| *c < 64)) {
        (true, Some(count)) => value.bits << count,
        (true, None) => 0,
        (false, Some(count)) if negative => ((value.bits as i64) >> count) as u64,
        (false, Some(count)) => value.bits >> count,
        (false, None) if negative => u64::MAX,
        (false, None) => 0,
    };
    Number { bits, ..value }
}
