//! Options whose values have names.

use babycuda::Decide;
use babycuda::frontend::{Overflow, Parser};
use babycuda::smt::SolverName;
use babycuda_files::source::Contracts;
use babycuda_report::derivation::Style;
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::io::IsTerminal;

/// Reads one of these names, each with what the help says of it.
pub(super) fn named<T: Clone + Send + Sync + 'static, const N: usize>(
    values: [(&'static str, &'static str, T); N],
) -> impl TypedValueParser<Value = T> {
    let names = values.each_ref().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(move |given| {
        let known = values.iter().find(|(name, ..)| *name == given);
        known.map(|(.., value)| value.clone()).ok_or("not one of the names")
    })
}

/// What signed overflow does.
pub(super) fn overflow() -> impl TypedValueParser<Value = Overflow> {
    let none = "It is undefined: the thread that computes it is stuck, and verdicts are about \
        executions without it";
    named([
        ("assume-none", none, Overflow::AssumeNone),
        ("wrap", "It wraps around", Overflow::Wrap),
    ])
}

/// Where contracts come from.
pub(super) fn contract() -> impl TypedValueParser<Value = Contracts> {
    let source = "The launches that the file makes of its own kernels: verdicts are about these, and say what holds \
        without them. Where a kernel is racy all the same, as `infer`";
    let infer = "No launch is assumed. Of a racy kernel a condition is shown under which it is race-free, if one is \
        found within the time limit of a question and a few seconds";
    named([
        ("source", source, Contracts::Source),
        ("infer", infer, Contracts::Infer),
        ("none", "No launch is assumed, and no condition shown", Contracts::None),
    ])
}

/// Who reads kernels.
pub(super) fn parser() -> impl TypedValueParser<Value = Parser> {
    let auto = "The built-in parser; an installed clang reads the kernels that it does not understand, \
        and OpenCL C";
    let clang = "The program clang, or the one that BABYCUDA_CLANG names";
    named([
        ("auto", auto, Parser::Auto),
        ("builtin", "The built-in parser", Parser::Builtin),
        ("clang", clang, Parser::Other),
    ])
}

/// How to decide.
pub(super) fn method() -> impl TypedValueParser<Value = Decide> {
    let auto = "Enumerate concrete launches that are small enough, otherwise ask solvers. An \
        ill-typed program of which nothing is open (launch, parameters, memory) is decided by its \
        one run";
    let enumerate = "Enumerate every access of the launch: needs --block, --param for every \
        parameter used, and --grid where the kernel looks at its place in the grid";
    named([
        ("auto", auto, Decide::Auto),
        ("enumerate", enumerate, Decide::Enumerate),
        ("smt", "Ask solvers", Decide::Solve),
    ])
}

/// Which solver.
pub(super) fn solver() -> impl TypedValueParser<Value = SolverName> {
    let auto = "The embedded solver, then z3 and cvc5 where installed";
    named([
        ("auto", auto, SolverName::Auto),
        ("builtin", "The embedded solver", SolverName::Builtin),
        ("z3", "The program z3", SolverName::Z3),
        ("cvc5", "The program cvc5", SolverName::Cvc5),
    ])
}

/// How to report verdicts.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ReportFormat {
    /// For people: the source with both accesses underlined.
    Human,
    /// One line a race, divergence or undecided kernel, as compilers print: `file:line:column: race [BC002]: …`.
    Short,
    /// For workflows of GitHub: one annotation each.
    Github,
    /// For programs: one document a file.
    Json,
    /// For code scanning services.
    Sarif,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Colour {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Colour {
    /// Are they wanted on standard output?
    pub(crate) fn is_wanted(self) -> bool {
        match self {
            Colour::Auto => {
                let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                !unwanted && std::io::stdout().is_terminal()
            }
            Colour::Always => true,
            Colour::Never => false,
        }
    }
}

/// How to report runs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RunFormat {
    /// For people: each access a line.
    Human,
    /// For people: a row for each thread, a column for each cell.
    Matrix,
    /// The same as a web page.
    Html,
    /// The same as a picture.
    Svg,
    /// For people: the source, and beside each line what threads have read and written since the last barrier.
    Lines,
    /// The same as a web page.
    LinesHtml,
    /// The same as a picture.
    LinesSvg,
    /// For programs.
    Json,
}

/// How to report types and the like.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PlainFormat {
    /// For people.
    Human,
    /// For programs.
    Json,
}

/// How to report what became of a derivation.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum VerifyFormat {
    /// For people.
    Human,
    /// For programs.
    Json,
    /// Where it is verified: its term that Coq checks, as `derive --format coq` prints it.
    Coq,
}

/// Which judgment to derive.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum JudgmentArg {
    /// A run: `H, k ⇓ outcome`, with every thread's derivation.
    Run,
    /// A type: `V ⊢ b ▶ u`
    Type,
    /// The accesses of a protocol, or of a program's type: `u ↓ Λ`
    Map,
}

/// What rules in LaTeX are written for.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LatexStyle {
    /// The package mathpartir; where it is not installed, the document needs no package.
    Mathpartir,
    /// The package bussproofs, likewise.
    Bussproofs,
}

impl LatexStyle {
    /// The same for the renderer.
    pub(crate) fn style(self) -> Style {
        match self {
            LatexStyle::Mathpartir => Style::Mathpartir,
            LatexStyle::Bussproofs => Style::Bussproofs,
        }
    }
}

/// How to print a derivation.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum DerivationFormat {
    /// Indented text: all of it.
    Text,
    /// Inference rules in text.
    Tree,
    /// A document for LaTeX, that fits its pages.
    Latex,
    /// A web page: the tree folds and unfolds, and each rule says what stands for its letters.
    Html,
    /// A picture.
    Svg,
    /// For programs.
    Json,
    /// A term that Coq checks, with the mechanization in proofs/coq.
    Coq,
}
