//! Tables and traces: files that can have no head, and what is found of each.

use super::hirace::*;
use super::others::*;
use super::skbg18::*;
use super::*;

/// A file that can have no head.
pub(crate) struct Document {
    pub(crate) name: &'static str,
    pub(crate) place: &'static str,
    pub(crate) findings: fn() -> Vec<Finding>,
}

/// What the paper says, and what is found: computed, or asserted where it is said.
pub(crate) type Finding = (&'static str, String);

pub(crate) const DOCUMENTS: &[Document] = &[
    Document {
        name: "lcl22-fig1.csv",
        place: "LCL22, Fig. 1: the diagram, with what its text says of the three examples",
        findings: lcl22_fig1,
    },
    Document { name: "skbg18-table1.csv", place: "SKBG18, Table 1", findings: skbg18_table1 },
    Document { name: "skbg18-table2.csv", place: "SKBG18, Table 2", findings: skbg18_table2 },
    Document { name: "skbg18-table3.csv", place: "SKBG18, Table 3", findings: skbg18_table3 },
    Document { name: "skbg18-table4.csv", place: "SKBG18, Table 4", findings: skbg18_table4 },
    Document { name: "dd-table1.txt", place: "DD, Table 1", findings: dd_table1 },
    Document { name: "lgagjl12-fig4.csv", place: "LGAGJL12, Fig. 4", findings: lgagjl12_fig4 },
    Document { name: "hirace-table1.csv", place: "HiRace, Table I", findings: hirace_table1 },
    Document { name: "hirace-table2.csv", place: "HiRace, Table II", findings: hirace_table2 },
    Document {
        name: "hirace-fig4.csv",
        place: "HiRace, Fig. 4: the steps that its text has, `*` for any",
        findings: hirace_fig4,
    },
    Document {
        name: "hirace-scenario1-global.jsonl",
        place: "HiRace, §III-A, Scenario 1, at once",
        findings: || trace("hirace-scenario1-global.jsonl", "INIT, READ, GREAD, RACE."),
    },
    Document {
        name: "hirace-scenario1-write.jsonl",
        place: "HiRace, §III-A, Scenario 1, one thread first",
        findings: || trace("hirace-scenario1-write.jsonl", "INIT, READ, WRITE, RACE."),
    },
    Document {
        name: "hirace-scenario2-global.jsonl",
        place: "HiRace, §III-A, Scenario 2, with T110 before the barrier",
        findings: || {
            let paper = "READ, BREAD, GREAD: then “any type of write by any thread” is a race.";
            trace("hirace-scenario2-global.jsonl", paper)
        },
    },
    Document {
        name: "hirace-scenario2-barrier.jsonl",
        place: "HiRace, §III-A, Scenario 2, with T110 behind the write",
        findings: || {
            let paper = "READ, BREAD, WRITE behind the barrier, RACE. (The “red” thread is T011 here, \
                         and T100 before Scenario 1.)";
            trace("hirace-scenario2-barrier.jsonl", paper)
        },
    },
    Document {
        name: "hirace-listing5.jsonl",
        place: "HiRace, §V-C, of Listing 5",
        findings: || {
            let paper = "A tool that keeps one reader misses the race, as the read by thread 1 is lost. (The text \
                         has lines 10 and 5 for what are lines 11 and 8.)";
            trace("hirace-listing5.jsonl", paper)
        },
    },
];

/// What was copied from the papers, by FNV-1a: a cell that no finding looks at does not change unnoticed.
pub(crate) const COPIED: &[(&str, u64)] = &[
    ("lcl22-fig1.csv", 0x24d2a4a8e7c14e9d),
    ("skbg18-table1.csv", 0x4a444ca1d2b1fdd0),
    ("skbg18-table2.csv", 0x45513944cc724b80),
    ("skbg18-table3.csv", 0x2aff0db14f49f91f),
    ("skbg18-table4.csv", 0x6156608351ba4993),
    ("dd-table1.txt", 0x521e68b10e236702),
    ("lgagjl12-fig4.csv", 0xf9ba8772b6086bd9),
    ("hirace-table1.csv", 0xcacbaf6452b8ce3e),
    ("hirace-table2.csv", 0xf17e80dc556b7f81),
    ("hirace-fig4.csv", 0xadc6f21fffb77707),
    ("hirace-scenario1-global.jsonl", 0x28807487ccbdcd69),
    ("hirace-scenario1-write.jsonl", 0x663f7e541e1d830d),
    ("hirace-scenario2-global.jsonl", 0xcb76460b2b7ffd53),
    ("hirace-scenario2-barrier.jsonl", 0xe71a35439513c093),
    ("hirace-listing5.jsonl", 0x471eb9a10fd8ebec),
];

#[test]
fn documents_are_as_they_were_copied() {
    assert_eq!(COPIED.len(), DOCUMENTS.len());
    for (name, sum) in COPIED {
        let bytes = std::fs::read(root().join(FOLDER).join(name)).unwrap();
        let found = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
            (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
        });
        assert_eq!(
            found, *sum,
            "{name} has changed: compare it with its paper, then give its sum here: {found:#018x}"
        );
    }
}
