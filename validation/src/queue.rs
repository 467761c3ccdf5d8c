//! Batches on their way to a device. A device belongs to the thread that opened it, so batches come
//! to that thread.

use babycuda_gpu::{Backend, Device, DeviceError, Failure, Job, Report, Runner, Unavailable};
use std::collections::VecDeque;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// What a device made of a batch.
pub(crate) type Reports = (Device, Vec<Result<Report, Failure>>);

/// Batches that wait for a device.
#[derive(Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    batches: VecDeque<(Vec<Job>, Sender<Reports>)>,
    closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a device run the jobs; None when there is none any more.
    pub(crate) fn run(&self, jobs: Vec<Job>) -> Option<Reports> {
        let (reply, reports) = channel();
        {
            let mut state = self.lock();
            if state.closed {
                return None;
            }
            state.batches.push_back((jobs, reply));
        }
        self.changed.notify_one();
        reports.recv().ok()
    }

    /// Takes no more batches, and drops those that wait.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        state.batches.clear();
        drop(state);
        self.changed.notify_all();
    }

    /// Are batches not taken any more?
    pub(crate) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    fn next(&self) -> Option<(Vec<Job>, Sender<Reports>)> {
        let mut state = self.lock();
        loop {
            if let Some(batch) = state.batches.pop_front() {
                return Some(batch);
            }
            if state.closed {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Opens a device and runs batches on it until the queue is closed; closes it where there is no
/// device, or none any more.
pub(crate) fn serve(
    queue: &Queue,
    open: &(dyn Fn() -> Result<Box<dyn Backend>, Unavailable> + Sync),
) -> Result<Device, Unavailable> {
    let mut backend = open().inspect_err(|_| queue.close())?;
    let device = backend.device().clone();
    let mut runner = Runner::new(&mut *backend);
    while let Some((jobs, reply)) = queue.next() {
        let reports = runner.run(&jobs);
        let lost = |r: &Result<Report, Failure>| {
            matches!(r, Err(Failure::Device(DeviceError::Lost { .. })))
        };
        if reports.iter().any(lost) {
            queue.close();
        }
        // A worker that does not wait any more needs no reports.
        let _ = reply.send((device.clone(), reports));
    }
    Ok(device)
}
