//! Accesses, barriers, exchanges.

use crate::{block, cells, count, events, go, grid, tree};
use babycuda_core::syntax::{BarrierScope, Scope};
use babycuda_core::trace::Event;
use babycuda_core::{AccessMode, Cell, Natural, Thread};
use babycuda_detectors::Refusal;
use babycuda_detectors::execute::{End, Limits, Schedule, Stop, begin, run};

#[test]
fn threads_run_to_barriers_in_order() {
    let source = "__global__ void k(int *a) {
        __shared__ int s[2];
        s[threadIdx.x] = a[threadIdx.x];
        __syncthreads();
        a[threadIdx.x] = s[1 - threadIdx.x];
    }";
    let mut configuration = block(2);
    configuration.host.set(Cell::new("a", 1u32), Natural::from(9u32));
    let run = go(source, &configuration);
    let wanted = [
        "0:rd a[0]",
        "0:wr s[0]",
        "1:rd a[1]",
        "1:wr s[1]",
        "|block 0",
        "0:rd s[1]",
        "0:wr a[0]",
        "1:rd s[0]",
        "1:wr a[1]",
    ];
    assert_eq!(events(&run), wanted);
    assert_eq!(cells(&run, "a", 2), [Some(9), Some(0)]);
    assert_eq!(run.ends, [End::Returned; 2]);
    assert!(run.trace.shared.contains(&"s".into()));
}

#[test]
fn a_clock_goes_on() {
    let source = "__global__ void k(long long *a) {
        long long before = clock64();
        while (clock64() - before < 100) {}
        a[0] = clock64() > before;
        a[1] = (unsigned char)(clock() >> 56);
    }";
    let run = go(source, &block(1));
    assert_eq!(cells(&run, "a", 2), [Some(1), Some(0)]);
    assert_eq!((run.ends, run.stop), (vec![End::Returned], None));
}

#[test]
fn lanes_that_are_no_tile_wait_for_each_other() {
    let source = |lanes: &str, mask: &str| {
        format!(
            "__global__ void k(int *a) {{
                a[threadIdx.x] = 1;
                if ({lanes}) {{ __syncwarp({mask}); a[threadIdx.x] = 2; }}
            }}"
        )
    };
    let run = go(&source("threadIdx.x % 2", "0xa"), &block(4));
    let wanted = ["0:wr a[0]", "1:wr a[1]", "2:wr a[2]", "3:wr a[3]", "|lanes 0 0 0b1010"];
    assert_eq!(events(&run)[..5], wanted);
    assert_eq!(cells(&run, "a", 4), [Some(1), Some(2), Some(1), Some(2)]);
    assert_eq!(run.stop, None);
    // Of the second warp; lanes that the launch does not have are not waited for.
    let run = go(&source("threadIdx.x > 32", "0xffff000e"), &block(36));
    assert_eq!(events(&run)[36], "|lanes 0 1 0b1110");
    let unsupported = |lanes, mask| match go(&source(lanes, mask), &block(4)).stop {
        Some(Stop::Unsupported { construct, .. }) => construct,
        stop => panic!("{stop:?}"),
    };
    let waits = "a barrier or an exchange that some of its lanes do not reach";
    assert_eq!(unsupported("threadIdx.x == 1", "0xa"), waits);
    let other = "a barrier of lanes whose mask does not name its own";
    assert_eq!(unsupported("threadIdx.x < 2", "0xa"), other);
}

#[test]
fn random_schedules_interleave_accesses() {
    let source = "__global__ void k(int *a) { a[0] = a[0] + 1; }";
    let kernel = tree(source);
    let ends: std::collections::BTreeSet<_> = (0..60)
        .map(|seed| {
            let run = run(&kernel, &block(3), Schedule::Random(seed), &Limits::default()).unwrap();
            cells(&run, "a", 1)[0]
        })
        .collect();
    assert_eq!(ends, [1, 2, 3].map(Some).into());
}

