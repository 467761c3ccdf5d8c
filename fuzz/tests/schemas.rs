//! The schemas of disagreements and of campaigns in the folder `schemas` are those of the code. To write them anew:
//! `BABYCUDA_WRITE_SCHEMAS=1 cargo test -p babycuda-fuzz --features schema --test schemas`.

#![cfg(feature = "schema")]

use babycuda_campaign::State;
use babycuda_core::json::{from_json, schema, to_json};
use babycuda_fuzz::Found;
use babycuda_fuzz::folder::Disagreement;
use babycuda_gpu::BackendName;
use babycuda_validation::campaign::{self, Found as FoundOnDevices};
use babycuda_validation::watched::Open;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};

fn is_current(name: &str, schema: &schemars::Schema) {
    let text = serde_json::to_string_pretty(schema).expect("a document") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas").join(name);
    if std::env::var_os("BABYCUDA_WRITE_SCHEMAS").is_some() {
        std::fs::write(&path, &text).expect("the folder of schemas can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{} is stale: see the head of this test", path.display());
}

#[test]
fn the_schema_of_disagreements_in_the_repository_is_current() {
    is_current("fuzz-finding.json", &schema::<Disagreement>());
}

/// What a campaign found: of `babycuda fuzz`, or of `babycuda-validation campaign`.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "FoundOfEither")]
#[serde(untagged)]
enum Either {
    Tools(Found),
    Devices(FoundOnDevices),
}

#[test]
fn the_schema_of_campaigns_in_the_repository_is_current() {
    is_current("campaign.json", &schema::<State<Either>>());
}

/// What both programs write is as described.
#[test]
fn campaigns_are_as_described() {
    let (mut schemas, mut compiler) = (boon::Schemas::new(), boon::Compiler::new());
    let described = schema::<State<Either>>().to_value();
    compiler.add_resource("campaign.json", described).expect("a resource");
    let index = compiler.compile("campaign.json", &mut schemas).expect("a schema");
    let admitted = |text: &str| {
        let document: Value = serde_json::from_str(text).expect("JSON");
        schemas.validate(&document, index).map_err(|e| format!("{e:#}")).map(|()| document)
    };
    let plan = campaign::Plan::of(40);
    let written = Mutex::new(String::new());
    let open: Open = Arc::new(|| babycuda_gpu::open(BackendName::Sim, 1));
    let after = |state: &State<FoundOnDevices>| {
        *written.lock().expect("no panic before") = to_json(state).expect("a document");
    };
    campaign::run(&plan, &open, State::new(&plan.programs), &after).expect("a simulator");
    let written = written.into_inner().expect("no panic");
    let mut document = admitted(&written).unwrap_or_else(|e| panic!("{e}\n{written}"));
    let finding = json!({ "number": 3, "claim": "overflow-is-reported", "why": "so", "times": 1 });
    document["content"]["found"]["failures"] = json!([[3, finding]]);
    let text = document.to_string();
    admitted(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let read: State<FoundOnDevices> = from_json(&text).expect("a campaign");
    assert_eq!(to_json(&read).map(|again| admitted(&again).is_ok()).ok(), Some(true));
    for (from, to) in
        [("\"done\"", "\"undone\""), ("\"tally\"", "\"all\""), ("\"version\":1", "\"version\":2")]
    {
        let other = text.replacen(from, to, 1);
        assert!(other != text && admitted(&other).is_err(), "{to}");
        assert!(from_json::<State<FoundOnDevices>>(&other).is_err(), "{to}");
    }
}
