//! Tables as the papers print them.

use super::*;

/// Lines of cells, below their heads.
pub(crate) struct Table {
    pub(crate) heads: Vec<String>,
    pub(crate) lines: Vec<Vec<String>>,
}

/// A line of a table.
#[derive(Clone, Copy)]
pub(crate) struct Row<'t> {
    pub(crate) heads: &'t [String],
    pub(crate) cells: &'t [String],
}

impl Table {
    /// A table of a paper. A cell in quotes may have commas.
    pub(crate) fn read(name: &str) -> Table {
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
    pub(crate) fn of_page(page: &str, heads: &str) -> Table {
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

    pub(crate) fn new(of: &str, mut lines: Vec<Vec<String>>) -> Table {
        let heads = lines.remove(0);
        assert!(lines.iter().all(|line| line.len() == heads.len()), "{of}: a line of other length");
        Table { heads, lines }
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.lines.iter().map(|cells| Row { heads: &self.heads, cells })
    }

    pub(crate) fn sum(&self, head: &str) -> f64 {
        self.rows().map(|row| row.number(head)).sum()
    }

    /// In which rows this holds, in words.
    pub(crate) fn which(&self, holds: impl Fn(Row<'_>) -> bool) -> String {
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
    pub(crate) fn text(self, head: &str) -> &'t str {
        let column = self.heads.iter().position(|found| found == head);
        &self.cells[column.unwrap_or_else(|| panic!("no column {head} in {:?}", self.heads))]
    }

    pub(crate) fn number(self, head: &str) -> f64 {
        let text = self.text(head).replace([',', '%'], "");
        text.parse().unwrap_or_else(|_| panic!("{head} is {text}"))
    }

    /// What stands in front, with the error of an experiment.
    pub(crate) fn name(self) -> String {
        let columns = if self.heads[0] == "Error" { 2 } else { 1 };
        self.cells[..columns].join(" ")
    }
}
