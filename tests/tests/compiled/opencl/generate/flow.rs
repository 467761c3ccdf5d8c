//! Branches, loops and barriers.

use super::Generator;

impl Generator<'_> {
    /// Statements one level further in; `uniform`: all work-items of a group come there if they come here.
    fn block(&mut self, depth: u32, uniform: bool) -> Vec<String> {
        let (before, known) = (self.uniform, self.indices.len());
        self.uniform &= uniform;
        let mut out = Vec::new();
        for _ in 0..1 + self.choices.below(2) {
            out.extend(self.statement(depth.saturating_sub(1)));
        }
        self.uniform = before;
        self.indices.truncate(known);
        out
    }

    /// A block whose statements also have an index of their own.
    fn block_with(&mut self, index: &str, depth: u32, uniform: bool) -> Vec<String> {
        self.indices.push(index.to_owned());
        let out = self.block(depth, uniform);
        self.indices.pop();
        out
    }

    /// A condition, and whether it is the same in all work-items of a group.
    fn condition(&mut self) -> (String, bool) {
        match self.choices.below(5) {
            0 => (format!("n < {}", self.choices.below(7)), true),
            1 => (format!("(m & 1) == {}", self.choices.below(2)), true),
            2 => (format!("i % {} == {}", 2 + self.choices.below(2), self.choices.below(2)), false),
            3 => (format!("{} < {}", self.leaf(), self.choices.below(9)), false),
            _ => (format!("i >= {} && {} != 2", self.choices.below(4), self.leaf()), false),
        }
    }

    /// A statement that has others in it, or a barrier.
    pub(super) fn flow(&mut self, depth: u32) -> Vec<String> {
        match self.choices.weighted(&[4, 3, 2, 2, 6]) {
            0 => {
                let (condition, uniform) = self.condition();
                let mut out = vec![format!("if ({condition}) {{")];
                out.extend(self.block(depth, uniform));
                if self.choices.chance(1, 3) {
                    out.push("} else {".to_owned());
                    out.extend(self.block(depth, uniform));
                }
                out.push("}".to_owned());
                out
            }
            1 => {
                self.label("for");
                let j = self.fresh("j");
                let (end, uniform) = match self.choices.below(3) {
                    0 => ("n".to_owned(), true),
                    1 => (format!("{}", 2 + self.choices.below(2)), true),
                    _ => ("i % 3".to_owned(), false),
                };
                let mut out = vec![format!("for (int {j} = 0; {j} < {end}; {j}++) {{")];
                out.extend(self.block_with(&j, depth, uniform));
                out.push("}".to_owned());
                out
            }
            2 => {
                self.label("strided loop");
                let j = self.fresh("j");
                let end = ["n * 8", "40", "m * n + 3"][self.choices.below(3)];
                let mut out = vec![format!(
                    "for (int {j} = get_global_id(0); {j} < {end}; {j} += get_global_size(0)) {{"
                )];
                out.extend(self.block_with(&j, depth, false));
                out.push("}".to_owned());
                out
            }
            3 => {
                self.label("switch");
                let (on, uniform) = match self.choices.below(3) {
                    0 => ("n & 3".to_owned(), true),
                    _ => ("i % 3".to_owned(), false),
                };
                let mut out = vec![format!("switch ({on}) {{")];
                for case in 0..2 {
                    out.push(format!("case {case}: {{"));
                    out.extend(self.block(depth, uniform));
                    out.push(if self.choices.chance(1, 4) { "}" } else { "} break;" }.to_owned());
                }
                out.push("default: {".to_owned());
                out.extend(self.block(depth, uniform));
                out.push("}\n}".to_owned());
                out
            }
            _ if self.uniform => vec![self.barrier()],
            _ => self.access(),
        }
    }

    /// A barrier, of one memory or of both, or a fence, which is none.
    pub(super) fn barrier(&mut self) -> String {
        self.label("barrier");
        let image = if self.images { " | CLK_IMAGE_MEM_FENCE" } else { "" };
        let global = format!("CLK_GLOBAL_MEM_FENCE{image}");
        let flags = match self.choices.weighted(&[3, 3, 3, 1]) {
            0 => format!("CLK_LOCAL_MEM_FENCE | {global}"),
            1 => {
                self.label("barrier of local memory");
                "CLK_LOCAL_MEM_FENCE".to_owned()
            }
            2 => {
                self.label("barrier of global memory");
                global
            }
            _ => {
                self.label("barrier of no memory");
                "0".to_owned()
            }
        };
        match self.choices.weighted(&[5, 2, 1, 3, 1]) {
            1 => format!("work_group_barrier({flags});"),
            2 => format!("work_group_barrier({flags}, memory_scope_device);"),
            3 => {
                self.label("barrier of a sub-group");
                format!("sub_group_barrier({flags});")
            }
            4 => {
                self.label("fence");
                let fence = ["mem_fence", "read_mem_fence"][self.choices.below(2)];
                format!("{fence}({flags});")
            }
            _ => format!("barrier({flags});"),
        }
    }
}
