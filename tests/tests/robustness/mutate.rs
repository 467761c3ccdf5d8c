//! Mutants of texts.

use crate::pipeline::Subject;
use babycuda_campaign::random;
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, map_file, mutate_text, program};
use babycuda_tests::Target;
use babycuda_tests::readers::{READERS, files};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::RngCore;
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

/// A reader, and what it accepts.
type Accepted = (&'static Target, Vec<Vec<u8>>);

static SEEDS: LazyLock<Vec<Accepted>> = LazyLock::new(|| {
    // Kernels and programs have mutants of their own, and a document of clang's takes seconds (`clang/tests`).
    let others = ["program", "cuda", "clang"];
    let readers = READERS.iter().filter(|reader| !others.contains(&reader.name));
    readers.map(|reader| (reader, (reader.seeds)())).collect()
});

/// A mutant of something that a reader accepts.
pub fn bytes(noise: &mut Noise) -> Subject {
    let (reader, seeds) = noise.pick(&SEEDS);
    let (seed, other) = (noise.pick(seeds), noise.pick(seeds));
    let mutant = match (std::str::from_utf8(seed), std::str::from_utf8(other)) {
        (Ok(text), Ok(_)) if reader.name == "document" && noise.below(2) == 0 => {
            crate::trees::document(noise, text).into_bytes()
        }
        (Ok(text), Ok(other)) if noise.below(2) == 0 => several(noise, text, other).into_bytes(),
        _ => changed(noise, seed.clone(), other),
    };
    Subject::Bytes(reader, mutant)
}

/// Some bytes are others, are missing, stand twice, or come from another file.
fn changed(noise: &mut Noise, mut bytes: Vec<u8>, other: &[u8]) -> Vec<u8> {
    for _ in 0..=noise.below(3) {
        let at = noise.below(bytes.len() + 1);
        let end = (at + 1 + noise.below(9)).min(bytes.len());
        let part = bytes[at..end].to_vec();
        match noise.below(7) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..end)),
            2 => drop(bytes.splice(at..at, part)),
            3 => {
                let from = noise.below(other.len());
                let to = (from + noise.below(40)).min(other.len());
                bytes.splice(at..end, other[from..to].iter().copied());
            }
            4 => bytes[at..end].fill(*noise.pick(&[0, 1, 0x7f, 0x80, 0xff, b'9', b'\n'])),
            _ if at < end => bytes[at] ^= 1 << noise.below(8),
            _ => bytes.push(noise.below(256) as u8),
        }
    }
    bytes
}

/// What texts are spliced with: always the same, so that a case depends on its number alone.
fn noise_free(files: &[String]) -> &str {
    files.first().map_or("", String::as_str)
}
