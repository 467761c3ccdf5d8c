//! The grader on answers that are known: each solution passes, and each wrong answer is rejected for its reason.
//!
//! `solutions/ID.*` is the solution of an exercise. `wrong/ID-N.*` begins with `// wrong: STEP | WHY`: the step that
//! is wrong, and a part of the reason.

use babycuda_exercises::{Exercise, catalogue};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The files of a folder: their names without ending, their endings, and their texts.
fn files(name: &str) -> Vec<(String, String, String)> {
    let entries = std::fs::read_dir(folder(name)).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .map(|path| {
            let part = |part: Option<&std::ffi::OsStr>| part.unwrap().to_str().unwrap().to_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            (part(path.file_stem()), part(path.extension()), text)
        })
        .collect();
    files.sort();
    files
}

fn exercise(id: &str) -> Exercise {
    catalogue::find(id).unwrap_or_else(|| panic!("there is no exercise {id}"))
}

#[test]
fn every_file_is_in_the_catalogue_and_is_an_exercise() {
    let ids: Vec<&str> = catalogue::files().iter().map(|(id, _)| *id).collect();
    for (id, text) in catalogue::files() {
        let exercise = Exercise::parse(text).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(exercise.id, *id);
        assert!(
            exercise.minutes >= 5 && exercise.goal.len() > 10 && exercise.title.len() > 5,
            "{id}"
        );
    }
    let mut files: Vec<String> = files("course").into_iter().map(|(id, ..)| id).collect();
    files.sort_unstable();
    let mut listed: Vec<String> = ids.iter().map(|id| (*id).to_owned()).collect();
    listed.sort_unstable();
    assert_eq!(files, listed);
}

#[test]
fn every_exercise_has_a_solution_that_passes() {
    let solutions = files("solutions");
    assert_eq!(solutions.len(), catalogue::files().len());
    let failed = each(&solutions, |(id, ending, text)| {
        let exercise = exercise(id);
        assert_eq!(exercise.ending(), ending, "{id}");
        let grade = exercise.grade(text.as_bytes());
        (grade.status() != "passed").then(|| grade.human())
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn three_wrong_answers_of_each_exercise_are_rejected_for_their_reason() {
    let wrong = files("wrong");
    let mut count: BTreeMap<&str, usize> =
        catalogue::files().iter().map(|(id, _)| (*id, 0)).collect();
    for (name, ..) in &wrong {
        let (id, _) = name.rsplit_once('-').unwrap();
        *count.get_mut(id).unwrap_or_else(|| panic!("there is no exercise {id}")) += 1;
    }
    for (id, count) in count {
        assert!(count >= 3, "{id} has {count} wrong answers");
    }
    let failed = each(&wrong, |(name, ending, text)| {
        let (id, _) = name.rsplit_once('-').unwrap();
        let exercise = exercise(id);
        assert_eq!(exercise.ending(), ending, "{name}");
        let said = text.lines().next().and_then(|line| line.strip_prefix("// wrong: ")).unwrap();
        let (step, why) = said.split_once(" | ").unwrap();
        let grade = exercise.grade(text.as_bytes());
        let right = grade
            .result
            .as_ref()
            .is_err_and(|fault| !fault.refused && fault.step == step && fault.why.contains(why));
        (!right).then(|| format!("{name}: not `{said}` but\n{}", grade.human()))
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What is wrong with items, on two threads.
fn each<T: Sync>(items: &[T], judge: impl Fn(&T) -> Option<String> + Sync) -> Vec<String> {
    std::thread::scope(|scope| {
        let halves = items.chunks(items.len().div_ceil(2).max(1)).map(|part| {
            let judge = &judge;
            scope.spawn(move || part.iter().filter_map(judge).collect::<Vec<_>>())
        });
        let halves: Vec<_> = halves.collect();
        halves.into_iter().flat_map(|half| half.join().unwrap()).collect()
    })
}
