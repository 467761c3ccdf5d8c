//! The checker of typing derivations: it infers nothing and trusts no inference.

use crate::Rule;
use crate::context::Context;
use crate::derivation::{Derivation, Judgment};
use crate::json::TypeEvidence;
use babycuda_core::derivation;
use babycuda_core::syntax::{ForSort, Tree};
use babycuda_core::{AccessMode, Bool, Name, Num, Protocol, Stmt};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// A node of a derivation that is no instance of its rule.
pub type Rejected = derivation::Rejected<Rule, Defect>;

/// What is wrong with a node.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Defect {
    /// The rule concludes nothing of this form.
    WrongForm,
    /// The rule assigns another protocol.
    WrongProtocol,
    /// The rule has another number of premises that are judgments.
    #[allow(missing_docs)]
    WrongCount { expected: usize, found: usize },
    /// The derivation of a premise concludes something else.
    WrongPremise,
    /// A variable is not in `V`.
    NotInContext(Name),
    /// A variable to be bound is in `V`.
    InContext(Name),
    /// A read-only input of the derivation, which the node treats otherwise.
    IsInput(Name),
    /// No read-only input of the program.
    NotInput(Name),
    /// The root is about something else than the program of the evidence: what is expected.
    OtherProgram(String),
}

/// Checks every node of the derivation, that the program of the evidence is well-scoped, and that
/// the root concludes the type of that program, from the environment of a whole program.
///
/// # Errors
/// [`Rejected`]: the root, when it is about another program; else the first wrong node.
pub fn check_type(evidence: &TypeEvidence) -> Result<(), Rejected> {
    let TypeEvidence { program, derivation } = evidence;
    let root = |expected| Rejected::root(derivation, Defect::OtherProgram(expected));
    program.check_scope().map_err(|error| root(format!("a well-scoped program: {error}")))?;
    let expected = Context::of_program(program);
    match &derivation.conclusion {
        Judgment::Program { context, program: typed, .. }
            if *context == expected && **typed == program.body =>
        {
            check_relative(derivation, Some(&program.inputs()))
        }
        _ => Err(root(format!("{expected} ⊢ the program's body ▶ a protocol"))),
    }
}

impl TypeEvidence {
    /// One line that says of what this is the derivation.
    pub fn summary(&self) -> String {
        let nodes = babycuda_core::counted(self.derivation.size() as u64, "node");
        format!("a type of `{}`, {nodes}", self.program.name)
    }
}

/// Accepts exactly the typing derivations: every node must be an instance of its rule. The arrays of
/// t-read-input are taken to be read-only inputs: [`check_type`] knows the program's.
///
/// # Errors
/// The first node, in pre-order, that is not.
pub fn check_derivation(derivation: &Derivation) -> Result<(), Rejected> {
    check_relative(derivation, None)
}

/// `allowed`: the arrays that may be inputs, where that is known.
fn check_relative(
    derivation: &Derivation,
    allowed: Option<&BTreeSet<Name>>,
) -> Result<(), Rejected> {
    let nodes = derivation.nodes().filter(|(_, node)| node.rule == Rule::ReadInput);
    let inputs = nodes.filter_map(|(_, node)| match &node.conclusion {
        Judgment::Program { program, .. } => match &**program {
            Stmt::Read { array, .. } => Some(array.clone()),
            _ => None,
        },
        Judgment::Num { .. } | Judgment::Bool { .. } => None,
    });
    let inputs: BTreeSet<Name> = inputs.collect();
    derivation::check(derivation, |node| instance(node, &inputs, allowed))
}

type Fault = derivation::Fault<Defect>;

