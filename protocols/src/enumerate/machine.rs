//! Runs register code, one thread at a time.

use super::code::{Code, Instr, THREAD_REGS, Wrap};
use super::{EnumerationLimits, Refusal};
use babycuda_core::expr::{ArithOp, CompareOp, Relation};
use babycuda_core::machine::IntType;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{Budget, Launch, Site, Thread};

/// What happens at each access.
pub(super) trait Sink {
    /// The access statement `number` reaches the cell at `index`. `false` stops the thread.
    fn access(&mut self, number: u16, index: u64, registers: &[u64]) -> bool;
}

/// A thread between two runs.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub thread: u64,
    pc: usize,
    /// The registers that may differ from those of other threads.
    registers: Box<[u64]>,
    /// Where it stopped; `None`: it has not run, or it ran to its end.
    pub barrier: Option<u16>,
}

/// Why a run stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exit {
    Done,
    Barrier(u16),
    /// It reads what no one can have written.
    Stuck(Site),
    /// The sink said so.
    Sink,
}

impl Exit {
    /// The read at which the thread is stuck.
    pub(super) fn stuck(self) -> Option<Site> {
        match self {
            Exit::Stuck(site) => Some(site),
            _ => None,
        }
    }
}

/// A compiled protocol with room for one running thread.
pub(super) struct Machine<'a> {
    pub code: &'a Code,
    launch: Launch,
    registers: Vec<u64>,
    /// Steps left.
    pub steps: u64,
    limit: u64,
    budget: Budget,
}

