//! Fields of objects that the host sets: of structures and vectors that a kernel is given by value, and of `__constant__`
//! ones. Each that the kernel names is a parameter of its own; one that is a pointer, an array.
//!
//! An object whose parts are followed ([`objects`](super::objects)) begins with these. Of another one, those that are
//! read directly are known as long as the kernel changes nothing in it.

use super::objects::Step;
use super::{Lower, Lowered};
use crate::arith::lit;
use crate::ctype::CType;
use crate::value::{Base, Binding, Pointer, Value};
use babycuda_core::syntax::{Contents, Space};
use babycuda_kernel::{Expr, ExprKind, Member, Node, Place, PlaceKind, Storage, Type, Var};
use std::collections::{BTreeSet, HashMap};

/// A field: of which variable, and where in it, from the outside.
type Path = (Var, Vec<usize>);

/// What the fields hold that are the same for all threads.
pub(super) type Fields = HashMap<Path, Value>;

/// The field of a variable that a place is; `None`: it is something else.
fn path(place: &Place) -> Option<Path> {
    let mut numbers = Vec::new();
    let mut place = place;
    loop {
        match &place.kind {
            PlaceKind::Member(of, Member::Field(number)) => {
                numbers.push(*number);
                place = of;
            }
            PlaceKind::Member(of, Member::Lane(lane)) => {
                numbers.push(*lane as usize);
                place = of;
            }
            PlaceKind::Variable(v) if !numbers.is_empty() => {
                numbers.reverse();
                return Some((*v, numbers));
            }
            _ => return None,
        }
    }
}

impl<'t> Lower<'t> {
    /// Makes parameters of the fields that the kernel reads.
    pub(super) fn fields(&mut self) -> Lowered<()> {
        let kernel = self.kernel;
        let Some(entry) = kernel.entry() else { return Ok(()) };
        let is_object = |v: &Var| {
            matches!(kernel[*v].ty, Type::Record(_) | Type::Vector(..))
                && !matches!(self.env.lookup(*v), Some(Binding::Object(_)))
        };
        let constants = (0..kernel.variables.len() as u32).map(Var);
        let constants = constants.filter(|v| kernel[*v].storage == Storage::Constant);
        let given = entry.parameters.iter().copied().filter(|v| {
            // Its own copy, which no one else sees.
            kernel[*v].storage == Storage::Local
        });
        let objects: BTreeSet<Var> =
            constants.chain(given).filter(is_object).filter(|v| !kernel[*v].volatile).collect();
        if objects.is_empty() {
            return Ok(());
        }
        let mut read: Vec<(Path, &'t Place)> = Vec::new();
        let mut otherwise = BTreeSet::new();
        let mut pending: Vec<Node<'t>> = self.roots();
        pending.reverse();
        while let Some(node) = pending.pop() {
            if let Node::Expr(Expr { kind: ExprKind::Load(place), .. }) = node {
                match (path(place), &place.kind) {
                    (Some((v, numbers)), _) if objects.contains(&v) => {
                        read.push(((v, numbers), place));
                        continue;
                    }
                    // A copy of it all.
                    (None, PlaceKind::Variable(_)) => continue,
                    _ => {}
                }
            }
            if let Node::Place(Place { kind: PlaceKind::Variable(v), .. }) = node {
                otherwise.insert(*v);
            }
            pending.extend(node.children().into_iter().rev());
        }
        for (path, place) in read {
            let changed = otherwise.contains(&path.0) && kernel[path.0].storage == Storage::Local;
            if !changed && !self.uniform.contains_key(&path) {
                let name = self.field_name(place);
                let ctype = self.ctype(&place.ty)?;
                let value = self.given_part(&name, path.0, ctype)?;
                self.uniform.insert(path, value);
            }
        }
        Ok(())
    }

    /// A parameter of the kernel that is an object whose parts are followed: each that the kernel names is a parameter
    /// or an array of its own. `false`: it is none.
    pub(super) fn given_object(&mut self, v: Var) -> Lowered<bool> {
        let kernel = self.kernel;
        let variable = &kernel[v];
        let ctype = self.ctype(&variable.ty)?;
        let is_object = matches!(ctype, CType::Data(_)) && !variable.volatile;
        let Some(parts) = self.parts(&ctype).filter(|_| is_object) else { return Ok(false) };
        let object = self.env.object(&variable.name, ctype, &parts);
        let named = self.named_components();
        for (part, (own, _)) in parts.into_iter().zip(self.env.parts(object)) {
            let named =
                part.steps.iter().all(|step| *step == Step::Element || named.contains(step));
            if named {
                let name = format!("{}{}", variable.name, part.name);
                let [params, arrays] = [self.out.params.len(), self.arrays.all.len()];
                self.env[own] = self.given_part(&name, v, part.ctype)?;
                let params = self.out.params[params..].iter().map(|p| p.name.clone());
                let arrays = self.arrays.all[arrays..].iter().map(|a| a.decl.name.clone());
                self.given.extend(params.chain(arrays));
            }
        }
        self.env.bind(v, Binding::Object(object));
        Ok(true)
    }

    /// What the kernel does and assumes.
    fn roots(&self) -> Vec<Node<'t>> {
        let kernel = self.kernel;
        let bodies = kernel.functions.iter().map(|f| Node::from(&f.body));
        let assumed = kernel.assumptions.iter().flat_map(|a| {
            let over = a.over.iter().flat_map(|(_, from, to)| [Node::from(from), Node::from(to)]);
            over.chain([Node::from(&a.condition)]).collect::<Vec<_>>()
        });
        bodies.chain(assumed).collect()
    }

