//! A tool as a process that may do anything: it is given a time, what it writes is cut off, and with it its children end.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// So many bytes of what a tool writes are kept.
const MAX_OUTPUT: usize = 1 << 20;

/// How long is waited for the rest of the output of a process that has ended.
const REST: Duration = Duration::from_millis(500);

/// The processes that run now, each the first of its group. `None`: the program is about to end.
static RUNNING: Mutex<Option<Vec<u32>>> = Mutex::new(Some(Vec::new()));

/// Ends all tools that run, with their children, for a program that is about to end: whoever asks a tool waits for that, since
/// what a tool that was ended says is no answer.
pub fn end_all() {
    for first in RUNNING.lock().unwrap_or_else(PoisonError::into_inner).take().into_iter().flatten()
    {
        end_group(first);
    }
}

/// Whatever a process started ends with it. That it has ended meanwhile is no failure.
fn end_group(first: u32) {
    #[cfg(unix)]
    if let Some(first) = i32::try_from(first).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(first, rustix::process::Signal::KILL);
    }
    #[cfg(not(unix))]
    let _ = first;
}

/// With the processes that run, unless the program is about to end.
fn with_running<T>(then: impl FnOnce(&mut Vec<u32>) -> T) -> T {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(running) = running.as_mut() {
        return then(running);
    }
    drop(running);
    loop {
        thread::park();
    }
}

/// Nothing is begun any more where the program is about to end.
pub(crate) fn wait_if_ending() {
    with_running(|_| ());
}

/// How a process ended.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    /// `None`: it was stopped, as its time was over.
    pub status: Option<ExitStatus>,
    /// What it wrote to its two streams, the standard output first.
    pub output: String,
    /// Did it write more than that?
    pub cut: bool,
}

/// Runs a process without input.
///
/// # Errors
/// The system cannot start it.
pub(crate) fn run(command: &mut Command, within: Duration) -> io::Result<Ran> {
    let streams = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(streams, 0);
    let mut child = with_running(|running| {
        let child = streams.spawn()?;
        running.push(child.id());
        io::Result::Ok(child)
    })?;
    let (out, err) = (kept(child.stdout.take()), kept(child.stderr.take()));
    let status = wait(&mut child, Instant::now() + within)?;
    let mut ran = Ran { status, output: String::new(), cut: false };
    for (text, ended) in [out, err] {
        // A child of its own may hold the stream open.
        let _ = ended.recv_timeout(REST);
        let text = text.lock().unwrap_or_else(PoisonError::into_inner);
        ran.output += &String::from_utf8_lossy(&text);
        ran.cut |= text.len() >= MAX_OUTPUT;
    }
    Ok(ran)
}

/// `None`: it was killed at the deadline.
fn wait(child: &mut Child, deadline: Instant) -> io::Result<Option<ExitStatus>> {
    let mut pause = Duration::from_millis(1);
    loop {
        // Once it is known that it has ended, its number may be that of another.
        let ended = with_running(|running| {
            let ended = child.try_wait()?;
            if ended.is_some() {
                end_group(child.id());
                running.retain(|first| *first != child.id());
            }
            io::Result::Ok(ended)
        })?;
        if let Some(status) = ended {
            return Ok(Some(status));
        }
        if Instant::now() >= deadline {
            end_group(child.id());
            let _ = child.kill();
            child.wait()?;
            with_running(|running| running.retain(|first| *first != child.id()));
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// The first bytes of a stream, which is read to its end, and a message when that is reached.
fn kept(stream: Option<impl Read + Send + 'static>) -> (Arc<Mutex<Vec<u8>>>, Receiver<()>) {
    let text = Arc::new(Mutex::new(Vec::new()));
    let (send, ended) = channel();
    let own = Arc::clone(&text);
    thread::spawn(move || {
        let mut chunk = vec![0; 1 << 16];
        if let Some(mut stream) = stream {
            while let Ok(length @ 1..) = stream.read(&mut chunk) {
                let mut kept = own.lock().unwrap_or_else(PoisonError::into_inner);
                let room = MAX_OUTPUT - kept.len();
                kept.extend_from_slice(&chunk[..length.min(room)]);
            }
        }
        let _ = send.send(());
    });
    (text, ended)
}
