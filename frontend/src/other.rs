//! Kernels as another parser has read them. What the file leaves open stays open, whoever reads it: what a
//! missing header or a platform may define, and what rests on it. What that parser resolves better, as
//! names that several scopes declare, is its own affair.

use crate::doubt::Doubts;
use crate::error::{Freer, Refusal};
use crate::lower::kernel::Skipped;
use crate::preprocess::Reason;
use crate::unit::{Function, Unit};
use crate::{
    Kernel, Language, Options, Translation, Unsupported, fences, located, lower, note, resolve,
    unsupported,
};
use babycuda_core::Span;
use babycuda_core::syntax::{Note, Space};
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::Node;

/// Who reads kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Parser {
    /// The built-in one, and another one for kernels that it does not understand.
    #[default]
    Auto,
    /// The built-in one.
    Builtin,
    /// The other one.
    Other,
}

/// What another parser has read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Readings {
    /// Its name.
    pub parser: Arc<str>,
    /// The kernels of the file.
    pub kernels: Vec<Reading>,
}

/// A kernel as another parser has read it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Its name, and the arguments of its template in `<` and `>`.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// Its tree, or why there is none.
    pub tree: Result<babycuda_kernel::Kernel, Unsupported>,
}

impl Reading {
    /// Is it one of this kernel: itself, or an instance of its template?
    fn is_of(&self, kernel: &Kernel) -> bool {
        let stem = self.name.split('<').next();
        let overlap = self.span.start < kernel.span.end && kernel.span.start < self.span.end;
        stem == Some(kernel.name.as_str()) && overlap
    }
}

/// A kernel of the file and what has become of it.
pub(crate) struct Entry<'t> {
    pub(crate) kernel: Kernel,
    /// Its definition; `None`: the built-in parser cannot read it.
    pub(crate) function: Option<Function<'t>>,
    /// Its bytes in the preprocessed text.
    pub(crate) bytes: Range<usize>,
    /// The assumptions that it could not use.
    pub(crate) skipped: Vec<Skipped>,
}

impl Entry<'_> {
    /// Is it a program in which objects are values of which nothing is known?
    pub(crate) fn is_vague(&self) -> bool {
        let opaque = |tree: &Arc<babycuda_kernel::Kernel>| tree.opaque_objects;
        matches!(self.kernel.translation, Translation::Program(_))
            && self.kernel.tree.as_ref().is_some_and(opaque)
    }
}

/// What a launch of OpenCL may have, and CUDA's have not.
const LAUNCHES: &str = "launches are assumed to have no offset, and work-groups of one size";

/// What is to be known of a file to translate another parser's trees.
pub(crate) struct File<'u, 't> {
    pub(crate) unit: &'u Unit<'t>,
    pub(crate) root: Node<'t>,
    pub(crate) assumptions: &'u [(Node<'t>, &'u str)],
    pub(crate) options: &'u Options,
}

