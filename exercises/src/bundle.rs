//! What students get: statements with their material, and a page about answers. No solution is in it.

use crate::Exercise;
use crate::catalogue;
use std::fmt::Write;

/// The files of the bundle, by name.
pub fn bundle() -> Vec<(String, String)> {
    let exercises = catalogue::all();
    let file = |exercise: &Exercise| (format!("{}.md", exercise.id), exercise.text.clone());
    let page = ("README.md".to_owned(), readme(&exercises));
    std::iter::once(page).chain(exercises.iter().map(file)).collect()
}

/// The page of the bundle.
fn readme(exercises: &[Exercise]) -> String {
    let head = "# Exercises

Each file is one exercise. Write your answer into a file of your own, and let it be graded:

    babycuda grade ID ANSWER

The grade is `passed`, or the first wrong step and why. Each file says what an answer looks like. Lines that begin with
`//` are comments. An answer has at most 64 KiB.

";
    head.to_owned() + &table(exercises, |exercise| format!("[{0}]({0}.md)", exercise.id))
}

/// A table of exercises; `link` leads to one.
pub fn table(exercises: &[Exercise], link: impl Fn(&Exercise) -> String) -> String {
    let mut text = "| exercise | what | goal | tag | minutes |\n|---|---|---|---|---|\n".to_owned();
    for exercise in exercises {
        let Exercise { title, goal, tag, minutes, .. } = exercise;
        // Writing into a text does not fail.
        let _ = writeln!(
            text,
            "| {} | {title} | {goal} | {} | {minutes} |",
            link(exercise),
            tag.name()
        );
    }
    text
}
