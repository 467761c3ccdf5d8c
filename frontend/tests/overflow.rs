//! Signed overflow: threads are stuck exactly where the integers leave the type.

mod common;

use babycuda_core::syntax::Contents;
use babycuda_core::{Dim3, Launch, Program, Settings, Thread};
use babycuda_frontend::{Options, Overflow};
use common::{Machine, program};

/// Edge values of `int`.
const INTS: [i64; 13] = [
    i32::MIN as i64,
    i32::MIN as i64 + 1,
    -46_341,
    -46_340,
    -2,
    -1,
    0,
    1,
    2,
    46_340,
    46_341,
    i32::MAX as i64 - 1,
    i32::MAX as i64,
];

/// Edge values of `long`.
const LONGS: [i64; 13] = [
    i64::MIN,
    i64::MIN + 1,
    -3_037_000_500,
    -3_037_000_499,
    -2,
    -1,
    0,
    1,
    2,
    3_037_000_499,
    3_037_000_500,
    i64::MAX - 1,
    i64::MAX,
];

/// Is a thread stuck in the kernel, with these parameters?
fn stuck(program: &Program, x: i64, y: i64, mask: u64) -> bool {
    let machine = Machine::new(program, Launch::threads(1));
    let machine = machine.with("x", x as u64 & mask).with("y", y as u64 & mask);
    machine.run(Thread { block: 0, index: 0 }).stuck
}

/// The kernel that evaluates `expression` of `x` and `y` for an index.
fn kernel(t: &str, expression: &str) -> String {
    format!("__global__ void k(float *a, {t} x, {t} y) {{ {t} z = x; a[{expression}] = 1.0f; }}")
}

fn parameters(source: &str, x: i64, y: i64) -> Program {
    let params = [("x".into(), x.into()), ("y".into(), y.into())].into();
    program(source, &Settings { params, ..Settings::default() }.into())
}

