//! Races that runs of the kernel show where its translation leaves them potential, and witnesses in small launches.

use super::*;
use babycuda::run_potential;

/// The verdict on the only kernel of a file, with runs of it.
fn with_runs(text: &str, settings: &Settings) -> Checked {
    let kernel = parse_cuda(text, &settings.clone().into()).unwrap().remove(0);
    let (Translation::Program(program), Some(tree)) = (&kernel.translation, &kernel.tree) else {
        panic!("{text}: not translated")
    };
    let program = settings.apply(program).unwrap().around(program.body.clone());
    let options = CheckOptions::default();
    let checked = check(&program, &options).unwrap();
    let found = run_potential(tree, text, &program, checked.clone(), &options);
    // Runs only prove.
    match checked.verdict.outcome {
        Outcome::Unknown(_) => {}
        _ => assert_eq!(found.verdict, checked.verdict, "{text}"),
    }
    found
}

fn any_grid(assumptions: &[&str]) -> Settings {
    let assumptions = assumptions.iter().map(|text| (*text).to_owned()).collect();
    Settings { any_grid: true, assumptions, ..Settings::default() }
}

fn of(condition: &str, index: &str) -> String {
    format!(
        "__global__ void k(int *a, const float *f, const int *p, float low, float high, int n) {{
             int i = blockIdx.x * blockDim.x + threadIdx.x;
             if (i < n && {condition}) a[{index}] = i;
         }}"
    )
}

#[test]
fn a_run_proves_what_rests_on_floats() {
    let racy = |text: &str, assumptions: &[&str]| {
        let found = with_runs(text, &any_grid(assumptions)).verdict;
        let sure = found.races.iter().filter(|r| r.certainty != Certainty::Potential);
        for race in sure.clone() {
            assert_eq!(race.confirmation, Confirmation::Interleaving);
            assert!(race.configuration.parameters.keys().eq([&Name::new("n")]), "{race:?}");
        }
        assert_eq!(found.outcome == Outcome::Racy, sure.count() > 0, "{text}");
        found.outcome == Outcome::Racy
    };
    assert!(racy(&of("f[i] > low", "0"), &[]));
    // The two limits are not the same number.
    assert!(racy(&of("(f[i] - low) / (high - low) >= 0.0f", "0"), &[]));
    assert!(!racy(&of("f[i] > low && f[i] < low", "0"), &[]));
    assert!(!racy(&of("f[i] > low", "i"), &[]));
    // What is assumed holds in the runs.
    assert!(!racy(&of("f[i] > low", "0"), &["n <= 1"]));
    let contents = ["forall j in 0..n: p[j] >= 7"];
    assert!(racy(&of("f[i] > low && p[i] < 7", "0"), &[]));
    assert!(!racy(&of("f[i] > low && p[i] < 9", "0"), &contents));
}

#[test]
fn a_run_fetches_from_textures_of_0() {
    let of = |condition: &str, index: &str| {
        format!(
            "__global__ void k(int *a, cudaTextureObject_t t) {{
                 int i = threadIdx.x;
                 if ({condition}) a[{index}] = i;
             }}"
        )
    };
    for condition in ["tex1Dfetch<float>(t, i) < 1.0f", "tex2D<float4>(t, i, 0).y >= 0.0f"] {
        let found = with_runs(&of(condition, "0"), &Settings::default());
        assert_eq!(found.verdict.outcome, Outcome::Racy, "{condition}");
        assert!(found.remarks.iter().any(|said| said.ends_with("begins with textures of 0")));
        let free = with_runs(&of(condition, "i"), &Settings::default()).verdict.outcome;
        assert_eq!(free, Outcome::Drf, "{condition}");
    }
    let never = of("tex1Dfetch<float>(t, i) < 1.0f && tex1Dfetch<float>(t, i) > 2.0f", "0");
    let found = with_runs(&never, &Settings::default()).verdict.outcome;
    assert!(matches!(found, Outcome::Unknown(_)), "{found:?}");
}

