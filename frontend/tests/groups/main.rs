//! Cooperative groups: their barriers, their ranks, and what is refused of them.

mod common;

use babycuda_core::syntax::Extent;
use babycuda_core::{Dim3, Launch, Settings};
use babycuda_frontend::{Options, Translation, parse_cuda};
use common::{Event, Machine, Mode, body, program, refusal};

/// A kernel with the given statements, from line 3 on; groups are named with `cg::` and without.
fn kernel(statements: &str) -> String {
    format!(
        "namespace cg = cooperative_groups; using namespace cooperative_groups;\n\
         __global__ void k(int *a, int n) {{ auto block = cg::this_thread_block();\n{statements}\n}}"
    )
}

#[test]
fn barriers_are_those_of_the_groups() {
    for (statements, wanted) in [
        ("block.sync();", "sync"),
        ("cg::sync(block);", "sync"),
        ("sync(block);", "sync"),
        ("cooperative_groups::this_thread_block().sync();", "sync"),
        ("::cooperative_groups::sync(block);", "sync"),
        ("this_grid().sync();", "sync.grid"),
        ("cg::grid_group g = cg::this_grid(); g.sync();", "sync.grid"),
        ("cg::thread_block_tile<32> t = cg::tiled_partition<32>(block); t.sync();", "sync.warp"),
        ("thread_block_tile<8> t = tiled_partition<8>(block); t.sync();", "sync.tile8"),
        (
            "const cg::thread_block_tile<8, cg::thread_block> t = cg::tiled_partition<8>(block); t.sync();",
            "sync.tile8",
        ),
        (
            "a[0] = n; cg::thread_block_tile<2> t = tiled_partition<2>(tiled_partition<8>(block)); t.sync();",
            "a[0] := n; sync.tile2",
        ),
        ("auto t = cg::tiled_partition<1>(block); t.sync();", "skip"),
        (
            "const int size = 4; auto t = cg::tiled_partition<size>(block); cg::sync(t);",
            "sync.tile4",
        ),
        ("thread_group g = cg::tiled_partition<16>(block); g.sync();", "sync.tile16"),
        ("thread_group g = block; g = tiled_partition<4>(block); g.sync();", "sync.tile4"),
        (
            "auto t = tiled_partition<4>(block); auto p = &t; p->sync(); (*p).sync();",
            "sync.tile4; sync.tile4",
        ),
        (
            "using tile = cg::thread_block_tile<4>; tile t = tiled_partition<4>(block); t.sync();",
            "sync.tile4",
        ),
        ("bool which = true; (which ? block : block).sync();", "sync"),
    ] {
        assert_eq!(body(&kernel(statements)), wanted, "{statements}");
    }
}

#[test]
fn functions_and_templates_take_groups() {
    for (functions, statements, wanted) in [
        ("__device__ void f(cg::thread_block b) { b.sync(); }", "f(block);", "sync"),
        (
            "__device__ void f(cg::thread_group g) { g.sync(); }",
            "f(cg::tiled_partition<4>(block));",
            "sync.tile4",
        ),
        ("__device__ void f(const cg::thread_group &g) { g.sync(); }", "f(block);", "sync"),
        (
            "__device__ void f(cg::thread_block_tile<4> &t) { cg::sync(t); }",
            "auto t = cg::tiled_partition<4>(block); f(t);",
            "sync.tile4",
        ),
        (
            "template <int N> __device__ void f(cg::thread_block_tile<N> t, int *a) { t.sync(); a[0] = N; }",
            "f(cg::tiled_partition<8>(block), a);",
            "sync.tile8; a[0] := 8",
        ),
        (
            "template <unsigned N, typename P> __device__ void f(cg::thread_block_tile<N, P> t) { t.sync(); }",
            "f(cg::tiled_partition<8>(block));",
            "sync.tile8",
        ),
        (
            "template <typename G> __device__ void f(G &g) { g.sync(); }",
            "auto g = cg::this_grid(); f(g);",
            "sync.grid",
        ),
        (
            "template <int N> __device__ void f(cg::thread_block b) { auto t = cg::tiled_partition<N>(b); t.sync(); }",
            "f<2>(block);",
            "sync.tile2",
        ),
        (
            "__device__ cg::thread_block_tile<4> f() { return cg::tiled_partition<4>(cg::this_thread_block()); }",
            "f().sync();",
            "sync.tile4",
        ),
        // An own function, though the namespace is opened.
        ("__device__ void reduce(int *a) { a[0] = 1; }", "reduce(a);", "a[0] := 1"),
    ] {
        let source =
            format!("namespace cg = cooperative_groups; {functions}\n{}", kernel(statements));
        assert_eq!(
            body(&source.replacen("\nnamespace cg = cooperative_groups;", "\n", 1)),
            wanted,
            "{functions}"
        );
    }
}

