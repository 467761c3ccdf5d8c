//! Wrong theorems about launches and about orders of atomic updates.

use super::super::account::{lines, number, unreadable};
use super::{holds, vacuous};
use crate::grade::{Fault, Judged};
use babycuda_core::parse::parse_stmt;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, BarrierScope};
use babycuda_core::{Dim3, Launch, Natural, Num, Stmt, Thread};
use std::collections::{BTreeMap, BTreeSet};

/// A wrong theorem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Numbers {
    /// At most 200 additions of c > 0 to a byte that starts at 0 yield distinct values.
    DistinctAdditions,
    /// Of the compare-and-swaps that expect 0 at most one succeeds.
    OneWinner,
    /// Threads of one block with one `threadIdx.y` and one `threadIdx.x / 32` are of one warp.
    WarpOfX,
}

impl Numbers {
    /// The theorem of this name.
    pub fn named(name: &str) -> Option<Numbers> {
        Some(match name {
            "distinct-additions" => Numbers::DistinctAdditions,
            "one-winner" => Numbers::OneWinner,
            "warp-of-x" => Numbers::WarpOfX,
            _ => return None,
        })
    }

    /// Does the answer refute it?
    pub(crate) fn judge(self, answer: &str) -> Judged {
        match self {
            Numbers::DistinctAdditions => distinct_additions(answer),
            Numbers::OneWinner => one_winner(answer),
            Numbers::WarpOfX => warp_of_x(answer),
        }
    }
}

/// The numbers of lines `name: 3 4`.
fn named<'a>(
    answer: &'a str,
    names: &[&'a str],
) -> Result<BTreeMap<&'a str, Vec<Natural>>, Box<Fault>> {
    let mut found = BTreeMap::new();
    for (line, text) in lines(answer) {
        let (name, values) =
            text.split_once(':').map_or((text.trim(), ""), |(name, values)| (name.trim(), values));
        if !names.contains(&name) {
            return Err(unreadable(
                line,
                format!("`{}`: expected a line of {}", text.trim(), names.join(", ")),
            ));
        }
        let values: Result<Vec<Natural>, String> = values.split_whitespace().map(number).collect();
        found.insert(name, values.map_err(|why| unreadable(line, why))?);
    }
    match names.iter().find(|name| !found.contains_key(*name)) {
        Some(missing) => {
            Err(Fault::refused("the answer can be read", format!("it has no line `{missing}: …`")))
        }
        None => Ok(found),
    }
}

/// T13 without its bound: N additions of c with wrap-around yield distinct values iff N ≤ 2^w / gcd(c, 2^w).
fn distinct_additions(answer: &str) -> Judged {
    let found = named(answer, &["additions", "amount"])?;
    let one = |name: &str| match found.get(name).map(Vec::as_slice) {
        Some([k]) => k
            .to_u64()
            .ok_or_else(|| Fault::refused("the answer is within the limits", "so large a number")),
        _ => Err(Fault::refused("the answer can be read", format!("`{name}` is one number"))),
    };
    let (additions, amount) = (one("additions")?, one("amount")?);
    if amount == 0 || amount > 255 {
        return Err(vacuous("the amount is 1 to 255"));
    }
    if additions > 200 {
        return Err(vacuous("there are at most 200 additions"));
    }
    let mut yielded = BTreeMap::new();
    for n in 0..additions {
        let value = n * amount % 256;
        if let Some(before) = yielded.insert(value, n) {
            return Ok(format!("additions {before} and {n} both yield {value}"));
        }
    }
    let gcd = 1u64 << amount.trailing_zeros().min(8);
    let why = format!(
        "{additions} additions of {amount} yield distinct values: so do any up to 256 / gcd({amount}, 256) = {}",
        256 / gcd
    );
    Err(holds(why))
}

