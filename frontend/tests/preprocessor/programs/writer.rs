//! Random programs of macros, as text.

use super::super::compiler::tokens;
use super::*;

/// How pieces are written: in whose replacement, and where lines may end.
struct Writer<'a> {
    program: &'a Program,
    number: usize,
    shape: Option<&'a Shape>,
    out: String,
    /// Are the arguments of calls as many as the macro wants?
    lines_may_end: bool,
}

impl Writer<'_> {
    fn all(&mut self, pieces: &[Spaced]) {
        for (space, piece) in pieces {
            let literal = self.out.ends_with(['"', '\'']);
            let before = matches!(piece, Piece::Literal(_));
            // A name right after a literal would be its suffix.
            self.out += if literal || before { " " } else { space };
            self.one(piece);
        }
    }

    fn name(&mut self, m: usize) {
        self.out += &format!("M{m}_{}", self.number);
    }

    fn parameters(&self) -> usize {
        match self.shape {
            Some(Shape::Function(n)) => *n,
            Some(Shape::Variadic(n, _)) => n + 1,
            _ => 0,
        }
    }

    fn parameter(&mut self, p: usize) {
        let count = self.parameters();
        let last = match self.shape {
            Some(Shape::Variadic(_, false)) => Some("__VA_ARGS__"),
            Some(Shape::Variadic(_, true)) => Some("rest"),
            _ => None,
        };
        match (count, last) {
            (0, _) => self.out += "q",
            (n, Some(last)) if p % n == n - 1 => self.out += last,
            (n, _) => self.out += &format!("p{}", p % n),
        }
    }

    fn one(&mut self, piece: &Piece) {
        match piece {
            Piece::Word("#" | "%:") if self.parameters() > 0 || self.shape.is_some() => {
                self.out += "q";
            }
            // At the start of a line it would be a directive.
            Piece::Word("#" | "%:") => self.out += "q#",
            Piece::Word(text) | Piece::Literal(text) => self.out += text,
            Piece::Line => self.out += "__LINE__",
            Piece::Parameter(p) => self.parameter(*p),
            Piece::Stringify(p) => {
                if self.parameters() > 0 {
                    self.out += "#";
                }
                self.parameter(*p);
            }
            Piece::Paste(left, right) => {
                self.out += " ";
                self.one(left);
                self.out += if self.shape.is_some() { " ## " } else { " " };
                self.one(right);
                self.out += " ";
            }
            Piece::Name(m) => {
                self.out += " ";
                self.name(*m);
            }
            Piece::Call(m, arguments) => self.call(*m, arguments),
            Piece::Parenthesized(inner) => {
                self.out += "(";
                self.all(inner);
                self.out += ")";
            }
            Piece::Optional(inner) => {
                let variadic = matches!(self.shape, Some(Shape::Variadic(_, false)));
                self.out += if variadic { " __VA_OPT__(" } else { " (" };
                self.all(inner);
                self.out += ") ";
            }
        }
    }

    fn call(&mut self, m: usize, arguments: &[Vec<Spaced>]) {
        self.out += " ";
        self.name(m);
        self.out += if self.lines_may_end && arguments.len() == 1 { "\n(" } else { "(" };
        // Mostly as many arguments as the macro wants.
        let wanted = match &self.program.macros[m].shape {
            Shape::Object => arguments.len(),
            Shape::Function(n) => *n,
            Shape::Variadic(n, _) => (*n).max(arguments.len()),
        };
        for i in 0..wanted {
            if i > 0 {
                self.out += ",";
            }
            if let Some(argument) = arguments.get(i) {
                self.all(argument);
            }
        }
        self.out += ")";
    }
}

impl Program {
    /// Its text, as program number `k` of a file.
    pub fn text(&self, k: usize) -> String {
        let mut out = String::new();
        for (m, definition) in self.macros.iter().enumerate() {
            out += &self.define(k, m, definition);
        }
        for line in &self.lines {
            match line {
                Line::Use(pieces) => out += &self.used(k, pieces),
                Line::Undefine(m) => out += &format!("#undef M{m}_{k}\n"),
                Line::Redefine(m, definition) => {
                    out += &format!("#undef M{m}_{k}\n{}", self.define(k, *m, definition));
                }
                Line::If(condition, then, otherwise) => {
                    let condition = self.condition(k, condition);
                    let (then, otherwise) = (self.used(k, then), self.used(k, otherwise));
                    out += &format!("#if {condition}\n{then}#else\n{otherwise}#endif\n");
                }
                Line::IfDefined(not, m, then, otherwise) => {
                    let word = if *not { "ifndef" } else { "ifdef" };
                    let (then, otherwise) = (self.used(k, then), self.used(k, otherwise));
                    out += &format!("# {word} M{m}_{k}\n{then}#else\n{otherwise}#endif\n");
                }
            }
        }
        out
    }

