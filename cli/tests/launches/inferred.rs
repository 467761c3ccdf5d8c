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

/// Conditions under which nobody comes to what races are of no use.
#[test]
fn conditions_are_of_use() {
    let bounded = "__global__ void k(int *a, int n) \
        { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[0] = i; }";
    assert_eq!(conditions(bounded), None);
    let repeated = "__global__ void k(int *a, int n) \
        { for (int i = 0; i < n; i++) a[0] = threadIdx.x; a[threadIdx.x + 1] = 0; }";
    assert_eq!(conditions(repeated), None);
    // But that there is no rest is.
    let rest = "__global__ void k(int *a, int n) { int t = threadIdx.x; \
        for (int i = t; i < n / 256 * 256; i += blockDim.x) a[i] = t; if (n % 256 != 0) a[0] = t; }";
    assert!(conditions(rest).is_some_and(|found| found.contains("n % 256 == 0")));
}

#[test]
fn parameters_are_powers_of_two() {
    let found = conditions(
        "__global__ void k(int n) { __shared__ int s[1024]; \
         int t = threadIdx.x; s[(t & (n - 1)) + t / n * n] = t; }",
    );
    assert_eq!(found.as_deref(), Some("n > 0 && (n & (n - 1)) == 0"));
}

/// A tile of 32 x 16 has four times two parts of 8 x 8: extents that are no constants of the kernel.
#[test]
fn extents_are_quotients_of_constants() {
    let text = "__global__ void k() {\n\
        __shared__ float s[16 * 33];\n\
        int row = threadIdx.z * 8, col = threadIdx.y * 8 + threadIdx.x;\n\
        for (int i = 0; i < 8; i++) s[(row + i) * 33 + col] = col;\n}\n";
    let found = conditions(text).expect("of tiles");
    assert!(found.contains("== 4") || found.contains("<= 4"), "{found}");
    babycuda(&["check", "-"], text).ends(1).is_silent_of("no contract removes");
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
