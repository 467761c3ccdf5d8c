//! Runs that a device watches itself: HiRace's machine beside each cell, in the compiled kernel.

use super::decode::Sites;
use super::error::{CompiledError, Malformed};
use super::target;
use crate::emit::{
    EmitOptions, FINDING_WORDS, FINDINGS_HEAD, Instrumentation, MonitorOptions, Target, Text,
    WordLayout, emit, flag,
};
use crate::job::{Job, JobArray, JobOptions};
use crate::report::ArrayReport;
use crate::text::{Argument, Shape, TextBackend};
use babycuda_core::syntax::{Contents, Domain, Space};
use babycuda_core::{AccessMode, Cell, Launch, Name, Natural, Program, Site, Span, Thread};
use babycuda_semantics::Instance;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a monitored run tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MonitorReport {
    /// How many cells raced; the cells of a shared array are others in each block.
    pub racy: u32,
    /// The first race of each of them, as far as there was room.
    pub findings: Vec<Finding>,
    /// Why there may be more races: bits of [`flag`](crate::emit::flag).
    pub flags: u32,
    /// The layout of the words.
    pub words: WordLayout,
    /// What the global arrays held in the end.
    pub arrays: Vec<ArrayReport>,
}

/// A race.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// The cell.
    pub cell: Cell,
    /// Who sees it.
    pub space: Space,
    /// The second access.
    pub thread: Thread,
    /// Its statement.
    pub site: Site,
    /// Where that stands, when the program has a source.
    pub span: Option<Span>,
    /// How it accesses the cell.
    pub mode: AccessMode,
    /// The last accessor before, or another thread of its group that accessed the cell in the same way. The race may
    /// be with one before it: a word knows no other.
    pub last: Thread,
    /// What the accesses before had left: the state of the machine.
    pub before: String,
}

impl MonitorReport {
    /// Was every access of a watched array looked at? Then every race of the run was found, as far as the machine is
    /// exact.
    pub fn is_conclusive(&self) -> bool {
        self.flags == 0
    }

    /// Why not: a line for each of the flags.
    pub fn reasons(&self) -> Vec<&'static str> {
        let all = [
            (flag::CLOCK, "a thread passed more barriers than its clock counts"),
            (flag::BLOCK, "more blocks or threads than a word can tell apart"),
            (flag::PARTIAL, "a barrier of some lanes of a warp"),
            (flag::WARP_CLOCK, "a warp passed more barriers than its clock counts"),
            (flag::OUTSIDE, "an access beyond the end of an array"),
            (flag::FUEL, "a thread went on for too long"),
        ];
        all.into_iter().filter(|(bit, _)| self.flags & bit != 0).map(|(_, why)| why).collect()
    }
}

/// Runs the whole grid of `instance` in its plain text with a monitor, once.
///
/// # Errors
/// [`CompiledError`]; an [`EmitErrorKind::Word`](crate::emit::EmitErrorKind::Word) where the launch does not fit into
/// words.
pub fn monitor<B: TextBackend>(
    backend: &mut B,
    instance: &Instance,
    options: &JobOptions,
    monitor: &MonitorOptions,
) -> Result<MonitorReport, CompiledError> {
    MonitorKernel::new(backend, instance, options, monitor)?.run(backend)
}

/// A monitored kernel, compiled for a device.
#[derive(Debug)]
pub struct MonitorKernel<K> {
    kernel: K,
    text: Text,
    words: WordLayout,
    program: Arc<Program>,
    launch: Launch,
    arrays: BTreeMap<Name, JobArray>,
    states: Vec<String>,
    sites: Sites,
    fuel: u32,
    capacity: u32,
}

/// The iterations that a unit of fuel pays for on a device that gives few: lanes that run together leave a loop one
/// after the other.
const COST: u32 = 16;

/// The elements of a global array.
enum Elements {
    Words(Vec<u32>),
    Longs(Vec<u64>),
}

