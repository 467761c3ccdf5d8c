//! The typing judgments `V ⊢ n`, `V ⊢ c` and `V ⊢ b ▶ u` (LCL22 Fig. 6).

use super::Coq::{Constructors, Definition};
use super::{
    COUNTERS, Constructor, EXTENSION, INPUTS, Item, Judgment, NO_ATOMICS, RELATIVE, Rule, Source,
    Test,
};

const TYPING_V: &str = "proofs/coq/Typing.v";

const fn test(name: &'static str) -> Test {
    Test { file: "typing/tests/rules/main.rs", name }
}

const fn typed(name: &'static str) -> Constructor {
    Constructor { file: TYPING_V, relation: "typed", name }
}

const TYPE: Rule = Rule {
    source: Source::Printed("LCL22 Fig. 6"),
    fires: &[test("type_rules_fire")],
    refutes: &[test("type_premises_are_refuted")],
    ..Rule::of(Judgment::Type, "typing/src/infer.rs")
};

rules! {
    /// A typing rule. Those of LCL22 Fig. 6 are in its order; the others extend them to read-only
    /// inputs (THEORY T11), barriers, synchronized loops and atomics (THEORY §4).
    ///
    /// Several arrays need no rule of their own: the calculus of LCL22 is the projection of a
    /// program to one array, and every rule carries the array's name from program to protocol.
    enum TypingRule;

    TYPE by variant {
        /// An expression mentions variables of V only.
        N = "type/t-n": ["fv(n) ⊆ V"] => "V ⊢ n" {
            coq: Definition(Item { file: TYPING_V, text: "typed_n" }),
        }
        /// A condition mentions variables of V only.
        B = "type/t-b": ["fv(c) ⊆ V"] => "V ⊢ c" {
            coq: Definition(Item { file: TYPING_V, text: "typed_c" }),
        }
        /// A write: the payload is unconstrained.
        Write = "type/t-write": ["V ⊢ n"] => "V ⊢ A[n] := m ▶ wr A[n]" {
            coq: Constructors(&[typed("t_write")]),
        }
        /// A read: the variable that it binds does not enter V.
        Read = "type/t-read": ["V ⊢ n", "y ∉ V", "V ⊢ b ▶ u"]
            => "V ⊢ let y = A[n] in b ▶ rd A[n]; u" {
            coq: Constructors(&[typed("t_read")]),
        }
        /// A read of a read-only input: what the host stored is no data, so the variable enters V.
        /// RO is the set of the arrays that the derivation reads so; the other rules have A ∉ RO.
        ReadInput = "type/t-read-input":
            ["A ∈ RO, an input of the program", "V ⊢ n", "y ∉ V", "V ∪ {y} ⊢ b ▶ u"]
            => "V ⊢ let y = A[n] in b ▶ rd A[n]; let y = input A[n] in u" {
            source: RELATIVE, section: INPUTS, coq: Constructors(&[typed("t_read_input")]),
        }
        /// A sequence.
        Seq = "type/t-seq": ["V ⊢ b1 ▶ u1", "V ⊢ b2 ▶ u2"] => "V ⊢ b1; b2 ▶ u1; u2" {
            coq: Constructors(&[typed("t_seq")]),
        }
        /// A conditional.
        If = "type/t-if": ["V ⊢ c", "V ⊢ b1 ▶ u1", "V ⊢ b2 ▶ u2"]
            => "V ⊢ if c {b1} else {b2} ▶ if c {u1} else {u2}" {
            coq: Constructors(&[typed("t_if")]),
        }
        /// A loop: its variable joins V in the body.
        For = "type/t-for": ["V ⊢ n", "V ⊢ m", "x ∉ V", "V ∪ {x} ⊢ b ▶ u"]
            => "V ⊢ forU x in n..m {b} ▶ forU x in n..m {u}" {
            coq: Constructors(&[typed("t_for")]),
        }
        /// A no-op.
        Skip = "type/t-skip": [] => "V ⊢ skip ▶ skip" {
            coq: Constructors(&[typed("t_skip")]),
        }
        /// A barrier, of any scope s. What stands around it may mention any variable of V, `tid` too:
        /// whether it is uniform in the groups of the barrier is for the splitting to show.
        Sync = "type/t-sync": [] => "V ⊢ sync.s ▶ sync.s" {
            source: EXTENSION, coq: Constructors(&[typed("t_sync")]),
        }
        /// A synchronized loop. Its bounds may mention any variable of V, `tid` too: then the
        /// threads may diverge, which typing does not forbid. Only a program without such bounds
        /// is stratified (`typed_s` in `proofs/coq/SyncProtocols.v`).
        ForS = "type/t-for-s": ["V ⊢ n", "V ⊢ m", "x ∉ V", "V ∪ {x} ⊢ b ▶ u"]
            => "V ⊢ forS x in n..m {b} ▶ forS x in n..m {u}" {
            source: EXTENSION, coq: Constructors(&[typed("t_for")]),
        }
        /// An atomic update: as a read; what it does is unconstrained.
        Atomic = "type/t-atomic": ["V ⊢ n", "y ∉ V", "V ⊢ b ▶ u"]
            => "V ⊢ let y = atomic A[n] ⋆ m in b ▶ at A[n]; u" {
            source: EXTENSION, section: COUNTERS, coq: NO_ATOMICS,
        }
    }
}
