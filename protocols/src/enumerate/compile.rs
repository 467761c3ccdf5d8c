//! From protocols to register code.
//!
//! Every distinct subexpression has one register. It is computed where its variables are known,
//! as far out as possible: at the start of the thread, or of an iteration of the innermost loop
//! whose counter it mentions.

use super::Refusal;
use super::code::{AccessInfo, Code, Contents, Instr, Reg, THREAD_REGS, Wrap};
use super::flat::{Flat, Node};
use crate::map::MapError;
use babycuda_core::deep::grow;
use babycuda_core::expr::{ArithOp, BoolOp, NumOp, Renaming, Unbound};
use babycuda_core::history::HostMemory;
use babycuda_core::machine::MachineOp;
use babycuda_core::name::reserved;
use babycuda_core::simplify;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{AccessMode, Bool, Budget, Configuration, Name, Natural, Num, Protocol, Site};
use std::collections::{BTreeSet, HashMap};

/// What is computed at the start of a thread, or of an iteration.
#[derive(Default)]
struct Level {
    nums: HashMap<Num, Reg>,
    bools: HashMap<Bool, Reg>,
    head: Vec<Node>,
}

/// A variable in scope: the level from which on it has a value, and its register.
#[derive(Clone, Copy)]
struct Binding {
    level: usize,
    reg: Reg,
}

struct Compiler<'a> {
    /// Level 0 is the thread, level `d` the body of the `d`th loop around the current place.
    levels: Vec<Level>,
    scope: HashMap<Name, Vec<Binding>>,
    loops: Vec<(Site, Name, Reg)>,
    next: usize,
    literals: HashMap<u64, Reg>,
    literal_values: Vec<u64>,
    accesses: Vec<AccessInfo>,
    barriers: Vec<(Site, BarrierScope)>,
    arrays: Vec<Name>,
    /// The inputs that are read, in the order of their numbers.
    inputs: Vec<(Name, Contents)>,
    host: &'a HostMemory,
    budget: Budget,
    /// The arrays a read of which stops its thread.
    stops: BTreeSet<Name>,
}

/// Nodes of one expression: looking for repeated subexpressions takes quadratic time.
const MAX_EXPRESSION: usize = 1 << 13;

/// Literals get registers from the other end, and are moved below the rest when all are known.
const FIRST_LITERAL: usize = 1 << 15;

/// Compiles `protocol` for the parameters and the launch of `configuration`.
///
/// # Errors
/// [`Refusal`]: a free variable, data, a size beyond what code can have, or no time left.
pub(super) fn compile(
    protocol: &Protocol,
    configuration: &Configuration,
    budget: Budget,
) -> Result<Code, Refusal> {
    let mut uniform: Renaming =
        configuration.launch.uniform_values().into_iter().map(|(x, k)| (x, Num::Lit(k))).collect();
    for (x, k) in &configuration.parameters {
        uniform.insert(x.clone(), Num::Lit(k.clone()));
    }
    let protocol = protocol.subst(&uniform);
    let mut compiler = Compiler {
        levels: vec![Level::default()],
        scope: HashMap::new(),
        loops: Vec::new(),
        next: THREAD_REGS,
        literals: HashMap::new(),
        literal_values: Vec::new(),
        accesses: Vec::new(),
        barriers: Vec::new(),
        arrays: Vec::new(),
        inputs: Vec::new(),
        host: &configuration.host,
        budget,
        stops: configuration.stops.clone(),
    };
    let thread = [reserved::TID].into_iter().chain(reserved::THREAD_IDX).chain(reserved::BLOCK_IDX);
    for (reg, name) in (0..).zip(thread) {
        let binding = Binding { level: 0, reg };
        compiler.scope.insert(Name::new(name), vec![binding]);
    }
    let body = compiler.protocol(&protocol)?;
    compiler.finish(body)
}