#[test]
fn what_is_not_known_of_groups_is_refused() {
    for (statements, wanted) in [
        (
            "auto t = cg::tiled_partition<64>(block);",
            "3:10: not supported: tiles of 64 threads, which are more than a warp has",
        ),
        (
            "auto t = cg::tiled_partition<12>(block);",
            "3:10: not supported: tiles of 12 threads, which is no power of two",
        ),
        (
            "auto t = cg::tiled_partition<0>(block);",
            "3:10: not supported: tiles of 0 threads, which is no power of two",
        ),
        (
            "thread_block_tile<12> t = cg::tiled_partition<8>(block);",
            "3:1: not supported: tiles of 12 threads, which is no power of two",
        ),
        (
            "auto t = cg::tiled_partition<8>(cg::tiled_partition<4>(block));",
            "3:10: not supported: tiles of a tile that has fewer threads",
        ),
        (
            "auto t = cg::tiled_partition<8>(cg::this_grid());",
            "3:10: not supported: tiles of a grid",
        ),
        (
            "auto t = cg::tiled_partition(block, 8);",
            "3:10: not supported: `tiled_partition` into tiles whose size is an argument: only a template's is known",
        ),
        (
            "auto c = cg::coalesced_threads();",
            "3:10: not supported: `coalesced_threads`: nobody knows which lanes are active together",
        ),
        (
            "auto c = cg::labeled_partition(block, n);",
            "3:10: not supported: `labeled_partition`: values decide which threads are in a group",
        ),
        (
            "auto c = cg::binary_partition(cg::tiled_partition<4>(block), n);",
            "3:10: not supported: `binary_partition`: values decide which threads are in a group",
        ),
        (
            "auto c = cg::this_multi_grid();",
            "3:10: not supported: `this_multi_grid`: grids of several devices",
        ),
        (
            "cg::memcpy_async(block, a, a, 4);",
            "3:1: not supported: call of `cooperative_groups::memcpy_async`",
        ),
        (
            "cg::thread_block_tile<8> t = cg::tiled_partition<4>(block);",
            "3:26: not supported: a group as one of another kind",
        ),
        (
            "thread_group g = cg::tiled_partition<4>(block); if (n > 3) g = block; g.sync();",
            "3:71: not supported: a group that may be one of several",
        ),
        (
            "thread_group g = block; for (int i = 0; i < n; i++) g = cg::tiled_partition<4>(block); g.sync();",
            "3:88: not supported: a group that is not known",
        ),
        (
            "thread_group g = block, h = cg::this_grid(); (n > 3 ? g : h).sync();",
            "3:46: not supported: a group that may be one of several",
        ),
        ("thread_group g; g.sync();", "3:17: not supported: a group that is not known"),
        (
            "cg::thread_block blocks[2]; blocks[0].sync();",
            "3:29: not supported: a group that is not known",
        ),
        ("a[0] = block;", "3:1: not supported: a group as a value of another type"),
        ("if (block == block) a[0] = 1;", "3:5: not supported: a group as a value of another type"),
        (
            "block.barrier_arrive();",
            "3:1: not supported: call of the method `barrier_arrive` of a group",
        ),
        (
            "block.meta_group_rank();",
            "3:1: not supported: call of the method `meta_group_rank` of a group",
        ),
        (
            "a[0] = cg::reduce(block, n, cg::plus<int>());",
            "3:8: not supported: `reduce` of a group that is no tile",
        ),
        (
            "a[0] = cg::reduce(cg::tiled_partition<4>(block), n, n);",
            "3:8: not supported: call of `cooperative_groups::reduce`",
        ),
        ("other::sync(block);", "3:1: not supported: call of `other::sync`"),
        ("n.sync();", "3:1: not supported: call of the method `n.sync`"),
    ] {
        assert_eq!(refusal(&kernel(statements)), wanted, "{statements}");
    }
    // A namespace of that name is not CUDA's.
    let own =
        "namespace cg { int x; } __global__ void k(int *a) { cg::this_thread_block().sync(); }";
    assert_eq!(refusal(own), "1:53: not supported: call of `cg::this_thread_block`");
    let two = "namespace cg = cooperative_groups; void f() { namespace cg = other; }\n\
               __global__ void k(int *a) { cg::this_thread_block().sync(); }";
    assert_eq!(refusal(two), "2:29: not supported: call of `cg::this_thread_block`");
    let more = "namespace cooperative_groups { int f(); } namespace cg = cooperative_groups;\n\
                __global__ void k(int *a) { cg::this_thread_block().sync(); }";
    assert_eq!(refusal(more), "2:29: not supported: call of `cg::this_thread_block`");
    let class = "using namespace cooperative_groups; struct thread_block { void sync() {} };\n\
                 __global__ void k(int *a) { thread_block b; b.sync(); }";
    assert_eq!(refusal(class), "2:45: not supported: call of the method `b.sync`");
    // Which of two functions is called is a matter of C++'s rules.
    let clash = "using namespace cooperative_groups; __device__ void sync(thread_group g) {}\n\
                 __global__ void k(int *a) { thread_block b = this_thread_block(); sync(b); }";
    assert_eq!(refusal(clash), "2:67: not supported: call of `sync`, which CUDA declares too");
    // So it is where the namespace is not in sight: C++ looks there because of the argument.
    for own in [
        "__device__ void sync(cg::thread_group g) { __syncthreads(); }",
        "__device__ void sync(const cg::thread_group &g);",
        "namespace own { __device__ void sync(cg::thread_group g) {} } using namespace own;",
    ] {
        let by_argument = format!(
            "namespace cg = cooperative_groups; {own}\n\
             __global__ void k(int *a) {{ auto b = cg::this_thread_block(); sync(b); }}"
        );
        assert!(refusal(&by_argument).contains("which CUDA declares too"), "{own}");
    }
    let no_other = "namespace cg = cooperative_groups;\n\
                    __global__ void k(int *a) { auto b = cg::this_thread_block(); sync(b); }";
    assert_eq!(body(no_other), "sync");
}

