//! Inference: the protocol of a program, or why it has none.
//!
//! The system is syntax-directed, so inference is the rules read from the conclusion up: exactly
//! one rule fits each statement, and its premises are tried in the paper's order.

use crate::Rule;
use crate::context::Context;
use crate::derivation::{Derivation, Judgment};
use crate::reject::{Cause, DataRead, Place, Rejection};
use babycuda_core::deep::grow;
use babycuda_core::name::reserved::{TID, is_reserved};
use babycuda_core::syntax::ForSort;
use babycuda_core::{AccessMode, Bool, Name, Num, Program, Protocol, Site, Stmt};
use im::OrdMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A program's type, with the reason.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Typed {
    /// `u`: where the program accesses its arrays, for all data. Literally what the rules build,
    /// with every `skip` in place ([`normalize`](crate::normalize) drops them); each access keeps
    /// the site of its statement.
    pub protocol: Protocol,
    /// A derivation of `V ⊢ b ▶ u`.
    pub derivation: Derivation,
}

impl Typed {
    /// Is it a type relative to what the host stored: does it use rule t-read-input (THEORY T11)?
    pub fn is_relative(&self) -> bool {
        self.protocol.is_relative()
    }

    /// Did the paper suffice: rules of LCL22 Fig. 6 only, its expressions only, one array?
    pub fn is_paper_fragment(&self) -> bool {
        let expressions = |node: &Derivation| match &node.conclusion {
            Judgment::Num { expression, .. } => expression.is_paper(),
            Judgment::Bool { condition, .. } => condition.is_paper(),
            Judgment::Program { program, .. } => match &**program {
                Stmt::Write { payload, .. } => payload.is_paper(),
                _ => true,
            },
        };
        let paper = |x: &Name| !is_reserved(x) || x.as_str() == TID;
        self.protocol.arrays().len() <= 1
            && self.protocol.free_vars().iter().all(paper)
            && self.derivation.nodes().all(|(_, node)| node.rule.is_paper() && expressions(node))
    }
}

/// Infers `u` with `V ⊢ b ▶ u` (LCL22 Fig. 6).
///
/// # Errors
/// The first premise, in the order of the text, that fails.
pub fn infer(context: &Context, program: &Stmt) -> Result<Typed, Rejection> {
    infer_relative(context, &BTreeSet::new(), program)
}

/// The same with rule t-read-input for the arrays `inputs` that the program does not write (`RO` of
/// THEORY T11): reads of them are no data.
///
/// # Errors
/// As [`infer`].
pub fn infer_relative(
    context: &Context,
    inputs: &BTreeSet<Name>,
    program: &Stmt,
) -> Result<Typed, Rejection> {
    let program = Arc::new(program.clone());
    let written = program.written();
    let inputs = inputs.difference(&written).cloned().collect();
    let inference = Inference { inputs: &inputs, open: &RefCell::default() };
    let (protocol, derivation) = inference.statement(context, &Binders::new(), &program)?.parts();
    Ok(Typed { protocol: (*protocol).clone(), derivation })
}

/// Infers the type of a whole program, from its parameters and the variables of the launch.
///
/// # Errors
/// As [`infer`].
pub fn type_program(program: &Program) -> Result<Typed, Rejection> {
    infer(&Context::of_program(program), &program.body)
}

/// The type of a whole program, relative to what the host stored where it has no other: the protocol
/// then reads the [read-only inputs](Program::inputs).
///
/// # Errors
/// As [`infer`]: the premise that fails where inputs are no data, or else the one of
/// [`type_program`].
pub fn type_relative(program: &Program) -> Result<Typed, Rejection> {
    type_program(program).or_else(|plain| {
        let context = Context::of_program(program);
        infer_relative(&context, &program.inputs(), &program.body).map_err(|rejection| {
            match rejection.cause {
                Cause::Data(_) => rejection,
                Cause::Unbound | Cause::AlreadyInContext(_) => plain,
            }
        })
    })
}

/// What bound each variable that the program itself bound so far.
type Binders = OrdMap<Name, Binder>;

#[derive(Clone, PartialEq, Eq)]
enum Binder {
    Let(DataRead),
    Loop(Site),
}

/// `V ⊢ b ▶ u`, with its derivation.
struct Conclusion {
    protocol: Arc<Protocol>,
    derivation: Derivation,
}

impl Conclusion {
    fn new(
        rule: Rule,
        context: &Context,
        program: &Arc<Stmt>,
        protocol: Arc<Protocol>,
        premises: Vec<Derivation>,
    ) -> Conclusion {
        let conclusion = Judgment::Program {
            context: context.clone(),
            program: program.clone(),
            protocol: protocol.clone(),
        };
        Conclusion { derivation: Derivation { rule, conclusion, premises }, protocol }
    }

