//! Random kernels of the fragments on which techniques differ.

use super::kernel::{Line, Small};
use babycuda_core::Launch;
use babycuda_core::launch::Dim3;
use babycuda_testkit::Choices;
use std::fmt;

/// What kernels of a fragment have that others need not have.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Fragment {
    /// Indices are sums of thread and counters, with literal factors.
    Affine,
    /// Indices and guards have `/`, `%`, `&` or `^` of a literal.
    Modular,
    /// Indices multiply what varies.
    NonLinear,
    /// Loops that go by the block's size, or double their step.
    StridedLoops,
    /// Indices come from the host's memory.
    DataIndex,
    /// Guards come from the host's memory.
    DataGuard,
    /// Several threads may store one value in one cell.
    BenignWrites,
    /// Barriers stand under guards.
    DivergentBarriers,
    /// Cells are updated by atomics, and read and written as well.
    BlockAtomics,
    /// Barriers of warps.
    WarpSynchronisation,
    /// Two blocks share the array.
    MultiBlock,
}

impl Fragment {
    /// All of them.
    pub const ALL: [Fragment; 11] = {
        use Fragment::*;
        [
            Affine,
            Modular,
            NonLinear,
            StridedLoops,
            DataIndex,
            DataGuard,
            BenignWrites,
            DivergentBarriers,
            BlockAtomics,
            WarpSynchronisation,
            MultiBlock,
        ]
    };

    /// The launch of its kernels.
    pub fn launch(self) -> Launch {
        let line = |blocks, threads, warp| Launch {
            warp,
            ..Launch::new(Dim3::line(blocks), Dim3::line(threads))
        };
        match self {
            Fragment::MultiBlock => line(2, 4, 32),
            Fragment::WarpSynchronisation => line(1, 8, 4),
            _ => line(1, 4, 32),
        }
    }

    /// May what the host stored decide what its kernels access?
    pub fn depends_on_contents(self) -> bool {
        matches!(self, Fragment::DataIndex | Fragment::DataGuard)
    }

    /// The kernel that the choices make.
    pub fn kernel(self, choices: &mut Choices<'_>) -> Small {
        let mut making =
            Making { fragment: self, counters: 0, careful: choices.chance(3, 5), own: None };
        let phases = 1 + choices.below(3);
        let mut body = Vec::new();
        for phase in 0..phases {
            if phase > 0 {
                body.extend(making.between(choices));
            }
            making.begin(choices);
            for _ in 0..1 + choices.below(2) {
                body.push(making.statement(choices, 0));
            }
        }
        let array = match self {
            Fragment::MultiBlock => "a",
            _ => ["s", "a"][choices.below(2)],
        };
        Small { array, n: 2 + choices.below(3) as u32, body }
    }
}

impl fmt::Display for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fragment::Affine => "affine",
            Fragment::Modular => "modular",
            Fragment::NonLinear => "non-linear",
            Fragment::StridedLoops => "strided loops",
            Fragment::DataIndex => "data-dependent index",
            Fragment::DataGuard => "data-dependent guard",
            Fragment::BenignWrites => "benign writes",
            Fragment::DivergentBarriers => "divergent barriers",
            Fragment::BlockAtomics => "block atomics",
            Fragment::WarpSynchronisation => "warp synchronisation",
            Fragment::MultiBlock => "multi-block",
        })
    }
}

/// A kernel that is being made. Indices stay below 64, the length of the array.
struct Making {
    fragment: Fragment,
    /// Loops around.
    counters: usize,
    /// Do phases access cells by one index each, with a barrier between? Few kernels are clean by chance.
    careful: bool,
    /// That index.
    own: Option<String>,
}

impl Making {
    /// Begins a phase.
    fn begin(&mut self, choices: &mut Choices<'_>) {
        self.own = None;
        self.own = self.careful.then(|| self.index(choices));
    }

    /// What stands between two phases.
    fn between(&mut self, choices: &mut Choices<'_>) -> Option<Line> {
        let barrier = || Line::Code("__syncthreads();".into());
        Some(match self.fragment {
            Fragment::DivergentBarriers if choices.chance(2, 3) => {
                let guard =
                    *choices.pick(&["n > 2", "t < n", "t < 2", "n < 2", "t % 2 == 0", "t < 4"]);
                Line::Block(format!("if ({guard})"), vec![barrier()])
            }
            Fragment::WarpSynchronisation if choices.chance(3, 4) => {
                Line::Code("__syncwarp();".into())
            }
            _ if self.careful || choices.chance(3, 4) => barrier(),
            _ => return None,
        })
    }

