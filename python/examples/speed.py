"""How long a `check` takes in a running Python: medians over many calls, of the clock and of the processor."""

import statistics
import sys
import time

import babycuda

KERNELS = {
    "race-free, one launch": ("__global__ void k(int *a, int n) { int i = threadIdx.x; if (i < n) a[i] = 1; }", dict(block=256, grid=1, n=1024)),
    "race-free, all launches": ("__global__ void k(int *a, int n) { int i = threadIdx.x; if (i < n) a[i] = 1; }", dict(grid=1)),
    "racy, with its fix": (
        "__global__ void k(int *out) { __shared__ int s[256]; s[threadIdx.x] = threadIdx.x; out[threadIdx.x] = s[255 - threadIdx.x]; }",
        dict(block=256, grid=1),
    ),
    "a program of two threads": ("threads 2; A[tid] := tid; sync; let x = A[1 - tid] in A[tid] := x", {}),
}

calls = int(sys.argv[1]) if len(sys.argv) > 1 else 200
for name, (source, options) in KERNELS.items():
    times, busy = [], []
    for _ in range(calls):
        start, before = time.perf_counter(), time.process_time()
        verdict = babycuda.check(source, **options).verdict
        times.append(time.perf_counter() - start)
        busy.append(time.process_time() - before)
    print(
        f"{name}: {verdict}, median {statistics.median(times) * 1000:.2f} ms "
        f"({statistics.median(busy) * 1000:.2f} ms of a processor), slowest {max(times) * 1000:.1f} ms"
    )
