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

/// The newest phase that writes the cell gives its value; a relation when several threads wrote it.
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

/// A phase in which no thread writes the cell is passed over.
pub const LASTWRITE_PREV: Rule = Rule {
    id: "lastwrite/prev",
    judgment: Judgment::LastWrite,
    source: Source::Printed("LCL22 Fig. 5, lastwrite"),
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

/// Before all phases stands what the host stored; where it stored nothing, the value is undefined.
pub const LASTWRITE_UNDEF: Rule = Rule {
    id: "lastwrite/undef",
    judgment: Judgment::LastWrite,
    source: Source::Printed("LCL22 Fig. 5, lastwrite"),
    premises: &[],
    conclusion: "lastwrite(j, []) = ⊥",
    rust: Item { file: RUST, text: "// lastwrite-undef" },
    coq: Coq::Definition(Item { file: COQ, text: "undefined" }),
    lowering: None,
    fires: &[test("the_newest_writing_phase_decides_and_the_host_comes_last")],
    refutes: &[],
    book: None,
};
