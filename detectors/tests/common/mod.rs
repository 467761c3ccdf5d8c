//! Pages of `docs` of which a test writes the end.

/// A page of `docs` has this text behind its mark; `BABYCUDA_BLESS=1` writes it there.
pub(crate) fn holds_behind_its_mark(page: &str, text: &str) {
    let path = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/{}"), page);
    let mark = "<!-- generated -->\n";
    let before = std::fs::read_to_string(&path).expect("the page");
    let (head, old) = before.split_once(mark).expect("a mark");
    if std::env::var_os("BABYCUDA_BLESS").is_some() {
        std::fs::write(&path, format!("{head}{mark}{text}")).expect("the page");
    } else {
        assert_eq!(old, text, "{page}: BABYCUDA_BLESS=1 writes it");
    }
}
