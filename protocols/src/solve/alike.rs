//! Many pairs of accesses by one question.
//!
//! Unrolled code accesses `a[4 * i]`, `a[4 * i + 1]`, and so on: ways that differ in numbers only. They
//! are *alike*. What a group of them does is one way, in which each number that differs is a variable of
//! the thread's own, from the least to the largest; conditions from the first that differs in more are left out. Each way
//! of the group is one of those, so where two groups never meet, no two of their accesses do, and one
//! question decides all pairs. Where they may meet, the groups are parted in halves. So `n` alike accesses
//! take about as many questions as there are pairs that race, instead of as many as there are pairs.

use super::path::{Path, Step};
use babycuda_core::expr::{Expr, Head};
use babycuda_core::machine::IntType;
use babycuda_core::{AccessMode, Name, Natural, Num, Site};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// Expressions of more nodes are like no other.
const MAX_NODES: usize = 256;

/// Accesses of one array in one mode, those that are alike beside each other.
pub(super) struct Alike<'a> {
    members: Vec<Member<'a>>,
    /// The ways of the groups that were asked for.
    ways: HashMap<Range<usize>, Option<Rc<Path>>>,
}

/// An access and the shape of its way.
struct Member<'a> {
    /// Its place among all accesses.
    place: usize,
    path: &'a Path,
    /// What matters of the steps, and last the index.
    parts: Vec<Part<'a>>,
}

/// A step, or the index where there is none.
struct Part<'a> {
    step: Option<&'a Step>,
    shape: Vec<Token<'a>>,
    numbers: Vec<&'a Natural>,
}

/// What two ways have in common that are alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Token<'a> {
    Guard,
    /// The name of a counter that threads share.
    Counter(Option<&'a Name>),
    Data(Option<IntType>, Option<&'a Name>),
    Index,
    /// The variable that so many variables of the way come before.
    Bound(usize),
    Number,
    Node(Head<'a>),
    /// Like nothing else: the access of this place.
    Large(usize),
}

impl<'a> Member<'a> {
    fn of(place: usize, path: &'a Path) -> Member<'a> {
        let mut scope: BTreeMap<&Name, usize> = BTreeMap::new();
        let mut bound = 0..;
        let mut parts = Vec::new();
        for step in essential(path) {
            let mut part = Part { step: Some(step), shape: Vec::new(), numbers: Vec::new() };
            match step {
                Step::Guard(c) => {
                    part.shape.push(Token::Guard);
                    part.read(Expr::Bool(c), &scope, place);
                }
                Step::Counter { var, lower, upper, shared, .. } => {
                    part.shape.push(Token::Counter(shared.then_some(var)));
                    part.read(Expr::Num(lower), &scope, place);
                    part.read(Expr::Num(upper), &scope, place);
                    scope.extend(Some(var).zip(bound.next()));
                }
                Step::Data { var, domain, read, .. } => {
                    let array = read.as_ref().map(|(array, _)| array);
                    part.shape.push(Token::Data(*domain, array));
                    if let Some((_, index)) = read {
                        part.read(Expr::Num(index), &scope, place);
                    }
                    scope.extend(Some(var).zip(bound.next()));
                }
            }
            parts.push(part);
        }
        let mut index = Part { step: None, shape: vec![Token::Index], numbers: Vec::new() };
        index.read(Expr::Num(&path.index), &scope, place);
        parts.push(index);
        Member { place, path, parts }
    }

    /// The shapes of all parts, or of all but conditions.
    fn shape(&self, guards: bool) -> impl Iterator<Item = &Vec<Token<'a>>> {
        let asked = move |part: &&Part<'_>| guards || !matches!(part.step, Some(Step::Guard(_)));
        self.parts.iter().filter(asked).map(|part| &part.shape)
    }

    /// The first so many parts, and of the others those that are no conditions.
    fn parts(&self, prefix: usize) -> impl Iterator<Item = &Part<'a>> {
        let rest = move |at: usize, part: &Part<'_>| {
            at < prefix || !matches!(part.step, Some(Step::Guard(_)))
        };
        self.parts.iter().enumerate().filter(move |(at, p)| rest(*at, p)).map(|(_, part)| part)
    }

    fn numbers(&self, prefix: usize) -> impl Iterator<Item = &'a Natural> {
        self.parts(prefix).flat_map(|part| part.numbers.iter().copied())
    }

    fn is_alike(&self, other: &Member<'_>, guards: bool) -> bool {
        self.shape(guards).eq(other.shape(guards))
    }
}

impl<'a> Part<'a> {
    fn read(&mut self, expr: Expr<'a>, scope: &BTreeMap<&Name, usize>, place: usize) {
        for (count, head) in expr.heads().enumerate() {
            if count == MAX_NODES {
                self.shape.push(Token::Large(place));
                return;
            }
            self.shape.push(match head {
                Head::Lit(k) => {
                    self.numbers.push(k);
                    Token::Number
                }
                Head::Var(x) => scope.get(x).map_or(Token::Node(head), |n| Token::Bound(*n)),
                head => Token::Node(head),
            });
        }
    }
}

