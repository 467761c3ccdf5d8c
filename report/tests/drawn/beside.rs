//! Runs beside their source.

use super::{golden, instance, xml};
use babycuda::semantics::RunOptions;
use babycuda_report::beside::{self, Beside};
use babycuda_report::choices::Chosen;
use babycuda_report::run::Run;

fn of(text: &str, threads: u32) -> Beside {
    let chosen = Chosen { policy: RunOptions::default().ambiguous, contents: Vec::new() };
    Beside::of(&Run::of(instance(text, threads), chosen, None), text)
}

/// What stands beside a line of the source.
fn line<'a>(text: &'a str, source: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.contains(source));
    let line = line.unwrap_or_else(|| panic!("no {source} in\n{text}"));
    line.split('│').skip(1).map(str::trim).collect()
}

/// Each thread takes what its neighbour wrote, with no barrier before it gives it away.
const EXCHANGE: &str = "A[tid] := tid + 5;\nsync;\nlet x = A[(tid + 1) % 2] in\nA[tid] := x";

#[test]
fn each_line_says_what_was_done_since_the_last_barrier() {
    let exchange = of(EXCHANGE, 2);
    let text = beside::text(&exchange);
    golden("exchange.lines.txt", &text);
    golden("exchange.lines.svg", &beside::svg(std::slice::from_ref(&exchange)));
    assert_eq!(line(&text, "A[tid] := tid"), ["+w A[0]=5", "+w A[1]=6"]);
    assert_eq!(line(&text, "let x"), ["+r A[1]!", "+r A[0]!"]);
    assert_eq!(line(&text, "A[tid] := x"), ["r A[1]!  +w A[0]=6!", "r A[0]!  +w A[1]=5!"]);
    let page = beside::html(&[exchange]);
    assert!(page.contains("<span class=\"racy\">r A[1]!</span>"), "{page}");
    assert!(page.contains("<span class=\"here racy\">+w A[0]=6!</span>"), "{page}");
}

/// A line of a loop stands in each phase in which it runs.
#[test]
fn loops_have_their_lines_in_each_phase() {
    let text = beside::text(&of("forS i in 0..2 {\n  A[4 * i + tid] := i;\n  sync\n}", 2));
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("A[4 * i + tid]")).collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].contains("+w A[0]=0") && lines[1].contains("+w A[5]=1"), "{text}");
    assert!(!lines[1].contains("A[0]"), "{text}");
}

#[test]
fn what_a_barrier_of_the_warp_orders_is_not_marked() {
    let text = "warp 2; shared B = fill 0;\nif tid == 0 { B[0] := 5 } else { skip };\nsync.warp;\nif tid == 1 { B[0] := 7 }";
    let text = beside::text(&of(text, 2));
    assert!(!text.contains("=5!") && !text.contains("=7!"), "{text}");
    assert_eq!(line(&text, "B[0] := 5"), ["+w B[0]=5", ""]);
}

/// Many accesses of a thread, and many threads.
#[test]
fn long_lists_are_cut_and_say_so() {
    let writes: Vec<String> = (0..9).map(|n| format!("A[10 * tid + {n}] := 1")).collect();
    let all = of(&writes.join(";\n"), 40);
    let text = beside::text(&all);
    let last = line(&text, "A[10 * tid + 8]");
    assert!(last[0].starts_with("7 more  w A[7]=1") && last[0].ends_with("+w A[8]=1"), "{text}");
    let shown = last.len();
    assert!(text.contains(&format!("not shown: {} more threads", 40 - shown)), "{text}");
    let picture = beside::svg(&[all]);
    let elements = xml::elements(&picture);
    let wide = xml::number(&elements[0].1, "width");
    for (_, own) in elements.iter().filter(|(name, _)| name == "text") {
        assert!(xml::number(own, "x") + xml::number(own, "textLength") <= wide, "{own:?}");
    }
}

/// Those that race are shown, wherever they are.
#[test]
fn threads_that_race_come_first() {
    let text = beside::text(&of("A[tid] := 1;\nif tid == 30 { A[39] := 2 }", 40));
    let threads: Vec<&str> =
        text.lines().nth(1).unwrap().split('│').skip(1).map(str::trim).collect();
    assert!(threads.contains(&"thread 30") && threads.contains(&"thread 39"), "{text}");
}

#[test]
fn a_run_that_is_stuck_shows_its_last_phase() {
    let text = beside::text(&of("A[tid] := 1;\nsync;\nA[tid] := 2;\nlet x = A[7] in skip", 2));
    assert!(text.contains("phase 1, not completed"), "{text}");
    assert_eq!(line(&text, "A[tid] := 2")[0], "+w A[0]=2");
}

/// Those that race with each other, not any that race.
#[test]
fn both_threads_of_a_race_are_shown() {
    let text =
        "shared S = fill 0; shared B = fill 0;\nS[tid] := tid;\nlet x = S[63 - tid] in B[tid] := x";
    let text = beside::text(&of(text, 64));
    let threads: Vec<&str> =
        text.lines().nth(1).unwrap().split('│').skip(1).map(str::trim).collect();
    assert!(threads.contains(&"thread 0") && threads.contains(&"thread 63"), "{text}");
}

