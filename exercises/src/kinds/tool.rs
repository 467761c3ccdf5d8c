//! Make a tool wrong: a kernel about which a published technique says what is not true.

use crate::exercise::{Check, ExerciseError, Source};
use crate::grade::{Fault, Judged};
use crate::limits;
use crate::reading::{cuda, settings};
use babycuda::detectors::{Detector, all};
use babycuda::{CheckOptions, Subject, compare};
use babycuda_core::{Configuration, Dim3, Launch, Settings};
use std::time::Duration;

/// A technique, and the mistake that it is to make.
#[derive(Clone, Debug)]
pub struct Tool {
    technique: String,
    mistake: Mistake,
    settings: Settings,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mistake {
    FalseAlarm,
    MissedRace,
}

impl Mistake {
    /// What must be true of the kernel, and what the technique must say.
    fn words(self) -> [&'static str; 2] {
        match self {
            Mistake::FalseAlarm => ["drf", "racy"],
            Mistake::MissedRace => ["racy", "drf"],
        }
    }
}

impl Check for Tool {
    /// Settings: `technique`, a name of `babycuda compare`; `mistake`, `false-alarm` or `missed-race`; `block`, `grid`.
    fn read(source: &Source<'_>) -> Result<Tool, ExerciseError> {
        let technique = source.need("technique")?.to_owned();
        if detector(&technique).is_none() {
            return Err(ExerciseError::new(format!("there is no technique `{technique}`")));
        }
        let mistake = match source.need("mistake")? {
            "false-alarm" => Mistake::FalseAlarm,
            "missed-race" => Mistake::MissedRace,
            _ => return Err(ExerciseError::new("`mistake` is `false-alarm` or `missed-race`")),
        };
        let settings = settings(source)?;
        if settings.block.is_none() {
            return Err(ExerciseError::new("it has no setting `block`"));
        }
        Ok(Tool { technique, mistake, settings })
    }

    fn judge(&self, answer: &str) -> Judged {
        let Some(detector) = detector(&self.technique) else {
            return Err(Fault::refused("the technique", "there is none of this name"));
        };
        let one = Some(Dim3::line(1));
        let settings = Settings { grid: self.settings.grid.or(one), ..self.settings.clone() };
        let (kernel, program) = cuda(answer, &settings)?;
        let block = settings.block.unwrap_or(Dim3::line(1));
        let launch = Launch::new(settings.grid.unwrap_or(Dim3::line(1)), block);
        let configuration = Configuration::of_launch(launch);
        if let Some(param) = program.params.first() {
            let why = format!(
                "the kernel has the parameter `{}`, of which no value is given",
                param.name
            );
            return Err(Fault::wrong("the kernel has no parameters but arrays", why));
        }
        let subject = Subject {
            source: answer,
            tree: kernel.tree.as_deref(),
            program: Ok(&program),
            configuration: &configuration,
        };
        let options = CheckOptions { timeout: Duration::from_secs(3), ..limits::checking() };
        let compared = compare(&subject, &[detector], &options);
        let [truth, said] = self.mistake.words();
        let found = compared.truth.verdict.unwrap_or("unknown");
        if found != truth {
            let because = compared.truth.reason.map_or(String::new(), |why| format!(": {why}"));
            let why = format!("it is {found}{because} ({})", compared.truth.technique);
            return Err(Fault::wrong("what is true of the kernel", why)
                .expecting(format!("a kernel that is {truth}")));
        }
        let step = "the technique is wrong about it";
        // The library's own technique is the first.
        let Some(answer) = compared.answers.get(1) else {
            return Err(Fault::wrong(step, "the technique said nothing"));
        };
        let name = &self.technique;
        match answer.verdict {
            Some(word) if word == said => Ok(format!(
                "the kernel is {truth} ({}), and {name} says {said}",
                compared.truth.technique
            )),
            Some(word) => Err(Fault::wrong(step, format!("{name} says {word}"))
                .expecting(format!("that it says {said}"))),
            None => {
                let why = answer.reason.clone().unwrap_or_default();
                Err(Fault::wrong(step, format!("{name} refuses the kernel: {why}")))
            }
        }
    }
}

fn detector(name: &str) -> Option<Box<dyn Detector>> {
    all().into_iter().find(|detector| detector.name() == name)
}
