//! Races that rest on what a translation does not know, found in runs of the kernel.

mod support;

use support::babycuda;

/// Threads count in bins of floats, without atomics.
const BINS: &str = "\
__global__ void bins(int *count, const float *data, float low, float high, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int bin = (int)((data[i] - low) / (high - low) * 8.0f);
        if (data[i] > low) count[bin] = i;
    }
}
";

/// The cell that decides is shared, and nobody has written it.
const UNWRITTEN: &str = "\
__global__ void unwritten(float *a, int n) {
    __shared__ float s[64];
    if (s[threadIdx.x % 64] < 1.0f) a[0] = threadIdx.x;
}
";

#[test]
fn a_run_with_floats_has_the_race() {
    let check = ["check", "-", "--parser", "builtin", "--contract", "none"];
    let ran = babycuda(&check, BINS);
    ran.ends(1).says("bins: racy").says("error[BC001]: write-write race on count[");
    ran.says("provable: an interleaving of the threads has it");
    // What the translation does not know is said: the floats of the run.
    ran.says("begins with low = 0.5, high = 1");
    // No float is more than low and less than it.
    let never = BINS.replace("data[i] > low", "data[i] > low && data[i] < low");
    babycuda(&check, &never).ends(3).says("bins: unknown");
    // A race between blocks is none of one block.
    let of_blocks = BINS.replace("count[bin] = i", "count[threadIdx.x * 8 + (bin & 7)] = i");
    babycuda(&check, &of_blocks).ends(1).says("different blocks: no barrier orders them");
    let one = [&check[..], &["--grid", "1"]].concat();
    babycuda(&one, &of_blocks).ends(0);
    // Only what was asked for is looked at.
    let other = [&check[..], &["--array", "data"]].concat();
    babycuda(&other, BINS).ends(0);
}

/// What a float holds is told as a float, and in the smallest launch that shows it.
#[test]
fn floats_are_told_as_floats() {
    let check = ["check", "-", "--parser", "builtin", "--contract", "none"];
    let kernel = |parameter: &str, condition: &str| {
        format!("__global__ void k(float *a, {parameter}, int n) {{ if ({condition}) a[0] = 1; }}")
    };
    // The bits of 1 are those of a number above 0 and below 1: nothing else is between.
    let between = kernel("const float *x", "x[0] > 0.0f && x[0] < 1e-40f");
    babycuda(&check, &between).ends(3);
    let above = kernel("const float *x", "threadIdx.x < n && x[n] > 0.5f");
    let ran = babycuda(&check, &above);
    ran.ends(1).says("block (2,1,1), n = 2").says("begins with x[2] = 1");
    ran.is_silent_of("contents:");
    let ran = babycuda(&[&check[..], &["--format", "json"]].concat(), &above);
    ran.ends(1).says(r#""host":{}"#).says("begins with x[2] = 1");
    let double = kernel("const double *x", "x[3] > 0.5");
    babycuda(&check, &double).ends(1).says("begins with x[3] = ");
    let vector = kernel("const float4 *x", "x[1].y > 0.5f");
    babycuda(&check, &vector).ends(1).says("begins with x[1] = {");
}

#[test]
fn what_nobody_wrote_decides_nothing() {
    let check = ["check", "-", "--parser", "builtin", "--contract", "none"];
    babycuda(&check, UNWRITTEN).ends(3).says("unwritten: unknown");
    let written = "__shared__ float s[64]; s[threadIdx.x % 64] = 0; __syncthreads();";
    let written = UNWRITTEN.replace("__shared__ float s[64];", written);
    babycuda(&check, &written).ends(1).says("race on a[0]");
}

#[test]
fn runs_are_of_launches_that_are_meant() {
    let check = ["check", "-", "--parser", "builtin", "--contract", "none"];
    let with = |more: &[&'static str]| [&check[..], more].concat();
    // One thread alone races with nobody.
    babycuda(&with(&["--block", "1", "--grid", "1"]), BINS).ends(0);
    babycuda(&with(&["--assume", "n <= 1"]), BINS).ends(0);
    // Contents that are assumed are none of the patterns.
    let some = "forall i in 0..n: p[i] >= 7";
    let guarded = BINS
        .replace("int n)", "const int *p, int n)")
        .replace("data[i] > low", "data[i] > low && p[i] < 7");
    babycuda(&check, &guarded).ends(1).says("bins: racy");
    babycuda(&with(&["--assume", some]), &guarded).ends(0);
    let half = guarded.replace("p[i] < 7", "p[i] < 9");
    babycuda(&with(&["--assume", some]), &half).ends(3);
}

#[test]
fn launches_of_the_file_are_run() {
    let launched = format!(
        "{BINS}void host(int *c, float *d) {{ bins<<<2, 64>>>(c, d, 1.0f, 2.0f, 128); }}\n"
    );
    let ran = babycuda(&["check", "-", "--parser", "builtin"], &launched);
    ran.ends(1).says("racy as launched at 8:").says("block (64,1,1), grid (2,1,1)");
}

/// A row of the last threads is one of the first where the product wraps around: two threads of billions.
#[test]
fn two_threads_of_a_large_launch_are_run_alone() {
    let kernel = |guard: &str| {
        format!(
            "__global__ void k(float *a, unsigned w, unsigned h, float most) {{
                 unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
                 unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
                 if (x >= w || y >= h) return;
                 float u = x / (float)w * 2.0f - 1.0f;
                 if ({guard}) a[y * w + x] = u;
             }}"
        )
    };
    let check = ["check", "-", "--parser", "builtin", "--contract", "none"];
    babycuda(&check, &kernel("u * u < 1.5f + most"))
        .ends(1)
        .says("k: racy")
        .says("begins with most = ");
    babycuda(&check, &kernel("u * u > 1.5f && most > 0")).ends(3).says("k: unknown");
    // Many threads go round a loop for long, and two of them race at once.
    let rows = "__global__ void k(float *a, unsigned n, float f) {
                    for (unsigned i = threadIdx.x; i < n; i += blockDim.x)
                        if (f > i || f < 9.0f) a[threadIdx.y * n + i] = f;
                }";
    babycuda(&check, rows).ends(1).says("k: racy");
}