    fn parts(self) -> (Arc<Protocol>, Derivation) {
        (self.protocol, self.derivation)
    }
}

/// Where a premise is tried, for the rejection if it fails.
struct Trial<'a> {
    context: &'a Context,
    binders: &'a Binders,
    rule: Rule,
    site: Site,
}

impl Trial<'_> {
    fn reject(&self, premise: usize, place: Place, variable: Name, cause: Cause) -> Rejection {
        Rejection { rule: self.rule, premise, place, variable, site: self.site, cause }
    }

    /// `vars ⊆ V`
    fn within(&self, vars: &BTreeSet<Name>, premise: usize, place: Place) -> Result<(), Rejection> {
        let Some(variable) = self.context.first_missing(vars) else {
            return Ok(());
        };
        let cause = match self.binders.get(&variable) {
            Some(Binder::Let(read)) => Cause::Data(read.clone()),
            // A loop's variable is in `V` wherever the loop binds it.
            Some(Binder::Loop(_)) | None => Cause::Unbound,
        };
        Err(self.reject(premise, place, variable, cause))
    }

    /// `V ⊢ n`, rule t-n
    fn num(&self, n: &Num, premise: usize, place: Place) -> Result<Derivation, Rejection> {
        self.within(&n.free_vars(), premise, place)?;
        Ok(Derivation {
            rule: Rule::N,
            conclusion: Judgment::Num { context: self.context.clone(), expression: n.clone() },
            premises: Vec::new(),
        })
    }

    /// `V ⊢ c`, rule t-b
    fn bool(&self, c: &Bool, premise: usize) -> Result<Derivation, Rejection> {
        self.within(&c.free_vars(), premise, Place::Guard)?;
        Ok(Derivation {
            rule: Rule::B,
            conclusion: Judgment::Bool { context: self.context.clone(), condition: c.clone() },
            premises: Vec::new(),
        })
    }

    /// `x ∉ V`
    fn fresh(&self, var: &Name, premise: usize) -> Result<(), Rejection> {
        if !self.context.contains(var) {
            return Ok(());
        }
        let by = match self.binders.get(var) {
            Some(Binder::Loop(site)) => Some(*site),
            Some(Binder::Let(_)) | None => None,
        };
        let cause = Cause::AlreadyInContext(by);
        Err(self.reject(premise, Place::Binder, var.clone(), cause))
    }
}

/// A program that has no type: why, and how far its derivation comes.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// Why.
    pub rejection: Rejection,
    /// `RO`: the arrays whose reads are no data.
    pub inputs: BTreeSet<Name>,
    /// `V` and `b` of the judgments that were begun, the outermost first; each is a premise of the one
    /// before it, and what the last one needs does not hold.
    pub open: Vec<(Context, Arc<Stmt>)>,
}

/// How far [`type_relative`] comes; `None` where the program has a type.
pub fn attempt(program: &Program) -> Option<Attempt> {
    let rejection = type_relative(program).err()?;
    let (context, body) = (Context::of_program(program), Arc::new(program.body.clone()));
    let relative = program.inputs().difference(&body.written()).cloned().collect();
    for inputs in [relative, BTreeSet::new()] {
        let open = RefCell::default();
        let inference = Inference { inputs: &inputs, open: &open };
        let tried = inference.statement(&context, &Binders::new(), &body);
        if tried.is_err_and(|other| other == rejection) {
            let mut open = open.into_inner();
            open.reverse();
            return Some(Attempt { rejection, inputs, open });
        }
    }
    None
}

/// `RO`: the arrays whose reads are no data.
struct Inference<'a> {
    inputs: &'a BTreeSet<Name>,
    /// Where a premise fails: the judgments that were begun, the innermost first.
    open: &'a RefCell<Vec<(Context, Arc<Stmt>)>>,
}

