//! The programs of the five papers (`examples/paper`): the program says of each what its head expects. Tables and traces
//! have no head; what is found of them is computed here. `README.md` there lists them all.
//!
//! A head is a comment, a line for each item; lines that begin with three spaces go on:
//!
//! ```text
//! // place: where it stands in its paper
//! // paper: what the paper says of it
//! // history: a document of the history that its first run has
//! // expect: COMMAND => STATUS | TEXT | TEXT
//! // why: where the two differ, and why
//! ```
//!
//! COMMAND is that of `babycuda` without the file (one that it names, a machine, stands last), STATUS how it exits, and each TEXT stands in what it prints.

mod support;

use babycuda_core::History;
use babycuda_core::json::from_json;
use babycuda_core::shadow::{Chain, INIT, Label, Machine, State, mode_letter};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use support::{Ran, babycuda, has_clang, root, validate};

const FOLDER: &str = "examples/paper";

/// What stands at the head of a file.
#[derive(Default)]
struct Head {
    place: String,
    paper: String,
    history: Option<String>,
    expectations: Vec<Expectation>,
    why: String,
}

struct Expectation {
    command: String,
    status: i32,
    texts: Vec<String>,
}

fn names() -> Vec<String> {
    let files = std::fs::read_dir(root().join(FOLDER)).unwrap().map(|file| file.unwrap());
    let mut names: Vec<_> = files.map(|f| f.file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "README.md");
    names.sort();
    names
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(FOLDER).join(name)).unwrap()
}

/// The head of a file; a mistake in it is a failure.
fn head(name: &str) -> Head {
    let mut items: Vec<(String, String)> = Vec::new();
    for line in read(name).lines().map_while(|line| line.strip_prefix("//").map(str::to_owned)) {
        match (line.strip_prefix("   "), items.last_mut()) {
            (Some(more), Some((_, text))) => *text += &format!(" {}", more.trim()),
            _ => {
                let item = line.trim().split_once(": ");
                let (key, text) = item.unwrap_or_else(|| panic!("{name}: no item: `{line}`"));
                items.push((key.to_owned(), text.to_owned()));
            }
        }
    }
    let mut head = Head::default();
    for (key, text) in items {
        match key.as_str() {
            "place" => head.place = text,
            "paper" => head.paper = text,
            "history" => head.history = Some(text),
            "why" => head.why = text,
            "expect" => head.expectations.push(expectation(name, &text)),
            _ => panic!("{name}: an item of no kind: `{key}`"),
        }
    }
    assert!(!head.place.is_empty() && !head.paper.is_empty(), "{name}: no place, or no paper");
    assert!(!head.expectations.is_empty(), "{name} expects nothing");
    head
}

fn expectation(name: &str, text: &str) -> Expectation {
    let parts = text.split_once(" => ").and_then(|(command, rest)| {
        let mut parts = rest.split(" | ").map(|part| part.trim().to_owned());
        let status = parts.next()?.parse().ok()?;
        Some(Expectation { command: command.to_owned(), status, texts: parts.collect() })
    });
    let found = parts.unwrap_or_else(|| panic!("{name}: no expectation: `{text}`"));
    assert!(
        !found.texts.is_empty(),
        "{name}: an exit status alone may have another reason: `{text}`"
    );
    found
}

/// Runs a command on a file.
fn run(name: &str, command: &str) -> Ran {
    let mut words = command.split_whitespace().collect::<Vec<_>>();
    let path = format!("{FOLDER}/{name}");
    words.insert(1, &path);
    babycuda(&words, "")
}

/// The files that have a head. Others cannot have one: they stand in one, or are documents.
fn programs() -> Vec<String> {
    let mut names = names();
    names.retain(|name| {
        [".cl", ".cu", ".bcuda", ".map"].iter().any(|ending| name.ends_with(ending))
    });
    names
}

/// OpenCL C is read by clang alone.
fn readable(name: &str) -> bool {
    !name.ends_with(".cl") || has_clang()
}

