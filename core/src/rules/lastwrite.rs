//! `lastwrite(j, H)` (LCL22 Fig. 5).

use super::Coq::{Constructors, Definition};
use super::Source::{Adapted, Ours, Printed};
use super::{COUNTERS, Constructor, EXTENSION, Item, Judgment, NO_ATOMICS, Rule, Test};

const FILE: &str = "core/src/history/lastwrite.rs";
const TESTS: &str = "core/src/history/lastwrite/tests.rs";
const FIG_5: &str = "LCL22 Fig. 5, lastwrite";
const HISTORIES_V: &str = "proofs/coq/Histories.v";

const fn test(name: &'static str) -> Test {
    Test { file: TESTS, name }
}

const fn lastwrite(name: &'static str) -> Constructor {
    Constructor { file: HISTORIES_V, relation: "lastwrite", name }
}

/// How prev differs from the printed rule.
const PREV_ADAPTED: &str = "printed as the equation `lastwrite(j, P::H) = lastwrite(j, H)`; here as \
    a relation, which has several values where a phase is racy on the cell, and none for ⊥. For \
    each value of the right side both forms relate it to the left.";

/// How undef differs from the printed rule.
const UNDEF_ADAPTED: &str = "printed as `lastwrite(j, []) = ⊥`, whatever j is; here what the host \
    stored stands before all phases (rule lastwrite/host), and ⊥ is no value, but the absence of \
    one: a read of such a cell has no derivation. The same where the host stored nothing.";

const ORDERED: &[Test] = &[
    test("a_threads_own_operations_are_ordered"),
    test("where_the_order_decides_not_all_values_are_known"),
];
const LASTWRITE: Rule = Rule {
    fires: &[test("the_newest_writing_phase_decides_and_the_host_comes_last")],
    refutes: &[test("the_newest_writing_phase_decides_and_the_host_comes_last")],
    ..Rule::of(Judgment::LastWrite, FILE)
};

rules! {
    LASTWRITE by id {
        /// The newest phase that writes the cell gives its value; a relation when several threads
        /// wrote it. Where the phase also has updates of the cell, lastwrite/atomic-curr stands in
        /// its place.
        Curr = "lastwrite/curr": ["P(i) = (R, W)", "W(j) = k"] => "lastwrite(j, P::H) = k" {
            source: Printed(FIG_5),
            coq: Constructors(&[lastwrite("lastwrite_curr")]),
            fires: &[
                test("the_newest_writing_phase_decides_and_the_host_comes_last"),
                test("plain_writes_of_several_threads_are_a_relation"),
            ],
        }
        /// A phase in which no thread writes the cell is passed over. Where one updates it,
        /// lastwrite/atomic stands in its place.
        Prev = "lastwrite/prev": ["j ∉ dom(W) for all P(i) = (R, W)", "lastwrite(j, H) = k"]
            => "lastwrite(j, P::H) = k" {
            source: Adapted(FIG_5, PREV_ADAPTED),
            coq: Constructors(&[lastwrite("lastwrite_prev")]),
        }
        /// Atomic updates of a phase that does not write the cell apply to what it held before.
        Atomic = "lastwrite/atomic":
            ["lastwrite(j, H) = k",
             "v is k after the updates of j in P, those of one thread in its order, threads in any"]
            => "lastwrite(j, P::H) = v" {
            source: EXTENSION, section: COUNTERS, coq: NO_ATOMICS,
            fires: &[
                test("a_threads_own_operations_are_ordered"),
                test("one_commutative_operator_gives_one_value"),
                test("where_the_order_decides_not_all_values_are_known"),
            ],
            refutes: &[
                test("an_update_of_an_undefined_cell_is_undefined"),
                test("one_commutative_operator_gives_one_value"),
            ],
        }
        /// Likewise where a thread of the phase writes the cell: what was held before is of no
        /// matter.
        AtomicCurr = "lastwrite/atomic-curr":
            ["some P(i) = (R, W, U) with j ∈ dom(W)",
             "v is what the writes and updates of j in P leave, those of one thread in its order, \
              threads in any, a write last or first"]
            => "lastwrite(j, P::H) = v" {
            source: EXTENSION, section: COUNTERS, coq: NO_ATOMICS,
            fires: ORDERED,
            refutes: ORDERED,
        }
        /// Before all phases stands what the host stored.
        Host = "lastwrite/host": ["the host stored k in j"] => "lastwrite(j, []) = k" {
            source: Ours("THEORY §2"), coq: Constructors(&[lastwrite("lastwrite_curr")]),
        }
        /// Where neither a phase nor the host wrote the cell, there is no value.
        Undef = "lastwrite/undef": ["the host stored nothing in j"] => "lastwrite(j, []) = ⊥" {
            source: Adapted(FIG_5, UNDEF_ADAPTED),
            coq: Definition(Item { file: HISTORIES_V, text: "undefined" }),
        }
    }
}
