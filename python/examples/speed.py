"""How long a `check` takes in a running Python: medians over many calls, of the clock and of the processor.

    speed.py [CALLS]                        # some kernels
    speed.py --corpus FOLDER [CALLS] [NAME=VALUE ...]

Of each kernel of a folder `check(source, block=256, n=1024)` is asked; those without an `n` are asked without it. Further
keywords of `check` follow the number of calls: `contract=none`, `fix_time=0`. Solvers that run as processes count, too.
"""

import ast
import pathlib
import re
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


def busy():
    """Seconds of a processor so far, of this process and of those that it waited for."""
    try:
        import resource
    except ImportError:
        return time.process_time()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measured(source, options, calls):
    """The verdict, and milliseconds of the clock and of a processor, call by call."""
    times, used, verdict = [], [], None
    for _ in range(calls):
        start, before = time.perf_counter(), busy()
        verdict = babycuda.check(source, **options).verdict
        times.append((time.perf_counter() - start) * 1000)
        used.append((busy() - before) * 1000)
    return verdict, times, used


def corpus(folder, calls, options):
    """Each kernel, the slowest last, and what is true of all and of the racy ones."""
    rows = []
    for path in sorted(pathlib.Path(folder).glob("*.cu")):
        source = path.read_text()
        head = re.search(r"__global__[^(]*\(([^)]*)\)", source)
        with_n = dict(n=1024) if head and re.search(r"\bn\b", head.group(1)) else {}
        verdict, times, used = measured(source, dict(block=256, **with_n, **options), calls)
        rows.append((statistics.median(used), statistics.median(times), verdict, path.name))
    for used, clock, verdict, name in sorted(rows):
        print(f"{used:9.1f} ms of a processor {clock:9.1f} ms on the clock  {verdict:9} {name}")
    for what, chosen in (("all", rows), ("racy", [row for row in rows if row[2] == "racy"])):
        used = [row[0] for row in chosen]
        below = sum(one < 100 for one in used)
        print(f"{what}: {len(used)} kernels, median {statistics.median(used):.1f} ms of a processor, {below} below 100 ms")


if __name__ == "__main__":
    words = sys.argv[1:]
    folder = words[1] if words[:1] == ["--corpus"] else None
    words = words[2:] if folder else words
    numbers = [int(word) for word in words if "=" not in word]
    settings = dict(word.split("=", 1) for word in words if "=" in word)
    for name, value in settings.items():
        settings[name] = ast.literal_eval(value) if value[:1].isdigit() else value
    if folder:
        corpus(folder, (numbers or [5])[0], settings)
    else:
        for name, (source, options) in KERNELS.items():
            verdict, times, used = measured(source, {**options, **settings}, (numbers or [200])[0])
            print(
                f"{name}: {verdict}, median {statistics.median(times):.2f} ms "
                f"({statistics.median(used):.2f} ms of a processor), slowest {max(times):.1f} ms"
            )
