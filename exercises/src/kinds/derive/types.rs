//! Derivations of types: `t-write  {tid} ⊢ A[tid] := 1 ▶ wr A[tid]`.
//!
//! The premises `V ⊢ n` and `V ⊢ c` are not written: each follows from the conclusion, and is checked.

use super::outline::{Lines, Node, cut, read};
use super::rejected;
use crate::exercise::{ExerciseError, Source};
use crate::grade::Fault;
use crate::kinds::account::unreadable;
use crate::reading::material;
use babycuda::typing::{Context, Derivation, Judgment, Rule, check_derivation};
use babycuda_core::expr::Expr;
use babycuda_core::parse::{parse_protocol, parse_stmt};
use babycuda_core::syntax::{Head, Tree};
use babycuda_core::{Name, Site, Stmt};
use std::sync::Arc;

/// The program that is to be typed.
#[derive(Clone, Debug)]
pub(super) struct Types {
    context: Context,
    body: Stmt,
}

impl Types {
    pub(super) fn read(source: &Source<'_>) -> Result<Types, ExerciseError> {
        let program = material(source.need_block("bcuda")?)?;
        let params = program.params.iter().map(|param| param.name.clone());
        let context = [Name::new("tid")].into_iter().chain(params).collect();
        Ok(Types { context, body: unsited(&program.body) })
    }

    /// How many nodes the derivation has.
    pub(super) fn judge(&self, answer: &str) -> Result<usize, Box<Fault>> {
        let root = read(answer)?;
        let mut lines = Lines::default();
        let derivation = derivation(&root, &mut Vec::new(), &mut lines)?;
        let Judgment::Program { context, program, .. } = &derivation.conclusion else {
            return Err(unreadable(root.line, "the root is no type of a program"));
        };
        let wanted = format!("{} ⊢ {} ▶ …", self.context, self.body);
        if *context != self.context || **program != self.body {
            let why = "the root is about another program, or starts from another V";
            return Err(Fault::wrong("the root", why).expecting(wanted).at(root.line));
        }
        check_derivation(&derivation).map_err(|wrong| rejected(&wrong, &lines))?;
        Ok(derivation.size())
    }
}

/// Sites say where statements stand, which is nowhere in an outline.
pub(super) fn unsited(statement: &Stmt) -> Stmt {
    statement.map_sites(&mut |_| Site::default())
}

fn derivation(
    node: &Node<'_>,
    path: &mut Vec<usize>,
    lines: &mut Lines,
) -> Result<Derivation, Box<Fault>> {
    lines.put(path, node.line);
    let fail = |why: String| unreadable(node.line, why);
    let (name, rest) = node.text.split_once(' ').unwrap_or((node.text, ""));
    let id = format!("type/{}", name.trim_start_matches("type/"));
    let rule = Rule::ALL.into_iter().find(|rule| rule.id() == id);
    let rule = rule.ok_or_else(|| fail(format!("there is no rule `{id}`")))?;
    let form = || fail(format!("`{}` is not `RULE  {{tid}} ⊢ PROGRAM ▶ PROTOCOL`", node.text));
    let (context, rest) = cut(rest, &["⊢", "|-"]).ok_or_else(form)?;
    let (program, protocol) = cut(rest, &["▶", "|>"]).ok_or_else(form)?;
    let names =
        context.strip_prefix('{').and_then(|names| names.strip_suffix('}')).ok_or_else(form)?;
    let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let context: Context = names.map(Name::new).collect();
    let program = parse_stmt(program).map_err(|error| fail(error.kind.to_string()))?;
    let protocol = parse_protocol(protocol).map_err(|error| fail(error.kind.to_string()))?;
    let program = Arc::new(unsited(&program));
    let protocol = Arc::new(protocol.map_sites(&mut |_| Site::default()));
    let mut premises = expressions(&context, &program);
    for below in &node.below {
        path.push(premises.len());
        premises.push(derivation(below, path, lines)?);
        path.pop();
    }
    let conclusion = Judgment::Program { context, program, protocol };
    Ok(Derivation { rule, conclusion, premises })
}

/// The premises about expressions: of indices, guards and bounds.
fn expressions(context: &Context, program: &Stmt) -> Vec<Derivation> {
    let context = || context.clone();
    let premise = |e: Expr<'_>| match e {
        Expr::Num(n) => {
            let conclusion = Judgment::Num { context: context(), expression: n.clone() };
            Derivation { rule: Rule::N, conclusion, premises: Vec::new() }
        }
        Expr::Bool(c) => {
            let conclusion = Judgment::Bool { context: context(), condition: c.clone() };
            Derivation { rule: Rule::B, conclusion, premises: Vec::new() }
        }
    };
    // Payloads and operands are unconstrained.
    let many = if matches!(program.head(), Head::For(_)) { 2 } else { 1 };
    program.view().exprs.into_iter().flatten().take(many).map(premise).collect()
}
