//! All grids, launches of a kernel's own file, what a kernel requires, and benign races.

use babycuda::contract::{from_source, infer};
use babycuda::core::verdict::Outcome;
use babycuda::frontend::launches::launches;
use babycuda::frontend::{Kernel, Options, Translation, parse_cuda};
use babycuda::{CheckOptions, Checked, Settings, check, check_blocks};

fn options() -> Options {
    Settings { any_grid: true, ..Settings::default() }.into()
}

/// The first kernel of a file, and the verdict on it at all launches.
fn first(text: &str, options: &Options) -> (Kernel, Checked) {
    let kernel = parse_cuda(text, options).unwrap().remove(0);
    let Translation::Program(program) = &kernel.translation else {
        panic!("{text}: not translated")
    };
    let checked = check_blocks(program, &CheckOptions::default()).unwrap();
    (kernel, checked)
}

fn kernel(body: &str) -> String {
    format!("__global__ void k(int *a, int *b, float *f, int n) {{ {body} }}\n")
}

fn outcome(body: &str) -> Outcome {
    first(&kernel(body), &options()).1.verdict.outcome
}

/// With `x` and `y` for a thread's places in the grid.
fn placed(body: &str) -> Outcome {
    let places =
        "int x = blockIdx.x * blockDim.x + threadIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;";
    outcome(&format!("{places} {body}"))
}

#[test]
fn places_in_the_grid_are_different() {
    let x = "int x = blockIdx.x * blockDim.x + threadIdx.x;";
    for body in [
        "a[x] = 1;",
        "for (; x < n; x += gridDim.x * blockDim.x) a[x] = 1;",
        "if (x < n) for (int i = 0; i < 4; i++) a[x * 4 + i] = 1;",
    ] {
        assert_eq!(outcome(&format!("{x} {body}")), Outcome::Drf, "{body}");
    }
    assert_eq!(placed("if (x < n) a[y * n + x] = 1;"), Outcome::Drf);
}

#[test]
fn what_is_no_place_may_be_the_same() {
    for body in [
        "a[x / 2] = 1;",
        "a[y] = x;",
        "if (x < n) a[y] = 1;",
        "a[x + threadIdx.x] = 1;",
        "if (x < n) a[y * n + x / 2] = 1;",
    ] {
        assert_eq!(placed(body), Outcome::Racy, "{body}");
    }
    for body in [
        // Blocks have other extents than the number.
        "a[blockIdx.x * 16 + threadIdx.x] = 1;",
        // Threads are numbered by the extent of another dimension.
        "a[blockIdx.x * blockDim.y + threadIdx.x] = threadIdx.y;",
        "a[blockIdx.x * blockDim.x] = threadIdx.x;",
        "if (threadIdx.x == 0) a[gridDim.x] = blockIdx.x;",
        "a[threadIdx.x] = blockIdx.x;",
    ] {
        assert_eq!(outcome(body), Outcome::Racy, "{body}");
    }
}

#[test]
fn places_may_wrap_where_that_is_meant() {
    let text = kernel("unsigned i = blockIdx.x * blockDim.x + threadIdx.x; a[i] = blockIdx.x;");
    assert_eq!(first(&text, &options()).1.verdict.outcome, Outcome::Drf);
    let wrap = Options { overflow: babycuda::frontend::Overflow::Wrap, ..options() };
    assert_ne!(first(&text, &wrap).1.verdict.outcome, Outcome::Drf);
}

#[test]
fn without_all_grids_one_block_is_meant() {
    let text = kernel("a[threadIdx.x] = blockIdx.x;");
    assert_eq!(first(&text, &Options::default()).1.verdict.outcome, Outcome::Drf);
    assert_eq!(first(&text, &options()).1.verdict.outcome, Outcome::Racy);
    let one = Settings {
        grid: Some(babycuda::core::Dim3::line(1)),
        any_grid: true,
        ..Settings::default()
    };
    assert_eq!(first(&text, &one.into()).1.verdict.outcome, Outcome::Drf);
}

#[test]
fn of_one_block_is_told_what_holds() {
    let (_, checked) = first(&kernel("if (f[blockIdx.x] > 0.5f) a[threadIdx.x] = 1;"), &options());
    assert!(matches!(checked.verdict.outcome, Outcome::Unknown(_)));
    assert_eq!(checked.one_block, Some(Outcome::Drf));
    let (_, checked) = first(&kernel("if (f[blockIdx.x] > 0.5f) a[0] = 1;"), &options());
    assert_eq!(checked.one_block, None);
}

/// The verdict on the first kernel as its file launches it.
fn launched(text: &str) -> Outcome {
    let (kernel, checked) = first(text, &options());
    let sites = launches(text, &options()).unwrap();
    let options = CheckOptions::default();
    from_source(checked, &kernel, &sites, text, &self::options(), &options).0.verdict.outcome
}

#[test]
fn race_free_kernels_are_launched_where_they_say_nothing() {
    let put =
        "__global__ void put(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }\n";
    let run = |launch: &str| format!("{put}void run(int *a, int n) {{ put<<<{launch}>>>(a); }}\n");
    assert_eq!(launched(put), Outcome::Drf);
    for launch in ["4, dim3(16, 16)", "dim3(4, 2), 64", "4, dim3(16, n)"] {
        assert_eq!(launched(&run(launch)), Outcome::Racy, "{launch}");
    }
    // Nothing is known of the block: it is one that the kernel is meant for.
    let any =
        format!("{put}void run(int *a, dim3 grid, dim3 block) {{ put<<<grid, block>>>(a); }}\n");
    assert_eq!(launched(&any), Outcome::Drf);
    for launch in ["4, 16", "n, dim3(n, 1)", "dim3(4, 1), dim3(16, 1, 1)"] {
        assert_eq!(launched(&run(launch)), Outcome::Drf, "{launch}");
    }
}

