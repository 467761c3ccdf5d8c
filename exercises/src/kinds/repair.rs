//! A racy kernel, repaired by the fewest barriers: nothing else may change.

use crate::exercise::{Check, ExerciseError, Source};
use crate::grade::{Fault, Judged};
use crate::reading::{applied, cuda, program, race_free, settings};
use babycuda_core::{Program, Settings, Span, counted};

/// A racy kernel.
#[derive(Clone, Debug)]
pub struct Repair {
    language: Language,
    tokens: Vec<String>,
    barriers: usize,
    settings: Settings,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Language {
    Cuda,
    BabyCuda,
}

impl Language {
    fn program(self, text: &str, settings: &Settings) -> Result<Program, Box<Fault>> {
        match self {
            Language::Cuda => Ok(cuda(text, settings)?.1),
            Language::BabyCuda => applied(&program(text)?, settings),
        }
    }
}

impl Check for Repair {
    /// Its block of `cuda` or `bcuda` is the kernel. Settings: `barriers`, the fewest that there must be in the end;
    /// `block`, `grid`, `params` as everywhere.
    fn read(source: &Source<'_>) -> Result<Repair, ExerciseError> {
        let (language, text) = match source.block("cuda") {
            Some(text) => (Language::Cuda, text),
            None => (Language::BabyCuda, source.need_block("bcuda")?),
        };
        let settings = settings(source)?;
        let program =
            language.program(text, &settings).map_err(|fault| ExerciseError::new(fault.why))?;
        if race_free(&program).is_ok() {
            return Err(ExerciseError::new("its kernel is race-free"));
        }
        let (tokens, _) = without_barriers(&tokens(text));
        let tokens = tokens.into_iter().map(|token| token.text.to_owned()).collect();
        Ok(Repair { language, tokens, barriers: source.number("barriers")?, settings })
    }

    fn judge(&self, answer: &str) -> Judged {
        let program = self.language.program(answer, &self.settings)?;
        let (rest, barriers) = without_barriers(&tokens(answer));
        let differs = rest.iter().zip(&self.tokens).find(|(token, right)| token.text != *right);
        let step = "nothing but barriers changes";
        if let Some((token, right)) = differs {
            let why = format!("`{}` stands where the kernel has `{right}`", token.text);
            return Err(Fault::wrong(step, why).at(Span::locate(answer, token.at..token.at)));
        }
        if rest.len() != self.tokens.len() {
            let why = if rest.len() < self.tokens.len() {
                "a part of the kernel is missing"
            } else {
                "there is more than the kernel has"
            };
            return Err(Fault::wrong(step, why));
        }
        race_free(&program)?;
        if barriers > self.barriers {
            let why = format!("it has {}", counted(barriers as u64, "barrier"));
            return Err(Fault::wrong("the fewest barriers", why)
                .expecting(counted(self.barriers as u64, "barrier")));
        }
        Ok(format!("race-free with {}, the fewest", counted(barriers as u64, "barrier")))
    }
}

impl Repair {
    /// The ending of the name of answers.
    pub(crate) fn ending(&self) -> &'static str {
        match self.language {
            Language::Cuda => "cu",
            Language::BabyCuda => "bcuda",
        }
    }
}

/// A word, a number or a character of a text, and where it begins.
#[derive(Clone, Copy, Debug)]
struct Token<'a> {
    text: &'a str,
    at: usize,
}

/// The tokens of a text, without comments.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let (mut tokens, mut at) = (Vec::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        let length = if c.is_whitespace() {
            c.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            let length = rest.find(|c| !word(c)).unwrap_or(rest.len()).max(c.len_utf8());
            tokens.push(Token { text: &rest[..length], at });
            length
        };
        at += length;
    }
    tokens
}

/// The tokens without barriers, and how many there were. The `;` behind a barrier goes with it; where there is none,
/// that before it.
fn without_barriers<'a>(tokens: &[Token<'a>]) -> (Vec<Token<'a>>, usize) {
    let (mut rest, mut barriers, mut n): (Vec<Token<'_>>, _, _) = (Vec::new(), 0, 0);
    while let Some(token) = tokens.get(n) {
        let text = |k: usize| tokens.get(k).map(|token| token.text);
        let calls =
            matches!(token.text, "__syncthreads" | "__syncwarp") && text(n + 1) == Some("(");
        let end = match token.text {
            _ if calls => (n..tokens.len()).find(|k| text(*k) == Some(")")).map(|k| k + 1),
            word if word == "sync" || word.starts_with("sync.") => Some(n + 1),
            _ => None,
        };
        match end {
            None => {
                rest.push(*token);
                n += 1;
            }
            Some(end) => {
                barriers += 1;
                n = end;
                if text(end) == Some(";") {
                    n += 1;
                } else if rest.last().is_some_and(|token| token.text == ";") {
                    rest.pop();
                }
            }
        }
    }
    (rest, barriers)
}
