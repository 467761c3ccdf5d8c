//! The launches that the host code of a file makes of its own kernels, and what it says of them.
//!
//! The way from the start of a host function to a launch in it is followed statement by statement. A variable
//! has a value from where it is assigned for the first time on that way; what is assigned again, in a loop
//! around the launch, in a branch, or through an address has an unknown one. So do parameters of host
//! functions, and what no one here can compute: nothing is assumed that the file does not say. Values are those
//! of C's arithmetic: signed overflow of the host is undefined, so that it does not happen.
//!
//! The first comments of a file may name a launch, too, as in the suites of verifiers (`//--blockDim=64 --gridDim=2`):
//! it is one of each kernel.
//!
//! Launches by other files are not seen. Where a kernel is mentioned otherwise than by a launch, as in a pointer
//! to it, a launch counts of which nothing is known ([`LaunchSite::unknown`]).

mod aliases;
mod call;
mod effects;
mod evaluate;
mod hazards;
mod header;
mod relations;
mod statement;
mod text;
mod under;
mod walk;

pub use under::Launched;

use crate::doubt::Doubts;
use crate::error::FrontendError;
use crate::options::Options;
use crate::preprocess::preprocess;
use crate::unit::{MAX_DEPTH, Unit, children, function_name, part, walk};
use babycuda_core::Span;
use babycuda_kernel::{Expr, Type};
use std::iter::successors;
use tree_sitter::Node;

/// The macro that only code of the device is compiled with.
const ARCHITECTURE: &str = "__CUDA_ARCH__";

/// A launch of a kernel by the file that defines it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LaunchSite {
    /// The kernel's name, without arguments of a template.
    pub kernel: String,
    /// Where it stands.
    pub span: Span,
    /// Why nothing is known of it: what it says of extents may be so, and no more.
    pub unknown: Option<String>,
    says: Says,
}

/// What a launch says. Variables of its expressions are numbers of `symbols`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Says {
    /// Values of the host that are not known, each the same wherever it is mentioned.
    symbols: Vec<(String, Type)>,
    block: [Option<Expr>; 3],
    grid: [Option<Expr>; 3],
    /// For each argument its value, where it is an integer that is known.
    arguments: Option<Vec<Option<Expr>>>,
    /// For each argument the variable that it begins with, or one of which that is a copy.
    names: Vec<Option<String>>,
    /// For each argument a variable that begins in the same array, as far as the function says.
    origins: Vec<Option<String>>,
    /// Is an argument nothing but that variable?
    plain: Vec<bool>,
    /// Arguments of the kernel's template that are values, by the names of its parameters.
    template: Vec<(String, Expr)>,
    /// All arguments of the template, as they are written.
    written: Vec<String>,
    /// Is an expression that is not read taken for a number, so that the other extents are 1?
    guessed: bool,
    /// What held on the way to the launch.
    conditions: Vec<Expr>,
}

/// The launches of kernels of the CUDA file `source` in that file, in the order of their kernels.
///
/// # Errors
/// [`FrontendError`] when the file cannot be read.
pub fn launches(source: &str, options: &Options) -> Result<Vec<LaunchSite>, FrontendError> {
    // The host is compiled by itself.
    let mut options = options.clone();
    let for_device = options.defines.iter().any(|(head, _)| head == ARCHITECTURE);
    options.undefines.extend((!for_device).then(|| ARCHITECTURE.to_owned()));
    let mut expanded = preprocess(source, &options)?;
    let tree = crate::misread::parse_rightly(source, &mut expanded, crate::parse)?;
    let unit = Unit::new(source, &expanded, &tree).with_wild_types(&tree);
    let root = tree.root_node();
    let doubts = Doubts::new(&unit, root);
    let hazard = match for_device {
        true => Some(format!("`{ARCHITECTURE}` is defined, which no host has")),
        false => hazards::of(&unit, root),
    };
    let mut sites = Vec::new();
    let mut names: Vec<&str> =
        unit.kernels.iter().filter_map(|k| Some(unit.text_of(function_name(k.node)?))).collect();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let mentions = mentions(&unit, root, name);
        let seen: Vec<Span> = mentions.iter().map(|(node, _)| span(&unit, *node)).collect();
        for (node, mention) in mentions {
            let place = match mention {
                Mention::Launch(call) => call,
                Mention::Other => node,
            };
            let (says, unknown) = match mention {
                Mention::Launch(call) => {
                    let hazard = hazard.clone().map_or(Ok(()), Err);
                    match hazard.and_then(|()| walk::follow(&unit, &doubts, name, call)) {
                        Ok(says) => (says, None),
                        Err(why) => (call::written(&unit, &doubts, name, call), Some(why)),
                    }
                }
                Mention::Other => {
                    (Says::default(), Some("it is mentioned otherwise than by a launch".into()))
                }
            };
            let span = span(&unit, place);
            sites.push(LaunchSite { kernel: name.to_owned(), span, unknown, says });
        }
        sites.extend(left_out(&unit, name, &seen));
        sites.extend(header::header(source, name));
    }
    Ok(sites)
}

