//! Races of which all conflicting writes store the same value.

use crate::support::babycuda;

fn kernel(body: &str) -> String {
    format!("__global__ void k(int *a, int *b, int n) {{ {body} }}\n")
}

/// The races of the only kernel, and whether all are benign.
fn races(body: &str) -> (Vec<bool>, bool) {
    let json = babycuda(&["check", "-", "--format", "json"], &kernel(body)).json();
    let found = &json["kernels"][0];
    assert_eq!(found["verdict"], "racy", "{body}");
    let races = found["races"].as_array().unwrap();
    let marked = races.iter().map(|race| race.get("benign").is_some()).collect();
    (marked, found.get("benign_only").is_some_and(|only| only == true))
}

#[test]
fn writes_of_one_value_are_marked() {
    let ran = babycuda(&["check", "-"], &kernel("a[0] = 7;"));
    ran.ends(1)
        .says("benign (same value): both threads store 7")
        .says("wr a[0] := 7   <-- race")
        .says("k: racy (1 racing pair, benign only: of the same value)")
        .is_silent_of("race-free\n");
    let json = babycuda(&["check", "-", "--format", "json"], &kernel("a[0] = -7;")).json();
    let race = &json["kernels"][0]["races"][0];
    assert_eq!(race["benign"]["notion"], "same-value");
    assert_eq!(race["benign"]["stored"], serde_json::json!([-7, -7]));
    let sarif = babycuda(&["check", "-", "--format", "sarif"], &kernel("a[0] = 7;")).json();
    assert_eq!(sarif["runs"][0]["results"][0]["properties"]["benign"], "same-value");
    babycuda(&["check", "-", "--format", "short"], &kernel("a[0] = 7;"))
        .ends(1)
        .says("benign (same value)");
    // Parameters and extents are the same for all; the place of a block is in the block.
    for body in [
        "a[0] = n * 2 + blockDim.x;",
        "a[blockIdx.x] = blockIdx.x;",
        "for (int i = 0; i < 4; i++) a[i] = n;",
        "if (threadIdx.x == 0) a[0] = 1; else a[0] = 1;",
    ] {
        assert_eq!(races(body), (vec![true; races(body).0.len()], true), "{body}");
    }
}

#[test]
fn what_may_differ_is_not_benign() {
    for body in [
        "a[0] = threadIdx.x;",
        "if (threadIdx.x == 0) a[0] = 1; else if (threadIdx.x == 1) a[0] = 2;",
        "for (int i = 0; i < 4; i++) a[0] = i;",
        "a[0] = b[0];",
        // Of different blocks.
        "a[threadIdx.x] = blockIdx.x;",
        // A read comes too early, an update or a plain write is lost.
        "if (threadIdx.x == 0) a[0] = 1; else b[threadIdx.x] = a[0];",
        "if (threadIdx.x == 0) a[0] = 1; else atomicAdd(&a[0], 1);",
        // In the run of the witness both threads store 0: in that run.
        "a[0] = threadIdx.x / 32;",
    ] {
        let (marked, only) = races(body);
        assert!(!only && !marked.contains(&true), "{body}: {marked:?}");
    }
    // One of two.
    let both = "a[0] = 7; b[0] = threadIdx.x;";
    let (mut marked, only) = races(both);
    marked.sort();
    assert_eq!((marked, only), (vec![false, true], false));
    babycuda(&["check", "-"], &kernel(both))
        .ends(1)
        .says("racy (2 racing pairs, 1 of them benign)");
}

#[test]
fn benign_races_can_be_ignored_and_stay_races() {
    let ignored = |text: &str| babycuda(&["check", "-", "--ignore-benign"], text);
    ignored(&kernel("a[0] = 7;"))
        .ends(0)
        .says("racy (1 racing pair, benign only")
        .says("error[BC001]");
    ignored(&kernel("a[0] = threadIdx.x;")).ends(1);
    ignored(&kernel("a[0] = 7; b[0] = threadIdx.x;")).ends(1);
    ignored(&kernel("a[threadIdx.x] = 7;")).ends(0).says("k: race-free");
    // There may be others: of an access that rests on data, or behind what is not understood.
    let text = "__global__ void k(int *a, int *b, float *f) { a[0] = 7; if (f[threadIdx.x] > 0.5f) b[0] = threadIdx.x; }\n";
    ignored(text).ends(3).says("k: racy").is_silent_of("benign only");
    let text = kernel("a[0] = 7; asm(\"trap;\");");
    ignored(&text).ends(3).says("k: racy").is_silent_of("benign only");
    babycuda(&["check", "-"], &text).ends(1);
    // Threads diverge.
    ignored(&kernel("if (threadIdx.x == 0) __syncthreads(); a[threadIdx.x] = 7;")).ends(1);
}