/// An expression, and its value over the integers; `None`: a division by zero, where a thread is stuck as well.
type Case = (&'static str, fn(i128, i128) -> Option<i128>);

const CASES: [Case; 17] = [
    ("x + y", |x, y| Some(x + y)),
    ("x - y", |x, y| Some(x - y)),
    ("x * y", |x, y| Some(x * y)),
    ("x / y", |x, y| (y != 0).then(|| x / y)),
    // C: overflows when the quotient does.
    ("x % y", |x, y| (y != 0).then(|| x / y)),
    ("-x", |x, _| Some(-x)),
    ("x + 3", |x, _| Some(x + 3)),
    ("x - 3", |x, _| Some(x - 3)),
    ("3 - x", |x, _| Some(3 - x)),
    ("x * 3", |x, _| Some(x * 3)),
    ("-5 * x", |x, _| Some(x * -5)),
    ("z += y", |x, y| Some(x + y)),
    ("z *= y", |x, y| Some(x * y)),
    ("z -= y", |x, y| Some(x - y)),
    ("z++", |x, _| Some(x + 1)),
    ("--z", |x, _| Some(x - 1)),
    ("+x", |x, _| Some(x)),
];

#[test]
fn a_thread_is_stuck_where_the_integers_leave_the_type() {
    for (t, values, mask) in [("int", INTS, u64::from(u32::MAX)), ("long long", LONGS, u64::MAX)] {
        let width = mask.count_ones();
        let (min, max) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
        for (expression, exact) in CASES {
            let source = kernel(t, expression);
            let symbolic = program(&source, &Options::default());
            for x in values {
                for y in values {
                    let expected =
                        exact(x.into(), y.into()).is_none_or(|v| !(min..=max).contains(&v));
                    let found = stuck(&symbolic, x, y, mask);
                    assert_eq!(found, expected, "{t}: {expression}, x = {x}, y = {y}");
                    if x % 5 == 0 || y % 5 == 1 {
                        let fixed = parameters(&source, x, y);
                        let found = stuck(&fixed, x, y, mask);
                        assert_eq!(found, expected, "{t}: {expression}, {x} and {y} fixed");
                    }
                }
            }
        }
    }
}

#[test]
fn chains_are_stuck_where_any_step_is() {
    let source = kernel("int", "x * y + x - y * 2");
    let symbolic = program(&source, &Options::default());
    for x in INTS {
        for y in INTS {
            let fits = |v: i64| i32::try_from(v).is_ok();
            let steps = [x * y, x * y + x, y * 2, x * y + x - y * 2];
            let expected = !steps.into_iter().all(fits);
            assert_eq!(stuck(&symbolic, x, y, u32::MAX.into()), expected, "{x}, {y}");
        }
    }
}

#[test]
fn what_cannot_overflow_has_no_stop() {
    let without = |t: &str, expression: &str| {
        let program = program(&kernel(t, expression), &Options::default());
        assert!(program.sources.overflows.is_empty(), "{t}: {expression}: {program}");
        assert!(program.unwritten().is_empty(), "{t}: {expression}");
    };
    for expression in ["x + y", "x * y", "-x", "++z", "x - 1"] {
        without("unsigned", expression);
        without("unsigned long", expression);
        without("short", expression.replace('*', "+").as_str());
        without("unsigned char", expression);
    }
    for expression in
        ["x << y", "x >> 1", "(unsigned char)(x) + 1", "x & y", "(int)threadIdx.x * 2"]
    {
        without("int", expression);
    }
    without("int", "(long)x * y");
}

/// Of unsigned numbers as well, one stop for all quotients by a number; none where it cannot be 0.
#[test]
fn a_division_by_zero_is_no_value() {
    for expression in ["x / y", "x % y", "x / y + x % y", "y ? x / y : x"] {
        let program = program(&kernel("unsigned", expression), &Options::default());
        assert_eq!(
            stuck(&program, 7, 0, u32::MAX.into()),
            !expression.contains('?'),
            "{expression}"
        );
        assert!(!stuck(&program, 7, 2, u32::MAX.into()), "{expression}");
        assert!(program.sources.overflows.len() <= 1, "{expression}: {program}");
    }
    for expression in ["x / 3", "x % blockDim.x", "x / sizeof(int)"] {
        let program = program(&kernel("unsigned", expression), &Options::default());
        assert!(program.sources.overflows.is_empty(), "{expression}: {program}");
    }
}

#[test]
fn wrapping_has_no_stop() {
    let options = Options { overflow: Overflow::Wrap, ..Options::default() };
    let program = program(&kernel("int", "x * y + 1"), &options);
    assert!(program.sources.overflows.is_empty(), "{program}");
    assert!(!stuck(&program, 1 << 30, 1 << 30, u32::MAX.into()));
}

/// Where the stop of `statements` stands: is a thread stuck for these `x` and `y`?
fn stuck_in(statements: &str, x: i64, y: i64) -> bool {
    let source = format!("__global__ void k(float *a, int x, int y) {{ {statements} }}");
    stuck(&program(&source, &Options::default()), x, y, u32::MAX.into())
}

#[test]
fn operands_that_are_not_evaluated_do_not_overflow() {
    let max = i64::from(i32::MAX);
    for (condition, guarded) in [
        ("x > 0 && x + 1 > y", false),
        ("x < 0 || x + 1 > y", false),
        ("x < 0 && x + 1 > y", true),
        ("x > 0 || x + 1 > y", true),
        ("x > 0 ? x + 1 > y : y > 0", false),
        ("x > 0 ? y > 0 : x + 1 > y", true),
        ("x < 0 && (y == 0 ? x + 1 : 0) > 3", true),
        ("x > 0 && (y == 0 ? x + 1 : 0) > 3", false),
        ("x > 0 || (x < 0 || x + 1 > y)", true),
        ("x < 0 || (x < 0 || x + 1 > y)", false),
        ("x < 0 && a[x] > 0 && x + 1 > y", true),
    ] {
        let statements = format!("if ({condition}) a[0] = 1.0f; a[1] = 2.0f;");
        assert_eq!(stuck_in(&statements, max, 0), !guarded, "{condition}");
        assert!(!stuck_in(&statements, max - 1, 0), "{condition}");
    }
    assert!(!stuck_in("if (y > 0) a[x + 1] = 1.0f; a[0] = 1.0f;", max, 0));
    assert!(stuck_in("if (y > 0) a[x + 1] = 1.0f; a[0] = 1.0f;", max, 1));
}

/// An overflow that is certain is one only for the threads that come to it.
#[test]
fn a_certain_overflow_keeps_its_guard() {
    let source = "__global__ void k(int *a, int n) { bool c = threadIdx.x < 1 && n + 1 > 5;
                  a[0] = c; }";
    let params = [("n".into(), i32::MAX.into())].into();
    let program = program(source, &Settings { params, ..Settings::default() }.into());
    let machine = Machine::new(&program, Launch::threads(3));
    let stuck = |index| machine.run(Thread { block: 0, index }).stuck;
    assert_eq!([0, 1, 2].map(stuck), [true, false, false], "{program}");
}

