//! The JSON form of typing derivations, and the document of one with its program.
//!
//! As long as what it says: statements and protocols are tables, nodes refer to them and to their
//! premises by position, premises before conclusions, the root last. A node is a premise of one
//! other, for a typing derivation is a tree.

use crate::context::Context;
use crate::derivation::{Derivation, Judgment};
use crate::rule::Rule;
use babycuda_core::json::Format;
use babycuda_core::table::{self, Entry, Table, TableError};
use babycuda_core::{Bool, Num, Program, Protocol, Stmt};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::sync::Arc;

/// The derivation of a type, and the program whose type it is: the document that
/// `babycuda derive --judgment type --format json` prints. [`check_type`](crate::check_type) says
/// whether it is one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TypeEvidence {
    /// The program.
    pub program: Program,
    /// The derivation.
    pub derivation: Derivation,
}

impl Format for TypeEvidence {
    const NAME: &'static str = "babycuda/type-derivation";
    // Only the program and expressions nest, and those may.
    const DEEP: bool = true;
}

/// The schema of the documents.
#[cfg(feature = "schema")]
pub fn schema() -> schemars::Schema {
    babycuda_core::json::schema::<TypeEvidence>()
}

/// How many nodes of statements and protocols a derivation may speak of, all its judgments
/// together.
const LARGEST: u64 = 1 << 30;

/// A derivation. Wherever an environment, a statement, a protocol or a node is meant, its position
/// in the respective table stands.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TypingDerivation"))]
#[serde(deny_unknown_fields)]
struct DerivationForm {
    contexts: Vec<Context>,
    statements: Vec<Entry<Stmt>>,
    protocols: Vec<Entry<Protocol>>,
    /// Premises before conclusions; the last is the root.
    nodes: Vec<NodeForm>,
}

/// A rule instance.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TypingNode"))]
#[serde(deny_unknown_fields)]
struct NodeForm {
    rule: Rule,
    conclusion: JudgmentForm,
    /// The derivations of the premises that are judgments.
    premises: Vec<usize>,
}

/// A judgment.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "TypingJudgment"))]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
enum JudgmentForm {
    /// `V ⊢ n`
    Num { context: usize, expression: Num },
    /// `V ⊢ c`
    Bool { context: usize, condition: Bool },
    /// `V ⊢ b ▶ u`
    Program { context: usize, program: usize, protocol: usize },
}

#[derive(Default)]
struct Writer {
    contexts: Vec<Context>,
    known: HashMap<Context, usize>,
    statements: Table<Stmt>,
    protocols: Table<Protocol>,
}

impl Writer {
    fn context(&mut self, context: &Context) -> usize {
        *self.known.entry(context.clone()).or_insert_with(|| {
            self.contexts.push(context.clone());
            self.contexts.len() - 1
        })
    }

    fn judgment(&mut self, judgment: &Judgment) -> JudgmentForm {
        match judgment {
            Judgment::Num { context, expression } => {
                JudgmentForm::Num { context: self.context(context), expression: expression.clone() }
            }
            Judgment::Bool { context, condition } => {
                JudgmentForm::Bool { context: self.context(context), condition: condition.clone() }
            }
            Judgment::Program { context, program, protocol } => JudgmentForm::Program {
                context: self.context(context),
                program: self.statements.enter(program),
                protocol: self.protocols.enter(protocol),
            },
        }
    }
}

impl From<&Derivation> for DerivationForm {
    fn from(derivation: &Derivation) -> DerivationForm {
        // Backwards, the root is first, each node behind its parent: parents are known when their
        // premises come, and the lists of premises are filled then.
        let mut writer = Writer::default();
        let mut nodes: Vec<NodeForm> = Vec::new();
        let mut pending = vec![(derivation, None)];
        while let Some((node, parent)) = pending.pop() {
            let place = nodes.len();
            if let Some(parent) = parent {
                let parent: &mut NodeForm = &mut nodes[parent];
                parent.premises.push(place);
            }
            let conclusion = writer.judgment(&node.conclusion);
            nodes.push(NodeForm { rule: node.rule, conclusion, premises: Vec::new() });
            pending.extend(node.premises.iter().rev().map(|premise| (premise, Some(place))));
        }
        let last = nodes.len() - 1;
        nodes.reverse();
        for node in &mut nodes {
            node.premises.iter_mut().for_each(|place| *place = last - *place);
        }
        let Writer { contexts, statements, protocols, .. } = writer;
        let (statements, protocols) = (statements.entries(), protocols.entries());
        DerivationForm { contexts, statements, protocols, nodes }
    }
}

/// The document refers to something that it does not contain, or not yet.
#[derive(Debug, thiserror::Error)]
enum Dangling {
    #[error("there is no {0} number {1}")]
    Entry(&'static str, usize),
    #[error("node {0} is no premise of another node, or of several")]
    Lonely(usize),
    #[error("there is no node")]
    Empty,
    #[error("{0}")]
    Table(#[from] TableError),
    #[error("the statements and protocols of all nodes are too large to be checked")]
    Large,
}

struct Reader {
    contexts: Vec<Context>,
    statements: Vec<(Arc<Stmt>, u64)>,
    protocols: Vec<(Arc<Protocol>, u64)>,
    room: u64,
}

impl Reader {
    fn context(&self, place: usize) -> Result<Context, Dangling> {
        self.contexts.get(place).cloned().ok_or(Dangling::Entry("context", place))
    }

    fn judgment(&mut self, form: JudgmentForm) -> Result<Judgment, Dangling> {
        Ok(match form {
            JudgmentForm::Num { context, expression } => {
                Judgment::Num { context: self.context(context)?, expression }
            }
            JudgmentForm::Bool { context, condition } => {
                Judgment::Bool { context: self.context(context)?, condition }
            }
            JudgmentForm::Program { context, program, protocol } => {
                let context = self.context(context)?;
                let b = self.statements.get(program).ok_or(Dangling::Entry("statement", program));
                let u = self.protocols.get(protocol).ok_or(Dangling::Entry("protocol", protocol));
                let ((program, size), (protocol, other)) = (b?, u?);
                self.room = self.room.checked_sub(size + other).ok_or(Dangling::Large)?;
                let (program, protocol) = (program.clone(), protocol.clone());
                Judgment::Program { context, program, protocol }
            }
        })
    }
}

impl TryFrom<DerivationForm> for Derivation {
    type Error = Dangling;
    fn try_from(form: DerivationForm) -> Result<Derivation, Dangling> {
        let DerivationForm { contexts, statements, protocols, nodes } = form;
        let (statements, protocols) = (table::read(statements)?, table::read(protocols)?);
        let mut reader = Reader { contexts, statements, protocols, room: LARGEST };
        let mut read: Vec<Option<Derivation>> = Vec::with_capacity(nodes.len());
        for NodeForm { rule, conclusion, premises } in nodes {
            let mut take = |place: usize| {
                let node = read.get_mut(place).ok_or(Dangling::Entry("node", place))?;
                node.take().ok_or(Dangling::Lonely(place))
            };
            let premises = premises.into_iter().map(&mut take).collect::<Result<_, _>>()?;
            let conclusion = reader.judgment(conclusion)?;
            read.push(Some(Derivation { rule, conclusion, premises }));
        }
        let root = read.pop().flatten().ok_or(Dangling::Empty)?;
        match read.iter().position(Option::is_some) {
            Some(place) => Err(Dangling::Lonely(place)),
            None => Ok(root),
        }
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
