//! What a grammar that knows no declarations takes for something else: `(x) - y % 3` is no cast
//! where `x` is a variable, and `x < y || z > (3)` no call of a template `x`; `x<3> y = z;` declares
//! y where `x` is none.

use crate::assumptions::is_assumption;
use crate::error::FrontendError;
use crate::preprocess::Expanded;
use crate::unit::{MAX_DEPTH, Unit, part, walk};
use std::collections::BTreeSet;
use std::iter::successors;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Places inside of misread ones show when those are put right: so deep at most.
const MAX_ROUNDS: usize = 12;

/// Parses the text, and puts parentheses in it where, or away, until it is read as C++ does.
pub(crate) fn parse_rightly(
    source: &str,
    expanded: &mut Expanded,
    parse: impl Fn(&str) -> Result<Tree, FrontendError>,
) -> Result<Tree, FrontendError> {
    for _ in 0..MAX_ROUNDS {
        let tree = parse(&expanded.text)?;
        // Most files have nothing to look at.
        if walk(tree.root_node(), |node, _| suspect(node).map(drop)).is_none() {
            return Ok(tree);
        }
        let mut names = misread(&Unit::new(source, expanded, &tree), tree.root_node());
        if names.is_empty() {
            return Ok(tree);
        }
        // From the end, so that the places before stay.
        names.sort_by_key(|(name, _)| name.start);
        for (name, what) in names.into_iter().rev() {
            match what {
                Taken::Template => expanded.parenthesise(&name),
                Taken::Cast(around) => expanded.unparenthesise(&around),
                Taken::Expression => expanded.insert(name.start, "typename "),
            }
        }
    }
    parse(&expanded.text)
}

/// Variables of CUDA; their members are numbers.
const BUILT_IN: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

/// What a variable is taken for, or a type.
enum Taken {
    /// `x` in `x < y || z > 3`.
    Template,
    /// `(x)` in `(x) - y % 3`, with its parentheses.
    Cast(Range<usize>),
    /// The type `x<3>` in `x<3> y = z;`.
    Expression,
}

/// The places of variables that are taken for something else.
fn misread(unit: &Unit<'_>, root: Node<'_>) -> Vec<(Range<usize>, Taken)> {
    let mut found = Vec::new();
    let mut of_file: Option<BTreeSet<&str>> = None;
    let mut of_function: (usize, BTreeSet<&str>) = (0, BTreeSet::new());
    let mut of_assumption = 0;
    let _nothing = walk(root, |node, _| {
        if node.kind() == "function_definition" && node.start_byte() >= of_function.0 {
            of_function = (node.end_byte(), BTreeSet::new());
            // Most functions have nothing to look at.
            if walk(node, |n, _| suspect(n).map(|_| ())).is_some() {
                of_function.1 = variables(unit, node);
            }
            if is_assumption(unit, node) {
                of_assumption = node.end_byte();
            }
        }
        let (name, range, taken) = suspect(node)?;
        let text = unit.text_of(name);
        let files = of_file.get_or_insert_with(|| {
            unit.declarations.iter().flat_map(|d| variables(unit, *d)).collect()
        });
        let here = node.start_byte() < of_function.0 && of_function.1.contains(text);
        // An assumption speaks of what kernels declare.
        let said = node.start_byte() < of_assumption && matches!(taken, Taken::Template);
        let here = here || said;
        let is_variable = here || files.contains(text) || BUILT_IN.contains(&text);
        let is_variable =
            is_variable && !unit.knows_type(text) && !unit.functions.contains_key(text);
        if is_variable != matches!(taken, Taken::Expression) {
            found.push((range, taken));
        }
        None::<()>
    });
    found
}

/// The name that may be a variable's, the place of what is taken for something else, and for what.
fn suspect(node: Node<'_>) -> Option<(Node<'_>, Range<usize>, Taken)> {
    match node.kind() {
        "template_function" => {
            let name = part(node, "name")?;
            let plain = name.kind() == "identifier";
            plain.then_some((name, name.byte_range(), Taken::Template))
        }
        // `threadIdx.x < n && i > (3)`
        "field_expression" => {
            let (of, field) = (part(node, "argument")?, part(node, "field")?);
            if field.kind() != "template_method" || !of.kind().ends_with("identifier") {
                return None;
            }
            let name = part(field, "name")?;
            Some((of, node.start_byte()..name.end_byte(), Taken::Template))
        }
        // `(x < 3) > y = z` assigns to no place: it is no expression.
        "expression_statement" => {
            let whole = node.named_child(0)?;
            let end =
                if whole.kind() == "comma_expression" { part(whole, "right")? } else { whole };
            let is = |n: Node<'_>, o: &str| part(n, "operator").is_some_and(|n| n.kind() == o);
            let assigns = part(end, "right").is_some_and(|n| n.kind() == "assignment_expression");
            let sides = successors(Some(whole), |n| part(*n, "left"));
            let less = sides.take(MAX_DEPTH).find(|n| is(*n, "<"))?;
            let name = part(less, "left").filter(|n| n.kind().ends_with("identifier"))?;
            (assigns && is(end, ">")).then_some((name, name.byte_range(), Taken::Expression))
        }
        "cast_expression" => {
            let t = part(node, "type")?;
            let name =
                t.child(0).filter(|n| n.kind() == "type_identifier" && t.child_count() == 1)?;
            let close = node.child(2).filter(|n| n.kind() == ")" && !n.is_missing())?;
            node.child(0).filter(|n| n.kind() == "(" && !n.is_missing())?;
            Some((name, name.byte_range(), Taken::Cast(node.start_byte()..close.end_byte())))
        }
        _ => None,
    }
}

/// The names of the variables and enumerators that are declared in `node`.
fn variables<'u>(unit: &Unit<'u>, node: Node<'_>) -> BTreeSet<&'u str> {
    let mut names = BTreeSet::new();
    let _nothing = walk(node, |node, field| {
        let name = match (node.kind(), field) {
            ("identifier", Some("declarator")) => Some(node),
            ("reference_declarator", _) => node.named_child(0),
            ("enumerator", _) => part(node, "name"),
            _ => None,
        };
        if let Some(name) = name.filter(|n| n.kind() == "identifier") {
            names.insert(unit.text_of(name));
        }
        None::<()>
    });
    names
}