/// The largest and the least factor of a literal, and those next to them.
#[test]
fn products_with_a_literal_fit_up_to_the_last_factor() {
    for (t, mask) in [("int", u64::from(u32::MAX)), ("long long", u64::MAX)] {
        let width = mask.count_ones();
        let (min, max) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
        for k in [-7, -3, -2, -1, 2, 3, 7] {
            let symbolic = program(&kernel(t, &format!("x * {k}")), &Options::default());
            for edge in [min / k, max / k] {
                for x in [edge - 1, edge, edge + 1] {
                    if (min..=max).contains(&x) {
                        let found = stuck(&symbolic, x as i64, 0, mask);
                        assert_eq!(found, !(min..=max).contains(&(x * k)), "{t}: {x} * {k}");
                    }
                }
            }
        }
    }
}

#[test]
fn loops_stop_where_their_counter_does() {
    let max = i64::from(i32::MAX);
    // From near the largest value, in steps: the last one overflows, or not.
    for (from, step, limit) in
        [(max - 5, 1, max), (max - 5, 2, max), (max - 6, 2, max), (max - 9, 5, max - 1)]
    {
        let statements = format!("for (int i = x; i < y; i += {step}) a[i] = 1.0f; a[0] = 2.0f;");
        let mut i = from;
        while i < limit {
            i += step;
        }
        assert_eq!(stuck_in(&statements, from, limit), i > max, "{from}, {step}, {limit}");
    }
    assert!(stuck_in("for (int i = x; i <= y; i++) a[i] = 1.0f;", max - 3, max));
    assert!(!stuck_in("for (int i = x; i <= y; i++) a[i] = 1.0f;", max - 3, max - 1));
    assert!(!stuck_in("for (int i = x; i < y - 1; i++) a[i] = 1.0f;", 0, 3));
    assert!(stuck_in("for (int i = x; i < y - 1; i++) a[i] = 1.0f;", 0, i64::from(i32::MIN)));
    // Not entered, so not advanced.
    assert!(!stuck_in("for (int i = x; i < y; i += 7) a[i] = 1.0f;", max, 0));
}

#[test]
fn accesses_before_an_overflow_happen() {
    let source = "__global__ void k(float *a, int x, int y) { a[0] = 1.0f; a[x + y] = 2.0f; }";
    let program = program(source, &Options::default());
    let machine = Machine::new(&program, Launch::threads(1));
    let max = i32::MAX as u64;
    let run = machine.with("x", max).with("y", 1).run(Thread { block: 0, index: 0 });
    assert!(run.stuck && run.events.len() == 1, "{run:?}");
}

#[test]
fn data_that_decides_no_access_stops_nobody() {
    let payload = "__global__ void k(int *a) { a[threadIdx.x] = a[threadIdx.x] * 3 + 1; }";
    assert!(program(payload, &Options::default()).sources.overflows.is_empty());
    let index = "__global__ void k(int *a, int *b) { b[a[threadIdx.x] * 3] = 1; }";
    assert_eq!(program(index, &Options::default()).sources.overflows.len(), 1);
    // So does what a bound, a guard or the index of any access uses.
    for statement in [
        "for (int i = v; i < 9; i++) b[i] = 1;",
        "for (unsigned i = 0; i < (unsigned)v; i++) b[i] = 1;",
        "if (v > 5) b[0] = 1;",
        "int x = b[v];",
        "atomicAdd(&b[v], 1);",
    ] {
        let source = format!(
            "__global__ void k(int *a, int *b) {{ int v = a[threadIdx.x] * 3; {statement} }}"
        );
        let overflows = program(&source, &Options::default()).sources.overflows.clone();
        let places =
            overflows.values().flatten().filter(|span| source[span.bytes()].contains("* 3"));
        assert_eq!(places.count(), 1, "{statement}");
    }
}

#[test]
fn a_certain_overflow_in_one_branch_leaves_the_other() {
    let source = "__global__ void k(float *a, int *b) { int w = 2147483647;
                  if (b[0]) { int v = w * 2; } else { a[3] = 1.0f; } }";
    let program = program(source, &Options::default());
    let run = Machine::new(&program, Launch::threads(1)).run(Thread { block: 0, index: 0 });
    assert!(!run.stuck && run.events.len() == 2, "{program}");
}

