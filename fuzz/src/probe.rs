//! Whether a tool tells a kernel that races from one that does not: before a campaign, on two of which it is plain.
//!
//! Status 1 may mean a race, or that a program has no such option. Whoever says the same of both is still asked about the kernels
//! of the campaign, since the tool may just be wrong; but it is said.

use crate::found::without_numbers;
use crate::judge::Asking;
use crate::tool::{Answer, Said, Tool};
use babycuda_validation::scorecard::kernel::{Line, Small};
use babycuda_validation::scorecard::{Case, Fragment};
use serde::{Deserialize, Serialize};
use std::fmt;

/// All threads write one cell, each something else.
const RACY: &str = "X[0] = t;";
/// Each writes its own.
const FREE: &str = "X[t] = t;";

/// What a tool says both of a kernel that races and of one that does not.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Same {
    /// `racy`, `race-free` or `divergent`.
    pub answer: String,
    /// The first line of its words of the latter, with `#` for each number; empty, where it had none.
    pub words: String,
}

impl Same {
    /// Asks the tool. `None`: it tells them apart, or did not say.
    pub(crate) fn of(tool: &dyn Tool, asking: &Asking) -> Option<Same> {
        // A compiler may leave out what is written to a shared array alone; and some tools look at no other.
        let of = |array| Some((array, asked(tool, array, RACY, asking)?));
        let answers = ["a", "s"].into_iter().filter_map(of);
        let mut said =
            answers.skip_while(|(_, said)| matches!(said.answer, Answer::Unsupported(_)));
        let (array, racy) = said.next()?;
        let racy = word(&racy.answer)?;
        let Said { answer, words } = asked(tool, array, FREE, asking)?;
        let first = words.lines().map(str::trim).find(|line| !line.is_empty());
        // Names of files change from run to run.
        let words = without_numbers(first.unwrap_or_default()).chars().take(120).collect();
        (word(&answer)? == racy).then(|| Same { answer: racy.to_owned(), words })
    }
}

fn kernel(array: &'static str, code: &str) -> Option<Case> {
    let small = Small { array, n: 0, body: vec![Line::Code(code.to_owned())] };
    Case::read(Fragment::Affine, small)
}

fn asked(tool: &dyn Tool, array: &'static str, code: &str, asking: &Asking) -> Option<Said> {
    Some(tool.ask(&kernel(array, code)?, 0, asking.within))
}

fn word(answer: &Answer) -> Option<&'static str> {
    match answer {
        Answer::Racy => Some("racy"),
        Answer::RaceFree => Some("race-free"),
        Answer::Divergent => Some("divergent"),
        Answer::Unsupported(_) | Answer::Crash(_) | Answer::TimeOut => None,
    }
}

/// For a note.
impl fmt::Display for Same {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Same { answer, words } = self;
        write!(f, "says {answer} both of a kernel that races and of one that does not")?;
        if words.is_empty() { Ok(()) } else { write!(f, ", in these words: {words}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_validation::scorecard::truth::Truth;

    #[test]
    fn it_is_plain_what_is_true_of_the_two() {
        for (code, truth) in [(RACY, Truth::Racy), (FREE, Truth::Clean)] {
            let worst = ["a", "s"].map(|array| kernel(array, code).expect("a kernel").worst());
            assert_eq!(
                worst.map(|worst| worst.map(|(truth, _)| truth)),
                [Some(truth); 2],
                "{code}"
            );
        }
    }

    #[test]
    fn who_tells_them_apart_has_no_note() {
        let asking = Asking::default();
        for tool in crate::tools("inside", &asking.reading, &std::env::temp_dir()).unwrap().asked {
            assert_eq!(Same::of(tool.as_ref(), &asking), None, "{}", tool.name());
        }
    }
}
