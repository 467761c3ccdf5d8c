//! Inference rules as a LaTeX document.

use super::drawing::Drawing;
use super::formula::{Formula, Kind, Piece, code, equation, wrap};
use super::layout::{Page, Part, Tree, sheet};
use super::letter::{THREAD, settled};
use std::fmt::Write;

/// The package that inference rules are written for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// mathpartir
    Mathpartir,
    /// bussproofs
    Bussproofs,
}

/// A page of A4, upright or not: its columns and lines.
const UPRIGHT: (usize, usize) = (116, 42);
const ACROSS: (usize, usize) = (170, 27);

/// Text in math mode.
fn math(text: &str) -> String {
    let mut out = String::new();
    let mut words = text;
    while let Some(c) = words.chars().next() {
        let word: String = words.chars().take_while(char::is_ascii_alphabetic).collect();
        if word.len() > 1 {
            let _ = write!(out, "\\mathit{{{word}}}");
            words = &words[word.len()..];
            continue;
        }
        out.push_str(&symbol(c, true));
        words = &words[c.len_utf8()..];
    }
    out
}

/// A character in math mode; letters of programs stand upright.
fn symbol(c: char, math: bool) -> String {
    let known = match c {
        THREAD => return c.to_string(),
        '↓' => "\\downarrow ",
        '⇓' => "\\Downarrow ",
        '∈' => "\\in ",
        '∉' => "\\notin ",
        '⊆' => "\\subseteq ",
        '∪' => "\\cup ",
        '⊢' => "\\vdash ",
        'ℕ' => "\\mathbb{N}",
        '▷' => "\\triangleright ",
        '▶' => "\\blacktriangleright ",
        '∅' => "\\emptyset ",
        '⊥' => "\\bot ",
        '≥' => "\\geq ",
        '⋆' => "\\star ",
        '·' => "\\cdot ",
        '×' => "\\times ",
        '↦' => "\\mapsto ",
        'Λ' => "\\Lambda ",
        'ℓ' => "\\ell ",
        '∀' => "\\forall ",
        '⋮' => "\\vdots ",
        '…' => "\\ldots ",
        '✗' => "\\times ",
        ' ' => "\\ ",
        '\\' => "\\backslash ",
        '^' => "\\hat{\\ }",
        '~' => "\\sim ",
        '\'' if !math => "{'}",
        '<' if !math => "{<}",
        '>' if !math => "{>}",
        '{' | '}' | '#' | '_' | '&' | '%' | '$' => return format!("\\{c}"),
        ' '..='~' => return c.to_string(),
        // A character that the document has no letter for.
        _ => return format!("\\langle \\mathrm{{U{:04X}}}\\rangle ", u32::from(c)),
    };
    known.to_owned()
}

/// Concrete syntax.
fn program(text: &str) -> String {
    let letters = text.chars().map(|c| symbol(c, false));
    format!("\\mathtt{{{}}}", letters.collect::<String>())
}

/// Names with their numbers below: `H_{2}`.
fn numbered(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while !rest.is_empty() {
        let word = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let digits = rest[word..].find(|c: char| !c.is_ascii_digit());
        let end = digits.map_or(rest.len(), |n| word + n);
        if word == 1 && end > word {
            let _ = write!(out, "{}_{{{}}}", &rest[..word], &rest[word..end]);
            rest = &rest[end..];
        } else {
            let first = rest.chars().next().map_or(1, char::len_utf8);
            let (now, later) = rest.split_at(word.max(first));
            out.push_str(&math(now));
            rest = later;
        }
    }
    out
}

fn line(formula: &Formula) -> String {
    let mut out = String::new();
    let mut pieces = formula.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece.kind {
            Kind::Sub => {
                let mut below = numbered(&piece.text);
                while let Some(next) = pieces.next_if(|next| next.kind == Kind::Sub) {
                    below.push_str(&numbered(&next.text));
                }
                let _ = write!(out, "_{{{below}}}");
            }
            _ if piece.values.is_some() => {
                let _ = write!(out, "{{{}}}", math(&piece.text));
            }
            Kind::Math => out.push_str(&math(&piece.text)),
            Kind::Code => out.push_str(&program(&piece.text)),
            Kind::Name => out.push_str(&numbered(&piece.text)),
        }
    }
    out
}

