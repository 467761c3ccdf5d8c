//! CUDA C kernels to BabyCUDA, with source spans.
//!
//! [`parse_cuda`] reads a file and translates each of its kernels into a [`Program`], or says which
//! construct of it is not supported: then the verdict on that kernel, and on no other, is unknown.
//!
//! ```
//! use babycuda_frontend::{Options, Translation, parse_cuda};
//!
//! let source = "__global__ void fill(float *a, int n) {
//!     int i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < n) a[i] = 0.0f;
//! }";
//! let kernels = parse_cuda(source, &Options::default())?;
//! let Translation::Program(program) = &kernels[0].translation else { panic!() };
//! assert_eq!(program.arrays[0].name.as_str(), "a");
//! # Ok::<(), babycuda_frontend::FrontendError>(())
//! ```
//!
//! # What the translation means
//! - Integers are patterns of machine arithmetic, with C's conversions. Signed overflow stops the
//!   thread that computes it, by a read of an array that no one can have written; with
//!   [`Overflow::Wrap`] it wraps; unsigned arithmetic wraps. `long` has 64 bits. An index is
//!   converted to 64 bits, sign- or zero-extended, so `a[-1]` is a cell of its own; the rows of an
//!   array of arrays follow each other. No access is clipped.
//! - Floats, vectors and structures are data: their arithmetic is unknown, and a comparison of them
//!   is an unknown condition, but for floats that are known where the result is exact. An unknown value is a read of an array that no one writes
//!   (`Contents::Opaque`).
//! - Fields of a structure or vector that the kernel is given by value and does not change, or that the host
//!   sets, are parameters (`object.field`), and arrays where they are pointers.
//! - A cell is an element. Where a kernel accesses an array at several types (a pointer is cast, a field or
//!   a component is accessed, `extern __shared__` is declared twice), a cell is as many bytes as divide all
//!   accesses and the distances between them; an access is one of all cells that it touches, and a note
//!   says how large they are. What is read in another type than it has is unknown.
//! - A pointer may point into one of several arrays, as a condition chooses; an access is then a branch.
//! - What a texture holds is data; that the kernel does not write it is assumed, and a note says so.
//! - A surface object is a pointer to memory of its own, accessed in bytes, rows and layers
//!   ([`babycuda_kernel::surface`]); outside of what any device has of one, the thread stops.
//! - Inline PTX that computes in registers yields values of which only the type is known; `mov` from a register that
//!   tells where the thread is, that; `bar.sync 0` is `__syncthreads()`. Other instructions are refused.
//! - Where a construct is refused, [`Unsupported::known`] is the kernel with `__trap()` for each statement
//!   that has one, and behind the first iteration of a loop that is one: its races are races of the kernel, and nothing else is said.
//! - A constant array that the file initializes holds those values, and is no array at all where
//!   the index is known. What the host may set (`__constant__` without `const`) is arbitrary.
//! - An expression whose value nobody wants (`a[i];`, `(void)a[i];`) reads nothing, unless the file
//!   has `volatile`: C++ converts a discarded place to no value, and compilers access nothing. Neither
//!   does the operand of `__builtin_assume`, which is not evaluated; an effect in it is refused, and a thread
//!   of which it does not hold goes no further, unless it reads memory or may overflow: of that nothing is
//!   assumed.
//! - `assert(c)` evaluates `c`, and stops its thread where it does not hold; `__trap()` stops it in any
//!   case (THEORY §4). Where `assert.h` was last included with `NDEBUG` defined, `assert` is nothing.
//! - A counter of a signed type that goes on by an unsigned step (`i += gridDim.x * blockDim.x`) stops its thread
//!   where it would leave its type, as other signed overflow does; so does one of an unsigned type that goes up
//!   towards a limit, and one of which a multiple does that is compared with a constant. With [`Overflow::Wrap`] they wrap.
//! - A loop whose condition no iteration changes, and that nothing leaves, stops its thread. Any
//!   other loop with an unknown number of iterations is taken to end: what follows is data.
//! - `__syncwarp()`, with a mask that names each thread's own tile, one tile of each warp or all lanes, and `sync` of a
//!   cooperative group are barriers of its scope; a thread that is not in the one tile waits for nobody. CUDA does not wait for lanes that have ended, the
//!   calculus does: where that differs, a check does not decide (`Sources::translated`).
//! - A group is a value that is known where it is used. Ranks are unsigned, of 32 bits, or of 64 for grids
//!   and `thread_group`; they count threads in linear order, x first. A kernel that partitions its block
//!   in any case is meant for blocks that the tiles divide, as CUDA wants it: an assumption says so.
//!   Grids with `is_valid()` are launched cooperatively.
//! - Groups of threads that values choose (`coalesced_threads`, `labeled_partition`) have ranks, sizes and values that
//!   are unknown. Whom their barrier holds is not known, nor is it of `__syncwarp` with another mask; tiles of more threads
//!   than a warp have none in the calculus. [`Unsupported::freer`] is the kernel without such barriers.
//! - Fragments of `nvcuda::wmma` are data. A load reads and a store writes a tile: each element by the lane that holds it.
//!   Which one that is, is the same for all fragments of a type, and parameters say it (a note names them). Rows of
//!   blocks are assumed to be whole warps; a distance of lines that CUDA does not allow, or by which they overlap, stops
//!   the thread.
//! - `cuda::memcpy_async` by a pipeline of the thread is a copy at the place of its call, and one more behind each
//!   barrier that it may pass. One by a barrier of the block has to be waited for before the next barrier, and before
//!   the thread accesses what it copies; otherwise it is refused. `cuda::barrier` of a block is a barrier of all of its
//!   threads, which an assumption says where the count does not; its start is a write and an arrival a read.
//! - Shuffles, votes and reductions of warps and tiles yield unknown values and order nothing: CUDA says
//!   that they imply no memory barrier.
//! - Shared memory starts with any contents. Different pointer parameters are assumed not to
//!   overlap (a note says so); all `extern __shared__` arrays are one array.
//! - `#include` is followed where [`Options::includes`] finds the file. What a missing header may
//!   decide is not translated; it is assumed to leave alone what the file itself defines, and a
//!   note says so. Headers of systems and of CUDA are known without being read. In an included
//!   file, places are those of the `#include`.
//! - Names that the compiler, the platform or the command line may define (`__linux__`, `NDEBUG`) are
//!   open, unless [`Options::defines`] or [`Options::undefines`] has them: what depends on them is not
//!   translated. `__CUDA_ARCH__`, `__cplusplus`, `CUDART_VERSION` and the version of nvcc have a value that a
//!   note says.
//! - Statements that follow a possible `return` are guarded. A barrier among them is then below a
//!   guard that may depend on the thread, which checkers report as divergence.
//! - All names of a file are in one scope. A name that several scopes declare, or a namespace and
//!   CUDA, is refused where it is used. So is a template with an explicit specialisation.
//! - An own function with the name of one of CUDA's is meant where its parameters have exactly the
//!   types of the arguments, or where CUDA's takes another number of them; otherwise the call is
//!   refused. `std::f` is never an own function.
//! - Values of classes are data. A type that may be more is refused: a reference by another name, a
//!   class whose constructors, destructor, operators or conversions reach anything but the value, a
//!   class of `std`, `thrust`, `cuda` or `cub`.
//! - A type that nobody declares is assumed to be one of numbers, and a note says so; one of a library is refused.
//! - Trees of another parser ([`parse_with`]) are translated by the same rules. What is in doubt because of the
//!   text (headers, names of platforms) is in doubt for them, too; scopes, overloads and templates are
//!   what that parser resolves.
//! - `volatile` accesses are plain accesses, but what an array declared so holds is not what the host
//!   stored alone: two reads may yield two values (`Contents::Opaque`). Fences order nothing.