/// An argument is evaluated once, whatever the function's name is; and objects, classes and operators
/// of the file's own are not CUDA's.
#[test]
fn own_names_are_not_those_of_the_namespace() {
    let own = "using namespace cooperative_groups; __device__ int wait(int i, int *a) { return i; }\n\
               __global__ void k(int *a) { int i = 0; wait(++i, a); a[i] = 1; }";
    assert_eq!(body(own), "a[1] := 1");
    let file = |own: &str, statements: &str| {
        format!(
            "namespace cg = cooperative_groups; using namespace cooperative_groups;\n{own}\n\
             __global__ void k(int *a) {{ auto b = cg::this_thread_block(); {statements} }}"
        )
    };
    let class = "struct F { __device__ void operator()(thread_block) const {} };";
    for (own, statements, why) in [
        (class, "F sync; sync(b);", "call of the object `sync`"),
        (
            "__device__ int reduce(thread_block g, int x);",
            "reduce(b, 1);",
            "which CUDA declares too",
        ),
        (
            "struct x { static __device__ void sync(thread_block) {} };\n\
             __device__ void f() { namespace x = cooperative_groups; }",
            "x::sync(b);",
            "call of",
        ),
        (
            "__device__ cg::thread_group operator,(cg::thread_block_tile<4> a, int b) { return a; }",
            "(cg::tiled_partition<4>(b), 1).sync();",
            "operator that the file defines",
        ),
    ] {
        let found = refusal(&file(own, statements));
        assert!(found.contains(why), "{statements}: {found}");
    }
}

