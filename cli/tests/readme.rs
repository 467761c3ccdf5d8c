//! Every command that the README shows does what the README says.

mod support;

use std::process::Command;
use support::{babycuda, root};

/// The lines of the README's `sh` blocks.
fn commands() -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let mut commands = Vec::new();
    let mut inside = false;
    for line in readme.lines() {
        match line.trim_end() {
            "```sh" => inside = true,
            "```" => inside = false,
            line if inside && !line.is_empty() => commands.push(line.to_owned()),
            _ => {}
        }
    }
    commands
}

#[test]
fn every_command_of_the_readme_runs() {
    let mut ran = 0;
    // A campaign goes on where it was; that of another version does not.
    let _ = std::fs::remove_dir_all(root().join("target/fuzz-out"));
    for command in commands() {
        let (command, expected) = match command.split_once("  # exit ") {
            Some((command, code)) => (command.to_owned(), code.trim().parse::<i32>().unwrap()),
            None => (command, 0),
        };
        let command = command.replace("--release --features full --", "--release --");
        let program = "cargo run --release --";
        let invocation = if command.starts_with(program) || command.contains("| cargo run") {
            command.replace(program, &format!("'{}'", env!("CARGO_BIN_EXE_babycuda")))
        } else {
            // The test command runs this very test; benches have their own page.
            let program = command.split_whitespace().next().unwrap();
            assert!(
                command == "scripts/test" || command.starts_with("cargo bench"),
                "do not know how to run `{program}`"
            );
            assert!(command != "scripts/test" || root().join("scripts/test").is_file());
            continue;
        };
        let output =
            Command::new("sh").args(["-c", &invocation]).current_dir(root()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned()
            + &String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{command}\n{text}");
        ran += 1;
    }
    assert!(ran >= 6, "the README shows only {ran} commands");
}

#[test]
fn the_first_command_shows_a_race_with_lines_threads_and_history() {
    let first = commands().remove(0);
    let command = first.strip_prefix("cargo run --release -- ").unwrap();
    let args = command.split("  # exit ").next().unwrap().split_whitespace();
    let text = babycuda(&args.collect::<Vec<_>>(), "").out;
    for needle in ["scalar_prod_racy.cu:", "thread (", " writes", " reads", "replayed history"] {
        assert!(text.contains(needle), "no `{needle}` in\n{text}");
    }
}