#[test]
fn the_program_says_what_each_file_expects() {
    let programs = programs();
    let named: BTreeSet<String> = std::thread::scope(|scope| {
        let readable = programs.iter().filter(|name| readable(name));
        let threads: Vec<_> = readable.map(|name| scope.spawn(|| is_as_expected(name))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let others = names().into_iter().filter(|name| !programs.contains(name));
    let documents = DOCUMENTS.iter().map(|document| document.name.to_owned());
    let known: BTreeSet<String> = named.into_iter().chain(documents).collect();
    assert!(others.eq(known), "a file that no program names, and no document is");
}

/// The documents that the head of a file names.
fn is_as_expected(name: &str) -> BTreeSet<String> {
    let mut documents = BTreeSet::new();
    let head = head(name);
    for expected in &head.expectations {
        let ran = run(name, &expected.command);
        ran.ends(expected.status);
        let named = expected.command.split_once(FOLDER);
        documents.extend(named.map(|(_, file)| file[1..].to_owned()));
        for text in &expected.texts {
            let said = ran.out.contains(text) || ran.err.contains(text);
            ran.holds(said, text);
        }
    }
    if let Some(document) = head.history {
        has_the_history(name, &head.expectations[0], &document);
        documents.insert(document);
    }
    documents
}

/// The run of the first expectation has the history of the document.
fn has_the_history(name: &str, expected: &Expectation, document: &str) {
    let document = read(document);
    validate("history", &document).unwrap_or_else(|e| panic!("{name}: {e}"));
    let printed: History = from_json(&document).unwrap_or_else(|e| panic!("{name}: {e}"));
    let run = &run(name, &format!("{} --format json", expected.command)).json()["runs"][0];
    let threads = |phase: &Value| -> Value {
        let threads = phase["threads"].as_array().unwrap().iter();
        let accesses = |t: &Value| json!({ "reads": t["reads"], "writes": t["writes"] });
        threads.map(|t| (t["thread"].to_string(), accesses(t))).collect()
    };
    let phases: Vec<Value> = run["phases"].as_array().unwrap().iter().map(threads).collect();
    let content = json!({ "phases": phases });
    let ran = json!({ "format": "babycuda/history", "version": 1, "content": content });
    let ran: History = from_json(&ran.to_string()).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(ran.to_string(), printed.to_string(), "{name}");
    let races: Vec<String> = printed.races().map(|race| race.to_string()).collect();
    assert_eq!(run["races"], json!(races), "{name}");
}

/// Three columns of one figure are one program: what the second has for a type stands in the third.
#[test]
fn types_are_the_protocols_of_the_right_column() {
    for name in ["lcl22-fig3", "lcl22-fig4"] {
        let inferred = run(&format!("{name}.bcuda"), "type");
        let lines = |text: &str| -> String {
            let code = text.lines().filter(|l| !l.starts_with("//") && !l.starts_with("param"));
            code.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
        };
        inferred.says(&lines(&read(&format!("{name}.map"))));
    }
}

/// A text in code quotes, columns closed up.
fn code(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

const GENERATED: &str = "<!-- generated -->\n";

/// The page lists every file, with what is found of it; `BABYCUDA_BLESS=1` writes what stands behind its mark.
#[test]
fn the_page_lists_them() {
    let mut table = String::from(
        "| file | place | the paper says | the library says | and why |\n|---|---|---|---|---|\n",
    );
    for name in &programs() {
        let head = head(name);
        let said = head.expectations.iter().map(|e| {
            let texts: Vec<String> = e.texts.iter().map(|text| code(text)).collect();
            format!("`{}`: exit {}, {}", e.command, e.status, texts.join(", "))
        });
        let said = said.collect::<Vec<_>>().join("<br>");
        let cells = [&head.place, &head.paper, &said, &head.why].map(|c| c.replace('|', "\\|"));
        writeln!(table, "| [{name}]({name}) | {} |", cells.join(" | ")).unwrap();
    }
    table += "\n## Tables and traces\n\n| file | place | the paper says | what is found |\n|---|---|---|---|\n";
    for Document { name, place, findings } in DOCUMENTS {
        for (paper, found) in findings() {
            writeln!(table, "| [{name}]({name}) | {place} | {paper} | {found} |").unwrap();
        }
    }
    let path = root().join(FOLDER).join("README.md");
    let found = std::fs::read_to_string(&path).unwrap();
    let (introduction, _) = found.split_once(GENERATED).expect("the mark");
    let page = format!("{introduction}{GENERATED}{table}");
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let stale = found != page && std::env::var_os("BABYCUDA_BLESS").is_none();
    assert!(!stale, "{} is stale: BABYCUDA_BLESS=1 writes it", path.display());
}

/// A file that can have no head.
struct Document {
    name: &'static str,
    place: &'static str,
    findings: fn() -> Vec<Finding>,
}

/// What the paper says, and what is found: computed, or asserted where it is said.
type Finding = (&'static str, String);

const DOCUMENTS: &[Document] = &[
    Document {
        name: "lcl22-fig1.csv",
        place: "LCL22, Fig. 1: the diagram, with what its text says of the three examples",
        findings: lcl22_fig1,
    },
    Document { name: "skbg18-table1.csv", place: "SKBG18, Table 1", findings: skbg18_table1 },
    Document { name: "skbg18-table2.csv", place: "SKBG18, Table 2", findings: skbg18_table2 },
    Document { name: "skbg18-table3.csv", place: "SKBG18, Table 3", findings: skbg18_table3 },
    Document { name: "skbg18-table4.csv", place: "SKBG18, Table 4", findings: skbg18_table4 },
    Document { name: "dd-table1.txt", place: "DD, Table 1", findings: dd_table1 },
    Document { name: "lgagjl12-fig4.csv", place: "LGAGJL12, Fig. 4", findings: lgagjl12_fig4 },
    Document { name: "hirace-table1.csv", place: "HiRace, Table I", findings: hirace_table1 },
    Document { name: "hirace-table2.csv", place: "HiRace, Table II", findings: hirace_table2 },
    Document {
        name: "hirace-fig4.csv",
        place: "HiRace, Fig. 4: the steps that its text has, `*` for any",
        findings: hirace_fig4,
    },
    Document {
        name: "hirace-scenario1-global.jsonl",
        place: "HiRace, §III-A, Scenario 1, at once",
        findings: || trace("hirace-scenario1-global.jsonl", "INIT, READ, GREAD, RACE."),
    },
    Document {
        name: "hirace-scenario1-write.jsonl",
        place: "HiRace, §III-A, Scenario 1, one thread first",
        findings: || trace("hirace-scenario1-write.jsonl", "INIT, READ, WRITE, RACE."),
    },
    Document {
        name: "hirace-scenario2-global.jsonl",
        place: "HiRace, §III-A, Scenario 2, with T110 before the barrier",
        findings: || {
            let paper = "READ, BREAD, GREAD: then “any type of write by any thread” is a race.";
            trace("hirace-scenario2-global.jsonl", paper)
        },
    },
    Document {
        name: "hirace-scenario2-barrier.jsonl",
        place: "HiRace, §III-A, Scenario 2, with T110 behind the write",
        findings: || {
            let paper = "READ, BREAD, WRITE behind the barrier, RACE. (The “red” thread is T011 here, \
                         and T100 before Scenario 1.)";
            trace("hirace-scenario2-barrier.jsonl", paper)
        },
    },
    Document {
        name: "hirace-listing5.jsonl",
        place: "HiRace, §V-C, of Listing 5",
        findings: || {
            let paper = "A tool that keeps one reader misses the race, as the read by thread 1 is lost. (The text \
                         has lines 10 and 5 for what are lines 11 and 8.)";
            trace("hirace-listing5.jsonl", paper)
        },
    },
];

/// Lines of cells, below their heads.
struct Table {
    heads: Vec<String>,
    lines: Vec<Vec<String>>,
}

/// A line of a table.
#[derive(Clone, Copy)]
struct Row<'t> {
    heads: &'t [String],
    cells: &'t [String],
}

impl Table {
    /// A table of a paper. A cell in quotes may have commas.
    fn read(name: &str) -> Table {
        let cells = |line: &str| -> Vec<String> {
            let mut quoted = false;
            let parts = line.split(|c: char| {
                quoted ^= c == '"';
                c == ',' && !quoted
            });
            parts.map(|cell| cell.trim_matches('"').to_owned()).collect()
        };
        Table::new(name, read(name).lines().map(cells).collect())
    }

    /// The table of a page whose heads begin so.
    fn of_page(page: &str, heads: &str) -> Table {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let lines = text.lines().skip_while(|line| !line.starts_with(heads));
        let lines = lines.take_while(|line| line.starts_with('|')).map(|line| {
            let line = line.trim_matches('|');
            line.split('|').map(|cell| cell.trim().to_owned()).collect()
        });
        let mut lines: Vec<Vec<String>> = lines.collect();
        assert!(lines.len() > 2, "{page} has no table of {heads}");
        lines.remove(1);
        Table::new(page, lines)
    }

    fn new(of: &str, mut lines: Vec<Vec<String>>) -> Table {
        let heads = lines.remove(0);
        assert!(lines.iter().all(|line| line.len() == heads.len()), "{of}: a line of other length");
        Table { heads, lines }
    }

    fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.lines.iter().map(|cells| Row { heads: &self.heads, cells })
    }

    fn sum(&self, head: &str) -> f64 {
        self.rows().map(|row| row.number(head)).sum()
    }

    /// In which rows this holds, in words.
    fn which(&self, holds: impl Fn(Row<'_>) -> bool) -> String {
        let all = self.lines.len();
        let not: Vec<String> =
            self.rows().filter(|row| !holds(*row)).map(|row| row.name()).collect();
        match not.len() {
            0 => format!("in all {all} rows"),
            n if n == all => format!("in none of the {all} rows"),
            n => format!("in {} of {all} rows, not in {}", all - n, not.join(", ")),
        }
    }
}

impl<'t> Row<'t> {
    fn text(self, head: &str) -> &'t str {
        let column = self.heads.iter().position(|found| found == head);
        &self.cells[column.unwrap_or_else(|| panic!("no column {head} in {:?}", self.heads))]
    }

    fn number(self, head: &str) -> f64 {
        let text = self.text(head).replace([',', '%'], "");
        text.parse().unwrap_or_else(|_| panic!("{head} is {text}"))
    }

    /// What stands in front, with the error of an experiment.
    fn name(self) -> String {
        let columns = if self.heads[0] == "Error" { 2 } else { 1 };
        self.cells[..columns].join(" ")
    }
}

fn lcl22_fig1() -> Vec<Finding> {
    for row in Table::read("lcl22-fig1.csv").rows() {
        let status = |command: &str| run(row.text("file"), command);
        let typed = row.text("typable kernels") == "yes";
        status("type").ends(i32::from(!typed));
        let parameter = if row.text("example") == "Fig. 3" { " --param M=2" } else { "" };
        let racy = i32::from(row.text("ground truth") == "racy");
        status(&format!("run --block 2{parameter}")).ends(racy);
        let alarm = row.text("Faial verdict") == "racy";
        status("check").ends(if !alarm {
            0
        } else if typed {
            1
        } else {
            3
        });
    }
    let found = "`type`, `run` for two threads and `check` for all numbers of threads, in Faial's place, say the same. The alarm of what \
                 has a type is proven (exit 1). That of Eq. 2, whose run is race-free, stays potential (exit 3).";
    vec![(
        "Where the examples stand: Eq. 2 “falls within the dotted area”, a false alarm.",
        found.to_owned(),
    )]
}

const TWO_THREAD: &str = "docs/TWO_THREAD.md";

/// How `docs/TWO_THREAD.md` calls a benchmark: the paper has three names for one.
fn kernel(benchmark: &str) -> &str {
    if benchmark.starts_with("MIN") { "MIN_MAX" } else { benchmark }
}

fn skbg18_table1() -> Vec<Finding> {
    let table = Table::read("skbg18-table1.csv");
    let ours = Table::of_page(TWO_THREAD, "| kernel | LOC |");
    for row in ours.rows() {
        assert!(row.number("races, repaired") + row.number("divergences, repaired") == 0.0);
        assert!(row.number("races, printed") > 0.0);
        assert!(row.number("conjuncts") > row.number("LOC"));
    }
    let is_ours = |row: Row<'_>| ours.rows().any(|kernel| kernel.name() == row.name());
    let lines = |row: Row<'_>| row.number("LOC") / row.number("#Kernels");
    let mut by_lines: Vec<Row<'_>> = table.rows().collect();
    by_lines.sort_by(|a, b| lines(*a).total_cmp(&lines(*b)));
    let (least, most) = (by_lines[0], by_lines[by_lines.len() - 1]);
    let fewest = ours.rows().map(|row| row.number("LOC")).fold(f64::MAX, f64::min);
    vec![
        (
            "“the number of conjuncts is always greater than the number of lines of codes”",
            format!(
                "So it is {}, and for our kernels.",
                table.which(|row| row.number("#Conjuncts") > row.number("LOC"))
            ),
        ),
        (
            "“because there exists at least one conjunct in each line of code and at least one additional conjunct \
             should be present between any two lines”",
            format!(
                "That makes 2 LOC - 1 at least. So many there are {}.",
                table.which(|row| row.number("#Conjuncts") >= 2.0 * row.number("LOC") - 1.0)
            ),
        ),
        (
            "“there is no data race and barrier divergence for each benchmark”",
            format!(
                "NO and NO {}. Kernels of our own stand for them {} ([TWO_THREAD.md](../../{TWO_THREAD})): by the \
                 repaired reading they have neither, and read to the letter all of them have races.",
                table.which(|row| row.text("DR") == "NO" && row.text("BD") == "NO"),
                table.which(is_ours)
            ),
        ),
        (
            "“detection of barrier divergence time is smaller than the data race detection”",
            format!(
                "So it is {}. (The library has no times of their machine.)",
                table.which(less_for_divergence)
            ),
        ),
        (
            "LOC and #Kernels",
            format!(
                "{} has {:.1} lines for a kernel, the fewest, and {} {:.1}. The smallest of ours has {fewest}.",
                least.name(),
                lines(least),
                most.name(),
                lines(most)
            ),
        ),
    ]
}

fn less_for_divergence(row: Row<'_>) -> bool {
    row.number("BD Time (sec)") < row.number("DR Time (sec)")
}

fn skbg18_table2() -> Vec<Finding> {
    let [table, free] = ["skbg18-table2.csv", "skbg18-table1.csv"].map(Table::read);
    let of = |row: Row<'_>, head: &str| -> f64 {
        let name = kernel(row.text("Benchmarks"));
        free.rows().find(|r| r.name() == name).expect("a row of Table 1").number(head)
    };
    let times = ["DR Time (sec)", "BD Time (sec)"];
    let longer = |row: Row<'_>| times.iter().all(|head| row.number(head) > of(row, head));
    let exceptions = table.rows().filter(|row| !longer(*row)).map(|row| {
        let pairs = times.map(|head| format!("{} s for {} s", row.text(head), of(row, head)));
        pairs.join(", ")
    });
    let ours = Table::of_page(TWO_THREAD, "| error | kernel | line |");
    let is_ours = |row: Row<'_>| {
        let same = |r: &Row<'_>| {
            r.text("error") == row.text("Error")
                && r.text("kernel") == kernel(row.text("Benchmarks"))
        };
        let mut same = ours.rows().filter(same).peekable();
        same.peek().is_some() && same.all(|row| row.number("races") > 0.0)
    };
    assert_eq!(ours.sum("divergences"), 0.0);
    vec![
        (
            "“in all cases, the actual data race and barrier divergence detection time is higher than the data race \
             free and barrier divergence free detection time”",
            format!(
                "Beside Table 1 so it is {}: {}.",
                table.which(longer),
                exceptions.collect::<Vec<_>>().join("; ")
            ),
        ),
        (
            "Detection of divergence takes less time (§6.1).",
            format!("So it does {}.", table.which(less_for_divergence)),
        ),
        (
            "An error makes races and divergences (#DR, #BD).",
            format!(
                "#DR is above 0 {}, #BD {}; in all {} and {}. With such an error in our kernel \
                 ([TWO_THREAD.md](../../{TWO_THREAD})) there is a race {}, and never a divergence: what is left of \
                 the barriers is reached as before.",
                table.which(|row| row.number("#DR") > 0.0),
                table.which(|row| row.number("#BD") > 0.0),
                table.sum("#DR"),
                table.sum("#BD"),
                table.which(is_ours)
            ),
        ),
    ]
}

