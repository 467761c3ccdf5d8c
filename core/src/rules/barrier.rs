//! Running to the next barrier, `A, k ⇓_{H,i} (B, s)`, and from barrier to barrier, `H, k ⇓ outcome`
//! (THEORY §4).

use super::{
    Constructor, Coq, Item, Judgment, Refutation, Rule, Source, Test, compiled, interpreted,
};

const BARRIERS: &str = "semantics/src/barriers.rs";
const BLOCKS: &str = "semantics/src/blocks.rs";
const COQ: &str = "proofs/coq/Barriers.v";
const EXTENSION: Source = Source::Ours("THEORY §4");

const fn test(name: &'static str) -> Test {
    Test { file: "tests/tests/ledger/semantics.rs", name }
}

const fn to_barrier(name: &'static str) -> Constructor {
    Constructor { file: COQ, relation: "to_barrier", name }
}

const fn block_run(name: &'static str) -> Constructor {
    Constructor { file: COQ, relation: "block_run", name }
}

/// Code without barriers runs to its end by the thread judgment.
pub const BARRIER_BLOCK: Rule = Rule {
    id: "barrier/block",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &["A, b ↓_{H,i} B"],
    conclusion: "A, b ⇓_{H,i} (B, done)",
    rust: Item { file: BARRIERS, text: "Rule::BarrierBlock" },
    coq: Coq::Constructors(&[to_barrier("b_block")]),
    lowering: interpreted("u32 stop = run("),
    fires: &[test("barrier_rules_fire")],
    refutes: &[Refutation::By(test("barrier_premises_are_needed"))],
    book: None,
};

/// A barrier stops the thread.
pub const BARRIER_SYNC: Rule = Rule {
    id: "barrier/sync",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &[],
    conclusion: "A, sync_ℓ ⇓_{H,i} (A, sync_ℓ ▷ skip)",
    rust: Item { file: BARRIERS, text: "Rule::BarrierSync" },
    coq: Coq::Constructors(&[to_barrier("b_sync")]),
    lowering: compiled("Stmt::Sync"),
    fires: &[test("barrier_rules_fire")],
    refutes: &[],
    book: None,
};

/// A read, with barriers behind it.
pub const BARRIER_READ: Rule = Rule {
    id: "barrier/read",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &[
        "n ↓ j",
        "lastwrite(j, {i: (R, W)}::H) = v",
        "(R ∪ {j}, W), k[x := v] ⇓_{H,i} (B, s)",
    ],
    conclusion: "(R, W), let x = A[n] in k ⇓_{H,i} (B, s)",
    rust: Item { file: BARRIERS, text: "Rule::BarrierRead" },
    coq: Coq::Constructors(&[to_barrier("b_read")]),
    lowering: compiled("Stmt::Read"),
    fires: &[test("barrier_rules_fire")],
    refutes: &[
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
    ],
    book: None,
};

/// An atomic update, with barriers behind it.
pub const BARRIER_ATOMIC: Rule = Rule {
    id: "barrier/atomic",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &["n ↓ j", "m ↓ w", "v ∈ ℕ", "(R, W, U·[j: ⋆ w]), k[x := v] ⇓_{H,i} (B, s)"],
    conclusion: "(R, W, U), let x = atomic A[n] ⋆ m in k ⇓_{H,i} (B, s)",
    rust: Item { file: BARRIERS, text: "Rule::BarrierAtomic" },
    coq: Coq::NotMechanized("the mechanization has no atomic updates"),
    lowering: compiled("Stmt::Atomic"),
    fires: &[test("barrier_rules_fire")],
    refutes: &[
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::Choice,
        Refutation::By(test("barrier_premises_are_needed")),
    ],
    book: None,
};

/// The first statement ends, the second runs.
pub const BARRIER_SEQ_1: Rule = Rule {
    id: "barrier/seq-1",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &["A, k1 ⇓_{H,i} (B, done)", "B, k2 ⇓_{H,i} (C, s)"],
    conclusion: "A, k1; k2 ⇓_{H,i} (C, s)",
    rust: Item { file: BARRIERS, text: "Rule::BarrierSeq1" },
    coq: Coq::Constructors(&[to_barrier("b_seq_1")]),
    lowering: compiled("Stmt::Seq"),
    fires: &[test("barrier_rules_fire")],
    refutes: &[
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
    ],
    book: None,
};

/// The first statement stops at a barrier.
pub const BARRIER_SEQ_2: Rule = Rule {
    id: "barrier/seq-2",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &["A, k1 ⇓_{H,i} (B, sync_ℓ ▷ k1')"],
    conclusion: "A, k1; k2 ⇓_{H,i} (B, sync_ℓ ▷ (k1'; k2))",
    rust: Item { file: BARRIERS, text: "Rule::BarrierSeq2" },
    coq: Coq::Constructors(&[to_barrier("b_seq_2")]),
    lowering: compiled("Stmt::Seq"),
    fires: &[test("barrier_rules_fire")],
    refutes: &[Refutation::By(test("barrier_premises_are_needed"))],
    book: None,
};

/// A condition that holds.
pub const BARRIER_IF_T: Rule = Rule {
    id: "barrier/if-t",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &["c ↓ true", "A, k1 ⇓_{H,i} (B, s)"],
    conclusion: "A, if c {k1} else {k2} ⇓_{H,i} (B, s)",
    rust: Item { file: BARRIERS, text: "Rule::BarrierIfTrue" },
    coq: Coq::Constructors(&[to_barrier("b_if_t")]),
    lowering: compiled("Stmt::If"),
    fires: &[test("barrier_rules_fire")],
    refutes: &[
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
    ],
    book: None,
};

