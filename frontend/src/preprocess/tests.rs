use super::*;
use crate::includes::Includes;

fn options(defines: &[(&str, &str)]) -> Options {
    let defines = defines.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    Options { defines, ..Options::default() }
}

fn expanded(source: &str, options: &Options) -> Result<Expanded, FrontendError> {
    preprocess(source, options)
}

fn run(source: &str, defines: &[(&str, &str)]) -> Result<String, FrontendError> {
    let text = expanded(source, &options(defines))?.text;
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn doubts(source: &str) -> Vec<String> {
    let found = expanded(source, &Options::default()).map(|e| e.doubts);
    found.unwrap_or_default().into_iter().map(|(_, reason)| reason.to_string()).collect()
}

#[test]
fn macros_of_both_kinds_expand() {
    let source = "#define N 4\n#define AT(i, j) ((i) * N + (j))\nx[AT(y, f(1, 2))] N AT";
    assert_eq!(run(source, &[]).as_deref(), Ok("x[ ( ( y ) * 4 + ( f ( 1 , 2 ) ) ) ] 4 AT"));
}

#[test]
fn operators_stay_whole_and_apart() {
    let source = "#define FOR(i, n) for (int i = 0; i < n; ++i)\nFOR(j, 3) x";
    assert_eq!(run(source, &[]).as_deref(), Ok("for ( int j = 0 ; j < 3 ; ++ j ) x"));
    let source = "#define MINUS(a) -a\n#define ADD(a) a += 2; a++; a <<= 1\n-MINUS(b) ADD(c)";
    assert_eq!(run(source, &[]).as_deref(), Ok("- - b c += 2 ; c ++ ; c <<= 1"));
    assert_eq!(run("#define PLUS +\n+PLUS+", &[]).as_deref(), Ok("+ + +"));
}

#[test]
fn the_command_line_wins() {
    let source = "#define N 4\n#ifndef M\n#define M 5\n#endif\nN M";
    assert_eq!(run(source, &[("N", "8")]).as_deref(), Ok("8 5"));
    assert_eq!(run(source, &[("M", "8")]).as_deref(), Ok("4 8"));
}

#[test]
fn conditions_choose_branches() {
    let source = "#if defined(A) && A > 2\none\n#elif !defined A\ntwo\n#else\nthree\n#endif";
    assert_eq!(run(source, &[("A", "3")]).as_deref(), Ok("one"));
    assert_eq!(run(source, &[]).as_deref(), Ok("two"));
    assert_eq!(run(source, &[("A", "1")]).as_deref(), Ok("three"));
}

#[test]
fn conditions_have_the_values_of_c() {
    for (condition, wanted) in [
        ("-1 > 0u", true),
        ("-1 > 0", false),
        ("0xffffffffffffffff == -1", true),
        ("0x80000000 < 0", false),
        ("(0 ? -1 : 0u) - 1 > 0", true),
        ("1 || 1 / 0", true),
        ("0 && 1 % 0", false),
        ("1 ? 2 : 1 / 0", true),
        ("'\\377' < 0", true),
        ("'ab' == 24930", true),
        ("(2, 0)", false),
        ("not 0 and 1 bitand 3", true),
        ("-8 >> 1 == -4", true),
        ("1 << 63 < 0", true),
        ("~0u == -1", true),
        ("true && !false && !other", true),
        ("__LINE__ == 1", true),
        ("10 % -3 == 1 && -10 / 3 == -3", true),
    ] {
        let source = format!("#if {condition}\nyes\n#endif");
        assert_eq!(
            run(&source, &[]).as_deref(),
            Ok(if wanted { "yes" } else { "" }),
            "{condition}"
        );
    }
    assert!(run("#if 1 / 0\n#endif", &[]).is_err());
}

#[test]
fn recursive_macros_stop() {
    assert_eq!(run("#define A B\n#define B A\nA", &[]).as_deref(), Ok("A"));
    let source = "#define f(x) x f\nf(1)(2)";
    assert_eq!(run(source, &[]).as_deref(), Ok("1 f (2)"));
}

#[test]
fn exploding_macros_are_in_doubt() {
    let mut source = String::from("#define X0 x x\n");
    for i in 1..40 {
        source += &format!("#define X{i} X{0} X{0}\n", i - 1);
    }
    assert_eq!(
        doubts(&(source + "X39")),
        ["macro expansion is too large: more than 200000 tokens"]
    );
    let source = format!("#define F(x) x x\n{}1{}", "F(".repeat(5000), ")".repeat(5000));
    assert!(!doubts(&source).is_empty());
}

#[test]
fn what_is_wrong_with_a_macro_counts_where_it_is_used() {
    assert_eq!(doubts("#define F(a, b) a\nF(1) x"), ["macro `F` takes 2 arguments, 1 given"]);
    assert_eq!(doubts("#define F(a) a\nF(1"), ["a macro's call without its `)`"]);
    assert_eq!(doubts("#define F(a) a ## )\nF(x)"), ["`x` and `)` cannot be pasted to one token"]);
    let found = expanded("#define F(a a\n#define G # a\n", &Options::default());
    let names: Vec<String> =
        found.map(|e| e.names.keys().map(|n| n.to_string()).collect()).unwrap_or_default();
    assert_eq!(names, ["F"]);
}

#[test]
fn errors_have_places() {
    let error = run("a\n#if 1 +\n#endif", &[]).map_err(|e| e.to_string());
    assert_eq!(error, Err("2:1: a condition ends too early".to_owned()));
    let error = run("\n\n #if 1\n", &[]).map_err(|e| e.to_string());
    assert_eq!(error, Err("3:2: `#if` without `#endif`".to_owned()));
}

#[test]
fn places_survive() {
    let places = |source: &str, wanted: &str| {
        let expanded = expanded(source, &Options::default());
        expanded.map(|e| {
            let at = e.text.find(wanted).unwrap_or(0);
            e.map.original(&(at..at + wanted.len()))
        })
    };
    assert_eq!(places("#define A \\\n 1\nA\nb", "b"), Ok(17..18));
    assert_eq!(places("#define A(x) x\nq A(1\n) b", "1"), Ok(17..22));
    assert_eq!(places("x /* c\n */ wh\\\nile b", "while"), Ok(11..18));
    assert_eq!(places("x <: b", "b"), Ok(5..6));
}

#[test]
fn includes_are_followed() {
    let files = [
        // Both begin with a byte order mark.
        ("a.h", "\u{feff}#define N 4\n#pragma once\nint a;\n#include \"b.h\"\n"),
        ("b.h", "#ifndef B\n#define B\nint b;\n#endif\n"),
        ("self.h", "#include \"self.h\"\n"),
    ];
    let options = Options { includes: Includes::of(files), ..Options::default() };
    let source = "\u{feff}#include \"a.h\"\n#include <b.h>\n#define H \"a.h\"\n#include H\nN\n\
                  #if __has_include(\"a.h\")\nyes\n#endif";
    let found = expanded(source, &options).map(|e| {
        let at = e.text.find("int b").unwrap_or(0);
        let place =
            (e.map.original(&(at..at + 5)), e.map.included(at).map(|(f, l)| (f.to_owned(), l)));
        (e.text.split_whitespace().collect::<Vec<_>>().join(" "), place)
    });
    assert_eq!(found, Ok(("int a; int b; 4 yes".to_owned(), (3..17, Some(("b.h".to_owned(), 3))))));
    assert!(expanded("#include \"self.h\"", &options).is_err());
}
