//! What data decides in the kernels of the corpus, and through which reads: `docs/CERTAINTY.md`.
//!
//! `BABYCUDA_BLESS=1` writes the page anew.

use babycuda::core::syntax::{Contents, Stmt, Tree};
use babycuda::core::{AccessMode, Name, Num, Program, Site};
use babycuda::frontend::directives::{Check, Expected, directives};
use babycuda::frontend::{Options, Translation, parse_cuda};
use babycuda::typing::{
    AccessCertainty, DataFlow, DataSource, approximate, type_program, type_relative,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::iter::successors;
use std::path::Path;

const INTRODUCTION: &str = "\
# What data decides

For each kernel of the corpus: has it a type, by itself or relative to what the host stored
(`docs/THEORY.md`, T11); how many of its accesses rest on nothing, on what the host stored in arrays that
the kernel only reads, and on other data; and through which reads. An access that rests on nothing happens
in every run, whatever the arrays hold; of one that rests on the host's contents, an alarm comes with
contents on which it is a race. Copies of a statement count once. `a:7` is the array `a` on line 7;
`unknown` stands for what the front end does not express. A kernel may have a type though accesses rest on
data: names of data that decide nothing are no obstacle; and none though all rest on nothing.

The page is written by its test: `BABYCUDA_BLESS=1 cargo test -p babycuda-tests --test certainty`.

";

/// What an access rests on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Basis {
    Nothing,
    Inputs,
    Data,
}

/// A kernel of the corpus and what typing says of it.
struct Kernel {
    name: String,
    program: Program,
    checks: Vec<Check>,
    inputs: BTreeSet<Name>,
    /// The copies of each access of an array that the kernel declares.
    accesses: BTreeMap<Site, Vec<AccessCertainty>>,
}

impl Kernel {
    /// `None`: it is not translated.
    fn read(path: &Path) -> Option<Kernel> {
        let source = std::fs::read_to_string(path).unwrap();
        let checks = directives(&source).unwrap().checks;
        let words = checks[0].flags.windows(2).filter(|words| words[0] == "-D");
        let define = |words: &[String]| {
            let (name, value) = words[1].split_once('=').unwrap();
            (name.to_owned(), value.to_owned())
        };
        let options = Options { defines: words.map(define).collect(), ..Options::default() };
        let Translation::Program(program) =
            parse_cuda(&source, &options).unwrap().remove(0).translation
        else {
            return None;
        };
        let mut accesses = BTreeMap::<Site, Vec<AccessCertainty>>::new();
        for access in approximate(&program).accesses {
            if !matches!(program.contents(&access.array), Contents::Opaque | Contents::Undefined) {
                accesses.entry(access.site).or_default().push(access);
            }
        }
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let inputs = program.inputs();
        Some(Kernel { name, program, checks, inputs, accesses })
    }

    fn line(&self, site: Site) -> u32 {
        self.program.sources.spans[&site].line
    }

    fn place(&self, array: &Name, site: Site) -> String {
        let opaque = *self.program.contents(array) == Contents::Opaque;
        let array = if opaque { "unknown" } else { array.as_str() };
        format!("{array}:{}", self.line(site))
    }

    /// The reads that decide an access, each with those that decide its index.
    fn reads(copies: &[AccessCertainty]) -> impl Iterator<Item = &DataFlow> {
        let flows = copies.iter().flat_map(AccessCertainty::flows);
        flows.flat_map(|flow| successors(Some(flow), |flow| flow.index.as_deref()))
    }

    /// Those of them that read what is no input.
    fn data<'a>(&'a self, copies: &'a [AccessCertainty]) -> impl Iterator<Item = &'a DataFlow> {
        Self::reads(copies).filter(|flow| !self.inputs.contains(&flow.array))
    }

    fn basis(&self, copies: &[AccessCertainty]) -> Basis {
        match (Self::reads(copies).next(), self.data(copies).next()) {
            (None, _) => Basis::Nothing,
            (Some(_), None) => Basis::Inputs,
            (Some(_), Some(_)) => Basis::Data,
        }
    }