    fn statement(&mut self, choices: &mut Choices<'_>, depth: usize) -> Line {
        use Fragment::{BlockAtomics, DataGuard, StridedLoops};
        let nested = depth < 2;
        if nested && self.fragment == StridedLoops && self.counters == 0 && choices.chance(2, 3) {
            return self.strided(choices, depth);
        }
        let guards = if self.fragment == DataGuard { 2 } else { 1 };
        match choices.weighted(&[3, if nested { guards } else { 0 }, usize::from(nested)]) {
            1 => {
                let guard = self.guard(choices);
                Line::Block(format!("if ({guard})"), vec![self.statement(choices, depth + 1)])
            }
            2 if self.counters == 0 => {
                let head = format!("for (int i = 0; i < {}; i++)", 1 + choices.below(3));
                self.loop_of(choices, head, depth)
            }
            _ if self.fragment == BlockAtomics && choices.chance(1, 2) => {
                Line::Code(format!("atomicAdd(&X[{}], 1u);", self.index(choices)))
            }
            _ => self.access(choices),
        }
    }

    /// A loop with one statement in it, and perhaps a barrier.
    fn loop_of(&mut self, choices: &mut Choices<'_>, head: String, depth: usize) -> Line {
        self.counters += 1;
        let mut body = vec![self.statement(choices, depth + 1)];
        self.counters -= 1;
        if depth == 0 && choices.chance(1, 3) {
            body.push(Line::Code("__syncthreads();".into()));
        }
        Line::Block(head, body)
    }

    fn strided(&mut self, choices: &mut Choices<'_>, depth: usize) -> Line {
        let heads = [
            "for (int i = t; i < 8; i += blockDim.x)",
            "for (int i = t; i < 8; i += 2)",
            "for (int i = 1; i < 4; i *= 2)",
            "for (int i = 2; i > 0; i /= 2)",
        ];
        let head = (*choices.pick(&heads)).to_owned();
        self.loop_of(choices, head, depth)
    }

    fn access(&mut self, choices: &mut Choices<'_>) -> Line {
        let index = self.index(choices);
        if self.fragment == Fragment::BenignWrites && choices.chance(2, 3) {
            let place = choices.below(2).to_string();
            let index = if choices.chance(1, 2) { place } else { index };
            return Line::Code(format!(
                "X[{index}] = {};",
                choices.pick(&["7u", "7u", "n", "x * 0u"])
            ));
        }
        Line::Code(match choices.below(4) {
            0 => format!("x = x + X[{index}];"),
            1 => format!("X[{index}] = X[{}] + 1u;", self.index(choices)),
            2 => format!("X[{index}] = x;"),
            _ => format!("X[{index}] = t;"),
        })
    }

    /// What varies from thread to thread, or from round to round.
    fn variable(&self, choices: &mut Choices<'_>) -> &'static str {
        match self.counters > 0 && choices.chance(1, 2) {
            true => "i",
            false if self.fragment == Fragment::MultiBlock && choices.chance(5, 6) => "g",
            false => "t",
        }
    }

    fn index(&mut self, choices: &mut Choices<'_>) -> String {
        if let Some(own) = self.own.as_ref().filter(|_| choices.chance(7, 8)) {
            return own.clone();
        }
        let v = self.variable(choices);
        let offset = choices.below(4);
        match self.fragment {
            Fragment::Modular if choices.chance(2, 3) => {
                let k = 1 + choices.below(4);
                match choices.below(4) {
                    0 => format!("({v} + {offset}) % {k}"),
                    1 => format!("{v} / {k} + {offset}"),
                    2 => format!("{v} & {k}"),
                    _ => format!("{v} ^ {k}"),
                }
            }
            Fragment::NonLinear if choices.chance(2, 3) => match choices.below(4) {
                0 => format!("{v} * t"),
                1 => format!("{v} * n + {offset}"),
                2 => format!("({v} * {v} + {offset}) % 5"),
                _ => format!("1 << {v}"),
            },
            Fragment::DataIndex if choices.chance(2, 3) => match choices.below(3) {
                0 => format!("d[{v}] % 4u"),
                1 => format!("4 * t + d[{v}] % 4u"),
                _ => format!("d[{v}] % 4u + {offset}"),
            },
            _ => match choices.below(6) {
                0 | 5 => v.to_owned(),
                1 => format!("{v} + {offset}"),
                2 => format!("2 * {v} + {offset}"),
                3 if self.counters > 0 => format!("t + 4 * i + {offset}"),
                3 => format!("8 - {v}"),
                _ => offset.to_string(),
            },
        }
    }

    fn guard(&mut self, choices: &mut Choices<'_>) -> String {
        let k = choices.below(4);
        match self.fragment {
            Fragment::DataGuard if choices.chance(3, 4) => match choices.below(3) {
                0 => format!("d[t] % 4u == {k}u"),
                1 => format!("d[{k}] % 4u > 1u"),
                _ => format!("d[t] % 4u > d[{k}] % 4u"),
            },
            Fragment::Modular => format!("t % {} == {}", 2 + k % 2, k / 2),
            Fragment::MultiBlock if choices.chance(1, 2) => format!("blockIdx.x == {}", k % 2),
            _ => match choices.below(3) {
                0 => format!("t < {k}"),
                1 => format!("t == {k}"),
                _ => "t < n".to_owned(),
            },
        }
    }
}
