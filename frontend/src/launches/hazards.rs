//! What makes host code mean something else than it seems to, anywhere in a file: then nothing is known of its
//! launches.

use crate::unit::{MAX_DEPTH, Unit, has_qualifier, listed, part, walk};
use std::iter::successors;
use tree_sitter::Node;

/// Functions that mean what the standard library's do, as long as nobody declares such a name outside of kernels.
pub(super) const KNOWN: [&str; 15] = [
    "exit",
    "abort",
    "max",
    "min",
    "fmax",
    "fmin",
    "fmaxf",
    "fminf",
    "ceil",
    "ceilf",
    "floor",
    "floorf",
    "abs",
    "dim3",
    "make_uint3",
];

/// Why nothing is known of the launches of this file, in words.
pub(super) fn of<'t>(unit: &'t Unit<'t>, root: Node<'t>) -> Option<String> {
    walk(root, |n, field| match n.kind() {
        // They are called without a word, and may take what they change by reference.
        "operator_name" | "operator_cast" if !is_harmless(unit, n) => {
            Some("the file declares operators".to_owned())
        }
        "identifier" | "field_identifier"
            if field == Some("declarator")
                && KNOWN.contains(&unit.text_of(n))
                && !unit.kernels.iter().any(|k| k.node.byte_range().contains(&n.start_byte()))
                && !is_number(n) =>
        {
            Some(format!("the file declares `{}`", unit.text_of(n)))
        }
        _ => None,
    })
}

/// Is the operator one of devices only?
fn is_harmless<'t>(unit: &'t Unit<'t>, operator: Node<'t>) -> bool {
    let mut around = successors(operator.parent(), Node::parent).take(MAX_DEPTH);
    let function = around.find(|n| n.kind() == "function_definition");
    let has = |qualifier| function.is_some_and(|f| has_qualifier(f, unit.text, qualifier));
    has("__device__") && !has("__host__")
}

/// Is it a parameter or a local variable that is a number? Nobody calls that.
fn is_number(declarator: Node<'_>) -> bool {
    const DECLARATIONS: &str = "parameter_declaration optional_parameter_declaration declaration";
    let mut around = successors(declarator.parent(), Node::parent).take(MAX_DEPTH);
    let direct = around.next().filter(|n| n.kind() != "init_declarator").or_else(|| around.next());
    let declaration = direct.filter(|n| listed(DECLARATIONS, n.kind()));
    let ty = declaration.and_then(|n| part(n, "type"));
    let local = |n: Node<'_>| listed("compound_statement parameter_list", n.kind());
    ty.is_some_and(|ty| ty.kind() == "primitive_type") && around.any(local)
}

/// May there be a `template<>` of a function of this name? (The grammar may not read it.)
pub(super) fn specializes(unit: &Unit<'_>, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    unit.text.split("template").skip(1).any(|rest| {
        let rest = rest.trim_start().strip_prefix('<').map(str::trim_start);
        let Some(rest) = rest.and_then(|rest| rest.strip_prefix('>')) else { return false };
        let head = rest.split(['{', ';']).next().unwrap_or(rest);
        head.split(|c| !is_word(c)).any(|word| word == name)
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
