//! How often loops run: those that a `break` leaves, and those that count in floats.

use super::*;

/// The outcome for a kernel of these statements, in blocks of 64 threads.
fn outcome(statements: &str) -> Outcome {
    let source = format!(
        "__global__ void k(int *a, int *b, int n, int m, unsigned u) {{
             int t = threadIdx.x, i;
             {statements}
         }}"
    );
    kernel(&source, &Settings::default(), Some(Dim3::line(64))).verdict.outcome
}

#[test]
fn a_break_that_all_threads_take_together() {
    for (statements, wanted) in [
        // The barrier behind the `break` is missing in the last turn alone.
        (
            "for (i = 0; i < n; i++) { a[t + i] = 1; __syncthreads(); if (i == m) break; }",
            Outcome::Drf,
        ),
        (
            "for (i = 0; i < n; i++) { b[t] = a[t + 1]; __syncthreads(); if (i == n - 1) break;
             a[t] = b[t]; __syncthreads(); }",
            Outcome::Drf,
        ),
        (
            "for (i = 0; i < n; i++) { b[t] = a[t + 1]; __syncthreads(); if (i == n - 1) break;
             a[t] = b[t]; }",
            Outcome::Racy,
        ),
        // What the last turn does before it, and what stands behind the loop.
        (
            "for (i = 0; i < n; i++) { __syncthreads(); if (i >= m) { a[0] = 1; break; } }",
            Outcome::Racy,
        ),
        (
            "for (i = 0; i < n; i++) { __syncthreads(); a[t + 64] = 1; if (i == m) break;
             __syncthreads(); } a[t + 63] = 1;",
            Outcome::Racy,
        ),
        (
            "for (i = 0; i < n; i++) { __syncthreads(); a[t + 64] = 1; __syncthreads(); if (i == m)
             break; } a[t + 63] = 1;",
            Outcome::Drf,
        ),
        // What the counter is afterwards.
        (
            "for (i = 0; ; i++) { if (i == 7) break; __syncthreads(); } if (i != 7) a[0] = 1;",
            Outcome::Drf,
        ),
        ("for (i = 0; i < n; i++) { if (i == 7) break; } if (i == 7) a[0] = 1;", Outcome::Racy),
        ("for (i = 0; i < n; i++) { if (i == 7) break; } if (i > 7) a[0] = 1;", Outcome::Drf),
        (
            "for (i = 0; i < n; i++) { __syncthreads(); if (m > 2) { a[t + i] = 1; break; } }",
            Outcome::Drf,
        ),
        // Threads that leave the loop at different turns.
        ("for (i = 0; i < n; i++) { if (i == t) break; __syncthreads(); }", Outcome::Divergent),
    ] {
        assert_eq!(outcome(statements), wanted, "{statements}");
    }
}

/// Floats are computed where the result is exact.
#[test]
fn a_counter_that_is_a_float() {
    for (statements, wanted) in [
        ("for (float x = -3; x <= 4; x++) a[t] = 1; if (t == 0) b[0] = 1;", Some(Outcome::Drf)),
        ("for (float x = 0; x < 2.5f; x += 0.5f) __syncthreads(); b[0] = 1;", Some(Outcome::Racy)),
        ("i = 0; for (float x = 1; x < 40; x *= 2) i++; if (i != 6) b[0] = 1;", Some(Outcome::Drf)),
        ("i = (int)(2.75f * 4); if (i != 11) b[0] = 1;", Some(Outcome::Drf)),
        ("if (-1.5 < 0 && 2 - 0.5f == 1.5) b[0] = 1;", Some(Outcome::Racy)),
        // More rounds than are unrolled, each with rounds of its own: what comes after them is still known to be free.
        (
            "for (float x = 0; x < 100; x++) for (float y = 0; y < 100; y++)
             for (float z = 0; z < 100; z++) a[t] = 1;",
            Some(Outcome::Drf),
        ),
        // A sum that is rounded, a quotient, and a limit that nobody knows.
        ("for (float x = 0.1f; x < 1; x += 0.1f) i++; b[0] = 1;", None),
        ("if (1e16 + 1.0 == 1e16) {} else b[0] = 1;", None),
        ("if (3.0f / 4 == 0.75f) b[0] = 1;", None),
        ("for (float x = 0; x < n; x++) i++; b[0] = 1;", None),
    ] {
        let found = outcome(statements);
        match wanted {
            Some(wanted) => assert_eq!(found, wanted, "{statements}"),
            None => assert!(matches!(found, Outcome::Unknown(_)), "{statements}: {found:?}"),
        }
    }
}

/// A counter that doubles goes no further than its type.
#[test]
fn a_counter_that_doubles() {
    for (statements, wanted) in [
        (
            "for (unsigned k = 1; k < u; k *= 2) {
                 if (t % (2 * k) == 0) a[t] = a[t + k];
                 __syncthreads();
             }",
            Outcome::Drf,
        ),
        (
            "for (unsigned k = 1; k < u; k <<= 1) if (t % (2 * k) == 0) a[t] = a[t + k];",
            Outcome::Racy,
        ),
        ("for (i = 1; i < n; i *= 2) a[t] = i; if (n > 1 << 30) b[0] = 1;", Outcome::Drf),
        ("for (i = 1; i < n; i *= 2) a[t] = i; if (n >= 1 << 30) b[0] = 1;", Outcome::Racy),
        ("for (unsigned k = 3; k < u; k *= 4) a[t] = k; if (u > 3u << 30) b[0] = 1;", Outcome::Drf),
        (
            "for (unsigned k = 3; k < u; k *= 4) a[t] = k; if (u >= 3u << 28) b[0] = 1;",
            Outcome::Racy,
        ),
    ] {
        assert_eq!(outcome(statements), wanted, "{statements}");
    }
}

