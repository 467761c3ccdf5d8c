//! The semantics of protocols, `u ↓ Λ` (THEORY §3), with barriers anywhere (THEORY §4).
//!
//! Of one thread, Λ is a list of sets: what it accesses from barrier to barrier, with the sites of
//! the barriers between them. `Λ1 · Λ2` joins the last set of the one with the first of the other,
//! and is `Λ1 ∪ Λ2` where there are no barriers.

use super::Coq::{Constructors, NotMechanized};
use super::{Constructor, EXTENSION, INPUTS, Item, Judgment, RELATIVE, Rule, Source, Test};

const fn test(name: &'static str) -> Test {
    Test { file: "tests/tests/ledger/map.rs", name }
}

const fn unsync(name: &'static str) -> Constructor {
    Constructor { file: "proofs/coq/Protocols.v", relation: "unsync", name }
}

const fn unsync_all(name: &'static str) -> Constructor {
    Constructor { file: "proofs/coq/Protocols.v", relation: "unsync_all", name }
}

/// With barriers anywhere.
const fn to_barrier(name: &'static str) -> Constructor {
    Constructor { file: "proofs/coq/Protocols.v", relation: "q_to_barrier", name }
}

const MAP: Rule = Rule {
    source: Source::Ours("THEORY §3; LCL22 leaves it to the paper on MAPs"),
    fires: &[test("map_rules_fire")],
    refutes: &[test("map_premises_are_needed")],
    ..Rule::of(Judgment::Map, "protocols/src/map/thread.rs")
};
const PAR: Rule = Rule { rust: Item { file: "protocols/src/map/evaluate.rs", text: "" }, ..MAP };

rules! {
    /// A rule of the judgment `u ↓ Λ`.
    enum MapRule;

    PAR by id {
        /// Every thread runs the protocol; data never matters.
        Par = "map/par": ["u[tid := i] ↓ Λ_i^0 sync_ℓ1 Λ_i^1 … for all i ∈ T"]
            => "u ↓ Λ^0 then Λ^1 …, Λ^p = {i:α | i ∈ T, α ∈ Λ_i^p}, as long as all stop at one ℓ" {
            coq: Constructors(&[unsync_all("all_nil"), unsync_all("all_cons")]),
        }
    }
    MAP by id {
        /// A no-op.
        Skip = "map/skip": [] => "skip ↓ ∅" {
            coq: Constructors(&[unsync("u_skip"), to_barrier("q_skip")]),
        }
        /// An access.
        Access = "map/access": ["n ↓ j"] => "o A[n] ↓ {o A[j]}" {
            coq: Constructors(&[unsync("u_access"), to_barrier("q_access")]),
        }
        /// A sequence.
        Seq = "map/seq": ["u1 ↓ Λ1", "u2 ↓ Λ2"]
            => "u1; u2 ↓ Λ1 · Λ2, the last phase of Λ1 and the first of Λ2 joined" {
            coq: Constructors(&[unsync("u_seq"), to_barrier("q_seq_1"), to_barrier("q_seq_2")]),
        }
        /// A condition that holds.
        IfTrue = "map/if-t": ["c ↓ true", "u1 ↓ Λ"] => "if c {u1} else {u2} ↓ Λ" {
            coq: Constructors(&[unsync("u_if_t"), to_barrier("q_if_t")]),
        }
        /// A condition that does not hold.
        IfFalse = "map/if-f": ["c ↓ false", "u2 ↓ Λ"] => "if c {u1} else {u2} ↓ Λ" {
            coq: Constructors(&[unsync("u_if_f"), to_barrier("q_if_f")]),
        }
        /// A loop that is over.
        For1 = "map/for-1": ["n ↓ j", "m ↓ k", "(j ≥ k) ↓ true"] => "forU x in n..m {u} ↓ ∅" {
            coq: Constructors(&[unsync("u_for_1"), to_barrier("q_for_1")]),
        }
        /// One iteration, and the loop behind it.
        For2 = "map/for-2":
            ["n ↓ j", "m ↓ k", "(j < k) ↓ true", "u[x := j] ↓ Λ1", "forU x in j+1..k {u} ↓ Λ2"]
            => "forU x in n..m {u} ↓ Λ1 · Λ2" {
            coq: Constructors(&[unsync("u_for_2"), to_barrier("q_for_2")]),
        }
        /// A barrier ends the phase.
        Sync = "map/sync": [] => "sync_ℓ ↓ ∅ sync_ℓ ∅" {
            source: EXTENSION, coq: Constructors(&[to_barrier("q_sync")]),
        }
        /// What the host stored in a read-only input. Where it stored nothing, the thread is stuck.
        Input = "map/input": ["n ↓ j", "H0(A[j]) = k", "u[x := k] ↓ Λ"]
            => "let x = input A[n] in u ↓ Λ" {
            source: RELATIVE, section: INPUTS, coq: Constructors(&[unsync("u_input"), to_barrier("q_input")]),
        }
        /// A variable of any value: for over-approximations, not for types.
        Any = "map/any": ["k ∈ ℕ, in the domain that `any` gives x", "u[x := k] ↓ Λ"]
            => "any x {u} ↓ Λ" {
            source: EXTENSION, coq: NotMechanized("the mechanization has no unknown values"),
        }
    }
}