/// The steps without what was read and decides nothing.
fn essential(path: &Path) -> Vec<&Step> {
    let mut used = path.index.free_vars();
    let mut steps = Vec::new();
    for step in path.steps.iter().rev() {
        match step {
            Step::Guard(c) => c.collect_vars(&mut used),
            Step::Counter { lower, upper, .. } => {
                lower.collect_vars(&mut used);
                upper.collect_vars(&mut used);
            }
            Step::Data { var, .. } if !used.contains(var) => continue,
            Step::Data { read, .. } => {
                if let Some((_, index)) = read {
                    index.collect_vars(&mut used);
                }
            }
        }
        steps.push(step);
    }
    steps.reverse();
    steps
}

impl<'a> Alike<'a> {
    /// Accesses with their places. They are of one array and mode.
    pub(super) fn of(accesses: impl Iterator<Item = (usize, &'a Path)>) -> Alike<'a> {
        let mut members: Vec<Member<'a>> = accesses.map(|(n, path)| Member::of(n, path)).collect();
        members.sort_by(|a, b| {
            let shapes = a.shape(false).cmp(b.shape(false));
            let shapes = shapes.then_with(|| a.shape(true).cmp(b.shape(true)));
            shapes.then_with(|| a.numbers(usize::MAX).cmp(b.numbers(usize::MAX)))
        });
        Alike { members, ways: HashMap::new() }
    }

    /// All of them.
    pub(super) fn all(&self) -> Range<usize> {
        0..self.members.len()
    }

    /// The place of an access, and its way.
    pub(super) fn access(&self, member: usize) -> Option<(usize, &'a Path)> {
        self.members.get(member).map(|m| (m.place, m.path))
    }

    /// The array, and the statement that all of a group are copies of, if it is one.
    pub(super) fn statement(&self, group: Range<usize>) -> Option<(&'a Name, (Site, AccessMode))> {
        let members = self.members.get(group)?;
        let first = members.first()?.path;
        let one = members.iter().all(|m| m.path.site == first.site);
        one.then_some((&first.array, (first.site, first.mode)))
    }

    /// Two halves of a group of two or more: where shapes part, or else in the middle.
    pub(super) fn halves(&self, group: Range<usize>) -> [Range<usize>; 2] {
        let middle = group.start + group.len() / 2;
        let parts = |guards: bool| {
            let differ = |at: &usize| match (self.members.get(at - 1), self.members.get(*at)) {
                (Some(a), Some(b)) => !a.is_alike(b, guards),
                _ => false,
            };
            let nearest = |at: &usize| at.abs_diff(middle);
            (group.start + 1..group.end).filter(differ).min_by_key(nearest)
        };
        let at = parts(false).or_else(|| parts(true)).unwrap_or(middle);
        [group.start..at, at..group.end]
    }

    /// The way that each way of the group is one of; `None`: they are not alike.
    pub(super) fn way(&mut self, group: Range<usize>) -> Option<Rc<Path>> {
        if let Some(known) = self.ways.get(&group) {
            return known.clone();
        }
        let members = self.members.get(group.clone()).unwrap_or_default();
        let way = together(members).map(Rc::new);
        self.ways.insert(group, way.clone());
        way
    }
}

/// The way of a group, sorted by shape.
fn together(members: &[Member<'_>]) -> Option<Path> {
    let (first, last) = (members.first()?, members.last()?);
    let large = |token: &Token<'_>| matches!(token, Token::Large(_));
    if !first.is_alike(last, false) || first.shape(false).flatten().any(large) {
        return None;
    }
    // What the first and the last begin with, all do.
    let both = first.shape(true).zip(last.shape(true));
    let prefix = both.take_while(|(a, b)| a == b).count();
    // Numbers that are the same in each of the ways are one variable.
    let mut columns: Vec<Vec<&Natural>> = vec![Vec::new(); first.numbers(prefix).count()];
    for member in members {
        columns.iter_mut().zip(member.numbers(prefix)).for_each(|(column, k)| column.push(k));
    }
    let mut steps = Vec::new();
    let mut known: HashMap<&[&Natural], Num> = HashMap::new();
    for column in &columns {
        let (Some(least), Some(most)) = (column.iter().min(), column.iter().max()) else {
            continue;
        };
        if least == most || known.contains_key(column.as_slice()) {
            continue;
        }
        let var = Name::new(format!("#{}", known.len()));
        known.insert(column, Num::Var(var.clone()));
        let (lower, upper) = (Num::lit((*least).clone()), Num::lit(*most + &Natural::from(1u32)));
        steps.push(Step::Counter { site: Site::default(), var, lower, upper, shared: false });
    }
    let mut next = columns.iter();
    let mut new = |_: &Natural| known.get(next.next()?.as_slice()).cloned();
    for step in first.parts(prefix).filter_map(|part| part.step) {
        steps.push(match step {
            Step::Guard(c) => Step::Guard(c.map_literals(&mut new)),
            Step::Counter { site, var, lower, upper, shared } => {
                let [lower, upper] = [lower, upper].map(|n| n.map_literals(&mut new));
                Step::Counter { site: *site, var: var.clone(), lower, upper, shared: *shared }
            }
            Step::Data { site, var, domain, read, .. } => {
                let read = read.as_ref().map(|(a, n)| (a.clone(), n.map_literals(&mut new)));
                let (site, var, domain) = (*site, var.clone(), *domain);
                Step::Data { site, var, domain, read, update: None }
            }
        });
    }
    let Path { site, mode, array, index, .. } = first.path;
    let index = index.map_literals(&mut new);
    Some(Path { site: *site, mode: *mode, array: array.clone(), index, steps })
}