#[test]
fn records_vectors_and_casts_are_bytes() {
    let source = "struct pair { char c; int n; };
        __global__ void k(struct pair *p, int *a, float4 *v) {
            p[1].n = 7;
            p[0].c = 1;
            float f = 1.0f;
            a[0] = *(unsigned *)&f;
            ((short *)a)[2] = 5;
            float4 w = make_float4(1.0f, 2.0f, 3.0f, 4.0f);
            v[1] = w;
            a[3] = v[1].z;
        }";
    let run = go(source, &block(1));
    assert_eq!(run.stop, None);
    assert_eq!(
        run.cells.iter().map(|(n, c)| (n.as_str(), *c)).collect::<Vec<_>>(),
        [("a", 2), ("p", 1), ("v", 4)]
    );
    assert_eq!(cells(&run, "a", 8), [0, 0x3f80, 5, 0, 0, 0, 3, 0].map(Some));
    assert_eq!(cells(&run, "p", 13)[12], Some(7));
    let wide = events(&run).iter().filter(|e| e.starts_with("0:wr v[")).count();
    assert_eq!(wide, 4);
}

/// The fields of a parameter are set by the host, each by its name; those of pointers are arrays.
#[test]
fn records_of_the_host_have_fields() {
    let source = "struct inner { short low; long high; };
        struct all { char c; int *p; struct inner in[1]; struct inner i; int3 v; float f; };
        __global__ void k(struct all x, const int *from) {
            x.p[x.v.y] = x.i.low + x.i.high + x.c;
            x.p[1] = from[0] == x.p[2];
            x.p[3] = x.in[0].low;
        }";
    let given = block(1)
        .with("x.c", 1u32)
        .with("x.i.low", 20u32)
        .with("x.i.high", 300u32)
        .with("x.v.y", 0u32);
    let run = go(source, &given);
    assert_eq!(run.stop, None);
    assert_eq!(cells(&run, "x.p", 4), [Some(321), Some(1), Some(0), None]);
    assert_eq!(
        events(&run),
        ["0:wr x.p[0]", "0:rd from[0]", "0:rd x.p[2]", "0:wr x.p[1]", "0:wr x.p[3]"]
    );
}

#[test]
fn one_type_of_access_makes_elements_cells() {
    let source = "__global__ void k(float4 *v, int2 *p) { v[threadIdx.x] = v[3]; p[2 + threadIdx.x].y = 1; }";
    let run = go(source, &block(1));
    assert_eq!(events(&run), ["0:rd v[3]", "0:wr v[0]", "0:wr p[5]"]);
}

#[test]
fn an_index_outside_is_a_cell_of_its_own() {
    let source = "__global__ void k(int *a, int i) { a[i] = 1; a[i + 1] = a[i]; }";
    let run = go(source, &block(1).with("i", u32::MAX));
    let far = u64::MAX.to_string();
    assert_eq!(events(&run), [&format!("0:wr a[{far}]"), &format!("0:rd a[{far}]"), "0:wr a[0]"]);
}

#[test]
fn atomics_update_at_once() {
    let source = "__global__ void k(int *a, unsigned *b) {
        a[1 + threadIdx.x] = atomicAdd(&a[0], 2);
        atomicMax_block(&b[0], threadIdx.x);
        atomicCAS(&b[1], 0, threadIdx.x + 1);
        atomicInc(&b[2], 1);
    }";
    let run = go(source, &block(3));
    assert_eq!(cells(&run, "a", 4), [6, 0, 2, 4].map(Some));
    assert_eq!(cells(&run, "b", 3), [2, 1, 1].map(Some));
    assert_eq!(count(&run, AccessMode::At(Scope::Device)), 9);
    assert_eq!(count(&run, AccessMode::At(Scope::Block)), 3);
}

#[test]
fn each_block_has_its_shared_memory() {
    let source = "__global__ void k(int *a) {
        __shared__ int s;
        if (threadIdx.x == 0) s = blockIdx.x + 1;
        __syncthreads();
        a[blockIdx.x * blockDim.x + threadIdx.x] = s;
    }";
    let run = go(source, &grid(3, 2));
    assert_eq!(cells(&run, "a", 6), [1, 1, 2, 2, 3, 3].map(Some));
}

#[test]
fn functions_references_and_loops() {
    let source = "__device__ int twice(int x) { return 2 * x; }
        __device__ void set(int &x, int *p, int v) { x = v; *p = twice(v); }
        __constant__ const int table[3] = {4, 5, 6};
        template <typename T> __device__ T third(const T *p) { return p[2]; }
        __global__ void k(int *a, int n) {
            int x, y, local[4] = {1, 2};
            set(x, &y, 3);
            a[0] = x; a[1] = y; a[2] = table[1]; a[3] = third(local); a[4] = local[1];
            int sum = 0;
            for (int i = 0; i < n; i++) { if (i == 2) continue; if (i == 5) break; sum += i; }
            a[5] = sum;
            do sum--; while (sum > 3);
            a[6] = sum;
            switch (n) { case 1: a[7] = 1; break; case 10: a[7] = 2; default: a[8] = 3; }
        }";
    let run = go(source, &block(1).with("n", 10u32));
    assert_eq!(run.stop, None);
    assert_eq!(cells(&run, "a", 9), [3, 6, 5, 0, 2, 8, 3, 2, 3].map(Some));
}

