//! From instances to jobs.

use babycuda_core::parse::parse_program;
use babycuda_core::syntax::Space;
use babycuda_core::{Cell, Dim3, HostMemory, Launch, Name, Natural};
use babycuda_gpu::bytecode::CompileErrorKind;
use babycuda_gpu::{Job, JobArray, JobError, JobOptions};
use babycuda_semantics::Instance;

fn instance(text: &str) -> Instance {
    let program = parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    Instance::new(program, Launch::threads(2))
}

fn job(text: &str) -> Result<Job, JobError> {
    let options = JobOptions { length: 3, longest: 100, undefined: 9, ..JobOptions::default() };
    Job::new(&instance(text), &options)
}

fn array(text: &str) -> Result<JobArray, JobError> {
    job(text).map(|job| job.arrays()[0].clone())
}

/// More than any machine has.
fn huge() -> Natural {
    "1000000000000000000000000000000".parse().expect("a number")
}

#[test]
fn cells_hold_what_the_host_stored_and_the_rest_is_filled() {
    let cells = |text| array(text).map(|array| array.cells);
    assert_eq!(cells("A[0] := 1"), Ok(vec![9; 3]));
    assert_eq!(cells("shared A = fill 4; A[0] := 1"), Ok(vec![4; 3]));
    assert_eq!(cells("shared A = any; A[0] := 1"), Ok(vec![0; 3]));
    assert_eq!(cells("shared A = [5]; A[0] := 1"), Ok(vec![5, 9, 9]));
    assert_eq!(cells("shared A = [5, 6, 7, 8]; A[0] := 1"), Ok(vec![5, 6, 7, 8]));
    assert_eq!(cells("shared A[2] = [5, 6, 7, 8]; A[0] := 1"), Ok(vec![5, 6]));
    assert_eq!(cells("shared A[0]; A[0] := 1"), Ok(vec![]));
    assert_eq!(array("global A; A[0] := 1").map(|a| a.space), Ok(Space::Global));
    // Only what the program accesses is there.
    assert_eq!(job("shared A; shared B; B[0] := 1").map(|job| job.arrays().len()), Ok(1));
}

#[test]
fn inputs_are_parameters_and_what_the_launch_gives_a_block() {
    let text = "param N = 7; A[blockIdx.y + N] := blockDim.x + gridDim.x";
    let program = parse_program(text).expect("it parses");
    let launch = Launch::new(Dim3 { x: 3, y: 2, z: 1 }, Dim3::line(4));
    let instance = Instance::new(program, launch).with_block(4);
    let job = Job::new(&instance, &JobOptions::default()).expect("a job");
    let inputs: Vec<&str> = job.code().inputs().iter().map(Name::as_str).collect();
    assert_eq!(inputs, ["N", "blockDim.x", "blockIdx.y", "gridDim.x"]);
    assert_eq!(job.inputs(), [7, 4, 1, 3]);
    // A parameter comes first, as in the semantics.
    let instance = instance.with_parameter("blockIdx.y", 8u32);
    let job = Job::new(&instance, &JobOptions::default()).expect("a job");
    assert_eq!(job.inputs(), [7, 4, 8, 3]);
}

#[test]
fn an_array_that_is_too_long_is_not_allocated() {
    let too_long =
        |length| Err(JobError::ArrayTooLong { array: Name::new("A"), length, longest: 100 });
    assert_eq!(array("shared A[101]; A[0] := 1"), too_long(Natural::from(101u32)));
    assert_eq!(array("shared A[1000000000000000000000000000000]; A[0] := 1"), too_long(huge()));
    assert_eq!(array("shared A[100]; A[0] := 1").map(|a| a.cells.len()), Ok(100));
    // The host stored something far away.
    let mut host = HostMemory::default();
    host.set(Cell::new("A", huge()), Natural::from(1u32));
    let options = JobOptions { longest: 100, length: 3, ..JobOptions::default() };
    let stored = Job::new(&instance("A[0] := 1").with_host(host), &options);
    assert_eq!(stored.map(|job| job.arrays()[0].clone()), too_long(huge().successor()));
}

#[test]
fn what_no_device_can_run_is_a_typed_error() {
    assert_eq!(job("A[0] := N"), Err(JobError::Unbound(Name::new("N"))));
    let value = huge();
    assert_eq!(
        job("param N = 1000000000000000000000000000000; A[0] := N"),
        Err(JobError::ParameterTooLarge { name: Name::new("N"), value: value.clone() })
    );
    assert_eq!(
        job("shared A = [1, 1000000000000000000000000000000]; A[0] := 1"),
        Err(JobError::ContentsTooLarge { cell: Cell::new("A", 1u32), value: value.clone() })
    );
    assert_eq!(
        job("shared A = fill 1000000000000000000000000000000; A[0] := 1"),
        Err(JobError::ContentsTooLarge { cell: Cell::new("A", 0u32), value })
    );
    let literal = job("A[0] := 1000000000000000000000000000000");
    let kind = literal.map_err(|error| match error {
        JobError::Compile(error) => error.kind,
        other => panic!("{other}"),
    });
    assert_eq!(kind, Err(CompileErrorKind::LiteralTooLarge(huge())));

    let options = JobOptions::default();
    let mut large = instance("A[0] := 1");
    large.configuration.launch = Launch::threads(1025);
    assert_eq!(Job::new(&large, &options), Err(JobError::TooManyThreads { threads: 1025 }));
    large.configuration.launch.block = Dim3 { x: u32::MAX, y: u32::MAX, z: u32::MAX };
    assert_eq!(Job::new(&large, &options), Err(JobError::TooManyThreads { threads: u64::MAX }));
    let reserved = instance("A[tid] := 1").with_parameter("tid", 1u32);
    assert_eq!(Job::new(&reserved, &options), Err(JobError::Reserved(Name::new("tid"))));
}
