//! Replacement lists with their arguments in place ([cpp.subst], [cpp.stringize], [cpp.concat]).

use super::State;
use super::expand::{Expander, padding};
use super::macros::{Macro, Part, Role};
use super::token::{Kind, Token, single};
use std::ops::Range;
use std::rc::Rc;

/// An argument of a call.
pub(super) struct Argument {
    /// As it was written.
    tokens: Vec<Token>,
    /// Its expansion, once it was needed.
    expanded: Option<Vec<Token>>,
    /// Was it, the variable one, left out?
    pub(super) omitted: bool,
}

impl Argument {
    /// An argument as it was written.
    pub(super) fn new(tokens: Vec<Token>) -> Argument {
        Argument { tokens, expanded: None, omitted: false }
    }
}

/// A use of a macro.
pub(super) struct Call {
    pub(super) definition: Rc<Macro>,
    pub(super) arguments: Vec<Argument>,
}

impl Expander {
    /// The replacement of a call.
    ///
    /// # Errors
    /// What is wrong with the use of a macro.
    pub(super) fn substitute(
        &mut self,
        state: &mut State<'_>,
        mut call: Call,
    ) -> Result<Vec<Token>, String> {
        let mut out = Vec::new();
        let all = 0..call.definition.body.len();
        self.replace(state, &mut call, all, &mut out)?;
        Ok(out)
    }

    fn replace(
        &mut self,
        state: &mut State<'_>,
        call: &mut Call,
        range: Range<usize>,
        out: &mut Vec<Token>,
    ) -> Result<(), String> {
        let definition = call.definition.clone();
        let body = &definition.body;
        let mut at = range.start;
        while at < range.end {
            state.spend(1)?;
            let Part { token, role } = &body[at];
            let after_paste = at > 0 && body[at - 1].token.paste;
            if at > range.start && !after_paste && *role != Role::Plain {
                out.push(padding(Some(token.white)));
            }
            let start = out.len();
            let mut end = at;
            match *role {
                Role::Plain => {
                    out.push(token.clone());
                    at += 1;
                    continue;
                }
                Role::Stringified(n) => out.push(string(&call.arguments[n].tokens)),
                Role::Argument(n) if token.paste || after_paste => {
                    out.extend_from_slice(&call.arguments[n].tokens);
                    let last = definition.variadic && n + 1 == call.arguments.len();
                    if last && start > 0 && !token.paste && out[start - 1].is(",") {
                        out[start - 1].paste = false;
                        if call.arguments[n].omitted {
                            out.remove(start - 1);
                        }
                        out.push(padding(None));
                        at += 1;
                        continue;
                    }
                }
                Role::Argument(n) => {
                    out.extend_from_slice(self.expansion(state, &mut call.arguments, n)?)
                }
                Role::Optional(close) => {
                    end = close;
                    if self.has_variable(state, &mut call.arguments)? {
                        self.replace(state, call, at + 2..close, out)?;
                        trim(out, start);
                    }
                }
                Role::StringifiedOptional(close) => {
                    end = close;
                    let mut inner = Vec::new();
                    if self.has_variable(state, &mut call.arguments)? {
                        self.replace(state, call, at + 2..close, &mut inner)?;
                    }
                    out.push(string(&inner));
                }
            }
            let paste = body[end].token.paste;
            mark(out, start, paste);
            if !paste {
                out.push(padding(None));
            }
            state.spend(out.len() - start.min(out.len()))?;
            at = end + 1;
        }
        Ok(())
    }

    /// The expansion of an argument.
    fn expansion<'a>(
        &mut self,
        state: &mut State<'_>,
        arguments: &'a mut [Argument],
        n: usize,
    ) -> Result<&'a [Token], String> {
        let argument = &mut arguments[n];
        if argument.expanded.is_none() {
            argument.expanded = Some(self.expanded(state, &argument.tokens)?);
        }
        Ok(argument.expanded.as_deref().unwrap_or_default())
    }

    /// Has the variable argument any token?
    fn has_variable(
        &mut self,
        state: &mut State<'_>,
        arguments: &mut [Argument],
    ) -> Result<bool, String> {
        match arguments.len() {
            0 => Ok(false),
            n => Ok(self.expansion(state, arguments, n - 1)?.iter().any(Token::visible)),
        }
    }
}

/// Marks the tokens from `start` on, which stand for one part, for pasting with the next part. A
/// part without tokens is a placemarker: then its predecessor is pasted instead, or with nothing.
fn mark(out: &mut [Token], start: usize, paste: bool) {
    match out[start..].last_mut() {
        Some(last) => last.paste = paste,
        None if paste => {}
        None => {
            if let Some(previous) = start.checked_sub(1).and_then(|i| out.get_mut(i)) {
                previous.paste = false;
            }
        }
    }
}

/// Drops the padding at the end.
fn trim(out: &mut Vec<Token>, start: usize) {
    while out.len() > start && out.pop_if(|t| matches!(t.kind, Kind::Padding(_))).is_some() {}
}

/// The tokens as one string literal.
fn string(tokens: &[Token]) -> Token {
    let mut text = String::from("\"");
    let mut source: Option<bool> = None;
    for token in tokens {
        if let Kind::Padding(next) = token.kind {
            if source.is_none() || (source == Some(false) && next.is_none()) {
                source = next;
            }
            continue;
        }
        if text.len() > 1 && source.unwrap_or(token.white) {
            text.push(' ');
        }
        source = None;
        for c in token.text.chars() {
            match c {
                '"' | '\\' if token.kind == Kind::Literal => text.extend(['\\', c]),
                '\n' => text.push_str("\\n"),
                _ => text.push(c),
            }
        }
    }
    // A last `\` that stands alone would take the closing quote away.
    if text.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1 {
        text.pop();
    }
    text.push('"');
    Token::made(Kind::Literal, &text)
}

/// One token from two.
///
/// # Errors
/// When they make no token.
pub(super) fn paste(left: &Token, right: &Token) -> Result<Token, String> {
    let text = format!("{}{}", left.text, right.text);
    // A literal and a name are a literal with a suffix.
    let suffixed = left.kind == Kind::Literal && right.kind == Kind::Identifier;
    let joined = if suffixed { Some(Token::made(Kind::Literal, &text)) } else { single(&text) };
    let joined = joined.ok_or_else(|| {
        format!("`{}` and `{}` cannot be pasted to one token", left.text, right.text)
    })?;
    Ok(Token { white: left.white, range: left.range.clone(), ..joined })
}
