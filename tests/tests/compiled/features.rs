//! What a case has: the labels of the distribution.

use crate::build::Outcome;
use crate::case::{Case, Source};
use crate::generate::TYPES;
use crate::log::{End, Run, races};
use crate::syntax::{Expr, Stmt};
use babycuda_frontend::Overflow;

/// The least shares of the labels, in percent.
pub const LEAST: &[(&str, f64)] = &[
    ("changes in a condition", 20.0),
    ("changes below && || ?:", 6.0),
    ("assignment as a value", 5.0),
    ("for", 20.0),
    ("while", 15.0),
    ("do", 6.0),
    ("endless loop with an exit", 2.0),
    ("counts down", 5.0),
    ("geometric", 5.0),
    ("nested loops", 6.0),
    ("bound read in memory", 4.0),
    ("barrier in a loop whose bound is read", 0.5),
    ("barrier in a loop", 8.0),
    ("break", 5.0),
    ("continue", 0.8),
    ("early return", 2.0),
    ("carried in 8 or 16 bits", 3.0),
    ("macro", 30.0),
    ("macro that changes", 5.0),
    ("variadic macro", 5.0),
    ("# or ##", 2.0),
    ("loop in a macro", 4.0),
    ("barrier in a macro", 5.0),
    ("#if", 3.0),
    ("include", 12.0),
    ("include by -I", 4.0),
    ("comma", 10.0),
    ("overflow computed", 6.0),
    ("overflow behind a barrier", 2.0),
    ("Concrete stopped, equal", 3.0),
    ("Symbolic stopped, equal", 3.0),
    ("cast", 10.0),
    ("shift", 10.0),
    ("division", 10.0),
    ("?:", 8.0),
    ("function", 25.0),
    ("reference parameter", 8.0),
    ("pointer parameter", 8.0),
    ("template", 5.0),
    ("own function with a known name", 8.0),
    ("own min", 2.0),
    ("barrier in a function", 1.0),
    ("switch", 3.0),
    ("fall through", 1.5),
    ("shared", 40.0),
    ("rows", 5.0),
    ("extern shared", 3.0),
    ("shared scalar", 3.0),
    ("device array", 3.0),
    ("table", 10.0),
    ("local array", 0.5),
    ("float", 0.5),
    ("pointer variable", 3.0),
    ("atomic", 8.0),
    ("atomic of a block", 0.5),
    ("atomic as a value", 2.0),
    ("name hides another", 0.4),
    ("2-D block", 10.0),
    ("3-D block", 3.0),
    ("grid", 10.0),
    ("racy", 20.0),
    ("race across blocks", 5.0),
    ("no race", 5.0),
    ("divergent", 1.0),
    ("several phases", 20.0),
    ("ambiguous", 1.0),
    ("negative index", 2.0),
];

