//! Running the program, and holding what it prints to the schemas.
#![allow(dead_code)] // each test uses its part

use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Is there a clang? With `BABYCUDA_REQUIRE_SOLVERS=1` a missing one is a failure.
pub fn has_clang() -> bool {
    let found = Command::new("clang").arg("--version").output().is_ok();
    let required = std::env::var_os("BABYCUDA_REQUIRE_SOLVERS").is_some_and(|v| v == "1");
    assert!(found || !required, "clang is missing");
    found
}

/// What the program did with its arguments and its input.
pub struct Ran {
    of: String,
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// Runs the program with this input.
pub fn babycuda(args: &[&str], input: &str) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_babycuda"));
    let shown: String = input.chars().take(400).collect();
    fed(format!("{args:?} on {shown}"), command.args(args).current_dir(root()), input)
}

/// Runs a command with this input.
pub fn fed(of: String, command: &mut Command, input: &str) -> Ran {
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().unwrap();
    // A program that rejects its arguments may not read its input, and be gone.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    Ran::new(of, child.wait_with_output().unwrap())
}

impl Ran {
    pub fn new(of: String, output: Output) -> Ran {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let status = output.status.code().unwrap_or_else(|| panic!("{of}: ended by a signal"));
        Ran { of, status, out: text(output.stdout), err: text(output.stderr) }
    }

    #[track_caller]
    pub fn holds(&self, what: bool, wanted: impl std::fmt::Display) -> &Ran {
        let Ran { of, status, out, err } = self;
        assert!(what, "{of}: not {wanted}, but {status}\n{out}\n{err}");
        self
    }

    #[track_caller]
    pub fn ends(&self, status: i32) -> &Ran {
        self.holds(self.status == status, status)
    }

    /// On the standard output.
    #[track_caller]
    pub fn says(&self, text: &str) -> &Ran {
        self.holds(self.out.contains(text), text)
    }

    #[track_caller]
    pub fn is_silent_of(&self, text: &str) -> &Ran {
        self.holds(!self.out.contains(text), format_args!("without {text}"))
    }

    /// On the standard error.
    #[track_caller]
    pub fn warns(&self, text: &str) -> &Ran {
        self.holds(self.err.contains(text), text)
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|e| panic!("{}: {e}\n{}", self.of, self.out))
    }
}

/// Runs the lines of a page's `sh` blocks, with the program for `babycuda` and these words for others; `# exit N` behind a
/// line says how it ends. How many there are.
pub fn run_page(page: &str, words: &[(&str, String)]) -> usize {
    let text = std::fs::read_to_string(root().join(page)).unwrap();
    let blocks = text.split("```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap().lines());
    let program = format!("'{}' ", env!("CARGO_BIN_EXE_babycuda"));
    let mut ran = 0;
    for line in lines {
        let (command, status) = match line.split_once("  # exit ") {
            Some((command, status)) => (command, status.parse().unwrap()),
            None => (line, 0),
        };
        let command = command.replace("babycuda ", &program);
        let command = words.iter().fold(command, |line, (word, by)| line.replace(word, by));
        let output = Command::new("sh").args(["-c", &command]).current_dir(root()).output();
        Ran::new(line.to_owned(), output.unwrap()).ends(status);
        ran += 1;
    }
    ran
}

/// A folder for the files of one test, which goes with the value.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("babycuda-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// The path of a file that may not be there.
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).into_os_string().into_string().unwrap()
    }

    /// Writes a file, with the folders that its name has; its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        path.parent().map(std::fs::create_dir_all).transpose().unwrap();
        std::fs::write(&path, text).unwrap();
        path.into_os_string().into_string().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Is the document what the schema of this name in the folder `schemas` describes?
pub fn validate(schema: &str, document: &str) -> Result<(), String> {
    let path = root().join("schemas").join(format!("{schema}.json"));
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let schema: Value = serde_json::from_str(&text).map_err(|e| format!("{schema}: {e}"))?;
    let document: Value = serde_json::from_str(document).map_err(|e| e.to_string())?;
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("schema.json", schema).map_err(|e| e.to_string())?;
    let index = compiler.compile("schema.json", &mut schemas).map_err(|e| e.to_string())?;
    schemas.validate(&document, index).map_err(|e| format!("{e:#}"))
}
