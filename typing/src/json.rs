//! The JSON form of typing derivations, and the document of one with its program.
//!
//! The document has no doubled parts: statements and protocols are tables, and nodes refer to them
//! and to their premises by position, premises before conclusions, the root last. A node is a
//! premise of one other, for a typing derivation is a tree.

use crate::Rule;
use crate::context::Context;
use crate::derivation::{Derivation, Judgment};
use babycuda_core::json::Format;
use babycuda_core::table::{self, Entry, Nodes, Table, TableError, Trees};
use babycuda_core::{Bool, Num, Program, Protocol, Stmt};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

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
        let (mut writer, mut nodes) = (Writer::default(), Vec::new());
        table::write_rows(
            derivation,
            |node| node.premises.iter().collect(),
            |node: &Derivation, premises| {
                let conclusion = writer.judgment(&node.conclusion);
                nodes.push(NodeForm { rule: node.rule, conclusion, premises });
            },
        );
        let Writer { contexts, statements, protocols, .. } = writer;
        let (statements, protocols) = (statements.entries(), protocols.entries());
        DerivationForm { contexts, statements, protocols, nodes }
    }
}

impl TryFrom<DerivationForm> for Derivation {
    type Error = TableError;
    fn try_from(form: DerivationForm) -> Result<Derivation, TableError> {
        let statements = Trees::new("statement", form.statements)?;
        let protocols = Trees::new("protocol", form.protocols)?;
        let context = |place: usize| {
            form.contexts.get(place).cloned().ok_or(TableError::Missing("context", place))
        };
        let mut nodes = Nodes::default();
        for NodeForm { rule, conclusion, premises } in form.nodes {
            let premises = premises.into_iter().map(|place| nodes.take(place));
            let premises = premises.collect::<Result<_, _>>()?;
            let conclusion = match conclusion {
                JudgmentForm::Num { context: v, expression } => {
                    Judgment::Num { context: context(v)?, expression }
                }
                JudgmentForm::Bool { context: v, condition } => {
                    Judgment::Bool { context: context(v)?, condition }
                }
                JudgmentForm::Program { context: v, program, protocol } => Judgment::Program {
                    context: context(v)?,
                    program: statements.get(program)?,
                    protocol: protocols.get(protocol)?,
                },
            };
            nodes.push(Derivation { rule, conclusion, premises });
        }
        nodes.root()
    }
}

babycuda_core::written_as!(Derivation, DerivationForm);
