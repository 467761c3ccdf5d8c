//! Names as SMT-LIB symbols.

/// A name as a symbol that no solver gives a meaning of its own: bare where that is allowed,
/// between bars otherwise. Different names stay different.
///
/// Characters that a quoted symbol cannot hold, and `%`, become `%` and their code. A name that
/// belongs to SMT-LIB or to a solver's theory (`bvadd`, `true`) gets a `%` at its end, because
/// `|and|` and `and` are one symbol.
#[must_use]
pub(crate) fn quote(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || "~!$^&*_-+=<>?/.@".contains(c);
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || "~!$^&_?".contains(c));
    let taken = is_taken(name);
    if starts_well && !taken && name.chars().all(bare) {
        return name.to_owned();
    }
    let mut quoted = String::from("|");
    for c in name.chars() {
        match c {
            '|' | '\\' | '%' => quoted.push_str(&format!("%{:02x}", u32::from(c))),
            ' '..='~' => quoted.push(c),
            _ => quoted.push_str(&format!("%u{:x};", u32::from(c))),
        }
    }
    // Solvers keep names that start with `@` or `.` for themselves; an empty one they dislike.
    if taken || name.is_empty() || name.starts_with(['@', '.']) {
        quoted.push('%');
    }
    quoted.push('|');
    quoted
}

/// Reserved words, commands, and what the theories of the usual solvers define.
fn is_taken(name: &str) -> bool {
    const WORDS: &str = "\
        ! * + - / < <= = => > >= ^ _ abs and as BINARY Bool concat const DECIMAL distinct \
        div divisible exists exp extract false forall HEXADECIMAL if iff implies Int ite \
        lambda let match mod not NUMERAL or par pi Real rem repeat root-obj select sqrt \
        store STRING String true xor";
    // Families of names: a hyphenated command, or a theory's prefix.
    const PREFIXES: &str = "\
        assert check- declare- define- echo exit get- maximize minimize pop push reset set- \
        simplify include eval display help block-model query apply Array BitVec \
        FloatingPoint RegLan RoundingMode Seq Set arc array bag bv char cos ext_ fp iand int \
        is map nat pbge pble pbeq pow2 re. real rotate_ seq set sign_extend sin str tan to_ \
        tuple ubv sbv zero_extend at- at_ R default cot csc sec sep wand pto rel update \
        partial";
    let mut prefixes = PREFIXES.split(' ');
    !name.contains('$')
        && (WORDS.split(' ').any(|word| word == name)
            || prefixes.any(|prefix| name.starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn different_names_stay_different() {
        let names = [
            "x", "tid.x$1", "and", "and%", "|and|", "and%25", "", "%", " ", "a b", "a|b", "a\\b",
            "é", "%ue9;", "1", "@x", ".x", "@x%", "let", "bvadd", "#x1", "\"", "(", ";c", "\n",
        ];
        let quoted: HashSet<String> = names.iter().map(|name| quote(name)).collect();
        assert_eq!(quoted.len(), names.len());
        assert_eq!(quote("tid.x$1"), "tid.x$1");
        assert_eq!(quote("and"), "|and%|");
        assert_eq!(quote("a b"), "|a b|");
    }
}
