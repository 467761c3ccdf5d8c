//! What is refused of groups.

use crate::common::{body, refusal};
use crate::kernel;

#[test]
fn what_is_not_known_of_groups_is_refused() {
    for (statements, wanted) in [
        (
            "auto t = cg::tiled_partition<64>(block); a[t.thread_rank()] = 1; t.sync();",
            "3:66: not supported: barrier of tiles that have more threads than a warp",
        ),
        (
            "auto t = cg::tiled_partition<64>(cg::tiled_partition<32>(block));",
            "3:10: not supported: tiles of a tile that has fewer threads",
        ),
        (
            "auto t = cg::tiled_partition<2048>(block);",
            "3:10: not supported: tiles of 2048 threads, which are more than a block has",
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
            "auto t = cg::tiled_partition(block, n);",
            "3:10: not supported: `tiled_partition` into tiles of a size that is not known",
        ),
        (
            "auto c = cg::coalesced_threads(); c.sync();",
            "3:35: not supported: `sync` of a group of threads that values choose",
        ),
        (
            "cg::coalesced_group c = cg::labeled_partition(block, n); cg::sync(c);",
            "3:58: not supported: `sync` of a group of threads that values choose",
        ),
        (
            "auto c = cg::binary_partition(cg::tiled_partition<4>(block), n); c.shfl(a, 0);",
            "3:66: not supported: `shfl` of a group of threads that values choose",
        ),
        (
            "auto c = cg::this_multi_grid();",
            "3:10: not supported: `this_multi_grid`: grids of several devices",
        ),
        (
            "cg::memcpy_async(block, a, a);",
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