/// What no float is lies between bounds, whatever a device rounds.
#[test]
fn floats_that_are_rounded_decide_what_no_rounding_changes() {
    let check = ["check", "-", "--parser", "builtin", "--contract", "none"];
    let kernel = |condition: &str| {
        format!(
            "struct Camera {{ float4 row[2]; float far; }};
             __constant__ Camera c;
             __global__ void k(float *a, float x) {{ if ({condition}) a[0] = threadIdx.x; }}"
        )
    };
    for (condition, ends) in [
        ("x * 0.1f > -1.0f && x * 0.1f < 100.0f", 1),
        ("1.0f / 3.0f * 3.0f > 0.99f", 1),
        ("1.0f / 3.0f * 3.0f == 1.0f", 3),
        ("1.0f / 3.0f * 3.0f > 1.01f && x > 0", 3),
        ("sqrtf(2.0f) > 1.41f && rsqrtf(2.0f) < 0.71f", 1),
        ("sqrtf(2.0f) * sqrtf(2.0f) <= 2.0f", 3),
        // `41 * (1 / 41)` is less than 1.
        ("x == 1.0f && x * 41.0f / 41.0f == 1.0f", 3),
        ("x == 1.0f && (int)(x * 6.0f / 3.0f) == 2", 3),
        // Below the least normal float is 0, or something.
        ("x >= 0.0f && x < 1e-40f", 3),
        ("x == 0.0f && x / 1e-38f <= 3.0f", 3),
        ("x == 1.0f && x * 1.2e-38f - 1.18e-38f > 0.0f", 3),
        ("x == 1.0f && (double)(x * 1.1754944e-38f * 0.5f) > 0.0", 3),
        ("x == 1.0f && x * 1e-38f", 3),
        ("(int)(x * 0.1f + 0.05f) < 9", 1),
        ("((sinf(x) > 0.5f) ? 1.0f : 2.0f) > 0.0f || x < 9.0f", 3),
        ("fminf(x * 0.1f, 0.3f) <= 0.31f", 1),
        ("fabsf(x * -0.1f) < 9.0f", 1),
    ] {
        babycuda(&check, &kernel(condition)).ends(ends);
    }
    let constants = kernel("c.row[1].y * 0.1f < 9.0f && c.far < 99.0f");
    let ran = babycuda(&check, &constants);
    ran.ends(1).says("begins with each element of c.row = {").says(", c.far = ");
    // Nobody but the host changes them.
    for store in ["c.row[1].x = x;", "c.far = x;", "float4 *p = c.row; p[0].x = x;"] {
        let changed =
            kernel("x < 9.0f").replace("if (x < 9.0f)", store).replace("a[0]", "a[threadIdx.x]");
        babycuda(&check, &changed).ends(3).says("assignment to `c`");
    }
    // What the kernel does not name is not told, and zeros are.
    babycuda(&check, &kernel("x < 9.0f")).ends(1).is_silent_of("c.far");
    babycuda(&check, &kernel("a[threadIdx.x + 1] <= 0.0f")).ends(1).says("begins with floats of 0");
    let chosen = kernel("x < 99.0f").replace("threadIdx.x;", "(sinf(x) > 0.5f) ? 1.0f : 2.0f;");
    babycuda(&check, &chosen).ends(1).says("begins with x = ");
}
