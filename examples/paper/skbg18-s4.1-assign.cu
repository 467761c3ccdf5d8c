// place: SKBG18, §4.1, “Assignments” and “Important Unary and Binary Operators”
// paper: `int x = 10, y = 10;` has “action expression for each of them”. Of `=`, “the SSA index of the
//   lvalue of the assignment expression is incremented”. The tool has `!`, `~`, unary `-`, `++` and `--`.
// expect: compare --show two-thread => 0 | true => (== x0 10) | true => (== y0 10) | true => (== y1 -x0) | true => (== y2 ~x0) | true => (== y3 !x0) | true => (== x1 (+ x0 1)) | true => (== x2 (- x1 1))
// why: The same formulae; SSA numbers start at 0 here. All but the declaration is ours.
__global__ void assignments(int *a) {
    int x = 10, y = 10;
    y = -x;
    y = ~x;
    y = !x;
    x++;
    --x;
    a[threadIdx.x] = x + y;
}