    /// Has it a type, and which?
    fn typed(&self) -> &'static str {
        match (type_program(&self.program), type_relative(&self.program)) {
            (Ok(_), _) => "yes",
            (_, Ok(_)) => "host",
            _ => "no",
        }
    }

    fn count(&self, basis: Basis) -> usize {
        self.accesses.values().filter(|copies| self.basis(copies) == basis).count()
    }

    /// The accesses that rest on something, with the reads.
    fn chains(&self, basis: Basis) -> String {
        let resting = self.accesses.iter().filter(|(_, copies)| self.basis(copies) == basis);
        let chains = resting.map(|(site, copies)| {
            let through: BTreeSet<String> =
                Self::reads(copies).map(|flow| self.place(&flow.array, flow.site)).collect();
            let through: Vec<String> = through.into_iter().collect();
            let (mode, place) = (copies[0].mode, self.place(&copies[0].array, *site));
            format!("{mode} {place} by {}", through.join(", "))
        });
        chains.collect::<BTreeSet<String>>().into_iter().collect::<Vec<_>>().join("; ")
    }

    /// The accesses of the races that the file states; none, where it states none.
    fn racing(&self) -> Vec<&[AccessCertainty]> {
        let stated = self.checks.iter().filter_map(|check| match &check.expected[0] {
            Expected::Racy { kind, array, lines } => Some((kind, array, lines)),
            _ => None,
        });
        let racing = stated.flat_map(|(kind, array, lines)| {
            let of_race = |access: &AccessCertainty| {
                let line = self.line(access.site);
                *access.array == **array
                    && (line == lines.0 || line == lines.1)
                    && (kind != "ww" || access.mode == AccessMode::Wr)
            };
            let found = self.accesses.values().filter(|copies| of_race(&copies[0]));
            let found: Vec<_> = found.map(Vec::as_slice).collect();
            assert!(!found.is_empty(), "{}: no {kind} {array} {lines:?}", self.name);
            found
        });
        racing.collect()
    }

    /// What the races that the file states rest on; `None`: it states none.
    fn races(&self) -> Option<Basis> {
        self.racing().into_iter().map(|copies| self.basis(copies)).max()
    }

    fn row(&self) -> String {
        let [nothing, inputs, data] =
            [Basis::Nothing, Basis::Inputs, Basis::Data].map(|basis| self.count(basis));
        let (by_host, by_data) = (self.chains(Basis::Inputs), self.chains(Basis::Data));
        let (name, typed) = (&self.name, self.typed());
        format!("| {name} | {typed} | {nothing} | {inputs} | {data} | {by_host} | {by_data} |\n")
    }
}

/// What the text of a kernel says of its reads.
#[derive(Default)]
struct Text {
    /// How many barriers that every thread passes stand before a site.
    barriers: BTreeMap<Site, usize>,
    /// The same of the last write or update of each array.
    last: BTreeMap<Name, usize>,
    /// The reads of cells that the thread itself has just written.
    own: BTreeSet<Site>,
    /// How many such barriers there were so far.
    now: usize,
}

impl Text {
    fn of(program: &Program) -> Text {
        let mut text = Text::default();
        text.walk(&program.body, true, &mut Vec::new());
        text
    }

    /// `mine`: the cells that the thread has written since the last barrier.
    fn walk<'a>(&mut self, b: &'a Stmt, always: bool, mine: &mut Vec<(&'a Name, &'a Num)>) {
        if let Some(array) = b.head().written() {
            self.last.insert(array.clone(), self.now);
        }
        self.barriers.extend(b.site().map(|site| (site, self.now)));
        match b {
            Stmt::Skip => {}
            Stmt::Write { array, index, .. } => mine.push((array, index)),
            Stmt::Read { site, array, index, body, .. } => {
                if mine.contains(&(array, index)) {
                    self.own.insert(*site);
                }
                self.walk(body, always, mine);
            }
            Stmt::Atomic { body, .. } => self.walk(body, always, mine),
            Stmt::Seq(b, c) => {
                self.walk(b, always, mine);
                self.walk(c, always, mine);
            }
            Stmt::If { then, otherwise, .. } => {
                self.walk(then, false, &mut mine.clone());
                self.walk(otherwise, false, &mut mine.clone());
            }
            Stmt::For { body, .. } => self.walk(body, false, &mut Vec::new()),
            Stmt::Sync { .. } => self.now += usize::from(always),
        }
        if b.has_sync() {
            mine.clear();
        }
    }

    /// Is the array written before some barrier only, and read behind it?
    fn settled(&self, flow: &DataFlow) -> bool {
        let (read, last) = (self.barriers.get(&flow.site), self.last.get(&flow.array));
        flow.source == DataSource::Written && !flow.atomic && read > last
    }

    fn own(&self, flow: &DataFlow) -> bool {
        !flow.atomic && self.own.contains(&flow.site)
    }
}

fn percent(part: usize, whole: usize) -> String {
    format!("{part} ({:.1} %)", 100.0 * part as f64 / whole as f64)
}

fn page(kernels: &[Kernel], others: &[String]) -> String {
    let mut page = INTRODUCTION.to_owned();
    let all = kernels.len();
    let typed = |wanted| kernels.iter().filter(|k| k.typed() == wanted).count();
    let (yes, host) = (typed("yes"), typed("host"));
    let races: Vec<Basis> = kernels.iter().filter_map(Kernel::races).collect();
    let racy = |most| races.iter().filter(|basis| **basis <= most).count();
    let of = |basis| kernels.iter().map(|k| k.count(basis)).sum::<usize>();
    let [nothing, inputs, data] = [Basis::Nothing, Basis::Inputs, Basis::Data].map(of);
    let accesses = nothing + inputs + data;
    page += "| totals | count |\n|---|---|\n";
    let mut line = |what: &str, count: String| writeln!(page, "| {what} | {count} |").unwrap();
    line("kernels that are translated", all.to_string());
    line("with a type", percent(yes, all));
    line("with a type, by themselves or relative to the host", percent(yes + host, all));
    line("kernels whose files state races", races.len().to_string());
    line("all of whose stated races rest on nothing", percent(racy(Basis::Nothing), races.len()));
    line(
        "all of whose stated races rest on nothing or on what the host stored",
        percent(racy(Basis::Inputs), races.len()),
    );
    line("accesses", accesses.to_string());
    line("that rest on nothing", percent(nothing, accesses));
    line("that rest on what the host stored", percent(inputs, accesses));
    line("that rest on other data", percent(data, accesses));
    page += &published(kernels);
    page += &gains(kernels, data);
    page += "\n| kernel | type | nothing | host | data | what the host's contents decide | what other data decides |\n";
    page += "|---|---|---|---|---|---|---|\n";
    kernels.iter().for_each(|kernel| page += &kernel.row());
    if !others.is_empty() {
        let _ = write!(page, "\nNot translated: {}.\n", others.join(", "));
    }
    page
}