/// A value that may have overflowed without a stop is not taken for what wraps around.
#[test]
fn what_is_too_large_for_a_stop_is_unknown() {
    let steps = "v = v * x + y; ".repeat(60);
    let body = format!("int v = x; {steps} a[v] = 1.0f;");
    let source = format!("__global__ void k(float *a, int x, int y) {{ {body} }}");
    let unknown = |overflow| {
        let program = program(&source, &Options { overflow, ..Options::default() });
        program.arrays.iter().any(|array| array.contents == Contents::Opaque)
    };
    assert!(unknown(Overflow::AssumeNone) && !unknown(Overflow::Wrap));
}

/// The grid is bounded for the block's place to be an `int`: by no block more, and by none fewer.
#[test]
fn as_many_blocks_are_meant_as_an_int_has_room_for() {
    for (index, most) in [
        ("blockIdx.x * 4194304", 512),
        // 511 * 4194304 + 1023 is an `int`, and with 4194304 more it is none.
        ("blockIdx.x * 4194304 + threadIdx.x", 512),
        ("1073741824 * blockIdx.x", 2),
        ("blockIdx.x * 2147483647", 2),
        ("blockIdx.x * 1073741823", 3),
    ] {
        let source = format!("__global__ void k(int *a) {{ int x = {index}; a[x] = 1; }}");
        let found = program(&source, &Options::default());
        let bounds: Vec<String> = found.assumptions.iter().map(|c| c.to_string()).collect();
        assert!(bounds.contains(&format!("gridDim.x <= {most}")), "{index}: {bounds:?}");
    }
}

/// As many threads are meant as an `int` counts: the stride of a loop over the grid is one too.
#[test]
fn the_threads_of_a_grid_are_counted_by_an_int() {
    let source = "__global__ void k(int *a, int n) {
        int stride = blockDim.x * gridDim.x;
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) a[i] = i; }";
    for (block, most) in [(256, 8_388_607), (1024, 2_097_151), (100, 21_474_836)] {
        let settings = Settings { block: Some(Dim3::line(block)), ..Settings::default() };
        let found = program(source, &settings.into());
        let bounds: Vec<String> = found.assumptions.iter().map(|c| c.to_string()).collect();
        assert!(bounds.contains(&format!("gridDim.x <= {most}")), "{block}: {bounds:?}");
    }
}

/// Only the index of a thread in the grid is meant to be an `int`: what looks like it is not.
#[test]
fn a_multiple_of_the_index_may_be_negative() {
    let source = "__global__ void k(int *a) { int x = blockIdx.x * blockDim.x * 4u + threadIdx.x;
                  if (x < 0) a[0] = 1; }";
    let block = Some(Dim3::line(1024));
    let program = program(source, &Settings { block, ..Settings::default() }.into());
    let launch = Launch::new(Dim3::line(524_289), Dim3::line(1024));
    let machine = Machine::new(&program, launch);
    let accesses = |block| machine.run(Thread { block, index: 0 }).events.len();
    // 524288 * 1024 * 4 is 2^31.
    assert_eq!([0, 524_287, 524_288].map(accesses), [0, 0, 1], "{program}");
}

/// Every operation that may overflow is listed, whether or not a thread stops there.
#[test]
fn what_has_no_stop_is_listed() {
    for (statements, operations) in [
        ("for (int i = 0; i < n; i++) s += i;", ["s += i"].as_slice()),
        ("for (int i = 0; i < 200; i++) s = s * 3;", &["s * 3"]),
        ("for (int i = 0; i < 200; i++) { b[7] = 1; s = s * 3 + 2; }", &["s * 3", "s * 3 + 2"]),
        ("int t = 1; for (int i = 0; i < n; i++) { int u = s + t; s = t; t = u; }", &["s + t"]),
    ] {
        let source = format!("__global__ void k(int *b, int n) {{ int s = 1; {statements} }}");
        let sources = program(&source, &Options::default()).declarations.sources;
        let stops = sources.overflows.values().flatten().chain(&sources.unstopped);
        let listed: std::collections::BTreeSet<&str> =
            stops.map(|span| &source[span.start..span.end]).collect();
        for operation in operations {
            assert!(listed.contains(operation), "{source}: {listed:?}");
        }
    }
    // One whose condition is too large, too.
    let steps = "v = v * x + y; ".repeat(60);
    let source =
        format!("__global__ void k(float *a, int x, int y) {{ int v = x; {steps} a[v] = 1; }}");
    let sources = program(&source, &Options::default()).declarations.sources;
    let places: std::collections::BTreeSet<usize> =
        sources.overflows.values().flatten().chain(&sources.unstopped).map(|s| s.start).collect();
    for (at, _) in source.match_indices("v * x") {
        assert!(places.contains(&at), "{at}: {places:?}");
    }
}
