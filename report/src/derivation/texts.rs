//! Texts of threads that differ in numbers only are one text of `i`.

use super::formula::{Formula, Kind, Piece, code, math};
use super::letter::THREAD;
use std::collections::BTreeMap;
use std::sync::Arc;

/// So many threads at least are drawn as one.
pub(super) const FEWEST: usize = 4;

/// A text, in parts: numbers, and what is none.
fn parts(text: &str) -> Vec<(bool, &str)> {
    let (mut parts, mut start, mut word, mut number) = (Vec::new(), 0, false, false);
    for (at, c) in text.char_indices() {
        let digit = c.is_ascii_digit() && !word;
        if digit != number && at > start {
            parts.push((number, &text[start..at]));
            start = at;
        }
        number = digit;
        word = !digit && (c.is_alphanumeric() || c == '_');
    }
    if start < text.len() {
        parts.push((number, &text[start..]));
    }
    parts
}

/// The text with `#` for each number.
pub(super) fn key(text: &str) -> String {
    parts(text).into_iter().map(|(number, part)| if number { "#" } else { part }).collect()
}

/// `0 … 63`; ranges, where they are not one; a few of them, where there are many.
pub(super) fn range(threads: &[u64]) -> String {
    ranges(threads, 6)
}

/// The same, all of them.
pub(super) fn whole_range(threads: &[u64]) -> String {
    ranges(threads, usize::MAX)
}

fn ranges(threads: &[u64], most: usize) -> String {
    if let [a, b, c, .., last] = threads
        && b - a > 1
        && threads.windows(2).all(|pair| pair[1] - pair[0] == b - a)
    {
        return format!("{a}, {b}, {c}, … {last}");
    }
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for i in threads {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *i => *last = *i,
            _ => runs.push((*i, *i)),
        }
    }
    let one = |(first, last): &(u64, u64)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} … {last}"),
    };
    let few: Vec<String> = runs.iter().take(most).map(one).collect();
    let few = few.join(", ");
    match runs.last() {
        Some(last) if runs.len() > most => {
            format!("{few}, …, {} ({} threads)", one(last), threads.len())
        }
        _ => few,
    }
}

/// The number as `i` gives it, if it does: its value at every thread, by the first two.
fn linear(threads: &[u64], values: &[String]) -> Option<String> {
    let values: Option<Vec<i128>> = values.iter().map(|v| v.parse().ok()).collect();
    let values = values?;
    let at = |n: usize| threads.get(n).map(|i| i128::from(*i));
    let rise = values.get(1)?.checked_sub(values[0])?;
    let run = at(1)? - at(0)?;
    let factor = (run != 0 && rise % run == 0).then(|| rise / run)?;
    let start = values[0].checked_sub(factor.checked_mul(at(0)?)?)?;
    let line = |i: &u64| factor.checked_mul(i128::from(*i))?.checked_add(start);
    if !threads.iter().zip(&values).all(|(i, value)| line(i) == Some(*value)) {
        return None;
    }
    let term = match factor {
        1 => THREAD.to_string(),
        -1 if start > 0 => return Some(format!("{start} - {THREAD}")),
        _ if factor > 1 => format!("{factor} * {THREAD}"),
        _ => return None,
    };
    Some(match start {
        0 => term,
        _ if start > 0 => format!("{term} + {start}"),
        _ => format!("{term} - {}", -start),
    })
}

/// Names for numbers that `i` does not give.
#[derive(Default)]
pub(super) struct Tables {
    pub(super) threads: Vec<u64>,
    pub(super) named: Vec<Arc<Vec<String>>>,
    /// How many names other families have.
    pub(super) before: usize,
}

impl Tables {
    fn name(&mut self, values: Vec<String>) -> (String, Arc<Vec<String>>) {
        let known = self.named.iter().position(|other| **other == values);
        let place = known.unwrap_or_else(|| {
            self.named.push(Arc::new(values));
            self.named.len() - 1
        });
        (format!("v{}", self.before + place + 1), self.named[place].clone())
    }
}

