// place: SKBG18, §4.1, “Conditional Statements”, the table
// paper: The right column: `(true) ⟹ x1 = 10`, `(true) ⟹ y1 = 4`, `(x1 > 9) ⟹ y2 = 6`, `!(x1 > 9) ⟹ y2 = y1`.
// expect: compare --show two-thread => 0 | true => (== x0 10) | true => (== y0 4) | (> x0 9) => (== y1 6) | !(> x0 9) => (== y1 y0)
// why: The same formulae; SSA numbers start at 0 here. The store at the end is ours: without it nothing is accessed.
__global__ void conditional(int *a) {
    int x = 10;
    int y = 4;
    if (x > 9) {
        y = 6;
    }
    a[threadIdx.x] = y;
}
