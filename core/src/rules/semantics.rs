//! The judgments by which programs run: of one thread, `A, b ↓_{H,i} B`, and of all,
//! `P::H, b ↓ Q::H` (LCL22 Fig. 5); to the next barrier, `A, k ⇓_{H,i} (B, s)`, and from barrier to
//! barrier, `H, k ⇓ outcome` (THEORY §4).

use super::Coq::{Constructors, Definition};
use super::Source::{Adapted, Ours, Printed};
use super::{
    COUNTERS, Constructor, EXTENSION, Item, Judgment, NO_ATOMICS, NO_SCOPES, Rule, Test, WARPS,
    compiled, interpreted,
};

const FIG_5: &str = "LCL22 Fig. 5";
const BARRIERS_V: &str = "proofs/coq/Barriers.v";

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
    Constructor { file: "proofs/coq/Thread.v", relation: "thread", name }
}

const fn parallel(name: &'static str) -> Constructor {
    Constructor { file: "proofs/coq/Parallel.v", relation: "parallel", name }
}

const fn to_barrier(name: &'static str) -> Constructor {
    Constructor { file: BARRIERS_V, relation: "to_barrier", name }
}

const fn block_run(name: &'static str) -> Constructor {
    Constructor { file: BARRIERS_V, relation: "block_run", name }
}

const THREAD: Rule = Rule {
    source: Printed(FIG_5),
    fires: &[test("thread_rules_fire")],
    refutes: &[test("thread_premises_are_needed")],
    ..Rule::of(Judgment::Thread, "semantics/src/thread.rs")
};
const PARALLEL: Rule = Rule {
    fires: &[test("the_parallel_rule_fires")],
    refutes: &[test("the_parallel_premise_is_needed")],
    ..Rule::of(Judgment::Parallel, "semantics/src/parallel.rs")
};
const BARRIER: Rule = Rule {
    fires: &[test("barrier_rules_fire")],
    refutes: &[test("barrier_premises_are_needed")],
    ..Rule::of(Judgment::Barrier, "semantics/src/barriers.rs")
};
const BLOCK: Rule = Rule {
    fires: &[test("block_rules_fire")],
    refutes: &[test("block_premises_are_needed")],
    ..Rule::of(Judgment::Block, "semantics/src/blocks.rs")
};

