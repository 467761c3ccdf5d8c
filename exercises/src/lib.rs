//! Exercises on data races, and a grader that says the first wrong step and why.
//!
//! | module | contents |
//! |---|---|
//! | [`exercise`] | a file of the folder `course`: what is asked, and of which material |
//! | [`catalogue`] | those that the library has |
//! | [`grade`](mod@grade) | what comes of an answer |
//! | [`limits`] | what an answer may use |
//! | [`bundle`] | all that students get: no solution is in it |
//! | [`kinds`] | one checker a kind |
//!
//! Solutions and wrong answers stand apart, in the folders `solutions` and `wrong`; nothing here reads them but tests.
//!
//! ```
//! let exercise = babycuda_exercises::catalogue::find("untypable-index").unwrap();
//! let answer = "threads 4; A[tid] := tid; let x = A[tid] in B[tid] := x";
//! let grade = exercise.grade(answer.as_bytes());
//! let fault = grade.result.unwrap_err();
//! assert_eq!(fault.step, "typing rejects the program");
//! ```

pub mod bundle;
pub mod catalogue;
pub mod exercise;
pub mod grade;
pub mod kinds;
pub mod limits;
mod reading;

pub use exercise::{Exercise, ExerciseError, Kind, Tag};
pub use grade::{Fault, Grade, Judged, Place};
