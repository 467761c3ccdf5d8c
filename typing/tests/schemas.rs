//! The schema of derivations of types in the folder `schemas` is that of the code. To write it anew:
//! `BABYCUDA_WRITE_SCHEMAS=1 cargo test -p babycuda-typing --features schema --test schemas`.

#![cfg(feature = "schema")]

use std::fs;
use std::path::Path;

#[test]
fn the_schema_of_type_derivations_in_the_repository_is_current() {
    let text = serde_json::to_string_pretty(&babycuda_typing::schema())
        .unwrap_or_else(|e| panic!("{e}"))
        + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/type-derivation.json");
    if std::env::var_os("BABYCUDA_WRITE_SCHEMAS").is_some() {
        fs::write(&path, &text).unwrap_or_else(|e| panic!("{e}"));
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} is stale: see the head of this test", path.display());
}