/// T13 without its hypothesis: the updates, one a line, in the order in which they are made.
fn one_winner(answer: &str) -> Judged {
    let (mut held, mut winners) = (Natural::zero(), 0);
    let mut count = 0;
    for (line, text) in lines(answer) {
        count += 1;
        if count > 100 {
            return Err(Fault::refused("the answer is within the limits", "more than 100 updates"));
        }
        let stmt = parse_stmt(&format!("let t = atomic C[0] {} in skip", text.trim()));
        let update = match &stmt {
            Ok(Stmt::Atomic { update, .. }) => update.clone(),
            Ok(_) => {
                return Err(unreadable(line, "expected one update, as in `cas 1 if 0` or `add 1`"));
            }
            Err(error) => {
                return Err(unreadable(
                    line,
                    format!("{}: expected an update, as in `cas 1 if 0` or `add 1`", error.kind),
                ));
            }
        };
        let value = |n: &Num| n.value().map_err(|_| unreadable(line, "an operand is a number"));
        let expected = update.expected.as_ref().map(value).transpose()?;
        let update = AtomicUpdate { op: update.op, operand: value(&update.operand)?, expected };
        let after = update.apply(&held);
        if after.bits() > 64 {
            return Err(Fault::refused(
                "the answer is within the limits",
                "a number of more than 64 bits",
            )
            .at(line));
        }
        let zero = Natural::zero();
        if update.op == AtomicOp::Cas {
            if update.expected.as_ref() != Some(&zero) || update.operand == zero {
                return Err(
                    vacuous("each compare-and-swap expects 0 and stores another number").at(line)
                );
            }
            winners += usize::from(held == zero);
        } else if !matches!(update.op, AtomicOp::Add(_) | AtomicOp::Sub(_)) && after == zero {
            return Err(vacuous("no update stores 0, but for additions and subtractions").at(line));
        }
        held = after;
    }
    match winners {
        0 | 1 => Err(holds(format!("{winners} of the compare-and-swaps succeed in this order"))),
        _ => Ok(format!("{winners} compare-and-swaps succeed")),
    }
}

fn warp_of_x(answer: &str) -> Judged {
    let found = named(answer, &["block", "threads"])?;
    let small = |name: &str| -> Result<Vec<u32>, Box<Fault>> {
        let numbers = found.get(name).into_iter().flatten();
        let numbers: Option<Vec<u32>> = numbers.map(|k| u32::try_from(k.to_u64()?).ok()).collect();
        numbers
            .ok_or_else(|| Fault::refused("the answer is within the limits", "so large a number"))
    };
    let (block, threads) = (small("block")?, small("threads")?);
    let ([x, y], [x0, y0, x1, y1]) = (block.as_slice(), threads.as_slice()) else {
        let why = "expected `block: X Y`, and `threads: x y x y`: threadIdx of both";
        return Err(Fault::refused("the answer can be read", why));
    };
    let launch = Launch::new(Dim3::line(1), Dim3 { x: *x, y: *y, z: 1 });
    if *x == 0 || *y == 0 || launch.block.count() > 1024 {
        return Err(vacuous("a block has 1 to 1024 threads"));
    }
    if [x0, x1].into_iter().any(|t| t >= x) || [y0, y1].into_iter().any(|t| t >= y) {
        return Err(vacuous("a thread is none of the block"));
    }
    if y0 != y1 || x0 / 32 != x1 / 32 {
        return Err(vacuous("the threads differ in threadIdx.y, or in threadIdx.x / 32"));
    }
    let indices: Vec<u64> = [(x0, y0), (x1, y1)]
        .into_iter()
        .map(|(x, y)| launch.block.linear(Dim3 { x: *x, y: *y, z: 0 }))
        .collect();
    let warps: BTreeSet<u64> = indices
        .iter()
        .map(|index| {
            launch.group(BarrierScope::Warp, Thread { block: 0, index: *index }).first
                / u64::from(launch.warp)
        })
        .collect();
    match warps.len() {
        1 => Err(holds(format!(
            "both are of warp {}: their linear indices are {indices:?}",
            warps.first().copied().unwrap_or(0)
        ))),
        _ => Ok(format!("their linear indices are {indices:?}, of different warps")),
    }
}
