//! Whole texts.

use super::{Wgsl, monitor};
use crate::emit::Instrumentation;
use crate::emit::language::{Array, Language, Launched, Parts};
use babycuda_core::syntax::{Extent, Space};
use std::fmt::Write;

const ACCOUNT: &str = include_str!("account.wgsl");
const LOG: &str = include_str!("log.wgsl");
const DIGEST: &str = include_str!("digest.wgsl");

/// An index, from a number of 64 bits: too large ones stay too large.
const CELL_INDEX: &str = "fn cell_index(index: u64) -> u32 {\n    \
    return select(0xffffffffu, u32(index), index < 0xfffffffflu);\n}\n";

pub(super) fn assemble(parts: &Parts) -> String {
    let instrumented = parts.instrumentation.is_account();
    let mut out = String::new();
    for line in &parts.comment {
        let _ = writeln!(out, "// {line}");
    }
    out.push('\n');
    out.push_str(&extents(parts));
    out.push('\n');
    match instrumented {
        true => out.push_str(&buffers(parts.instrumentation)),
        false => out.push_str(&arguments(parts)),
    }
    for array in parts.arrays.iter().filter(|a| a.space == Space::Shared) {
        // No array has no elements.
        let length = array.length.unwrap_or(0).max(1);
        let _ =
            writeln!(out, "var<workgroup> {}: array<{}, {length}>;", array.text, element(array));
    }
    if parts.monitor.is_some() {
        out.push_str(&monitor::shared(parts));
    }
    out.push('\n');
    if instrumented {
        out.push_str(&account(parts.instrumentation));
        out.push('\n');
    }
    if let Some(plan) = &parts.monitor {
        out.push_str(&monitor::definitions(parts, plan));
        out.push('\n');
    }
    if parts.body.contains("cell_index(") {
        out.push_str(CELL_INDEX);
        out.push('\n');
    }
    for function in &parts.functions {
        out.push_str(function);
        out.push('\n');
    }
    let _ = write!(
        out,
        "@compute @workgroup_size(block_x, block_y, block_z)\n\
         fn {}(\n    \
         @builtin(local_invocation_id) local_id: vec3<u32>,\n    \
         @builtin(local_invocation_index) local_index: u32,\n    \
         @builtin(workgroup_id) group_id: vec3<u32>,\n    \
         @builtin(num_workgroups) groups: vec3<u32>,\n) {{\n",
        parts.kernel
    );
    if parts.launched.iter().any(|which| matches!(which, Launched::BlockDim(_))) {
        // A variable: what is known beforehand is folded, but not all that folding meets is
        // implemented.
        out.push_str("    var block_dim = vec3<u32>(block_x, block_y, block_z);\n");
    }
    if instrumented {
        out.push_str(&opening(parts));
    }
    if let Some(plan) = &parts.monitor {
        out.push_str(&monitor::opening(parts, plan));
    }
    out.push_str(&parts.body);
    if instrumented {
        out.push_str(&closing(parts));
    }
    out.push_str("}\n");
    out
}

/// The extents of a block; those that the program leaves open, the pipeline may override.
fn extents(parts: &Parts) -> String {
    let names = ["block_x", "block_y", "block_z"];
    let lines = names.into_iter().zip(parts.geometry.block).zip([64, 1, 1]);
    let line = |((name, extent), default): ((&str, Extent), u32)| match extent {
        Extent::Known(n) => format!("const {name}: u32 = {n}u;\n"),
        Extent::Symbolic => format!("override {name}: u32 = {default}u;\n"),
    };
    lines.map(line).collect()
}

/// The type of an array's elements.
fn element(array: &Array) -> String {
    let name = Wgsl.type_name(array.element);
    if array.updated { format!("atomic<{name}>") } else { name.to_owned() }
}

/// The arguments of a plain kernel: one buffer an array, and one for the parameters.
fn arguments(parts: &Parts) -> String {
    let mut out = String::new();
    let global = parts.arrays.iter().filter(|a| a.space == Space::Global);
    let mut binding = 0;
    for array in global {
        let access = if array.written { "read_write" } else { "read" };
        let _ = writeln!(
            out,
            "@group(0) @binding({binding}) var<storage, {access}> {}: array<{}>;",
            array.text,
            element(array)
        );
        binding += 1;
    }
    if !parts.parameters.is_empty() {
        out.push_str("\nstruct Parameters {\n");
        for parameter in &parts.parameters {
            let _ = writeln!(out, "    {}: {},", parameter.text, Wgsl.type_name(parameter.domain));
        }
        let _ = writeln!(
            out,
            "}}\n\n@group(0) @binding({binding}) var<storage, read> parameters: Parameters;"
        );
        binding += 1;
    }
    if let Some(plan) = &parts.monitor {
        out.push_str(&monitor::buffers(plan, binding));
    }
    out
}

