//! Conditions that are found with examples, and of kernels that are taken apart.

use super::kernel;
use super::support::{Folder, babycuda, has_clang};

/// The condition that is found for the only kernel of a file.
fn conditions(text: &str) -> Option<String> {
    let found = kernel(text, &["--contract", "infer"]);
    assert_eq!(found["verdict"], "racy", "{text}");
    let all = found["contract"]["conditions"].as_array()?;
    Some(all.iter().filter_map(|one| one.as_str()).collect::<Vec<_>>().join(" && "))
}

/// That somebody launches one thread makes it worth a condition; where that launch races, nothing is found.
#[test]
fn launches_of_the_file_are_examples() {
    let launched = |kernel: &str, launch: &str| {
        format!("{kernel}\nvoid run(int *a) {{ k<<<{launch}>>>(a); }}\n")
    };
    let one = "__global__ void k(int *a) { a[0] = threadIdx.x + blockIdx.x; }";
    assert_eq!(conditions(one), None);
    let found = conditions(&launched(one, "1, 1")).expect("of one thread");
    assert!(found.contains("blockDim.x == 1") && found.contains("gridDim.x == 1"), "{found}");
    assert_eq!(conditions(&launched(one, "1, 2")), None);
    // What stands in a launch may be meant where the way to it is not followed.
    let jumps = |launch: &str| {
        format!("{one}\nvoid run(int *a) {{ again: k<<<{launch}>>>(a); if (a) goto again; }}\n")
    };
    assert_eq!(conditions(&jumps("1, 1")), Some(found));
    assert_eq!(conditions(&jumps("1, 2")), None);
    let shapes = "__global__ void k(int *a) { __shared__ int s[80]; \
        s[threadIdx.z * 40 + threadIdx.y * 8 + threadIdx.x] = 1 + threadIdx.x + threadIdx.y; }";
    let found = conditions(&launched(shapes, "3, dim3(8, 5, 2)")).expect("of 8 x 5 x 2");
    assert!(found.contains("blockDim.y") && !found.contains("gridDim"), "{found}");
}

/// Conditions under which no two threads come to what races are of no use.
#[test]
fn conditions_are_of_use() {
    for text in [
        "__global__ void k(int *a, int n) \
         { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[0] = i; }",
        "__global__ void k(int *a, int n) \
         { for (int i = 0; i < n; i++) a[0] = threadIdx.x; a[threadIdx.x + 1] = 0; }",
        "__global__ void k(int *a, int n, int m) { if (threadIdx.x + m < n) a[0] = threadIdx.x; }",
        // Of two threads that come there, one would have stopped where its product passes `int`.
        "__global__ void k(int *a, int n) \
         { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i * 2 < n) a[0] = i; }",
    ] {
        assert_eq!(conditions(text), None, "{text}");
    }
}

/// That there is no rest, or that a barrier stands between, is of use; so is what leaves atomics alone.
#[test]
fn conditions_may_remove_what_races() {
    for (text, condition) in [
        (
            "__global__ void k(int *a, int n) { int t = threadIdx.x; \
             for (int i = t; i < n / 256 * 256; i += blockDim.x) a[i] = t; if (n % 256 != 0) a[0] = t; }",
            "n >= 0 && n % 256 == 0",
        ),
        (
            "__global__ void k(int *a, int n) { int t = threadIdx.x; \
             if (t == 0) a[0] = 1; if (n) __syncthreads(); if (t == 1) a[0] = 2; }",
            "n > 0",
        ),
        (
            "__global__ void k(int *a, int n) { int t = threadIdx.x; \
             if (t < n) atomicAdd(a, 1); if (t == 99) a[0] = t; }",
            "blockDim.x <= 99",
        ),
    ] {
        assert_eq!(conditions(text).as_deref(), Some(condition), "{text}");
    }
}

#[test]
fn parameters_are_powers_of_two() {
    let found = conditions(
        "__global__ void k(int n) { __shared__ int s[1024]; \
         int t = threadIdx.x; s[(t & (n - 1)) + t / n * n] = t; }",
    );
    assert_eq!(found.as_deref(), Some("n > 0 && (n & (n - 1)) == 0"));
}

/// Of a block that is asked for, too, a parameter may have to be as large as it is.
#[test]
fn bounds_are_extents_that_are_known() {
    let text = "__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }";
    let found = kernel(text, &["--contract", "infer", "--block", "256", "--grid", "1"]);
    assert_eq!(found["contract"]["conditions"], serde_json::json!(["n >= 256"]), "{found}");
}

