//! Threads that do the same but for numbers are drawn once: with `i` for the thread, and where a
//! number is none that `i` gives, with a name for the numbers that the threads have there.

use super::drawing::{Drawing, Given, Node, Premise};
use super::formula::{Formula, Kind, Piece, code, math};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// So many threads at least are drawn as one.
const FEWEST: usize = 4;

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
fn key(text: &str) -> String {
    parts(text).into_iter().map(|(number, part)| if number { "#" } else { part }).collect()
}

/// `0 … 63`; ranges, where they are not one; a few of them, where there are many.
pub(super) fn range(threads: &[u64]) -> String {
    const MANY: usize = 6;
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
    let few: Vec<String> = runs.iter().take(MANY).map(one).collect();
    let few = few.join(", ");
    match runs.last() {
        Some(last) if runs.len() > MANY => {
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
        1 => "i".to_owned(),
        -1 if start > 0 => return Some(format!("{start} - i")),
        _ if factor > 1 => format!("{factor} * i"),
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
struct Tables {
    threads: Vec<u64>,
    named: Vec<Arc<Vec<String>>>,
    /// How many names other families have.
    before: usize,
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
fn one(
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

/// `0: k, i: k' for i = 1 … 63`: texts of threads, those alike at once.
pub(super) fn several(texts: &[(u64, String)]) -> Formula {
    let mut classes: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (n, (_, text)) in texts.iter().enumerate() {
        classes.entry(key(text)).or_default().push(n);
    }
    // In the order of their first threads.
    let mut entries: Vec<(usize, Formula)> = Vec::new();
    for members in classes.into_values() {
        let threads: Vec<u64> = members.iter().map(|n| texts[*n].0).collect();
        let own: Vec<&str> = members.iter().map(|n| texts[*n].1.as_str()).collect();
        let together = match members.len() >= FEWEST {
            true => one(Kind::Code, &own, &threads, None),
            false => None,
        };
        match together {
            Some(formula) => {
                let mut entry = vec![math("i: ")];
                entry.extend(formula);
                entry.push(math(format!(" for i = {}", range(&threads))));
                entries.push((members[0], entry));
            }
            None => entries.extend(members.iter().map(|n| {
                let (i, text) = &texts[*n];
                (*n, vec![math(format!("{i}: ")), code(text)])
            })),
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

/// What trees have in common that differ in numbers only.
fn shapes(drawing: &Drawing) -> Vec<usize> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut shapes = vec![0; drawing.nodes.len()];
    for n in drawing.bottom_up() {
        let node = &drawing.nodes[n];
        let mut text = format!("{}|", node.rule.id);
        let mut add = |formula: &Formula| {
            for piece in formula {
                text.push_str(&format!("{:?}{}\u{1}", piece.kind, key(&piece.text)));
            }
            text.push('\u{2}');
        };
        add(&node.conclusion);
        for (letter, formula) in &node.bindings {
            add(&vec![code(letter)]);
            add(formula);
        }
        for premise in &node.premises {
            match &premise.given {
                Given::Side(formula) | Given::Unseen(formula) => add(formula),
                Given::Fails(formula, why) => {
                    add(formula);
                    add(&vec![code(why)]);
                }
                Given::Derived(child, _) => add(&vec![math(shapes[*child])]),
                // Threads have no threads.
                Given::Family(child, _) => add(&vec![name_of(*child)]),
                Given::Omitted(count) => add(&vec![name_of(*count)]),
            }
        }
        let next = known.len();
        shapes[n] = *known.entry(text).or_insert(next);
    }
    shapes
}

fn name_of(n: usize) -> Piece {
    // No number, for the key.
    super::formula::name(format!("n{n}"))
}

/// Draws the threads of a block that do the same but for numbers as one.
pub(super) fn together(drawing: &mut Drawing) {
    let shapes = shapes(drawing);
    let mut named = 0;
    for n in drawing.bottom_up() {
        let premises = std::mem::take(&mut drawing.nodes[n].premises);
        let mut classes: HashMap<usize, Vec<(usize, u64)>> = HashMap::new();
        for premise in &premises {
            if let Given::Derived(child, Some(thread)) = premise.given {
                classes.entry(shapes[child]).or_default().push((child, thread));
            }
        }
        let mut drawn: HashMap<usize, bool> = HashMap::new();
        let mut all = Vec::new();
        for premise in premises {
            let Given::Derived(child, Some(_)) = premise.given else {
                all.push(premise);
                continue;
            };
            let shape = shapes[child];
            let members = &classes[&shape];
            if members.len() < FEWEST {
                all.push(premise);
                continue;
            }
            match drawn.get(&shape) {
                Some(true) => {}
                Some(false) => all.push(premise),
                None => {
                    let threads: Vec<u64> = members.iter().map(|(_, i)| *i).collect();
                    let roots: Vec<usize> = members.iter().map(|(child, _)| *child).collect();
                    let tables = Tables { threads, named: Vec::new(), before: named };
                    let schema = schema(drawing, roots, tables, &mut named);
                    drawn.insert(shape, schema.is_some());
                    match schema {
                        Some((place, threads)) => {
                            let given = Given::Family(place, threads);
                            all.push(Premise { number: premise.number, given });
                        }
                        None => all.push(premise),
                    }
                }
            }
        }
        drawing.nodes[n].premises = all;
    }
}

/// The trees as one; the place of its root.
fn schema(
    drawing: &mut Drawing,
    roots: Vec<usize>,
    mut tables: Tables,
    named: &mut usize,
) -> Option<(usize, Vec<u64>)> {
    let threads = tables.threads.clone();
    let first = drawing.nodes.len();
    drawing.nodes.push(Node::empty(drawing.nodes[roots[0]].rule));
    let mut pending = vec![(roots, first)];
    while let Some((members, place)) = pending.pop() {
        let merged = merge(drawing, &members, &mut tables, &mut pending);
        let Some(node) = merged else {
            drawing.nodes.truncate(first);
            return None;
        };
        drawing.nodes[place] = node;
    }
    for (n, values) in tables.named.iter().enumerate() {
        let shown: Vec<&str> = values.iter().take(64).map(String::as_str).collect();
        let more = if values.len() > 64 { ", …" } else { "" };
        let list = format!("{}{more} for i = {}", shown.join(", "), range(&threads));
        drawing.legend.push((format!("v{}", tables.before + n + 1), list));
    }
    *named += tables.named.len();
    Some((first, threads))
}

fn merge(
    drawing: &mut Drawing,
    members: &[usize],
    tables: &mut Tables,
    pending: &mut Vec<(Vec<usize>, usize)>,
) -> Option<Node> {
    let threads = tables.threads.clone();
    let mut unite = |formulas: Vec<Formula>| -> Option<Formula> {
        let mut united = Formula::new();
        for n in 0..formulas.first()?.len() {
            let texts: Option<Vec<&str>> =
                formulas.iter().map(|f| f.get(n).map(|piece| piece.text.as_str())).collect();
            let kind = formulas[0][n].kind;
            united.extend(one(kind, &texts?, &threads, Some(&mut *tables))?);
        }
        Some(united)
    };
    let first = drawing.nodes[members[0]].clone();
    let nodes: Vec<Node> = members.iter().map(|m| drawing.nodes[*m].clone()).collect();
    let conclusion = unite(nodes.iter().map(|node| node.conclusion.clone()).collect())?;
    let mut bindings = Vec::new();
    for (n, (letter, _)) in first.bindings.iter().enumerate() {
        let own: Option<Vec<Formula>> =
            nodes.iter().map(|node| node.bindings.get(n).map(|(_, f)| f.clone())).collect();
        bindings.push((letter.clone(), unite(own?)?));
    }
    let mut premises = Vec::new();
    for (n, premise) in first.premises.iter().enumerate() {
        let own: Option<Vec<&Given>> =
            nodes.iter().map(|node| node.premises.get(n).map(|p| &p.given)).collect();
        let formulas = own.as_ref()?.iter().map(|given| match given {
            Given::Side(f) | Given::Unseen(f) | Given::Fails(f, _) => Some(f.clone()),
            _ => None,
        });
        let given = match &premise.given {
            Given::Side(_) => Given::Side(unite(formulas.collect::<Option<_>>()?)?),
            Given::Unseen(_) => Given::Unseen(unite(formulas.collect::<Option<_>>()?)?),
            Given::Fails(_, why) => {
                Given::Fails(unite(formulas.collect::<Option<_>>()?)?, why.clone())
            }
            Given::Derived(child, _) => {
                let child_of = |given: &&Given| match given {
                    Given::Derived(child, _) => Some(*child),
                    _ => None,
                };
                let children: Option<Vec<usize>> = own?.iter().map(child_of).collect();
                let children = children?;
                if children.iter().all(|other| other == child) {
                    Given::Derived(*child, None)
                } else {
                    drawing.nodes.push(Node::empty(drawing.nodes[*child].rule));
                    pending.push((children, drawing.nodes.len() - 1));
                    Given::Derived(drawing.nodes.len() - 1, None)
                }
            }
            other => other.clone(),
        };
        premises.push(Premise { number: premise.number, given });
    }
    Some(Node { rule: first.rule, conclusion, premises, bindings, stopped: first.stopped })
}
