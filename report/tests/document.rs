//! The JSON of verdicts is what its schema says. To write the schema anew:
//! `BABYCUDA_WRITE_SCHEMAS=1 cargo test -p babycuda-report --features schema --test document`.

#![cfg(feature = "schema")]

use babycuda_core::Natural;
use babycuda_core::evidence::{Certainty, Evaluator};
use babycuda_core::history::RaceKind;
use babycuda_core::natural::Integer;
use babycuda_core::site::Span;
use babycuda_core::syntax::BarrierScope;
use babycuda_core::verdict::ScopeOfVerdict;
use babycuda_report::accesses::{Annotation, Basis, Read};
use babycuda_report::code::Code;
use babycuda_report::document::{
    Access, Benign, Contract, ContractKind, ContractLaunch, Divergence, Document, Edit, Extents,
    Fix, Kernel, Mode, Note, Position, Race, Required, Stop, StopsAt, Without, Word, schema,
};
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{raw_name, strategy};
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use std::path::Path;

#[test]
fn the_schema_in_the_repository_is_current() {
    let text = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/verdict.json");
    if std::env::var_os("BABYCUDA_WRITE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} is stale: see the head of this test", path.display());
}

/// Does the schema admit the document?
fn admitted(document: &Value) -> bool {
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    compiler.add_resource("verdict.json", schema().to_value()).unwrap();
    let index = compiler.compile("verdict.json", &mut schemas).unwrap();
    schemas.validate(document, index).is_ok()
}

