//! The C preprocessor, as far as kernels need it: `#define` of both kinds, `#undef`, `#if` and its
//! kin, and definitions from the command line, which no `#define` of the file overrides.
//!
//! `#include` is not followed: what a header would have defined is an unknown name, which the
//! translation reports where it is used. `#` and `##` in macros are reported, too.

mod condition;
mod macros;
mod source_map;
mod token;

pub(crate) use source_map::SourceMap;

use crate::error::FrontendError;
use babycuda_core::Span;
use macros::{Macro, Macros, Piece, expand, pieces};
use std::ops::Range;
use token::{Kind, Token, tokens};

/// Preprocessed text, and where it comes from.
pub(crate) struct Expanded {
    pub(crate) text: String,
    pub(crate) map: SourceMap,
}

/// Macros that CUDA's compiler defines, as far as kernels ask for them.
const PREDEFINED: [(&str, &str); 4] = [
    ("__CUDACC__", "1"),
    ("__CUDA_ARCH__", "800"),
    ("__cplusplus", "201703L"),
    ("__align__(n)", ""),
];

/// Output may not grow beyond this many bytes.
const MAX_OUTPUT: usize = 8 << 20;

/// Preprocesses `source`, with the macros `defines` in force throughout.
///
/// # Errors
/// [`FrontendError::Preprocessor`] with the place, or [`FrontendError::Define`].
pub(crate) fn preprocess(
    source: &str,
    defines: &[(String, String)],
) -> Result<Expanded, FrontendError> {
    let mut state = State {
        source,
        macros: Macros::new(),
        regions: Vec::new(),
        text: String::new(),
        map: SourceMap::default(),
    };
    for (head, body) in PREDEFINED {
        // The table above is well-formed; were it not, the macro would be missing.
        let _ = state.define(head, body, false);
    }
    for (head, body) in defines {
        state
            .define(head, body, true)
            .map_err(|message| FrontendError::Define { name: head.clone(), message })?;
    }
    state.run()?;
    Ok(Expanded { text: state.text, map: state.map })
}

/// An open `#if`.
struct Region {
    /// Is its current branch compiled?
    live: bool,
    /// Was a branch compiled already, or is the whole region in dead text?
    done: bool,
    /// Where it starts.
    start: usize,
}

struct State<'a> {
    source: &'a str,
    macros: Macros,
    regions: Vec<Region>,
    text: String,
    map: SourceMap,
}

