//! The text that the oracle speaks: its documentation, what it refuses, and odd names.

use crate::campaign::start;
use crate::cases::ARRAY;
use babycuda_core::history::HostArray;
use babycuda_core::parse::{parse_protocol, parse_stmt};
use babycuda_core::{AccessMode, Site};
use babycuda_core::{Accesses, Cell, History, HostMemory, Name, Natural, Num, Protocol, Stmt};
use babycuda_proofs::oracle::{Answer, Codec, Process, Request, Uncovered};
use std::path::Path;
use std::time::Duration;

const TIME: Duration = Duration::from_secs(60);

fn ask(program: &Path, requests: &[String]) -> Vec<String> {
    let mut process = Process::start(program, [""; 0]).expect("the oracle");
    process.ask(requests, TIME).expect("answers")
}

/// The examples of the documentation: a request, and its answer after `=>`.
pub fn the_documented_examples_hold(program: &Path) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("oracle/README.md");
    let page = std::fs::read_to_string(page).expect("proofs/oracle/README.md");
    let lines: Vec<&str> = page.lines().map(str::trim).collect();
    let examples = lines.windows(2).filter_map(|two| Some((two[0], two[1].strip_prefix("=> ")?)));
    let (requests, answers): (Vec<&str>, Vec<&str>) = examples.unzip();
    let requests: Vec<String> = requests.into_iter().map(str::to_owned).collect();
    assert_eq!(ask(program, &requests), answers);
    // Every function has an example.
    let functions: std::collections::BTreeSet<&str> = requests
        .iter()
        .filter_map(|request| request.trim_start_matches('(').split(' ').next())
        .filter(|head| page.contains(&format!("| `({head} ")))
        .collect();
    assert_eq!(functions.len(), 17, "{functions:?}");
}

/// Bad input is answered with its place, and the next request as ever.
pub fn malformed_requests_are_refused(program: &Path) {
    let deep = "(".repeat(20_000);
    let cases = [
        ("", 0),
        ("   ", 3),
        ("skip", 0),
        ("()", 0),
        ("(", 0),
        (")", 0),
        ("(drf_b ()", 0),
        ("(drf_b ()))", 10),
        ("(drf_b () ())", 0),
        ("(drf_b)", 0),
        ("(drf_c ())", 0),
        ("(drf_b x)", 7),
        ("(drf_b (x))", 8),
        ("(drf_b (((0 () ()))))", 9),
        ("(drf_b (((0 ((1) ())) (0 ((1) ())))))", 22),
        ("(drf_b (((1 ((2 1) ())))))", 16),
        ("(drf_b (((1 ((1 1) ())))))", 16),
        ("(drf_b (((1 (() ((1 2) (1 3)))))))", 23),
        ("(drf_b (((-1 (() ())))))", 10),
        ("(drf_b (((01 (() ())))))", 10),
        ("(drf_b (((1.0 (() ())))))", 10),
        ("(drf_b (((\"1\" (() ())))))", 10),
        ("(infer (x) skip)", 8),
        ("(infer (\"x) skip)", 8),
        ("(infer (\"\\x\") skip)", 9),
        ("(infer () (sync))", 10),
        ("(infer () (write 0 (add 1 2)))", 20),
        ("(infer () (write 0 (add.u33 1 2)))", 20),
        ("(infer () (write 0 (add.nat 1)))", 19),
        ("(infer () (write 0 (add.nat 1 true)))", 30),
        ("(infer () (if 1 skip skip))", 14),
        ("(infer () Skip)", 10),
        ("(infer_k () (sync))", 12),
        ("(conflicts ((0 at 1)))", 15),
        ("(lastwrites 1 ())\r", 17),
        (&deep, 10_000),
    ];
    let requests: Vec<String> = cases.iter().map(|(request, _)| (*request).to_owned()).collect();
    for ((request, at), answer) in cases.iter().zip(ask(program, &requests)) {
        let refused = answer.starts_with(&format!("(error malformed {at} \""));
        assert!(refused, "{request}\n{answer}");
    }
}

/// What would not end is refused or answered, and the next request as ever.
pub fn endless_requests_do_not_end_the_oracle(program: &Path) {
    let zero = "(evaluate () 0 (() ()) (for \"x\" 0 1000000000000000000000000000000 skip))";
    let long = format!("(infer () {}skip{})", "(seq skip ".repeat(9_000), ")".repeat(9_000));
    let requests = [zero.to_owned(), long, "(drf_b ())".to_owned()];
    let answers = ask(program, &requests);
    assert!(answers[0].starts_with("(error stack 0 \""), "{}", answers[0]);
    assert!(answers[1].starts_with("(some (seq skip "));
    assert_eq!(answers[2], "true");
}

/// Names may be anything.
pub fn odd_names_come_back(program: &Path) {
    let names =
        ["", " ", "\"", "\\", "a\nb", "\\n", "é∀", "(", "x'1", "tid", "\0", "\r", "add.nat"];
    let requests: Vec<Request> = names
        .iter()
        .map(|name| Request::Infer {
            variables: vec![Name::new(name)],
            program: Stmt::write(ARRAY, Num::var(*name), 0),
        })
        .collect();
    let answers = start(program).ask(&requests, TIME).expect("answers");
    for (name, answer) in names.iter().zip(answers) {
        let access = Protocol::access(AccessMode::Wr, ARRAY, Num::var(*name));
        assert_eq!(answer, Ok(Answer::Type(Some(access))), "{name:?}");
    }
}

#[test]
fn what_the_mechanization_does_not_cover_is_an_error() {
    let codec = Codec::new(Name::new(ARRAY));
    let uncovered = |request: Request| codec.write(&request).unwrap_err();
    let stmt = |text: &str| parse_stmt(text).expect("a statement").numbered();
    let infer = |text| uncovered(Request::Infer { variables: Vec::new(), program: stmt(text) });
    let synchronized =
        |text| uncovered(Request::InferSynchronized { variables: Vec::new(), program: stmt(text) });
    let protocol = |text| {
        let protocol = parse_protocol(text).expect("a protocol").numbered();
        uncovered(Request::EvaluateProtocol { protocol })
    };
    assert_eq!(infer("A[0] := 1; B[0] := 1"), Uncovered::Array(Name::new("B")));
    assert_eq!(infer("let x = atomic A[0] add 1 in skip"), Uncovered::Atomic(Site(0)));
    assert_eq!(infer("A[0] := 1; sync"), Uncovered::Barrier(Site(1)));
    assert_eq!(synchronized("if tid == 0 {sync} else {skip}"), Uncovered::Barrier(Site(1)));
    assert_eq!(synchronized("forU x in 0..2 {sync}"), Uncovered::Barrier(Site(1)));
    assert_eq!(protocol("rd[0]; sync"), Uncovered::Barrier(Site(1)));
    assert_eq!(protocol("any x {rd[x]}"), Uncovered::Any(Site(0)));
    let mut host = HostMemory::default();
    let fill = Some(Natural::zero());
    host.insert(Name::new(ARRAY), HostArray { fill, ..HostArray::default() });
    let filled = uncovered(Request::Drf { history: History::empty(host) });
    assert_eq!(filled, Uncovered::Fill(Name::new(ARRAY)));
    let before = Accesses::default().read(Cell::new("B", 0u32));
    let history = History::empty(HostMemory::default());
    let program = Stmt::Skip;
    let other = uncovered(Request::Evaluate { history, thread: 0, before, program });
    assert_eq!(other, Uncovered::Array(Name::new("B")));
}
