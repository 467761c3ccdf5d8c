//! Each stage on random well-typed programs, and enumeration on large launches.
//!
//! `cargo bench -p babycuda-benches --bench stages`

use babycuda::core::parse::{parse_program, parse_protocol};
use babycuda::core::syntax::{Geometry, Program};
use babycuda::core::{Configuration, Declarations};
use babycuda::protocols::enumerate::{EnumerationLimits, enumerate};
use babycuda::protocols::map;
use babycuda::protocols::split::{ByRanges, split};
use babycuda::semantics::vm::{Code, Machine};
use babycuda::semantics::{Instance, RunOptions, check_derivation};
use babycuda::typing::{approximate, type_program};
use babycuda_testkit::choices::Choices;
use babycuda_testkit::generators::{Profile, program};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

/// How many programs one round handles.
const PROGRAMS: usize = 1_000;

/// Well-typed programs with a concrete launch, always the same.
fn programs() -> Vec<Program> {
    // A linear congruential generator: any fixed sequence does.
    let mut state = 2022u64;
    let mut number = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 48) as u16
    };
    let profile = Profile::WELL_TYPED;
    let draw = |_| {
        let numbers: Vec<u16> = (0..256).map(|_| number()).collect();
        program(&mut Choices::new(&numbers), profile)
    };
    (0..PROGRAMS).map(draw).filter(|p| type_program(p).is_ok()).collect()
}

fn instances(programs: &[Program]) -> Vec<Instance> {
    let runnable = programs.iter().filter_map(|p| Some((p, p.geometry.launch()?)));
    runnable.map(|(p, launch)| Instance::new(p.clone(), launch)).collect()
}

fn random_programs(c: &mut Criterion) {
    let programs = programs();
    let instances = instances(&programs);
    let texts: Vec<String> = programs.iter().map(ToString::to_string).collect();
    let options = RunOptions::default();
    let mut group = c.benchmark_group("programs");
    group.throughput(Throughput::Elements(instances.len() as u64));
    group.bench_function("parse", |b| {
        b.iter(|| texts.iter().filter(|t| parse_program(t).is_ok()).count());
    });
    group.bench_function("print", |b| {
        b.iter(|| programs.iter().map(|p| p.to_string().len()).sum::<usize>());
    });
    group.bench_function("type", |b| {
        b.iter(|| programs.iter().filter(|p| type_program(p).is_ok()).count());
    });
    group.bench_function("reference", |b| {
        b.iter(|| instances.iter().filter(|i| i.run(&options).is_done()).count());
    });
    group.bench_function("check derivation", |b| {
        let derive = || -> Vec<_> {
            instances.iter().filter_map(|i| i.evaluate(&options).derivation).collect()
        };
        b.iter_batched(
            derive,
            |all| all.iter().filter(|d| check_derivation(d).is_ok()).count(),
            BatchSize::LargeInput,
        );
    });
    group.bench_function("vm", |b| {
        let mut machine = Machine::default();
        b.iter(|| {
            let racy = |i: &&Instance| {
                let code = Code::compile(&i.program.body);
                machine.run(&code, i, &options).is_racy()
            };
            instances.iter().filter(racy).count()
        });
    });
    group.bench_function("split", |b| {
        let protocols: Vec<_> = programs.iter().map(|p| approximate(p).protocol).collect();
        b.iter(|| {
            protocols
                .iter()
                .map(|p| split(p, &mut ByRanges::default()).obligations.len())
                .sum::<usize>()
        });
    });
    // The chain that a fuzzer runs: does Theorem 1 hold of this program? Λ and its races come from
    // the streaming enumeration, or from the reference semantics of protocols.
    group.bench_function("vm, type, enumerate", |b| {
        let mut machine = Machine::default();
        let limits = EnumerationLimits::default();
        b.iter(|| {
            let agree = |i: &&Instance| {
                let code = Code::compile(&i.program.body);
                let racy = machine.run(&code, i, &options).is_racy();
                let Ok(typed) = type_program(&i.program) else { return false };
                let found = enumerate(&typed.protocol, &i.program, &i.configuration, &limits);
                found.is_ok_and(|f| f.races.is_empty() != racy)
            };
            black_box(instances.iter().filter(agree).count())
        });
    });
    group.bench_function("vm, type, map", |b| {
        let mut machine = Machine::default();
        let limits = map::MapLimits::default();
        b.iter(|| {
            let agree = |i: &&Instance| {
                let code = Code::compile(&i.program.body);
                let racy = machine.run(&code, i, &options).is_racy();
                let Ok(typed) = type_program(&i.program) else { return false };
                let lambda = map::evaluate(&typed.protocol, &i.configuration, &limits);
                lambda.is_ok_and(|l| l.races().is_empty() != racy)
            };
            black_box(instances.iter().filter(agree).count())
        });
    });
    group.finish();
}

fn enumeration(c: &mut Criterion) {
    let declarations = Declarations::of_geometry(Geometry::line());
    let at = Configuration::threads(1024).with("n", 2_000u32);
    let mut group = c.benchmark_group("enumerate");
    group.throughput(Throughput::Elements(1024 * 2_000));
    for (name, text) in [
        ("reads of own cells", "forU i in 0..n { rd A[i * blockDim.x + tid] }"),
        ("writes of few cells", "forU i in 0..n { wr A[tid + 1024 * (i % 64)] }"),
        (
            "machine arithmetic under a guard",
            "forU i in 0..n { if lt.i32(i, 100000) { rd A[add.i32(mul.i32(i, 1024), tid)] } }",
        ),
    ] {
        let protocol = parse_protocol(text).unwrap_or_else(|e| panic!("{e}"));
        group.bench_function(name, |b| {
            b.iter(|| enumerate(&protocol, &declarations, &at, &EnumerationLimits::default()));
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = random_programs, enumeration
}
criterion_main!(benches);
