//! The formulae of two threads as a query (SKBG18 §5.1, `ThreadIFY` and `Generate-SMT-EQN`).

use super::arrays::equal;
use super::formula::{Action, ArrayId, Formula, Kind, Node, Role, SymbolId, Translated, Wff};
use super::reading::{Arrays, Reading};
use super::terms::{Built, Int, arithmetic, compare, range, shift};
use super::world::World;
use babycuda_core::deep::grow;
use babycuda_core::expr::BoolOp;
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{At, Launch, UnaryOp};
use babycuda_smt::{Query, Sort, Term};
use std::collections::{BTreeMap, HashMap};

/// A value as the solver has it.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Bool(Term),
    Int(Int),
    /// Nothing is said of it.
    Data,
}

/// What a thread reads, for the witness.
#[derive(Clone, Debug)]
pub(super) struct Reads {
    pub(super) array: ArrayId,
    pub(super) index: Term,
    pub(super) value: Term,
    pub(super) kind: Kind,
}

/// Elements of an array: index and value.
pub(super) type Elements = Vec<(Term, Term)>;

/// The query about two threads, as far as it is built.
pub(super) struct Encoder<'a> {
    pub(super) all: &'a Translated,
    pub(super) world: &'a World,
    pub(super) reading: Reading,
    pub(super) query: Query,
    /// The formulae that each thread has in the query.
    pub(super) included: [Vec<usize>; 2],
    /// What holds where the formula that is being encoded is computed.
    guard: Vec<Term>,
    pub(super) selected: HashMap<(usize, ArrayId, u32, Term), Value>,
    /// What was read of an array in a state of which nothing is said: index and value.
    pub(super) bases: HashMap<(Option<usize>, ArrayId, u32), Elements>,
    pub(super) reads: [BTreeMap<At, Reads>; 2],
}

