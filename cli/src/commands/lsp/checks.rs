//! Files are checked beside the messages of the editor, one at a time: of each its newest text.

use crate::args::{CheckArgs, LimitArgs};
use crate::commands::check;
use crate::watch::{self, Overrun};
use babycuda_files::input::File;
use babycuda_files::problem::Problem;
use babycuda_report::FileReport;
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_types::Uri;
use std::collections::VecDeque;
use std::sync::Arc;

/// A text to check.
#[derive(Debug)]
pub(super) struct Job {
    pub uri: Uri,
    /// The number of the text.
    pub text: u64,
    pub file: File,
}

/// What became of a text.
#[derive(Debug)]
pub(super) struct Done {
    pub uri: Uri,
    pub text: u64,
    /// Of the outer error the check did not end.
    pub result: Result<Result<FileReport, Problem>, Overrun>,
}

/// The texts that wait, and the one that is being checked.
#[derive(Debug)]
pub(super) struct Checks {
    args: Arc<CheckArgs>,
    limits: LimitArgs,
    /// The oldest first.
    waiting: VecDeque<Job>,
    busy: bool,
    send: Sender<Done>,
    /// Where results arrive: each is to be given to [`Checks::next`].
    pub done: Receiver<Done>,
}

impl Checks {
    /// No text is checked yet. `limits` are those of one check.
    pub(super) fn new(args: CheckArgs, limits: LimitArgs) -> Checks {
        let (send, done) = unbounded();
        Checks { args: Arc::new(args), limits, waiting: VecDeque::new(), busy: false, send, done }
    }

    /// How files are checked.
    pub(super) fn args(&self) -> &CheckArgs {
        &self.args
    }

    /// Checks a text when its turn comes, in the place of older ones of the same file.
    pub(super) fn add(&mut self, job: Job) {
        match self.waiting.iter_mut().find(|waiting| waiting.uri == job.uri) {
            Some(older) => *older = job,
            None => self.waiting.push_back(job),
        }
        if !self.busy {
            self.next();
        }
    }

    /// Forgets a file that waits.
    pub(super) fn remove(&mut self, uri: &Uri) {
        self.waiting.retain(|waiting| waiting.uri != *uri);
    }

    /// Begins with the next text, after the last one is done.
    pub(super) fn next(&mut self) {
        let next = self.waiting.pop_front();
        self.busy = next.is_some();
        let Some(Job { uri, text, file }) = next else { return };
        let (args, limits, send) = (self.args.clone(), self.limits, self.send.clone());
        std::thread::spawn(move || {
            let work = move || check::report_on(file, &args, limits.budget());
            let result = watch::run(limits, work, |_| {});
            // The receiver is gone only when the program is about to end.
            let _ = send.send(Done { uri, text, result });
        });
    }
}