#[test]
fn what_a_kernel_requires_is_assumed() {
    let of = |before: &str, first: &str| {
        let body = format!("{first} int x = threadIdx.x, y = threadIdx.y; a[y * n + x] = x;");
        format!("{before}{}", kernel(&body))
    };
    let condition = "n >= (int)blockDim.x";
    let stated = [
        of("", &format!("__requires({condition});")),
        of(&format!("//@ requires {condition};\n"), ""),
    ];
    for text in stated {
        let (kernel, checked) = first(&text, &options());
        assert_eq!(checked.verdict.outcome, Outcome::Drf, "{text}");
        let without = kernel.without_requires(&text, &options()).unwrap();
        let checked = check(&without, &CheckOptions::default()).unwrap();
        assert_eq!(checked.verdict.outcome, Outcome::Racy, "{text}");
        let ignored = Options { ignore_requires: true, ..options() };
        assert_eq!(first(&text, &ignored).1.verdict.outcome, Outcome::Racy, "{text}");
    }
    // In other words it is a comment; with an effect, and behind what may change the parameter, a call like others.
    let words = of(&format!("// requires {condition}\n"), "");
    assert_eq!(first(&words, &options()).1.verdict.outcome, Outcome::Racy);
    for late in [&*format!("n = n + 1; __requires({condition});"), "__requires(n++ > 64);"] {
        let kernel = parse_cuda(&of("", late), &options()).unwrap().remove(0);
        assert!(matches!(kernel.translation, Translation::Unsupported(_)), "{late}");
    }
    let other =
        format!("__device__ void one(int n) {{\n//@ requires {condition}\n}}\n{}", of("", ""));
    assert_eq!(first(&other, &options()).1.verdict.outcome, Outcome::Racy);
}

/// Are all races of the kernel benign, and how many are, of how many?
fn benign(body: &str) -> (bool, usize, usize) {
    let (_, checked) = first(&kernel(body), &options());
    assert_eq!(checked.verdict.outcome, Outcome::Racy, "{body}");
    let races = &checked.verdict.races;
    let marked = races.iter().filter(|race| checked.same_value_of(race).is_some()).count();
    (checked.is_benign_only(), marked, races.len())
}

#[test]
fn writes_of_one_expression_are_benign() {
    for body in [
        "a[0] = 7;",
        "a[0] = n * 2 + blockDim.x;",
        "if (f[threadIdx.x] > 0.5f) a[0] = 1; a[0] = 1;",
    ] {
        let (_, marked, all) = benign(body);
        assert_eq!((marked > 0, marked), (true, all), "{body}");
    }
    assert!(benign("a[0] = 7;").0);
}

#[test]
fn what_threads_or_blocks_store_differently_is_not_benign() {
    assert_eq!(benign("a[0] = threadIdx.x;").1, 0);
    assert_eq!(benign("a[threadIdx.x] = blockIdx.x;").1, 0);
    assert_eq!(benign("for (int i = 0; i < 4; i++) a[0] = i;").1, 0);
    assert_eq!(benign("if (threadIdx.x == 0) a[0] = 1; else if (threadIdx.x == 1) a[0] = 2;").1, 0);
    // In a block its place is the same for all.
    assert_eq!(benign("a[blockIdx.x] = blockIdx.x;"), (true, 1, 1));
}

#[test]
fn reads_and_updates_are_not_benign() {
    assert_eq!(benign("if (threadIdx.x == 0) a[0] = 1; else b[threadIdx.x] = a[0];").1, 0);
    assert_eq!(benign("if (threadIdx.x == 0) a[0] = 1; else atomicAdd(&a[0], 1);").1, 0);
}

#[test]
fn benign_only_is_said_of_all_races() {
    assert_eq!(benign("a[0] = 7; b[0] = threadIdx.x;"), (false, 1, 2));
    // A race that rests on data may be there.
    assert!(!benign("a[0] = 7; if (f[threadIdx.x] > 0.5f) b[0] = threadIdx.x;").0);
}

/// Nothing is found that the one who reads the kernel again does not confirm.
#[test]
fn what_is_found_is_confirmed() {
    let text = "__global__ void k() { __shared__ int s[64]; s[threadIdx.x % 64] = threadIdx.x; }";
    let (kernel, checked) = first(text, &options());
    let Translation::Program(program) = kernel.translation else { panic!("not translated") };
    let again = |conditions: &[String]| {
        let assumptions = conditions.to_vec();
        let stated = Options::from(Settings { assumptions, any_grid: true, ..Settings::default() });
        match parse_cuda(text, &stated).ok()?.remove(0).translation {
            Translation::Program(program) => Some(vec![program]),
            Translation::Unsupported(_) => None,
        }
    };
    let options = CheckOptions::default();
    let programs = [program.clone()];
    let found = infer(&programs, &[], &checked, &options, &again);
    assert_eq!(found.conditions, ["blockDim.x <= 64"]);
    // Nobody reads it again, or what is read is not what the condition says.
    let nobody = infer(&programs, &[], &checked, &options, &|_| None);
    assert_eq!(nobody.conditions, Vec::<String>::new());
    let as_it_was = infer(&programs, &[], &checked, &options, &|_| Some(vec![program.clone()]));
    assert_eq!(as_it_was.conditions, Vec::<String>::new());
}
