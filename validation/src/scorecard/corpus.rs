//! Techniques on kernels that people wrote: those of a folder, each at one small launch.

use super::score::Tally;
use super::technique::{About, Answer, Technique};
use super::truth::Truth;
use babycuda::core::verdict::Outcome;
use babycuda::{CheckOptions, Subject, check};
use babycuda_campaign::{Merge, shards};
use babycuda_core::{Configuration, Dim3, Launch, Program, Settings};
use babycuda_detectors::happens_before::{Trials, tried};
use babycuda_frontend::{Options, Translation, parse_cuda};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Threads of the one block.
const THREADS: u32 = 32;
/// What every parameter is.
const PARAMETER: u32 = 5;

/// What was found in a folder of kernels.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// How many kernels, and how many of them race or diverge.
    pub kernels: [u64; 2],
    /// Kernels that are not translated, or of which it is not known what is true.
    pub open: u64,
    /// By technique.
    pub tallies: BTreeMap<&'static str, Tally>,
}

impl Merge for Corpus {
    fn merge(&mut self, other: Corpus) {
        self.kernels.iter_mut().zip(other.kernels).for_each(|(own, count)| *own += count);
        self.open += other.open;
        for (name, tally) in other.tallies {
            self.tallies.entry(name).or_default().merge(tally);
        }
    }
}

/// All techniques but this library's own, which says what is true, on the kernels of a folder.
///
/// # Errors
/// The folder or a file in it cannot be read.
pub fn corpus(techniques: &[Technique], folder: &Path) -> std::io::Result<Corpus> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "cu"));
    files.sort();
    let texts: Vec<String> = files.iter().map(std::fs::read_to_string).collect::<Result<_, _>>()?;
    Ok(shards(|shard| {
        let mut found = Corpus::default();
        for (_, text) in (0..).zip(&texts).filter(|(number, _)| shard.takes(*number)) {
            found.file(techniques, text);
        }
        found
    }))
}

impl Corpus {
    fn file(&mut self, techniques: &[Technique], text: &str) {
        let launch = Launch::new(Dim3::line(1), Dim3::line(THREADS));
        let settings =
            Settings { block: Some(launch.block), grid: Some(launch.grid), ..Settings::default() };
        let Ok(kernels) = parse_cuda(text, &Options::from(settings)) else {
            self.open += 1;
            return;
        };
        for kernel in kernels {
            match (kernel.tree, kernel.translation) {
                (Some(tree), Translation::Program(program)) => {
                    let configuration = program
                        .params
                        .iter()
                        .fold(Configuration::of_launch(launch), |configuration, param| {
                            configuration.with(param.name.clone(), PARAMETER)
                        });
                    self.kernel(techniques, &tree, program, &configuration);
                }
                _ => self.open += 1,
            }
        }
    }

    fn kernel(
        &mut self,
        techniques: &[Technique],
        tree: &Arc<babycuda_kernel::Kernel>,
        program: Program,
        configuration: &Configuration,
    ) {
        let Some(program) = fixed(program, configuration) else {
            self.open += 1;
            return;
        };
        let ran = tried(tree, configuration, &Trials::default());
        let ran = ran.ok().and_then(|verdict| truth(&verdict.outcome));
        let any = match ran {
            Some(Truth::Racy) => ran,
            _ => checked(&program),
        };
        let Some(any) = any else {
            self.open += 1;
            return;
        };
        self.kernels[0] += 1;
        self.kernels[1] += u64::from(any != Truth::Clean);
        let subject =
            Subject { source: "", tree: Some(tree), program: Ok(&program), configuration };
        for technique in techniques.iter().filter(|technique| !technique.is_own()) {
            let truth = match technique.about {
                About::Inputs => Some(any),
                About::Run => ran,
            };
            let Some(truth) = truth else { continue };
            let (answer, time) = technique.asked(&subject);
            let tally = self.tallies.entry(technique.name).or_default();
            tally.add(&answer, truth != Truth::Clean);
            tally.times.push(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
        }
    }
}

/// The program with its parameters; `None`: one has no such value.
fn fixed(program: Program, configuration: &Configuration) -> Option<Program> {
    let params = program.params.iter().map(|param| (param.name.clone(), PARAMETER.into()));
    let settings = Settings {
        block: Some(configuration.launch.block),
        grid: Some(configuration.launch.grid),
        params: params.collect(),
        ..Settings::default()
    };
    let applied = settings.apply(&program).ok()?;
    Some(applied.around(program.body))
}

fn checked(program: &Program) -> Option<Truth> {
    let options = CheckOptions { budget: super::budget(), ..CheckOptions::default() };
    truth(&check(program, &options).ok()?.verdict.outcome)
}

fn truth(outcome: &Outcome) -> Option<Truth> {
    match Answer::of(outcome) {
        Answer::Clean => Some(Truth::Clean),
        Answer::Wrong if *outcome == Outcome::Divergent => Some(Truth::Divergent),
        Answer::Wrong => Some(Truth::Racy),
        Answer::Unknown(_) | Answer::Unsupported(_) => None,
    }
}