/// Why the figure is not the published one.
fn published(kernels: &[Kernel]) -> String {
    let resting = |basis| kernels.iter().filter(move |k| k.races() == Some(basis));
    let through = |known: &dyn Fn(&DataFlow) -> bool| {
        let by = |k: &&Kernel| k.racing().into_iter().any(|copies| k.data(copies).any(known));
        resting(Basis::Data).filter(by).count()
    };
    let (inputs, data) = (resting(Basis::Inputs).count(), resting(Basis::Data).count());
    let atomic = through(&|flow| flow.atomic);
    let opaque = through(&|flow| flow.source == DataSource::Opaque);
    let written = through(&|flow| flow.source == DataSource::Written && !flow.atomic);
    format!(
        "
The published figure is 59.5 % of programs all of whose alarms are independent of data. The row to hold
beside it is the one of races that rest on nothing; it counts other programs, of which many were chosen
because they read data. Of the kernels that fall out, {inputs} have races that rest on what the host stored
alone. They have a type relative to it, and an alarm on them comes with contents on which it is a race; but
another graph has other races, and no rule can make an index that is read in memory one that is not. The
other {data} rest on data: {atomic} on what an atomic update yields, {opaque} on what the front end does not
express, {written} on an array that the kernel writes (a kernel may do several of these).

"
    )
}

/// What types could still gain: the accesses that rest on other data, by what is read there; and the
/// kernels in which all such accesses are of that kind.
fn gains(kernels: &[Kernel], data: usize) -> String {
    let (mut counts, mut whole) = ([0; 6], [0; 6]);
    for kernel in kernels {
        let text = Text::of(&kernel.program);
        let resting = kernel.accesses.values().filter(|copies| kernel.basis(copies) == Basis::Data);
        let mut here = [true; 6];
        let any_rests = resting.clone().next().is_some();
        for copies in resting {
            let all = |known: &dyn Fn(&DataFlow) -> bool| kernel.data(copies).all(known);
            let any = |known: &dyn Fn(&DataFlow) -> bool| kernel.data(copies).any(known);
            let found = [
                all(&|flow| text.settled(flow)),
                all(&|flow| text.own(flow)),
                all(&|flow| text.settled(flow) || text.own(flow)),
                any(&|flow| flow.source == DataSource::Opaque),
                any(&|flow| flow.atomic),
                any(&|flow| flow.source == DataSource::Written && !flow.atomic),
            ];
            counts.iter_mut().zip(found).for_each(|(count, found)| *count += usize::from(found));
            here.iter_mut().zip(found).for_each(|(here, found)| *here &= found);
        }
        let of_all = here.map(|here| here && any_rests);
        whole.iter_mut().zip(of_all).for_each(|(count, all)| *count += usize::from(all));
    }
    let what = [
        "all of it in arrays that are written before some barrier only, and read behind it",
        "all of it in cells that the thread itself has just written",
        "all of it in one or the other",
        "some of it not expressed by the front end",
        "some of it a value that an atomic update yields",
        "some of it in an array that the kernel writes",
    ];
    let mut table = format!(
        "| the {data} accesses that rest on other data: what is read | accesses | all such accesses of a kernel |\n\
         |---|---|---|\n"
    );
    for (what, (count, whole)) in what.iter().zip(counts.into_iter().zip(whole)) {
        let _ = writeln!(table, "| {what} | {} | {whole} |", percent(count, data));
    }
    let (settled, own) = (whole[0], whole[2] - whole[0]);
    let _ = write!(
        table,
        "
What typing could still gain: a rule for reads of arrays that no thread writes behind the barrier that
comes before would give {settled} more kernels a type relative to the host, if what was written there is
known to be independent of data; one for reads of a thread's own cells {own} more. All others need what no
rule of this calculus says.
"
    );
    table
}

#[test]
fn the_page_says_what_typing_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let entries = std::fs::read_dir(root.join("corpus")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "cu"));
    paths.sort();
    let (mut kernels, mut others) = (Vec::new(), Vec::new());
    for path in paths {
        match Kernel::read(&path) {
            Some(kernel) => kernels.push(kernel),
            None => others.push(path.file_stem().unwrap().to_string_lossy().into_owned()),
        }
    }
    let found = page(&kernels, &others);
    let path = root.join("../docs/CERTAINTY.md");
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == found, "docs/CERTAINTY.md: BABYCUDA_BLESS=1 writes it anew");
}
