//! Both formats say the same, and whatever else stands in a log is an error with its place.

mod common;

use babycuda_core::trace::Trace;
use babycuda_core::{AccessMode, Launch, Name, Site, Thread};
use babycuda_traces::{
    Access, Array, Barrier, Fault, Format, LogReader, LogWriter, Options, Place, Position, Record,
    check, read_trace, write_trace,
};
use common::{Barriers, Draw, trace};

fn written(trace: &Trace, format: Format) -> Vec<u8> {
    write_trace(Vec::new(), format, trace).expect("a trace that a log may have")
}

/// All records, or where it fails and why.
fn records(log: &[u8]) -> Result<Vec<Record>, (Position, String)> {
    let said = |error: babycuda_traces::LogError| (error.at, error.fault.to_string());
    let mut reader = LogReader::new(log).map_err(said)?;
    let mut records = Vec::new();
    while let Some(record) = reader.next_record().map_err(said)? {
        records.push(record);
    }
    // It stays at its end.
    assert_eq!(reader.next_record().map_err(said)?, None);
    Ok(records)
}

#[test]
fn what_is_written_is_read() {
    let mut bytes = [0, 0];
    for seed in 0..1_000 {
        let trace = trace(seed, [Barriers::Nested, Barriers::Lanes][seed as usize % 2]);
        let [binary, lines] = [Format::Binary, Format::Lines].map(|f| written(&trace, f));
        let back = read_trace(binary.as_slice(), usize::MAX).expect("a log");
        assert_eq!(back.events, trace.events);
        assert_eq!(back, read_trace(lines.as_slice(), usize::MAX).expect("a log"));
        assert_eq!(records(&binary), records(&lines));
        // Each becomes the other.
        assert_eq!(written(&back, Format::Lines), lines);
        assert_eq!(written(&back, Format::Binary), binary);
        bytes[0] += binary.len();
        bytes[1] += lines.len();
    }
    assert!(bytes[0] * 10 < bytes[1], "{bytes:?}");
}

#[test]
fn large_numbers_are_written_and_read() {
    let launch = Launch { warp: 1, ..Launch::threads(u32::MAX / 2) };
    for format in [Format::Binary, Format::Lines] {
        let mut log = LogWriter::new(Vec::new(), format, launch).expect("a launch");
        let mut all = vec![
            Record::Array(Array { name: Name::new("größer"), shared: true, element: u32::MAX }),
            Record::Place(Place {
                site: Site(u32::MAX),
                file: "a \"b\"\n.cu".to_owned(),
                line: u32::MAX,
                column: 0,
            }),
        ];
        let mut draw = Draw(5);
        for _ in 0..2_000 {
            let index = draw.word() >> draw.below(64);
            let thread = Thread { block: 0, index: draw.below(u64::from(u32::MAX / 2)) };
            let site = [None, Some(Site(u32::MAX)), Some(Site(0))][draw.below(3) as usize];
            let mode = AccessMode::Wr;
            all.push(Record::Access(Access { thread, mode, array: 0, index, site }));
        }
        for record in &all {
            log.write(record).expect("a record");
        }
        assert_eq!(records(&log.finish().expect("room")), Ok(all));
    }
}

/// A log that breaks off says where.
#[test]
fn truncated_logs_are_errors_with_their_offset() {
    for seed in 0..12 {
        let trace = trace(seed, Barriers::Lanes);
        let log = written(&trace, Format::Binary);
        for cut in 0..log.len() {
            let (at, why) = records(&log[..cut]).expect_err("the end is missing");
            let nothing = cut == 0;
            let wanted = if nothing { Fault::NoLog } else { Fault::Truncated };
            assert_eq!((at, why), (Position::Byte(cut as u64), wanted.to_string()), "cut at {cut}");
            assert!(check(|| Ok(&log[..cut]), &Options::default()).is_err());
        }
        let lines = written(&trace, Format::Lines);
        for cut in 0..lines.len() - 1 {
            let (at, _) = records(&lines[..cut]).expect_err("the end is missing");
            let before = lines[..cut].iter().filter(|byte| **byte == b'\n').count() as u64;
            // A line may be whole without its end.
            let whole = u64::from(lines[cut] == b'\n');
            let line = Position::Line(before + 1 + whole);
            let position = if cut == 0 { Position::Byte(0) } else { line };
            assert_eq!(at, position, "cut at {cut}");
        }
    }
}