/// Is the node an instance of its rule? The derivations of its premises are not looked into,
/// beyond what they conclude.
fn instance(
    node: &Derivation,
    inputs: &BTreeSet<Name>,
    allowed: Option<&BTreeSet<Name>>,
) -> Result<(), Fault> {
    match &node.conclusion {
        Judgment::Num { context, expression } => {
            form(node.rule == Rule::N)?;
            count(node, 0)?;
            subset(&expression.free_vars(), context)
        }
        Judgment::Bool { context, condition } => {
            form(node.rule == Rule::B)?;
            count(node, 0)?;
            subset(&condition.free_vars(), context)
        }
        Judgment::Program { context, program, protocol } => {
            if let Some(a) = program.head().accessed() {
                let is_read = node.rule == Rule::ReadInput;
                if is_read && allowed.is_some_and(|allowed| !allowed.contains(a)) {
                    return Err(Fault::premise(1, Defect::NotInput(a.clone())));
                }
                if !is_read && inputs.contains(a) {
                    return Err(Fault::conclusion(Defect::IsInput(a.clone())));
                }
            }
            program_instance(node, context, program, protocol)
        }
    }
}

fn program_instance(
    node: &Derivation,
    context: &Context,
    program: &Stmt,
    protocol: &Protocol,
) -> Result<(), Fault> {
    match (node.rule, program) {
        (Rule::Write, Stmt::Write { site, array, index, .. }) => {
            count(node, 1)?;
            num(node, 0, 1, context, index)?;
            assigns(
                protocol,
                &Protocol::Access {
                    site: *site,
                    mode: AccessMode::Wr,
                    array: array.clone(),
                    index: index.clone(),
                },
            )
        }
        (Rule::Read, Stmt::Read { site, var, array, index, body }) => {
            let access = Protocol::Access {
                site: *site,
                mode: AccessMode::Rd,
                array: array.clone(),
                index: index.clone(),
            };
            binding(node, context, var, index, body, access, protocol)
        }
        (Rule::ReadInput, Stmt::Read { site, var, array, index, body }) => {
            let (site, var, array, index) = (*site, var.clone(), array.clone(), index.clone());
            count(node, 2)?;
            num(node, 0, 2, context, &index)?;
            absent(&var, context, 3)?;
            let body = typed(node, 1, 4, &context.with(var.clone()), body)?;
            let access = Protocol::Access {
                site,
                mode: AccessMode::Rd,
                array: array.clone(),
                index: index.clone(),
            };
            let input = Protocol::Input { site, var, array, index, body };
            assigns(protocol, &Protocol::Seq(Arc::new(access), Arc::new(input)))
        }
        (Rule::Atomic, Stmt::Atomic { site, var, array, index, scope, body, .. }) => {
            let access = Protocol::Access {
                site: *site,
                mode: AccessMode::At(*scope),
                array: array.clone(),
                index: index.clone(),
            };
            binding(node, context, var, index, body, access, protocol)
        }
        (Rule::Seq, Stmt::Seq(first, second)) => {
            count(node, 2)?;
            let u1 = typed(node, 0, 1, context, first)?;
            let u2 = typed(node, 1, 2, context, second)?;
            assigns(protocol, &Protocol::Seq(u1, u2))
        }
        (Rule::If, Stmt::If { site, condition, then, otherwise }) => {
            count(node, 3)?;
            bool(node, 0, 1, context, condition)?;
            let then = typed(node, 1, 2, context, then)?;
            let otherwise = typed(node, 2, 3, context, otherwise)?;
            assigns(
                protocol,
                &Protocol::If { site: *site, condition: condition.clone(), then, otherwise },
            )
        }
        (Rule::For | Rule::ForS, Stmt::For { site, sort, var, lower, upper, body }) => {
            form((node.rule == Rule::ForS) == (*sort == ForSort::S))?;
            count(node, 3)?;
            num(node, 0, 1, context, lower)?;
            num(node, 1, 2, context, upper)?;
            absent(var, context, 3)?;
            let body = typed(node, 2, 4, &context.with(var.clone()), body)?;
            assigns(
                protocol,
                &Protocol::For {
                    site: *site,
                    sort: *sort,
                    var: var.clone(),
                    lower: lower.clone(),
                    upper: upper.clone(),
                    body,
                },
            )
        }
        (Rule::Skip, Stmt::Skip) => {
            count(node, 0)?;
            assigns(protocol, &Protocol::Skip)
        }
        (Rule::Sync, Stmt::Sync { site, scope }) => {
            count(node, 0)?;
            assigns(protocol, &Protocol::Sync { site: *site, scope: *scope })
        }
        _ => Err(Fault::conclusion(Defect::WrongForm)),
    }
}

