//! What the file of a kernel says of its launches, and what nobody says.

use crate::input::{File, Language, Unit, units_and_kernels};
use crate::kernels;
use crate::source::{Contracts, Source};
use babycuda::contract::{Contract, Required, from_source, infer};
use babycuda::frontend::launches::{LaunchSite, launches};
use babycuda::frontend::{Kernel, Options};
use babycuda::{CheckOptions, Checked, Settings, check};
use babycuda_core::verdict::Outcome;
use babycuda_core::{Budget, Program, Span};
use std::sync::OnceLock;

/// So many launches of a file are examples of what a contract is to allow.
const MAX_EXAMPLES: usize = 4;

/// Verdicts under contracts, of the kernels of one file.
pub struct Contracted<'a> {
    file: &'a File,
    contracts: Contracts,
    source: &'a Source,
    settings: &'a Settings,
    options: &'a CheckOptions,
    /// The launches of the file, with how it was read; they are looked for when a kernel needs them.
    sites: OnceLock<(Vec<LaunchSite>, Options)>,
}

impl<'a> Contracted<'a> {
    pub fn new(
        file: &'a File,
        contracts: Contracts,
        source: &'a Source,
        settings: &'a Settings,
        options: &'a CheckOptions,
    ) -> Self {
        Contracted { file, contracts, source, settings, options, sites: OnceLock::new() }
    }

    /// The verdict on a kernel under its contract, with what is known of it.
    pub fn of(&self, unit: &Unit, kernel: Option<&Kernel>, checked: Checked) -> Checked {
        let programs = programs(unit);
        if programs.is_empty() {
            return checked;
        }
        let contracts = self.contracts;
        if contracts == Contracts::None || !self.file.language.has_kernels() {
            return checked;
        }
        let (mut checked, launched) = match kernel {
            Some(kernel) if contracts == Contracts::Source => {
                let (checked, launched) = self.as_launched(kernel, checked);
                (self.as_required(kernel, checked), launched)
            }
            _ => (checked, None),
        };
        if checked.verdict.outcome == Outcome::Racy {
            let examples = match (&launched, kernel) {
                (None, Some(kernel)) => self.examples(kernel),
                _ => Vec::new(),
            };
            let under = launched.as_ref().map_or(programs, std::slice::from_ref);
            let launch = launched.is_some().then(|| checked.contract.as_ref()?.launches.first());
            let launch = launch.flatten().map(|launch| launch.span);
            let stated = |conditions: &[String]| self.stated(unit.name(), launch, conditions);
            let found = infer(under, &examples, &checked, self.options, &stated);
            if found.conditions.is_empty() {
                checked.remarks.push(match found.racy_at {
                    0 => "a contract that removes the race was looked for, and none was found".to_owned(),
                    n => format!(
                        "no contract was found that removes the race: it is there at each of {n} launches as people make them, and at the smallest ones"
                    ),
                });
            } else {
                let contract = checked.contract.take().unwrap_or_default();
                checked.contract = Some(Contract { inferred: found.conditions, ..contract });
            }
        }
        checked
    }

    /// The kernel as it is read where the command line states these conditions, too; under the launch that stands here.
    fn stated(
        &self,
        name: &str,
        launch: Option<Span>,
        conditions: &[String],
    ) -> Option<Vec<Program>> {
        let mut settings = self.settings.clone();
        settings.assumptions.extend(conditions.iter().cloned());
        let units = units_and_kernels(self.file, self.source, &settings).ok()?;
        let (unit, kernel) = units.into_iter().find(|(unit, _)| unit.name() == name)?;
        match launch {
            None => Some(programs(&unit).to_vec()),
            Some(launch) => {
                let read = kernels::options(self.file, self.source, &settings).ok()?;
                let (sites, _) = self.sites.get()?;
                let site = sites.iter().find(|site| site.span == launch)?;
                Some(vec![site.under(&kernel?, &self.file.text, &read)?.program])
            }
        }
    }

    /// What a kernel requires itself is in the verdict already; where it is race-free, what holds without that is said.
    fn as_required(&self, kernel: &Kernel, checked: Checked) -> Checked {
        if kernel.required.is_empty() {
            return checked;
        }
        let required = kernel
            .required
            .iter()
            .map(|r| Required { span: r.span, text: r.text.clone() })
            .collect();
        let mut contract = Contract { required, ..checked.contract.clone().unwrap_or_default() };
        if checked.verdict.outcome == Outcome::Drf {
            let budget = Budget::time(self.options.budget.at_most(self.options.timeout));
            let options = CheckOptions { budget, ..self.options.clone() };
            let read = kernels::options(self.file, self.source, self.settings).unwrap_or_default();
            let program = kernel.without_requires(&self.file.text, &read);
            let found = program.and_then(|program| check(&program, &options).ok());
            contract.without = found
                .map(|found| Box::new(found.verdict))
                .filter(|without| without.outcome != Outcome::Drf)
                .or(contract.without);
        }
        Checked { contract: Some(contract), ..checked }
    }

    fn as_launched(&self, kernel: &Kernel, checked: Checked) -> (Checked, Option<Program>) {
        if self.file.language != Language::Cuda {
            return (checked, None);
        }
        let (sites, read) = self.sites();
        from_source(checked, kernel, sites, &self.file.text, read, self.options)
    }

    fn sites(&self) -> &(Vec<LaunchSite>, Options) {
        self.sites.get_or_init(|| {
            let read = kernels::options(self.file, self.source, self.settings);
            let read = read.unwrap_or_default();
            let found = self.options.budget.within(|| launches(&self.file.text, &read));
            (found.ok().and_then(Result::ok).unwrap_or_default(), read)
        })
    }

    /// The kernel as its file launches it, as far as that is read: examples of launches.
    fn examples(&self, kernel: &Kernel) -> Vec<Program> {
        if self.file.language != Language::Cuda {
            return Vec::new();
        }
        let (sites, read) = self.sites();
        let mine = sites.iter().filter(|site| site.is_of(kernel)).take(MAX_EXAMPLES);
        mine.filter_map(|site| Some(site.under(kernel, &self.file.text, read)?.program)).collect()
    }
}

/// The programs that all are race-free where the kernel is; none: they are not known.
fn programs(unit: &Unit) -> &[Program] {
    match unit {
        Unit::Program(program) => std::slice::from_ref(program),
        Unit::Unsupported { apart, .. } => apart,
        Unit::Protocol(_) => &[],
    }
}
