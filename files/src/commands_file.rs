//! What a compiler is told of a file: by the command line, and by a database of compile commands
//! (`compile_commands.json`).

use crate::input::text;
use crate::problem::Problem;
use crate::source::Source;
use crate::source::parse_define;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What of a compiler's flags decides how a file is read.
#[derive(Clone, Default, Debug)]
pub struct Flags {
    /// Macros: a head and a body.
    pub defines: Vec<(String, String)>,
    /// Names that are no macros at first.
    pub undefines: Vec<String>,
    /// Folders of headers.
    pub includes: Vec<PathBuf>,
    /// The version of the language.
    pub standard: Option<String>,
}

/// The flags for a file: those of the database first, then those of the command line.
///
/// # Errors
/// A [`Problem`] when the database cannot be read, or says what is not understood of this file.
pub fn flags(source: &Source, file: &str) -> Result<Flags, Problem> {
    let mut flags = match &source.compile_commands {
        Some(database) => of_database(database, file)?,
        None => Flags::default(),
    };
    let heads = source.defines.iter().map(|(head, _)| head);
    heads.chain(&source.undefines).for_each(|name| flags.forget(name));
    flags.defines.extend(source.defines.iter().cloned());
    flags.undefines.extend(source.undefines.iter().cloned());
    flags.includes.extend(source.includes.iter().cloned());
    flags.standard = source.standard.clone().or(flags.standard);
    Ok(flags)
}

impl Flags {
    /// The last word on a macro counts.
    fn forget(&mut self, head: &str) {
        let name = |head: &str| head.split('(').next().unwrap_or(head).to_owned();
        self.undefines.retain(|known| *known != name(head));
        self.defines.retain(|(known, _)| name(known) != name(head));
    }
}

/// Says whether the database of the command line can be read at all, before any file is looked at.
///
/// # Errors
/// A [`Problem`] when it cannot.
pub fn readable(source: &Source) -> Result<(), Problem> {
    source.compile_commands.as_deref().map_or(Ok(()), |database| entries(database).map(|_| ()))
}

/// Where the database lies, and its commands.
fn entries(database: &Path) -> Result<(PathBuf, Vec<Value>), Problem> {
    let path = match database.is_dir() {
        true => database.join("compile_commands.json"),
        false => database.to_owned(),
    };
    let shown = path.display().to_string();
    let wrong = |what: &str| Problem::new(format!("{shown}: {what}"));
    match serde_json::from_str(&text(&shown)?).map_err(|e| wrong(&e.to_string()))? {
        Value::Array(entries) => Ok((path, entries)),
        _ => Err(wrong("no list of compile commands")),
    }
}

fn of_database(database: &Path, file: &str) -> Result<Flags, Problem> {
    let (path, entries) = entries(database)?;
    let wrong = |what: &str| Problem::new(format!("{}: {what}", path.display()));
    let wanted = std::fs::canonicalize(file).ok();
    for entry in &entries {
        let said = |key: &str| entry.get(key).and_then(Value::as_str);
        let Some(name) = said("file") else { return Err(wrong("a command without a file")) };
        let folder = path.parent().unwrap_or(Path::new("")).join(said("directory").unwrap_or(""));
        let found = std::fs::canonicalize(folder.join(name)).ok();
        if found.is_none() || found != wanted {
            continue;
        }
        let words = match (entry.get("arguments").and_then(Value::as_array), said("command")) {
            (Some(list), _) => {
                list.iter().map(|word| word.as_str().unwrap_or_default().to_owned()).collect()
            }
            (None, Some(command)) => words(command),
            (None, None) => return Err(wrong("a file without a command")),
        };
        return of_words(&words, &folder).map_err(|what| wrong(&format!("{name}: {what}")));
    }
    Ok(Flags::default())
}

/// The flags among the words of a command. Others do not decide how a file is read.
fn of_words(words: &[String], folder: &Path) -> Result<Flags, String> {
    let mut flags = Flags::default();
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let mut value = |names: &[&str]| {
            names.iter().find_map(|name| match word.strip_prefix(*name)? {
                "" => rest.next().cloned(),
                own if own.starts_with('=') => Some(own[1..].to_owned()),
                // `-I/a`, but not `-stdlib=x`.
                own => Some(own.to_owned()).filter(|_| name.len() == 2 || name.starts_with("-i")),
            })
        };
        if word == "-include" || word == "--pre-include" {
            return Err(format!("`{word}` is not supported: it includes a file before all others"));
        } else if let Some(path) = value(&["-isystem", "-iquote", "-I", "--include-path"]) {
            flags.includes.push(folder.join(path));
        } else if let Some(macro_) = value(&["-D", "--define-macro"]) {
            let (head, body) = parse_define(&macro_)?;
            flags.forget(&head);
            flags.defines.push((head, body));
        } else if let Some(name) = value(&["-U", "--undefine-macro"]) {
            flags.forget(&name);
            flags.undefines.push(name);
        } else if let Some(version) = value(&["-std", "--std", "-cl-std"]) {
            flags.standard = Some(version);
        }
    }
    Ok(flags)
}

/// The words of a command, as a shell reads them.
fn words(command: &str) -> Vec<String> {
    let (mut all, mut word, mut open, mut quote) = (Vec::new(), String::new(), false, None);
    let mut characters = command.chars();
    while let Some(c) = characters.next() {
        match (c, quote) {
            ('\\', None | Some('"')) => word.extend(characters.next()),
            (c, Some(q)) if c == q => quote = None,
            (c, Some(_)) => word.push(c),
            ('"' | '\'', None) => quote = Some(c),
            (c, None) if c.is_whitespace() => {
                if std::mem::take(&mut open) {
                    all.push(std::mem::take(&mut word));
                }
                continue;
            }
            (c, None) => word.push(c),
        }
        open = true;
    }
    all.extend(Some(word).filter(|_| open));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_as_a_shell_reads_it() {
        let read = words(r#"nvcc -DA='x y' "-I a" -D B=\"1\"  '' -c"#);
        assert_eq!(read, ["nvcc", "-DA=x y", "-I a", "-D", "B=\"1\"", "", "-c"]);
    }

    #[test]
    fn the_flags_that_decide_are_taken() {
        let words = words("nvcc -O3 -I inc -I/abs -DN=4 -DF(x)=x -D M -UN -std=c++14 -c k.cu");
        let flags = of_words(&words, Path::new("/build")).expect("flags");
        assert_eq!(flags.includes, [PathBuf::from("/build/inc"), PathBuf::from("/abs")]);
        let heads: Vec<&str> = flags.defines.iter().map(|(head, _)| &**head).collect();
        assert_eq!((heads, flags.undefines), (vec!["F(x)", "M"], vec!["N".to_owned()]));
        assert_eq!(flags.standard.as_deref(), Some("c++14"));
        assert!(of_words(&["cc".into(), "-include".into(), "x.h".into()], Path::new("")).is_err());
    }
}
