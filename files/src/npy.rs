//! Integers of files that NumPy saved: format 1.0 to 3.0 of `numpy.lib.format`, one array a file.
//!
//! The crates that read such files bring a parser generator for the header, which the format fixes to a dictionary of
//! three entries.

use crate::contents::MAX_CELLS;
use babycuda_core::BigInt;
use std::io::Read;

const MAGIC: &[u8] = b"\x93NUMPY";

/// The most bytes of a header.
const MAX_HEADER: usize = 1 << 16;

/// The numbers of a file, the last index running fastest; at most [`MAX_CELLS`].
///
/// # Errors
/// What is wrong with it.
pub fn read(file: impl Read) -> Result<Vec<BigInt>, String> {
    let mut bytes = Vec::new();
    // The widest integers have 8 bytes.
    let mut file = file.take(8 * MAX_CELLS + 2 * MAX_HEADER as u64);
    file.read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    let has = bytes.len();
    let cut = |needs: usize| format!("the file ends in its header: it has {has} bytes of {needs}");
    let rest = bytes.strip_prefix(MAGIC).ok_or("no file of NumPy's: it does not begin as one")?;
    // The magic, the version, and the length of the header in 2 or 4 bytes.
    let (version, rest) = rest.split_first_chunk::<2>().ok_or_else(|| cut(8))?;
    let (length, rest) = match version[0] {
        1 => {
            let (length, rest) = rest.split_first_chunk().ok_or_else(|| cut(10))?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk().ok_or_else(|| cut(12))?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        other => return Err(format!("version {other} of the format, which is not known")),
    };
    if length > MAX_HEADER {
        return Err(format!("a header of {length} bytes, more than {MAX_HEADER}"));
    }
    let start = has - rest.len() + length;
    let (header, data) = rest.split_at_checked(length).ok_or_else(|| cut(start))?;
    let header = std::str::from_utf8(header).map_err(|_| "a header that is no text")?;
    let element = Element::of(entry(header, "descr")?)?;
    let order = entry(header, "fortran_order")?;
    let sizes = entry(header, "shape")?.strip_prefix('(').ok_or("a shape that is none")?;
    let sizes: Vec<u64> = sizes
        .split(',')
        .map(str::trim)
        .filter(|size| !size.is_empty())
        .map(|size| size.parse().map_err(|_| format!("a shape with the size `{size}`")))
        .collect::<Result<_, String>>()?;
    if order != "False" && sizes.len() > 1 {
        return Err("its columns come first (`fortran_order`)".to_owned());
    }
    let cells = sizes.iter().copied().fold(1u64, u64::saturating_mul);
    if cells > MAX_CELLS {
        return Err(format!("{cells} cells, more than {MAX_CELLS}"));
    }
    let expected = cells as usize * element.bytes;
    if data.len() != expected {
        let found = data.len();
        let numbers = format!("{found} bytes of numbers, where its shape needs {expected}");
        return Err(format!("{numbers}; they begin at byte {start}"));
    }
    Ok(data.chunks_exact(element.bytes).map(|bytes| element.number(bytes)).collect())
}

/// The value of an entry of the header, up to the next one.
fn entry<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let behind = |quote: char| Some(header.split_once(&format!("{quote}{key}{quote}:"))?.1);
    let value = behind('\'').or_else(|| behind('"'));
    let value = value.ok_or_else(|| format!("a header without `{key}`"))?.trim_start();
    let end = match value.chars().next() {
        Some('(') => value.find(')'),
        _ => value.find([',', '}']),
    };
    Ok(value[..end.ok_or_else(|| format!("a `{key}` that does not end"))?].trim())
}

/// The type of the numbers.
struct Element {
    bytes: usize,
    signed: bool,
    big_endian: bool,
}

