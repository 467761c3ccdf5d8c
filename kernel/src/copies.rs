//! Asynchronous copies by CUDA's functions of C (`cuda_pipeline.h`) and by cooperative groups, for all parsers.

use crate::expr::{Expr, ExprKind};
use crate::kernel::At;
use crate::types::Type;
use babycuda_core::{IntType, MachineOp, Name};

/// What they are called where they are refused.
const UNKNOWN: &str = "an asynchronous copy of an unknown length";

impl Expr {
    /// A call of one of the primitives of a thread's pipeline, or the construct that is refused; `None`: it is another
    /// function.
    pub fn of_pipeline(
        name: &str,
        arguments: &[Expr],
        at: At,
    ) -> Option<Result<Expr, &'static str>> {
        let device = |name: &str, arguments: Vec<Expr>| {
            let kind = ExprKind::Device(Name::new(name), arguments);
            Expr { kind, ty: Type::Void, at }
        };
        Some(match (name, arguments) {
            ("__pipeline_memcpy_async", [to, from, size, zeros @ ..]) if zeros.len() <= 1 => {
                filled(to, from, size, zeros.first(), at)
                    .map(|copied| device("async::copy_of_thread", vec![copied]))
            }
            ("__pipeline_commit", []) => Ok(device("async::commit_of_thread", Vec::new())),
            ("__pipeline_wait_prior", [prior]) => {
                let prior = prior.clone().converted(&Type::Int(IntType::U64), at);
                Ok(device("async::wait_of_thread", vec![prior]))
            }
            ("__pipeline_arrive_on", _) => Err("call of `__pipeline_arrive_on`"),
            ("__pipeline_memcpy_async" | "__pipeline_commit" | "__pipeline_wait_prior", _) => {
                Err("call of a primitive of pipelines with this number of arguments")
            }
            _ => return None,
        })
    }
}

impl Expr {
    /// A function of cooperative groups that copies, or that waits for copies; `None`: it is another, or called otherwise.
    /// `size`: of what a pointer points to. `prior`: all but how many of the latest copies it waits for.
    pub fn of_group(
        name: &str,
        arguments: &[Expr],
        size: &dyn Fn(&Type) -> Option<u64>,
        prior: u64,
        at: At,
    ) -> Option<Expr> {
        let device = |name: &str, arguments: Vec<Expr>, ty: &Type| {
            let kind = ExprKind::Device(Name::new(name), arguments);
            Expr { kind, ty: ty.clone(), at }
        };
        let number = Type::Int(IntType::U64);
        let (group, copied) = match (name, arguments) {
            ("memcpy_async", [group, to, from, bytes]) => {
                (group, Expr::copied(to, from, bytes, at)?)
            }
            // Both are counts of elements, of which the smaller counts.
            ("memcpy_async", [group, to, room, from, count]) => {
                let Type::Pointer(element) = &to.ty else { return None };
                let both = [room, count].map(|n| n.clone().converted(&number, at));
                let least = device("min", both.to_vec(), &number);
                let size = Expr::int(number.clone(), size(element)?, at);
                let kind = ExprKind::Arithmetic(MachineOp::Mul, Box::new([least, size]));
                let bytes = Expr { kind, ty: number, at };
                (group, Expr::copied(to, from, &bytes, at)?)
            }
            ("wait" | "wait_prior", [group]) => {
                let prior = Expr::int(number, prior, at);
                let waited = vec![group.clone(), prior];
                return Some(device("async::wait_of_group", waited, &Type::Void));
            }
            _ => return None,
        };
        Some(device("async::copy_of_group", vec![copied, group.clone()], &Type::Void))
    }
}

/// A copy of `size` bytes of which `zeros` at the end are zeros: these are not read.
fn filled(
    to: &Expr,
    from: &Expr,
    size: &Expr,
    zeros: Option<&Expr>,
    at: At,
) -> Result<Expr, &'static str> {
    let known = |number: &Expr| crate::constant(number, &|_| None);
    let bytes = known(size).filter(|bytes| matches!(bytes, 4 | 8 | 16)).ok_or(UNKNOWN)?;
    let int = |value| Expr::int(Type::Int(IntType::I32), value, at);
    let copied = |zeros: u64| {
        let (name, from) = match zeros {
            0 => ("memcpy", from.clone()),
            _ if zeros == bytes => ("memset", int(0)),
            _ => return Err("an asynchronous copy with zeros in a part of it"),
        };
        let copied = Expr::bytes(name, &[to.clone(), from, size.clone()], at).ok_or(UNKNOWN)?;
        Ok(copied.converted(&Type::Void, at))
    };
    let Some(mut zeros) = zeros else { return copied(0) };
    if let Some(zeros) = known(zeros) {
        return copied(zeros);
    }
    while let ExprKind::Convert(inner) = &zeros.kind {
        zeros = inner;
    }
    if let ExprKind::Conditional(all) = &zeros.kind
        && let (Some(some), Some(others)) = (known(&all[1]), known(&all[2]))
    {
        let all = Box::new([all[0].clone(), copied(some)?, copied(others)?]);
        return Ok(Expr { kind: ExprKind::Conditional(all), ty: Type::Void, at });
    }
    Err("an asynchronous copy with an unknown number of zeros")
}
