//! One thread, up to what others see of it.

use super::code::{Code, Op};
use super::device::Offer;
use super::group::{GroupValue, Method};
use super::memory::{Address, Memory, ObjectId, Owner};
use super::operate::operate;
use super::record::Touch;
use super::setup::Setup;
use super::value::{Shape, Value};
use super::{End, Halt, Limits, Stop};
use crate::execute::code::Reduce;
use babycuda_core::budget::look;
use babycuda_core::launch::Group;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{AccessMode, Launch, Thread};
use babycuda_kernel::At;
use babycuda_kernel::Launch as Dimensions;

/// A thread between two instructions.
#[derive(Debug)]
pub(super) struct State {
    pub(super) thread: Thread,
    /// Its number in the launch.
    pub(super) number: usize,
    pc: usize,
    pub(super) stack: Vec<Value>,
    frames: Vec<Frame>,
    /// Objects of functions that it left.
    free: Vec<ObjectId>,
    pub(super) status: Status,
}

/// A function that a thread is in.
#[derive(Debug)]
struct Frame {
    slots: Vec<Option<ObjectId>>,
    /// Where it goes behind it.
    back: usize,
    /// What of the stack is not the function's.
    base: usize,
}

/// What a thread does next.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Status {
    Running,
    Waiting(Wait, Site),
    Ended(End),
}

/// A place of the text, with the calls that lead there.
pub(super) type Site = (At, Vec<usize>);

/// What a thread waits for.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Wait {
    /// A barrier, which may count truth values.
    Barrier(Group, Option<(Reduce, Value)>),
    /// The lanes of its warp that a mask names. Ballots count from a lane.
    Lanes { mask: u32, first: u32, exchange: super::device::Trade, offer: Offer },
}

/// Why a thread does not do its next instruction.
pub(super) enum Out {
    Halt(Halt),
    Unknown(&'static str),
    Unsupported(String),
    Outside,
    Limit(&'static str),
}

impl From<Halt> for Out {
    fn from(halt: Halt) -> Out {
        Out::Halt(halt)
    }
}

pub(super) type Did<T = ()> = Result<T, Out>;

/// What all threads of a run share.
pub(super) struct World<'a> {
    pub(super) code: &'a Code,
    pub(super) setup: Setup,
    pub(super) launch: Launch,
    pub(super) log: Vec<Touch>,
    pub(super) steps: u64,
    pub(super) limits: Limits,
}

/// The most calls that a thread is in.
const DEPTH: usize = 1000;
/// The most bytes of a variable.
const LARGEST: u64 = 1 << 24;

impl State {
    /// A thread that begins a function of no parameters but those on its stack.
    pub(super) fn start(
        thread: Thread,
        number: usize,
        entry: super::code::Entry,
        stack: Vec<Value>,
    ) -> State {
        let frame = Frame { slots: vec![None; entry.slots], back: usize::MAX, base: 0 };
        let (pc, frames, free) = (entry.start, vec![frame], Vec::new());
        State { thread, number, pc, stack, frames, free, status: Status::Running }
    }

