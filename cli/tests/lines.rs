//! `check --format short` and `--format github`: one line a finding.

mod support;

use support::{Folder, babycuda};

const RACY: &str = "__global__ void turn(int *a) {\n    __shared__ int s[64];\n    s[threadIdx.x] = a[threadIdx.x];\n    \
                    a[threadIdx.x] = s[63 - threadIdx.x];\n}\n";

#[test]
fn a_race_is_a_line_as_compilers_print() {
    let output = babycuda(&["check", "-", "--block", "64", "--format", "short"], RACY);
    let lines: Vec<&str> = output.ends(1).out.lines().collect();
    let [line] = lines[..] else { panic!("{}", output.out) };
    assert!(line.starts_with("-:3:5: race [BC002]: read-write race on s["), "{line}");
    assert!(line.contains("the other access is at 4:22"), "{line}");
    // What is race-free has no line; what is not decided has one, with a place where it has one.
    let free = RACY.replace("s[63 - threadIdx.x]", "s[threadIdx.x]");
    assert_eq!(babycuda(&["check", "-", "--format", "short"], &free).ends(0).out, "");
    let asm = "__global__ void k(int *a) {\n  asm(\"bar\");\n}";
    babycuda(&["check", "-", "--format", "short"], asm).ends(3).says("-:2:3: unknown [BC007]: ");
    let vacuous = ["check", "-", "--format", "short", "--assume", "1 == 2"];
    babycuda(&vacuous, RACY).ends(3).says("-: unknown [BC010]: ");
    let data = "threads 4; shared A; global B = opaque; let x = B[tid] in A[x] := tid";
    babycuda(&["check", "-", "--format", "short"], data)
        .says(": potential race [BC001]: write-write");
}

/// A percent sign, a colon and a comma may not stand in a property of a workflow command.
#[test]
fn workflow_commands_are_escaped() {
    let folder = Folder::new("github");
    let path = folder.file("100%, a:b.cu", RACY);
    let output = babycuda(&["check", &path, "--block", "64", "--format", "github"], "");
    let lines: Vec<&str> = output.ends(1).out.lines().collect();
    let [line] = lines[..] else { panic!("{}", output.out) };
    assert!(line.starts_with("::error file="), "{line}");
    let escaped =
        "100%25%2C a%3Ab.cu,line=3,col=5,endLine=3,endColumn=19,title=BC002%3A read-write race::";
    assert!(line.contains(escaped), "{line}");
    // A message keeps its commas, and has no line breaks.
    assert!(line.contains(" thread ("), "{line}");
    let broken = folder.file("broken.bcuda", "threads 2;\nA[0 := 1");
    let output = babycuda(&["check", &broken, "--format", "github"], "");
    output.ends(2).says("broken.bcuda,title=not checked::error: ").says("%0A");
    assert_eq!(output.out.lines().count(), 1);
    let asm = "__global__ void k(int *a) { asm(\"bar\"); }";
    babycuda(&["check", "-", "--format", "github"], asm)
        .ends(3)
        .says("::notice file=-,line=1,col=29,");
}

/// A verdict that rests on assumptions says so in every format.
#[test]
fn what_is_assumed_is_said() {
    let text = "__global__ void k(int *a, int n) { a[threadIdx.x * n] = threadIdx.x; }\n";
    let launched = format!("{text}int main() {{ int *a; k<<<1, 32>>>(a, 3); }}\n");
    let check = |format: &str, assume: &[&str], text: &str| {
        babycuda(&[&["check", "-", "--grid", "1", "--format", format], assume].concat(), text)
    };
    let [one, low, none] = [&["--assume", "n == 1"][..], &["--assume", "n < 5"], &[]];
    check("short", one, text).ends(0).says("-: note: kernel k is race-free, assuming n == 1\n");
    check("short", none, &launched).ends(0).says("race-free, assuming a launch as at 2:");
    check("short", low, text).ends(1).says("n = 0; assuming n < 5; the other access");
    let notice = "::notice file=-,title=race-free under assumptions::kernel k is race-free, assuming n == 1\n";
    check("github", one, text).ends(0).says(notice);
    check("github", low, text).ends(1).says("n = 0; assuming n < 5\n");
    let run = |assume, ends| check("sarif", assume, text).ends(ends).json()["runs"][0].clone();
    let free = &run(one, 0)["invocations"][0];
    let said = &free["toolExecutionNotifications"][0];
    assert_eq!((&said["level"], &free["executionSuccessful"]), (&"note".into(), &true.into()));
    assert_eq!(said["message"]["text"], "kernel k is race-free, assuming n == 1");
    let racy = run(low, 1)["results"][0]["message"]["text"].to_string();
    assert!(racy.contains("; assuming n < 5"), "{racy}");
}

/// What a terminal would obey is escaped where it is a name or stands in a file: no name moves the cursor, or looks like a
/// line of the report. Documents have it as it is.
#[test]
fn control_characters_are_escaped() {
    let folder = Folder::new("control");
    let program =
        babycuda(&["emit", "-", "--target", "json"], "threads 2; A[0] := tid").out.clone();
    let named = program.replace("\"main\"", r#""m\u001b[31min\nfree: race-free""#);
    let document = folder.file("named.json", &named.replace("\"A\"", r#""A\u001b[2J""#));
    let hidden = |text: &str| !text.contains(|c: char| c.is_control() && c != '\n');
    for command in
        ["check", "check --color always", "check --format short", "run", "type", "derive"]
    {
        let args: Vec<&str> = command.split(' ').chain([&*document]).collect();
        let ran = babycuda(&args, "");
        let text = &ran.out;
        let plain = command.contains("always") || hidden(text);
        ran.holds(plain && !text.contains("\u{1b}[2J"), "without control characters");
        ran.holds(text.contains(r"A\u{1b}[2J"), "the name, escaped");
        ran.holds(
            !text.starts_with("free: ") && !text.contains("\nfree: race-free: racy"),
            "one line",
        );
    }
    let json = babycuda(&["check", "--format", "json", &document], "").json();
    assert_eq!(json["kernels"][0]["name"], "m\u{1b}[31min\nfree: race-free");
    let path = folder.path("no\u{1b}[31m.bcuda");
    babycuda(&["check", &path], "").ends(2).warns(r"no\u{1b}[31m.bcuda");
    let path = folder.file("a\u{1b}[31m.bcuda", "threads 2; A[0] := tid");
    babycuda(&["check", &path], "").ends(1).says(r"a\u{1b}[31m.bcuda:1:12");
}
