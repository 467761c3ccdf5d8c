//! What warps and blocks do together: fragments of matrices, asynchronous copies, barrier objects, groups of threads
//! that values choose.

mod common;

use babycuda_frontend::Options;
use common::{body, program, refusal};

const FRAGMENTS: &str = "\
    using namespace nvcuda;
    __global__ void k(float *c, const half *a, int n) {
        wmma::fragment<wmma::accumulator, 2, 3, 4, float> f;
        wmma::fragment<wmma::matrix_b, 2, 3, 4, half, wmma::col_major> b;\n";

fn fragments(statements: &str) -> String {
    format!("{FRAGMENTS}{statements}\n}}")
}

#[test]
fn fragments_access_their_tiles() {
    for (statements, wanted) in [
        ("wmma::fill_fragment(f, 0.0f); wmma::mma_sync(f, b, b, f);", "skip"),
        ("f.x[3] *= 2.0f; float y = f.x[n]; c[0] = f.x[1];", "let u = unknown[0] in c[0] := u"),
        (
            "wmma::store_matrix_sync(c + n, f, 4, wmma::mem_row_major);",
            "forU line in 0..2 { forU place in 0..3 { if rem.u32(threadIdx.x, 32) == select(add.u32(mul.u32(line, 3), place) < accumulator_split, accumulator_lane, accumulator_lane_behind) { let u = unknown[0] in c[add.u64(cast.i32.u64(n), add.u64(mul.u64(line, 4), place))] := u } else { skip } } }",
        ),
        (
            "wmma::load_matrix_sync(f, c, n, wmma::mem_col_major);",
            "if rem.u64(mul.u64(n, 4), 16) != 0 || n < 2 { let o = stop[0] in skip } else { skip }; forU line in 0..3 { forU place in 0..2 { if rem.u32(threadIdx.x, 32) == select(add.u32(mul.u32(place, 3), line) < accumulator_split, accumulator_lane, accumulator_lane_behind) { let c_ = c[add.u64(mul.u64(line, n), place)] in skip } else { skip } } }",
        ),
        (
            "nvcuda::wmma::load_matrix_sync(b, a, 8);",
            "forU line in 0..3 { forU place in 0..4 { if rem.u32(threadIdx.x, 32) == select(add.u32(mul.u32(place, 3), line) < matrix_b_split, matrix_b_lane, matrix_b_lane_behind) { let a_ = a[add.u64(mul.u64(line, 8), place)] in skip } else { skip } } }",
        ),
        (
            "for (int i = 0; i < f.num_elements; i++) c[i] = 1;",
            "forU i in 0..max.i32(accumulator_elements, 0) { c[i] := 1065353216 }",
        ),
    ] {
        assert_eq!(body(&fragments(statements)), wanted, "{statements}");
    }
}

#[test]
fn one_type_of_fragments_has_one_distribution() {
    let both = "wmma::load_matrix_sync(f, c, 4, wmma::mem_row_major); \
                wmma::store_matrix_sync(c, f, 4, wmma::mem_row_major);";
    let program = program(&fragments(both), &Options::default());
    let names: Vec<&str> = program.params.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["n", "accumulator_split", "accumulator_lane", "accumulator_lane_behind"]);
    assert!(program.assumptions.iter().any(|c| c.to_string().contains("blockDim.x")));
}

#[test]
fn what_is_not_known_of_fragments_is_refused() {
    for (statements, wanted) in [
        (
            "wmma::load_matrix_sync(f, c, 3);",
            "5:1: not supported: access of a fragment with this layout",
        ),
        (
            "wmma::load_matrix_sync(b, a, 3, wmma::mem_row_major);",
            "5:1: not supported: access of a fragment with this layout",
        ),
        (
            "wmma::load_matrix_sync(f, c, 3, n ? wmma::mem_row_major : wmma::mem_col_major);",
            "5:33: not supported: a layout that is not known",
        ),
        (
            "wmma::fragment<wmma::accumulator, 2, 3, 4> g;",
            "5:1: not supported: a fragment of a type that is not known",
        ),
        (
            "wmma::fragment<wmma::matrix_a, 8, 8, 32, wmma::experimental::precision::u4, wmma::row_major> g;",
            "5:1: not supported: a fragment of a type that is not known",
        ),
        ("f.y[0] = 1;", "5:1: not supported: member `y` of a value that has no such one"),
    ] {
        assert_eq!(refusal(&fragments(statements)), wanted, "{statements}");
    }
}

