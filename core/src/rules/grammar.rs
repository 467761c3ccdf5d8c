//! The grammars that the rules are about.

use super::{Item, Source};

/// A grammar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Grammar {
    /// What it is of.
    pub name: &'static str,
    /// Where it comes from.
    pub source: Source,
    /// Its productions, each on a line of its own; what stands behind two blanks is said of it.
    pub productions: &'static str,
    /// The section of the book about it.
    pub section: Item,
}

/// The grammars of programs and protocols. The concrete syntax, with declarations and operators, is that of
/// [`crate::parse`].
pub const GRAMMARS: [Grammar; 2] = [
    Grammar {
        name: "programs",
        source: Source::Adapted(
            "LCL22 Fig. 5",
            "printed with one array, and without barriers; `k` is the program of THEORY §4",
        ),
        productions: "\
b ::= A[n] := n                 write a cell
    | let x = A[n] in b         read a cell, and call the value x in b
    | b ; b
    | if c { b } else { b }
    | forU x in n..m { b }      x is n, n + 1, …, m - 1
    | skip
k ::= b
    | sync                      a barrier
    | k ; k
    | if c { k } else { k }
    | forS x in n..m { k }      a loop that all threads run alike",
        section: Item { file: "book/src/babycuda.md", text: "# BabyCUDA" },
    },
    Grammar {
        name: "protocols",
        source: Source::Adapted(
            "LCL22 Fig. 2",
            "printed as `o[i]` with `o ::= wr | rd`; protocols with barriers, `p`, have `sync` and `forS` as `k` has",
        ),
        productions: "\
u ::= rd[n]
    | wr[n]
    | u ; u
    | if c { u } else { u }
    | forU x in n..m { u }
    | skip",
        section: Item { file: "book/src/protocols.md", text: "## What is left of a program" },
    },
];