    /// The components that the kernel names, of whatever object.
    fn named_components(&self) -> BTreeSet<Step> {
        let step = |of: &Type, member: &Member| match (of, member) {
            (Type::Record(record), Member::Field(number)) => Some(Step::Field(*record, *number)),
            (_, Member::Lane(lane)) => Some(Step::Lane(*lane)),
            _ => None,
        };
        let nodes = self.roots().into_iter().flat_map(Node::subterms);
        let named = nodes.filter_map(|node| match node {
            Node::Place(Place { kind: PlaceKind::Member(of, member), .. }) => step(&of.ty, member),
            Node::Expr(Expr { kind: ExprKind::Component(of, member), .. }) => step(&of.ty, member),
            _ => None,
        });
        named.collect()
    }

    /// What a field holds that is the same for all threads.
    pub(super) fn uniform_field(&self, place: &Place) -> Option<Value> {
        if self.uniform.is_empty() {
            return None;
        }
        self.uniform.get(&path(place)?).cloned()
    }

    /// `object.field`
    fn field_name(&self, place: &Place) -> String {
        match &place.kind {
            PlaceKind::Member(of, member) => {
                let field = match (&of.ty, member) {
                    (Type::Record(record), Member::Field(number)) => {
                        self.kernel[*record].fields.get(*number).map_or("", |f| &f.name)
                    }
                    (_, Member::Lane(lane)) => {
                        ["x", "y", "z", "w"].get(*lane as usize).unwrap_or(&"")
                    }
                    _ => "",
                };
                format!("{}.{field}", self.field_name(of))
            }
            PlaceKind::Variable(v) => self.kernel[*v].name.clone(),
            _ => String::new(),
        }
    }

    /// What a part holds that the host sets.
    fn given_part(&mut self, name: &str, of: Var, ctype: CType) -> Lowered<Value> {
        let at = self.kernel[of].at;
        let array =
            |s: &mut Self, ctype: &CType| s.array(name, ctype, Space::Global, Contents::Any, at);
        match ctype {
            // Longer than what is followed. No one changes it: see `Lower::store`.
            CType::Array(..) => {
                let array = array(self, &ctype)?;
                self.arrays.of_objects.insert(array);
                let base = Base::Array(array);
                Ok(Value::Pointer(Pointer { base, index: lit(0), pointee: ctype }))
            }
            CType::Pointer(pointee) => self.host_pointer(&pointee, |s| {
                let array = array(s, &pointee)?;
                // What it points to may be volatile.
                if s.kernel.volatile {
                    s.arrays.volatile.insert(s.arrays[array].decl.name.clone());
                }
                s.note("different pointer parameters are assumed not to overlap", None);
                Ok(array)
            }),
            ctype => self.parameter_value(name, &ctype),
        }
    }
}
