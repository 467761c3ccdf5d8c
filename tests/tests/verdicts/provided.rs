//! What the device provides: textures hold data, generators have a state.

use super::*;

fn outcome(statements: &str) -> Outcome {
    let source = format!(
        "texture<float4, 2> colours; texture<unsigned char, 1, cudaReadModeElementType> bytes;
         texture<unsigned char, 1, cudaReadModeNormalizedFloat> shades; float *no_texture;
         __global__ void k(float *f, int *a, cudaTextureObject_t t, curandState *s) {{
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
