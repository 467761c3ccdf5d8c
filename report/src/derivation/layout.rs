//! Where the parts of a drawn derivation stand, in columns and lines: no figure is wider or higher
//! than a page. Subtrees that do not fit get a name and a figure of their own.

use super::drawing::{Drawing, Given, Node};
use super::formula::{Formula, Piece, clip, columns, math, width, wrap};
use super::letter::THREAD;
use super::share;
use super::texts::range;
use std::collections::HashMap;

/// How large figures may be, and how their parts stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    /// Columns.
    pub(super) width: usize,
    /// Lines.
    pub(super) height: usize,
    /// Trees that may stand above one line.
    pub(super) trees: usize,
}

impl Page {
    /// Columns of a judgment before it is broken: the name of its rule stands beside it.
    fn long(self) -> usize {
        LONG.min(self.width.saturating_sub(LABEL)).max(12)
    }

    /// Columns of a judgment whose derivation stands elsewhere.
    fn narrow(self) -> usize {
        NARROW.min(self.long())
    }
}

/// Columns between premises.
pub(super) const GAP: usize = 3;

/// Columns of a judgment before it is broken.
const LONG: usize = 46;

/// Columns of the longest name of a rule, and a space.
const LABEL: usize = 18;

/// Columns of a judgment whose derivation stands elsewhere.
const NARROW: usize = 32;

/// Characters of a program or a set.
const LONGEST: usize = 400;

/// Lines of a judgment.
const LINES: usize = 6;

/// Lines of what a tree concludes, which stands nowhere else.
const OWN: usize = 14;

/// More derivations that stand elsewhere are shown by their names only.
const MANY: usize = 8;

/// A derivation in figures, the root's first.
pub(super) struct Sheet {
    pub(super) figures: Vec<Figure>,
}

/// A derivation by itself.
pub(super) struct Figure {
    /// Its name; none of the root.
    pub(super) name: Option<usize>,
    /// For which threads it stands.
    pub(super) threads: Option<String>,
    pub(super) tree: Tree,
}

/// A rule instance.
pub(super) struct Tree {
    pub(super) node: usize,
    pub(super) rule: &'static str,
    /// The premises, row by row, the highest first.
    pub(super) rows: Vec<Vec<Part>>,
    pub(super) conclusion: Vec<Formula>,
    pub(super) stopped: bool,
    /// Where the row of each premise begins, in columns.
    pub(super) starts: Vec<usize>,
    /// From where to where the line goes; the conclusion stands in its middle.
    pub(super) line: (usize, usize),
    pub(super) width: usize,
    pub(super) height: usize,
}

/// What stands above a line.
pub(super) enum Part {
    /// Lines: side conditions.
    Lines(Vec<Formula>),
    /// What does not hold, and why.
    Fails(Vec<Formula>),
    /// What was not looked at.
    Unseen(Vec<Formula>),
    Tree(Tree),
    /// A figure of its own; `threads`: for these. Its conclusion, unless there are too many.
    Elsewhere {
        name: usize,
        threads: Option<String>,
        conclusion: Vec<Formula>,
    },
}

fn widest(lines: &[Formula]) -> usize {
    lines.iter().map(|line| columns(line)).max().unwrap_or(0)
}

/// `𝒟12`
pub(super) fn name(number: usize) -> String {
    format!("𝒟{number}")
}

/// What stands above the conclusion of a part that has a figure.
pub(super) fn reference(number: usize, threads: Option<&str>) -> String {
    match threads {
        Some(threads) => format!("{}({THREAD}), {THREAD} = {threads}", name(number)),
        None => name(number),
    }
}

impl Part {
    pub(super) fn width(&self) -> usize {
        match self {
            Part::Lines(lines) | Part::Fails(lines) | Part::Unseen(lines) => widest(lines),
            Part::Tree(tree) => tree.width,
            Part::Elsewhere { name, threads, conclusion, .. } => {
                let reference = reference(*name, threads.as_deref());
                widest(conclusion).max(reference.chars().count())
            }
        }
    }

    pub(super) fn height(&self) -> usize {
        match self {
            Part::Lines(lines) | Part::Fails(lines) | Part::Unseen(lines) => lines.len(),
            Part::Tree(tree) => tree.height,
            Part::Elsewhere { conclusion, .. } => 1 + conclusion.len(),
        }
    }

    /// From where to where the line below a part must go.
    fn footing(&self) -> (usize, usize) {
        match self {
            Part::Tree(tree) => tree.line,
            _ => (0, self.width()),
        }
    }
}

/// Where a node stands that has a figure of its own.
struct Places {
    /// By node: the number of its figure.
    numbers: HashMap<usize, usize>,
    /// The figures, in the order in which they were made.
    made: Vec<(usize, Tree)>,
}

