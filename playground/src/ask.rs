//! Questions.

use crate::emitted::{Emitted, emitted};
use crate::place::place;
use crate::{Answer, walk};
use babycuda::detectors::all;
use babycuda::frontend::launches::launches;
use babycuda::frontend::{Options, Parser};
use babycuda::smt::SolverName;
use babycuda::{CheckOptions, Settings};
use babycuda_core::{BigInt, Budget, Dim3, Name};
use babycuda_files::check::{Asked, check};
use babycuda_files::compare;
use babycuda_files::derive::{Form, Judgment, NoDerivation, derive};
use babycuda_files::input::{self, File, Unit};
use babycuda_files::problem::Problem;
use babycuda_files::run::{Runs, instance};
use babycuda_files::source::{Contracts, Source};
use babycuda_report::choices::Chosen;
use babycuda_report::code::Code;
use babycuda_report::document::Document;
use babycuda_report::finding::{Finding, Level, all as findings};
use babycuda_report::matrix::{self, Matrix};
use babycuda_report::{across, human, typing};
use serde::Deserialize;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

thread_local! {
    /// The words of the last panic.
    pub(crate) static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// What is asked, of which text.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Question {
    ask: String,
    /// The ending of a file of its language: `bcuda`, `map`, `cu`, `json`.
    language: String,
    pub(crate) text: String,
    /// The kernel, where there are several.
    kernel: String,
    /// `X`, `X,Y` or `X,Y,Z`, as the others below; empty: open.
    block: String,
    grid: String,
    /// `NAME=VALUE`, parted by spaces or commas.
    params: String,
    /// What a run takes where the text and the fields above leave the launch or parameters open.
    fallback: Launch,
    /// Seconds that the whole may take.
    seconds: f64,
    /// Of `check`: is the verdict wanted first? Contracts and suggestions take longer than it, and make no other verdict
    /// where neither file nor kernel says anything of launches.
    quick: bool,
    /// Of `derive`: `run`, `type` or `map`.
    judgment: String,
    /// Of `walk`: the threads that step, one after the other, and how to go on.
    pub(crate) schedule: Vec<usize>,
    pub(crate) extend: String,
    pub(crate) seed: u64,
    /// Of `explain`: the code.
    code: String,
}

/// A launch with parameters, in the same forms.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Launch {
    block: String,
    grid: String,
    params: BTreeMap<String, String>,
}

/// The answer.
pub(crate) fn answer(question: &Question) -> Answer {
    let answer = match question.ask.as_str() {
        "check" => question.check(),
        "type" => question.type_of(),
        "run" => question.run(),
        "derive" => question.derive(),
        "compare" => question.compare(),
        "walk" => question.walk(),
        "explain" => return question.explain(),
        // How the page shows a panic is tested with one.
        "panic" => panic!("asked to"),
        other => Err(Problem::new(format!("nobody knows how to `{other}`"))),
    };
    answer.unwrap_or_else(|problem| json!({ "error": question.error(&problem) }))
}

fn dim3(text: &str, what: &str) -> Result<Option<Dim3>, Problem> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let parts: Result<Vec<u32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match parts.as_deref() {
        Ok([x]) => Ok(Some(Dim3::line(*x))),
        Ok([x, y]) => Ok(Some(Dim3 { x: *x, y: *y, z: 1 })),
        Ok([x, y, z]) => Ok(Some(Dim3 { x: *x, y: *y, z: *z })),
        _ => Err(Problem::new(format!("{what}: `{text}` is not of the form X, X,Y or X,Y,Z"))),
    }
}

fn params(text: &str) -> Result<BTreeMap<Name, BigInt>, Problem> {
    let mut params = BTreeMap::new();
    for part in text.split([' ', ',', ';']).filter(|part| !part.is_empty()) {
        let read = part.split_once('=').and_then(|(name, value)| Some((name, integer(value)?)));
        let Some((name, value)) = read else {
            let message = format!("parameters: `{part}` is not of the form NAME=VALUE");
            return Err(Problem::new(message).help("no spaces around the `=`"));
        };
        if params.insert(Name::new(name), value).is_some() {
            return Err(Problem::new(format!("parameter `{name}` has two values")));
        }
    }
    Ok(params)
}

fn integer(text: &str) -> Option<BigInt> {
    let short = text.len() <= babycuda::parse::MAX_DIGITS && !text.contains('_');
    if short { text.parse().ok() } else { None }
}

