//! Typing derivations (`Typing.v`).

use crate::document::{Sort, enclosed, list, string};
use crate::expressions::{bool, num};
use crate::ledger::constructor;
use crate::programs::Terms;
use crate::{Certificate, Unsupported};
use babycuda_core::deep::grow;
use babycuda_core::{Name, Stmt};
use babycuda_typing::{Context, Derivation, Judgment, Rule};
use std::collections::BTreeSet;

/// A typing derivation as Coq. It is not checked here: what it says is what Coq is asked.
///
/// # Errors
/// [`Unsupported`] when something in it is not mechanized.
pub fn of_type(derivation: &Derivation) -> Result<Certificate, Unsupported> {
    let (Judgment::Program { context, .. }
    | Judgment::Num { context, .. }
    | Judgment::Bool { context, .. }) = &derivation.conclusion;
    let mut typing = Typing { terms: Terms::default(), inputs: inputs(derivation) };
    let scope = typing.scope(context);
    let root = typing.proof(derivation, &scope)?;
    typing.terms.document.spell_out();
    let scope = typing.scope(context);
    let statement = typing.judgment(&derivation.conclusion, &scope)?;
    Ok(Certificate { body: typing.terms.document.conclude(&statement, &root) })
}

/// Where a node stands.
struct Scope {
    /// Our `V` here.
    variables: BTreeSet<Name>,
    /// The mechanization's, where the variables bound here come first, the innermost before all.
    term: String,
}

/// A typing derivation under translation.
struct Typing {
    terms: Terms,
    /// The read-only inputs that it is relative to: in the theorem, the premise on what is read.
    inputs: BTreeSet<Name>,
}

/// The arrays that are read as inputs.
fn inputs(derivation: &Derivation) -> BTreeSet<Name> {
    let read = |node: &Derivation| match &node.conclusion {
        Judgment::Program { program, .. } if node.rule == Rule::ReadInput => {
            program.accessed().cloned()
        }
        _ => None,
    };
    derivation.nodes().filter_map(|(_, node)| read(node)).collect()
}

impl Typing {
    /// The scope of the root.
    fn scope(&mut self, context: &Context) -> Scope {
        Scope { variables: context.iter().cloned().collect(), term: self.listed(context) }
    }

    fn listed(&mut self, context: &Context) -> String {
        let names = list(context.iter().map(|x| string(x)));
        self.terms.document.term(Sort::Context, names)
    }

    /// The scope with one more variable.
    fn with(&mut self, scope: &Scope, variable: &Name) -> Scope {
        let mut variables = scope.variables.clone();
        variables.insert(variable.clone());
        let term = format!("{} :: {}", string(variable), scope.term);
        Scope { variables, term: self.terms.document.term(Sort::Context, term) }
    }

    /// The `V` of a node: that of its place, or whatever the node has instead.
    fn context(&mut self, context: &Context, scope: &Scope) -> String {
        if context.iter().eq(&scope.variables) {
            return scope.term.clone();
        }
        self.listed(context)
    }

    fn judgment(&mut self, judgment: &Judgment, scope: &Scope) -> Result<String, Unsupported> {
        Ok(match judgment {
            Judgment::Num { context, expression } => {
                format!("typed_n {} {}", self.context(context, scope), num(expression))
            }
            Judgment::Bool { context, condition } => {
                format!("typed_c {} {}", self.context(context, scope), bool(condition))
            }
            Judgment::Program { context, program, protocol } => {
                let context = self.context(context, scope);
                let (b, u) = (self.terms.program(program)?, self.terms.protocol(protocol)?);
                if self.inputs.is_empty() {
                    return Ok(format!("typed {context} {b} {u}"));
                }
                let inputs = list(self.inputs.iter().map(|a| string(a)));
                format!("@typed (reading {inputs}) {context} {b} {u}")
            }
        })
    }

    /// The node as a term: on expressions it is computed; on programs it is a lemma.
    fn proof(&mut self, node: &Derivation, scope: &Scope) -> Result<String, Unsupported> {
        match &node.conclusion {
            Judgment::Num { context, expression } => {
                Ok(format!("(t_n {} {} eq_refl)", self.context(context, scope), num(expression)))
            }
            Judgment::Bool { context, condition } => {
                Ok(format!("(t_b {} {} eq_refl)", self.context(context, scope), bool(condition)))
            }
            Judgment::Program { program, .. } => grow(|| self.lemma(node, program, scope)),
        }
    }

    fn lemma(
        &mut self,
        node: &Derivation,
        program: &Stmt,
        scope: &Scope,
    ) -> Result<String, Unsupported> {
        let statement = self.judgment(&node.conclusion, scope)?;
        let proof = self.apply(node, program, scope)?;
        Ok(self.terms.document.lemma(node.rule.id(), &statement, &enclosed(proof)))
    }

    /// The constructor of the rule, applied to the premises; `x ∉ V` is not in a derivation.
    fn apply(
        &mut self,
        node: &Derivation,
        program: &Stmt,
        scope: &Scope,
    ) -> Result<String, Unsupported> {
        if node.rule == Rule::Atomic {
            return Err(Unsupported::Atomic { site: program.site() });
        }
        let is_input = program.accessed().is_some_and(|array| self.inputs.contains(array));
        if is_input && node.rule != Rule::ReadInput {
            return Err(Unsupported::Input { site: program.site().unwrap_or_default() });
        }
        let inner = match program {
            Stmt::For { var, .. } => Some(self.with(scope, var)),
            Stmt::Read { var, .. } if is_input => Some(self.with(scope, var)),
            _ => None,
        };
        let mut premises = Vec::new();
        for premise in &node.premises {
            let is_body = matches!(premise.conclusion, Judgment::Program { .. });
            let scope = inner.as_ref().filter(|_| is_body).unwrap_or(scope);
            premises.push(self.proof(premise, scope)?);
        }
        let fresh = match node.rule {
            Rule::Read | Rule::ReadInput => Some(1),
            Rule::For | Rule::ForS => Some(2),
            _ => None,
        };
        if let Some(position) = fresh {
            premises.insert(position.min(premises.len()), "(fresh eq_refl)".to_owned());
        }
        let constructor = match node.rule {
            Rule::Write if !self.inputs.is_empty() => "t_write_in eq_refl",
            Rule::Read if !self.inputs.is_empty() => "t_read_in eq_refl",
            Rule::ReadInput => "t_read_input_in eq_refl",
            rule => constructor(rule.id(), "typed"),
        };
        premises.insert(0, constructor.to_owned());
        Ok(premises.join(" "))
    }
}