pub mod directives;
pub mod launches;

mod arith;
mod assumptions;
mod broken;
mod builtin;
mod clashes;
mod ctype;
mod doubt;
mod error;
mod fences;
mod fit;
mod includes;
mod literal;
mod lower;
mod misread;
mod options;
mod other;
mod preprocess;
mod range;
mod requires;
mod resolve;
mod spaces;
mod unit;
mod value;
mod whole;
mod wild;

pub use error::{Freer, FrontendError, Unsupported};
pub use includes::{Included, Includes, Request};
pub use options::{Options, Overflow};
pub use other::{Parser, Reading, Readings};
pub use requires::Required;

use assumptions::{assigns, assumption_expression, assumption_function, check_assumption};
use babycuda_core::budget::look;
use babycuda_core::syntax::Note;
use babycuda_core::{Budget, Program, Span};
use babycuda_kernel::Origin;
pub use babycuda_kernel::{Includer, Language};
use error::Refusal;
use fit::{check_block, check_parameters, check_used};
use lower::Refused;
use lower::kernel::Skipped;
use preprocess::preprocess;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use tree_sitter::{ParseOptions, ParseState, Tree};
use unit::{Unit, function_name};

/// A kernel of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kernel {
    /// Its name; empty when the definition is too broken to have one.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What became of it.
    pub translation: Translation,
    /// Its typed tree, for techniques that translate kernels themselves; `None`: what it declares, or its
    /// file, could not be understood. A construct that the tree does not know is a node of it.
    pub tree: Option<Arc<babycuda_kernel::Kernel>>,
    /// The parser that read it, where it is not the built-in one.
    pub parser: Option<Arc<str>>,
    /// What it requires of its launches, and the translation assumes.
    pub required: Vec<Required>,
}