/// Objects of the host are run with their fields.
#[test]
fn a_run_has_the_fields_of_objects() {
    let of = |condition: &str, index: &str| {
        format!(
            "struct held {{ float *from; int n; float least; }};
             __global__ void k(int *a, struct held h) {{
                 int i = threadIdx.x;
                 if (i < h.n && {condition}) a[{index}] = i;
             }}"
        )
    };
    for condition in ["h.from[i] > 0.25f", "h.least < 8.0f", "h.from[i] + h.least != 3.0f"] {
        let found = with_runs(&of(condition, "0"), &Settings::default());
        assert_eq!(found.verdict.outcome, Outcome::Racy, "{condition}");
        let free = with_runs(&of(condition, "i"), &Settings::default()).verdict.outcome;
        assert_eq!(free, Outcome::Drf, "{condition}");
    }
    let never = of("h.from[i] < 1.0f && h.from[i] > 2.0f", "0");
    let found = with_runs(&never, &Settings::default()).verdict.outcome;
    assert!(matches!(found, Outcome::Unknown(_)), "{found:?}");
}

/// How long a loop waits for a clock is not known, but that it may end is.
#[test]
fn a_clock_goes_on() {
    let outcome = |clock: &str, index: &str| {
        let text = format!(
            "__device__ long long timer() {{
                 long long t; asm volatile(\"mov.u64 %0, %globaltimer;\" : \"=l\"(t)); return t;
             }}
             __global__ void k(int *a, int n) {{
                 long long from = {clock}, past = 0;
                 while (past < n) past = {clock} - from;
                 a[{index}] = threadIdx.x;
             }}"
        );
        with_runs(&text, &Settings::default()).verdict.outcome
    };
    for clock in ["clock64()", "clock()", "timer()"] {
        assert_eq!(outcome(clock, "0"), Outcome::Racy, "{clock}");
        assert_eq!(outcome(clock, "threadIdx.x"), Outcome::Drf, "{clock}");
        let each = outcome(clock, "past > 1LL << 60 ? 0 : threadIdx.x");
        assert!(matches!(each, Outcome::Unknown(_)), "{clock}: {each:?}");
    }
}

#[test]
fn a_run_is_of_the_statements_and_blocks_that_are_meant() {
    // The first statement races, and the second one is no alarm.
    let two = of("f[i] > low", "0").replace("a[0] = i;", "{ a[0] = i; a[1 + i] = i; }");
    let found = with_runs(&two, &any_grid(&[])).verdict;
    assert!(found.races.iter().all(|race| race.cell.index == Natural::zero()), "{found:?}");
    let apart = of("f[i] > low", "threadIdx.x");
    let found = with_runs(&apart, &any_grid(&[])).verdict;
    assert_eq!(found.outcome, Outcome::Racy);
    assert!(found.races.iter().all(|race| !race.same_block()), "{found:?}");
    // A place that is not reached stays potential, though another one races.
    let hidden =
        of("f[i] > low", "0").replace("a[0] = i;", "{\n a[0] = i;\n if (f[i] < low) a[1] = i; }");
    let found = with_runs(&hidden, &any_grid(&[])).verdict;
    let sites = |sure: bool| -> BTreeSet<Site> {
        let races = found.races.iter().filter(|r| (r.certainty != Certainty::Potential) == sure);
        races.flat_map(|race| [race.first.site, race.second.site]).collect()
    };
    assert_eq!((sites(true).len(), sites(false).len()), (1, 1), "{found:?}");
    assert_ne!(sites(true), sites(false));
    // Of one block, threads of others are not asked about.
    assert_eq!(with_runs(&apart, &Settings::default()).verdict.outcome, Outcome::Drf);
}

