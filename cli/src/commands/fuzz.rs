//! `babycuda fuzz`: a differential fuzzer of analyzers.

use super::Failure;
use crate::args::{CampaignArgs, FuzzArgs, FuzzCommand, PlainFormat, ReplayArgs};
use crate::output::{self, Line};
use babycuda_core::counted;
use babycuda_files::problem::Problem;
use babycuda_fuzz::coverage::rules;
use babycuda_fuzz::{
    Asking, Folder, Found, Fragment, FuzzError, Options, Profile, Tool, fuzz, tools,
};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What a shell says of a program that was interrupted.
const INTERRUPTED: i32 = 130;

/// So many disagreements are told of; the folder has all.
const MOST: usize = 10;

/// Runs the command; the exit status.
///
/// # Errors
/// [`Failure`] when there is no such tool, or a folder is none of the campaign.
pub(crate) fn run(args: &FuzzArgs) -> Result<u8, Failure> {
    match &args.command {
        None => campaign(&args.campaign),
        Some(FuzzCommand::Replay(args)) => replay(args),
        Some(FuzzCommand::Merge(args)) => {
            let found = Folder::merged(&args.folders).map_err(|e| problem(&e))?;
            report(&found, None, args.format)
        }
    }
}

fn problem(error: &FuzzError) -> Problem {
    Problem::new(error.to_string())
}

/// A folder for what tools read, which is gone afterwards.
struct Scratch(PathBuf);

