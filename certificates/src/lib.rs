//! Certificates: derivations as files that Coq checks.
//!
//! A certificate imports the mechanization (`proofs/coq`), states the judgment at the root of a
//! derivation with everything spelled out (program, history, result), and proves it by the
//! derivation itself. Every node is a lemma: its judgment, and as its proof the constructor of its
//! rule, applied to the lemmas of its premises; side conditions are computed by Coq. No evaluator
//! is run and nothing is searched for. So where a derivation uses a wrong rule, lacks a premise or
//! states a wrong judgment, Coq rejects the lemma of that node.
//!
//! ```
//! use babycuda_core::{Launch, Program, parse::parse_stmt};
//! use babycuda_certificates::of_run;
//! use babycuda_semantics::{Instance, RunOptions};
//!
//! let program = Program::of_body(parse_stmt("if tid == 0 { A[0] := tid }")?);
//! let run = Instance::new(program, Launch::threads(2)).evaluate(&RunOptions::default());
//! let derivation = run.derivation.expect("no thread is stuck");
//! let certificate = of_run(&derivation)?.to_string();
//! assert!(certificate.contains("Proof. exact (if_t (eq_refl : eval_c "));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What the mechanization has in another form:
//!
//! - Host memory is finite there: of an array that has a value in every cell, the certificate
//!   mentions the cells that the run looks up.
//! - A thread that accessed nothing is absent from our phases, and mentioned in the phases that a
//!   run produces there.
//! - A type that is relative to read-only inputs names their arrays; what the host stored in them is no
//!   part of it.
//! - Rule block/start is a function there, and both sorts of loops are one.
//!
//! What it does not have is [`Unsupported`].

mod document;
mod expressions;
mod histories;
mod ledger;
mod programs;
mod protocols;
mod run;
mod typing;

use babycuda_core::{Name, Site};
use std::fmt;

pub use run::of_run;
pub use typing::of_type;

/// What a certificate begins with: the import of the mechanization.
pub const PREAMBLE: &str = "\
(* Checked by: coqc -Q proofs/coq BabyCUDA FILE *)
From BabyCUDA Require Import Certificate.
Local Open Scope N_scope.
Local Open Scope string_scope.
";

/// A derivation as Coq; its `Display` is a file, which ends by asking what the theorem rests on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    body: String,
}

impl Certificate {
    /// What follows the [`PREAMBLE`]: definitions, a lemma for each node, and `Theorem
    /// certificate`. Several fit into one file, each in a module of its own.
    pub fn body(&self) -> &str {
        &self.body
    }
}

impl fmt::Display for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREAMBLE}\n{}Print Assumptions certificate.\n", self.body)
    }
}

/// What a derivation has and the mechanization does not.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// Atomic updates.
    #[error("atomic updates are not mechanized")]
    Atomic {
        /// The statement; `None`: an atomic update of an older phase.
        site: Option<Site>,
    },
    /// A barrier of another scope than a block.
    #[error("certificates have barriers of blocks only")]
    Scope {
        /// The barrier.
        site: Site,
    },
    /// A read of an array, as of data, that is read as an input elsewhere.
    #[error("an array is read as an input and as data")]
    Input {
        /// The read.
        site: Site,
    },
    /// `any x {p}`, which is never the type of a program.
    #[error("protocols with `any` are not mechanized")]
    Any {
        /// The read that it stands for.
        site: Site,
    },
    /// Rule par, as printed, substitutes `tid` only.
    #[error("rule par substitutes `tid` only, and the program mentions `{variable}`")]
    LaunchVariable {
        /// What the program mentions.
        variable: Name,
    },
}

impl Unsupported {
    /// The statement, when it is one's fault.
    pub fn site(&self) -> Option<Site> {
        match self {
            Unsupported::Atomic { site } => *site,
            Unsupported::Scope { site }
            | Unsupported::Input { site }
            | Unsupported::Any { site } => Some(*site),
            Unsupported::LaunchVariable { .. } => None,
        }
    }
}