/// A dimension that is used through a `dim3` is one that the kernel mentions.
#[test]
fn dimensions_of_a_dim3_are_mentioned() {
    let dimensions = |statements: &str| {
        let geometry = program(&kernel(statements), &Options::default()).geometry;
        geometry.block.map(|extent| extent == Extent::Symbolic)
    };
    assert_eq!(dimensions("a[threadIdx.x] = 1;"), [true, false, false]);
    assert_eq!(dimensions("dim3 i = block.thread_index(); a[threadIdx.x] = i.y;"), [true; 3]);
    assert_eq!(dimensions("auto d = block.dim_threads(); a[threadIdx.x] = d.z;"), [true; 3]);
}

/// What only some threads evaluate assumes nothing of blocks.
#[test]
fn partitions_that_some_threads_make_assume_nothing() {
    let assumed = |condition: &str| {
        let source = kernel(&format!("int n = a[0]; if ({condition}) a[threadIdx.x] = 1;"));
        program(&source, &Options::default())
            .assumptions
            .iter()
            .filter(|c| c.to_string().contains(" % 8"))
            .count()
    };
    let rank = "cg::tiled_partition<8>(cg::this_thread_block()).thread_rank() == 0";
    assert_eq!(assumed(rank), 1);
    for condition in [format!("n > 3 && {rank}"), format!("n > 3 || {rank}")] {
        assert_eq!(assumed(&condition), 0, "{condition}");
    }
    // Nor what comes behind a trap.
    for stop in ["__trap();", "while (1);"] {
        let source = kernel(&format!("if (block.size() % 8) {{ {stop} }} if ({rank}) a[0] = 1;"));
        let program = program(&source, &Options::default());
        assert!(program.assumptions.is_empty(), "{stop}: {:?}", program.assumptions);
    }
}

/// What each thread of a launch writes to, in the order of threads.
fn written(index: &str, grid: Dim3, block: Dim3, known: bool, more: &str) -> Vec<u64> {
    let source = kernel(&format!("{more} auto grid = cg::this_grid(); a[{index}] = 1;"));
    let mut settings = Settings::default();
    if known {
        (settings.block, settings.grid) = (Some(block), Some(grid));
    }
    let program = program(&source, &settings.into());
    let launch = Launch::new(grid, block);
    let machine = Machine::new(&program, launch).with("n", 0);
    let mut all = Vec::new();
    for thread in launch.all() {
        let run = machine.run(thread);
        assert!(!run.unknown, "{index}");
        all.extend(run.events.iter().filter_map(|event| match event {
            Event::Access { mode: Mode::Write, index, .. } => Some(*index),
            _ => None,
        }));
    }
    all
}

