//! Protocols.

use super::Profile;
use super::expr::{Exprs, Kind, Var};
use crate::choices::Choices;
use babycuda_core::expr::{ArithOp, Relation};
use babycuda_core::name::reserved::TID;
use babycuda_core::syntax::{ArrayDecl, BarrierScope, ForSort, Geometry, MapFile, Scope, Tree};
use babycuda_core::{AccessMode, Bool, Declarations, IntType, Launch, Name, Num, Protocol, Site};
use std::sync::Arc;

/// A protocol whose only free variable is `tid`, its sites numbered: synchronized where the
/// profile has barriers (stratified unless it is divergent), exact unless it is data-dependent.
pub fn protocol(choices: &mut Choices<'_>, profile: Profile) -> Protocol {
    let mut generator = Protocols {
        scope: vec![Var { name: Name::new(TID), kind: Kind::Private }],
        choices,
        profile,
        names: 0,
        loops: 0,
    };
    let size = 1 + generator.choices.below(profile.size);
    generator.protocol(size, true).numbered()
}

/// A protocol for one to four threads of one block.
pub fn map_file(choices: &mut Choices<'_>, profile: Profile) -> MapFile {
    let threads = *choices.pick(&[2, 3, 4, 1]);
    let protocol = protocol(choices, profile);
    let arrays = protocol.arrays().into_iter().map(ArrayDecl::implicit).collect();
    let geometry = Geometry::exactly(Launch::threads(threads));
    let declarations = Declarations { arrays, ..Declarations::of_geometry(geometry) };
    MapFile { declarations, protocol }
}

/// A protocol for one block of warps of 2 or 4 threads, whose barriers are of any scope but the grid;
/// parts of it may be for one warp only.
pub fn scoped_map_file(choices: &mut Choices<'_>, profile: Profile) -> MapFile {
    let warp = *choices.pick(&[2, 4]);
    let threads = *choices.pick(&[4, 6, 3, 5, 8]);
    let mut parts = Protocol::Skip;
    for _ in 0..=choices.below(3) {
        let mut part = protocol(choices, profile);
        if choices.chance(1, 4) {
            part = Protocol::Seq(Arc::new(part), Arc::new(Protocol::sync()));
        }
        let part = scoped(choices, &part, warp);
        let part = match choices.chance(1, 3) {
            true => {
                let of_thread = Num::arith(ArithOp::Div, Num::var(TID), Num::lit(warp));
                let chosen = Num::lit(choices.below(2) as u32);
                let warp = Bool::compare(Relation::Eq, of_thread, chosen);
                Protocol::branch(warp, part, Protocol::Skip)
            }
            false => part,
        };
        parts = Protocol::Seq(Arc::new(parts), Arc::new(part));
    }
    let protocol = parts.numbered();
    let arrays = protocol.arrays().into_iter().map(ArrayDecl::implicit).collect();
    let geometry = Geometry { warp, ..Geometry::exactly(Launch::threads(threads)) };
    let declarations = Declarations { arrays, ..Declarations::of_geometry(geometry) };
    MapFile { declarations, protocol }
}

/// The protocol with barriers of other scopes.
fn scoped(choices: &mut Choices<'_>, p: &Protocol, warp: u32) -> Protocol {
    let tile = BarrierScope::Tile(warp / 2);
    match p {
        Protocol::Sync { site, .. } => {
            let scopes = [BarrierScope::Warp, BarrierScope::Warp, BarrierScope::Block, tile];
            Protocol::Sync { site: *site, scope: *choices.pick(&scopes) }
        }
        p => p.map_children(|child| Arc::new(scoped(choices, child, warp))),
    }
}

struct Protocols<'g, 'c> {
    choices: &'g mut Choices<'c>,
    profile: Profile,
    scope: Vec<Var>,
    names: usize,
    loops: usize,
}

impl<'c> Protocols<'_, 'c> {
    fn protocol(&mut self, size: usize, together: bool) -> Protocol {
        let p = self.profile;
        let compound = usize::from(size > 1);
        let barrier =
            usize::from(p.barriers && (together || p.divergent && self.choices.chance(1, 4)));
        let repeated = compound * usize::from(self.loops < 2);
        let any = repeated * usize::from(p.data_dependent);
        match self.choices.weighted(&[
            1,
            9,
            9 * compound,
            3 * compound,
            4 * repeated,
            any,
            3 * barrier,
        ]) {
            0 => Protocol::Skip,
            1 => self.access(),
            2 => {
                let first = self.choices.below(size - 1) + 1;
                let left = self.protocol(first, together);
                let right = self.protocol(size - first, together);
                Protocol::Seq(Arc::new(left), Arc::new(right))
            }
            3 => {
                let uniform = together && p.barriers && self.choices.chance(1, 2);
                let condition = self.exprs(uniform).bool(1);
                let small = self.choices.below(size);
                let then = self.protocol(small, uniform);
                Protocol::branch(condition, then, self.protocol(size - 1 - small, uniform))
            }
            4 => {
                let uniform = together && p.barriers && self.choices.chance(2, 3);
                let (sort, kind) = match uniform {
                    true => (ForSort::S, Kind::Uniform),
                    false => (ForSort::U, Kind::Private),
                };
                let lower = match self.choices.chance(1, 4) {
                    true => self.exprs(uniform).bound(),
                    false => Num::lit(0u32),
                };
                let upper = self.exprs(uniform).bound();
                let var = self.binder();
                self.loops += 1;
                let body = self.below(var.clone(), kind, |this| this.protocol(size - 1, uniform));
                self.loops -= 1;
                Protocol::repeat(sort, var, lower, upper, body)
            }
            5 => {
                let var = self.binder();
                let domain = *self.choices.pick(&[Some(IntType::U8), Some(IntType::I32), None]);
                let body = self
                    .below(var.clone(), Kind::Private, |this| this.protocol(size - 1, together));
                Protocol::Any { site: Site::default(), var, domain, body: Arc::new(body) }
            }
            _ => Protocol::sync(),
        }
    }

    fn access(&mut self) -> Protocol {
        let modes = [
            AccessMode::Rd,
            AccessMode::Wr,
            AccessMode::At(Scope::Device),
            AccessMode::At(Scope::Block),
        ];
        let modes = if self.profile.atomics { &modes[..] } else { &modes[..2] };
        let mode = *self.choices.pick(modes);
        let array = *self.choices.pick(&["A", "B", "C"][..self.profile.arrays.clamp(1, 3)]);
        let index = match self.choices.chance(1, 2) {
            true => Num::var(TID),
            false => self.exprs(false).num(1),
        };
        Protocol::access(mode, array, index)
    }

    fn exprs(&mut self, uniform: bool) -> Exprs<'_, 'c> {
        Exprs {
            choices: self.choices,
            scope: &self.scope,
            machine: self.profile.machine,
            huge: self.profile.huge,
            most: if uniform { Kind::Uniform } else { Kind::Private },
        }
    }

    fn below<T>(&mut self, name: Name, kind: Kind, f: impl FnOnce(&mut Self) -> T) -> T {
        let outside = self.scope.clone();
        self.scope.retain(|v| v.name != name);
        self.scope.push(Var { name, kind });
        let result = f(self);
        self.scope = outside;
        result
    }

    fn binder(&mut self) -> Name {
        self.names += 1;
        let new = self.names - 1;
        let number = match self.profile.shadowing && self.choices.chance(1, 8) {
            true => self.choices.below(new + 1),
            false => new,
        };
        Name::new(format!("x{number}"))
    }
}