/// The result of translating a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
#[allow(clippy::large_enum_variant)] // a handful exist at a time
pub enum Translation {
    /// The program that the kernel means.
    Program(Program),
    /// A construct that is not translated: it cannot be said that the kernel has no race.
    Unsupported(Unsupported),
}

/// Reads the CUDA file `source` and translates each of its kernels, in order.
///
/// Assumptions that the file states in comments (see [`directives`]) count like those of
/// `options`. Lines and columns of spans are those of `source`.
///
/// # Errors
/// [`FrontendError`] when the file as a whole cannot be read, or an option fits no kernel. What
/// concerns one kernel only is its [`Translation::Unsupported`].
pub fn parse_cuda(source: &str, options: &Options) -> Result<Vec<Kernel>, FrontendError> {
    let none =
        || Err(FrontendError::Other { span: None, message: "there is no other parser".into() });
    parse_with(source, options, Parser::Builtin, none)
}

/// Like [`parse_cuda`], with what another parser has `read` of the file: it is asked at most once, and
/// where `parser` allows it to be. Of a template it may have read several instances.
///
/// # Errors
/// Those of [`parse_cuda`]; for [`Parser::Other`] also those of `read`.
pub fn parse_with(
    source: &str,
    options: &Options,
    parser: Parser,
    read: impl FnOnce() -> Result<Readings, FrontendError>,
) -> Result<Vec<Kernel>, FrontendError> {
    let stated = directives::directives(source).unwrap_or_default();
    let mut assumptions = stated.assumptions;
    assumptions.extend(options.settings.assumptions.iter().cloned());
    let mut text = source.to_owned();
    for (i, assumption) in assumptions.iter().enumerate() {
        let function = assumption_function(i, assumption);
        check_assumption(assumption, &function)?;
        text.push('\n');
        text.push_str(&function);
    }
    let mut comments = match options.ignore_requires {
        true => Vec::new(),
        false => requires::comments(source),
    };
    // What is no condition is a comment like others.
    let is_read = |text: &str| check_assumption(text, &assumption_function(0, text)).is_ok();
    comments.retain(|(_, text)| is_read(text));
    for (i, (_, comment)) in comments.iter().enumerate() {
        text.push('\n');
        text.push_str(&assumption_function(assumptions.len() + i, comment));
    }
    let mut expanded = preprocess(&text, options)?;
    whole::is_text(source)?;
    let tree = misread::parse_rightly(source, &mut expanded, parse)?;
    let unit = Unit::new(source, &expanded, &tree).with_wild_types(&tree);
    let mut expressions = Vec::new();
    for (i, assumption) in assumptions.iter().enumerate() {
        let error = |message: &str| FrontendError::Assumption {
            text: assumption.clone(),
            message: message.into(),
        };
        let expression = assumption_expression(&unit, i)
            .ok_or_else(|| error("the file around it cannot be read"))?;
        if assigns(expression) {
            return Err(error("an assumption must not assign"));
        }
        expressions.push((expression, assumption.as_str()));
    }
    let mut required = Vec::new();
    for (i, (place, text)) in comments.into_iter().enumerate() {
        let expression = assumption_expression(&unit, assumptions.len() + i);
        if let Some(expression) = expression.filter(|e| !assigns(*e)) {
            required.push((expression, Required { span: Span::locate(source, place), text }));
        }
    }
    let root = tree.root_node();
    let mut entries = builtin::builtin(&unit, root, (&expressions, &required), options, parser);
    let unread = |kernel: &Kernel| matches!(kernel.translation, Translation::Unsupported(_));
    let wanted = match parser {
        Parser::Builtin => false,
        Parser::Auto => entries.iter().any(|entry| unread(&entry.kernel) || entry.is_vague()),
        Parser::Other => !entries.is_empty(),
    };
    if wanted {
        let file = other::File { unit: &unit, root, assumptions: &expressions, options };
        match read() {
            Ok(readings) => entries = file.replace(entries, &readings, parser == Parser::Other),
            Err(FrontendError::Limit(why)) if parser == Parser::Other => {
                for entry in &mut entries {
                    let construct = format!("kernel that is not read: {why}");
                    entry.kernel = unread_at(&unit, &entry.kernel.name, &entry.bytes, construct);
                }
            }
            Err(error) if parser == Parser::Other => return Err(error),
            // Nobody else reads it.
            Err(_) => {}
        }
    }
    let (mut kernels, skipped): (Vec<Kernel>, Vec<Vec<Skipped>>) =
        entries.into_iter().map(|entry| (entry.kernel, entry.skipped)).unzip();
    if let Some(reason) = &expanded.missing {
        let possible = broken::possible_kernels(&unit).into_iter();
        for (word, function) in possible.filter(|(_, node)| unit.is_of_file(&node.byte_range())) {
            let name = function_name(function).map_or("", |n| unit.text_of(n));
            let construct = format!("`{word}`, which may make this a kernel: {reason}");
            kernels.push(unread_at(&unit, name, &function.byte_range(), construct));
        }
    }
    for (name, place, reason) in expanded.lost.iter().filter(|(_, place, _)| !place.is_empty()) {
        let span = Span::locate(source, place.clone());
        kernels.push(unknown(name, span, Unsupported::at(span, reason.to_string())));
    }
    // What is cut off makes some kernel unknown, or concerns none: then it is an error of the file.
    if kernels.iter().all(|kernel| !unread(kernel)) {
        whole::is_whole(source, &expanded, &tree)?;
    }
    check_block(&kernels)?;
    check_used(&assumptions, &skipped)?;
    check_parameters(options, &mut kernels)?;
    Ok(kernels)
}