#[test]
fn ranks_count_threads_in_linear_order() {
    let tile = |size: u32| format!("cg::tiled_partition<{size}>(block)");
    let (t8, t2) = (tile(8), format!("cg::tiled_partition<2>({})", tile(8)));
    let t1 = tile(1);
    type Wanted = fn(block: u64, threads: u64, blocks: u64, rank: u64) -> u64;
    let cases: Vec<(String, Wanted)> = vec![
        ("block.thread_rank()".into(), |_, _, _, r| r),
        ("cg::thread_rank(block)".into(), |_, _, _, r| r),
        ("block.size()".into(), |_, n, _, _| n),
        ("block.num_threads()".into(), |_, n, _, _| n),
        ("cg::group_size(block)".into(), |_, n, _, _| n),
        (format!("{t8}.thread_rank()"), |_, _, _, r| r % 8),
        (format!("{t8}.size()"), |_, _, _, _| 8),
        (format!("{t8}.meta_group_rank()"), |_, _, _, r| r / 8),
        (format!("{t8}.meta_group_size()"), |_, n, _, _| n.div_ceil(8)),
        (format!("{t2}.thread_rank()"), |_, _, _, r| r % 2),
        (format!("{t2}.meta_group_rank()"), |_, _, _, r| r % 8 / 2),
        (format!("{t2}.meta_group_size()"), |_, _, _, _| 4),
        (format!("{t1}.thread_rank()"), |_, _, _, _| 0),
        (format!("{t1}.meta_group_rank()"), |_, _, _, r| r),
        ("grid.thread_rank()".into(), |b, n, _, r| b * n + r),
        ("grid.size()".into(), |_, n, m, _| n * m),
        ("grid.num_threads()".into(), |_, n, m, _| n * m),
        ("grid.block_rank()".into(), |b, _, _, _| b),
        ("grid.num_blocks()".into(), |_, _, m, _| m),
        ("block.group_index().x * 4 + grid.dim_blocks().x".into(), |b, _, m, _| {
            if m == 6 { b % 2 * 4 + 2 } else { b * 4 + m }
        }),
    ];
    let line = (Dim3::line(3), Dim3::line(24));
    let rows = (Dim3 { x: 2, y: 3, z: 1 }, Dim3 { x: 4, y: 2, z: 3 });
    let mentions = "int m = threadIdx.y + blockIdx.y; m++;";
    for (index, wanted) in cases {
        for ((grid, block), more) in [(line, ""), (line, mentions), (rows, mentions), (rows, "")] {
            for known in [false, true] {
                // Dimensions that nobody mentions have extent 1.
                if !known && block.y > 1 && more.is_empty() {
                    continue;
                }
                let launch = Launch::new(grid, block);
                let (n, m) = (block.count(), grid.count());
                let all: Vec<u64> = launch.all().map(|t| wanted(t.block, n, m, t.index)).collect();
                let found = written(&index, grid, block, known, more);
                assert_eq!(found, all, "{index} in {block:?} of {grid:?}, known: {known}");
            }
        }
    }
}

/// Ranks are unsigned, and wrap at their type's width.
#[test]
fn ranks_have_the_types_of_cuda() {
    for (index, wanted) in [
        ("block.thread_rank() - 1", u64::from(u32::MAX)),
        ("cg::tiled_partition<4>(block).thread_rank() - 1", u64::from(u32::MAX)),
        ("grid.thread_rank() - 1", u64::MAX),
        ("cg::thread_group(block).thread_rank() - 1", u64::MAX),
    ] {
        if index.contains("thread_group(") {
            let more = "cg::thread_group g = block;";
            let found = written("g.thread_rank() - 1", Dim3::line(1), Dim3::line(1), false, more);
            assert_eq!(found, [wanted]);
            continue;
        }
        let found = written(index, Dim3::line(1), Dim3::line(1), false, "");
        assert_eq!(found, [wanted], "{index}");
    }
}

/// CUDA wants blocks that tiles divide; but only of a kernel that partitions them in any case.
#[test]
fn tiles_divide_their_block() {
    let assumed = |statements: &str| {
        let program = program(&kernel(statements), &Options::default());
        let said = program.assumptions.iter().map(|a| program.sources.said(a));
        said.collect::<Vec<_>>()
    };
    let four = "blocks of a multiple of 4 threads";
    assert_eq!(assumed("auto t = cg::tiled_partition<4>(block); t.sync();"), [four]);
    assert_eq!(
        assumed(
            "auto t = cg::tiled_partition<4>(block); auto u = cg::tiled_partition<2>(t); u.sync();"
        ),
        [four]
    );
    let none: [&str; 0] = [];
    assert_eq!(assumed("if (n > 3) { auto t = cg::tiled_partition<4>(block); t.sync(); }"), none);
    assert_eq!(
        assumed("if (n > 3) return; auto t = cg::tiled_partition<4>(block); t.sync();"),
        none
    );
    assert_eq!(assumed("block.sync();"), none);
    let asserted = "assert(n > 3); auto t = cg::tiled_partition<4>(block); t.sync();";
    assert_eq!(assumed(asserted), none);
}

