//! Kernels as trees: what the generator builds, the shrinker takes apart, and both compilers read.
//!
//! A tree is printed once. What must differ between CUDA and C++, the declarations of pointers and
//! arrays, is printed as a macro `BC_…`, which [`cuda`](crate::dialect::cuda) replaces and
//! `kernel.h` defines.

use std::fmt::Write;

/// An expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expr {
    /// A literal, a name, or other text that needs no parentheses.
    Atom(String),
    /// `-e`, `~e`, `!e`, `+e`, `*e`, `&e`
    Unary(&'static str, Box<Expr>),
    /// A binary operator, `&&`, `||` or the comma.
    Binary(&'static str, Box<Expr>, Box<Expr>),
    /// `c ? x : y`
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `(type)e`
    Cast(String, Box<Expr>),
    /// `=`, `+=`, …
    Assign(&'static str, Box<Expr>, Box<Expr>),
    /// `++e` or `e++`, likewise `--`
    Step { op: &'static str, prefix: bool, place: Box<Expr> },
    /// `a[i]`
    Index(Box<Expr>, Box<Expr>),
    /// A call of a function or of a macro.
    Call(String, Vec<Expr>),
}

impl Expr {
    pub fn atom(text: impl Into<String>) -> Expr {
        Expr::Atom(text.into())
    }

    pub fn binary(op: &'static str, left: Expr, right: Expr) -> Expr {
        Expr::Binary(op, Box::new(left), Box::new(right))
    }

    pub fn assign(op: &'static str, place: Expr, value: Expr) -> Expr {
        Expr::Assign(op, Box::new(place), Box::new(value))
    }

    pub fn index(array: impl Into<String>, index: Expr) -> Expr {
        Expr::Index(Box::new(Expr::atom(array)), Box::new(index))
    }

    pub fn step(op: &'static str, prefix: bool, place: Expr) -> Expr {
        Expr::Step { op, prefix, place: Box::new(place) }
    }

    pub fn cast(to: impl Into<String>, operand: Expr) -> Expr {
        Expr::Cast(to.into(), Box::new(operand))
    }

    /// May the compiled text be of a class that stands for a cell?
    fn names_cell(&self) -> bool {
        match self {
            // Parameters of functions, which may be references to cells.
            Expr::Atom(name) => matches!(name.as_str(), "x" | "y" | "z"),
            Expr::Index(..) | Expr::Unary("*", _) => true,
            Expr::Call(name, _) => is_macro(name),
            Expr::Binary(",", _, r) => r.names_cell(),
            _ => false,
        }
    }

    /// The expression as an operand of `?:`, where classes convert as integers do not.
    pub fn into_value(self) -> Expr {
        if self.names_cell() { Expr::Unary("+", Box::new(self)) } else { self }
    }

    /// Are all operands of `?:` values?
    pub fn converts(&self) -> bool {
        let here = match self {
            Expr::Conditional(_, x, y) => !x.names_cell() && !y.names_cell(),
            _ => true,
        };
        here && self.parts().into_iter().all(Expr::converts)
    }

    /// Is it used as a statement for what it does, not for its value?
    fn is_statement(&self) -> bool {
        match self {
            Expr::Assign(..) | Expr::Step { .. } => true,
            Expr::Call(name, _) => !is_macro(name),
            _ => false,
        }
    }

    /// The direct parts.
    pub fn parts(&self) -> Vec<&Expr> {
        match self {
            Expr::Atom(_) => vec![],
            Expr::Unary(_, e) | Expr::Cast(_, e) | Expr::Step { place: e, .. } => vec![e],
            Expr::Binary(_, l, r) | Expr::Assign(_, l, r) | Expr::Index(l, r) => vec![l, r],
            Expr::Conditional(c, x, y) => vec![c, x, y],
            Expr::Call(_, args) => args.iter().collect(),
        }
    }

    /// As [`Expr::parts`].
    pub fn parts_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Atom(_) => vec![],
            Expr::Unary(_, e) | Expr::Cast(_, e) | Expr::Step { place: e, .. } => vec![e],
            Expr::Binary(_, l, r) | Expr::Assign(_, l, r) | Expr::Index(l, r) => vec![l, r],
            Expr::Conditional(c, x, y) => vec![c, x, y],
            Expr::Call(_, args) => args.iter_mut().collect(),
        }
    }

    /// How tightly it binds; C's levels, the tightest 16.
    fn level(&self) -> u8 {
        match self {
            Expr::Atom(_) | Expr::Index(..) | Expr::Call(..) | Expr::Step { prefix: false, .. } => {
                16
            }
            Expr::Unary(..) | Expr::Cast(..) | Expr::Step { .. } => 15,
            Expr::Binary(op, ..) => match *op {
                "*" | "/" | "%" => 13,
                "+" | "-" => 12,
                "<<" | ">>" => 11,
                "<" | "<=" | ">" | ">=" => 9,
                "==" | "!=" => 8,
                "&" => 7,
                "^" => 6,
                "|" => 5,
                "&&" => 4,
                "||" => 3,
                _ => 1,
            },
            Expr::Conditional(..) | Expr::Assign(..) => 2,
        }
    }

    /// The text as the right side of an assignment: it is read before the place is evaluated.
    fn text_of_value(&self) -> String {
        let text = self.text_at(2);
        if self.names_cell() { format!("BC_LOAD({text})") } else { text }
    }

    /// The text, with the parentheses that a place of this level needs.
    fn text_at(&self, level: u8) -> String {
        let text = self.text();
        if self.level() < level { format!("({text})") } else { text }
    }

    /// The text.
    pub fn text(&self) -> String {
        match self {
            Expr::Atom(text) => text.clone(),
            Expr::Unary("-", e) => format!("BC_NEG({})", e.text_at(15)),
            Expr::Unary(op, e) => {
                let operand = e.text_at(15);
                // `- -x` is not `--x`.
                let first = operand.strip_prefix("BC_LIT(").unwrap_or(&operand);
                let space = if first.starts_with(&op[..1]) { " " } else { "" };
                format!("{op}{space}{operand}")
            }
            Expr::Binary(",", l, r) => {
                // The front end's grammar has no assignment beside a comma.
                let operand = |e: &Expr| match e {
                    Expr::Binary(",", ..) => e.text(),
                    _ => e.text_at(3),
                };
                format!("{}, {}", operand(l), r.text_at(3))
            }
            Expr::Binary(op, l, r) => {
                let level = self.level();
                let text = format!("{} {op} {}", l.text_at(level), r.text_at(level + 1));
                if matches!(*op, "+" | "-" | "*") { format!("BC_VAL({text})") } else { text }
            }
            Expr::Conditional(c, x, y) => {
                format!("{} ? {} : {}", c.text_at(3), x.text_at(3), y.text_at(3))
            }
            Expr::Cast(t, e) => format!("({t}){}", e.text_at(15)),
            Expr::Assign(op @ ("+=" | "-=" | "*="), l, r) if matches!(**l, Expr::Atom(_)) => {
                format!("BC_CHANGE({}, {}, {})", l.text(), &op[..1], r.text_of_value())
            }
            Expr::Assign(op, l, r) => format!("{} {op} {}", l.text_at(15), r.text_of_value()),
            Expr::Step { op, prefix: true, place } => format!("{op}{}", place.text_at(15)),
            Expr::Step { op, place, .. } => format!("{}{op}", place.text_at(16)),
            Expr::Index(a, i) => format!("{}[{}]", a.text_at(16), i.text()),
            Expr::Call(f, args) => {
                let args: Vec<String> = args.iter().map(|a| a.text_at(2)).collect();
                format!("{f}({})", args.join(", "))
            }
        }
    }
}

/// Is it the name of a macro?
fn is_macro(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase())
}

