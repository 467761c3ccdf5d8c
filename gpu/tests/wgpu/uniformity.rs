//! The interpreter's barriers are in uniform control flow.
//!
//! naga finds out which expressions may differ between the threads of a workgroup, but accepts a
//! barrier under a condition of that kind. This goes through the statements and does not.

use babycuda_gpu::wgpu::interpreter;
use wgpu::naga::front::wgsl::parse_str;
use wgpu::naga::valid::{
    Capabilities, FunctionInfo, ModuleInfo, UniformityRequirements, ValidationFlags, Validator,
};
use wgpu::naga::{Block, Expression, Handle, Statement};

fn validate(text: &str) -> (wgpu::naga::Module, ModuleInfo) {
    let module = parse_str(text).unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    let capabilities = Capabilities::SHADER_INT64 | Capabilities::SHADER_INT64_ATOMIC_ALL_OPS;
    let info = Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string(text)));
    (module, info)
}

/// Barriers of the entry point, and those of them that not all threads may reach together.
fn barriers(text: &str) -> (usize, usize) {
    let (module, info) = validate(text);
    let point = &module.entry_points[0];
    let mut walk = Walk { info: info.get_entry_point(0), module: &info, all: 0, divergent: 0 };
    walk.block(&point.function.body, true);
    (walk.all, walk.divergent)
}

struct Walk<'a> {
    info: &'a FunctionInfo,
    module: &'a ModuleInfo,
    all: usize,
    divergent: usize,
}

impl Walk<'_> {
    fn is_uniform(&self, expression: Handle<Expression>) -> bool {
        self.info[expression].uniformity.non_uniform_result.is_none()
    }

    fn barrier(&mut self, together: bool) {
        self.all += 1;
        self.divergent += usize::from(!together);
    }

    /// Goes through a block that all threads enter together, or not; do all leave it so?
    fn block(&mut self, block: &Block, mut together: bool) -> bool {
        for statement in block {
            together = self.statement(statement, together);
        }
        together
    }

    /// After a branch that some threads take, those that leave by it are missing.
    fn branches<'b>(&mut self, blocks: impl Iterator<Item = &'b Block>, uniform: bool) -> bool {
        let mut together = true;
        for block in blocks {
            let stays = self.block(block, uniform);
            together &= stays || (!uniform && !leaves(block));
        }
        together
    }

    fn statement(&mut self, statement: &Statement, together: bool) -> bool {
        match statement {
            Statement::ControlBarrier(_) | Statement::WorkGroupUniformLoad { .. } => {
                self.barrier(together);
                together
            }
            Statement::Call { function, .. } => {
                let needs = self.module[*function].uniformity.requirements;
                if needs.contains(UniformityRequirements::WORK_GROUP_BARRIER) {
                    self.barrier(together);
                }
                together
            }
            Statement::Block(block) => self.block(block, together),
            Statement::If { condition, accept, reject } => {
                let uniform = together && self.is_uniform(*condition);
                self.branches([accept, reject].into_iter(), uniform) && together
            }
            Statement::Switch { selector, cases } => {
                let uniform = together && self.is_uniform(*selector);
                self.branches(cases.iter().map(|case| &case.body), uniform) && together
            }
            Statement::Loop { body, continuing, break_if } => {
                // Twice: threads that part in one round are apart in the next.
                let first = self.block(body, together) && self.block(continuing, together);
                let uniform = break_if.is_none_or(|condition| self.is_uniform(condition));
                if together && !(first && uniform) {
                    self.block(body, false);
                    self.block(continuing, false);
                }
                together && first && uniform
            }
            // These are where threads part when they are under a condition.
            _ => together,
        }
    }
}

/// Is there a way out of the block that is not its end?
fn leaves(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Break | Statement::Continue | Statement::Return { .. } | Statement::Kill => true,
        Statement::Block(block) => leaves(block),
        Statement::If { accept, reject, .. } => leaves(accept) || leaves(reject),
        Statement::Switch { cases, .. } => cases.iter().any(|case| leaves(&case.body)),
        Statement::Loop { body, continuing, .. } => leaves(body) || leaves(continuing),
        _ => false,
    })
}

#[test]
fn all_threads_reach_every_barrier_of_the_interpreter() {
    // Twice two of memory, and the load that all threads make together.
    assert_eq!(barriers(&interpreter(true)), (5, 0));
}

/// The interpreter with one piece of its text replaced, which is in it once.
fn spoiled(piece: &str, by: &str) -> String {
    assert_eq!(interpreter(true).matches(piece).count(), 1, "{piece}");
    interpreter(true).replace(piece, by)
}

#[test]
fn a_barrier_that_some_threads_miss_is_found() {
    let spoiled = [
        // Under a condition.
        spoiled(
            "        workgroupBarrier();\n        let goes_on",
            "        if counted { workgroupBarrier(); }\n        let goes_on",
        ),
        spoiled(
            "        workgroupBarrier();\n        if is_thread {",
            "        if lane == 0u { workgroupBarrier(); }\n        if is_thread {",
        ),
        // In a function that only some threads call.
        spoiled(
            "            begin();\n",
            "            begin();\n            workgroupBarrier();\n",
        ),
        spoiled("fuel -= 1u;", "fuel -= 1u; storageBarrier();"),
        // After some threads left.
        spoiled(
            "        start(header, thread);",
            "        start(header, thread);\n    } else {\n        return;",
        ),
        spoiled(
            "            atomicMax(&largest_complement, ~stop);\n",
            "            if stop == 0u { break; }\n",
        ),
        // In a loop that ends for some threads earlier.
        spoiled("        if next == END {", "        if next == END || status == 7u {"),
    ];
    for text in spoiled {
        assert!(barriers(&text).1 > 0, "{text}");
    }
}
