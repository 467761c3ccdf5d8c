//! The JSON form of derivations: tables of their parts, and nodes that refer to them by position.
//!
//! Nodes are shared and derivations are deep, so the document is flat: a node's premises stand
//! before it, the root is the last. [`RunEvidence`](crate::RunEvidence) is the document. Reading
//! checks the form only, [`check_derivation`](crate::check_derivation) the derivation.

use crate::Rule;
use crate::block::Block;
use crate::derivation::{
    BlockJudgment, Derivation, Ending, Judgment, ParallelJudgment, Premise, ProgramJudgment, Stop,
    ThreadJudgment, ToBarrierJudgment,
};
use babycuda_core::evidence::Divergence;
use babycuda_core::launch::WARP_SIZE;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::table::{self, Entry, Nodes, Table as TreeTable, TableError, Trees};
use babycuda_core::{Accesses, History, Site, Stmt};
use im::ordmap::DiffItem as MapItem;
use im::ordset::DiffItem as SetItem;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::Arc;

/// A derivation. Wherever a history, accesses, a statement or a node is meant, its position in
/// the respective table stands.
#[derive(Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Derivation"))]
#[serde(deny_unknown_fields)]
struct DerivationForm {
    histories: Vec<Arc<History>>,
    accesses: Vec<AccessesEntry>,
    statements: Vec<Entry<Stmt>>,
    /// Premises before conclusions; the last is the root.
    nodes: Vec<NodeForm>,
}

/// Accesses, as what they have more than others: a run adds to them one by one.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct AccessesEntry {
    /// The position of the others, smaller than its own; absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from: Option<usize>,
    /// What is added, or written or updated anew.
    add: Accesses,
}

impl AccessesEntry {
    /// What `accesses` have more than `base`, which stands at `from`; `None`: they have not all of
    /// it.
    fn growth(from: usize, base: &Accesses, accesses: &Accesses) -> Option<AccessesEntry> {
        let mut add = Accesses::default();
        for item in base.reads.diff(&accesses.reads) {
            let SetItem::Add(cell) = item else { return None };
            add.reads.insert(cell.clone());
        }
        for item in base.writes.diff(&accesses.writes) {
            let (MapItem::Add(cell, k) | MapItem::Update { new: (cell, k), .. }) = item else {
                return None;
            };
            add.writes.insert(cell.clone(), k.clone());
        }
        for item in base.atomics.diff(&accesses.atomics) {
            let (MapItem::Add(cell, log) | MapItem::Update { new: (cell, log), .. }) = item else {
                return None;
            };
            add.atomics.insert(cell.clone(), log.clone());
        }
        Some(AccessesEntry { from: Some(from), add })
    }

    /// The accesses, where `base` are the others.
    fn grown(self, base: &Accesses) -> Accesses {
        let mut grown = base.clone();
        grown.reads.extend(self.add.reads);
        grown.writes.extend(self.add.writes);
        grown.atomics.extend(self.add.atomics);
        grown
    }
}

/// Each as what it has more than the one before, where it has all of that.
fn entries(all: &[Arc<Accesses>]) -> Vec<AccessesEntry> {
    let entry = |(place, accesses): (usize, &Arc<Accesses>)| {
        let base = place.checked_sub(1).and_then(|from| Some((from, all.get(from)?)));
        let growth = base.and_then(|(from, base)| AccessesEntry::growth(from, base, accesses));
        growth.unwrap_or_else(|| AccessesEntry { from: None, add: (**accesses).clone() })
    };
    all.iter().enumerate().map(entry).collect()
}

fn read_accesses(entries: Vec<AccessesEntry>) -> Result<Vec<Arc<Accesses>>, TableError> {
    let mut read: Vec<Arc<Accesses>> = Vec::with_capacity(entries.len());
    for entry in entries {
        let base = match entry.from {
            None => Arc::default(),
            Some(from) => self::entry(&read, "accesses", from)?,
        };
        read.push(Arc::new(entry.grown(&base)));
    }
    Ok(read)
}

/// A rule instance.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Node"))]
#[serde(deny_unknown_fields)]
struct NodeForm {
    /// The rule's id.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    rule: Rule,
    conclusion: JudgmentForm,
    premises: Vec<Premise<usize>>,
}

