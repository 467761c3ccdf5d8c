//! Types as values of the translation have them: with extents that are computed.

use super::{Lower, Lowered, refuse};
use crate::arith::{as_lit, cast, lit, machine};
use crate::ctype::{CType, Data};
use babycuda_core::syntax::BarrierScope;
use babycuda_core::{IntType, MachineOp, Num};
use babycuda_kernel::{Expr, Group, Language, Type};

impl<'t> Lower<'t> {
    /// A type of the kernel, with its extents as numbers.
    pub(super) fn ctype(&mut self, ty: &'t Type) -> Lowered<CType> {
        Ok(match ty {
            Type::Void => CType::Void,
            Type::Bool => CType::Bool,
            Type::Int(t) => CType::Int(*t),
            Type::Float(bytes) => CType::Data(Data::scalar(*bytes)),
            Type::Vector(lane, lanes) => {
                // OpenCL C gives three components the room of four.
                let room = match (self.options.language, lanes) {
                    (Language::OpenCl, 3) => lane.size().and_then(|size| size.checked_mul(4)),
                    _ => ty.size(),
                };
                let size = room.and_then(|size| u32::try_from(size).ok());
                CType::Data(Data {
                    size,
                    lane: Some((Box::new(self.ctype(lane)?), *lanes)),
                    record: None,
                })
            }
            Type::Record(record) => {
                let size = self.kernel.size(ty).and_then(|size| u32::try_from(size).ok());
                CType::Data(Data { size, lane: None, record: Some(*record) })
            }
            Type::Opaque(_) => CType::Data(Data::UNKNOWN),
            Type::Pointer(to) => CType::Pointer(Box::new(self.ctype(to)?)),
            Type::Array(element, extent) => {
                let element = Box::new(self.ctype(element)?);
                let extent = extent.as_deref().map(|extent| self.extent(extent)).transpose()?;
                CType::Array(element, extent)
            }
            Type::Group(Group::Any) => CType::Group(None),
            Type::Group(Group::Block) => CType::Group(Some(BarrierScope::Block)),
            Type::Group(Group::Grid) => CType::Group(Some(BarrierScope::Grid)),
            Type::Group(Group::Tile(size)) => {
                let value = self.eval(size)?;
                let (_, number) = self.integer(value, size.at)?;
                match as_lit(&number) {
                    Some(threads) => CType::Group(Some(self.tile(threads, size.at)?)),
                    None => return refuse(size.at, "tiles of a size that is not known"),
                }
            }
        })
    }

    /// The extent of an array, as a 64-bit pattern.
    fn extent(&mut self, size: &'t Expr) -> Lowered<Num> {
        let value = self.eval(size)?;
        let (t, num) = self.integer(value, size.at)?;
        if num.free_vars().iter().any(|x| self.out.names.is_local(x)) {
            return refuse(size.at, "array whose length is no constant");
        }
        Ok(cast(t, IntType::U64, num, &self.ranges))
    }

    /// The number of cells that an object of type `ctype` takes: those of the innermost elements.
    pub(super) fn cells(&self, ctype: &CType) -> Option<Num> {
        match ctype {
            CType::Array(element, Some(n)) => {
                Some(machine(MachineOp::Mul, IntType::U64, n.clone(), self.cells(element)?))
            }
            CType::Array(_, None) => None,
            _ => Some(lit(1)),
        }
    }
}
