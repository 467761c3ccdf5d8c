//! Queries as SMT-LIB text, through the syntax tree of the crate `smtlib`.
//!
//! What that tree leaves to its user is done here: names are quoted; declarations come first, in
//! the query's order; a subterm that is used twice, or that lies deep, gets a name of its own
//! (a fresh constant, asserted equal to it), so that the text is linear in the query and no
//! recursive printer or parser meets a deep term. Not `define-fun`: cvc5 1.0 expands definitions
//! as trees.

use std::collections::{HashMap, HashSet};

use num_bigint::Sign;
use smtlib::lowlevel::{
    Storage,
    ast::{self, Command, Identifier, QualIdentifier, SpecConstant},
    lexicon::{Numeral, Symbol},
};

use crate::{
    query::Query,
    quote::quote,
    sort::Sort,
    term::{Op, Term, postorder},
    value::Value,
};

/// Terms nest no deeper than this in the text.
const MAX_DEPTH: usize = 40;

/// The query as a complete SMT-LIB script, `(check-sat)` and `(get-model)` included. The text
/// depends on the query alone.
#[must_use]
pub fn to_smtlib(query: &Query) -> String {
    let storage = Storage::new();
    let mut text = String::new();
    for line in query.name().lines() {
        text.push_str("; ");
        text.push_str(line);
        text.push('\n');
    }
    let tail = [Command::CheckSat, Command::GetModel];
    for command in commands(&storage, query).iter().chain(&tail) {
        text.push_str(&command.to_string());
        text.push('\n');
    }
    text
}

/// `set-logic`, declarations, definitions and assertions of a query.
pub(crate) fn commands<'st>(storage: &'st Storage, query: &Query) -> Vec<Command<'st>> {
    let mut writer = Writer::new(storage, query);
    let mut bounds = Vec::new();
    for declaration in query.declarations() {
        let name = Symbol(storage.alloc_str(&quote(&declaration.name)));
        let sort = writer.sort(declaration.sort);
        writer.out.push(Command::DeclareConst(name, sort));
        let constant = writer.leaf(&declaration.term());
        let (lower, upper) = (&declaration.bounds.lower, &declaration.bounds.upper);
        for (end, below) in [(lower, true), (upper, false)] {
            if let Some(n) = end {
                let end = writer.leaf(&Term::int(n.clone()));
                let pair = if below { [end, constant] } else { [constant, end] };
                bounds.push(Command::Assert(writer.apply("<=", &pair)));
            }
        }
    }
    writer.out.append(&mut bounds);
    let shared = shared(query.assertions());
    let mut depth: HashMap<Term, usize> = HashMap::new();
    for term in postorder(query.assertions()) {
        let below = term.args().iter().filter_map(|arg| depth.get(arg)).max();
        let level = below.map_or(0, |below| below + 1);
        let written = writer.term(&term);
        let named = level >= MAX_DEPTH || (shared.contains(&term) && level > 0);
        let written = if named { writer.define(&term, written) } else { written };
        depth.insert(term.clone(), if named { 0 } else { level });
        writer.done.insert(term, written);
    }
    writer.out.append(&mut writer.definitions);
    for assertion in query.assertions() {
        let written = writer.done[assertion];
        writer.out.push(Command::Assert(written));
    }
    writer.out
}

/// Builds commands in an arena.
struct Writer<'st> {
    storage: &'st Storage,
    /// The text of each subterm so far.
    done: HashMap<Term, &'st ast::Term<'st>>,
    out: Vec<Command<'st>>,
    /// Names of subterms start with this; no declared one does.
    prefix: String,
    defined: usize,
    definitions: Vec<Command<'st>>,
}

