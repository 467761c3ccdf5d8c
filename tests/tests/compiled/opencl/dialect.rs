//! OpenCL C from a text with `BC_…` macros; C++ has them in `opencl.h`.

use crate::dialect::expanded;

/// The text as OpenCL C.
pub fn opencl(text: &str) -> String {
    expanded(text, replaced)
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