/// The labels of a case.
pub fn labels(case: &Case, outcome: &Outcome) -> Vec<String> {
    let text = case.whole_cuda();
    let mut found: Vec<String> = Vec::new();
    let mut label = |has: bool, name: &str| {
        if has {
            found.push(name.to_owned());
        }
    };
    let has = |s: &str| text.contains(s);
    for t in TYPES {
        // In a declaration or a cast.
        label(has(&format!(" {t} ")) || has(&format!("({t})")), t);
    }
    label(has("#define"), "macro");
    label(has("define INC(") || has("define DEC(") || has("define PLUS("), "macro that changes");
    label(has(", ...)"), "variadic macro");
    label(has("x##y") || has("(#x)"), "# or ##");
    label(has(" FOR(") || has(" DOWN(") || has(" EVERY("), "loop in a macro");
    label(has("BARRIER;") || has("SYNC();"), "barrier in a macro");
    label(has("#if"), "#if");
    label(has("__device__ ") && has(" return"), "function");
    label(
        text.lines().any(|l| l.starts_with("__device__") && l.contains('&')),
        "reference parameter",
    );
    label(
        text.lines().any(|l| l.starts_with("__device__") && l.contains(" *")),
        "pointer parameter",
    );
    label(has("template <"), "template");
    label(
        ["clamp", "dot", "length", "make_index"].iter().any(|n| has(&format!(" {n}("))),
        "own function with a known name",
    );
    label(has(" min(int *x"), "own min");
    label(has("__shared__"), "shared");
    label(has("[4][8]"), "rows");
    label(has("extern __shared__"), "extern shared");
    label(has("int total;"), "shared scalar");
    label(has(" g[32]"), "device array");
    label(has(" table[4]") || has(" weights[4]"), "table");
    label(has("[4] = {1, 2, 3, 0}"), "local array");
    label(has("float f"), "float");
    label(has(" *p"), "pointer variable");
    label(has("atomic"), "atomic");
    label(has("_block("), "atomic of a block");
    label(has("#include <"), "include by -I");
    label(has("#include \""), "include");
    if let Source::Tree(file) = &case.source {
        let mut walk = Walk::default();
        for f in &file.functions {
            walk.list(&f.body, 0);
        }
        let in_functions = std::mem::take(&mut walk.barriers) > 0;
        walk.list(&file.kernel.body, 0);
        found.extend(walk.found.iter().map(|s| (*s).to_owned()));
        if in_functions {
            found.push("barrier in a function".to_owned());
        }
    }
    found.extend(dynamic(case, outcome).map(str::to_owned));
    found
}

/// What the runs show.
fn dynamic(case: &Case, outcome: &Outcome) -> impl Iterator<Item = &'static str> {
    let mut found = Vec::new();
    let global = |name: &str| case.arrays.iter().any(|a| a.name == name && a.global);
    for (setting, runs) in case.settings.iter().zip(outcome) {
        let races = races(runs, global);
        let within = races.iter().any(|r| r.0.is_some());
        let across = races.iter().any(|r| r.0.is_none());
        found.push(if within || across { "racy" } else { "no race" });
        let mut label = |has: bool, name| found.extend(has.then_some(name));
        label(across, "race across blocks");
        label(runs.iter().any(|r| r.phases.len() > 1), "several phases");
        label(runs.iter().any(|r| r.end == End::Ambiguous), "ambiguous");
        label(runs.iter().any(|r| matches!(r.end, End::Diverged { .. })), "divergent");
        let mut cells =
            runs.iter().flat_map(|r| &r.phases).flat_map(|p| p.values()).flat_map(|d| d.keys());
        label(cells.any(|(_, index)| (*index as i64) < 0), "negative index");
        if case.overflow == Overflow::AssumeNone {
            label(true, "overflow stops");
            label(runs.iter().any(|r| r.end == End::Overflow), "overflow computed");
            let several = |r: &Run| r.end == End::Overflow && r.phases.len() > 1;
            label(runs.iter().any(several), "overflow behind a barrier");
        }
        label(setting.block[1] > 1, "2-D block");
        label(setting.block[2] > 1, "3-D block");
        label(setting.grid != [1; 3], "grid");
    }
    found.into_iter()
}

#[derive(Default)]
struct Walk {
    found: Vec<&'static str>,
    barriers: usize,
    names: Vec<String>,
}

impl Walk {
    fn list(&mut self, list: &[Stmt], loops: usize) {
        let names = self.names.len();
        for s in list {
            self.statement(s, loops);
        }
        self.names.truncate(names);
    }

