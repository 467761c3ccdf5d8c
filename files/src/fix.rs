//! Suggestions: changed copies of a file are read and checked as the file was.

use crate::input::{self, File, Language, Unit};
use crate::source::Source;
use babycuda::repair::{self, Fix, Judge, Search};
use babycuda::{CheckOptions, Checked, Settings, check};
use babycuda_core::{Budget, Configuration, Program};
use std::time::Duration;

/// A suggestion for a kernel of a file with these kernels, looked for so far and so long.
pub fn find(
    file: &File,
    source: &Source,
    settings: &Settings,
    units: &[Unit],
    checked: &Checked,
    options: &CheckOptions,
    (search, time): (Search, Duration),
) -> Option<Fix> {
    let language = match file.language {
        Language::Cuda => repair::Language::Cuda,
        Language::OpenCl => repair::Language::OpenCl,
        Language::BabyCuda => repair::Language::BabyCuda,
        Language::Map | Language::Json => return None,
    };
    if time.is_zero() {
        return None;
    }
    let budget = Budget::time(options.budget.at_most(time));
    // Of the likeliest edit alone only the verdict counts.
    let options = match search {
        Search::First => CheckOptions { budget, verdict_only: true, races: 1, ..options.clone() },
        Search::All => CheckOptions { budget, ..options.clone() },
    };
    let mut copies = Copies { file, source, settings, units, checked, options };
    repair::repair(&file.text, language, checked, &mut copies, (search, &budget))
}

/// Changed copies of a file.
struct Copies<'a> {
    file: &'a File,
    source: &'a Source,
    settings: &'a Settings,
    units: &'a [Unit],
    checked: &'a Checked,
    options: CheckOptions,
}

impl Judge for Copies<'_> {
    fn judge(&mut self, text: &str, at: Option<&Configuration>) -> Option<Checked> {
        let file = File { text: text.to_owned(), ..self.file.clone() };
        let settings = at.map_or_else(|| self.settings.clone(), |at| self.at(at));
        let budget = self.options.budget;
        let units = || input::units(&file, self.source, &settings);
        let units = budget.within(units).ok()?.ok()?;
        let name = self.checked.declarations.name.as_str();
        let (own, others): (Vec<_>, Vec<_>) = units.iter().partition(|unit| unit.name() == name);
        let before = self.units.iter().filter(|unit| unit.name() != name);
        if at.is_none() && !others.into_iter().map(code).eq(before.map(code)) {
            return None;
        }
        match own[..] {
            [Unit::Program(program)] => check(program, &self.options).ok(),
            _ => None,
        }
    }
}

/// What a kernel is, wherever it stands.
fn code(unit: &Unit) -> (&str, Option<Program>) {
    let program = match unit {
        Unit::Program(program) => {
            Some(program.declarations.without_sources().around(program.body.clone()))
        }
        Unit::Protocol(_) | Unit::Unsupported { .. } => None,
    };
    (unit.name(), program)
}

impl Copies<'_> {
    /// The settings of the command line, with the launch and the parameters of a witness.
    fn at(&self, at: &Configuration) -> Settings {
        let mut settings = self.settings.clone();
        let declared = &self.checked.declarations;
        settings.block = Some(at.launch.block);
        if declared.has_grid() {
            settings.grid = Some(at.launch.grid);
        }
        let values =
            at.parameters.iter().map(|(x, k)| (x.clone(), declared.read_parameter(x, k).0));
        settings.params.extend(values);
        settings
    }
}
