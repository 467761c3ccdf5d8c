//! CUDA C of a program, read back by the front end, has the program's verdict and accesses.

use super::corpus;
use super::expressions::{EDGES, constants, expressions};
use babycuda::core::verdict::Outcome;
use babycuda::{CheckOptions, Settings, check};
use babycuda_core::history::{HostArray, Place};
use babycuda_core::parse::parse_program;
use babycuda_core::syntax::{Contents, Extent, Program, Space};
use babycuda_core::{Cell, Dim3, HostMemory, Launch, Name, Natural};
use babycuda_frontend::{Options, Overflow, Translation, parse_cuda};
use babycuda_gpu::emit::{self, EmitErrorKind, Target, Text, emit};
use babycuda_semantics::Instance;
use std::collections::{BTreeMap, BTreeSet};

/// The verdict in a small launch, all parameters being `value`.
fn verdict(program: &Program, block: Dim3, value: i128) -> Outcome {
    let params = program.params.iter().filter(|p| p.value.is_none());
    let params: Vec<(Name, i128)> = params.map(|p| (p.name.clone(), value)).collect();
    let settings = Settings {
        block: Some(block),
        params: params.into_iter().map(|(name, value)| (name, value.into())).collect(),
        ..Settings::default()
    };
    let settled = settings.apply(program).unwrap_or_else(|e| panic!("{e}"));
    let checked = check(&settled.around(program.body.clone()), &CheckOptions::default());
    checked.unwrap_or_else(|e| panic!("{e:?}")).verdict.outcome
}

fn name(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Drf => "race-free",
        Outcome::Racy => "racy",
        Outcome::Divergent => "divergent",
        Outcome::Unknown(_) => "unknown",
    }
}

/// The program that a text is to the front end.
fn read_back(text: &str, block: Dim3, params: BTreeMap<String, i128>) -> Program {
    let params = params.into_iter().map(|(x, k)| (Name::from(x), k.into())).collect();
    let settings = Settings { block: Some(block), params, ..Settings::default() };
    let options = Options { overflow: Overflow::Wrap, ..settings.into() };
    let mut parsed = parse_cuda(text, &options).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(parsed.len(), 1, "{text}");
    match parsed.remove(0).translation {
        Translation::Program(again) => again,
        Translation::Unsupported(unsupported) => panic!("{unsupported}\n{text}"),
    }
}

#[test]
fn verdicts_survive() {
    let (mut same, mut racy, mut free) = (0, 0, 0);
    let (mut without, mut open) = (Vec::new(), Vec::new());
    for (kernel, program) in corpus::programs() {
        let text = match emit(&program, Target::Cuda, &emit::EmitOptions::default()) {
            Ok(text) => text.text,
            Err(error) => {
                assert_eq!(error.kind, EmitErrorKind::Opaque, "{kernel}");
                without.push(kernel);
                continue;
            }
        };
        let plane = program.geometry.block[1] != Extent::Known(1);
        let block = if plane { Dim3 { x: 4, y: 4, z: 1 } } else { Dim3::line(8) };
        let value = 8;
        let params = program.params.iter().map(|p| (printed(p.name.as_str()), value));
        let again = read_back(&text, block, params.collect());
        let before = verdict(&program, block, value);
        let after = verdict(&again, block, value);
        // A text of which some value is known may be decided where the kernel is not.
        // And one does not say what a program declares of its inputs: there, the host chooses.
        let given = |a: &Name| matches!(program.contents(a), Contents::Values(_));
        let open_to = matches!(before, Outcome::Unknown(_))
            || !program.contents_assumed.is_empty()
            || program.inputs().iter().any(given);
        if open_to && name(&before) != name(&after) {
            open.push(kernel);
            continue;
        }
        assert_eq!(name(&before), name(&after), "{kernel}: {before:?}, {after:?}\n{text}");
        same += 1;
        racy += usize::from(before == Outcome::Racy);
        free += usize::from(before == Outcome::Drf);
    }
    // They add floats atomically, and the calculus does not compute with those.
    let floats = [
        "csr_push_block",
        "matvec_atomic",
        "places_staged",
        "scatter_of_gather",
        "spmv_coo",
        "spmv_csr_transposed",
    ];
    assert_eq!(without, floats);
    // Counters of the pushes may wrap around in the kernels, that of the stride stops there and wraps in
    // the text; and a text says nothing of contents, nor of tiles that divide a block.
    let open_ones = [
        "csr_push_block_racy",
        "csr_push_warp_racy",
        "csr_rows_of_thread",
        "csr_tile_shuffle",
        "dot_divergent",
        "grid_stride_racy",
        "permutation",
        "scatter_injective",
    ];
    assert_eq!(open, open_ones);
    assert!(same >= 60 && racy >= 20 && free >= 25, "{same}: {racy}, {free}");
}

