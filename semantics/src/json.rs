//! The JSON form of derivations: tables of their parts, and nodes that refer to them by position.
//!
//! Nodes are shared and derivations are deep, so the document is flat: a node's premises stand
//! before it, the root is the last. [`RunEvidence`](crate::RunEvidence) is the document. Reading
//! checks the form only, [`check_derivation`](crate::check_derivation) the derivation.

use crate::block::Block;
use crate::derivation::{
    BlockJudgment, Derivation, Ending, Judgment, ParallelJudgment, Premise, ProgramJudgment, Stop,
    ThreadJudgment, ToBarrierJudgment,
};
use crate::outcome::Divergence;
use crate::rule::Rule;
use babycuda_core::table::{self, Entry, Table as TreeTable, TableError};
use babycuda_core::{Accesses, Bool, Cell, History, Natural, Num, Site, Stmt};
use im::ordmap::DiffItem as MapItem;
use im::ordset::DiffItem as SetItem;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::sync::Arc;

/// How many nodes of statements a derivation may speak of, all its judgments together. Shared parts
/// make statements of any size out of few entries of the table; no checker should walk them all.
pub const LARGEST: u64 = 1 << 30;

/// A derivation. Wherever a history, accesses, a statement or a node is meant, its position in
/// the respective table stands.
#[derive(Serialize, Deserialize, Default)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Derivation"))]
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

fn read_accesses(entries: Vec<AccessesEntry>) -> Result<Vec<Arc<Accesses>>, Dangling> {
    let mut read: Vec<Arc<Accesses>> = Vec::with_capacity(entries.len());
    for entry in entries {
        let base = match entry.from {
            None => Arc::default(),
            Some(from) => self::entry(&read, "accesses before these with", from)?,
        };
        read.push(Arc::new(entry.grown(&base)));
    }
    Ok(read)
}

/// A rule instance.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Node"))]
struct NodeForm {
    /// The rule's id.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    rule: Rule,
    conclusion: JudgmentForm,
    premises: Vec<PremiseForm>,
}

/// A premise.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Premise"))]
#[serde(rename_all = "lowercase")]
enum PremiseForm {
    /// A node.
    Derived(usize),
    /// `n ↓ k`
    Value { expression: Num, value: Natural },
    /// `c ↓ true` or `c ↓ false`
    Truth { condition: Bool, value: bool },
    /// `lastwrite(j, {i:A} :: H) = k`
    LastWrite { cell: Cell, value: Natural },
    /// `k ∈ ℕ`
    Chosen { cell: Cell, value: Natural },
}

/// A judgment.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Judgment"))]
#[serde(rename_all = "kebab-case")]
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
    Block { before: usize, remaining: Vec<(u64, usize)>, ending: EndingForm },
    /// `H, k ⇓ outcome`
    Program { block: Block, before: usize, program: usize, ending: EndingForm },
}

/// `sync_ℓ ▷ k`
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Stop"))]
struct StopForm {
    site: Site,
    rest: usize,
}

/// How a block ends.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "Ending"))]
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

impl<T> Table<T> {
    fn new() -> Table<T> {
        Table { entries: Vec::new(), known: HashMap::new() }
    }

    fn enter(&mut self, item: &Arc<T>) -> usize {
        *self.known.entry(Arc::as_ptr(item)).or_insert_with(|| {
            self.entries.push(item.clone());
            self.entries.len() - 1
        })
    }
}

struct Writer {
    histories: Table<History>,
    accesses: Table<Accesses>,
    statements: TreeTable<Stmt>,
    nodes: Vec<NodeForm>,
    known: HashMap<*const Derivation, usize>,
}

impl Writer {
    /// Enters the node, whose premises have been.
    fn node(&mut self, node: &Derivation) {
        let conclusion = self.judgment(&node.conclusion);
        let premises = node.premises.iter().map(|premise| self.premise(premise)).collect();
        self.nodes.push(NodeForm { rule: node.rule, conclusion, premises });
        self.known.insert(std::ptr::from_ref(node), self.nodes.len() - 1);
    }

    fn premise(&self, premise: &Premise) -> PremiseForm {
        match premise.clone() {
            // Premises are entered before conclusions, so the position is known.
            Premise::Derived(child) => {
                PremiseForm::Derived(self.known.get(&Arc::as_ptr(&child)).copied().unwrap_or(0))
            }
            Premise::Value { expression, value } => PremiseForm::Value { expression, value },
            Premise::Truth { condition, value } => PremiseForm::Truth { condition, value },
            Premise::LastWrite { cell, value } => PremiseForm::LastWrite { cell, value },
            Premise::Chosen { cell, value } => PremiseForm::Chosen { cell, value },
        }
    }

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
                    Stop::Barrier { site, rest } => {
                        Some(StopForm { site: *site, rest: self.statements.enter(rest) })
                    }
                },
            },
            Judgment::Block(j) => {
                let code = j.remaining.iter();
                JudgmentForm::Block {
                    before: self.histories.enter(&j.before),
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
        EndingForm { history, divergence: ending.divergence.clone() }
    }
}

impl From<&Derivation> for DerivationForm {
    fn from(derivation: &Derivation) -> DerivationForm {
        let mut writer = Writer {
            histories: Table::new(),
            accesses: Table::new(),
            statements: TreeTable::default(),
            nodes: Vec::new(),
            known: HashMap::new(),
        };
        // In post-order: a node is met a second time when its premises are entered.
        let mut pending = vec![(derivation, false)];
        while let Some((node, ready)) = pending.pop() {
            if writer.known.contains_key(&std::ptr::from_ref(node)) {
                continue;
            }
            if ready {
                writer.node(node);
            } else {
                pending.push((node, true));
                pending.extend(node.children().rev().map(|child| (&**child, false)));
            }
        }
        DerivationForm {
            histories: writer.histories.entries,
            accesses: entries(&writer.accesses.entries),
            statements: writer.statements.entries(),
            nodes: writer.nodes,
        }
    }
}

