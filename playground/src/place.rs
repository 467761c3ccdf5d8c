//! Places in a text as a page counts them: in units of UTF-16.

use babycuda_core::Span;
use serde_json::{Value, json};

/// Where in the text; `null` for no place.
pub(crate) fn place(text: &str, span: Option<Span>) -> Value {
    let Some(span) = span else { return Value::Null };
    let units = |end: usize| {
        let before = text.get(..end).unwrap_or(text);
        before.encode_utf16().count()
    };
    json!({ "from": units(span.start), "to": units(span.end), "line": span.line, "column": span.column })
}