    /// Runs up to and with its next access that others see, or until it waits or ends.
    ///
    /// # Errors
    /// The run ends.
    pub(super) fn advance(&mut self, world: &mut World<'_>) -> Result<(), Stop> {
        while self.status == Status::Running {
            let Some(instruction) = world.code.instructions.get(self.pc) else {
                self.status = Status::Ended(End::Returned);
                break;
            };
            world.steps += 1;
            if world.steps.is_multiple_of(4096) {
                look();
            }
            if world.steps > world.limits.steps {
                return Err(Stop::Limit("steps"));
            }
            if world.log.len() > world.limits.events {
                return Err(Stop::Limit("events"));
            }
            let (thread, at) = (self.thread, instruction.at);
            self.pc += 1;
            let seen = world.log.len();
            match self.step(&instruction.op, at, world) {
                Ok(()) => {}
                Err(Out::Halt(halt)) => self.status = Status::Ended(End::Halted(halt, at)),
                Err(Out::Unknown(what)) => return Err(Stop::Unknown { what, thread, at }),
                Err(Out::Unsupported(construct)) => {
                    return Err(Stop::Unsupported { construct, thread, at });
                }
                Err(Out::Outside) => return Err(Stop::Outside { thread, at }),
                Err(Out::Limit(what)) => return Err(Stop::Limit(what)),
            }
            if world.log.len() > seen {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn pop(&mut self) -> Value {
        // Each instruction finds what those before it left: the compiler keeps the balance.
        self.stack.pop().unwrap_or(Value::Unknown)
    }

    fn address(&mut self, world: &World<'_>) -> Did<Address> {
        match self.pop() {
            Value::Known(bits) => {
                let address = Address::of(bits).ok_or(Out::Outside)?;
                world.setup.memory.object(address).ok_or(Out::Outside).map(|_| address)
            }
            _ => Err(Out::Unknown("an address")),
        }
    }

    /// Whether the access of an object is seen by others: which array's it is.
    fn visible(&self, memory: &Memory, address: Address) -> Did<Option<usize>> {
        let object = memory.object(address).ok_or(Out::Outside)?;
        match object.owner {
            Owner::Device => Ok(object.array),
            Owner::Block(block) if block == self.thread.block => Ok(object.array),
            Owner::Constant => Ok(None),
            Owner::Thread(number) if number == self.number => Ok(None),
            Owner::Block(_) | Owner::Thread(_) => Err(Out::Outside),
        }
    }

    fn touch(
        &self,
        world: &mut World<'_>,
        to: Address,
        mode: AccessMode,
        size: u64,
        at: At,
        stored: Option<u64>,
    ) -> Did {
        if let Some(array) = self.visible(&world.setup.memory, to)? {
            let (thread, offset) = (self.thread, to.offset);
            world.log.push(Touch::Access { thread, mode, array, offset, size, at, stored });
        }
        Ok(())
    }

    fn load(&mut self, world: &mut World<'_>, shape: Shape, at: At) -> Did {
        let from = self.address(world)?;
        let bytes = world.setup.memory.read(from, shape.size()).map_err(|_| Out::Outside)?;
        self.touch(world, from, AccessMode::Rd, shape.size(), at, None)?;
        self.stack.push(shape.of(bytes));
        Ok(())
    }

    fn write(&self, world: &mut World<'_>, to: Address, shape: Shape, value: &Value) -> Did {
        if world.setup.memory.used > world.limits.bytes {
            return Err(Out::Limit("memory"));
        }
        world.setup.memory.write(to, &shape.bytes(value)).map_err(|_| Out::Outside)
    }

    fn begin(&mut self, world: &mut World<'_>, slot: usize, size: u64) -> Did<ObjectId> {
        let memory = &mut world.setup.memory;
        if size > LARGEST || memory.used > world.limits.bytes {
            return Err(Out::Limit("memory"));
        }
        let frame = self.frames.last_mut().ok_or(Out::Outside)?;
        let known = frame.slots.get_mut(slot).ok_or(Out::Outside)?;
        let object = match known.or_else(|| self.free.pop()) {
            Some(object) => {
                memory.again(object, size);
                object
            }
            None => memory.variable(Owner::Thread(self.number), size),
        };
        *known = Some(object);
        Ok(object)
    }

    fn site(&self, at: At) -> Site {
        (at, self.frames.iter().map(|frame| frame.back).collect())
    }

    pub(super) fn wait(&mut self, wait: Wait, at: At) {
        self.status = Status::Waiting(wait, self.site(at));
    }

    fn barrier(&mut self, world: &World<'_>, scope: BarrierScope, at: At) {
        let group = world.launch.group(scope, self.thread);
        self.wait(Wait::Barrier(group, None), at);
    }

    pub(super) fn group(&mut self) -> Did<GroupValue> {
        match self.pop() {
            Value::Known(bits) => {
                GroupValue::read(bits).ok_or(Out::Unsupported("a value that is no group".into()))
            }
            _ => Err(Out::Unknown("a group")),
        }
    }

    pub(super) fn known(&mut self, what: &'static str) -> Did<u64> {
        match self.pop() {
            Value::Known(bits) => Ok(bits),
            _ => Err(Out::Unknown(what)),
        }
    }

    fn step(&mut self, op: &Op, at: At, world: &mut World<'_>) -> Did {
        match op {
            Op::Launch(which, dimension) => {
                let launch = &world.launch;
                let dims = match which {
                    Dimensions::ThreadIdx => launch.block.position(self.thread.index),
                    Dimensions::BlockIdx => launch.grid.position(self.thread.block),
                    Dimensions::BlockDim => launch.block,
                    Dimensions::GridDim => launch.grid,
                };
                let value = dims.components().get(*dimension).copied().unwrap_or(0);
                self.stack.push(Value::Known(value.into()));
            }
            Op::Clock(t) => self.stack.push(Value::Known(t.write(world.steps.into()))),
            Op::WarpSize => self.stack.push(Value::Known(world.launch.warp.into())),
            Op::Slot(slot) => {
                let frame = self.frames.last().ok_or(Out::Outside)?;
                let object = frame.slots.get(*slot).copied().flatten().ok_or(Out::Outside)?;
                self.push_object(object)?;
            }
            Op::Object(object) => self.push_object(*object)?,
            Op::Shared(number) => {
                self.push_object(world.setup.shared(self.thread.block, *number))?;
            }
            Op::Load(shape) => self.load(world, *shape, at)?,
            Op::Store(shape) => {
                let to = self.address(world)?;
                let value = self.stack.last().cloned().unwrap_or(Value::Unknown);
                let stored = match value {
                    Value::Known(bits) => Some(bits),
                    _ => None,
                };
                self.touch(world, to, AccessMode::Wr, shape.size(), at, stored)?;
                self.write(world, to, *shape, &value)?;
            }
            Op::Begin(slot, size) => {
                self.begin(world, *slot, *size)?;
            }
            Op::Bind(slot, shape) => {
                let object = self.begin(world, *slot, shape.size())?;
                let value = self.pop();
                self.write(world, Address { object, offset: 0 }, *shape, &value)?;
            }
            Op::Jump(target) => self.pc = *target,
            Op::Unless(target) => {
                if self.known("a branch")? == 0 {
                    self.pc = *target;
                }
            }
            Op::Call(function) => {
                if self.frames.len() >= DEPTH {
                    return Err(Out::Limit("calls in calls"));
                }
                let entry = world.code.functions.get(*function).copied().unwrap_or_default();
                let base = self.stack.len().saturating_sub(entry.parameters);
                let slots = vec![None; entry.slots];
                self.frames.push(Frame { slots, back: self.pc, base });
                self.pc = entry.start;
            }
            Op::Return => {
                let value = self.pop();
                let frame = self.frames.pop().ok_or(Out::Outside)?;
                self.free.extend(frame.slots.into_iter().flatten());
                self.stack.truncate(frame.base);
                self.stack.push(value);
                self.pc = frame.back;
                if self.frames.is_empty() {
                    self.status = Status::Ended(End::Returned);
                }
            }
            Op::Barrier(scope) => self.barrier(world, *scope, at),
            Op::Reduce(reduce) => {
                let value = self.pop();
                let group = world.launch.group(BarrierScope::Block, self.thread);
                self.wait(Wait::Barrier(group, Some((*reduce, value))), at);
            }
            Op::SyncWarp => {
                let mask = self.known("a mask")?;
                match self.lanes(&world.launch, mask) {
                    Some(scope) => self.barrier(world, scope, at),
                    None => self.meet(mask, &world.launch, at)?,
                }
            }
            Op::Group(Method::Sync) => {
                let group = self.group()?;
                self.barrier(world, group.scope, at);
            }
            Op::Group(Method::Partition(size)) => {
                let parent = self.group()?;
                let tiles =
                    Method::tiles(*size, parent, &world.launch).map_err(Out::Unsupported)?;
                self.stack.push(Value::Known(tiles.bits()));
            }
            Op::Group(method) => {
                let group = self.group()?;
                let number = method.number(group, &world.launch, self.thread);
                let number = number.ok_or_else(|| {
                    Out::Unsupported("a method of a group that has no such one".to_owned())
                })?;
                self.stack.push(Value::Known(number));
            }
            Op::Exchange(exchange) => self.exchange(*exchange, &world.launch, at)?,
            Op::Atomic(update, shape, number, scope) => {
                let new = self.pop();
                let expected = (*update == super::device::Update::Cas).then(|| self.pop());
                let to = self.address(world)?;
                let bytes = world.setup.memory.read(to, shape.size()).map_err(|_| Out::Outside)?;
                let old = shape.of(bytes);
                self.touch(world, to, AccessMode::At(*scope), shape.size(), at, None)?;
                let value = update.apply(*number, &old, &new, expected.as_ref());
                self.write(world, to, *shape, &value)?;
                self.stack.push(old);
            }
            Op::Halt(halt) => return Err(Out::Halt(*halt)),
            Op::HaltUnless(halt) => {
                if self.known("an assertion")? == 0 {
                    return Err(Out::Halt(*halt));
                }
            }
            Op::Unsupported(construct) => return Err(Out::Unsupported(construct.clone())),
            other => operate(other, &mut self.stack)?,
        }
        Ok(())
    }

    fn push_object(&mut self, object: ObjectId) -> Did {
        let bits = Address { object, offset: 0 }.bits().ok_or(Out::Limit("variables"))?;
        self.stack.push(Value::Known(bits));
        Ok(())
    }
}
