//! Surfaces: memory that is accessed by coordinates, of which the first counts bytes.
//!
//! A surface object is a pointer here, and an access of it is one of a place so far behind it that no two
//! coordinates have it in common. Outside of what any device has of a surface, the thread stops, as CUDA has it
//! (`cudaBoundaryModeTrap`). The pixels of an image of OpenCL C are bytes of such places: one that is written where there
//! is none is undefined.

use crate::expr::{Expr, ExprKind, Place, PlaceKind};
use crate::kernel::At;
use crate::tree::Node;
use crate::types::Type;
use babycuda_core::expr::{BoolOp, Relation};
use babycuda_core::{IntType, MachineOp, Name};

/// How far coordinates go, as powers of 2: bytes of a row, rows, and layers (CUDA C++ Programming Guide,
/// technical specifications per compute capability).
const LIMITS: [u32; 3] = [21, 17, 14];

/// The same for images of so many dimensions or layers. No device has as many pixels in a row.
const PIXELS: [&[u32]; 3] = [&[31], &[20, 20], &[20, 20, 20]];

/// The pixel of an image at these coordinates.
///
/// # Errors
/// What is not supported: a coordinate that has an effect, another number of them.
pub fn pixel(image: Expr, coordinates: Vec<Expr>, at: At) -> Result<Place, &'static str> {
    let Some(limits) = coordinates.len().checked_sub(1).and_then(|n| PIXELS.get(n)) else {
        return Err("access of an image with this number of coordinates");
    };
    if !coordinates.iter().all(|c| Node::Expr(c).is_repeatable()) {
        return Err("an effect in a coordinate of an image");
    }
    Ok(placed(image, coordinates, limits, Type::Int(IntType::U8), at))
}

/// A function that accesses a surface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SurfaceAccess {
    /// How many coordinates it takes.
    pub coordinates: usize,
    /// Does it write?
    pub writes: bool,
}

/// The name of the type of surface objects.
pub fn is_surface(name: &str) -> bool {
    matches!(name, "cudaSurfaceObject_t" | "CUsurfObject")
}

impl SurfaceAccess {
    /// What the function of this name does; `None`: it accesses no surface.
    pub fn of(name: &str) -> Option<SurfaceAccess> {
        let rest = name.strip_prefix("surf")?;
        let (shape, writes) = match rest.strip_suffix("write") {
            Some(shape) => (shape, true),
            None => (rest.strip_suffix("read")?, false),
        };
        let coordinates = match shape {
            "1D" => 1,
            "2D" | "1DLayered" => 2,
            "3D" | "2DLayered" | "Cubemap" | "CubemapLayered" => 3,
            _ => return None,
        };
        Some(SurfaceAccess { coordinates, writes })
    }

    /// A call as an expression: of values of the type `said`, with the first argument where that is none of the
    /// surface (what is written, or where to put what is read), then the surface and its coordinates.
    ///
    /// # Errors
    /// What is not supported: a coordinate that has an effect, another number of arguments, a surface that is no object.
    pub fn call(
        self,
        said: Option<Type>,
        value: Option<Expr>,
        mut rest: Vec<Expr>,
        at: At,
    ) -> Result<Expr, &'static str> {
        if rest.len() != 1 + self.coordinates {
            return Err("access of a surface with this number of arguments");
        }
        let surface = rest.remove(0);
        if !matches!(surface.ty, Type::Pointer(_)) {
            return Err("access of a surface that is no object");
        }
        if !rest.iter().all(|c| Node::Expr(c).is_repeatable()) {
            return Err("an effect in a coordinate of a surface");
        }
        let assigned = |place: Place, value: Expr| {
            let (ty, value) = (place.ty.clone(), value.converted(&place.ty, at));
            Expr { kind: ExprKind::Assign(Box::new(place), Box::new(value)), ty, at }
        };
        let place = match (&value, said) {
            (_, Some(ty)) => placed(surface, rest, &LIMITS, ty, at),
            (Some(Expr { ty: Type::Pointer(to), .. }), None) if !self.writes => {
                placed(surface, rest, &LIMITS, to.as_ref().clone(), at)
            }
            (Some(value), None) if self.writes => {
                placed(surface, rest, &LIMITS, value.ty.clone(), at)
            }
            _ => return Err("read of a surface into what is no pointer"),
        };
        Ok(match value {
            None => place.value(),
            Some(value) if self.writes => assigned(place, value),
            Some(pointer) => {
                let (ty, kind) = (place.ty.clone(), PlaceKind::Deref(Box::new(pointer)));
                assigned(Place { kind, ty, at }, place.value())
            }
        })
    }
}

/// The place in a surface that coordinates name. Outside of it, the thread stops.
fn placed(surface: Expr, coordinates: Vec<Expr>, limits: &[u32], ty: Type, at: At) -> Place {
    let make = |kind, ty| Expr { kind, ty, at };
    let (byte, long) = (Type::Int(IntType::U8), Type::Int(IntType::I64));
    let mut offset = Expr::int(long.clone(), 0, at);
    let mut inside = Expr::int(Type::Bool, 1, at);
    let mut before = 0;
    for (coordinate, bits) in coordinates.into_iter().zip(limits) {
        let coordinate = coordinate.converted(&Type::Int(IntType::I32), at);
        let unsigned = coordinate.clone().converted(&Type::Int(IntType::U32), at);
        let limit = Expr::int(Type::Int(IntType::U32), 1 << *bits, at);
        let less = ExprKind::Compare(Relation::Lt, Box::new([unsigned, limit]));
        let both = Box::new([inside, make(less, Type::Bool)]);
        inside = make(ExprKind::Logical(BoolOp::And, both), Type::Bool);
        let times = Expr::int(long.clone(), 1 << before, at);
        let both = Box::new([coordinate.converted(&long, at), times]);
        let part = make(ExprKind::Arithmetic(MachineOp::Mul, both), long.clone());
        let both = Box::new([offset, part]);
        offset = make(ExprKind::Arithmetic(MachineOp::Add, both), long.clone());
        before += bits;
    }
    let nothing = Expr::int(Type::Int(IntType::I32), 0, at).converted(&Type::Void, at);
    let trap = make(ExprKind::Device(Name::new("__trap"), Vec::new()), Type::Void);
    let guard = make(ExprKind::Conditional(Box::new([inside, nothing, trap])), Type::Void);
    let bytes = surface.converted(&byte.pointer(), at);
    let pointer = bytes.ty.clone();
    let both = Box::new([bytes, offset]);
    let there = make(ExprKind::Arithmetic(MachineOp::Add, both), pointer);
    let there = there.converted(&ty.clone().pointer(), at);
    let pointer = there.ty.clone();
    let there = make(ExprKind::Comma(Box::new([guard, there])), pointer);
    Place { kind: PlaceKind::Deref(Box::new(there)), ty, at }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_told_by_name() {
        let access = |coordinates, writes| Some(SurfaceAccess { coordinates, writes });
        for (name, wanted) in [
            ("surf1Dread", access(1, false)),
            ("surf2Dwrite", access(2, true)),
            ("surf3Dwrite", access(3, true)),
            ("surf2DLayeredread", access(3, false)),
            ("surf4Dread", None),
            ("surface", None),
            ("tex2D", None),
        ] {
            assert_eq!(SurfaceAccess::of(name), wanted, "{name}");
        }
    }
}
