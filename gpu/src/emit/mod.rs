//! Programs as text: CUDA C, OpenCL C and WGSL.
//!
//! [`emit`] prints a program of the whole calculus as a kernel that a compiler of the language
//! takes. Plain text is for people: arrays have their declared types and spaces, parameters are
//! arguments, and statements name the line or statement that they come from. Instrumented text
//! records every access, so that its run on a device can be compared with the semantics
//! ([`compiled`](crate::compiled)); there all numbers are 64 bits wide, and overflow is marked.
//!
//! ```
//! use babycuda_core::parse::parse_program;
//! use babycuda_gpu::emit::{EmitOptions, Target, emit};
//!
//! let program = parse_program(
//!     "kernel shift; threads 4; param n: u32; global A: i32;
//!      if lt.u32(threadIdx.x, n) { let x = A[threadIdx.x + 1] in sync; A[threadIdx.x] := x }",
//! )?;
//! let text = emit(&program, Target::Cuda, &EmitOptions::default())?;
//! assert!(text.text.contains("const int x = A[(unsigned long long)threadIdx.x + 1ull];"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What a text computes
//! What the program does, with three differences that its head comment states: naturals wrap
//! around at 64 bits (in instrumented text: and the thread is marked), plain text stores a number
//! modulo the range of the array's elements, and an index beyond an array is whatever the device
//! makes of it (in instrumented text: a fault). Nothing in a text is undefined otherwise: shifts,
//! divisions and signed overflow are those of the calculus.

mod body;
mod c;
mod error;
mod expr;
mod header;
mod helper;
mod language;
mod monitor;
mod names;
mod uniform;
mod update;
mod value;
mod wgsl;

use error::EmitError;
pub use error::{EmitErrorKind, MAX_NODES, MAX_SHARED};
pub use monitor::{FINDING_WORDS, FINDINGS_HEAD, MonitorOptions, WordBits, WordLayout, flag};
pub use uniform::nonuniform_barriers;

use crate::Located;
use babycuda_core::syntax::{ArrayDecl, BarrierScope, Domain, Program, Space, Tree};
use babycuda_core::{Name, Site, Stmt, Width};
use body::Body;
use c::C;
use expr::Exprs;
use language::{Array, Cells, Language, Parts, Watch};
use monitor::Plan;
use names::Names;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use wgsl::Wgsl;

/// A language to print programs in.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Target {
    /// CUDA C.
    Cuda,
    /// OpenCL C 1.2.
    OpenCl,
    /// WGSL, with naga's integers of 64 bits where a program needs them.
    Wgsl,
}

impl Target {
    /// All of them.
    pub const ALL: [Target; 3] = [Target::Cuda, Target::OpenCl, Target::Wgsl];

    fn language(self) -> &'static dyn Language {
        match self {
            Target::Cuda => &C::Cuda,
            Target::OpenCl => &C::OpenCl,
            Target::Wgsl => &Wgsl,
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Target::Cuda => "CUDA C",
            Target::OpenCl => "OpenCL C",
            Target::Wgsl => "WGSL",
        })
    }
}

/// What a text records of its run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Instrumentation {
    /// Nothing: a kernel for people.
    #[default]
    None,
    /// Every access of every thread.
    Log,
    /// A [`Digest`](crate::digest::Digest) of the accesses.
    Digest,
    /// Races: the plain kernel, with HiRace's machine beside each cell.
    Monitor,
}

impl Instrumentation {
    /// Is there an account of accesses, for which all numbers have 64 bits?
    fn is_account(self) -> bool {
        matches!(self, Instrumentation::Log | Instrumentation::Digest)
    }
}

/// How to print.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EmitOptions {
    /// What the text records of its run.
    pub instrumentation: Instrumentation,
    /// Lengths of arrays that the program leaves open, or that differ from what it declares.
    pub lengths: BTreeMap<Name, u64>,
    /// How a monitored text watches its run.
    pub monitor: MonitorOptions,
}

