//! The judgments of one thread, `A, b ↓_{H,i} B`, and of all, `P::H, b ↓ Q::H` (LCL22 Fig. 5).

use super::{
    Constructor, Coq, Item, Judgment, Refutation, Rule, Source, Test, compiled, interpreted,
};

const THREAD: &str = "semantics/src/thread.rs";
const PARALLEL: &str = "semantics/src/parallel.rs";
const COQ_THREAD: &str = "proofs/coq/Thread.v";
const COQ_PARALLEL: &str = "proofs/coq/Parallel.v";
const EXTENSION: Source = Source::Ours("THEORY §4");

/// How read differs from the printed rule.
const READ_ADAPTED: &str = "printed with `b[x := lastwrite(j, {i:(R, W)}::H)]` in one premise; \
    lastwrite is a relation and relates a cell of which nobody knows a value to none, so here a \
    premise names the value that is substituted. Where lastwrite has one value both forms are the \
    same.";

/// How par differs from the printed rule.
const PAR_ADAPTED: &str = "printed as `Q = ⋃{i:A ∣ P(i), b[tid := i] ↓_{H,i} A ∧ i ∈ T}`, which \
    leaves out a thread that has no derivation; here every thread must have one. Where no thread \
    is stuck both forms are the same.";

/// How for-1 differs from the printed rule.
const FOR_1_ADAPTED: &str = "printed with the one premise `(n ≥ m) ↓ true`; here the bounds have \
    their values first. Closed bounds have exactly one value each, and `n ≥ m` has the value of \
    `j ≥ k`; with an unbound variable neither form concludes.";

/// How for-2 differs from the printed rule.
const FOR_2_ADAPTED: &str = "printed with the premises `(n < m) ↓ true`, `A, b[x := n] ↓_{H,i} B` \
    and `B, forU x in n+1..m {b} ↓_{H,i} C`; here the values `j` and `k` of the bounds stand for \
    `n` and `m`. Closed bounds have exactly one value each, an expression keeps its value when a \
    closed part is replaced by the part's value, and the rules use expressions by their values \
    only; so both forms derive the same accesses. Evaluated once, the bounds are those at the \
    entry of the loop (THEORY §2), which closed bounds never differ from.";

const fn test(name: &'static str) -> Test {
    Test { file: "tests/tests/ledger/semantics.rs", name }
}

const fn thread(name: &'static str) -> Constructor {
    Constructor { file: COQ_THREAD, relation: "thread", name }
}

const fn parallel(name: &'static str) -> Constructor {
    Constructor { file: COQ_PARALLEL, relation: "parallel", name }
}

/// A read: the variable becomes the last value written to the cell.
pub const THREAD_READ: Rule = Rule {
    id: "thread/read",
    judgment: Judgment::Thread,
    source: Source::Adapted("LCL22 Fig. 5", READ_ADAPTED),
    premises: &["n ↓ j", "lastwrite(j, {i: (R, W)}::H) = k", "(R ∪ {j}, W), b[x := k] ↓_{H,i} B"],
    conclusion: "(R, W), let x = A[n] in b ↓_{H,i} B",
    rust: Item { file: THREAD, text: "Rule::ThreadRead" },
    coq: Coq::Constructors(&[thread("read")]),
    lowering: compiled("Stmt::Read"),
    fires: &[test("thread_rules_fire")],
    refutes: &[
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
    ],
    book: None,
};

/// A write.
pub const THREAD_WRITE: Rule = Rule {
    id: "thread/write",
    judgment: Judgment::Thread,
    source: Source::Printed("LCL22 Fig. 5"),
    premises: &["n ↓ j", "m ↓ k"],
    conclusion: "(R, W), A[n] := m ↓_{H,i} (R, W[j ↦ k])",
    rust: Item { file: THREAD, text: "Rule::ThreadWrite" },
    coq: Coq::Constructors(&[thread("write")]),
    lowering: compiled("Stmt::Write"),
    fires: &[test("thread_rules_fire")],
    refutes: &[
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
    ],
    book: None,
};

/// One statement after the other.
pub const THREAD_SEQ: Rule = Rule {
    id: "thread/seq",
    judgment: Judgment::Thread,
    source: Source::Printed("LCL22 Fig. 5"),
    premises: &["A, b1 ↓_{H,i} B", "B, b2 ↓_{H,i} C"],
    conclusion: "A, b1; b2 ↓_{H,i} C",
    rust: Item { file: THREAD, text: "Rule::ThreadSeq" },
    coq: Coq::Constructors(&[thread("seq")]),
    lowering: compiled("Stmt::Seq"),
    fires: &[test("thread_rules_fire")],
    refutes: &[
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
    ],
    book: None,
};