    fn writer<'a>(&'a self, k: usize, shape: Option<&'a Shape>) -> Writer<'a> {
        let lines_may_end = shape.is_none();
        Writer { program: self, number: k, shape, out: String::new(), lines_may_end }
    }

    fn define(&self, k: usize, m: usize, definition: &Definition) -> String {
        let mut writer = self.writer(k, Some(&definition.shape));
        writer.all(&definition.body);
        let mut body = writer.out;
        let names = |n: usize| (0..n).map(|i| format!("p{i}")).collect::<Vec<_>>();
        let head = match &definition.shape {
            Shape::Object => String::new(),
            Shape::Function(n) => format!("({})", names(*n).join(", ")),
            Shape::Variadic(n, named) => {
                let rest = if *named { "rest..." } else { "..." };
                if definition.comma {
                    body += if *named { " f(x, ## rest)" } else { " f(x, ## __VA_ARGS__)" };
                }
                let mut all = names(*n);
                all.push(rest.to_owned());
                format!("({})", all.join(","))
            }
        };
        format!("#define M{m}_{k}{head} {body}\n")
    }

    fn used(&self, k: usize, pieces: &[Spaced]) -> String {
        let mut writer = self.writer(k, None);
        writer.out += "u ";
        writer.all(pieces);
        writer.out + "\n"
    }

    fn condition(&self, k: usize, condition: &Condition) -> String {
        let next = |c: &Condition| self.condition(k, c);
        match condition {
            Condition::Number(text) => (*text).to_owned(),
            Condition::Defined(m) if m % 2 == 0 => format!("defined M{m}_{k}"),
            Condition::Defined(m) => format!("defined ( M{m}_{k} )"),
            Condition::Name(m) => match self.macros[*m].shape {
                Shape::Object => format!("N{m}_{k}"),
                _ => format!("M{m}_{k}"),
            },
            Condition::Unary(o, c) => format!("{o} {}", next(c)),
            Condition::Binary(o, l, r) => format!("({} {o} {})", next(l), next(r)),
            Condition::Choice(c, t, e) => format!("({} ? {} : {})", next(c), next(t), next(e)),
        }
    }

    /// The tokens of its uses when nothing is expanded.
    pub fn plain_uses(&self, k: usize) -> Vec<String> {
        let uses = self.lines.iter().filter_map(|line| match line {
            Line::Use(pieces) => Some(self.used(k, pieces)),
            _ => None,
        });
        tokens(&uses.collect::<String>().replace("\\\n", ""))
    }

    /// What it is made of.
    pub fn labels(&self) -> Vec<&'static str> {
        let text = self.text(0);
        let mut out = Vec::new();
        let mut label = |name: &'static str, holds: bool| {
            if holds {
                out.push(name);
            }
        };
        let shapes = || self.macros.iter().map(|m| &m.shape);
        label("function-like", shapes().any(|s| matches!(s, Shape::Function(_))));
        label("variadic", shapes().any(|s| matches!(s, Shape::Variadic(..))));
        label("##", text.contains("##"));
        label("#", text.contains("#p") || text.contains("#__VA") || text.contains("#rest"));
        label("__VA_OPT__", text.contains("__VA_OPT__"));
        let conditional = |l: &Line| matches!(l, Line::If(..) | Line::IfDefined(..));
        label("conditional", self.lines.iter().any(conditional));
        label("redefinition", self.lines.iter().any(|l| matches!(l, Line::Redefine(..))));
        let nested = |p: &Spaced| match &p.1 {
            Piece::Call(_, arguments) => {
                arguments.iter().flatten().any(|a| matches!(a.1, Piece::Call(..)))
            }
            _ => false,
        };
        let uses = |l: &Line| matches!(l, Line::Use(pieces) if pieces.iter().any(nested));
        label("nested call", self.lines.iter().any(uses));
        out
    }
}
