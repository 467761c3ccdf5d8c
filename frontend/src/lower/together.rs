//! Branches with barriers that the threads of a block take together, though nobody knows which.
//!
//! The condition is computed from what the launch says of the block, what `__syncthreads_or` and its kin answer, and cells of
//! its shared memory at such indices (`if (is_last) { …; __syncthreads(); … }`). Each thread reads there what the others read, if no thread writes it in the
//! same phase. That is left to the verdict on the program, as for loops ([`loops::together`](super::loops)): the branch
//! becomes one on a truth value that is the same for all threads of a block, either one; it is read in an array of which a
//! verdict knows that not every value need be possible. Take a run of the kernel, and the first time that two threads of a
//! block read different values. Up to there the program has the same run, for some truth values, and a value that
//! differs was written in the phase in which the other thread reads the cell: that is a race of the program.
//!
//! A truth value belongs to the branch and to the block, so the branch must be in no loop. And a variable that is bound
//! where the branch stands was read there by all threads that come to it, in one phase: reads in loops and in branches of
//! their own are bound inside of these.

use super::emit::Item;
use super::sites::Event;
use super::{At, Lower};
use crate::arith::{compare_natural, lit, natural};
use crate::ctype::CType;
use crate::value::{ArrayId, Value};
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::launch::MAX_GRID_DIM;
use babycuda_core::name::reserved;
use babycuda_core::syntax::{BarrierScope, Contents, Domain, Space};
use babycuda_core::{Bool, Name, Num, Stmt};
use babycuda_kernel::device::Device;
use babycuda_kernel::{Expr, ExprKind, Node};

impl<'t> Lower<'t> {
    /// Is it the same for all threads of a block, whatever the block?
    pub(super) fn is_of_block(&self, x: &Name) -> bool {
        let launch = [reserved::BLOCK_IDX, reserved::GRID_DIM, reserved::BLOCK_DIM];
        launch.iter().any(|names| names.contains(&x.as_str()))
            || self.out.params.iter().any(|p| p.name == *x)
    }

    /// Is the array one of the block's shared memory, which only the kernel changes?
    pub(super) fn is_of_shared(&self, array: &Name) -> bool {
        let found = self.arrays.all.iter().find(|a| a.decl.name == *array);
        found.is_some_and(|a| a.decl.space == Space::Shared)
            && !self.arrays.volatile.contains(array)
    }

    /// The variable holds what a cell does; if it is one that all threads of the block read, they read the same.
    pub(super) fn read_alike(&mut self, var: &Name, array: ArrayId, index: &Num) {
        let alike = |x: &Name| self.is_of_block(x) || self.alike.contains(x);
        let shared = self.is_of_shared(&self.arrays[array].decl.name);
        if shared && index.free_vars().iter().all(alike) {
            self.alike.insert(var.clone());
        }
    }

    /// The condition under which a branch is taken that has these sides; `returned`: what they make of the flag that
    /// says that the function has returned.
    pub(super) fn taken_together(
        &mut self,
        condition: Bool,
        sides: [&Stmt; 2],
        returned: [Option<Value>; 2],
        at: At,
    ) -> Bool {
        let mut read = condition.free_vars();
        read.retain(|x| !self.is_of_block(x));
        if read.is_empty() || !read.is_subset(&self.alike) || self.is_in_loop() {
            return condition;
        }
        let waits = || sides.iter().any(|side| side.has_sync());
        let leaves = || returned[0] != returned[1] && self.waits_behind(at);
        let grid = |s: &Stmt| matches!(s, Stmt::Sync { scope: BarrierScope::Grid, .. });
        if !(waits() || leaves()) || sides.iter().any(|side| side.subterms().any(grid)) {
            return condition;
        }
        let (domain, contents) = (Domain::Natural, Contents::Any);
        let array = self.add_array("taken", Space::Global, domain, contents, CType::Void);
        let array = self.arrays[array].decl.name.clone();
        self.arrays.open.insert(array.clone());
        // Each block of any grid has its own. That does not mean that the kernel speaks of several blocks.
        let mut index = Num::from(0);
        for d in (0..3).rev() {
            let before = natural(ArithOp::Mul, index, lit(u64::from(MAX_GRID_DIM[d]) + 1));
            index = natural(ArithOp::Add, before, Num::var(reserved::BLOCK_IDX[d]));
        }
        let (site, var) = (self.site(Event::Unknown, at), self.fresh("taken"));
        self.push(Item::Read { site, var: var.clone(), array, index });
        compare_natural(Relation::Ne, Num::Var(var), Num::from(0))
    }

    fn is_in_loop(&self) -> bool {
        let mut flags = self.env.frames.iter().flat_map(|frame| &frame.flags);
        flags.any(|flag| self.env.name(*flag) == "break")
    }

    /// Does a barrier stand behind a place of the file?
    fn waits_behind(&self, at: At) -> bool {
        let kernel = self.kernel;
        let end = kernel[at].bytes.end;
        let barrier = |node: Node<'_>| match node {
            Node::Expr(Expr { kind: ExprKind::Device(name, _), at, .. }) => {
                Device::of(name.as_str()) == Some(Device::Barrier) && kernel[*at].bytes.start >= end
            }
            _ => false,
        };
        kernel.functions.iter().any(|f| Node::Stmt(&f.body).subterms().any(barrier))
    }
}
