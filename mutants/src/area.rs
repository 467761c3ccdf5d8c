//! Who looks for a mutant, by its file: those first that are most likely to notice it.

use crate::suite::Suite;

/// One who looks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Search {
    /// The theorems and agreements of `babycuda-proofs`, on small programs and random ones.
    Theorems,
    /// Tests of the product.
    Tests(Suite),
}

use Search::{Tests, Theorems};

const CORE: Search = Tests(Suite::sources("core"));
const SUBSTITUTION: Search = Tests(Suite::file("tests", "core_substitution"));
const VERIFY: Search = Tests(Suite::file("tests", "verify"));
const SEMANTICS: Search = Tests(Suite::file("tests", "semantics"));
const RUNS: Search = Tests(Suite::sources("semantics"));
const STATEMENTS: Search = Tests(Suite::file("proofs", "statements").only(&["sleep_sets"]));
const GRID: Search = Tests(Suite::file("semantics", "grid"));
const SMT: Search = Tests(Suite::sources("smt"));
const INTERVALS: Search = Tests(Suite::sources("core").only(&["interval"]));
const TERMS: Search = Tests(Suite::file("smt", "terms"));
// What depends on the clock is left out.
const BUILTIN: Search = Tests(Suite::file("smt", "builtin").without(&["time_limit"]));
const SOLVE: Search = Tests(Suite::file("protocols", "solve").without(&["outside_solvers"]));
const MACHINE: Search = Tests(Suite::file("protocols", "machine"));
const SPLIT: Search = Tests(Suite::file("protocols", "split"));
const MAPS: Search = Tests(Suite::file("protocols", "map_derivations"));
const ENUMERATE: Search = Tests(Suite::file("protocols", "enumerate"));
const SCOPED: Search = Tests(Suite::file("protocols", "scoped"));
const RULES: Search = Tests(Suite::file("typing", "rules"));
const CHECKER: Search = Tests(Suite::file("typing", "checker"));
const APPROXIMATION: Search = Tests(Suite::file("typing", "approximation"));
const EFFECTS: Search = Tests(Suite::file("frontend", "effects"));
const STRIDES: Search = Tests(Suite::file("frontend", "strides"));
const WHOLE: Search = Tests(Suite::file("frontend", "whole"));
const LOOPS: Search = Tests(Suite::file("frontend", "loops"));
const GOLDENS: Search = Tests(Suite::file("frontend", "goldens"));
const FRONTEND: Search = Tests(Suite::sources("frontend").only(&["range"]));
const BITS: Search = Tests(Suite::sources("frontend").only(&["bits"]));
const WILD: Search = Tests(Suite::file("frontend", "wild"));
const UNSUPPORTED: Search = Tests(Suite::file("frontend", "unsupported"));
const TREES: Search = Tests(Suite::file("frontend", "trees"));
const TREE: Search = Tests(Suite::file("kernel", "tree"));
const KERNEL: Search = Tests(Suite::sources("kernel"));
const PARSERS: Search = Tests(Suite::file("tests", "parsers"));
const CLASHES: Search = Tests(Suite::file("frontend", "clashes"));
const COLLECTIVES: Search = Tests(Suite::file("frontend", "collectives"));
const GROUPS: Search = Tests(Suite::file("frontend", "groups"));
const ANSWERS: Search = Tests(Suite::file("exercises", "answers"));
const HONEST: Search = Tests(Suite::file("exercises", "honest"));
const HOSTILE: Search = Tests(Suite::file("exercises", "hostile"));
const FACADE: Search = Tests(Suite::sources("babycuda"));
const VERDICTS: Search = Tests(Suite::file("tests", "verdicts").without(&["of_runs"]));
const KERNELS: Search = Tests(Suite::file("tests", "verdicts").only(&["kernels::"]));
const CONTRACTS: Search = Tests(Suite::file("tests", "verdicts").only(&["contracts::"]));
const VIEWS: Search =
    Tests(Suite::file("tests", "verdicts").only(&["views::", "partial::", "provided::"]));
const LOOP_VERDICTS: Search = Tests(Suite::file("tests", "verdicts").only(&["loops::"]));
const COUNTERS: Search = Tests(Suite::file("tests", "verdicts").only(&["counters::counters_"]));
const ASSUMED: Search =
    Tests(Suite::file("tests", "verdicts").only(&["counters::what_is_assumed"]));
const DETECTORS: Search = Tests(Suite::sources("detectors"));
const HIRACE: Search = Tests(Suite::file("detectors", "hirace"));
const SYMBOLIC_HEAP: Search = Tests(Suite::file("detectors", "symbolic_heap"));
const TWO_THREAD: Search = Tests(Suite::file("detectors", "two_thread"));
const EXECUTE: Search = Tests(Suite::file("detectors", "execute"));
const TRUTH: Search = Tests(Suite::file("detectors", "truth").without(&["corpus::kernels"]));
const AMPLIFICATION: Search = Tests(Suite::file("detectors", "amplification"));
const LOGS: Search = Tests(Suite::file("traces", "races"));
const FORMATS: Search = Tests(Suite::file("traces", "format"));
const GPU: Search = Tests(Suite::sources("gpu"));
const SIMULATOR: Search = Tests(Suite::file("gpu", "simulator"));
const BYTECODE: Search = Tests(Suite::file("gpu", "bytecode"));