fn skbg18_table3() -> Vec<Finding> {
    let [table, second, free] =
        ["skbg18-table3.csv", "skbg18-table2.csv", "skbg18-table1.csv"].map(Table::read);
    let counts =
        |head: &&String| head.contains("formulae") || head.to_lowercase().contains("conjuncts");
    assert_eq!(second.heads.iter().filter(counts).count(), 0);
    let fewer = |row: Row<'_>| {
        let name = kernel(row.text("Benchmarks"));
        let whole = free.rows().find(|r| r.name() == name).expect("a row of Table 1");
        row.number("Counter Model size: # conjuncts") < whole.number("#Conjuncts")
    };
    let wholes = Table::of_page(TWO_THREAD, "| kernel | LOC |");
    for row in Table::of_page(TWO_THREAD, "| error | kernel | line |").rows() {
        let whole = wholes.rows().find(|w| w.name() == row.text("kernel")).expect("its kernel");
        assert!(row.number("formulae") < row.number("conjuncts"));
        assert!(["formulae", "conjuncts"].iter().all(|head| row.number(head) < whole.number(head)));
    }
    let each = |row: Row<'_>| {
        row.number("Counter Model size: # conjuncts") / row.number("Counter Model size: # formulae")
    };
    let least = table.rows().map(each).fold(f64::MAX, f64::min);
    let most = table.rows().map(each).fold(0.0, f64::max);
    vec![
        (
            "“only considered the part where the errors have been injected rather than the entire code. For this \
             reason, the number of formulae or the number of conjuncts vary from Table 2.”",
            format!(
                "Table 2 has neither. Table 1 has conjuncts, and there are fewer here {}. So it is in \
                 [TWO_THREAD.md](../../{TWO_THREAD}): the largest query is smaller than the kernel.",
                table.which(fewer)
            ),
        ),
        (
            "# formulae and # conjuncts",
            format!(
                "{least:.1} to {most:.1} conjuncts for a formula; ours have more than one, too."
            ),
        ),
    ]
}