impl Scratch {
    /// It is gone, too, and tools that run end, when somebody interrupts the program.
    fn new() -> Scratch {
        let folder = std::env::temp_dir().join(format!("babycuda-fuzz-{}", std::process::id()));
        let scratch = Scratch(folder.clone());
        // Where the system does not tell of it, tools go on by themselves.
        let _ = ctrlc::set_handler(move || {
            babycuda_fuzz::end_all();
            // A kernel may be written there just now, the last one.
            drop(Scratch(folder.clone()));
            std::thread::sleep(Duration::from_millis(50));
            drop(Scratch(folder.clone()));
            std::process::exit(INTERRUPTED);
        });
        scratch
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // It may never have been made.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn campaign(args: &CampaignArgs) -> Result<u8, Failure> {
    let scratch = Scratch::new();
    let names = if args.against.is_empty() { &["inside".to_owned()][..] } else { &args.against };
    let asking = args.asking.or(Asking::default());
    let tools = asked(names, &asking, &scratch)?;
    let options = Options {
        cases: args.programs,
        seed: args.seed,
        fragments: args.fragment.iter().map(|name| fragment(name)).collect::<Result<_, _>>()?,
        profile: args.profile.as_deref().map(profile).transpose()?,
        coverage: args.coverage,
        shard: args.shard,
        jobs: args.jobs.map_or_else(processors, usize::from),
        time: args.time.map(|seconds| Duration::from_secs(seconds.into())),
        asking,
        reductions: 60,
    };
    let (line, start) = (Mutex::new(Line::default()), Instant::now());
    let own = args.programs.div_ceil(args.shard.of);
    let state = fuzz(&tools, &options, &Folder::at(&args.out), |state| {
        if let Ok(mut line) = line.try_lock() {
            line.show(start.elapsed(), &progress(&state.found, own, state.time));
        }
    });
    if let Ok(mut line) = line.into_inner() {
        line.clear();
    }
    report(&state.map_err(|e| problem(&e))?.found, Some(&args.out), args.format)
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn asked(
    names: &[String],
    asking: &Asking,
    scratch: &Scratch,
) -> Result<Vec<Box<dyn Tool>>, Problem> {
    let mut all: Vec<Box<dyn Tool>> = Vec::new();
    for name in names {
        let of_name = tools(name, &asking.reading, &scratch.0).map_err(|e| problem(&e))?;
        for tool in of_name {
            if all.iter().all(|known| known.name() != tool.name()) {
                all.push(tool);
            }
        }
    }
    Ok(all)
}

fn fragment(name: &str) -> Result<Fragment, Problem> {
    let plain = |text: &str| text.replace(' ', "-").to_lowercase();
    let found = Fragment::ALL.into_iter().find(|f| plain(&f.to_string()) == plain(name));
    found.ok_or_else(|| {
        let all = Fragment::ALL.map(|f| plain(&f.to_string())).join(", ");
        Problem::new(format!("there is no fragment {name}")).help(format!("one of {all}"))
    })
}

fn profile(name: &str) -> Result<Profile, Problem> {
    let found = Profile::ALL.into_iter().find(|profile| profile.to_string() == name);
    found.ok_or_else(|| {
        let all = Profile::ALL.map(|profile| profile.to_string()).join(", ");
        Problem::new(format!("there is no profile {name}")).help(format!("one of {all}"))
    })
}

/// How far it is: kernels, how many a second, disagreements, and the time that is left. `time` is that of all its pieces.
fn progress(found: &Found, all: u64, time: Duration) -> String {
    let done = found.kernels.total();
    let rate = done as f64 / time.as_secs_f64().max(0.001);
    let left = (all.saturating_sub(done) as f64 / rate.max(0.001)) as u64;
    let wrong = found.disagreements();
    format!("{done} of {all} kernels, {rate:.0} a second, {wrong} disagreements, {left} s left")
}

fn replay(args: &ReplayArgs) -> Result<u8, Failure> {
    let scratch = Scratch::new();
    let of = |name: &str, asking: &mut Asking| {
        *asking = args.asking.or(asking.clone());
        tools(args.against.as_deref().unwrap_or(name), &asking.reading, &scratch.0)
    };
    let replayed = Folder::at(&args.folder).replay(&of);
    let replayed = replayed.map_err(|e| problem(&e))?;
    let mut text = String::new();
    for one in &replayed {
        let _ = writeln!(
            text,
            "{}: {}: {} before, {} now",
            one.path.display(),
            one.tool,
            one.before,
            one.now
        );
    }
    let wrong = replayed.iter().filter(|one| one.now.is_finding()).count();
    let _ = writeln!(text, "{} kernels, {wrong} disagreements", replayed.len());
    output::print(text)?;
    Ok(u8::from(wrong > 0))
}

fn report(found: &Found, folder: Option<&PathBuf>, format: PlainFormat) -> Result<u8, Failure> {
    match format {
        PlainFormat::Human => output::print(human(found, folder))?,
        PlainFormat::Json => output::println(format_args!("{:#}", serde_json::json!(found)))?,
    }
    Ok(match found {
        found if found.disagreements() > 0 => 1,
        found if found.is_mute() => 3,
        _ => 0,
    })
}

fn human(found: &Found, folder: Option<&PathBuf>) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{} kernels", found.kernels.total());
    let _ = write!(text, "{}", found.kernels);
    let (used, unused): (Vec<_>, Vec<_>) = rules().partition(|id| found.rules.get(*id) > 0);
    let (used, ways) = (used.len(), found.steps.iter().len());
    let _ = write!(text, "{used} rules of the theory in {ways} ways");
    let _ = match unused.is_empty() {
        true => writeln!(text),
        false => writeln!(text, "; no kernel used {}", unused.join(", ")),
    };
    for (tool, row) in &found.tools {
        let _ = write!(text, "\n{tool}\n{}", row.classes);
        for (why, times) in row.unsupported.iter().take(MOST) {
            let _ = writeln!(text, "            {times}  {why}");
        }
    }
    let mut findings: Vec<_> = found.findings.values().collect();
    findings.sort_by_key(|f| (f.class, std::cmp::Reverse(f.times), f.number));
    for finding in findings.iter().take(MOST) {
        let (times, class) = (finding.times, finding.class);
        let _ = writeln!(
            text,
            "\n{}: {class} ({}; the first has number {})",
            finding.tool,
            counted(times, "kernel"),
            finding.number
        );
        if let Some(case) = finding.case() {
            let launch = case.fragment.launch();
            let (block, grid) = (launch.block.components()[0], launch.grid.components()[0]);
            let _ = writeln!(
                text,
                "it is {} for {} of {block} threads, d = {:?}",
                finding.truth,
                counted(u64::from(grid), "block"),
                finding.d
            );
            let _ = write!(
                text,
                "{}",
                case.small.fixed(babycuda::kernel::Language::Cuda).unwrap_or_default()
            );
        }
    }
    if findings.len() > MOST {
        let _ = writeln!(text, "\n{} more disagreements", findings.len() - MOST);
    }
    if let (Some(folder), false) = (folder, findings.is_empty()) {
        let _ = writeln!(
            text,
            "\nall of them, with what reproduces them, are in {}",
            folder.join("findings").display()
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_fuzz::Class;

    #[test]
    fn fragments_have_names_for_shells() {
        assert!(matches!(fragment("data-dependent-index"), Ok(Fragment::DataIndex)));
        assert!(matches!(fragment("affine"), Ok(Fragment::Affine)));
        assert!(fragment("none").is_err());
        assert!(Class::TimeOut.is_finding() && !Class::Unjudged.is_finding());
    }
}