impl<K> MonitorKernel<K> {
    /// Prints and compiles the program of an instance.
    ///
    /// # Errors
    /// As [`monitor`].
    pub fn new<B: TextBackend<Kernel = K>>(
        backend: &mut B,
        instance: &Instance,
        options: &JobOptions,
        monitor: &MonitorOptions,
    ) -> Result<MonitorKernel<K>, CompiledError> {
        let job = Job::new(instance, options)?;
        let names = job.code().arrays().iter().cloned();
        let arrays: BTreeMap<Name, JobArray> = names.zip(job.arrays().iter().cloned()).collect();
        let launch = instance.configuration.launch;
        let program = fixed(instance, &arrays)?;
        let lengths = arrays.iter().map(|(name, a)| (name.clone(), a.cells.len() as u64));
        let options_of_text = EmitOptions {
            instrumentation: Instrumentation::Monitor,
            lengths: lengths.collect(),
            monitor: monitor.clone(),
        };
        let text = emit(&program, target(backend.device()), &options_of_text)?;
        let Some(words) = text.words else { return Err(CompiledError::TooLarge) };
        let kernel = backend.compile(&text.text, &text.kernel)?;
        let known = program.arrays.iter().map(|a| (&a.name, a.space, 0));
        let sites = Sites::new(&instance.program.body, known);
        let fuel = backend.device().affordable(options.fuel, COST);
        Ok(MonitorKernel {
            kernel,
            text,
            words,
            // What is said of races are statements of the instance's own program.
            program: instance.program.clone(),
            launch,
            arrays,
            states: monitor.machine().names().to_vec(),
            sites,
            fuel,
            capacity: options.log,
        })
    }

    /// The text.
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Runs it.
    ///
    /// # Errors
    /// As [`monitor`].
    pub fn run<B: TextBackend<Kernel = K>>(
        &self,
        backend: &mut B,
    ) -> Result<MonitorReport, CompiledError> {
        let target = self.text.target;
        let cells = |name: &Name| self.arrays.get(name).map_or(&[][..], |a| &a.cells);
        let written = self.program.body.written();
        let mut elements: Vec<(bool, Elements)> = Vec::new();
        let mut sizes = Vec::new();
        for name in &self.text.arrays {
            let size = u32::try_from(cells(name).len()).map_err(|_| CompiledError::TooLarge)?;
            sizes.push(size);
            let bytes = bytes(self.element(name), target);
            elements.push((written.contains(name), pack(cells(name), bytes)));
        }
        let words: usize = self.text.watched.iter().map(|name| cells(name).len()).sum();
        let (mut long, mut short) = match self.words.bits {
            64 => (vec![0u64; words.max(1)], Vec::new()),
            _ => (Vec::new(), vec![0u32; words.max(1)]),
        };
        sizes.extend(&self.text.steps);
        sizes.resize(sizes.len().max(1), 0);
        let room = FINDINGS_HEAD + FINDING_WORDS * self.capacity as usize;
        let mut findings = vec![0u32; room];
        (findings[2], findings[3]) = (self.capacity, self.fuel);
        let mut arguments: Vec<Argument<'_>> = Vec::new();
        for (written, elements) in &mut elements {
            arguments.push(match (elements, written) {
                (Elements::Words(words), true) => Argument::WordsInOut(words),
                (Elements::Words(words), false) => Argument::Words(words),
                (Elements::Longs(longs), true) => Argument::LongsInOut(longs),
                (Elements::Longs(longs), false) => Argument::Longs(longs),
            });
        }
        arguments.push(match long.is_empty() {
            false => Argument::LongsInOut(&mut long),
            true => Argument::WordsInOut(&mut short),
        });
        arguments.extend([Argument::Words(&sizes), Argument::WordsInOut(&mut findings)]);
        let launch = self.launch;
        let shape = Shape { grid: launch.grid.components(), block: launch.block.components() };
        // SAFETY: a monitored kernel has these parameters: the program's parameters are constants of its text. It
        // accesses arrays below their sizes, words as the arrays, and findings where there is room.
        #[allow(unsafe_code)]
        unsafe {
            backend.run(&self.kernel, shape, &mut arguments)?;
        }
        let report = |(name, (_, elements)): (&Name, (bool, Elements))| ArrayReport {
            name: name.clone(),
            space: Space::Global,
            cells: unpack(elements, bytes(self.element(name), target), cells(name).len()),
        };
        let arrays = self.text.arrays.iter().zip(elements).map(report).collect();
        let listed = findings[FINDINGS_HEAD..].chunks_exact(FINDING_WORDS);
        let listed = listed.take(findings[0].min(self.capacity) as usize);
        let listed = listed.map(|words| self.finding(words)).collect::<Result<_, _>>()?;
        Ok(MonitorReport {
            racy: findings[0],
            findings: listed,
            flags: findings[1],
            words: self.words,
            arrays,
        })
    }