fn skbg18_table4() -> Vec<Finding> {
    let [table, second] = ["skbg18-table4.csv", "skbg18-table2.csv"].map(Table::read);
    let other = |row: Row<'_>| -> [f64; 2] {
        let same = |r: &Row<'_>| {
            r.text("Error") == row.text("Error")
                && kernel(r.text("Benchmarks")) == kernel(row.text("Benchmarks"))
        };
        let found = second.rows().find(same).expect("a row of Table 2");
        [found.number("#DR"), found.number("#BD")]
    };
    let here = |row: Row<'_>| [row.number("# Data Races"), row.number("# Barrier Divergence")];
    let swapped = |row: Row<'_>| here(row) == [other(row)[1], other(row)[0]];
    let [pug, own] = ["#Iterations: PUG", "#Iterations: Our Tool"];
    for row in Table::of_page(TWO_THREAD, "| kernel | errors |").rows() {
        assert!(row.number("runs") == 1.0 && row.number("runs, one interval each") >= 1.0);
    }
    vec![
        (
            "# Barrier Divergence and # Data Races",
            format!(
                "The numbers of Table 2, exchanged {}: its races are divergences here, and its divergences races. \
                 They are the same in both tables {}. (MIN_MAX of Table 1 is MINANDMAX in Tables 2 and 3, and MIN.MAX here.)",
                table.which(swapped),
                table.which(|row| here(row) == other(row))
            ),
        ),
        (
            "PUG “requires multiple runs”, “our tool” finds all “in a single iteration”.",
            format!(
                "PUG has more than one run {}, and {} in all; “our tool” has one {}. So has the library for all \
                 errors at once; a tool that stops at the first barrier interval needs one run for each that races \
                 ([TWO_THREAD.md](../../{TWO_THREAD})). With one error that is one.",
                table.which(|row| row.number(pug) > 1.0),
                table.sum(pug),
                table.which(|row| row.number(own) == 1.0)
            ),
        ),
    ]
}

