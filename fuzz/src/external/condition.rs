//! What is looked for in the output of a command: a text, or a value in a JSON document.

use serde_json::{Deserializer, Value};
use std::str::FromStr;

/// How a condition on JSON begins.
const JSON: &str = "json:";

/// What is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Condition {
    /// A text.
    Text(String),
    /// `json:/pointer=value`, or `!=`: what stands there in a document, and whether it is to be the value.
    Json { pointer: String, equal: bool, value: String },
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let Some(condition) = text.strip_prefix(JSON) else {
            return Ok(Condition::Text(text.to_owned()));
        };
        let parts = condition.split_once('=').filter(|_| condition.starts_with('/'));
        let Some((pointer, value)) = parts else {
            return Err(format!("{text} is not json:/place=value or json:/place!=value"));
        };
        let (pointer, equal) = match pointer.strip_suffix('!') {
            Some(pointer) => (pointer, false),
            None => (pointer, true),
        };
        if pointer.split('~').skip(1).any(|rest| !rest.starts_with(['0', '1'])) {
            return Err(format!(
                "{text}: in a pointer `~` stands as `~0`, and `/` in a name as `~1`"
            ));
        }
        let (pointer, value) = (pointer.to_owned(), value.to_owned());
        Ok(Condition::Json { pointer, equal, value })
    }
}

impl Condition {
    /// Is it so in the output? `None`: no document there has the place. Of several, one is enough of which it is so.
    pub(super) fn holds(&self, output: &str) -> Option<bool> {
        match self {
            Condition::Text(text) => Some(output.contains(text)),
            Condition::Json { pointer, equal, value } => {
                let found = documents(output);
                let found = found.iter().filter_map(|document| document.pointer(pointer));
                found.map(|found| is(found, value) == *equal).reduce(|one, other| one || other)
            }
        }
    }
}

/// Is it the value, as JSON writes it or as a text without quotes? Numbers are compared as such: 1 is 1.0.
fn is(found: &Value, value: &str) -> bool {
    let number = |wanted: &Value| match (found, wanted) {
        (Value::Number(found), Value::Number(wanted)) if found.is_f64() || wanted.is_f64() => {
            found.as_f64() == wanted.as_f64()
        }
        _ => false,
    };
    let same = |wanted: Value| wanted == *found || number(&wanted);
    found.as_str() == Some(value) || serde_json::from_str(value).is_ok_and(same)
}

/// The objects and arrays of the output: each begins a line, and may be followed by other words.
fn documents(output: &str) -> Vec<Value> {
    let (mut all, mut rest) = (Vec::new(), output);
    while !rest.is_empty() {
        let mut read = 0;
        if rest.trim_start().starts_with(['{', '[']) {
            let mut stream = Deserializer::from_str(rest).into_iter();
            if let Some(Ok(document)) = stream.next() {
                all.push(document);
                read = stream.byte_offset();
            }
        }
        // The rest of the line where it ends is no beginning of one.
        let line = rest[read..].find('\n').map_or(rest.len(), |end| read + end + 1);
        rest = &rest[line..];
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(condition: &str, output: &str) -> Option<bool> {
        condition.parse::<Condition>().expect(condition).holds(output)
    }

    #[test]
    fn values_are_found_in_documents() {
        let output = "warming up {\n{\n  \"verdict\": \"racy\",\n  \"races\": [{\"cell\": 3}], \"ok\": true\n} done\nlog\n";
        for (condition, expected) in [
            ("json:/verdict=racy", Some(true)),
            ("json:/verdict=\"racy\"", Some(true)),
            ("json:/verdict!=racy", Some(false)),
            ("json:/verdict=drf", Some(false)),
            ("json:/races/0/cell=3", Some(true)),
            ("json:/races!=[]", Some(true)),
            ("json:/ok=true", Some(true)),
            ("json:/races/0/cell=3.0", Some(true)),
            ("json:/races/0/cell!=3e0", Some(false)),
            ("json:/nowhere=1", None),
            ("json:/nowhere!=1", None),
            ("racy", Some(true)),
            ("divergent", Some(false)),
        ] {
            assert_eq!(holds(condition, output), expected, "{condition}");
        }
        // One document a line, after what is none.
        let lines = "{\"k\": \"drf\"}\n{\"k\": \"racy\"}\n[1]\n{\"k\"";
        assert_eq!(holds("json:/k=racy", lines), Some(true));
        assert_eq!(holds("json:/k=other", lines), Some(false));
        assert_eq!(holds("json:/k=racy", "k: racy"), None);
        assert_eq!(holds("json:/0=1", lines), Some(true));
        assert_eq!(holds("json:/k=racy", &"[".repeat(1 << 20)), None);
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for wrong in ["json:", "json:verdict=racy", "json:/verdict"] {
            assert!(wrong.parse::<Condition>().is_err_and(|why| why.contains(wrong)), "{wrong}");
        }
        assert_eq!("json".parse(), Ok(Condition::Text("json".into())));
    }
}
