//! The numbers of `BYTECODE.md`, each written once: as constants for Rust, and as the text with
//! which the interpreters begin. There, a constant `op::HALT` is called `OP_HALT`.
// Without a device nobody asks for that text.
#![cfg_attr(not(any(feature = "opencl", feature = "cuda", feature = "wgpu")), allow(dead_code))]

use crate::image::{ENTRY_LONGS, REGISTERS};
use babycuda_core::MachineOp;
use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use std::fmt::Debug;

/// Modules of constants that are numbered from 0 on, and all of them by name.
macro_rules! numbered {
    ($($(#[$doc:meta])* $module:ident $of:ty: $($name:ident)*;)*) => {
        $($(#[$doc])*
        pub(crate) mod $module {
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Order { $($name),* }
            $(#[allow(dead_code)] // Some are for the interpreters alone.
            pub(crate) const $name: $of = Order::$name as $of;)*
        })*
        const NUMBERED: &[(&str, &[&str])] =
            &[$((stringify!($module), &[$(stringify!($name)),*])),*];
    };
}

numbered! {
    /// Operations of instructions.
    op u32: HALT CONST MOVE NATURAL MACHINE CAST SELECT COMPARE CONNECTIVE NOT READ WRITE ATOMIC
        JUMP UNLESS SYNC;
    /// Operators of atomic updates.
    atomic u32: ADD SUB MIN MAX AND OR XOR EXCH INC DEC CAS OPAQUE;
    /// Scopes of barriers.
    scope u32: BLOCK WARP TILE GRID;
    /// How a thread stopped.
    status u32: HALTED BARRIER OUT_OF_FUEL LOG_FULL OUTSIDE;
    /// Words of a program's header.
    header usize: CODE INSTRUCTIONS THREADS ARRAY ARRAYS INPUT INPUTS X Y Z FUEL CAPACITY LOG THREAD
        SEED JITTER WARP BLOCK BLOCKS WORDS;
    /// Words of a thread's result.
    result usize: STATUS PC LOGGED OVERFLOW PHASE FUEL OUTSIDE OUTSIDE_HIGH WORDS;
}

/// The type field of what is on naturals, or has no type; those of machine integers are smaller.
pub(crate) const TYPE_NATURAL: u32 = 8;
/// Barriers have numbers below this; from here on are the stops at barriers of tiles and warps.
pub(crate) const STOP_GROUPS: u32 = 0x4000_0000;

/// What else interpreters know: stop codes, sizes, and where the parts of a jitter begin.
const OTHERS: [(&str, u32); 13] = [
    ("TYPE_NATURAL", TYPE_NATURAL),
    ("STOP_GROUPS", STOP_GROUPS),
    ("STOP_BARRIERS", 2 * STOP_GROUPS),
    ("STOP_FAULT", 0xf000_0000),
    ("STOP_HALT", 0xffff_fffe),
    ("STOP_YIELD", 0xffff_ffff),
    ("REGISTERS", REGISTERS as u32),
    ("ENTRY_LONGS", ENTRY_LONGS as u32),
    ("DELAY", DELAY),
    ("STRESS", STRESS),
    ("PLACED", PLACED),
    ("STRIDED", STRIDED),
    ("WARP", babycuda_core::launch::WARP_SIZE),
];

/// The first bits of the parts of a jitter's word, after the turn, and its bits in all.
pub(crate) const DELAY: u32 = 8;
pub(crate) const STRESS: u32 = 12;
pub(crate) const PLACED: u32 = 16;
pub(crate) const STRIDED: u32 = 17;

/// The operators that the calculus has in an order of its own.
fn operators() -> [(&'static str, Vec<String>); 4] {
    [
        ("natural", names(&ArithOp::ALL)),
        ("machine", names(&MachineOp::ALL)),
        ("compare", names(&Relation::ALL)),
        ("connective", names(&BoolOp::ALL)),
    ]
}

fn names<T: Debug>(all: &[T]) -> Vec<String> {
    all.iter().map(|item| format!("{item:?}")).collect()
}

/// The definitions of all numbers, one a line.
#[cfg(any(feature = "opencl", feature = "cuda", feature = "wgpu"))]
fn text(define: impl Fn(&str, u32) -> String) -> String {
    let owned = |name: &&str| (*name).to_owned();
    let numbered = NUMBERED.iter().map(|(group, all)| (*group, all.iter().map(owned).collect()));
    let groups = numbered.chain(operators());
    let each = groups.flat_map(|(group, all)| {
        let name = move |name: String| format!("{group}_{name}").to_uppercase();
        all.into_iter().map(name).zip(0..)
    });
    let others = OTHERS.map(|(name, number)| (name.to_owned(), number));
    each.chain(others).map(|(name, number)| define(&name, number)).collect()
}

/// For C and what comes of it.
#[cfg(any(feature = "opencl", feature = "cuda"))]
pub(crate) fn c() -> String {
    text(|name, number| format!("#define {name} {number}u\n"))
}

/// For WGSL.
#[cfg(feature = "wgpu")]
pub(crate) fn wgsl() -> String {
    text(|name, number| format!("const {name} = {number}u;\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../BYTECODE.md");

    /// The names that stand first in the cells behind the numbers 0, 1, …, of the table behind a title.
    fn rows(title: &str) -> Vec<&'static str> {
        let (_, section) = PAGE.split_once(title).expect("the title");
        let lines = section.lines().skip_while(|line| !line.starts_with("| "));
        let rows = lines.take_while(|line| line.starts_with('|'));
        let cells: Vec<&str> = rows.flat_map(|row| row.split('|')).map(str::trim).collect();
        let numbered = cells
            .windows(2)
            .filter_map(|pair| Some((pair[0].parse::<usize>().ok()?, pair[1].split('`').nth(1)?)));
        let mut numbered: Vec<(usize, &str)> = numbered.collect();
        numbered.sort();
        assert!(numbered.iter().map(|(number, _)| *number).eq(0..numbered.len()), "{numbered:?}");
        numbered.into_iter().map(|(_, name)| name).collect()
    }

    /// The words behind `0…3 = ` in the row of an operation, as many as there are numbers.
    fn listed(operation: &str) -> Vec<String> {
        let row = PAGE.lines().find(|line| line.contains(&format!(" | `{operation}`")));
        let (start, list) = row.and_then(|row| row.split_once(" = ")).expect("a list");
        let last = start.rsplit('…').next().and_then(|last| last.parse::<usize>().ok());
        // Without what stands in parentheses.
        let outside = list.split('(').map(|part| part.rsplit(')').next().unwrap_or_default());
        let outside: Vec<&str> = outside.collect();
        let words = outside.iter().flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
        let words = words.filter(|word| !word.is_empty()).map(str::to_uppercase);
        words.take(last.expect("numbers") + 1).collect()
    }

    fn numbered(group: &str) -> &'static [&'static str] {
        let found = NUMBERED.iter().find(|(name, _)| *name == group);
        found.map(|(_, names)| *names).expect("a group")
    }

    #[test]
    fn the_page_has_the_operations_and_words_in_their_order() {
        let operations = rows("## Instructions");
        let operations: Vec<String> = operations.iter().map(|name| name.to_uppercase()).collect();
        assert_eq!(operations, numbered("op"));
        let (header, end) = (numbered("header"), numbered("result"));
        assert_eq!(rows("words a program:"), header[..header.len() - 1]);
        assert_eq!(rows("`threads` of a thread:"), end[..end.len() - 1]);
        let statuses = numbered("status").iter().enumerate();
        let statuses: Vec<String> = statuses.map(|(n, name)| format!("{n} `{name}`")).collect();
        let (_, told) = PAGE.split_once("`STATUS`: ").expect("the statuses");
        let told = told.split([',', '|', '(']).map(str::trim).filter(|s| s.contains('`'));
        assert_eq!(told.take(statuses.len()).collect::<Vec<_>>(), statuses);
    }

    #[test]
    fn the_page_has_the_operators_in_their_order() {
        for (operation, own) in operators() {
            let own: Vec<String> = own.iter().map(|name| name.to_uppercase()).collect();
            assert_eq!(listed(operation), own, "{operation}");
        }
        assert_eq!(listed("atomic"), numbered("atomic"));
        assert_eq!(listed("sync"), numbered("scope"));
    }

    #[test]
    fn the_page_has_the_sizes() {
        let stop = |stop: u32| format!("0x{:04x}_{:04x}", stop >> 16, stop & 0xffff);
        let others: std::collections::BTreeMap<&str, u32> = OTHERS.into();
        let types = babycuda_core::IntType::ALL.map(|t| t.to_string());
        let said = [
            format!("{} registers of a long", others["REGISTERS"]),
            format!("{}, and {TYPE_NATURAL} = naturals", types.join(" ")),
            format!("(below {}) barrier k", stop(STOP_GROUPS)),
            format!("{} + k barrier k of a tile or warp", stop(STOP_GROUPS)),
            format!("{} + status", stop(others["STOP_FAULT"])),
            format!("{} halt", stop(others["STOP_HALT"])),
            format!("{} yield", stop(others["STOP_YIELD"])),
            format!("| 0…{} | *turn*", DELAY - 1),
            format!("| {DELAY}…{} | *delay*", STRESS - 1),
            format!("| {STRESS}…{} | *stress*", PLACED - 1),
            format!("| {PLACED} | *placed*"),
            format!("| {STRIDED} | *strided*"),
            format!("its warp ({} lanes)", others["WARP"]),
            format!("`programs`, {} words a program", header::WORDS),
            format!("longs, {} an entry", others["ENTRY_LONGS"]),
            format!("`threads`: {} words a thread", result::WORDS),
        ];
        for said in said {
            assert!(PAGE.contains(&said), "{said}");
        }
    }
}
