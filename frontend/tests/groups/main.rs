//! Cooperative groups: their barriers, their ranks, and what is refused of them.

#[path = "../common/mod.rs"]
mod common;
mod ranks;
mod refused;

use babycuda_core::syntax::Extent;
use babycuda_frontend::{Options, Translation, parse_cuda};
use common::{body, program, refusal};

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
    assert!(program.sources.translated);
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
        ("1", "skip"),
        ("0xffffffffu >> (32 - blockDim.x)", ""),
        ("0xffffffffull << (lane / 32)", "sync.warp"),
        ("0xffu << (lane & 16)", ""),
        ("0xffu << 4", ""),
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