impl<'a> Machine<'a> {
    pub(super) fn new(code: &'a Code, launch: Launch, limits: &EnumerationLimits) -> Machine<'a> {
        let EnumerationLimits { steps, budget, .. } = *limits;
        Machine { code, launch, registers: code.registers.clone(), steps, limit: steps, budget }
    }

    /// A thread at its start.
    pub(super) fn start(&self, thread: Thread) -> State {
        let mut registers = vec![0u64; self.saved()].into_boxed_slice();
        registers[..THREAD_REGS].copy_from_slice(&self.place(thread));
        State { thread: thread.index, pc: 0, registers, barrier: None }
    }

    /// The registers of a thread.
    fn place(&self, thread: Thread) -> [u64; THREAD_REGS] {
        let [x, y, z] = self.launch.block.position(thread.index).components().map(u64::from);
        let [bx, by, bz] = self.launch.grid.position(thread.block).components().map(u64::from);
        [thread.index, x, y, z, bx, by, bz]
    }

    /// Bytes of one [`State`].
    pub(super) fn state_size(&self) -> u64 {
        (size_of::<State>() + 8 * self.saved()) as u64
    }

    fn saved(&self) -> usize {
        THREAD_REGS + self.code.registers.len() - self.code.literals_end
    }

    /// Runs a thread to its next barrier or its end, and leaves it there.
    pub(super) fn resume<S: Sink>(
        &mut self,
        state: &mut State,
        sink: &mut S,
    ) -> Result<Exit, Refusal> {
        let rest = self.code.literals_end;
        self.registers[..THREAD_REGS].copy_from_slice(&state.registers[..THREAD_REGS]);
        self.registers[rest..].copy_from_slice(&state.registers[THREAD_REGS..]);
        let (stop, pc) = self.run(state.pc, sink)?;
        state.registers[THREAD_REGS..].copy_from_slice(&self.registers[rest..]);
        state.pc = pc;
        state.barrier = match stop {
            Exit::Barrier(number) => Some(number),
            Exit::Done | Exit::Stuck(_) | Exit::Sink => None,
        };
        Ok(stop)
    }

    /// Runs a thread that has no state to keep: from its start, to its end or first barrier.
    pub(super) fn run_fresh<S: Sink>(
        &mut self,
        thread: Thread,
        sink: &mut S,
    ) -> Result<Exit, Refusal> {
        let place = self.place(thread);
        self.registers[..THREAD_REGS].copy_from_slice(&place);
        Ok(self.run(0, sink)?.0)
    }

    fn overflow(&self, pc: usize) -> Refusal {
        Refusal::Overflow(self.code.sites.get(pc).copied().unwrap_or_default())
    }

    fn run<S: Sink>(&mut self, start: usize, sink: &mut S) -> Result<(Exit, usize), Refusal> {
        let code = self.code;
        let budget = self.budget;
        // The run itself is a step: a thread may have neither accesses nor loops.
        let mut steps = self.steps.checked_sub(1).ok_or(Refusal::Steps(self.limit))?;
        budget.check_at(steps)?;
        let mut pc = start;
        let r = self.registers.as_mut_slice();
        let outcome = loop {
            let Some(instr) = code.instrs.get(pc) else {
                break Ok((Exit::Done, pc));
            };
            match *instr {
                Instr::Add(d, a, b) => match r[a as usize].checked_add(r[b as usize]) {
                    Some(sum) => r[d as usize] = sum,
                    None => break Err(pc),
                },
                Instr::Mul(d, a, b) => match r[a as usize].checked_mul(r[b as usize]) {
                    Some(product) => r[d as usize] = product,
                    None => break Err(pc),
                },
                Instr::Natural(op, d, a, b) => match natural(op, r[a as usize], r[b as usize]) {
                    Some(value) => r[d as usize] = value,
                    None => break Err(pc),
                },
                Instr::Wrapping(op, unused, d, a, b) => {
                    let (a, b) = (r[a as usize], r[b as usize]);
                    let value = match op {
                        Wrap::Add => a.wrapping_add(b),
                        Wrap::Sub => a.wrapping_sub(b),
                        Wrap::Mul => a.wrapping_mul(b),
                    };
                    r[d as usize] = value & (u64::MAX >> unused);
                }
                Instr::Machine(op, t, d, a, b) => {
                    r[d as usize] = op.apply(t, r[a as usize], r[b as usize]);
                }
                Instr::Cast(from, to, d, a) => r[d as usize] = from.convert(r[a as usize], to),
                Instr::Select(d, c, a, b) => {
                    let chosen = if r[c as usize] == 0 { b } else { a };
                    r[d as usize] = r[chosen as usize];
                }
                Instr::Compare(op, d, a, b) => {
                    r[d as usize] = u64::from(compare(op, r[a as usize], r[b as usize]));
                }
                Instr::And(d, a, b) => r[d as usize] = r[a as usize] & r[b as usize],
                Instr::Or(d, a, b) => r[d as usize] = r[a as usize] | r[b as usize],
                Instr::Not(d, a) => r[d as usize] = 1 - r[a as usize],
                Instr::Unless(c, to) => {
                    if r[c as usize] == 0 {
                        pc = to as usize;
                        continue;
                    }
                }
                Instr::Goto(to) => {
                    pc = to as usize;
                    continue;
                }
                Instr::Input(d, number, index) => {
                    let stored = code.inputs.get(usize::from(number));
                    let index = r[index as usize];
                    let value = stored.and_then(|s| s.cells.get(&index).copied().or(s.fill));
                    let Some(value) = value else {
                        let site = code.sites.get(pc).copied().unwrap_or_default();
                        break Ok((Exit::Stuck(site), pc));
                    };
                    r[d as usize] = value;
                }
                Instr::Access(number, index) => {
                    if steps == 0 {
                        self.steps = 0;
                        return Err(Refusal::Steps(self.limit));
                    }
                    steps -= 1;
                    budget.check_at(steps)?;
                    let index = r[index as usize];
                    if !sink.access(number, index, r) {
                        break Ok((Exit::Sink, pc + 1));
                    }
                }
                Instr::Enter { counter, lower, upper, exit } => {
                    r[counter as usize] = r[lower as usize];
                    if r[counter as usize] >= r[upper as usize] {
                        pc = exit as usize;
                        continue;
                    }
                }
                Instr::Next { counter, upper, back } => {
                    if steps == 0 {
                        self.steps = 0;
                        return Err(Refusal::Steps(self.limit));
                    }
                    steps -= 1;
                    budget.check_at(steps)?;
                    // Below `upper`, so the successor fits.
                    let next = r[counter as usize] + 1;
                    if next < r[upper as usize] {
                        r[counter as usize] = next;
                        pc = back as usize;
                        continue;
                    }
                }
                Instr::Sync(number) => break Ok((Exit::Barrier(number), pc + 1)),
                Instr::Stuck => {
                    let site = code.sites.get(pc).copied().unwrap_or_default();
                    break Ok((Exit::Stuck(site), pc));
                }
                Instr::Done => break Ok((Exit::Done, pc)),
            }
            pc += 1;
        };
        self.steps = steps;
        outcome.map_err(|pc| self.overflow(pc))
    }

    /// A barrier: its site and its scope.
    pub(super) fn barrier(&self, number: u16) -> (Site, BarrierScope) {
        let barrier = self.code.barriers.get(usize::from(number));
        barrier.copied().unwrap_or_default()
    }
}

fn natural(op: ArithOp, l: u64, r: u64) -> Option<u64> {
    Some(match op {
        ArithOp::Add => l.checked_add(r)?,
        ArithOp::Mul => l.checked_mul(r)?,
        ArithOp::Sub => l.saturating_sub(r),
        ArithOp::Div => l.checked_div(r).unwrap_or(0),
        ArithOp::Mod => l.checked_rem(r).unwrap_or(l),
        ArithOp::Min => l.min(r),
        ArithOp::Max => l.max(r),
    })
}

fn compare(op: CompareOp, l: u64, r: u64) -> bool {
    let ordering = match op.machine {
        None => l.cmp(&r),
        Some(t) => read(t, l).cmp(&read(t, r)),
    };
    match op.relation {
        Relation::Eq => ordering.is_eq(),
        Relation::Ne => ordering.is_ne(),
        Relation::Lt => ordering.is_lt(),
        Relation::Le => ordering.is_le(),
        Relation::Gt => ordering.is_gt(),
        Relation::Ge => ordering.is_ge(),
    }
}

/// A number whose unsigned order is the order of what the pattern means.
fn read(t: IntType, bits: u64) -> u64 {
    let bits = bits & t.width.mask();
    if t.signed {
        // The sign bit flipped puts negative patterns first.
        bits ^ (1 << (t.width.bits() - 1))
    } else {
        bits
    }
}