/// t-read and t-atomic: `access; u`.
fn binding(
    node: &Derivation,
    context: &Context,
    var: &Name,
    index: &Num,
    body: &Stmt,
    access: Protocol,
    protocol: &Protocol,
) -> Result<(), Fault> {
    count(node, 2)?;
    num(node, 0, 1, context, index)?;
    absent(var, context, 2)?;
    let u = typed(node, 1, 3, context, body)?;
    assigns(protocol, &Protocol::Seq(Arc::new(access), u))
}

fn form(right: bool) -> Result<(), Fault> {
    if right { Ok(()) } else { Err(Fault::conclusion(Defect::WrongForm)) }
}

fn count(node: &Derivation, expected: usize) -> Result<(), Fault> {
    let found = node.premises.len();
    if found == expected {
        Ok(())
    } else {
        Err(Fault::conclusion(Defect::WrongCount { expected, found }))
    }
}

/// `fv ⊆ V`, premise 1 of t-n and t-b
fn subset(vars: &BTreeSet<Name>, context: &Context) -> Result<(), Fault> {
    match vars.iter().find(|x| !context.contains(x)) {
        None => Ok(()),
        Some(x) => Err(Fault::premise(1, Defect::NotInContext(x.clone()))),
    }
}

/// `x ∉ V`
fn absent(var: &Name, context: &Context, premise: usize) -> Result<(), Fault> {
    if context.contains(var) {
        Err(Fault::premise(premise, Defect::InContext(var.clone())))
    } else {
        Ok(())
    }
}

fn assigns(claimed: &Protocol, assigned: &Protocol) -> Result<(), Fault> {
    if claimed == assigned { Ok(()) } else { Err(Fault::conclusion(Defect::WrongProtocol)) }
}

/// The conclusion of derivation `at`, which is to be that of premise number `premise`.
fn premise(node: &Derivation, at: usize, premise: usize) -> Result<&Judgment, Fault> {
    match node.premises.get(at) {
        Some(derivation) => Ok(&derivation.conclusion),
        None => Err(Fault::premise(premise, Defect::WrongPremise)),
    }
}

fn num(node: &Derivation, at: usize, number: usize, v: &Context, n: &Num) -> Result<(), Fault> {
    match premise(node, at, number)? {
        Judgment::Num { context, expression } if context == v && expression == n => Ok(()),
        _ => Err(Fault::premise(number, Defect::WrongPremise)),
    }
}

fn bool(node: &Derivation, at: usize, number: usize, v: &Context, c: &Bool) -> Result<(), Fault> {
    match premise(node, at, number)? {
        Judgment::Bool { context, condition } if context == v && condition == c => Ok(()),
        _ => Err(Fault::premise(number, Defect::WrongPremise)),
    }
}

/// `V ⊢ b ▶ u` for whichever `u` the derivation of the premise concludes.
fn typed(
    node: &Derivation,
    at: usize,
    number: usize,
    v: &Context,
    b: &Stmt,
) -> Result<Arc<Protocol>, Fault> {
    match premise(node, at, number)? {
        Judgment::Program { context, program, protocol } if context == v && **program == *b => {
            Ok(protocol.clone())
        }
        _ => Err(Fault::premise(number, Defect::WrongPremise)),
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::WrongForm => f.write_str("the rule concludes nothing of this form"),
            Defect::WrongProtocol => f.write_str("the rule assigns another protocol"),
            Defect::WrongCount { expected, found } => {
                write!(f, "{expected} derivations of premises expected, {found} found")
            }
            Defect::WrongPremise => f.write_str("its derivation concludes something else"),
            Defect::NotInContext(x) => write!(f, "{x} is not in V"),
            Defect::InContext(x) => write!(f, "{x} is in V"),
            Defect::IsInput(a) => write!(f, "{a} is read as an input elsewhere"),
            Defect::NotInput(a) => write!(f, "{a} is no read-only input"),
            Defect::OtherProgram(expected) => f.write_str(expected),
        }
    }
}
