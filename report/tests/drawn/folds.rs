//! A page folds: real controls, a first view that is small, and every part reached once.

use super::{FIGURE_3, MANY, card, drawn, drawn_type};
use babycuda_report::derivation as render;
use std::collections::BTreeSet;

fn attributes<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let start = format!(" {name}=\"");
    page.split(&start).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[test]
fn every_node_folds_by_a_control_that_keys_reach() {
    let page = render::html(&drawn(FIGURE_3, 2));
    let nodes = page.matches("<div class=\"node\">").count();
    assert_eq!(page.matches("<details class=\"fold").count(), nodes);
    assert_eq!(page.matches("<summary ").count(), nodes);
    // What a control shows, and what describes it, is there.
    let ids: BTreeSet<&str> = attributes(&page, "id").into_iter().collect();
    let described = attributes(&page, "aria-describedby");
    assert_eq!(described.len(), nodes);
    assert!(described.iter().all(|id| ids.contains(id)));
    assert!(page.contains("aria-label=\"premises of thread/read\""));
    for (tag, end) in
        [("<div", "</div>"), ("<ol", "</ol>"), ("<li", "</li>"), ("<details", "</details>")]
    {
        assert_eq!(page.matches(tag).count(), page.matches(end).count(), "{tag}");
    }
}

#[test]
fn the_first_view_is_small() {
    let page = render::html(&drawn(MANY, 64));
    let main = page.split("<section id=\"d1\">").next().unwrap_or_default();
    let open = main.matches(" open").count();
    assert!((1..=12).contains(&open), "{open} are open");
}

#[test]
fn steps_are_numbered_once_and_without_a_gap() {
    for page in [render::html(&drawn(FIGURE_3, 2)), render::html(&drawn(MANY, 64))] {
        let mut steps: Vec<usize> =
            attributes(&page, "data-step").iter().map(|step| step.parse().unwrap()).collect();
        steps.sort_unstable();
        assert_eq!(steps, (0..steps.len()).collect::<Vec<_>>());
        // The last thing that is known is what the root says.
        let root = page.split("<details").nth(1).unwrap_or_default();
        assert!(root.contains(&format!("data-step=\"{}\"", steps.len() - 1)), "{root}");
    }
}

#[test]
fn shared_subtrees_stand_once_and_are_referred_to() {
    let twice = "A[tid] := 1; A[tid] := 1";
    let page = render::html(&drawn_type(&format!(
        "{twice}; if tid == 0 {{ {twice} }} else {{ {twice} }}"
    )));
    let links = attributes(&page, "href");
    let ids: BTreeSet<&str> = attributes(&page, "id").into_iter().collect();
    assert!(links.len() >= 2 && links.iter().all(|link| ids.contains(&link[1..])), "{links:?}");
    let nodes = page.matches("<div class=\"node\">").count();
    let different: BTreeSet<&str> = links.iter().copied().collect();
    assert!(different.len() < links.len(), "one is referred to twice");
    assert!(nodes < 15, "{nodes} nodes");
}

/// The rule as the ledger prints it, and what stands for its letters.
#[test]
fn a_node_says_its_rule_and_what_stands_for_its_letters() {
    let page = render::html(&drawn(FIGURE_3, 2));
    let card = card(&page, "thread/read").expect("a card of thread/read");
    for part in [
        "LCL22 Fig. 5, adapted",
        "premise 2: lastwrite(j, {i: (R, W)}::H) = k",
        " x := ",
        " j := ",
        " k := ",
        " B := ",
        " H := ",
    ] {
        assert!(card.contains(part), "{part}: {card}");
    }
}

/// Premises of a rule stand in as many lines as they need: none is cut off, and nothing scrolls aside.
#[test]
fn the_premises_of_a_rule_wrap() {
    let page = render::html(&drawn(FIGURE_3, 2));
    let mut rules = page.split("<div class=\"schema\">").map(|part| part.split("<p>").next());
    let schema = rules.find_map(|part| part.filter(|part| part.contains(">thread/for-2<")));
    let schema = schema.expect("the rule of a loop");
    assert_eq!(schema.matches("<span class=\"f\">").count(), 6, "{schema}");
    assert!(schema.contains("<sub>H,i</sub>") && !page.contains("<pre"), "{schema}");
    let style = page.split("</style>").next().unwrap_or_default();
    assert!(style.contains(".above { display: flex; flex-wrap: wrap;"), "{style}");
}

/// A panel stays until another rule is pointed at, so that the pointer can go to it.
#[test]
fn a_panel_stays_open() {
    let page = render::html(&drawn(FIGURE_3, 2));
    let style = page.split("</style>").next().unwrap_or_default();
    // Where there are scripts, one decides: what is pointed at does not.
    assert!(
        style.contains("body:not(.live) .fold:hover + .card") && !style.contains("\n.fold:hover")
    );
    let script = page.rsplit("<script>").next().unwrap_or_default();
    assert!(
        script.contains("classList.add('live')")
            && script.contains("event.target.closest('.card')")
    );
    assert!(!script.contains("pointerout") && !script.contains("pointerleave"));
}

/// The letter of threads that are drawn as one is no name of the program.
#[test]
fn the_letter_of_a_thread_is_none_of_the_program() {
    use babycuda_report::derivation::{Style, compact, html, latex, svg, tree};
    let of = |text: &str| drawn(text, 8);
    let usual = tree(&of("A[tid] := 1"), 200);
    assert!(usual.contains("A[i] := 1") && usual.contains("for every thread i = 0 … 7"), "{usual}");
    let taken = of("forU i in 0..2 { A[tid + 4 * i] := tid }");
    let text = tree(&taken, 200);
    assert!(text.contains("A[t + 4 * i] := t") && !text.contains("A[i + 4 * i]"), "{text}");
    let both = tree(&of("forU i in 0..2 { forU t in 0..2 { A[tid + 4 * i + t] := tid } }"), 200);
    assert!(both.contains("A[j + 4 * i + t] := j"), "{both}");
    // Also where the program has them all.
    let names: Vec<String> = ('a'..='z').map(String::from).collect();
    let loops: String = names.iter().map(|x| format!("forU {x} in 0..1 {{ ")).collect();
    let every = format!("{loops}A[tid + {}] := 1{}", names.join(" + "), "}".repeat(names.len()));
    let every = tree(&of(&every), 400);
    assert!(every.contains("A[i1 + a + b"), "{every}");
    let all =
        [html(&taken), svg(&taken, 794), latex(&taken, Style::Mathpartir), compact(&taken), text];
    for text in all {
        assert!(
            !text.contains('\u{e000}') && !text.contains("U+E000") && !text.contains("UE000"),
            "{text}"
        );
    }
}

/// A node that stands in several places has an id of its own in each.
#[test]
fn ids_are_unique() {
    for drawing in [drawn_type("threads 2; A[0] := 1; A[0] := 2"), super::drawn_map("sync", 2)] {
        let page = babycuda_report::derivation::html(&drawing);
        let ids: Vec<&str> =
            page.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let distinct: std::collections::BTreeSet<&&str> = ids.iter().collect();
        assert_eq!(ids.len(), distinct.len(), "{ids:?}");
        for target in
            page.split("aria-controls=\"").skip(1).filter_map(|rest| rest.split('"').next())
        {
            assert!(ids.contains(&target), "{target}");
        }
    }
}
