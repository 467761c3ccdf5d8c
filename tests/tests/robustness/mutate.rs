//! Mutants of texts.

use crate::pipeline::Subject;
use babycuda_campaign::random;
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, map_file, mutate_text, program};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::RngCore;
use std::path::Path;
use std::sync::LazyLock;

/// Random numbers, the same for the same case everywhere.
pub struct Noise(Xoshiro256PlusPlus);

impl Noise {
    pub fn new(case: u64) -> Noise {
        Noise(random(0, case))
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n.max(1) as u64) as usize
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub fn numbers(&mut self) -> Vec<u16> {
        (0..400).map(|_| self.0.next_u64() as u16).collect()
    }
}

/// The files with one of these endings, of the corpus and of the other tests.
fn files(endings: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = ["tests/corpus", "frontend/tests/goldens", "proofs/counterexamples"];
    let mut paths: Vec<_> = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| endings.iter().any(|k| e == *k)))
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

static CUDA: LazyLock<Vec<String>> = LazyLock::new(|| files(&["cu"]));
static BABYCUDA: LazyLock<Vec<String>> = LazyLock::new(|| files(&["bcuda"]));

/// Words that mean something to a parser, or to what stands behind it.
static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let lines = include_str!("words.txt").lines();
    lines.map(|word| word.replace("\\n", "\n").replace("\\0", "\0")).collect()
});

/// The bounds of tokens: words, numbers, and every other character by itself.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut in_word = false;
    for (at, c) in text.char_indices() {
        let word = c.is_alphanumeric() || c == '_';
        match found.last_mut() {
            Some(last) if word && in_word => last.1 = at + c.len_utf8(),
            _ if c.is_whitespace() => {}
            _ => found.push((at, at + c.len_utf8())),
        }
        in_word = word;
    }
    found
}

/// One mutation.
fn mutated(noise: &mut Noise, text: &str, other: &str) -> String {
    let found = tokens(text);
    if found.is_empty() {
        return text.to_owned();
    }
    let span = |noise: &mut Noise, longest: usize| {
        let first = noise.below(found.len());
        let last = (first + noise.below(longest)).min(found.len() - 1);
        (found[first].0, found[last].1)
    };
    let (a, b) = span(noise, 12);
    let replaced = |with: &str| format!("{}{with}{}", &text[..a], &text[b..]);
    match noise.below(14) {
        // Bytes that are flipped, and read as a careless editor would.
        0 => {
            let mut bytes = text.as_bytes().to_vec();
            let at = noise.below(bytes.len());
            bytes[at] ^= 1 << noise.below(8);
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => replaced(""),
        2 => format!("{}{}", &text[..b], &text[a..]),
        3..=5 => {
            let (a, b) = span(noise, 1);
            format!("{} {} {}", &text[..a], noise.pick(&WORDS), &text[b..])
        }
        6 => format!("{} {} {}", &text[..a], noise.pick(&WORDS), &text[a..]),
        7 | 8 => {
            let ((a, b), (c, d)) = (span(noise, 1), span(noise, 1));
            let ((a, b), (c, d)) = if a <= c { ((a, b), (c, d)) } else { ((c, d), (a, b)) };
            if b > c {
                return text.to_owned();
            }
            [&text[..a], &text[c..d], &text[b..c], &text[a..b], &text[d..]].concat()
        }
        // A part many times, beside itself or around itself.
        9 => replaced(&text[a..b].repeat(1 + noise.below(40))),
        10 => {
            let (open, close) =
                *noise.pick(&[("(", ")"), ("{", "}"), ("[", "]"), ("!(", ")"), ("if (n) {", "}")]);
            let times = *noise.pick(&[1, 3, 40, 300, 3000]);
            replaced(&[&open.repeat(times), &text[a..b], &close.repeat(times)].concat())
        }
        11 => {
            let op = noise.pick(&[" * ", " + ", " - ", " << ", " ? 1 : ", " && ", "; ", ", "]);
            let times = *noise.pick(&[2, 8, 60, 500]);
            replaced(&vec![&text[a..b]; times].join(op))
        }
        12 => {
            let digits = "9".repeat(*noise.pick(&[20, 40, 700, 5000]));
            let (a, b) = span(noise, 1);
            format!("{} {digits} {}", &text[..a], &text[b..])
        }
        _ => {
            let theirs = tokens(other);
            let Some(&(from, _)) = theirs.get(noise.below(theirs.len())) else {
                return text.to_owned();
            };
            let to = theirs.iter().map(|t| t.1).find(|end| *end > from + noise.below(200));
            replaced(&other[from..to.unwrap_or(other.len())])
        }
    }
}

fn several(noise: &mut Noise, text: &str, other: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..=noise.below(3) {
        text = mutated(noise, &text, other);
        // Repetitions of repetitions only try the patience.
        if text.len() > 100_000 {
            break;
        }
    }
    text
}

/// A mutant of a CUDA file.
pub fn cuda(noise: &mut Noise) -> String {
    let (text, other) = (noise.pick(&CUDA).clone(), noise.pick(&CUDA).clone());
    several(noise, &text, &other)
}

/// A mutant of a program or a protocol, as text.
pub fn text(noise: &mut Noise) -> Subject {
    let numbers = noise.numbers();
    let mut choices = Choices::new(&numbers);
    let is_map = noise.below(3) == 0;
    let text = match noise.below(4) {
        _ if is_map => map_file(&mut choices, Profile::ANY).to_string(),
        0 => noise.pick(&BABYCUDA).clone(),
        _ => program(&mut choices, Profile::ANY).to_string(),
    };
    let text = match noise.below(4) {
        0 => mutate_text(&mut choices, &text),
        _ => several(noise, &text, noise_free(&BABYCUDA)),
    };
    if is_map { Subject::Map(text) } else { Subject::BabyCuda(text) }
}

/// What texts are spliced with: always the same, so that a case depends on its number alone.
fn noise_free(files: &[String]) -> &str {
    files.first().map_or("", String::as_str)
}
