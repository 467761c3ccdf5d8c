//! Nothing is wider than its page, and of many threads little is drawn.

use super::xml::{elements, number};
use super::{FIGURE_3, MANY, drawn, drawn_map, drawn_type, run};
use babycuda_report::derivation::{self as render, Drawing, Style};

fn drawings() -> Vec<Drawing> {
    let wide: Vec<String> = (0..40).map(|n| format!("let x{n} = A[{n}] in skip")).collect();
    let wide = format!("shared A = fill 1; {}", wide.join("; "));
    let name = "a_name_that_is_as_long_as_names_are".repeat(8);
    let long = format!("shared {name} = fill 1; {name}[tid] := 1");
    vec![
        drawn(FIGURE_3, 2),
        drawn(MANY, 64),
        drawn("forU x in 0..64 { A[x] := x; let y = A[x] in A[x + 1] := y }", 1),
        drawn(&wide, 3),
        drawn(&long, 2),
        drawn_type(MANY),
        drawn_map("wr[tid]; sync; if tid == 3 { rd[0] } else { forU x in 0..tid { rd[x] } }", 64),
    ]
}

/// Pictures: every text, line and frame ends before the page does.
#[test]
fn pictures_fit_the_page() {
    for drawing in drawings() {
        for pixels in [render::PAGE, 390] {
            let text = render::svg(&drawing, pixels);
            let all = elements(&text);
            let (name, page) = &all[0];
            assert_eq!(name, "svg");
            let (wide, high) = (number(page, "width"), number(page, "height"));
            assert!(wide <= f64::from(pixels), "{wide}");
            let mut texts = 0;
            for (name, own) in &all {
                let (right, bottom) = match name.as_str() {
                    "text" => (number(own, "x") + number(own, "textLength"), number(own, "y")),
                    "line" => (number(own, "x2").max(number(own, "x1")), number(own, "y1")),
                    _ => continue,
                };
                texts += usize::from(name == "text");
                assert!(right <= wide + 0.1 && bottom <= high, "{own:?} of {wide}×{high}");
            }
            assert!(texts > 5);
        }
    }
}

#[test]
fn trees_in_text_fit_the_line() {
    for drawing in drawings() {
        for width in [60, 80, 100, 160] {
            let text = render::tree(&drawing, width);
            let legend = |line: &str| line.contains(" = ");
            for line in text.lines().filter(|line| !legend(line)) {
                let wide = line.chars().count();
                assert!(wide <= width, "{wide} columns of {width}:\n{line}");
            }
        }
    }
}

/// Threads that do the same are drawn once, in words and with `i`.
#[test]
fn sixty_four_threads_are_drawn_as_two() {
    let drawing = drawn(MANY, 64);
    let tree = render::tree(&drawing, 100);
    assert!(tree.contains("(i), for every thread i = 0 … 63:"), "{tree}");
    assert!(tree.contains("(i), for every thread i = 1 … 6"), "{tree}");
    assert!(tree.contains("A[i] := i ↓") && tree.contains("A[i + 100] := "), "{tree}");
    assert!(tree.lines().count() < 200, "{}", tree.lines().count());
    let page = render::html(&drawing);
    assert!(page.len() < 200_000, "{}", page.len());
    assert!(page.contains("<input type=\"range\"") && page.contains("data-t=\"0\""));
    // What `i` gives is computed of none but these threads: 63 more than thread 0 wrote.
    assert!(page.contains("[\"0\",\"1\",\"2\",\"3\","), "no table of numbers");
}

#[test]
fn what_is_far_from_the_root_is_left_out() {
    let derivation = run("forU x in 0..5000 { A[0] := x }", 1);
    let drawing = render::of_run(&derivation);
    let tree = render::tree(&drawing, 100);
    assert!(tree.contains('⋮') && tree.lines().count() < 10_000);
    assert!(render::latex(&drawing, Style::Mathpartir).contains("\\vdots"));
    assert!(render::html(&drawing).contains("⋮ "));
    assert!(render::svg(&drawing, render::PAGE).contains("⋮ "));
    // Indented text is complete, and no recursion makes it.
    assert!(render::compact(&render::run_in_full(&derivation)).lines().count() > 10_000);
}
