//! Kernels as people who like macros write them.

use std::fmt::Write;

/// What stands for what. A cell has its index in brackets, a loop its three parts.
const WORDS: [(&str, &str, &str); 3] = [
    ("__syncthreads()", "BARRIER", "BARRIER __syncthreads()"),
    (
        "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
        "BARRIER",
        "BARRIER barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)",
    ),
    ("if (", "WHEN (", "WHEN if"),
];

/// The text of a kernel of the array with macros for its cells, barriers, guards and loops.
pub(crate) fn with_macros(text: &str, array: &str) -> String {
    let (mut body, mut used) = (String::new(), Vec::new());
    let mut define = |macro_: String| {
        if !used.contains(&macro_) {
            used.push(macro_);
        }
    };
    for line in text.lines() {
        let mut line = line.to_owned();
        for (plain, name, macro_) in WORDS {
            if line.contains(plain) {
                line = line.replace(plain, name);
                define(macro_.to_owned());
            }
        }
        if let Some((before, rest)) = line.split_once("for (") {
            line = format!("{before}LOOP({}", rest.replacen("; ", ", ", 2));
            define("LOOP(first, last, next) for (first; last; next)".to_owned());
        }
        // A declaration has its length in brackets.
        if !line.contains(&format!("unsigned {array}["))
            && !line.contains(&format!("uint {array}["))
        {
            let cells = cells(&line, array);
            if cells != line {
                define(format!("CELL(index) {array}[index]"));
                line = cells;
            }
        }
        let _ = writeln!(body, "{line}");
    }
    let defined = used.into_iter().map(|macro_| format!("#define {macro_}\n"));
    defined.collect::<String>() + &body
}

/// The line with `CELL(i)` for the cell of each index.
fn cells(line: &str, array: &str) -> String {
    let (mut out, mut open, mut before, mut rest) = (String::new(), Vec::new(), ' ', line);
    while let Some(c) = rest.chars().next() {
        let in_word = before.is_alphanumeric() || before == '_';
        let index = rest.strip_prefix(array).and_then(|rest| rest.strip_prefix('['));
        if let (Some(index), false) = (index, in_word) {
            open.push(')');
            out += "CELL(";
            (rest, before) = (index, '[');
            continue;
        }
        match c {
            '[' => open.push(']'),
            // Each is closed as it was opened.
            ']' => out.extend(open.pop()),
            _ => {}
        }
        out.extend((c != ']').then_some(c));
        (rest, before) = (&rest[c.len_utf8()..], c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn macros_stand_for_cells_barriers_guards_and_loops() {
        let text = "__global__ void kernel(unsigned *a, const unsigned *d) {
    __shared__ unsigned s[64];
    for (int i = 0; i < 2; i++) {
        if (d[t % 4] < 2) {
            s[s[i] + d[s[t]]] = as[s];
        }
        __syncthreads();
    }
}
";
        let expected = "#define LOOP(first, last, next) for (first; last; next)
#define WHEN if
#define CELL(index) s[index]
#define BARRIER __syncthreads()
__global__ void kernel(unsigned *a, const unsigned *d) {
    __shared__ unsigned s[64];
    LOOP(int i = 0, i < 2, i++) {
        WHEN (d[t % 4] < 2) {
            CELL(CELL(i) + d[CELL(t)]) = as[s];
        }
        BARRIER;
    }
}
";
        assert_eq!(with_macros(text, "s"), expected);
        assert_eq!(with_macros("", "a"), "");
    }
}
