//! Options whose values are read from text.

use babycuda::parse;
use babycuda::semantics::Policy;
use babycuda_core::{BigInt, Cell, Dim3, Natural};

/// `--choose`
pub(super) fn parse_choose(text: &str) -> Result<Policy, String> {
    let policy = text.parse().ok();
    let offered = |p: &Policy| matches!(p, Policy::Smallest | Policy::First | Policy::Seed(_));
    policy.filter(offered).ok_or_else(|| "expected smallest, first or seed:N".to_owned())
}

/// `--block` and `--grid`
pub(super) fn parse_dim3(text: &str) -> Result<Dim3, String> {
    let parts: Result<Vec<u32>, _> = text.split(',').map(|p| p.trim().parse()).collect();
    match parts.map_err(|_| format!("`{text}` is not of the form X, X,Y or X,Y,Z"))?.as_slice() {
        [x] => Ok(Dim3 { x: *x, y: 1, z: 1 }),
        [x, y] => Ok(Dim3 { x: *x, y: *y, z: 1 }),
        [x, y, z] => Ok(Dim3 { x: *x, y: *y, z: *z }),
        _ => Err(format!("`{text}` has more than three extents")),
    }
}

/// `--warp`
pub(super) fn parse_warp(text: &str) -> Result<u32, String> {
    let threads = text.parse().ok().filter(|n: &u32| n.is_power_of_two() && *n <= 1024);
    threads.ok_or_else(|| {
        format!("a warp of {text} threads: its size must be a power of two, at most 1024")
    })
}

/// `--param`
pub(super) fn parse_param(text: &str) -> Result<(String, BigInt), String> {
    let (name, value) =
        text.split_once('=').ok_or_else(|| format!("`{text}` is not of the form NAME=VALUE"))?;
    Ok((name.to_owned(), integer(value)?))
}

pub(super) fn integer(value: &str) -> Result<BigInt, String> {
    let (digits, radix) = match value.strip_prefix("0x") {
        Some(hex) => (hex, 16),
        None => (value, 10),
    };
    // Longer numbers are in no program either.
    let number = if digits.len() > parse::MAX_DIGITS || digits.contains('_') {
        None
    } else {
        BigInt::parse_bytes(digits.as_bytes(), radix)
    };
    number.ok_or_else(|| format!("`{value}` is not an integer"))
}

/// `--contents`
pub(super) fn parse_contents(text: &str) -> Result<(Cell, BigInt), String> {
    let parts = text.split_once('=').and_then(|(cell, value)| {
        let (array, index) = cell.trim_end().strip_suffix(']')?.split_once('[')?;
        Some((array, index.trim().parse().ok()?, value))
    });
    let (array, index, value) =
        parts.ok_or_else(|| format!("`{text}` is not of the form ARRAY[INDEX]=VALUE"))?;
    let index: Natural = index;
    Ok((Cell::new(array, index), integer(value.trim())?))
}

/// `--time-limit` and `--timeout`
pub(super) fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 && s <= 86_400.0 => Ok(s),
        _ => Err(format!("`{text}` is not a number of seconds: above 0, at most 86400")),
    }
}

/// `--fix-time`
pub(super) fn parse_time(text: &str) -> Result<f64, String> {
    if text == "0" { Ok(0.0) } else { parse_seconds(text) }
}
