//! Results of signed arithmetic where a condition says that it does not overflow (or nearly says so).

use super::*;

/// What an operand is: of the thread, of the host, of both, and below 0 or not.
fn operand() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "tid",
        "n",
        "m",
        "3",
        "253",
        "sub.i8(tid, 2)",
        "mul.i8(tid, n)",
        "max.i8(n, 0)",
        "min.i8(m, 0)",
    ])
}

/// `l op r`, and a condition of the shapes that overflows are told by, right or wrong.
fn guarded() -> impl Strategy<Value = String> {
    let relation = || prop::sample::select(vec!["lt", "gt", "ge", "le"]);
    let op = prop::sample::select(vec!["add", "sub", "mul", "mul"]);
    let other = prop::option::weighted(0.2, operand());
    (op, operand(), operand(), other, relation(), relation(), any::<[bool; 3]>()).prop_map(
        |(op, l, r, other, up, down, [either, nonzero, flipped])| {
            // What the result is compared with, or divided by: the operand, or something else.
            let start = other.unwrap_or(l);
            let result = format!("{op}.i8({l}, {r})");
            let mut c = if op == "mul" {
                format!("ne.i8(div.i8({result}, {start}), {r})")
            } else if either {
                let (natural, negative) = if flipped { ("ge", "lt") } else { ("lt", "ge") };
                format!(
                    "({natural}.i8({r}, 0) && {up}.i8({result}, {l}) || {negative}.i8({r}, 0) && {down}.i8({result}, {l}))"
                )
            } else {
                format!("{up}.i8({result}, {start})")
            };
            if op == "mul" && flipped {
                c = format!("(eq.i8({l}, 255) && eq.i8({r}, 128) || {c})");
            }
            if op == "mul" && nonzero {
                c = format!("ne.i8({l}, 0) && {c}");
            }
            format!("if {c} {{ skip }} else {{ wr[{result}] }}")
        },
    )
}

/// Values of `n` and `m`: small ones, and those next to the ends of the type.
const VALUES: [u32; 11] = [0, 1, 2, 3, 43, 64, 126, 127, 128, 129, 255];

#[test]
fn what_does_not_overflow_is_what_integers_have() {
    let cases = std::env::var("BABYCUDA_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let one_of = |name| VALUES.map(|k| format!("{name} == {k}")).join(" || ");
    let byte = Domain::Machine(IntType::I8);
    let declarations = assuming(
        line().with_param("n", byte).with_param("m", byte),
        &[&one_of("n"), &one_of("m"), "blockDim.x <= 4"],
    );
    let counts = Counts::default();
    proptest!(config, |(first in guarded(), second in prop::option::of(guarded()))| {
        let text = [Some(first), second].into_iter().flatten().collect::<Vec<_>>().join("; ");
        let p = parsed(&text);
        let mut pairs = Pairs::new();
        for threads in 1u32..=4 {
            for (n, m) in VALUES.iter().flat_map(|n| VALUES.map(|m| (*n, m))) {
                let at = Configuration::of_launch(Launch::threads(threads)).with("n", n).with("m", m);
                let limits = enumerate::EnumerationLimits::default();
                pairs.extend(enumerate(&p, &declarations, &at, &limits).unwrap().races.into_keys());
            }
        }
        let result = check(&p, &declarations, &Builtin, &SolveOptions::default());
        prop_assert!(result.undecided.is_empty(), "{}\n{:#?}", text, result);
        let found: Pairs = result.races.iter().map(Witness::pair).collect();
        prop_assert_eq!(&found, &pairs, "{}", text);
        count(&counts.racy, !pairs.is_empty());
        count(&counts.free, pairs.is_empty());
    });
    assert!(counts.racy.get() > cases / 8, "{} racy", counts.racy.get());
    assert!(counts.free.get() > cases / 20, "{} free of races", counts.free.get());
}

/// A sum that is not less than something else than its operand may wrap: 127 + 119 is the cell of -10.
#[test]
fn a_sum_that_is_not_small_may_wrap() {
    let byte = Domain::Machine(IntType::I8);
    let d = line().with_param("n", byte).with_param("m", byte);
    let sum = "add.i8(n, max.i8(m, 0))";
    let text = |start: &str| {
        format!(
            "if lt.i8({sum}, {start}) {{ skip }} else {{ \
             if tid == 0 {{ wr[{sum}] }} else {{ if tid == 1 {{ wr[sub.i8(0, 10)] }} else {{ skip }} }} }}"
        )
    };
    racy(&text("156"), &assuming(d.clone(), &["n == 127"]));
    drf(&text("n"), &assuming(d, &["n == 127"]));
}

/// Indices of the widest type, of any sign: rows of unknown length.
#[test]
fn rows_of_64_bits() {
    let wide = Domain::Machine(IntType::I64);
    let plane = Geometry {
        block: [Extent::Symbolic, Extent::Symbolic, Extent::Known(1)],
        ..Geometry::line()
    };
    let d = Declarations::of_geometry(plane).with_param("n", wide).with_param("m", wide);
    let row = "mul.i64(threadIdx.y, n)";
    let text = format!(
        "if ne.i64(threadIdx.y, 0) && ne.i64(div.i64({row}, threadIdx.y), n) {{ skip }} else {{ \
         if ge.i64(m, 0) && lt.i64(add.i64({row}, m), {row}) || lt.i64(m, 0) && gt.i64(add.i64({row}, m), {row}) {{ skip }} else {{ \
         wr[add.i64(add.i64({row}, m), threadIdx.x)] }} }}"
    );
    // The last sum may still wrap, where it meets no other.
    drf(
        &text.replace("threadIdx.x", "0"),
        &assuming(d.clone(), &["gt.i64(n, 0)", "blockDim.x == 1"]),
    );
    racy(&text, &assuming(d, &["gt.i64(n, 0)"]));
}