/// A statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stmt {
    /// `head = value;`, where `head` is a type and a name.
    Declare(String, Option<Expr>),
    /// `e;`
    Expr(Expr),
    /// `if (c) { … } else { … }`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while (c) { … }`
    While(Expr, Vec<Stmt>),
    /// `do { … } while (c);`
    Do(Vec<Stmt>, Expr),
    /// `for (first; c; update) { … }`
    For(String, Option<Expr>, Option<Expr>, Vec<Stmt>),
    /// Any other head of a block, such as a macro that hides a loop.
    Head(Expr, Vec<Stmt>),
    /// `switch (e)`, with the labels and the statements of each case.
    Switch(Expr, Vec<(Vec<String>, Vec<Stmt>)>),
    /// `return;` or `return e;`
    Return(Option<Expr>),
    /// `break`, `continue`, a barrier: a text without parts, with its semicolon.
    Plain(String),
    /// `{ … }`
    Block(Vec<Stmt>),
}

/// The parts of a statement, as they are or to be changed.
macro_rules! parts {
    ($blocks:ident $expressions:ident $iter:ident $($mut:ident)?) => {
        /// The lists of statements in it.
        pub fn $blocks(&$($mut)? self) -> Vec<&$($mut)? Vec<Stmt>> {
            match self {
                Stmt::If(_, a, b) => vec![a, b],
                Stmt::While(_, b)
                | Stmt::Do(b, _)
                | Stmt::For(.., b)
                | Stmt::Head(_, b)
                | Stmt::Block(b) => vec![b],
                Stmt::Switch(_, cases) => cases.$iter().map(|(_, b)| b).collect(),
                _ => vec![],
            }
        }

        /// The expressions that stand directly in it.
        pub fn $expressions(&$($mut)? self) -> Vec<&$($mut)? Expr> {
            match self {
                Stmt::Declare(_, e) | Stmt::Return(e) => e.$iter().collect(),
                Stmt::Expr(e)
                | Stmt::If(e, ..)
                | Stmt::While(e, _)
                | Stmt::Do(_, e)
                | Stmt::Head(e, _)
                | Stmt::Switch(e, _) => vec![e],
                Stmt::For(_, c, u, _) => c.$iter().chain(u).collect(),
                Stmt::Plain(_) | Stmt::Block(_) => vec![],
            }
        }
    };
}

