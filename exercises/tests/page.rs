//! The pages of the book that list the exercises and have them all are made from their files. `BABYCUDA_BLESS=1` writes them.

use babycuda_exercises::bundle::table;
use babycuda_exercises::{Exercise, Kind, Tag, catalogue};
use std::collections::BTreeSet;
use std::path::Path;

const HEAD: &str = "# Exercises

Each exercise is a file of the folder `exercises/course`; `babycuda grade ID` prints it, and [All exercises](statements.md) has
them all. An answer is a file of your own, and the program grades it:

```sh
echo 'threads 4; A[tid] := tid' | babycuda grade untypable-index -  # exit 1
```

```text
```

The grade is `passed`, or the first wrong step and why; where a rule says so, the rule is printed. Nothing is sent
anywhere. Three tags say for whom an exercise is: *recommended* for everybody, *practice* for more of the same, and
*stretch* for who wants more. Minutes are estimates.
";

fn page() -> String {
    let exercises = catalogue::all();
    let mut page = HEAD.to_owned();
    for kind in Kind::ALL {
        let of: Vec<Exercise> =
            exercises.iter().filter(|exercise| exercise.kind == kind).cloned().collect();
        let mut title = kind.says().to_owned();
        title[..1].make_ascii_uppercase();
        page += &format!(
            "\n## {title}\n\n{}",
            table(&of, |exercise| format!("[`{0}`](statements.md#{0})", exercise.id))
        );
    }
    let minutes = |tag: Option<Tag>| -> u32 {
        let of = exercises.iter().filter(|exercise| tag.is_none_or(|tag| exercise.tag == tag));
        of.map(|exercise| exercise.minutes).sum()
    };
    let by_tag = Tag::ALL.map(|tag| format!("{} of {}", minutes(Some(tag)), tag.name())).join(", ");
    page + &format!(
        "\nAll {} together take {} minutes: {by_tag}.\n",
        exercises.len(),
        minutes(None)
    )
}

/// The page without what its command prints, which the book's own test looks at.
fn without_output(page: &str) -> String {
    let (before, rest) = page.split_once("```text\n").unwrap();
    let (_, after) = rest.split_once("```\n").unwrap();
    format!("{before}```text\n```\n{after}")
}

#[test]
fn the_page_of_the_book_has_every_exercise() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/exercises.md");
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let is_right = there.contains("```text\n") && without_output(&there) == page();
    if !is_right && std::env::var_os("BABYCUDA_BLESS").is_some() {
        return std::fs::write(&path, page()).unwrap();
    }
    assert!(
        is_right,
        "{} is of other exercises; BABYCUDA_BLESS=1 writes it, and then the book's test its output",
        path.display()
    );
}

/// Whoever has no program at hand, on a phone, can read what is asked.
#[test]
fn the_book_has_the_statement_of_every_exercise() {
    let mut page = "# All exercises\n\nWhat each asks for, as `babycuda grade ID` prints it. \
                    [Exercises](exercises.md) says how they are graded.\n"
        .to_owned();
    for exercise in catalogue::all() {
        let Exercise { id, title, minutes, goal, .. } = &exercise;
        let (tag, statement) = (exercise.tag.name(), exercise.statement().trim());
        page +=
            &format!("\n## {id}\n\n**{title}** ({tag}, {minutes} min: {goal})\n\n{statement}\n");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/statements.md");
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "{} is stale; BABYCUDA_BLESS=1 writes it", path.display());
}

/// The rows of tables that name exercises have the sum of their minutes.
#[test]
fn the_plan_for_lecturers_has_the_minutes_of_the_exercises() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/lecturers.md");
    let plan = std::fs::read_to_string(path).unwrap();
    let mut rows = 0;
    for row in plan.lines().filter(|line| line.starts_with('|')) {
        let named = row.split('`').skip(1).step_by(2).filter_map(catalogue::find);
        let minutes: Vec<u32> = named.map(|exercise| exercise.minutes).collect();
        let said = row.split('|').find_map(|cell| cell.trim().parse::<u32>().ok());
        if !minutes.is_empty() {
            assert_eq!(said, Some(minutes.iter().sum()), "{row}");
            rows += 1;
        }
    }
    assert!(rows >= 8, "{rows} rows");
}

#[test]
fn there_are_thirty_exercises_and_more_of_all_kinds_and_tags() {
    let exercises = catalogue::all();
    assert!(exercises.len() >= 30, "{}", exercises.len());
    for kind in Kind::ALL {
        let tags: BTreeSet<Tag> =
            exercises.iter().filter(|e| e.kind == kind).map(|e| e.tag).collect();
        assert_eq!(tags.len(), Tag::ALL.len(), "{}: not of all tags", kind.says());
    }
}