/// What threads exchange is unknown, and orders nothing.
#[test]
fn exchanges_are_no_barriers() {
    for (value, t) in [
        ("__shfl_sync(-1, n, 0)", "i32"),
        ("__shfl_down_sync(0xffffffff, (short)n, 1, 16)", "i32"),
        ("__shfl_xor_sync(-1, (unsigned long long)n, 1)", "u64"),
        ("__shfl_up(n, 1)", "i32"),
        ("__any_sync(-1, n)", "i32"),
        ("__all_sync(-1, n > 3)", "i32"),
        ("__ballot_sync(-1, n)", "u32"),
        ("__activemask()", "u32"),
        ("__reduce_add_sync(-1, n > 3)", "i32"),
        ("__reduce_max_sync(-1, 3u)", "u32"),
        ("w.shfl(n, 0)", "i32"),
        ("w.shfl_down(n, 1)", "i32"),
        ("w.shfl_xor((unsigned char)n, 1)", "u8"),
        ("w.any(n)", "i32"),
        ("w.ballot(n)", "u32"),
        ("w.match_any(n)", "u32"),
        ("cg::reduce(w, n, cg::plus<int>())", "i32"),
        ("cg::exclusive_scan(w, 3u)", "u32"),
    ] {
        let found =
            body(&kernel(&format!("auto w = cg::tiled_partition<32>(block); a[{value}] = 1;")));
        assert!(found.starts_with(&format!("let u = unknown.{t}[0] in a[")), "{value}: {found}");
        assert!(!found.contains("sync"), "{value}: {found}");
    }
    // What is evaluated is evaluated.
    assert_eq!(
        body(&kernel("a[0] = __shfl_sync(-1, a[1], 0);")),
        "let a_ = a[1] in let u = unknown.i32[0] in a[0] := u"
    );
}

/// Threads that return alike leave the others' barriers as they are; a check says where they do not.
#[test]
fn barriers_of_warps_may_follow_a_return() {
    assert_eq!(
        body(&kernel("if (n == 0) return; __syncwarp();")),
        "if ne.i32(n, 0) { sync.warp } else { skip }"
    );
    let source = kernel(
        "if (threadIdx.x >= n) return; cg::tiled_partition<4>(block).sync(); a[threadIdx.x] = 1;",
    );
    let kernels = parse_cuda(&source, &Options::default()).expect("readable");
    let Translation::Program(program) = &kernels[0].translation else { panic!("{source}") };
    assert!(program.sources.loose_warps);
}

/// A mask that is each thread's own tile is that tile's barrier; any other is refused.
#[test]
fn masks_may_name_tiles() {
    let lane = "unsigned lane = threadIdx.x % 32;";
    for (mask, wanted) in [
        ("0xffu << (lane & 24)", "sync.tile8"),
        ("0xf << (threadIdx.x / 4 % 8 * 4)", "sync.tile4"),
        ("lane < 16 ? 0xffff : 0xffff0000", "sync.tile16"),
        ("1u << lane", "skip"),
        ("0xffffffffu >> (32 - blockDim.x)", ""),
        ("0xffffffffull << (lane / 32)", "sync.warp"),
        ("0xffu << (lane & 16)", ""),
        ("0xffu << 8", ""),
        ("0x0f0fu << (lane & 4)", ""),
        ("0x7u << (lane / 3 * 3)", ""),
        ("0xffu << (n & 24)", ""),
        ("0xffu << (blockIdx.x & 24)", ""),
        ("a[0]", ""),
        ("0u", ""),
    ] {
        let source = kernel(&format!("{lane} __syncwarp({mask});"));
        match wanted {
            "" => assert!(refusal(&source).contains("of some lanes"), "{mask}"),
            wanted => assert_eq!(body(&source), wanted, "{mask}"),
        }
    }
    // In a block with rows, a thread's place is not its first index.
    let rows = kernel("int y = threadIdx.y; y++; __syncwarp(0xffu << (threadIdx.x & 24));");
    assert!(refusal(&rows).contains("of some lanes"));
    let rank = kernel("int y = threadIdx.y; y++; __syncwarp(0xffu << (block.thread_rank() & 24));");
    assert_eq!(body(&rank), "sync.tile8");
}
