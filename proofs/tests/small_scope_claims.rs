//! T10 on every small kernel, and the smallest kernels beyond its hypotheses.

use babycuda_core::{Configuration, Dim3, Launch, Program};
use babycuda_frontend::{Options, Translation, parse_cuda};
use babycuda_kernel::Kernel;
use babycuda_proofs::Failure;
use babycuda_proofs::claims_of_other_techniques::{check, check_anyway, missed, only_writes_once};
use std::sync::Arc;

fn kernel(body: &str) -> (Arc<Kernel>, Program) {
    let text = format!(
        "__global__ void k(int *a, int *b) {{ __shared__ int s[8]; int t = threadIdx.x; {body} }}"
    );
    let kernel = parse_cuda(&text, &Options::default()).expect("CUDA C").remove(0);
    let Translation::Program(program) = kernel.translation else { panic!("{text}") };
    (kernel.tree.expect("a tree"), program)
}

fn launch(blocks: u32, threads: u32) -> Configuration {
    Configuration::of_launch(Launch::new(Dim3::line(blocks), Dim3::line(threads)))
}

/// Two statements, each perhaps under a guard.
fn bodies() -> Vec<String> {
    let accesses = [
        "a[t] = 1;",
        "a[0] = 1;",
        "a[0] = t;",
        "s[t + 1] = 2;",
        "s[t] = t;",
        "a[2 * t] = 3;",
        "a[t / 2] = t;",
        "a[t % 2] = t;",
        "b[t] = a[t];",
        "b[t] = a[t + 1];",
        "s[t] = s[1];",
        "a[t] = a[t] + 1;",
    ];
    let guards = ["", "if (t == 0)", "if (t > 0)", "if (t % 2 == 1)"];
    let guarded = |access: &&str| guards.map(|guard| format!("{guard} {{ {access} }} "));
    let one: Vec<String> = accesses.iter().flat_map(guarded).collect();
    let two = one.iter().flat_map(|first| one.iter().map(move |second| first.clone() + second));
    one.iter().cloned().chain(two).collect()
}

#[test]
fn t10_on_all_small_kernels() {
    let (mut alarms, mut quiet, mut harmful, mut harmless) = (0, 0, 0, 0);
    for body in bodies() {
        let (tree, program) = kernel(&body);
        for threads in [2, 3] {
            let found = check(&tree, &program, &launch(1, threads));
            let found = found.unwrap_or_else(|failure| panic!("{body}\n{failure}"));
            alarms += usize::from(found.alarms > 0);
            quiet += usize::from(found.alarms == 0);
            harmful += usize::from(found.harmful == Some(true));
            harmless += usize::from(found.harmful == Some(false));
        }
    }
    assert!(
        alarms > 500 && quiet > 200 && harmful > 5 && harmless > 5,
        "{alarms} {quiet} {harmful} {harmless}"
    );
}

/// Barriers, loops and a second block each make alarms of SKBG18 false, and a second
/// access lets DD's rules miss a race.
#[test]
fn t10_needs_each_hypothesis() {
    let refuted = |body: &str, at: &Configuration| {
        let (tree, program) = kernel(body);
        assert!(matches!(check(&tree, &program, at), Err(Failure::Vacuous(_))), "{body}");
        matches!(check_anyway(&tree, &program, at), Err(Failure::Refuted(_)))
    };
    assert!(refuted("a[t] = 1; __syncthreads(); b[t] = a[t + 1];", &launch(1, 2)));
    assert!(refuted("for (int i = 0; i != 1; i++) { a[t + i] = 1; }", &launch(1, 2)));
    assert!(refuted("s[t + blockIdx.x] = 1;", &launch(2, 2)));
    for other in ["a[t] = a[t + 1] + t;", "a[t] = 1; a[2 * t] = 3;"] {
        let (tree, program) = kernel(other);
        assert!(!only_writes_once(&program) && missed(&tree, &launch(1, 3)).is_err(), "{other}");
    }
}
