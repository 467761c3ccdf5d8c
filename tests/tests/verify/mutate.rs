//! Documents with one place changed.

use babycuda_testkit::Choices;
use serde_json::Value;

/// Texts that stand for texts.
const WORDS: [&str; 20] = [
    "thread/read",
    "thread/write",
    "thread/skip",
    "thread/for-1",
    "thread/seq",
    "block/ends",
    "barrier/block",
    "map/skip",
    "map/seq",
    "map/for-1",
    "type/t-skip",
    "type/t-read",
    "A",
    "B",
    "x",
    "tid",
    "A[0]",
    "B[1]",
    "+",
    "<",
];

/// Changes the document in one place, wherever `choices` say; `false`: nothing was changed.
pub fn mutate(document: &mut Value, choices: &mut Choices<'_>) -> bool {
    let places = count(document);
    let mut place = choices.below(places);
    let other = nth(document, &mut choices.below(places)).cloned();
    let Some(value) = nth_mut(document, &mut place) else { return false };
    let before = value.clone();
    change(value, other, choices);
    *value != before
}

fn change(value: &mut Value, other: Option<Value>, choices: &mut Choices<'_>) {
    // Anything may be replaced by what stands elsewhere.
    if choices.chance(1, 6) {
        *value = other.unwrap_or_default();
        return;
    }
    match value {
        Value::Null => *value = [0.into(), Value::Bool(true), "A".into()][choices.below(3)].clone(),
        Value::Bool(b) => *b = !*b,
        Value::Number(n) => {
            let n = n.as_u64().unwrap_or(0);
            let near = [n.wrapping_add(1), n.saturating_sub(1), 0, n.wrapping_mul(2), 7, u64::MAX];
            *value = near[choices.below(near.len())].into();
        }
        Value::String(s) => {
            *s = match choices.chance(1, 4) {
                true => format!("{s}0"),
                false => WORDS[choices.below(WORDS.len())].to_owned(),
            }
        }
        Value::Array(items) if items.is_empty() => items.push(other.unwrap_or_default()),
        Value::Array(items) => {
            let (i, j) = (choices.below(items.len()), choices.below(items.len()));
            match choices.below(4) {
                0 => drop(items.remove(i)),
                1 => items.insert(i, items[j].clone()),
                2 => items.swap(i, j),
                _ => items[i] = items[j].clone(),
            }
        }
        Value::Object(entries) => {
            let keys: Vec<String> = entries.keys().cloned().collect();
            let Some(key) = keys.get(choices.below(keys.len().max(1))) else { return };
            let found = entries.remove(key).unwrap_or_default();
            match choices.below(3) {
                0 => {}
                1 => drop(entries.insert(format!("{key}x"), found)),
                _ => {
                    let second = &keys[choices.below(keys.len())];
                    if let Some(second) = entries.insert(second.clone(), found) {
                        entries.insert(key.clone(), second);
                    }
                }
            }
        }
    }
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(entries) => entries.values().collect(),
        _ => Vec::new(),
    }
}

fn count(value: &Value) -> usize {
    1 + children(value).into_iter().map(count).sum::<usize>()
}

fn nth<'a>(value: &'a Value, place: &mut usize) -> Option<&'a Value> {
    if *place == 0 {
        return Some(value);
    }
    *place -= 1;
    children(value).into_iter().find_map(|child| nth(child, place))
}

fn nth_mut<'a>(value: &'a mut Value, place: &mut usize) -> Option<&'a mut Value> {
    if *place == 0 {
        return Some(value);
    }
    *place -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|child| nth_mut(child, place)),
        Value::Object(entries) => entries.values_mut().find_map(|child| nth_mut(child, place)),
        _ => None,
    }
}
