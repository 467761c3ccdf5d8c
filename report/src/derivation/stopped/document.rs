//! A derivation that there is not, for programs.

use super::super::drawing::{Drawing, Given, Node, Premise};
use super::super::formula::{Formula, plain, text_of};
use super::super::letter::settled;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The document of a tree that stops: `schemas/stopped-derivation.json` describes it. Premises stand
/// before what they are premises of, as in the documents of derivations, and formulas are text.
///
/// The drawing is one in full; `judgment` is `run`, `type` or `map`, `kernel` the name of what has no
/// derivation, and `why` the reason.
pub fn stopped_document(drawing: &Drawing, judgment: &str, kernel: &str, why: &str) -> String {
    let order = drawing.bottom_up();
    let mut places = vec![0; drawing.nodes.len()];
    for (place, node) in order.iter().enumerate() {
        places[*node] = place;
    }
    let nodes: Vec<Value> = order.iter().map(|n| node(&drawing.nodes[*n], &places)).collect();
    let meaning = |(name, meaning): &(String, Formula)| (name.clone(), text_of(meaning));
    let names = drawing.legend.iter().map(meaning).collect();
    let content = Content { judgment, kernel, why, nodes, names };
    let document = Document { format: "babycuda/stopped-derivation", version: 1, content };
    // Text and lists can always be written.
    settled(&serde_json::to_string(&document).unwrap_or_default(), drawing)
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u32,
    content: Content<'a>,
}

#[derive(Serialize)]
struct Content<'a> {
    judgment: &'a str,
    kernel: &'a str,
    why: &'a str,
    nodes: Vec<Value>,
    names: BTreeMap<String, String>,
}

fn node(node: &Node, places: &[usize]) -> Value {
    let premises: Vec<Value> = node.premises.iter().map(|p| premise(p, places)).collect();
    json!({
        "rule": node.rule.id,
        "conclusion": plain(&node.conclusion),
        "stopped": node.stopped,
        "premises": premises,
    })
}

fn premise(Premise { number, given }: &Premise, places: &[usize]) -> Value {
    match given {
        Given::Side(formula) => json!({ "premise": number, "holds": plain(formula) }),
        Given::Derived(child, None) => json!({ "premise": number, "derived": places[*child] }),
        Given::Derived(child, Some(thread)) => {
            json!({ "premise": number, "derived": places[*child], "thread": thread })
        }
        Given::Family(child, threads) => {
            json!({ "premise": number, "derived": places[*child], "threads": threads })
        }
        Given::Fails(formula, why) => {
            json!({ "premise": number, "fails": plain(formula), "why": why })
        }
        Given::Unseen(formula) => json!({ "premise": number, "not_reached": plain(formula) }),
        Given::Omitted(count) => json!({ "premise": number, "omitted": count }),
    }
}
