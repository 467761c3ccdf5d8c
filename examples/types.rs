//! The memory access protocol of a program, its derivation, and what a checker says that trusts no
//! evaluator.
//!
//! `cargo run --example types`

use babycuda::parse::parse_program;
use babycuda::typing::{check_derivation, normalize, type_program};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = parse_program(
        "threads 4; param n;
         forS i in 0..n { let x = A[tid] in A[tid] := x + i; sync }",
    )?;
    let typed = type_program(&program)?;
    println!("{}", normalize(&typed.protocol));
    check_derivation(&typed.derivation)?;
    println!("{} rule instances, checked", typed.derivation.size());

    // An index that is read from memory has no protocol: which cell it names is data.
    let program = parse_program("threads 4; let x = B[tid] in A[x] := 1")?;
    match type_program(&program) {
        Ok(_) => Err("the index is data".into()),
        Err(rejection) => {
            println!("rejected: {rejection}");
            Ok(())
        }
    }
}
