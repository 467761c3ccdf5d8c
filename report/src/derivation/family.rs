//! Threads that do the same but for numbers are drawn once: with `i` for the thread, and where a
//! number is none that `i` gives, with a name for the numbers that the threads have there.

use super::drawing::{Drawing, Given, Node, Premise};
use super::formula::{Formula, Piece, code, math};
use super::letter::THREAD;
use super::texts::{FEWEST, Tables, key, one, whole_range};
use std::collections::HashMap;

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
        let list = format!("{} for {THREAD} = {}", values.join(", "), whole_range(&threads));
        drawing.legend.push((format!("v{}", tables.before + n + 1), vec![code(list)]));
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
