//! JSON documents: written and read back they are the same, and they fit the schemas of the
//! repository.

use babycuda_core::history::HostArray;
use babycuda_core::json::{Format, JsonError, from_json, to_json};
use babycuda_core::parse::{parse_program, parse_stmt};
use babycuda_core::syntax::Scope;
use babycuda_core::trace::{Event, Trace};
use babycuda_core::{
    AccessMode, Cell, History, HostMemory, Launch, Name, Natural, Program, Protocol, Site, Stmt,
    Thread,
};
use babycuda_semantics::{Instance, Policy, RunOptions};
use babycuda_testkit::Choices;
use babycuda_testkit::generators::{
    Profile, host_memory, map_file, program, raw_name, raw_program, raw_protocol, raw_stmt,
    strategy,
};
use proptest::prelude::*;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// The part of JSON Schema that the schemas of the repository use.
struct Schema {
    root: Value,
}

impl Schema {
    fn of<T: Format>() -> Schema {
        let name = T::NAME.trim_start_matches("babycuda/");
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas");
        let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a schema");
        Schema { root: serde_json::from_str(&text).expect("a schema is JSON") }
    }

    fn admits(&self, schema: &Value, value: &Value) -> bool {
        let Some(schema) = schema.as_object() else { return schema.as_bool() == Some(true) };
        schema.iter().all(|(keyword, expected)| self.keyword(schema, keyword, expected, value))
    }

    fn keyword(
        &self,
        schema: &serde_json::Map<String, Value>,
        keyword: &str,
        expected: &Value,
        value: &Value,
    ) -> bool {
        let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
        match keyword {
            "$ref" => {
                let path = expected.as_str().unwrap_or_default().trim_start_matches('#');
                self.root.pointer(path).is_some_and(|target| self.admits(target, value))
            }
            "type" if expected.is_array() => {
                list(expected).iter().any(|one| self.keyword(schema, "type", one, value))
            }
            "type" => match expected.as_str() {
                Some("object") => value.is_object(),
                Some("array") => value.is_array(),
                Some("string") => value.is_string(),
                Some("integer") => value.is_u64() || value.is_i64(),
                Some("boolean") => value.is_boolean(),
                Some("null") => value.is_null(),
                _ => false,
            },
            "const" => expected == value,
            "enum" => list(expected).contains(value),
            "anyOf" => list(expected).iter().any(|s| self.admits(s, value)),
            "oneOf" => list(expected).iter().filter(|s| self.admits(s, value)).count() == 1,
            "allOf" => list(expected).iter().all(|s| self.admits(s, value)),
            "required" => list(expected)
                .iter()
                .all(|name| name.as_str().is_some_and(|name| value.get(name).is_some())),
            "properties" => expected.as_object().is_some_and(|properties| {
                properties.iter().all(|(name, s)| value.get(name).is_none_or(|v| self.admits(s, v)))
            }),
            "additionalProperties" => {
                let known = schema.get("properties").and_then(Value::as_object);
                value.as_object().is_none_or(|object| {
                    object
                        .iter()
                        .filter(|(name, _)| known.is_none_or(|k| !k.contains_key(*name)))
                        .filter(|(name, _)| {
                            !(schema.contains_key("patternProperties") && number(name))
                        })
                        .all(|(_, v)| self.admits(expected, v))
                })
            }
            // The only pattern for keys in use is that of numbers.
            "patternProperties" => value.as_object().is_none_or(|object| {
                let numbered = object.iter().filter(|(name, _)| number(name));
                numbered.into_iter().all(|(_, v)| self.admits(&expected[r"^\d+$"], v))
            }),
            "items" => value.as_array().is_none_or(|items| {
                let skipped = schema.get("prefixItems").map_or(0, |p| list(p).len());
                items.iter().skip(skipped).all(|v| self.admits(expected, v))
            }),
            "prefixItems" => value.as_array().is_none_or(|items| {
                list(expected).iter().zip(items).all(|(s, v)| self.admits(s, v))
            }),
            "minItems" => value.as_array().is_none_or(|v| v.len() as u64 >= as_u64(expected)),
            "maxItems" => value.as_array().is_none_or(|v| v.len() as u64 <= as_u64(expected)),
            "minimum" => value.as_u64().is_none_or(|v| v >= as_u64(expected)),
            "maximum" => value.as_u64().is_none_or(|v| v <= as_u64(expected)),
            // What only describes, or restricts texts and keys further.
            "$schema" | "$defs" | "title" | "description" | "format" | "default" | "pattern"
            | "uniqueItems" | "propertyNames" => true,
            other => panic!("the schemas use {other}, which this test does not know"),
        }
    }
}

