//! Mutants of syntax trees, by way of their JSON: whatever the readers let through is a tree.

use crate::mutate::Noise;
use crate::pipeline::Subject;
use babycuda_core::Program;
use babycuda_core::json::{from_json, to_json};
use babycuda_core::syntax::MapFile;
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{Profile, map_file, program};
use serde_json::{Value, json};

/// The keys and positions on the way to a node.
type Way = Vec<String>;

/// The nodes below `value` with the names under which they stand.
fn nodes(value: &Value, way: &mut Way, found: &mut Vec<Way>) {
    let mut visit = |key: &str, child: &Value| {
        way.push(key.to_owned());
        found.push(way.clone());
        nodes(child, way, found);
        way.pop();
    };
    match value {
        Value::Object(entries) => entries.iter().for_each(|(key, child)| visit(key, child)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, child)| visit(&i.to_string(), child));
        }
        _ => {}
    }
}

fn at<'v>(value: &'v mut Value, way: &[String]) -> Option<&'v mut Value> {
    way.iter().try_fold(value, |value, key| match value {
        Value::Object(entries) => entries.get_mut(key),
        Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        _ => None,
    })
}

/// One mutation of `document`; `other` lends parts.
fn mutate(noise: &mut Noise, document: &mut Value, other: &mut Value) {
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    nodes(document, &mut Vec::new(), &mut ours);
    nodes(other, &mut Vec::new(), &mut theirs);
    let way = noise.pick(&ours).clone();
    let key = way.last().cloned().unwrap_or_default();
    let alike: Vec<&Way> = theirs.iter().filter(|w| w.last() == Some(&key)).collect();
    let lent = match alike.as_slice() {
        [] => None,
        alike => {
            let way: &Way = alike[noise.below(alike.len())];
            at(other, way).map(|v| v.clone())
        }
    };
    let is_leaf = |v: &Value| !v.is_object() && !v.is_array();
    let huge = "9".repeat(*noise.pick(&[10, 20, 400, 5000]));
    let times = *noise.pick(&[1, 5, 40, 150]);
    let Some(node) = at(document, &way) else { return };
    match noise.below(6) {
        0..=2 => *node = lent.unwrap_or_else(|| json!("skip")),
        3 if node.is_number() => *node = Value::String(huge),
        3 if is_leaf(node) => *node = lent.unwrap_or(Value::Null),
        // An expression, many times around itself.
        3 | 4 => {
            let around: &[fn(Value) -> Value] = &[
                |n| json!({"binary": ["*", n, {"var": "tid"}]}),
                |n| json!({"binary": ["add.i32", n.clone(), {"lit": 1}]}),
                |n| json!({"select": [{"compare": ["<", n, {"lit": 7}]}, {"lit": 0}, {"var": "tid"}]}),
                |n| json!({"cast": ["i64", "u8", n]}),
                |n| json!({"not": n}),
                |n| json!({"seq": [n, {"sync": {"site": 0}}]}),
                |n| {
                    json!({"for": {"site": 1, "sort": "S", "var": "i", "lower": {"lit": 0},
                    "upper": {"lit": 2}, "body": n}})
                },
                |n| {
                    json!({"if": {"site": 2, "condition": {"lit": true}, "then": n,
                    "otherwise": "skip"}})
                },
            ];
            let around = noise.pick(around);
            for _ in 0..times {
                *node = around(node.take());
            }
        }
        // A statement within itself.
        _ => {
            let copy = node.clone();
            let mut inner = Vec::new();
            nodes(node, &mut Vec::new(), &mut inner);
            inner.retain(|w| w.last() == Some(&key));
            if let Some(place) = inner.first().and_then(|way| at(node, way)) {
                *place = copy;
            }
        }
    }
}

/// A mutant that is a tree again; after some trials, what was to be mutated.
pub fn tree(noise: &mut Noise) -> Subject {
    let (numbers, more) = (noise.numbers(), noise.numbers());
    let (mut choices, mut others) = (Choices::new(&numbers), Choices::new(&more));
    if noise.below(4) == 0 {
        let map = map_file(&mut choices, Profile::ANY);
        let other = map_file(&mut others, Profile::ANY);
        Subject::MapTree(Box::new(mutant::<MapFile>(noise, map, &other)))
    } else {
        let ours = program(&mut choices, Profile::ANY);
        let other = program(&mut others, Profile::ANY);
        Subject::ProgramTree(Box::new(mutant::<Program>(noise, ours, &other)))
    }
}

/// A mutant of a document, whose content may be none of its format.
pub fn document(noise: &mut Noise, text: &str) -> String {
    let Ok(mut document) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let mut other = document["content"].clone();
    for _ in 0..=noise.below(2) {
        mutate(noise, &mut document["content"], &mut other);
    }
    document.to_string()
}

fn mutant<T: babycuda_core::json::Format>(noise: &mut Noise, ours: T, other: &T) -> T {
    let read = |value: &T| serde_json::from_str::<Value>(&to_json(value).unwrap()).unwrap();
    let (original, mut other) = (read(&ours), read(other));
    for _ in 0..8 {
        let mut document = original.clone();
        for _ in 0..=noise.below(2) {
            mutate(noise, &mut document["content"], &mut other["content"]);
        }
        if let Ok(tree) = from_json(&document.to_string()) {
            return tree;
        }
    }
    ours
}
