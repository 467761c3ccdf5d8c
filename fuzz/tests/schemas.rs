//! The schema of disagreements in the folder `schemas` is that of the code. To write it anew:
//! `BABYCUDA_WRITE_SCHEMAS=1 cargo test -p babycuda-fuzz --features schema --test schemas`.

#![cfg(feature = "schema")]

use babycuda_fuzz::folder::Disagreement;
use std::path::Path;

#[test]
fn the_schema_of_disagreements_in_the_repository_is_current() {
    let schema = babycuda_core::json::schema::<Disagreement>();
    let text = serde_json::to_string_pretty(&schema).expect("a document") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/fuzz-finding.json");
    if std::env::var_os("BABYCUDA_WRITE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("the folder of schemas can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} is stale: see the head of this test", path.display());
}
