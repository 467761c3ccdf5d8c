//! A detector of your own beside the techniques of five papers, and beside what is true.
//!
//! `cargo run --example detector --features detectors,frontend,solver`

use babycuda::core::verdict::{Method, Outcome, Verdict};
use babycuda::core::{Configuration, Launch};
use babycuda::detectors::{Claims, Detector, Refusal, all};
use babycuda::frontend::{Options, Translation, parse_cuda};
use babycuda::kernel::{ExprKind, Kernel, Node};
use babycuda::{CheckOptions, Subject, compare};

/// It believes that a barrier is enough.
struct Hopeful;

impl Detector for Hopeful {
    fn name(&self) -> &'static str {
        "hopeful"
    }

    fn paper(&self) -> &'static str {
        "none"
    }

    fn claims(&self) -> Claims {
        Claims::default()
    }

    fn detect(&self, kernel: &Kernel, _: &Configuration) -> Result<Verdict, Refusal> {
        let is_barrier = |node: Node<'_>| {
            let Node::Expr(expr) = node else { return false };
            matches!(&expr.kind, ExprKind::Device(name, _) if name.as_str() == "__syncthreads")
        };
        let mut bodies = kernel.functions.iter().map(|function| Node::Stmt(&function.body));
        let outcome = match bodies.any(|body| body.subterms().any(is_barrier)) {
            true => Outcome::Drf,
            false => Outcome::Unknown("it has no barrier".to_owned()),
        };
        let (scope, method, races) = (None, Method::None, Vec::new());
        Ok(Verdict { outcome, scope, method, races, divergences: Vec::new() })
    }
}

/// Each thread takes its neighbour's number; in the second kernel the barrier stands too late.
const SOURCE: &str = r"
__global__ void right(int *a) {
    int t = threadIdx.x;
    int x = a[(t + 1) % blockDim.x];
    __syncthreads();
    a[t] = x;
}
__global__ void late(int *a) {
    int t = threadIdx.x;
    a[t] = a[(t + 1) % blockDim.x];
    __syncthreads();
}";

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let launch = Launch::threads(4);
    let mut contradicted = Vec::new();
    for kernel in parse_cuda(SOURCE, &Options::default())? {
        let Translation::Program(program) = &kernel.translation else {
            return Err("not supported".into());
        };
        let program = program.clone().with_launch(launch);
        let subject = Subject {
            source: SOURCE,
            tree: kernel.tree.as_deref(),
            program: Ok(&program),
            configuration: &Configuration::of_launch(launch),
        };
        let mut detectors = all();
        detectors.push(Box::new(Hopeful));
        let compared = compare(&subject, &detectors, &CheckOptions::default());
        println!(
            "{}: {} ({})",
            kernel.name,
            compared.truth.verdict.unwrap_or("?"),
            compared.truth.technique
        );
        for answer in &compared.answers {
            let wrong = answer.contradicts(&compared.truth);
            let word = answer.verdict.unwrap_or("refused");
            println!("  {}: {word}{}", answer.technique, wrong.map_or("", |_| ", which is wrong"));
            contradicted
                .extend(wrong.map(|how| (kernel.name.clone(), answer.technique.clone(), how)));
        }
    }
    // (Others are wrong, too: docs/SCORECARD.md has what their papers claim, and where it is false.)
    let missed = ("late".to_owned(), "hopeful".to_owned(), "misses a race");
    assert!(contradicted.contains(&missed));
    assert!(!contradicted.iter().any(|(_, technique, _)| technique == "protocols"));
    Ok(())
}
