//! Kernels with a construct that is not supported: races that are real whatever it does.

use super::*;

/// The outcome for what is known of a kernel of these statements, in blocks of 8 threads.
fn known(statements: &str) -> Outcome {
    let source = format!(
        "__device__ int f(int *a) {{ a[7] = threadIdx.x; asm volatile(\"x\"); a[8] = threadIdx.x; return 1; }}
         __global__ void k(int *a, int *b, int n) {{ int i = threadIdx.x; {statements} }}"
    );
    let settings = Settings { block: Some(Dim3::line(8)), ..Settings::default() };
    let kernels = parse_cuda(&source, &settings.clone().into()).expect("readable");
    let Translation::Unsupported(unsupported) = &kernels[0].translation else {
        panic!("{statements}: {:?}", kernels[0].translation)
    };
    let program = unsupported.known.as_deref().unwrap_or_else(|| panic!("{statements}"));
    let program = settings.apply(program).expect("fits").around(program.body.clone());
    check(&program, &CheckOptions::default()).expect("well-scoped").verdict.outcome
}

const U: &str = "asm volatile(\"x\");";

#[test]
fn a_race_before_the_construct_is_one() {
    for statements in [
        format!("a[0] = i; {U}"),
        format!("a[0] = i; __syncthreads(); {U} a[1] = i;"),
        // Other threads do not get there, or not before.
        format!("if (i == 0) {U} a[0] = i;"),
        format!("if (i == 0) {{ a[0] = i; {U} }} else a[0] = i;"),
        format!("if (i == 0) return; if (n) {{ a[0] = i; {U} }}"),
        // It happens in the first iteration.
        format!("for (int j = 0; j < n; j++) {{ a[j] = i; {U} }}"),
        format!("for (int j = 0; j < 4; j++) {{ a[j] = i; if (j == 2) {U} }}"),
        // In a function, and in an operand.
        "f(a);".into(),
        "b[f(a)] = 0;".into(),
        "if (n == 3 && f(a)) b[i] = 0;".into(),
        // The statement is not known, the one before is.
        "a[0] = i; b[i] = nobody(n);".into(),
        "a[0] = i; while (b[0] != n) __syncthreads();".into(),
        // In the first iteration of a loop with barriers of which nobody knows how often it runs.
        "while (true) { a[0] = i; __syncthreads(); if (b[0] == n) break; }".into(),
        "while (true) { a[i] = i; __syncthreads(); a[0] = i; __syncthreads(); if (b[0]) break; }"
            .into(),
        // Behind it, for threads that do not enter it.
        "while (b[0] == n) { a[i] = i; __syncthreads(); } __syncthreads(); a[0] = i;".into(),
        "do { __syncthreads(); a[i / 2] = i; } while (b[0] != n);".into(),
    ] {
        assert_eq!(known(&statements), Outcome::Racy, "{statements}");
    }
}

#[test]
fn nothing_behind_it_is_said() {
    for statements in [
        format!("{U} a[0] = i;"),
        format!("a[i] = 0; {U} a[0] = i;"),
        // It may have a barrier, or end the thread.
        format!("a[i] = 0; if (i == 0) {U} __syncthreads(); a[0] = i;"),
        format!("if (i != 0) a[i] = 1; {U} if (i == 0) a[1] = 0;"),
        // The first iteration writes elsewhere.
        format!("for (int j = 0; j < n; j++) {{ if (j > 0) a[j] = i; {U} }}"),
        format!("int j = 0; while (j < n) {{ {U} j++; }} if (j == 5) a[0] = i;"),
        // The construct stands in the condition.
        "if (nobody(n)) a[0] = i;".into(),
        "while (nobody(n)) a[0] = i;".into(),
        "for (int j = 0; j < n; nobody(j)) a[i] = i;".into(),
        "switch (nobody(n)) { case 1: a[0] = i; }".into(),
        // The second iteration of a loop that is not followed, and what comes behind it.
        "int j = 0; while (true) { __syncthreads(); a[i + j] = i; if (b[0] == n) break; if (i) j++; }"
            .into(),
        "int j = 0; while (j == 0 || b[0] == n) { __syncthreads(); j = b[1]; } a[0] = i;".into(),
        // It may be left before the barrier: who waits there is not said.
        format!("if (i == 0) {{ {U} }} else __syncthreads();"),
        format!("if (i == 0) __syncthreads(); {U}"),
    ] {
        let outcome = known(&statements);
        assert_ne!(outcome, Outcome::Racy, "{statements}");
    }
}

/// The outcomes for what has fewer barriers than a kernel of these statements, in blocks of 64 threads.
fn freer(statements: &str) -> Vec<Outcome> {
    let source = format!(
        "namespace cg = cooperative_groups; __global__ void k(int *a, int n) {{ int i = threadIdx.x; {statements} }}"
    );
    let settings = Settings { block: Some(Dim3::line(64)), ..Settings::default() };
    let kernels = parse_cuda(&source, &settings.into()).expect("readable");
    let Translation::Unsupported(unsupported) = &kernels[0].translation else {
        panic!("{statements}: {:?}", kernels[0].translation)
    };
    let outcome = |program| check(program, &CheckOptions::default()).expect("well-scoped").verdict;
    let programs = unsupported.freer.iter().flat_map(|freer| &freer.programs);
    programs.map(|program| outcome(program).outcome).collect()
}

#[test]
fn whom_a_barrier_holds_may_not_matter() {
    let group = "auto g = cg::coalesced_threads();";
    for statements in [
        "a[i] = 1; __syncwarp(n);".to_owned(),
        format!("{group} a[i] = 1; g.sync(); a[i]++;"),
        format!("{group} a[i] = 1; cg::sync(g); __syncthreads(); a[63 - i] = 2;"),
        "auto t = cg::tiled_partition<64>(cg::this_thread_block()); a[i] = 1; t.sync();".into(),
        "for (int j = 0; j < n; j++) { a[64 * j + i] = 1; __syncwarp(0x5); }".into(),
    ] {
        assert_eq!(freer(&statements), [Outcome::Drf], "{statements}");
    }
    for statements in [
        "a[i] = 1; __syncwarp(n); a[i ^ 1] = 2;".to_owned(),
        format!("{group} a[i] = 1; g.sync(); a[63 - i] = 2;"),
    ] {
        assert_eq!(freer(&statements), [Outcome::Racy], "{statements}");
    }
    // What is refused otherwise, also behind such a barrier, has none.
    for statements in
        ["asm volatile(\"x\");", "__syncwarp(n); asm volatile(\"x\");", "a[nobody(n)] = 1;"]
    {
        assert_eq!(freer(statements), [], "{statements}");
    }
}

/// What cannot be parsed may change what comes before.
#[test]
fn of_what_cannot_be_parsed_nothing_is_known() {
    let source = "__global__ void k(int *a) { a[0] = threadIdx.x; a[1] = = 1; }";
    let kernels = parse_cuda(source, &Settings::default().into()).expect("readable");
    let Translation::Unsupported(unsupported) = &kernels[0].translation else { panic!() };
    assert_eq!(unsupported.known, None);
}
