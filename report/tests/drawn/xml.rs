//! A reader of XML that is strict: what it accepts is well-formed.

/// Names and values.
type Attributes = Vec<(String, String)>;

/// The elements of a document, each with its attributes, in order; panics where it is not well-formed.
pub(crate) fn elements(text: &str) -> Vec<(String, Attributes)> {
    let mut all: Vec<(String, Attributes)> = vec![];
    let mut open: Vec<String> = vec![];
    let mut rest = text.trim_start();
    let mut roots = 0;
    while !rest.is_empty() {
        let Some(start) = rest.find('<') else {
            assert!(rest.trim().is_empty(), "text behind the end: {rest}");
            break;
        };
        content(&rest[..start]);
        assert!(!open.is_empty() || rest[..start].trim().is_empty(), "text outside");
        let end = rest.find('>').unwrap_or_else(|| panic!("no end: {}", &rest[start..]));
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let empty = tag.ends_with('/');
        let tag = tag.trim_end_matches('/');
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(name.chars().all(char::is_alphanumeric), "<{name}>");
        roots += usize::from(open.is_empty());
        all.push((name.to_owned(), pairs(attributes)));
        if !empty {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty() && roots == 1, "{open:?}, {roots} roots");
    all
}

fn pairs(mut text: &str) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    while !text.trim_start().is_empty() {
        let (name, rest) = text.trim_start().split_once("=\"").expect("an attribute");
        let (value, rest) = rest.split_once('"').expect("an end");
        content(value);
        assert!(!value.contains('<') && all.iter().all(|(known, _)| known != name), "{name}");
        all.push((name.to_owned(), value.to_owned()));
        text = rest;
    }
    all
}

/// Only entities that XML has, and no characters that it has not.
fn content(text: &str) {
    for part in text.split('&').skip(1) {
        let (entity, _) = part.split_once(';').unwrap_or_else(|| panic!("a bare &: {part}"));
        assert!(["amp", "lt", "gt", "quot", "#39"].contains(&entity), "&{entity};");
    }
    assert!(text.chars().all(|c| !c.is_control() || c == '\n'), "{text:?}");
}

/// The value of an attribute as a number.
pub(crate) fn number(attributes: &[(String, String)], name: &str) -> f64 {
    let value = attributes.iter().find(|(known, _)| known == name);
    value.unwrap_or_else(|| panic!("no {name}")).1.parse().expect("a number")
}
