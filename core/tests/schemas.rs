//! The schemas in the folder `schemas` are those of the code. To write them anew:
//! `BABYCUDA_WRITE_SCHEMAS=1 cargo test -p babycuda-core --features schema --test schemas`.

#![cfg(feature = "schema")]

use babycuda_core::json::{FORMATS, schemas};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../schemas")
}

#[test]
fn the_schemas_in_the_repository_are_current() {
    let write = std::env::var_os("BABYCUDA_WRITE_SCHEMAS").is_some();
    for (name, schema) in schemas() {
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = folder().join(format!("{name}.json"));
        if write {
            fs::write(&path, &text).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(found == text, "{} is stale: see the head of this test", path.display());
    }
}

#[test]
fn every_format_has_a_schema_that_names_it() {
    let names: Vec<&str> = schemas().iter().map(|(name, _)| *name).collect();
    assert_eq!(names, FORMATS);
    for (name, schema) in schemas() {
        let properties = &schema.as_value()["properties"];
        assert_eq!(properties["format"]["const"], format!("babycuda/{name}"));
        assert_eq!(properties["version"]["const"], 1);
    }
}

/// A schema must describe what is written: every property of a document is in the schema.
#[test]
fn every_definition_is_used_and_defined() {
    for (name, schema) in schemas() {
        let text = schema.as_value().to_string();
        let referred: BTreeSet<&str> =
            text.split("\"#/$defs/").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        let defined = schema.as_value()["$defs"]
            .as_object()
            .map(|defs| defs.keys().map(String::as_str).collect::<BTreeSet<_>>());
        assert_eq!(Some(referred), defined, "{name}");
    }
}