/// The arguments of an instrumented kernel.
fn buffers(instrumentation: Instrumentation) -> String {
    let entry = match instrumentation {
        Instrumentation::Digest => "atomic<u64>",
        _ => "u64",
    };
    format!(
        "@group(0) @binding(0) var<storage, read_write> memory: array<atomic<u64>>;\n\
         @group(0) @binding(1) var<storage, read> inputs: array<u64>;\n\
         @group(0) @binding(2) var<storage, read_write> entries: array<{entry}>;\n\
         @group(0) @binding(3) var<storage, read_write> results: array<u32>;\n"
    )
}

/// The functions that keep account.
fn account(instrumentation: Instrumentation) -> String {
    let (record, room) = match instrumentation {
        Instrumentation::Digest => (DIGEST, "thread.phase"),
        _ => (LOG, "thread.count"),
    };
    format!("{}\n{record}", ACCOUNT.replace("ROOM", room))
}

/// What an instrumented kernel does before the program: it reads its inputs and fills the shared
/// arrays.
fn opening(parts: &Parts) -> String {
    let mut out = String::new();
    let mut line = |text: String| {
        let _ = writeln!(out, "    {text}");
    };
    line("let block_threads: u32 = block_x * block_y * block_z;".into());
    line("let block_index: u64 = u64(group_id.x)".into());
    line("    + u64(groups.x) * (u64(group_id.y) + u64(groups.y) * u64(group_id.z));".into());
    line("let number: u64 = block_index * u64(block_threads) + u64(local_index);".into());
    for (number, field) in ["fuel", "rounds", "capacity", "row"].into_iter().enumerate() {
        line(format!("thread.{field} = inputs[{number}];"));
    }
    line(match parts.instrumentation {
        Instrumentation::Digest => {
            "thread.who = mix64(mix64(block_index) ^ u64(local_index));".into()
        }
        _ => "thread.first = number * 3lu * thread.capacity;".into(),
    });
    let mut next = 4;
    for array in &parts.arrays {
        for name in [&array.cells.base, &array.cells.length, &array.cells.first] {
            line(format!("let {name}: u64 = inputs[{next}];"));
            next += 1;
        }
    }
    for parameter in &parts.parameters {
        line(format!("let {}: u64 = inputs[{next}];", parameter.text));
        next += 1;
    }
    out.push_str(&copies(parts, true));
    out
}

/// What an instrumented kernel does after the program: it stores the shared arrays and its account.
fn closing(parts: &Parts) -> String {
    let mut out = copies(parts, false);
    out.push_str("    let result = 8u * u32(number);\n");
    let fields = [
        "thread.status",
        "thread.site",
        "thread.count",
        "thread.overflow",
        "thread.phase",
        "u32(thread.fuel)",
        "u32(thread.index)",
        "u32(thread.index >> 32u)",
    ];
    for (word, field) in fields.into_iter().enumerate() {
        let _ = writeln!(out, "    results[result + {word}u] = {field};");
    }
    out
}

/// The loops that copy shared arrays from or to their places in `memory`, with the barrier that
/// keeps them apart from the program.
fn copies(parts: &Parts, before: bool) -> String {
    let mut out = String::new();
    for array in parts.arrays.iter().filter(|a| a.space == Space::Shared) {
        let cells = &array.cells;
        let outside =
            format!("&memory[u32({} + block_index * {}) + cell]", cells.base, cells.length);
        let inside = format!("&{}[cell]", array.text);
        let (to, from) = if before { (inside, outside) } else { (outside, inside) };
        let _ = write!(
            out,
            "    for (var cell: u32 = local_index; u64(cell) < {}; cell = cell + block_threads) \
             {{\n        atomicStore({to}, atomicLoad({from}));\n    }}\n",
            cells.length
        );
    }
    let barrier = Wgsl.barrier();
    match (out.is_empty(), before) {
        (true, _) => out,
        (false, true) => format!("{out}    {barrier}\n"),
        (false, false) => format!("    {barrier}\n{out}"),
    }
}
