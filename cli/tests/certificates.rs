//! `babycuda derive --format coq`: what people read, and what is refused. That Coq accepts what is
//! printed is tested in `proofs`.

mod support;

use std::path::Path;
use support::{Ran, babycuda};

fn derive(arguments: &[&str], input: &str) -> Ran {
    babycuda(&[&["derive", "-", "--format", "coq"], arguments].concat(), input)
}

/// The certificate is the one in `cli/tests/certificates`; `BABYCUDA_BLESS` writes it there.
fn golden(name: &str, arguments: &[&str], input: &str) {
    let output = derive(arguments, input);
    output.ends(0);
    let printed = &output.out;
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/certificates").join(name);
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(&file, printed).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(*printed, expected, "{name}: BABYCUDA_BLESS=1 writes it anew");
}

/// LCL22 Fig. 4.
const FIGURE_4: &str = "threads 2; if tid == 0 { A[0] := tid } else { skip }";

#[test]
fn a_run_is_a_theorem_with_a_lemma_for_each_node() {
    golden("figure_4.v", &[], FIGURE_4);
}

#[test]
fn barriers_and_several_arrays_are_in_it() {
    let text = "threads 2; shared A = [7]; shared B;
                let y = A[0] in B[tid] := y; sync; A[tid] := 1";
    golden("barrier.v", &[], text);
}

#[test]
fn a_type_is_a_theorem_too() {
    golden("figure_4_type.v", &["--judgment", "type"], FIGURE_4);
    let guarded = "threads 2; if tid == 0 { sync } else { skip }";
    golden("guarded_barrier_type.v", &["--judgment", "type"], guarded);
    // Relative to what the host stored in `p`, which the theorem names.
    let inputs = "threads 2; global p = any; global A; \
        let x = p[tid] in let y = A[0] in A[x] := y";
    golden("inputs_type.v", &["--judgment", "type"], inputs);
}

#[test]
fn what_is_not_mechanized_is_refused_with_its_place() {
    let text = "threads 2; shared A = [0];\nlet x = atomic A[0] add 1 in skip";
    for judgment in ["run", "type"] {
        let output = derive(&["--judgment", judgment], text);
        output.ends(2).warns("there is no certificate: atomic updates").warns("-:2:9");
        assert_eq!(output.out, "", "{judgment}");
    }
}
