//! Witnesses by hand: what a run of the program proves of each, and what it does not.

use super::scene::Made;
use super::*;
use babycuda_core::evidence::{Choice, Side};
use babycuda_core::parse::parse_program;
use babycuda_core::{AccessMode, Thread};

fn program(text: &str) -> Program {
    parse_program(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The access of a thread of block 0 at the site of this number, in the order of the text.
fn side(index: u64, site: u32, mode: AccessMode, phase: Option<usize>) -> Side {
    let thread = Thread { block: 0, index };
    let (iteration, data) = (Vec::new(), Vec::new());
    Side { thread, phase, site: Site(site), mode, iteration, data }
}

/// Threads 0 and 1 write the cell at one site.
fn both(program: &Program, cell: (&str, u32), site: u32, phase: Option<usize>) -> Witness {
    let [first, second] = [0, 1].map(|index| side(index, site, AccessMode::Wr, phase));
    witness(program, cell, first, second)
}

fn witness(program: &Program, (array, index): (&str, u32), first: Side, second: Side) -> Witness {
    let launch = program.geometry.launch().unwrap_or_else(|| panic!("{program}: no launch"));
    let configuration = Configuration::of_launch(launch);
    let cell = Cell::new(Name::new(array), index);
    Witness { configuration, cell, first, second, confirmation: Confirmation::Run }
}

fn certainty_within(program: &Program, witness: &Witness, replay_steps: u64) -> Certainty {
    assert_eq!(program.check_scope(), Ok(()));
    let options = CheckOptions { replay_steps, ..CheckOptions::default() };
    judge(program, &approximate(program), witness, &options, &Made::default()).certainty
}

fn certainty(program: &Program, witness: &Witness) -> Certainty {
    certainty_within(program, witness, CheckOptions::default().replay_steps)
}

/// What the witness says that the thread read in `B[0]`.
fn read(site: u32, value: u32) -> Choice {
    let cell = Some(Cell::new(Name::new("B"), 0u32));
    Choice { site: Site(site), var: Name::new("x"), value: value.into(), cell }
}

#[test]
fn a_run_has_to_make_both_accesses_as_the_witness_says() {
    let p = program(
        "threads 2; shared A = [5]; if tid == 0 { A[0] := 1 } else { let x = A[0] in skip }",
    );
    let with = |mode, site| {
        let first = side(0, 1, AccessMode::Wr, Some(0));
        certainty(&p, &witness(&p, ("A", 0), first, side(1, site, mode, Some(0))))
    };
    assert_eq!(with(AccessMode::Rd, 2), Certainty::Replayed);
    assert_eq!(with(AccessMode::Wr, 2), Certainty::Potential, "another mode");
    assert_eq!(with(AccessMode::Rd, 1), Certainty::Potential, "another site");
    let p = program("threads 2; shared A; A[0] := tid; sync");
    assert_eq!(certainty(&p, &both(&p, ("A", 0), 0, Some(0))), Certainty::Replayed);
    assert_eq!(certainty(&p, &both(&p, ("A", 0), 0, Some(1))), Certainty::Potential, "a phase");
    assert_eq!(certainty(&p, &both(&p, ("A", 1), 0, Some(0))), Certainty::Potential, "a cell");
}

/// Also where the witness does not say in which.
#[test]
fn both_accesses_are_made_in_one_phase() {
    let of = |between: &str| {
        let text = format!(
            "threads 2; shared A; if tid == 0 {{ A[0] := 1 }} else {{ skip }}; {between};
             if tid == 1 {{ A[0] := 2 }} else {{ skip }}"
        );
        let p = program(&text);
        let writes: Vec<Site> = p
            .body
            .subterms()
            .filter(|b| matches!(b, Stmt::Write { .. }))
            .filter_map(Stmt::site)
            .collect();
        let [first, second] = [0, 1].map(|t| side(t, writes[t as usize].0, AccessMode::Wr, None));
        certainty(&p, &witness(&p, ("A", 0), first, second))
    };
    assert_eq!(of("skip"), Certainty::Replayed);
    assert_eq!(of("sync"), Certainty::Potential);
}

/// Where nobody wrote what a thread reads, its phase is not completed: no history has the race.
/// The run of the protocol, which goes on with the other threads, has it if it is of that phase.
#[test]
fn a_phase_that_is_not_completed_is_not_replayed() {
    let p = program("threads 2; shared A; shared B; A[0] := tid; let x = B[0] in skip");
    let mut found = both(&p, ("A", 0), 0, Some(0));
    assert_eq!(certainty(&p, &found), Certainty::Provable);
    found.confirmation = Confirmation::Path;
    assert_eq!(certainty(&p, &found), Certainty::Potential);
    let text = "threads 2; shared A; shared B; if tid == 0 { let x = B[0] in skip } else { skip };
                sync; A[0] := tid";
    let p = program(text);
    assert_eq!(certainty(&p, &both(&p, ("A", 0), 3, Some(1))), Certainty::Potential);
}

#[test]
fn a_thread_that_waits_for_ever_comes_to_no_barrier() {
    let of = |index: u32| {
        let text = format!(
            "threads 2; shared A; shared B; if tid == 0 {{ let x = B[{index}] in skip }}
             else {{ B[3] := 1 }}; sync; A[0] := tid"
        );
        let p = program(&text);
        let mut found = both(&p, ("A", 0), 4, Some(1));
        found.confirmation = Confirmation::Path;
        certainty(&p, &found)
    };
    assert_eq!(of(3), Certainty::Provable);
    assert_eq!(of(7), Certainty::Potential);
}

/// What the host stored is there from the start, in an array that threads write too.
#[test]
fn a_thread_waits_for_no_one_to_read_what_the_host_stored() {
    let text = "threads 2; shared A; shared B = [1];
                if tid == 0 { let x = B[0] in let y = B[5] in A[0] := 1 }
                else { B[5] := 2; A[0] := 2 }";
    let p = program(text);
    let [first, second] =
        [(0, 3), (1, 5)].map(|(thread, site)| side(thread, site, AccessMode::Wr, Some(0)));
    let mut found = witness(&p, ("A", 0), first, second);
    found.confirmation = Confirmation::Path;
    assert_eq!(certainty(&p, &found), Certainty::Provable);
}

#[test]
fn a_cell_of_the_host_has_one_value() {
    let p = program("threads 2; shared A; global B = any; let x = B[0] in A[x] := tid");
    let mut found = both(&p, ("A", 4), 1, Some(0));
    found.first.data = vec![read(0, 4)];
    found.second.data = vec![read(0, 4)];
    assert_eq!(certainty(&p, &found), Certainty::Replayed);
    found.first.data = vec![read(0, 3)];
    assert_eq!(certainty(&p, &found), Certainty::Potential);
}

/// T6 is about the threads of a block, without atomic updates, up to the first race.
#[test]
fn what_a_program_computes_is_that_of_every_run_only_in_a_block_without_atomics_or_races() {
    let of = |declared: &str, before: &str, after: &str| {
        let p = program(&format!(
            "{declared}; shared C = [0]; global A; global B; {before}B[tid] := 1; sync; \
             let x = B[0] in A[x] := tid; {after}"
        ));
        let write = p.body.subterms().filter(|b| matches!(b, Stmt::Write { .. })).last();
        let site = write.and_then(Stmt::site).unwrap_or_else(|| panic!("{p}"));
        let mut found = both(&p, ("A", 1), site.0, Some(1));
        if declared.starts_with("grid") {
            found.second.thread = Thread { block: 1, index: 0 };
        }
        certainty(&p, &found)
    };
    assert_eq!(of("threads 2", "", "skip"), Certainty::Replayed);
    let updates = "let y = atomic C[0] add 1 in skip";
    assert_eq!(of("threads 2", "", updates), Certainty::Provable, "by an interleaving");
    // Without a run, by an interleaving.
    assert_eq!(of("threads 2", "C[0] := tid; ", "skip"), Certainty::Provable, "a race before");
    assert_eq!(of("grid 2; threads 2", "", "skip"), Certainty::Provable, "two blocks");
}

/// Theorem 1 stands in for a run that is too long: where no thread may be stuck or diverge on the
/// way, and no data decides the accesses.
#[test]
fn a_run_that_is_too_long_proves_what_needs_none() {
    let long = "forU i in 0..100 { C[2 * i + tid] := 1 }";
    let of = |contents: &str, statements: &str| {
        let text = format!("threads 2; shared A; shared C; global B = {contents}; {statements}");
        let p = program(&text);
        let write = p.body.subterms().find(|b| b.accessed() == Some(&Name::new("A")));
        let site = write.and_then(Stmt::site).unwrap_or_else(|| panic!("{p}"));
        let found = both(&p, ("A", 0), site.0, None);
        (p, found)
    };
    let (p, mut found) = of("fill 1", &format!("{long}; A[0] := tid; let x = B[0] in skip"));
    assert_eq!(certainty(&p, &found), Certainty::Replayed);
    assert_eq!(certainty_within(&p, &found, 20), Certainty::Provable);
    found.first.data = vec![read(2, 1)];
    assert_eq!(certainty_within(&p, &found, 20), Certainty::Potential, "data");
    found.first.data.clear();
    found.confirmation = Confirmation::Alone;
    assert_eq!(certainty_within(&p, &found, 20), Certainty::Potential, "others may diverge");
    let (p, found) = of("[1]", &format!("{long}; A[0] := tid; let x = B[0] in skip"));
    assert_eq!(certainty_within(&p, &found, 20), Certainty::Potential, "threads may be stuck");
    let barrier = "{ let x = B[0] in if x == 0 { sync } else { skip } }";
    let (p, found) = of("any", &format!("{long}; A[0] := tid; {barrier}"));
    assert_eq!(certainty_within(&p, &found, 20), Certainty::Potential, "data decides a barrier");
}
