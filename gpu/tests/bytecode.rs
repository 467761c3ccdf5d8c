//! The bytecode: encoding, verification, compilation.

use babycuda_core::expr::{ArithOp, BoolOp, Relation};
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::syntax::{AtomicOp, AtomicUpdate, Scope};
use babycuda_core::{
    AccessMode, Bool, CompareOp, IntType, MachineOp, Natural, Num, Program, Site, Stmt,
};
use babycuda_gpu::bytecode::{
    Code, CompileErrorKind, DecodeErrorKind, Instruction, Register, VerifyErrorKind, compile,
    decode, encode, verify,
};
use babycuda_gpu::image::REGISTERS;
use babycuda_testkit::generators::{Profile, programs};
use proptest::prelude::*;
use proptest::sample::select;

fn r(number: usize) -> Register {
    Register::new(number).expect("a register")
}

fn atomic_ops() -> Vec<AtomicOp> {
    let typed = IntType::ALL.into_iter().flat_map(|t| {
        let either = [AtomicOp::Add, AtomicOp::Sub, AtomicOp::Min, AtomicOp::Max];
        let machine = [AtomicOp::And, AtomicOp::Or, AtomicOp::Xor];
        either.map(|op| op(Some(t))).into_iter().chain(machine.map(|op| op(t)))
    });
    let untyped = [
        AtomicOp::Add(None),
        AtomicOp::Sub(None),
        AtomicOp::Min(None),
        AtomicOp::Max(None),
        AtomicOp::Exch,
        AtomicOp::Inc,
        AtomicOp::Dec,
        AtomicOp::Cas,
        AtomicOp::Opaque,
    ];
    typed.chain(untyped).collect()
}

fn scopes() -> impl Strategy<Value = BarrierScope> {
    let tiles = (0u32..32).prop_map(|bits| BarrierScope::Tile(1 << bits));
    const OTHERS: [BarrierScope; 3] = [BarrierScope::Block, BarrierScope::Warp, BarrierScope::Grid];
    prop_oneof![tiles, select(&OTHERS[..])]
}

fn comparisons() -> Vec<CompareOp> {
    let machines = || IntType::ALL.map(Some).into_iter().chain([None]);
    let all = |relation| machines().map(move |machine| CompareOp { relation, machine });
    Relation::ALL.into_iter().flat_map(all).collect()
}