fn number(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(|b| b.is_ascii_digit())
}

fn as_u64(value: &Value) -> u64 {
    value.as_u64().unwrap_or_default()
}

/// Written and read back, `content` is the same; and its document fits the schema.
fn check<T: Format + PartialEq + std::fmt::Debug>(schema: &Schema, content: &T) {
    let text = to_json(content).expect("can be written");
    assert_eq!(&from_json::<T>(&text).expect("can be read"), content);
    let value: Value = serde_json::from_str(&text).expect("is JSON");
    assert!(schema.admits(&schema.root, &value), "does not fit the schema: {text}");
}

fn for_random<T: Format + PartialEq + std::fmt::Debug>(generate: impl Fn(&mut Choices<'_>) -> T) {
    let schema = Schema::of::<T>();
    let config = ProptestConfig { cases: 300, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    runner
        .run(&strategy(generate), |content| {
            check(&schema, &content);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn programs() {
    for_random::<Program>(raw_program);
}

#[test]
fn programs_with_sources() {
    for_random::<Program>(|c| {
        let program = program(c, Profile::ANY);
        parse_program(&program.to_string()).expect("what is printed is read")
    });
}

#[test]
fn statements() {
    for_random::<Stmt>(raw_stmt);
}

#[test]
fn protocols() {
    for_random::<Protocol>(raw_protocol);
}

#[test]
fn map_files() {
    for_random(|c| map_file(c, Profile::ANY));
}

#[test]
fn histories() {
    for_random::<History>(|c| {
        let program = program(c, Profile::ANY);
        let host = host_memory(c, &program);
        let launch = program.geometry.launch().expect("generated launches are concrete");
        let options = RunOptions { ambiguous: Policy::Smallest, ..RunOptions::default() };
        let outcome = Instance::new(program, launch).with_host(host).run(&options);
        outcome.history().clone()
    });
}

#[test]
fn traces() {
    for_random::<Trace>(|c| {
        let thread = |c: &mut Choices<'_>| Thread { block: c.below(2) as u64, index: 0 };
        let event = |c: &mut Choices<'_>| match c.below(3) {
            0 => Event::Access {
                thread: thread(c),
                mode: mode(c),
                cell: Cell::new(raw_name(c), c.below(9)),
                site: c.chance(1, 2).then_some(Site(3)),
            },
            1 => Event::BlockBarrier { block: 1 },
            _ => Event::WarpBarrier { block: 0, warp: 1 },
        };
        let events = (0..c.below(9)).map(|_| event(c)).collect();
        Trace { launch: Launch::threads(4), shared: BTreeSet::from([raw_name(c)]), events }
    });
}

fn mode(c: &mut Choices<'_>) -> AccessMode {
    *c.pick(&[AccessMode::Rd, AccessMode::Wr, AccessMode::At(Scope::Block)])
}

/// The schemas must be able to refuse.
#[test]
fn the_schemas_refuse_other_documents() {
    let statement = Schema::of::<Stmt>();
    let text = to_json(&Stmt::sync().numbered()).expect("can be written");
    let good: Value = serde_json::from_str(&text).expect("is JSON");
    assert!(statement.admits(&statement.root, &good));
    for (from, to) in [("sync", "fsync"), ("\"site\":0", "\"site\":\"0\""), ("statement", "stmt")] {
        let bad: Value = serde_json::from_str(&text.replace(from, to)).expect("is JSON");
        assert!(!statement.admits(&statement.root, &bad), "{bad}");
    }
}

#[test]
fn the_form_of_a_history_is_readable() {
    let mut host = HostMemory::default();
    host.insert(
        Name::new("B"),
        HostArray { fill: Some(Natural::from(7u32)), ..HostArray::default() },
    );
    let accesses = babycuda_core::Accesses::default()
        .read(Cell::new("B", 3u32))
        .write(Cell::new("A", 0u32), Natural::from(u128::MAX));
    let history = History::start(host).push(babycuda_core::Phase::singleton(1, accesses));
    assert_eq!(
        to_json(&history).expect("can be written"),
        r#"{"format":"babycuda/history","version":1,"content":{"host":{"B":{"fill":7,"cells":{}}},"phases":[{},{"1":{"reads":["B[3]"],"writes":{"A[0]":"340282366920938463463374607431768211455"}}}]}}"#
    );
}

#[test]
fn other_formats_versions_and_shapes_are_refused() {
    let text = to_json(&Stmt::Skip).expect("can be written");
    assert!(matches!(from_json::<Protocol>(&text), Err(JsonError::Format { .. })));
    let newer = text.replace("\"version\":1", "\"version\":2");
    assert!(matches!(from_json::<Stmt>(&newer), Err(JsonError::Version { found: 2, .. })));
    let older = text.replace("\"version\":1", "\"version\":0");
    assert!(matches!(from_json::<Stmt>(&older), Err(JsonError::Version { found: 0, .. })));
    let more = text.replace("\"version\":1", "\"version\":1,\"more\":1");
    assert!(
        from_json::<Stmt>(&more).is_err_and(|e| e.to_string().contains("no such key is known"))
    );
    let wrong = text.replace("\"skip\"", "\"skop\"");
    let at = |found: Result<(), JsonError>| match found {
        Err(JsonError::Place { place, .. }) => place,
        other => panic!("{other:?}"),
    };
    assert_eq!(at(from_json::<Stmt>(&wrong).map(|_| ())), "/content");
    let cell = r#"{"format":"babycuda/history","version":1,"content":{"phases":[{"0":{"reads":["A[x]"]}}]}}"#;
    let place = at(from_json::<History>(cell).map(|_| ()));
    assert!(place.starts_with("/content"), "{place}");
    // A place is a JSON pointer: `~` and `/` in a key are `~0` and `~1`.
    let key = r#"{"format":"babycuda/history","version":1,"content":{"host":{"A~/~1":{"fill":"x"}},"phases":[]}}"#;
    let place = at(from_json::<History>(key).map(|_| ()));
    assert!(place.starts_with("/content/host/A~0~1~01"), "{place}");
}

/// Deep trees are written and read; deep nonsense is refused. Neither overflows the stack.
#[test]
fn depth_is_safe() {
    let n = 100_000;
    let long = Stmt::sequence((0..n).map(|_| Stmt::Skip).collect::<Vec<_>>());
    let text = to_json(&long).expect("can be written");
    assert_eq!(from_json::<Stmt>(&text).expect("can be read"), long);
    for (name, open) in [("statement", "["), ("statement", "{\"seq\":["), ("history", "[")] {
        let head = format!("{{\"format\":\"babycuda/{name}\",\"version\":1,\"content\":");
        let text = head + &open.repeat(n);
        assert!(from_json::<Stmt>(&text).is_err());
        assert!(from_json::<History>(&text).is_err());
    }
}

/// From 2^53 on not every reader of JSON has the number that is written.
#[test]
fn large_numbers_are_texts() {
    let natural = |n: u64| serde_json::to_string(&Natural::from(n)).expect("can be written");
    let integer = |n: i64| serde_json::to_string(&babycuda_core::natural::Integer(n.into()));
    let integer = |n: i64| integer(n).expect("can be written");
    let most = (1 << 53) - 1;
    assert_eq!([natural(most), natural(most + 1)], ["9007199254740991", "\"9007199254740992\""]);
    let (least, below) = (integer(-9_007_199_254_740_991), integer(-9_007_199_254_740_992));
    assert_eq!([least, below], ["-9007199254740991", "\"-9007199254740992\""]);
}

/// A number has at most as many digits as one in a text.
#[test]
fn numbers_of_documents_are_not_longer_than_those_of_texts() {
    use babycuda_core::parse::MAX_DIGITS;
    let read = |digits| serde_json::from_value::<Natural>(Value::String("9".repeat(digits)));
    assert_eq!(read(MAX_DIGITS).unwrap(), "9".repeat(MAX_DIGITS).parse().unwrap());
    let refused = read(MAX_DIGITS + 1).unwrap_err().to_string();
    assert!(refused.contains("more than 65536 digits"), "{refused}");
}

#[test]
fn only_other_barriers_and_warps_are_mentioned() {
    let stmt = |text| parse_stmt(text).expect("parses");
    let sync = r#"{"format":"babycuda/statement","version":1,"content":{"sync":{"site":0}}}"#;
    assert_eq!(to_json(&stmt("sync")).expect("is written"), sync);
    assert_eq!(from_json::<Stmt>(sync).expect("is read"), stmt("sync"));
    let warp = sync.replace(r#""site":0"#, r#""site":0,"scope":"warp""#);
    assert_eq!(to_json(&stmt("sync.warp")).expect("is written"), warp);
    assert_eq!(from_json::<Stmt>(&warp).expect("is read"), stmt("sync.warp"));
    for scope in ["tile0", "tile", "lane", ""] {
        assert!(from_json::<Stmt>(&warp.replace("\"warp\"", &format!("{scope:?}"))).is_err());
    }
    let program = |text| to_json(&parse_program(text).expect("parses")).expect("is written");
    assert!(!program("sync").contains("warp"));
    assert!(!program("warp 32; sync").contains("warp"));
    assert!(program("warp 4; sync").contains(r#""warp":4"#));
}
