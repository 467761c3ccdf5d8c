//! Counters of a signed type that go on by an unsigned step: a thread stops exactly where its counter would
//! leave the type, and nobody else does.

mod common;

use babycuda_core::{Launch, Program, Settings, Thread};
use babycuda_frontend::{Options, Overflow};
use common::{Event, Machine, Run, program};

const MAX: i64 = i32::MAX as i64;
const MIN: i64 = i32::MIN as i64;

/// Where loops start and end, and how far they step.
const PLACES: [i64; 11] = [MIN, MIN + 1, MIN + 5, -2, 0, 1, 3, 1 << 30, MAX - 5, MAX - 1, MAX];
const STEPS: [i64; 7] = [1, 2, 5, 1 << 29, (1 << 30) + 1, MAX - 1, MAX];

/// A loop over `int i = x` with the limit `y` and the step `s`: its head and what one round does to i.
struct Form {
    text: &'static str,
    /// Does the loop go on?
    test: fn(i64, i64) -> bool,
    /// The sign of the step.
    sign: i64,
    /// Does it store before it steps?
    before: bool,
    /// Does it look at the condition first?
    first: bool,
}

const fn form(
    text: &'static str,
    test: fn(i64, i64) -> bool,
    sign: i64,
    before: bool,
    first: bool,
) -> Form {
    Form { text, test, sign, before, first }
}

const FORMS: [Form; 13] = [
    form("for (int i = x; i < y; i += s) a[i] = 1;", |i, y| i < y, 1, true, true),
    form("for (int i = x; i <= y; i = i + s) a[i] = 1;", |i, y| i <= y, 1, true, true),
    form("for (int i = x; y > i; i = s + i) a[i] = 1;", |i, y| i < y, 1, true, true),
    form("int i = x; while (i < y) { i += s; a[i] = 1; }", |i, y| i < y, 1, false, true),
    form("int i = x; do { a[i] = 1; i += s; } while (i < y);", |i, y| i < y, 1, true, false),
    form("for (int i = x; i > y; i -= s) a[i] = 1;", |i, y| i > y, -1, true, true),
    form("for (int i = x; i >= y; i = i - s) a[i] = 1;", |i, y| i >= y, -1, true, true),
    form("unsigned d = s; for (int i = x; i < y; i += d) a[i] = 1;", |i, y| i < y, 1, true, true),
    form("size_t d = s; for (int i = x; i < y; i += d) a[i] = 1;", |i, y| i < y, 1, true, true),
    form("for (int i = x; i > y; i -= (size_t)s) a[i] = 1;", |i, y| i > y, -1, true, true),
    form("int i = x; while (i < y) { i = (size_t)s + i; a[i] = 1; }", |i, y| i < y, 1, false, true),
    form("for (int i = x, w = y; i < w; i += s) { a[i] = 1; }", |i, y| i < y, 1, true, true),
    form(
        "int &i = x; for (; i < y; i += s) { if (i == y) continue; a[i] = 1; }",
        |i, y| i < y,
        1,
        true,
        true,
    ),
];

/// What a thread stores, and whether it stops. The last store is behind the loop.
fn simulated(form: &Form, x: i64, y: i64, s: i64) -> Option<(Vec<i64>, bool)> {
    let (mut i, mut stored) = (x, Vec::new());
    let mut looks = form.first;
    loop {
        if looks && !(form.test)(i, y) {
            stored.push(9);
            return Some((stored, false));
        }
        looks = true;
        if form.before {
            stored.push(i);
        }
        i += form.sign * s;
        if !(MIN..=MAX).contains(&i) {
            return Some((stored, true));
        }
        if !form.before {
            stored.push(i);
        }
        if stored.len() > 40 {
            return None;
        }
    }
}

fn kernel(statements: &str) -> String {
    format!("__global__ void k(int *a, int x, int y, unsigned s) {{ {statements} a[9] = 2; }}")
}

fn positive() -> Options {
    let assumptions = vec!["s >= 1 && s <= 2147483647u".to_owned()];
    Settings { assumptions, ..Settings::default() }.into()
}

