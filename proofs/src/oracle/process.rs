//! A program that answers every line of its input with one line of output.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// An answer longer than this is a flood.
const LONGEST: u64 = 256 << 20;

/// How many answers wait unread before the program is made to wait.
const BACKLOG: usize = 1024;

/// A running program. It is killed when it is dropped.
///
/// Two threads stand between this side and the pipes: neither side ever waits for the other to
/// read before it reads itself, so any number of lines may be asked at once.
///
/// After any error the conversation is out of step, and all further questions are errors too.
#[derive(Debug)]
pub struct Process {
    child: Child,
    requests: Sender<Vec<u8>>,
    answers: Receiver<io::Result<String>>,
    broken: bool,
}

/// Why a conversation broke off.
#[derive(Debug, thiserror::Error)]
pub enum Broken {
    /// The program cannot be started.
    #[error("cannot be started: {0}")]
    Start(io::Error),
    /// The program ended, or closed its output.
    #[error("ended after {answered} of {asked} answers")]
    #[allow(missing_docs)]
    Ended { answered: usize, asked: usize },
    /// Not all answers came in time.
    #[error("gave {answered} of {asked} answers within {time:?}")]
    #[allow(missing_docs)]
    Late { answered: usize, asked: usize, time: Duration },
    /// Its output cannot be read, is not text, or is one very long line.
    #[error("answer {0} is not readable: {1}")]
    Output(usize, io::Error),
    /// A line that nobody asked for.
    #[error("printed something that nobody asked for")]
    Unasked,
    /// A request has a line break.
    #[error("request {0} is more than one line")]
    Lines(usize),
    /// An earlier question was not answered.
    #[error("out of step since an earlier error")]
    OutOfStep,
}

impl Process {
    /// Starts `program` with `arguments`.
    ///
    /// # Errors
    /// [`Broken::Start`]
    pub fn start<A: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Process, Broken> {
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(Broken::Start)?;
        let (requests, to_write) = channel();
        let (read, answers) = sync_channel(BACKLOG);
        // Both streams are there, since both were asked for.
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let process = Process { child, requests, answers, broken: false };
        // The threads end when the streams close or this side hangs up.
        let spawn = |name: &str, body: Box<dyn FnOnce() + Send>| {
            thread::Builder::new().name(name.to_owned()).spawn(body).map_err(Broken::Start)
        };
        if let (Some(stdin), Some(stdout)) = (stdin, stdout) {
            spawn("requests", Box::new(move || write_requests(stdin, &to_write)))?;
            spawn("answers", Box::new(move || read_answers(stdout, &read)))?;
        }
        Ok(process)
    }

    /// Sends all lines and waits for as many lines back, for `time` at most.
    ///
    /// # Errors
    /// [`Broken`]
    pub fn ask(&mut self, lines: &[String], time: Duration) -> Result<Vec<String>, Broken> {
        if self.broken {
            return Err(Broken::OutOfStep);
        }
        if let Some(n) = lines.iter().position(|line| line.contains('\n')) {
            return Err(Broken::Lines(n));
        }
        let result = self.converse(lines, time);
        self.broken = result.is_err();
        result
    }

    fn converse(&self, lines: &[String], time: Duration) -> Result<Vec<String>, Broken> {
        if self.answers.try_recv().is_ok() {
            return Err(Broken::Unasked);
        }
        let asked = lines.len();
        let start = Instant::now();
        let mut text = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
        for line in lines {
            text.extend_from_slice(line.as_bytes());
            text.push(b'\n');
        }
        if self.requests.send(text).is_err() {
            return Err(Broken::Ended { answered: 0, asked });
        }
        let mut answers = Vec::with_capacity(asked);
        while answers.len() < asked {
            let answered = answers.len();
            match self.answers.recv_timeout(time.saturating_sub(start.elapsed())) {
                Ok(Ok(line)) => answers.push(line),
                Ok(Err(error)) => return Err(Broken::Output(answered, error)),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Broken::Late { answered, asked, time });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Broken::Ended { answered, asked });
                }
            }
        }
        Ok(answers)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only when the child is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes until the child stops reading or this side hangs up.
fn write_requests(mut stdin: ChildStdin, requests: &Receiver<Vec<u8>>) {
    while let Ok(text) = requests.recv() {
        if stdin.write_all(&text).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Passes lines on until the stream or the listener ends. A last line without its end is no
/// answer: it may be cut off.
fn read_answers(stdout: ChildStdout, answers: &SyncSender<io::Result<String>>) {
    let mut stdout = BufReader::with_capacity(1 << 16, stdout);
    loop {
        let mut line = String::new();
        let message = match stdout.by_ref().take(LONGEST).read_line(&mut line) {
            Ok(_) if line.ends_with('\n') => {
                line.pop();
                Ok(line)
            }
            Ok(n) if n as u64 == LONGEST => Err(io::Error::other("a flood of output")),
            Ok(_) => return,
            Err(error) => Err(error),
        };
        let failed = message.is_err();
        if answers.send(message).is_err() || failed {
            return;
        }
    }
}
