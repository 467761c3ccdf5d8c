//! What may repair a race.

use super::Language;
use super::layout::{Gap, Layout};
use super::patch::Change;
use babycuda_core::syntax::{Domain, Extent};
use babycuda_core::{AccessMode, IntType, Name, Span, Width};
use std::ops::Range;

/// A race, as far as repairs need it.
#[derive(Clone, Debug)]
pub(super) struct Race {
    pub(super) language: Language,
    /// Where both accesses stand.
    pub(super) spans: [Range<usize>; 2],
    pub(super) modes: [AccessMode; 2],
    pub(super) array: Name,
    /// What a cell of the array holds.
    pub(super) element: Domain,
    pub(super) same_block: bool,
    /// Of the launches.
    pub(super) block: [Extent; 3],
    pub(super) params: Vec<String>,
}

/// Changes that may repair a race, with what they do in words.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) title: String,
    pub(super) edits: Vec<Change>,
}

/// The candidates, the likeliest first.
pub(super) fn of(text: &str, race: &Race) -> Vec<Candidate> {
    let layout = Layout::of(text);
    let mut all = Vec::new();
    if race.language != Language::BabyCuda {
        all.extend(atomic(text, &layout, race));
        all.extend(guard(text, &layout, race));
    }
    if race.same_block {
        all.extend(barriers(text, &layout, race));
    }
    all
}

/// The updates of both accesses, where they are updates, made atomic.
fn atomic(text: &str, layout: &Layout<'_>, race: &Race) -> Option<Candidate> {
    let mut edits: Vec<Change> = Vec::new();
    let mut title = String::new();
    for (span, mode) in race.spans.iter().zip(race.modes) {
        if matches!(mode, AccessMode::At(_)) || edits.iter().any(|e| holds(&(e.start..e.end), span))
        {
            continue;
        }
        let (whole, new) = update(text, layout, race, span)?;
        let line = Span::locate(text, whole.clone()).line;
        title = format!("make the update atomic: `{new}` in line {line}");
        edits.push(Change { start: whole.start, end: whole.end, text: new });
    }
    edits.sort_by_key(|edit| edit.start);
    (!edits.is_empty()).then_some(Candidate { title, edits })
}

/// The statement of an update, and the same as an atomic function.
fn update(
    text: &str,
    layout: &Layout<'_>,
    race: &Race,
    span: &Range<usize>,
) -> Option<(Range<usize>, String)> {
    // A statement that begins with the place, or with `++`.
    let prefix = layout.before(span.start).filter(|(_, word)| matches!(*word, "++" | "--"));
    let start = prefix.map_or(span.start, |(at, _)| at);
    let whole = layout.statement(start)?;
    let mut words = layout.words(whole.clone());
    let operator = words.find(|(_, word)| {
        matches!(*word, "++" | "--" | "+=" | "-=" | "|=" | "&=" | "^=" | "=" | ":=" | "*=" | "/=")
    })?;
    let (at, operator) = operator;
    let place = match at == start && prefix_of(operator) {
        true => text[at + operator.len()..whole.end - 1].trim(),
        false => text[start..at].trim(),
    };
    let value = text.get(at + operator.len()..whole.end - 1)?.trim();
    let address = match place.strip_prefix('*') {
        Some(pointer) => pointer.trim().to_owned(),
        None => format!("&{place}"),
    };
    let (function, value) = match operator {
        "++" => ("Add", "1".to_owned()),
        "--" => ("Sub", "1".to_owned()),
        "+=" => ("Add", value.to_owned()),
        "-=" => ("Sub", value.to_owned()),
        "|=" => ("Or", value.to_owned()),
        "&=" => ("And", value.to_owned()),
        "^=" => ("Xor", value.to_owned()),
        _ => return None,
    };
    let declared = element(text, race)?;
    let integer = matches!(declared, "int" | "unsigned" | "uint" | "uint32_t" | "int32_t");
    let (function, value) = match (function, declared) {
        ("Add", _) => ("Add", value),
        ("Sub", _) if integer => ("Sub", value),
        ("Sub", _) => ("Add", format!("-({value})")),
        (_, "float" | "double") => return None,
        (bits, _) => (bits, value),
    };
    let new = match race.language {
        Language::OpenCl if integer => {
            format!("atomic_{}({address}, {value});", function.to_lowercase())
        }
        Language::OpenCl | Language::BabyCuda => return None,
        Language::Cuda => format!("atomic{function}({address}, {value});"),
    };
    Some((whole, new))
}

fn prefix_of(operator: &str) -> bool {
    matches!(operator, "++" | "--")
}

/// The type of the elements of the racing array, as the source declares it, where there are atomic functions of it.
/// An array that is declared twice, differently, has none.
fn element(text: &str, race: &Race) -> Option<&'static str> {
    let types: &[&str] = match race.element {
        Domain::Machine(IntType { width: Width::W32, .. }) => {
            &["int", "unsigned", "float", "uint", "uint32_t", "int32_t"]
        }
        Domain::Machine(IntType { width: Width::W64, .. }) => &["double", "uint64_t"],
        _ => return None,
    };
    let layout = Layout::of(text);
    let words: Vec<&str> = layout.after(0).collect();
    let mut found: Vec<&str> = Vec::new();
    for (number, _) in words.iter().enumerate().filter(|(_, word)| **word == race.array.as_str()) {
        let mut before = words[..number].iter().rev().skip_while(|word| {
            matches!(
                **word,
                "*" | "const" | "restrict" | "__restrict__" | "__restrict" | "volatile"
            )
        });
        let Some(word) = before.next() else { continue };
        let word =
            if *word == "int" && before.next() == Some(&"unsigned") { "unsigned" } else { word };
        let is_type = word.chars().all(|c| c.is_alphanumeric() || c == '_')
            && number > 0
            && !matches!(word, "return" | "else" | "case");
        if is_type && !found.contains(&word) {
            found.push(word);
        }
    }
    let [only] = found[..] else { return None };
    types.iter().find(|known| **known == only).copied()
}