/// A judgment.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Judgment"))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum JudgmentForm {
    /// `A, b ↓_{H,i} B`
    Thread { history: usize, thread: u64, before: usize, program: usize, after: usize },
    /// `P::H, b ↓ Q::H`
    Parallel { block: Block, before: usize, program: usize, after: usize },
    /// `A, k ⇓_{H,i} (B, s)`
    ToBarrier {
        history: usize,
        thread: u64,
        before: usize,
        program: usize,
        after: usize,
        /// `null`: the thread is done.
        stop: Option<StopForm>,
    },
    /// `H, {i: k, …} ⇓ outcome`
    Block {
        before: usize,
        /// Threads in a warp, where they are not 32.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warp: Option<u32>,
        remaining: Vec<(u64, usize)>,
        ending: EndingForm,
    },
    /// `H, k ⇓ outcome`
    Program { block: Block, before: usize, program: usize, ending: EndingForm },
}

/// `sync_ℓ ▷ k`
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Stop"))]
#[serde(deny_unknown_fields)]
struct StopForm {
    site: Site,
    #[serde(default, skip_serializing_if = "BarrierScope::is_block")]
    scope: BarrierScope,
    rest: usize,
}

/// How a block ends.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Ending"))]
#[serde(deny_unknown_fields)]
struct EndingForm {
    history: usize,
    /// `null`: all threads ended.
    divergence: Option<Divergence>,
}

/// A table under construction: objects that are the same are entered once.
struct Table<T> {
    entries: Vec<Arc<T>>,
    known: HashMap<*const T, usize>,
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { entries: Vec::new(), known: HashMap::new() }
    }
}

impl<T> Table<T> {
    fn enter(&mut self, item: &Arc<T>) -> usize {
        *self.known.entry(Arc::as_ptr(item)).or_insert_with(|| {
            self.entries.push(item.clone());
            self.entries.len() - 1
        })
    }
}

#[derive(Default)]
struct Writer {
    histories: Table<History>,
    accesses: Table<Accesses>,
    statements: TreeTable<Stmt>,
}

impl Writer {
    fn judgment(&mut self, judgment: &Judgment) -> JudgmentForm {
        match judgment {
            Judgment::Thread(j) => JudgmentForm::Thread {
                history: self.histories.enter(&j.history),
                thread: j.thread,
                before: self.accesses.enter(&j.before),
                program: self.statements.enter(&j.program),
                after: self.accesses.enter(&j.after),
            },
            Judgment::Parallel(j) => JudgmentForm::Parallel {
                block: j.block,
                before: self.histories.enter(&j.before),
                program: self.statements.enter(&j.program),
                after: self.histories.enter(&j.after),
            },
            Judgment::ToBarrier(j) => JudgmentForm::ToBarrier {
                history: self.histories.enter(&j.history),
                thread: j.thread,
                before: self.accesses.enter(&j.before),
                program: self.statements.enter(&j.program),
                after: self.accesses.enter(&j.after),
                stop: match &j.stop {
                    Stop::Done => None,
                    Stop::Barrier { site, scope, rest } => Some(StopForm {
                        site: *site,
                        scope: *scope,
                        rest: self.statements.enter(rest),
                    }),
                },
            },
            Judgment::Block(j) => {
                let code = j.remaining.iter();
                JudgmentForm::Block {
                    before: self.histories.enter(&j.before),
                    warp: (j.warp != WARP_SIZE).then_some(j.warp),
                    remaining: code.map(|(i, k)| (*i, self.statements.enter(k))).collect(),
                    ending: self.ending(&j.ending),
                }
            }
            Judgment::Program(j) => JudgmentForm::Program {
                block: j.block,
                before: self.histories.enter(&j.before),
                program: self.statements.enter(&j.program),
                ending: self.ending(&j.ending),
            },
        }
    }

    fn ending(&mut self, ending: &Ending) -> EndingForm {
        let history = self.histories.enter(&ending.history);
        EndingForm { history, divergence: ending.divergence }
    }
}