fn run(program: &Program, x: i64, y: i64, s: i64) -> Run {
    let machine = Machine::new(program, Launch::threads(1));
    let pattern = |v: i64| u64::from(v as u32);
    let machine = machine.with("x", pattern(x)).with("y", pattern(y)).with("s", pattern(s));
    machine.run(Thread { block: 0, index: 0 })
}

fn stored(run: &Run) -> Vec<i64> {
    let index = |event: &Event| match event {
        Event::Access { index, .. } => Some(*index as i64),
        Event::Sync(_) => None,
    };
    run.events.iter().filter_map(index).collect()
}

#[test]
fn a_thread_stops_where_its_counter_would_leave_the_type() {
    for form in &FORMS {
        let open = program(&kernel(form.text), &positive());
        let (mut stops, mut passes) = (0, 0);
        for (x, y, s) in PLACES
            .iter()
            .flat_map(|x| PLACES.iter().flat_map(move |y| STEPS.iter().map(move |s| (*x, *y, *s))))
        {
            let Some((wanted, stuck)) = simulated(form, x, y, s) else { continue };
            let found = run(&open, x, y, s);
            let at = format!("{}: x = {x}, y = {y}, s = {s}\n{open}", form.text);
            assert!(!found.unknown, "{at}");
            assert_eq!((stored(&found), found.stuck), (wanted, stuck), "{at}");
            if stuck { stops += 1 } else { passes += 1 }
        }
        assert!(stops > 40 && passes > 200, "{}: {stops}, {passes}", form.text);
    }
}

/// With everything known, and unrolled.
#[test]
fn a_known_counter_stops_likewise() {
    for form in &FORMS {
        for (x, y, s) in [(MAX - 9, MAX, 5), (MAX - 9, MAX - 1, 5), (MIN + 9, MIN, 5), (0, 9, 4)] {
            let Some((wanted, stuck)) = simulated(form, x, y, s) else { continue };
            let values = [("x", x), ("y", y), ("s", s)];
            let params = values.iter().map(|(name, v)| ((*name).into(), (*v).into())).collect();
            let known =
                program(&kernel(form.text), &Settings { params, ..Settings::default() }.into());
            let found = run(&known, x, y, s);
            // `i <= 2147483647` and `i >= -2147483648` always hold: such a loop is none that ends.
            if found.unknown {
                assert!(y == MAX || y == MIN);
                continue;
            }
            let at = format!("{}: x = {x}, y = {y}, s = {s}\n{known}", form.text);
            assert_eq!((stored(&found), found.stuck), (wanted, stuck), "{at}");
        }
    }
}

/// Each stop is listed, so that verdicts name it.
#[test]
fn the_place_of_the_step_is_listed() {
    let source = kernel("for (int i = x; i < y; i += s) a[i] = 1;");
    let found = program(&source, &positive());
    let mut places = found.sources.overflows.values().flatten().map(|span| &source[span.bytes()]);
    assert!(places.any(|place| place.contains("i += s")), "{:?}", found.sources.overflows);
}

#[test]
fn what_wraps_around_on_purpose_still_does() {
    let none = |statements: &str, options: &Options| {
        let source = kernel(statements);
        let found = program(&source, options);
        let places: Vec<&str> =
            found.sources.overflows.values().flatten().map(|span| &source[span.bytes()]).collect();
        assert!(places.iter().all(|place| !place.contains(" s")), "{statements}: {places:?}");
        found
    };
    // Counters of unsigned types that do not go up towards a limit, or whose step may be one back; and what no
    // condition speaks of.
    none("for (unsigned i = x; i >= y; i += s) a[i] = 1;", &positive());
    none("for (unsigned i = x; i < y; i -= s) a[i] = 1;", &positive());
    none("for (unsigned i = x; i != y; i += s) a[i] = 1;", &positive());
    none("for (unsigned i = x; i < y; i += s) a[i] = 1;", &Options::default());
    none("for (unsigned i = x; i < y; i = i + s) a[i] = 1;", &Options::default());
    let hash = "int h = x; for (int k = 0; k < 3; k++) h += s; a[h & 15] = 1;";
    let found = none(hash, &positive());
    let wrapped = (MAX as i32).wrapping_add(3 * 7) & 15;
    assert_eq!(stored(&run(&found, MAX, 0, 7)), [i64::from(wrapped), 9]);
    // Behind the loop it is no counter.
    none("int i = x; for (; i < 0; i++) {} i = i + s; a[i] = 1;", &positive());
    // A step that may be no `int`: -1 as an unsigned number goes down.
    none("for (int i = x; i > y; i += s) a[i] = 1;", &Options::default());
    none("for (int i = x; i < y; i += s) a[i] = 1;", &Options::default());
    none("for (int i = x; i < y; i += (size_t)s) a[i] = 1;", &Options::default());
    let wrapping = Options { overflow: Overflow::Wrap, ..positive() };
    none("for (int i = x; i < y; i += s) a[i] = 1;", &wrapping);
    // Counted down by adding the greatest number.
    let down = kernel("for (int i = x; i > y; i += 0xffffffffu) a[i] = 1;");
    assert_eq!(stored(&run(&program(&down, &Options::default()), 3, 0, 1)), [3, 2, 1, 9]);
    let down = down.replace("0xffffffffu", "0xffffffffffffffffull");
    assert_eq!(stored(&run(&program(&down, &Options::default()), 3, 0, 1)), [3, 2, 1, 9]);
}

