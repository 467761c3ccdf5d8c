//! What a launch must not be taken to say.

use super::{KERNEL, body, launched, read, said};

/// The launch says nothing but the grid's extent: of the block only that it has one.
fn nothing_of_blocks(statements: &str) {
    let conditions = body(statements);
    let known = conditions.iter().find(|c| c.starts_with("blocks of") || c.contains("== 64"));
    assert_eq!(known, None, "{statements}: {conditions:?}");
}

#[test]
fn variables_that_may_have_changed() {
    for statements in [
        "int b = 64; b = m; k<<<1, b>>>(d, 1);",
        "int b = 32; b = 64; k<<<1, b>>>(d, 1);",
        "int b = 64; b += 1; k<<<1, b>>>(d, 1);",
        "int b = 64; b++; k<<<1, b>>>(d, 1);",
        "int b = 64; if (m) b = 32; k<<<1, b>>>(d, 1);",
        "int b = 64; if (m) { --b; } k<<<1, b>>>(d, 1);",
        "int b; if (m) b = 64; k<<<1, b>>>(d, 1);",
        "int b = 64; for (int i = 0; i < m; i++) { k<<<1, b>>>(d, 1); b = 32; }",
        "int b = 64; while (m--) { k<<<1, b>>>(d, 1); b /= 2; }",
        "int b = 64; do { k<<<1, b>>>(d, 1); b /= 2; } while (b);",
        "for (int b = 64; b > 0; b /= 2) k<<<1, b>>>(d, 1);",
        "int b = 64; int *p = &b; *p = 32; k<<<1, b>>>(d, 1);",
        "int b = 64; int *p = &b; p[0] = 32; k<<<1, b>>>(d, 1);",
        "int b = 64; int &r = b; r = 32; k<<<1, b>>>(d, 1);",
        "int b = 64; auto &r = b; r++; k<<<1, b>>>(d, 1);",
        "int b = 64; set(b); k<<<1, b>>>(d, 1);",
        "int b = 64; scanf(\"%d\", &b); k<<<1, b>>>(d, 1);",
        "int b = 64; std::cin >> b; k<<<1, b>>>(d, 1);",
        "int b = 64; Options o(b); o.parse(); k<<<1, b>>>(d, 1);",
        "int b = 64; options.read(b); k<<<1, b>>>(d, 1);",
        "int b = 64; auto change = [&] { b = 32; }; change(); k<<<1, b>>>(d, 1);",
        "int b = 64; switch (m) { case 0: b = 32; case 1: k<<<1, b>>>(d, 1); }",
        "int b = 64; try { b = 32; } catch (...) { } k<<<1, b>>>(d, 1);",
        "int b = 64; again: k<<<1, b>>>(d, 1); b = 32; goto again;",
        "int b = 64; for (;;) { if (m) goto in; k<<<1, b>>>(d, 1); in: b = 32; }",
        "int b; if (m) goto in; b = 64; for (;;) { k<<<1, b>>>(d, 1); in: ; }",
        "static int b = 64; k<<<1, b>>>(d, 1);",
        "int b = 64; asm(\"\" : \"+r\"(b)); k<<<1, b>>>(d, 1);",
        "dim3 b(64); b.x = 32; k<<<1, b>>>(d, 1);",
        "dim3 b(64); b = dim3(32); k<<<1, b>>>(d, 1);",
        "dim3 b(64); set(&b); k<<<1, b>>>(d, 1);",
        "dim3 b(64); if (m) b.x /= 2; k<<<1, b>>>(d, 1);",
        "int b = 64; k<<<1, (b = 32)>>>(d, b);",
        "int b = 64; k<<<1, b>>>(d, b++);",
    ] {
        nothing_of_blocks(statements);
    }
}

#[test]
fn scopes_hide() {
    // Which of two variables of one name is meant is not followed.
    nothing_of_blocks("int b = 64; { int b = 32; m = b; } k<<<1, b>>>(d, 1);");
    nothing_of_blocks("int b = 64; { int b = 32; b = 16; } k<<<1, b>>>(d, 1);");
    nothing_of_blocks("int b = 64; { int b = 32; k<<<1, b>>>(d, 1); }");
    // A name of the function is not that of the file.
    let host = "const int B = 64;\nvoid f(float *d, int B) { k<<<1, B>>>(d, 1); }";
    assert!(!said(host)[0].contains(&"blocks of 64".to_owned()));
    let host = "const int B = 64;\nvoid f(float *d) { Thing B; k<<<1, B>>>(d, 1); }";
    assert!(!said(host)[0].contains(&"blocks of 64".to_owned()));
    let host = "const int B = 64;\nstruct S { int B; void f(float *d) { k<<<1, B>>>(d, 1); } };";
    assert!(!said(host)[0].contains(&"blocks of 64".to_owned()));
    let host = "const int B = 64;\nvoid S::f(float *d) { k<<<1, B>>>(d, 1); }";
    assert!(!said(host)[0].contains(&"blocks of 64".to_owned()));
}

