//! Jobs: one block of a program, ready to be packed into an image.

use crate::Located;
use crate::bytecode::{Code, CompileErrorKind, compile};
use crate::jitter::Jitter;
use babycuda_core::history::HostArray;
use babycuda_core::launch::MAX_BLOCK_THREADS;
use babycuda_core::name::reserved;
use babycuda_core::syntax::Space;
use babycuda_core::{Cell, Name, Natural};
use babycuda_semantics::{Block, Instance};
use std::sync::Arc;

/// The most blocks of a grid that are run together.
const MAX_BLOCKS: u64 = 1 << 16;

/// What a run on a device needs to be told beyond an instance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct JobOptions {
    /// Instructions that each thread may execute.
    pub fuel: u32,
    /// Accesses that each thread may log.
    pub log: u32,
    /// Cells of an array that declares no length; more where the host stored something beyond.
    pub length: u64,
    /// The most cells that an array may have.
    pub longest: u64,
    /// What cells hold that the host left undefined: a device has no ⊥.
    pub undefined: u64,
}

impl Default for JobOptions {
    /// 2^20 instructions and 1,024 accesses of a thread; arrays of 1,024 cells, at most 2^24; 0 in
    /// undefined cells.
    fn default() -> JobOptions {
        JobOptions { fuel: 1 << 20, log: 1 << 10, length: 1 << 10, longest: 1 << 24, undefined: 0 }
    }
}

/// An instance that no device can run: why.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JobError {
    /// The program has no code.
    #[error(transparent)]
    Compile(#[from] Located<CompileErrorKind>),
    /// A free variable without a value.
    #[error("unbound variable `{0}`")]
    Unbound(Name),
    /// A parameter with the name of a variable that each thread has a value of.
    #[error("`{0}` is given its meaning by the launch and cannot be a parameter")]
    Reserved(Name),
    /// A parameter whose value no register holds.
    #[error("the value {value} of `{name}` has more than 64 bits")]
    #[allow(missing_docs)]
    ParameterTooLarge { name: Name, value: Natural },
    /// A cell in which the host stored what no device can.
    #[error("the value {value} in {cell} has more than 64 bits")]
    #[allow(missing_docs)]
    ContentsTooLarge { cell: Cell, value: Natural },
    /// A block that no device runs.
    #[error("{threads} threads, where a block has at most {MAX_BLOCK_THREADS}")]
    #[allow(missing_docs)]
    TooManyThreads { threads: u64 },
    /// More blocks than are run together.
    #[error("{blocks} blocks, where a grid has at most {MAX_BLOCKS}")]
    #[allow(missing_docs)]
    TooManyBlocks { blocks: u64 },
    /// An array that is longer than allowed.
    #[error("array `{array}` has {length} cells, more than {longest}")]
    #[allow(missing_docs)]
    ArrayTooLong { array: Name, length: Natural, longest: u64 },
}

/// One block of a program with everything that a device needs to run it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    code: Arc<Code>,
    block: Block,
    // Copies differ in their jitters.
    inputs: Arc<[u64]>,
    arrays: Arc<[JobArray]>,
    fuel: u32,
    log: u32,
    jitter: Jitter,
}

/// An array before a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JobArray {
    /// Who sees it.
    pub space: Space,
    /// Its cells.
    pub cells: Vec<u64>,
}