fn span(unit: &Unit<'_>, node: Node<'_>) -> Span {
    Span::locate(unit.source, unit.expanded.map.original(&node.byte_range()))
}

/// How a kernel is mentioned.
#[derive(Clone, Copy)]
enum Mention<'t> {
    /// By this call.
    Launch(Node<'t>),
    /// As a value.
    Other,
}

/// Functions of CUDA's that ask for properties of a kernel, or set them.
const ASKING: &str = "cudaFunc cudaOccupancy hipFunc hipOccupancy";

/// Where the kernel is mentioned, but for its declarations.
fn mentions<'t>(unit: &Unit<'t>, root: Node<'t>, name: &str) -> Vec<(Node<'t>, Mention<'t>)> {
    let mut found = Vec::new();
    let _nothing = walk(root, |node, _| {
        let named = node.kind().ends_with("identifier") && node.child_count() == 0;
        if !named || unit.text_of(node) != name {
            return None::<()>;
        }
        let wraps = |n: &Node<'t>| {
            matches!(n.kind(), "template_function" | "qualified_identifier")
                && part(*n, "name").is_some()
        };
        let around: Vec<Node<'t>> =
            successors(node.parent(), Node::parent).take(MAX_DEPTH).collect();
        let outer = around.iter().take_while(|n| wraps(n)).last().copied().unwrap_or(node);
        let parent = outer.parent()?;
        let is = |field: &str| part(parent, field) == Some(outer);
        if parent.kind() == "function_declarator" && is("declarator") {
            return None;
        }
        let call = around.iter().find(|n| n.kind() == "call_expression").copied();
        let mention = match call {
            Some(call) if part(call, "function") == Some(outer) => {
                let launch = children(call).iter().any(|c| c.kind() == "kernel_call_syntax");
                if launch { Mention::Launch(call) } else { Mention::Other }
            }
            Some(call) => {
                let function = part(call, "function").map_or("", |f| unit.text_of(f));
                let first = part(call, "arguments").and_then(|a| children(a).first().copied());
                let is_first = first.is_some_and(|f| f.byte_range().contains(&node.start_byte()));
                if crate::unit::begins(ASKING, function) {
                    return None;
                }
                match is_first && call::launches_by(function).is_some() {
                    true => Mention::Launch(call),
                    false => Mention::Other,
                }
            }
            None => Mention::Other,
        };
        found.push((node, mention));
        None
    });
    found
}

/// Launches in text that is left out of an undecided conditional.
fn left_out(unit: &Unit<'_>, name: &str, seen: &[Span]) -> Vec<LaunchSite> {
    if unit.expanded.doubts.is_empty() && !unit.source.contains(ARCHITECTURE) {
        return Vec::new();
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut sites = Vec::new();
    for (at, _) in unit.source.match_indices(name) {
        let (before, rest) = (&unit.source[..at], &unit.source[at + name.len()..]);
        let mut rest = rest.trim_start();
        if before.ends_with(is_word) {
            continue;
        }
        if rest.starts_with('<') && !rest.starts_with("<<<") {
            rest = rest.split_once('>').map_or("", |(_, rest)| rest.trim_start());
        }
        let line = before.rsplit('\n').next().unwrap_or_default();
        let known = seen.iter().any(|span| span.bytes().contains(&at));
        if !rest.starts_with("<<<") || known || line.contains("//") {
            continue;
        }
        let span = Span::locate(unit.source, at..at + name.len());
        let unknown = Some("it stands in a conditional that may not be compiled".to_owned());
        sites.push(LaunchSite { kernel: name.to_owned(), span, unknown, says: Says::default() });
    }
    sites
}
