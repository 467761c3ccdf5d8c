//! `babycuda fuzz`: a differential fuzzer of analyzers.

use super::Failure;
use crate::args::{CampaignArgs, FuzzArgs, FuzzCommand, PlainFormat, ReplayArgs};
use crate::output::{self, Line};
use babycuda::kernel::Language;
use babycuda_core::counted;
use babycuda_files::problem::Problem;
use babycuda_fuzz::coverage::rules;
use babycuda_fuzz::{
    Asking, Class, Finding, Folder, Found, Fragment, FuzzError, Options, Profile, Replayed, Tool,
    fuzz, tools,
};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};
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
            let (found, missing, open) = Folder::merged(&args.folders).map_err(|e| problem(&e))?;
            if missing > 0 {
                output::warn(format_args!(
                    "note: {} of the campaign not given\n",
                    counted(missing, "part")
                ));
            }
            if open > 0 {
                output::warn(format_args!(
                    "note: {} of these parts not done\n",
                    counted(open, "kernel")
                ));
            }
            report(&found, &args.folders, (missing, open), args.format)
        }
    }
}

fn problem(error: &FuzzError) -> Problem {
    Problem::new(error.to_string())
}

/// The folder for what tools read, where there is one: its name is no other program's.
static SCRATCH: OnceLock<PathBuf> = OnceLock::new();

/// Ends all tools, before the program ends; nothing is left of what they read.
pub(crate) fn stop() {
    babycuda_fuzz::end_all();
    let Some(scratch) = SCRATCH.get() else { return };
    // Kernels may be written there just now, the last ones.
    for _ in 0..20 {
        let _ = std::fs::remove_dir_all(scratch);
        std::thread::sleep(Duration::from_millis(20));
        if !scratch.exists() {
            break;
        }
    }
}

/// A folder for what tools read, which is gone afterwards.
struct Scratch(tempfile::TempDir);

impl Scratch {
    /// It is gone, too, and tools that run end, when somebody interrupts the program.
    fn new() -> Result<Scratch, Problem> {
        // Where the system does not tell of it, tools go on by themselves.
        let _ = ctrlc::set_handler(|| {
            stop();
            output::warn("interrupted\n");
            std::process::exit(INTERRUPTED);
        });
        let made = tempfile::Builder::new().prefix("babycuda-fuzz-").tempdir();
        let made = made.map_err(|e| Problem::new(format!("no folder for what tools read: {e}")))?;
        let _ = SCRATCH.set(made.path().to_owned());
        Ok(Scratch(made))
    }
}

fn campaign(args: &CampaignArgs) -> Result<u8, Failure> {
    let asking = args.asking.or(Asking::default());
    let fragments = args.fragment.iter().map(|name| fragment(name)).collect::<Result<_, _>>()?;
    let profile = args.profile.as_deref().map(profile).transpose()?;
    let scratch = Scratch::new()?;
    let names = if args.against.is_empty() { &["inside".to_owned()][..] } else { &args.against };
    let tools = asked(names, &asking, &scratch)?;
    let options = Options {
        cases: args.programs,
        seed: args.seed,
        fragments,
        profile,
        coverage: args.coverage,
        shard: args.shard,
        jobs: args.jobs.map_or_else(processors, usize::from),
        time: args.time.map(|seconds| Duration::from_secs(seconds.into())),
        asking,
        reductions: 100,
    };
    let (line, start) = (Mutex::new(Line::default()), Instant::now());
    let all = OnceLock::new();
    let state = fuzz(&tools, &options, &Folder::at(&args.out), |state| {
        let all = *all.get_or_init(|| {
            notes(&state.found);
            state.found.kernels.total() + state.open()
        });
        if let Ok(mut line) = line.try_lock() {
            line.show(start.elapsed(), &progress(&state.found, all, state.time));
        }
    });
    if let Ok(mut line) = line.into_inner() {
        line.clear();
    }
    let state = state.map_err(|e| problem(&e))?;
    let (open, found) = (state.open(), state.found);
    let (done, out) = (found.kernels.total(), args.out.display());
    if args.time.is_some() && open > 0 {
        let all = done + open;
        output::warn(format_args!(
            "note: {done} of {all} kernels; the same command goes on, from {out}\n"
        ));
    }
    report(&found, std::slice::from_ref(&args.out), (0, open), args.format)
}