impl<'u: 't, 't> File<'u, 't> {
    /// Puts what another parser has read in the place of what the built-in one does not understand, or
    /// (`all`) of everything.
    pub(crate) fn replace(
        &self,
        entries: Vec<Entry<'t>>,
        readings: &Readings,
        all: bool,
    ) -> Vec<Entry<'t>> {
        let doubts = Doubts::of_text(self.unit, self.root);
        let assumed = Doubts::assumptions(self.unit, self.root);
        let mut out = Vec::new();
        for entry in entries {
            let vague = !all && entry.is_vague();
            let own = match &entry.kernel.translation {
                Translation::Program(_) if !all && !vague => {
                    out.push(entry);
                    continue;
                }
                Translation::Program(_) => None,
                Translation::Unsupported(own) => Some(own.clone()).filter(|_| !all),
            };
            if let Some(refusal) = self.doubt(&doubts, &entry).filter(|_| !vague) {
                let translation = Translation::Unsupported(unsupported(self.unit, refusal));
                out.push(Entry {
                    kernel: Kernel {
                        translation,
                        tree: None,
                        required: Vec::new(),
                        ..entry.kernel
                    },
                    ..entry
                });
                continue;
            }
            let rests = assumed.iter().filter(|(_, on_it)| self.doubt(on_it, &entry).is_some());
            let mut notes: Vec<Note> = rests.map(|(reason, _)| note(reason)).collect();
            if self.options.language == Language::OpenCl {
                notes.push(note(LAUNCHES));
            }
            let instances = readings.kernels.iter().filter(|reading| reading.is_of(&entry.kernel));
            let read: Vec<Entry<'t>> = instances
                .map(|reading| self.entry(reading, &readings.parser, &entry, &notes))
                .collect();
            let understood =
                read.iter().any(|e| matches!(e.kernel.translation, Translation::Program(_)));
            if vague && !understood {
                out.push(entry);
                continue;
            }
            match (own, read.first()) {
                (Some(own), first) if !understood => {
                    let translation = Translation::Unsupported(both(own, first, &readings.parser));
                    let only = first.filter(|_| read.len() == 1);
                    let tree = entry.kernel.tree.or_else(|| only?.kernel.tree.clone());
                    out.push(Entry {
                        kernel: Kernel { translation, tree, required: Vec::new(), ..entry.kernel },
                        ..entry
                    });
                }
                (_, None) => {
                    let construct = format!("kernel that {} does not see", readings.parser);
                    let refusal = Refusal { range: entry.bytes.clone(), construct };
                    let translation = Translation::Unsupported(unsupported(self.unit, refusal));
                    out.push(Entry {
                        kernel: Kernel {
                            translation,
                            tree: None,
                            required: Vec::new(),
                            ..entry.kernel
                        },
                        ..entry
                    });
                }
                (_, Some(_)) => out.extend(read),
            }
        }
        out
    }

    /// Why the kernel may be otherwise than anyone has read it.
    fn doubt(&self, doubts: &Doubts<'t>, entry: &Entry<'t>) -> Option<Refusal> {
        match entry.function {
            Some(function) => doubts.of(self.unit, function),
            None => doubts.within(self.unit, entry.bytes.clone()),
        }
    }

    fn entry(
        &self,
        reading: &Reading,
        parser: &Arc<str>,
        of: &Entry<'t>,
        notes: &[Note],
    ) -> Entry<'t> {
        let (mut tree, mut skipped) = (None, Vec::new());
        let overridden = self.unit.expanded.overridden.as_ref();
        let translation = match (&reading.tree, overridden) {
            (Err(unsupported), _) => Translation::Unsupported(unsupported.clone()),
            (Ok(_), Some(reason)) => self.refused(of, reason),
            (Ok(read), None) => match self.translate(read, &mut tree, &mut skipped) {
                Ok(program) => {
                    let mut program = located(self.unit, of.bytes.clone(), program);
                    program.name = babycuda_core::Name::new(&reading.name);
                    program.sources.parser = Some(parser.to_string());
                    program.notes.extend_from_slice(notes);
                    Translation::Program(program)
                }
                Err(mut unsupported) => {
                    let known = unsupported.known.as_deref_mut().into_iter();
                    let freer = unsupported.freer.iter_mut().flat_map(|freer| &mut freer.programs);
                    let programs = known.chain(&mut unsupported.apart).chain(freer);
                    programs.for_each(|program| program.notes.extend_from_slice(notes));
                    Translation::Unsupported(unsupported)
                }
            },
        };
        let tree = tree.map(Arc::new);
        let (name, span, parser) = (reading.name.clone(), reading.span, Some(parser.clone()));
        let kernel = Kernel { name, span, translation, tree, parser, required: Vec::new() };
        Entry { kernel, function: of.function, bytes: of.bytes.clone(), skipped }
    }

    fn refused(&self, of: &Entry<'t>, reason: &Reason) -> Translation {
        let refusal = Refusal { range: of.bytes.clone(), construct: reason.to_string() };
        Translation::Unsupported(unsupported(self.unit, refusal))
    }

    /// A tree with the file's assumptions, and its program. The tree is there even where no program can be made of it.
    fn translate(
        &self,
        read: &babycuda_kernel::Kernel,
        tree: &mut Option<babycuda_kernel::Kernel>,
        skipped: &mut Vec<Skipped>,
    ) -> Result<babycuda_core::Program, Unsupported> {
        let source = self.unit.source;
        let wrong = |e: &babycuda_kernel::Malformed| format!("a tree that is none: {e}");
        let start = Span::locate(source, 0..0);
        read.check().map_err(|e| Unsupported::at(start, wrong(&e)))?;
        let kernel = tree.insert(resolve::assume(self.unit, read.clone(), self.assumptions));
        let (program, unused) = lower::kernel::kernel(kernel, source, self.options);
        *skipped = unused;
        let program = program.map_err(|refused| {
            let unsupported = crate::not_lowered(source, kernel, refused);
            // Other barriers may order less than they do there.
            let all = kernel.narrow_barriers.is_empty() && kernel.open_barriers.is_empty();
            Unsupported { freer: unsupported.freer.filter(|_| all), ..unsupported }
        })?;
        let span = |at: &babycuda_kernel::At| Span::locate(source, kernel[*at].bytes.clone());
        let narrow: Vec<(Span, Space)> =
            kernel.narrow_barriers.iter().map(|(at, space)| (span(at), *space)).collect();
        if let Some(at) = fences::mixed(kernel) {
            let construct = "barriers of one macro that order different memory";
            return Err(Unsupported::at(span(&at), construct));
        }
        let open: Vec<Span> = kernel.open_barriers.iter().map(span).collect();
        // What a macro made stands at one place, whatever it does.
        let alone = |at: &&babycuda_kernel::At| {
            let same = kernel.origins.iter().filter(|origin| origin.bytes == kernel[**at].bytes);
            same.count() == 1
        };
        let copies: Vec<Span> = kernel.group_copies.iter().filter(alone).map(span).collect();
        let left = fences::left_open(&program, &narrow, (&open, &copies));
        if let Some((array, site)) = left.arrays.first_key_value() {
            let construct = format!(
                "a function of work-groups between accesses of `{array}`: whether it orders them is not said"
            );
            let at = program.sources.spans.get(site).copied().unwrap_or(open[0]);
            let programs = fences::bounds(&program, &narrow, &open, &left);
            let barrier = format!("a function of work-groups between accesses of `{array}`");
            let some = !programs.is_empty();
            let freer = some.then(|| Box::new(Freer { programs, barrier, span: at }));
            let known = Some(Box::new(program));
            return Err(Unsupported { known, freer, ..Unsupported::at(at, construct) });
        }
        kernel.open_barriers.clear();
        if let Some(array) = fences::crossed(&program, &narrow) {
            let construct =
                format!("barrier that does not order `{array}`, accessed before and behind it");
            let apart = fences::apart(&program, &narrow);
            return Err(Unsupported { apart, ..Unsupported::at(narrow[0].0, construct) });
        }
        // They may as well order everything.
        kernel.narrow_barriers.clear();
        Ok(program)
    }
}

/// What neither parser understands: in the words of the built-in one first.
fn both(own: Unsupported, other: Option<&Entry<'_>>, parser: &str) -> Unsupported {
    let construct = match other.map(|entry| &entry.kernel.translation) {
        Some(Translation::Unsupported(other)) if other.construct != own.construct => {
            format!(
                "{}; {parser}, at {}:{}: {}",
                own.construct, other.line, other.column, other.construct
            )
        }
        _ => own.construct.clone(),
    };
    let other = match other.map(|entry| &entry.kernel.translation) {
        Some(Translation::Unsupported(other)) => Some(other),
        _ => None,
    };
    let known = own.known.or_else(|| other?.known.clone());
    let freer = own.freer.or_else(|| other?.freer.clone());
    Unsupported { construct, known, freer, ..own }
}
