//! Macro expansion: a stack of token lists that are being read again.
//!
//! A macro is disabled while its replacement is on the stack, and a name that is read while its
//! macro is disabled never becomes a call of it ([cpp.rescan]). Where the standard leaves open
//! whether a call may reach past the end of its own replacement, GCC's answer is taken.

use super::macros::Macro;
use super::regions::Branch;
use super::substitute::{Argument, Call, paste};
use super::token::{Kind, Token};
use super::{Reason, State};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// Arguments may not nest deeper than this.
const MAX_DEPTH: usize = 200;

/// Tokens that are being read again.
struct Context {
    tokens: Vec<Token>,
    at: usize,
    /// The macro whose replacement this is.
    name: Option<Rc<str>>,
    /// Does reading stop at its end, as for an argument?
    closed: bool,
}

/// The state of an expansion.
#[derive(Default)]
pub(super) struct Expander {
    contexts: Vec<Context>,
    disabled: BTreeSet<Rc<str>>,
    depth: usize,
    /// Has a macro been entered?
    started: bool,
    /// Where `__LINE__` stands that the first macro, not a function-like one, leads to.
    origin: Option<Range<usize>>,
    /// Why the result may be another one.
    pub(super) doubt: Option<Reason>,
    /// What is assumed of the macros.
    pub(super) assumed: BTreeSet<Reason>,
}

impl Expander {
    /// Has everything been read that does not stand in the file?
    pub(super) fn is_done(&self) -> bool {
        self.contexts.is_empty()
    }

    fn push(&mut self, tokens: Vec<Token>, name: Option<Rc<str>>, closed: bool) {
        self.disabled.extend(name.clone());
        self.contexts.push(Context { tokens, at: 0, name, closed });
    }

    fn pop(&mut self) {
        if let Some(name) = self.contexts.pop().and_then(|c| c.name) {
            self.disabled.remove(&name);
        }
    }

    /// The next token of the expansion. With `keep`, macros are not expanded.
    ///
    /// # Errors
    /// What is wrong with a use of a macro, or that the expansion is too large.
    pub(super) fn get(&mut self, state: &mut State<'_>, keep: bool) -> Result<Token, String> {
        state.spend(1)?;
        let mut token = match self.contexts.last_mut() {
            None => state.next()?,
            Some(context) => match context.tokens.get(context.at) {
                Some(token) => {
                    context.at += 1;
                    token.clone()
                }
                None if context.closed => return Ok(Token::made(Kind::End, "")),
                None => {
                    self.pop();
                    return Ok(padding(None));
                }
            },
        };
        if token.paste {
            return self.paste_all(token);
        }
        if token.kind != Kind::Identifier || token.painted {
            return Ok(token);
        }
        if self.disabled.contains(&token.text) {
            token.painted = true;
            return Ok(token);
        }
        if keep || !self.enter(state, &token)? {
            return Ok(token);
        }
        Ok(padding(Some(token.white)))
    }

    /// Pastes `left` with its successors of the same list, and has the result read again.
    fn paste_all(&mut self, left: Token) -> Result<Token, String> {
        let white = left.white;
        let mut left = Token { paste: false, ..left };
        while let Some(context) = self.contexts.last_mut()
            && let Some(right) = context.tokens.get(context.at)
        {
            context.at += 1;
            if matches!(right.kind, Kind::Padding(_)) {
                continue;
            }
            left = paste(&left, right)?;
            if !right.paste {
                break;
            }
        }
        self.push(vec![left], None, false);
        Ok(padding(Some(white)))
    }

    /// Starts the expansion of the name `token`, if it is a macro that is used here.
    fn enter(&mut self, state: &mut State<'_>, token: &Token) -> Result<bool, String> {
        let Some(definition) = state.macros.get(&token.text).cloned() else {
            if &*token.text == "_Pragma" {
                return self.pragma(state);
            }
            let range = self.origin.clone().unwrap_or_else(|| token.range.clone());
            let Some(value) = state.builtin(&Token { range, ..token.clone() }) else {
                return Ok(false);
            };
            // A header that nobody has may have counted, too.
            if &*token.text == "__COUNTER__" && self.doubt.is_none() {
                let counted = |missing| format!("`__COUNTER__`, which {missing} may count up");
                self.doubt = state.missing.as_ref().map(|missing| counted(missing).into());
            }
            self.push(vec![value], None, false);
            return Ok(true);
        };
        let arguments = if definition.params.is_some() {
            if !self.opens(state)? {
                return Ok(false);
            }
            self.arguments(state, &token.text, &definition)?
        } else {
            Vec::new()
        };
        if !self.started && definition.params.is_none() {
            self.origin = Some(token.range.clone());
        }
        self.started = true;
        self.assumed.extend(state.assumed.get(&token.text).cloned());
        let call = Call { definition, arguments };
        let doubt = call.definition.doubt.clone();
        let mut replacement = self.substitute(state, call)?;
        for made in &mut replacement {
            made.range = token.range.clone();
        }
        if self.doubt.is_none() {
            self.doubt = doubt;
        }
        state.spend(replacement.len())?;
        self.push(replacement, Some(token.text.clone()), false);
        Ok(true)
    }

