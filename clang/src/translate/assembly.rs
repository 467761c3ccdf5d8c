//! Inline assembly. Clang's document has its operands, and of its text only where that stands.

use super::{Lowered, Translator};
use crate::document::{Node, Token};
use babycuda_kernel::Expr;
use babycuda_kernel::ptx::Ptx;

/// What stands in the parentheses of `asm`.
#[derive(PartialEq, Debug, Default)]
struct Written {
    template: String,
    /// The constraint of each output, and of each input.
    operands: [Vec<String>; 2],
}

impl Written {
    /// Reads `asm volatile("…" : "=r"(x) : "r"(y) : "memory")`. `None`: something in it is of another form,
    /// a macro or a comment perhaps.
    fn read(text: &str) -> Option<Written> {
        let (before, mut rest) = text.split_once('(')?;
        let mut words = before.split_whitespace();
        let known = ["asm", "__asm", "__asm__", "volatile", "__volatile", "__volatile__"];
        if !words.all(|word| known.contains(&word)) {
            return None;
        }
        let mut written = Written { template: strings(&mut rest)?, ..Written::default() };
        for constraints in &mut written.operands {
            let Some(list) = rest.strip_prefix(':') else { break };
            rest = trimmed(list);
            while !rest.starts_with([':', ')']) {
                if let Some(name) = rest.strip_prefix('[') {
                    rest = trimmed(name.split_once(']')?.1);
                }
                constraints.push(strings(&mut rest)?);
                rest = trimmed(behind(rest)?);
                rest = trimmed(rest.strip_prefix(',').unwrap_or(rest));
            }
        }
        // What it changes, registers or all memory, is none of its operands.
        if let Some(clobbers) = rest.strip_prefix(':') {
            rest = trimmed(clobbers);
            while rest.starts_with('"') {
                strings(&mut rest)?;
                rest = trimmed(rest.strip_prefix(',').unwrap_or(rest));
            }
        }
        (rest == ")").then_some(written)
    }
}

/// What follows the blanks with which this begins; a line may go on.
fn trimmed(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || c == '\\')
}

/// The text of the strings with which this begins, one after the other; then what follows is left.
fn strings(rest: &mut &str) -> Option<String> {
    let mut out = String::new();
    *rest = trimmed(rest);
    if !rest.starts_with('"') {
        return None;
    }
    while let Some(text) = rest.strip_prefix('"') {
        let mut chars = text.char_indices();
        let end = loop {
            match chars.next()? {
                (at, '"') => break at,
                (_, '\\') => match chars.next()?.1 {
                    'n' => out.push('\n'),
                    't' => out.push('\t'),
                    // A line that goes on.
                    '\n' => {}
                    c @ ('"' | '\\') => out.push(c),
                    _ => return None,
                },
                (_, c) => out.push(c),
            }
        };
        *rest = trimmed(&text[end + 1..]);
    }
    Some(out)
}

/// What follows the parentheses with which this begins.
fn behind(text: &str) -> Option<&str> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '"' | '\'' | '#' => return None,
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then(|| &text[at + 1..]);
        }
    }
    None
}

impl<'a> Translator<'a> {
    /// `asm("…" : outputs : inputs : clobbers)`
    pub(super) fn assembly(&mut self, node: &'a Node) -> Lowered<Expr> {
        let Some(text) = self.written_assembly(node) else {
            return self
                .refuse(node, "inline assembly whose text is not at hand: it is in another file");
        };
        let Some(written) = Written::read(text) else {
            return self.refuse(node, "inline assembly of such a text");
        };
        let ptx = match Ptx::of(&written.template) {
            Ok(ptx) => ptx,
            Err(what) => return self.refuse(node, format!("inline assembly: `{what}`")),
        };
        let [results, given] = &written.operands;
        let operands: Vec<&Node> = node.parts().collect();
        if operands.len() != results.len() + given.len() {
            return self.refuse(node, "inline assembly of such a text");
        }
        let (to, from) = operands.split_at(results.len());
        let mut inputs = Vec::new();
        for operand in from {
            inputs.push(self.expr(operand)?);
        }
        let mut outputs = Vec::new();
        for (operand, constraint) in to.iter().zip(results) {
            outputs.push((self.place(operand)?, constraint.contains('+')));
        }
        let at = self.at(node);
        ptx.expr(outputs, inputs, at).or_else(|what| self.refuse(node, what))
    }

    /// Its text: where a macro makes all of it, in the macro.
    fn written_assembly(&self, node: &Node) -> Option<&'a str> {
        let [first, last] =
            node.place.each_ref().map(|place| place.spelled.as_ref().or(place.token.as_ref()));
        let (Token { file, start, .. }, Token { file: same, end, .. }) = (first?, last?);
        self.source.text_of(file).filter(|_| file == same)?.get(*start..*end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let read = |template: &str, [outputs, inputs]: [&[&str]; 2]| {
            let owned = |list: &[&str]| list.iter().map(|c| (*c).to_owned()).collect();
            let operands = [owned(outputs), owned(inputs)];
            Some(Written { template: template.to_owned(), operands })
        };
        for (text, wanted) in [
            ("asm(\"membar.gl;\")", read("membar.gl;", [&[], &[]])),
            (
                "__asm__ __volatile__ ( \"bar.sync 0;\" ::: \"memory\", \"cc\" )",
                read("bar.sync 0;", [&[], &[]]),
            ),
            (
                "asm(\"a\\n\"\n  \"b\" : \"=r\"(x[f(1)]), \"+f\" (y) : [z] \"r\"(1))",
                read("a\nb", [&["=r", "+f"], &["r"]]),
            ),
            ("asm(\"a\" \\\n \"b\" :: \\\n \"l\"(p))", read("ab", [&[], &["l"]])),
            ("asm(CODE : \"=r\"(x))", None),
            ("asm(\"a\" NAME \"b\" : \"=r\"(x))", None),
            ("asm(\"a\" : OUT(x))", None),
            ("asm(\"a\" : \"=r\"(x) /* : */ : \"r\"(y))", None),
            ("asm goto(\"a\" :::: l)", None),
            ("asm(\"a\"", None),
            ("asm(\"a\" : \"=r\"(x)", None),
        ] {
            assert_eq!(Written::read(text), wanted, "{text}");
        }
    }
}