fn copies(statements: &str) -> String {
    format!(
        "__global__ void k(float *c, const float *a, int n) {{
            __shared__ float t[64]; int i = threadIdx.x;
            __shared__ cuda::barrier<cuda::thread_scope_block> bar;
            cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();\n{statements}\n}}"
    )
}

const COPY: &str = "cuda::memcpy_async(&t[i], &a[i], sizeof(float), pipe);";

#[test]
fn copies_are_made_where_they_are_asked_for() {
    let copied = "let a_ = a[threadIdx.x] in let u = unknown.u32[0] in t[threadIdx.x] := u";
    for (statements, wanted) in [
        (
            "pipe.producer_acquire(); pipe.producer_commit(); pipe.consumer_wait(); __syncthreads();",
            "sync".to_owned(),
        ),
        (
            "COPY pipe.producer_commit(); pipe.consumer_wait(); __syncthreads();",
            format!("{copied}; sync"),
        ),
        (
            "if (i < n) { COPY pipe.producer_commit(); pipe.consumer_wait(); } __syncthreads(); pipe.consumer_release();",
            format!("if lt.i32(threadIdx.x, n) {{ {copied} }} else {{ skip }}; sync"),
        ),
        (
            "cuda::memcpy_async(&t[i], &a[i], cuda::aligned_size_t<alignof(float)>(sizeof(float)), bar); bar.arrive_and_wait();",
            format!("{copied}; let bar_ = bar[0] in sync"),
        ),
        (
            "if (i == 0) init(&bar, blockDim.x);",
            "if eq.i32(threadIdx.x, 0) { let u = unknown[0] in bar[0] := u } else { skip }"
                .to_owned(),
        ),
        (
            "auto token = bar.arrive(); bar.wait(std::move(token));",
            "let bar_ = bar[0] in sync".to_owned(),
        ),
        (
            "cuda::barrier<cuda::thread_scope_block>::arrival_token token = bar.arrive(); bar.wait(std::move(token));",
            "let bar_ = bar[0] in sync".to_owned(),
        ),
        ("bar.wait(bar.arrive());", "let bar_ = bar[0] in sync".to_owned()),
        (
            "const auto size = cuda::aligned_size_t<4>(4); if (i < n) { cuda::memcpy_async(&t[i], &a[i], size, pipe); pipe.producer_commit(); } if (i < n) pipe.consumer_wait(); __syncthreads();",
            format!("if lt.i32(threadIdx.x, n) {{ {copied} }} else {{ skip }}; sync"),
        ),
    ] {
        let statements = statements.replace("COPY", COPY);
        let (statements, wanted) = match statements.contains("bar.") || statements.contains("bar)")
        {
            true => {
                let rest = wanted.replace("let u =", "let u'1 =").replace(":= u", ":= u'1");
                (format!("{MADE}{statements}"), format!("{IS_MADE}; sync; {rest}"))
            }
            false => (statements, wanted),
        };
        assert_eq!(body(&copies(&statements)), wanted, "{statements}");
    }
}

/// What makes the barrier object, and what that becomes.
const MADE: &str = "if (i == 0) init(&bar, blockDim.x); __syncthreads(); ";
const IS_MADE: &str =
    "if eq.i32(threadIdx.x, 0) { let u = unknown[0] in bar[0] := u } else { skip }";

