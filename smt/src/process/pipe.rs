//! A solver process behind smtlib's `Backend`: one command in, one reply out, before a deadline.

use std::{
    ffi::OsStr,
    io::{self, Read, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel},
    thread,
    time::Duration,
};

use babycuda_core::clock::Instant;
use smtlib::{
    backend::Backend,
    lowlevel::{self, ast},
};

/// A reply longer than this is a flood, not an answer.
const MAX_REPLY: usize = 16 << 20;

/// How many chunks of output wait unread before the solver is made to wait.
const BACKLOG: usize = 16;

/// A running solver that speaks SMT-LIB on its standard streams and acknowledges every command
/// (`:print-success true`).
///
/// After any error the conversation is out of step: drop the pipe and start another.
#[derive(Debug)]
pub(super) struct Pipe {
    child: Child,
    /// Commands to the thread that writes them. The child may stop reading: only that thread
    /// waits for it.
    commands: SyncSender<String>,
    output: Receiver<io::Result<Vec<u8>>>,
    deadline: Instant,
}

impl Pipe {
    /// Starts `program` with `args`.
    ///
    /// # Errors
    /// When the operating system cannot start it.
    pub(super) fn start<A: AsRef<OsStr>>(
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = A>,
    ) -> io::Result<Pipe> {
        let mut child = Command::new(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            let _ = child.kill();
            return Err(io::Error::other("the child has no standard streams"));
        };
        let (send, output) = sync_channel(BACKLOG);
        let (commands, to_write) = sync_channel(1);
        // The threads end when the child's streams close or this side hangs up; nobody waits for
        // them, since a grandchild may hold the streams open.
        thread::Builder::new()
            .name("solver output".into())
            .spawn(move || forward(stdout, &send))?;
        thread::Builder::new().name("solver input".into()).spawn(move || feed(stdin, &to_write))?;
        Ok(Pipe { child, commands, output, deadline: Instant::now() + Duration::from_secs(10) })
    }

    /// Replies that come after `deadline` are errors of kind [`io::ErrorKind::TimedOut`].
    pub(super) fn set_deadline(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    /// Sends `text` and waits for one complete reply: a symbol, a string, or a balanced list.
    ///
    /// # Errors
    /// [`TimedOut`](io::ErrorKind::TimedOut) after the deadline,
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) when the process closed its output,
    /// [`InvalidData`](io::ErrorKind::InvalidData) for output that is not one reply.
    pub(super) fn ask(&mut self, text: String) -> io::Result<String> {
        match self.output.try_recv() {
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Err(ended()),
            Ok(Err(error)) => return Err(error),
            Ok(Ok(_)) => return Err(nonsense("output that nobody asked for")),
        }
        self.commands.send(text).map_err(|_| ended())?;
        self.reply()
    }

    /// The first line of output that is not blank, unasked.
    ///
    /// # Errors
    /// As [`Pipe::ask`].
    pub(super) fn line(&mut self) -> io::Result<String> {
        let mut line = Vec::new();
        loop {
            for byte in self.chunk()? {
                if byte == b'\n' && !line.trim_ascii().is_empty() {
                    return Ok(String::from_utf8_lossy(&line).trim().to_owned());
                }
                line.push(byte);
            }
            if line.len() > MAX_REPLY {
                return Err(nonsense("a flood of output"));
            }
        }
    }

    /// Output as it comes.
    fn chunk(&mut self) -> io::Result<Vec<u8>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.output.recv_timeout(left) {
            Ok(chunk) => chunk,
            Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::TimedOut.into()),
            Err(RecvTimeoutError::Disconnected) => Err(ended()),
        }
    }

    fn reply(&mut self) -> io::Result<String> {
        let mut scan = Scanner::default();
        let mut reply = Vec::new();
        loop {
            let chunk = self.chunk()?;
            for (i, byte) in chunk.iter().enumerate() {
                reply.push(*byte);
                match scan.step(*byte) {
                    Step::More => {}
                    Step::Unbalanced => return Err(nonsense("a closing parenthesis too many")),
                    Step::Complete => {
                        if !chunk[i + 1..].iter().all(u8::is_ascii_whitespace) {
                            return Err(nonsense("more than one reply"));
                        }
                        return String::from_utf8(reply)
                            .map_err(|_| nonsense("a reply that is not text"));
                    }
                }
            }
            if reply.len() > MAX_REPLY {
                return Err(nonsense("a flood of output"));
            }
        }
    }
}

impl Backend for Pipe {
    fn exec(&mut self, command: ast::Command<'_>) -> Result<String, lowlevel::Error> {
        Ok(self.ask(format!("{command}\n"))?)
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // Both fail only when the child is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ended() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the process ended")
}

fn nonsense(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Passes output on in chunks until the stream or the listener ends.
fn forward(mut stdout: impl Read, send: &SyncSender<io::Result<Vec<u8>>>) {
    let mut buffer = vec![0; 1 << 16];
    loop {
        let message = match stdout.read(&mut buffer) {
            Ok(0) => return,
            Ok(n) => Ok(buffer[..n].to_vec()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => Err(error),
        };
        let failed = message.is_err();
        if send.send(message).is_err() || failed {
            return;
        }
    }
}

/// Writes commands until the child stops reading or the sender ends.
fn feed(mut stdin: ChildStdin, commands: &Receiver<String>) {
    while let Ok(text) = commands.recv() {
        if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

enum Step {
    More,
    Complete,
    Unbalanced,
}

/// Finds the end of one reply: the end of the line on which all parentheses are closed again.
#[derive(Default)]
struct Scanner {
    depth: usize,
    started: bool,
    /// Inside `"…"`, `|…|`, or a comment up to the end of the line.
    inside: Option<u8>,
}

impl Scanner {
    fn step(&mut self, byte: u8) -> Step {
        if let Some(end) = self.inside {
            if byte == end {
                self.inside = None;
            }
            if self.inside.is_some() || end != b'\n' {
                return Step::More;
            }
        }
        match byte {
            b'\n' if self.started && self.depth == 0 => return Step::Complete,
            b'"' | b'|' => self.inside = Some(byte),
            b';' => self.inside = Some(b'\n'),
            b'(' => self.depth += 1,
            b')' => match self.depth.checked_sub(1) {
                Some(depth) => self.depth = depth,
                None => return Step::Unbalanced,
            },
            _ => {}
        }
        // A comment alone is no reply.
        if !byte.is_ascii_whitespace() && byte != b';' {
            self.started = true;
        }
        Step::More
    }
}