impl State<'_> {
    fn error<T>(
        &self,
        range: &Range<usize>,
        message: impl Into<String>,
    ) -> Result<T, FrontendError> {
        Err(FrontendError::Preprocessor {
            span: Span::locate(self.source, range.clone()),
            message: message.into(),
        })
    }

    fn live(&self) -> bool {
        self.regions.iter().all(|r| r.live)
    }

    fn run(&mut self) -> Result<(), FrontendError> {
        let tokens = tokens(self.source);
        let mut at = 0;
        let mut line_start = true;
        while let Some(token) = tokens.get(at) {
            if line_start && &self.source[token.range.clone()] == "#" {
                let end = (at..tokens.len())
                    .find(|&i| tokens[i].kind == Kind::NewLine)
                    .unwrap_or(tokens.len());
                let last = tokens[end - 1].range.end;
                self.directive(token.range.start..last)?;
                at = end;
                continue;
            }
            line_start = match token.kind {
                Kind::NewLine => true,
                Kind::Space => line_start,
                _ => false,
            };
            at = if self.live() {
                self.emit(&tokens, at)?
            } else {
                if token.kind == Kind::NewLine {
                    self.copy(&token.range);
                }
                at + 1
            };
            if self.text.len() > MAX_OUTPUT {
                return self.error(&token.range, "the preprocessed text is too large");
            }
        }
        match self.regions.last() {
            None => Ok(()),
            Some(open) => self.error(&(open.start..open.start + 1), "`#if` without `#endif`"),
        }
    }

    fn copy(&mut self, range: &Range<usize>) {
        let start = self.text.len();
        self.text.push_str(&self.source[range.clone()]);
        self.map.push(start..self.text.len(), range.clone(), true);
    }

    /// Emits the token at `at`, expanded when it is a macro, and returns the next place.
    fn emit(&mut self, tokens: &[Token], at: usize) -> Result<usize, FrontendError> {
        let token = &tokens[at];
        let name = &self.source[token.range.clone()];
        let definition = (token.kind == Kind::Identifier).then(|| self.macros.get(name)).flatten();
        let Some(definition) = definition else {
            self.copy(&token.range);
            return Ok(at + 1);
        };
        let mut input = vec![Piece { kind: Kind::Identifier, text: name.to_owned() }];
        let mut next = at + 1;
        if definition.params.is_some() {
            match call_end(self.source, tokens, at + 1) {
                None => {
                    self.copy(&token.range);
                    return Ok(at + 1);
                }
                Some(end) => {
                    input.extend(pieces(&self.source[token.range.end..tokens[end].range.end]));
                    next = end + 1;
                }
            }
        }
        let use_range = token.range.start..tokens[next - 1].range.end;
        let expansion = match expand(input, &self.macros) {
            Ok(expansion) => expansion,
            Err(message) => return self.error(&use_range, message),
        };
        let start = self.text.len();
        for piece in &expansion {
            self.text.push_str(&piece.text);
            self.text.push(' ');
        }
        self.map.push(start..self.text.len(), use_range, false);
        Ok(next)
    }

    fn directive(&mut self, range: Range<usize>) -> Result<(), FrontendError> {
        let line =
            self.source[range.start + 1..range.end].replace("\\\r\n", " ").replace("\\\n", " ");
        let line = strip_comments(&line);
        let line = line.trim();
        let name_end = line.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(line.len());
        let (name, rest) = (&line[..name_end], line[name_end..].trim());
        let first = |text: &str| text.split_whitespace().next().unwrap_or("").to_owned();
        match name {
            "if" | "ifdef" | "ifndef" => {
                let outer = self.live();
                let holds = outer
                    && match name {
                        "ifdef" => self.macros.contains_key(&first(rest)),
                        "ifndef" => !self.macros.contains_key(&first(rest)),
                        _ => self.condition(rest, &range)?,
                    };
                self.regions.push(Region {
                    live: holds,
                    done: holds || !outer,
                    start: range.start,
                });
            }
            "elif" | "else" => {
                let undecided = self.regions.last().is_some_and(|r| !r.done);
                let holds = undecided && (name == "else" || self.condition(rest, &range)?);
                match self.regions.last_mut() {
                    None => return self.error(&range, format!("`#{name}` without `#if`")),
                    Some(region) => {
                        region.live = holds;
                        region.done |= holds;
                    }
                }
            }
            "endif" => match self.regions.pop() {
                Some(_) => {}
                None => return self.error(&range, "`#endif` without `#if`"),
            },
            "define" if self.live() => {
                let head_end = macro_head(rest);
                if let Err(message) = self.define(&rest[..head_end], &rest[head_end..], false) {
                    return self.error(&range, message);
                }
            }
            "undef" if self.live() => {
                let name = first(rest);
                if self.macros.get(&name).is_some_and(|m| !m.pinned) {
                    self.macros.remove(&name);
                }
            }
            "error" if self.live() => return self.error(&range, format!("#error {rest}")),
            // `#include`, `#pragma`, `#line` and unknown directives.
            _ => {}
        }
        Ok(())
    }

    fn condition(&self, text: &str, range: &Range<usize>) -> Result<bool, FrontendError> {
        condition::evaluate(text, &self.macros).or_else(|message| self.error(range, message))
    }

    /// Defines the macro with the given head, `NAME` or `NAME(a, b)`.
    fn define(&mut self, head: &str, body: &str, pinned: bool) -> Result<(), String> {
        let head = pieces(head);
        let Some(name) = head.first().filter(|p| p.kind == Kind::Identifier) else {
            return Err("a macro needs a name".into());
        };
        let params = match macros::arguments(&head, 1) {
            None if head.len() == 1 => None,
            None => return Err("unfinished macro parameters".into()),
            Some((params, _)) => {
                let mut names = Vec::new();
                for param in params.iter().filter(|p| !p.is_empty()) {
                    match param.as_slice() {
                        [p] if p.kind == Kind::Identifier => names.push(p.text.clone()),
                        _ => return Err(format!("macro `{}` has variable arguments", name.text)),
                    }
                }
                Some(names)
            }
        };
        if self.macros.get(&name.text).is_some_and(|m| m.pinned) {
            return Ok(());
        }
        let definition = Macro { params, body: pieces(body), pinned };
        self.macros.insert(name.text.clone(), definition);
        Ok(())
    }
}

