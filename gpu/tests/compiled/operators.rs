//! Every operator of the calculus, on numbers at which operators turn.

use super::expressions::{EDGES, constants, expressions};
use babycuda_core::expr::ArithOp;
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::{ArrayDecl, Contents, Domain, Param, Program, Space};
use babycuda_core::{Launch, Name, Natural, Num, Stmt};
use babycuda_gpu::text::TextBackend;
use babycuda_gpu::{JobOptions, Report, compiled};
use babycuda_semantics::{Instance, RunOptions};

fn array(name: &str, contents: Contents, length: usize) -> ArrayDecl {
    ArrayDecl {
        space: Space::Global,
        contents,
        length: Some(Natural::from(length)),
        element: Domain::Natural,
        ..ArrayDecl::implicit(Name::new(name))
    }
}

/// The only report of an instance in compiled mode.
pub fn report<B: TextBackend>(backend: &mut B, instance: &Instance, log: u32) -> Report {
    let options = JobOptions { log, ..JobOptions::default() };
    let mut reports = compiled::run(backend, instance, &options).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(reports.len(), 1);
    reports.remove(0)
}

pub fn every_operator_computes_what_it_should<B: TextBackend>(backend: &mut B) {
    let pairs: Vec<(u64, u64)> =
        EDGES.iter().flat_map(|x| EDGES.iter().map(move |y| (*x, *y))).collect();
    let threads = pairs.len();
    let mut all = expressions();
    all.extend(constants());
    let mut checked = 0;
    // A text of all of them would take compilers long.
    for expressions in all.chunks(64) {
        let tid = || Num::var("tid");
        let cell = |k: usize| {
            let row = Num::arith(ArithOp::Mul, Num::lit(k), Num::lit(threads));
            Num::arith(ArithOp::Add, tid(), row)
        };
        let writes = expressions.iter().enumerate();
        let writes = writes.map(|(k, e)| Stmt::write("B", cell(k), e.clone()));
        let body = Stmt::read("y", "Y", tid(), Stmt::sequence(writes));
        let body = Stmt::read("x", "X", tid(), body);
        let values = |of: fn(&(u64, u64)) -> u64| {
            Contents::Values(pairs.iter().map(|pair| Natural::from(of(pair))).collect())
        };
        let launch = Launch::threads(threads as u32);
        let arrays = vec![
            array("X", values(|p| p.0), threads),
            array("Y", values(|p| p.1), threads),
            array("B", Contents::Fill(Natural::zero()), threads * expressions.len()),
        ];
        let program = Program::of_body(body).with_arrays(arrays).with_launch(launch);
        let report = report(backend, &Instance::new(program, launch), 128);
        let results = &report.arrays.iter().find(|a| a.name.as_str() == "B").unwrap().cells;
        for (k, expression) in expressions.iter().enumerate() {
            for (thread, (x, y)) in pairs.iter().enumerate() {
                let env =
                    |name: &Name| Some(Natural::from(if name.as_str() == "x" { *x } else { *y }));
                let exact = expression.eval(&env).unwrap();
                // What does not fit wraps around, and marks its thread.
                let expected = exact.low_u64();
                let found = results[k * threads + thread];
                assert_eq!(found, expected, "{expression} for x = {x:#x}, y = {y:#x}");
                checked += 1;
            }
        }
        let overflows = |(x, y): &(u64, u64)| {
            let env = |name: &Name| Some(Natural::from(if name.as_str() == "x" { *x } else { *y }));
            expressions.iter().any(|e| e.eval(&env).unwrap().to_u64().is_none())
        };
        let first = pairs.iter().position(overflows).map(|thread| thread as u64);
        assert_eq!(report.overflow.map(|place| place.thread), first);
    }
    assert!(checked > 100_000, "{checked}");
}

pub fn every_atomic_update_does_what_it_should<B: TextBackend>(backend: &mut B) {
    let mut operators: Vec<String> =
        ["add", "sub", "min", "max", "exch", "inc", "dec"].map(String::from).to_vec();
    for t in ["u32", "i32", "u8", "i64"] {
        for op in ["add", "sub", "min", "max", "and", "or", "xor"] {
            operators.push(format!("{op}.{t}"));
        }
    }
    // One thread after the other is one thread: what each update yields is certain.
    for scope in ["", ".block", ".system"] {
        let mut text = String::from(
            "param p; global A[5] = [5, 4294967295, 0, 128, 9223372036854775808]; shared S[5] = fill 9; \
             global B[80] = fill 0;\n",
        );
        let mut cell = 0;
        for array in ["A", "S"] {
            for op in &operators {
                let index = cell % 5;
                text += &format!(
                    "let x{cell} = atomic{scope} {array}[{index}] {op} p in B[{cell}] := x{cell};\n"
                );
                cell += 1;
            }
            for expected in ["9", "p", "5"] {
                text += &format!(
                    "let x{cell} = atomic{scope} {array}[0] cas 77 if {expected} in B[{cell}] := x{cell};\n"
                );
                cell += 1;
            }
        }
        text += "skip";
        let mut program = parse_program(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        program.params = vec![Param { name: Name::new("p"), domain: Domain::Natural, value: None }];
        for p in [0u64, 1, 3, 200, 0xffff_ffff, 1 << 40] {
            let instance =
                Instance::new(program.clone(), Launch::threads(1)).with_parameter("p", p);
            let history = instance.run(&RunOptions::default());
            assert!(history.is_done(), "{history:?}");
            let report = report(backend, &instance, 512);
            if report.overflow.is_some() {
                continue;
            }
            let comparison = babycuda_gpu::compare::Comparison::new(&history, &report);
            assert_eq!(comparison.first_difference(), None, "p = {p}\n{text}");
        }
    }
}
