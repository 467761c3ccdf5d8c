//! Documents compile, and fit their pages: asked of pdflatex, where it is installed.

use super::rules::everything;
use super::{FIGURE_3, MANY, STUCK, drawn, drawn_map, drawn_type, instance, titled};
use babycuda::semantics::RunOptions;
use babycuda_report::derivation::{self as render, Drawing, Style};
use std::path::{Path, PathBuf};
use std::process::Command;

fn is_installed() -> bool {
    let there =
        Command::new("pdflatex").arg("--version").output().is_ok_and(|o| o.status.success());
    let required = std::env::var_os("BABYCUDA_REQUIRE_LATEX").is_some();
    assert!(there || !required, "pdflatex is missing");
    if !there {
        eprintln!("skipped: pdflatex is missing (Debian: texlive-latex-base)");
    }
    there
}

fn stuck() -> Drawing {
    let attempt = instance(STUCK, 3).attempt(&RunOptions::default()).expect("it is stuck");
    titled("stuck", render::stopped_run(&attempt, &attempt.stuck.to_string(), false))
}

/// Is a package of LaTeX installed?
fn has(package: &str) -> bool {
    let file = format!("{package}.sty");
    let there = Command::new("kpsewhich").arg(&file).output().is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("not compiled with {file}, which is missing (Debian: texlive-science)");
    }
    there
}

/// mathpartir draws no line above which nothing stands, and breaks lines as its width says.
#[test]
fn axioms_have_a_line_and_premises_stay_beside_each_other() {
    let mut axioms = 0;
    for drawing in everything() {
        let text = render::latex(&drawing, Style::Mathpartir);
        let body = text.split_once("\\begin{document}").expect("a body").1;
        let rules: Vec<&str> = body.split("\\inferrule*").skip(1).collect();
        axioms += rules
            .iter()
            .filter(|rule| rule.contains("{%\n{ }%") || rule.contains("{ }%\n"))
            .count();
        for rule in rules {
            let premises = rule.split_once("{%\n").expect("premises").1.trim_start();
            assert!(!premises.starts_with('}'), "{rule}");
        }
        assert!(
            text.contains("\\hsize=\\maxdimen")
                && text.contains("\\def\\TirNameStyle#1{\\normalfont")
        );
    }
    assert!(axioms >= 5, "{axioms}");
}

/// A folder of its own.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{e}"));
    folder
}

#[test]
fn documents_compile_and_fit_their_pages() {
    if !is_installed() {
        return;
    }
    let name = super::escapes::quoted("\\input{x}$%#^~_&{}'<>\"∮é");
    let escaped = format!("shared `{name}` = fill 1; `{name}`[tid] := 1");
    let mut drawings = vec![
        ("figure3", drawn(FIGURE_3, 2)),
        ("many", drawn(MANY, 64)),
        ("loop", drawn("forU x in 0..20 { A[x] := x; let y = A[x] in A[x + 1] := y }", 1)),
        ("type", drawn_type(MANY)),
        ("map", drawn_map("wr[tid]; sync; forU x in 0..tid { rd[x] }", 64)),
        ("stuck", stuck()),
        ("escaped", drawn(&escaped, 2)),
    ];
    drawings.extend(everything().into_iter().map(|drawing| ("rules", drawing)));
    let both = [(Style::Mathpartir, "mathpartir"), (Style::Bussproofs, "bussproofs")];
    let own = both.map(|(style, package)| (style, package, true));
    // As it is, and where the package is not installed; the same, where it is not.
    let installed = both.into_iter().filter(|(_, package)| has(package));
    let all = own.into_iter().chain(installed.map(|(style, package)| (style, package, false)));
    for (style, package, own) in all {
        for (n, (name, drawing)) in drawings.iter().enumerate() {
            // Of the rules each style gets half.
            if *name == "rules" && (n % 2 == 0) == (style == Style::Mathpartir) {
                continue;
            }
            let folder = folder(&format!("latex-{style:?}-{own}"));
            let file = format!("{name}{n}.tex");
            let mut text = render::latex(drawing, style);
            let asked = format!("\\IfFileExists{{{package}.sty}}");
            assert_eq!(text.matches(&asked).count(), 1);
            if own {
                text = text.replace(&asked, "\\IfFileExists{no-such-package.sty}");
            }
            std::fs::write(folder.join(&file), &text).unwrap_or_else(|e| panic!("{e}"));
            let output = Command::new("pdflatex")
                .args(["-interaction=nonstopmode", "-halt-on-error", &file])
                .current_dir(&folder)
                .output()
                .unwrap_or_else(|e| panic!("{e}"));
            let log = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{style:?}, {name}: {log}\n{text}");
            assert!(!log.contains("Overfull"), "{style:?}, {name}: {log}");
            assert!(!log.contains("Missing character"), "{style:?}, {name}: {log}");
        }
    }
}
