//! The kernels of `benches/monitor` and the monitor's own functions, with threads of the host for those of a device.

use crate::host;

/// The last part of the name is what is expected of it.
#[test]
fn kernels_on_the_host() {
    let Some(program) = host::compile("kernels.cpp") else { return };
    let text = host::run(&program, "");
    let mut lines = text.lines();
    for kernel in ["stencil", "reduction", "warp scan", "transpose", "histogram", "matmul"] {
        assert_eq!(lines.next(), Some(format!("{kernel} 0 0 right").as_str()));
        let line = lines.next().expect("a line");
        let rest = line.strip_prefix(&format!("{kernel} racy ")).expect(line);
        let [races, "0", "right"] = rest.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        assert!(races.parse::<u64>().expect("a number") > 0, "{line}");
    }
    let rest: Vec<&str> = lines.by_ref().take(7).collect();
    let expected = [
        "everything 0 0 right",
        "grid 0 1 right",
        "lanes 0 4 right",
        "outside 0 16 right",
        "gather 63 0 right",
        "overlap 0 0 right",
        "launches 300 0 right",
    ];
    assert_eq!(rest, expected);
    let race = lines.next().expect("a race");
    assert!(
        race.starts_with("race: x[7]: write at line 1") && race.contains("of block 0 (W.W.W)"),
        "{race}"
    );
    assert_eq!(lines.next(), Some("300 races, of which the first 1 are listed"));
}
