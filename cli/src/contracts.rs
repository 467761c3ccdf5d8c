//! What the file of a kernel says of its launches, and what nobody says.

use crate::args::{CheckArgs, Contracts};
use crate::input::{File, Language, Unit};
use crate::kernels;
use babycuda::contract::{Contract, from_source, infer};
use babycuda::frontend::launches::{LaunchSite, launches};
use babycuda::frontend::{Kernel, Options};
use babycuda::{CheckOptions, Checked, Settings};
use babycuda_core::verdict::Outcome;

/// Verdicts under contracts, of the kernels of one file.
pub(crate) struct Contracted<'a> {
    file: &'a File,
    args: &'a CheckArgs,
    settings: &'a Settings,
    options: &'a CheckOptions,
    /// The launches of the file, with how it was read; they are looked for when a kernel needs them.
    sites: Option<(Vec<LaunchSite>, Options)>,
}

impl<'a> Contracted<'a> {
    pub(crate) fn new(
        file: &'a File,
        args: &'a CheckArgs,
        settings: &'a Settings,
        options: &'a CheckOptions,
    ) -> Self {
        Contracted { file, args, settings, options, sites: None }
    }

    /// The verdict on a kernel under its contract, with what is known of it.
    pub(crate) fn of(&mut self, unit: &Unit, kernel: Option<&Kernel>, checked: Checked) -> Checked {
        let Unit::Program(program) = unit else { return checked };
        let contracts = self.args.contract;
        if contracts == Contracts::None || !self.file.language.has_kernels() {
            return checked;
        }
        let (mut checked, launched) = match kernel {
            Some(kernel) if contracts == Contracts::Source => self.as_launched(kernel, checked),
            _ => (checked, None),
        };
        if checked.verdict.outcome == Outcome::Racy {
            let program = launched.as_ref().unwrap_or(program);
            if let Some(inferred) = infer(program, &checked, self.options) {
                let none = Contract { launches: Vec::new(), inferred: Vec::new(), without: None };
                let contract = checked.contract.take().unwrap_or(none);
                checked.contract = Some(Contract { inferred, ..contract });
            }
        }
        checked
    }

    fn as_launched(
        &mut self,
        kernel: &Kernel,
        checked: Checked,
    ) -> (Checked, Option<babycuda_core::Program>) {
        if self.file.language != Language::Cuda {
            return (checked, None);
        }
        let (sites, read) = self.sites.get_or_insert_with(|| {
            let read = kernels::options(self.file, &self.args.source, self.settings);
            let read = read.unwrap_or_default();
            let found = self.options.budget.within(|| launches(&self.file.text, &read));
            (found.ok().and_then(Result::ok).unwrap_or_default(), read)
        });
        from_source(checked, kernel, sites, &self.file.text, read, self.options)
    }
}
