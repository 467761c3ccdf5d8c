//! Statements of kernels, and smaller ones: what they are made of, since leaving them out is another step.

use super::terms::{Term, below};
use babycuda_validation::scorecard::kernel::Line;

/// The statements, with one of them made smaller.
pub(super) fn smaller(body: &[Line]) -> Vec<Vec<Line>> {
    let of_line = |line: &Line| match line {
        Line::Code(code) => of_code(code).into_iter().map(Line::Code).collect(),
        Line::Block(head, inner) => {
            let heads = of_head(head).into_iter().map(|head| Line::Block(head, inner.clone()));
            let inner = smaller(inner).into_iter().map(|inner| Line::Block(head.clone(), inner));
            heads.chain(inner).collect::<Vec<_>>()
        }
    };
    at_each(body, |line| of_line(line).into_iter().map(|line| vec![line]).collect())
}

/// The statements, with the first round of one of their loops in its place.
pub(super) fn unrolled(body: &[Line]) -> Vec<Vec<Line>> {
    at_each(body, |line| match line {
        Line::Code(_) => Vec::new(),
        Line::Block(head, inner) => {
            let first = Head::of(head).map(|of| inner.iter().map(|l| round(l, of.first)).collect());
            let nested = unrolled(inner).into_iter();
            let nested = nested.map(|inner| vec![Line::Block(head.clone(), inner)]);
            first.into_iter().chain(nested).collect()
        }
    })
}

/// The statements, with one of the cells that they access several times made another one, wherever it stands.
pub(super) fn moved(body: &[Line]) -> Vec<Vec<Line>> {
    let mut cells = Vec::new();
    accessed(body, &mut cells);
    cells.sort_unstable();
    let several = cells.chunk_by(|one, other| one == other).filter(|same| same.len() > 1);
    let moved = several.flat_map(|same| plain(same[0], false).map(move |to| (same[0], to)));
    moved.map(|(from, to)| replaced(body, &format!("X[{from}]"), &format!("X[{to}]"))).collect()
}

/// The indices at which the statements access the array.
fn accessed<'b>(body: &'b [Line], into: &mut Vec<&'b str>) {
    for line in body {
        match line {
            Line::Code(code) => into.extend(code.split("X[").skip(1).filter_map(index)),
            Line::Block(_, inner) => accessed(inner, into),
        }
    }
}

/// What stands before the bracket that closes.
fn index(text: &str) -> Option<&str> {
    let mut open = 1;
    let end = text.find(|c| {
        open += i32::from(c == '[') - i32::from(c == ']');
        open == 0
    });
    text.get(..end?)
}

fn replaced(body: &[Line], from: &str, to: &str) -> Vec<Line> {
    let line = |line: &Line| match line {
        Line::Code(code) => Line::Code(code.replace(from, to)),
        Line::Block(head, inner) => Line::Block(head.clone(), replaced(inner, from, to)),
    };
    body.iter().map(line).collect()
}

/// The statements with each of what `by` makes of one of them in its place.
fn at_each(body: &[Line], by: impl Fn(&Line) -> Vec<Vec<Line>>) -> Vec<Vec<Line>> {
    let at = |i: usize| {
        let all = by(&body[i]).into_iter();
        all.map(move |lines| [&body[..i], &lines[..], &body[i + 1..]].concat())
    };
    (0..body.len()).flat_map(at).collect()
}

/// The head of a loop over `i`: where it begins, its condition, and how it goes on.
struct Head<'t> {
    first: &'t str,
    condition: &'t str,
    next: &'t str,
}

impl Head<'_> {
    fn of(head: &str) -> Option<Head<'_>> {
        let inner = head.strip_prefix("for (int i = ")?.strip_suffix(')')?;
        let mut parts = inner.split("; ");
        let [first, condition, next] = [parts.next()?, parts.next()?, parts.next()?];
        Some(Head { first, condition, next })
    }
}

/// The statement where the counter of the loop around it has this value.
fn round(line: &Line, value: &str) -> Line {
    match line {
        Line::Code(code) => Line::Code(with_counter(code, value)),
        // Its counter is another one.
        Line::Block(head, _) if Head::of(head).is_some() => line.clone(),
        Line::Block(head, inner) => {
            let inner = inner.iter().map(|line| round(line, value)).collect();
            Line::Block(with_counter(head, value), inner)
        }
    }
}

fn with_counter(text: &str, value: &str) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let (mut out, mut rest) = (String::new(), text);
    while !rest.is_empty() {
        let end = match rest.find(is_word) {
            Some(0) => rest.find(|c| !is_word(c)),
            start => start,
        };
        let (part, behind) = rest.split_at(end.unwrap_or(rest.len()));
        out += if part == "i" { value } else { part };
        rest = behind;
    }
    out
}

