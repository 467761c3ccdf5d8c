//! Monitored texts.

use super::C;
use super::kernel::word;
use crate::emit::language::{Array, Language, Launched, Parts, Watch};
use crate::emit::monitor::{Plan, WordLayout, most, shared_words, watched};
use babycuda_core::syntax::Space;
use std::fmt::Write;

const MONITOR: &str = include_str!("monitor.h");
const WATCH: &str = include_str!("watch.h");

/// The arguments behind those of the plain kernel.
pub(super) fn arguments(c: C, plan: &Plan) -> Vec<String> {
    let global = if c == C::OpenCl { "__global " } else { "" };
    let (shadow, word) = (shadow(c, plan.global), word(c));
    vec![
        format!("{global}{shadow} *monitor_words"),
        format!("{global}const {word} *monitor_sizes"),
        format!("{global}{word} *monitor_findings"),
    ]
}

fn shadow(c: C, layout: WordLayout) -> &'static str {
    if layout.bits == 64 { c.long() } else { word(c) }
}

/// The definitions of a monitored text.
pub(super) fn definitions(c: C, parts: &Parts, plan: &Plan) -> String {
    let spaces: Vec<Space> = watched(&parts.arrays).collect();
    let function = |space: &Space| format!("\n{}", watch(c, plan, *space));
    let functions: String = spaces.iter().map(function).collect();
    let mut out = String::new();
    if c == C::OpenCl && plan.global.bits == 64 && spaces.contains(&Space::Global) {
        out.push_str(
            "#ifndef cl_khr_int64_base_atomics\n\
             #error \"The device has no atomics of 64 bits: give --monitored 32.\"\n\
             #endif\n\n",
        );
    }
    if !functions.is_empty() {
        let _ = writeln!(out, "{}\n", steps(c, plan));
    }
    let global = if c == C::OpenCl { "__global " } else { "" };
    let (add, or) = match c {
        C::Cuda => ("atomicAdd", "atomicOr"),
        C::OpenCl => ("atomic_add", "atomic_or"),
    };
    // Of a static function clang knows all calls: where all of them give it one array of local memory, it uses that by
    // itself, and PoCL 3.1 then lets it have another place than the kernel's.
    let outline = match c {
        C::Cuda => "static inline __device__ ",
        C::OpenCl => "",
    };
    let text = (plan.with_clocks(MONITOR) + &functions)
        .replace("ATOMIC_ADD", add)
        .replace("ATOMIC_OR", or)
        .replace("FUNCTION", c.function())
        .replace("OUTLINE ", outline)
        .replace("GLOBAL ", global)
        .replace("LONG", c.long())
        .replace("WORD", word(c));
    out + &text
}

/// The table of the machine.
fn steps(c: C, plan: &Plan) -> String {
    let head = match c {
        C::Cuda => "static __constant__ const unsigned char",
        C::OpenCl => "__constant uchar",
    };
    let mut out = format!(
        "// The machine: the next state by state, access (read, write, atomic of the block, of the device) and label;\n\
         // 128: the word stays.\n{head} monitor_steps[{}] = {{\n",
        plan.steps.len()
    );
    for line in plan.steps.chunks(16) {
        let numbers: Vec<String> = line.iter().map(|step| format!("{step:3},")).collect();
        let _ = writeln!(out, "    {}", numbers.join(" "));
    }
    out + "};"
}

