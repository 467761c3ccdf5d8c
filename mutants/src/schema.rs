//! All mutants in one source text, each behind a switch.
//!
//! ```
//! use babycuda_mutants::mutant::Mutant;
//! use babycuda_mutants::schema::mutated;
//!
//! let mutant = Mutant {
//!     name: "a loop runs once too often",
//!     breaks: "thread/for-1",
//!     file: "semantics/src/example.rs",
//!     place: "let again = «j < k»;",
//!     to: "j <= k",
//! };
//! let text = mutated("let again = j < k;", &[(7, mutant)], "crate::switch")?;
//! assert_eq!(text, "let again = (if crate::switch::is(7) { j <= k } else { j < k });");
//! # Ok::<(), babycuda_mutants::schema::Misplaced>(())
//! ```

use crate::mutant::Mutant;
use std::collections::BTreeMap;
use std::ops::Range;

/// A mutant that does not fit its file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Misplaced {
    /// The place has no part between `«` and `»`.
    #[error("“{0}” does not say what it replaces")]
    Unmarked(&'static str),
    /// The place occurs in the file more than once, or not at all.
    #[error("the place of “{0}” occurs {1} times in its file")]
    NotOnce(&'static str, usize),
    /// Two mutants replace texts that overlap and are not the same.
    #[error("“{0}” and “{1}” overlap")]
    Overlap(&'static str, &'static str),
}

/// The text of a file with all `mutants` of it, each with its number for the `switch`, which is the
/// path of its module there.
///
/// # Errors
/// [`Misplaced`]
pub fn mutated(text: &str, mutants: &[(usize, Mutant)], switch: &str) -> Result<String, Misplaced> {
    let mut places: BTreeMap<(usize, usize), Vec<(usize, Mutant)>> = BTreeMap::new();
    for (number, mutant) in mutants {
        let Range { start, end } = range(text, mutant)?;
        places.entry((start, end)).or_default().push((*number, *mutant));
    }
    let mut result = String::new();
    let mut last: Option<(usize, &'static str)> = None;
    for ((start, end), alternatives) in places {
        let name = alternatives[0].1.name;
        match last {
            Some((until, other)) if start < until => return Err(Misplaced::Overlap(other, name)),
            _ => {}
        }
        result += &text[last.map_or(0, |(until, _)| until)..start];
        result += &selection(&text[start..end], &alternatives, switch);
        last = Some((end, name));
    }
    result += &text[last.map_or(0, |(until, _)| until)..];
    Ok(result)
}

/// What a file that is no Rust becomes, for the `text` of the switch: the place of the mutant there,
/// and what replaces it. A device compiles the text, so it is chosen when the tests run.
///
/// # Errors
/// [`Misplaced`]
pub fn replacement(text: &str, mutant: &Mutant) -> Result<(String, String), Misplaced> {
    range(text, mutant)?;
    let (before, from, after) = mutant.parts().ok_or(Misplaced::Unmarked(mutant.name))?;
    Ok(([before, from, after].concat(), [before, mutant.to, after].concat()))
}

/// Where the replaced part stands in the text.
fn range(text: &str, mutant: &Mutant) -> Result<Range<usize>, Misplaced> {
    let (before, from, after) = mutant.parts().ok_or(Misplaced::Unmarked(mutant.name))?;
    let place = [before, from, after].concat();
    let mut found = text.match_indices(&place);
    match (found.next(), found.count()) {
        (Some((at, _)), 0) => {
            let start = at + before.len();
            Ok(start..start + from.len())
        }
        (first, others) => {
            Err(Misplaced::NotOnce(mutant.name, usize::from(first.is_some()) + others))
        }
    }
}

/// Each alternative where its mutant is on, else the original.
fn selection(original: &str, alternatives: &[(usize, Mutant)], switch: &str) -> String {
    let mut text = String::new();
    for (number, mutant) in alternatives {
        text += &format!("if {switch}::is({number}) {{ {} }} else ", mutant.to);
    }
    text += &format!("{{ {original} }}");
    // A statement stands by itself; an expression may stand in another.
    if original.trim_end().ends_with(';') { text } else { format!("({text})") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "f(a, b); g(a);";

    fn mutant(name: &'static str, place: &'static str, to: &'static str) -> Mutant {
        Mutant { name, breaks: "f", file: "f.rs", place, to }
    }

    fn result(mutants: &[Mutant]) -> Result<String, Misplaced> {
        let numbered: Vec<_> = (1..).zip(mutants.iter().copied()).collect();
        mutated(TEXT, &numbered, "s")
    }

    #[test]
    fn places_are_rewritten_in_the_order_of_the_text() {
        let mutants = [
            mutant("no g", "«g(a);»", ""),
            mutant("b", "f(«a», b)", "b"),
            mutant("c", "f(«a», b)", "c"),
        ];
        let expected = "f((if s::is(2) { b } else if s::is(3) { c } else { a }), b); \
                        if s::is(1) {  } else { g(a); }";
        assert_eq!(result(&mutants).as_deref(), Ok(expected));
    }

    #[test]
    fn a_text_that_is_no_rust_is_replaced_at_run_time() {
        let place = replacement(TEXT, &mutant("b", "f(«a», b)", "c"));
        assert_eq!(place, Ok(("f(a, b)".to_owned(), "f(c, b)".to_owned())));
        assert_eq!(replacement(TEXT, &mutant("m", "(«a»", "b")), Err(Misplaced::NotOnce("m", 2)));
        // None is on.
        assert_eq!(crate::switch::text(TEXT, &[(1, TEXT, "f(a, b)", "f(c, b)")]), TEXT);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(result(&[mutant("m", "g(a)", "b")]), Err(Misplaced::Unmarked("m")));
        assert_eq!(result(&[mutant("m", "(«a»", "b")]), Err(Misplaced::NotOnce("m", 2)));
        assert_eq!(result(&[mutant("m", "«h»", "b")]), Err(Misplaced::NotOnce("m", 0)));
        let overlapping = [mutant("m", "«f(a, b)»", "b"), mutant("n", "f(«a», b)", "b")];
        assert_eq!(result(&overlapping), Err(Misplaced::Overlap("m", "n")));
    }
}
