//! Histories as matrices.

use super::{FIGURE_3, golden, instance, xml};
use babycuda::semantics::RunOptions;
use babycuda_report::choices::Chosen;
use babycuda_report::matrix::{self, Matrix};
use babycuda_report::run::Run;

fn of(text: &str, threads: u32) -> Matrix {
    let chosen = Chosen { policy: RunOptions::default().ambiguous, contents: Vec::new() };
    Matrix::of(&Run::of(instance(text, threads), chosen, None))
}

/// Warps of two threads: each pair passes a barrier of its own, then all.
const WARPS: &str = "warp 2; A[tid] := tid; sync.warp; let x = A[tid / 2 * 2] in A[4 + tid] := x; \
    sync; A[0] := 1";

#[test]
fn racy_cells_are_marked() {
    let figure = of(FIGURE_3, 2);
    golden("figure_3.matrix.txt", &matrix::text(&figure));
    golden("figure_3.matrix.svg", &matrix::svg(std::slice::from_ref(&figure)));
    let page = matrix::html(&[figure]);
    assert!(page.contains("<th scope=\"col\" class=\"racy\">A[0]!</th>"), "{page}");
    assert!(page.contains("title=\"race with thread 1\""), "{page}");
}

#[test]
fn barriers_of_warps_are_bands_within_a_phase() {
    let matrix = of(WARPS, 4);
    let text = matrix::text(&matrix);
    golden("warps.matrix.txt", &text);
    assert!(text.contains("├ threads 0 to 1, up to their barrier"), "{text}");
    assert!(text.contains("└ behind these barriers"), "{text}");
    let page = matrix::html(std::slice::from_ref(&matrix));
    assert_eq!(page.matches("<section class=\"phase").count(), 2);
    assert_eq!(page.matches("<section class=\"group").count(), 3);
    let picture = matrix::svg(&[matrix]);
    let frames = |class| picture.matches(&format!("<rect class=\"{class}")).count();
    assert_eq!((frames("band"), frames("group")), (2, 3));
}

/// Tiles of two threads within warps of four: a tile's band stands in that of its warp.
#[test]
fn bands_of_narrower_groups_stand_in_those_of_wider_ones() {
    let text =
        matrix::text(&of("warp 4; A[tid] := 1; sync.tile2; A[tid] := 2; sync.warp; A[0] := 3", 8));
    golden("tiles.matrix.txt", &text);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains(['├', '└'])).collect();
    let half = |first: u64| {
        let tile = |first| format!("  │   ├ threads {first} to {}, up to their barrier", first + 1);
        let warp = format!("  ├ threads {first} to {}, up to their barrier", first + 3);
        [warp, tile(first), tile(first + 2), "  │   └ behind these barriers".to_owned()]
    };
    assert_eq!(
        lines,
        [half(0).as_slice(), &half(4), &["  └ behind these barriers".to_owned()]].concat()
    );
}

/// Two accesses of a thread to a cell, of which a barrier of the warp orders one.
#[test]
fn what_a_barrier_of_the_warp_orders_is_not_marked() {
    let text = "warp 4; shared B = fill 0; if tid == 0 { B[0] := 5 } else { skip }; sync.warp; B[0] := tid";
    let matrix = matrix::text(&of(text, 4));
    assert!(matrix.contains("w=5\n") && !matrix.contains("w=5!"), "{matrix}");
    assert!(matrix.contains("w=0!") && matrix.contains("├ threads 0 to 3"), "{matrix}");
    let chosen = Chosen { policy: RunOptions::default().ambiguous, contents: Vec::new() };
    let lines = Run::of(instance(text, 4), chosen, None).human();
    assert!(lines.contains("thread 0: wr B[0] := 5\n"), "{lines}");
    assert!(lines.contains("thread 0: wr B[0] := 0   <-- race with 1, 2, 3\n"), "{lines}");
}

#[test]
fn a_run_that_is_stuck_shows_its_last_phase() {
    let text = matrix::text(&of("A[tid] := 1; sync; let x = A[7] in skip", 2));
    assert!(text.contains("phase 1, not completed") || text.contains("stuck"), "{text}");
    assert!(text.contains("reads A[7], which nobody wrote"), "{text}");
}

#[test]
fn matrices_fit_their_pages() {
    let cells: Vec<String> = (0..90).map(|n| format!("A[{n}] := tid * 1000000")).collect();
    for (text, threads) in
        [(cells.join("; "), 300), (WARPS.to_owned(), 4), ("A[tid] := tid".to_owned(), 300)]
    {
        let matrix = of(&text, threads);
        let lines = matrix::text(&matrix);
        assert!(lines.lines().all(|line| line.chars().count() <= 110), "{lines}");
        let picture = matrix::svg(std::slice::from_ref(&matrix));
        let all = xml::elements(&picture);
        let wide = xml::number(&all[0].1, "width");
        for (name, own) in all.iter().filter(|(name, _)| name == "text" || name == "rect") {
            let length = if name == "text" { "textLength" } else { "width" };
            assert!(xml::number(own, "x") + xml::number(own, length) <= wide, "{own:?}");
        }
        let page = matrix::html(&[matrix]);
        let columns = page.split("<tr>").map(|row| row.matches("<td").count()).max();
        assert!(columns.is_some_and(|n| n <= 6), "{columns:?}");
        if threads > 128 {
            assert!(page.contains("not shown: 172 more threads"), "{threads}");
        }
    }
}