/// The function that watches accesses of a space.
fn watch(c: C, plan: &Plan, space: Space) -> String {
    let layout = plan.layout(space);
    let long = layout.bits == 64;
    let (kind, place) = match (space, c) {
        (Space::Global, C::OpenCl) => ("global", "__global "),
        (Space::Shared, C::OpenCl) => ("shared", "__local "),
        (Space::Global, C::Cuda) => ("global", ""),
        (Space::Shared, C::Cuda) => ("shared", ""),
    };
    let suffix = match (c, long) {
        (C::Cuda, true) => "ull",
        (C::OpenCl, true) => "ul",
        (_, false) => "u",
    };
    let mask = |at: u32, bits: u32| format!("{:#x}{suffix}", most(bits) << at);
    let differs = |at: u32, bits: u32| format!("((differs & {}) != 0)", mask(at, bits));
    let field = |(name, at): (&str, u32)| format!("(SHADOW)monitor->{name} << {at}");
    let record =
        std::iter::once("(SHADOW)monitor->thread".to_owned()).chain(layout.between().map(field));
    let record: Vec<String> = record.collect();
    let threads = most(layout.thread);
    let same_warp = match plan.warp.is_power_of_two() {
        true => format!("((differs & {:#x}{suffix}) == 0)", threads & !(u64::from(plan.warp) - 1)),
        false => {
            format!("((WORD)(old & {threads}{suffix}) / {}u == monitor->thread / {0}u)", plan.warp)
        }
    };
    let last_block = match layout.block {
        0 => "monitor->block".to_owned(),
        bits => format!("(WORD)(old >> {} & {}{suffix})", layout.block_at(), most(bits)),
    };
    // CUDA's functions take no pointers to volatile.
    let swap = match (c, long) {
        (C::Cuda, _) => "atomicCAS((SHADOW *)",
        (C::OpenCl, true) => "atom_cmpxchg(",
        (C::OpenCl, false) => "atomic_cmpxchg(",
    };
    WATCH
        .replace("RECORD", &record.join(" | "))
        .replace("OTHER_BLOCK_CLOCK", &differs(layout.block_clock_at(), layout.block_clock))
        .replace("OTHER_WARP_CLOCK", &differs(layout.warp_clock_at(), layout.warp_clock))
        .replace("OTHER_BLOCK", &differs(layout.block_at(), layout.block))
        .replace("SAME_THREAD", &format!("((differs & {:#x}{suffix}) == 0)", threads))
        .replace("SAME_WARP", &same_warp)
        .replace("LAST_BLOCK", &last_block)
        .replace("LAST_THREAD", &format!("(WORD)(old & {threads}{suffix})"))
        .replace("STATE_AT", &layout.state_at().to_string())
        .replace("RACE", &format!("{}u", plan.race))
        .replace("SWAP(", swap)
        .replace("SPACE ", place)
        .replace("SHADOW", shadow(c, layout))
        .replace("KIND", kind)
}

/// What a monitored kernel does before the program.
pub(super) fn opening(c: C, parts: &Parts, plan: &Plan) -> String {
    let word = word(c);
    let at = |which| c.launched(which).text;
    let mut out = String::new();
    let mut line = |text: String| {
        let _ = writeln!(out, "    {text}");
    };
    line("struct Monitor monitor = { 0 };".into());
    line("monitor.findings = monitor_findings;".into());
    line(format!(
        "monitor.block = {} + {} * ({} + {} * {});",
        at(Launched::BlockIdx(0)),
        at(Launched::GridDim(0)),
        at(Launched::BlockIdx(1)),
        at(Launched::GridDim(1)),
        at(Launched::BlockIdx(2)),
    ));
    line("monitor.thread = thread_index;".into());
    let (blocks, threads) = (most(plan.global.block), most(plan.global.thread));
    line(format!(
        "monitor.global_blind = monitor.block > {blocks}u || monitor.thread > {threads}u ? 2u : 0u;"
    ));
    line(format!("monitor.shared_blind = monitor.thread > {threads}u ? 2u : 0u;"));
    line("monitor.fuel = monitor_findings[3];".into());
    line("monitor.rounds = monitor.fuel;".into());
    let (firsts, shared) = shared_words(&parts.arrays);
    let (mut number, mut next) = (0, "monitor_words".to_owned());
    let space = |name: &str| if c == C::OpenCl { format!("{name} ") } else { String::new() };
    for (array, first) in parts.arrays.iter().zip(firsts) {
        let Array { cells, watch, .. } = array;
        match array.space {
            Space::Global => {
                line(format!("const {word} {} = monitor_sizes[{number}];", cells.length));
                number += 1;
                if *watch == Watch::Words {
                    let kind = shadow(c, plan.global);
                    let global = space("__global");
                    line(format!("{global}volatile {kind} *const {} = {next};", cells.first));
                    next = format!("{} + {}", cells.first, cells.length);
                }
            }
            Space::Shared => {
                let length = array.length.unwrap_or(0);
                line(format!("const {word} {} = {length}u;", cells.length));
                if *watch == Watch::Words {
                    let local = space("__local");
                    line(format!(
                        "{local}volatile {word} *const {} = monitor_shared + {first};",
                        cells.first
                    ));
                }
            }
        }
    }
    if shared > 0 {
        let threads = [0, 1, 2].map(|d| at(Launched::BlockDim(d))).join(" * ");
        // All threads make the same rounds: PoCL 3.1 crashes in some kernels otherwise.
        line(format!("for ({word} first = 0; first < {shared}u; first += {threads}) {{"));
        line(format!("    if (first + thread_index < {shared}u) {{"));
        line("        monitor_shared[first + thread_index] = 0u;".into());
        line("    }".into());
        line("}".into());
        line(c.barrier().into());
    }
    out
}

/// The declaration of the words of shared memory, if there are any.
pub(super) fn shared(c: C, parts: &Parts) -> Option<String> {
    let (_, words) = shared_words(&parts.arrays);
    let (local, word) = (if c == C::OpenCl { "__local" } else { "__shared__" }, word(c));
    (words > 0).then(|| format!("{local} {word} monitor_shared[{words}];"))
}