/// It orders nothing where it may not be made, and a barrier of the calculus has one place.
#[test]
fn barrier_objects_are_made_once_before_threads_come() {
    let meet = "t[i] = 1; bar.arrive_and_wait(); c[i] = t[63 - i];";
    for (statements, wanted) in [
        ("MEET", "a barrier object that may not be made before"),
        ("MEET MADE", "a barrier object that may not be made before"),
        (
            "if (i == 0 && n > 3) init(&bar, 64); __syncthreads(); MEET",
            "a barrier object that may not be made before",
        ),
        (
            "if (i == 64) init(&bar, 64); __syncthreads(); MEET",
            "a barrier object that may not be made before",
        ),
        ("if (n > 3) { MADE } MEET", "a barrier object that may not be made before"),
        ("MADE MEET if (i == 0) init(&bar, 64);", "a barrier object that may be made again"),
        ("for (int k = 0; k < n; k++) { MADE MEET }", "a barrier object that may be made again"),
        (
            "MADE if (i < 32) bar.arrive_and_wait(); else bar.arrive_and_wait();",
            "a barrier object at several places, of which threads choose one",
        ),
        ("MADE MEET", ""),
        ("if (n > 3) { MADE MEET }", ""),
        ("MADE for (int k = 0; k < n; k++) { MEET bar.arrive_and_wait(); }", ""),
        ("MADE if (n > 3) bar.arrive_and_wait(); else bar.arrive_and_wait();", ""),
        (
            "if (cooperative_groups::this_thread_block().thread_rank() == 0) init(&bar, 64); __syncthreads(); MEET",
            "",
        ),
    ] {
        let source = copies(&statements.replace("MADE", MADE).replace("MEET", meet));
        match wanted {
            "" => assert!(body(&source).contains("sync"), "{statements}"),
            _ => assert!(refusal(&source).ends_with(wanted), "{statements}: {}", refusal(&source)),
        }
    }
}

/// What waits for copies below a condition of an expression waits there only.
#[test]
fn waits_in_expressions_have_their_conditions() {
    let copied = "let a_ = a[threadIdx.x] in let u = unknown.u32[0] in t[threadIdx.x] := u";
    let again =
        "{ let a_ = a[threadIdx.x] in skip }; let u = unknown.u32[0] in t[threadIdx.x] := u";
    for wait in [
        "n > 3 ? (void)pipe.consumer_wait() : (void)0;",
        "n > 3 && (pipe.consumer_wait(), true);",
        "n <= 3 || (pipe.consumer_wait(), true);",
    ] {
        let text = copies(&format!("{COPY} pipe.producer_commit(); {wait} __syncthreads();"));
        let found = body(&text);
        let start = format!("{copied}; sync; if ");
        assert!(found.starts_with(&start) && found.contains(again), "{wait}: {found}");
    }
}

