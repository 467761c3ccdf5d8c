//! What OpenCL C has of its own: accesses of vectors in memory, conversions,
//! choices, images that are only read.

use super::calls::{Called, is_repeatable};
use super::{Lowered, Translator, bare};
use crate::document::Node;
use babycuda_core::expr::Relation;
use babycuda_core::machine::Width;
use babycuda_core::{IntType, MachineOp, Name};
use babycuda_kernel::{Expr, ExprKind, Node as Tree, Place, PlaceKind, Type, UnaryOp};

/// Functions that only compute something from their arguments; of the result, only its type is known.
const VALUES: &str = "\
    mad mix step smoothstep sign degrees radians fast_length fast_distance fast_normalize distance pown rootn \
    maxmag minmag bitselect select mul24 mad24 mul_hi mad_hi mad_sat rotate clz ctz popcount abs abs_diff \
    add_sat sub_sat hadd rhadd upsample any all isequal isnotequal isgreater isgreaterequal isless \
    islessequal islessgreater isnormal isordered isunordered shuffle shuffle2 nan ilogb logb";

/// Fences, which order nothing here.
const FENCES: [&str; 4] =
    ["mem_fence", "read_mem_fence", "write_mem_fence", "atomic_work_item_fence"];

impl<'a> Translator<'a> {
    /// A function that CUDA does not have by this name.
    pub(super) fn opencl_value(
        &mut self,
        name: &str,
        called: &Called<'a>,
        node: &'a Node,
    ) -> Lowered<Option<Expr>> {
        let listed = |list: &str| list.split_whitespace().any(|word| word == name);
        let arguments = &called.arguments;
        if FENCES.contains(&name) {
            let kind = ExprKind::Device(Name::new("__threadfence"), Vec::new());
            return Ok(Some(self.expression(node, kind, Type::Void)));
        }
        if let Some(atomic) = name.strip_prefix("atomic_").or(name.strip_prefix("atom_")) {
            return self.opencl_atomic(atomic, arguments, node).map(Some);
        }
        if let Some(vector) = name.strip_prefix("vload").and_then(Vector::of) {
            return self.vload(vector, arguments, node).map(Some);
        }
        if let Some(vector) = name.strip_prefix("vstore").and_then(Vector::of) {
            return self.vstore(vector, arguments, node).map(Some);
        }
        if name == "prefetch" {
            // It accesses nothing, but its arguments may.
            let values = arguments.iter().map(|argument| self.value_of(argument));
            let values = values.collect::<Lowered<Vec<Expr>>>()?;
            return Ok(Some(self.opencl_device("opencl::prefetch", values, Type::Void, node)));
        }
        if let Some(access) = self.opencl_image(name, arguments, node)? {
            return Ok(Some(access));
        }
        let conversion = name.starts_with("convert_");
        let fast = name.starts_with("native_") || name.starts_with("half_");
        if !(conversion || fast || listed(VALUES) || name == "clamp") {
            return Ok(None);
        }
        let mut values = Vec::new();
        for argument in arguments {
            let value = self.value_of(argument)?;
            if matches!(value.ty, Type::Pointer(_)) {
                return self.refuse(argument, format!("pointer as an argument of `{name}`"));
            }
            values.push(value);
        }
        let ty = self.ty(&node.ty, node)?;
        let at = self.at(node);
        let scalar = |ty: &Type| matches!(ty, Type::Int(_) | Type::Float(_) | Type::Bool);
        let whole = |values: &[Expr]| values.iter().all(|value| matches!(value.ty, Type::Int(_)));
        Ok(Some(match (name, &values[..]) {
            (_, [value])
                if conversion && scalar(&value.ty) && scalar(&ty) && !name.contains("_sat") =>
            {
                values.remove(0).converted(&ty, at)
            }
            ("select", [a, b, c]) if whole(&values) && (both_local(a, b) || is_repeatable(c)) => {
                self.choice(values, ty, node)
            }
            ("abs", [_]) if whole(&values) => {
                let signed = values[0].ty.clone();
                self.opencl_device("abs", values, signed, node).converted(&ty, at)
            }
            ("mul24" | "mad24", [x, ..]) if whole(&values) => {
                let unsigned = x.ty == Type::Int(IntType::U32);
                let more = values.split_off(2).pop();
                let product = if unsigned { "__umul24" } else { "__mul24" };
                let product = self.opencl_device(product, values, ty.clone(), node);
                match more {
                    None => product,
                    Some(more) => {
                        let kind = ExprKind::Arithmetic(MachineOp::Add, Box::new([product, more]));
                        self.expression(node, kind, ty)
                    }
                }
            }
            ("clamp", [_, _, _]) if whole(&values) => {
                let high = values.pop();
                let low = self.opencl_device("max", values, ty.clone(), node);
                let both = [low].into_iter().chain(high).collect();
                self.opencl_device("min", both, ty, node)
            }
            _ => self.opencl_opaque(name, values, node)?,
        }))
    }

