//! Terms as text: the SMT-LIB tree, written without recursion.
//!
//! Sharing is not shown and names are not quoted, so this is for people and error messages; what
//! solvers read comes from [`script`](crate::script).

use std::fmt;

use super::{Op, Term};

/// Beyond this many nodes the text breaks off with `…`.
const MAX_NODES: usize = 2_000;

enum Piece<'a> {
    Term(&'a Term),
    Close,
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stack = vec![Piece::Term(self)];
        let mut written = 0;
        while let Some(piece) = stack.pop() {
            let term = match piece {
                Piece::Close => {
                    f.write_str(")")?;
                    continue;
                }
                Piece::Term(term) => term,
            };
            if written > 0 {
                f.write_str(" ")?;
            }
            written += 1;
            if written > MAX_NODES {
                return f.write_str("…");
            }
            match term.op() {
                Op::Constant(name) => f.write_str(name)?,
                Op::Value(value) => write!(f, "{value}")?,
                op => {
                    write!(f, "({}", op.name())?;
                    stack.push(Piece::Close);
                    stack.extend(term.args().iter().rev().map(Piece::Term));
                }
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
