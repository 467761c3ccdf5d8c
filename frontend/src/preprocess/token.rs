//! Splitting C++ text into preprocessing tokens, by the longest match (C++17, [lex.pptoken]).
//!
//! A backslash before a line end joins two lines anywhere, within a token too, but not in a raw
//! string. The suffix of a user-defined literal is a token of its own: it may be a macro.

use std::ops::Range;
use std::rc::Rc;

/// What a token is, as far as the preprocessor cares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A name.
    Identifier,
    /// A preprocessing number: `0x1F`, `1.5e-3f`.
    Number,
    /// A string or character literal.
    Literal,
    /// Blanks and comments without a line end.
    Space,
    /// The end of a line.
    NewLine,
    /// An operator or any other character.
    Punctuator,
    /// Nothing but a place where an expansion starts or ends. With the spacing of the token that
    /// it stands for, when there is one: stringification needs it.
    Padding(Option<bool>),
    /// The end of what is read.
    End,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Its spelling, lines joined.
    pub(crate) text: Rc<str>,
    /// Where it stands in its file.
    pub(crate) range: Range<usize>,
    /// Does space stand before it?
    pub(crate) white: bool,
    /// Is it the first of its line?
    pub(crate) first: bool,
    /// Is it to be pasted with its successor?
    pub(crate) paste: bool,
    /// May it no more be taken as a macro ("painted blue")?
    pub(crate) painted: bool,
    /// Where it stands in the definition of a macro of the main file.
    pub(crate) spelled: Option<Spelled>,
}

/// A place in the definition of a macro.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Spelled {
    /// Which definition: the place of its name.
    pub(crate) definition: usize,
    /// Bytes of the main file.
    pub(crate) range: Range<usize>,
}

impl Token {
    /// A token that stands in no file.
    pub(crate) fn made(kind: Kind, text: &str) -> Token {
        Token {
            kind,
            text: Rc::from(text),
            range: 0..0,
            white: false,
            first: false,
            paste: false,
            painted: false,
            spelled: None,
        }
    }

    /// Is it this operator, spelled so or as its digraph?
    pub(crate) fn is(&self, operator: &str) -> bool {
        self.kind == Kind::Punctuator && primary(&self.text) == operator
    }

    /// Is it a name, number, literal or operator?
    pub(crate) fn visible(&self) -> bool {
        !matches!(self.kind, Kind::Space | Kind::NewLine | Kind::Padding(_))
    }
}

/// The usual spelling of an operator that may be a digraph.
pub(crate) fn primary(operator: &str) -> &str {
    match operator {
        "<:" => "[",
        ":>" => "]",
        "<%" => "{",
        "%>" => "}",
        "%:" => "#",
        "%:%:" => "##",
        other => other,
    }
}

/// The operators of several characters, long ones first.
const OPERATORS: [&str; 34] = [
    "%:%:", "...", "<<=", ">>=", "->*", "<:", ":>", "<%", "%>", "%:", "##", "::", ".*", "->", "++",
    "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "//", "/*",
];

/// The tokens of `text`, which cover it but for line splices between tokens. Every text has some: what is unfinished
/// (a comment, a literal) ends with the text or, for literals, with the line.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut cursor = Cursor { text, at: 0 };
    let mut out = Vec::new();
    let (mut white, mut first) = (false, true);
    loop {
        cursor.skip_splices();
        let start = cursor.at;
        let mut spelling = String::new();
        let Some(kind) = cursor.token(&mut spelling) else {
            return out;
        };
        let visible = !matches!(kind, Kind::Space | Kind::NewLine);
        out.push(Token {
            white: white && visible,
            first: first && visible,
            range: start..cursor.at,
            ..Token::made(kind, &spelling)
        });
        white = !visible;
        first = kind == Kind::NewLine || (first && !visible);
    }
}

/// The one token that `text` is, if it is one.
pub(crate) fn single(text: &str) -> Option<Token> {
    let mut cursor = Cursor { text, at: 0 };
    let mut spelling = String::new();
    let kind = cursor.token(&mut spelling)?;
    let token = Token::made(kind, &spelling);
    (cursor.at == text.len() && token.visible()).then_some(token)
}

