//! Numeric and boolean expressions: precedence climbing over one grammar, sorts checked on the way.

use super::cursor::Parser;
use super::error::{ParseError, ParseErrorKind};
use super::token::{Symbol, TokenKind};
use crate::expr::{ArithOp, Bool, BoolOp, CompareOp, Num, NumOp, Relation};
use crate::machine::IntType;
use crate::name::Name;
use crate::site::Span;
use crate::syntax::{Bound, Forall, MAX_BOUND};
use std::sync::Arc;

/// An expression of either sort, with its place.
struct Sorted {
    expr: Expr,
    span: Span,
}

enum Expr {
    Num(Num),
    Bool(Bool),
}

/// A binary operator between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Connective(BoolOp),
    Compare(Relation),
    Arith(ArithOp),
}

/// What an operator in front of parentheses makes of its operands.
enum Function {
    Binary(NumOp),
    Compare(CompareOp),
    Cast(IntType, IntType),
    Select,
}

impl Infix {
    fn of(symbol: Symbol) -> Option<Infix> {
        Some(match symbol {
            Symbol::Or => Infix::Connective(BoolOp::Or),
            Symbol::And => Infix::Connective(BoolOp::And),
            Symbol::Equals | Symbol::EqualEqual => Infix::Compare(Relation::Eq),
            Symbol::NotEqual => Infix::Compare(Relation::Ne),
            Symbol::Less => Infix::Compare(Relation::Lt),
            Symbol::LessEqual => Infix::Compare(Relation::Le),
            Symbol::Greater => Infix::Compare(Relation::Gt),
            Symbol::GreaterEqual => Infix::Compare(Relation::Ge),
            Symbol::Plus => Infix::Arith(ArithOp::Add),
            Symbol::Minus => Infix::Arith(ArithOp::Sub),
            Symbol::Star => Infix::Arith(ArithOp::Mul),
            Symbol::Slash => Infix::Arith(ArithOp::Div),
            Symbol::Percent => Infix::Arith(ArithOp::Mod),
            _ => return None,
        })
    }

    /// As in C; all operators associate to the left.
    fn precedence(self) -> u8 {
        match self {
            Infix::Connective(BoolOp::Or) => 1,
            Infix::Connective(BoolOp::And) => 2,
            Infix::Compare(_) => 3,
            Infix::Arith(ArithOp::Add | ArithOp::Sub) => 4,
            Infix::Arith(_) => 5,
        }
    }
}

impl Function {
    /// The operator spelt `word`.
    fn of(word: &str) -> Option<Function> {
        if word == "select" {
            return Some(Function::Select);
        }
        if let Some(types) = word.strip_prefix("cast.") {
            let (from, to) = types.split_once('.')?;
            return Some(Function::Cast(from.parse().ok()?, to.parse().ok()?));
        }
        let operator = word.parse().map(Function::Binary);
        operator.or_else(|_| word.parse().map(Function::Compare)).ok()
    }
}

