//! Whole texts.

use super::{C, monitor};
use crate::emit::Instrumentation;
use crate::emit::language::{Array, Language, Launched, Parts};
use babycuda_core::IntType;
use babycuda_core::syntax::{Domain, Extent, Space};
use std::fmt::Write;

const ACCOUNT: &str = include_str!("account.h");
const LOG: &str = include_str!("log.h");
const DIGEST: &str = include_str!("digest.h");

pub(super) fn assemble(c: C, parts: &Parts) -> String {
    let mut out = String::new();
    for line in &parts.comment {
        let _ = writeln!(out, "// {line}");
    }
    out.push('\n');
    if c == C::OpenCl && parts.long_atomics {
        out.push_str("#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n\n");
    }
    let instrumented = parts.instrumentation.is_account();
    if instrumented {
        out.push_str(&account(c, parts.instrumentation));
        out.push('\n');
    }
    if let Some(plan) = &parts.monitor {
        out.push_str(&monitor::definitions(c, parts, plan));
        out.push('\n');
    }
    for function in &parts.functions {
        out.push_str(function);
        out.push('\n');
    }
    let head = match c {
        C::Cuda => "extern \"C\" __global__ void",
        C::OpenCl => "__kernel void",
    };
    let arguments = arguments(c, parts);
    let line = format!("{head} {}({})\n{{\n", parts.kernel, arguments.join(", "));
    if line.len() <= 100 {
        out.push_str(&line);
    } else {
        let _ = write!(out, "{head} {}(\n    {})\n{{\n", parts.kernel, arguments.join(",\n    "));
    }
    for array in parts.arrays.iter().filter(|a| a.space == Space::Shared) {
        if let Some(declaration) = shared(c, array) {
            let _ = writeln!(out, "    {declaration}");
        }
    }
    if let Some(declaration) = parts.monitor.as_ref().and_then(|_| monitor::shared(c, parts)) {
        let _ = writeln!(out, "    {declaration}");
    }
    if parts.instrumentation != Instrumentation::None || parts.launched.contains(&Launched::Tid) {
        let _ = writeln!(out, "    {}", thread_index(c, parts));
    }
    if instrumented {
        out.push_str(&opening(c, parts));
    }
    if let Some(plan) = &parts.monitor {
        out.push_str(&monitor::opening(c, parts, plan));
    }
    out.push_str(&parts.body);
    if instrumented {
        out.push_str(&closing(c, parts));
    }
    out.push_str("}\n");
    out
}

pub(super) fn word(c: C) -> &'static str {
    c.type_name(Domain::Machine(IntType::U32))
}

fn arguments(c: C, parts: &Parts) -> Vec<String> {
    let (long, word) = (c.long(), word(c));
    let global = if c == C::OpenCl { "__global " } else { "" };
    if parts.instrumentation.is_account() {
        return vec![
            format!("{global}volatile {long} *memory"),
            format!("{global}const {long} *inputs"),
            format!("{global}{long} *entries"),
            format!("{global}{word} *results"),
        ];
    }
    let mut arguments = Vec::new();
    for array in &parts.arrays {
        let element = c.type_name(array.element);
        let constant = if array.written { "" } else { "const " };
        let volatile = if array.input { "" } else { "volatile " };
        match (array.space, c) {
            (Space::Global, _) => {
                arguments.push(format!("{global}{constant}{volatile}{element} *{}", array.text));
            }
            (Space::Shared, C::OpenCl) if array.length.is_none() => {
                arguments.push(format!("__local volatile {element} *{}", array.text));
            }
            (Space::Shared, _) => {}
        }
    }
    let parameters = parts.parameters.iter();
    arguments.extend(parameters.map(|p| format!("{} {}", c.type_name(p.domain), p.text)));
    arguments.extend(parts.monitor.iter().flat_map(|plan| monitor::arguments(c, plan)));
    arguments
}

/// The declaration of a shared array in the kernel; in OpenCL C, one of open length is an argument.
fn shared(c: C, array: &Array) -> Option<String> {
    let element = c.type_name(array.element);
    match (c, array.length) {
        // No array has no elements.
        (C::Cuda, Some(length)) => {
            Some(format!("__shared__ volatile {element} {}[{}];", array.text, length.max(1)))
        }
        (C::OpenCl, Some(length)) => {
            Some(format!("__local volatile {element} {}[{}];", array.text, length.max(1)))
        }
        (C::Cuda, None) => Some(format!("extern __shared__ volatile {element} {}[];", array.text)),
        (C::OpenCl, None) => None,
    }
}

