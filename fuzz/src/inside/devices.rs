//! Devices: kernels run there as whole grids, and what each thread accessed is logged.

use super::{Inside, Make, shown_by, unsupported};
use crate::tool::{Answer, Divergence};
use babycuda_core::History;
use babycuda_gpu::report::Status;
use babycuda_gpu::{Backend, BackendName, Job, JobOptions, Runner, open};
use babycuda_validation::scorecard::truth::instance;
use babycuda_validation::scorecard::{About, Case};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::mem::ManuallyDrop;

pub(super) const ALL: [(&str, Make); 4] = [
    ("sim", |_| on("sim", BackendName::Sim)),
    ("wgpu", |_| on("wgpu", BackendName::Wgpu)),
    ("opencl", |_| on("opencl", BackendName::OpenCl)),
    ("cuda", |_| on("cuda", BackendName::Cuda)),
];

fn on(name: &'static str, backend: BackendName) -> Result<Inside, String> {
    open(backend, 0).map_err(|why| why.to_string())?;
    let ask =
        move |case: &Case, contents| on_device(backend, case, contents).unwrap_or_else(|why| why);
    Ok(Inside { name, about: About::Run, divergence: Divergence::Apart, ask: Box::new(ask) })
}

thread_local! {
    /// The devices of a thread, each opened when it is asked first. They are never closed: what their libraries need may be
    /// gone at the end of the thread.
    static OPEN: RefCell<ManuallyDrop<BTreeMap<BackendName, Box<dyn Backend>>>> = RefCell::default();
}

/// What the log of one run shows: the races of its phases are those of the semantics (THEORY T6).
fn on_device(backend: BackendName, case: &Case, contents: u32) -> Result<Answer, Answer> {
    let instance =
        instance(&case.program, contents).ok_or_else(|| unsupported("no fixed launch"))?;
    let jobs = Job::grid(&instance, &JobOptions::default()).map_err(unsupported)?;
    let reports = OPEN.with_borrow_mut(|devices| {
        let device = match devices.entry(backend) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(place) => place.insert(open(backend, 0).map_err(unsupported)?),
        };
        let ran = Runner::new(device).run_grids(&[&jobs]).pop();
        ran.ok_or_else(|| unsupported("no report"))?.map_err(unsupported)
    })?;
    let (mut histories, mut diverges) = (Vec::new(), false);
    for report in &reports {
        match &report.status {
            _ if report.overflow.is_some() => {
                return Err(unsupported("numbers of more than 64 bits"));
            }
            Status::Done => {}
            Status::Divergence(_) => diverges = true,
            other => return Err(unsupported(other)),
        }
        let start = History::empty(instance.host().clone());
        let phases = report.phases().into_iter();
        histories.push(phases.fold(start, |history, phase| history.push(phase)));
    }
    Ok(shown_by(case, &histories, diverges))
}
