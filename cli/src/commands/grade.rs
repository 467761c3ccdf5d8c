//! `babycuda grade`: an answer to an exercise, graded; the list of exercises; what students get.

use super::Failure;
use crate::args::{GradeArgs, PlainFormat};
use crate::output;
use babycuda_exercises::{Exercise, bundle, catalogue, limits};
use babycuda_files::input;
use babycuda_files::problem::Problem;
use serde_json::{Value, json};
use std::path::Path;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when there is no such exercise, a file cannot be read, or the folder cannot be written.
pub(crate) fn run(args: &GradeArgs) -> Result<u8, Failure> {
    if args.list {
        return list(args.format);
    }
    if let Some(folder) = &args.bundle {
        return write(folder, args.format);
    }
    // The command line has one where it has none of the other two.
    let Some(name) = &args.exercise else {
        return Err(Problem::new("expected an exercise").into());
    };
    let exercise = exercise(name)?;
    let Some(answer) = &args.answer else {
        return state(&exercise, args.format);
    };
    // One more byte shows that there are too many.
    let answer = input::beginning(answer, limits::BYTES as u64 + 1)?;
    let grade = exercise.grade(&answer);
    match args.format {
        PlainFormat::Human => output::print(grade.human())?,
        PlainFormat::Json => output::println(grade.document())?,
    }
    Ok(grade.exit())
}

/// The exercise of an id, or of a file.
fn exercise(name: &str) -> Result<Exercise, Failure> {
    if let Some(exercise) = catalogue::find(name) {
        return Ok(exercise);
    }
    if Path::new(name).extension().is_none_or(|ending| ending != "md") {
        let problem = Problem::new(format!("there is no exercise `{name}`"));
        return Err(problem
            .help("`babycuda grade --list` lists them; a file of one ends in .md")
            .into());
    }
    let text = input::text(name)?;
    Exercise::parse(&text).map_err(|error| Problem::new(format!("{name}: {error}")).into())
}

/// Prints the statement of an exercise.
fn state(exercise: &Exercise, format: PlainFormat) -> Result<u8, Failure> {
    match format {
        PlainFormat::Human => {
            let Exercise { title, tag, minutes, goal, .. } = exercise;
            output::println(format_args!("{title}\n{}, {minutes} min: {goal}\n", tag.name()))?;
            output::println(exercise.statement().trim_end())?;
        }
        PlainFormat::Json => {
            let mut document = entry(exercise);
            document["version"] = json!(1);
            document["statement"] = json!(exercise.statement());
            output::println(document)?;
        }
    }
    Ok(0)
}

fn entry(exercise: &Exercise) -> Value {
    json!({
        "id": exercise.id, "title": exercise.title, "kind": exercise.kind.name(),
        "goal": exercise.goal, "tag": exercise.tag.name(), "minutes": exercise.minutes,
        "answer": exercise.ending(),
    })
}

fn list(format: PlainFormat) -> Result<u8, Failure> {
    let exercises = catalogue::all();
    match format {
        PlainFormat::Human => {
            for exercise in &exercises {
                let Exercise { id, tag, minutes, title, .. } = exercise;
                output::println(format_args!(
                    "{id:<28} {:<12} {minutes:>3} min  {title}",
                    tag.name()
                ))?;
            }
        }
        PlainFormat::Json => {
            let entries: Vec<Value> = exercises.iter().map(entry).collect();
            output::println(json!({ "version": 1, "exercises": entries }))?;
        }
    }
    Ok(0)
}

/// Writes the bundle; a file that is there and differs stays as it is.
fn write(folder: &Path, format: PlainFormat) -> Result<u8, Failure> {
    let failed =
        |path: &Path, error: std::io::Error| Problem::new(format!("{}: {error}", path.display()));
    std::fs::create_dir_all(folder).map_err(|error| failed(folder, error))?;
    let files = bundle::bundle();
    for (name, text) in &files {
        let path = folder.join(name);
        match std::fs::read_to_string(&path) {
            Ok(there) if there == *text => continue,
            Ok(_) => {
                let problem = Problem::new(format!("{} is there, and differs", path.display()));
                return Err(problem.help("write the bundle into an empty folder").into());
            }
            Err(_) => std::fs::write(&path, text).map_err(|error| failed(&path, error))?,
        }
    }
    match format {
        PlainFormat::Human => {
            output::println(format_args!("{} files in {}", files.len(), folder.display()))?
        }
        PlainFormat::Json => {
            let names: Vec<&String> = files.iter().map(|(name, _)| name).collect();
            output::println(
                json!({ "version": 1, "folder": folder.display().to_string(), "files": names }),
            )?;
        }
    }
    Ok(0)
}