#[test]
fn copies_in_flight_are_made_behind_barriers_again() {
    let copied = "let a_ = a[threadIdx.x] in let u = unknown.u32[0] in t[threadIdx.x] := u";
    let look = "{ let mark = ARRAY.in_flight[0] in skip }";
    let again =
        "{ let a_ = a[threadIdx.x] in skip }; let u = unknown.u32[0] in t[threadIdx.x] := u";
    for (statements, wanted) in [
        (
            "COPY __syncthreads(); __syncwarp();",
            "COPIED; sync; { let a_ = a[threadIdx.x] in skip }; { let u = unknown.u32[0] in t[threadIdx.x] := u }; sync.warp; AGAIN",
        ),
        // The second of two stages, and both behind the barrier between.
        (
            "COPY pipe.producer_commit(); __syncthreads(); cuda::memcpy_async(&t[0], &a[n], 4, pipe); pipe.producer_commit(); pipe.consumer_wait(); pipe.consumer_release(); __syncthreads();",
            "LOOK; COPIED; sync; LOOK; { let a_ = a[threadIdx.x] in skip }; { let u = unknown.u32[0] in t[threadIdx.x] := u }; let a_'1 = a[cast.i32.u64(n)] in let u'1 = unknown.u32[0] in if threadIdx.x == 0 { ARRAY.in_flight[0] := threadIdx.x } else { skip }; t[0] := u'1; sync; LOOK; { let a_'1 = a[cast.i32.u64(n)] in skip }; let u'1 = unknown.u32[0] in t[0] := u'1",
        ),
        (
            "for (int k = 0; k < n; k++) { __syncthreads(); cuda::memcpy_async(&c[k], &a[i], 4, pipe); pipe.producer_commit(); }",
            "LOOK; forS k in 0..max.i32(n, 0) { sync; LOOK; forU earlier in 0..k { { let a_ = a[threadIdx.x] in skip }; let u'1 = unknown.u32[0] in c[earlier] := u'1 }; let a_ = a[threadIdx.x] in let u'1 = unknown.u32[0] in forU earlier in 0..k { if earlier == k { ARRAY.in_flight[0] := threadIdx.x } else { skip } }; c[k] := u'1 }",
        ),
        (
            "for (int k = 0; k < n; k++) { cuda::pipeline_consumer_wait_prior<2>(pipe); __syncthreads(); cuda::memcpy_async(&c[k], &a[i], 4, pipe); pipe.producer_commit(); }",
            "LOOK; forS k in 0..max.i32(n, 0) { sync; LOOK; if 0 < k { if 1 < k { { let a_ = a[threadIdx.x] in skip }; let u'1 = unknown.u32[0] in c[k - 2] := u'1 } else { skip } } else { skip }; if 0 < k { { let a_ = a[threadIdx.x] in skip }; let u'1 = unknown.u32[0] in c[k - 1] := u'1 } else { skip }; let a_ = a[threadIdx.x] in let u'1 = unknown.u32[0] in if 0 < k { if k - 1 == k { ARRAY.in_flight[0] := threadIdx.x } else { skip } } else { skip }; if 0 < k { if 1 < k { if k - 2 == k { ARRAY.in_flight[0] := threadIdx.x } else { skip } } else { skip } } else { skip }; c[k] := u'1 }",
        ),
    ] {
        let array = if wanted.contains("c[k]") { "c" } else { "t" };
        let wanted = wanted
            .replace("COPIED", copied)
            .replace("AGAIN", again)
            .replace("LOOK", look)
            .replace("ARRAY", array);
        assert_eq!(body(&copies(&statements.replace("COPY", COPY))), wanted, "{statements}");
    }
}

#[test]
fn copies_that_may_pass_a_barrier_are_refused() {
    for (statements, wanted) in [
        (
            "COPY pipe.consumer_wait(); __syncwarp();",
            "a wait for a stage of which it is not known which it is",
        ),
        (
            "COPY pipe.producer_commit(); if (n > 3) pipe.consumer_release(); pipe.consumer_wait();",
            "a wait for a stage of which it is not known which it is",
        ),
        (
            "if (i < n) { COPY pipe.producer_commit(); } if (i < 3) pipe.consumer_wait();",
            "a wait for a stage of which it is not known which it is",
        ),
        // In the last iteration there is none.
        (
            "for (int k = 0; k < n; k++) { if (k + 1 < n) { COPY pipe.producer_commit(); } pipe.consumer_wait(); pipe.consumer_release(); }",
            "a wait for a stage of which it is not known which it is",
        ),
        (
            "COPY pipe.producer_commit(); for (int k = 0; k < n; k++) { if (k + 2 < n) { COPY pipe.producer_commit(); } pipe.consumer_wait(); pipe.consumer_release(); }",
            "a wait for a stage of which it is not known which it is",
        ),
        (
            "for (int k = 0; k < n; k++) { if (a[k] > 3) { int r = a[k]; cuda::memcpy_async(&t[i], &a[r], 4, pipe); } __syncthreads(); }",
            "a barrier that an asynchronous copy passes, to a place that is not known there",
        ),
        (
            "if (i > 3) { int r = c[i]; cuda::memcpy_async(&t[r & 63], &a[i], 4, pipe); } t[i] = 1;",
            "an access of an array that the thread copies at the time, to a place that is not known there",
        ),
        (
            "for (int k = 0; k < n; k++) { if (k > 3) { COPY pipe.producer_commit(); } cuda::pipeline_consumer_wait_prior<1>(pipe); __syncthreads(); }",
            "copies in flight that a loop keeps on a condition",
        ),
        (
            "cuda::memcpy_async(&t[i], &a[i], 4, bar); __syncthreads(); bar.arrive_and_wait();",
            "a barrier that an asynchronous copy may pass",
        ),
        (
            "MADE auto token = bar.arrive(); c[i] = 1; bar.wait(std::move(token));",
            "a wait at a barrier that is not directly behind its arrival",
        ),
        ("auto token = bar.arrive();", "an arrival at a barrier without a wait"),
        ("init(&bar, i);", "a barrier for a number of threads that is not known"),
        (
            "__shared__ cuda::barrier<cuda::thread_scope_block> other; other.arrive_and_wait();",
            "`async::arrive_and_wait` in a kernel with several of its kind",
        ),
    ] {
        let said = refusal(&copies(&statements.replace("COPY", COPY).replace("MADE", MADE)));
        let said = said.split_once("not supported: ").map_or(said.as_str(), |(_, said)| said);
        assert_eq!(said, wanted, "{statements}");
    }
}

