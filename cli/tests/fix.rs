//! Suggestions: what is suggested was checked, and where nothing is certain nothing is.

mod support;

use babycuda::core::parse::parse_program;
use babycuda::core::{Budget, Configuration};
use babycuda::repair::{Judge, Language, Search, repair};
use babycuda::{CheckOptions, Checked, check};
use serde_json::Value;
use support::{babycuda, root};

fn checked(text: &str, options: &[&str]) -> Value {
    let args = [&["check", "-", "--format", "json", "--fix-time", "60"], options].concat();
    babycuda(&args, text).json()["kernels"][0].clone()
}

/// The text with the edits of a suggestion.
fn applied(text: &str, fix: &Value) -> String {
    let (mut out, mut done) = (String::new(), 0);
    for edit in fix["edits"].as_array().unwrap() {
        let offset = |of: &str| edit[of]["offset"].as_u64().unwrap() as usize;
        out += &text[done..offset("start")];
        out += edit["text"].as_str().unwrap();
        done = offset("end");
    }
    out + &text[done..]
}

/// What is suggested makes the kernel race-free; its title.
fn repaired(text: &str, options: &[&str]) -> String {
    let kernel = checked(text, options);
    assert_eq!(kernel["verdict"], "racy", "{kernel}");
    let fix = &kernel["fix"];
    let title = fix["title"].as_str().unwrap_or_else(|| panic!("{text}: nothing is suggested"));
    let after = applied(text, fix);
    babycuda(&[&["check", "-"], options].concat(), &after).ends(0);
    title.to_owned()
}

#[test]
fn racy_kernels_of_the_corpus_are_repaired() {
    for (name, title) in [
        ("reduce_sequential_racy", "insert `__syncthreads();` after line 15"),
        ("broadcast_racy", "insert `__syncthreads();` after line 11"),
        ("labels_rounds_racy", "insert `__syncthreads();` after line 20"),
        ("histogram_racy", "make the update atomic: `atomicAdd(&bins[data[i]], 1);` in line 20"),
    ] {
        let path = root().join(format!("tests/corpus/{name}.cu"));
        let text = std::fs::read_to_string(path).unwrap();
        assert_eq!(repaired(&text, &[]), title, "{name}");
    }
}

#[test]
fn updates_become_atomic_where_there_is_such_a_function() {
    let kernel =
        |ty: &str, update: &str| format!("__global__ void k({ty} *a, int n) {{ {update} }}");
    for (ty, update, wanted) in [
        ("int", "a[0] += n * 2;", "atomicAdd(&a[0], n * 2);"),
        ("float", "a[n] -= 1.0f;", "atomicAdd(&a[n], -(1.0f));"),
        ("unsigned", "++*a;", "atomicAdd(a, 1);"),
        ("int", "if (n > 3) a[1]--;", "atomicSub(&a[1], 1);"),
        ("unsigned int", "a[0] |= 1u << threadIdx.x;", "atomicOr(&a[0], 1u << threadIdx.x);"),
    ] {
        let title = repaired(&kernel(ty, update), &["--block", "4"]);
        assert!(title.contains(&format!("`{wanted}`")), "{update}: {title}");
    }
    for (ty, update) in
        [("short", "a[0] += 1;"), ("int", "a[0] *= 2;"), ("int", "n = a[0]++; a[1] = n;")]
    {
        let kernel = checked(&kernel(ty, update), &["--block", "4"]);
        assert_eq!(
            (&kernel["verdict"], &kernel["fix"]),
            (&"racy".into(), &Value::Null),
            "{update}"
        );
    }
}

#[test]
fn what_all_threads_write_is_written_by_one() {
    let kernel = "__global__ void k(int *a, int n) {\n    a[blockIdx.x] = n + 1;\n}\n";
    assert_eq!(repaired(kernel, &[]), "guard line 2 with `if (threadIdx.x == 0)`");
    let plane = kernel.replace("n + 1;", "n; if (threadIdx.y > 70) a[7] = 1;");
    assert!(checked(&plane, &["--block", "8,8"])["fix"]["title"].as_str().is_some());
    // Whose value it would be is not for the checker to say.
    for value in ["threadIdx.x", "x", "n + x"] {
        let other = kernel
            .replace("    a[", "    int x = threadIdx.x * 3;\n    a[")
            .replace("n + 1", value);
        assert_eq!(checked(&other, &[])["fix"], Value::Null, "{other}");
    }
}