fn dd_table1() -> Vec<Finding> {
    let rules = read("dd-table1.txt");
    let rules: Vec<&str> = rules.split("\n\n").collect();
    let kernels = read("dd-table1.cu");
    for (n, rule) in rules.iter().enumerate() {
        let n = n + 1;
        assert!(rule.starts_with(&format!("{n}.  ")) && rule.contains('⟹'), "{rule}");
        assert!(kernels.contains(&format!("--kernel rule{n} ")), "no kernel for rule {n}");
    }
    let found = format!(
        "{} rules; numbers are ours, and `…` is a sign that is lost in the text that we have. `dd-table1.cu` has a kernel \
         for each, and says where the library differs: in rule 3. [SYMBOLIC_HEAP.md](../../docs/SYMBOLIC_HEAP.md) \
         has the programs on which the rules go wrong.",
        rules.len()
    );
    vec![("The rules of the symbolic execution.", found)]
}

fn lgagjl12_fig4() -> Vec<Finding> {
    let mut table = Table::read("lgagjl12-fig4.csv");
    let last = table.lines.pop().expect("the line of sums");
    let printed = Row { heads: &table.heads.clone(), cells: &last };
    let invariant = |row: Row<'_>| (row.number("#K") * row.number("%I") / 100.0).round();
    let all: f64 = table.rows().map(invariant).sum();
    let kernels = table.sum("#K");
    let sums = [kernels, table.sum("LOC")] == [printed.number("#K"), printed.number("LOC")];
    assert!(sums && printed.text("Benchmark") == format!("{} Benchmarks", table.lines.len()));
    assert_eq!(format!("{:.0}", 100.0 * all / kernels), printed.number("%I").to_string());
    assert_eq!(table.lines.len(), 67 - 6 - 33);
    let histogram = table.rows().find(|row| row.name() == "histogram").expect("histogram");
    assert_eq!([invariant(histogram), histogram.number("#K")], [2.0, 4.0]);
    let variant: Vec<Row<'_>> = table.rows().filter(|row| row.number("%I") < 100.0).collect();
    let partly = variant.iter().filter(|row| row.number("%I") > 0.0).count();
    let changed: Vec<Row<'_>> = table.rows().filter(|row| row.name().ends_with('*')).collect();
    let changed_kernels: f64 = changed.iter().map(|row| row.number("#K")).sum();
    let ours = Table::of_page("docs/AMPLIFICATION.md", "| kernel | invariant |");
    let mut same = Vec::new();
    for (benchmark, ours_are, kernels) in [
        ("reduction", "yes", &["reduce_interleaved", "reduce_sequential", "reduce_strided"][..]),
        ("transpose", "yes", &["transpose_naive", "transpose_tiled"]),
        ("matrixMul", "yes", &["matmul_naive", "matmul_tiled"]),
        ("scalarProd", "yes", &["scalar_prod"]),
        ("vectorAdd", "yes", &["vector_add"]),
        ("sortingNetworks*", "rewritten", &["bitonic_step"]),
        ("histogram", "", &["histogram"]),
    ] {
        let row = table.rows().find(|row| row.name() == benchmark).expect("a benchmark");
        assert_eq!(row.number("%I") < 100.0, ours_are.is_empty(), "{benchmark}");
        for kernel in kernels {
            let row = ours.rows().find(|row| row.name() == *kernel).expect("a kernel");
            assert_eq!(row.text("invariant"), ours_are, "{kernel}");
        }
        same.push(format!("{} (`{}`)", benchmark.trim_end_matches('*'), kernels.join("`, `")));
    }
    vec![
        (
            "The last row, and “Of the 76 kernels examined, 52 were shown to be access invariant”; \
             67 benchmarks without 6 and 33",
            format!(
                "The rows have these sums: {all} of {kernels} kernels, {:.1} %.",
                100.0 * all / kernels
            ),
        ),
        (
            "“even benchmarks that demonstrated variance in some kernels often have at least one kernel that is in \
             fact access invariant”",
            format!("{partly} of {} have.", variant.len()),
        ),
        (
            "“*modified as detailed in Section 5.2”",
            format!(
                "{} benchmarks with {changed_kernels} kernels: as they were written, {} to {} of {kernels} are \
                 invariant.",
                changed.len(),
                all - changed_kernels,
                all - changed.len() as f64
            ),
        ),
        (
            "%I",
            format!(
                "The library says the same of kernels of ours that do what these do: {} \
                 ([AMPLIFICATION.md](../../docs/AMPLIFICATION.md)). Of histogram's 4 kernels the paper has 2 invariant; \
                 ours has an address from data, as Fig. 5 has. The benchmarks themselves are NVIDIA's.",
                same.join(", ")
            ),
        ),
    ]
}