/// An unsigned counter that goes up towards a limit: all threads that do not wrap around are as before, and one that
/// would stops.
#[test]
fn an_unsigned_counter_stops_where_it_would_wrap() {
    const TOP: u64 = u32::MAX as u64;
    let forms = [
        ("for (unsigned i = x; i < y; i += s)", false),
        ("for (unsigned i = x; i <= y; i = s + i)", true),
        ("for (unsigned i = x; y > i; i += s)", false),
    ];
    let places = [0, 1, 5, 1 << 31, TOP - 9, TOP - 1, TOP];
    for (head, closed) in forms {
        let open = program(&kernel(&format!("{head} a[i] = 1;")), &positive());
        let wide = kernel(&format!("{} a[i] = 1;", head.replace("i = x", "i = (unsigned)x")))
            .replace("int y", "unsigned long long y");
        let wide = program(&wide, &positive());
        let (mut stops, mut passes) = (0, 0);
        for (x, y, s) in places.iter().flat_map(|x| {
            places.iter().flat_map(move |y| STEPS.iter().map(move |s| (*x, *y, *s as u64)))
        }) {
            let goes_on = |i: u64| if closed { i <= y } else { i < y };
            let (mut i, mut wanted) = (x, Vec::new());
            while goes_on(i) && i <= TOP && wanted.len() < 40 {
                wanted.push(i as i64);
                i += s;
            }
            if wanted.len() == 40 {
                continue;
            }
            let stuck = i > TOP;
            if !stuck {
                wanted.push(9);
            }
            for found in [run(&open, x as i64, y as i64, s as i64), {
                let machine = Machine::new(&wide, Launch::threads(1));
                let machine = machine.with("x", x).with("y", y).with("s", s);
                machine.run(Thread { block: 0, index: 0 })
            }] {
                let at = format!("{head}: x = {x}, y = {y}, s = {s}\n{open}\n{wide}");
                assert!(!found.unknown, "{at}");
                assert_eq!((stored(&found), found.stuck), (wanted.clone(), stuck), "{at}");
            }
            if stuck { stops += 1 } else { passes += 1 }
        }
        assert!(stops > 20 && passes > 100, "{head}: {stops}, {passes}");
    }
}

/// One of 64 bits has no stop that is said, so its place is listed; with wrapping there is none.
#[test]
fn the_place_of_a_wide_counter_is_listed() {
    let source = "__global__ void k(int *a, size_t n) {
        for (size_t i = threadIdx.x; i < n; i += blockDim.x) a[i] = 1; }";
    let places = |options: &Options| {
        let found = program(source, options);
        found.sources.overflows.len() + found.sources.unstopped.len()
    };
    assert_eq!(places(&Options::default()), 1);
    assert_eq!(places(&Options { overflow: Overflow::Wrap, ..Options::default() }), 0);
}

