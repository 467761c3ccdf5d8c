//! What the device provides: textures hold data, surfaces are memory, generators have a state, inline assembly
//! computes in registers.

use super::*;

fn outcome(statements: &str) -> Outcome {
    let source = format!(
        "texture<float4, 2> colours; texture<unsigned char, 1, cudaReadModeElementType> bytes;
         texture<unsigned char, 1, cudaReadModeNormalizedFloat> shades; float *no_texture;
         __global__ void k(float *f, int *a, cudaTextureObject_t t, curandState *s,
             cudaSurfaceObject_t u, cudaSurfaceObject_t w) {{
             int i = threadIdx.x; {statements}
         }}"
    );
    let kernels = parse_cuda(&source, &Settings::default().into()).expect("readable");
    match &kernels[0].translation {
        Translation::Program(program) => {
            check(program, &CheckOptions::default()).expect("well-scoped").verdict.outcome
        }
        Translation::Unsupported(unsupported) => Outcome::Unknown(unsupported.construct.clone()),
    }
}

#[test]
fn textures_hold_data() {
    let drf = [
        "f[i] = tex2D<float>(t, i + 0.5f, 0.5f);",
        "f[i] = tex2D(colours, i, 0).x;",
        "a[i] = tex1Dfetch(bytes, i) + tex1Dfetch<int>(t, i);",
        "f[i] = tex1Dfetch(shades, i);",
        // The coordinates are evaluated.
        "f[i] = tex1Dfetch<float>(t, a[i]++);",
        "if (tex1Dfetch(bytes, 0)) a[i] = 0;",
    ];
    for statements in drf {
        assert_eq!(outcome(statements), Outcome::Drf, "{statements}");
    }
    for statements in ["f[0] = tex1Dfetch<float>(t, i);", "f[i] = tex1Dfetch<float>(t, a[0]++);"] {
        assert_eq!(outcome(statements), Outcome::Racy, "{statements}");
    }
    for (statements, why) in [
        ("a[tex1Dfetch(bytes, i)] = 0;", "data"),
        ("if (tex1Dfetch(bytes, 0)) a[0] = 0;", "data"),
        ("tex1Dfetch(f, t, i);", "no texture that the file declares"),
        ("tex1Dfetch<float>(f, t, i);", "pointer as an argument"),
        ("a[i] = tex1Dfetch(no_texture, i);", "no texture that the file declares"),
        ("int bytes = 0; a[i] = tex1Dfetch(bytes, i);", "no texture that the file declares"),
    ] {
        let found = outcome(statements);
        assert!(
            matches!(&found, Outcome::Unknown(r) if r.contains(why)),
            "{statements}: {found:?}"
        );
    }
}

/// A surface is memory of its own, accessed in bytes, then rows and layers.
#[test]
fn surfaces_are_accessed_where_coordinates_say() {
    for statements in [
        "surf1Dwrite(1.0f, u, 4 * i);",
        "surf2Dwrite(f[i], u, i * sizeof(float), blockIdx.x, cudaBoundaryModeTrap);",
        "f[i] = surf1Dread<float>(u, 4); f[i] = surf1Dread<float>(w, 4 * i);",
        "float x; surf1Dread(&x, u, 4 * i + 4); surf1Dwrite(x, w, 4 * i);",
        "surf2Dwrite(1.0f, u, 0, i); surf3Dwrite(a[i], w, 4, i, 0); surf3Dwrite(a[i], w, 4, i, 1);",
        "if (i < 5) surf2DLayeredwrite(make_float4(0, 0, 0, 0), u, 0, 7, i);",
        // Nobody gets behind the edge.
        "if (i > 2) { surf1Dread<int>(u, -1); a[0] = 1; }",
        "surf2Dwrite(1, u, 0, 1 << 20); a[0] = 1;",
    ] {
        assert_eq!(outcome(statements), Outcome::Drf, "{statements}");
    }
    for statements in [
        "surf1Dwrite(1.0f, u, i);",
        "surf1Dwrite(1.0, u, 4 * i);",
        "surf2Dwrite(1.0f, u, 4 * i, 0); f[i] = surf2Dread<float>(u, 4 * i + 4, 0);",
        "surf2Dwrite(1.0f, u, 4, i / 2);",
        "surf3Dwrite(a[i], u, 4, 2, 3);",
    ] {
        assert_eq!(outcome(statements), Outcome::Racy, "{statements}");
    }
    for (statements, why) in [
        ("surf1Dwrite(1, u, 4 * i, cudaBoundaryModeClamp);", "another mode"),
        ("surf1Dwrite(1, u, a[0]++);", "an effect in a coordinate"),
        ("surf2Dwrite(1, u, 4 * i);", "this number of arguments"),
        ("surf1Dwrite(1, i, 4 * i);", "no object"),
        ("surf1Dwrite(a[0]++, u, -1);", "not replayed"),
    ] {
        let found = outcome(statements);
        assert!(
            matches!(&found, Outcome::Unknown(r) if r.contains(why)),
            "{statements}: {found:?}"
        );
    }
}