    /// `_Pragma("…")` means nothing here, unless it says what a macro is.
    fn pragma(&mut self, state: &mut State<'_>) -> Result<bool, String> {
        if !self.opens(state)? {
            return Ok(false);
        }
        let mut depth = 1usize;
        while depth > 0 {
            let token = self.get(state, true)?;
            state.set_back(&token.text, Branch::Live);
            match token.kind {
                Kind::End => return Err("`_Pragma` without its end".into()),
                _ if token.is("(") => depth += 1,
                _ if token.is(")") => depth -= 1,
                _ => {}
            }
        }
        self.push(Vec::new(), None, false);
        Ok(true)
    }

    /// Moves over the next token if it is `(`. Replacements that end before it are left, and
    /// their macros are enabled again.
    fn opens(&mut self, state: &mut State<'_>) -> Result<bool, String> {
        let mut skipped: Option<Option<bool>> = None;
        loop {
            let Some(context) = self.contexts.last_mut() else {
                let found = state.opens()?;
                if found {
                    state.next()?;
                }
                return Ok(found);
            };
            match context.tokens.get(context.at).map(|t| (t.kind, t.is("(") && !t.paste)) {
                Some((Kind::Padding(source), _)) => {
                    context.at += 1;
                    skipped = Some(combine(skipped, source));
                }
                Some((_, true)) => {
                    context.at += 1;
                    return Ok(true);
                }
                None if !context.closed => {
                    self.pop();
                    skipped = Some(combine(skipped, None));
                }
                _ => break,
            }
        }
        if let Some(source) = skipped {
            self.push(vec![padding(source)], None, false);
        }
        Ok(false)
    }

    /// The arguments of a call whose `(` was read.
    fn arguments(
        &mut self,
        state: &mut State<'_>,
        name: &str,
        definition: &Macro,
    ) -> Result<Vec<Argument>, String> {
        let wanted = definition.params.as_ref().map_or(0, Vec::len);
        let mut lists: Vec<Vec<Token>> = vec![Vec::new()];
        let mut depth = 0usize;
        loop {
            let token = self.get(state, true)?;
            let open_ended = definition.variadic && lists.len() == wanted;
            match token.kind {
                Kind::End => return Err(format!("macro `{name}`: a call without its `)`")),
                _ if token.is("(") => depth += 1,
                _ if token.is(")") && depth == 0 => break,
                _ if token.is(")") => depth -= 1,
                _ if token.is(",") && depth == 0 && !open_ended => {
                    lists.push(Vec::new());
                    continue;
                }
                _ => {}
            }
            // `lists` is never empty.
            if let Some(list) = lists.last_mut()
                && !(list.is_empty() && matches!(token.kind, Kind::Padding(_)))
            {
                list.push(token);
            }
        }
        for list in &mut lists {
            while list.pop_if(|t| matches!(t.kind, Kind::Padding(_))).is_some() {}
        }
        if wanted == 0 && lists.len() == 1 && lists[0].is_empty() {
            lists.clear();
        }
        let given = lists.len();
        if !(given == wanted || (definition.variadic && given + 1 == wanted)) {
            return Err(format!("macro `{name}` takes {wanted} arguments, {given} given"));
        }
        // GNU: the comma of `, ## __VA_ARGS__` goes when the variable arguments are left out.
        let alone = given == 1 && lists[0].is_empty();
        let omitted = definition.variadic && (given < wanted || alone);
        lists.resize(wanted, Vec::new());
        let mut arguments: Vec<Argument> = lists.into_iter().map(Argument::new).collect();
        if omitted && let Some(last) = arguments.last_mut() {
            last.omitted = true;
        }
        Ok(arguments)
    }

    /// The full expansion of an argument, by itself.
    pub(super) fn expanded(
        &mut self,
        state: &mut State<'_>,
        tokens: &[Token],
    ) -> Result<Vec<Token>, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("macro arguments nest more than {MAX_DEPTH} deep"));
        }
        state.spend(tokens.len())?;
        self.push(tokens.to_vec(), None, true);
        let mut out = Vec::new();
        loop {
            let token = self.get(state, false)?;
            if token.kind == Kind::End {
                break;
            }
            out.push(token);
        }
        self.pop();
        self.depth -= 1;
        Ok(out)
    }
}

/// A place without a token.
pub(super) fn padding(source: Option<bool>) -> Token {
    Token::made(Kind::Padding(source), "")
}

/// The spacing that two paddings in a row stand for.
fn combine(before: Option<Option<bool>>, next: Option<bool>) -> Option<bool> {
    match (before, next) {
        (None | Some(None), next) => next,
        (Some(Some(false)), None) => None,
        (Some(source), _) => source,
    }
}