fn lines(lines: &[Formula]) -> String {
    match lines {
        [one] => line(one),
        _ => {
            let all: Vec<String> = lines.iter().map(line).collect();
            format!("\\stacked{{{}}}", all.join("\\cr "))
        }
    }
}

fn figure_name(number: usize, threads: Option<&str>) -> String {
    let name = format!("\\mathcal{{D}}_{{{number}}}");
    match threads {
        Some(threads) => format!("{name}({THREAD}),\\ {THREAD} = {}", math(threads)),
        None => name,
    }
}

/// What is no tree, in math mode.
fn part(part: &Part) -> String {
    match part {
        Part::Lines(own) => lines(own),
        Part::Fails(own) => format!("{{\\color{{red}}{}}}", lines(own)),
        Part::Unseen(own) => format!("{{\\color[gray]{{0.5}}{}}}", lines(own)),
        Part::Tree(_) => String::new(),
        Part::Elsewhere { name, threads, conclusion, .. } => {
            let mut all = vec![figure_name(*name, threads.as_deref())];
            all.extend(conclusion.iter().map(line));
            match all.as_slice() {
                [one] => one.clone(),
                _ => format!("\\stacked{{{}}}", all.join("\\cr ")),
            }
        }
    }
}

// Trees are no higher than a page, so these recursions are not deep.

fn mathpartir(tree: &Tree, indent: usize, out: &mut String) {
    let _ = writeln!(out, "{:indent$}\\inferrule*[right={{{}}}]{{%", "", tree.rule);
    if tree.rows.is_empty() {
        // An axiom has its line, too.
        let _ = writeln!(out, "{:indent$}  {{ }}%", "");
    }
    for (n, row) in tree.rows.iter().enumerate() {
        if n > 0 {
            let _ = writeln!(out, "{:indent$}  \\\\\\\\", "");
        }
        for (n, own) in row.iter().enumerate() {
            if n > 0 {
                let _ = writeln!(out, "{:indent$}  \\\\", "");
            }
            match own {
                Part::Tree(child) => mathpartir(child, indent + 2, out),
                own => {
                    let _ = writeln!(out, "{:indent$}  {{{}}}", "", part(own));
                }
            }
        }
    }
    // In two pairs of braces: mathpartir expands the first macro of a list.
    let _ = writeln!(out, "{:indent$}}}{{{{{}}}}}", "", lines(&tree.conclusion));
}

fn bussproofs(tree: &Tree, out: &mut String) {
    let mut premises = 0;
    let mut flat: Vec<&Part> = Vec::new();
    let put = |flat: &mut Vec<&Part>, premises: &mut usize, out: &mut String| {
        if !flat.is_empty() {
            let own: Vec<String> = flat.drain(..).map(part).collect();
            // Three beside each other, else they are too wide.
            let rows: Vec<String> = own.chunks(3).map(|row| row.join("\\qquad ")).collect();
            let _ = writeln!(out, "\\AxiomC{{$\\stacked{{{}}}$}}", rows.join("\\cr "));
            *premises += 1;
        }
    };
    let parts: Vec<&Part> = tree.rows.iter().flatten().collect();
    let trees = parts.iter().filter(|own| matches!(own, Part::Tree(_))).count();
    let changes = parts
        .windows(2)
        .filter(|pair| matches!(pair[0], Part::Tree(_)) != matches!(pair[1], Part::Tree(_)))
        .count();
    // At most five premises: else all that are no trees stand first.
    if trees + changes + 1 > 5 {
        flat.extend(parts.iter().filter(|own| !matches!(own, Part::Tree(_))));
        put(&mut flat, &mut premises, out);
        for own in &parts {
            if let Part::Tree(child) = own {
                bussproofs(child, out);
                premises += 1;
            }
        }
    } else {
        for own in parts {
            match own {
                Part::Tree(child) => {
                    put(&mut flat, &mut premises, out);
                    bussproofs(child, out);
                    premises += 1;
                }
                own => flat.push(own),
            }
        }
        put(&mut flat, &mut premises, out);
    }
    if premises == 0 {
        out.push_str("\\AxiomC{}\n");
    }
    let infer = ["Unary", "Unary", "Binary", "Trinary", "Quaternary", "Quinary"];
    let infer = infer.get(premises).unwrap_or(&"Quinary");
    if tree.stopped {
        out.push_str("\\dashedLine\n");
    }
    let _ = writeln!(out, "\\RightLabel{{\\scriptsize {}}}", tree.rule);
    let _ = writeln!(out, "\\{infer}InfC{{${}$}}", lines(&tree.conclusion));
}

