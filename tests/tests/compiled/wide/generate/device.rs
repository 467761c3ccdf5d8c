//! What the device provides: barriers of warps, masks and grids, groups, generators, surfaces, assembly.

use super::super::log::MASKS;
use super::Generator;
use super::types::Ty;

/// Statements, and what they are called.
type Labelled = (&'static str, Vec<String>);

impl Generator<'_> {
    /// Statements with what the device provides.
    pub(super) fn device(&mut self) -> Vec<String> {
        let (label, out) = match self.choices.below(7) {
            0 if self.uniform => self.lanes(),
            1 if self.uniform => self.grid(),
            2 => self.draw(),
            3 => self.texture(),
            4 => self.assembly(),
            5 => self.promise(),
            _ if self.uniform => self.coalesced(),
            _ => self.assembly(),
        };
        self.label(label);
        out
    }

    /// A barrier of a warp, or of some lanes of each.
    fn lanes(&mut self) -> Labelled {
        // A barrier of a warp that is known to be the block is one of the block.
        if self.choices.chance(1, 3) && !(self.concrete && self.block[0] <= 32) {
            return ("barrier of a warp", vec!["__syncwarp();".to_owned()]);
        }
        let mask = *self.choices.pick(&MASKS);
        let (first, end) = (mask.trailing_zeros(), 32 - mask.leading_zeros());
        // Those that the mask does not name may come, too.
        let alone = match self.choices.below(2) {
            0 => String::new(),
            _ => format!("if (lane >= {first} && lane < {end}) "),
        };
        let out = vec![
            "{ unsigned lane = (threadIdx.x + blockDim.x * threadIdx.y) % 32u;".to_owned(),
            format!("{alone}__syncwarp({mask:#x}); }}"),
        ];
        ("barrier of some lanes", out)
    }

    /// A barrier of the grid, or a thread's number in it.
    fn grid(&mut self) -> Labelled {
        if self.choices.chance(1, 2) {
            return ("barrier of the grid", vec!["cg::this_grid().sync();".to_owned()]);
        }
        let g = self.fresh("g");
        self.indices.push(format!("(int){g}.thread_rank()"));
        let access = self.access().join(" ");
        self.indices.pop();
        let out = vec![format!("{{ cg::grid_group {g} = cg::this_grid(); {access} }}")];
        ("number in the grid", out)
    }

    /// A state that is begun, copied, or drawn from.
    fn draw(&mut self) -> Labelled {
        let (to, x, index) = (self.scalar_place().text, self.fresh("x"), self.index());
        let call = |state: String, kind: usize| match kind {
            0 => format!("{to} = curand_uniform({state});"),
            1 => format!("{to} = curand_normal2({state}).y;"),
            2 => format!("skipahead(3, {state});"),
            _ => format!("{to} = curand({state});"),
        };
        let kind = self.choices.below(4);
        let out = match self.choices.below(4) {
            0 => vec![format!("curand_init(7, {}, 0, &states[{index}]);", self.leaf())],
            1 => vec![
                format!("curandState {x} = states[{index}]; {}", call(format!("&{x}"), kind)),
                format!("states[{}] = {x};", self.index()),
            ],
            2 => vec![format!("curandState *{x} = states + ({index}); {}", call(x.clone(), kind))],
            _ => vec![call(format!("&states[{index}]"), kind)],
        };
        ("generator of random numbers", out)
    }

    /// A surface is memory, a texture is data.
    fn texture(&mut self) -> Labelled {
        let (to, index) = (self.scalar_place().text, self.index());
        let column = format!("(({index}) & 31)");
        let scalar = self.choices.below(2) == 0;
        let (ty, size) = if scalar { ("float", 4) } else { ("int4", 16) };
        let value = if scalar { "(float)i" } else { "make_int4(i, 0, 1, 2)" };
        let part = if scalar { "" } else { ".z" };
        let row = self.leaf();
        match self.choices.below(5) {
            0 => ("texture", vec![format!("{to} = tex1Dfetch<{ty}>(image, {column}){part};")]),
            1 => ("texture", vec![format!("{to} = tex2D<{ty}>(image, {column}, 1.5f){part};")]),
            2 => {
                let read = format!("surf1Dread<{ty}>(surface, {column} * {size}){part}");
                ("surface", vec![format!("{to} = {read};")])
            }
            3 => ("surface", vec![format!("surf1Dwrite({value}, surface, {column} * {size});")]),
            _ => {
                let place = format!("{column} * (int)sizeof({ty}), {row} & 3");
                ("surface", vec![format!("surf2Dwrite({value}, surface, {place});")])
            }
        }
    }

    /// Inline assembly.
    fn assembly(&mut self) -> Labelled {
        let out = match self.choices.below(7) {
            2 => {
                let (from, x) = (self.element(&Ty::Scalar("int")).text, self.fresh("x"));
                let to = self.scalar_place().text;
                vec![format!("{{ int {x}; BC_ASM_LD({x}, &{from}); {to} = {x}; }}")]
            }
            3 => {
                let (one, two) = (self.leaf(), self.leaf());
                let to = self.element(&Ty::Vector("int2", "int", 2)).text;
                vec![format!("BC_ASM_ST2((int){one}, (int){two}, &{to});")]
            }
            4 => {
                let Ty::Scalar(counter) = self.counter else { return self.promise() };
                let (ty, index, by) = match counter {
                    "float" => ("f32", self.index(), "1.5f".to_owned()),
                    "unsigned" => ("u32", self.index(), "2u".to_owned()),
                    _ => ("s32", self.index(), self.leaf()),
                };
                vec![format!("BC_ASM_RED({ty}, {by}, &acc[{index}]);")]
            }
            0 if self.uniform => vec!["BC_ASM_BARRIER();".to_owned()],
            1 => {
                let [r, k] = ["r", "k"].map(|prefix| self.fresh(prefix));
                let name = *self.choices.pick(&["tid", "ctaid", "ntid"]);
                self.indices.push(k.clone());
                let access = self.access().join(" ");
                self.indices.pop();
                let special = format!("unsigned {r}; BC_ASM_MOV({name}, {r}); int {k} = {r};");
                vec![format!("{{ {special} {access} }}")]
            }
            _ => {
                let (to, value) = (self.element(&Ty::Scalar("int")).text, self.value());
                let code = *self.choices.pick(&["popc", "brev", "not"]);
                vec![format!("BC_ASM({code}, {to}, (int)({value}));")]
            }
        };
        ("assembly", out)
    }

    /// What is said to hold does.
    fn promise(&mut self) -> Labelled {
        let what = match self.choices.below(2) {
            0 => "assert",
            _ => "__builtin_assume",
        };
        let condition = match self.choices.below(3) {
            0 => "n > 0 && m < 9".to_owned(),
            1 => format!("i < {}", self.block[0]),
            _ => "pitch % 16 == 0".to_owned(),
        };
        ("assertion", vec![format!("{what}({condition});")])
    }

    /// Those that come together, whoever they are; and what groups compute.
    fn coalesced(&mut self) -> Labelled {
        let (to, x, value) = (self.scalar_place().text, self.fresh("x"), self.value());
        let tile = self.tile();
        let g = self.fresh("g");
        let group = format!("cg::coalesced_group {g} = cg::coalesced_threads();");
        match self.choices.below(5) {
            0 => (
                "barrier of a coalesced group",
                vec![format!("{{ {group} {} {g}.sync(); }}", self.access().join(" "))],
            ),
            1 => ("coalesced group", vec![format!("{{ {group} {to} = {g}.shfl({value}, 0); }}")]),
            2 => (
                "coalesced group",
                vec![format!("{{ {group} if ({g}.thread_rank() == 0) {to} = {g}.size(); }}")],
            ),
            3 => (
                "reduction of a group",
                vec![
                    format!("{{ auto {g} = cg::tiled_partition<{tile}>(cg::this_thread_block());"),
                    format!(
                        "int {x} = cg::reduce({g}, (int)({value}), cg::plus<int>()); {to} = {x}; }}"
                    ),
                ],
            ),
            _ => (
                "barrier that counts",
                vec![format!("int {x} = __syncthreads_count(({value}) > 2); {to} = {x};")],
            ),
        }
    }
}