/// The declaration of the thread's linear index.
fn thread_index(c: C, parts: &Parts) -> String {
    let at = |which| c.launched(which).text;
    let x = at(Launched::ThreadIdx(0));
    let index = match parts.geometry.block {
        [_, Extent::Known(1), Extent::Known(1)] => x,
        _ => format!(
            "{x} + {} * ({} + {} * {})",
            at(Launched::BlockDim(0)),
            at(Launched::ThreadIdx(1)),
            at(Launched::BlockDim(1)),
            at(Launched::ThreadIdx(2)),
        ),
    };
    c.constant("thread_index", Domain::Machine(IntType::U32), &index)
}

/// The functions that keep account.
fn account(c: C, instrumentation: Instrumentation) -> String {
    let (record, room) = match instrumentation {
        Instrumentation::Digest => (DIGEST, "thread->phase"),
        _ => (LOG, "thread->count"),
    };
    let global = if c == C::OpenCl { "__global " } else { "" };
    let (add, suffix) = match c {
        C::Cuda => ("atomicAdd", "ull"),
        C::OpenCl => ("atom_add", "ul"),
    };
    format!("{ACCOUNT}\n{record}")
        .replace("FUNCTION", c.function())
        .replace("GLOBAL ", global)
        .replace("LONG", c.long())
        .replace("WORD", word(c))
        .replace("ROOM", room)
        .replace("ADD", add)
        .replace("SUFFIX", suffix)
}

/// What an instrumented kernel does before the program: it reads its inputs and fills the shared
/// arrays.
fn opening(c: C, parts: &Parts) -> String {
    let (long, word) = (c.long(), word(c));
    let at = |which| c.launched(which).text;
    let mut out = format!(
        "    const {word} block_threads = {bx} * {by} * {bz};\n    \
         const {long} block_index =\n        \
         {ix} + ({long}){gx} * ({iy} + ({long}){gy} * {iz});\n    \
         const {long} number = block_index * block_threads + thread_index;\n",
        bx = at(Launched::BlockDim(0)),
        by = at(Launched::BlockDim(1)),
        bz = at(Launched::BlockDim(2)),
        ix = at(Launched::BlockIdx(0)),
        iy = at(Launched::BlockIdx(1)),
        iz = at(Launched::BlockIdx(2)),
        gx = at(Launched::GridDim(0)),
        gy = at(Launched::GridDim(1)),
    );
    let mut line = |text: String| {
        let _ = writeln!(out, "    {text}");
    };
    line("struct Thread thread = { 0 };".into());
    for (number, field) in ["fuel", "rounds", "capacity", "row"].into_iter().enumerate() {
        line(format!("thread.{field} = inputs[{number}];"));
    }
    match parts.instrumentation {
        Instrumentation::Digest => {
            line("thread.who = mix64(mix64(block_index) ^ thread_index);".into());
            line("thread.entries = entries;".into());
        }
        _ => line("thread.entries = entries + number * 3 * thread.capacity;".into()),
    }
    let mut next = 4;
    for array in &parts.arrays {
        for name in [&array.cells.base, &array.cells.length, &array.cells.first] {
            line(format!("const {long} {name} = inputs[{next}];"));
            next += 1;
        }
    }
    for parameter in &parts.parameters {
        line(format!("const {long} {} = inputs[{next}];", parameter.text));
        next += 1;
    }
    out.push_str(&copies(c, parts, true));
    out
}

/// What an instrumented kernel does after the program: it stores the shared arrays and its account.
fn closing(c: C, parts: &Parts) -> String {
    let mut out = copies(c, parts, false);
    let word = word(c);
    let global = if c == C::OpenCl { "__global " } else { "" };
    let _ = write!(
        out,
        "    {global}{word} *result = results + 8 * number;\n    \
         result[0] = thread.status;\n    \
         result[1] = thread.site;\n    \
         result[2] = thread.count;\n    \
         result[3] = thread.overflow;\n    \
         result[4] = thread.phase;\n    \
         result[5] = ({word})thread.fuel;\n    \
         result[6] = ({word})thread.index;\n    \
         result[7] = ({word})(thread.index >> 32);\n",
    );
    out
}

/// The loops that copy shared arrays from or to their places in `memory`, with the barrier that
/// keeps them apart from the program.
fn copies(c: C, parts: &Parts, before: bool) -> String {
    let long = c.long();
    let mut out = String::new();
    for array in parts.arrays.iter().filter(|a| a.space == Space::Shared) {
        let (text, cells) = (&array.text, &array.cells);
        let outside = format!("memory[{} + block_index * {} + cell]", cells.base, cells.length);
        let inside = format!("{text}[cell]");
        let (to, from) = if before { (inside, outside) } else { (outside, inside) };
        let _ = write!(
            out,
            "    for ({long} cell = thread_index; cell < {}; cell += block_threads) {{\n        \
             {to} = {from};\n    }}\n",
            cells.length
        );
    }
    match (out.is_empty(), before) {
        (true, _) => out,
        (false, true) => format!("{out}    {}\n", c.barrier()),
        (false, false) => format!("    {}\n{out}", c.barrier()),
    }
}
