//! Typing derivations (`Typing.v`, `SyncProtocols.v`).

use crate::document::{Document, Sort, enclosed, list, string};
use crate::expressions::{bool, num};
use crate::layout::Layout;
use crate::ledger::constructor;
use crate::programs::Terms;
use crate::{Certificate, Unsupported};
use babycuda_core::deep::grow;
use babycuda_core::name::reserved::{TID, is_private};
use babycuda_core::{Name, Stmt};
use babycuda_typing::{Context, Derivation, Judgment, Rule};
use std::collections::BTreeSet;

/// A typing derivation as Coq.
///
/// Of a program with barriers, it is one of the mechanized `typed_s`: there, `tid` is no member of
/// `V`, and joins it in each block without barriers. The derivation is not checked here: what it
/// says is what Coq is asked.
///
/// # Errors
/// [`Unsupported`] when something in it is not mechanized.
pub fn of_type(derivation: &Derivation) -> Result<Certificate, Unsupported> {
    let (context, arrays, level) = match &derivation.conclusion {
        Judgment::Program { context, program, protocol } => {
            let arrays = program.arrays().into_iter().chain(protocol.arrays()).collect();
            (context, arrays, Level::of(program))
        }
        Judgment::Num { context, .. } | Judgment::Bool { context, .. } => {
            (context, BTreeSet::new(), Level::Unsynchronized)
        }
    };
    let layout = Layout::new(arrays);
    let mut document = Document::default();
    if let Some(definition) = layout.definition() {
        document.write(&definition);
    }
    let mut typing = Typing { terms: Terms { document, layout, has_barriers: false } };
    let scope = typing.scope(context, level)?;
    let root = typing.proof(derivation, None, &scope)?;
    typing.terms.document.spell_out();
    let scope = typing.scope(context, level)?;
    let statement = typing.judgment(&derivation.conclusion, &scope)?;
    Ok(Certificate { body: typing.terms.document.conclude(&statement, &root) })
}

/// Which of the two mechanized judgments on programs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    /// `typed`, of programs without barriers.
    Unsynchronized,
    /// `typed_s`, of synchronized programs.
    Synchronized,
}

impl Level {
    fn of(program: &Stmt) -> Level {
        if program.has_sync() { Level::Synchronized } else { Level::Unsynchronized }
    }
}

/// Where a node stands.
struct Scope {
    level: Level,
    /// Our `V` here.
    variables: BTreeSet<Name>,
    /// The mechanization's, where the variables bound here come first, the innermost before all.
    term: String,
}

/// A typing derivation under translation.
struct Typing {
    terms: Terms,
}

impl Typing {
    /// The scope of the root.
    fn scope(&mut self, context: &Context, level: Level) -> Result<Scope, Unsupported> {
        if level == Level::Synchronized && !context.contains(&Name::new(TID)) {
            return Err(Unsupported::WithoutThreadIdentifier);
        }
        let kept = |x: &&Name| level == Level::Unsynchronized || x.as_str() != TID;
        let names = list(context.iter().filter(kept).map(|x| string(x)));
        let term = self.terms.document.term(Sort::Context, names);
        Ok(Scope { level, variables: context.iter().cloned().collect(), term })
    }

    /// The scope with one more variable.
    fn with(&mut self, scope: &Scope, variable: &Name) -> Scope {
        let mut variables = scope.variables.clone();
        variables.insert(variable.clone());
        Scope { variables, ..self.prefixed(scope, variable, scope.level) }
    }

    /// The scope of a block without barriers.
    fn block(&mut self, scope: &Scope) -> Scope {
        self.prefixed(scope, &Name::new(TID), Level::Unsynchronized)
    }

    fn prefixed(&mut self, scope: &Scope, variable: &Name, level: Level) -> Scope {
        let term = format!("{} :: {}", string(variable), scope.term);
        let term = self.terms.document.term(Sort::Context, term);
        Scope { level, variables: scope.variables.clone(), term }
    }

