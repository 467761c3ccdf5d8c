//! The examples of LCL22 in more depth than their expectations (`examples/paper`) say: Figs. 3 and 4 in all three
//! columns, the history of Eq. (1), and the ill-typed program of Eq. (2).

use babycuda_core::json::from_json;
use babycuda_core::parse::{parse_map, parse_program, parse_protocol};
use babycuda_core::{
    AccessMode, Accesses, Cell, Configuration, History, Launch, Natural, Phase, Program, Protocol,
};
use babycuda_frontend::{Options as CudaOptions, Translation, parse_cuda};
use babycuda_protocols::map::{MapLimits, evaluate};
use babycuda_semantics::{Instance, Outcome, Reason, RunOptions};
use babycuda_typing::{normalize, type_program};

fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{e}"))
}

fn protocol(text: &str) -> Protocol {
    parse_map(text).unwrap_or_else(|e| panic!("{e}")).protocol
}

fn kernel(source: &str) -> Program {
    let kernels = parse_cuda(source, &CudaOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    match kernels.into_iter().next().map(|kernel| kernel.translation) {
        Some(Translation::Program(program)) => program,
        other => panic!("{other:?}"),
    }
}

fn history(instance: &Instance) -> History {
    match instance.run(&RunOptions::default()) {
        Outcome::Done { history } => history,
        other => panic!("{other:?}"),
    }
}

/// The races of the protocol in the configuration.
fn races(protocol: &Protocol, at: &Configuration) -> Vec<String> {
    let lambda = evaluate(protocol, at, &MapLimits::default()).unwrap_or_else(|e| panic!("{e}"));
    lambda.races().iter().map(ToString::to_string).collect()
}

/// A file of `examples/paper`.
macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../examples/paper/", $name))
    };
}

const FIGURE_3: [&str; 3] =
    [file!("lcl22-fig3.cu"), file!("lcl22-fig3-undefined.bcuda"), file!("lcl22-fig3.map")];

#[test]
fn figure_3_babycuda_has_the_map_of_the_right_column() {
    let typed = type_program(&program(FIGURE_3[1])).unwrap_or_else(|e| panic!("{e}"));
    assert!(typed.is_paper_fragment());
    assert!(normalize(&typed.protocol).alpha_equivalent(&protocol(FIGURE_3[2])));
}

#[test]
fn figure_3_is_racy_in_all_three_columns() {
    let expected = [
        "phase 0: thread 0 rd / thread 1 wr on A[0]",
        "phase 0: thread 0 wr / thread 1 rd on A[0]",
        "phase 0: thread 0 wr / thread 1 wr on A[0]",
        "phase 0: thread 0 rd / thread 1 wr on A[1]",
        "phase 0: thread 0 wr / thread 1 rd on A[1]",
        "phase 0: thread 0 wr / thread 1 wr on A[1]",
    ];
    for text in [kernel(FIGURE_3[0]), program(FIGURE_3[1])] {
        let instance = Instance::new(text.clone(), Launch::threads(2))
            .with_parameter("M", 2u32)
            .defined_everywhere(&Natural::zero());
        let found: Vec<String> = history(&instance).races().map(|r| r.to_string()).collect();
        assert_eq!(found, expected, "{text}");
    }
    let at = Configuration::threads(2).with("M", 2u32);
    assert_eq!(races(&protocol(FIGURE_3[2]), &at), expected);
    // A loop that runs zero times accesses nothing; one thread does not race.
    assert!(races(&protocol(FIGURE_3[2]), &Configuration::threads(2).with("M", 0u32)).is_empty());
    assert!(races(&protocol(FIGURE_3[2]), &Configuration::threads(1).with("M", 2u32)).is_empty());
}

const FIGURE_4: [&str; 3] =
    [file!("lcl22-fig4.cu"), file!("lcl22-fig4.bcuda"), file!("lcl22-fig4.map")];