/// Smaller guards, and loops of fewer rounds.
fn of_head(head: &str) -> Vec<String> {
    if let Some(guard) = head.strip_prefix("if (").and_then(|head| head.strip_suffix(')')) {
        return terms(guard).map(|guard| format!("if ({guard})")).collect();
    }
    let Some(Head { first, condition, next }) = Head::of(head) else { return Vec::new() };
    let Some((i, bound)) = condition.split_once(" < ") else { return Vec::new() };
    let bound = bound.parse().into_iter().flat_map(below).filter(|bound| *bound > 0);
    bound.map(|bound| format!("for (int i = {first}; {i} < {bound}; {next})")).collect()
}

/// Smaller accesses.
fn of_code(code: &str) -> Vec<String> {
    let inner =
        |text: &str| text.strip_prefix("X[").and_then(|t| t.strip_suffix(']')).map(str::to_owned);
    if let Some(update) = code.strip_prefix("atomicAdd(&") {
        let Some((cell, value)) = update.split_once(", ") else { return Vec::new() };
        let index = inner(cell).unwrap_or_default();
        return plain(&index, false)
            .map(|index| format!("atomicAdd(&X[{index}], {value}"))
            .collect();
    }
    let parts = code.strip_suffix(';').and_then(|code| code.split_once(" = "));
    let Some((left, right)) = parts else { return Vec::new() };
    let rights = plain(right, true).map(|right| right.to_string()).filter(|right| right != "x");
    let mut all: Vec<_> = rights.map(|right| format!("{left} = {right};")).collect();
    let index = inner(left).unwrap_or_default();
    all.extend(plain(&index, false).map(|index| format!("X[{index}] = {right};")));
    all
}

/// Smaller terms.
fn terms(text: &str) -> impl Iterator<Item = Term> {
    Term::read(text).map(|term| term.smaller()).into_iter().flatten()
}

/// Likewise, where a number alone is written in one way.
fn plain(text: &str, unsigned: bool) -> impl Iterator<Item = Term> {
    terms(text).map(move |term| term.alone(unsigned))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Line {
        Line::Code(text.into())
    }

    fn block(head: &str, inner: &[Line]) -> Line {
        Line::Block(head.into(), inner.to_vec())
    }

    #[test]
    fn statements_lose_what_they_are_made_of() {
        let body = [block("if (t < 2)", &[code("__syncthreads();")]), code("x = x + X[0];")];
        let expected = [
            [block("if (0 < 2)", &[code("__syncthreads();")]), body[1].clone()],
            [block("if (t < 0)", &[code("__syncthreads();")]), body[1].clone()],
            [block("if (t < 1)", &[code("__syncthreads();")]), body[1].clone()],
            [body[0].clone(), code("x = 0u;")],
            [body[0].clone(), code("x = X[0];")],
            [body[0].clone(), code("x = 0u + X[0];")],
            [body[0].clone(), code("x = x + 0u;")],
        ];
        assert_eq!(smaller(&body), expected);
        assert_eq!(of_code("X[t] = t;"), ["X[t] = 0u;", "X[0] = t;"]);
        assert_eq!(of_code("X[0] = X[t];"), ["X[0] = 0u;", "X[0] = X[0];"]);
        assert_eq!(of_code("X[d[0] % 4u] = 0u;"), ["X[0] = 0u;"]);
        assert_eq!(of_code("atomicAdd(&X[1], 1u);"), ["atomicAdd(&X[0], 1u);"]);
        assert_eq!(of_head("for (int i = 0; i < 2; i++)"), ["for (int i = 0; i < 1; i++)"]);
        // It would have no end.
        assert!(of_head("for (int i = 2; i > 0; i /= 2)").is_empty());
    }

    #[test]
    fn a_cell_is_made_another_one_wherever_it_stands() {
        let inner = [code("x = x + X[d[1] % 4u];"), code("atomicAdd(&X[1], 1u);")];
        let body = [code("X[1] = X[d[1] % 4u] + 1u;"), block("if (t < 1)", &inner)];
        let to = |one: &str, other: &str| {
            let inner = [
                code(&format!("x = x + X[{other}];")),
                code(&format!("atomicAdd(&X[{one}], 1u);")),
            ];
            [code(&format!("X[{one}] = X[{other}] + 1u;")), block("if (t < 1)", &inner)]
        };
        assert_eq!(moved(&body), [to("0", "d[1] % 4u"), to("1", "0"), to("1", "d[0] % 4u")]);
        assert!(moved(&body[..1]).is_empty());
    }

    #[test]
    fn a_loop_becomes_its_first_round() {
        let inner = [code("X[i + di] = i;"), block("if (i < 2)", &[code("X[4 * i] = 1u;")])];
        let round = [code("X[t + di] = t;"), block("if (t < 2)", &[code("X[4 * t] = 1u;")])];
        let head = "for (int i = t; i < 8; i += 2)";
        let body = [block("if (t < n)", &[block(head, &inner)])];
        assert_eq!(unrolled(&body), [[block("if (t < n)", &round)]]);
        // A loop in it has a counter of its own.
        let nested = block("for (int i = 0; i < 1; i++)", &inner);
        let outer = block(head, std::slice::from_ref(&nested));
        assert_eq!(unrolled(&[outer])[0], [nested]);
    }
}