/// A barrier that some threads do not reach, or one that orders no blocks, is no suggestion; nor is what changes
/// another kernel.
#[test]
fn what_is_not_race_free_is_not_suggested() {
    let divergent = "__global__ void k(int *a) {\n  if (threadIdx.x < 5) {\n    a[threadIdx.x] = 1;\n    \
                     a[threadIdx.x] = a[threadIdx.x + 1];\n  }\n}\n";
    assert_eq!(checked(divergent, &["--block", "32"])["fix"], Value::Null);
    let blocks = "__global__ void k(int *a) { a[threadIdx.x] = blockIdx.x; }";
    assert_eq!(checked(blocks, &["--block", "32", "--grid", "2"])["fix"], Value::Null);
    let shared = "__device__ void step(int *s) {\n  s[threadIdx.x] = 1;\n  s[threadIdx.x] = s[63 - threadIdx.x];\n}\n\
                  __global__ void k(int *a) { step(a); }\n";
    let one = checked(shared, &["--kernel", "k", "--block", "64"]);
    assert_eq!(one["verdict"], "racy");
    let two =
        format!("{shared}__global__ void other(int *a) {{ if (threadIdx.x < 7) step(a); }}\n");
    let two =
        babycuda(&["check", "-", "--format", "json", "--fix-time", "60", "--block", "64"], &two)
            .json();
    assert_eq!(two["kernels"][0]["fix"], Value::Null, "{two}");
}

#[test]
fn fewest_barriers_first_and_as_many_as_are_needed() {
    let text = "threads 2; A[tid] := tid; let x = A[1 - tid] in A[tid] := x";
    assert_eq!(repaired(text, &[]).matches("insert `sync;`").count(), 2);
    // Without being asked, the likeliest edit is tried, and no other.
    for none in [&["check", "-", "--fix-time", "0"][..], &["check", "-"]] {
        babycuda(none, text).ends(1).is_silent_of("help: insert");
    }
    babycuda(&["check", "-", "--fix-time", "60"], text)
        .says("checked, the kernel is race-free then");
}

#[test]
fn sarif_has_the_edits() {
    let path = "tests/corpus/reduce_sequential_racy.cu";
    let document = babycuda(&["check", path, "--format", "sarif", "--fix-time", "60"], "").json();
    let result = &document["runs"][0]["results"][0];
    let change = &result["fixes"][0]["artifactChanges"][0];
    assert_eq!(change["artifactLocation"]["uri"], path);
    let edit = &change["replacements"][0];
    assert_eq!(edit["insertedContent"]["text"], "\n    __syncthreads();");
    assert_eq!(
        (&edit["deletedRegion"]["startLine"], &edit["deletedRegion"]["byteLength"]),
        (&15.into(), &0.into())
    );
}

/// Says the same of every text, and counts how often it is asked about a launch, and about the whole.
struct Stubborn(Checked, [usize; 2]);

impl Judge for Stubborn {
    fn judge(&mut self, _: &str, at: Option<&Configuration>) -> Option<Checked> {
        self.1[usize::from(at.is_none())] += 1;
        Some(self.0.clone())
    }
}

/// The whole takes as long as the verdict did: it is not asked for where a known race is seen to be there still.
#[test]
fn a_known_race_spares_the_whole() {
    let text = "threads 2; A[tid] := 1; let x = A[1 - tid] in B[tid] := x";
    let checked = |text: &str| check(&parse_program(text).unwrap(), &CheckOptions::default());
    let racy = checked(text).unwrap();
    let asked = |says: Checked| {
        let (mut judge, first) = (Stubborn(says, [0, 0]), (Search::First, &Budget::default()));
        let fix = repair(text, Language::BabyCuda, &racy, &mut judge, first);
        (fix.is_some(), judge.1)
    };
    assert_eq!(asked(racy.clone()), (false, [1, 0]));
    // One that is gone is asked about once, and then the whole.
    assert_eq!(asked(checked("threads 2; A[tid] := 1").unwrap()), (true, [1, 1]));
}
