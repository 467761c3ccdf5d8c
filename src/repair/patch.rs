//! Edits of a text.

use babycuda_core::Span;

/// A suggestion that was checked: with it the kernel is race-free.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// What to do, in words: ``insert `__syncthreads();` after line 20``.
    pub title: String,
    /// The edits, from the first place to the last. No two touch.
    pub edits: Vec<Edit>,
}

/// A part of the source, and what is to stand there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// The part; where it is empty, the text is inserted.
    pub span: Span,
    /// Where the part ends: line and column, from 1.
    pub end: (u32, u32),
    /// The new text.
    pub text: String,
}

/// A part of a text by its bytes, and what is to stand there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Change {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

/// Groups of changes of one text, each group made together.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Patch {
    groups: Vec<Vec<Change>>,
}

impl Patch {
    /// All changes, from the first place to the last.
    fn changes(&self) -> Vec<&Change> {
        let mut all: Vec<&Change> = self.groups.iter().flatten().collect();
        all.sort_by_key(|change| (change.start, change.end));
        all
    }

    /// The patch with one more group; `None`: it changes what another one does.
    pub(super) fn with(&self, group: &[Change]) -> Option<Patch> {
        let touches = |a: &Change, b: &Change| a.start <= b.end && b.start <= a.end;
        let known = self.groups.iter().flatten();
        let clash = known.into_iter().any(|a| group.iter().any(|b| touches(a, b)));
        let mut groups = self.groups.clone();
        groups.push(group.to_vec());
        (!clash).then_some(Patch { groups })
    }

    /// The patch without the group of this number.
    pub(super) fn without(&self, number: usize) -> Patch {
        let groups = self.groups.iter().enumerate().filter(|(n, _)| *n != number);
        Patch { groups: groups.map(|(_, group)| group.clone()).collect() }
    }

    /// The text with all changes made.
    pub(super) fn apply(&self, text: &str) -> String {
        let (mut out, mut done) = (String::new(), 0);
        for Change { start, end, text: new } in self.changes() {
            out += text.get(done..*start).unwrap_or_default();
            out += new;
            done = *end;
        }
        out + text.get(done..).unwrap_or_default()
    }

    /// Where a place of the changed text was before; in a new part, where that begins.
    pub(super) fn original(&self, place: usize) -> usize {
        let mut grown = 0_usize;
        let mut shrunk = 0_usize;
        for Change { start, end, text } in self.changes() {
            // Where the change begins in the new text.
            let begins = start + grown - shrunk;
            if place < begins {
                break;
            }
            if place < begins + text.len() {
                return *start;
            }
            grown += text.len();
            shrunk += end - start;
        }
        place + shrunk - grown
    }

    /// The patch as a suggestion, of which each group has a title.
    pub(super) fn fix(&self, text: &str, titles: Vec<String>) -> Fix {
        let edits = self.changes().into_iter().map(|change| {
            let end = Span::locate(text, change.end..change.end);
            Edit {
                span: Span::locate(text, change.start..change.end),
                end: (end.line, end.column),
                text: change.text.clone(),
            }
        });
        Fix { title: titles.join("; "), edits: edits.collect() }
    }
}