/// A reader of changed or random bytes ends with records that a writer takes, or with an error whose place is in
/// the log; so does a check, within little memory.
#[test]
fn changed_and_random_bytes_are_read_or_refused() {
    let (mut read, mut refused) = (0, 0);
    let mut draw = Draw(7);
    for seed in 0..2_000 {
        let format = [Format::Binary, Format::Lines][usize::from(seed % 4 == 3)];
        let mut log = written(&trace(seed, Barriers::Lanes), format);
        match seed % 8 {
            // Random behind the head.
            6 => {
                log.truncate(8 + draw.below(12) as usize);
                log.extend((0..draw.below(200)).map(|_| draw.word() as u8));
            }
            _ => {
                for _ in 0..=draw.below(3) {
                    let at = draw.below(log.len() as u64) as usize;
                    match draw.below(4) {
                        0 => log[at] = draw.word() as u8,
                        1 => drop(log.remove(at)),
                        2 => log.insert(at, draw.word() as u8),
                        _ => log[at] ^= 1 << draw.below(8),
                    }
                }
            }
        }
        let options = Options { memory: 50_000, ..Options::default() };
        let checked = check(|| Ok(log.as_slice()), &options);
        match records(&log) {
            Ok(records) => {
                assert!(checked.is_ok(), "seed {seed}: {checked:?}");
                let launch = LogReader::new(log.as_slice()).expect("a log").tables().launch();
                let mut writer = LogWriter::new(Vec::new(), format, launch).expect("a launch");
                records.iter().for_each(|record| writer.write(record).expect("a record"));
                read += 1;
            }
            Err((at, why)) => {
                let error = checked.expect_err("no log");
                assert_eq!((error.at, error.fault.to_string()), (at, why), "seed {seed}");
                let lines = log.iter().filter(|byte| **byte == b'\n').count() as u64;
                match at {
                    Position::Byte(offset) => assert!(offset <= log.len() as u64),
                    Position::Line(line) => assert!((1..=lines + 1).contains(&line)),
                    Position::Event(_) => panic!("seed {seed}: {error}"),
                }
                refused += 1;
            }
        }
    }
    assert!(read > 100 && refused > 700, "{read} {refused}");
}

/// What each lie is called, and where it stands.
#[test]
fn lies_are_named() {
    let launch = Launch { warp: 4, ..Launch::threads(6) };
    let mut log = LogWriter::new(Vec::new(), Format::Binary, launch).expect("a launch");
    let array = Record::Array(Array { name: Name::new("A"), shared: false, element: 4 });
    log.write(&array).expect("an array");
    let access = |block, index, array| {
        let thread = Thread { block, index };
        Record::Access(Access { thread, mode: AccessMode::Wr, array, index: 0, site: None })
    };
    let place = Record::Place(Place { site: Site(1), file: String::new(), line: 1, column: 1 });
    log.write(&place).expect("a place");
    for (record, said) in [
        (access(1, 0, 0), "block 1: the launch has 1"),
        (access(0, 6, 0), "thread 6: a block has 6"),
        (access(0, 0, 1), "there is no array 1: 1 were told before"),
        (array, "an array `A` was told before"),
        (place, "the place of #1 was told before"),
        (Record::Barrier(Barrier::Block { block: 7 }), "block 7: the launch has 1"),
        (Record::Barrier(Barrier::Warp { block: 0, warp: 2 }), "warp 2: a block has 2"),
        (
            Record::Barrier(Barrier::Tile { block: 0, size: 3, first: 0 }),
            "a tile of 3 threads: it is a power of two, at most as many as a warp has",
        ),
        (
            Record::Barrier(Barrier::Tile { block: 0, size: 2, first: 1 }),
            "a tile of 2 threads that begins at thread 1",
        ),
        (
            Record::Barrier(Barrier::Lanes { block: 0, warp: 1, lanes: 0b1100 }),
            "a barrier of lanes that the warp does not have",
        ),
    ] {
        let error = log.write(&record).expect_err(said);
        assert_eq!(error.fault.to_string(), said);
    }
    log.write(&access(0, 5, 0)).expect("an access");
    let log = log.finish().expect("room");
    // Magic, version, launch; array; place; access; end.
    let head = 8 + 1 + 6 + 1;
    let lie = |at: usize, byte: u8| {
        let mut log = log.clone();
        log[at] = byte;
        records(&log).expect_err("a lie")
    };
    let end = log.len() - 3;
    let counts = "the end record counts 2 accesses and 0 barriers, and there are 1 and 0";
    let at = |offset: usize| Position::Byte(offset as u64);
    assert_eq!(lie(end + 1, 2), (at(end), counts.to_owned()));
    assert_eq!(lie(end, 0x0f), (at(end), "no record begins with the byte 0x0f".to_owned()));
    assert_eq!(lie(8, 2).1, "version 2 of the format, where only version 1 is read");
    assert_eq!(lie(0, 0), (at(0), "this is no log of accesses".to_owned()));
    assert_eq!(
        lie(head - 1, 3).1,
        "a launch whose warps are no power of two of at most 1024 threads"
    );
    assert_eq!(lie(9, 0).1, "a launch without threads");
    assert_eq!(lie(head + 3, 0xff), (at(head), "a text that is not UTF-8".to_owned()));
    // A write of a cell by its index, of more than 64 bits.
    let wide = [&log[..end], &[0b0110_0001], &[0xff; 10], &[7, 2, 0]].concat();
    assert_eq!(records(&wide), Err((at(end), "a number of more than 64 bits".to_owned())));
    // Of a block, and of an array.
    let wide = [&log[..end], &[0b0000_1101], &[0xff; 10], &[7, 2, 0]].concat();
    assert_eq!(records(&wide), Err((at(end), "a number of more than 64 bits".to_owned())));
    let wide = [&log[..end], &[0b1000_0001, 0xff, 0xff, 0xff, 0xff, 0x7f, 0], &[7, 2, 0]].concat();
    assert_eq!(records(&wide), Err((at(end), "a number of more than 32 bits".to_owned())));
    let behind = [log.as_slice(), &[0]].concat();
    let said = (at(log.len()), "something stands behind the end record".to_owned());
    assert_eq!(records(&behind), Err(said));
}