/// Any instruction.
fn instructions() -> impl Strategy<Value = Instruction> {
    let register = || (0..REGISTERS).prop_map(r);
    let two = || (register(), register());
    let three = || (register(), register(), register());
    let types = || select(&IntType::ALL[..]);
    prop_oneof![
        Just(Instruction::Halt),
        (register(), any::<u64>()).prop_map(|(to, value)| Instruction::Const { to, value }),
        two().prop_map(|(to, from)| Instruction::Move { to, from }),
        (select(&ArithOp::ALL[..]), three())
            .prop_map(|(op, (to, left, right))| { Instruction::Natural { op, to, left, right } }),
        (select(&MachineOp::ALL[..]), types(), three()).prop_map(|(op, of, (to, left, right))| {
            Instruction::Machine { op, of, to, left, right }
        }),
        (types(), types(), two()).prop_map(|(source, target, (to, from))| {
            Instruction::Cast { source, target, to, from }
        }),
        (three(), register()).prop_map(|((to, condition, then), otherwise)| {
            Instruction::Select { to, condition, then, otherwise }
        }),
        (select(comparisons()), three())
            .prop_map(|(op, (to, left, right))| { Instruction::Compare { op, to, left, right } }),
        (select(&BoolOp::ALL[..]), three()).prop_map(|(op, (to, left, right))| {
            Instruction::Connective { op, to, left, right }
        }),
        two().prop_map(|(to, from)| Instruction::Not { to, from }),
        (two(), any::<u32>())
            .prop_map(|((to, index), array)| { Instruction::Read { to, array, index } }),
        (two(), any::<u32>())
            .prop_map(|((index, value), array)| { Instruction::Write { array, index, value } }),
        (select(atomic_ops()), two(), any::<u32>(), two()).prop_map(
            |(op, (to, index), array, (operand, expected))| {
                Instruction::Atomic { op, to, array, index, operand, expected }
            }
        ),
        any::<u32>().prop_map(|to| Instruction::Jump { to }),
        (register(), any::<u32>())
            .prop_map(|(condition, to)| Instruction::Unless { condition, to }),
        (scopes(), any::<u32>()).prop_map(|(scope, barrier)| Instruction::Sync { scope, barrier }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn what_is_encoded_decodes_to_itself(instruction in instructions()) {
        prop_assert_eq!(decode(&encode(instruction)), Ok(vec![instruction]));
    }

    /// An encoding is the only one of its instruction: changed by a bit, it is another's or none.
    #[test]
    fn only_what_is_encoded_decodes(instruction in instructions(), bit in 0usize..128) {
        let mut words = encode(instruction);
        words[bit / 32] ^= 1 << (bit % 32);
        if let Ok(other) = decode(&words) {
            prop_assert_ne!(&other, &[instruction]);
            prop_assert_eq!(encode(other[0]), words);
        }
    }
}

#[test]
fn words_that_encode_nothing_say_where_and_why() {
    let halt = [0; 4];
    let cases: [(&[u32], DecodeErrorKind); 11] = [
        (&[0, 0, 0], DecodeErrorKind::Incomplete),
        (&[16, 0, 0, 0], DecodeErrorKind::Operation(16)),
        (&[3 | 7 << 8, 0, 0, 0], DecodeErrorKind::Sub(7)),
        (&[4 | 8 << 16, 0, 0, 0], DecodeErrorKind::Type(8)),
        (&[12 | 7 << 8, 0, 0, 0], DecodeErrorKind::Type(0)),
        (&[2, 128, 0, 0], DecodeErrorKind::Register(128)),
        (&[0, 1, 0, 0], DecodeErrorKind::Unused),
        (&[13 | 1 << 8, 0, 0, 0], DecodeErrorKind::Unused),
        (&[15 | 4 << 8, 0, 0, 0], DecodeErrorKind::Sub(4)),
        (&[15 | 2 << 8 | 32 << 16, 0, 0, 0], DecodeErrorKind::Type(32)),
        (&[15 | 1 << 8 | 1 << 16, 0, 0, 0], DecodeErrorKind::Unused),
    ];
    for (words, kind) in cases {
        let error = decode(&[&halt[..], words].concat()).expect_err("no instruction");
        assert_eq!((error.pc, error.kind), (1, kind));
    }
}

#[test]
fn the_verifier_refuses_what_interpreters_cannot_run() {
    let (halt, jump) = (Instruction::Halt, |to| Instruction::Jump { to });
    let read = |array| Instruction::Read { to: r(9), array, index: r(0) };
    let exchange = |expected| {
        let (op, index, operand) = (AtomicOp::Exch, r(0), r(0));
        Instruction::Atomic { op, to: r(9), array: 0, index, operand, expected }
    };
    let sync = |barrier| Instruction::Sync { scope: BarrierScope::Block, barrier };
    let by_warps = |barrier| Instruction::Sync { scope: BarrierScope::Warp, barrier };
    let of_three = BarrierScope::Tile(3);
    let tile = Instruction::Sync { scope: of_three, barrier: 0 };
    let wrong: [(&[Instruction], usize, VerifyErrorKind); 10] = [
        (&[], 0, VerifyErrorKind::Empty),
        (&[halt, read(0)], 1, VerifyErrorKind::FallsThrough),
        (&[Instruction::Unless { condition: r(0), to: 0 }], 0, VerifyErrorKind::FallsThrough),
        (&[jump(1)], 0, VerifyErrorKind::Target(1)),
        (&[Instruction::Unless { condition: r(0), to: 2 }, halt], 0, VerifyErrorKind::Target(2)),
        (&[read(0), read(1), halt], 1, VerifyErrorKind::Array(1)),
        (&[sync(1 << 30), halt], 0, VerifyErrorKind::Barrier(1 << 30)),
        (&[sync(1), by_warps(0), by_warps(1), halt], 2, VerifyErrorKind::Scopes(1)),
        (&[tile, halt], 0, VerifyErrorKind::Tile(of_three)),
        (&[exchange(r(1)), halt], 0, VerifyErrorKind::Expected),
    ];
    for (code, pc, kind) in wrong {
        let error = verify(code, 1, 0).expect_err("wrong");
        assert_eq!((error.pc, error.kind), (pc, kind), "{code:?}");
    }
    let right = [read(0), exchange(r(0)), sync((1 << 30) - 1), jump(0)];
    assert_eq!(verify(&right, 1, 124), Ok(()));
    assert_eq!(verify(&right, 1, 125).map_err(|e| e.kind), Err(VerifyErrorKind::Inputs(125)));
}

fn code(text: &str) -> Code {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    compile(&program).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn every_construct_has_its_instructions() {
    let text = "param N: nat; shared A; global B;\n\
        forS i in 0..N {\n\
          if threadIdx.x < 2 && !(lt.i32(i, N)) { sync } else { sync.tile4 };\n\
          let x = atomic A[tid] cas i if 7 in B[x] := select(x == 1, cast.u8.i32(x), add.u32(x, 1))\n\
        };\n\
        let y = atomic A[0] add.u32 N in skip";
    let code = code(text);
    let lines: Vec<String> = code.to_string().lines().map(str::to_owned).collect();
    let expected = [
        "; inputs: r4 = N",
        " 0 #0 r5 := 0",
        " 1 #0 r6 := r4",
        " 2 #0 r7 := r5 < r6",
        " 3 #0 unless r7 jump 25",
        " 4 #1 r7 := 2",
        " 5 #1 r7 := r1 < r7",
        " 6 #1 r8 := r5 lt.i32 r4",
        " 7 #1 r8 := !r8",
        " 8 #1 r7 := r7 && r8",
        " 9 #1 unless r7 jump 12",
        "10 #2 sync 0",
        "11 #1 jump 13",
        "12 #3 sync.tile4 1",
        "13 #4 r7 := 7",
        "14 #4 r7 := atomic A[r0] cas r5 if r7",
        "15 #5 r8 := 1",
        "16 #5 r8 := r7 == r8",
        "17 #5 r9 := cast.u8.i32(r7)",
        "18 #5 r10 := 1",
        "19 #5 r10 := r7 add.u32 r10",
        "20 #5 r8 := select(r8, r9, r10)",
        "21 #5 B[r7] := r8",
        "22 #0 r7 := 1",
        "23 #0 r5 := r5 + r7",
        "24 #0 jump 2",
        "25 #6 r5 := 0",
        "26 #6 r5 := atomic A[r5] add.u32 r4",
        "27    halt",
    ];
    assert_eq!(lines, expected);
    assert_eq!(code.site(10), Some(Site(2)));
    assert_eq!(code.access(14), Some((AccessMode::At(Scope::Device), 0)));
    assert_eq!(code.access(21), Some((AccessMode::Wr, 1)));
    assert_eq!((code.access(22), code.access(99)), (None, None));
}

#[test]
fn one_site_is_one_barrier() {
    let sync = |site| Stmt::Sync { site: Site(site), scope: BarrierScope::Block };
    let body = Stmt::sequence([sync(5), sync(3), sync(5)]);
    let program = Program { body, ..Program::of_body(Stmt::Skip) };
    let code = compile(&program).expect("it compiles");
    let barriers = code.instructions().iter().filter_map(|instruction| match instruction {
        Instruction::Sync { barrier, .. } => Some(*barrier),
        _ => None,
    });
    assert_eq!(barriers.collect::<Vec<_>>(), [0, 1, 0]);
}

/// Nested reads, `depth` of them.
fn nested(depth: usize) -> Program {
    let read = |body, x| Stmt::read(format!("x{x}"), "A", Num::lit(0u32), body);
    Program::of_body((0..depth).rev().fold(Stmt::Skip, read))
}

#[test]
fn variables_fill_the_registers_and_no_more() {
    assert!(compile(&nested(REGISTERS - Register::FIRST_INPUT)).is_ok());
    let error = compile(&nested(REGISTERS)).expect_err("too deep");
    assert_eq!(error.kind, CompileErrorKind::TooManyRegisters);
    assert_eq!(error.site, Some(Site((REGISTERS - Register::FIRST_INPUT) as u32)));
    let inputs = (0..REGISTERS).map(|n| Num::var(format!("p{n}")));
    let sum = inputs.fold(Num::lit(0u32), |sum, p| Num::arith(ArithOp::Add, sum, p));
    let error = compile(&Program::of_body(Stmt::write("A", Num::lit(0u32), sum)));
    assert_eq!(error.map_err(|e| e.kind), Err(CompileErrorKind::TooManyRegisters));
}

#[test]
fn deep_expressions_need_few_registers_whichever_way_they_lean() {
    let add = |l, r| Num::arith(ArithOp::Add, l, r);
    let one = || Num::lit(1u32);
    let left = (0..100_000).fold(one(), |n, _| add(n, one()));
    let right = (0..100_000).fold(one(), |n, _| add(one(), n));
    let negated = (0..100_000).fold(Bool::Lit(true), |c, _| Bool::not(c));
    let chosen = (0..50_000).fold(one(), |n, _| Num::select(Bool::Lit(true), one(), n));
    let balanced = (0..10).fold(one(), |n, _| add(n.clone(), n));
    for (expression, most) in [
        (left, 2),
        (right, 2),
        (Num::select(negated, one(), one()), 3),
        (chosen, 3),
        (balanced, 11),
    ] {
        let program = Program::of_body(Stmt::write("A", Num::var("tid"), expression));
        let code = compile(&program).expect("it compiles");
        let used = code.instructions().iter().filter_map(|instruction| match *instruction {
            Instruction::Const { to, .. }
            | Instruction::Natural { to, .. }
            | Instruction::Not { to, .. }
            | Instruction::Select { to, .. } => Some(to.number() + 1 - Register::FIRST_INPUT),
            _ => None,
        });
        assert_eq!(used.max(), Some(most));
    }
}

#[test]
fn deep_statements_compile() {
    let write = || Stmt::write("A", Num::lit(0u32), Num::lit(1u32));
    let left = (0..100_000).fold(write(), |b, _| Stmt::seq(b, write()));
    let branches = (0..100_000).fold(write(), |b, _| Stmt::branch(Bool::Lit(true), Stmt::Skip, b));
    for body in [left, branches] {
        assert!(compile(&Program::of_body(body)).is_ok());
    }
}

#[test]
fn what_the_machine_cannot_do_is_a_typed_error_with_its_place() {
    let program = parse_program("A[0] := 1;\nA[1] := 18446744073709551616").expect("it parses");
    let error = compile(&program).expect_err("too large");
    let literal = Natural::from(1u128 << 64);
    assert_eq!(error.kind, CompileErrorKind::LiteralTooLarge(literal));
    let message = "2:1: the literal 18446744073709551616 has more than 64 bits";
    assert_eq!(error.to_string(), message);

    let atomic = |op, expected| {
        let update = AtomicUpdate { op, operand: Num::lit(1u32), expected };
        let index = Num::lit(0u32);
        Program::of_body(Stmt::atomic("x", "A", index, update, Scope::Device, Stmt::Skip))
    };
    let error = |program| compile(&program).map_err(|error| error.kind);
    let cas = atomic(AtomicOp::Cas, None);
    assert_eq!(error(cas), Err(CompileErrorKind::CasWithoutExpected));
    let exchange = atomic(AtomicOp::Exch, Some(Num::lit(1u32)));
    assert_eq!(error(exchange), Err(CompileErrorKind::ExpectedWithoutCas));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn compiled_programs_are_verified_code_of_their_statements(program in programs(Profile::ANY)) {
        match compile(&program) {
            Ok(code) => {
                let (arrays, inputs) = (code.arrays().len(), code.inputs().len());
                prop_assert_eq!(verify(code.instructions(), arrays, inputs), Ok(()));
                let words: Vec<u32> =
                    code.instructions().iter().flat_map(|i| encode(*i)).collect();
                prop_assert_eq!(decode(&words), Ok(code.instructions().to_vec()));
                // One access for each in the program, at its site, of its array.
                let accesses = program.body.subterms().filter(|b| b.accessed().is_some()).count();
                let pcs = 0..code.instructions().len() as u32;
                let of_code = pcs.filter_map(|pc| Some((code.site(pc)?, code.access(pc)?.1)));
                let of_code: Vec<(Site, u32)> = of_code.collect();
                prop_assert_eq!(of_code.len(), accesses);
                for (site, array) in of_code {
                    let b = program.body.subterms().find(|b| b.site() == Some(site));
                    let name = b.and_then(|b| b.accessed());
                    prop_assert_eq!(name, Some(&code.arrays()[array as usize]));
                }
            }
            Err(error) => {
                let is_literal = matches!(error.kind, CompileErrorKind::LiteralTooLarge(_));
                prop_assert!(is_literal, "{}", error);
            }
        }
    }
}
