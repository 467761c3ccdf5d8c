//! One kernel of a file, and the same under settings.

use crate::input::File;
use crate::problem::{Missing, Problem};
use babycuda::Settings;
use babycuda::frontend::Freer;
use babycuda_core::Declarations;
use babycuda_core::site::Span;
use babycuda_core::syntax::{MapFile, Program};

/// One kernel of a file.
#[derive(Clone, Debug)]
pub enum Unit {
    /// A program.
    Program(Box<Program>),
    /// A memory access protocol with its declarations.
    Protocol(Box<MapFile>),
    /// A kernel with a construct that cannot be translated.
    Unsupported {
        /// The kernel's name.
        kernel: String,
        /// Which construct.
        construct: String,
        /// Where.
        span: Option<Span>,
        /// What threads do before: its races are races of the kernel.
        known: Option<Box<Program>>,
        /// What it is taken apart into.
        apart: Vec<Program>,
        /// What has fewer barriers.
        freer: Option<Box<Freer>>,
        /// The parser that met it, where it is not the built-in one.
        parser: Option<String>,
    },
}

impl Unit {
    /// The program.
    ///
    /// # Errors
    /// [`Problem`] for a protocol, of which `what` says what it has none of, and for a kernel that
    /// could not be translated.
    pub fn program(&self, what: &str) -> Result<&Program, Problem> {
        match self {
            Unit::Program(program) => Ok(program),
            Unit::Protocol(_) => Err(Problem::new(format!("only a program has {what}"))),
            Unit::Unsupported { kernel, construct, span, .. } => {
                let message = format!("kernel {kernel}: not supported: {construct}");
                Err(Problem::new(message).at(*span))
            }
        }
    }

    /// The kernel's declarations; `None` when it could not be translated.
    pub fn declarations(&self) -> Option<&Declarations> {
        match self {
            Unit::Program(program) => Some(&program.declarations),
            Unit::Protocol(map) => Some(&map.declarations),
            Unit::Unsupported { .. } => None,
        }
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        match self {
            Unit::Program(program) => program.name.as_str(),
            Unit::Protocol(map) => map.declarations.name.as_str(),
            Unit::Unsupported { kernel, .. } => kernel,
        }
    }
}

/// The kernel under the command line's settings.
pub(crate) fn configured(file: &File, unit: Unit, settings: &Settings) -> Result<Unit, Problem> {
    let apply = |declared: &Declarations| {
        let mut settings = settings.clone();
        settings.params.retain(|name, _| declared.params.iter().any(|p| p.name == *name));
        if file.language.has_kernels() {
            // The front end has read them.
            settings.assumptions.clear();
        }
        // By themselves, so that the one is known that fits nothing.
        for text in &settings.assumptions {
            let assumptions = vec![text.clone()];
            let alone = Settings { assumptions, ..Settings::default() }.apply(declared);
            let missing = |e| Problem::new(format!("{}: {e}", file.path));
            let missing = |e| missing(e).missing(Missing::Assumption(text.clone()));
            alone.map_err(missing)?;
        }
        settings.apply(declared).map_err(|e| Problem::new(format!("{}: {e}", file.path)))
    };
    Ok(match unit {
        Unit::Program(program) => {
            Unit::Program(Box::new(apply(&program)?.around(program.body.clone())))
        }
        Unit::Protocol(map) => {
            let (declarations, protocol) = (apply(&map.declarations)?, map.protocol.clone());
            Unit::Protocol(Box::new(MapFile { declarations, protocol }))
        }
        Unit::Unsupported { kernel, construct, span, known, apart, freer, parser } => {
            let applied =
                |program: Program| Some(apply(&program).ok()?.around(program.body.clone()));
            let known = known.and_then(|program| applied(*program)).map(Box::new);
            let all = |of: Vec<Program>| of.into_iter().map(applied).collect::<Option<Vec<_>>>();
            let apart = all(apart).unwrap_or_default();
            let freer =
                freer.and_then(|f| Some(Freer { programs: all(f.programs)?, ..*f })).map(Box::new);
            Unit::Unsupported { kernel, construct, span, known, apart, freer, parser }
        }
    })
}