impl<'st> Writer<'st> {
    fn new(storage: &'st Storage, query: &Query) -> Writer<'st> {
        let mut prefix = String::from("def!");
        while query.declarations().iter().any(|d| d.name.starts_with(&prefix)) {
            prefix.push('!');
        }
        Writer {
            storage,
            done: HashMap::new(),
            out: vec![Command::SetLogic(Symbol(logic(query)))],
            prefix,
            defined: 0,
            definitions: Vec::new(),
        }
    }

    /// A fresh constant that is asserted to equal `body`.
    fn define(&mut self, term: &Term, body: &'st ast::Term<'st>) -> &'st ast::Term<'st> {
        self.defined += 1;
        let name = self.storage.alloc_str(&format!("{}{}", self.prefix, self.defined));
        let sort = self.sort(term.sort());
        let constant = self.identifier(name);
        self.definitions.push(Command::DeclareConst(Symbol(name), sort));
        self.definitions.push(Command::Assert(self.apply("=", &[constant, body])));
        constant
    }

    /// The term over its already written arguments.
    fn term(&self, term: &Term) -> &'st ast::Term<'st> {
        if term.args().is_empty() {
            return self.leaf(term);
        }
        let mut args = Vec::with_capacity(term.args().len());
        for arg in term.args() {
            // In postorder every argument has been written before.
            args.push(self.done[arg]);
        }
        self.apply(term.op().name(), &args)
    }

    fn leaf(&self, term: &Term) -> &'st ast::Term<'st> {
        match term.op() {
            Op::Value(Value::Int(n)) => {
                let digits = self.storage.alloc_str(&n.magnitude().to_string());
                let natural = match Numeral::try_from_str(digits) {
                    Ok(numeral) => self.literal(SpecConstant::Numeral(numeral)),
                    // Decimal digits are always a numeral.
                    Err(_) => self.identifier(digits),
                };
                if n.sign() == Sign::Minus { self.apply("-", &[natural]) } else { natural }
            }
            Op::Value(Value::Bool(b)) => self.identifier(if *b { "true" } else { "false" }),
            Op::Constant(name) => self.identifier(self.storage.alloc_str(&quote(name))),
            op => self.identifier(op.name()),
        }
    }

    fn literal(&self, constant: SpecConstant<'st>) -> &'st ast::Term<'st> {
        self.storage.alloc(ast::Term::SpecConstant(constant))
    }

    fn identifier(&self, name: &'st str) -> &'st ast::Term<'st> {
        self.storage.alloc(ast::Term::Identifier(simple(name)))
    }

    fn apply(&self, name: &'st str, args: &[&'st ast::Term<'st>]) -> &'st ast::Term<'st> {
        let args = self.storage.alloc_slice(args);
        self.storage.alloc(ast::Term::Application(simple(name), args))
    }

    fn sort(&self, sort: Sort) -> ast::Sort<'st> {
        ast::Sort::Sort(match sort {
            Sort::Bool => Identifier::Simple(Symbol("Bool")),
            Sort::Int => Identifier::Simple(Symbol("Int")),
        })
    }
}

fn simple(name: &str) -> QualIdentifier<'_> {
    QualIdentifier::Identifier(Identifier::Simple(Symbol(name)))
}

/// The smallest SMT-LIB logic that both solvers know and that holds the query.
fn logic(query: &Query) -> &'static str {
    let nonlinear =
        postorder(query.assertions()).iter().any(|term| match (term.op(), term.args()) {
            (Op::Mul, [a, b]) => a.as_value().is_none() && b.as_value().is_none(),
            (Op::Div | Op::Mod, _) => true,
            _ => false,
        });
    if nonlinear { "QF_NIA" } else { "QF_LIA" }
}

/// Distinct compound subterms that are used more than once.
fn shared(roots: &[Term]) -> HashSet<Term> {
    let (mut once, mut twice) = (HashSet::new(), HashSet::new());
    let order = postorder(roots);
    for term in order.iter().flat_map(Term::args).chain(roots) {
        if !term.args().is_empty() && !once.insert(term.clone()) {
            twice.insert(term.clone());
        }
    }
    twice
}