/// Of many accesses those that race stay, and what is left out says whether one does.
#[test]
fn accesses_that_race_are_left_out_last() {
    let copies: Vec<String> = (0..12).map(|n| format!("B[12 * tid + {n}] := 1")).collect();
    let text = format!(
        "if tid == 0 {{ A[1] := 1;\nA[2] := 2 }};\n{};\nif tid != 0 {{ A[tid] := 3 }};\nB[99] := 0",
        copies.join(";\n")
    );
    let text = beside::text(&of(&text, 3));
    let last = line(&text, "B[12 * tid + 11]");
    assert!(last[0].contains("w A[1]=1!") || last[0].contains("more!"), "{text}");
    assert!(!last[1].contains('!'), "{text}");
}

#[test]
fn the_thread_that_is_stuck_is_shown_with_what_it_cannot_do() {
    let all = of("A[tid] := 1;\nif tid == 7 {\n  let x = A[100] in A[0] := x\n}", 8);
    let text = beside::text(&all);
    let threads: Vec<&str> =
        text.lines().nth(1).unwrap().split('│').skip(1).map(str::trim).collect();
    let place =
        threads.iter().position(|thread| *thread == "thread 7").unwrap_or_else(|| panic!("{text}"));
    assert_eq!(line(&text, "A[100]")[place], "w A[7]=1  +stuck at r A[100]", "{text}");
    assert!(beside::svg(std::slice::from_ref(&all)).contains("+stuck at r A[100]"));
}

#[test]
fn long_values_say_that_they_are_cut_and_atomics_of_two_scopes_are_one() {
    let text = beside::text(&of("A[0] := 4294967295;\nA[1] := 123456789012345", 1));
    assert!(text.contains("w A[0]=4294967295") && text.contains("w A[1]=12345678…"), "{text}");
    let atomics = "let x = atomic.block A[0] add 1 in\nlet y = atomic.device A[0] add 1 in skip";
    let text = beside::text(&of(atomics, 1));
    assert_eq!(line(&text, "atomic.device"), ["+a A[0]"], "{text}");
}

/// `+` stays on what a line made, whoever writes the cell again.
#[test]
fn what_a_line_made_is_its_own() {
    let text = "forU x in 0..2 {\n  A[x] := 1;\n  A[0] := 2;\n  B[x] := 3\n}";
    let text = beside::text(&of(text, 1));
    assert_eq!(line(&text, "A[x] := 1"), ["w B[0]=3  +w A[0]=2  +w A[1]=1"], "{text}");
    assert_eq!(line(&text, "B[x] := 3"), ["2 more  +w B[0]=3  +w B[1]=3"], "{text}");
}

/// A race behind a barrier of the warp, between warps; what the tile's barrier orders is none.
#[test]
fn stages_are_those_of_each_access() {
    let text = "warp 4; shared C = fill 0;\nif tid == 0 { C[0] := 1 };\nsync.tile2;\n\
                if tid == 1 { C[0] := 2 };\nsync.warp;\nif tid == 3 { C[0] := 3 };\nif tid == 4 { C[0] := 4 }";
    let text = beside::text(&of(text, 8));
    // Thread 4 is of another warp: it races with all three, who do not race with each other.
    assert!(text.contains("+w C[0]=4!") && text.contains("+w C[0]=3!"), "{text}");
    let text = "warp 4; shared C = fill 0;\nif tid == 0 { C[0] := 1 };\nsync.tile2;\n\
                if tid == 1 { C[0] := 2 };\nif tid == 2 { C[0] := 9 };\nsync.warp;\nif tid == 3 { C[0] := 3 }";
    let text = beside::text(&of(text, 4));
    let marked: Vec<&str> = text.lines().filter(|line| line.contains("=3")).collect();
    assert!(marked.iter().all(|line| !line.contains("=3!")), "{text}");
    assert!(text.contains("=1!") && text.contains("=2!") && text.contains("=9!"), "{text}");
}

#[test]
fn lines_fit_a_terminal_and_what_is_cut_is_said() {
    let text = beside::text(&of("forU x in 0..70000 { A[x + 100000 * tid] := x }", 2));
    assert!(text.contains("only the first 65536 accesses are shown"), "{text}");
    assert!(text.contains("not shown: 1 more thread") || text.contains("thread 1"), "{text}");
    let long = format!("A[tid] := {};", vec!["1"; 60].join(" + "));
    let text = beside::text(&of(&format!("{long}\nA[tid + 8] := 2"), 8));
    let rows = text.lines().filter(|line| line.contains('│'));
    assert!(rows.clone().count() > 2, "{text}");
    rows.for_each(|line| assert!(line.chars().count() <= 120, "{line}"));
    assert!(text.contains("1 + 1…") || text.contains("1 +…"), "{text}");
}
