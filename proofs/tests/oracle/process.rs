//! Processes that misbehave.

use crate::cases::ARRAY;
use babycuda_core::{History, HostMemory, Name};
use babycuda_proofs::oracle::{Broken, Oracle, OracleError, Process, Request};
use std::process::Command;
use std::time::{Duration, Instant};

const TIME: Duration = Duration::from_secs(60);

fn shell(script: &str) -> Process {
    Process::start("sh", ["-c", script]).expect("sh")
}

fn lines(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("{n} {}", "x".repeat(80))).collect()
}

#[test]
fn any_number_of_lines_may_be_asked_at_once() {
    let mut echo = shell("exec cat");
    let asked = lines(50_000);
    assert_eq!(echo.ask(&asked, TIME).expect("echoed"), asked);
    assert_eq!(echo.ask(&[], TIME).expect("nothing"), Vec::<String>::new());
    assert_eq!(echo.ask(&asked[..1], TIME).expect("echoed"), asked[..1]);
}

#[test]
fn the_end_of_a_program_is_an_error() {
    for script in ["exit 0", "exec cat >/dev/null <&-", "kill -9 $$", "printf unfinished"] {
        let error = shell(script).ask(&lines(2), TIME).unwrap_err();
        assert!(matches!(error, Broken::Ended { answered: 0, asked: 2 }), "{script}: {error}");
    }
    let mut one = shell("read line; echo \"$line\"");
    let error = one.ask(&lines(2), TIME).unwrap_err();
    assert!(matches!(error, Broken::Ended { answered: 1, asked: 2 }), "{error}");
    assert!(matches!(one.ask(&lines(1), TIME).unwrap_err(), Broken::OutOfStep));
}

#[test]
fn a_silent_program_is_given_up() {
    let mut silent = shell("read line; echo \"$line\"; exec sleep 1000");
    let start = Instant::now();
    let error = silent.ask(&lines(20_000), Duration::from_millis(300)).unwrap_err();
    assert!(matches!(error, Broken::Late { answered: 1, .. }), "{error}");
    drop(silent);
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_dropped_program_is_killed() {
    let mut child = shell("read line; echo $$; exec sleep 1000");
    let pid = child.ask(&lines(1), TIME).expect("its number").remove(0);
    let lives = || Command::new("kill").args(["-0", &pid]).output().expect("kill").status.success();
    assert!(lives());
    drop(child);
    assert!(!lives());
}

#[test]
fn what_is_no_answer_is_an_error() {
    assert!(matches!(Process::start("/no/such/oracle", [""; 0]), Err(Broken::Start(_))));
    let error = shell("exec cat").ask(&["two\nlines".to_owned()], TIME).unwrap_err();
    assert!(matches!(error, Broken::Lines(0)), "{error}");
    let error = shell("read line; printf '\\377\\n'").ask(&lines(1), TIME).unwrap_err();
    assert!(matches!(error, Broken::Output(0, _)), "{error}");
    let mut talkative = shell("read line; echo \"$line\"; echo unasked; exec cat");
    talkative.ask(&lines(1), TIME).expect("echoed");
    std::thread::sleep(Duration::from_millis(300));
    let error = talkative.ask(&lines(1), TIME).unwrap_err();
    assert!(matches!(error, Broken::Unasked), "{error}");
}

#[test]
fn an_answer_to_something_else_is_nonsense() {
    let history = History::empty(HostMemory::default());
    for answer in ["", "(true)", "true false", "maybe", "(error)", "(error malformed x \"\")", "é"]
    {
        let process = shell(&format!("read line; echo '{answer}'"));
        let mut oracle = Oracle::over(process, Name::new(ARRAY));
        let error = oracle.ask(&[Request::Drf { history: history.clone() }], TIME).unwrap_err();
        assert!(matches!(error, OracleError::Nonsense(0, _)), "{answer}: {error}");
    }
}
