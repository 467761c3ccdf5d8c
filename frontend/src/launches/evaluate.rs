//! What expressions of host code are, in terms of values that are not known.

use super::hazards::KNOWN;
use super::walk::{Value, Walk};
use crate::unit::{children, listed, part, without_parentheses};
use babycuda_core::expr::Relation;
use babycuda_core::{IntType, MachineOp};
use babycuda_kernel::{
    At, Expr, ExprKind, FunctionId, Initial, Member, Node as Tree, Place, PlaceKind, StmtKind, Type,
};
use tree_sitter::Node;

/// Larger expressions are not known.
const MAX_PARTS: usize = 120;
/// Calls are followed so deep.
const MAX_CALLS: u32 = 8;

/// A number of the calculus.
pub(super) fn int(t: IntType, value: u64) -> Expr {
    Expr::int(Type::Int(t), value, At(0))
}

impl<'t> Walk<'_, 't> {
    /// The value of an integer expression, at its own type.
    pub(super) fn value(&mut self, node: Node<'t>) -> Option<Expr> {
        if self.is_doubtful(node) {
            return None;
        }
        let expr = self.host.expr(node)?;
        self.simple(&expr, 0).filter(|e| matches!(e.ty, Type::Int(_) | Type::Bool))
    }

    /// The truth of a condition.
    pub(super) fn truth(&mut self, node: Node<'t>) -> Option<Expr> {
        if self.is_doubtful(node) {
            return None;
        }
        let expr = self.host.condition(node)?;
        self.simple(&expr, 0)
    }

    /// The three extents that an expression of type `dim3` has, or one that is converted to it.
    pub(super) fn extents(&mut self, node: Node<'t>) -> [Option<Expr>; 3] {
        let node = without_parentheses(node);
        let known = match node.kind() {
            "identifier" => self.host.variable(self.text(node)).map(|v| self.values.get(&v)),
            _ => None,
        };
        let clear = || self.host.variable(self.text(node)).is_some_and(|v| self.is_one(v));
        match known {
            Some(Some(Value::Dim3(..))) if !clear() => return [None, None, None],
            Some(Some(Value::Dim3(extents, _))) => return extents.clone(),
            // A constant of the file has a value all the same.
            Some(Some(Value::Int(_)) | None) | None => {}
        }
        let constructed = match node.kind() {
            "call_expression" => part(node, "function").is_some_and(|f| match self.text(f) {
                "dim3" => true,
                // It is converted, and leaves no extent out.
                "make_uint3" => {
                    part(node, "arguments").is_some_and(|list| children(list).len() == 3)
                }
                _ => false,
            }),
            "compound_literal_expression" => {
                part(node, "type").is_some_and(|f| self.text(f) == "dim3")
            }
            "initializer_list" | "argument_list" => true,
            _ => false,
        };
        if constructed {
            let list = part(node, "arguments").or(part(node, "value")).unwrap_or(node);
            return self.constructed(&children(list));
        }
        let first = self.value(node).map(extent);
        self.guessed |= first.is_none() && !self.is_arithmetic(node);
        [first, Some(extent(one())), Some(extent(one()))]
    }

    /// Is the expression a number for certain, whatever its value? Others may be a `dim3`.
    fn is_arithmetic(&self, node: Node<'t>) -> bool {
        let node = without_parentheses(node);
        let primitive = |n: Node<'_>| listed("primitive_type sized_type_specifier", n.kind());
        let all = |sides: &[&str]| {
            sides.iter().all(|side| part(node, side).is_some_and(|n| self.is_arithmetic(n)))
        };
        match node.kind() {
            "number_literal" | "char_literal" | "sizeof_expression" => true,
            "unary_expression" => all(&["argument"]),
            "binary_expression" => all(&["left", "right"]),
            "conditional_expression" => all(&["consequence", "alternative"]),
            "cast_expression" => {
                part(node, "type").and_then(|t| part(t, "type")).is_some_and(primitive)
            }
            "identifier" => self.host.variable(self.text(node)).is_some_and(|v| {
                let ty = &self.host.kernel()[v].ty;
                self.is_one(v) && matches!(ty, Type::Int(_) | Type::Float(_))
            }),
            "call_expression" => part(node, "function").is_some_and(|called| {
                let name = self.text(called);
                let of_one_type = ["max", "min", "abs"].contains(&name.trim_start_matches("std::"));
                let list = part(node, "arguments").map(children).unwrap_or_default();
                primitive(called)
                    || of_one_type && list.into_iter().any(|n| self.is_arithmetic(n))
                    || !of_one_type && name != "dim3" && KNOWN.contains(&name)
            }),
            _ => false,
        }
    }

    /// `dim3(…)` of these arguments.
    pub(super) fn constructed(&mut self, arguments: &[Node<'t>]) -> [Option<Expr>; 3] {
        if let [only] = arguments {
            let only = without_parentheses(*only);
            if only.kind() != "initializer_list" {
                return self.extents(only);
            }
        }
        let mut extents = [const { None }; 3];
        for (d, lane) in extents.iter_mut().enumerate() {
            *lane = match arguments.get(d) {
                Some(argument) => self.value(*argument).map(extent),
                None => Some(extent(one())),
            };
        }
        extents
    }

    /// An expression without variables but those that stand for what is not known; `None`: it has effects, or is
    /// no arithmetic on integers.
    fn simple(&mut self, expr: &Expr, calls: u32) -> Option<Expr> {
        let found = self.parts(expr, calls)?;
        if let (Type::Int(_) | Type::Bool, Some(bits)) =
            (&found.ty, babycuda_kernel::constant(&found, &|_| None))
        {
            return Some(Expr::int(found.ty, bits, At(0)));
        }
        (Tree::from(&found).subterms().take(MAX_PARTS + 1).count() <= MAX_PARTS).then_some(found)
    }

    fn parts(&mut self, expr: &Expr, calls: u32) -> Option<Expr> {
        let of = |kind| Some(Expr { kind, ty: expr.ty.clone(), at: At(0) });
        match &expr.kind {
            ExprKind::Int(bits) if !expr.ty.is_data() => of(ExprKind::Int(*bits)),
            ExprKind::Load(place) => self.held(place),
            ExprKind::Convert(inner) => {
                if matches!(expr.ty, Type::Int(_))
                    && let Some(quotient) = self.quotient(inner, calls)
                {
                    return Some(quotient.converted(&expr.ty, At(0)));
                }
                let inner = self.simple(inner, calls)?;
                matches!(expr.ty, Type::Int(_) | Type::Bool)
                    .then(|| inner.converted(&expr.ty, At(0)))
            }
            ExprKind::Unary(op, inner) => {
                of(ExprKind::Unary(*op, Box::new(self.simple(inner, calls)?)))
            }
            ExprKind::Arithmetic(op, both) if matches!(expr.ty, Type::Int(_)) => {
                of(ExprKind::Arithmetic(*op, self.pair(both, calls)?))
            }
            ExprKind::Compare(relation, both) => {
                of(ExprKind::Compare(*relation, self.pair(both, calls)?))
            }
            ExprKind::Logical(op, both) => of(ExprKind::Logical(*op, self.pair(both, calls)?)),
            ExprKind::Conditional(all) => {
                let [c, x, y] = &**all;
                let c = self.simple(c, calls)?;
                let (x, y) = (self.simple(x, calls)?, self.simple(y, calls)?);
                of(ExprKind::Conditional(Box::new([c, x, y])))
            }
            ExprKind::Device(name, arguments)
                if matches!(name.as_str(), "min" | "max" | "umin" | "umax")
                    && matches!(expr.ty, Type::Int(_)) =>
            {
                let [l, r] = &arguments[..] else { return None };
                let (l, r) = (self.simple(l, calls)?, self.simple(r, calls)?);
                let name = name.clone();
                of(ExprKind::Device(name, vec![l, r]))
            }
            ExprKind::Call { function, arguments, assumed: None } => {
                self.called(*function, arguments, calls)
            }
            _ => None,
        }
    }

    fn pair(&mut self, both: &[Expr; 2], calls: u32) -> Option<Box<[Expr; 2]>> {
        Some(Box::new([self.simple(&both[0], calls)?, self.simple(&both[1], calls)?]))
    }

    /// What a place holds now.
    fn held(&mut self, place: &Place) -> Option<Expr> {
        match &place.kind {
            PlaceKind::Variable(v) if !self.is_one(*v) => None,
            PlaceKind::Variable(v) => match self.values.get(v) {
                Some(Value::Int(value)) => Some(value.clone()),
                Some(Value::Dim3(..)) => None,
                None => {
                    let bits = self.host.constant(*v)?;
                    Some(Expr::int(place.ty.clone(), bits, At(0)))
                }
            },
            PlaceKind::Member(of, Member::Lane(lane)) => {
                let PlaceKind::Variable(v) = &of.kind else { return None };
                match self.values.get(v).filter(|_| self.is_one(*v))? {
                    Value::Dim3(extents, _) => extents.get(*lane as usize)?.clone(),
                    Value::Int(_) => None,
                }
            }
            _ => None,
        }
    }

    /// A call of a function that does nothing but return a value.
    fn called(&mut self, function: FunctionId, arguments: &[Initial], calls: u32) -> Option<Expr> {
        // A member of the class may have the name.
        if calls >= MAX_CALLS || self.member {
            return None;
        }
        let callee = self.host.kernel().functions.get(function.0 as usize)?.clone();
        let StmtKind::Block(stmts) = &callee.body.kind else { return None };
        let [only] = &stmts[..] else { return None };
        let StmtKind::Return(Some(result)) = &only.kind else { return None };
        let mut passed = Vec::new();
        for (v, argument) in callee.parameters.iter().zip(arguments) {
            let value = match argument {
                Initial::Value(value) => self.simple(value, calls)?,
                Initial::Place(place) => self.held(place)?,
            };
            passed.push((*v, Value::Int(value)));
        }
        let around = self.values.clone();
        self.values.extend(passed);
        let value = self.simple(result, calls + 1);
        self.values = around;
        value
    }

    /// `a / b` and `ceil(a / b)` of a `double`, converted to an integer. For 32 bits the quotient of two integers is
    /// rounded to no integer that it is not: it differs from one by 1/b at least, and an ulp is less.
    fn quotient(&mut self, expr: &Expr, calls: u32) -> Option<Expr> {
        const WIDE: IntType = IntType::I64;
        let (up, ratio) = match &expr.kind {
            ExprKind::Device(name, arguments) if name.as_str() == "ceil" => {
                (true, arguments.first()?)
            }
            _ => (false, expr),
        };
        let ExprKind::Arithmetic(MachineOp::Div, both) = &ratio.kind else { return None };
        if ratio.ty != Type::Float(8) || expr.ty != Type::Float(8) {
            return None;
        }
        let ExprKind::Convert(dividend) = &both[0].kind else { return None };
        let small = |e: &Expr| e.ty.integer().is_some_and(|t| t.width <= IntType::I32.width);
        let dividend =
            self.simple(dividend, calls).filter(small)?.converted(&Type::Int(WIDE), At(0));
        let divisor = match &both[1].kind {
            ExprKind::Convert(divisor) => {
                babycuda_kernel::constant(&self.simple(divisor, calls).filter(small)?, &|_| None)?
            }
            ExprKind::Float(Some(bits)) => {
                let value = f64::from_bits(*bits);
                (value.fract() == 0.0 && (1.0..1e9).contains(&value)).then_some(value as u64)?
            }
            _ => return None,
        };
        if !(1..=1 << 30).contains(&divisor) {
            return None;
        }
        let both = |op, l, r| Expr {
            kind: ExprKind::Arithmetic(op, Box::new([l, r])),
            ty: Type::Int(WIDE),
            at: At(0),
        };
        let down = both(MachineOp::Div, dividend.clone(), int(WIDE, divisor));
        if !up {
            return Some(down);
        }
        let more = both(MachineOp::Add, dividend.clone(), int(WIDE, divisor - 1));
        let positive = Expr {
            kind: ExprKind::Compare(Relation::Gt, Box::new([dividend, int(WIDE, 0)])),
            ty: Type::Bool,
            at: At(0),
        };
        let all = [positive, both(MachineOp::Div, more, int(WIDE, divisor)), down];
        Some(Expr { kind: ExprKind::Conditional(Box::new(all)), ty: Type::Int(WIDE), at: At(0) })
    }

    /// A value that is not known; its name is for people.
    pub(super) fn symbol(&mut self, name: &str, ty: &Type) -> Expr {
        let v = babycuda_kernel::Var(self.symbols.len() as u32);
        self.symbols.push((name.to_owned(), ty.clone()));
        Place::variable(v, ty.clone(), At(0)).value()
    }
}

/// The number 1.
fn one() -> Expr {
    int(IntType::I32, 1)
}

/// A value as an extent of a launch.
pub(super) fn extent(value: Expr) -> Expr {
    let value = value.converted(&Type::Int(IntType::U32), At(0));
    match babycuda_kernel::constant(&value, &|_| None) {
        Some(bits) => int(IntType::U32, bits),
        None => value,
    }
}
