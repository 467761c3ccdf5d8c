//! The ranks of threads in their groups.

use crate::common::{Event, Machine, Mode, program};
use crate::kernel;
use babycuda_core::{Dim3, Launch, Settings};

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
