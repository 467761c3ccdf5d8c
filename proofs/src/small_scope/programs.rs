//! Every program of a size, each once.

use super::vocabulary::Vocabulary;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, ForSort, Scope};
use babycuda_core::{Name, Num, Stmt};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The one array.
pub const ARRAY: &str = "A";

/// Lists programs by size; smaller ones are kept to build larger ones from.
#[derive(Debug)]
pub struct Programs {
    vocabulary: Vocabulary,
    /// Blocks by size and number of names around.
    blocks: BTreeMap<(usize, usize), Rc<[Stmt]>>,
}

impl Programs {
    /// Programs over the vocabulary.
    pub fn new(vocabulary: Vocabulary) -> Programs {
        Programs { vocabulary, blocks: BTreeMap::new() }
    }

    /// Every program of exactly `size` statements, up to the laws of `;` and `skip` and the names
    /// of binders that hide no other; sites are numbered.
    pub fn visit(&mut self, size: usize, visit: &mut impl FnMut(Stmt)) {
        self.each_block(size, 0, &mut |block| visit(block.numbered()));
    }

    fn each_block(&mut self, size: usize, depth: usize, visit: &mut dyn FnMut(Stmt)) {
        if size == 0 {
            return visit(Stmt::Skip);
        }
        for first_size in 1..=size {
            let rests = self.blocks(size - first_size, depth);
            self.each_statement(first_size, depth, &mut |first| {
                for rest in rests.iter() {
                    visit(match rest {
                        Stmt::Skip => first.clone(),
                        rest => Stmt::seq(first.clone(), rest.clone()),
                    });
                }
            });
        }
    }

    fn blocks(&mut self, size: usize, depth: usize) -> Rc<[Stmt]> {
        if let Some(known) = self.blocks.get(&(size, depth)) {
            return known.clone();
        }
        let mut all = Vec::new();
        self.each_block(size, depth, &mut |block| all.push(block));
        let all: Rc<[Stmt]> = all.into();
        self.blocks.insert((size, depth), all.clone());
        all
    }

    /// Every statement, not a sequence, of exactly `size`.
    fn each_statement(&mut self, size: usize, depth: usize, visit: &mut dyn FnMut(Stmt)) {
        let words = self.vocabulary;
        if size == 1 {
            for index in words.indices(depth) {
                for payload in words.payloads(depth) {
                    visit(Stmt::write(ARRAY, index.clone(), payload));
                }
            }
            if words.barriers {
                visit(Stmt::sync());
            }
        }
        for (var, below) in words.binders(depth) {
            for body in self.blocks(size - 1, below).iter() {
                for index in words.indices(depth) {
                    visit(Stmt::read(var.clone(), ARRAY, index.clone(), body.clone()));
                    if words.atomics {
                        visit(atomic(var.clone(), index, body));
                    }
                }
                for bound in words.bounds(depth) {
                    let sort = if body.has_sync() { ForSort::S } else { ForSort::U };
                    visit(Stmt::repeat(sort, var.clone(), Num::lit(0u32), bound, body.clone()));
                }
            }
        }
        for then_size in 0..size {
            let then = self.blocks(then_size, depth);
            let otherwise = self.blocks(size - 1 - then_size, depth);
            for guard in words.guards(depth) {
                for (b, c) in then.iter().flat_map(|b| otherwise.iter().map(move |c| (b, c))) {
                    visit(Stmt::branch(guard.clone(), b.clone(), c.clone()));
                }
            }
        }
    }
}

fn atomic(var: Name, index: Num, body: &Stmt) -> Stmt {
    let op = AtomicOp::Add(None);
    let update = AtomicUpdate { op, operand: Num::lit(1u32), expected: None };
    Stmt::atomic(var, ARRAY, index, update, Scope::Device, body.clone())
}

/// How many statements a program has: its size.
pub fn size(program: &Stmt) -> usize {
    program.subterms().filter(|b| !matches!(b, Stmt::Skip | Stmt::Seq(..))).count()
}