impl Compiler<'_> {
    fn finish(mut self, body: Vec<Node>) -> Result<Code, Refusal> {
        let mut nodes = std::mem::take(&mut self.levels[0].head);
        nodes.extend(body);
        let literals = self.literal_values.len();
        let shift = literals;
        let place = |reg: Reg| -> Reg {
            let reg = usize::from(reg);
            // Both kinds stay below 2^15 each, so the sum fits.
            let moved = if reg >= FIRST_LITERAL {
                reg - FIRST_LITERAL + THREAD_REGS
            } else if reg < THREAD_REGS {
                reg
            } else {
                reg + shift
            };
            moved as Reg
        };
        let flat = Flat::new(nodes, &place);
        let mut registers = vec![0; THREAD_REGS];
        registers.extend(&self.literal_values);
        registers.resize(self.next + literals, 0);
        for access in &mut self.accesses {
            for (_, _, reg) in &mut access.counters {
                *reg = place(*reg);
            }
        }
        Ok(Code {
            instrs: flat.instrs,
            sites: flat.sites,
            accesses: self.accesses,
            barriers: self.barriers,
            arrays: self.arrays,
            inputs: self.inputs.into_iter().map(|(_, contents)| contents).collect(),
            registers,
            literals_end: THREAD_REGS + literals,
        })
    }

    fn fresh(&mut self) -> Result<Reg, Refusal> {
        if self.next >= FIRST_LITERAL {
            return Err(Refusal::TooLarge("subexpressions"));
        }
        self.next += 1;
        Ok((self.next - 1) as Reg)
    }

    fn literal(&mut self, site: Site, k: &Natural) -> Result<Reg, Refusal> {
        let value = k.to_u64().ok_or(Refusal::Overflow(site))?;
        if let Some(reg) = self.literals.get(&value) {
            return Ok(*reg);
        }
        let reg = FIRST_LITERAL + self.literal_values.len();
        if reg > usize::from(Reg::MAX) {
            return Err(Refusal::TooLarge("literals"));
        }
        self.literal_values.push(value);
        self.literals.insert(value, reg as Reg);
        Ok(reg as Reg)
    }

    /// The register of an expression that stands in a statement.
    fn root(&mut self, site: Site, n: &Num) -> Result<(Reg, usize), Refusal> {
        let n = simplify::num(n);
        if !n.is_within(MAX_EXPRESSION) {
            return Err(Refusal::TooLarge("an expression"));
        }
        self.num(site, &n)
    }

    /// The register of an expression that a level knows, and the level.
    fn known(&self, find: impl Fn(&Level) -> Option<&Reg>) -> Option<(Reg, usize)> {
        let levels = self.levels.iter().enumerate();
        levels.filter_map(|(depth, level)| Some((*find(level)?, depth))).next()
    }

    /// A new register for what is computed at a level, and the level.
    fn emit(
        &mut self,
        site: Site,
        level: usize,
        instr: impl FnOnce(Reg) -> Instr,
    ) -> Result<(Reg, usize), Refusal> {
        let reg = self.fresh()?;
        let level = level.min(self.levels.len() - 1);
        self.levels[level].head.push(Node::Plain(site, instr(reg)));
        Ok((reg, level))
    }

    /// The register of `n`, and the level from which on it is right.
    fn num(&mut self, site: Site, n: &Num) -> Result<(Reg, usize), Refusal> {
        if let Some(known) = self.known(|level| level.nums.get(n)) {
            return Ok(known);
        }
        let (reg, level) = match n {
            Num::Lit(k) => return Ok((self.literal(site, k)?, 0)),
            Num::Var(x) => {
                let binding = self.scope.get(x).and_then(|stack| stack.last());
                let unbound = || MapError::Unbound(site, Unbound(x.clone()));
                return Ok(binding.map(|b| (b.reg, b.level)).ok_or_else(unbound)?);
            }
            Num::Binary(op, l, r) => {
                let (l, dl) = grow(|| self.num(site, l))?;
                let (r, dr) = grow(|| self.num(site, r))?;
                self.emit(site, dl.max(dr), |dst| binary(*op, dst, l, r))?
            }
            Num::Cast(from, to, operand) => {
                let (src, d) = grow(|| self.num(site, operand))?;
                self.emit(site, d, |dst| Instr::Cast(*from, *to, dst, src))?
            }
            Num::Select(c, then, otherwise) => {
                let (c, dc) = grow(|| self.bool(site, c))?;
                let (l, dl) = grow(|| self.num(site, then))?;
                let (r, dr) = grow(|| self.num(site, otherwise))?;
                self.emit(site, dc.max(dl).max(dr), |dst| Instr::Select(dst, c, l, r))?
            }
        };
        self.levels[level].nums.insert(n.clone(), reg);
        Ok((reg, level))
    }

    fn bool(&mut self, site: Site, c: &Bool) -> Result<(Reg, usize), Refusal> {
        if let Some(known) = self.known(|level| level.bools.get(c)) {
            return Ok(known);
        }
        let (reg, level) = match c {
            Bool::Lit(b) => return Ok((self.literal(site, &Natural::from(u8::from(*b)))?, 0)),
            Bool::Compare(op, l, r) => {
                let ((l, dl), (r, dr)) = (self.num(site, l)?, self.num(site, r)?);
                self.emit(site, dl.max(dr), |dst| Instr::Compare(*op, dst, l, r))?
            }
            Bool::Connective(op, l, r) => {
                let (l, dl) = grow(|| self.bool(site, l))?;
                let (r, dr) = grow(|| self.bool(site, r))?;
                self.emit(site, dl.max(dr), |dst| match op {
                    BoolOp::And => Instr::And(dst, l, r),
                    BoolOp::Or => Instr::Or(dst, l, r),
                })?
            }
            Bool::Not(operand) => {
                let (src, d) = grow(|| self.bool(site, operand))?;
                self.emit(site, d, |dst| Instr::Not(dst, src))?
            }
        };
        self.levels[level].bools.insert(c.clone(), reg);
        Ok((reg, level))
    }

    fn protocol(&mut self, p: &Protocol) -> Result<Vec<Node>, Refusal> {
        let mut nodes = Vec::new();
        let mut rest = vec![p];
        while let Some(p) = rest.pop() {
            match p {
                Protocol::Seq(first, second) => {
                    rest.push(second);
                    rest.push(first);
                }
                p => grow(|| self.statement(p, &mut nodes))?,
            }
        }
        Ok(nodes)
    }

    fn statement(&mut self, p: &Protocol, nodes: &mut Vec<Node>) -> Result<(), Refusal> {
        self.budget.check()?;
        match p {
            Protocol::Skip => {}
            Protocol::Seq(..) => nodes.extend(self.protocol(p)?),
            Protocol::Access { site, mode: AccessMode::Rd, array, .. }
                if self.stops.contains(array) =>
            {
                nodes.push(Node::Plain(*site, Instr::Stuck));
            }
            Protocol::Access { site, mode, array, index } => {
                let (index, _) = self.root(*site, index)?;
                let number = u16::try_from(self.accesses.len())
                    .map_err(|_| Refusal::TooLarge("access statements"))?;
                let array = match self.arrays.iter().position(|a| a == array) {
                    Some(at) => at,
                    None => {
                        self.arrays.push(array.clone());
                        self.arrays.len() - 1
                    }
                };
                self.accesses.push(AccessInfo {
                    site: *site,
                    mode: *mode,
                    array,
                    counters: self.loops.clone(),
                });
                nodes.push(Node::Plain(*site, Instr::Access(number, index)));
            }
            Protocol::If { site, condition, then, otherwise } => match simplify::bool(condition) {
                Bool::Lit(true) => nodes.extend(self.protocol(then)?),
                Bool::Lit(false) => nodes.extend(self.protocol(otherwise)?),
                condition => {
                    if !condition.is_within(MAX_EXPRESSION) {
                        return Err(Refusal::TooLarge("a condition"));
                    }
                    let (c, _) = self.bool(*site, &condition)?;
                    let then = self.protocol(then)?;
                    nodes.push(Node::If(*site, c, then, self.protocol(otherwise)?));
                }
            },
            Protocol::For { site, var, lower, upper, body, .. } => {
                let (lower, _) = self.root(*site, lower)?;
                let (upper, _) = self.root(*site, upper)?;
                let counter = self.fresh()?;
                self.loops.push((*site, var.clone(), counter));
                let body = self.below(var, counter, body)?;
                self.loops.pop();
                nodes.push(Node::Loop { site: *site, counter, lower, upper, body });
            }
            Protocol::Sync { site, scope } => {
                let number = u16::try_from(self.barriers.len())
                    .map_err(|_| Refusal::TooLarge("barriers"))?;
                self.barriers.push((*site, *scope));
                nodes.push(Node::Plain(*site, Instr::Sync(number)));
            }
            Protocol::Input { site, var, array, index, body } => {
                let (index, _) = self.root(*site, index)?;
                let number = self.input(*site, array)?;
                let value = self.fresh()?;
                nodes.push(Node::Plain(*site, Instr::Input(value, number, index)));
                nodes.extend(self.below(var, value, body)?);
            }
            Protocol::Any { site, var, .. } => {
                return Err(MapError::Any { site: *site, var: var.clone() }.into());
            }
        }
        Ok(())
    }

    /// A protocol where `var` is in a register, a level of its own: first what is computed there.
    fn below(&mut self, var: &Name, reg: Reg, p: &Protocol) -> Result<Vec<Node>, Refusal> {
        // Expressions over an outer variable of this name mean another variable here.
        let hidden = self.hide(var);
        self.levels.push(Level::default());
        let binding = Binding { level: self.levels.len() - 1, reg };
        self.scope.entry(var.clone()).or_default().push(binding);
        let inside = self.protocol(p)?;
        if let Some(stack) = self.scope.get_mut(var) {
            stack.pop();
        }
        let mut body = self.levels.pop().map(|l| l.head).unwrap_or_default();
        body.extend(inside);
        self.unhide(hidden);
        Ok(body)
    }

    /// The number of an input.
    fn input(&mut self, site: Site, array: &Name) -> Result<u16, Refusal> {
        if let Some(at) = self.inputs.iter().position(|(name, _)| name == array) {
            // Proof: as many numbers were given.
            return Ok(at as u16);
        }
        let unknown = || MapError::Input { site, array: array.clone() };
        let stored = self.host.array(array).ok_or_else(unknown)?;
        let word = |k: &Natural| k.to_u64().ok_or(Refusal::Overflow(site));
        let cells = stored.cells.iter().filter_map(|(j, k)| Some((j.to_u64()?, word(k))));
        let cells = cells.map(|(j, k)| Ok((j, k?))).collect::<Result<_, Refusal>>()?;
        let fill = stored.fill.as_ref().map(word).transpose()?;
        let number = u16::try_from(self.inputs.len()).map_err(|_| Refusal::TooLarge("inputs"))?;
        self.inputs.push((array.clone(), Contents { fill, cells }));
        Ok(number)
    }

    /// Takes remembered expressions that mention `var` out of all levels.
    fn hide(&mut self, var: &Name) -> Vec<(HashMap<Num, Reg>, HashMap<Bool, Reg>)> {
        if self.scope.get(var).is_none_or(Vec::is_empty) {
            return Vec::new();
        }
        let mut hidden = Vec::new();
        for level in &mut self.levels {
            let (nums, bools) = (
                level.nums.extract_if(|n, _| n.free_vars().contains(var)).collect(),
                level.bools.extract_if(|c, _| c.free_vars().contains(var)).collect(),
            );
            hidden.push((nums, bools));
        }
        hidden
    }

    fn unhide(&mut self, hidden: Vec<(HashMap<Num, Reg>, HashMap<Bool, Reg>)>) {
        for (level, (nums, bools)) in self.levels.iter_mut().zip(hidden) {
            level.nums.extend(nums);
            level.bools.extend(bools);
        }
    }
}

fn binary(op: NumOp, dst: Reg, l: Reg, r: Reg) -> Instr {
    match op {
        NumOp::Natural(ArithOp::Add) => Instr::Add(dst, l, r),
        NumOp::Natural(ArithOp::Mul) => Instr::Mul(dst, l, r),
        NumOp::Natural(op) => Instr::Natural(op, dst, l, r),
        NumOp::Machine(op, t) => {
            // The unused high bits of a word: 64 minus the width.
            let unused = (64 - t.width.bits()) as u8;
            match op {
                MachineOp::Add => Instr::Wrapping(Wrap::Add, unused, dst, l, r),
                MachineOp::Sub => Instr::Wrapping(Wrap::Sub, unused, dst, l, r),
                MachineOp::Mul => Instr::Wrapping(Wrap::Mul, unused, dst, l, r),
                _ => Instr::Machine(op, t, dst, l, r),
            }
        }
    }
}