#[test]
fn lanes_exchange_values_and_order_nothing() {
    let source = "__global__ void k(int *a) {
        int x = threadIdx.x;
        for (int d = 4; d > 0; d /= 2) x += __shfl_down_sync(0xffffffff, x, d);
        a[threadIdx.x] = x;
        a[8 + threadIdx.x] = __ballot_sync(0xff, threadIdx.x % 2);
        a[16 + threadIdx.x] = __any_sync(0xff, threadIdx.x == 9);
    }";
    let run = go(source, &block(8));
    assert_eq!(run.stop, None);
    assert_eq!((cells(&run, "a", 1), cells(&run, "a", 17)[8]), (vec![Some(28)], Some(0xaa)));
    assert_eq!(cells(&run, "a", 17)[16], Some(0));
    assert!(events(&run).iter().all(|event| !event.starts_with('|')));
    let alone = "__global__ void k(int *a) { if (threadIdx.x) a[0] = __shfl_sync(3, 1, 0); }";
    let stop = go(alone, &block(2)).stop;
    assert!(matches!(stop, Some(Stop::Unsupported { .. })), "{stop:?}");
}

/// A ballot of a tile counts from the tile's first lane.
#[test]
fn tiles_vote_by_their_own_lanes() {
    let source = "#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int *a) {
            auto tile = cg::tiled_partition<2>(cg::this_thread_block());
            a[threadIdx.x] = tile.ballot(threadIdx.x % 2);
        }";
    let run = go(source, &block(4));
    assert_eq!((run.stop.clone(), cells(&run, "a", 4)), (None, vec![Some(2); 4]));
}

#[test]
fn groups_have_barriers_of_their_scope() {
    let source = "#include <cooperative_groups.h>
        namespace cg = cooperative_groups;
        __global__ void k(int *a) {
            auto grid = cg::this_grid();
            auto tile = cg::tiled_partition<2>(cg::this_thread_block());
            a[grid.thread_rank()] = tile.thread_rank();
            tile.sync();
            __syncwarp();
            grid.sync();
        }";
    let run = go(source, &grid(2, 4));
    assert_eq!(run.stop, None);
    assert_eq!(cells(&run, "a", 8), [0, 1, 0, 1, 0, 1, 0, 1].map(Some));
    let barriers: Vec<_> = events(&run).into_iter().filter(|e| e.starts_with('|')).collect();
    let mut wanted = Vec::new();
    for block in 0..2 {
        wanted.extend([
            format!("|tile {block} 2 0"),
            format!("|tile {block} 2 2"),
            format!("|warp {block} 0"),
        ]);
    }
    wanted.push("|grid".to_owned());
    assert_eq!(barriers, wanted);
}

#[test]
fn a_barrier_that_some_do_not_reach_is_a_divergence() {
    let source = "__global__ void k(int *a) { if (threadIdx.x) __syncthreads(); a[0] = 1; }";
    let run = go(source, &block(2));
    let Some(Stop::Divergence { scope, first, second }) = run.stop else {
        panic!("{:?}", run.stop)
    };
    assert_eq!((scope, first.0.index, second.0.index, second.1), (BarrierScope::Block, 1, 0, None));
    let two = "__global__ void k() { if (threadIdx.x) __syncthreads(); else __syncthreads(); }";
    let run = go(two, &block(2));
    assert!(
        matches!(run.stop, Some(Stop::Divergence { second: (_, Some(_)), .. })),
        "{:?}",
        run.stop
    );
    let halted = "__global__ void k(int n) { if (threadIdx.x) n = 1 / n; __syncthreads(); }";
    let run = go(halted, &block(2).with("n", 0u32));
    assert!(matches!(run.stop, Some(Stop::Halted { .. })), "{:?}", run.stop);
}

#[test]
fn votes_of_a_block_count_its_threads() {
    let source = "__global__ void k(int *a) {
        a[threadIdx.x] = __syncthreads_count(threadIdx.x < 2) * 4 + __syncthreads_and(threadIdx.x) * 2
            + __syncthreads_or(threadIdx.x);
    }";
    assert_eq!(cells(&go(source, &block(3)), "a", 3), [Some(9); 3]);
}

