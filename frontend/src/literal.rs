//! C's literals.

use babycuda_core::IntType;

/// The type and bit pattern of an integer or character literal, on a machine whose `long` has
/// 64 bits; `None` when the text is no such literal (a float, say) or needs more than 64 bits.
pub(crate) fn integer(text: &str) -> Option<(IntType, u64)> {
    if text.starts_with('\'') {
        return character(text).map(|c| (IntType::I32, i64::from(c) as u64 & 0xffff_ffff));
    }
    let text = text.replace('\'', "").to_ascii_lowercase();
    let (radix, digits) = if let Some(hex) = text.strip_prefix("0x") {
        (16, hex)
    } else if let Some(binary) = text.strip_prefix("0b") {
        (2, binary)
    } else if text.len() > 1 && text.starts_with('0') {
        (8, &text[1..])
    } else {
        (10, text.as_str())
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let value = match u64::from_str_radix(digits, radix) {
        Ok(value) => value,
        Err(_) if radix == 8 && digits.is_empty() => 0,
        Err(_) => return None,
    };
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" | "z" => (false, true),
        "ul" | "ull" | "lu" | "llu" | "uz" => (true, true),
        _ => return None,
    };
    // C's table: the first type of the list that holds the value.
    let decimal = radix == 10;
    let fits = |max: u64| value <= max;
    let t = if !unsigned && !long && fits(i32::MAX as u64) {
        IntType::I32
    } else if !long && (unsigned || !decimal) && fits(u32::MAX.into()) {
        IntType::U32
    } else if !unsigned && fits(i64::MAX as u64) {
        IntType::I64
    } else {
        IntType::U64
    };
    Some((t, value))
}

/// The value of a character literal, of several `char`s too: those shift each other up, and an
/// `int` keeps the last four (GCC's and NVCC's rule).
fn character(text: &str) -> Option<i32> {
    let inner = text.strip_prefix('\'')?.strip_suffix('\'')?;
    let mut rest = inner;
    let (mut value, mut count) = (0u32, 0usize);
    while !rest.is_empty() {
        let byte = one_character(&mut rest)?;
        value = value << 8 | u32::from(byte);
        count += 1;
    }
    match count {
        0 => None,
        1 => Some(i32::from(value as u8 as i8)),
        _ => Some(value as i32),
    }
}

/// The first `char` of a literal's text, which moves past it.
fn one_character(rest: &mut &str) -> Option<u8> {
    let first = rest.chars().next()?;
    *rest = &rest[first.len_utf8()..];
    if first != '\\' {
        return u8::try_from(u32::from(first)).ok().filter(u8::is_ascii);
    }
    let escape = rest.chars().next()?;
    let digits = |text: &str, radix: u32, most: usize| {
        text.chars().take(most).take_while(|c| c.is_digit(radix)).count()
    };
    let (skip, radix, len) = match escape {
        'x' => (1, 16, digits(&rest[1..], 16, usize::MAX)),
        '0'..='7' => (0, 8, digits(rest, 8, 3)),
        _ => {
            *rest = &rest[escape.len_utf8()..];
            return Some(match escape {
                'n' => 10,
                't' => 9,
                'r' => 13,
                'a' => 7,
                'b' => 8,
                'f' => 12,
                'v' => 11,
                '\\' | '\'' | '"' | '?' => u8::try_from(u32::from(escape)).ok()?,
                _ => return None,
            });
        }
    };
    let code = u32::from_str_radix(&rest[skip..skip + len], radix).ok()?;
    *rest = &rest[skip + len..];
    u8::try_from(code).ok()
}

/// The bit pattern of a floating literal at its own type.
pub(crate) fn floating(text: &str) -> Option<u64> {
    let text = text.replace('\'', "");
    let (digits, single) = match text.strip_suffix(['f', 'F']) {
        Some(digits) => (digits, true),
        None => (text.as_str(), false),
    };
    let usual = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    if !digits.chars().all(usual) {
        return None;
    }
    if single {
        digits.parse::<f32>().ok().map(|f| f.to_bits().into())
    } else {
        digits.parse::<f64>().ok().map(f64::to_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_c_types() {
        for (text, expected) in [
            ("0", Some((IntType::I32, 0))),
            ("017", Some((IntType::I32, 15))),
            ("0x1Fu", Some((IntType::U32, 31))),
            ("0b101", Some((IntType::I32, 5))),
            ("2147483648", Some((IntType::I64, 1 << 31))),
            ("0x80000000", Some((IntType::U32, 1 << 31))),
            ("4294967295u", Some((IntType::U32, 0xffff_ffff))),
            ("1ULL", Some((IntType::U64, 1))),
            ("100'000L", Some((IntType::I64, 100_000))),
            ("18446744073709551616", None),
            ("1.0", None),
            ("'a'", Some((IntType::I32, 97))),
            ("'\\n'", Some((IntType::I32, 10))),
            ("'\\xff'", Some((IntType::I32, 0xffff_ffff))),
            ("'ab'", Some((IntType::I32, 0x6162))),
            ("'\\0\\x41'", Some((IntType::I32, 0x41))),
            ("''", None),
        ] {
            assert_eq!(integer(text), expected, "{text}");
        }
    }

    #[test]
    fn floats_are_bit_patterns() {
        assert_eq!(floating("1.0f"), Some(0x3f80_0000));
        assert_eq!(floating("0.5"), Some(0.5f64.to_bits()));
        assert_eq!(floating("0x1p3"), None);
    }
}