    fn element(&self, name: &Name) -> Domain {
        self.program.array(name).map_or(Domain::Natural, |array| array.element)
    }

    /// A race, of which nothing is trusted.
    fn finding(&self, words: &[u32]) -> Result<Finding, CompiledError> {
        let [array, index, block, thread, site, how, last_block, last_thread] = *words else {
            return Err(CompiledError::TooLarge);
        };
        let thread = Thread { block: block.into(), index: thread.into() };
        let last = Thread { block: last_block.into(), index: last_thread.into() };
        let malformed = |kind| CompiledError::Malformed { thread, kind };
        let there = |thread: Thread| {
            thread.block < self.launch.grid.count() && thread.index < self.launch.block.count()
        };
        if !there(thread) || !there(last) {
            return Err(malformed(Malformed::Stranger));
        }
        let (site, mode, number) = self.sites.access(site.into()).map_err(malformed)?;
        let declared = self.program.arrays.get(number as usize).filter(|_| number == array);
        let declared = declared.ok_or_else(|| malformed(Malformed::Site(array.into())))?;
        let length = self.arrays.get(&declared.name).map_or(0, |a| a.cells.len() as u64);
        if u64::from(index) >= length {
            return Err(malformed(Malformed::Index(index.into())));
        }
        let before = self.states.get((how >> 4) as usize);
        let agrees = how & 15 == u32::from(crate::digest::mode_number(mode)).min(3);
        let before = before.filter(|_| agrees).ok_or_else(|| malformed(Malformed::How(how)))?;
        Ok(Finding {
            cell: Cell::new(declared.name.clone(), index),
            space: declared.space,
            thread,
            site,
            span: self.program.sources.spans.get(&site).copied(),
            mode,
            last,
            before: before.clone(),
        })
    }
}

/// The program of exactly an instance: its launch, its parameters and what its shared arrays hold are constants.
fn fixed(instance: &Instance, arrays: &BTreeMap<Name, JobArray>) -> Result<Program, CompiledError> {
    // Statements get numbers of their own: copies of one statement share theirs.
    let body = instance.program.body.numbered();
    let used = instance.program.body.free_vars();
    let program = Program { body, ..instance.program.without_sources() };
    let mut program = program.with_launch(instance.configuration.launch);
    for param in &mut program.params {
        let given = instance.configuration.parameters.get(&param.name).cloned();
        if given.is_none() && used.contains(&param.name) {
            return Err(CompiledError::Unbound(param.name.clone()));
        }
        param.value = Some(given.unwrap_or_default());
    }
    for array in &mut program.arrays {
        let Some(job) = arrays.get(&array.name).filter(|a| a.space == Space::Shared) else {
            continue;
        };
        let first = job.cells.first().copied().unwrap_or(0);
        array.contents = match job.cells.iter().all(|cell| *cell == first) {
            true => Contents::Fill(first.into()),
            false => Contents::Values(job.cells.iter().map(|cell| Natural::from(*cell)).collect()),
        };
    }
    Ok(program)
}

/// Bytes of an element on a device.
fn bytes(domain: Domain, target: Target) -> usize {
    let bytes = match domain {
        Domain::Natural => 8,
        Domain::Machine(t) => t.width.bits() as usize / 8,
    };
    if target == Target::Wgsl { bytes.max(4) } else { bytes }
}

/// Cells as a device has them, the lowest byte first; never empty.
fn pack(cells: &[u64], bytes: usize) -> Elements {
    if bytes == 8 {
        let mut longs = cells.to_vec();
        longs.resize(longs.len().max(1), 0);
        return Elements::Longs(longs);
    }
    let each = 4 / bytes;
    let mut words = vec![0u32; cells.len().div_ceil(each).max(1)];
    let mask = u32::MAX >> (32 - 8 * bytes);
    for (place, cell) in cells.iter().enumerate() {
        words[place / each] |= (*cell as u32 & mask) << (8 * bytes * (place % each));
    }
    Elements::Words(words)
}

fn unpack(elements: Elements, bytes: usize, length: usize) -> Vec<u64> {
    match elements {
        Elements::Longs(longs) => longs.into_iter().take(length).collect(),
        Elements::Words(words) => {
            let each = 4 / bytes;
            let mask = u32::MAX >> (32 - 8 * bytes);
            let cell = |place: usize| words[place / each] >> (8 * bytes * (place % each)) & mask;
            (0..length).map(|place| cell(place).into()).collect()
        }
    }
}