/// Where the grid's threads are numbered by an `int`, so many of them are no step too far.
#[test]
fn a_grid_is_a_step() {
    let source = "__global__ void k(int *a, int n) {
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        for (; i < n; i += gridDim.x * blockDim.x) a[i] = 1; a[9] = 2; }";
    let text = |options: &Options| program(source, options).body.to_string();
    assert!(!text(&Options::default()).contains("unknown"), "{}", text(&Options::default()));
    assert!(text(&Options::default()).contains("overflow"));
    let wrapping = Options { overflow: Overflow::Wrap, ..Options::default() };
    assert!(text(&wrapping).contains("unknown"));
}

/// Factors of 24 bits: grids are meant whose blocks they count, and then they are what they are.
#[test]
fn a_grid_fits_its_short_products() {
    let text = |options: &Options| {
        let source = "__global__ void k(int *a, unsigned n) {
            unsigned t = __umul24(blockIdx.x, blockDim.x) + threadIdx.x;
            for (; t < n; t += __umul24(blockDim.x, gridDim.x)) a[t] = 1; }";
        program(source, options).to_string()
    };
    let exact = text(&Options::default());
    assert!(!exact.contains("and.u32") && !exact.contains("unknown"), "{exact}");
    assert!(exact.contains("gridDim.x <= 8388607"), "{exact}");
    let wrapping = text(&Options { overflow: Overflow::Wrap, ..Options::default() });
    assert!(wrapping.contains("and.u32") && !wrapping.contains("8388607"), "{wrapping}");
}

/// How a condition compares an `int` with a wide limit.
type Comparison = fn(i64, i64) -> bool;

/// Loops whose limit has a type that no `int` has all values of: one counts to its own last value, and stops.
#[test]
fn a_counter_stops_below_a_limit_beyond_its_type() {
    let wide = [i64::MIN, MIN - 1, MIN, MIN + 2, -1, 0, 1, 4, MAX - 3, MAX, MAX + 1, i64::MAX];
    let forms: [(&str, &str, i64, Comparison); 8] = [
        ("long long", "for (int i = x; i < y; i++)", 1, |i, y| i < y),
        ("long long", "for (int i = x; i <= y; i += 1)", 1, |i, y| i <= y),
        ("long", "for (int i = x; y > i; i += 3)", 3, |i, y| i < y),
        ("long long", "for (int i = x; i > y; i--)", -1, |i, y| i > y),
        ("long long", "for (int i = x; i >= y; i -= 2)", -2, |i, y| i >= y),
        ("unsigned long", "for (int i = x; i < y; i++)", 1, |i, y| (i as u64) < y as u64),
        ("size_t", "for (int i = x; i <= y; i += 2)", 2, |i, y| i as u64 <= y as u64),
        ("unsigned long", "for (int i = x; y > i; ++i)", 1, |i, y| (i as u64) < y as u64),
    ];
    for (ty, head, step, test) in forms {
        let source =
            format!("__global__ void k(int *a, int x, {ty} y) {{ {head} a[i] = 1; a[9] = 2; }}");
        let open = program(&source, &Options::default());
        let (mut stops, mut passes) = (0, 0);
        for (x, y) in PLACES.iter().flat_map(|x| wide.iter().map(move |y| (*x, *y))) {
            let (mut i, mut wanted, mut stuck) = (x, Vec::new(), false);
            while test(i, y) && !stuck && wanted.len() < 40 {
                wanted.push(i);
                i += step;
                stuck = !(MIN..=MAX).contains(&i);
            }
            if wanted.len() == 40 {
                continue;
            }
            wanted.extend((!stuck).then_some(9));
            let machine = Machine::new(&open, Launch::threads(1));
            let machine = machine.with("x", u64::from(x as u32)).with("y", y as u64);
            let found = machine.run(Thread { block: 0, index: 0 });
            let at = format!("{ty} y; {head}: x = {x}, y = {y}\n{open}");
            if found.unknown {
                // Below 0, an `int` is a huge number there.
                assert!(x < 0 && ty != "long" && ty != "long long", "{at}");
                continue;
            }
            assert_eq!((stored(&found), found.stuck), (wanted, stuck), "{at}");
            if stuck { stops += 1 } else { passes += 1 }
        }
        assert!(stops > 1 && passes > 20, "{ty} {head}: {stops}, {passes}");
    }
}