#[test]
fn figure_4_babycuda_has_the_map_of_the_right_column() {
    let typed = type_program(&program(FIGURE_4[1])).unwrap_or_else(|e| panic!("{e}"));
    assert!(typed.is_paper_fragment());
    assert_eq!(typed.protocol.to_string(), protocol(FIGURE_4[2]).to_string());
}

#[test]
fn figure_4_is_drf_in_all_three_columns() {
    for threads in [1, 2, 7, 64] {
        for text in [kernel(FIGURE_4[0]), program(FIGURE_4[1])] {
            let history = history(&Instance::new(text, Launch::threads(threads)));
            assert!(history.is_drf());
            let wrote = Accesses::default().write(Cell::new("A", 0u32), Natural::zero());
            assert_eq!(history.head(), Some(&Phase::singleton(0, wrote)));
        }
        assert!(races(&protocol(FIGURE_4[2]), &Configuration::threads(threads)).is_empty());
    }
}

/// Phase 0: thread 0 wrote 9 to index 1, thread 1 wrote 10 to index 2. Phase 1: both wrote their
/// identifier to index 0, which thread 1 read as well.
#[test]
fn equation_1_has_exactly_two_races_both_in_phase_1() {
    let printed: History = from_json(file!("lcl22-eq1.json")).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(
        printed.to_string(),
        "[{0: (∅, {0: 0}), 1: ({0}, {0: 1})}, {0: (∅, {1: 9}), 1: (∅, {2: 10})}]"
    );
    let races: Vec<_> = printed.races().collect();
    assert_eq!(
        races.iter().map(ToString::to_string).collect::<Vec<_>>(),
        [
            "phase 1: thread 0 wr / thread 1 rd on A[0]",
            "phase 1: thread 0 wr / thread 1 wr on A[0]",
        ]
    );
    // It is the history of a program.
    let instance = Instance::new(program(file!("lcl22-eq1.bcuda")), Launch::threads(2));
    let run = history(&instance);
    assert!(run.chronological().eq(printed.chronological()));
}

const EQUATION_2: &str = file!("lcl22-eq2.bcuda");

#[test]
fn equation_2_is_ill_typed_because_an_index_is_data() {
    let rejection = type_program(&program(EQUATION_2)).expect_err("ill-typed");
    assert_eq!(rejection.rule.id(), "type/t-write");
    assert_eq!(rejection.variable.as_str(), "x");
    assert_eq!(
        rejection.to_string(),
        "t-write, premise 1: index mentions x, which is data: read from A at #1"
    );
    // What the paper prints on the right is no protocol: x is free in it.
    let printed = parse_protocol("wr[tid]; rd[tid]; wr[x]").unwrap_or_else(|e| panic!("{e}"));
    assert!(printed.free_vars().iter().any(|x| x.as_str() == "x"));
    assert!(evaluate(&printed, &Configuration::threads(2), &MapLimits::default()).is_err());
}

/// Each thread reads back what it wrote, so x is tid: with any number of threads the run is DRF,
/// and an alarm is false. This is the dotted area of Fig. 1.
#[test]
fn equation_2_is_drf_when_it_runs() {
    for threads in 1..=32 {
        let history = history(&Instance::new(program(EQUATION_2), Launch::threads(threads)));
        assert!(history.is_drf());
        let cells: Vec<(AccessMode, Cell)> =
            history.newest_first().flat_map(|p| p.accesses()).map(|a| (a.mode, a.cell)).collect();
        assert_eq!(cells.len(), 2 * threads as usize);
    }
    let reads_first = "let x = A[tid] in A[x] := 9";
    let outcome =
        Instance::new(program(reads_first), Launch::threads(2)).run(&RunOptions::default());
    let stuck = outcome.stuck().expect("nobody wrote A");
    assert!(matches!(&stuck.reason, Reason::Undefined { cell } if cell.index == Natural::zero()));
}
