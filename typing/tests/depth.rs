//! Long programs are deep trees: nothing overflows the stack.

use babycuda_core::{Num, Program, Stmt};
use babycuda_typing::{Context, approximate, check_derivation, infer};

#[test]
fn a_sequence_of_twenty_thousand_statements_is_typed() {
    let write = || Stmt::write("A", "tid", Num::lit(1u32));
    let body = Stmt::sequence((0..20_000).map(|_| write()));
    let program = Program::of_body(body);
    let typed = infer(&Context::of_program(&program), &program.body).unwrap();
    assert_eq!(typed.derivation.size(), 3 * 20_000 - 1);
    assert_eq!(check_derivation(&typed.derivation), Ok(()));
    assert_eq!(approximate(&program).accesses.len(), 20_000);
}
