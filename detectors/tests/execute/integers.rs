//! Integers are C's.

use crate::{block, cells, go};
use babycuda_detectors::execute::{End, Halt};

/// What one thread stores.
fn value(expression: &str) -> Option<u64> {
    let source = format!("__global__ void k(long long *a) {{ a[0] = {expression}; }}");
    let run = go(&source, &block(1));
    assert_eq!(run.stop, None, "{expression}");
    cells(&run, "a", 1)[0]
}

#[test]
fn arithmetic_wraps_converts_and_compares_as_c_does() {
    let signed = |n: i64| Some(n as u64);
    assert_eq!(value("(unsigned)-1 + 2u"), Some(1));
    assert_eq!(value("-7 / 2"), signed(-3));
    assert_eq!(value("-7 % 2"), signed(-1));
    assert_eq!(value("(signed char)200"), signed(-56));
    assert_eq!(value("(unsigned char)-1 << 4"), Some(0xff0));
    assert_eq!(value("-16 >> 2"), signed(-4));
    assert_eq!(value("-1 < 1u"), Some(0));
    assert_eq!(value("(short)40000 + 0u"), Some(u64::from((40000u16 as i16 as i32) as u32)));
    assert_eq!(value("sizeof(int) * 2"), Some(8));
    assert_eq!(value("(3 > 2) + (0 ? 1 : 5)"), Some(6));
    assert_eq!(value("min(-1, 1) + max(2, 3)"), Some(2));
    assert_eq!(value("__popc(0xf0) + __clz(1) + __ffs(8)"), Some(39));
    assert_eq!(value("(int)(1.5f * 4.0f) + (2.0f < 3.0f)"), Some(7));
    assert_eq!(value("(0 && 1 / 0) || 7"), Some(1));
    assert_eq!(value("(1, 2)"), Some(2));
}

/// What is no number equals nothing, and a sum that loses something is not known.
#[test]
fn floats_are_known_where_they_are_exact() {
    let source = "__global__ void k(int *a, double *d) {
        int bits = 0x7fc00000;
        float none = *(float *)&bits;
        a[0] = none != none; a[1] = none == none; a[2] = none < 1.0f;
        d[0] = 1.0 + 1e-20;
        d[1] = 1.0 + 0.5;
    }";
    let run = go(source, &block(1));
    assert_eq!((run.stop.clone(), cells(&run, "a", 3)), (None, [1, 0, 0].map(Some).to_vec()));
    assert_eq!(cells(&run, "d", 2), [None, Some(1.5f64.to_bits())]);
}

#[test]
fn updates_and_steps_have_the_values_of_c() {
    let source = "__global__ void k(int *a, unsigned char *b) {
        int x = 5;
        a[0] = x++ + ++x;
        a[1] = x--;
        a[2] = x;
        b[0] = 250;
        b[0] += 10;
        int *p = a + 3;
        *p++ = 1;
        *p = 2;
        a[5] = p - a;
        x <<= 3;
        a[6] = x;
        bool t = 7;
        t |= 0;
        a[7] = t;
    }";
    let run = go(source, &block(1));
    let wanted = [12, 7, 6, 1, 2, 4, 48, 1].map(Some);
    assert_eq!((run.stop.clone(), cells(&run, "a", 8)), (None, wanted.to_vec()));
    assert_eq!(cells(&run, "b", 1), [Some(4)]);
}

#[test]
fn what_c_leaves_undefined_stops_its_thread() {
    for (expression, halt) in [
        ("n + 2147483647", Halt::Overflow),
        ("-(n - 2147483647 - 2)", Halt::Overflow),
        ("n << 32", Halt::Shift),
        ("n >> (0 - n)", Halt::Shift),
        ("n / (n - 1)", Halt::Division),
    ] {
        let source =
            format!("__global__ void k(int *a, int n) {{ a[0] = 1; a[0] = {expression}; }}");
        let run = go(&source, &block(2).with("n", 1u32));
        assert!(
            matches!(run.ends[1], End::Halted(h, _) if h == halt),
            "{expression}: {:?}",
            run.ends
        );
        assert_eq!(cells(&run, "a", 1), [Some(1)], "{expression}");
        assert_eq!(run.stop, None);
    }
    let assertion = "#include <assert.h>
        __global__ void k(int *a) { assert(threadIdx.x); a[threadIdx.x] = 1; }";
    let run = go(assertion, &block(2));
    assert!(matches!(run.ends[..], [End::Halted(Halt::Assertion, _), End::Returned]));
}

#[test]
fn floats_are_known_where_no_rounding_matters() {
    let source = "__global__ void k(float *a, int *b) {
        a[0] = 0.5f + 0.25f;
        a[1] = 0.1f * 0.1f;
        b[0] = a[0] * 4.0f;
        if (a[0] > 0.5f) b[1] = 1;
        if (a[1] > 0.0f) b[2] = 1;
        if (a[1] > 0.01f) b[3] = 1;
    }";
    let run = go(source, &block(1));
    let stop = run.stop.clone().map(|stop| stop.to_string());
    assert_eq!(stop.as_deref(), Some("a branch of thread 0 rests on a value that is not known"));
    assert_eq!(cells(&run, "b", 4), [Some(3), Some(1), Some(1), Some(0)]);
    assert_eq!(cells(&run, "a", 2), [Some(0.75f32.to_bits().into()), None]);
}
