//! Macro definitions.

use super::Reason;
use super::token::{Kind, Token};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The meaning of a macro.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Macro {
    /// The parameters of a function-like macro. A variadic one's last is `__VA_ARGS__` or GNU's
    /// name for it.
    pub(super) params: Option<Vec<Rc<str>>>,
    /// May the last parameter take several arguments?
    pub(super) variadic: bool,
    /// The replacement.
    pub(super) body: Rc<[Part]>,
    /// Was it given on the command line? Then a `#define` in the file does not change it.
    pub(super) pinned: bool,
    /// Why it may mean something else.
    pub(super) doubt: Option<Reason>,
}

/// A token of a replacement. `token.paste` says that `##` follows it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) token: Token,
    pub(super) role: Role,
}

/// What a token of a replacement stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// Itself.
    Plain,
    /// The argument of this number.
    Argument(usize),
    /// That argument as a string.
    Stringified(usize),
    /// `__VA_OPT__`, up to the part of this index, its `)`.
    Optional(usize),
    /// `#__VA_OPT__`
    StringifiedOptional(usize),
}

/// The macros in force.
pub(super) type Macros = BTreeMap<Rc<str>, Rc<Macro>>;

/// What is wrong with a definition, and the macro's name if that is known.
pub(super) type BadDefinition = (Option<Rc<str>>, String);

/// Names that no `#define` may have.
const RESERVED: [&str; 3] = ["defined", "__VA_ARGS__", "__VA_OPT__"];

/// Reads a definition: the tokens after `#define`, without space tokens.
///
/// # Errors
/// What is wrong with it, and the macro's name if that is known.
pub(super) fn definition(line: &[Token]) -> Result<(Rc<str>, Macro), BadDefinition> {
    let name = match line.first() {
        Some(t) if t.kind == Kind::Identifier => t.text.clone(),
        _ => return Err((None, "a macro needs a name".into())),
    };
    if RESERVED.contains(&&*name) {
        return Err((None, format!("`{name}` cannot be a macro")));
    }
    let wrong = |message: &str| (Some(name.clone()), format!("macro `{name}`: {message}"));
    let mut rest = &line[1..];
    let (mut params, mut variadic) = (None, false);
    if rest.first().is_some_and(|t| t.is("(") && !t.white) {
        let close = rest.iter().position(|t| t.is(")"));
        let close = close.ok_or_else(|| wrong("unfinished parameters"))?;
        let (names, more) = parameters(&rest[1..close]).map_err(wrong)?;
        (params, variadic) = (Some(names), more);
        rest = &rest[close + 1..];
    }
    let body = replacement(rest, params.as_deref(), variadic).map_err(wrong)?;
    Ok((name, Macro { params, variadic, body: body.into(), pinned: false, doubt: None }))
}

/// The names of the parameters, and whether the last is variadic.
fn parameters(list: &[Token]) -> Result<(Vec<Rc<str>>, bool), &'static str> {
    let mut names: Vec<Rc<str>> = Vec::new();
    let mut variadic = false;
    if list.is_empty() {
        return Ok((names, false));
    }
    for param in list.split(|t| t.is(",")) {
        let name = match param {
            _ if variadic => return Err("`...` is not the last parameter"),
            [name] if name.kind == Kind::Identifier => name.text.clone(),
            [dots] if dots.is("...") => {
                variadic = true;
                Rc::from("__VA_ARGS__")
            }
            [name, dots] if name.kind == Kind::Identifier && dots.is("...") => {
                variadic = true;
                name.text.clone()
            }
            _ => return Err("a parameter is no name"),
        };
        if names.contains(&name) {
            return Err("two parameters have one name");
        }
        names.push(name);
    }
    Ok((names, variadic))
}

/// The replacement, `#` and `##` taken in.
fn replacement(
    line: &[Token],
    params: Option<&[Rc<str>]>,
    variadic: bool,
) -> Result<Vec<Part>, &'static str> {
    let mut body: Vec<Part> = Vec::new();
    let mut hash: Option<bool> = None;
    for (i, token) in line.iter().enumerate() {
        let name = (token.kind == Kind::Identifier).then_some(&token.text);
        let argument = name.and_then(|n| params?.iter().position(|p| p == n));
        let optional = variadic && name.is_some_and(|n| **n == *"__VA_OPT__");
        if token.is("##") {
            match body.last_mut() {
                Some(last) if i + 1 < line.len() && hash.is_none() => last.token.paste = true,
                _ => return Err("`##` at an end of the replacement"),
            }
            continue;
        }
        if params.is_some() && token.is("#") && hash.is_none() {
            hash = Some(token.white);
            continue;
        }
        let role = match (argument, optional) {
            (Some(n), _) if hash.is_some() => Role::Stringified(n),
            (Some(n), _) => Role::Argument(n),
            (None, true) if hash.is_some() => Role::StringifiedOptional(0),
            (None, true) => Role::Optional(0),
            (None, false) if hash.is_some() => return Err("`#` is not before a parameter"),
            (None, false) => Role::Plain,
        };
        let white = hash.take().unwrap_or(token.white) && !body.is_empty();
        body.push(Part { token: Token { white, first: false, ..token.clone() }, role });
    }
    if hash.is_some() {
        return Err("`#` at the end of the replacement");
    }
    close_optionals(&mut body)?;
    Ok(body)
}

/// Finds the `)` of each `__VA_OPT__`.
fn close_optionals(body: &mut [Part]) -> Result<(), &'static str> {
    let mut next = 0;
    while next < body.len() {
        let start = next;
        next += 1;
        if !matches!(body[start].role, Role::Optional(_) | Role::StringifiedOptional(_)) {
            continue;
        }
        let mut depth = 0usize;
        let close = (start + 1..body.len()).find(|&i| {
            let token = &body[i].token;
            depth += usize::from(token.is("("));
            let closes = token.is(")");
            depth = depth.saturating_sub(usize::from(closes));
            depth == 0
        });
        let close = close.filter(|&c| c > start + 1).ok_or("unfinished `__VA_OPT__`")?;
        let inner = &body[start + 2..close];
        if inner.iter().any(|p| matches!(p.role, Role::Optional(_) | Role::StringifiedOptional(_)))
        {
            return Err("`__VA_OPT__` in `__VA_OPT__`");
        }
        if body[start + 1].token.paste || inner.last().is_some_and(|p| p.token.paste) {
            return Err("`##` at an end of `__VA_OPT__`");
        }
        body[start].role = match body[start].role {
            Role::Optional(_) => Role::Optional(close),
            _ => Role::StringifiedOptional(close),
        };
        next = close + 1;
    }
    Ok(())
}
