//! Random programs of macros.

mod writer;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// How many macros a program has.
const MACROS: usize = 5;

/// Words that stand for themselves. No two of them start a comment when joined.
const WORDS: [&str; 34] = [
    "a", "b", "x1", "_", "int", "0", "7", "1u", ".5", "1e", "0x1F", "+", "-", "++", "--", "+=",
    "<", "<<", "<<=", ">", "->", "->*", "=", "&", "|", ".", ":", ";", "[", "<:", "%:", "!", "%",
    "#",
];

/// Text between tokens: mostly nothing or a blank.
const SPACES: [&str; 8] = ["", "", "", " ", " ", "  ", "/* c */", "\\\n"];

/// A part of a replacement or a use.
#[derive(Clone, Debug)]
pub enum Piece {
    Word(&'static str),
    Literal(&'static str),
    Parameter(usize),
    /// `#` before a parameter.
    Stringify(usize),
    /// `##` between two words or parameters.
    Paste(Box<Piece>, Box<Piece>),
    /// A macro's name.
    Name(usize),
    Call(usize, Vec<Vec<Spaced>>),
    Parenthesized(Vec<Spaced>),
    Optional(Vec<Spaced>),
    Line,
}

/// A piece and the space before it.
pub type Spaced = (&'static str, Piece);

/// How a macro takes arguments.
#[derive(Clone, Debug)]
pub enum Shape {
    Object,
    Function(usize),
    /// `...` after so many parameters; by GNU's name for it?
    Variadic(usize, bool),
}

/// A macro: the GNU comma of its end, too.
#[derive(Clone, Debug)]
pub struct Definition {
    shape: Shape,
    body: Vec<Spaced>,
    comma: bool,
}

/// A line after the definitions.
#[derive(Clone, Debug)]
pub enum Line {
    Use(Vec<Spaced>),
    Undefine(usize),
    Redefine(usize, Definition),
    If(Condition, Vec<Spaced>, Vec<Spaced>),
    IfDefined(bool, usize, Vec<Spaced>, Vec<Spaced>),
}

/// A condition over numbers and macros.
#[derive(Clone, Debug)]
pub enum Condition {
    Number(&'static str),
    Defined(usize),
    Name(usize),
    Unary(&'static str, Box<Condition>),
    Binary(&'static str, Box<Condition>, Box<Condition>),
    Choice(Box<Condition>, Box<Condition>, Box<Condition>),
}

#[derive(Clone, Debug)]
pub struct Program {
    macros: Vec<Definition>,
    lines: Vec<Line>,
}

fn spaced(piece: impl Strategy<Value = Piece>) -> impl Strategy<Value = Spaced> {
    (select(&SPACES[..]), piece)
}

fn leaf() -> BoxedStrategy<Piece> {
    prop_oneof![
        5 => select(&WORDS[..]).prop_map(Piece::Word),
        1 => select(&["\"s\\\"t\\n\"", "'c'", "'\\\\'", "\"a  b\""][..]).prop_map(Piece::Literal),
        3 => (0..MACROS).prop_map(Piece::Name),
        1 => Just(Piece::Line),
    ]
    .boxed()
}

/// Text without parameters' operators: arguments and uses.
fn text() -> BoxedStrategy<Piece> {
    leaf()
        .prop_recursive(3, 16, 3, |inner| {
            let list = || vec(spaced(inner.clone()), 0..4);
            prop_oneof![
                1 => inner.clone(),
                5 => (0..MACROS, vec(list(), 0..4)).prop_map(|(m, a)| Piece::Call(m, a)),
                1 => list().prop_map(Piece::Parenthesized),
            ]
        })
        .boxed()
}

/// A piece of a replacement.
fn replacement() -> BoxedStrategy<Piece> {
    let parameter = || (0..3usize).prop_map(Piece::Parameter);
    let pasted = || {
        // Two of these words make a token; what an argument holds often makes none.
        let word = select(&["a", "b", "x1", "_"][..]);
        prop_oneof![1 => parameter(), 4 => word.prop_map(Piece::Word),
            1 => (0..MACROS).prop_map(Piece::Name)]
        .prop_map(Box::new)
    };
    prop_oneof![
        4 => text(),
        5 => parameter(),
        2 => (0..3usize).prop_map(Piece::Stringify),
        1 => (pasted(), pasted()).prop_map(|(l, r)| Piece::Paste(l, r)),
        1 => vec(spaced(prop_oneof![leaf(), parameter()]), 0..4).prop_map(Piece::Optional),
    ]
    .boxed()
}

fn definition() -> impl Strategy<Value = Definition> {
    let shape = prop_oneof![
        2 => Just(Shape::Object),
        4 => (0..3usize).prop_map(Shape::Function),
        3 => (0..3usize, any::<bool>()).prop_map(|(n, named)| Shape::Variadic(n, named)),
    ];
    (shape, vec(spaced(replacement()), 0..6), any::<bool>())
        .prop_map(|(shape, body, comma)| Definition { shape, body, comma })
}

fn condition() -> BoxedStrategy<Condition> {
    const NUMBERS: [&str; 10] =
        ["0", "1", "2", "3u", "0x80000000", "'a'", "9223372036854775807", "63", "~0u", "0b101"];
    let leaf = prop_oneof![
        4 => select(&NUMBERS[..]).prop_map(Condition::Number),
        2 => (0..MACROS).prop_map(Condition::Defined),
        1 => (0..MACROS).prop_map(Condition::Name),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let unary = select(&["!", "~", "-", "+"][..]);
        let binary = select(
            &[
                "+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|",
                "^", "&&", "||",
            ][..],
        );
        let next = || inner.clone().prop_map(Box::new);
        prop_oneof![
            1 => (unary, next()).prop_map(|(o, c)| Condition::Unary(o, c)),
            4 => (binary, next(), next()).prop_map(|(o, l, r)| Condition::Binary(o, l, r)),
            1 => (next(), next(), next()).prop_map(|(c, t, e)| Condition::Choice(c, t, e)),
        ]
    })
    .boxed()
}

pub fn program() -> impl Strategy<Value = Program> {
    let used = || vec(spaced(text()), 1..5);
    let line = prop_oneof![
        5 => used().prop_map(Line::Use),
        1 => (0..MACROS).prop_map(Line::Undefine),
        1 => (0..MACROS, definition()).prop_map(|(m, d)| Line::Redefine(m, d)),
        2 => (condition(), used(), used()).prop_map(|(c, t, e)| Line::If(c, t, e)),
        2 => (any::<bool>(), 0..MACROS, used(), used())
            .prop_map(|(not, m, t, e)| Line::IfDefined(not, m, t, e)),
    ];
    (vec(definition(), MACROS), vec(line, 1..5))
        .prop_map(|(macros, lines)| Program { macros, lines })
}
