//! Branches, loops and barriers.

use super::Generator;

impl Generator<'_> {
    /// Statements one level further in; `uniform`: all threads of a block come there if they come here.
    pub(super) fn block(&mut self, depth: u32, uniform: bool) -> Vec<String> {
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

    /// A condition, and whether it is the same in all threads of a block.
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
        match self.choices.weighted(&[4, 3, 2, 2, 5, 2]) {
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
                let unroll = if self.choices.chance(1, 4) { "#pragma unroll\n" } else { "" };
                let mut out = vec![format!("{unroll}for (int {j} = 0; {j} < {end}; {j}++) {{")];
                out.extend(self.block_with(&j, depth, uniform));
                out.push("}".to_owned());
                out
            }
            2 => {
                self.label("grid-stride loop");
                let j = self.fresh("j");
                let mut out = vec![format!(
                    "for (int {j} = blockIdx.x * blockDim.x + threadIdx.x; {j} < {}; {j} += blockDim.x * gridDim.x) {{",
                    ["n * 8", "40", "m * n + 3"][self.choices.below(3)]
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
            4 if self.uniform => {
                self.label("barrier");
                if self.choices.chance(1, 3) {
                    self.label("barrier of a tile");
                    let tile = self.tile();
                    return vec![format!(
                        "cg::tiled_partition<{tile}>(cg::this_thread_block()).sync();"
                    )];
                }
                if self.choices.chance(1, 4) {
                    self.label("cooperative groups");
                    return vec!["cg::this_thread_block().sync();".to_owned()];
                }
                vec!["__syncthreads();".to_owned()]
            }
            5 => self.buffers(),
            _ => self.access(),
        }
    }

    /// Two arrays of which one is read and the other written, in turns.
    fn buffers(&mut self) -> Vec<String> {
        let ty = self.any_type();
        let name = self.name(&ty);
        let (one, other) = (self.pointer(&ty), self.pointer(&ty));
        let (from, to) = (self.index(), self.index());
        let [a, b, r, swap] = ["in", "out", "r", "swap"].map(|prefix| self.fresh(prefix));
        self.label("swapped pointers");
        let barrier = if self.uniform { "__syncthreads(); " } else { "" };
        vec![
            format!("{name} *{a} = {one}, *{b} = {other};"),
            format!("for (int {r} = 0; {r} < {}; {r}++) {{", 2 + self.choices.below(3)),
            format!("{b}[{to}] = {a}[{from}]; {barrier}"),
            format!("{name} *{swap} = {a}; {a} = {b}; {b} = {swap};"),
            "}".to_owned(),
        ]
    }
}