#[test]
fn limits_and_parameters_are_said() {
    let source = "__global__ void k(int *a, int n) { while (1) a[0] = n; }";
    let kernel = tree(source);
    let missing = run(&kernel, &block(1), Schedule::InOrder, &Limits::default());
    assert_eq!(missing, Err(Refusal::Configuration("parameter `n` has no value".into())));
    let limits = Limits { steps: 1000, ..Limits::default() };
    let long = run(&kernel, &block(1).with("n", 1u32), Schedule::InOrder, &limits).unwrap();
    assert_eq!((long.stop, long.ends), (Some(Stop::Limit("steps")), vec![End::Unfinished]));
    let deep =
        "__device__ int f(int n) { return f(n + 1); } __global__ void k(int *a) { a[0] = f(0); }";
    if let Ok(kernels) = babycuda_frontend::parse_cuda(deep, &babycuda_frontend::Options::default())
        && let Some(kernel) = &kernels[0].tree
    {
        let run = run(kernel, &block(1), Schedule::InOrder, &Limits::default()).unwrap();
        assert!(run.stop.is_some());
    }
    let null = "__global__ void k(int *a) { int *p = 0; *p = 1; }";
    assert!(matches!(go(null, &block(1)).stop, Some(Stop::Outside { .. })));
}

/// An access stands where its object does, not where the statement around it does.
#[test]
fn accesses_have_places_of_their_own() {
    for (statement, accesses) in [
        ("++a[0];", 2),
        ("a[0]--;", 2),
        ("a[0] += a[0];", 3),
        ("(a[0]) = 1;", 1),
        ("int x = 1 + a[0]; a[0] = x = a[0];", 3),
    ] {
        let source = format!("__global__ void k(int *a) {{ {statement} }}");
        let (tree, run) = (tree(&source), go(&source, &block(1)));
        let of = |event: &Event| match event {
            Event::Access { site, .. } => {
                let origin = &tree.origins[site.unwrap().0 as usize];
                source[origin.bytes.clone()].to_owned()
            }
            other => panic!("{other:?}"),
        };
        let found: Vec<_> = run.trace.events.iter().map(of).collect();
        assert_eq!(found, vec!["a[0]"; accesses], "{statement}");
    }
}

/// All elements of an array of an object may be given as one, and nothing behind them.
#[test]
fn what_is_given_of_an_object_is_its_own() {
    let source = "struct S { float t[2]; int n; };
        __global__ void k(S s, int *a) { a[0] = s.t[1] == 1.0f; a[1] = s.n; a[2] = s.t[0] == 1.0f; }";
    let run = go(source, &block(1).with("s.t", 1f32.to_bits()));
    assert_eq!(cells(&run, "a", 3), [Some(1), None, Some(1)]);
}

/// Some threads of a launch that is too large for a run, as long as they need no others.
#[test]
fn a_run_begins_with_some_threads_of_any_launch() {
    let source = "__global__ void k(unsigned *a, unsigned w) {
                      __shared__ int s[4];
                      s[0] = 1;
                      a[blockIdx.x * w] = s[0];
                      __syncthreads();
                      a[1] = 2;
                  }";
    let large = grid(1 << 30, 64).with("w", 1u32 << 31);
    let two = [0, 1 << 29].map(|block| Thread { block, index: 63 });
    let of = |threads: &[Thread]| {
        begin(&tree(source), &large, threads, Schedule::InOrder, &Limits::default())
    };
    let begun = of(&two).unwrap();
    let wait = |t: &str| ["wr s[0]", "rd s[0]", "wr a[0]"].map(|event| format!("{t}:{event}"));
    let [first, second] = two.map(|thread| wait(&thread.to_string()));
    assert_eq!(events(&begun), [first, second].concat());
    assert!(begun.ends.iter().all(|end| matches!(end, End::Waiting(_))));
    // Its block's other threads do not come, so nobody passes.
    assert!(of(&[Thread { block: 1 << 30, index: 0 }]).is_err());
    assert!(of(&[Thread { block: 0, index: 64 }]).is_err());
    let whole = run(&tree(source), &large, Schedule::InOrder, &Limits::default());
    assert_eq!(whole, Err(Refusal::Limit("room for threads")));
}