/// Who does not tell a race from none at all, as it is known before the campaign.
fn notes(found: &Found) {
    for (tool, row) in &found.tools {
        if let Some(same) = &row.same {
            output::warn(format_args!("note: {tool} {same}\n"));
        }
    }
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
        let of_name = tools(name, &asking.reading, scratch.0.path()).map_err(|e| problem(&e))?;
        for (tool, why) in of_name.left_out {
            output::warn(format_args!("note: {tool} of {name} is not asked: {why}\n"));
        }
        for tool in of_name.asked {
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

/// How far it is: kernels, how many a second, the time that is left, and disagreements by class. `time` is that of all its
/// pieces.
fn progress(found: &Found, all: u64, time: Duration) -> String {
    let done = found.kernels.total();
    let rate = done as f64 / time.as_secs_f64().max(0.001);
    let left = (all.saturating_sub(done) as f64 / rate.max(0.001)) as u64;
    let mut classes = BTreeMap::<Class, u64>::new();
    found.findings.values().for_each(|f| *classes.entry(f.class).or_default() += 1);
    let wrong: Vec<String> = classes.iter().map(|(class, n)| format!("{n} {class}")).collect();
    let wrong = if wrong.is_empty() { "no disagreement".to_owned() } else { wrong.join(", ") };
    format!("{done} of {all} kernels, {rate:.0} a second, {left} s left: {wrong}")
}

fn replay(args: &ReplayArgs) -> Result<u8, Failure> {
    let scratch = Scratch::new()?;
    let of = |name: &str, asking: &mut Asking| {
        *asking = args.asking.or(asking.clone());
        tools(args.against.as_deref().unwrap_or(name), &asking.reading, scratch.0.path())
    };
    let mut replayed = Vec::new();
    for folder in &args.folders {
        replayed.extend(Folder::at(folder).replay(&of).map_err(|e| problem(&e))?);
    }
    let count = |is: fn(&Replayed) -> bool| replayed.iter().filter(|one| is(one)).count() as u64;
    let mute = count(|one| one.unsupported.is_some() || one.now == Class::Unjudged);
    let wrong = count(|one| one.now.is_finding());
    match args.format {
        PlainFormat::Human => {
            let mut text = String::new();
            for one in &replayed {
                let (path, Replayed { tool, before, now, .. }) = (one.path.display(), one);
                let why = one.unsupported.as_ref().map_or(String::new(), |why| format!(" ({why})"));
                let _ = writeln!(text, "{path}: {before} before, {now} now{why}: {tool}");
            }
            let asked = counted(replayed.len() as u64, "disagreement");
            let _ = writeln!(text, "{asked} before, {wrong} now, {mute} not answered");
            output::show(text)?;
        }
        PlainFormat::Json => {
            let one = |one: &Replayed| {
                let Replayed { path, tool, before, now, unsupported } = one;
                json!({ "folder": path, "tool": tool, "before": before, "now": now, "unsupported": unsupported })
            };
            let all: Vec<_> = replayed.iter().map(one).collect();
            let document = json!({ "version": 1, "replayed": all });
            output::println(format_args!("{document:#}"))?;
        }
    }
    Ok(match (wrong, mute) {
        (1.., _) => 1,
        // Who does not answer has mended nothing.
        (0, mute) if mute > 0 && mute == replayed.len() as u64 => 3,
        _ => 0,
    })
}

/// What a campaign found, which lies in these folders; so many parts were not given, and so many kernels are not done.
fn report(
    found: &Found,
    folders: &[PathBuf],
    (missing, open): (u64, u64),
    format: PlainFormat,
) -> Result<u8, Failure> {
    match format {
        PlainFormat::Human => output::show(human(found, folders))?,
        PlainFormat::Json => {
            let mut document = json!(found);
            document["version"] = json!(1);
            document["missing_parts"] = json!(missing);
            document["open"] = json!(open);
            output::println(format_args!("{document:#}"))?;
        }
    }
    Ok(match found {
        found if found.disagreements() > 0 => 1,
        found if found.is_mute() => 3,
        _ => 0,
    })
}

fn human(found: &Found, folders: &[PathBuf]) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", counted(found.kernels.total(), "kernel"));
    let _ = write!(text, "{}", found.kernels);
    for (tool, row) in &found.tools {
        let _ = write!(text, "\n{tool}\n{}", row.classes);
        if let Some(same) = &row.same {
            let _ = writeln!(text, "            it {same}");
        }
        let mut reasons: Vec<_> = row.unsupported.iter().collect();
        reasons.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        for (why, times) in reasons.iter().take(MOST) {
            let _ = writeln!(text, "            {times}  {why}");
        }
        if reasons.len() > MOST {
            let _ = writeln!(text, "            {} more reasons", reasons.len() - MOST);
        }
    }
    let told = most_frequent(found);
    told.iter().for_each(|(same, finding)| text += &disagreement(same, finding, folders));
    let all = found.findings.len();
    if all > told.len() {
        let _ = writeln!(text, "\n{} more disagreements", all - told.len());
    }
    if all > 0 {
        let at: Vec<String> =
            folders.iter().map(|at| at.join("findings").display().to_string()).collect();
        let at = at.join(", ");
        let _ = writeln!(text, "\nall of them, with what reproduces them, are in {at}");
    }
    let (used, unused): (Vec<_>, Vec<_>) = rules().partition(|id| found.rules.get(*id) > 0);
    let (used, ways) = (used.len(), found.steps.iter().len());
    let _ = write!(text, "\nthe kernels use {used} rules of the theory in {ways} ways");
    let _ = match unused.is_empty() {
        true => writeln!(text),
        false => writeln!(text, "; none uses {}", unused.join(", ")),
    };
    text
}

/// A disagreement: the kernel as the tool read it, what is true of it and why, and what asks again.
fn disagreement(same: &str, finding: &Finding, folders: &[PathBuf]) -> String {
    let (times, number) = (counted(finding.times, "kernel"), finding.number);
    let (tool, class) = (&finding.tool, finding.class);
    let mut text = format!("\n{tool}: {class} ({times}; the first has number {number})\n");
    let Some(case) = finding.case() else { return text };
    let launch = case.launch();
    let (grid, block) = (launch.grid.components()[0], launch.block.components()[0]);
    let (grid, block) = (counted(grid.into(), "block"), counted(block.into(), "thread"));
    let _ = write!(text, "it is {} for {grid} of {block}", finding.truth);
    let at = |folder| {
        let folder = Folder::at(folder);
        Some((folder.kernel(same, class)?, folder.again(same, class)))
    };
    let (read, again) = folders.iter().find_map(at).unzip();
    let kernel = read.or_else(|| case.small.fixed(Language::Cuda)).unwrap_or_default();
    if kernel.contains("d[") {
        let _ = write!(text, ", d = {:?}", finding.d);
    }
    if let Some(evidence) = &finding.evidence {
        let _ = write!(text, ": {evidence}");
    }
    let _ = write!(text, "\n{kernel}");
    if let Some(again) = again {
        let words: Vec<String> = again.iter().map(|word| quoted(word)).collect();
        let _ = writeln!(text, "again: {}", words.join(" "));
    }
    text
}

/// The word as a shell reads it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

/// The disagreements that are told of: the most frequent one of each class, and the most frequent ones.
fn most_frequent(found: &Found) -> Vec<(&String, &Finding)> {
    let mut all: Vec<_> = found.findings.iter().collect();
    all.sort_by_key(|(_, f)| (std::cmp::Reverse(f.times), f.number));
    let mut classes = BTreeSet::new();
    let (mut first, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, finding)| classes.insert(finding.class));
    let room = MOST.saturating_sub(first.len());
    first.extend(others.into_iter().take(room));
    first.sort_by_key(|(_, f)| (f.class, std::cmp::Reverse(f.times), f.number));
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_have_names_for_shells() {
        assert!(matches!(fragment("data-dependent-index"), Ok(Fragment::DataIndex)));
        assert!(matches!(fragment("affine"), Ok(Fragment::Affine)));
        assert!(fragment("none").is_err());
        assert!(Class::TimeOut.is_finding() && !Class::Unjudged.is_finding());
    }

    #[test]
    fn the_live_line_tells_disagreements_by_class() {
        let finding = |class: Class| -> Finding {
            serde_json::from_value(json!({
                "tool": "t", "class": class, "number": 0, "fragment": "affine", "array": "s", "n": 0,
                "body": [], "truth": "racy", "d": [0, 0, 0, 0], "words": "", "times": 1,
            }))
            .unwrap()
        };
        let mut found = Found::default();
        found.kernels.add_many("affine: racy".into(), 40);
        let second = Duration::from_secs(2);
        let line = progress(&found, 100, second);
        assert_eq!(line, "40 of 100 kernels, 20 a second, 3 s left: no disagreement");
        let all = [Class::FalseAlarm, Class::MissedRace, Class::FalseAlarm];
        found.findings.extend(all.iter().enumerate().map(|(i, c)| (i.to_string(), finding(*c))));
        let line = progress(&found, 100, second);
        assert!(line.ends_with("left: 1 missed race, 2 false alarm"), "{line}");
    }

    #[test]
    fn words_for_shells_are_quoted_where_they_must_be() {
        assert_eq!(quoted("fuzz-out/findings"), "fuzz-out/findings");
        assert_eq!((quoted("it's"), quoted("")), ("'it'\\''s'".into(), "''".into()));
    }
}
