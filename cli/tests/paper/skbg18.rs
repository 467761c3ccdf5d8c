//! What is found of the tables of SKBG18.

use super::documents::Finding;
use super::table::*;

pub(crate) const TWO_THREAD: &str = "docs/TWO_THREAD.md";

/// How `docs/TWO_THREAD.md` calls a benchmark: the paper has three names for one.
pub(crate) fn kernel(benchmark: &str) -> &str {
    if benchmark.starts_with("MIN") { "MIN_MAX" } else { benchmark }
}

pub(crate) fn skbg18_table1() -> Vec<Finding> {
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

pub(crate) fn less_for_divergence(row: Row<'_>) -> bool {
    row.number("BD Time (sec)") < row.number("DR Time (sec)")
}

pub(crate) fn skbg18_table2() -> Vec<Finding> {
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

pub(crate) fn skbg18_table3() -> Vec<Finding> {
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

pub(crate) fn skbg18_table4() -> Vec<Finding> {
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
