//! Files with one kernel, and what of them stands in headers.

use crate::syntax::{Function, print};

/// Which part of a file stands in headers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    /// How many of the first lines stand in a header of their own.
    pub lines: usize,
    /// How many of the first functions do; that header includes the other one.
    pub functions: usize,
    /// Is the first header in the folder that `-I` names?
    pub searched: bool,
    /// `#pragma once`, not a guard.
    pub once: bool,
    /// Does the file include the first header too?
    pub again: bool,
}

/// The folder of `-I`.
pub const SEARCHED: &str = "inc";

impl Layout {
    fn of_lines(&self) -> String {
        let folder = if self.searched { SEARCHED } else { "." };
        format!("{folder}/macros.h")
    }

    /// The lines by which the file includes its headers.
    fn includes(&self) -> String {
        let first = match self.searched {
            true => "#include <macros.h>\n",
            false => "#include \"macros.h\"\n",
        };
        let second = "#include \"sub/functions.h\"\n";
        match (self.functions, self.again) {
            (0, _) => first.to_owned(),
            (_, false) => second.to_owned(),
            (_, true) => format!("{first}{second}{first}"),
        }
    }

    /// A header that may be included several times.
    fn header(&self, name: &str, text: &str) -> String {
        match self.once {
            true => format!("#pragma once\n{text}"),
            false => format!("#ifndef {name}\n#define {name}\n{text}#endif  // {name}\n"),
        }
    }
}

/// A file with one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Lines before the functions: macros, tables.
    pub lines: Vec<String>,
    pub functions: Vec<Function>,
    pub kernel: Function,
    /// What of it stands in headers.
    pub layout: Option<Layout>,
}

/// The file of the name that `from`, itself so named, includes: beside it, or where `-I` says.
pub fn included<'a>(
    names: impl Iterator<Item = &'a str> + Clone,
    from: &str,
    name: &str,
    angled: bool,
) -> Option<&'a str> {
    let folder = from.rsplit_once('/').map_or(".", |(folder, _)| folder);
    let beside = match name.strip_prefix("../") {
        Some(rest) => rest.to_owned(),
        None => format!("{folder}/{name}").trim_start_matches("./").to_owned(),
    };
    let searched = format!("{SEARCHED}/{name}");
    let find = |wanted: &str| names.clone().find(|n| *n == wanted);
    let beside = if angled { None } else { find(&beside) };
    beside.or_else(|| find(&searched))
}

impl File {
    /// How many lines and functions stand in headers.
    fn split(&self) -> (usize, usize) {
        let layout = self.layout.as_ref();
        let lines = layout.map_or(0, |l| l.lines.min(self.lines.len()));
        (lines, layout.map_or(0, |l| l.functions.min(self.functions.len())))
    }

    /// The text, with `BC_…` macros, but for what stands in headers.
    pub fn text(&self) -> String {
        let (lines, functions) = self.split();
        let mut out = self.layout.as_ref().map(Layout::includes).unwrap_or_default();
        out += &text(&self.lines[lines..], &self.functions[functions..]);
        out + &text(&[], std::slice::from_ref(&self.kernel))
    }

    /// The names and texts of the headers.
    pub fn headers(&self) -> Vec<(String, String)> {
        let Some(layout) = &self.layout else { return Vec::new() };
        let (lines, functions) = self.split();
        let first = layout.of_lines();
        let name = first.trim_start_matches("./").to_owned();
        let mut headers = Vec::new();
        let body = text(&self.lines[..lines], &[]);
        headers.push((name.clone(), layout.header("MACROS_H", &body)));
        if layout.functions == 0 {
            return headers;
        }
        let body = text(&[], &self.functions[..functions]);
        let body = format!("#include \"../{name}\"\n{body}");
        headers.push(("sub/functions.h".to_owned(), layout.header("FUNCTIONS_H", &body)));
        headers
    }
}

/// Lines, then functions.
fn text(lines: &[String], functions: &[Function]) -> String {
    let mut out = String::new();
    for line in lines {
        out += line;
        out.push('\n');
    }
    for f in functions {
        out += &f.head;
        out += " {\n";
        print(&f.body, 1, &mut out);
        out += "}\n";
    }
    out
}