fn document(c: &mut Choices<'_>) -> Document {
    let certainty = *c.pick(&[Certainty::Replayed, Certainty::Provable, Certainty::Potential]);
    let evaluators = [None, Some(Evaluator::Reference), Some(Evaluator::VirtualMachine)];
    let evaluator = *c.pick(&evaluators);
    let launch = Extents { block: [4, 1, 1], grid: [1, 2, 3], warp: None };
    let integer = |c: &mut Choices<'_>| {
        Integer(c.pick(&[0, -1, 1 << 53, -(1 << 53) + 1, i128::MIN, i128::MAX]).to_owned().into())
    };
    let parameters = [(raw_name(c), integer(c))];
    let line = |c: &mut Choices<'_>| c.chance(1, 2).then_some(7);
    let access = |c: &mut Choices<'_>| Access {
        thread: [c.below(4) as u32, 0, 0],
        block: [0, 0, 0],
        mode: *c.pick(&[Mode::Rd, Mode::Wr, Mode::At]),
        line: line(c),
        column: line(c),
        iteration: [(raw_name(c), integer(c))].into(),
        reads: c.chance(1, 2).then(|| (raw_name(c).to_string(), integer(c))).into_iter().collect(),
    };
    let stop = |c: &mut Choices<'_>| Stop {
        thread: [1, 0, 0],
        block: [0, 2, 0],
        at: *c.pick(&[StopsAt::Barrier, StopsAt::End]),
        line: line(c),
        column: line(c),
    };
    let kind = *c.pick(&[RaceKind::WriteWrite, RaceKind::ReadWrite, RaceKind::Atomic]);
    let race = Race {
        array: raw_name(c),
        kind,
        code: Code::of_race(kind, c.chance(1, 2)).id().to_owned(),
        phase: c.chance(1, 2).then_some(2),
        index: Natural::from(u64::MAX),
        cell: "a[-1]".to_owned(),
        certainty,
        evaluator,
        host: [(raw_name(c), [(Natural::from(3u32), integer(c))].into())].into(),
        first: access(c),
        second: access(c),
        launch: launch.clone(),
        parameters: parameters.clone().into(),
        benign: c
            .chance(1, 4)
            .then(|| Benign { notion: "same-value".to_owned(), stored: [integer(c), integer(c)] }),
    };
    let divergence = Divergence {
        code: Code::Divergence.id().to_owned(),
        phase: 0,
        scope: *c.pick(&[BarrierScope::Block, BarrierScope::Warp, BarrierScope::Tile(4)]),
        certainty,
        evaluator,
        host: [(raw_name(c), [(Natural::from(u64::MAX), integer(c))].into())].into(),
        first: stop(c),
        second: stop(c),
        launch,
        parameters: parameters.clone().into(),
    };
    let at = Position { line: 1, column: 2, offset: 1 };
    let edit = Edit { start: at, end: at, text: "\n__syncthreads();".to_owned() };
    let read = Read { array: c.chance(1, 2).then(|| raw_name(c)), line: line(c), column: line(c) };
    let annotation = Annotation {
        array: raw_name(c),
        mode: Mode::At,
        line: line(c),
        column: line(c),
        basis: *c.pick(&[Basis::Independent, Basis::Host, Basis::Data]),
        through: vec![read; c.below(3)],
    };
    let launched = ContractLaunch {
        line: 1,
        column: 2,
        conditions: vec!["n == 1".to_owned(); c.below(2)],
        exact: c.chance(1, 2),
        verdict: Word::Drf,
    };
    let kernel = Kernel {
        name: raw_name(c),
        verdict: *c.pick(&[Word::Drf, Word::Racy, Word::Divergent, Word::Unknown]),
        reason: c.chance(1, 2).then(|| "why".to_owned()),
        code: c.chance(1, 2).then(|| Code::of_unknown("why").id().to_owned()),
        scope: c.chance(3, 4).then(|| ScopeOfVerdict {
            block: Default::default(),
            fixed: parameters.into(),
            grid: c.chance(1, 2).then(Default::default),
            warp: c.chance(1, 2).then_some(4),
            array: c.chance(1, 2).then(|| raw_name(c)),
            no_overflow_at: vec![Span { start: 1, end: 4, line: 1, column: 2 }; c.below(2)],
            assumptions: vec!["M <= 8".to_owned(); c.below(2)],
            ordered_updates: (0..c.below(3)).map(|_| raw_name(c)).collect(),
        }),
        notes: vec![Note { message: "what".to_owned(), line: line(c), column: line(c) }],
        remarks: vec!["so".to_owned(); c.below(2)],
        method: "smt(builtin,z3)".to_owned(),
        parser: c.chance(1, 2).then(|| "clang".to_owned()),
        races: vec![race; c.below(3)],
        divergences: vec![divergence; c.below(3)],
        fix: c.chance(1, 2).then(|| Fix { title: "do so".to_owned(), edits: vec![edit; 2] }),
        accesses: c.chance(1, 2).then(|| vec![annotation; c.below(3)]),
        one_block: c.chance(1, 4).then_some(Word::Drf),
        benign_only: c.chance(1, 4),
        contract: c.chance(1, 2).then(|| Contract {
            kind: *c.pick(&[ContractKind::Source, ContractKind::Inferred]),
            required: vec![
                Required { line: 1, column: 2, condition: "n > 0".to_owned() };
                c.below(2)
            ],
            launches: vec![launched; c.below(3)],
            conditions: vec!["n > 0".to_owned(); c.below(2)],
            without: c
                .chance(1, 2)
                .then(|| Without { verdict: Word::Racy, summary: "racy: why".to_owned() }),
        }),
    };
    let kernels = vec![kernel; c.below(3)];
    Document { version: 1, file: "-".into(), kernels, error: c.chance(1, 4).then(|| "?".into()) }
}

#[test]
fn documents_are_read_back_and_are_as_described() {
    let mut runner = TestRunner::new(Config { cases: 100, ..Config::default() });
    let held = runner.run(&strategy(document), |document| {
        let text = document.json();
        let read = Document::read(&text).unwrap();
        assert_eq!(read.json(), text);
        assert_eq!(read, document);
        assert!(admitted(&serde_json::from_str(&text).unwrap()), "{text}");
        Ok(())
    });
    held.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn other_documents_are_refused() {
    let good = Document::failure("k.cu", "no such file\n").json();
    assert!(admitted(&serde_json::from_str(&good).unwrap()));
    for (from, to, why) in [
        ("\"version\":1", "\"version\":2", "version 2, where only version 1 is read"),
        ("[]", "{}", "/kernels: invalid type: map, expected a sequence"),
        ("error", "errors", "unknown field `errors`"),
    ] {
        let bad = good.replace(from, to);
        assert!(bad != good && !admitted(&serde_json::from_str(&bad).unwrap()), "{bad}");
        let refused = Document::read(&bad).unwrap_err().to_string();
        assert!(refused.starts_with(why), "{refused}");
    }
    let twice = good.replacen('{', "{\"file\":\"other.cu\",", 1);
    assert!(Document::read(&twice).unwrap_err().to_string().contains("stands twice"), "{twice}");
}
