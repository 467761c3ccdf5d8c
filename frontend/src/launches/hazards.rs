//! What makes host code mean something else than it seems to, anywhere in a file: then nothing is known of its
//! launches.

use crate::unit::{Unit, walk};
use tree_sitter::Node;

/// Functions that mean what the standard library's do, as long as nobody declares such a name outside of kernels.
const KNOWN: [&str; 14] = [
    "exit", "abort", "max", "min", "fmax", "fmin", "fmaxf", "fminf", "ceil", "ceilf", "floor",
    "floorf", "abs", "dim3",
];

/// Why nothing is known of the launches of this file, in words.
pub(super) fn of<'t>(unit: &'t Unit<'t>, root: Node<'t>) -> Option<String> {
    if unit.source.contains("__CUDA_ARCH__") {
        return Some("the file means other things to the host (`__CUDA_ARCH__`)".into());
    }
    walk(root, |n, field| match n.kind() {
        // They are called without a word, and may take what they change by reference.
        "operator_name" | "operator_cast" => Some("the file declares operators".to_owned()),
        "identifier" | "field_identifier"
            if field == Some("declarator")
                && KNOWN.contains(&unit.text_of(n))
                && !unit.kernels.iter().any(|k| k.node.byte_range().contains(&n.start_byte())) =>
        {
            Some(format!("the file declares `{}`", unit.text_of(n)))
        }
        _ => None,
    })
}

/// Do classes of the file have functions? Then objects may do something where nothing is seen.
pub(super) fn has_methods<'t>(root: Node<'t>) -> bool {
    let of_class = |n: Node<'t>| {
        let declares =
            |n: Node<'t>, _: Option<&str>| (n.kind() == "function_declarator").then_some(());
        (n.kind() == "field_declaration_list" && walk(n, declares).is_some()).then_some(())
    };
    walk(root, |n, _| of_class(n)).is_some()
}