/// A write of what is the same for all threads, by one of them.
fn guard(text: &str, layout: &Layout<'_>, race: &Race) -> Option<Candidate> {
    let [first, second] = &race.spans;
    if first != second || race.modes != [AccessMode::Wr; 2] || !race.same_block {
        return None;
    }
    let whole = layout.statement(first.start)?;
    let words: Vec<&str> = layout.words(whole.clone()).map(|(_, word)| word).collect();
    let assigns = words.iter().filter(|word| **word == "=").count() == 1;
    let member = |number: usize| number > 0 && words[number - 1] == ".";
    let same = |(number, word): (usize, &&str)| {
        let digit = word.starts_with(|c: char| c.is_ascii_digit());
        let mark = !word.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let uniform = ["blockIdx", "blockDim", "gridDim", "true", "false", "NULL", "nullptr"];
        let axis = member(number) && ["x", "y", "z"].contains(word);
        let named = **word == *race.array.as_str() || race.params.iter().any(|p| p == *word);
        digit || axis || (mark && !["++", "--"].contains(word)) || uniform.contains(word) || named
    };
    if !assigns || !words.iter().enumerate().all(same) {
        return None;
    }
    let used = race.block.iter().zip(["x", "y", "z"]).enumerate();
    let used = used.filter(|(d, (extent, _))| *d == 0 || **extent != Extent::Known(1));
    let zero = used.map(|(d, (_, axis))| match race.language {
        Language::OpenCl => format!("get_local_id({d}) == 0"),
        _ => format!("threadIdx.{axis} == 0"),
    });
    let condition = zero.collect::<Vec<_>>().join(" && ");
    let line = Span::locate(text, whole.clone()).line;
    let title = format!("guard line {line} with `if ({condition})`");
    let edit = Change { start: whole.start, end: whole.start, text: format!("if ({condition}) ") };
    Some(Candidate { title, edits: vec![edit] })
}

/// A barrier of the block at each place that may stand between the accesses: the outermost places first, of these the first
/// one behind the earlier access.
fn barriers(text: &str, layout: &Layout<'_>, race: &Race) -> Vec<Candidate> {
    let [first, second] = &race.spans;
    let (early, late) = if first.start <= second.start { (first, second) } else { (second, first) };
    let mut blocks: Vec<Range<usize>> = match race.language {
        Language::BabyCuda => std::iter::once(0..text.len()).collect(),
        _ => [early, late].into_iter().filter_map(|span| layout.function(span.start)).collect(),
    };
    blocks.dedup();
    // `let x = A[0] in …`
    let behind: &[&str] = if race.language == Language::BabyCuda { &["in"] } else { &[] };
    let near = [early.clone(), late.clone()];
    let gaps = blocks.iter().flat_map(|block| layout.gaps(block, &near, behind));
    let mut gaps: Vec<Gap> = gaps.collect();
    let between = |gap: &Gap| gap.at >= early.end && gap.at <= late.start;
    // Then those behind the later one, for the next iteration; then those before.
    let rank = |gap: &Gap| match gap {
        gap if between(gap) => (0, gap.depth, gap.at),
        gap if gap.at >= late.end => (1, gap.depth, gap.at),
        gap => (2, gap.depth, usize::MAX - gap.at),
    };
    gaps.sort_by_key(rank);
    let outermost = gaps.iter().map(|gap| gap.depth).min().unwrap_or(0);
    // Behind the later access what stands outside of all loops separates nothing.
    gaps.retain(|gap| between(gap) || gap.depth > outermost);
    let fits = |gap: &Gap| !beside_barrier(layout, gap.at);
    gaps.into_iter().filter(fits).map(|gap| barrier(text, layout, race.language, gap.at)).collect()
}

/// Does a barrier stand right before or behind the place?
fn beside_barrier(layout: &Layout<'_>, at: usize) -> bool {
    let is =
        |word: &str| matches!(word, "__syncthreads" | "barrier" | "work_group_barrier" | "sync");
    let after = layout.after(at).next().is_some_and(is);
    // `;`, `)`, perhaps what stands in the parentheses, `(`.
    let mut at = at;
    let mut words = std::iter::from_fn(|| {
        let (start, word) = layout.before(at)?;
        at = start;
        Some(word)
    });
    let closes = words.next() == Some(";");
    let before = closes && words.take(8).take_while(|w| !matches!(*w, ";" | "{" | "}")).any(is);
    after || before
}

fn barrier(text: &str, layout: &Layout<'_>, language: Language, at: usize) -> Candidate {
    let call = match language {
        Language::Cuda => "__syncthreads();",
        Language::OpenCl => "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
        Language::BabyCuda => "sync;",
    };
    let line = Span::locate(text, at.saturating_sub(1)..at).line;
    let title = format!("insert `{call}` after line {line}");
    let opens = text[..at].ends_with('{');
    let (at, text) = match layout.line_end(at) {
        Some(end) if language != Language::BabyCuda || !text[end..].trim().is_empty() => {
            // Behind a brace as the first statement of the block.
            let next = text[end..].find(|c: char| !c.is_whitespace()).map_or(at, |n| end + n);
            let indent = layout.indent(if opens { next } else { at });
            (end, format!("\n{indent}{call}"))
        }
        _ => (at, format!(" {call}")),
    };
    Candidate { title, edits: vec![Change { start: at, end: at, text }] }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}
