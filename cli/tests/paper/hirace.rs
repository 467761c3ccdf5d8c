//! What is found of the tables and traces of HiRace.

use super::documents::Finding;
use super::table::*;
use super::*;

pub(crate) fn hirace_table1() -> Vec<Finding> {
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

pub(crate) fn hirace_table2() -> Vec<Finding> {
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
pub(crate) fn belongs(chain: &Chain, label: Label, row: Row<'_>) -> bool {
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

pub(crate) fn hirace_fig4() -> Vec<Finding> {
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
pub(crate) fn trace(name: &str, paper: &'static str) -> Vec<Finding> {
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
