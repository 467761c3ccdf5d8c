//! What a run begins with: what the host stored and passes, as far as a translation knows it, and beyond that.

use super::Runs;
use super::values::{Pattern, decoded, encoded, has_floats};
use crate::check::host_memory;
use babycuda_core::evidence::{Report, Witness};
use babycuda_core::history::{HostArray, HostMemory};
use babycuda_core::syntax::{Contents, Tree};
use babycuda_core::{AccessMode, Configuration, Name, Natural};
use babycuda_kernel::device::Device;
use babycuda_kernel::{Expr, ExprKind, Node, Place, PlaceKind, Storage, Type, Var, Variable};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// So many cells of an array get a value; all others hold 0.
const CELLS: u64 = 256;

/// So many floats of a run are told.
const MAX_TOLD: usize = 8;

impl Runs<'_> {
    /// The launch with what the host stores: a pattern, and what the witnesses there have to read.
    pub(super) fn beginning(
        &self,
        at: &Configuration,
        pattern: Pattern,
        races: &[Report<Witness>],
    ) -> Configuration {
        let alike = races.iter().filter(|race| race.configuration.parameters == at.parameters);
        let choices =
            alike.flat_map(|race| race.first.data.iter().chain(&race.second.data)).take(64);
        let chosen = host_memory(self.program, at, choices);
        let chosen = chosen.unwrap_or_else(|| HostMemory::declared(self.program));
        let mut host = HostMemory::default();
        for (salt, array) in (0..).zip(&self.program.arrays) {
            let held = match &array.contents {
                Contents::Any | Contents::Opaque => {
                    let ty = self.element(&array.name);
                    let value = |i| encoded(ty, pattern.value(salt, i), pattern);
                    let cells = (0..CELLS).map(|i| (Natural::from(i), value(i)));
                    // Solvers know no floats: what they choose there stands for none.
                    let chosen = chosen.array(&array.name).filter(|_| !ty.is_some_and(has_floats));
                    let given = chosen.into_iter().flat_map(|a| a.cells.clone());
                    HostArray { fill: Some(Natural::zero()), cells: cells.chain(given).collect() }
                }
                _ => chosen.array(&array.name).cloned().unwrap_or_default(),
            };
            host.insert(array.name.clone(), held);
        }
        let mut at = Configuration { host, ..at.clone() };
        // Different ones: kernels divide by differences.
        let first = u64::from(pattern != Pattern::Zeros);
        for (number, (name, ty)) in (first..).zip(self.floats()) {
            at.parameters.insert(Name::new(name), encoded(Some(ty.innermost()), number, pattern));
        }
        at
    }

    /// The parameters and constants that are named in the kernel, and fields of such, whose values the translation does
    /// not know. All elements of an array among them have one value.
    fn floats(&self) -> Vec<(String, &Type)> {
        let named: BTreeSet<Var> = self.nodes().filter_map(variable).collect();
        let of = |v: &Var| &self.kernel[*v];
        let parameters = self.kernel.entry().into_iter().flat_map(|entry| &entry.parameters);
        let parameters = parameters.filter(|v| named.contains(v)).map(of);
        let constants = named.iter().map(of).filter(|v| v.storage == Storage::Constant);
        let constants = constants.filter(|v| matches!(v.ty, Type::Record(_)));
        let mut all = self.fields(parameters.chain(constants));
        all.retain(|(_, ty)| has_floats(ty.innermost()));
        all
    }

    /// What the kernel's functions are made of.
    fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.kernel.functions.iter().flat_map(|f| Node::Stmt(&f.body).subterms())
    }

    /// The parameters, of objects their fields.
    fn parts(&self) -> Vec<(String, &Type)> {
        let entry = self.kernel.entry().into_iter();
        self.fields(entry.flat_map(|entry| &entry.parameters).map(|v| &self.kernel[*v]))
    }

    /// Variables, of objects their fields: `object.field`.
    fn fields<'v>(&'v self, of: impl Iterator<Item = &'v Variable>) -> Vec<(String, &'v Type)> {
        let mut open: VecDeque<_> = of.map(|v| (v.name.clone(), &v.ty)).collect();
        let mut all = Vec::new();
        while let Some((name, ty)) = open.pop_front() {
            let Type::Record(id) = ty else {
                all.push((name, ty));
                continue;
            };
            for field in self.kernel[*id].fields.iter().rev() {
                open.push_front((format!("{name}.{}", field.name), &field.ty));
            }
        }
        all
    }

    /// Takes out of a run's beginning what the translation does not know, so that a witness cannot say it: floats. They
    /// are told as they are.
    pub(super) fn told(&self, at: &mut Configuration) -> Option<String> {
        let mut all: Vec<String> = self.textures().into_iter().collect();
        for (name, ty) in self.floats() {
            let each = if matches!(ty, Type::Array(..)) { "each element of " } else { "" };
            let passed = at.parameters.remove(&Name::new(&name));
            let value = passed.map(|value| decoded(ty.innermost(), &value));
            all.extend(value.map(|value| format!("{each}{name} = {value}")));
        }
        let mut zeros = false;
        let unknown = |name: &Name, ty: Option<&Type>| {
            ty.is_some_and(has_floats) || *self.program.contents(name) == Contents::Opaque
        };
        for array in &self.program.arrays {
            let ty = self.element(&array.name);
            let held = at.host.array(&array.name).filter(|_| unknown(&array.name, ty));
            let Some(HostArray { fill, cells }) = held.cloned() else { continue };
            at.host.insert(array.name.clone(), HostArray { fill, cells: BTreeMap::new() });
            zeros |= ty.is_some_and(has_floats) && self.reads(&array.name);
            let cells = cells.into_iter().filter(|(_, value)| *value != Natural::zero());
            let ty = ty.unwrap_or(&Type::Void);
            all.extend(
                cells.map(|(i, value)| format!("{}[{i}] = {}", array.name, decoded(ty, &value))),
            );
        }
        if all.len() > MAX_TOLD {
            all.truncate(MAX_TOLD);
            all.push("…".to_owned());
        } else if zeros {
            all.push(if all.is_empty() { "floats of 0" } else { "other floats of 0" }.to_owned());
        }
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// Does the kernel read the array?
    fn reads(&self, array: &Name) -> bool {
        let read = |(mode, of): (AccessMode, &Name)| mode == AccessMode::Rd && of == array;
        self.program.body.subterms().any(|s| s.head().access().is_some_and(read))
    }

    /// What its textures hold, of a kernel that fetches from some.
    fn textures(&self) -> Option<String> {
        let mut fetches = self.nodes().filter(|node| match node {
            Node::Expr(Expr { kind: ExprKind::Device(name, _), .. }) => {
                Device::of(name.as_str()) == Some(Device::Fetch)
            }
            _ => false,
        });
        fetches.next().map(|_| "textures of 0".to_owned())
    }

    /// The type of an array's elements.
    fn element(&self, name: &Name) -> Option<&Type> {
        let pointer = |ty: &&Type| matches!(ty, Type::Pointer(_) | Type::Array(..));
        let variables = self.kernel.variables.iter().filter(|v| v.name == name.as_str());
        let fields = self.parts().into_iter().filter(|(field, _)| field == name.as_str());
        let mut types = variables.map(|v| &v.ty).chain(fields.map(|(_, ty)| ty));
        types.find(pointer).map(|ty| match ty {
            Type::Pointer(element) => element.innermost(),
            ty => ty.innermost(),
        })
    }
}

/// The variable that a place is.
fn variable(node: Node<'_>) -> Option<Var> {
    match node {
        Node::Place(Place { kind: PlaceKind::Variable(v), .. }) => Some(*v),
        _ => None,
    }
}
