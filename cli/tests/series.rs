//! Kernels that grow in one thing have the verdicts of small ones, by as many more questions to solvers.
//!
//! `BABYCUDA_SERIES_TIMES=1 cargo test --release -p babycuda-cli --test series -- --nocapture` prints the seconds that
//! the program takes for each, and `BABYCUDA_SERIES_PLOT=FILE.svg` draws them.

mod support;

use babycuda_testkit::series::{SERIES, Series};
use std::path::Path;
use std::time::{Duration, Instant};
use support::babycuda;

const SIZES: [usize; 5] = [16, 32, 64, 128, 256];

/// From the start of the program to its end; and how many questions it had for solvers.
fn timed(series: &Series, n: usize) -> (Duration, usize) {
    let name = series.name.replace(' ', "_");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("series_{name}_{n}.cu"));
    std::fs::write(&file, series.kernel(n)).unwrap();
    let file = file.to_string_lossy().into_owned();
    let start = Instant::now();
    let ran = babycuda(&["check", &file, "--memory-limit", "1024"], "");
    let time = start.elapsed();
    let expected = i32::from(series.racy);
    ran.holds(ran.status == expected, expected);
    let words: Vec<&str> = ran.out.split_whitespace().collect();
    let said = words.windows(2).rev().find(|w| w[1].starts_with("quer"));
    let questions = said.and_then(|w| w[0].parse().ok());
    (time, questions.unwrap_or_else(|| panic!("{}", ran.out)))
}

#[test]
fn kernels_of_a_series_have_one_verdict_and_questions_in_proportion() {
    let times = std::env::var("BABYCUDA_SERIES_TIMES").is_ok();
    let mut lines = Vec::new();
    for series in SERIES {
        let kept = |n: &usize| *n <= series.most && (times || [16, 64].contains(n));
        let (mut points, mut fewest) = (Vec::new(), usize::MAX);
        for n in SIZES.into_iter().filter(kept) {
            let (time, questions) = timed(&series, n);
            let name = series.name;
            fewest = fewest.min(questions);
            assert!(questions <= fewest * n / 16 + n, "{name} {n}: {questions}, not {fewest}");
            points.push((n, time));
        }
        let cells: Vec<String> =
            points.iter().map(|(_, time)| format!("{:.2}", time.as_secs_f64())).collect();
        println!("| {} | {} |", series.name, cells.join(" | "));
        lines.push((series.name, points));
    }
    if let Ok(file) = std::env::var("BABYCUDA_SERIES_PLOT") {
        std::fs::write(&file, plot(&lines)).unwrap_or_else(|e| panic!("{file}: {e}"));
    }
}

/// Time over size, both on logarithmic scales: a line of slope 1 is linear.
fn plot(lines: &[(&str, Vec<(usize, Duration)>)]) -> String {
    const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
    let x = |n: usize| 60.0 + 70.0 * ((n as f64).log2() - 4.0);
    let y = |seconds: f64| 30.0 + 80.0 * (1.0 - seconds.max(0.001).log10());
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 390\" \
         font-family=\"sans-serif\" font-size=\"11\">\n",
    );
    for n in SIZES {
        let at = x(n);
        svg += &format!("<text x=\"{at}\" y=\"370\" text-anchor=\"middle\">{n}</text>\n");
    }
    for seconds in [0.001, 0.01, 0.1, 1.0, 10.0] {
        let at = y(seconds);
        svg += &format!("<path d=\"M60 {at}H340\" stroke=\"#ddd\"/>\n");
        svg += &format!("<text x=\"52\" y=\"{at}\" text-anchor=\"end\">{seconds} s</text>\n");
    }
    for (i, (name, points)) in lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let dashes = if i < COLOURS.len() { "none" } else { "4 3" };
        let places = points.iter().map(|(n, t)| format!("{:.1},{:.1}", x(*n), y(t.as_secs_f64())));
        let places: Vec<String> = places.collect();
        let line = format!("fill=\"none\" stroke=\"{colour}\" stroke-dasharray=\"{dashes}\"");
        svg += &format!("<polyline points=\"{}\" {line}/>\n", places.join(" "));
        let at = 40 + 20 * i;
        svg += &format!("<path d=\"M365 {at}h25\" {line}/>\n");
        svg += &format!("<text x=\"396\" y=\"{}\">{name}</text>\n", at + 4);
    }
    svg + "</svg>\n"
}
