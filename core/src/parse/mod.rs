//! The concrete syntax, after the figures of LCL22: from text to programs and protocols.
//!
//! The printer is `Display`; parsing what it prints gives the same tree, sites included.
//!
//! ```text
//! program  ::= declaration* b                                        a .bcuda file
//! map      ::= declaration* p                                        a .map file
//! b        ::= skip | A[n] := n | b ; b | { b } | if c { b } else { b } | sync | sync.s
//!            | let x = A[n] in b | let x = atomic A[n] update in b
//!            | forU x in n..n { b } | forS x in n..n { b }
//! atomic   ::= atomic | atomic.block | atomic.device | atomic.system
//! update   ::= op n | cas n if n                      `cas m if e`: m when the cell holds e
//! op       ::= add | sub | min | max, or add.T, …, and.T | or.T | xor.T
//!            | exch | inc | dec | opaque
//! p        ::= skip | o[n] | o A[n] | p ; p | { p } | if c { p } else { p } | sync | sync.s
//!            | forU x in n..n { p } | forS x in n..n { p } | any x { p } | any x: T { p }
//! s        ::= tileK | warp | block | grid            K a power of two; `sync` is `sync.block`
//! o        ::= rd | wr | at | at.block | at.device | at.system
//! n        ::= x | k | n + n | n - n | n * n | n / n | n % n | min(n, n) | max(n, n)
//!            | add.T(n, n), and so on for sub mul div rem min max and or xor shl shr
//!            | cast.T.T(n) | select(c, n, n) | ( n )
//! c        ::= true | false | n == n | n != n | n < n | n <= n | n > n | n >= n
//!            | eq.T(n, n), and so on for ne lt le gt ge
//!            | c && c | c || c | !c | ( c )
//! T        ::= u8 | u16 | u32 | u64 | i8 | i16 | i32 | i64
//! declaration ::= kernel x ; | threads E ; | block E , E , E ; | grid E , E , E ;      E ::= k | *
//!            | warp k ;                                the size of warps, a power of two: 32 if absent
//!            | param x [: T] [= k] ;
//!            | (shared | global) x [[k]] [: T] [= contents] ;
//!            | assume a ; | expect expectation ;
//! a        ::= c | forall x in n..n : a                in `a`, `n` may be A[n]: what the host stored
//! contents ::= [ k , … ] | fill k | any | opaque | undefined
//! expectation ::= drf | racy [A [[k]]] | divergent | unknown | stuck | typed | ill-typed [rule]
//! ```
//!
//! - `;` associates to the right and a `let` reaches as far to the right as it can; braces group.
//!   A last `;` in a block, an `else` that would be `skip`, and `else if` may be written as in C.
//! - Operators bind as in C, all to the left; `=` in a condition is the paper's `==`.
//! - The paper's Unicode is read as well: `forᵁ forˢ ∈ … ≔ ≠ ≤ ≥ ∧ ∨ ¬ × ÷ ∸`.
//! - An identifier starts with a letter, `_` or `$`, goes on with those, digits and `'`, and may
//!   contain dots before letters (`threadIdx.x`). Any other name, or one that is a keyword, stands
//!   between backquotes: `` `in`[0] := 1 ``.
//! - Numbers are decimal or `0x…`, unbounded but for the limits below. Comments are `// …` and `/* … */`.
//! - `rd[n]` accesses the array [`A`](crate::syntax::DEFAULT_ARRAY). When no array is declared,
//!   every array used is shared, of undefined contents: the paper's programs need no header.
//! - Limits: [`MAX_DEPTH`], [`MAX_DIGITS`], [`MAX_ALL_DIGITS`], [`MAX_TOKENS`]. They are constants.
//! - Without `threads` or `block`, any number of threads is meant; without `grid`, one block.

mod control;
mod cursor;
mod error;
mod expr;
mod header;
mod lexer;
mod operators;
mod protocol;
mod stmt;
pub(crate) mod token;

pub use error::{
    MAX_ALL_DIGITS, MAX_DEPTH, MAX_DIGITS, MAX_TOKENS, Misspelled, ParseError, ParseErrorKind,
};

use crate::expr::{Bool, Num};
use crate::syntax::{Forall, MapFile, Program, Protocol, Stmt};
use cursor::Parser;

/// Parses a program: what a `.bcuda` file contains.
///
/// The result carries the span of every site: of a store all of it, of a read or an atomic
/// update the access, of a branch or a loop its head.
///
/// ```
/// use babycuda_core::parse::parse_program;
/// let program = parse_program(
///     "param M; forU x in 0..M { let y = A[x] in A[x] := y + 1 }", // LCL22 Fig. 3
/// )?;
/// assert_eq!(program.body.to_string(), "forU x in 0..M { let y = A[x] in A[x] := y + 1 }");
/// # Ok::<(), babycuda_core::parse::ParseError>(())
/// ```
///
/// # Errors
/// [`ParseError`] at the first place where the text is not of the language.
pub fn parse_program(text: &str) -> Result<Program, ParseError> {
    let (mut program, spans) = Parser::whole(text, |p| {
        let declarations = p.header()?;
        Ok(declarations.around(p.statements()?))
    })?;
    program.declarations.declare_implicitly(program.body.arrays());
    program.sources.spans = spans;
    Ok(program)
}

/// Parses a protocol with its declarations: what a `.map` file contains.
///
/// # Errors
/// [`ParseError`] at the first place where the text is not of the language.
pub fn parse_map(text: &str) -> Result<MapFile, ParseError> {
    let (mut map, spans) = Parser::whole(text, |p| {
        let declarations = p.header()?;
        Ok(MapFile { declarations, protocol: p.protocols()? })
    })?;
    map.declarations.declare_implicitly(map.protocol.arrays());
    map.declarations.sources.spans = spans;
    Ok(map)
}

/// Parses a statement, without declarations.
///
/// # Errors
/// [`ParseError`] at the first place where the text is not of the language.
pub fn parse_stmt(text: &str) -> Result<Stmt, ParseError> {
    Parser::whole(text, Parser::statements).map(|(stmt, _)| stmt)
}

/// Parses a protocol, without declarations.
///
/// # Errors
/// [`ParseError`] at the first place where the text is not of the language.
pub fn parse_protocol(text: &str) -> Result<Protocol, ParseError> {
    Parser::whole(text, Parser::protocols).map(|(protocol, _)| protocol)
}

/// Parses a numeric expression.
///
/// # Errors
/// [`ParseError`] at the first place where the text is not of the language.
pub fn parse_num(text: &str) -> Result<Num, ParseError> {
    Parser::whole(text, Parser::num).map(|(n, _)| n)
}

/// Parses an assumption: of parameters and extents, which speaks of no variables and reads, or of
/// what the host stored.
///
/// # Errors
/// [`ParseError`] at the first place where the text is not of the language.
pub fn parse_assumption(text: &str) -> Result<Forall, ParseError> {
    Parser::whole(text, Parser::assumption).map(|(assumption, _)| assumption)
}

/// Parses a boolean expression.
///
/// # Errors
/// [`ParseError`] at the first place where the text is not of the language.
pub fn parse_bool(text: &str) -> Result<Bool, ParseError> {
    Parser::whole(text, Parser::condition).map(|(c, _)| c)
}