/// How runs are chosen.
const CHOSEN: Chosen =
    Chosen { policy: babycuda::semantics::Policy::Smallest, contents: Vec::new() };

impl Question {
    fn file(&self) -> Result<File, Problem> {
        File::new(&format!("kernel.{}", self.language), self.text.clone())
    }

    fn source(&self) -> Source {
        let kernel = Some(self.kernel.clone()).filter(|name| !name.is_empty());
        // There is no clang beside it in a page.
        Source { kernel, parser: Parser::Builtin, ..Source::default() }
    }

    fn settings(&self) -> Result<Settings, Problem> {
        let (block, grid) = (dim3(&self.block, "block")?, dim3(&self.grid, "grid")?);
        Ok(Settings { block, grid, params: params(&self.params)?, ..Settings::default() })
    }

    fn budget(&self) -> Budget {
        let seconds = if self.seconds > 0.0 { self.seconds.min(600.0) } else { 10.0 };
        Budget::time(Duration::from_secs_f64(seconds))
    }

    fn options(&self) -> CheckOptions {
        // Nor are there other solvers.
        CheckOptions {
            budget: self.budget(),
            solvers: vec![SolverName::Builtin],
            ..CheckOptions::default()
        }
    }

    fn error(&self, problem: &Problem) -> Value {
        json!({
            "message": problem.message, "help": problem.help, "place": place(&self.text, problem.span),
        })
    }

    fn check(&self) -> Result<Answer, Problem> {
        let (settings, options) = (self.settings()?, self.options());
        let mut asked = Asked { source: self.source(), settings, options, ..Asked::default() };
        let more = self.quick && !self.has_contract();
        if more {
            asked.contracts = Contracts::None;
            asked.fix_time = Some(0.0);
        }
        let report = check(self.file()?, &asked)?;
        let found: Vec<Value> = findings(&report).map(|finding| self.finding(&finding)).collect();
        Ok(json!({
            "status": report.status(), "document": Document::from(&report), "findings": found,
            "text": human::document(&report, false), "more": more,
        }))
    }

    /// May the file say under which launches its kernels run?
    fn has_contract(&self) -> bool {
        let none = || launches(&self.text, &Options::default()).is_ok_and(|found| found.is_empty());
        self.language == "cu" && (self.text.contains("requires") || !none())
    }