/// A condition that does not hold.
pub const BARRIER_IF_F: Rule = Rule {
    id: "barrier/if-f",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &["c ↓ false", "A, k2 ⇓_{H,i} (B, s)"],
    conclusion: "A, if c {k1} else {k2} ⇓_{H,i} (B, s)",
    rust: Item { file: BARRIERS, text: "Rule::BarrierIfFalse" },
    coq: Coq::Constructors(&[to_barrier("b_if_f")]),
    lowering: compiled("Stmt::If"),
    fires: &[test("barrier_rules_fire")],
    refutes: &[
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
    ],
    book: None,
};

/// A loop that is over.
pub const BARRIER_FOR_1: Rule = Rule {
    id: "barrier/for-1",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &["n ↓ v", "m ↓ w", "(v ≥ w) ↓ true"],
    conclusion: "A, for x in n..m {k} ⇓_{H,i} (A, done)",
    rust: Item { file: BARRIERS, text: "Rule::BarrierFor1" },
    coq: Coq::Constructors(&[to_barrier("b_for_1")]),
    lowering: compiled("Stmt::For"),
    fires: &[test("barrier_rules_fire")],
    refutes: &[
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
    ],
    book: None,
};

/// An iteration, and the loop behind it.
pub const BARRIER_FOR_2: Rule = Rule {
    id: "barrier/for-2",
    judgment: Judgment::Barrier,
    source: EXTENSION,
    premises: &[
        "n ↓ v",
        "m ↓ w",
        "(v < w) ↓ true",
        "A, (k[x := v]; for x in v+1..w {k}) ⇓_{H,i} (B, s)",
    ],
    conclusion: "A, for x in n..m {k} ⇓_{H,i} (B, s)",
    rust: Item { file: BARRIERS, text: "Rule::BarrierFor2" },
    coq: Coq::Constructors(&[to_barrier("b_for_2")]),
    lowering: compiled("Stmt::For"),
    fires: &[test("barrier_rules_fire")],
    refutes: &[
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
        Refutation::By(test("barrier_premises_are_needed")),
    ],
    book: None,
};

/// Every thread starts the program with its own `tid`.
pub const BLOCK_START: Rule = Rule {
    id: "block/start",
    judgment: Judgment::Block,
    source: EXTENSION,
    premises: &["H, {i: k[tid := i] | i ∈ T} ⇓ outcome"],
    conclusion: "H, k ⇓ outcome",
    rust: Item { file: BLOCKS, text: "Rule::BlockStart" },
    coq: Coq::Definition(Item { file: COQ, text: "start" }),
    lowering: interpreted("start(registers, header, inputs)"),
    fires: &[test("block_rules_fire")],
    refutes: &[Refutation::By(test("block_premises_are_needed"))],
    book: None,
};

/// All threads end: so does the block.
pub const BLOCK_ENDS: Rule = Rule {
    id: "block/ends",
    judgment: Judgment::Block,
    source: EXTENSION,
    premises: &["P(i), k_i ⇓_{H,i} (Q(i), done) for all i"],
    conclusion: "P::H, {i: k_i, …} ⇓ Q::H",
    rust: Item { file: BLOCKS, text: "Rule::BlockEnds" },
    coq: Coq::Constructors(&[block_run("block_ends")]),
    lowering: interpreted("barrier >= STOP_BARRIERS) break;"),
    fires: &[test("block_rules_fire")],
    refutes: &[Refutation::By(test("block_premises_are_needed"))],
    book: None,
};

/// All threads stop at one barrier: a new phase begins.
pub const BLOCK_SYNCS: Rule = Rule {
    id: "block/syncs",
    judgment: Judgment::Block,
    source: EXTENSION,
    premises: &[
        "P(i), k_i ⇓_{H,i} (Q(i), sync_ℓ ▷ k_i') for all i",
        "∅::Q::H, {i: k_i', …} ⇓ outcome",
    ],
    conclusion: "P::H, {i: k_i, …} ⇓ outcome",
    rust: Item { file: BLOCKS, text: "Rule::BlockSyncs" },
    coq: Coq::Constructors(&[block_run("block_syncs")]),
    lowering: interpreted("self.phase += 1;"),
    fires: &[test("block_rules_fire")],
    refutes: &[
        Refutation::By(test("block_premises_are_needed")),
        Refutation::By(test("block_premises_are_needed")),
    ],
    book: None,
};

/// Two threads stop at different places: barrier divergence.
pub const BLOCK_DIVERGES: Rule = Rule {
    id: "block/diverges",
    judgment: Judgment::Block,
    source: EXTENSION,
    premises: &["P(i), k_i ⇓_{H,i} (Q(i), s_i) for all i", "s_i1 and s_i2 are different places"],
    conclusion: "P::H, {i: k_i, …} ⇓ Q::H, i1 at s_i1, i2 at s_i2",
    rust: Item { file: BLOCKS, text: "Rule::BlockDiverges" },
    coq: Coq::Constructors(&[block_run("block_diverges")]),
    lowering: interpreted("if (barrier != highest[turn]"),
    fires: &[test("block_rules_fire")],
    refutes: &[
        Refutation::By(test("block_premises_are_needed")),
        Refutation::By(test("block_premises_are_needed")),
    ],
    book: None,
};
