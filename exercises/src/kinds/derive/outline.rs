//! Outlines: lines, of which those that stand further in are below the one before.

use super::super::account::{lines, unreadable};
use crate::grade::Fault;
use std::collections::BTreeMap;

/// A line with those below it.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub(super) line: u32,
    pub(super) text: &'a str,
    pub(super) below: Vec<Node<'a>>,
}

/// The lines of the nodes of a derivation, by their way from the root.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines(BTreeMap<Vec<usize>, u32>);

impl Lines {
    pub(super) fn put(&mut self, path: &[usize], line: u32) {
        self.0.insert(path.to_vec(), line);
    }

    /// The line of a node; of one that was not written, that of the node above.
    pub(super) fn of(&self, path: &[usize]) -> u32 {
        let ways = (0..=path.len()).rev().filter_map(|end| self.0.get(path.get(..end)?));
        ways.copied().next().unwrap_or(1)
    }
}

/// The most lines, and how far in they may stand.
const MANY: usize = 1000;
const DEEP: usize = 64;

/// The one tree of an outline.
pub(super) fn read(answer: &str) -> Result<Node<'_>, Box<Fault>> {
    // The nodes from the root to the last one, each with how far in it stands.
    let mut way: Vec<(usize, Node<'_>)> = Vec::new();
    for (count, (line, text)) in lines(answer).enumerate() {
        let far = text.len() - text.trim_start().len();
        if count >= MANY || way.len() > DEEP {
            let why = format!("more than {MANY} nodes, or more than {DEEP} below each other");
            return Err(Fault::refused("the answer is within the limits", why).at(line));
        }
        close(&mut way, far);
        if way.is_empty() && count > 0 {
            return Err(unreadable(line, "a second root: one node has no node above"));
        }
        way.push((far, Node { line, text: text.trim(), below: Vec::new() }));
    }
    close(&mut way, 1);
    match way.pop() {
        Some((_, root)) => Ok(root),
        None => Err(Fault::refused("the answer can be read", "it has no line")),
    }
}

/// Puts what stands at least so far in below what stands before it; the root stays, if it does not.
fn close(way: &mut Vec<(usize, Node<'_>)>, far: usize) {
    while way.last().is_some_and(|(last, _)| *last >= far) {
        let Some((_, node)) = way.pop() else { return };
        match way.last_mut() {
            Some((_, above)) => above.below.push(node),
            // A second root follows.
            None => return,
        }
    }
}

/// Cuts a text at the first of these marks.
pub(super) fn cut<'a>(text: &'a str, marks: &[&str]) -> Option<(&'a str, &'a str)> {
    let found = marks.iter().filter_map(|mark| Some((text.find(mark)?, mark.len())));
    let (at, length) = found.min()?;
    Some((text[..at].trim(), text[at + length..].trim()))
}