rules! {
    /// A rule of one of the judgments by which programs run. Those of the judgments `thread` and
    /// `parallel` are LCL22's, but for `thread/atomic`.
    enum SemanticsRule;

    THREAD by variant {
        /// A read: the variable becomes the last value written to the cell.
        ThreadRead = "thread/read":
            ["n ↓ j", "lastwrite(j, {i: (R, W)}::H) = k", "(R ∪ {j}, W), b[x := k] ↓_{H,i} B"]
            => "(R, W), let x = A[n] in b ↓_{H,i} B" {
            source: Adapted(FIG_5, READ_ADAPTED), coq: Constructors(&[thread("read")]),
            lowering: compiled("Stmt::Read"),
        }
        /// A write.
        ThreadWrite = "thread/write": ["n ↓ j", "m ↓ k"]
            => "(R, W), A[n] := m ↓_{H,i} (R, W[j ↦ k])" {
            coq: Constructors(&[thread("write")]), lowering: compiled("Stmt::Write"),
        }
        /// One statement after the other.
        ThreadSeq = "thread/seq": ["A, b1 ↓_{H,i} B", "B, b2 ↓_{H,i} C"] => "A, b1; b2 ↓_{H,i} C" {
            coq: Constructors(&[thread("seq")]), lowering: compiled("Stmt::Seq"),
        }
        /// A condition that holds.
        ThreadIfTrue = "thread/if-t": ["c ↓ true", "A, b1 ↓_{H,i} B"]
            => "A, if c {b1} else {b2} ↓_{H,i} B" {
            coq: Constructors(&[thread("if_t")]), lowering: compiled("Stmt::If"),
        }
        /// A condition that does not hold.
        ThreadIfFalse = "thread/if-f": ["c ↓ false", "A, b2 ↓_{H,i} B"]
            => "A, if c {b1} else {b2} ↓_{H,i} B" {
            coq: Constructors(&[thread("if_f")]), lowering: compiled("Stmt::If"),
        }
        /// A loop that is over.
        ThreadFor1 = "thread/for-1": ["n ↓ j", "m ↓ k", "(j ≥ k) ↓ true"]
            => "A, forU x in n..m {b} ↓_{H,i} A" {
            source: Adapted(FIG_5, FOR_1_ADAPTED), coq: Constructors(&[thread("for_1")]),
            lowering: compiled("Stmt::For"),
        }
        /// One iteration, and the loop behind it.
        ThreadFor2 = "thread/for-2":
            ["n ↓ j", "m ↓ k", "(j < k) ↓ true", "A, b[x := j] ↓_{H,i} B",
             "B, forU x in j+1..k {b} ↓_{H,i} C"] => "A, forU x in n..m {b} ↓_{H,i} C" {
            source: Adapted(FIG_5, FOR_2_ADAPTED), coq: Constructors(&[thread("for_2")]),
            lowering: compiled("Stmt::For"),
        }
        /// A no-op.
        ThreadSkip = "thread/skip": [] => "A, skip ↓_{H,i} A" {
            coq: Constructors(&[thread("skip")]), lowering: compiled("Stmt::Skip"),
        }
        /// An atomic update: the variable is data, any number whatever other threads do.
        ThreadAtomic = "thread/atomic":
            ["n ↓ j", "m ↓ k", "v ∈ ℕ", "(R, W, U·[j: ⋆ k]), b[x := v] ↓_{H,i} B"]
            => "(R, W, U), let x = atomic A[n] ⋆ m in b ↓_{H,i} B" {
            source: EXTENSION, section: COUNTERS, coq: NO_ATOMICS, lowering: compiled("Stmt::Atomic"),
        }
    }
    PARALLEL by variant {
        /// All threads run, none seeing what the others do in this phase.
        Par = "parallel/par": ["P(i), b[tid := i] ↓_{H,i} Q(i) for all i ∈ T"] => "P::H, b ↓ Q::H" {
            source: Adapted(FIG_5, PAR_ADAPTED), coq: Constructors(&[parallel("par")]),
            lowering: interpreted("stop = run("),
        }
    }
    BARRIER by variant {
        /// Code without barriers runs to its end by the thread judgment.
        BarrierBlock = "barrier/block": ["A, b ↓_{H,i} B"] => "A, b ⇓_{H,i} (B, done)" {
            coq: Definition(Item { file: BARRIERS_V, text: "b_block" }), lowering: interpreted("stop = run("),
        }
        /// A barrier stops the thread.
        BarrierSync = "barrier/sync": [] => "A, sync_ℓ ⇓_{H,i} (A, sync_ℓ ▷ skip)" {
            coq: Constructors(&[to_barrier("b_sync")]), lowering: compiled("Stmt::Sync"),
        }
        /// A read, with barriers behind it.
        BarrierRead = "barrier/read":
            ["n ↓ j", "lastwrite(j, {i: (R, W)}::H) = v", "(R ∪ {j}, W), k[x := v] ⇓_{H,i} (B, s)"]
            => "(R, W), let x = A[n] in k ⇓_{H,i} (B, s)" {
            coq: Constructors(&[to_barrier("b_read")]), lowering: compiled("Stmt::Read"),
        }
        /// An atomic update, with barriers behind it.
        BarrierAtomic = "barrier/atomic":
            ["n ↓ j", "m ↓ w", "v ∈ ℕ", "(R, W, U·[j: ⋆ w]), k[x := v] ⇓_{H,i} (B, s)"]
            => "(R, W, U), let x = atomic A[n] ⋆ m in k ⇓_{H,i} (B, s)" {
            section: COUNTERS, coq: NO_ATOMICS, lowering: compiled("Stmt::Atomic"),
        }
        /// The first statement ends, the second runs.
        BarrierSeq1 = "barrier/seq-1": ["A, k1 ⇓_{H,i} (B, done)", "B, k2 ⇓_{H,i} (C, s)"]
            => "A, k1; k2 ⇓_{H,i} (C, s)" {
            coq: Constructors(&[to_barrier("b_seq_1")]), lowering: compiled("Stmt::Seq"),
        }
        /// The first statement stops at a barrier.
        BarrierSeq2 = "barrier/seq-2": ["A, k1 ⇓_{H,i} (B, sync_ℓ ▷ k1')"]
            => "A, k1; k2 ⇓_{H,i} (B, sync_ℓ ▷ (k1'; k2))" {
            coq: Constructors(&[to_barrier("b_seq_2")]), lowering: compiled("Stmt::Seq"),
        }
        /// A condition that holds.
        BarrierIfTrue = "barrier/if-t": ["c ↓ true", "A, k1 ⇓_{H,i} (B, s)"]
            => "A, if c {k1} else {k2} ⇓_{H,i} (B, s)" {
            coq: Constructors(&[to_barrier("b_if_t")]), lowering: compiled("Stmt::If"),
        }
        /// A condition that does not hold.
        BarrierIfFalse = "barrier/if-f": ["c ↓ false", "A, k2 ⇓_{H,i} (B, s)"]
            => "A, if c {k1} else {k2} ⇓_{H,i} (B, s)" {
            coq: Constructors(&[to_barrier("b_if_f")]), lowering: compiled("Stmt::If"),
        }
        /// A loop that is over.
        BarrierFor1 = "barrier/for-1": ["n ↓ v", "m ↓ w", "(v ≥ w) ↓ true"]
            => "A, for x in n..m {k} ⇓_{H,i} (A, done)" {
            coq: Constructors(&[to_barrier("b_for_1")]), lowering: compiled("Stmt::For"),
        }
        /// An iteration, and the loop behind it.
        BarrierFor2 = "barrier/for-2":
            ["n ↓ v", "m ↓ w", "(v < w) ↓ true",
             "A, (k[x := v]; for x in v+1..w {k}) ⇓_{H,i} (B, s)"]
            => "A, for x in n..m {k} ⇓_{H,i} (B, s)" {
            coq: Constructors(&[to_barrier("b_for_2")]), lowering: compiled("Stmt::For"),
        }
    }
    BLOCK by variant {
        /// Every thread starts the program with its own `tid`.
        BlockStart = "block/start": ["H, {i: k[tid := i] | i ∈ T} ⇓ outcome"] => "H, k ⇓ outcome" {
            coq: Definition(Item { file: BARRIERS_V, text: "start" }),
            lowering: interpreted("start(registers, thread, header, inputs)"),
        }
        /// All threads end: so does the block.
        BlockEnds = "block/ends": ["P(i), k_i ⇓_{H,i} (Q(i), done) for all i"]
            => "P::H, {i: k_i, …} ⇓ Q::H" {
            coq: Constructors(&[block_run("block_ends")]),
            lowering: interpreted("barrier >= STOP_GROUPS) break;"),
        }
        /// All threads stop at one barrier: a new phase begins.
        BlockSyncs = "block/syncs":
            ["P(i), k_i ⇓_{H,i} (Q(i), sync_ℓ ▷ k_i') for all i", "∅::Q::H, {i: k_i', …} ⇓ outcome"]
            => "P::H, {i: k_i, …} ⇓ outcome" {
            coq: Constructors(&[block_run("block_syncs")]),
            lowering: interpreted("self.phase += 1;"),
        }
        /// All threads of some groups stop at one barrier of their scope, which is narrower than the
        /// block: they go on, in a new stage of the phase.
        BlockGroupSyncs = "block/group-syncs":
            ["P(i), k_i ⇓_{H,i} (Q(i), s_i) for all i",
             "all threads of each group of G, and of no other, wait at one barrier of its scope",
             "Q|G::H, {i: k_i', …} ⇓ outcome"]
            => "P::H, {i: k_i, …} ⇓ outcome" {
            source: Ours("THEORY T12"), section: WARPS, coq: NO_SCOPES, lowering: interpreted("met(&self, &program, turn)"),
        }
        /// No group goes on, and two threads of one stop at different places: barrier divergence.
        BlockDiverges = "block/diverges":
            ["P(i), k_i ⇓_{H,i} (Q(i), s_i) for all i", "s_i1 and s_i2 are different places"]
            => "P::H, {i: k_i, …} ⇓ Q::H, i1 at s_i1, i2 at s_i2" {
            coq: Constructors(&[block_run("block_diverges")]),
            lowering: interpreted("if (barrier != lowest[turn]"),
        }
    }
}