fn hirace_table1() -> Vec<Finding> {
    let table = Table::read("hirace-table1.csv");
    let found = |tool: &str| table.sum(&format!("{tool} Races Found"));
    let missed = |tool: &str| table.sum(&format!("{tool} Races Missed"));
    let tools = ["HiRace", "iGUARD", "Compute Sanitizer", "Sequential Comparison"];
    let all = found("HiRace") + missed("HiRace");
    for row in table.rows() {
        for tool in tools {
            let [found, missed] =
                ["Found", "Missed"].map(|what| row.number(&format!("{tool} Races {what}")));
            assert_eq!([row.number("Total tests"), found + missed], [580.0, 346.0]);
        }
        let smallest = row.name().contains("_5n_5e");
        assert_eq!(row.number("HiRace Races Missed") > 0.0, smallest);
    }
    assert_eq!([table.sum("Total tests"), all], [3480.0, 2076.0]);
    let ours = Table::of_page("docs/SCORECARD.md", "| technique | fragment | found |");
    let ours: Vec<Row<'_>> = ours.rows().filter(|row| row.name() == "hirace").collect();
    assert!(!ours.is_empty());
    assert!(ours.iter().all(|row| row.number("missed") + row.number("false alarms") == 0.0));
    assert!(found("Sequential Comparison") < found("iGUARD"));
    let sums = tools.map(|tool| format!("{tool} {}", found(tool)));
    let more_than = |less: &'static str, more: &'static str| {
        let [less, more] = [less, more].map(|tool| format!("{tool} Races Found"));
        table.which(move |row| row.number(&more) > row.number(&less))
    };
    let no_fewer = |row: Row<'_>| {
        let [hirace, iguard, sanitizer] =
            [tools[0], tools[1], tools[2]].map(|tool| row.number(&format!("{tool} Races Found")));
        hirace >= sanitizer && iguard >= sanitizer
    };
    vec![
        (
            "“580 × 6 = 3480 tests with 2076 injected races”; “346 of which contain data races”",
            "The rows have these sums, and for each tool found and missed races are 346 in each row. The abstract \
             has “over 3,500 studied executions of 580 CUDA kernels”; with 5,105 on large graphs (§V-B) there are more."
                .to_owned(),
        ),
        (
            "“HiRace caught all but 215 of the races—a “completeness rate” of 93%.”",
            format!(
                "All but {}: {} of {all}, which is {:.1} %.",
                missed("HiRace"),
                found("HiRace"),
                100.0 * found("HiRace") / all
            ),
        ),
        (
            "“All races missed by HiRace happen in executions with the smallest test graph used (5 nodes and 5 edges)”",
            format!(
                "So it is, of two graphs. HiRace found all {}. The library's model sees no race of Listing 1 on an \
                 empty graph (`hirace-listing1.cu`).",
                table.which(|row| row.number("HiRace Races Missed") == 0.0)
            ),
        ),
        (
            "“this naive testing method yields better results than state-of-the-art detection tools”",
            format!(
                "Races found in all: {}. Sequential Comparison found more than Compute Sanitizer {}, more than iGUARD \
                 {}, and fewer than iGUARD in sum.",
                sums.join(", "),
                more_than("Compute Sanitizer", "Sequential Comparison"),
                more_than("iGUARD", "Sequential Comparison")
            ),
        ),
        (
            "“both iGUARD and HiRace found all shared-memory races identified by Compute Sanitizer”",
            format!("Both found no fewer {}; which ones, the table does not say.", table.which(no_fewer)),
        ),
        (
            "“neither tool provided any false positives”",
            "The table has no column for it. In [SCORECARD.md](../../docs/SCORECARD.md) the derived machine has no \
             false alarm and misses no race of a run."
                .to_owned(),
        ),
    ]
}

