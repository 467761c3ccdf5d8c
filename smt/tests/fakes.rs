//! Programs that pretend to be solvers, and what becomes of their answers.
#![cfg(all(feature = "process", unix))]

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use babycuda_smt::{
    Answer, Query, QueryLimits, Reason, Solver, Term, Value,
    process::{External, Kind},
};

/// A folder that is gone when the test is.
///
/// One at a time: a process that another test starts while a script is being written inherits the
/// open file, and a file that is open for writing cannot be executed.
struct Folder(PathBuf, #[allow(dead_code, reason = "held, not read")] MutexGuard<'static, ()>);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let unique = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("babycuda-fakes-{}-{unique}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path, alone)
    }

    /// An executable shell script.
    fn script(&self, body: &str) -> PathBuf {
        let path = self.0.join("solver");
        fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn query() -> Query {
    let mut query = Query::new();
    let x = query.declare_int("x", 0, 9).unwrap();
    query.assert(&x.equals(&Term::int(3)).unwrap()).unwrap();
    query
}

fn ask(program: &Path) -> Answer {
    let limits = QueryLimits::time(Duration::from_millis(400));
    let start = Instant::now();
    let answer = External::unprobed(Kind::Z3, program).check(&query(), &limits);
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    answer
}

/// A fake that acknowledges every command, but for `check-sat` and `get-value`.
fn answering(check_sat: &str, get_value: &str) -> Answer {
    let folder = Folder::new();
    ask(&folder.script(&format!(
        "while read -r line; do case \"$line\" in\n\
         *check-sat*) {check_sat};;\n*get-value*) {get_value};;\n*) echo success;;\nesac; done"
    )))
}

/// A fake of another kind.
fn behaving(body: &str) -> Answer {
    let folder = Folder::new();
    ask(&folder.script(body))
}

macro_rules! assert_reason {
    ($answer:expr, $reason:pat) => {
        let answer = $answer;
        assert!(matches!(answer, Answer::Unknown($reason)), "{answer:?}");
    };
}

#[test]
fn an_honest_fake_is_believed() {
    let Answer::Sat(model) = answering("echo sat", "echo '((x 3))'") else {
        panic!("not sat");
    };
    assert_eq!(model.get("x"), Some(&Value::Int(3.into())));
    assert_eq!(answering("echo unsat", ":"), Answer::Unsat);
}

#[test]
fn unknown_is_unknown() {
    assert_reason!(answering("echo unknown", ":"), Reason::Incomplete(_));
}

#[test]
fn a_wrong_model_is_rejected() {
    assert_reason!(answering("echo sat", "echo '((x 4))'"), Reason::ModelRejected(_));
    assert_reason!(answering("echo sat", "echo '((x 12))'"), Reason::ModelRejected(_));
}

#[test]
fn a_model_that_is_none_is_nonsense() {
    for reply in ["((y 3))", "((x true))", "()", "((x 3) (y 4))", "(error \"no\")", "3", "((x 3"] {
        let answer = answering("echo sat", &format!("echo '{reply}'"));
        let open = reply == "((x 3";
        match answer {
            Answer::Unknown(Reason::Nonsense(_)) => assert!(!open),
            // An open parenthesis promises more.
            Answer::Unknown(Reason::Timeout(_)) => assert!(open),
            other => panic!("{reply}: {other:?}"),
        }
    }
}

#[test]
fn nonsense_is_no_answer() {
    for reply in ["maybe", "satunsat", "'sat unsat'", "'(unsat)'", "')'", "'(error \"x\")'"] {
        assert_reason!(answering(&format!("echo {reply}"), ":"), Reason::Nonsense(_));
    }
    assert_reason!(answering("printf 'sat\\nunsat\\n'", ":"), Reason::Nonsense(_));
    assert_reason!(answering("printf '\\377\\376\\n'", ":"), Reason::Nonsense(_));
    assert_reason!(behaving("while read -r line; do echo sat; done"), Reason::Nonsense(_));
    assert_reason!(behaving("while read -r line; do echo unsat; done"), Reason::Nonsense(_));
}

#[test]
fn an_early_end_is_a_crash() {
    assert_reason!(behaving("exit 0"), Reason::Crashed(_));
    assert_reason!(behaving("exit 1"), Reason::Crashed(_));
    assert_reason!(behaving("kill -9 $$"), Reason::Crashed(_));
    assert_reason!(behaving("read -r line; echo success; exit 0"), Reason::Crashed(_));
    assert_reason!(answering("exit 0", ":"), Reason::Crashed(_));
    assert_reason!(answering("echo sat", "exit 0"), Reason::Crashed(_));
    // The last words count only when they are a whole line.
    assert_reason!(answering("printf unsat; exit 0", ":"), Reason::Crashed(_));
}

#[test]
fn silence_ends_with_the_time_limit() {
    assert_reason!(behaving("exec sleep 60"), Reason::Timeout(_));
    assert_reason!(answering("exec sleep 60", ":"), Reason::Timeout(_));
    // Output closed, process alive.
    assert_reason!(behaving("exec >&-; exec sleep 60"), Reason::Crashed(_));
    // Only the error stream is used.
    assert_reason!(
        behaving(
            "i=0; while [ $i -lt 20000 ]; do echo warning >&2; i=$((i+1)); done; exec sleep 60"
        ),
        Reason::Timeout(_)
    );
}

#[test]
fn a_flood_is_dammed() {
    assert_reason!(behaving("exec yes"), Reason::Nonsense(_));
    assert_reason!(answering("exec yes '('", ":"), Reason::Nonsense(_) | Reason::Timeout(_));
    assert_reason!(
        answering("exec tr '\\0' a < /dev/zero", ":"),
        Reason::Nonsense(_) | Reason::Timeout(_)
    );
}

#[test]
fn what_is_not_there_is_unavailable() {
    let folder = Folder::new();
    let missing = Path::new("/nonexistent/solver");
    assert_reason!(ask(missing), Reason::Unavailable(_));
    let probed = External::at(Kind::Cvc5, missing);
    assert!(!probed.is_there());
    assert_reason!(probed.check(&query(), &QueryLimits::default()), Reason::Unavailable(_));
    let text = folder.0.join("text");
    fs::write(&text, "no program").unwrap();
    assert_reason!(ask(&text), Reason::Unavailable(_));
}

#[test]
fn after_an_error_the_next_query_gets_a_fresh_process() {
    let folder = Folder::new();
    let marker = folder.0.join("crashed");
    let body = format!(
        "if [ ! -e {0} ]; then touch {0}; exit 1; fi\n\
         while read -r line; do case \"$line\" in *check-sat*) echo unsat;; *) echo success;; esac; done",
        marker.display()
    );
    let solver = External::unprobed(Kind::Z3, folder.script(&body));
    let limits = QueryLimits::time(Duration::from_secs(2));
    assert_reason!(solver.check(&query(), &limits), Reason::Crashed(_));
    assert_eq!(solver.check(&query(), &limits), Answer::Unsat);
    assert_eq!(solver.check(&query(), &limits), Answer::Unsat);
}

/// A solver that a killed program leaves behind ends by itself.
#[test]
fn a_solver_has_a_time_limit_of_its_own() {
    for (kind, option) in [(Kind::Z3, ":timeout"), (Kind::Cvc5, ":tlimit-per")] {
        let folder = Folder::new();
        let log = folder.0.join("log");
        let body = format!(
            "while read -r line; do echo \"$line\" >> {}; \
             case \"$line\" in *check-sat*) echo unsat;; *) echo success;; esac; done",
            log.display()
        );
        let solver = External::unprobed(kind, folder.script(&body));
        let limits = QueryLimits::time(Duration::from_secs(2));
        assert_eq!(solver.check(&query(), &limits), Answer::Unsat);
        let said = fs::read_to_string(&log).unwrap();
        let limit = said.split_once(option).and_then(|(_, rest)| rest.split(')').next());
        let limit: u64 = limit.and_then(|text| text.trim().parse().ok()).unwrap();
        assert!((2000..=5000).contains(&limit), "{said}");
    }
}