/// A condition that holds.
pub const THREAD_IF_T: Rule = Rule {
    id: "thread/if-t",
    judgment: Judgment::Thread,
    source: Source::Printed("LCL22 Fig. 5"),
    premises: &["c ↓ true", "A, b1 ↓_{H,i} B"],
    conclusion: "A, if c {b1} else {b2} ↓_{H,i} B",
    rust: Item { file: THREAD, text: "Rule::ThreadIfTrue" },
    coq: Coq::Constructors(&[thread("if_t")]),
    lowering: compiled("Stmt::If"),
    fires: &[test("thread_rules_fire")],
    refutes: &[
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
    ],
    book: None,
};

/// A condition that does not hold.
pub const THREAD_IF_F: Rule = Rule {
    id: "thread/if-f",
    judgment: Judgment::Thread,
    source: Source::Printed("LCL22 Fig. 5"),
    premises: &["c ↓ false", "A, b2 ↓_{H,i} B"],
    conclusion: "A, if c {b1} else {b2} ↓_{H,i} B",
    rust: Item { file: THREAD, text: "Rule::ThreadIfFalse" },
    coq: Coq::Constructors(&[thread("if_f")]),
    lowering: compiled("Stmt::If"),
    fires: &[test("thread_rules_fire")],
    refutes: &[
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
    ],
    book: None,
};

/// A loop that is over.
pub const THREAD_FOR_1: Rule = Rule {
    id: "thread/for-1",
    judgment: Judgment::Thread,
    source: Source::Adapted("LCL22 Fig. 5", FOR_1_ADAPTED),
    premises: &["n ↓ j", "m ↓ k", "(j ≥ k) ↓ true"],
    conclusion: "A, forU x in n..m {b} ↓_{H,i} A",
    rust: Item { file: THREAD, text: "Rule::ThreadFor1" },
    coq: Coq::Constructors(&[thread("for_1")]),
    lowering: compiled("Stmt::For"),
    fires: &[test("thread_rules_fire")],
    refutes: &[
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
    ],
    book: None,
};

/// One iteration, and the loop behind it.
pub const THREAD_FOR_2: Rule = Rule {
    id: "thread/for-2",
    judgment: Judgment::Thread,
    source: Source::Adapted("LCL22 Fig. 5", FOR_2_ADAPTED),
    premises: &[
        "n ↓ j",
        "m ↓ k",
        "(j < k) ↓ true",
        "A, b[x := j] ↓_{H,i} B",
        "B, forU x in j+1..k {b} ↓_{H,i} C",
    ],
    conclusion: "A, forU x in n..m {b} ↓_{H,i} C",
    rust: Item { file: THREAD, text: "Rule::ThreadFor2" },
    coq: Coq::Constructors(&[thread("for_2")]),
    lowering: compiled("Stmt::For"),
    fires: &[test("thread_rules_fire")],
    refutes: &[
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
    ],
    book: None,
};

/// A no-op.
pub const THREAD_SKIP: Rule = Rule {
    id: "thread/skip",
    judgment: Judgment::Thread,
    source: Source::Printed("LCL22 Fig. 5"),
    premises: &[],
    conclusion: "A, skip ↓_{H,i} A",
    rust: Item { file: THREAD, text: "Rule::ThreadSkip" },
    coq: Coq::Constructors(&[thread("skip")]),
    lowering: compiled("Stmt::Skip"),
    fires: &[test("thread_rules_fire")],
    refutes: &[],
    book: None,
};

/// An atomic update: the variable is data, any number whatever other threads do.
pub const THREAD_ATOMIC: Rule = Rule {
    id: "thread/atomic",
    judgment: Judgment::Thread,
    source: EXTENSION,
    premises: &["n ↓ j", "m ↓ k", "v ∈ ℕ", "(R, W, U·[j: ⋆ k]), b[x := v] ↓_{H,i} B"],
    conclusion: "(R, W, U), let x = atomic A[n] ⋆ m in b ↓_{H,i} B",
    rust: Item { file: THREAD, text: "Rule::ThreadAtomic" },
    coq: Coq::NotMechanized("the mechanization has no atomic updates"),
    lowering: compiled("Stmt::Atomic"),
    fires: &[test("thread_rules_fire")],
    refutes: &[
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::By(test("thread_premises_are_needed")),
        Refutation::Choice,
        Refutation::By(test("thread_premises_are_needed")),
    ],
    book: None,
};

/// All threads run, none seeing what the others do in this phase.
pub const PARALLEL_PAR: Rule = Rule {
    id: "parallel/par",
    judgment: Judgment::Parallel,
    source: Source::Adapted("LCL22 Fig. 5", PAR_ADAPTED),
    premises: &["P(i), b[tid := i] ↓_{H,i} Q(i) for all i ∈ T"],
    conclusion: "P::H, b ↓ Q::H",
    rust: Item { file: PARALLEL, text: "Rule::Par" },
    coq: Coq::Constructors(&[parallel("par")]),
    lowering: interpreted("u32 stop = run("),
    fires: &[test("the_parallel_rule_fires")],
    refutes: &[Refutation::By(test("the_parallel_premise_is_needed"))],
    book: None,
};
