//! Is a report one that a run of a job can have at all? Reports of the runner are; those of a file
//! may say anything.

use babycuda_core::syntax::Tree;
use babycuda_core::{Site, Stmt};
use babycuda_gpu::report::{Entry, Status, Stop};
use babycuda_gpu::{Job, Report};
use std::collections::BTreeMap;

/// What a report says that no run of the job can have left.
///
/// # Errors
/// The first such thing, in words.
pub(crate) fn fits(report: &Report, job: &Job, program: &Stmt) -> Result<(), String> {
    let expect = |is: bool, what: &str| if is { Ok(()) } else { Err(what.to_owned()) };
    expect(report.block == job.block(), "its block is not the program's")?;
    expect(
        report.threads.len() as u64 == u64::from(job.threads()),
        "its threads are not the block's",
    )?;
    // A phase costs fuel, so that a run has no more.
    expect(report.last_phase <= job.fuel(), "it has more phases than a run can have")?;
    let arrays = job.code().arrays().iter().zip(job.arrays());
    let known = arrays.map(|(name, array)| (name, array.space, array.cells.len()));
    let found = report.arrays.iter().map(|array| (&array.name, array.space, array.cells.len()));
    expect(known.eq(found), "its arrays are not the program's")?;

    let statements: BTreeMap<Site, &Stmt> =
        program.subterms().filter_map(|b| Some((b.site()?, b))).collect();
    let access = |entry: &Entry| {
        let Some(array) = report.arrays.get(entry.array as usize) else { return false };
        let statement = statements.get(&entry.site).and_then(|b| b.head().access());
        statement == Some((entry.mode, &array.name)) && entry.index < array.cells.len() as u64
    };
    for (number, thread) in report.threads.iter().enumerate() {
        let phases = || thread.log.iter().map(|entry| entry.phase);
        expect(
            thread.log.iter().all(access) && phases().is_sorted(),
            &format!("thread {number} logs an access that the program does not have"),
        )?;
        expect(
            thread.passed.iter().all(|barrier| barrier.after as usize <= thread.log.len()),
            &format!("thread {number} passes a barrier behind the end of its log"),
        )?;
        expect(
            phases().all(|phase| phase <= report.last_phase),
            &format!("thread {number} logs an access after the last phase"),
        )?;
    }
    expect(
        report.without_its_group().is_none(),
        "a thread passes a barrier that others of its group do not",
    )?;
    let stops = |thread: u64, stop: Stop| {
        usize::try_from(thread).ok().and_then(|thread| report.threads.get(thread)).map(|t| t.stop)
            == Some(stop)
    };
    let agrees = match &report.status {
        Status::Done => report.threads.iter().all(|thread| thread.stop == Stop::End),
        Status::Divergence(_) => report.threads.iter().any(|thread| thread.stop != Stop::End),
        // Reports are of one block.
        Status::Waits(_) => false,
        Status::OutOfFuel(place) => stops(place.thread, Stop::OutOfFuel(place.site)),
        Status::LogFull(place) => {
            place.site.is_some_and(|site| stops(place.thread, Stop::LogFull(site)))
        }
        Status::OutOfBounds { place, .. } => {
            place.site.is_some_and(|site| stops(place.thread, Stop::OutOfBounds(site)))
        }
    };
    expect(agrees, "its threads did not stop as its status says")?;
    let overflow = report.overflow.is_none_or(|place| {
        place.thread < u64::from(job.threads())
            && place.site.is_none_or(|site| statements.contains_key(&site))
    });
    expect(overflow, "its overflow is at no place of the program")
}
