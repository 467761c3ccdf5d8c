//! The typing judgments `V ⊢ n`, `V ⊢ c` and `V ⊢ b ▶ u` (LCL22 Fig. 6).

use super::{Constructor, Coq, Item, Judgment, Refutation, Rule, Source, Test};

const INFER: &str = "typing/src/infer.rs";
const COQ: &str = "proofs/coq/Typing.v";
const COQ_BARRIERS: &str = "proofs/coq/BarrierProtocols.v";
const EXTENSION: Source = Source::Ours("THEORY §4");

const fn test(name: &'static str) -> Test {
    Test { file: "typing/tests/rules.rs", name }
}

const fn typed(name: &'static str) -> Constructor {
    Constructor { file: COQ, relation: "typed", name }
}

/// With barriers anywhere.
const fn typed_k(name: &'static str) -> Constructor {
    Constructor { file: COQ_BARRIERS, relation: "typed_k", name }
}

/// An expression mentions variables of V only.
pub const TYPE_N: Rule = Rule {
    id: "type/t-n",
    judgment: Judgment::Type,
    source: Source::Printed("LCL22 Fig. 6"),
    premises: &["fv(n) ⊆ V"],
    conclusion: "V ⊢ n",
    rust: Item { file: INFER, text: "Rule::N" },
    coq: Coq::Definition(Item { file: COQ, text: "typed_n" }),
    lowering: None,
    fires: &[test("t_n_fires")],
    refutes: &[Refutation::By(test("t_n_premise_1_is_refuted"))],
    book: None,
};

/// A condition mentions variables of V only.
pub const TYPE_B: Rule = Rule {
    id: "type/t-b",
    judgment: Judgment::Type,
    source: Source::Printed("LCL22 Fig. 6"),
    premises: &["fv(c) ⊆ V"],
    conclusion: "V ⊢ c",
    rust: Item { file: INFER, text: "Rule::B" },
    coq: Coq::Definition(Item { file: COQ, text: "typed_c" }),
    lowering: None,
    fires: &[test("t_b_fires")],
    refutes: &[Refutation::By(test("t_b_premise_1_is_refuted"))],
    book: None,
};

/// A write: the payload is unconstrained.
pub const TYPE_WRITE: Rule = Rule {
    id: "type/t-write",
    judgment: Judgment::Type,
    source: Source::Printed("LCL22 Fig. 6"),
    premises: &["V ⊢ n"],
    conclusion: "V ⊢ A[n] := m ▶ wr A[n]",
    rust: Item { file: INFER, text: "Rule::Write" },
    coq: Coq::Constructors(&[typed("t_write")]),
    lowering: None,
    fires: &[test("t_write_fires"), test("t_write_ignores_the_payload")],
    refutes: &[Refutation::By(test("t_write_premise_1_is_refuted"))],
    book: None,
};

/// A read: the variable that it binds does not enter V.
pub const TYPE_READ: Rule = Rule {
    id: "type/t-read",
    judgment: Judgment::Type,
    source: Source::Printed("LCL22 Fig. 6"),
    premises: &["V ⊢ n", "y ∉ V", "V ⊢ b ▶ u"],
    conclusion: "V ⊢ let y = A[n] in b ▶ rd A[n]; u",
    rust: Item { file: INFER, text: "Rule::Read" },
    coq: Coq::Constructors(&[typed("t_read"), typed_k("k_read")]),
    lowering: None,
    fires: &[test("t_read_fires")],
    refutes: &[
        Refutation::By(test("t_read_premise_1_is_refuted")),
        Refutation::By(test("t_read_premise_2_is_refuted")),
        Refutation::By(test("t_read_premise_3_is_refuted")),
    ],
    book: None,
};

/// A sequence.
pub const TYPE_SEQ: Rule = Rule {
    id: "type/t-seq",
    judgment: Judgment::Type,
    source: Source::Printed("LCL22 Fig. 6"),
    premises: &["V ⊢ b1 ▶ u1", "V ⊢ b2 ▶ u2"],
    conclusion: "V ⊢ b1; b2 ▶ u1; u2",
    rust: Item { file: INFER, text: "Rule::Seq" },
    coq: Coq::Constructors(&[typed("t_seq"), typed_k("k_seq")]),
    lowering: None,
    fires: &[test("t_seq_fires")],
    refutes: &[
        Refutation::By(test("t_seq_premise_1_is_refuted")),
        Refutation::By(test("t_seq_premise_2_is_refuted")),
    ],
    book: None,
};

