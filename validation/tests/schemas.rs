//! The schemas of recordings and results in the folder `schemas` are those of the code. To write them anew:
//! `BABYCUDA_WRITE_SCHEMAS=1 cargo test -p babycuda-validation --features schema --test schemas`.

#![cfg(feature = "schema")]

use babycuda_core::json::schema;
use babycuda_validation::recording::Recording;
use babycuda_validation::results::{Campaign, Kernels, Litmus};
use std::path::Path;

#[test]
fn the_schemas_in_the_repository_are_current() {
    for (name, schema) in [
        ("device-recording", schema::<Recording>()),
        ("validation-campaign", schema::<Campaign>()),
        ("validation-kernels", schema::<Kernels>()),
        ("validation-litmus", schema::<Litmus>()),
    ] {
        let text = serde_json::to_string_pretty(&schema).expect("a document") + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../schemas/{name}.json"));
        if std::env::var_os("BABYCUDA_WRITE_SCHEMAS").is_some() {
            std::fs::write(&path, &text).expect("the folder of schemas can be written");
        }
        let found = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(found == text, "{} is stale: see the head of this test", path.display());
    }
}