impl Parser<'_> {
    /// A numeric expression.
    pub(super) fn num(&mut self) -> Result<Num, ParseError> {
        let parsed = self.expr(0)?;
        self.as_num(parsed)
    }

    /// A boolean expression.
    pub(super) fn condition(&mut self) -> Result<Bool, ParseError> {
        let parsed = self.expr(0)?;
        self.as_bool(parsed)
    }

    fn as_num(&self, parsed: Sorted) -> Result<Num, ParseError> {
        match parsed.expr {
            Expr::Num(n) => Ok(n),
            Expr::Bool(_) => Err(self.error(ParseErrorKind::NotANumber, parsed.span)),
        }
    }

    fn as_bool(&self, parsed: Sorted) -> Result<Bool, ParseError> {
        match parsed.expr {
            Expr::Bool(c) => Ok(c),
            Expr::Num(_) => Err(self.error(ParseErrorKind::NotACondition, parsed.span)),
        }
    }

    /// An expression of operators that bind at least as tightly as `weakest`.
    fn expr(&mut self, weakest: u8) -> Result<Sorted, ParseError> {
        let mut left = self.operand()?;
        while let TokenKind::Symbol(symbol) = *self.peek() {
            let Some(op) = Infix::of(symbol) else { break };
            if op.precedence() < weakest {
                break;
            }
            self.advance();
            // A left operand is never deeper than the text is wide: this recursion is at most
            // one level per precedence, and parentheses count their own.
            let right = self.expr(op.precedence() + 1)?;
            let start = left.span;
            let expr = match op {
                Infix::Arith(op) => {
                    Expr::Num(Num::arith(op, self.as_num(left)?, self.as_num(right)?))
                }
                Infix::Compare(relation) => {
                    Expr::Bool(Bool::compare(relation, self.as_num(left)?, self.as_num(right)?))
                }
                Infix::Connective(op) => {
                    Expr::Bool(Bool::connective(op, self.as_bool(left)?, self.as_bool(right)?))
                }
            };
            left = Sorted { expr, span: self.since(start) };
        }
        Ok(left)
    }

    /// An expression that needs no parentheses beside any operator.
    fn operand(&mut self) -> Result<Sorted, ParseError> {
        let start = self.here();
        let mut negations = 0usize;
        while self.eat(Symbol::Not) {
            negations += 1;
        }
        let atom = self.atom()?;
        if negations == 0 {
            return Ok(atom);
        }
        let mut negated = self.as_bool(atom)?;
        for _ in 0..negations {
            negated = Bool::not(negated);
        }
        Ok(Sorted { expr: Expr::Bool(negated), span: self.since(start) })
    }

    fn atom(&mut self) -> Result<Sorted, ParseError> {
        let start = self.here();
        let expr = match self.peek() {
            TokenKind::Number(_) => Expr::Num(Num::Lit(self.literal()?)),
            TokenKind::Symbol(Symbol::OpenParen) => {
                self.advance();
                let inner = self.nested(|p| p.expr(0))?;
                self.expect(Symbol::CloseParen)?;
                inner.expr
            }
            TokenKind::Word("true") => {
                self.advance();
                Expr::Bool(Bool::Lit(true))
            }
            TokenKind::Word("false") => {
                self.advance();
                Expr::Bool(Bool::Lit(false))
            }
            TokenKind::Word(word) if *self.peek_second() == OPEN => match Function::of(word) {
                Some(function) => {
                    self.advance();
                    self.advance();
                    self.nested(|p| p.application(function))?
                }
                None => return Err(self.expected(&["an operator such as `add.u32` or `min`"])),
            },
            _ => match self.peek_name() {
                Some(name) => {
                    self.advance();
                    Expr::Num(self.variable(name)?)
                }
                None => return Err(self.expected(&["an expression"])),
            },
        };
        Ok(Sorted { expr, span: self.since(start) })
    }

    /// `x`; in an assumption over contents also `A[n]`, of which the name has been passed.
    fn variable(&mut self, name: Name) -> Result<Num, ParseError> {
        if self.assumed.is_none() || !self.at_symbol(Symbol::OpenBracket) {
            return Ok(Num::Var(name));
        }
        let start = self.here();
        let index = self.nested(Self::index)?;
        let Some(over) = &mut self.assumed else { return Ok(Num::Var(name)) };
        let read = Forall::read(over, name, index);
        self.limit_assumption(start)?;
        Ok(read)
    }

    /// `forall x in n..n: …`, then a condition. All of it may read arrays.
    pub(super) fn assumption(&mut self) -> Result<Forall, ParseError> {
        self.assumed = Some(Vec::new());
        while self.at_word("forall")
            && matches!(self.peek_second(), TokenKind::Word(_) | TokenKind::Quoted(_))
        {
            let start = self.here();
            self.advance();
            let var = self.name("the name of a variable")?;
            self.keyword_in()?;
            let lower = self.num()?;
            self.expect(Symbol::Range)?;
            let upper = self.num()?;
            self.expect(Symbol::Colon)?;
            self.assumed.get_or_insert_default().push(Bound::In { var, lower, upper });
            self.limit_assumption(start)?;
        }
        let condition = self.condition()?;
        Ok(Forall { over: self.assumed.take().unwrap_or_default(), condition })
    }

    fn limit_assumption(&self, start: Span) -> Result<(), ParseError> {
        match self.assumed.as_ref().is_some_and(|over| over.len() > MAX_BOUND) {
            true => Err(self.error(ParseErrorKind::LongAssumption, self.since(start))),
            false => Ok(()),
        }
    }

    /// The operands of `function`, after its opening parenthesis.
    fn application(&mut self, function: Function) -> Result<Expr, ParseError> {
        let expr = match function {
            Function::Binary(op) => {
                let (left, right) = self.two_numbers()?;
                Expr::Num(Num::Binary(op, left, right))
            }
            Function::Compare(op) => {
                let (left, right) = self.two_numbers()?;
                Expr::Bool(Bool::Compare(op, left, right))
            }
            Function::Cast(from, to) => Expr::Num(Num::cast(from, to, self.num()?)),
            Function::Select => {
                let condition = self.condition()?;
                self.expect(Symbol::Comma)?;
                let (then, otherwise) = self.two_numbers()?;
                Expr::Num(Num::Select(Arc::new(condition), then, otherwise))
            }
        };
        self.expect(Symbol::CloseParen)?;
        Ok(expr)
    }

    fn two_numbers(&mut self) -> Result<(Arc<Num>, Arc<Num>), ParseError> {
        let left = self.num()?;
        self.expect(Symbol::Comma)?;
        Ok((Arc::new(left), Arc::new(self.num()?)))
    }
}

const OPEN: TokenKind<'static> = TokenKind::Symbol(Symbol::OpenParen);