/// 512 cells are four rows of 128: an extent that is no constant of the kernel.
#[test]
fn extents_are_quotients_of_constants() {
    let text = "__global__ void k(int *a) \
        { a[blockIdx.x * 512 + threadIdx.y * 128 + threadIdx.x] = threadIdx.x + threadIdx.y; }";
    assert_eq!(conditions(text).as_deref(), Some("blockDim.x <= 128 && blockDim.y <= 4"));
    // The same of one array alone.
    let found = kernel(text, &["--contract", "infer", "--array", "a"]);
    assert!(found["contract"]["conditions"].to_string().contains("blockDim.y <= 4"), "{found}");
}

/// That small launches do not race, which nobody makes, is a contract; it is not looked for, but there.
#[test]
fn what_no_contract_removes_is_in_small_launches() {
    let text = "__global__ void k() { __shared__ int s[2]; s[threadIdx.x % 2] = threadIdx.x; }";
    babycuda(&["check", "-"], text).ends(1).is_silent_of("no contract was found");
}

#[test]
fn indices_are_stored_once() {
    let text = "__global__ void k(unsigned *at, int *a, unsigned n) \
        { if (threadIdx.x < n) a[at[threadIdx.x]] = threadIdx.x; }";
    let found = "forall i in 0..n: forall j in 0..i: at[i] != at[j]";
    assert_eq!(conditions(text).as_deref(), Some(found));
}

/// A row that ends with the cell of this number is longer than the number.
#[test]
fn rows_are_longer_than_what_is_written() {
    let rows = |last: &str| {
        format!(
            "__global__ void k(int *a, int w, int r) {{ int t = threadIdx.x; \
             for (int x = 0; x <= {last}; x++) a[t * w + x] = t; }}"
        )
    };
    let found = conditions(&rows("r")).expect("of rows");
    assert!(found.contains("w > r"), "{found}");
    // One more is too many.
    let found = conditions(&rows("r + 1")).unwrap_or_default();
    assert!(!found.contains("w > r"), "{found}");
}

/// A width of 64 bits is one that products do not make wrap.
#[test]
fn widths_are_no_larger_than_an_int() {
    let text = "__global__ void k(float *c, size_t w) { \
        size_t x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; \
        if (threadIdx.x < 16 && threadIdx.y < 16) c[w * y + x] = x; }";
    let found = conditions(text).expect("of rows");
    let all: Vec<&str> = found.split(" && ").collect();
    for one in ["w >= gridDim.x * 16", "w <= 2147483647"] {
        assert!(all.contains(&one), "{found}");
    }
}

/// Blocks of 32 x 8 have tiles of 32 x 32; where a row more is written, tiles overlap.
#[test]
fn tiles_are_no_blocks() {
    let tiles = |rows: u32| {
        format!(
            "__global__ void k(float *o, int width, int height) {{ \
             int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; \
             for (int j = 0; j < {rows}; j += 8) o[y + height * x + j] = x; }}"
        )
    };
    let found = conditions(&tiles(32)).expect("of tiles");
    assert!(found.contains("height >= gridDim.y * 32"), "{found}");
    let found = conditions(&tiles(33));
    assert!(found.as_ref().is_none_or(|all| all.contains("gridDim.y == 1")), "{found:?}");
}

/// A barrier that orders one space of memory leaves the races of the other one.
#[test]
fn kernels_that_are_taken_apart_have_conditions() {
    if !has_clang() {
        return;
    }
    let folder = Folder::new("inferred-apart");
    let check = |index: &str, fence: &str, args: &[&str]| {
        let text = format!(
            "kernel void k(global int *a) {{ local int s[64]; \
             int i = get_local_id(0), g = get_global_id(0); \
             a[g] = 1; s[i % 64] = i; barrier({fence}); a[{index}] = s[63 - i % 64]; }}"
        );
        let file = folder.file("k.cl", &text);
        let output = babycuda(&[&["check", &file, "--format", "json"], args].concat(), "");
        output.json()["kernels"][0].clone()
    };
    let infer = ["--contract", "infer"];
    let narrow = "CLK_LOCAL_MEM_FENCE";
    let found = check("g", narrow, &infer);
    assert_eq!(found["verdict"], "racy");
    assert_eq!(found["contract"]["conditions"][0], "blockDim.x <= 64", "{found}");
    let assumed = ["--contract", "none", "--assume", "blockDim.x <= 64"];
    assert_eq!(check("g", narrow, &assumed)["verdict"], "drf");
    // What a wide barrier orders, a narrow one does not.
    let wide = "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE";
    let swapped = "g % 2 ? g - 1 : g + 1";
    assert_ne!(check(swapped, wide, &infer)["contract"], serde_json::Value::Null);
    assert_eq!(check(swapped, narrow, &infer)["contract"], serde_json::Value::Null);
}