impl Inference<'_> {
    fn statement(
        &self,
        context: &Context,
        binders: &Binders,
        program: &Arc<Stmt>,
    ) -> Result<Conclusion, Rejection> {
        let tried = grow(|| self.syntax_directed(context, binders, program));
        if tried.is_err() {
            self.open.borrow_mut().push((context.clone(), program.clone()));
        }
        tried
    }

    /// The one rule that fits the statement.
    fn syntax_directed(
        &self,
        context: &Context,
        binders: &Binders,
        program: &Arc<Stmt>,
    ) -> Result<Conclusion, Rejection> {
        let trial = |rule, site| Trial { context, binders, rule, site };
        let conclude =
            |rule, protocol, premises| Conclusion::new(rule, context, program, protocol, premises);
        match &**program {
            Stmt::Write { site, array, index, .. } => {
                let n = trial(Rule::Write, *site).num(index, 1, Place::Index)?;
                let wr = access(*site, AccessMode::Wr, array, index);
                Ok(conclude(Rule::Write, Arc::new(wr), vec![n]))
            }
            Stmt::Read { site, var, array, index, body } if self.inputs.contains(array) => {
                let trial = trial(Rule::ReadInput, *site);
                let n = trial.num(index, 2, Place::Index)?;
                trial.fresh(var, 3)?;
                let (u, d) = self.statement(&context.with(var.clone()), binders, body)?.parts();
                let read = access(*site, AccessMode::Rd, array, index);
                let input = Protocol::Input {
                    site: *site,
                    var: var.clone(),
                    array: array.clone(),
                    index: index.clone(),
                    body: u,
                };
                let protocol = Protocol::Seq(Arc::new(read), Arc::new(input));
                Ok(conclude(Rule::ReadInput, Arc::new(protocol), vec![n, d]))
            }
            Stmt::Read { site, var, array, index, body } => {
                let trial = trial(Rule::Read, *site);
                let read = access(*site, AccessMode::Rd, array, index);
                let (protocol, premises) = self.binding(&trial, var, array, index, read, body)?;
                Ok(conclude(Rule::Read, protocol, premises))
            }
            Stmt::Seq(first, second) => {
                let (u1, d1) = self.statement(context, binders, first)?.parts();
                let (u2, d2) = self.statement(context, binders, second)?.parts();
                let protocol = Arc::new(Protocol::Seq(u1, u2));
                Ok(conclude(Rule::Seq, protocol, vec![d1, d2]))
            }
            Stmt::If { site, condition, then, otherwise } => {
                let c = trial(Rule::If, *site).bool(condition, 1)?;
                let (then, d1) = self.statement(context, binders, then)?.parts();
                let (otherwise, d2) = self.statement(context, binders, otherwise)?.parts();
                let protocol =
                    Protocol::If { site: *site, condition: condition.clone(), then, otherwise };
                Ok(conclude(Rule::If, Arc::new(protocol), vec![c, d1, d2]))
            }
            Stmt::For { site, sort, var, lower, upper, body } => {
                let rule = match sort {
                    ForSort::U => Rule::For,
                    ForSort::S => Rule::ForS,
                };
                let trial = trial(rule, *site);
                let n = trial.num(lower, 1, Place::LowerBound)?;
                let m = trial.num(upper, 2, Place::UpperBound)?;
                trial.fresh(var, 3)?;
                let inner = context.with(var.clone());
                let binders = binders.update(var.clone(), Binder::Loop(*site));
                let (body, d) = self.statement(&inner, &binders, body)?.parts();
                let protocol = Protocol::For {
                    site: *site,
                    sort: *sort,
                    var: var.clone(),
                    lower: lower.clone(),
                    upper: upper.clone(),
                    body,
                };
                Ok(conclude(rule, Arc::new(protocol), vec![n, m, d]))
            }
            Stmt::Skip => Ok(conclude(Rule::Skip, Arc::new(Protocol::Skip), Vec::new())),
            Stmt::Sync { site, scope } => {
                let sync = Arc::new(Protocol::Sync { site: *site, scope: *scope });
                Ok(conclude(Rule::Sync, sync, Vec::new()))
            }
            Stmt::Atomic { site, var, array, index, scope, body, .. } => {
                let trial = trial(Rule::Atomic, *site);
                let at = access(*site, AccessMode::At(*scope), array, index);
                let (protocol, premises) = self.binding(&trial, var, array, index, at, body)?;
                Ok(conclude(Rule::Atomic, protocol, premises))
            }
        }
    }

    /// The premises that t-read and t-atomic share, and the type `access; u`.
    fn binding(
        &self,
        trial: &Trial<'_>,
        var: &Name,
        array: &Name,
        index: &Num,
        access: Protocol,
        body: &Arc<Stmt>,
    ) -> Result<(Arc<Protocol>, Vec<Derivation>), Rejection> {
        let n = trial.num(index, 1, Place::Index)?;
        trial.fresh(var, 2)?;
        let data = Binder::Let(DataRead {
            array: array.clone(),
            site: trial.site,
            atomic: trial.rule == Rule::Atomic,
        });
        let binders = trial.binders.update(var.clone(), data);
        let (u, d) = self.statement(trial.context, &binders, body)?.parts();
        Ok((Arc::new(Protocol::Seq(Arc::new(access), u)), vec![n, d]))
    }
}

fn access(site: Site, mode: AccessMode, array: &Name, index: &Num) -> Protocol {
    Protocol::Access { site, mode, array: array.clone(), index: index.clone() }
}
