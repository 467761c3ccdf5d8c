// place: SKBG18, §4.1, “For Loop”, the table
// paper: `(true) ⟹ i2 = (i1 + i2k × 1) ∧ (i2k ≥ 0)`, `(i2 < 100) ⟹ y1 = i2 + 9`: any iteration may be the one.
// expect: compare --show two-thread => 0 | true => (and (>= i.k0 0) (== i1 (+ i0 (* i.k0 1)))) | (< i1 100) => (== y1 (+ i1 9))
// why: The same formulae, with other names. That any iteration may be the one is sound only while the condition
//   holds of all iterations before it: `for (int i = 0; i != 1; i++)` makes it raise false alarms (T10).
__global__ void loop(int *a) {
    int y = 0;
    for (int i = 0; i < 100; i++) {
        y = i + 9;
    }
    a[threadIdx.x] = y;
}