fn primitives(statements: &str) -> String {
    let copy = "__pipeline_memcpy_async(&t[i], &a[i], sizeof(float)); __pipeline_commit();";
    let statements = statements.replace("COPY", copy);
    format!(
        "__global__ void k(float *c, const float *a, int n) {{
            __shared__ float t[64]; int i = threadIdx.x;\n{statements}\n}}"
    )
}

#[test]
fn primitives_of_pipelines_wait_for_stages() {
    let copied = "let a_ = a[threadIdx.x] in let u = unknown.u32[0] in t[threadIdx.x] := u";
    for (statements, wanted) in [
        ("COPY __pipeline_wait_prior(0); __syncthreads();", format!("{copied}; sync")),
        (
            "COPY __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads();",
            format!("{copied}; sync"),
        ),
        (
            "if (i < n) { COPY } else __pipeline_commit(); __pipeline_commit(); __pipeline_wait_prior(1); __syncthreads();",
            format!("if lt.i32(threadIdx.x, n) {{ {copied} }} else {{ skip }}; sync"),
        ),
        // What is filled with zeros is not read.
        (
            "__pipeline_memcpy_async(&t[i], &a[i], 4, i < n ? 0 : 4);",
            "if lt.i32(threadIdx.x, n) { let a_ = a[threadIdx.x] in let u = unknown.u32[0] in t[threadIdx.x] := u } else { skip }; if ge.i32(threadIdx.x, n) { let u'1 = unknown.u32[0] in t[threadIdx.x] := u'1 } else { skip }".to_owned(),
        ),
    ] {
        assert_eq!(body(&primitives(statements)), wanted, "{statements}");
    }
}

#[test]
fn primitives_of_pipelines_that_are_not_known_are_refused() {
    for (statements, wanted) in [
        (
            "COPY __pipeline_commit(); __pipeline_wait_prior(n); __syncthreads();",
            "a wait for all but a number of stages that is not known",
        ),
        ("__pipeline_memcpy_async(&t[i], &a[i], n);", "an asynchronous copy of an unknown length"),
        ("__pipeline_memcpy_async(&t[i], &a[i], 12);", "an asynchronous copy of an unknown length"),
        (
            "__pipeline_memcpy_async(&t[i], &a[i], 8, 4);",
            "an asynchronous copy with zeros in a part of it",
        ),
        (
            "__pipeline_memcpy_async(&t[i], &a[i], 8, n);",
            "an asynchronous copy with an unknown number of zeros",
        ),
        ("__pipeline_arrive_on(0);", "call of `__pipeline_arrive_on`"),
        (
            "auto pipe = cuda::make_pipeline(); COPY",
            "a primitive of pipelines in a kernel with a pipeline object",
        ),
    ] {
        let said = refusal(&primitives(statements));
        let said = said.split_once("not supported: ").map_or(said.as_str(), |(_, said)| said);
        assert_eq!(said, wanted, "{statements}");
    }
}

fn together(statements: &str) -> String {
    let head = "namespace cg = cooperative_groups;";
    format!(
        "{head} __global__ void k(float *c, const float *a, int n) {{
            __shared__ float t[64]; int i = threadIdx.x;
            cg::thread_block b = cg::this_thread_block();
            auto w = cg::tiled_partition<32>(b); auto one = cg::tiled_partition<1>(b);\n{statements}\n}}"
    )
}

