//! What a file says about itself, in comments that start with `// babycuda:`.
//!
//! ```
//! use babycuda_frontend::directives::{Check, Expected, directives};
//!
//! let source = "// babycuda: assume n <= 1024\n\
//!               // babycuda: check --block 64 => racy rw s 12 15 | unknown\n";
//! let found = directives(source)?;
//! assert_eq!(found.assumptions, ["n <= 1024"]);
//! assert_eq!(found.checks[0].flags, ["--block", "64"]);
//! assert_eq!(found.checks[0].expected[1], Expected::Unknown);
//! # Ok::<(), babycuda_frontend::directives::BadDirective>(())
//! ```

/// The directives of a file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Directives {
    /// C expressions that hold for every check.
    pub assumptions: Vec<String>,
    /// The verdicts that are expected.
    pub checks: Vec<Check>,
}

/// One `check` directive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// The line of the directive, from 1.
    pub line: u32,
    /// Flags for `babycuda check`.
    pub flags: Vec<String>,
    /// The truth, then other answers that are acceptable from a checker that cannot decide.
    pub expected: Vec<Expected>,
}

/// An expected verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expected {
    /// `drf`
    Drf,
    /// `racy KIND ARRAY LINE LINE`
    Racy {
        /// `ww`, `rw` or `at`.
        kind: String,
        /// The array.
        array: String,
        /// The lines of the two accesses, the smaller first.
        lines: (u32, u32),
    },
    /// `divergent`
    Divergent,
    /// `unknown`
    Unknown,
}

/// A directive that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct BadDirective {
    /// The line, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// The directives of `source`.
///
/// # Errors
/// [`BadDirective`] for the first comment that starts like a directive and is none.
pub fn directives(source: &str) -> Result<Directives, BadDirective> {
    let mut found = Directives::default();
    for (number, line) in (1u32..).zip(source.lines()) {
        let Some(text) = line.trim().strip_prefix("// babycuda:") else {
            continue;
        };
        let text = text.trim();
        let bad = |message: String| BadDirective { line: number, message };
        if let Some(expression) = text.strip_prefix("assume ") {
            found.assumptions.push(expression.trim().to_owned());
        } else if let Some(check) = text.strip_prefix("check") {
            let Some((flags, expected)) = check.split_once("=>") else {
                return Err(bad("a check needs `=>` and a verdict".into()));
            };
            found.checks.push(Check {
                line: number,
                flags: flags.split_whitespace().map(str::to_owned).collect(),
                expected: expected
                    .split('|')
                    .map(verdict)
                    .collect::<Result<_, _>>()
                    .map_err(bad)?,
            });
        } else {
            return Err(bad(format!("unknown directive `{text}`")));
        }
    }
    Ok(found)
}

fn verdict(text: &str) -> Result<Expected, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |w: &str| w.parse::<u32>().map_err(|_| format!("`{w}` is no line"));
    match words[..] {
        ["drf"] => Ok(Expected::Drf),
        ["divergent"] => Ok(Expected::Divergent),
        ["unknown"] => Ok(Expected::Unknown),
        ["racy", kind @ ("ww" | "rw" | "at"), array, first, second] => {
            let (first, second) = (number(first)?, number(second)?);
            Ok(Expected::Racy {
                kind: kind.to_owned(),
                array: array.to_owned(),
                lines: (first.min(second), first.max(second)),
            })
        }
        _ => Err(format!("`{}` is no verdict", text.trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_directives_have_lines() {
        let message = |source| directives(source).map_err(|e| e.to_string());
        assert_eq!(
            message("\n// babycuda: check => maybe"),
            Err("line 2: `maybe` is no verdict".to_owned())
        );
        assert_eq!(
            message("// babycuda: prove"),
            Err("line 1: unknown directive `prove`".to_owned())
        );
        assert_eq!(message("// a comment"), Ok(Directives::default()));
    }
}
