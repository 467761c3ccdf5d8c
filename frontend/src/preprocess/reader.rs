//! What expansions read: the tokens of the file or of a directive's line, and how many.

use super::regions::{self, Branch};
use super::token::{Kind, Token};
use super::{MAX_TOTAL, MAX_WORK, State};

/// Names that stand for a token by themselves.
pub(super) const BUILTIN: [&str; 3] = ["__LINE__", "__FILE__", "__COUNTER__"];

impl State<'_> {
    /// Reads the rest of a directive's line.
    pub(super) fn on_line<T>(&mut self, rest: &[Token], read: impl FnOnce(&mut Self) -> T) -> T {
        let budget = std::mem::replace(&mut self.budget, MAX_TOTAL.min(self.work + MAX_WORK));
        self.line = Some(rest.iter().cloned().collect());
        let result = read(self);
        (self.line, self.budget) = (None, budget);
        result
    }

    /// The next visible token that is to be expanded.
    pub(super) fn next(&mut self) -> Result<Token, String> {
        let end = Token::made(Kind::End, "");
        if let Some(line) = &mut self.line {
            return Ok(line.pop_front().unwrap_or(end));
        }
        while let Some(token) = self.file().current() {
            if token.first && token.is("#") {
                self.directive().map_err(|e| e.to_string())?;
                continue;
            }
            self.file().at += 1;
            match regions::state(&self.regions) {
                Branch::Live if token.visible() => return Ok(token),
                Branch::Maybe if token.visible() => self.overlook(&token),
                _ => {}
            }
        }
        Ok(end)
    }

    /// Is the next visible token a `(` that has its `)`?
    pub(super) fn opens(&mut self) -> Result<bool, String> {
        if let Some(line) = &self.line {
            return Ok(line.front().is_some_and(|t| t.is("(")));
        }
        match self.file().next_opens() {
            Some(false) => Err("a macro's call without its `)`".into()),
            other => Ok(other.is_some()),
        }
    }

    /// What stands for a name when it is `__LINE__` or one of its kin.
    pub(super) fn builtin(&mut self, token: &Token) -> Option<Token> {
        let file = self.file();
        Some(match &*token.text {
            "__LINE__" => Token::made(Kind::Number, &file.line(token.range.start).to_string()),
            "__FILE__" => Token::made(Kind::Literal, &format!("{:?}", file.name)),
            "__COUNTER__" => {
                self.counter += 1;
                Token::made(Kind::Number, &(self.counter - 1).to_string())
            }
            _ => return None,
        })
    }

    /// Pays for so much work.
    ///
    /// # Errors
    /// When too much was done.
    pub(super) fn spend(&mut self, tokens: usize) -> Result<(), String> {
        self.work += tokens;
        babycuda_core::budget::pause();
        if self.work > self.budget {
            return Err(format!(
                "macro expansion is too large: more than {MAX_WORK} tokens, or {MAX_TOTAL} in the file"
            ));
        }
        Ok(())
    }
}