    pub(super) fn opencl_device(
        &mut self,
        name: &str,
        values: Vec<Expr>,
        ty: Type,
        node: &Node,
    ) -> Expr {
        self.expression(node, ExprKind::Device(Name::new(name), values), ty)
    }

    /// A value of which only the type is known, made of others.
    pub(super) fn opencl_opaque(
        &mut self,
        name: &str,
        values: Vec<Expr>,
        node: &'a Node,
    ) -> Lowered<Expr> {
        let ty = self.ty(&node.ty, node)?;
        Ok(self.opencl_device(&format!("opencl::{name}"), values, ty, node))
    }

    /// `as_T(value)`: the same bits as another type.
    pub(super) fn as_type(&mut self, node: &'a Node) -> Lowered<Expr> {
        let inner = super::expr::only(self, node)?;
        let value = self.value_of(inner)?;
        let (ty, at) = (self.ty(&node.ty, node)?, self.at(node));
        match (&value.ty, &ty) {
            (Type::Int(from), Type::Int(to)) if from.width == to.width => {
                Ok(value.converted(&ty, at))
            }
            (Type::Pointer(_), _) | (_, Type::Pointer(_)) => {
                self.refuse(node, "pointer as the bits of a value")
            }
            _ => self.opencl_opaque("as", vec![value], node),
        }
    }

    /// `select(a, b, c)` of integers: both are evaluated. `c ? b : a` where that touches no memory.
    fn choice(&mut self, values: Vec<Expr>, ty: Type, node: &'a Node) -> Expr {
        let at = self.at(node);
        let mut values = values.into_iter();
        let (Some(a), Some(b), Some(c)) = (values.next(), values.next(), values.next()) else {
            return Expr::unsupported("choice", at);
        };
        let zero = Expr::int(c.ty.clone(), 0, at);
        let kind = ExprKind::Compare(Relation::Ne, Box::new([c, zero]));
        let chosen = self.expression(node, kind, Type::Bool);
        let (a, b) = (a.converted(&ty, at), b.converted(&ty, at));
        if both_local(&a, &b) {
            let kind = ExprKind::Conditional(Box::new([chosen, b, a]));
            return self.expression(node, kind, ty);
        }
        let width = ty.integer().map_or(Width::W32, |t| t.width);
        let bits = Type::Int(IntType { width, signed: false });
        let op = |op: MachineOp, l: Expr, r: Expr| Expr {
            kind: ExprKind::Arithmetic(op, Box::new([l, r])),
            ty: bits.clone(),
            at,
        };
        let none = Expr::int(bits.clone(), 0, at);
        let mask = op(MachineOp::Sub, none, chosen.converted(&bits, at));
        let other = ExprKind::Unary(UnaryOp::Complement, Box::new(mask.clone()));
        let other = Expr { kind: other, ty: bits.clone(), at };
        let b = op(MachineOp::And, b.converted(&bits, at), mask);
        let a = op(MachineOp::And, a.converted(&bits, at), other);
        op(MachineOp::Or, b, a).converted(&ty, at)
    }