    fn finding(&self, finding: &Finding) -> Value {
        let level = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Note => "info",
        };
        json!({
            "code": finding.code.id(), "level": level, "word": finding.word, "kernel": finding.kernel,
            "text": finding.text, "sides": finding.sides, "benign": finding.benign,
            "places": finding.places.map(|span| place(&self.text, span)),
        })
    }

    fn type_of(&self) -> Result<Answer, Problem> {
        let file = self.file()?;
        let (mut text, mut kernels) = (String::new(), Vec::new());
        for unit in input::units(&file, &self.source(), &self.settings()?)? {
            kernels.push(match &unit {
                Unit::Program(program) => {
                    typing::report(&mut text, &file.path, &file.text, program).1
                }
                Unit::Protocol(map) => {
                    let protocol = map.protocol.to_string();
                    text.push_str(&format!("{protocol}\n"));
                    json!({ "name": unit.name(), "typed": true, "protocol": protocol })
                }
                Unit::Unsupported { kernel, construct, span, .. } => {
                    let problem = Problem::new(format!("kernel {kernel}: {construct}")).at(*span);
                    text.push_str(&problem.render(Some(&file)));
                    json!({ "name": kernel, "unsupported": construct })
                }
            });
        }
        Ok(json!({ "text": text, "kernels": kernels }))
    }

    /// The kernel that runs, and what was taken for what is open.
    fn unit(&self) -> Result<(Unit, Vec<String>), Problem> {
        let (file, source, mut settings) = (self.file()?, self.source(), self.settings()?);
        let one = |settings: &Settings| {
            let units = input::units(&file, &source, settings)?;
            units.into_iter().next().ok_or_else(|| Problem::new("there is no kernel"))
        };
        let unit = one(&settings)?;
        let Some(declarations) = unit.declarations() else { return Ok((unit, Vec::new())) };
        let mut taken = Vec::new();
        if declarations.geometry.launch().is_none() {
            for (name, slot, given) in [
                ("block", &mut settings.block, &self.fallback.block),
                ("grid", &mut settings.grid, &self.fallback.grid),
            ] {
                if slot.is_none()
                    && let Some(extents) = dim3(given, name)?
                {
                    *slot = Some(extents);
                    taken.push(format!("{name} {given}"));
                }
            }
        }
        for param in declarations.params.iter().filter(|param| param.value.is_none()) {
            let given = self.fallback.params.get(param.name.as_str());
            let given = given.or_else(|| self.fallback.params.get("*"));
            if let Some(value) = given.and_then(|value| integer(value)) {
                taken.push(format!("{} = {value}", param.name));
                settings.params.insert(param.name.clone(), value);
            }
        }
        if taken.is_empty() { Ok((unit, taken)) } else { Ok((one(&settings)?, taken)) }
    }

    fn run(&self) -> Result<Answer, Problem> {
        let (unit, taken) = self.unit()?;
        let of_unit = Runs::of(&unit, &CHOSEN)?;
        let mut matrices: Vec<Matrix> = of_unit.runs.iter().map(Matrix::of).collect();
        let mut text: String = of_unit.runs.iter().map(|run| run.human()).collect();
        let between = across::lines(&of_unit.across);
        if let Some(last) = matrices.pop() {
            matrices.push(last.with_notes(between.lines().map(str::to_owned)));
        }
        text.push_str(&between);
        let html = matrix::html(&matrices);
        Ok(json!({ "html": html, "text": text, "taken": taken }))
    }

    fn derive(&self) -> Result<Answer, Problem> {
        let (unit, taken) = self.unit()?;
        let judgment = match self.judgment.as_str() {
            "type" => Judgment::Type,
            "map" => Judgment::Map,
            _ => Judgment::Run,
        };
        match derive(&unit, judgment, &CHOSEN, Form::Html) {
            Ok(html) => Ok(json!({ "html": html, "taken": taken })),
            Err(NoDerivation { problem, drawn: Some(html) }) => {
                Ok(json!({ "html": html, "taken": taken, "error": self.error(&problem) }))
            }
            Err(NoDerivation { problem, drawn: None }) => Err(problem),
        }
    }

    /// What techniques read: the file, or, for a program, what it is as CUDA C.
    fn compared(&self) -> Result<(compare::Asked, Answer), Problem> {
        if self.language != "bcuda" {
            let asked = compare::Asked::read(self.file()?, &self.source(), self.settings()?)?;
            return Ok((asked, json!({})));
        }
        let (unit, taken) = self.unit()?;
        let Emitted { text, settings, notes } = emitted(unit.program("techniques")?)?;
        let file = File::new("emitted.cu", text.clone())?;
        // The kernel has another name in it.
        let source = Source { kernel: None, ..self.source() };
        let asked = compare::Asked::read(file, &source, settings)?;
        Ok((asked, json!({ "emitted": text, "notes": notes, "taken": taken })))
    }

    fn compare(&self) -> Result<Answer, Problem> {
        let (asked, mut answer) = self.compared()?;
        let (launch, detectors) = (asked.launch(), all());
        let options = CheckOptions { timeout: Duration::from_secs(2), ..self.options() };
        let mut kernels = Vec::new();
        let mut text = String::new();
        for kernel in &asked.kernels {
            let (compared, open) = asked.compare(kernel, &detectors, &options)?;
            text.push_str(&babycuda_report::compare::human(&kernel.name, &launch, &compared));
            let mut document = babycuda_report::compare::document(&kernel.name, &launch, &compared);
            document["open"] = json!(open);
            kernels.push(document);
        }
        answer["text"] = json!(text);
        answer["kernels"] = json!(kernels);
        answer["launch"] = json!(format!("block {}, grid {}", launch.block, launch.grid));
        Ok(answer)
    }

    fn walk(&self) -> Result<Answer, Problem> {
        let (unit, taken) = self.unit()?;
        let instance = babycuda_files::run::settle(&CHOSEN, instance(&unit)?)?;
        let mut answer = walk::walk(self, &instance)?;
        answer["taken"] = json!(taken);
        Ok(answer)
    }

    fn explain(&self) -> Answer {
        match Code::named(&self.code) {
            Some(code) => json!({ "text": code.entry().to_string() }),
            None => json!({ "error": { "message": format!("no code is named `{}`", self.code) } }),
        }
    }
}
