//! babycuda in a web page: a question and its answer, both JSON. What is asked goes to the same functions as the
//! commands of the program `babycuda`, and what they write comes back.
//!
//! | `ask` | the command | the answer has |
//! |---|---|---|
//! | `check` | `babycuda check` | `status`, `document`, `text`, `findings` with their places, `more` where a second answer has more |
//! | `type` | `babycuda type` | `text`, `kernels` |
//! | `run` | `babycuda run` | `html`, the history as matrices; `text` |
//! | `derive` | `babycuda derive` | `html`, a page to step through |
//! | `compare` | `babycuda compare` | `kernels`, what each technique says beside what is true; of a program, `emitted`, its text in CUDA C |
//! | `walk` | | one interleaving, step by step: [`walk`] |
//! | `explain` | `babycuda explain` | `text` |
//!
//! Where there is no answer, there is an `error` with its `message`, its place, and what would help.

mod ask;
mod emitted;
mod place;
pub mod walk;

use ask::Question;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// The answer to a question.
#[wasm_bindgen]
pub fn answer(question: &str) -> String {
    let answer = match serde_json::from_str::<Question>(question) {
        Ok(question) => ask::answer(&question),
        Err(error) => json!({ "error": { "message": format!("no question: {error}") } }),
    };
    answer.to_string()
}

/// The words of the last panic, and where it was; empty: there was none. A panic ends the program, but its memory can
/// still be read.
#[wasm_bindgen]
pub fn last_panic() -> String {
    ask::LAST_PANIC.with_borrow(String::clone)
}

/// To be called once, before all else.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        ask::LAST_PANIC.with_borrow_mut(|last| *last = panic.to_string());
    }));
}

/// A text for the page: an object of an answer.
type Answer = Value;