    /// `vloadN(offset, p)`: N elements in sequence; `vload_halfN` converts them.
    fn vload(&mut self, of: Vector, arguments: &[&'a Node], node: &'a Node) -> Lowered<Expr> {
        let [offset, pointer] = arguments else { return self.refuse(node, "call of `vload`") };
        let (offset, pointer) = (self.expr(offset)?, self.pointer_of(pointer)?);
        let (ty, at) = (self.ty(&node.ty, node)?, self.at(node));
        let lane_type = match &ty {
            Type::Vector(lane, _) => lane.as_ref().clone(),
            one => one.clone(),
        };
        let mut parts = Vec::new();
        for lane in 0..of.lanes {
            let part = self.element(&pointer, &offset, (of.stride, lane), node)?.value();
            parts.push(part.converted(&lane_type, at));
        }
        match (ty, parts.len()) {
            (Type::Vector(lane, lanes), _) => {
                Ok(self.expression(node, ExprKind::List(parts), Type::Vector(lane, lanes)))
            }
            (_, 1) => Ok(parts.swap_remove(0)),
            _ => self.refuse(node, "call of `vload`"),
        }
    }

    /// `vstoreN(value, offset, p)`, and `vstore_halfN`.
    fn vstore(&mut self, of: Vector, arguments: &[&'a Node], node: &'a Node) -> Lowered<Expr> {
        let [value, offset, pointer] = arguments else {
            return self.refuse(node, "call of `vstore`");
        };
        let value = self.value_of(value)?;
        let (offset, pointer) = (self.expr(offset)?, self.pointer_of(pointer)?);
        let parts = match value.ty {
            Type::Vector(..) => self.parts_of(value, node)?,
            _ => vec![value],
        };
        if parts.len() != of.lanes as usize {
            return self.refuse(node, "call of `vstore` with another number of components");
        }
        let mut all: Option<Expr> = None;
        for (lane, part) in (0..of.lanes).zip(parts) {
            let place = Box::new(self.element(&pointer, &offset, (of.stride, lane), node)?);
            let (ty, at) = (place.ty.clone(), self.at(node));
            let part = Box::new(part.converted(&ty, at));
            let store = self.expression(node, ExprKind::Assign(place, part), ty.clone());
            all = Some(match all {
                None => store,
                Some(before) => {
                    self.expression(node, ExprKind::Comma(Box::new([before, store])), ty)
                }
            });
        }
        let at = self.at(node);
        match all {
            Some(all) => Ok(all.converted(&Type::Void, at)),
            None => self.refuse(node, "call of `vstore`"),
        }
    }

    /// `pointer[offset * stride + lane]`
    fn element(
        &mut self,
        pointer: &Expr,
        offset: &Expr,
        (stride, lane): (u32, u32),
        node: &'a Node,
    ) -> Lowered<Place> {
        if !(is_repeatable(pointer) && is_repeatable(offset)) {
            return self.refuse(node, "place of a vector that has an effect");
        }
        let Type::Pointer(ty) = pointer.ty.clone() else {
            return self.refuse(node, "vector of what is no pointer");
        };
        let (at, size) = (self.at(node), Type::Int(IntType::U64));
        let op = |op: MachineOp, l: Expr, r: u64| Expr {
            kind: ExprKind::Arithmetic(op, Box::new([l, Expr::int(size.clone(), r, at)])),
            ty: size.clone(),
            at,
        };
        let first = op(MachineOp::Mul, offset.clone().converted(&size, at), u64::from(stride));
        let index = op(MachineOp::Add, first, u64::from(lane));
        let kind = PlaceKind::Index(Box::new([pointer.clone(), index]));
        Ok(Place { kind, ty: *ty, at })
    }

    /// A pointer without what a parameter's type adds to it: `volatile`, or no space.
    pub(super) fn pointer_of(&mut self, node: &'a Node) -> Lowered<Expr> {
        let mut node = bare(node);
        while &*node.kind == "ImplicitCastExpr"
            && matches!(&*node.cast_kind, "NoOp" | "AddressSpaceConversion" | "BitCast")
        {
            match node.parts().next_back() {
                Some(inner) => node = bare(inner),
                None => break,
            }
        }
        self.expr(node)
    }
}

/// A vector in memory that the name of a function says.
#[derive(Clone, Copy)]
struct Vector {
    lanes: u32,
    /// How many elements are from one to the next.
    stride: u32,
}

impl Vector {
    /// What stands behind `vload` or `vstore`: `4`, `_half3`, `a_half3`; perhaps how it is rounded.
    fn of(name: &str) -> Option<Vector> {
        let rounded = ["_rte", "_rtz", "_rtp", "_rtn"];
        let name = rounded.iter().find_map(|r| name.strip_suffix(r)).unwrap_or(name);
        let (aligned, lanes) = match (name.strip_prefix("_half"), name.strip_prefix("a_half")) {
            (Some(lanes), _) => (false, lanes),
            (_, Some(lanes)) => (true, lanes),
            _ if name.is_empty() => return None,
            _ => (false, name),
        };
        let lanes = match lanes {
            "" => 1,
            lanes => lanes.parse().ok().filter(|lanes| matches!(lanes, 2 | 3 | 4 | 8 | 16))?,
        };
        // An aligned vector of three has the room of four.
        Some(Vector { lanes, stride: if aligned && lanes == 3 { 4 } else { lanes } })
    }
}

/// Does evaluating it neither touch memory, nor do anything?
pub(super) fn is_local(e: &Expr) -> bool {
    is_repeatable(e)
        && Tree::from(e).subterms().all(|node| match node {
            Tree::Expr(e) => match &e.kind {
                ExprKind::Load(place) => matches!(place.kind, PlaceKind::Variable(_)),
                ExprKind::Unsupported(_) => false,
                _ => true,
            },
            _ => true,
        })
}

fn both_local(a: &Expr, b: &Expr) -> bool {
    is_local(a) && is_local(b)
}