fn hirace_table2() -> Vec<Finding> {
    let table = Table::read("hirace-table2.csv");
    let graphs = table.lines.len();
    let made = |row: &Row<'_>| ["RMAT", "grid", "random"].contains(&row.text("Type"));
    let find = |name: &str| table.rows().find(|row| row.name() == name).expect("a graph");
    for (name, exponent) in
        [("rmat16.sym", 16), ("rmat22.sym", 22), ("2d-2e20.sym", 20), ("r4-2e23.sym", 23)]
    {
        assert_eq!(find(name).number("Vertices"), f64::from(1 << exponent), "{name}");
    }
    let grid = find("2d-2e20.sym").number("Edges");
    assert_eq!(grid, 2.0 * 2.0 * 1024.0 * 1023.0);
    vec![
        (
            "“eleven large-scale real-world graph inputs”",
            format!(
                "{graphs} rows; {} are generated, by their types.",
                table.rows().filter(made).count()
            ),
        ),
        (
            "“5,105 executions (464 Indigo codes across the 11 large graphs in Table II)”",
            format!("464 × {graphs} = {}.", 464 * graphs),
        ),
        (
            "Vertices and Edges",
            format!(
                "Edges are even {}, so they may count in both directions: a grid of 1024 by 1024 has {grid} then, as \
                 printed. Vertices are the powers of two that four names have. The library has no runs on these graphs.",
                table.which(|row| row.number("Edges") % 2.0 == 0.0)
            ),
        ),
    ]
}

/// Does a label of the derived machine belong to a step of the figure? That knows no warps, and has no barriers of them.
fn belongs(chain: &Chain, label: Label, row: Row<'_>) -> bool {
    let sync = match label.sync {
        0 => "U",
        level if level == chain.block() => "B",
        _ => return false,
    };
    let relation = match label.relation {
        0 => "S",
        level if level <= chain.block() => "B",
        _ => "G",
    };
    let fits = |head, letter| [letter, "*"].contains(&row.text(head));
    fits("access", mode_letter(label.mode)) && fits("sync", sync) && fits("relation", relation)
}

