//! The examples of LCL22: Figs. 3 and 4, and the ill-typed program of Eq. (2).

use babycuda_core::parse::{parse_program, parse_protocol};
use babycuda_typing::{Rule, check_derivation, type_program};

#[test]
fn figure_3_has_the_printed_type() {
    let program =
        parse_program("param M;\nforU x in 0..M { let y = A[x] in A[x] := y + 1 }").unwrap();
    let typed = type_program(&program).unwrap();
    assert_eq!(typed.protocol.to_string(), "forU x in 0..M { rd[x]; wr[x] }");
    assert_eq!(typed.protocol, parse_protocol("forU x in 0..M { rd[x]; wr[x] }").unwrap());
    assert!(typed.is_paper_fragment());
    assert_eq!(check_derivation(&typed.derivation), Ok(()));
}

#[test]
fn figure_4_has_the_printed_type() {
    let program = parse_program("if tid == 0 { A[0] := tid } else { skip }").unwrap();
    let typed = type_program(&program).unwrap();
    assert_eq!(typed.protocol.to_string(), "if tid == 0 { wr[0] } else { skip }");
    assert!(typed.is_paper_fragment());
    assert_eq!(check_derivation(&typed.derivation), Ok(()));
}

#[test]
fn equation_2_has_no_type_because_of_x() {
    let program = parse_program("A[tid] := tid;\nlet x = A[tid] in\nA[x] := 9").unwrap();
    let rejection = type_program(&program).unwrap_err();
    assert_eq!(rejection.rule, Rule::Write);
    assert_eq!(rejection.premise_text(), "V ⊢ n");
    assert_eq!(
        rejection.describe(&program.sources),
        "t-write, premise 1: index mentions x, which is data: read from A at 2:9"
    );
    assert_eq!(rejection.span(&program.sources).unwrap().to_string(), "3:1");
}
