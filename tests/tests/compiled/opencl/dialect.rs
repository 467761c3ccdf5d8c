//! OpenCL C from a text with `BC_…` macros; C++ has them in `opencl.h`.

use crate::dialect::{closing, split};

/// The text as OpenCL C.
pub fn opencl(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("BC_") {
        out += &rest[..at];
        rest = &rest[at..];
        // The texts are this crate's own: every `BC_NAME` has its parentheses.
        let open = rest.find('(').expect("BC_NAME(…)");
        let close = closing(&rest[open..]).expect("BC_NAME(…)") + open;
        let args: Vec<String> =
            split(&rest[open + 1..close]).iter().map(|a| opencl(a.trim())).collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        out += &replaced(&rest[..open], &args);
        rest = &rest[close + 1..];
    }
    out + rest
}

fn replaced(name: &str, args: &[&str]) -> String {
    match (name, args) {
        ("BC_VEC", [ty, parts @ ..]) => format!("({ty})({})", parts.join(", ")),
        ("BC_OF" | "BC_TO", [place, name]) => format!("{place}.{name}"),
        ("BC_ARG", value) => value.join(", "),
        ("BC_SET", [place, value @ ..]) => format!("{place} = {}", value.join(", ")),
        ("BC_COPIED", _) => String::new(),
        ("BC_SMEM", [ty, name, dims]) => format!("__local {ty} {name}{dims}"),
        ("BC_GATHER" | "BC_SCATTER", _) => {
            format!("async_work_group_strided_copy({})", args.join(", "))
        }
        _ => panic!("{name}({args:?})"),
    }
}