    /// The `V` of a node: that of its place, or whatever the node has instead.
    fn context(&mut self, context: &Context, scope: &Scope) -> String {
        if context.iter().eq(&scope.variables) {
            return scope.term.clone();
        }
        let names = list(context.iter().map(|x| string(x)));
        self.terms.document.term(Sort::Context, names)
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
                let terms = &mut self.terms;
                let (judgment, program, protocol) = match scope.level {
                    Level::Unsynchronized => {
                        ("typed", terms.program(program)?, terms.protocol(protocol)?)
                    }
                    Level::Synchronized => {
                        let program = terms.synchronized(program)?;
                        ("typed_s", program, terms.synchronized_protocol(protocol)?)
                    }
                };
                format!("{judgment} {context} {program} {protocol}")
            }
        })
    }

    /// The node as a term: on expressions, of an index of `array` if there is one, it is computed;
    /// on programs, it is a lemma.
    fn proof(
        &mut self,
        node: &Derivation,
        array: Option<&Name>,
        scope: &Scope,
    ) -> Result<String, Unsupported> {
        match &node.conclusion {
            Judgment::Num { context, expression } => {
                let n = match array {
                    Some(array) => self.terms.layout.index(array, expression)?,
                    None => num(expression),
                };
                Ok(format!("(t_n {} {n} eq_refl)", self.context(context, scope)))
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
        let proof = if scope.level == Level::Synchronized && !program.has_sync() {
            let block = self.block(scope);
            format!("t_block {}", self.lemma(node, program, &block)?)
        } else {
            self.apply(node, program, scope)?
        };
        Ok(self.terms.document.lemma(node.rule.id(), &statement, &enclosed(proof)))
    }

    /// The constructor of the rule, applied to the premises; `x ∉ V` is not in a derivation.
    fn apply(
        &mut self,
        node: &Derivation,
        program: &Stmt,
        scope: &Scope,
    ) -> Result<String, Unsupported> {
        let constructor = applied(node.rule, program, scope.level)?;
        let inner = match program {
            Stmt::For { var, .. } => Some(self.with(scope, var)),
            _ => None,
        };
        let mut premises = Vec::new();
        for (position, premise) in node.premises.iter().enumerate() {
            let is_body = matches!(premise.conclusion, Judgment::Program { .. });
            let scope = inner.as_ref().filter(|_| is_body).unwrap_or(scope);
            // The first premise of an access is on its index.
            let array = program.accessed().filter(|_| position == 0);
            premises.push(self.proof(premise, array, scope)?);
        }
        let fresh = match node.rule {
            Rule::Read => Some(1),
            Rule::For | Rule::ForS => Some(2),
            _ => None,
        };
        if let Some(position) = fresh {
            premises.insert(position.min(premises.len()), "(fresh eq_refl)".to_owned());
        }
        premises.insert(0, constructor.to_owned());
        Ok(premises.join(" "))
    }
}

/// The constructor of a rule in the judgment of a level.
fn applied(rule: Rule, program: &Stmt, level: Level) -> Result<&'static str, Unsupported> {
    // Both sorts of loops are one where the mechanization has one.
    let (rule, relation) = match (rule, level) {
        (Rule::Atomic, _) => return Err(Unsupported::Atomic { site: program.site() }),
        (Rule::ForS, Level::Unsynchronized) => (Rule::For, "typed"),
        (Rule::For | Rule::ForS, Level::Synchronized) => {
            uniform_bounds(program)?;
            return Ok("t_sfor");
        }
        // The ledger knows the judgment with barriers anywhere; this is the stratified one.
        (Rule::Seq, Level::Synchronized) => return Ok("t_sseq"),
        (Rule::Sync, Level::Synchronized) => return Ok("t_sync"),
        (_, Level::Synchronized) => return Ok("_"),
        (rule, Level::Unsynchronized) => (rule, "typed"),
    };
    Ok(constructor(rule.id(), relation))
}

/// Do the bounds of a loop with barriers mention nothing that differs between threads?
fn uniform_bounds(program: &Stmt) -> Result<(), Unsupported> {
    match program {
        Stmt::For { site, lower, upper, .. } => {
            let mut mentioned = lower.free_vars().into_iter().chain(upper.free_vars());
            match mentioned.any(|x| is_private(&x)) {
                true => Err(Unsupported::ThreadDependentBound { site: *site }),
                false => Ok(()),
            }
        }
        _ => Ok(()),
    }
}
