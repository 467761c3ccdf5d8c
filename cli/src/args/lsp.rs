//! `babycuda lsp`

use super::CheckArgs;
use clap::{Args, Parser};

/// `babycuda lsp`
#[derive(Args, Debug)]
pub(crate) struct LspArgs {
    /// The longest that one check of a file may take, in seconds; what is not decided by then is unknown.
    #[arg(long, default_value_t = 20.0, value_name = "S", value_parser = super::values::parse_seconds)]
    pub file_time: f64,
    /// Options of `babycuda check` for every file: `babycuda lsp -- --timeout 1 --block 256`.
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<String>,
}

/// Options of `check` by themselves.
#[derive(Parser, Debug)]
#[command(name = "babycuda lsp --", no_binary_name = true)]
struct Options {
    #[command(flatten)]
    check: CheckArgs,
}

impl LspArgs {
    /// How files are checked.
    ///
    /// # Errors
    /// What is wrong with the options.
    pub(crate) fn check(&self) -> Result<CheckArgs, clap::Error> {
        let words = self.options.iter().map(String::as_str).chain(["-"]);
        let check = Options::try_parse_from(words)?.check;
        Ok(CheckArgs { certainty: true, ..check })
    }
}