/// Lays a derivation out.
pub(super) fn sheet(drawing: &Drawing, page: Page) -> Sheet {
    let named = share::named(drawing);
    let mut places = Places { numbers: HashMap::new(), made: Vec::new() };
    let mut threads: HashMap<usize, String> = HashMap::new();
    let mut done: HashMap<usize, Tree> = HashMap::new();
    for n in drawing.bottom_up() {
        let node = &drawing.nodes[n];
        let mut parts = Vec::new();
        for premise in &node.premises {
            parts.push(match &premise.given {
                Given::Side(formula) => Part::Lines(wrap(&short(formula), page.long(), LINES)),
                Given::Fails(formula, why) => {
                    let mut marked = vec![math("✗ ")];
                    marked.extend(clip(formula, 6 * page.long()));
                    let mut lines = wrap(&marked, page.long(), LINES);
                    lines.extend(wrap(&[math(format!("fails: {why}"))], page.long(), LINES));
                    Part::Fails(lines)
                }
                Given::Unseen(formula) => {
                    let mut marked = vec![math("? ")];
                    marked.extend(short(formula));
                    Part::Unseen(wrap(&marked, page.long(), LINES))
                }
                Given::Omitted(count) => Part::Lines(vec![vec![math(format!("⋮ {count} more"))]]),
                Given::Family(child, of) => {
                    threads.insert(*child, range(of));
                    elsewhere((drawing, page), *child, &mut done, &mut places, threads.get(child))
                }
                Given::Derived(child, _) => match done.remove(child) {
                    Some(tree) if !named[*child] => Part::Tree(tree),
                    tree => {
                        done.extend(tree.map(|tree| (*child, tree)));
                        elsewhere((drawing, page), *child, &mut done, &mut places, None)
                    }
                },
            });
        }
        let tree = fit(drawing, n, parts, page, &mut places);
        done.insert(n, tree);
    }
    let mut figures = Vec::new();
    if let Some(tree) = done.remove(&0) {
        figures.push(Figure { name: None, threads: None, tree });
    }
    // Those used last were made last, but for those that are used several times.
    for (node, tree) in places.made.into_iter().rev() {
        let threads = threads.get(&node).cloned();
        figures.push(Figure { name: places.numbers.get(&node).copied(), threads, tree });
    }
    let mut sheet = Sheet { figures };
    super::names::in_order(&mut sheet);
    sheet
}

/// A node whose derivation has a figure of its own.
fn elsewhere(
    (drawing, page): (&Drawing, Page),
    node: usize,
    done: &mut HashMap<usize, Tree>,
    places: &mut Places,
    threads: Option<&String>,
) -> Part {
    if let Some(tree) = done.remove(&node) {
        places.made.push((node, tree));
    }
    let next = places.numbers.len() + 1;
    let name = *places.numbers.entry(node).or_insert(next);
    let conclusion = wrap(&short(&drawing.nodes[node].conclusion), page.narrow(), LINES);
    Part::Elsewhere { name, threads: threads.cloned(), conclusion }
}

/// A rule instance that is no larger than the page.
fn fit(
    drawing: &Drawing,
    node: usize,
    mut parts: Vec<Part>,
    page: Page,
    places: &mut Places,
) -> Tree {
    let mut none = HashMap::new();
    let mut move_out = |part: &mut Part, places: &mut Places| {
        let Part::Tree(tree) = std::mem::replace(part, Part::Lines(Vec::new())) else { return };
        let child = tree.node;
        places.made.push((child, tree));
        *part = elsewhere((drawing, page), child, &mut none, places, None);
    };
    // Side conditions in one column take less width.
    if across(&parts) > page.width {
        parts = stacked(parts);
    }
    let is_tree = |part: &&mut Part| matches!(part, Part::Tree(_));
    let trees = |parts: &[Part]| parts.iter().filter(|p| matches!(p, Part::Tree(_))).count();
    let mut most = page.width;
    loop {
        let too_wide = across(&parts) > page.width || trees(&parts) > page.trees;
        let next = parts.iter_mut().filter(is_tree);
        if too_wide && let Some(part) = next.max_by_key(|part| part.width()) {
            move_out(part, places);
            continue;
        }
        let rows = rows(&mut parts, most);
        let shape = shape(&drawing.nodes[node], &parts, &rows, page);
        let (width, height) = (shape.width, shape.height);
        let next = parts.iter_mut().filter(is_tree);
        let next = match (height > page.height, width > page.width) {
            (true, _) => next.max_by_key(|part| part.height()),
            (false, true) => next.max_by_key(|part| part.width()),
            (false, false) => None,
        };
        if let Some(part) = next {
            move_out(part, places);
            continue;
        }
        let label = shape.rule.chars().count() + 1;
        if width > page.width && most == page.width {
            // The name of the rule stands beside the last row.
            most = page.width.saturating_sub(label);
            continue;
        }
        let mut taken: Vec<Option<Part>> = parts.into_iter().map(Some).collect();
        let own = |row: &Vec<usize>| row.iter().filter_map(|n| taken[*n].take()).collect();
        let rows: Vec<Vec<Part>> = rows.iter().map(own).collect();
        return Tree { node, rows, ..shape };
    }
}