impl From<&Derivation> for DerivationForm {
    fn from(derivation: &Derivation) -> DerivationForm {
        let (mut writer, mut nodes) = (Writer::default(), Vec::new());
        table::write_rows(
            derivation,
            |node| node.children().map(|child| &**child).collect(),
            |node: &Derivation, places| {
                let mut places = places.into_iter();
                // Proof: `places` has one for each derived premise.
                let mut premise =
                    |p: &Premise| p.with(|_| places.next().ok_or(TableError::Empty)).ok();
                let premises = node.premises.iter().filter_map(&mut premise).collect();
                let conclusion = writer.judgment(&node.conclusion);
                nodes.push(NodeForm { rule: node.rule, conclusion, premises });
            },
        );
        DerivationForm {
            histories: writer.histories.entries,
            accesses: entries(&writer.accesses.entries),
            statements: writer.statements.entries(),
            nodes,
        }
    }
}

/// The tables of a document being read.
struct Reader {
    histories: Vec<Arc<History>>,
    accesses: Vec<Arc<Accesses>>,
    statements: Trees<Stmt>,
}

fn entry<T>(table: &[Arc<T>], what: &'static str, number: usize) -> Result<Arc<T>, TableError> {
    table.get(number).cloned().ok_or(TableError::Missing(what, number))
}

impl Reader {
    fn history(&self, number: usize) -> Result<Arc<History>, TableError> {
        entry(&self.histories, "history", number)
    }

    fn accesses(&self, number: usize) -> Result<Arc<Accesses>, TableError> {
        entry(&self.accesses, "accesses", number)
    }

    fn ending(&self, form: EndingForm) -> Result<Ending, TableError> {
        Ok(Ending { history: self.history(form.history)?, divergence: form.divergence })
    }

    fn judgment(&self, form: JudgmentForm) -> Result<Judgment, TableError> {
        Ok(match form {
            JudgmentForm::Thread { history, thread, before, program, after } => {
                Judgment::Thread(ThreadJudgment {
                    history: self.history(history)?,
                    thread,
                    before: self.accesses(before)?,
                    program: self.statements.get(program)?,
                    after: self.accesses(after)?,
                })
            }
            JudgmentForm::Parallel { block, before, program, after } => {
                Judgment::Parallel(ParallelJudgment {
                    block,
                    before: self.history(before)?,
                    program: self.statements.get(program)?,
                    after: self.history(after)?,
                })
            }
            JudgmentForm::ToBarrier { history, thread, before, program, after, stop } => {
                Judgment::ToBarrier(ToBarrierJudgment {
                    history: self.history(history)?,
                    thread,
                    before: self.accesses(before)?,
                    program: self.statements.get(program)?,
                    after: self.accesses(after)?,
                    stop: match stop {
                        None => Stop::Done,
                        Some(StopForm { site, scope, rest }) => {
                            Stop::Barrier { site, scope, rest: self.statements.get(rest)? }
                        }
                    },
                })
            }
            JudgmentForm::Block { before, warp, remaining, ending } => {
                let code = remaining.into_iter().map(|(i, k)| Ok((i, self.statements.get(k)?)));
                Judgment::Block(BlockJudgment {
                    before: self.history(before)?,
                    warp: warp.unwrap_or(WARP_SIZE),
                    remaining: Arc::new(code.collect::<Result<_, TableError>>()?),
                    ending: self.ending(ending)?,
                })
            }
            JudgmentForm::Program { block, before, program, ending } => {
                Judgment::Program(ProgramJudgment {
                    block,
                    before: self.history(before)?,
                    program: self.statements.get(program)?,
                    ending: self.ending(ending)?,
                })
            }
        })
    }
}

impl TryFrom<DerivationForm> for Derivation {
    type Error = TableError;
    fn try_from(form: DerivationForm) -> Result<Derivation, TableError> {
        let reader = Reader {
            histories: form.histories,
            accesses: read_accesses(form.accesses)?,
            statements: Trees::new("statement", form.statements)?,
        };
        let mut nodes: Nodes<Arc<Derivation>> = Nodes::default();
        for NodeForm { rule, conclusion, premises } in form.nodes {
            let mut premise = |form: &Premise<usize>| form.with(|place| nodes.share(*place));
            let premises = premises.iter().map(&mut premise).collect::<Result<_, _>>()?;
            let conclusion = reader.judgment(conclusion)?;
            nodes.push(Arc::new(Derivation { rule, conclusion, premises }));
        }
        nodes.root().map(Arc::unwrap_or_clone)
    }
}

babycuda_core::written_as!(Derivation, DerivationForm);
