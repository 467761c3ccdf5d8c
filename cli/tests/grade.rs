//! `babycuda grade`: exit statuses, documents, the list, the bundle, and answers that nobody meant well.

mod support;

use support::{Folder, babycuda, root, validate};

const SOLUTION: &str = "exercises/solutions/untypable-index.bcuda";

#[test]
fn a_grade_has_its_exit_status_and_its_document() {
    babycuda(&["grade", "untypable-index", SOLUTION], "").ends(0).says("passed: Data in an index");
    let wrong = "threads 4; A[tid] := 1";
    let ran = babycuda(&["grade", "untypable-index", "-"], wrong);
    ran.ends(1).says("first wrong step: typing rejects the program").says("why: it has a type");
    for (answer, status, word) in
        [(wrong, 1, "wrong"), ("threads 4; A[", 2, "refused"), ("", 2, "refused")]
    {
        let ran = babycuda(&["grade", "untypable-index", "-", "--format", "json"], answer);
        ran.ends(status);
        let document = ran.json();
        assert_eq!(document["status"], word);
        assert_eq!(document["score"], 0);
        validate("cli-grade", &ran.out).unwrap();
    }
    let ran = babycuda(&["grade", "untypable-index", SOLUTION, "--format", "json"], "");
    ran.ends(0);
    assert_eq!(
        (ran.json()["score"].as_u64(), ran.json()["status"].as_str()),
        (Some(1), Some("passed"))
    );
    validate("cli-grade", &ran.out).unwrap();
}

#[test]
fn an_exercise_may_be_a_file_and_what_is_none_is_bad_input() {
    let file = "exercises/course/untypable-index.md";
    babycuda(&["grade", file, SOLUTION], "").ends(0).says("passed");
    babycuda(&["grade", "no-such-exercise", SOLUTION], "").ends(2).warns("--list");
    babycuda(&["grade", "README.md", SOLUTION], "").ends(2).warns("it has no head");
    babycuda(&["grade", "untypable-index", "no/such/file"], "").ends(2).warns("no/such/file");
    // Without an answer, what is asked.
    let ran = babycuda(&["grade", "untypable-index"], "");
    ran.ends(0).says("Data in an index").says("rejects a program");
    let ran = babycuda(&["grade", "untypable-index", "--format", "json"], "");
    assert!(ran.ends(0).out.contains("\"statement\":"), "{}", ran.out);
    babycuda(&["grade"], "").ends(2);
}

#[test]
fn the_list_has_every_exercise() {
    let files = std::fs::read_dir(root().join("exercises/course")).unwrap().count();
    let ran = babycuda(&["grade", "--list"], "");
    assert_eq!(ran.ends(0).out.lines().count(), files);
    let ran = babycuda(&["grade", "--list", "--format", "json"], "");
    assert_eq!(ran.ends(0).json()["exercises"].as_array().unwrap().len(), files);
    validate("cli-grade-list", &ran.out).unwrap();
}

/// Lines of statements may stand in solutions; no solution as a whole stands in the bundle.
#[test]
fn the_bundle_has_statements_and_no_solution() {
    let folder = Folder::new("bundle");
    let inside = std::path::PathBuf::from(folder.file("here", "")).with_file_name("students");
    let path = inside.to_str().unwrap();
    babycuda(&["grade", "--bundle", path], "").ends(0).says("files in");
    let files = std::fs::read_dir(&inside).unwrap().map(|file| file.unwrap().path());
    let texts: Vec<String> = files.map(|file| std::fs::read_to_string(file).unwrap()).collect();
    let plain = |text: &str| -> String { text.chars().filter(|c| !c.is_whitespace()).collect() };
    let bundle: String = texts.iter().map(|text| plain(text)).collect();
    let mut count = 0;
    for solution in std::fs::read_dir(root().join("exercises/solutions")).unwrap() {
        let path = solution.unwrap().path();
        let solution = plain(&std::fs::read_to_string(&path).unwrap());
        assert!(!bundle.contains(&solution), "{}", path.display());
        count += 1;
    }
    // And a page.
    assert_eq!(texts.len(), count + 1);
    assert!(texts.iter().any(|text| text.starts_with("# Exercises")));
    // What is there stays.
    babycuda(&["grade", "--bundle", path], "").ends(0);
    std::fs::write(inside.join("README.md"), "mine").unwrap();
    babycuda(&["grade", "--bundle", path], "").ends(2).warns("differs");
}

#[test]
fn an_answer_of_ten_megabytes_is_refused_soon() {
    let start = std::time::Instant::now();
    let folder = Folder::new("huge");
    let huge = folder.file("huge.bcuda", &"A[tid] := 1; ".repeat(800_000));
    babycuda(&["grade", "untypable-index", &huge], "").ends(2).says("65536 are read");
    assert!(start.elapsed().as_secs() < 20);
}
