//! Names of programs are any text: none of it becomes a part of a page, a picture or a document.

use super::{drawn, drawn_type, instance};
use babycuda::semantics::RunOptions;
use babycuda_report::choices::Chosen;
use babycuda_report::derivation::{self as render, Drawing, Style};
use babycuda_report::matrix::{self, Matrix};
use babycuda_report::run::Run;

const NAMES: [&str; 5] = [
    "</script><script>alert(1)</script>",
    "\"onmouseover='alert(1)'&amp;&#x41;",
    "]]></style><img src=x onerror=alert(1)>",
    "\\input{/etc/passwd}$%#^~_&{}",
    "∮ é \u{202e}",
];

/// As it stands between backquotes.
pub(crate) fn quoted(name: &str) -> String {
    name.replace('\\', "\\\\")
}

fn programs() -> Vec<(String, Drawing)> {
    let text = |name: &str| {
        format!("kernel k; shared `{name}` = fill 1; let x = `{name}`[tid] in `{name}`[tid] := x")
    };
    let mut all = Vec::new();
    for name in NAMES {
        for drawing in [drawn(&text(&quoted(name)), 2), drawn_type(&text(&quoted(name)))] {
            let drawing = drawing.titled(name.to_owned(), vec![name.to_owned()]);
            all.push((name.to_owned(), drawing));
        }
    }
    all
}

/// The tags of a page, scripts and styles by their names only.
fn tags(page: &str) -> Vec<&str> {
    page.split('<').skip(1).map(|tag| tag.split(['>', ' ', '\n']).next().unwrap_or("")).collect()
}

#[test]
fn pages_have_their_own_tags_and_scripts_only() {
    let plain = render::html(&drawn("shared A = fill 1; let x = A[tid] in A[tid] := x", 2));
    for (name, drawing) in programs() {
        let page = render::html(&drawing);
        assert_eq!(tags(&page).iter().filter(|tag| **tag == "script").count(), 2, "{name}");
        for tag in tags(&page) {
            assert!(tags(&plain).contains(&tag) || tag == "p" || tag == "/p", "{name}: <{tag}>");
        }
        for bad in ["alert(1)<", "onerror=alert(1)>", "\"onmouseover"] {
            assert!(!page.contains(bad), "{name}: {bad}");
        }
        assert!(
            page.contains("default-src 'none'")
                && !page.contains("http:")
                && !page.contains("https:"),
            "{name}"
        );
    }
}

#[test]
fn pictures_are_well_formed() {
    for (name, drawing) in programs() {
        let all = super::xml::elements(&render::svg(&drawing, render::PAGE));
        let known = ["svg", "title", "desc", "style", "g", "a", "text", "tspan", "line"];
        assert!(all.iter().all(|(tag, _)| known.contains(&tag.as_str())), "{name}");
    }
}

#[test]
fn documents_have_letters_of_ascii_and_no_commands_of_a_program() {
    for (name, drawing) in programs() {
        for style in [Style::Mathpartir, Style::Bussproofs] {
            let text = render::latex(&drawing, style);
            assert!(text.is_ascii(), "{name}");
            let body = text.split_once("\\begin{document}").expect("a body").1;
            assert!(!body.contains("\\input") && !body.contains('~'), "{name}");
            let mut depth = 0i64;
            let mut escaped = false;
            for c in text.chars() {
                depth += match c {
                    '{' if !escaped => 1,
                    '}' if !escaped => -1,
                    _ => 0,
                };
                assert!(depth >= 0, "{name}");
                escaped = c == '\\' && !escaped;
            }
            assert_eq!(depth, 0, "{name}");
        }
    }
}

#[test]
fn histories_likewise() {
    for name in NAMES {
        let quoted = quoted(name);
        let text = format!("shared `{quoted}` = fill 1; `{quoted}`[0] := tid");
        let instance = instance(&text, 2);
        let chosen = Chosen { policy: RunOptions::default().ambiguous, contents: Vec::new() };
        let matrix = Matrix::of(&Run::of(instance, chosen, None)).with_notes([name.to_owned()]);
        super::xml::elements(&matrix::svg(std::slice::from_ref(&matrix)));
        let page = matrix::html(std::slice::from_ref(&matrix));
        assert!(!tags(&page).contains(&"script") && !tags(&page).contains(&"img"), "{name}");
        assert!(page.contains("!</td>") || page.contains("!<span"), "{name}: the race is marked");
    }
}