/// What a thread does in a phase: what it reads, what it writes, what it updates for whom.
type Deeds = (BTreeSet<Cell>, BTreeMap<Cell, u64>, BTreeSet<String>);

/// A cell by the name that its array has in a text, where fields are parameters of their own.
fn as_printed(cell: &Cell) -> Cell {
    Cell::new(printed(cell.array.as_str()), cell.index.clone())
}

fn printed(name: &str) -> String {
    name.replace('.', "_")
}

/// The deeds of each thread, phase by phase and behind how many barriers of tiles and warps, and
/// whether the threads end.
fn deeds(instance: &Instance) -> (Vec<BTreeMap<Place, Deeds>>, bool) {
    let outcome = instance.run(&babycuda_semantics::RunOptions::default());
    let of = |a: &babycuda_core::Accesses| {
        (
            a.reads.iter().map(as_printed).collect(),
            // Naturals wrap around in texts.
            a.writes.iter().map(|(j, k)| (as_printed(j), k.low_u64())).collect(),
            a.atomics
                .iter()
                .map(|(j, log)| format!("{} {:?}", as_printed(j), log.scopes))
                .collect(),
        )
    };
    let phases = outcome.history().chronological();
    let phases = phases.map(|(_, phase)| phase.places().map(|(at, a)| (at, of(a))).collect());
    (phases.collect(), outcome.is_done())
}

/// The program in a launch, with this memory and small parameters.
fn instance(program: Program, launch: Launch, memory: &HostMemory) -> Instance {
    let params: Vec<Name> = program.params.iter().map(|p| p.name.clone()).collect();
    let instance = Instance::new(program, launch).with_host(memory.clone());
    params.into_iter().fold(instance, |instance, name| instance.with_parameter(name, 3u32))
}

/// The text of a program does what the program does.
fn does_the_same(name: &str, program: &Program, launch: Launch) -> bool {
    let mut memory = HostMemory::declared(program);
    for array in program.arrays.iter().filter(|a| a.contents == Contents::Any) {
        let cell = |i: u64| (Natural::from(i), Natural::from(i.wrapping_mul(7919) / 5 % 8));
        let cells = (0..256).map(cell).collect();
        let contents = HostArray { fill: Some(Natural::zero()), cells };
        memory.insert(printed(array.name.as_str()).into(), contents.clone());
        memory.insert(array.name.clone(), contents);
    }
    let Text { text, .. } = emit(program, Target::Cuda, &emit::EmitOptions::default())
        .unwrap_or_else(|e| panic!("{e}"));
    let (expected, ends) = deeds(&instance(program.clone(), launch, &memory));
    if !ends {
        return false;
    }
    let again = read_back(&text, launch.block, BTreeMap::new());
    let (mut found, ends) = deeds(&instance(again, launch, &memory));
    // One thread fills shared arrays in a phase before the program's.
    let is_filled =
        |contents: &Contents| matches!(contents, Contents::Values(_) | Contents::Fill(_));
    if program.arrays.iter().any(|a| a.space == Space::Shared && is_filled(&a.contents)) {
        found.remove(0);
    }
    assert!(ends, "{name}\n{text}");
    assert_eq!(found, expected, "{name}\n{text}");
    true
}

