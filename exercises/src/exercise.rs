//! A file of an exercise: what is asked, and of which material.
//!
//! ```text
//! ---
//! id: predict-shift
//! title: A shift without a barrier
//! kind: predict
//! goal: what students can do afterwards
//! tag: recommended | practice | stretch
//! minutes: 10
//! NAME: VALUE                       settings of the kind
//! ---
//! The statement, in Markdown. Blocks between three backquotes, with a language, are the material.
//! ```

use crate::grade::{Fault, Grade, Judged};
use crate::kinds::Task;
use crate::limits;
use babycuda_core::budget::Budget;
use std::collections::BTreeMap;

macro_rules! names {
    ($(#[$doc:meta])* $kind:ident: $($(#[$about:meta])* $variant:ident $name:literal $says:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $kind { $(#[doc = $says] $(#[$about])* $variant,)* }

        impl $kind {
            /// All, in the order of lists.
            pub const ALL: [$kind; [$($name),*].len()] = [$($kind::$variant),*];

            /// Its name in files.
            pub fn name(self) -> &'static str {
                match self { $($kind::$variant => $name,)* }
            }

            /// What it is, in a few words.
            pub fn says(self) -> &'static str {
                match self { $($kind::$variant => $says,)* }
            }
        }
    };
}

names! {
    /// What is asked.
    Kind:
    Predict "predict" "predict the history",
    Derive "derive" "write the derivation",
    Typable "typable" "find a typable program for a protocol",
    Untypable "untypable" "find a race-free program that typing rejects",
    Repair "repair" "repair a racy kernel with the fewest barriers",
    Warp "warp" "find the warp bug",
    Refute "refute" "refute a wrong theorem",
    Mutant "mutant" "find the mutant",
    Tool "tool" "make a tool wrong",
}

names! {
    /// For whom an exercise is.
    Tag:
    Recommended "recommended" "for everybody",
    Practice "practice" "for who wants more of the same",
    Stretch "stretch" "for who wants more",
}

/// An exercise.
#[derive(Clone, Debug)]
pub struct Exercise {
    /// Its name, that of its file.
    pub id: String,
    /// Its title.
    pub title: String,
    /// What is asked.
    pub kind: Kind,
    /// What students can do afterwards.
    pub goal: String,
    /// For whom it is.
    pub tag: Tag,
    /// How long it takes.
    pub minutes: u32,
    /// All of its file: what students read.
    pub text: String,
    /// What its checker needs.
    task: Task,
}

/// A file that is no exercise.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
#[non_exhaustive]
pub struct ExerciseError(String);

impl ExerciseError {
    /// The error that says so.
    pub fn new(why: impl Into<String>) -> ExerciseError {
        ExerciseError(why.into())
    }
}

/// The head and the material of a file, as checkers read it.
pub(crate) struct Source<'a> {
    settings: BTreeMap<&'a str, &'a str>,
    blocks: Vec<(&'a str, String)>,
}

impl<'a> Source<'a> {
    /// A setting.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.settings.get(name).copied()
    }

    /// A setting that must be there.
    pub(crate) fn need(&self, name: &str) -> Result<&'a str, ExerciseError> {
        self.get(name).ok_or_else(|| ExerciseError(format!("it has no setting `{name}`")))
    }

    /// A setting that is a number.
    pub(crate) fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, ExerciseError> {
        let number = self.need(name)?.parse();
        number.map_err(|_| ExerciseError(format!("`{name}` is not a number")))
    }

    /// The first block of a language, where there is one.
    pub(crate) fn block(&self, language: &str) -> Option<&str> {
        self.blocks.iter().find(|(name, _)| *name == language).map(|(_, text)| text.as_str())
    }

    /// The first block of a language, which must be there.
    pub(crate) fn need_block(&self, language: &str) -> Result<&str, ExerciseError> {
        self.block(language)
            .ok_or_else(|| ExerciseError(format!("it has no block of `{language}`")))
    }
}

impl Exercise {
    /// Reads a file.
    ///
    /// # Errors
    /// [`ExerciseError`]: it is none.
    pub fn parse(text: &str) -> Result<Exercise, ExerciseError> {
        let missing = || ExerciseError("it has no head between two lines `---`".to_owned());
        let rest = text.strip_prefix("---\n").ok_or_else(missing)?;
        let (head, body) = rest.split_once("\n---\n").ok_or_else(missing)?;
        let mut settings = BTreeMap::new();
        for line in head.lines() {
            let Some((name, value)) = line.split_once(':') else {
                return Err(ExerciseError(format!("`{line}` is not `NAME: VALUE`")));
            };
            settings.insert(name.trim(), value.trim());
        }
        let source = Source { settings, blocks: blocks(body) };
        let named = |name, all: &[&str]| {
            let value = source.need(name)?;
            let found = all.iter().position(|known| *known == value);
            found.ok_or_else(|| ExerciseError(format!("`{name}` is one of {}", all.join(", "))))
        };
        let kind = Kind::ALL[named("kind", &Kind::ALL.map(Kind::name))?];
        let tag = Tag::ALL[named("tag", &Tag::ALL.map(Tag::name))?];
        Ok(Exercise {
            id: source.need("id")?.to_owned(),
            title: source.need("title")?.to_owned(),
            kind,
            goal: source.need("goal")?.to_owned(),
            tag,
            minutes: source.number("minutes")?,
            text: text.to_owned(),
            task: Task::read(kind, &source)?,
        })
    }

    /// The grade of an answer, whatever it is: within the [limits].
    pub fn grade(&self, answer: &[u8]) -> Grade {
        let judged = limits::readable(answer).and_then(|text| {
            let judge = || self.task.judge(text);
            Budget::time(limits::TIME).within(judge).unwrap_or_else(|exhausted| {
                Err(Fault::refused("the answer is within the limits", exhausted.to_string()))
            })
        });
        Grade::of(self, judged)
    }

    /// The ending of the name of its answers.
    pub fn ending(&self) -> &'static str {
        self.task.ending()
    }

    /// What is asked, without the head of the file.
    pub fn statement(&self) -> &str {
        self.text.split_once("\n---\n").map_or("", |(_, body)| body.trim())
    }
}

/// The blocks of a text between three backquotes, each with its language.
fn blocks(body: &str) -> Vec<(&str, String)> {
    let (mut blocks, mut lines) = (Vec::new(), body.lines());
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((language, inside.join("\n") + "\n"));
        }
    }
    blocks
}

/// What a checker of one kind does.
pub(crate) trait Check: Sized {
    /// What it needs of a file.
    fn read(source: &Source<'_>) -> Result<Self, ExerciseError>;
    /// Is the answer right?
    fn judge(&self, answer: &str) -> Judged;
}