/// A condition compares a multiple of the counter, or a quotient.
#[test]
fn multiples_of_a_counter_count() {
    for (statements, wanted) in [
        (
            "for (u = n;; u += 3) { if ((u * 8 / 64) * 8 >= 512) break; a[t] = 1; __syncthreads();
             a[t + 1] = 2; __syncthreads(); }",
            Outcome::Drf,
        ),
        (
            "for (u = n;; u += 3) { if ((u * 8 / 64) * 8 >= 512) break; a[t] = 1; __syncthreads();
             a[t + 1] = 2; }",
            Outcome::Racy,
        ),
        // The last turn, and one more.
        ("for (u = 0; u * 8 < 64; u++) { if (u == 8) a[0] = t; __syncthreads(); }", Outcome::Drf),
        ("for (u = 0; u * 8 <= 64; u++) { if (u == 8) a[0] = t; __syncthreads(); }", Outcome::Racy),
        ("for (u = n; u / 3 < 7; u++) { if (u >= 21) a[0] = t; __syncthreads(); }", Outcome::Drf),
        ("for (u = n; u / 3 <= 7; u++) { if (u >= 21) a[0] = t; __syncthreads(); }", Outcome::Racy),
    ] {
        assert_eq!(outcome(statements), wanted, "{statements}");
    }
}

/// Buffers that are exchanged in each iteration are those that they were every second time.
#[test]
fn buffers_that_change_places() {
    let turns =
        |body: &str| format!("for (i = 0; i < n; i++) {{ {body} int *x = a; a = b; b = x; }}");
    for (statements, wanted) in [
        (turns("b[t] = a[63 - t]; __syncthreads();"), Outcome::Drf),
        (turns("b[t] = a[63 - t];"), Outcome::Racy),
        (turns("b[t] = a[63 - t]; a[t] = 1; __syncthreads();"), Outcome::Racy),
        (turns("b[t] = a[t]; if (i > 2) a[t / 2] = t;"), Outcome::Racy),
        (turns("b[t] = a[63 - t]; __syncthreads();") + " b[t] = 1;", Outcome::Drf),
        (turns("b[t] = a[63 - t]; __syncthreads();") + " b[t] = a[t + 1]; a[t] = 1;", Outcome::Racy),
        (
            "__shared__ int s[3][64]; int st = 0; for (i = 0; i < n; i++) { s[st][t] = a[t]; __syncthreads();
             b[t] = s[st][63 - t]; st = (st + 1) % 3; }"
                .to_owned(),
            Outcome::Drf,
        ),
        (
            "__shared__ int s[3][64]; int st = 0; for (i = 0; i < n; i++) { s[st][t] = a[t]; __syncthreads();
             b[t] = s[(st + 1) % 3][63 - t]; st = (st + 1) % 3; }"
                .to_owned(),
            Outcome::Racy,
        ),
    ] {
        let found = outcome(&statements);
        assert_eq!(found, wanted, "{statements}");
    }
}

/// Threads that leave a loop together meet at its barriers, how often it runs is not known. A race that rests on that is
/// potential.
#[test]
fn loops_that_the_threads_of_a_block_leave_together() {
    let flag = |first: &str, behind: &str| {
        format!(
            "__shared__ int go; do {{ {first} if (t == 0) go = 0; __syncthreads(); if (c[t] > 0) atomicOr(&go, 1);
             __syncthreads(); }} while (go); {behind}"
        )
    };
    let vote = |before: &str, body: &str| {
        format!(
            "int more = 1; {before} while (__syncthreads_or(more)) {{ {body} more = a[t] > 0; }} a[t] = 1;"
        )
    };
    let counted = "__shared__ int go; int i = 0; if (t == 0) go = 1; __syncthreads();
        while (go && i < n) { __syncthreads(); if (t == 0) go = c[i]; i++; __syncthreads(); } a[t] = 1;";
    let potential = Outcome::Unknown(String::new());
    for (statements, wanted) in [
        (flag("__syncthreads();", "a[t] = 1;"), Outcome::Drf),
        (flag("", "a[t] = 1;"), potential.clone()),
        (flag("__syncthreads();", "if (t == 0) go = 1;"), potential.clone()),
        (vote("", "a[t] = 1;"), Outcome::Drf),
        (vote("", "a[t] = a[t + 1];"), potential),
        (vote("a[t / 2] = 1;", ""), Outcome::Racy),
        (counted.to_owned(), Outcome::Drf),
    ] {
        let source = format!(
            "__global__ void k(float *a, const int *c, int n) {{ int t = threadIdx.x; {statements} }}"
        );
        let found = kernel(&source, &Settings::default(), Some(Dim3::line(64))).verdict.outcome;
        let same = match (&found, &wanted) {
            (Outcome::Unknown(_), Outcome::Unknown(_)) => true,
            _ => found == wanted,
        };
        assert!(same, "{statements}: {found:?}");
    }
}