/// The document refers to something that it does not contain, or not yet.
#[derive(Debug, thiserror::Error)]
enum Dangling {
    #[error("there is no {0} number {1}")]
    Entry(&'static str, usize),
    #[error("there is no node")]
    Empty,
    #[error("statements: {0}")]
    Table(#[from] TableError),
    #[error("the statements of all nodes are too large to be checked")]
    Large,
}

/// The tables of a document being read.
struct Reader {
    histories: Vec<Arc<History>>,
    accesses: Vec<Arc<Accesses>>,
    statements: Vec<(Arc<Stmt>, u64)>,
    /// How many nodes of statements may still be spoken of.
    room: std::cell::Cell<u64>,
}

fn entry<T>(table: &[Arc<T>], what: &'static str, number: usize) -> Result<Arc<T>, Dangling> {
    table.get(number).cloned().ok_or(Dangling::Entry(what, number))
}

impl Reader {
    fn history(&self, number: usize) -> Result<Arc<History>, Dangling> {
        entry(&self.histories, "history", number)
    }

    fn accesses(&self, number: usize) -> Result<Arc<Accesses>, Dangling> {
        entry(&self.accesses, "accesses", number)
    }

    fn statement(&self, number: usize) -> Result<Arc<Stmt>, Dangling> {
        let (statement, size) =
            self.statements.get(number).ok_or(Dangling::Entry("statement", number))?;
        self.room.set(self.room.get().checked_sub(*size).ok_or(Dangling::Large)?);
        Ok(statement.clone())
    }

    fn ending(&self, form: EndingForm) -> Result<Ending, Dangling> {
        Ok(Ending { history: self.history(form.history)?, divergence: form.divergence })
    }

    fn judgment(&self, form: JudgmentForm) -> Result<Judgment, Dangling> {
        Ok(match form {
            JudgmentForm::Thread { history, thread, before, program, after } => {
                Judgment::Thread(ThreadJudgment {
                    history: self.history(history)?,
                    thread,
                    before: self.accesses(before)?,
                    program: self.statement(program)?,
                    after: self.accesses(after)?,
                })
            }
            JudgmentForm::Parallel { block, before, program, after } => {
                Judgment::Parallel(ParallelJudgment {
                    block,
                    before: self.history(before)?,
                    program: self.statement(program)?,
                    after: self.history(after)?,
                })
            }
            JudgmentForm::ToBarrier { history, thread, before, program, after, stop } => {
                Judgment::ToBarrier(ToBarrierJudgment {
                    history: self.history(history)?,
                    thread,
                    before: self.accesses(before)?,
                    program: self.statement(program)?,
                    after: self.accesses(after)?,
                    stop: match stop {
                        None => Stop::Done,
                        Some(StopForm { site, rest }) => {
                            Stop::Barrier { site, rest: self.statement(rest)? }
                        }
                    },
                })
            }
            JudgmentForm::Block { before, remaining, ending } => {
                let code = remaining.into_iter().map(|(i, k)| Ok((i, self.statement(k)?)));
                Judgment::Block(BlockJudgment {
                    before: self.history(before)?,
                    remaining: Arc::new(code.collect::<Result<_, Dangling>>()?),
                    ending: self.ending(ending)?,
                })
            }
            JudgmentForm::Program { block, before, program, ending } => {
                Judgment::Program(ProgramJudgment {
                    block,
                    before: self.history(before)?,
                    program: self.statement(program)?,
                    ending: self.ending(ending)?,
                })
            }
        })
    }
}

impl TryFrom<DerivationForm> for Derivation {
    type Error = Dangling;
    fn try_from(form: DerivationForm) -> Result<Derivation, Dangling> {
        let DerivationForm { histories, accesses, statements, nodes } = form;
        let (statements, accesses) = (table::read(statements)?, read_accesses(accesses)?);
        let room = std::cell::Cell::new(LARGEST);
        let reader = Reader { histories, accesses, statements, room };
        let mut known: Vec<Arc<Derivation>> = Vec::with_capacity(nodes.len());
        for NodeForm { rule, conclusion, premises } in nodes {
            let premise = |form| {
                Ok(match form {
                    PremiseForm::Derived(number) => {
                        Premise::Derived(entry(&known, "node before this one with", number)?)
                    }
                    PremiseForm::Value { expression, value } => {
                        Premise::Value { expression, value }
                    }
                    PremiseForm::Truth { condition, value } => Premise::Truth { condition, value },
                    PremiseForm::LastWrite { cell, value } => Premise::LastWrite { cell, value },
                    PremiseForm::Chosen { cell, value } => Premise::Chosen { cell, value },
                })
            };
            let premises = premises.into_iter().map(premise).collect::<Result<_, Dangling>>()?;
            let conclusion = reader.judgment(conclusion)?;
            known.push(Arc::new(Derivation { rule, conclusion, premises }));
        }
        let root = known.pop().ok_or(Dangling::Empty)?;
        drop(known);
        Ok(Arc::unwrap_or_clone(root))
    }
}

impl Serialize for Derivation {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        DerivationForm::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Derivation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Derivation, D::Error> {
        DerivationForm::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Derivation {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        DerivationForm::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        DerivationForm::json_schema(generator)
    }
}