/// The length of the head of a macro definition: `(` belongs to it only without a blank before.
fn macro_head(text: &str) -> usize {
    let name = text.find(|c: char| !(c == '_' || c.is_alphanumeric())).unwrap_or(text.len());
    if text[name..].starts_with('(') { text.find(')').map_or(text.len(), |n| n + 1) } else { name }
}

/// The index of the `)` that closes a call whose `(` is the next visible token from `at`.
fn call_end(source: &str, tokens: &[Token], at: usize) -> Option<usize> {
    let visible = |t: &Token| !matches!(t.kind, Kind::Space | Kind::NewLine);
    let open = (at..tokens.len()).find(|&i| visible(&tokens[i]))?;
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match &source[token.range.clone()] {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(i),
            ")" => depth -= 1,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// `line` with its comments replaced by blanks.
fn strip_comments(line: &str) -> String {
    let mut out = String::new();
    for token in tokens(line) {
        let text = &line[token.range];
        if token.kind == Kind::Space {
            out.push(' ');
        } else {
            out.push_str(text);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(source: &str, defines: &[(&str, &str)]) -> Result<String, FrontendError> {
        let defines: Vec<(String, String)> =
            defines.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
        let text = preprocess(source, &defines)?.text;
        Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn macros_of_both_kinds_expand() {
        let source = "#define N 4\n#define AT(i, j) ((i) * N + (j))\nx[AT(y, f(1, 2))] N AT";
        assert_eq!(run(source, &[]).as_deref(), Ok("x[( ( y ) * 4 + ( f ( 1 , 2 ) ) ) ] 4 AT"));
    }

    #[test]
    fn the_command_line_wins() {
        let source = "#define N 4\n#ifndef M\n#define M 5\n#endif\nN M";
        assert_eq!(run(source, &[("N", "8")]).as_deref(), Ok("8 5"));
        assert_eq!(run(source, &[("M", "8")]).as_deref(), Ok("4 8"));
    }

    #[test]
    fn conditions_choose_branches() {
        let source = "#if defined(A) && A > 2\none\n#elif !defined A\ntwo\n#else\nthree\n#endif";
        assert_eq!(run(source, &[("A", "3")]).as_deref(), Ok("one"));
        assert_eq!(run(source, &[]).as_deref(), Ok("two"));
        assert_eq!(run(source, &[("A", "1")]).as_deref(), Ok("three"));
    }

    #[test]
    fn recursive_macros_stop() {
        assert_eq!(run("#define A B\n#define B A\nA", &[]).as_deref(), Ok("A"));
    }

    #[test]
    fn exploding_macros_are_an_error() {
        let mut source = String::from("#define X0 x x\n");
        for i in 1..40 {
            source += &format!("#define X{i} X{0} X{0}\n", i - 1);
        }
        assert!(run(&(source + "X39"), &[]).is_err());
    }

    #[test]
    fn errors_have_places() {
        let error = run("a\n#if 1 +\n#endif", &[]).map_err(|e| e.to_string());
        assert_eq!(error, Err("2:1: a condition ends too early".to_owned()));
        let error = run("\n\n #if 1\n", &[]).map_err(|e| e.to_string());
        assert_eq!(error, Err("3:2: `#if` without `#endif`".to_owned()));
    }

    #[test]
    fn line_numbers_survive() {
        let expanded = preprocess("#define A \\\n 1\nA\nb", &[]).map(|e| {
            let at = e.text.find('b').unwrap_or(0);
            e.map.original(&(at..at + 1))
        });
        assert_eq!(expanded, Ok(17..18));
    }
}