/// A label before the launch, or in a loop around it, leads around what is said before.
#[test]
fn jumps_to_the_launch() {
    let n_is_5 = |statements: &str| body(statements).contains(&"!(n != 5)".to_owned());
    assert!(n_is_5("if (n != 5) return; k<<<1, 64>>>(d, n); if (m) goto out; m++; out: ;"));
    assert!(n_is_5("if (m) goto out; if (n != 5) return; k<<<1, 64>>>(d, n); out: ;"));
    assert!(n_is_5("if (n != 5) return; for (;;) { if (m) goto out; k<<<1, 64>>>(d, n); } out: ;"));
    assert!(!n_is_5("if (m) goto in; if (n != 5) return; in: k<<<1, 64>>>(d, n);"));
    assert!(!n_is_5("if (m) goto in; if (n != 5) return; for (;;) { k<<<1, 64>>>(d, n); in: ; }"));
    assert!(!n_is_5(
        "if (m) goto in; if (n != 5) return; do { k<<<1, 64>>>(d, n); in: ; } while (m);"
    ));
}

#[test]
fn variables_of_the_file() {
    // A call may change it between the two.
    let host =
        "int n;\nvoid g();\nvoid f(float *d) { dim3 grid(n / 64); g(); k<<<grid, 64>>>(d, n); }";
    assert!(!said(host)[0].contains(&"gridDim.x == n / 64".to_owned()), "{:?}", said(host));
    let host = "int n;\nvoid f(float *d) { dim3 grid(n / 64); k<<<grid, 64>>>(d, n); }";
    assert!(said(host)[0].contains(&"gridDim.x == n / 64".to_owned()), "{:?}", said(host));
    let host = "int b = 64;\nvoid f(float *d) { k<<<1, b>>>(d, 1); }";
    assert!(!said(host)[0].contains(&"blocks of 64".to_owned()));
}

#[test]
fn launches_that_are_not_understood() {
    let why = |host: &str| {
        let (sites, _) = read(&format!("{KERNEL}{host}"));
        sites.into_iter().map(|site| site.unknown.unwrap_or_default()).collect::<Vec<_>>()
    };
    let mentioned = "it is mentioned otherwise than by a launch";
    let pointer = "void f(float *d) { void (*p)(float *, int) = k; p<<<1, 64>>>(d, 1); }";
    assert_eq!(why(pointer), [mentioned]);
    assert_eq!(why("void f(float *d) { launch(k, d); }"), [mentioned]);
    assert_eq!(
        why("void f(float *d) { auto l = [=] { k<<<1, 64>>>(d, 1); }; l(); }"),
        ["it stands in a lambda"]
    );
    // Asking for its properties is no launch, nor is declaring it.
    let asked = "__global__ void k(float *, int);\nvoid f() { cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1); }";
    assert_eq!(why(asked), [""; 0]);
}

#[test]
fn conditionals_of_the_preprocessor() {
    let sites = |host: &str| {
        let (sites, _) = read(&format!("{KERNEL}{host}"));
        sites.into_iter().map(|site| site.unknown.is_some()).collect::<Vec<_>>()
    };
    let dead = "#if 0\nvoid g(float *d) { k<<<1, 64>>>(d, 1); }\n#endif\nvoid f(float *d) { k<<<1, 32>>>(d, 1); }";
    assert_eq!(sites(dead), [false]);
    // Which one is compiled is not known.
    let open = "#include \"missing.h\"\n#ifdef OPEN\nvoid g(float *d) { k<<<1, 64>>>(d, 1); }\n#endif\n\
        void f(float *d) { k<<<1, 32>>>(d, 1); }";
    assert_eq!(sites(open), [false, true]);
    let within = "#include \"missing.h\"\nvoid f(float *d) { int b = 64;\n#ifdef OPEN\n b = 32;\n#endif\n\
        k<<<1, b>>>(d, 1); }";
    assert_eq!(sites(within), [true]);
}

#[test]
fn other_kernels_and_default_arguments() {
    let source = "__global__ void k(float *a, int n = 4) { a[threadIdx.x / n] = 0; }\n\
        void f(float *d) { k<<<1, 64>>>(d); }";
    let all = launched(source);
    let conditions = &all[0].as_ref().expect("a kernel under its launch").conditions;
    assert_eq!(*conditions, ["blocks of 64", "gridDim.x == 1"]);
    let overloads = "__global__ void k(float *a) { a[0] = 0; }\n__global__ void k(int *a) { a[0] = 0; }\n\
        void f(float *d) { k<<<1, 64>>>(d); }";
    let (sites, _) = read(overloads);
    assert!(sites.iter().all(|site| site.unknown.is_some()));
    // A kernel that the file does not define has no launches here.
    let elsewhere = format!(
        "{KERNEL}__global__ void other(float *);\nvoid f(float *d) {{ other<<<1, 1>>>(d); }}"
    );
    assert!(read(&elsewhere).0.is_empty());
}