/// A printed program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    /// The language.
    pub target: Target,
    /// The entry point.
    pub kernel: String,
    /// The text.
    pub text: String,
    /// The arrays, in the order of the arguments or inputs that concern them.
    pub arrays: Vec<Name>,
    /// The parameters that the launch gives values to, in the order of the arguments or inputs.
    pub parameters: Vec<Name>,
    /// In monitored texts: the global arrays whose cells have words, in the order of the words.
    pub watched: Vec<Name>,
    /// In monitored texts: the layout of these words.
    pub words: Option<WordLayout>,
    /// In monitored WGSL: the machine, as it stands behind the sizes of the global arrays.
    pub steps: Vec<u32>,
}

/// Prints a program.
///
/// Plain texts take the global arrays as arguments, in order, then the parameters without a fixed
/// value. (In OpenCL C, shared arrays of open length are arguments too; in WGSL, parameters are the
/// members of one buffer.) What instrumented texts take, [`compiled`](crate::compiled) says.
///
/// # Errors
/// An [`EmitErrorKind`], with the statement where there is one.
pub fn emit(program: &Program, target: Target, options: &EmitOptions) -> Result<Text, EmitError> {
    let instrumented = options.instrumentation.is_account();
    let plan = match options.instrumentation {
        Instrumentation::Monitor => Some(Plan::new(program, target, options)?),
        _ => None,
    };
    let (blocks_meet, groups_meet) = barriers(program, target, options)?;
    let language = target.language();
    let mut names = Names::default();
    let kernel = names.fresh(&program.name);
    let arrays = arrays(program, target, options, &mut names)?;
    let mut body = Body {
        exprs: Exprs {
            language,
            program,
            scope: BTreeMap::new(),
            marks: instrumented,
            helpers: Default::default(),
            launched: Default::default(),
            nodes: 0,
        },
        names,
        arrays,
        instrumented,
        plan,
        blocks_meet,
        groups_meet,
        out: String::new(),
        indent: 1,
    };
    let parameters = body.parameters()?;
    if !instrumented {
        body.contents()?;
    }
    body.stmt(&program.body)?;
    let Body { exprs, arrays, plan, out, .. } = body;
    let functions = exprs.helpers.iter().map(|h| language.helper(*h, instrumented)).collect();
    let argument =
        |array: &&Array| instrumented || array.space == Space::Global || array.length.is_none();
    let is_watched = |a: &&Array| a.space == Space::Global && a.watch == Watch::Words;
    let watched = arrays.iter().filter(is_watched).map(|a| a.name.clone()).collect();
    let words = plan.as_ref().map(|plan| plan.global);
    let steps = plan.as_ref().filter(|_| target == Target::Wgsl).map(Plan::step_words);
    let steps = steps.unwrap_or_default();
    let argument_names = arrays.iter().filter(argument).map(|a| a.name.clone()).collect();
    let long_words = plan.as_ref().is_some_and(|plan| plan.global.bits == 64);
    let long_atomics = instrumented
        || long_words && arrays.iter().any(|a| a.watch == Watch::Words)
        || arrays.iter().any(|a| a.updated && value::width(a.element) == Width::W64);
    let text = language.assemble(&Parts {
        kernel: kernel.clone(),
        instrumentation: options.instrumentation,
        comment: header::comment(program, target, options.instrumentation, plan.as_ref()),
        monitor: plan,
        functions,
        launched: exprs.launched,
        geometry: program.geometry,
        arrays,
        parameters: parameters.clone(),
        body: out,
        long_atomics,
    });
    let parameters = parameters.into_iter().map(|p| p.name).collect();
    Ok(Text { target, kernel, text, arrays: argument_names, parameters, watched, words, steps })
}