/// A place in a text whose lines are joined on the fly.
#[derive(Clone)]
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl Cursor<'_> {
    /// The next character, without moving.
    fn peek(&self) -> Option<char> {
        self.clone().next()
    }

    fn skip_splices(&mut self) {
        let rest = |at: usize| self.text.get(at..).unwrap_or("");
        while let Some(splice) =
            ["\\\n", "\\\r\n"].into_iter().find(|s| rest(self.at).starts_with(s))
        {
            self.at += splice.len();
        }
    }

    /// The next character, after the splices before it.
    fn next(&mut self) -> Option<char> {
        self.skip_splices();
        let c = self.text.get(self.at..)?.chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Moves over the next characters while they satisfy `accept`.
    fn take(&mut self, spelling: &mut String, mut accept: impl FnMut(char) -> bool) {
        loop {
            let mut ahead = self.clone();
            match ahead.next() {
                Some(c) if accept(c) => {
                    spelling.push(c);
                    *self = ahead;
                }
                _ => return,
            }
        }
    }

    /// Moves over `wanted` if it comes next.
    fn accept(&mut self, wanted: &str, spelling: &mut String) -> bool {
        let mut ahead = self.clone();
        let found = wanted.chars().all(|c| ahead.next() == Some(c));
        if found {
            *self = ahead;
            spelling.push_str(wanted);
        }
        found
    }

    /// Moves over the next token.
    fn token(&mut self, spelling: &mut String) -> Option<Kind> {
        let start = self.at;
        let first = self.next()?;
        spelling.push(first);
        Some(match first {
            '\n' => Kind::NewLine,
            // A byte order mark, where a text begins.
            '\u{feff}' if start == 0 => {
                " ".clone_into(spelling);
                Kind::Space
            }
            c if c.is_whitespace() => {
                self.take(spelling, |c| c.is_whitespace() && c != '\n');
                Kind::Space
            }
            '"' | '\'' => self.literal(spelling, first),
            c if is_letter(c) => {
                self.take(spelling, |c| is_letter(c) || c.is_alphanumeric());
                self.prefixed(spelling)
            }
            c if c.is_ascii_digit() => self.number(spelling),
            '.' if self.peek().is_some_and(|c| c.is_ascii_digit()) => self.number(spelling),
            _ => {
                self.at = start;
                spelling.clear();
                self.operator(spelling)
            }
        })
    }

    /// A literal after its prefix, if the name in `spelling` is one and a quote follows.
    fn prefixed(&mut self, spelling: &mut String) -> Kind {
        let quote = self.peek();
        match (spelling.as_str(), quote) {
            ("L" | "u" | "U" | "u8", Some(quote @ ('"' | '\''))) => {
                self.next();
                spelling.push(quote);
                self.literal(spelling, quote)
            }
            ("R" | "LR" | "uR" | "UR" | "u8R", Some('"')) => self.raw(spelling),
            _ => Kind::Identifier,
        }
    }

    /// The rest of a raw string; an ordinary name where none follows.
    fn raw(&mut self, spelling: &mut String) -> Kind {
        let rest = &self.text[self.at..];
        let end = rest.strip_prefix('"').and_then(|inner| {
            let (delimiter, _) = inner.split_once('(')?;
            let close = format!("){delimiter}\"");
            let usual = delimiter.len() <= 16 && !delimiter.contains([' ', ')', '\\', '\n', '\t']);
            usual.then(|| rest.find(&close).map(|at| at + close.len()))?
        });
        let Some(end) = end else {
            return Kind::Identifier;
        };
        spelling.push_str(&rest[..end]);
        self.at += end;
        Kind::Literal
    }

    /// The rest of a literal that starts with `quote`.
    fn literal(&mut self, spelling: &mut String, quote: char) -> Kind {
        let (mut escaped, mut closed) = (false, false);
        self.take(spelling, |c| {
            if closed || c == '\n' {
                return false;
            }
            closed = c == quote && !escaped;
            escaped = c == '\\' && !escaped;
            true
        });
        Kind::Literal
    }

    /// The rest of a preprocessing number.
    fn number(&mut self, spelling: &mut String) -> Kind {
        let mut previous = spelling.chars().next_back().unwrap_or(' ');
        loop {
            let mut ahead = self.clone();
            let Some(c) = ahead.next() else { break };
            let sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E' | 'p' | 'P');
            let separator = c == '\'' && ahead.peek().is_some_and(|d| d.is_ascii_alphanumeric());
            if !(sign || separator || c == '.' || is_letter(c) || c.is_alphanumeric()) {
                break;
            }
            spelling.push(c);
            *self = ahead;
            previous = c;
        }
        Kind::Number
    }

    /// An operator, a comment, or any other character.
    fn operator(&mut self, spelling: &mut String) -> Kind {
        let start = self.at;
        let next = self.peek();
        let begins = |o: &&&str| o.chars().next() == next;
        let longest = OPERATORS.iter().filter(begins).find(|o| self.accept(o, spelling));
        match longest {
            None => {
                spelling.extend(self.next());
                Kind::Punctuator
            }
            Some(&"//") => {
                self.take(spelling, |c| c != '\n');
                Kind::Space
            }
            Some(&"/*") => {
                let (mut previous, mut closed) = (' ', false);
                self.take(spelling, |c| {
                    let go = !closed;
                    closed |= previous == '*' && c == '/';
                    previous = c;
                    go
                });
                Kind::Space
            }
            Some(&"<:") => {
                // `<::` is `<` and `::`, unless `:` or `>` follows ([lex.pptoken]/3.2).
                let mut ahead = self.clone();
                if ahead.next() == Some(':') && !matches!(ahead.peek(), Some(':' | '>')) {
                    self.at = start;
                    spelling.clear();
                    spelling.extend(self.next());
                }
                Kind::Punctuator
            }
            Some(_) => Kind::Punctuator,
        }
    }
}