/// Inline assembly that stays in registers yields data, and a special register what it says.
#[test]
fn assembly_computes_in_registers() {
    let asm = |code: &str, operands: &str| format!("unsigned r = i; asm(\"{code}\" {operands});");
    for (code, operands, then, wanted) in [
        ("popc.b32 %0, %1;", r#": "=r"(a[i]) : "r"(i)"#, "", Outcome::Drf),
        ("popc.b32 %0, %1;", r#": "=r"(a[0]) : "r"(i)"#, "", Outcome::Racy),
        ("popc.b32 %0, %1;", r#": "=r"(r) : "r"(a[0]++)"#, "", Outcome::Racy),
        ("add.u32 %0, %0, 1;", r#": "+r"(a[i])"#, "a[i + 64] = 1;", Outcome::Racy),
        ("mov.u32 %0, %tid.x;", r#": "=r"(r)"#, "a[r] = 1;", Outcome::Drf),
        (
            "mov.u32 %0, %%laneid;",
            r#": "=r"(r)"#,
            "if (threadIdx.y + threadIdx.z == 0 && i < 32) a[r] = 1;",
            Outcome::Drf,
        ),
        ("mov.u32 %0, %%laneid;", r#": "=r"(r)"#, "a[r] = 1;", Outcome::Racy),
        (
            "mov.u32 %0, %%laneid;",
            r#": "=r"(r)"#,
            "if (r != (threadIdx.x + (threadIdx.y + threadIdx.z * blockDim.y) * blockDim.x) % 32) a[0] = i;",
            Outcome::Drf,
        ),
        ("mov.u32 %0, %%tid.y;", r#": "=r"(r) : "r"(a[0])"#, "a[1] = 1; a[i] = 1;", Outcome::Racy),
        ("mov.u32 %0, %%tid.y;", r#": "=r"(r)"#, "if (r != threadIdx.y) a[0] = i;", Outcome::Drf),
        ("mov.u32 %0, %%tid.z;", r#": "=r"(r)"#, "if (r != threadIdx.z) a[0] = i;", Outcome::Drf),
        ("mov.u32 %0, %%ntid.y;", r#": "=r"(r)"#, "if (r != blockDim.y) a[0] = i;", Outcome::Drf),
        ("mov.u32 %0, %%ctaid.x;", r#": "=r"(r)"#, "if (r != blockIdx.x) a[0] = i;", Outcome::Drf),
        ("mov.u32 %0, %%nctaid.x;", r#": "=r"(r)"#, "if (r != gridDim.x) a[0] = i;", Outcome::Drf),
        ("bar.sync 0;", "::: \"memory\"", "a[i] = a[i + 1]; ", Outcome::Racy),
        ("membar.gl;", "", "a[i] = 1;", Outcome::Drf),
        ("ld.global.u32 %0, [%1];", r#": "=r"(r) : "l"(a)"#, "a[i + 1] = r;", Outcome::Drf),
        ("ld.global.u32 %0, [%1 + 4];", r#": "=r"(r) : "l"(a)"#, "a[i + 1] = r;", Outcome::Racy),
        ("st.global.cs.u32 [%0], %1;", r#":: "l"(&a[i]), "r"(r)"#, "", Outcome::Drf),
        ("st.global.cs.u32 [%0], %1;", r#":: "l"(&a[i / 2]), "r"(r)"#, "", Outcome::Racy),
        ("st.v2.u32 [%0], {%1, %2};", r#":: "l"(a + 2 * i), "r"(r), "r"(i)"#, "", Outcome::Drf),
        ("st.v2.u32 [%0], {%1, %2};", r#":: "l"(a + i), "r"(r), "r"(i)"#, "", Outcome::Racy),
        ("st.u64 [%0], %1;", r#":: "l"(a + i), "l"(0ull)"#, "", Outcome::Racy),
        ("red.global.add.u32 [%0], %1;", r#":: "l"(a), "r"(r)"#, "", Outcome::Drf),
        ("red.add.u32 [%0], %1;", r#":: "l"(a), "r"(r)"#, "r = a[0];", Outcome::Racy),
    ] {
        let statements = format!("{}{then}", asm(code, operands));
        assert_eq!(outcome(&statements), wanted, "{statements}");
    }
    assert_eq!(outcome("f[i] = 0; asm(\"bar.sync 0;\"); f[i + 1] = 0;"), Outcome::Drf);
    for (code, operands, then, why) in [
        ("popc.b32 %0, %1;", r#": "=r"(r) : "r"(i)"#, "a[r] = 1;", "data"),
        ("ld.shared.u32 %0, [%1];", r#": "=r"(r) : "l"(a)"#, "", "`ld.shared.u32 %0, [%1]`"),
        ("@p st.u32 [%0], %1;", r#":: "l"(a), "r"(r)"#, "", "`@p st.u32 [%0], %1`"),
        ("ld.u32 %0, [%1];", r#": "=r"(r) : "r"(i)"#, "", "an address that is a number"),
        ("st.u32 [%0], %1;", r#":: "l"(a), "r"(r), "r"(a[5]++)"#, "", "such operands"),
        ("add.u32 %0, %0, 1;", r#": "+r"(a[r++])"#, "", "an effect in an operand"),
        ("ld.v2.u32 {%0, %1}, [%2];", r#": "=r"(a[8]), "=r"(r) : "l"(a)"#, "", "such operands"),
        ("mov.u64 %0, %1;", r#": "=l"(r) : "l"(a)"#, "", "pointer"),
        ("bar.sync 1;", "", "", "`bar.sync`"),
        ("bar.sync 0;", r#":: "r"(a[3])"#, "", "`bar.sync` with operands"),
    ] {
        let statements = format!("{}{then}", asm(code, operands));
        let found = outcome(&statements);
        assert!(
            matches!(&found, Outcome::Unknown(r) if r.contains(why)),
            "{statements}: {found:?}"
        );
    }
}

#[test]
fn results_are_stored_through_pointers() {
    for statements in [
        "float s, c; sincosf(i, &s, &c); f[i] = s + c;",
        "sincosf(i, &f[2 * i], f + 2 * i + 1);",
        "int e; f[i] = frexpf(f[i], &e);",
        "f[i] = frexpf(f[i], &a[i]);",
    ] {
        assert_eq!(outcome(statements), Outcome::Drf, "{statements}");
    }
    for statements in
        ["sincosf(i, &f[i], &f[i + 1]);", "f[i] = frexpf(1, a);", "f[i] = modff(1, f);"]
    {
        assert_eq!(outcome(statements), Outcome::Racy, "{statements}");
    }
    let data = outcome("int e; f[i] = frexpf(1, &e); a[e] = 1;");
    assert!(matches!(data, Outcome::Unknown(_)), "{data:?}");
}

#[test]
fn generators_have_a_state() {
    for statements in [
        "curand_init(7, i, 0, &s[i]);",
        "f[i] = curand_uniform(&s[i]) + curand_uniform(s + i);",
        "curandState own = s[i]; f[i] = curand_normal(&own) + curand_normal(&own); s[i] = own;",
        "curandState own = s[0]; f[i] = curand_normal(&own);",
    ] {
        assert_eq!(outcome(statements), Outcome::Drf, "{statements}");
    }
    for statements in [
        "curand_init(7, i, 0, s);",
        "f[i] = curand_uniform(&s[i / 2]);",
        "curandState own = s[i]; f[i] = curand_normal(&own); s[0] = own;",
    ] {
        assert_eq!(outcome(statements), Outcome::Racy, "{statements}");
    }
    let data = outcome("a[curand(&s[i]) % 32] = 1;");
    assert!(matches!(data, Outcome::Unknown(_)), "{data:?}");
}

/// Functions of bits are known exactly.
#[test]
fn functions_of_bits_are_known() {
    for statements in [
        "a[__brev(i)] = 1;",
        "a[__brev(i) >> 22] = 1;",
        "if (__popc(i) == 1) a[__ffs(i)] = 1;",
        "if (__popcll(i) == 1) a[__clzll(i)] = 1;",
        "if (i == 1 << (31 - __clz(i))) a[__clz(i)] = 1;",
        "if (__ffsll(i) == 0) a[0] = 1;",
        "a[__umulhi(i, 1 << 31) + (i & 1) * 1024] = 1;",
        "a[__mulhi(-i, 1 << 31) + (i & 1) * 1024] = 1;",
    ] {
        assert_eq!(outcome(statements), Outcome::Drf, "{statements}");
    }
    for statements in [
        "a[__brev(i) >> 23] = 1;",
        "if (__popc(i) == 2) a[__ffs(i)] = 1;",
        "a[__clz(i)] = 1;",
        "a[__umulhi(i, 1 << 31)] = 1;",
    ] {
        assert_eq!(outcome(statements), Outcome::Racy, "{statements}");
    }
    assert!(matches!(outcome("a[__ballot_sync(~0u, i)] = 1;"), Outcome::Unknown(_)));
}
