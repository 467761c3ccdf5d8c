//! What there is before a kernel runs: its arrays, with what the host stored, constants, parameters.
//!
//! Names are those that the front end gives arrays: of the file first, then of parameters, then of shared
//! variables; a second one of a name gets a number.

use super::memory::{Address, Array, Memory, ObjectId, Owner};
use super::value::{Byte, Shape, Value, shape, size};
use crate::Refusal;
use babycuda_core::name::reserved::is_reserved;
use babycuda_core::{Configuration, Name, Natural, Thread};
use babycuda_kernel::{Initial, Kernel, StmtKind, Storage, Type, Var};
use std::collections::{BTreeSet, HashMap, HashSet};

/// Where a variable lives that is no function's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Home {
    /// An object of all threads.
    Object(ObjectId),
    /// One of each block, by number.
    Shared(u32),
}

/// Where variables live, and what parameters of the template are.
#[derive(Default, Debug)]
pub(super) struct Layout {
    homes: HashMap<Var, Home>,
    /// Constants that the file initializes.
    initialized: HashSet<Var>,
    template: HashMap<Var, u64>,
}

impl Layout {
    pub(super) fn home(&self, v: Var) -> Option<Home> {
        self.homes.get(&v).copied()
    }

    pub(super) fn is_initialized(&self, v: Var) -> bool {
        self.initialized.contains(&v)
    }

    pub(super) fn template(&self, v: Var) -> Option<u64> {
        self.template.get(&v).copied()
    }
}

/// A parameter of the kernel.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Argument {
    Value(Value),
    /// The shared array of this number, of the thread's block.
    Shared(u32),
}

/// All that is known before a run.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) layout: Layout,
    pub(super) memory: Memory,
    pub(super) arrays: Vec<Array>,
    /// The shared arrays of a block: which arrays they are.
    shared: Vec<usize>,
    /// The blocks that run, in order, and the first object of the first one.
    blocks: Vec<u64>,
    first_shared: ObjectId,
    pub(super) arguments: Vec<Argument>,
}

impl Setup {
    /// The shared array of this number, of a block.
    pub(super) fn shared(&self, block: u64, number: u32) -> ObjectId {
        let place = self.blocks.binary_search(&block).unwrap_or_else(|place| place);
        self.first_shared + (place * self.shared.len()) as ObjectId + number
    }
}

/// The most objects of blocks.
const MOST_SHARED: usize = 1 << 20;

/// What there is before a run.
///
/// # Errors
/// A parameter that the configuration does not give; more shared arrays than there is room for.
pub(super) fn setup(
    kernel: &Kernel,
    configuration: &Configuration,
    threads: &[Thread],
) -> Result<Setup, Refusal> {
    let mut builder = Builder {
        kernel,
        configuration,
        used: BTreeSet::new(),
        layout: Layout::default(),
        memory: Memory::default(),
        arrays: Vec::new(),
        shared: Vec::new(),
    };
    for v in &kernel.template {
        if let Some(value) = configuration.parameters.get(&Name::new(&kernel[*v].name)) {
            builder.layout.template.insert(*v, value.low_u64());
        }
    }
    for stmt in &kernel.globals {
        if let StmtKind::Declare(v, initial) = &stmt.kind {
            builder.global(*v, matches!(initial, Some(Initial::Value(_))));
        }
    }
    for v in &kernel.template {
        builder.scalar(*v)?;
    }
    let arguments = builder.arguments()?;
    builder.locals();
    let blocks: BTreeSet<u64> = threads.iter().map(|thread| thread.block).collect();
    let blocks: Vec<u64> = blocks.into_iter().collect();
    if blocks.len().saturating_mul(builder.shared.len()) > MOST_SHARED {
        return Err(Refusal::Limit("room for shared arrays"));
    }
    let first_shared = builder.memory.objects.len() as ObjectId;
    for block in &blocks {
        for array in builder.shared.clone() {
            builder.hosted(array, Owner::Block(*block));
        }
    }
    let Builder { layout, memory, arrays, shared, .. } = builder;
    Ok(Setup { layout, memory, arrays, shared, blocks, first_shared, arguments })
}

struct Builder<'a> {
    kernel: &'a Kernel,
    configuration: &'a Configuration,
    used: BTreeSet<Name>,
    layout: Layout,
    memory: Memory,
    arrays: Vec<Array>,
    shared: Vec<usize>,
}