impl Stmt {
    parts! { blocks expressions iter }
    parts! { blocks_mut expressions_mut iter_mut mut }
}

/// The type and the name of a variable of the thread.
pub fn variable(head: &str) -> String {
    match head.rsplit_once(' ') {
        Some((t, name)) if !t.starts_with("BC_") => format!("BC_VAR({t}) {name}"),
        _ => head.to_owned(),
    }
}

/// Statements, one a line.
pub fn print(list: &[Stmt], depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    let block = |out: &mut String, head: &str, body: &[Stmt], tail: &str| {
        let _ = writeln!(out, "{pad}{head}{{");
        print(body, depth + 1, out);
        let _ = writeln!(out, "{pad}}}{tail}");
    };
    let opt = |e: &Option<Expr>| e.as_ref().map(Expr::text).unwrap_or_default();
    for s in list {
        // Writing to a string does not fail.
        let _ = match s {
            Stmt::Declare(head, None) => writeln!(out, "{pad}{};", variable(head)),
            Stmt::Declare(head, Some(e)) => {
                writeln!(out, "{pad}{} = {};", variable(head), e.text_at(2))
            }
            // A compiler computes nothing that nobody uses.
            Stmt::Expr(e) if !e.is_statement() => {
                writeln!(out, "{pad}BC_USE({});", e.text())
            }
            Stmt::Expr(e) => writeln!(out, "{pad}{};", e.text()),
            Stmt::If(c, then, otherwise) => {
                block(out, &format!("if ({}) ", c.text()), then, "");
                if !otherwise.is_empty() {
                    block(out, "else ", otherwise, "");
                }
                Ok(())
            }
            Stmt::While(c, b) => {
                block(out, &format!("while ({}) ", c.text()), b, "");
                Ok(())
            }
            Stmt::Do(b, c) => {
                block(out, "do ", b, &format!(" while ({});", c.text()));
                Ok(())
            }
            Stmt::For(first, c, u, b) => {
                block(out, &format!("for ({first}; {}; {}) ", opt(c), opt(u)), b, "");
                Ok(())
            }
            Stmt::Head(e, b) => {
                block(out, &format!("{} ", e.text()), b, "");
                Ok(())
            }
            Stmt::Switch(e, cases) => {
                let _ = writeln!(out, "{pad}switch ({}) {{", e.text());
                for (labels, body) in cases {
                    for label in labels {
                        let _ = writeln!(out, "{pad}{label}:");
                    }
                    print(body, depth + 1, out);
                }
                writeln!(out, "{pad}}}")
            }
            Stmt::Return(None) => writeln!(out, "{pad}return;"),
            Stmt::Return(Some(e)) => writeln!(out, "{pad}return {};", e.text()),
            Stmt::Plain(text) => writeln!(out, "{pad}{text}"),
            Stmt::Block(b) => {
                block(out, "", b, "");
                Ok(())
            }
        };
    }
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// All that stands before its body.
    pub head: String,
    pub body: Vec<Stmt>,
}