/// The barriers that all threads of a block reach together, and those of tiles and warps that all
/// threads of a group do.
fn barriers(
    program: &Program,
    target: Target,
    options: &EmitOptions,
) -> Result<(BTreeSet<Site>, BTreeSet<Site>), EmitError> {
    let instrumented = options.instrumentation != Instrumentation::None;
    let uneven: BTreeSet<Site> = nonuniform_barriers(&program.body).into_iter().collect();
    let (mut blocks_meet, mut groups_meet) = (BTreeSet::new(), uniform::group_barriers(program));
    for b in program.body.subterms() {
        let Stmt::Sync { site, scope } = b else { continue };
        let refused = |kind| Err(Located::new(kind, Some(*site), program));
        let why = match (scope, options.instrumentation) {
            (BarrierScope::Grid, _) if program.has_grid() => {
                Some("texts have no barriers of several blocks")
            }
            (BarrierScope::Grid, Instrumentation::None | Instrumentation::Monitor) => Some(
                "texts have no barriers of several blocks, and any text may be launched with several",
            ),
            (BarrierScope::Tile(_) | BarrierScope::Warp, Instrumentation::Digest) => {
                Some("digests know phases, and not what comes before such a barrier in one")
            }
            _ => None,
        };
        if let Some(why) = why {
            return refused(EmitErrorKind::Scope { scope: *scope, why });
        }
        if !uneven.contains(site) {
            blocks_meet.insert(*site);
        } else {
            let of_group = *scope < BarrierScope::Block && target == Target::Cuda;
            if (instrumented || target == Target::Wgsl) && !of_group {
                return refused(EmitErrorKind::Barrier);
            }
        }
    }
    // Threads of a block give up a loop with barriers together: all of them must go through it.
    for b in program.body.subterms() {
        if let Stmt::For { body, .. } = b {
            let inside = body.subterms().filter_map(|b| match b {
                Stmt::Sync { site, .. } if uneven.contains(site) => Some(*site),
                _ => None,
            });
            for site in inside {
                groups_meet.remove(&site);
            }
        }
    }
    Ok((blocks_meet, groups_meet))
}

/// The arrays, under their names in the text.
fn arrays(
    program: &Program,
    target: Target,
    options: &EmitOptions,
    names: &mut Names,
) -> Result<Vec<Array>, EmitError> {
    let instrumented = options.instrumentation.is_account();
    let monitored = options.instrumentation == Instrumentation::Monitor;
    let mut arrays = Vec::new();
    let mut open = 0;
    let (accessed, inputs) = (program.body.arrays(), program.inputs());
    for declared in &program.arrays {
        if instrumented && !accessed.contains(&declared.name) {
            continue;
        }
        let length = length(declared, options)?;
        if declared.space == Space::Shared && length.is_none() {
            open += 1;
            // All `extern __shared__` arrays start at one address.
            let one = target == Target::OpenCl || target == Target::Cuda && open == 1;
            if instrumented || monitored || !one {
                return Err(EmitErrorKind::Length(declared.name.clone()).declared());
            }
        }
        let updated = is_updated(&program.body, &declared.name);
        let text = names.fresh(&declared.name);
        let of = |what: &str, names: &mut Names| match instrumented || monitored {
            true => names.spelled_like(&format!("{text}_{what}")),
            false => String::new(),
        };
        let cells = Cells {
            base: of("base", names),
            length: of("length", names),
            first: of("first", names),
        };
        arrays.push(Array {
            name: declared.name.clone(),
            text: match (instrumented, declared.space) {
                (true, Space::Global) => "memory".to_owned(),
                _ => text,
            },
            element: if instrumented { Domain::Natural } else { declared.element },
            space: declared.space,
            length,
            written: program.body.written().contains(&declared.name)
                || declared.space == Space::Shared && header::is_fixed(&declared.contents),
            input: inputs.contains(&declared.name),
            updated: instrumented || updated,
            cells,
            watch: match monitored {
                true => monitor::watch(program, &declared.name, declared.space),
                false => Watch::Bounds,
            },
        });
    }
    Ok(arrays)
}

/// The length that a text states.
fn length(declared: &ArrayDecl, options: &EmitOptions) -> Result<Option<u64>, EmitError> {
    let too_long =
        |length: String| EmitErrorKind::TooLong { name: declared.name.clone(), length }.declared();
    let length = match (options.lengths.get(&declared.name), &declared.length) {
        (Some(length), _) => *length,
        (None, Some(length)) => match length.to_u64() {
            Some(length) => length,
            None if declared.space == Space::Shared => return Err(too_long(length.to_string())),
            None => return Ok(None),
        },
        (None, None) => return Ok(None),
    };
    match declared.space {
        Space::Shared if length > MAX_SHARED => Err(too_long(length.to_string())),
        _ => Ok(Some(length)),
    }
}

fn is_updated(body: &Stmt, name: &Name) -> bool {
    body.subterms().any(|b| b.head().is_atomic() && b.accessed() == Some(name))
}