impl<'a> Encoder<'a> {
    pub(super) fn new(
        all: &'a Translated,
        world: &'a World,
        reading: Reading,
        included: [Vec<usize>; 2],
    ) -> Built<Encoder<'a>> {
        let query = Query::named("two threads");
        let (guard, selected, bases, reads) = Default::default();
        let mut encoder =
            Encoder { all, world, reading, query, included, guard, selected, bases, reads };
        encoder.launch()?;
        for thread in [0, 1] {
            for i in encoder.included[thread].clone() {
                encoder.formula(thread, &all.formulae[i])?;
            }
        }
        if reading.arrays == Arrays::Shared {
            encoder.one_array()?;
        }
        Ok(encoder)
    }

    /// Indices are below extents, and a block is no larger than a device's.
    fn launch(&mut self) -> Built<()> {
        let mut product = Int::literal(1);
        for d in 0..3 {
            for thread in [0, 1] {
                let pairs =
                    [(Launch::ThreadIdx, Launch::BlockDim), (Launch::BlockIdx, Launch::GridDim)];
                for (index, extent) in pairs {
                    let (index, extent) =
                        (self.launch_of(thread, index, d)?, self.launch_of(thread, extent, d)?);
                    self.query.assert(&index.term.less_than(&extent.term)?)?;
                }
            }
            product = product.mul(&self.launch_of(0, Launch::BlockDim, d)?)?;
        }
        let most = i128::from(babycuda_core::launch::MAX_BLOCK_THREADS);
        if self.world.is_symbolic() && product.high > most {
            self.query.assert(&product.term.at_most(&Term::int(most))?)?;
        }
        Ok(())
    }

    /// What the launch says to a thread.
    pub(super) fn launch_of(&mut self, thread: usize, which: Launch, d: usize) -> Built<Int> {
        let (low, high) = self.world.bounds(which, d);
        if low == high {
            return Ok(Int::literal(low));
        }
        let own = matches!(which, Launch::ThreadIdx | Launch::BlockIdx);
        let prefix = if own { format!("t{}.", thread + 1) } else { String::new() };
        let name = format!("{prefix}{}.{d}", which.name());
        Ok(Int { term: self.query.declare_int(name, low, high)?, low, high })
    }

    /// `predicate => action` of one thread.
    fn formula(&mut self, thread: usize, formula: &Formula) -> Built<()> {
        let holds = self.predicate(thread, &formula.predicate)?;
        let around = std::mem::replace(&mut self.guard, vec![holds.clone()]);
        let said = match &formula.action {
            Action::Equal(symbol, value) => {
                let value = self.wff(thread, value)?;
                let symbol = self.symbol(thread, *symbol)?;
                equal(&symbol, &value)?
            }
            Action::Iterate { symbol, first, op, step, count, .. } => {
                let kind = self.all.symbols[symbol.0].kind;
                let parts = [first, step].map(|x| self.wff(thread, x));
                let [first, step] = parts;
                let (count, i) = (self.symbol(thread, *count)?, self.symbol(thread, *symbol)?);
                match (first?, step?, count, i, kind) {
                    (
                        Value::Int(first),
                        Value::Int(step),
                        Value::Int(count),
                        Value::Int(i),
                        Kind::Int(t),
                    ) => {
                        let all = count.mul(&step)?;
                        let value = match op {
                            MachineOp::Add => first.term.add(&all.term)?,
                            MachineOp::Sub => first.term.sub(&all.term)?,
                            op => shift(*op, t, &first, &all)?.term,
                        };
                        i.term.equals(&value)?
                    }
                    _ => Term::bool(true),
                }
            }
            Action::Assume(x) => match self.wff(thread, x)? {
                Value::Bool(term) => term,
                _ => Term::bool(true),
            },
            other => {
                for x in other.operands() {
                    self.wff(thread, x)?;
                }
                Term::bool(true)
            }
        };
        self.guard = around;
        self.query.assert(&holds.implies(&said)?)
    }

    /// That all conditions of a predicate hold.
    pub(super) fn predicate(&mut self, thread: usize, predicate: &[Wff]) -> Built<Term> {
        let around = self.guard.len();
        for part in predicate {
            if let Value::Bool(term) = self.wff(thread, part)? {
                self.guard.push(term);
            }
        }
        let parts = self.guard.split_off(around);
        Term::and(parts)
    }

    /// Asserts what holds wherever the formula that is being encoded is computed.
    fn demand(&mut self, term: &Term) -> Built<()> {
        let guard = Term::and(&self.guard)?;
        self.query.assert(&guard.implies(term)?)
    }

    /// An augmented variable of a thread.
    pub(super) fn symbol(&mut self, thread: usize, id: SymbolId) -> Built<Value> {
        let all = self.all;
        let symbol = &all.symbols[id.0];
        let name = match &symbol.role {
            Role::Launch(which, d) => return Ok(Value::Int(self.launch_of(thread, *which, *d)?)),
            Role::Parameter(name) => {
                if let (Some(value), Kind::Int(t)) = (self.world.parameter(name), symbol.kind) {
                    return Ok(Value::Int(Int::literal(t.read(value))));
                }
                if let (Some(value), Kind::Bool) = (self.world.parameter(name), symbol.kind) {
                    return Ok(Value::Bool(Term::bool(value != 0)));
                }
                format!("parameter.{name}")
            }
            Role::Thread | Role::Count => format!("t{}.{}#{}", thread + 1, symbol.name, id.0),
        };
        self.declare(&name, symbol.kind)
    }

    pub(super) fn declare(&mut self, name: &str, kind: Kind) -> Built<Value> {
        Ok(match kind {
            Kind::Bool => Value::Bool(self.query.declare(name, Sort::Bool)?),
            Kind::Int(t) => {
                let (low, high) = range(t);
                Value::Int(Int { term: self.query.declare_int(name, low, high)?, low, high })
            }
            Kind::Data => Value::Data,
        })
    }

    /// The value of a formula in a thread.
    pub(super) fn wff(&mut self, thread: usize, wff: &Wff) -> Built<Value> {
        grow(|| self.plain(thread, wff))
    }

    fn plain(&mut self, thread: usize, wff: &Wff) -> Built<Value> {
        match &wff.node {
            Node::Num(bits) => Ok(match wff.kind {
                Kind::Bool => Value::Bool(Term::bool(*bits != 0)),
                Kind::Int(t) => Value::Int(Int::literal(t.read(*bits))),
                Kind::Data => Value::Data,
            }),
            Node::Var(symbol) => self.symbol(thread, *symbol),
            Node::Unary(op, x) => {
                let x = self.wff(thread, x)?;
                self.unary(*op, &x, wff.kind)
            }
            Node::Binary(op, both) => {
                let pair = (self.wff(thread, &both[0])?, self.wff(thread, &both[1])?);
                match (pair, wff.kind) {
                    ((Value::Int(l), Value::Int(r)), Kind::Int(t)) => self.binary(*op, t, &l, &r),
                    _ => Ok(Value::Data),
                }
            }
            Node::Compare(relation, both) => {
                let (l, r) = (self.wff(thread, &both[0])?, self.wff(thread, &both[1])?);
                match (integer(l)?, integer(r)?) {
                    (Some(l), Some(r)) => Ok(Value::Bool(compare(*relation, &l, &r)?)),
                    _ => Ok(Value::Data),
                }
            }
            Node::Logical(op, both) => {
                let Value::Bool(l) = self.wff(thread, &both[0])? else { return Ok(Value::Data) };
                self.guard.push(if *op == BoolOp::And { l.clone() } else { l.not()? });
                let r = self.wff(thread, &both[1]);
                self.guard.pop();
                let Value::Bool(r) = r? else { return Ok(Value::Data) };
                Ok(Value::Bool(match op {
                    BoolOp::And => Term::and([l, r])?,
                    BoolOp::Or => Term::or([l, r])?,
                }))
            }
            Node::Convert(x) => {
                let x = self.wff(thread, x)?;
                match (x, wff.kind) {
                    (Value::Int(x), Kind::Bool) => Ok(Value::Bool(x.term.differs(&Term::int(0))?)),
                    (Value::Bool(x), Kind::Bool) => Ok(Value::Bool(x)),
                    (x, Kind::Int(t)) => Ok(match integer(x)? {
                        Some(x) => Value::Int(x.wrapped(t)?),
                        None => Value::Data,
                    }),
                    _ => Ok(Value::Data),
                }
            }
            Node::Select(array, version, index, at) => {
                let Value::Int(index) = self.wff(thread, index)? else { return Ok(Value::Data) };
                let value = self.select(thread, (*array, *version), &index, Some(*at))?;
                let term = match &value {
                    Value::Int(x) => x.term.clone(),
                    Value::Bool(x) => x.clone(),
                    Value::Data => return Ok(value),
                };
                let read = Reads { array: *array, index: index.term, value: term, kind: wff.kind };
                self.reads[thread].insert(*at, read);
                Ok(value)
            }
            Node::Data(operands) => {
                for x in operands {
                    self.wff(thread, x)?;
                }
                Ok(Value::Data)
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, x: &Value, kind: Kind) -> Built<Value> {
        match (op, x, kind) {
            (UnaryOp::Not, Value::Bool(x), _) => Ok(Value::Bool(x.not()?)),
            (UnaryOp::Negate, Value::Int(x), Kind::Int(t)) => {
                self.binary(MachineOp::Sub, t, &Int::literal(0), x)
            }
            (UnaryOp::Complement, Value::Int(x), Kind::Int(t)) => {
                let most = Int::literal(if t.signed { -1 } else { range(t).1 });
                self.binary(MachineOp::Sub, t, &most, x)
            }
            _ => Ok(Value::Data),
        }
    }

    fn binary(&mut self, op: MachineOp, t: IntType, l: &Int, r: &Int) -> Built<Value> {
        let (result, defined) = arithmetic(op, t, l, r)?;
        if let Some(defined) = defined {
            self.demand(&defined)?;
        }
        Ok(Value::Int(result))
    }
}

/// An integer or a truth value as an integer.
fn integer(value: Value) -> Built<Option<Int>> {
    Ok(match value {
        Value::Int(x) => Some(x),
        Value::Bool(x) => {
            let term = x.ite(&Term::int(1), &Term::int(0))?;
            Some(Int { term, low: 0, high: 1 })
        }
        Value::Data => None,
    })
}