/// What the corpus lacks.
const PROGRAMS: [&str; 10] = [
    "threads 40; global A = fill 0; global B = fill 0; A[tid] := 1; sync.warp; \
     let x = A[tid / 32 * 32] in B[tid] := x; if tid / 32 == 1 { sync.warp; A[tid] := 2 }",
    "threads 4; shared A[4] = [7, 8, 9, 1]; shared B[8] = fill 2; global C = fill 0; \
     let x = A[tid] in let y = B[x % 8] in C[tid] := x + y",
    "threads 4; global A: i32 = fill 4294967290; global B = fill 0; \
     let x = A[tid] in B[tid] := cast.i32.i64(x); \
     let x = A[tid] in B[tid + 4] := cast.i32.u8(cast.i32.i16(x)) + x",
    "threads 4; global B = fill 0; \
     B[tid] := (tid + 1) * ((tid + 2) * 3) - (tid - (tid - 1)) + (tid % 3) % 2 * 7; \
     B[tid + 4] := mul.u32(tid, sub.u32(sub.u32(tid, 2), sub.u32(7, tid)))",
    "threads 4; global B = fill 0; \
     if !(tid == 0 || tid == 2 && !(tid < 2)) { B[tid] := 1 } else { B[4 + tid] := 2 }; \
     if tid == 1 { skip } else { B[8 + tid] := 3 }",
    "threads 4; global B = fill 0; \
     forU x in tid..3 { forU x in 0..x { B[tid * 8 + x] := x }; B[tid * 8 + 4 + x] := x }",
    "threads 4; global A = fill 5; global B = fill 0; \
     let x = A[tid] in { let x = B[tid] in B[tid + 4] := x; B[tid] := x }",
    "threads 2; shared A; A[tid] := tid; sync; let x = A[1 - tid] in A[tid + 2] := x; sync; \
     let x = A[3 - tid] in A[tid] := x",
    "threads 1; global A: u32 = fill 5; global L: i64 = fill 3; global B = fill 0; \
     let x = atomic.block A[0] add.u32 1 in let y = atomic.system A[1] max.u32 9 in \
     let z = atomic A[2] inc 5 in let z = atomic A[2] inc 9 in \
     { let z = atomic L[0] max.i64 18446744073709551615 in let z = L[0] in B[3] := z }; \
     { let z = A[2] in B[2] := z }; let x = A[0] in let y = A[1] in B[tid] := x * y",
    "threads 2; global A: i32 = fill 4294967295; global B = fill 0; \
     let x = A[tid] in if lt.i32(x, tid) { B[tid] := select(lt.i32(0, x), 1, 2) } \
     else { B[tid + 2] := shr.i32(x, 3) }",
];

#[test]
fn accesses_survive() {
    for text in PROGRAMS {
        let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        let launch = program.geometry.launch().unwrap_or(Launch::threads(1));
        assert!(does_the_same(text, &program, launch), "{text}");
    }
    let mut same = 0;
    for (kernel, program) in corpus::programs() {
        // What stands for data is another array each time it is read back.
        let is_opaque = program.arrays.iter().any(|a| a.contents == Contents::Opaque);
        if is_opaque || emit(&program, Target::Cuda, &emit::EmitOptions::default()).is_err() {
            continue;
        }
        let plane = program.geometry.block[1] != Extent::Known(1);
        let block = if plane { Dim3 { x: 4, y: 4, z: 1 } } else { Dim3::line(8) };
        let launch = Launch::new(Dim3::line(1), block);
        same += usize::from(does_the_same(&kernel, &program, launch));
    }
    assert!(same >= 25, "{same}");
}

/// Every operator, in calls and between operands.
#[test]
fn operators_survive() {
    let mut all = expressions();
    all.extend(constants());
    for expressions in all.chunks(64) {
        let threads = EDGES.len();
        let writes: Vec<String> = expressions
            .iter()
            .enumerate()
            .map(|(k, e)| format!("B[tid + {}] := {e}", k * threads))
            .collect();
        let edges: Vec<String> = EDGES.iter().map(u64::to_string).collect();
        let rotated: Vec<String> =
            EDGES.iter().cycle().skip(5).take(threads).map(u64::to_string).collect();
        let text = format!(
            "threads {threads}; global X = [{}]; global Y = [{}]; global B = fill 0; \
             let x = X[tid] in let y = Y[tid] in {{ {} }}",
            edges.join(", "),
            rotated.join(", "),
            writes.join("; ")
        );
        let program = parse_program(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert!(does_the_same("operators", &program, Launch::threads(threads as u32)));
    }
}

/// What others may change is read anew each time.
#[test]
fn arrays_that_may_change_are_volatile() {
    let mut declared = 0;
    for (kernel, program) in corpus::programs() {
        let Ok(text) = emit(&program, Target::Cuda, &emit::EmitOptions::default()) else {
            continue;
        };
        let (head, _) = text.text.split_once("{\n    ").unwrap_or((&text.text, ""));
        let shared = text.text.lines().filter(|line| line.contains("__shared__"));
        let pointers = head.split([',', '(']).filter(|argument| argument.contains('*'));
        for array in shared.chain(pointers.filter(|p| !p.contains("//"))) {
            let name = array.trim_end_matches([')', ' ', '\n']).rsplit('*').next();
            let input = name.is_some_and(|name| program.inputs().contains(&Name::new(name)));
            assert_eq!(array.contains("volatile"), !input, "{kernel}: {array}\n{}", text.text);
            declared += 1;
        }
    }
    assert!(declared > 80, "{declared}");
}