impl Element {
    fn of(descr: &str) -> Result<Element, String> {
        let name = descr.trim_matches(['\'', '"']);
        let (order, plain) =
            name.split_at(name.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(0));
        let (bytes, signed) = match plain {
            "b1" | "u1" => (1, false),
            "u2" => (2, false),
            "u4" => (4, false),
            "u8" => (8, false),
            "i1" => (1, true),
            "i2" => (2, true),
            "i4" => (4, true),
            "i8" => (8, true),
            _ => return Err(format!("numbers of the type `{name}`, and not integers")),
        };
        match order {
            "<" | ">" | "|" | "=" | "" => Ok(Element { bytes, signed, big_endian: order == ">" }),
            _ => Err(format!("numbers of the type `{name}`, which is not known")),
        }
    }

    fn number(&self, bytes: &[u8]) -> BigInt {
        let with = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        let bits = match self.big_endian {
            true => bytes.iter().fold(0, with),
            false => bytes.iter().rev().fold(0, with),
        };
        let above = 64 - 8 * self.bytes;
        match self.signed {
            true => ((bits << above) as i64 >> above).into(),
            false => bits.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u8, header: &str, data: &[u8]) -> Result<Vec<i64>, String> {
        let length = header.len() as u32;
        let length = length.to_le_bytes();
        let length = if version == 1 { &length[..2] } else { &length[..] };
        let bytes = [MAGIC, &[version, 0], length, header.as_bytes(), data].concat();
        let numbers = read(bytes.as_slice())?;
        Ok(numbers.iter().map(|k| i64::try_from(k.clone()).unwrap()).collect())
    }

    fn header(descr: &str, shape: &str) -> String {
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}   \n")
    }

    #[test]
    fn integers_are_read() {
        for (descr, shape, data, numbers) in [
            ("<i4", "(2,)", &[1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff][..], &[1, -1][..]),
            (">i2", "(1, 2)", &[0, 1, 0xff, 0xfe], &[1, -2]),
            ("|u1", "(2, 2)", &[0, 1, 2, 255], &[0, 1, 2, 255]),
            ("|b1", "(1,)", &[1], &[1]),
            ("<u2", "()", &[0xff, 0xff], &[65535]),
            (">u4", "(1,)", &[0xff, 0, 0, 1], &[0xff00_0001]),
            ("<i8", "(0,)", &[], &[]),
        ] {
            for version in [1, 2] {
                assert_eq!(file(version, &header(descr, shape), data).as_deref(), Ok(numbers));
            }
        }
    }

    #[test]
    fn what_is_none_says_why() {
        for (version, header, data, why) in [
            (1, header("<f4", "(1,)"), &[0; 4][..], "`<f4`, and not integers"),
            (
                1,
                header("<i4", "(2,)"),
                &[0; 4],
                "4 bytes of numbers, where its shape needs 8; they begin at byte 71",
            ),
            (1, header("<i4", "(1,)"), &[0; 5], "5 bytes"),
            (1, header("<i8", "(99999999999, 99999999999)"), &[], "more than"),
            (1, header("<i8", "(-1,)"), &[], "the size `-1`"),
            (1, header("<i8", "2"), &[], "a shape that is none"),
            (9, header("<i8", "(1,)"), &[0; 8], "version 9"),
            (1, "{'descr': '<i4'}".to_owned(), &[], "without `fortran_order`"),
            (1, header("<i4", "(2, 2)").replace("False", "True"), &[0; 16], "columns come first"),
        ] {
            let error = file(version, &header, data).unwrap_err();
            assert!(error.contains(why), "{header}: {error}");
        }
        for (bytes, why) in [
            (&b""[..], "does not begin as one"),
            (b"PK\x03\x04", "does not begin as one"),
            (b"\x93NUMPY", "it has 6 bytes of 8"),
            (b"\x93NUMPY\x01\x00\x76", "it has 9 bytes of 10"),
            (b"\x93NUMPY\x02\x00\x76\x00", "it has 10 bytes of 12"),
            (b"\x93NUMPY\x01\x00\x76\x00{", "it has 11 bytes of 128"),
            (b"\x93NUMPY\x02\x00\x76\x00\x01\x00{", "a header of 65654 bytes, more than 65536"),
        ] {
            let error = read(bytes).unwrap_err();
            assert!(error.contains(why), "{bytes:?}: {error}");
        }
    }
}
