//! Where text stands among a file's declarations, by its brackets.

use super::token::{Kind, Token};

/// The brackets that are open.
#[derive(Clone, Default)]
pub(super) struct Scope {
    /// The open braces: is it a function's body, or in one?
    braces: Vec<bool>,
    /// Open parentheses and square brackets.
    parens: usize,
    /// Would a brace that comes now start a body?
    after_parameters: bool,
}

impl Scope {
    /// Takes in the next token. Is it a name that may be declared here for the whole file?
    pub(super) fn feed(&mut self, token: &Token) -> bool {
        if !token.visible() {
            return false;
        }
        let in_body = self.braces.last().copied().unwrap_or(false);
        let declares = token.kind == Kind::Identifier && self.parens == 0 && !in_body;
        if token.is("{") {
            self.braces.push(in_body || self.after_parameters);
            // A brace in parentheses is a lambda's or a list's.
        } else if token.is("}") {
            self.braces.pop();
            self.parens = if self.braces.is_empty() { 0 } else { self.parens };
        } else if token.is("(") || token.is("[") {
            self.parens += 1;
        } else if token.is(")") || token.is("]") {
            self.parens = self.parens.saturating_sub(1);
        }
        let trailing = matches!(&*token.text, "const" | "noexcept" | "override" | "final");
        self.after_parameters = token.is(")") || (self.after_parameters && trailing);
        declares
    }
}