#[test]
fn lies_of_lines_are_named() {
    let head = r#"{"format":"babycuda/trace-lines","version":1,"launch":{"grid":{"x":1,"y":1,"z":1},"block":{"x":2,"y":1,"z":1}}}"#;
    let array = r#"{"array":{"name":"A","shared":false}}"#;
    let access =
        r#"{"access":{"thread":{"block":0,"index":1},"mode":"wr","cell":{"array":"A","index":0}}}"#;
    let end = r#"{"end":{"accesses":1,"barriers":0}}"#;
    let read = |lines: &[&str]| records((lines.join("\n") + "\n").as_bytes());
    assert_eq!(read(&[head, array, access, end]).map(|all| all.len()), Ok(2));
    let counts = "the end record counts 2 accesses and 0 barriers, and there are 1 and 0";
    let two = end.replace("\"accesses\":1", "\"accesses\":2");
    for (lines, line, said) in [
        (&[head, array, access, &two][..], 4, counts),
        (&[head, array, access, end, end], 5, "something stands behind the end record"),
        (&[head, access, end], 2, "there is no array `A`: it was not told before"),
        (
            &[&head.replace("\"version\":1", "\"version\":2"), end],
            1,
            "version 2 of the format, where only version 1 is read",
        ),
    ] {
        assert_eq!(read(lines), Err((Position::Line(line), said.to_owned())), "{lines:?}");
    }
}

/// The format does not change: these are the bytes of a log, and its lines.
#[test]
fn a_log_is_these_bytes() {
    let path = |name: &str| format!("{}/tests/logs/{name}", env!("CARGO_MANIFEST_DIR"));
    let golden = |name: &str| std::fs::read(path(name)).expect("a log of the folder");
    let (binary, lines) = (golden("neighbours.bclog"), golden("neighbours.jsonl"));
    let mut writers = [Format::Binary, Format::Lines].map(|format| {
        let launch = Launch { warp: 4, ..Launch::threads(8) };
        LogWriter::new(Vec::new(), format, launch).expect("a launch")
    });
    for record in records(&lines).expect("a log") {
        for writer in &mut writers {
            writer.write(&record).expect("a record");
        }
    }
    let [of_binary, of_lines] = writers.map(|writer| writer.finish().expect("room"));
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(path("neighbours.bclog"), &of_binary).expect("the folder");
        return;
    }
    assert_eq!(of_binary, binary);
    assert_eq!(String::from_utf8_lossy(&of_lines), String::from_utf8_lossy(&lines));
    assert_eq!(records(&binary), records(&lines));
}
