//! No input makes the front end panic: not half a file, not noise.

use babycuda_frontend::{Options, parse_cuda};
use std::path::PathBuf;

/// A small generator of noise (xorshift), so that a failure can be repeated.
struct Noise(u64);

impl Noise {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % n.max(1) as u64) as usize
    }
}

fn sources() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut out = Vec::new();
    for folder in ["../tests/corpus", "tests/goldens"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("a file").path();
            if path.extension().is_some_and(|e| e == "cu") {
                out.push(std::fs::read_to_string(path).expect("text"));
            }
        }
    }
    out.sort();
    out
}

fn survives(text: &str) {
    // The outcome does not matter here; that there is one does.
    let _outcome = parse_cuda(text, &Options::default());
}

#[test]
fn truncated_files() {
    let mut noise = Noise(7);
    for source in sources() {
        for _ in 0..6 {
            let mut cut = noise.below(source.len());
            while !source.is_char_boundary(cut) {
                cut -= 1;
            }
            survives(&source[..cut]);
        }
    }
}

#[test]
fn shuffled_lines_and_lost_characters() {
    let mut noise = Noise(11);
    for source in sources() {
        let mut lines: Vec<&str> = source.lines().collect();
        for _ in 0..3 {
            let (i, j) = (noise.below(lines.len()), noise.below(lines.len()));
            lines.swap(i, j);
            survives(&lines.join("\n"));
        }
        for _ in 0..3 {
            let lost = noise.below(source.len());
            let rest: String =
                source.char_indices().filter(|(at, _)| *at != lost).map(|(_, c)| c).collect();
            survives(&rest);
        }
    }
}

#[test]
fn noise_from_the_vocabulary_of_c() {
    let words = "__global__|void|k|(|)|{|}|int|*|a|[|]|;|=|i|<|n|for|while|if|else|switch|case|0|1|:|\
        ++|break|return|__shared__|float|__syncthreads()|#define|#if|#endif|\n|\"|'|/*|*/|\
        //|&|&&|?|,|threadIdx.x|é|\u{0}|do|template <|>|struct|+=|atomicAdd(|-|~|(int)|\\";
    let words: Vec<&str> = words.split('|').collect();
    let mut noise = Noise(3);
    for _ in 0..400 {
        let mut text = String::from("__global__ void k(int *a, int n) { ");
        for _ in 0..noise.below(40) {
            text.push_str(words[noise.below(words.len())]);
            text.push(' ');
        }
        survives(&text);
    }
}

#[test]
fn noise() {
    survives("__global__ void →(int *a) {}");
    let mut noise = Noise(5);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..noise.below(120)).map(|_| noise.below(256) as u8).collect();
        survives(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn deep_and_long_inputs() {
    let deep = |open: &str, close: &str| {
        format!(
            "__global__ void k(int *a, int n) {{ a[{}1{}] = 1; }}",
            open.repeat(20_000),
            close.repeat(20_000)
        )
    };
    survives(&deep("(", ")"));
    survives(&deep("-", ""));
    survives(&deep("a[", "]"));
    survives(&deep("n+", ""));
    let nested = format!(
        "__global__ void k(int *a) {{ {} a[0] = 1; {} }}",
        "if (a[0]) {".repeat(5_000),
        "}".repeat(5_000)
    );
    survives(&nested);
    let long = format!(
        "__global__ void k(int *a, int n) {{ {} }}",
        "n = n * 3 + 1; a[n] = n; ".repeat(3_000)
    );
    survives(&long);
    let loops = format!(
        "__global__ void k(int *a, int n) {{ {} a[n]++; }}",
        "for (int i = 0; i < n; i += 3) for (int j = 0; j < i; j += 5)".repeat(12)
    );
    survives(&loops);
}