fn hirace_fig4() -> Vec<Finding> {
    let table = Table::read("hirace-fig4.csv");
    let machine = Machine::exact();
    let chain = machine.chain();
    let labels: Vec<Label> = chain.labels().filter(|label| *label == label.comparable()).collect();
    let mut states = BTreeMap::from([("INIT", BTreeSet::from([INIT]))]);
    for _ in 0..machine.names().len() {
        for row in table.rows() {
            let from: Vec<State> = states[row.text("state")].iter().copied().collect();
            let of_row = labels.iter().filter(|label| belongs(chain, **label, row));
            let next = of_row.flat_map(|label| from.iter().map(|q| machine.next(*q, *label)));
            states.entry(row.text("next")).or_default().extend(next);
        }
    }
    assert_eq!(states["RACE"], BTreeSet::from([machine.race()]));
    let all: BTreeSet<State> = states.values().flatten().copied().collect();
    assert_eq!(all.len(), states.values().map(BTreeSet::len).sum::<usize>(), "{states:?}");
    let found = format!(
        "The machine that is derived here ([HIRACE.md](../../docs/HIRACE.md)) takes these {} steps: its states of \
         different names are different, and RACE is its race. The other steps are in the picture alone. The text has no \
         label for the last one.",
        table.lines.len()
    );
    vec![("INIT, READ, BREAD, GREAD, WRITE, RACE", found)]
}

/// The last access of a trace makes its race, by the definition and by the derived machine.
fn trace(name: &str, paper: &'static str) -> Vec<Finding> {
    let text = read(name);
    let check =
        |text: &str, machine: &str| babycuda(&["trace", "check", "-", "--machine", machine], text);
    let one = "the machine: 1 racy cell; none is missed; none is a false alarm";
    let none = "the machine: 0 racy cells; none is missed; none is a false alarm";
    let racy = |machine: &str| {
        let ran = check(&text, machine);
        ran.ends(1).says("racy (1 cell, 1 racing pair)").says(one);
        let events = ran.out.lines().filter_map(|line| line.trim().strip_prefix("event "));
        let events: Vec<&str> =
            events.filter_map(|event| Some(event.split_once(": ")?.1)).collect();
        events.join(" – ")
    };
    let race = racy("hirace");
    let mut lines: Vec<&str> = text.lines().collect();
    let end: Value = serde_json::from_str(lines.pop().expect("the end")).unwrap();
    let access = lines.pop().expect("an access");
    assert!(access.starts_with("{\"access\""), "{name}");
    let [accesses, barriers] = ["accesses", "barriers"].map(|n| end["end"][n].as_u64().unwrap());
    let end = json!({ "end": { "accesses": accesses - 1, "barriers": barriers } });
    let shorter = format!("{}\n{end}\n", lines.join("\n"));
    check(&shorter, "hirace").ends(0).says(none);
    let also = if barriers == 0 {
        let figure = "examples/paper/hirace-fig2.csv";
        assert_eq!(racy(figure), race);
        check(&shorter, figure).ends(0).says(none);
        " The same by the machine of Fig. 2."
    } else {
        ""
    };
    let found = format!(
        "`trace check {FOLDER}/{name} --machine hirace`: exit 1, {race}. Without the last access there is no race. By the \
         definition and by the derived machine.{also}"
    );
    vec![(paper, found)]
}

/// What was copied from the papers, by FNV-1a: a cell that no finding looks at does not change unnoticed.
const COPIED: &[(&str, u64)] = &[
    ("lcl22-fig1.csv", 0x24d2a4a8e7c14e9d),
    ("skbg18-table1.csv", 0x4a444ca1d2b1fdd0),
    ("skbg18-table2.csv", 0x45513944cc724b80),
    ("skbg18-table3.csv", 0x2aff0db14f49f91f),
    ("skbg18-table4.csv", 0x6156608351ba4993),
    ("dd-table1.txt", 0x521e68b10e236702),
    ("lgagjl12-fig4.csv", 0xf9ba8772b6086bd9),
    ("hirace-table1.csv", 0xcacbaf6452b8ce3e),
    ("hirace-table2.csv", 0xf17e80dc556b7f81),
    ("hirace-fig4.csv", 0xadc6f21fffb77707),
    ("hirace-scenario1-global.jsonl", 0x28807487ccbdcd69),
    ("hirace-scenario1-write.jsonl", 0x663f7e541e1d830d),
    ("hirace-scenario2-global.jsonl", 0xcb76460b2b7ffd53),
    ("hirace-scenario2-barrier.jsonl", 0xe71a35439513c093),
    ("hirace-listing5.jsonl", 0x471eb9a10fd8ebec),
];

#[test]
fn documents_are_as_they_were_copied() {
    assert_eq!(COPIED.len(), DOCUMENTS.len());
    for (name, sum) in COPIED {
        let bytes = std::fs::read(root().join(FOLDER).join(name)).unwrap();
        let found = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
        assert_eq!(
            found, *sum,
            "{name} has changed: compare it with its paper, then give its sum here: {found:#018x}"
        );
    }
}