#[test]
fn a_run_is_of_a_launch_that_is_meant() {
    let found = with_runs(&of("f[i] > low", "0"), &any_grid(&["blockDim.x >= 5"])).verdict;
    let sure: Vec<_> = found.races.iter().filter(|r| r.certainty != Certainty::Potential).collect();
    assert!(!sure.is_empty());
    for race in sure {
        assert!(race.configuration.launch.block.x >= 5, "{race:?}");
    }
}

/// Other blocks would write to the memory of the one that is meant.
#[test]
fn one_block_runs_alone() {
    let text = "__global__ void k(int *a, int n) { \
                int t = threadIdx.x; a[t] = t * n; __syncthreads(); a[a[t]] = 1; }";
    let outcome = |n: i64| {
        let params = [(Name::new("n"), n.into())].into();
        let settings = Settings { block: Some(Dim3::line(32)), params, ..Settings::default() };
        with_runs(text, &settings).verdict.outcome
    };
    assert!(matches!(outcome(1), Outcome::Unknown(_)));
    assert_eq!(outcome(0), Outcome::Racy);
}

#[test]
fn what_nobody_wrote_in_shared_memory_decides_nothing() {
    let of = |first: &str| {
        format!(
            "__global__ void k(int *a) {{
                 __shared__ float s[64];
                 {first}
                 if (s[threadIdx.x % 64] < 1.0f) a[0] = threadIdx.x;
             }}"
        )
    };
    let small = Settings { block: Some(Dim3::line(32)), ..Settings::default() };
    let found = |first: &str| with_runs(&of(first), &small).verdict.outcome;
    assert!(matches!(found(""), Outcome::Unknown(_)));
    // A thread that reads it is stuck, whatever it does with the value.
    let read = "__shared__ float z[64]; a[1 + threadIdx.x] = (int)z[7]; s[threadIdx.x % 64] = 0; __syncthreads();";
    let stuck = of(read);
    assert!(matches!(with_runs(&stuck, &small).verdict.outcome, Outcome::Unknown(_)));
    assert_eq!(found("s[threadIdx.x % 64] = 0; __syncthreads();"), Outcome::Racy);
    // Nor does the rest of a number of which a part was written.
    let part = |rest: &str| {
        let text = format!(
            "__global__ void k(int *a, const float *f, float low) {{
                 __shared__ int s[64];
                 char *c = (char *)s;
                 for (int i = 0; i < {rest}; i++) c[4 * (threadIdx.x % 64) + i] = 0;
                 __syncthreads();
                 if (s[threadIdx.x % 64] == 0 && f[threadIdx.x] > low) a[0] = threadIdx.x;
             }}"
        );
        with_runs(&text, &small).verdict.outcome
    };
    assert_eq!(part("4"), Outcome::Racy);
    assert!(matches!(part("1"), Outcome::Unknown(_)));
}

#[test]
fn witnesses_are_of_the_smallest_launches() {
    for (text, launch, n) in [
        ("param n: u32; threads *; grid *, *, 1; global A; if tid < n { A[0] := 1 }", (2, 1), 2),
        (
            "param n: u32; threads *; grid *, *, 1; global A; \
             if blockIdx.y < n { A[tid + n] := 1 }",
            (1, 2),
            1,
        ),
        // As assumed.
        (
            "param n: u32; threads *; global A; assume n >= 7; assume blockDim.x >= 5; \
             if tid < n { A[0] := 1 }",
            (5, 1),
            7,
        ),
    ] {
        let found = checked(text, Decide::Solve).verdict;
        let [race, ..] = &found.races[..] else { panic!("{text}: {found:?}") };
        let configuration = &race.configuration;
        let counts = (configuration.launch.block.count(), configuration.launch.grid.count());
        assert_eq!(counts, launch, "{text}: {configuration:?}");
        assert_eq!(configuration.parameters[&Name::new("n")], Natural::from(n as u64), "{text}");
        assert_eq!(race.certainty, Certainty::Replayed, "{text}");
    }
}
