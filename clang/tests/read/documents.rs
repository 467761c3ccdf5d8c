//! Documents that clang did not write: an error with its place, or kernels, never a panic.

use super::{TIME, clang, source};
use babycuda_clang::{ClangError, Language, kernels};

const TEXT: &str =
    "template <class T> struct add { T by; __device__ T operator()(T x) { return x + by; } };
__device__ int table[4] = {1, 2};
__global__ void k(int *a, float4 *v, unsigned n) {
    __shared__ int s[32];
    add<int> more{3};
    auto f = [&](int i) { return a[i]; };
    for (int i = threadIdx.x; i < n; i += 32) {
        switch (i) { case 1: s[i] = more(f(i)); break; default: v[i].x = table[1]; }
        __syncthreads();
    }
}";

/// A recorded document, small: without what the header declares and the kernel does not use.
fn recorded() -> Option<String> {
    let clang = clang()?;
    let source = source(TEXT, None, Language::Cuda);
    let (document, _, _) = clang.document(&source, TIME).expect("a document");
    let mut tree: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    let inner = tree["inner"].as_array_mut().expect("declarations");
    let used = ["threadIdx", "__syncthreads", "uint3", "float4", "add", "table", "k"];
    inner.retain(|n| {
        let name = n["name"].as_str().unwrap_or_default();
        used.contains(&name)
    });
    // What follows a declaration that is left out has lost the file that it would repeat.
    Some(tree.to_string())
}

fn outcome(document: &str) -> &'static str {
    match kernels(document, "", &source(TEXT, None, Language::Cuda)) {
        Ok(_) => "kernels",
        Err(ClangError::Document { line, column, .. }) => {
            assert!(line >= 1 && column <= document.len() + 1, "{line}:{column}");
            "document"
        }
        Err(_) => "other",
    }
}

#[test]
fn a_cut_document_is_an_error() {
    let Some(document) = recorded() else { return };
    assert_eq!(outcome(&document), "kernels");
    let step = (document.len() / 300).max(1);
    for end in (0..document.len()).step_by(step).filter(|end| document.is_char_boundary(*end)) {
        assert_eq!(outcome(&document[..end]), "document", "{end}");
    }
    assert_eq!(outcome(""), "document");
    assert_eq!(outcome("{}"), "document");
    assert_eq!(outcome("[1]"), "document");
    let deep = format!("{}{}", "{\"inner\":[".repeat(100_000), "]}".repeat(100_000));
    assert_eq!(outcome(&deep), "document");
}

#[test]
fn a_changed_document_never_panics() {
    let Some(document) = recorded() else { return };
    let mut seed = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = move |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % below.max(1) as u64) as usize
    };
    // The kernel stands at the end.
    let tail = document.len().saturating_sub(60_000);
    let words: Vec<(usize, &str)> = document[tail..]
        .match_indices('"')
        .map(|(at, _)| tail + at)
        .collect::<Vec<_>>()
        .windows(2)
        .map(|w| (w[0] + 1, &document[w[0] + 1..w[1]]))
        .filter(|(_, word)| !word.is_empty() && word.len() < 40)
        .collect();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..1_000 {
        let (at, old) = words[random(words.len())];
        let (_, new) = words[random(words.len())];
        let mut changed = document.clone();
        match random(4) {
            0 => changed.replace_range(at..at + old.len(), ""),
            1 => {
                let at = tail + random(document.len() - tail);
                if document.is_char_boundary(at) && document.is_char_boundary(at + 1) {
                    changed.replace_range(at..at + 1, ["9", "{", "]", "\"", "-"][random(5)]);
                }
            }
            _ => changed.replace_range(at..at + old.len(), new),
        }
        match outcome(&changed) {
            "kernels" => read += 1,
            _ => refused += 1,
        }
    }
    assert!(read > 250 && refused > 25, "{read} were read, {refused} refused");
}
