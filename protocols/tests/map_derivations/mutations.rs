//! Derivations that are wrong in one place.

use super::*;

/// Every derivation that differs from `original` in one place, with what was changed.
pub(super) fn mutants(original: &Derivation) -> Vec<(String, Derivation)> {
    let mut all = Vec::new();
    let mut change = |what: String, edit: &dyn Fn(&mut Derivation)| {
        let mut mutant = original.clone();
        edit(&mut mutant);
        if mutant != *original {
            all.push((what, mutant));
        }
    };
    for rule in Rule::ALL {
        change(format!("rule {rule}"), &|d| d.rule = rule);
    }
    for (what, conclusion) in conclusions(&original.conclusion) {
        change(format!("conclusion: {what}"), &|d| d.conclusion = conclusion.clone());
    }
    for position in 0..original.premises.len() {
        change(format!("without premise {position}"), &|d| drop(d.premises.remove(position)));
        change(format!("premise {position} twice"), &|d| {
            let premise = d.premises[position].clone();
            d.premises.insert(position, premise);
        });
        if position + 1 < original.premises.len() {
            change(format!("premise {position} exchanged"), &|d| {
                d.premises.swap(position, position + 1);
            });
        }
        for (what, premise) in premises(&original.premises[position]) {
            change(format!("premise {position}: {what}"), &|d| {
                d.premises[position] = premise.clone();
            });
        }
    }
    all
}

fn premises(original: &Premise) -> Vec<(String, Premise)> {
    match original {
        Premise::Derived(child) => {
            mutants(child).into_iter().map(|(what, d)| (what, Premise::Derived(d))).collect()
        }
        Premise::Value { expression, value } => {
            let longer = Num::arith(ArithOp::Add, expression.clone(), Num::lit(0u32));
            let (expression, next) = (expression.clone(), value.successor());
            vec![
                ("value".into(), Premise::Value { expression, value: next }),
                ("expression".into(), Premise::Value { expression: longer, value: value.clone() }),
            ]
        }
        Premise::Truth { condition, value } => {
            let double = Bool::not(Bool::not(condition.clone()));
            vec![
                ("truth".into(), Premise::Truth { condition: condition.clone(), value: !value }),
                ("condition".into(), Premise::Truth { condition: double, value: *value }),
            ]
        }
        Premise::Chosen { cell: _, value } => {
            let chosen = |cell: Option<Cell>, value| Premise::Chosen { cell, value };
            vec![
                ("choice".into(), chosen(None, value.successor())),
                ("domain".into(), chosen(None, Natural::from(300u32))),
                ("cell".into(), chosen(Some(Cell::new("A", 0u32)), value.clone())),
            ]
        }
        Premise::LastWrite { cell, value } => {
            let other = Cell::new(cell.array.clone(), cell.index.successor());
            let next = value.successor();
            vec![
                ("stored".into(), Premise::LastWrite { cell: cell.clone(), value: next }),
                ("cell".into(), Premise::LastWrite { cell: other, value: value.clone() }),
            ]
        }
    }
}

fn conclusions(original: &Judgment) -> Vec<(&'static str, Judgment)> {
    match original {
        Judgment::Thread { protocol, reached } => {
            let with = |u: &Arc<Protocol>, r: Reached| Judgment::Thread {
                protocol: u.clone(),
                reached: Arc::new(r),
            };
            let extra = Reached::one(AccessMode::Rd, Cell::new("Z", 77u32));
            let mut fewer = (**reached).clone();
            let first = fewer.phases[0].iter().next().cloned();
            first.map(|access| fewer.phases[0].remove(&access));
            let mut other_site = (**reached).clone();
            other_site.barriers.iter_mut().for_each(|(_, site)| site.0 += 1);
            let same = (**reached).clone();
            vec![
                ("one access more", with(protocol, reached.then(&extra))),
                ("one access less", with(protocol, fewer)),
                (
                    "one barrier of a warp more",
                    with(protocol, reached.then(&Reached::barrier(BarrierScope::Warp, Site(9)))),
                ),
                (
                    "one barrier more",
                    with(protocol, reached.then(&Reached::barrier(BarrierScope::Block, Site(9)))),
                ),
                ("other barriers", with(protocol, other_site)),
                ("nothing", with(protocol, Reached::nothing())),
                ("sites", with(&shifted(protocol), same.clone())),
                ("protocol", with(&Arc::new(Protocol::Skip), same)),
            ]
        }
        Judgment::Block { configuration, protocol, phases, ending } => {
            let block = |c: &Configuration, u: &Arc<Protocol>, p: Vec<_>, e: &Ending| {
                let (configuration, protocol, ending) = (c.clone(), u.clone(), e.clone());
                Judgment::Block { configuration, protocol, phases: p, ending }
            };
            let mut larger = configuration.clone();
            larger.launch.block.x += 1;
            let mut smaller = configuration.clone();
            smaller.launch.block.x -= 1;
            let mut fewer = phases.clone();
            fewer[0].pop_first();
            let access =
                |cell: u32| Access { thread: 0, mode: AccessMode::Rd, cell: Cell::new("Z", cell) };
            let mut added = phases.clone();
            added[0].insert(access(77));
            let mut exchanged = fewer.clone();
            exchanged[0].insert(access(77));
            let mut more = phases.clone();
            more.push(BTreeSet::new());
            let other = match ending {
                Ending::Done => Ending::Divergence { first: (0, None), second: (1, Some(Site(0))) },
                Ending::Divergence { .. } | Ending::Stuck { .. } => Ending::Done,
            };
            vec![
                ("a thread more", block(&larger, protocol, phases.clone(), ending)),
                ("a thread less", block(&smaller, protocol, phases.clone(), ending)),
                ("an access less", block(configuration, protocol, fewer, ending)),
                ("an access more", block(configuration, protocol, added, ending)),
                ("another access", block(configuration, protocol, exchanged, ending)),
                ("a phase more", block(configuration, protocol, more, ending)),
                ("no phase", block(configuration, protocol, Vec::new(), ending)),
                ("ending", block(configuration, protocol, phases.clone(), &other)),
                ("sites", block(configuration, &shifted(protocol), phases.clone(), ending)),
            ]
        }
    }
}

fn shifted(protocol: &Protocol) -> Arc<Protocol> {
    Arc::new(Protocol::seq(
        Protocol::Sync { site: Site(99), scope: BarrierScope::Block },
        protocol.clone(),
    ))
}