/// A conditional.
pub const TYPE_IF: Rule = Rule {
    id: "type/t-if",
    judgment: Judgment::Type,
    source: Source::Printed("LCL22 Fig. 6"),
    premises: &["V ⊢ c", "V ⊢ b1 ▶ u1", "V ⊢ b2 ▶ u2"],
    conclusion: "V ⊢ if c {b1} else {b2} ▶ if c {u1} else {u2}",
    rust: Item { file: INFER, text: "Rule::If" },
    coq: Coq::Constructors(&[typed("t_if"), typed_k("k_if")]),
    lowering: None,
    fires: &[test("t_if_fires")],
    refutes: &[
        Refutation::By(test("t_if_premise_1_is_refuted")),
        Refutation::By(test("t_if_premises_2_and_3_are_refuted")),
        Refutation::By(test("t_if_premises_2_and_3_are_refuted")),
    ],
    book: None,
};

/// A loop: its variable joins V in the body.
pub const TYPE_FOR: Rule = Rule {
    id: "type/t-for",
    judgment: Judgment::Type,
    source: Source::Printed("LCL22 Fig. 6"),
    premises: &["V ⊢ n", "V ⊢ m", "x ∉ V", "V ∪ {x} ⊢ b ▶ u"],
    conclusion: "V ⊢ forU x in n..m {b} ▶ forU x in n..m {u}",
    rust: Item { file: INFER, text: "Rule::For" },
    coq: Coq::Constructors(&[typed("t_for")]),
    lowering: None,
    fires: &[test("t_for_fires")],
    refutes: &[
        Refutation::By(test("t_for_premises_1_and_2_are_refuted")),
        Refutation::By(test("t_for_premises_1_and_2_are_refuted")),
        Refutation::By(test("t_for_premise_3_is_refuted")),
        Refutation::By(test("t_for_premise_4_is_refuted")),
    ],
    book: None,
};

/// A no-op.
pub const TYPE_SKIP: Rule = Rule {
    id: "type/t-skip",
    judgment: Judgment::Type,
    source: Source::Printed("LCL22 Fig. 6"),
    premises: &[],
    conclusion: "V ⊢ skip ▶ skip",
    rust: Item { file: INFER, text: "Rule::Skip" },
    coq: Coq::Constructors(&[typed("t_skip")]),
    lowering: None,
    fires: &[test("t_skip_fires")],
    refutes: &[],
    book: None,
};

/// A barrier.
pub const TYPE_SYNC: Rule = Rule {
    id: "type/t-sync",
    judgment: Judgment::Type,
    source: EXTENSION,
    premises: &[],
    conclusion: "V ⊢ sync ▶ sync",
    rust: Item { file: INFER, text: "Rule::Sync" },
    coq: Coq::Constructors(&[typed_k("k_sync")]),
    lowering: None,
    fires: &[test("t_sync_fires")],
    refutes: &[],
    book: None,
};

/// A synchronized loop. Its bounds may mention any variable of V, `tid` too: then the threads
/// may diverge, which typing does not forbid. Only a program without such bounds is stratified
/// (`typed_s` in `proofs/coq/SyncProtocols.v`).
pub const TYPE_FOR_S: Rule = Rule {
    id: "type/t-for-s",
    judgment: Judgment::Type,
    source: EXTENSION,
    premises: &["V ⊢ n", "V ⊢ m", "x ∉ V", "V ∪ {x} ⊢ b ▶ u"],
    conclusion: "V ⊢ forS x in n..m {b} ▶ forS x in n..m {u}",
    rust: Item { file: INFER, text: "Rule::ForS" },
    coq: Coq::Constructors(&[typed_k("k_for")]),
    lowering: None,
    fires: &[test("t_for_s_fires")],
    refutes: &[
        Refutation::By(test("t_for_s_premises_are_refuted")),
        Refutation::By(test("t_for_s_premises_are_refuted")),
        Refutation::By(test("t_for_s_premises_are_refuted")),
        Refutation::By(test("t_for_s_premises_are_refuted")),
    ],
    book: None,
};

/// An atomic update: as a read; what it does is unconstrained.
pub const TYPE_ATOMIC: Rule = Rule {
    id: "type/t-atomic",
    judgment: Judgment::Type,
    source: EXTENSION,
    premises: &["V ⊢ n", "y ∉ V", "V ⊢ b ▶ u"],
    conclusion: "V ⊢ let y = atomic A[n] ⋆ m in b ▶ at A[n]; u",
    rust: Item { file: INFER, text: "Rule::Atomic" },
    coq: Coq::NotMechanized("the mechanization has no atomic updates"),
    lowering: None,
    fires: &[test("t_atomic_fires")],
    refutes: &[
        Refutation::By(test("t_atomic_premises_are_refuted")),
        Refutation::By(test("t_atomic_premises_are_refuted")),
        Refutation::By(test("t_atomic_premises_are_refuted")),
    ],
    book: None,
};