/// Columns of parts side by side.
pub(super) fn across(parts: &[Part]) -> usize {
    parts.iter().map(Part::width).sum::<usize>() + GAP * parts.len().saturating_sub(1)
}

/// Where the rows, the line and the conclusion stand.
fn shape(node: &Node, parts: &[Part], rows: &[Vec<usize>], page: Page) -> Tree {
    let wide = |row: &Vec<usize>| {
        row.iter().map(|n| parts[*n].width()).sum::<usize>() + GAP * row.len().saturating_sub(1)
    };
    let above = rows.iter().map(wide).max().unwrap_or(0);
    let mut starts: Vec<usize> = rows.iter().map(|row| (above - wide(row)) / 2).collect();
    let (mut begin, mut end) = (0, above);
    if let (Some(row), Some(start)) = (rows.last(), starts.last()) {
        let first = row.first().map_or(0, |n| parts[*n].footing().0);
        let last = row.last().map_or(0, |n| parts[*n].width() - parts[*n].footing().1);
        (begin, end) = (start + first, (start + wide(row)).saturating_sub(last));
    }
    let rule = node.rule.id;
    let label = rule.chars().count() + 1;
    let conclusion = wrap(
        &short(&node.conclusion),
        page.long().max(end - begin).min(page.width.saturating_sub(label)),
        OWN,
    );
    let own = widest(&conclusion);
    let mut moved = 0;
    if own > end - begin {
        let middle = begin + end;
        // The left end of the line, twice.
        let left = middle as i64 - own as i64;
        moved = usize::try_from((-left).max(0) / 2 + (-left).max(0) % 2).unwrap_or(0);
        begin = usize::try_from(left.max(0) / 2).unwrap_or(0);
        end = begin + own;
    }
    starts.iter_mut().for_each(|start| *start += moved);
    let high = |row: &Vec<usize>| row.iter().map(|n| parts[*n].height()).max().unwrap_or(0);
    let height = rows.iter().map(high).sum::<usize>() + 1 + conclusion.len();
    Tree {
        node: 0,
        rule,
        rows: Vec::new(),
        conclusion,
        stopped: node.stopped,
        starts,
        line: (begin, end),
        width: (above + moved).max(end + label),
        height,
    }
}

/// The formula without the middle of long sets and programs.
fn short(formula: &Formula) -> Formula {
    let cut = |piece: &Piece| {
        if width(&piece.text) <= LONGEST {
            return piece.clone();
        }
        let head: String = piece.text.chars().take(LONGEST - 40).collect();
        let tail: Vec<char> = piece.text.chars().rev().take(24).collect();
        let tail: String = tail.into_iter().rev().collect();
        Piece { text: format!("{head} … {tail}"), ..piece.clone() }
    };
    formula.iter().map(cut).collect()
}

/// Side conditions that stand beside each other, in one column.
fn stacked(parts: Vec<Part>) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::new();
    for part in parts {
        match (all.last_mut(), part) {
            (Some(Part::Lines(lines)), Part::Lines(more)) => lines.extend(more),
            (_, part) => all.push(part),
        }
    }
    all
}

/// The parts in rows of at most so many columns. Where many stand elsewhere, they are names only.
fn rows(parts: &mut [Part], most: usize) -> Vec<Vec<usize>> {
    let far = parts.iter().filter(|part| matches!(part, Part::Elsewhere { .. })).count();
    if far > MANY {
        for part in parts.iter_mut() {
            if let Part::Elsewhere { conclusion, .. } = part {
                conclusion.clear();
            }
        }
    }
    let (mut rows, mut row, mut taken): (Vec<Vec<usize>>, Vec<usize>, usize) = (vec![], vec![], 0);
    for (n, part) in parts.iter().enumerate() {
        let wide = part.width() + if row.is_empty() { 0 } else { GAP };
        if taken + wide > most && !row.is_empty() {
            rows.push(std::mem::take(&mut row));
            taken = 0;
        }
        taken += part.width() + if row.is_empty() { 0 } else { GAP };
        row.push(n);
    }
    if !row.is_empty() {
        rows.push(row);
    }
    rows
}

/// The line above a figure: `𝒟3(i), for every thread i = 0 … 63:`.
pub(super) fn heading(figure: &Figure) -> Option<String> {
    let name = name(figure.name?);
    Some(match &figure.threads {
        Some(threads) => format!("{name}({THREAD}), for every thread {THREAD} = {threads}:"),
        None => format!("{name}:"),
    })
}
