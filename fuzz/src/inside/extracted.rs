//! The functions that Coq proved, extracted: the oracle of `proofs/oracle`, where somebody built it.

use super::{Inside, TIME, shown_by, told, unsupported};
use crate::tool::{Answer, Divergence};
use babycuda_core::expr::Num;
use babycuda_core::name::reserved::{THREAD_IDX, TID};
use babycuda_core::syntax::Tree;
use babycuda_core::{Cell, History, HostMemory, Name, Natural, Stmt};
use babycuda_proofs::oracle::{
    Answer as Proved, BlockEnd, Oracle, OracleError, Outcome, Request, Uncovered,
};
use babycuda_semantics::Instance;
use babycuda_validation::scorecard::truth::{Truth, instance};
use babycuda_validation::scorecard::{About, Case};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

pub(super) const NAME: &str = "coq";

/// What says where the oracle is.
const PROGRAM: &str = "BABYCUDA_ORACLE";
/// Where `make -C proofs/oracle` builds it.
const BUILT: &str = "proofs/oracle/_build/oracle";

/// Cells of an array that the oracle is told of.
const CELLS: u64 = 128;
/// Phases of a kernel, at most.
const PHASES: u64 = 256;

/// How to get it.
pub(crate) const REMEDY: &str = "`make -C proofs/oracle`, and its path in BABYCUDA_ORACLE";

/// Where it is.
///
/// # Errors
/// Why it cannot be asked.
pub(crate) fn program() -> Result<PathBuf, String> {
    let named = std::env::var_os(PROGRAM).map(PathBuf::from);
    let program = named.ok_or_else(|| format!("{PROGRAM} does not say where it is"))?;
    if !program.is_file() {
        return Err(format!("there is no {}: {REMEDY}", program.display()));
    }
    Ok(program)
}

pub(super) fn tool(named: bool) -> Result<Inside, String> {
    let own = PathBuf::from(BUILT);
    let program = match program() {
        Err(_) if named && std::env::var_os(PROGRAM).is_none() && own.is_file() => own,
        other => other?,
    };
    let running = Mutex::new(None);
    let ask = move |case: &Case, contents| {
        let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
        asked(&mut running, &program, case, contents).unwrap_or_else(|why| why)
    };
    Ok(Inside { name: NAME, about: About::Run, divergence: Divergence::Apart, ask: Box::new(ask) })
}

/// A running oracle, with the array that it is for.
type Running = Option<(&'static str, Oracle)>;

/// Each block, evaluated.
fn asked(
    running: &mut Running,
    program: &Path,
    case: &Case,
    contents: u32,
) -> Result<Answer, Answer> {
    let instance =
        instance(&case.program, contents).ok_or_else(|| unsupported("no fixed launch"))?;
    if instance.blocks().is_some() {
        return Err(unsupported("blocks that run together"));
    }
    let array = Name::new(case.small.array);
    let blocks = 0..instance.configuration.launch.grid.count();
    let requests: Vec<Request> =
        blocks.map(|block| request(&instance.clone().with_block(block), &array)).collect();
    if running.as_ref().is_none_or(|(of, _)| *of != case.small.array) {
        let started = Oracle::start(program, array).map_err(unsupported)?;
        *running = Some((case.small.array, started));
    }
    let (_, oracle) = running.as_mut().ok_or_else(|| unsupported("no oracle"))?;
    let answers = oracle.ask(&requests, TIME).map_err(|why| match why {
        OracleError::Uncovered(_, Uncovered::Atomic(_)) => unsupported("an atomic update"),
        OracleError::Uncovered(_, Uncovered::Scope(_)) => {
            unsupported("a barrier that is none of blocks")
        }
        OracleError::Uncovered(_, why) => unsupported(why),
        // A process that broke is started anew.
        why => {
            *running = None;
            unsupported(why)
        }
    })?;
    let (mut histories, mut diverges) = (Vec::new(), false);
    for answer in answers {
        match answer.map_err(unsupported)? {
            Proved::Block(Outcome::Result(BlockEnd::Ends(history))) => histories.push(history),
            Proved::Block(Outcome::Result(BlockEnd::Diverges { history, .. })) => {
                histories.push(history);
                diverges = true;
            }
            // Only a racy phase leaves a cell several values.
            Proved::Block(Outcome::Ambiguous(..)) => return Ok(told(Truth::Racy)),
            Proved::Block(Outcome::Undefined(_)) => {
                return Err(unsupported("a cell that the oracle was not told of"));
            }
            _ => return Err(unsupported("no run to its end")),
        }
    }
    Ok(shown_by(case, &histories, diverges))
}

/// The evaluation of a block of one dimension: all variables but the thread's number have values. The oracle is about one
/// array: what is only read lies in high cells of it.
fn request(block: &Instance, array: &Name) -> Request {
    let mut values = block.block().substitution(0);
    values.remove(&Name::new(TID));
    values.insert(Name::new(THREAD_IDX[0]), Num::Var(Name::new(TID)));
    let program = block.body().subst(&values);
    let written = program.written();
    let read: Vec<Name> = program.arrays().into_iter().filter(|a| !written.contains(a)).collect();
    let beyond = |of: &Name| match read.iter().filter(|a| *a != array).position(|a| a == of) {
        Some(place) => (place as u64 + 1) << 32,
        None => 0,
    };
    let mut host = HostMemory::default();
    for (of, first) in read.iter().chain([array]).map(|of| (of, beyond(of))) {
        for index in 0..CELLS {
            let cell = Cell::new(of.clone(), Natural::from(index));
            if let Some(value) = block.host().get(&cell) {
                let at = Cell::new(array.clone(), Natural::from(first + index));
                host.set(at, value.clone());
            }
        }
    }
    Request::EvaluateBlock {
        phases: PHASES,
        threads: u32::try_from(block.block().len()).unwrap_or(u32::MAX),
        history: History::start(host),
        program: in_one(&program, array, &beyond),
    }
}

/// The statement with every read of another array that lies beyond the cells of `array` made there.
fn in_one(stmt: &Stmt, array: &Name, beyond: &dyn Fn(&Name) -> u64) -> Stmt {
    let mut moved = stmt.map_children(|child| in_one(child, array, beyond).into());
    if let Stmt::Read { array: of, index, .. } = &mut moved
        && beyond(of) > 0
    {
        *index = index.clone() + Num::Lit(beyond(of).into());
        *of = array.clone();
    }
    moved
}
