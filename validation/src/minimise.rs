//! From a program that fails to a small one that fails alike, run anew on the back end at each step.

use crate::claims::{Claim, Explanation, validate};
use crate::reference::Class;
use crate::trial::Trial;
use babycuda_campaign::reduce;
use babycuda_core::launch::WARP_SIZE;
use babycuda_core::syntax::{AtomicOp, Contents, Extent, Scope, Space, Tree};
use babycuda_core::{Name, Natural, Program, Stmt};
use babycuda_gpu::{Backend, BackendName, Device, Failure, Job, Report, Runner};
use babycuda_testkit::shrink::smaller_programs;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What of a program's runs fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failing {
    /// The claim that does not hold; none where the device gave no report.
    pub claim: Option<Claim>,
    /// Does each cell by itself hold to it, so that only a weaker memory explains the run?
    pub beyond_interleavings: bool,
    /// What the theory says of the program.
    pub class: Class,
    /// Why the run may differ from the big-step history, where it does.
    pub explanation: Option<Explanation>,
    /// Why.
    pub why: String,
}

impl Failing {
    /// The same, but for the words?
    pub fn is_like(&self, other: &Failing) -> bool {
        let judgment = |f: &Failing| (f.claim, f.beyond_interleavings, f.class, f.explanation);
        judgment(self) == judgment(other)
    }
}

/// Runs a program, and says what came of each run.
pub type Runs<'a> = dyn FnMut(&Trial) -> Vec<Result<Report, Failure>> + 'a;

/// Runs of programs on the back end: so many of each, under the jitters that the number chooses.
pub fn runs_on(
    backend: &mut dyn Backend,
    number: u64,
    runs: usize,
) -> impl FnMut(&Trial) -> Vec<Result<Report, Failure>> {
    move |trial| {
        let jobs: Vec<Vec<Job>> = trial.jobs(number, runs).collect();
        let grids: Vec<&[Job]> = jobs.iter().map(Vec::as_slice).collect();
        let reports = Runner::new(backend).run_grids(&grids).into_iter();
        reports.map(|blocks| trial.report(blocks?)).collect()
    }
}

/// Runs a program on the back end of this name; what fails first, if something does. Where `beyond`
/// is set, runs that no interleaving explains count on every device.
pub fn failing(
    name: BackendName,
    runs: &mut Runs<'_>,
    program: &Program,
    beyond: bool,
) -> Option<Failing> {
    let trial = Trial::new(program).ok()?;
    let class = trial.reference.class();
    runs(&trial).into_iter().find_map(|report| {
        let fails = |claim, explanation, weak: bool, why: &str| {
            let why = why.to_owned();
            Failing { claim, beyond_interleavings: weak, class, explanation, why }
        };
        let report = match report {
            Ok(report) => report,
            Err(failure) => return Some(fails(None, None, false, &failure.to_string())),
        };
        let verdict = validate(&trial.reference, &report);
        let weak = verdict.beyond_interleavings();
        if let Some((claim, why)) = verdict.failure(name) {
            return Some(fails(Some(claim), verdict.explanation, weak == Some(why), why));
        }
        let claim = Some(Claim::ValuesAreOfAnInterleaving);
        weak.filter(|_| beyond).map(|why| fails(claim, verdict.explanation, true, why))
    })
}

/// A small program, with how it fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Least {
    /// The program.
    pub program: Program,
    /// How it fails.
    pub failing: Failing,
}

/// The smallest program found that fails alike, in so many tries. `None` if the program does not
/// fail again.
pub fn minimise(
    name: BackendName,
    runs: &mut Runs<'_>,
    program: &Program,
    beyond: bool,
    tries: usize,
) -> Option<Least> {
    let first = failing(name, runs, program, beyond)?;
    let like = first.clone();
    let same = |p: &Program| failing(name, runs, p, beyond).filter(|f| f.is_like(&like));
    let (program, failing) = reduce((program.clone(), first), smaller, same, tries);
    Some(Least { program, failing })
}

impl Least {
    /// The text of a `.bcuda` file that says what does not hold, and why.
    pub fn text(&self, device: &Device) -> String {
        let Failing { claim, class, why, .. } = &self.failing;
        let claim = claim.map_or_else(|| "a report for every run".to_owned(), |c| c.to_string());
        let Device { backend, name, driver, .. } = device;
        let head =
            format!("does not hold: {claim}\non {backend}, {name} ({driver})\n{class}\n{why}");
        let head: String = head.lines().map(|line| format!("// {line}\n")).collect();
        format!("{head}\n{}", self.program)
    }