/// One thread of the group writes what a copy does, whichever; all read.
#[test]
fn groups_copy_by_any_of_their_threads() {
    let copied = |number: u32, bytes: u64| {
        format!(
            "forU element in 0..{bytes} {{ let a_ = a[element] in if threadIdx.x == select({number} < copy_split, copier, copier_behind) {{ t[element] := a_ }} else {{ skip }} }}"
        )
    };
    for (statements, wanted) in [
        ("cg::memcpy_async(b, t, a, 256); cg::wait(b);", format!("{}; sync", copied(0, 64))),
        (
            "cg::memcpy_async(b, t, a, 8); memcpy_async(b, t, 64, a, 3); wait(b); b.sync();",
            format!(
                "{}; {}; sync; sync",
                copied(0, 2),
                copied(1, 3).replace("element", "element'1").replace("a_", "a_'1")
            ),
        ),
        (
            "cg::memcpy_async(b, t, a, cuda::aligned_size_t<4>(4)); cg::wait_prior<0>(b);",
            format!("{}; sync", copied(0, 1)),
        ),
        (
            "auto pipe = cuda::make_pipeline(); cuda::memcpy_async(b, t, a, 8, pipe); pipe.producer_commit(); pipe.consumer_wait(); __syncthreads();",
            format!("{}; sync", copied(0, 2)),
        ),
        (
            "cg::memcpy_async(one, t + i, a, 4); cg::wait(one); b.sync();",
            "forU element in 0..1 { let a_ = a[element] in t[add.u64(threadIdx.x, element)] := a_ }; sync".to_owned(),
        ),
    ] {
        assert_eq!(body(&together(statements)), wanted, "{statements}");
    }
    let passes = "a barrier that an asynchronous copy may pass";
    for (statements, wanted) in [
        ("cg::memcpy_async(b, t, a, 256); b.sync(); cg::wait(b);", passes),
        ("cg::memcpy_async(b, t, a, 256); cg::wait_prior<1>(b);", passes),
        ("cg::memcpy_async(b, t, a, 256); if (n) cg::wait(b); __syncthreads();", passes),
        (
            "cg::memcpy_async(w, t, a, 256); cg::wait(b);",
            "asynchronous copies of groups of several sizes",
        ),
        ("cg::memcpy_async(cg::this_grid(), c, a, 256);", "an asynchronous copy of a grid"),
        (
            "cg::memcpy_async(one, t + i, a, 4); t[i] = 1;",
            "an access of an array that the thread copies at the time",
        ),
        ("cg::memcpy_async(b, t, a);", "call of `cooperative_groups::memcpy_async`"),
        ("cg::wait(cg::coalesced_threads());", "a value that is no group"),
    ] {
        let said = refusal(&together(statements));
        let said = said.split_once("not supported: ").map_or(said.as_str(), |(_, said)| said);
        assert_eq!(said, wanted, "{statements}");
    }
}

#[test]
fn barriers_for_other_numbers_of_threads_are_assumed_to_be_for_all() {
    let assumed = |count: &str| {
        let source = copies(&format!("if (i == 0) init(&bar, {count});"));
        program(&source, &Options::default()).sources.stated.len()
    };
    assert_eq!(assumed("blockDim.x"), 0);
    assert_eq!(assumed("n"), 1);
}

#[test]
fn groups_that_values_choose_are_data() {
    let group = "cooperative_groups::coalesced_group g = cooperative_groups::coalesced_threads();";
    for (statements, wanted) in [
        (
            "if (g.thread_rank() == 0) atomicAdd(&c[0], g.size());",
            "let u = unknown.u32[0] in if eq.u32(u, 0) { let u'1 = unknown.u32[0] in let old = atomic c[0] add.i32 u'1 in skip } else { skip }",
        ),
        ("int s = g.shfl(n, 0); c[s] = 1;", "let u = unknown.i32[0] in c[cast.i32.u64(u)] := 1"),
    ] {
        let source = format!("__global__ void k(int *c, int n) {{ {group}\n{statements}\n}}");
        assert_eq!(body(&source), wanted, "{statements}");
    }
}
