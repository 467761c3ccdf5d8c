//! Asynchronous copies by CUDA's functions of C (`cuda_pipeline.h`), by the namespace `cuda` (`cuda/pipeline`,
//! `cuda/barrier`) and by cooperative groups, for all parsers.

use crate::device::{BARRIER, PIPELINE, TOKEN};
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

/// What an expression of this type points to, or its value is, if it is of the namespace `cuda`.
fn class(expr: &Expr) -> Option<&str> {
    match &expr.ty {
        Type::Opaque(name) => Some(name),
        Type::Pointer(to) => match &**to {
            Type::Opaque(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

impl Expr {
    /// A function of the namespace `cuda`, or a method of its pipelines and barriers, or the construct that is refused;
    /// `None`: it is another. Pipelines and barriers are passed by pointers to them, that of a method first. `prior`: all
    /// but how many stages a call waits for.
    pub fn of_cuda(
        name: &str,
        arguments: &[Expr],
        prior: Option<&Expr>,
        at: At,
    ) -> Option<Result<Expr, &'static str>> {
        let device = |name: &str, arguments: Vec<Expr>, ty: Type| {
            let kind = ExprKind::Device(Name::new(name), arguments);
            Ok(Expr { kind, ty, at })
        };
        let copied = |start, group: &[Expr], to: &Expr, from: &Expr, count: &Expr| {
            let copied = match group {
                [] => Expr::bytes("memcpy", &[to, from, count].map(Expr::clone), at),
                _ => Expr::copied(to, from, count, at),
            };
            let arguments = [copied.ok_or(UNKNOWN)?].into_iter().chain(group.iter().cloned());
            device(start, arguments.collect(), Type::Void)
        };
        let number = |count: &Expr, ty| count.clone().converted(&Type::Int(ty), at);
        let of = |object: &Expr, known: &str| class(object) == Some(known);
        Some(match (name, arguments) {
            ("make_pipeline", []) => {
                Ok(Expr { kind: ExprKind::List(Vec::new()), ty: Type::Opaque(PIPELINE.into()), at })
            }
            ("memcpy_async", [group @ .., to, from, count, by]) if group.len() <= 1 => match by {
                by if of(by, PIPELINE) => copied("async::copy", group, to, from, count),
                by if of(by, BARRIER) => copied("async::copy_to_barrier", group, to, from, count),
                _ => Err("an asynchronous copy that nothing known waits for"),
            },
            ("pipeline_consumer_wait_prior", [by]) => match prior {
                Some(prior) if of(by, PIPELINE) => {
                    let prior = number(prior, IntType::U64);
                    device("async::wait_prior", vec![prior], Type::Void)
                }
                Some(_) => Err("a wait for what is no pipeline of a thread"),
                None => Err("a wait for stages of which it is not said which"),
            },
            ("init", [by, count]) if of(by, BARRIER) => {
                let count = number(count, IntType::U32);
                device("async::init", vec![by.clone(), count], Type::Void)
            }
            (method, [by]) if of(by, PIPELINE) => {
                let name = match method {
                    "producer_acquire" => "async::acquire",
                    "producer_commit" => "async::commit",
                    "consumer_wait" => "async::wait",
                    "consumer_release" => "async::release",
                    _ => return None,
                };
                device(name, Vec::new(), Type::Void)
            }
            ("arrive_and_wait", [by]) if of(by, BARRIER) => {
                device("async::arrive_and_wait", vec![by.clone()], Type::Void)
            }
            ("arrive", [by]) if of(by, BARRIER) => {
                device("async::arrive", vec![by.clone()], Type::Opaque(TOKEN.into()))
            }
            ("wait", [by, token]) if of(by, BARRIER) && of(token, TOKEN) => match &token.kind {
                ExprKind::Device(..) => {
                    device("async::arrive_and_wait", vec![by.clone()], Type::Void)
                }
                _ => device("async::wait_for_others", Vec::new(), Type::Void),
            },
            _ => return None,
        })
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
