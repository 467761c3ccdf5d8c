//! `babycuda lsp`: an editor is told what `check` finds while a file is being written.
//!
//! | module | contents |
//! |---|---|
//! | `server` | the messages |
//! | `checks` | files are checked beside them, one at a time |
//! | `show` | reports in the protocol's words |
//! | `place` | places in a text as editors count them |

mod checks;
mod place;
mod server;
mod show;

use super::Failure;
use crate::args::{LimitArgs, LspArgs};
use babycuda_files::problem::Problem;
use lsp_server::Connection;
use server::Server;
use std::time::Duration;

/// The exit status where the memory is used up.
const UNFINISHED: u8 = 3;

/// Serves an editor until it says that it ends; the exit status.
///
/// # Errors
/// When the options are not those of `check`, or what is read is not the protocol.
pub(crate) fn run(args: &LspArgs, limits: LimitArgs) -> Result<u8, Failure> {
    let check = args.check().map_err(|error| Failure { text: error.to_string() })?;
    let limits = LimitArgs { time_limit: args.file_time, ..limits };
    let (connection, threads) = Connection::stdio();
    let status = Server::start(connection, check, limits).and_then(Server::run);
    let status = status.map_err(|error| Failure::from(Problem::new(error.to_string())))?;
    if status == UNFINISHED {
        // The thread that reads waits for the editor, and the one that writes has one line to go.
        std::thread::sleep(Duration::from_millis(100));
        return Ok(status);
    }
    match threads.join() {
        Ok(()) => Ok(status),
        // The editor is gone, or what it said last was no message.
        Err(error) => Err(Problem::new(error.to_string()).into()),
    }
}