impl Builder<'_> {
    fn name(&mut self, hint: &str) -> Name {
        let name = Name::new(hint).fresh(|n| self.used.contains(n) || is_reserved(n));
        self.used.insert(name.clone());
        name
    }

    fn size(&self, ty: &Type) -> Option<u64> {
        size(self.kernel, ty, &|v| self.layout.template(v))
    }

    /// An array that is recorded.
    fn array(&mut self, name: &str, ty: &Type, shared: bool) -> usize {
        let element = self.size(ty.innermost()).unwrap_or(1).max(1);
        let name = self.name(name);
        self.arrays.push(Array { name, element, shared });
        self.arrays.len() - 1
    }

    /// An object of it, with what the host stored. What is not said is 0; of an array of blocks that is named and has no
    /// fill, it is not known.
    fn hosted(&mut self, array: usize, owner: Owner) -> ObjectId {
        let Array { name, element, .. } = self.arrays[array].clone();
        let host = self.configuration.host.array(&name);
        let zero = Natural::zero();
        let fill = match (owner, host.map(|host| &host.fill)) {
            (Owner::Block(_), Some(None)) => vec![Byte::Unknown; element as usize],
            (_, fill) => bytes(fill.and_then(Option::as_ref).unwrap_or(&zero), element),
        };
        let object = self.memory.array(array, owner, fill);
        for (index, value) in host.iter().flat_map(|host| &host.cells) {
            // Indices are of 64 bits: those from 2^63 on are before the beginning.
            let offset = index.to_u64().and_then(|i| (i as i64).checked_mul(element as i64));
            if let Some(offset) = offset {
                let _there = self.memory.write(Address { object, offset }, &bytes(value, element));
            }
        }
        object
    }

    fn global(&mut self, v: Var, valued: bool) {
        let variable = &self.kernel[v];
        let array = matches!(variable.ty, Type::Array(..));
        let fixed = valued && variable.constant;
        match variable.storage {
            Storage::Shared | Storage::Dynamic => self.shared(v),
            Storage::Device if !fixed => self.device(v),
            Storage::Constant if array && !fixed => self.device(v),
            Storage::Constant if !fixed => {
                let _name = self.name(&variable.name);
                let value = self.configuration.parameters.get(&Name::new(&variable.name));
                self.constant(v, value.map(Natural::low_u64));
            }
            _ => {
                self.constant(v, None);
                if valued {
                    self.layout.initialized.insert(v);
                }
            }
        }
    }

    fn device(&mut self, v: Var) {
        let variable = &self.kernel[v];
        let array = self.array(&variable.name, &variable.ty, false);
        let object = self.hosted(array, Owner::Device);
        self.layout.homes.insert(v, Home::Object(object));
    }

    /// A constant of all threads, which has the value if there is one.
    fn constant(&mut self, v: Var, value: Option<u64>) {
        let ty = &self.kernel[v].ty;
        let size = self.size(ty).filter(|size| *size <= 1 << 20).unwrap_or(1);
        let object = self.memory.variable(Owner::Constant, size);
        self.layout.homes.insert(v, Home::Object(object));
        let at = Address { object, offset: 0 };
        if let (Some(value), Some(shape)) = (value, shape(self.kernel, ty)) {
            let _fits = self.memory.write(at, &shape.bytes(&Value::Known(value)));
        } else if matches!(ty, Type::Record(_)) && !self.points(ty) {
            let mut whole = vec![Byte::Unknown; size as usize];
            self.fields(&self.kernel[v].name, ty, &mut whole);
            let _fits = self.memory.write(at, &whole);
        }
    }

    /// Has an object of the type pointers?
    fn points(&self, ty: &Type) -> bool {
        match ty.innermost() {
            Type::Pointer(_) => true,
            Type::Record(id) => self.kernel[*id].fields.iter().any(|field| self.points(&field.ty)),
            _ => false,
        }
    }

    /// A parameter of the template.
    fn scalar(&mut self, v: Var) -> Result<(), Refusal> {
        let name = self.name(&self.kernel[v].name);
        let value = self.layout.template(v);
        if value.is_none() {
            return Err(Refusal::no_value(name.as_str()));
        }
        self.constant(v, value);
        Ok(())
    }

    fn shared(&mut self, v: Var) {
        let variable = &self.kernel[v];
        let dynamic = variable.storage == Storage::Dynamic;
        // All such variables begin at one address.
        let known = dynamic.then(|| {
            let other = |(w, home): (&Var, &Home)| {
                (self.kernel[*w].storage == Storage::Dynamic).then_some(*home)
            };
            self.layout.homes.iter().find_map(other)
        });
        let home = known.flatten().unwrap_or_else(|| {
            let array = self.array(&variable.name, &variable.ty, true);
            self.shared.push(array);
            Home::Shared(self.shared.len() as u32 - 1)
        });
        self.layout.homes.insert(v, home);
    }

    /// The shared variables and constants of functions.
    fn locals(&mut self) {
        let parameters: HashSet<Var> =
            self.kernel.functions.iter().flat_map(|f| f.parameters.iter().copied()).collect();
        for number in 0..self.kernel.variables.len() {
            let v = Var(number as u32);
            if self.layout.homes.contains_key(&v) || parameters.contains(&v) {
                continue;
            }
            match self.kernel[v].storage {
                Storage::Shared | Storage::Dynamic => self.shared(v),
                Storage::Device => self.device(v),
                Storage::Constant | Storage::File => {
                    self.constant(v, None);
                    self.layout.initialized.insert(v);
                }
                Storage::Local | Storage::Reference | Storage::Template => {}
            }
        }
    }

    fn arguments(&mut self) -> Result<Vec<Argument>, Refusal> {
        let kernel = self.kernel;
        let mut arguments = Vec::new();
        for v in kernel.entry().into_iter().flat_map(|entry| &entry.parameters) {
            let variable = &kernel[*v];
            arguments.push(match &variable.ty {
                Type::Pointer(pointee) if variable.storage == Storage::Shared => {
                    let array = self.array(&variable.name, pointee, true);
                    self.shared.push(array);
                    Argument::Shared(self.shared.len() as u32 - 1)
                }
                Type::Pointer(pointee) => Argument::Value(self.pointer(&variable.name, pointee)),
                ty => {
                    let name = self.name(&variable.name);
                    let given = self.configuration.parameters.get(&name);
                    Argument::Value(match (shape(kernel, ty), given) {
                        (Some(Shape::Bytes(size)), Some(value)) => Value::Bytes(bytes(value, size)),
                        (Some(_), Some(value)) => Value::Known(value.low_u64()),
                        (Some(Shape::Bytes(size)), None)
                            if matches!(ty, Type::Record(_) | Type::Vector(..)) =>
                        {
                            let mut whole = vec![Byte::Unknown; size as usize];
                            self.fields(&variable.name, ty, &mut whole);
                            Value::Bytes(whole)
                        }
                        (Some(shape), None) if ty.is_data() => shape.unknown(),
                        _ => return Err(Refusal::no_value(name.as_str())),
                    })
                }
            });
        }
        Ok(arguments)
    }

    /// A pointer to the beginning of an array of its own.
    fn pointer(&mut self, name: &str, pointee: &Type) -> Value {
        let array = self.array(name, pointee, false);
        let object = self.hosted(array, Owner::Device);
        let bits = Address { object, offset: 0 }.bits();
        bits.map_or(Value::Unknown, Value::Known)
    }

    /// What is known of an object's bytes, by its fields: each has a name of its own, `object.field`, as the front end
    /// calls it. All elements of an array hold the value of its name.
    fn fields(&mut self, name: &str, ty: &Type, whole: &mut [Byte]) {
        let given = self.configuration.parameters.get(&Name::new(name)).cloned();
        let value = match ty {
            Type::Record(id) => {
                for field in &self.kernel[*id].fields {
                    let inner =
                        usize::try_from(field.offset).ok().and_then(|at| whole.get_mut(at..));
                    if let Some(inner) = inner {
                        self.fields(&format!("{name}.{}", field.name), &field.ty, inner);
                    }
                }
                return;
            }
            Type::Vector(lane, lanes) if given.is_none() => {
                let size = self.size(lane).unwrap_or(1).max(1) as usize;
                let parts = whole.chunks_mut(size).take(*lanes as usize);
                for (part, letter) in parts.zip(["x", "y", "z", "w"]) {
                    self.fields(&format!("{name}.{letter}"), lane, part);
                }
                return;
            }
            Type::Pointer(pointee) => match self.pointer(name, pointee) {
                Value::Known(bits) => Some(Natural::from(bits)),
                _ => None,
            },
            _ => given,
        };
        if let (Some(value), Some(size), Some(element)) =
            (value, self.size(ty), self.size(ty.innermost()))
        {
            let all = bytes(&value, element).into_iter().cycle().take(size as usize);
            whole.iter_mut().zip(all).for_each(|(byte, known)| *byte = known);
        }
    }
}

/// A number in so many bytes, the lowest first.
fn bytes(value: &Natural, size: u64) -> Vec<Byte> {
    let mut rest = value.clone();
    let mut found = Vec::new();
    while found.len() < size as usize {
        let word = rest.low_u64();
        found.extend(word.to_le_bytes().map(Byte::Known));
        rest = match rest.to_u64() {
            Some(_) => Natural::zero(),
            None => rest.div_total(&Natural::from(u64::MAX).successor()),
        };
    }
    found.truncate(size as usize);
    found
}