fn is_letter(c: char) -> bool {
    c == '_' || c == '$' || c.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visible(text: &str) -> Vec<String> {
        tokens(text).into_iter().filter(Token::visible).map(|t| t.text.to_string()).collect()
    }

    #[test]
    fn tokens_cover_the_text() {
        let text = "a+=0x1Fu // c\n\"s\\\"t\" 'x' 1.5e-3f /* \n */ é ## \\\n..2 ";
        let tokens = tokens(text);
        let joined: String = tokens.iter().map(|t| &text[t.range.clone()]).collect();
        assert_eq!(joined, text.replace("\\\n", ""));
        let numbers: Vec<&str> =
            tokens.iter().filter(|t| t.kind == Kind::Number).map(|t| &*t.text).collect();
        assert_eq!(numbers, ["0x1Fu", "1.5e-3f", ".2"]);
    }

    #[test]
    fn the_longest_operator_wins() {
        assert_eq!(visible("a+++++b"), ["a", "++", "++", "+", "b"]);
        assert_eq!(
            visible("x<<=y>>=z->*w...v"),
            ["x", "<<=", "y", ">>=", "z", "->*", "w", "...", "v"]
        );
        assert_eq!(visible("<:<%%:%:%:%>:>"), ["<:", "<%", "%:%:", "%:", "%>", ":>"]);
        assert_eq!(visible("a<::b <::> <:::"), ["a", "<", "::", "b", "<:", ":>", "<:", "::"]);
        assert_eq!(visible("-- >=.*&&=|= ^= ::"), ["--", ">=", ".*", "&&", "=", "|=", "^=", "::"]);
        assert_eq!(visible("1'000'u '1' 0xe+1 ..1"), ["1'000'u", "'1'", "0xe+1", ".", ".1"]);
    }

    #[test]
    fn lines_are_joined_anywhere_but_in_raw_strings() {
        assert_eq!(
            visible("+\\\n+ wh\\\r\nile /\\\n/ c \\\n d\n/\\\n* e *\\\n/ f"),
            ["++", "while", "f"]
        );
        assert_eq!(
            visible("R\"x(a\\\n)\" )x\" u8R\"(b)\" L'c' R"),
            ["R\"x(a\\\n)\" )x\"", "u8R\"(b)\"", "L'c'", "R"]
        );
        assert_eq!(single("+\\\n="), single("+="));
        assert_eq!(single("+ ="), None);
        assert_eq!(single("//"), None);
    }
}