/// The texts as one, where they differ in numbers only; `None` where they do not, or where a number
/// needs a name and there are no tables.
pub(super) fn one(
    kind: Kind,
    texts: &[&str],
    threads: &[u64],
    mut tables: Option<&mut Tables>,
) -> Option<Formula> {
    let split: Vec<Vec<(bool, &str)>> = texts.iter().map(|text| parts(text)).collect();
    let first = split.first()?;
    if split.iter().any(|other| other.len() != first.len()) {
        return None;
    }
    let mut formula = Formula::new();
    for (n, (number, text)) in first.iter().enumerate() {
        let all: Vec<&str> = split.iter().map(|other| other[n].1).collect();
        if all.iter().all(|other| other == text) {
            match formula.last_mut() {
                Some(last) if last.values.is_none() => last.text.push_str(text),
                _ => formula.push(Piece { kind, text: (*text).to_owned(), values: None }),
            }
            continue;
        }
        if !number || split.iter().any(|other| !other[n].0) {
            return None;
        }
        let values: Vec<String> = all.iter().map(|&v| v.to_owned()).collect();
        let (text, values) = match linear(threads, &values) {
            Some(text) => (text, Arc::new(values)),
            None => tables.as_mut()?.name(values),
        };
        let before = first[..n].last().map_or("", |(_, text)| text.trim_end());
        let behind = first.get(n + 1).map_or("", |(_, text)| text.trim_start());
        let opens = before.is_empty() || before.ends_with(['[', '(', '{', ',', ':', '=']);
        let closes = behind.is_empty() || behind.starts_with([']', ')', '}', ',', ';', ':']);
        let bare = !text.contains(' ') || (opens && closes);
        let text = if bare { text } else { format!("({text})") };
        formula.push(Piece { kind, text, values: Some(values) });
    }
    Some(formula)
}

/// How many of the first texts are one text of `i`, and this text; one by itself, where they are too
/// few.
fn alike(texts: &[(u64, String)], members: &[usize]) -> (usize, Option<(Formula, Vec<u64>)>) {
    let together = |many: usize| {
        let members = &members[..many];
        let threads: Vec<u64> = members.iter().map(|n| texts[*n].0).collect();
        let own: Vec<&str> = members.iter().map(|n| texts[*n].1.as_str()).collect();
        one(Kind::Code, &own, &threads, None).map(|formula| (formula, threads))
    };
    if members.len() < FEWEST {
        return (1, None);
    }
    if let Some(all) = together(members.len()) {
        return (members.len(), Some(all));
    }
    let Some(mut best) = together(FEWEST) else { return (1, None) };
    // So many are alike, and so many are not.
    let (mut alike, mut not) = (FEWEST, members.len());
    while not - alike > 1 {
        let middle = alike + (not - alike) / 2;
        match together(middle) {
            Some(more) => (alike, best) = (middle, more),
            None => not = middle,
        }
    }
    (alike, Some(best))
}

/// `0: k, i: k' for i = 1 … 63`: texts of threads, those alike at once.
pub(super) fn several(texts: &[(u64, String)]) -> Formula {
    let mut classes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (n, (_, text)) in texts.iter().enumerate() {
        classes.entry(key(text)).or_default().push(n);
    }
    // In the order of their first threads.
    let mut entries: Vec<(usize, Formula)> = Vec::new();
    for members in classes.into_values() {
        let mut rest = members.as_slice();
        while let Some(first) = rest.first() {
            let (many, together) = alike(texts, rest);
            match together {
                Some((formula, threads)) => {
                    let mut entry = vec![math(format!("{THREAD}: "))];
                    entry.extend(formula);
                    entry.push(math(format!(" for {THREAD} = {}", whole_range(&threads))));
                    entries.push((*first, entry));
                }
                None => {
                    let (i, text) = &texts[*first];
                    entries.push((*first, vec![math(format!("{i}: ")), code(text)]));
                }
            }
            rest = &rest[many..];
        }
    }
    entries.sort_by_key(|(first, _)| *first);
    let mut all = Formula::new();
    for (n, (_, entry)) in entries.into_iter().enumerate() {
        if n > 0 {
            all.push(math(", "));
        }
        all.extend(entry);
    }
    all
}