impl Job {
    /// The job of an instance.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn new(instance: &Instance, options: &JobOptions) -> Result<Job, JobError> {
        Job::with_code(Arc::new(compile(&instance.program)?), instance, options)
    }

    /// The job of an instance whose program's code is known: jobs that share code share it on the
    /// device too.
    ///
    /// What the host stored beyond the declared length of an array is left out; whoever accesses it
    /// is out of bounds.
    ///
    /// # Errors
    /// [`JobError`].
    pub fn with_code(
        code: Arc<Code>,
        instance: &Instance,
        options: &JobOptions,
    ) -> Result<Job, JobError> {
        let block = instance.block();
        if block.len() > MAX_BLOCK_THREADS {
            return Err(JobError::TooManyThreads { threads: block.len() });
        }
        if let Some(name) =
            instance.configuration.parameters.keys().find(|name| reserved::is_private(name))
        {
            return Err(JobError::Reserved(name.clone()));
        }
        let inputs = code.inputs().iter().map(|name| input(name, instance));
        let inputs = inputs.collect::<Result<_, _>>()?;
        let arrays = code.arrays().iter().map(|name| array(name, instance, options));
        let arrays = arrays.collect::<Result<_, _>>()?;
        let (fuel, log, jitter) = (options.fuel, options.log, Jitter::default());
        Ok(Job { code, block, inputs, arrays, fuel, log, jitter })
    }

    /// The jobs of all blocks of the instance's launch, for
    /// [`Runner::run_grids`](crate::Runner::run_grids).
    ///
    /// # Errors
    /// [`JobError`].
    pub fn grid(instance: &Instance, options: &JobOptions) -> Result<Vec<Job>, JobError> {
        let code = Arc::new(compile(&instance.program)?);
        let blocks = instance.configuration.launch.grid.count();
        if blocks > MAX_BLOCKS {
            return Err(JobError::TooManyBlocks { blocks });
        }
        let job =
            |block| Job::with_code(code.clone(), &instance.clone().with_block(block), options);
        (0..blocks).map(job).collect()
    }

    /// The job with another jitter; without this it has none.
    #[must_use]
    pub fn with_jitter(self, jitter: Jitter) -> Job {
        Job { jitter, ..self }
    }

    /// The job with room for so many accesses of each thread.
    #[must_use]
    pub fn with_log(self, log: u32) -> Job {
        Job { log, ..self }
    }

    /// What is done to its placement and its timing.
    pub fn jitter(&self) -> Jitter {
        self.jitter
    }

    /// The lanes that its workgroup has at least; 0 where no thread runs.
    pub(crate) fn lanes(&self) -> u32 {
        if self.threads() == 0 { 0 } else { self.threads().max(self.jitter.lanes) }
    }

    /// What it runs.
    pub fn code(&self) -> &Arc<Code> {
        &self.code
    }

    /// The block whose threads run it.
    pub fn block(&self) -> Block {
        self.block
    }

    /// How many threads.
    pub fn threads(&self) -> u32 {
        // At most `MAX_BLOCK_THREADS`: `with_code` checks.
        self.block.len() as u32
    }

    /// The values of the code's inputs.
    pub fn inputs(&self) -> &[u64] {
        &self.inputs
    }

    /// The code's arrays.
    pub fn arrays(&self) -> &[JobArray] {
        &self.arrays
    }

    /// Instructions that each thread may execute.
    pub fn fuel(&self) -> u32 {
        self.fuel
    }

    /// Accesses that each thread may log.
    pub fn log(&self) -> u32 {
        self.log
    }
}

/// The value of an input: a parameter's, or what the launch gives a reserved variable.
fn input(name: &Name, instance: &Instance) -> Result<u64, JobError> {
    let reserved = || instance.configuration.launch.value_of(name, instance.block().thread(0));
    let value = instance.configuration.parameters.get(name).cloned().or_else(reserved);
    let value = value.ok_or_else(|| JobError::Unbound(name.clone()))?;
    value.to_u64().ok_or_else(|| JobError::ParameterTooLarge { name: name.clone(), value })
}

/// An array with what the host stored in it.
fn array(name: &Name, instance: &Instance, options: &JobOptions) -> Result<JobArray, JobError> {
    let declaration = instance.program.array(name);
    let host = instance.host().arrays().find(|(array, _)| *array == name).map(|(_, host)| host);
    let stored = || host.and_then(|host| host.cells.last_key_value());
    let length = match declaration.and_then(|array| array.length.clone()) {
        Some(declared) => declared,
        None => {
            let stored = stored().map(|(index, _)| index.successor()).unwrap_or_default();
            stored.max(Natural::from(options.length))
        }
    };
    let allowed = length.to_u64().filter(|length| *length <= options.longest);
    let Some(cells) = allowed.and_then(|length| usize::try_from(length).ok()) else {
        let longest = options.longest;
        return Err(JobError::ArrayTooLong { array: name.clone(), length, longest });
    };
    Ok(JobArray {
        space: declaration.map_or(Space::Shared, |array| array.space),
        cells: contents(name, cells, host, options.undefined)?,
    })
}

fn contents(
    name: &Name,
    length: usize,
    host: Option<&HostArray>,
    undefined: u64,
) -> Result<Vec<u64>, JobError> {
    let long = |index: &Natural, value: &Natural| {
        value.to_u64().ok_or_else(|| JobError::ContentsTooLarge {
            cell: Cell { array: name.clone(), index: index.clone() },
            value: value.clone(),
        })
    };
    let Some(host) = host else { return Ok(vec![undefined; length]) };
    let fill = host.fill.as_ref().map(|value| long(&Natural::zero(), value)).transpose()?;
    let mut cells = vec![fill.unwrap_or(undefined); length];
    for (index, value) in &host.cells {
        // Cells are in order of their indices: beyond the length there are only such.
        let Some(cell) = index.to_u64().and_then(|index| cells.get_mut(index as usize)) else {
            break;
        };
        *cell = long(index, value)?;
    }
    Ok(cells)
}
