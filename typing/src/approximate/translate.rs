//! From a statement to a protocol that covers it.

use super::any::{Source, bind};
use super::domain::Domains;
use crate::context::Context;
use babycuda_core::deep::grow;
use babycuda_core::expr::Renaming;
use babycuda_core::{AccessMode, Name, Num, Program, Protocol, Site, Stmt};
use im::OrdSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The protocol of the whole program: every variable whose value decides something is bound by
/// `any`, or, where it is what the host stored in a read-only input, by `input`.
pub(super) fn translate(program: &Program, domains: &Domains) -> Protocol {
    let mut names = program.body.free_vars();
    binders(&program.body, &mut names);
    let translation = Translation { domains, names, inputs: program.inputs() };
    let in_scope = Context::of_program(program).iter().cloned().collect();
    translation.statement(&program.body, &in_scope, &Renaming::new())
}

struct Translation<'a> {
    domains: &'a Domains,
    /// Every name that the program uses: a new one is none of these.
    names: BTreeSet<Name>,
    /// The arrays of which a read always gives what the host stored.
    inputs: BTreeSet<Name>,
}

impl Translation<'_> {
    /// The normalized protocol of `b[renaming]`. The variables `in_scope` are those that the
    /// protocol around binds; no binder below has one of their names, so nothing is ever captured.
    fn statement(&self, b: &Stmt, in_scope: &OrdSet<Name>, renaming: &Renaming) -> Protocol {
        grow(|| self.node(b, in_scope, renaming))
    }

    fn node(&self, b: &Stmt, in_scope: &OrdSet<Name>, renaming: &Renaming) -> Protocol {
        match b {
            Stmt::Skip => Protocol::Skip,
            Stmt::Sync { site, scope } => Protocol::Sync { site: *site, scope: *scope },
            Stmt::Write { site, array, index, .. } => {
                access(*site, AccessMode::Wr, array, index, renaming)
            }
            Stmt::Read { site, var, array, index, body } => {
                let read = access(*site, AccessMode::Rd, array, index, renaming);
                let source = match self.inputs.contains(array) {
                    true => Source::Input(array, index.subst(renaming)),
                    false => Source::Any(self.domains.of_array(array)),
                };
                let rest = self.data(*site, var, &source, body, in_scope, renaming);
                Protocol::seq(read, rest)
            }
            Stmt::Atomic { site, var, array, index, scope, body, .. } => {
                let at = access(*site, AccessMode::At(*scope), array, index, renaming);
                let source = Source::Any(self.domains.of_array(array));
                let rest = self.data(*site, var, &source, body, in_scope, renaming);
                Protocol::seq(at, rest)
            }
            Stmt::Seq(b, c) => {
                let p = self.statement(b, in_scope, renaming);
                Protocol::seq(p, self.statement(c, in_scope, renaming))
            }
            Stmt::If { site, condition, then, otherwise } => {
                let then = self.statement(then, in_scope, renaming);
                match (then, self.statement(otherwise, in_scope, renaming)) {
                    (Protocol::Skip, Protocol::Skip) => Protocol::Skip,
                    (then, otherwise) => Protocol::If {
                        site: *site,
                        condition: condition.subst(renaming),
                        then: Arc::new(then),
                        otherwise: Arc::new(otherwise),
                    },
                }
            }
            Stmt::For { site, sort, var, lower, upper, body } => {
                let (var, inner, below) = self.bind(var, in_scope, renaming);
                match self.statement(body, &inner, &below) {
                    Protocol::Skip => Protocol::Skip,
                    body => Protocol::For {
                        site: *site,
                        sort: *sort,
                        var,
                        lower: lower.subst(renaming),
                        upper: upper.subst(renaming),
                        body: Arc::new(body),
                    },
                }
            }
        }
    }

    /// What follows a read or atomic update: below a binder, when the value decides something.
    fn data(
        &self,
        site: Site,
        var: &Name,
        source: &Source<'_>,
        body: &Stmt,
        in_scope: &OrdSet<Name>,
        renaming: &Renaming,
    ) -> Protocol {
        if !decides(var, body) {
            // The variable does not occur in the protocol: there is nothing to rename.
            let mut below = renaming.clone();
            below.remove(var);
            return self.statement(body, in_scope, &below);
        }
        let (var, inner, below) = self.bind(var, in_scope, renaming);
        let body = self.statement(body, &inner, &below);
        bind(site, &var, source, body)
    }

    /// The name that a binder of `var` gets, and what is in scope and renamed below it.
    fn bind(
        &self,
        var: &Name,
        in_scope: &OrdSet<Name>,
        renaming: &Renaming,
    ) -> (Name, OrdSet<Name>, Renaming) {
        let mut below = renaming.clone();
        let name = if in_scope.contains(var) {
            let name = var.fresh(|x| in_scope.contains(x) || self.names.contains(x));
            below.insert(var.clone(), Num::Var(name.clone()));
            name
        } else {
            below.remove(var);
            var.clone()
        };
        (name.clone(), in_scope.update(name), below)
    }
}

fn access(
    site: Site,
    mode: AccessMode,
    array: &Name,
    index: &Num,
    renaming: &Renaming,
) -> Protocol {
    Protocol::Access { site, mode, array: array.clone(), index: index.subst(renaming) }
}

/// Adds every variable that `b` binds.
fn binders(b: &Stmt, names: &mut BTreeSet<Name>) {
    let mut open = vec![b];
    while let Some(b) = open.pop() {
        if let Stmt::Read { var, .. } | Stmt::Atomic { var, .. } | Stmt::For { var, .. } = b {
            names.insert(var.clone());
        }
        open.extend(parts(b).into_iter().flatten());
    }
}

/// Does `var` occur free in an index, guard or bound of `b`?
fn decides(var: &Name, b: &Stmt) -> bool {
    let mut vars = BTreeSet::new();
    let mut open = vec![b];
    while let Some(b) = open.pop() {
        vars.clear();
        let mut bound = None;
        match b {
            Stmt::Skip | Stmt::Sync { .. } | Stmt::Seq(..) => {}
            Stmt::Write { index, .. } => index.collect_vars(&mut vars),
            Stmt::Read { var, index, .. } | Stmt::Atomic { var, index, .. } => {
                index.collect_vars(&mut vars);
                bound = Some(var);
            }
            Stmt::If { condition, .. } => condition.collect_vars(&mut vars),
            Stmt::For { var, lower, upper, .. } => {
                lower.collect_vars(&mut vars);
                upper.collect_vars(&mut vars);
                bound = Some(var);
            }
        }
        if vars.contains(var) {
            return true;
        }
        if bound != Some(var) {
            open.extend(parts(b).into_iter().flatten());
        }
    }
    false
}

/// The statements directly inside `b`.
fn parts(b: &Stmt) -> [Option<&Stmt>; 2] {
    match b {
        Stmt::Skip | Stmt::Sync { .. } | Stmt::Write { .. } => [None, None],
        Stmt::Read { body, .. } | Stmt::Atomic { body, .. } | Stmt::For { body, .. } => {
            [Some(body), None]
        }
        Stmt::Seq(b, c) => [Some(b), Some(c)],
        Stmt::If { then, otherwise, .. } => [Some(then), Some(otherwise)],
    }
}
