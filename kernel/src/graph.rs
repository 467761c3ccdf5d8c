//! Control flow graphs.

use crate::expr::{Expr, Initial};
use crate::kernel::{At, Function, Var};
use crate::stmt::{Case, Loop, Stmt, StmtKind};

/// The control flow of a function. Its first block is where it begins.
#[derive(Clone, PartialEq, Debug)]
pub struct Graph<'a> {
    /// The blocks, by number. Some may be unreachable.
    pub blocks: Vec<Block<'a>>,
}

/// A block: what a thread does one after the other, and where it goes then.
#[derive(Clone, PartialEq, Debug)]
pub struct Block<'a> {
    /// What it does.
    pub steps: Vec<Step<'a>>,
    /// Where it goes.
    pub exit: Exit<'a>,
}

/// What a thread does without a choice. Within an expression, `&&`, `||` and `?:` choose all the same.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Step<'a> {
    /// A variable begins to live.
    Declare(Var, Option<&'a Initial>),
    /// An expression is evaluated.
    Evaluate(&'a Expr),
    /// A statement that was not understood.
    Unsupported(&'a str, At),
}

/// Where a thread goes behind a block.
#[derive(Clone, PartialEq, Debug)]
pub enum Exit<'a> {
    /// To a block.
    Goto(usize),
    /// To the first where the condition holds, else to the second.
    Branch(&'a Expr, [usize; 2]),
    /// To the block of the label that has the value, else to the last.
    Switch(&'a Expr, Vec<(&'a Expr, usize)>, usize),
    /// Out of the function.
    Return(Option<&'a Expr>),
}

impl<'a> Graph<'a> {
    /// The graph of a function.
    pub fn of(function: &'a Function) -> Graph<'a> {
        let mut builder = Builder { blocks: Vec::new(), now: 0, breaks: None, continues: None };
        builder.now = builder.block();
        builder.stmt(&function.body);
        Graph { blocks: builder.blocks }
    }

    /// The blocks that one can go to from another.
    pub fn successors(&self, block: usize) -> Vec<usize> {
        match &self.blocks[block].exit {
            Exit::Goto(next) => vec![*next],
            Exit::Branch(_, both) => both.to_vec(),
            Exit::Switch(_, labels, otherwise) => {
                labels.iter().map(|(_, block)| *block).chain([*otherwise]).collect()
            }
            Exit::Return(_) => Vec::new(),
        }
    }

    /// The blocks that one can get to from the first, in the order in which a search finds them.
    pub fn reachable(&self) -> Vec<usize> {
        let mut found = vec![0];
        let mut next = 0;
        while let Some(block) = found.get(next).copied() {
            next += 1;
            for successor in self.successors(block) {
                if !found.contains(&successor) {
                    found.push(successor);
                }
            }
        }
        found
    }
}

/// The graph up to a place of the function.
struct Builder<'a> {
    blocks: Vec<Block<'a>>,
    /// The block that is being filled.
    now: usize,
    /// Where `break` and `continue` go.
    breaks: Option<usize>,
    continues: Option<usize>,
}

impl<'a> Builder<'a> {
    /// A new block, which returns.
    fn block(&mut self) -> usize {
        self.blocks.push(Block { steps: Vec::new(), exit: Exit::Return(None) });
        self.blocks.len() - 1
    }

    fn step(&mut self, step: Step<'a>) {
        self.blocks[self.now].steps.push(step);
    }

    /// Ends the block, and goes on in another.
    fn leave(&mut self, exit: Exit<'a>, next: usize) {
        self.blocks[self.now].exit = exit;
        self.now = next;
    }

    fn stmts(&mut self, stmts: &'a [Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &'a Stmt) {
        match &stmt.kind {
            StmtKind::Block(stmts) => self.stmts(stmts),
            StmtKind::Declare(v, initial) => self.step(Step::Declare(*v, initial.as_ref())),
            StmtKind::Expr(expr) => self.step(Step::Evaluate(expr)),
            StmtKind::If(condition, then, otherwise) => {
                let (yes, no, after) = (self.block(), self.block(), self.block());
                self.leave(Exit::Branch(condition, [yes, no]), yes);
                self.stmt(then);
                self.leave(Exit::Goto(after), no);
                if let Some(otherwise) = otherwise {
                    self.stmt(otherwise);
                }
                self.leave(Exit::Goto(after), after);
            }
            StmtKind::Loop(parts) => self.turns(parts),
            StmtKind::Switch(value, cases) => self.switch(value, cases),
            StmtKind::Break | StmtKind::Continue => {
                let target = match stmt.kind {
                    StmtKind::Break => self.breaks,
                    _ => self.continues,
                };
                let unreachable = self.block();
                match target {
                    Some(target) => self.leave(Exit::Goto(target), unreachable),
                    None => self.step(Step::Unsupported("a jump out of no loop", stmt.at)),
                }
            }
            StmtKind::Return(value) => {
                let unreachable = self.block();
                self.leave(Exit::Return(value.as_ref()), unreachable);
            }
            StmtKind::Unsupported(construct) => self.step(Step::Unsupported(construct, stmt.at)),
        }
    }

    fn turns(&mut self, parts: &'a Loop) {
        self.stmts(&parts.initial);
        let (test, body, update, after) = (self.block(), self.block(), self.block(), self.block());
        self.leave(Exit::Goto(if parts.test_first { test } else { body }), test);
        match &parts.condition {
            Some(condition) => self.leave(Exit::Branch(condition, [body, after]), body),
            None => self.leave(Exit::Goto(body), body),
        }
        let around = (self.breaks.replace(after), self.continues.replace(update));
        self.stmt(&parts.body);
        (self.breaks, self.continues) = around;
        self.leave(Exit::Goto(update), update);
        if let Some(update) = &parts.update {
            self.step(Step::Evaluate(update));
        }
        self.leave(Exit::Goto(test), after);
    }

    fn switch(&mut self, value: &'a Expr, cases: &'a [Case]) {
        let bodies: Vec<usize> = cases.iter().map(|_| self.block()).collect();
        let after = self.block();
        let mut labels = Vec::new();
        let mut otherwise = after;
        for (case, body) in cases.iter().zip(&bodies) {
            match &case.label {
                Some(label) => labels.push((label, *body)),
                None => otherwise = *body,
            }
        }
        let first = bodies.first().copied().unwrap_or(after);
        self.leave(Exit::Switch(value, labels, otherwise), first);
        let around = self.breaks.replace(after);
        for (i, case) in cases.iter().enumerate() {
            self.stmts(&case.body);
            let next = bodies.get(i + 1).copied().unwrap_or(after);
            self.leave(Exit::Goto(next), next);
        }
        self.breaks = around;
    }
}
