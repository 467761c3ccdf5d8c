//! Formulas: what judgments and premises are written with, whatever the medium.

use std::fmt::Display;
use std::sync::Arc;

/// How a piece of a formula is set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    /// Mathematics: `↓`, `,`, `lastwrite`.
    Math,
    /// The concrete syntax of a program, a set or a number.
    Code,
    /// A subscript.
    Sub,
    /// A name that the legend explains: `H0`, `V1`.
    Name,
}

/// A piece of a formula.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Piece {
    pub(super) kind: Kind,
    pub(super) text: String,
    /// In what is drawn once for several threads: the number that each of them has here.
    pub(super) values: Option<Arc<Vec<String>>>,
}

pub(super) type Formula = Vec<Piece>;

fn piece(kind: Kind, text: impl Display) -> Piece {
    Piece { kind, text: text.to_string(), values: None }
}

pub(super) fn math(text: impl Display) -> Piece {
    piece(Kind::Math, text)
}

pub(super) fn code(text: impl Display) -> Piece {
    piece(Kind::Code, text)
}

pub(super) fn sub(text: impl Display) -> Piece {
    piece(Kind::Sub, text)
}

pub(super) fn name(text: impl Display) -> Piece {
    piece(Kind::Name, text)
}

/// A formula in plain text, on one line.
pub(super) fn plain(formula: &[Piece]) -> String {
    let mut text = String::new();
    let mut below = false;
    for piece in formula {
        let sub = piece.kind == Kind::Sub;
        match (below, sub) {
            (false, true) => text.push_str("_{"),
            (true, false) => text.push_str("} "),
            _ => {}
        }
        below = sub;
        text.push_str(&piece.text);
    }
    text.push_str(if below { "}" } else { "" });
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text of a rule as a formula: what stands in `_{…}`, or is the word behind `_`, stands below.
pub(super) fn schematic(text: &str) -> Formula {
    let mut formula = Formula::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('_') {
        formula.push(math(before));
        let below = match behind.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            Some((below, behind)) => {
                rest = behind;
                below
            }
            None => {
                let word = |c: char| !c.is_alphanumeric();
                let (below, behind) = behind.split_at(behind.find(word).unwrap_or(behind.len()));
                rest = behind;
                below
            }
        };
        formula.push(sub(below));
    }
    formula.push(math(rest));
    formula.retain(|piece| !piece.text.is_empty());
    formula
}

/// The name and what it stands for.
pub(super) fn equation(letter: &str, meaning: &[Piece]) -> Formula {
    let mut formula = vec![name(letter), math(" = ")];
    formula.extend(meaning.iter().cloned());
    formula
}

/// The text of a formula as it is.
pub(super) fn text_of(formula: &[Piece]) -> String {
    formula.iter().map(|piece| piece.text.as_str()).collect()
}

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

/// How many columns a formula takes on one line.
pub(super) fn columns(formula: &[Piece]) -> usize {
    formula.iter().map(|piece| width(&piece.text)).sum()
}

/// The formula in lines of at most `most` columns, broken behind spaces that are not within an
/// index, and at most `lines` of them: what is beyond is `…`.
pub(super) fn wrap(formula: &[Piece], most: usize, lines: usize) -> Vec<Formula> {
    let most = most.max(8);
    let (mut done, mut line, mut taken): (Vec<Formula>, Formula, usize) = (vec![], vec![], 0);
    for word in words(formula).into_iter().flat_map(|word| cut(word, most)) {
        let wide = columns(&word);
        if taken + columns(&trimmed(word.clone())) > most && !line.is_empty() {
            if done.len() + 1 == lines {
                done.push(cut_off(trimmed(line), most));
                return done;
            }
            done.push(trimmed(std::mem::take(&mut line)));
            taken = 0;
        }
        taken += wide;
        for piece in word {
            push(&mut line, piece);
        }
    }
    if !line.is_empty() || done.is_empty() {
        done.push(trimmed(line));
    }
    done
}

/// The line without spaces at its end.
fn trimmed(mut line: Formula) -> Formula {
    while let Some(last) = line.last_mut() {
        last.text.truncate(last.text.trim_end().len());
        if !last.text.is_empty() {
            break;
        }
        line.pop();
    }
    line
}

/// The line with `…` behind it.
fn cut_off(mut line: Formula, most: usize) -> Formula {
    while columns(&line) >= most {
        let Some(last) = line.last_mut() else { break };
        last.text.pop();
        if last.text.is_empty() {
            line.pop();
        }
    }
    line.push(math("…"));
    line
}

/// Adds a piece, to the last one if it is of the same kind.
fn push(line: &mut Formula, piece: Piece) {
    match line.last_mut() {
        Some(last)
            if last.kind == piece.kind && last.values.is_none() && piece.values.is_none() =>
        {
            last.text.push_str(&piece.text);
        }
        _ => line.push(piece),
    }
}

/// The words of a formula, each with the spaces behind it. An index is part of a word.
fn words(formula: &[Piece]) -> Vec<Formula> {
    let (mut words, mut word, mut deep, mut space) = (Vec::new(), Formula::new(), 0u32, false);
    let mut last = ' ';
    for piece in formula {
        let mut text = String::new();
        let like = |text: String| Piece { text, ..piece.clone() };
        for c in piece.text.chars() {
            // A bracket behind a space opens a list.
            let indexes = deep > 0 || last.is_alphanumeric() || ['_', '`', ']'].contains(&last);
            last = c;
            if space && c != ' ' && deep == 0 {
                if !text.is_empty() {
                    word.push(like(std::mem::take(&mut text)));
                }
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            match c {
                '[' if indexes => deep += 1,
                ']' => deep = deep.saturating_sub(1),
                _ => {}
            }
            space = c == ' ';
            text.push(c);
        }
        if !text.is_empty() {
            word.push(like(text));
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// A word in parts of at most `most` columns.
fn cut(word: Formula, most: usize) -> Vec<Formula> {
    if columns(&word) <= most {
        return vec![word];
    }
    let (mut parts, mut part, mut taken) = (Vec::new(), Formula::new(), 0);
    for piece in word {
        for c in piece.text.chars() {
            if taken == most {
                parts.push(std::mem::take(&mut part));
                taken = 0;
            }
            taken += 1;
            let text = c.to_string();
            match part.last_mut() {
                Some(last) if last.kind == piece.kind && last.values == piece.values => {
                    last.text.push(c);
                }
                _ => part.push(Piece { text, ..piece.clone() }),
            }
        }
    }
    parts.push(part);
    parts
}

/// The formula cut off behind so many columns.
pub(super) fn clip(formula: &[Piece], most: usize) -> Formula {
    let mut room = most;
    let mut short = Formula::new();
    for piece in formula {
        let wide = width(&piece.text);
        if wide > room {
            let text: String = piece.text.chars().take(room).collect();
            short.push(Piece { text, ..piece.clone() });
            short.push(math("…"));
            return short;
        }
        room -= wide;
        short.push(piece.clone());
    }
    short
}
