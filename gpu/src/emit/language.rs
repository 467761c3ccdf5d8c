//! What the printer asks of a language.

use super::Instrumentation;
use super::helper::Helper;
use super::monitor::Plan;
use super::value::{Condition, Value};
use babycuda_core::syntax::{AtomicOp, Domain, Geometry, Scope, Space};
use babycuda_core::{Name, Site};
use std::collections::BTreeSet;

/// An array, as a text has it.
#[derive(Clone, Debug)]
pub(super) struct Array {
    /// Its name in the program.
    pub(super) name: Name,
    /// Its name in the text.
    pub(super) text: String,
    /// What the text's elements are. In instrumented texts: naturals.
    pub(super) element: Domain,
    /// Who sees it.
    pub(super) space: Space,
    /// Its length, where the text states it.
    pub(super) length: Option<u64>,
    /// Does the program write it or update it atomically?
    pub(super) written: bool,
    /// Is it a read-only input, of which two reads of a cell are equal?
    pub(super) input: bool,
    /// Are its elements accessed by atomic operations in WGSL? It has no others for cells that
    /// are updated.
    pub(super) updated: bool,
    /// In instrumented and monitored texts.
    pub(super) cells: Cells,
    /// In monitored texts.
    pub(super) watch: Watch,
}

/// How a monitored text watches an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// Only whether it has the cell: accesses of it never race.
    Bounds,
    /// With a word for each cell.
    Words,
}

/// The constants of an instrumented or monitored text that tell where an array is.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Its first cell in `memory`, of the first block; all accesses go there if it is global.
    pub(super) base: String,
    pub(super) length: String,
    /// The number of its first cell among the cells of all arrays. In monitored texts: where its words begin.
    pub(super) first: String,
}

/// A parameter whose value the launch gives.
#[derive(Clone, Debug)]
pub(super) struct Parameter {
    /// Its name in the program.
    pub(super) name: Name,
    /// Its name in the text.
    pub(super) text: String,
    /// Its values.
    pub(super) domain: Domain,
}

/// A value that the launch gives to a thread.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Launched {
    /// The paper's `tid`.
    Tid,
    /// `threadIdx`, by dimension.
    ThreadIdx(usize),
    /// `blockIdx`, by dimension.
    BlockIdx(usize),
    /// `blockDim`, by dimension.
    BlockDim(usize),
    /// `gridDim`, by dimension.
    GridDim(usize),
}

/// An atomic update with its operands printed as values of the array's elements.
pub(super) struct Update<'a> {
    pub(super) array: &'a Array,
    /// The index, as the language wants it between brackets.
    pub(super) index: &'a str,
    pub(super) op: AtomicOp,
    pub(super) scope: Scope,
    pub(super) operand: &'a str,
    /// What `cas` expects, where elements have it.
    pub(super) expected: Option<&'a str>,
}

/// A compare-and-swap loop: `old` is declared with the value before the update.
pub(super) struct Swap<'a> {
    pub(super) array: &'a Array,
    pub(super) index: &'a str,
    pub(super) scope: Scope,
    /// The variable that ends up with the value before the update; it is declared already.
    pub(super) old: &'a str,
    /// An unused name.
    pub(super) seen: &'a str,
    /// The new value, an expression over `old`.
    pub(super) new: &'a str,
}

/// What a text is assembled from.
pub(super) struct Parts {
    /// The kernel's name in the text.
    pub(super) kernel: String,
    /// What the text records of its run.
    pub(super) instrumentation: Instrumentation,
    /// How the text watches its run, if it does.
    pub(super) monitor: Option<Plan>,
    /// Lines of the comment at the head.
    pub(super) comment: Vec<String>,
    /// Definitions of functions.
    pub(super) functions: Vec<String>,
    pub(super) launched: BTreeSet<Launched>,
    pub(super) geometry: Geometry,
    pub(super) arrays: Vec<Array>,
    pub(super) parameters: Vec<Parameter>,
    /// The statements, one a line.
    pub(super) body: String,
    /// Does the text need atomic operations of 64 bits?
    pub(super) long_atomics: bool,
}

/// A language of texts.
pub(super) trait Language {
    /// The type of values of `domain`.
    fn type_name(&self, domain: Domain) -> &'static str;

    /// The literal with the pattern `pattern`.
    fn literal(&self, domain: Domain, pattern: u64) -> Value;

    /// `value`, converted as C converts integers: what it means, modulo the target's range.
    fn convert(&self, value: &Value, to: Domain) -> Value;

    /// `value` of type `to`, where an initialisation or a call converts by itself if the language
    /// has that; `to` has all of the value's range.
    fn pass(&self, value: &Value, to: Domain) -> String;

    /// `value` as an index of an array of this length, where the text states it.
    fn index(&self, value: &Value, length: Option<u64>) -> String;

    /// The right operand of a shift; `count` is below the width.
    fn shift_count(&self, count: u64) -> String;

    /// `then` if `condition`, else `otherwise`; both of the same domain.
    fn select(&self, condition: &Condition, then: &Value, otherwise: &Value) -> Value;

    /// The operator of the language that computes `helper` on these operands exactly.
    fn infix(&self, helper: Helper, left: &Value, right: &Value) -> Option<&'static str>;

    /// The definition of `helper`; with `marks`, of one that marks overflow.
    fn helper(&self, helper: Helper, marks: bool) -> String;

    /// The call of a helper that marks overflow at `site`.
    fn marking_call(&self, helper: Helper, site: Site, left: &str, right: &str) -> String;

    /// A parameter whose value the launch gives.
    fn parameter(&self, name: &str, instrumented: bool) -> String;

    /// A value that the launch gives.
    fn launched(&self, which: Launched) -> Value;

    /// The declaration of a constant.
    fn constant(&self, name: &str, domain: Domain, value: &str) -> String;

    /// The declaration of a parameter with a fixed value.
    fn fixed(&self, name: &str, domain: Domain, value: &str) -> String;

    /// The declaration of a variable.
    fn variable(&self, name: &str, domain: Domain, value: &str) -> String;

    /// The head of a loop over naturals, as long as `also` holds too.
    fn counting(&self, counter: &str, lower: &str, upper: &str, also: Option<&str>) -> String;

    /// The head of a branch.
    fn guard(&self, condition: &str) -> String;

    /// The statement that is a block barrier.
    fn barrier(&self) -> &'static str;

    /// The statement that is a barrier of the thread's aligned group of so many threads, which
    /// divide the device's warps; `None`: the language has none.
    fn group_barrier(&self, _size: u32) -> Option<String> {
        None
    }

    /// The value of a cell.
    fn read(&self, array: &Array, index: &str) -> String;

    /// The statement that writes a cell.
    fn write(&self, array: &Array, index: &str, value: &str) -> String;

    /// The language's own atomic update, if it has this one: a call whose value is what the cell
    /// held before.
    fn native(&self, update: &Update<'_>) -> Option<String>;

    /// Has the language a compare-and-swap for these elements?
    fn can_swap(&self, element: Domain) -> bool;

    /// The lines of a compare-and-swap loop.
    fn swap(&self, swap: &Swap<'_>) -> Vec<String>;

    /// In instrumented texts: the call of one of the functions that keep a thread's account.
    fn account(&self, function: &str, arguments: &str) -> String;

    /// In instrumented texts: the statement that counts a barrier.
    fn next_phase(&self) -> &'static str;

    /// In monitored texts: the call of one of the monitor's functions.
    fn monitor(&self, function: &str, arguments: &str) -> String;

    /// The whole text.
    fn assemble(&self, parts: &Parts) -> String;
}
