//! The semantics of protocols, `u ↓ Λ` (THEORY §3), with barriers anywhere (THEORY §4).
//!
//! Of one thread, Λ is a list of sets: what it accesses from barrier to barrier, with the sites of
//! the barriers between them. `Λ1 · Λ2` joins the last set of the one with the first of the other,
//! and is `Λ1 ∪ Λ2` where there are no barriers.

use super::{Constructor, Coq, Item, Judgment, Refutation, Rule, Source, Test};

const THREAD: &str = "protocols/src/map/thread.rs";
const PARALLEL: &str = "protocols/src/map/evaluate.rs";
const COQ: &str = "proofs/coq/Protocols.v";
const COQ_BARRIERS: &str = "proofs/coq/BarrierProtocols.v";
const EXTENSION: Source = Source::Ours("THEORY §4");

const fn test(name: &'static str) -> Test {
    Test { file: "tests/tests/ledger/map.rs", name }
}

const fn unsync(name: &'static str) -> Constructor {
    Constructor { file: COQ, relation: "unsync", name }
}

const fn unsync_all(name: &'static str) -> Constructor {
    Constructor { file: COQ, relation: "unsync_all", name }
}

/// With barriers anywhere.
const fn to_barrier(name: &'static str) -> Constructor {
    Constructor { file: COQ_BARRIERS, relation: "q_to_barrier", name }
}

/// Every thread runs the protocol; data never matters.
pub const MAP_PAR: Rule = Rule {
    id: "map/par",
    judgment: Judgment::Map,
    source: Source::Ours("THEORY §3; LCL22 leaves it to the paper on MAPs"),
    premises: &["u[tid := i] ↓ Λ_i^0 sync_ℓ1 Λ_i^1 … for all i ∈ T"],
    conclusion: "u ↓ Λ^0 then Λ^1 …, Λ^p = {i:α | i ∈ T, α ∈ Λ_i^p}, as long as all stop at one ℓ",
    rust: Item { file: PARALLEL, text: "pub fn evaluate_threads" },
    coq: Coq::Constructors(&[unsync_all("all_nil"), unsync_all("all_cons")]),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[Refutation::By(test("map_premises_are_needed"))],
    book: None,
};

/// A no-op.
pub const MAP_SKIP: Rule = Rule {
    id: "map/skip",
    judgment: Judgment::Map,
    source: Source::Ours("THEORY §3; LCL22 leaves it to the paper on MAPs"),
    premises: &[],
    conclusion: "skip ↓ ∅",
    rust: Item { file: THREAD, text: "map/skip" },
    coq: Coq::Constructors(&[unsync("u_skip")]),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[],
    book: None,
};

/// An access.
pub const MAP_ACCESS: Rule = Rule {
    id: "map/access",
    judgment: Judgment::Map,
    source: Source::Ours("THEORY §3; LCL22 leaves it to the paper on MAPs"),
    premises: &["n ↓ j"],
    conclusion: "o A[n] ↓ {o A[j]}",
    rust: Item { file: THREAD, text: "map/access" },
    coq: Coq::Constructors(&[unsync("u_access")]),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[Refutation::By(test("map_premises_are_needed"))],
    book: None,
};

/// A sequence.
pub const MAP_SEQ: Rule = Rule {
    id: "map/seq",
    judgment: Judgment::Map,
    source: Source::Ours("THEORY §3; LCL22 leaves it to the paper on MAPs"),
    premises: &["u1 ↓ Λ1", "u2 ↓ Λ2"],
    conclusion: "u1; u2 ↓ Λ1 · Λ2, the last phase of Λ1 and the first of Λ2 joined",
    rust: Item { file: THREAD, text: "map/seq" },
    coq: Coq::Constructors(&[unsync("u_seq"), to_barrier("q_seq_1"), to_barrier("q_seq_2")]),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[
        Refutation::By(test("map_premises_are_needed")),
        Refutation::By(test("map_premises_are_needed")),
    ],
    book: None,
};

