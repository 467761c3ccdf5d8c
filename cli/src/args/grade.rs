//! What `grade` is asked.

use super::PlainFormat;
use clap::Args;
use std::path::PathBuf;

/// Arguments of `grade`.
#[derive(Args, Debug)]
pub(crate) struct GradeArgs {
    /// The exercise: an id of --list, or a file (.md).
    #[arg(value_name = "EXERCISE", required_unless_present_any = ["list", "bundle"])]
    pub exercise: Option<String>,
    /// The answer: a file; standard input is `-`. Without one, the statement of the exercise is printed.
    #[arg(value_name = "ANSWER")]
    pub answer: Option<String>,
    /// List the exercises.
    #[arg(long, conflicts_with_all = ["exercise", "bundle"])]
    pub list: bool,
    /// Write what students get, statements with their material and no solutions, into a folder.
    #[arg(long, value_name = "DIR", conflicts_with = "exercise")]
    pub bundle: Option<PathBuf>,
    /// How to report.
    #[arg(long, value_enum, default_value = "human", value_name = "F")]
    pub format: PlainFormat,
}