const OPENCL: Search = Tests(DEVICE.on("opencl"));
const WGPU: Search = Tests(Suite { target: Some("wgpu"), ..DEVICE }.on("wgpu"));
// The suite of all back ends, without what is particular to one.
const DEVICE: Suite = Suite::file("gpu", "opencl").without(&["failures::", "text::", "oclgrind::"]);
const EMITTED: Search =
    Tests(Suite::file("gpu", "emit").only(&["roundtrip::", "refusals::barriers"]));
const COMPILED: Search =
    Tests(Suite::file("gpu", "compiled").only(&["opencl::every"]).on("opencl"));
const MONITORED: Search =
    Tests(Suite::file("gpu", "monitored").only(&["opencl::"]).without(&["corpus"]).on("opencl"));
const MONITORED_WGSL: Search =
    Tests(Suite::file("gpu", "monitored").only(&["wgpu::"]).without(&["corpus"]).on("wgpu"));

/// Who looks for what is wrong with loops.
const LOOPS_OF_KERNELS: &[Search] = &[EFFECTS, LOOPS, GOLDENS, UNSUPPORTED, GROUPS, LOOP_VERDICTS];

/// Beginnings of files' paths, each with who looks, the first that fits counts.
const AREAS: &[(&str, &[Search])] = &[
    ("core/src/interval/", &[INTERVALS, TERMS, MACHINE, FRONTEND, ASSUMED]),
    ("core/src/shadow/", &[HIRACE]),
    ("core/src/syntax/subst.rs", &[SUBSTITUTION]),
    ("core/src/instance.rs", &[VERIFY]),
    ("core/src/settings.rs", &[VERDICTS]),
    ("core/src/syntax/program.rs", &[APPROXIMATION]),
    ("core/src/syntax/declarations.rs", &[APPROXIMATION]),
    ("core/src/history/", &[Theorems, CORE]),
    ("core/src/expr/", &[Theorems]),
    ("core/src/", &[CORE, Theorems]),
    ("smt/src/simplify/", &[SMT, TERMS]),
    ("smt/src/ranges.rs", &[TERMS, BUILTIN]),
    ("smt/src/", &[BUILTIN, TERMS]),
    ("protocols/src/solve/amounts.rs", &[VERDICTS]),
    ("protocols/src/solve/chains.rs", &[VERDICTS]),
    ("protocols/src/solve/contents.rs", &[VERDICTS]),
    ("protocols/src/solve/counters.rs", &[VERDICTS]),
    ("protocols/src/solve/period.rs", &[VERDICTS]),
    ("protocols/src/solve/places.rs", &[CONTRACTS]),
    ("protocols/src/solve/encode.rs", &[MACHINE, SOLVE]),
    ("protocols/src/solve/quantity.rs", &[MACHINE, SOLVE]),
    ("protocols/src/solve/relations.rs", &[SOLVE, MACHINE, SCOPED, COUNTERS]),
    ("protocols/src/solve/", &[SOLVE, MACHINE, SCOPED]),
    ("protocols/src/relation.rs", &[SCOPED]),
    ("protocols/src/split/segments.rs", &[SOLVE]),
    ("protocols/src/split/", &[Theorems, SPLIT]),
    ("protocols/src/map/check.rs", &[MAPS, VERIFY]),
    ("protocols/src/map/thread.rs", &[Theorems, MAPS]),
    ("protocols/src/map/evaluate.rs", &[Theorems, SCOPED]),
    ("protocols/src/enumerate/groups.rs", &[SCOPED]),
    ("protocols/src/enumerate/", &[Theorems, ENUMERATE]),
    ("semantics/src/check/", &[SEMANTICS, VERIFY]),
    ("semantics/src/grid.rs", &[GRID]),
    ("semantics/src/interleavings/schedule.rs", &[RUNS]),
    ("semantics/src/interleavings/", &[STATEMENTS, Theorems]),
    ("semantics/src/orders.rs", &[RUNS, VERDICTS]),
    ("semantics/src/", &[Theorems, SEMANTICS]),
    ("typing/src/check.rs", &[RULES, CHECKER, VERIFY]),
    ("typing/src/context.rs", &[APPROXIMATION]),
    ("typing/src/infer.rs", &[Theorems, RULES]),
    ("typing/src/approximate/", &[APPROXIMATION]),
    ("exercises/src/kinds/mutant/", &[HONEST, ANSWERS]),
    ("exercises/src/limits.rs", &[HOSTILE]),
    ("exercises/src/", &[ANSWERS]),
    ("src/benign.rs", &[CONTRACTS]),
    ("src/concrete.rs", &[KERNELS]),
    ("src/check/smaller.rs", &[KERNELS]),
    ("src/contract/", &[CONTRACTS]),
    ("src/", &[FACADE, VERDICTS]),
    ("clang/src/", &[PARSERS]),
    ("frontend/src/other.rs", &[PARSERS]),
    ("frontend/src/fences.rs", &[PARSERS]),
    ("frontend/src/wild.rs", &[WILD]),
    ("frontend/src/whole.rs", &[WHOLE]),
    ("frontend/src/lower/loops/counters.rs", &[STRIDES, COUNTERS, LOOP_VERDICTS]),
    ("frontend/src/lower/loops/breaks.rs", LOOPS_OF_KERNELS),
    ("frontend/src/lower/loops/fits.rs", LOOPS_OF_KERNELS),
    ("frontend/src/lower/floats.rs", LOOPS_OF_KERNELS),
    ("kernel/src/surface.rs", &[KERNEL, TREE, VIEWS]),
    ("frontend/src/broken.rs", &[UNSUPPORTED, WHOLE]),
    ("frontend/src/lower/bits.rs", &[BITS]),
    ("frontend/src/misread.rs", &[GROUPS]),
    ("kernel/src/", &[KERNEL, TREE]),
    ("frontend/src/resolve/groups.rs", &[GROUPS]),
    ("frontend/src/resolve/records.rs", &[TREES]),
    ("frontend/src/resolve/operators.rs", &[TREES, LOOPS]),
    ("frontend/src/resolve/", &[EFFECTS, LOOPS, GOLDENS, UNSUPPORTED, CLASHES, GROUPS]),
    ("frontend/src/lower/calls.rs", &[EFFECTS, LOOPS, GOLDENS, UNSUPPORTED, GROUPS, VIEWS]),
    ("frontend/src/lower/copies.rs", &[COLLECTIVES]),
    ("frontend/src/lower/matrix.rs", &[COLLECTIVES]),
    ("frontend/src/lower/layout.rs", &[VIEWS]),
    ("frontend/src/lower/stmt.rs", &[VIEWS]),
    ("frontend/src/lower/kernel.rs", &[EFFECTS, LOOPS, GOLDENS, UNSUPPORTED, GROUPS, VIEWS]),
    ("frontend/src/lower/launches.rs", &[EFFECTS, LOOPS, GOLDENS, UNSUPPORTED, GROUPS, CONTRACTS]),
    ("frontend/src/lower/", &[EFFECTS, LOOPS, GOLDENS, UNSUPPORTED, GROUPS]),
    ("frontend/src/builtin.rs", &[CONTRACTS]),
    ("frontend/src/", &[FRONTEND, EFFECTS, LOOPS, GOLDENS]),
    ("detectors/src/execute/", &[EXECUTE, TRUTH, DETECTORS]),
    ("detectors/src/happens_before", &[TRUTH]),
    ("detectors/src/hirace/detector.rs", &[TRUTH]),
    ("detectors/src/benign.rs", &[TRUTH]),
    ("detectors/src/detector.rs", &[TRUTH]),
    ("detectors/src/symbolic_heap/", &[SYMBOLIC_HEAP, TRUTH]),
    ("detectors/src/two_thread/", &[TWO_THREAD]),
    ("detectors/src/amplification/", &[AMPLIFICATION]),
    ("detectors/src/", &[HIRACE]),
    ("traces/src/check/", &[LOGS, FORMATS]),
    ("traces/src/", &[FORMATS, LOGS]),
    ("gpu/src/sim/", &[SIMULATOR]),
    ("gpu/src/batch.rs", &[SIMULATOR]),
    ("gpu/src/report/steps.rs", &[GPU, BYTECODE, SIMULATOR, EMITTED]),
    ("gpu/src/report.rs", &[SIMULATOR]),
    ("gpu/src/decode.rs", &[SIMULATOR]),
    ("gpu/src/emit/monitor/table.rs", &[GPU, MONITORED]),
    ("gpu/src/emit/monitor/", &[MONITORED]),
    ("gpu/src/emit/c/monitor", &[MONITORED]),
    ("gpu/src/emit/c/watch.h", &[MONITORED]),
    ("gpu/src/emit/wgsl/monitor", &[MONITORED_WGSL]),
    ("gpu/src/emit/wgsl/watch.wgsl", &[MONITORED_WGSL]),
    ("gpu/src/emit/uniform.rs", &[GPU]),
    ("gpu/src/emit/", &[EMITTED, COMPILED]),
    ("gpu/kernels/interpreter.wgsl", &[WGPU]),
    ("gpu/kernels/", &[OPENCL]),
    ("gpu/src/", &[GPU, BYTECODE]),
];

/// Who looks for a mutant of the file, in this order.
pub fn searches(file: &str) -> &'static [Search] {
    let found = AREAS.iter().find(|(beginning, _)| file.starts_with(beginning));
    found.map_or(&[Theorems], |(_, searches)| searches)
}

/// All tests that look for something, each target once.
pub fn suites() -> Vec<Suite> {
    let mut suites = Vec::new();
    for search in AREAS.iter().flat_map(|(_, searches)| *searches) {
        if let Tests(suite) = search
            && !suites.contains(suite)
        {
            suites.push(*suite);
        }
    }
    suites
}