/// A paragraph of text, broken into lines.
fn paragraph(text: &[Piece], columns: usize, out: &mut String) {
    for own in wrap(text, columns, usize::MAX) {
        let _ = writeln!(out, "\\noindent ${}$\\par", line(&own));
    }
}

/// A document that LaTeX compiles, upright or across, as its trees are wide. Subtrees that do not fit
/// a line of its page have names, and stand below.
pub fn latex(drawing: &Drawing, style: Style) -> String {
    let trees = if style == Style::Bussproofs { 3 } else { usize::MAX };
    let whole = sheet(drawing, Page { width: ACROSS.0, height: ACROSS.1, trees });
    let upright = whole.figures.iter().all(|figure| figure.tree.width <= UPRIGHT.0);
    let (page, option, columns, figures) = match upright {
        true => {
            let page = Page { width: UPRIGHT.0, height: UPRIGHT.1, trees };
            ("a4paper", "portrait", UPRIGHT.0, sheet(drawing, page).figures)
        }
        false => ("a4paper,landscape", "landscape", ACROSS.0, whole.figures),
    };
    // Names of rules are no small capitals.
    let names = "\\def\\TirNameStyle#1{\\normalfont\\scriptsize#1}";
    let (package, own, installed) = match style {
        Style::Mathpartir => ("mathpartir", include_str!("mathpartir.tex"), names),
        Style::Bussproofs => ("bussproofs", include_str!("bussproofs.tex"), ""),
    };
    let rule = include_str!("rule.tex");
    let mut out = format!(
        "\\documentclass[{page}]{{article}}\n\\usepackage[{option},margin=15mm]{{geometry}}\n\
         \\usepackage{{amsmath,amssymb,color,graphicx}}\n\\newif\\ifinstalled\n\
         \\IfFileExists{{{package}.sty}}{{\\installedtrue}}{{\\installedfalse}}\n\
         \\ifinstalled\\usepackage{{{package}}}{installed}\\else\n{rule}{own}\\fi\n"
    );
    out.push_str(
        "\\newcommand{\\stacked}[1]{\\vcenter{\\normalbaselines\\ialign{\\hfil$##$\\hfil\\cr#1\\crcr}}}\n\
         \\newsavebox{\\derivation}\n\
         % As large as it is, or as the page allows.\n\
         % No package breaks lines in it: they are broken already.\n\
         \\newcommand{\\fit}[1]{\\sbox{\\derivation}{\\hsize=\\maxdimen\\linewidth=\\hsize#1}\\par\\smallskip\\noindent\n\
         \\ifdim\\wd\\derivation>\\linewidth\\resizebox{\\linewidth}{!}{\\usebox{\\derivation}}%\n\
         \\else\\ifdim\\ht\\derivation>0.95\\textheight\\resizebox{!}{0.9\\textheight}{\\usebox{\\derivation}}%\n\
         \\else\\usebox{\\derivation}\\fi\\fi\\par\\medskip}\n\
         \\begin{document}\\footnotesize\\pagestyle{plain}\n",
    );
    paragraph(&[code(&drawing.title)], columns, &mut out);
    for figure in &figures {
        if let Some(number) = figure.name {
            let about = match &figure.threads {
                Some(threads) => format!(", for every thread ${THREAD} = {}$", math(threads)),
                None => String::new(),
            };
            let threads =
                if figure.threads.is_some() { format!("({THREAD})") } else { String::new() };
            let _ = writeln!(
                out,
                "\\par\\noindent $\\mathcal{{D}}_{{{number}}}{threads}${about}:\\nopagebreak"
            );
        }
        match style {
            Style::Mathpartir => {
                out.push_str("\\fit{$\n");
                mathpartir(&figure.tree, 0, &mut out);
                out.push_str("$}\n");
            }
            Style::Bussproofs => {
                out.push_str("\\fit{%\n");
                bussproofs(&figure.tree, &mut out);
                out.push_str("\\DisplayProof}\n");
            }
        }
    }
    for (name, meaning) in &drawing.legend {
        paragraph(&equation(name, meaning), columns, &mut out);
    }
    for note in &drawing.notes {
        paragraph(&[code(note)], columns, &mut out);
    }
    out.push_str("\\end{document}\n");
    settled(&out, drawing)
}