/// A condition that holds.
pub const MAP_IF_T: Rule = Rule {
    id: "map/if-t",
    judgment: Judgment::Map,
    source: Source::Ours("THEORY §3; LCL22 leaves it to the paper on MAPs"),
    premises: &["c ↓ true", "u1 ↓ Λ"],
    conclusion: "if c {u1} else {u2} ↓ Λ",
    rust: Item { file: THREAD, text: "map/if-t" },
    coq: Coq::Constructors(&[unsync("u_if_t"), to_barrier("q_if_t")]),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[
        Refutation::By(test("map_premises_are_needed")),
        Refutation::By(test("map_premises_are_needed")),
    ],
    book: None,
};

/// A condition that does not hold.
pub const MAP_IF_F: Rule = Rule {
    id: "map/if-f",
    judgment: Judgment::Map,
    source: Source::Ours("THEORY §3; LCL22 leaves it to the paper on MAPs"),
    premises: &["c ↓ false", "u2 ↓ Λ"],
    conclusion: "if c {u1} else {u2} ↓ Λ",
    rust: Item { file: THREAD, text: "map/if-f" },
    coq: Coq::Constructors(&[unsync("u_if_f"), to_barrier("q_if_f")]),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[
        Refutation::By(test("map_premises_are_needed")),
        Refutation::By(test("map_premises_are_needed")),
    ],
    book: None,
};

/// A loop that is over.
pub const MAP_FOR_1: Rule = Rule {
    id: "map/for-1",
    judgment: Judgment::Map,
    source: Source::Ours("THEORY §3; LCL22 leaves it to the paper on MAPs"),
    premises: &["n ↓ j", "m ↓ k", "(j ≥ k) ↓ true"],
    conclusion: "forU x in n..m {u} ↓ ∅",
    rust: Item { file: THREAD, text: "map/for-1" },
    coq: Coq::Constructors(&[unsync("u_for_1"), to_barrier("q_for_1")]),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[
        Refutation::By(test("map_premises_are_needed")),
        Refutation::By(test("map_premises_are_needed")),
        Refutation::By(test("map_premises_are_needed")),
    ],
    book: None,
};

/// One iteration, and the loop behind it.
pub const MAP_FOR_2: Rule = Rule {
    id: "map/for-2",
    judgment: Judgment::Map,
    source: Source::Ours("THEORY §3; LCL22 leaves it to the paper on MAPs"),
    premises: &["n ↓ j", "m ↓ k", "(j < k) ↓ true", "u[x := j] ↓ Λ1", "forU x in j+1..k {u} ↓ Λ2"],
    conclusion: "forU x in n..m {u} ↓ Λ1 · Λ2",
    rust: Item { file: THREAD, text: "map/for-2" },
    coq: Coq::Constructors(&[unsync("u_for_2"), to_barrier("q_for_2")]),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[
        Refutation::By(test("map_premises_are_needed")),
        Refutation::By(test("map_premises_are_needed")),
        Refutation::By(test("map_premises_are_needed")),
        Refutation::By(test("map_premises_are_needed")),
        Refutation::By(test("map_premises_are_needed")),
    ],
    book: None,
};

/// A barrier ends the phase.
pub const MAP_SYNC: Rule = Rule {
    id: "map/sync",
    judgment: Judgment::Map,
    source: EXTENSION,
    premises: &[],
    conclusion: "sync_ℓ ↓ ∅ sync_ℓ ∅",
    rust: Item { file: THREAD, text: "map/sync" },
    coq: Coq::Constructors(&[to_barrier("q_sync")]),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[],
    book: None,
};

/// A variable of any value: for over-approximations, not for types.
pub const MAP_ANY: Rule = Rule {
    id: "map/any",
    judgment: Judgment::Map,
    source: EXTENSION,
    premises: &["k ∈ ℕ, in the domain that `any` gives x", "u[x := k] ↓ Λ"],
    conclusion: "any x {u} ↓ Λ",
    rust: Item { file: THREAD, text: "map/any" },
    coq: Coq::NotMechanized("the mechanization has no unknown values"),
    lowering: None,
    fires: &[test("map_rules_fire")],
    refutes: &[Refutation::Choice, Refutation::By(test("map_premises_are_needed"))],
    book: None,
};
