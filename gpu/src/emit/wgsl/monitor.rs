//! Monitored texts.

use crate::emit::language::{Array, Parts, Watch};
use crate::emit::monitor::{Plan, WordLayout, most, shared_words, watched};
use babycuda_core::syntax::Space;
use std::fmt::Write;

const MONITOR: &str = include_str!("monitor.wgsl");
const WATCH: &str = include_str!("watch.wgsl");

/// The buffers behind those of the plain kernel.
pub(super) fn buffers(plan: &Plan, binding: usize) -> String {
    format!(
        "@group(0) @binding({}) var<storage, read_write> monitor_words: array<atomic<{}>>;\n\
         @group(0) @binding({}) var<storage, read> monitor_sizes: array<u32>;\n\
         @group(0) @binding({}) var<storage, read_write> monitor_findings: array<atomic<u32>>;\n",
        binding,
        shadow(plan.global),
        binding + 1,
        binding + 2
    )
}

fn shadow(layout: WordLayout) -> &'static str {
    if layout.bits == 64 { "u64" } else { "u32" }
}

/// The definitions of a monitored text.
pub(super) fn definitions(parts: &Parts, plan: &Plan) -> String {
    let function = |space| format!("\n{}", watch(plan, space));
    let functions: String = watched(&parts.arrays).map(function).collect();
    let mut out = String::new();
    if !functions.is_empty() {
        let _ = writeln!(out, "{}", steps(parts, plan));
    }
    out + &plan.with_clocks(MONITOR) + &functions
}

/// The table of the machine. Constants are copied wherever one of them is looked up, so the host brings it.
fn steps(parts: &Parts, plan: &Plan) -> String {
    let mut out = String::from(
        "// The machine stands in monitor_sizes behind the sizes: the next state by state, access (read, write, atomic of\n\
         // the block, of the device) and label; 128: the word stays. Four a word, the first lowest:\n",
    );
    for line in plan.step_words().chunks(8) {
        let numbers: Vec<String> = line.iter().map(|word| format!("{word:#010x}")).collect();
        let _ = writeln!(out, "// {}", numbers.join(" "));
    }
    let sizes = parts.arrays.iter().filter(|array| array.space == Space::Global).count();
    out + &format!(
        "\nfn monitor_step(place: u32) -> u32 {{\n    \
         return (monitor_sizes[{sizes}u + (place >> 2u)] >> ((place & 3u) * 8u)) & 255u;\n}}\n"
    )
}

/// The function that watches accesses of a space.
fn watch(plan: &Plan, space: Space) -> String {
    let layout = plan.layout(space);
    let long = layout.bits == 64;
    let suffix = if long { "lu" } else { "u" };
    let (kind, buffer) = match space {
        Space::Global => ("global", "monitor_words"),
        Space::Shared => ("shared", "monitor_shared"),
    };
    let mask = |at: u32, bits: u32| format!("{:#x}{suffix}", most(bits) << at);
    let differs = |at: u32, bits: u32| match bits {
        0 => "false".to_owned(),
        _ => format!("(differs & {}) != 0{suffix}", mask(at, bits)),
    };
    let field = |(name, at): (&str, u32)| format!("(SHADOW(monitor.{name}) << {at}u)");
    let record =
        std::iter::once("SHADOW(monitor.thread)".to_owned()).chain(layout.between().map(field));
    let record: Vec<String> = record.collect();
    let threads = most(layout.thread);
    let last_thread = format!("u32(old & {threads}{suffix})");
    let same_warp = match plan.warp.is_power_of_two() {
        true => {
            let above = threads & !(u64::from(plan.warp) - 1);
            format!("(differs & {above:#x}{suffix}) == 0{suffix}")
        }
        false => format!("{last_thread} / {}u == monitor.thread / {0}u", plan.warp),
    };
    let last_block = match layout.block {
        0 => "monitor.block".to_owned(),
        bits => format!("u32((old >> {}u) & {}{suffix})", layout.block_at(), most(bits)),
    };
    WATCH
        .replace("RECORD", &record.join(" | "))
        .replace("OTHER_BLOCK_CLOCK", &differs(layout.block_clock_at(), layout.block_clock))
        .replace("OTHER_WARP_CLOCK", &differs(layout.warp_clock_at(), layout.warp_clock))
        .replace("OTHER_BLOCK", &differs(layout.block_at(), layout.block))
        .replace("SAME_THREAD", &format!("(differs & {threads:#x}{suffix}) == 0{suffix}"))
        .replace("SAME_WARP", &same_warp)
        .replace("LAST_BLOCK", &last_block)
        .replace("LAST_THREAD", &last_thread)
        .replace("STATE_AT", &layout.state_at().to_string())
        .replace("RACE", &format!("{}u", plan.race))
        .replace("BUFFER", buffer)
        .replace("SHADOW", shadow(layout))
        .replace("KIND", kind)
}

/// The declaration of the words of shared memory, if there are any.
pub(super) fn shared(parts: &Parts) -> String {
    match shared_words(&parts.arrays).1 {
        0 => String::new(),
        words => format!("var<workgroup> monitor_shared: array<atomic<u32>, {words}>;\n"),
    }
}

/// What a monitored kernel does before the program. (Words of shared memory begin as zeros.)
pub(super) fn opening(parts: &Parts, plan: &Plan) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        let _ = writeln!(out, "    {text}");
    };
    line("monitor.block = group_id.x + groups.x * (group_id.y + groups.y * group_id.z);".into());
    line("monitor.thread = local_index;".into());
    let (blocks, threads) = (most(plan.global.block), most(plan.global.thread));
    line(format!(
        "monitor.global_blind = select(0u, 2u, monitor.block > {blocks}u || local_index > {threads}u);"
    ));
    line(format!("monitor.shared_blind = select(0u, 2u, local_index > {threads}u);"));
    line("monitor.fuel = atomicLoad(&monitor_findings[3]);".into());
    line("monitor.rounds = monitor.fuel;".into());
    let (firsts, _) = shared_words(&parts.arrays);
    let (mut number, mut next) = (0, "0u".to_owned());
    for (array, first) in parts.arrays.iter().zip(firsts) {
        let Array { cells, watch, .. } = array;
        match array.space {
            Space::Global => {
                line(format!("let {}: u32 = monitor_sizes[{number}];", cells.length));
                number += 1;
                if *watch == Watch::Words {
                    line(format!("let {}: u32 = {next};", cells.first));
                    next = format!("{} + {}", cells.first, cells.length);
                }
            }
            Space::Shared => {
                let length = array.length.unwrap_or(0);
                line(format!("let {}: u32 = {length}u;", cells.length));
                if *watch == Watch::Words {
                    line(format!("let {}: u32 = {first}u;", cells.first));
                }
            }
        }
    }
    out
}
