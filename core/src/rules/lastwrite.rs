//! `lastwrite(j, H)` (LCL22 Fig. 5).

use super::{Constructor, Coq, Item, Judgment, Refutation, Rule, Source, Test};

const RUST: &str = "core/src/history/lastwrite.rs";
const COQ: &str = "proofs/coq/Histories.v";

const fn test(name: &'static str) -> Test {
    Test { file: RUST, name }
}

const fn lastwrite(name: &'static str) -> Constructor {
    Constructor { file: COQ, relation: "lastwrite", name }
}

/// How prev differs from the printed rule.
const PREV_ADAPTED: &str = "printed as the equation `lastwrite(j, P::H) = lastwrite(j, H)`; here as \
    a relation, which has several values where a phase is racy on the cell, and none for ⊥. For \
    each value of the right side both forms relate it to the left.";

/// How undef differs from the printed rule.
const UNDEF_ADAPTED: &str = "printed as `lastwrite(j, []) = ⊥`, whatever j is; here what the host \
    stored stands before all phases (rule lastwrite/host), and ⊥ is no value, but the absence of \
    one: a read of such a cell has no derivation. The same where the host stored nothing.";

/// The newest phase that writes the cell gives its value; a relation when several threads wrote it.
/// Where the phase also has updates of the cell, lastwrite/atomic-curr stands in its place.
pub const LASTWRITE_CURR: Rule = Rule {
    id: "lastwrite/curr",
    judgment: Judgment::LastWrite,
    source: Source::Printed("LCL22 Fig. 5, lastwrite"),
    premises: &["P(i) = (R, W)", "W(j) = k"],
    conclusion: "lastwrite(j, P::H) = k",
    rust: Item { file: RUST, text: "// lastwrite-curr" },
    coq: Coq::Constructors(&[lastwrite("lastwrite_curr")]),
    lowering: None,
    fires: &[
        test("the_newest_writing_phase_decides_and_the_host_comes_last"),
        test("plain_writes_of_several_threads_are_a_relation"),
    ],
    refutes: &[
        Refutation::By(test("the_newest_writing_phase_decides_and_the_host_comes_last")),
        Refutation::By(test("the_newest_writing_phase_decides_and_the_host_comes_last")),
    ],
    book: None,
};

/// A phase in which no thread writes the cell is passed over. Where one updates it,
/// lastwrite/atomic stands in its place.
pub const LASTWRITE_PREV: Rule = Rule {
    id: "lastwrite/prev",
    judgment: Judgment::LastWrite,
    source: Source::Adapted("LCL22 Fig. 5, lastwrite", PREV_ADAPTED),
    premises: &["j ∉ dom(W) for all P(i) = (R, W)", "lastwrite(j, H) = k"],
    conclusion: "lastwrite(j, P::H) = k",
    rust: Item { file: RUST, text: "// lastwrite-prev" },
    coq: Coq::Constructors(&[lastwrite("lastwrite_prev")]),
    lowering: None,
    fires: &[test("the_newest_writing_phase_decides_and_the_host_comes_last")],
    refutes: &[
        Refutation::By(test("the_newest_writing_phase_decides_and_the_host_comes_last")),
        Refutation::By(test("the_newest_writing_phase_decides_and_the_host_comes_last")),
    ],
    book: None,
};

/// Atomic updates of a phase that does not write the cell apply to what it held before.
pub const LASTWRITE_ATOMIC: Rule = Rule {
    id: "lastwrite/atomic",
    judgment: Judgment::LastWrite,
    source: Source::Ours("THEORY §4"),
    premises: &[
        "lastwrite(j, H) = k",
        "v is k after the updates of j in P, those of one thread in its order, threads in any",
    ],
    conclusion: "lastwrite(j, P::H) = v",
    rust: Item { file: RUST, text: "lastwrite/atomic" },
    coq: Coq::NotMechanized("the mechanization has no atomic updates"),
    lowering: None,
    fires: &[
        test("a_threads_own_operations_are_ordered"),
        test("one_commutative_operator_gives_one_value"),
        test("where_the_order_decides_not_all_values_are_known"),
    ],
    refutes: &[
        Refutation::By(test("an_update_of_an_undefined_cell_is_undefined")),
        Refutation::By(test("one_commutative_operator_gives_one_value")),
    ],
    book: None,
};

/// Likewise where a thread of the phase writes the cell: what was held before is of no matter.
pub const LASTWRITE_ATOMIC_CURR: Rule = Rule {
    id: "lastwrite/atomic-curr",
    judgment: Judgment::LastWrite,
    source: Source::Ours("THEORY §4"),
    premises: &[
        "some P(i) = (R, W, U) with j ∈ dom(W)",
        "v is what the writes and updates of j in P leave, those of one thread in its order, \
         threads in any, a write last or first",
    ],
    conclusion: "lastwrite(j, P::H) = v",
    rust: Item { file: RUST, text: "lastwrite/atomic-curr" },
    coq: Coq::NotMechanized("the mechanization has no atomic updates"),
    lowering: None,
    fires: &[
        test("a_threads_own_operations_are_ordered"),
        test("where_the_order_decides_not_all_values_are_known"),
    ],
    refutes: &[
        Refutation::By(test("a_threads_own_operations_are_ordered")),
        Refutation::By(test("where_the_order_decides_not_all_values_are_known")),
    ],
    book: None,
};

/// Before all phases stands what the host stored.
pub const LASTWRITE_HOST: Rule = Rule {
    id: "lastwrite/host",
    judgment: Judgment::LastWrite,
    source: Source::Ours("THEORY §2"),
    premises: &["the host stored k in j"],
    conclusion: "lastwrite(j, []) = k",
    rust: Item { file: RUST, text: "// lastwrite/host" },
    coq: Coq::Constructors(&[lastwrite("lastwrite_curr")]),
    lowering: None,
    fires: &[test("the_newest_writing_phase_decides_and_the_host_comes_last")],
    refutes: &[Refutation::By(test("the_newest_writing_phase_decides_and_the_host_comes_last"))],
    book: None,
};

/// Where neither a phase nor the host wrote the cell, there is no value.
pub const LASTWRITE_UNDEF: Rule = Rule {
    id: "lastwrite/undef",
    judgment: Judgment::LastWrite,
    source: Source::Adapted("LCL22 Fig. 5, lastwrite", UNDEF_ADAPTED),
    premises: &["the host stored nothing in j"],
    conclusion: "lastwrite(j, []) = ⊥",
    rust: Item { file: RUST, text: "// lastwrite-undef" },
    coq: Coq::Definition(Item { file: COQ, text: "undefined" }),
    lowering: None,
    fires: &[test("the_newest_writing_phase_decides_and_the_host_comes_last")],
    refutes: &[Refutation::By(test("the_newest_writing_phase_decides_and_the_host_comes_last"))],
    book: None,
};