    /// A text that all have which are the same but for names.
    pub fn key(&self) -> String {
        let Failing { claim, beyond_interleavings, .. } = &self.failing;
        format!("{claim:?}, {beyond_interleavings}:\n{}", with_plain_names(&self.program))
    }
}

/// Programs that are a little smaller: without what is not used, with fewer threads, with plainer
/// arrays and updates, with a number in place of a parameter; or with a smaller body.
fn smaller(program: &Program) -> impl Iterator<Item = Program> + use<> {
    let mut results = Vec::new();
    let mut changed = |change: &dyn Fn(&mut Program)| {
        let mut copy = program.clone();
        change(&mut copy);
        if copy != *program {
            results.push(copy);
        }
    };
    changed(&drop_unused);
    changed(&|p| p.geometry.grid = None);
    changed(&|p| p.geometry.warp = WARP_SIZE);
    for side in 0..3 {
        changed(&|p| {
            if let Some(Extent::Known(n @ 2..)) =
                p.geometry.grid.as_mut().map(|grid| &mut grid[side])
            {
                *n -= 1;
            }
        });
        for fewer in [|n: u32| n / 2, |n: u32| n - 1] {
            changed(&|p| {
                if let Extent::Known(n @ 2..) = &mut p.geometry.block[side] {
                    *n = fewer(*n);
                }
            });
        }
    }
    for at in 0..program.params.len() {
        changed(&|p| {
            if let Some(value) = p.params.remove(at).value {
                p.body = p.body.subst_value(&program.params[at].name, &value);
            }
        });
    }
    for at in 0..program.arrays.len() {
        changed(&|p| p.arrays[at].contents = Contents::Fill(Natural::zero()));
        changed(&|p| p.arrays[at].space = Space::Shared);
        changed(&|p| p.arrays[at].length = None);
    }
    changed(&|p| p.body = with_plain_atomics(&p.body));
    results.into_iter().chain(smaller_programs(program))
}

/// The body with additions for atomic updates of any kind, and of one scope.
fn with_plain_atomics(body: &Stmt) -> Stmt {
    let mut plain = body.map_children(|child| Arc::new(with_plain_atomics(child)));
    if let Stmt::Atomic { update, scope, .. } = &mut plain {
        (update.op, update.expected) = (AtomicOp::Add(None), None);
        *scope = Scope::Device;
    }
    plain
}

fn drop_unused(program: &mut Program) {
    let (arrays, variables) = (program.body.arrays(), program.body.free_vars());
    program.arrays.retain(|array| arrays.contains(&array.name));
    program.params.retain(|param| variables.contains(&param.name));
}

/// The text of the program with its names numbered, in the order in which they come.
fn with_plain_names(program: &Program) -> String {
    let binders = program.body.subterms().filter_map(|b| b.view().binder);
    let names = program.arrays.iter().map(|array| &array.name);
    let names = names.chain(program.params.iter().map(|param| &param.name)).chain(binders);
    let own: Vec<&Name> = names.chain([&program.name]).collect();
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let text = program.to_string();
    let is_part = |c: char| c.is_alphanumeric() || "_$".contains(c);
    let mut plain = String::new();
    let mut rest = &*text;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len()).max(first.len_utf8());
        let (word, after) = rest.split_at(length);
        // Of `threadIdx.x` the last part is no name, of `0..n` it is.
        let is_member = plain.ends_with('.') && !plain.ends_with("..");
        if !is_member && own.iter().any(|name| ***name == *word) {
            let next = numbers.len();
            plain += &format!("name{}", numbers.entry(word).or_insert(next));
        } else {
            plain += word;
        }
        rest = after;
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use babycuda_core::parse::parse_program;

    fn program(text: &str) -> Program {
        parse_program(text).expect("a program")
    }

    #[test]
    fn programs_that_differ_in_names_are_the_same() {
        let of = |text| with_plain_names(&program(text));
        let one = "kernel k; threads 2; param n = 3; shared A[4] = fill 0;
            let x = A[tid + n] in A[x] := x0 + n";
        let one = one.replace("x0", "x");
        let other = one.replace("A[", "Barn[").replace('x', "y").replace(" n", " m");
        let other = other.replace("kernel k", "kernel other");
        assert_eq!(of(&one), of(&other));
        assert_ne!(of(&one), of(&one.replace("A[x] := x", "A[x] := tid")));
    }

    #[test]
    fn what_is_not_used_is_dropped_first() {
        let text = "kernel k; threads 2; param n = 3; param m = 1;
            shared A[4] = fill 0; shared B[4] = fill 1; B[tid + m] := 1";
        let least = smaller(&program(text)).next().expect("a smaller one");
        assert_eq!(least.arrays.len(), 1);
        assert_eq!(least.params.len(), 1);
        assert_eq!(least.body, program(text).body);
    }
}