    fn statement(&mut self, s: &Stmt, loops: usize) {
        let mut label = |has: bool, name| self.found.extend(has.then_some(name));
        let is_loop = matches!(s, Stmt::For(..) | Stmt::While(..) | Stmt::Do(..) | Stmt::Head(..));
        match s {
            Stmt::For(_, None, ..) => label(true, "endless loop with an exit"),
            Stmt::While(Expr::Atom(_), _) => label(true, "endless loop with an exit"),
            Stmt::For(_, test, update, body) => {
                label(true, "for");
                let update = update.as_ref().map(Expr::text).unwrap_or_default();
                label(update.contains("--") || update.contains("-="), "counts down");
                let geometric = ["*=", "<<=", ">>=", "/="].iter().any(|op| update.contains(op));
                label(geometric, "geometric");
                label(test.as_ref().is_some_and(changes), "changes in a condition");
                let reads = test.as_ref().is_some_and(|test| test.text().contains('['));
                label(reads, "bound read in memory");
                let barrier = body.iter().any(|s| matches!(s, Stmt::Plain(t) if is_barrier(t)));
                label(reads && barrier, "barrier in a loop whose bound is read");
            }
            Stmt::While(c, _) => {
                label(true, "while");
                label(changes(c), "changes in a condition");
            }
            Stmt::Do(_, c) => {
                label(true, "do");
                label(changes(c), "changes in a condition");
            }
            Stmt::If(c, then, _) => {
                label(changes(c), "changes in a condition");
                label(matches!(then[..], [Stmt::Return(_)]), "early return");
            }
            Stmt::Switch(_, cases) => {
                label(true, "switch");
                let ends = |b: &Vec<Stmt>| b.last() == Some(&Stmt::Plain("break;".to_owned()));
                let (_, rest) = cases.split_last().map_or((None, &[][..]), |(l, r)| (Some(l), r));
                label(rest.iter().any(|(_, b)| !ends(b)), "fall through");
            }
            Stmt::Plain(text) => {
                label(text == "break;" && loops > 0, "break");
                label(text == "continue;", "continue");
                let barrier = is_barrier(text);
                label(barrier && loops > 0, "barrier in a loop");
                self.barriers += usize::from(barrier);
            }
            Stmt::Declare(head, _) => {
                let narrow = ["char x", "short x", "int8_t x", "int16_t x"];
                label(narrow.iter().any(|t| head.contains(t)), "carried in 8 or 16 bits");
                let name = head.rsplit(' ').next().unwrap_or_default().to_owned();
                label(self.names.contains(&name), "name hides another");
                self.names.push(name);
            }
            _ => {}
        }
        if is_loop && loops > 0 {
            self.found.push("nested loops");
        }
        for e in s.expressions() {
            self.expression(e, true);
        }
        for block in s.blocks() {
            self.list(block, loops + usize::from(is_loop));
        }
    }

    fn expression(&mut self, e: &Expr, top: bool) {
        let mut label = |has: bool, name| self.found.extend(has.then_some(name));
        match e {
            Expr::Cast(..) => label(true, "cast"),
            Expr::Binary("<<" | ">>", ..) => label(true, "shift"),
            Expr::Binary("/" | "%", ..) => label(true, "division"),
            Expr::Binary(",", ..) => label(true, "comma"),
            Expr::Binary("&&" | "||", _, r) => label(changes(r), "changes below && || ?:"),
            Expr::Conditional(_, x, y) => {
                label(true, "?:");
                label(changes(x) || changes(y), "changes below && || ?:");
            }
            Expr::Assign(..) => label(!top, "assignment as a value"),
            Expr::Call(name, _) => label(!top && name.starts_with("atomic"), "atomic as a value"),
            _ => {}
        }
        for part in e.parts() {
            self.expression(part, false);
        }
    }
}

fn is_barrier(text: &str) -> bool {
    ["__sync", "BARRIER", "SYNC"].iter().any(|b| text.starts_with(b))
}

/// Does evaluating the expression change anything?
fn changes(e: &Expr) -> bool {
    let here = match e {
        Expr::Assign(..) | Expr::Step { .. } => true,
        Expr::Call(name, _) => name.starts_with("atomic"),
        _ => false,
    };
    here || e.parts().into_iter().any(changes)
}
