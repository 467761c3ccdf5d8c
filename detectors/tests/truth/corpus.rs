//! The corpus through two doors: run as it is, and as the front end translates it. Where the translation is
//! exact and the run is race-free, both access the same cells between the same barriers, and leave the
//! same memory.

use crate::tree;
use babycuda_core::history::{LastWrite, lastwrite};
use babycuda_core::syntax::Contents;
use babycuda_core::trace::Event;
use babycuda_core::{
    AccessMode, Cell, Configuration, Dim3, Launch, Name, Natural, Program, Settings,
};
use babycuda_detectors::execute::{End, Limits, Run, Schedule, run};
use babycuda_frontend::directives::directives;
use babycuda_frontend::{Options, Translation, parse_cuda};
use babycuda_kernel::Kernel;
use babycuda_semantics::{Instance, Outcome, Policy, RunOptions, vm};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What became of a launch of a kernel.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Case {
    Same,
    /// Why there is nothing to compare.
    Nothing(&'static str),
    Different(String),
}

type Access = (u64, AccessMode, Cell);

/// How many bytes cells of an array have: in a run, and in a translation, which is for all launches.
fn bytes(run: &Run, program: &Program, array: &Name) -> (u64, u64) {
    let said = format!("indices of `{array}` count cells of ");
    let note = program.notes.iter().find_map(|note| note.message.strip_prefix(&said));
    let own = run.cells.get(array).copied().unwrap_or(1);
    (own, note.and_then(|n| n.split(' ').next()?.parse().ok()).unwrap_or(own))
}

/// An access of a cell as one of each of its parts.
fn parts(access: Access, count: u64) -> impl Iterator<Item = Access> {
    let (thread, mode, cell) = access;
    (0..count).map(move |part| {
        let index = &(&cell.index * &Natural::from(count)) + &Natural::from(part);
        (thread, mode, Cell { array: cell.array.clone(), index })
    })
}

/// The accesses of one block between its barriers, but for those of tables.
fn intervals(run: &Run, tables: &BTreeSet<Name>, program: &Program) -> Vec<BTreeSet<Access>> {
    let mut all = vec![BTreeSet::new()];
    for event in &run.trace.events {
        match event {
            Event::BlockBarrier { .. } | Event::GridBarrier => all.push(BTreeSet::new()),
            Event::Access { thread, mode, cell, .. } if !tables.contains(&cell.array) => {
                let (own, other) = bytes(run, program, &cell.array);
                let last = all.len() - 1;
                let access = (thread.index, *mode, cell.clone());
                all[last].extend(parts(access, own / own.min(other)));
            }
            _ => {}
        }
    }
    all
}

fn compare(kernel: &Kernel, program: &Program, configuration: &Configuration) -> Case {
    let accessed = program.body.arrays();
    let declared = || program.arrays.iter().filter(|a| accessed.contains(&a.name));
    if declared().any(|a| a.contents == Contents::Opaque) || !program.sources.stops.is_empty() {
        return Case::Nothing("the translation leaves something open");
    }
    if !program.contents_assumed.is_empty() {
        return Case::Nothing("something is assumed of contents");
    }
    let is_table =
        |a: &&babycuda_core::syntax::ArrayDecl| matches!(a.contents, Contents::Values(_));
    let tables: BTreeSet<Name> = declared().filter(is_table).map(|a| a.name.clone()).collect();
    let instance =
        Instance::of(program.clone(), configuration.clone()).with_contents_chosen(Policy::Smallest);
    let Outcome::Done { history, .. } = vm::run(&instance, &RunOptions::default()) else {
        return Case::Nothing("the translation comes to no end");
    };
    if !history.is_drf() {
        return Case::Nothing("racy");
    }
    let own = match run(kernel, configuration, Schedule::Random(7), &Limits::default()) {
        Ok(run) => run,
        Err(refusal) => return Case::Different(refusal.to_string()),
    };
    if let Some(stop) = &own.stop {
        return Case::Nothing(match stop.to_string().contains("not known") {
            true => "the run rests on a float",
            false => return Case::Different(stop.to_string()),
        });
    }
    if own.ends.iter().any(|end| *end != End::Returned) {
        return Case::Nothing("a thread goes no further");
    }
    let (mine, theirs) = (intervals(&own, &tables, program), {
        let phase = |(_, phase): (usize, &babycuda_core::Phase)| {
            let all = phase.accesses().filter(|a| !tables.contains(&a.cell.array));
            let narrow = all.flat_map(|a| {
                let (other, own) = bytes(&own, program, &a.cell.array);
                parts((a.thread, a.mode, a.cell), own / own.min(other))
            });
            narrow.collect::<BTreeSet<Access>>()
        };
        history.chronological().map(phase).collect::<Vec<_>>()
    });
    if mine.len() != theirs.len() {
        return Case::Different(format!("{} intervals, and {} phases", mine.len(), theirs.len()));
    }
    for (number, (mine, theirs)) in mine.iter().zip(&theirs).enumerate() {
        if let Some((thread, mode, cell)) = mine.symmetric_difference(theirs).next() {
            return Case::Different(format!("phase {number}: {thread}:{mode} {cell}"));
        }
    }
    let atomic = |a: &Access| matches!(a.1, AccessMode::At(_));
    if mine.iter().flatten().any(atomic) {
        return Case::Same;
    }
    // What was written last is there.
    for (_, mode, cell) in mine.iter().flatten() {
        let device = !own.trace.shared.contains(&cell.array);
        let (one, other) = bytes(&own, program, &cell.array);
        if *mode == AccessMode::Wr && device && one == other {
            let known = lastwrite(cell, &history);
            if let (Some(left), LastWrite::One(only)) = (own.memory.get(cell), &known)
                && left != only
            {
                return Case::Different(format!("{cell} is {left}, and {only}"));
            }
        }
    }
    Case::Same
}

/// All launches of a file that are compared.
fn cases(source: &str) -> Vec<(String, Case)> {
    let checks = directives(source).unwrap().checks;
    let defines: BTreeMap<String, String> = checks
        .iter()
        .flat_map(|check| check.flags.windows(2))
        .filter(|pair| pair[0] == "-D")
        .filter_map(|pair| pair[1].split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let mut found = Vec::new();
    for block in [Dim3::line(4), Dim3::line(8), Dim3 { x: 4, y: 4, z: 1 }, Dim3::line(64)] {
        for number in [1u32, 4, 8, 11] {
            let defines: Vec<_> = defines.clone().into_iter().collect();
            let options = Options { defines: defines.clone(), ..Options::default() };
            let Ok(kernels) = parse_cuda(source, &options) else { continue };
            let Translation::Program(program) = &kernels[0].translation else { continue };
            let params = program.params.iter().map(|p| (p.name.clone(), number.into())).collect();
            let (grid, block) = (Some(Dim3::line(1)), Some(block));
            let settings = Settings { block, grid, params, ..Settings::default() };
            let options = Options { settings: settings.clone(), defines, ..Options::default() };
            let Ok(kernels) = parse_cuda(source, &options) else { continue };
            let (Translation::Program(program), Some(tree)) =
                (&kernels[0].translation, &kernels[0].tree)
            else {
                continue;
            };
            let Ok(declarations) = settings.apply(program) else { continue };
            let program = declarations.around(program.body.clone());
            let launch = Launch::new(Dim3::line(1), block.unwrap_or(Dim3::line(1)));
            let mut configuration = Configuration::of_launch(launch);
            for param in &program.params {
                configuration = configuration.with(param.name.clone(), number);
            }
            let place = format!("block {} parameters {number}", launch.block);
            if program
                .assumptions
                .iter()
                .any(|c| !c.eval(&|x| configuration.value_of(x, 0)).unwrap_or(false))
            {
                found.push((place, Case::Nothing("not as assumed")));
                continue;
            }
            found.push((place, compare(tree, &program, &configuration)));
        }
    }
    found
}

#[test]
fn kernels_do_what_their_translation_does() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus");
    let only = std::env::var("BABYCUDA_CORPUS").ok();
    let mut tally: BTreeMap<String, usize> = BTreeMap::new();
    let (mut wrong, mut kernels) = (Vec::new(), BTreeSet::new());
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    for path in files {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.extension().is_none_or(|e| e != "cu") || only.as_ref().is_some_and(|o| *o != name) {
            continue;
        }
        for (place, case) in cases(&std::fs::read_to_string(&path).unwrap()) {
            let word = match &case {
                Case::Same => {
                    kernels.insert(name.clone());
                    "same"
                }
                Case::Nothing(why) => why,
                Case::Different(what) => {
                    wrong.push(format!("{name}, {place}: {what}"));
                    "different"
                }
            };
            *tally.entry(word.to_owned()).or_default() += 1;
        }
    }
    println!("{tally:#?}\n{} kernels", kernels.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(only.is_some() || kernels.len() >= 60, "{tally:?}");
}

#[test]
fn a_difference_is_seen() {
    let parsed = |source: &str| {
        let kernels = parse_cuda(source, &Options::default()).unwrap();
        let Translation::Program(program) = kernels[0].translation.clone() else { panic!() };
        program
    };
    let one = "__global__ void k(int *a) { a[threadIdx.x] = 1; }";
    let at = Configuration::threads(4);
    assert_eq!(compare(&tree(one), &parsed(one), &at), Case::Same);
    for other in
        ["a[threadIdx.x + 1] = 1;", "a[threadIdx.x] = 2;", "__syncthreads(); a[threadIdx.x] = 1;"]
    {
        let other = one.replace("a[threadIdx.x] = 1;", other);
        let case = compare(&tree(one), &parsed(&other), &at);
        assert!(matches!(case, Case::Different(_)), "{case:?}");
    }
}
