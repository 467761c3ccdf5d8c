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

/// The JSON of a derivation is that of its certificate: once it is verified, the certificate is written from it.
#[test]
fn certificates_are_written_from_documents() {
    let barrier = "threads 2; A[tid] := 1; sync; let x = A[0] in A[tid] := x";
    for (judgment, text) in [("run", FIGURE_4), ("type", FIGURE_4), ("run", barrier)] {
        let certificate = derive(&["--judgment", judgment], text);
        let json = ["derive", "-", "--judgment", judgment, "--format", "json"];
        let document = babycuda(&json, text).out;
        let written = babycuda(&["verify", "-", "--format", "coq"], &document);
        written.ends(0);
        assert_eq!(written.out, certificate.out, "{judgment} {text}");
        // Nothing is written for what is no derivation.
        let wrong = document.replacen("thread/write", "thread/skip", 1);
        let wrong = wrong.replacen("type/t-write", "type/t-skip", 1);
        let rejected = babycuda(&["verify", "-", "--format", "coq"], &wrong);
        rejected.ends(1).warns("rejected: ");
        assert_eq!(rejected.out, "", "{judgment} {text}");
    }
    let map = babycuda(&["derive", "-", "--judgment", "map", "--format", "json"], FIGURE_4).out;
    babycuda(&["verify", "-", "--format", "coq"], &map).ends(2).warns("no terms for Coq");
    let atomic = "threads 2; shared A = [0]; let x = atomic A[0] add 1 in skip";
    let atomic = babycuda(&["derive", "-", "--format", "json"], atomic).out;
    babycuda(&["verify", "-", "--format", "coq"], &atomic).ends(2).warns("atomic updates");
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
