//! Macro definitions and their expansion.

use super::token::{Kind, tokens};
use std::collections::BTreeMap;

/// A token of a macro body or of text that is being expanded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) text: String,
}

/// The meaning of a macro.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Macro {
    /// The parameters of a function-like macro.
    pub(super) params: Option<Vec<String>>,
    /// The replacement.
    pub(super) body: Vec<Piece>,
    /// Was it given on the command line? Then a `#define` in the file does not change it.
    pub(super) pinned: bool,
}

/// The macros in force.
pub(super) type Macros = BTreeMap<String, Macro>;

/// Text that is expanded may not grow beyond this many tokens.
const MAX_TOKENS: usize = 200_000;
/// Nor may macros use macros deeper than this.
const MAX_DEPTH: usize = 64;

/// The tokens of `text` without space, as pieces.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    tokens(text)
        .into_iter()
        .filter(|t| !matches!(t.kind, Kind::Space | Kind::NewLine))
        .map(|t| Piece { kind: t.kind, text: text[t.range].to_owned() })
        .collect()
}

/// Expands every macro in `input`.
///
/// # Errors
/// A message when the expansion is too large, a call has the wrong number of arguments, or a
/// macro uses `#` or `##`.
pub(super) fn expand(input: Vec<Piece>, macros: &Macros) -> Result<Vec<Piece>, String> {
    let mut out = Vec::new();
    expand_into(&input, macros, &mut Vec::new(), &mut out)?;
    Ok(out)
}

fn expand_into(
    input: &[Piece],
    macros: &Macros,
    active: &mut Vec<String>,
    out: &mut Vec<Piece>,
) -> Result<(), String> {
    if active.len() > MAX_DEPTH {
        return Err("macros use macros too deeply".into());
    }
    let mut at = 0;
    while let Some(piece) = input.get(at) {
        at += 1;
        if out.len() > MAX_TOKENS {
            return Err("macro expansion is too large".into());
        }
        let definition = (piece.kind == Kind::Identifier && !active.contains(&piece.text))
            .then(|| macros.get(&piece.text))
            .flatten();
        let Some(definition) = definition else {
            out.push(piece.clone());
            continue;
        };
        let replaced = match &definition.params {
            None => definition.body.clone(),
            Some(params) => {
                let Some((args, next)) = arguments(input, at) else {
                    // A function-like macro without arguments is an ordinary name.
                    out.push(piece.clone());
                    continue;
                };
                at = next;
                let expanded = args
                    .into_iter()
                    .map(|arg| {
                        let mut out = Vec::new();
                        expand_into(&arg, macros, active, &mut out).map(|()| out)
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                substitute(&piece.text, params, &definition.body, expanded)?
            }
        };
        if replaced.len() > MAX_TOKENS {
            return Err("macro expansion is too large".into());
        }
        active.push(piece.text.clone());
        let result = expand_into(&replaced, macros, active, out);
        active.pop();
        result?;
    }
    Ok(())
}

/// The arguments of a call whose `(` is expected at `at`, and the place after its `)`.
pub(super) fn arguments(input: &[Piece], at: usize) -> Option<(Vec<Vec<Piece>>, usize)> {
    if input.get(at)?.text != "(" {
        return None;
    }
    let mut depth = 0usize;
    let mut args = vec![Vec::new()];
    for (offset, piece) in input[at..].iter().enumerate() {
        match piece.text.as_str() {
            "(" | "[" | "{" => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            ")" | "]" | "}" => {
                depth -= 1;
                if depth == 0 {
                    return Some((args, at + offset + 1));
                }
            }
            "," if depth == 1 => {
                args.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = args.last_mut() {
            last.push(piece.clone());
        }
    }
    None
}

/// The body of a function-like macro with its arguments in place.
fn substitute(
    name: &str,
    params: &[String],
    body: &[Piece],
    args: Vec<Vec<Piece>>,
) -> Result<Vec<Piece>, String> {
    let no_args = params.is_empty() && args.len() == 1 && args[0].is_empty();
    if args.len() != params.len() && !no_args {
        return Err(format!(
            "macro `{name}` takes {} arguments, {} given",
            params.len(),
            args.len()
        ));
    }
    let mut out = Vec::new();
    for piece in body {
        if piece.text == "##" || piece.text == "#" {
            return Err(format!("macro `{name}` uses `{}`", piece.text));
        }
        match params.iter().position(|p| *p == piece.text) {
            Some(i) if piece.kind == Kind::Identifier => out.extend(args[i].iter().cloned()),
            _ => out.push(piece.clone()),
        }
    }
    Ok(out)
}