/// A kernel that could not be read.
fn unknown(name: &str, span: Span, why: Unsupported) -> Kernel {
    let translation = Translation::Unsupported(why);
    Kernel {
        name: name.to_owned(),
        span,
        translation,
        tree: None,
        parser: None,
        required: Vec::new(),
    }
}

fn unread_at(unit: &Unit<'_>, name: &str, range: &Range<usize>, construct: String) -> Kernel {
    let refusal = Refusal { range: range.clone(), construct };
    unknown(name, locate(unit, range), unsupported(unit, refusal))
}

/// The text of a file after preprocessing: what `cc -E -P` prints, but for its layout.
///
/// # Errors
/// [`FrontendError`] when conditionals do not close, or an option defines no macro. A macro that
/// is used wrongly stays as it is.
pub fn preprocessed(source: &str, options: &Options) -> Result<String, FrontendError> {
    preprocess(source, options).map(|expanded| expanded.text)
}

fn parse(text: &str) -> Result<Tree, FrontendError> {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(&tree_sitter_cuda::LANGUAGE.into())
        .map_err(|e| FrontendError::Grammar(e.to_string()))?;
    // No unwinding through the parser, which is C: it is told to stop, and then we do.
    let mut go_on = |_: &ParseState| match Budget::ambient().check() {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let rest = |at: usize, _| text.as_bytes().get(at..).unwrap_or_default();
    let tree = parser.parse_with_options(&mut { rest }, None, Some(options));
    look();
    tree.ok_or_else(|| FrontendError::Grammar("no tree".into()))
}

fn locate(unit: &Unit<'_>, range: &Range<usize>) -> Span {
    Span::locate(unit.source, unit.expanded.map.original(range))
}

fn unsupported(unit: &Unit<'_>, refusal: Refusal) -> Unsupported {
    refused(unit.source, &resolve::origin(unit, &refusal.range), refusal.construct)
}

fn not_lowered(source: &str, kernel: &babycuda_kernel::Kernel, refused: Refused) -> Unsupported {
    let unsupported = crate::refused(source, &kernel[refused.at], refused.construct);
    let freer = refused.freer.map(|program| {
        // Without the reason, which stands behind a colon.
        let barrier = unsupported.construct.split(':').next().unwrap_or_default().to_owned();
        Box::new(Freer { programs: vec![*program], barrier, span: unsupported.span })
    });
    Unsupported { known: refused.known, freer, ..unsupported }
}

/// A construct that stands at `origin`.
fn refused(source: &str, origin: &Origin, mut construct: String) -> Unsupported {
    let span = Span::locate(source, origin.bytes.clone());
    if let Some((file, line)) = &origin.included {
        construct += &format!(" (`{file}`, line {line})");
    }
    Unsupported::at(span, construct)
}

fn note(message: &str) -> Note {
    Note { message: message.to_owned(), span: None }
}

/// The program, with a note when its kernel stands in an included file.
fn located(unit: &Unit<'_>, kernel: Range<usize>, mut program: Program) -> Program {
    if let Some((file, line)) = unit.expanded.map.included(kernel.start) {
        let message = format!("places are those of the `#include` of `{file}`, line {line}");
        program.notes.push(Note { message, span: Some(locate(unit, &kernel)) });
    }
    program
}
