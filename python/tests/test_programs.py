"""Programs read and built, their runs, derivations and types."""

import pickle
import random
import unittest

import babycuda
from babycuda import build
from babycuda.build import array, for_, if_, param, program, seq, skip, sync, tid, var


class Building(unittest.TestCase):
    def test_what_is_built_is_what_is_read(self):
        n = param("n", "u32")
        a, b = array("A", length=64), array("B", space="global", type="u32", contents="any")
        built = program(
            a[tid].set(tid),
            sync(),
            for_("i", 0, n, lambda i: if_((tid + 1 < n) & ~(i == tid), b[tid * n + i].set(i))),
            a[(tid + 1) % 64].get("x", lambda x: a[tid].set(x)),
            name="ring",
            threads=64,
            params=[n],
            arrays=[a, b],
            assume=[n >= 1],
        )
        text = """kernel ring; block 64; param n: u32; shared A[64]; global B: u32 = any; assume n >= 1;
            A[tid] := tid; sync;
            forU i in 0..n { if tid + 1 < n && !(i == tid) { B[tid * n + i] := i } else { skip } };
            let x = A[(tid + 1) % 64] in A[tid] := x"""
        self.assertEqual(built, babycuda.parse(text))
        self.assertEqual(built, babycuda.parse(str(built)))
        self.assertEqual(built, babycuda.parse(built.json()))
        self.assertEqual(hash(built), hash(babycuda.parse(text)))
        self.assertEqual(pickle.loads(pickle.dumps(built)), built)
        self.assertEqual((built.name, built.params, sorted(built.arrays)), ("ring", {"n": "u32"}, ["A", "B"]))
        self.assertEqual(babycuda.check(built, n=4).document["kernels"][0]["name"], "ring")

    def test_operators(self):
        for made, text in [
            (tid + 1 < "n", "tid + 1 < n"),
            ((tid & 3) == 2, "and.u32(tid, 3) == 2"),
            (1 + tid * 2 - 3, "1 + tid * 2 - 3"),
            ((tid + 1) * 2 // 3 % 5, "(tid + 1) * 2 / 3 % 5"),
            (build.true | ~(tid == 0), "true || !(tid == 0)"),
            (tid.machine("shl", 2, "i32"), "shl.i32(tid, 2)"),
            (tid.compare("lt", 2, "i32"), "lt.i32(tid, 2)"),
            (build.select(tid == 0, 1, build.minimum(tid, 7)), "select(tid == 0, 1, min(tid, 7))"),
            (build.cast("u32", "i8", tid << 1), "cast.u32.i8(shl.u32(tid, 1))"),
        ]:
            self.assertEqual(str(made), text)

    def test_random_expressions_are_read_as_they_were_built(self):
        draw = random.Random(7)

        def number(depth):
            if depth == 0:
                return draw.choice([tid, 1, 7, "n"])
            left, right = number(depth - 1), number(depth - 1)
            left = build.Expr.of(left)
            return draw.choice([
                lambda: left + right, lambda: left - right, lambda: left * right, lambda: left // right,
                lambda: left % right, lambda: left & right, lambda: build.maximum(left, right),
                lambda: build.select(condition(depth - 1), left, right),
            ])()  # fmt: skip

        def condition(depth):
            left = build.Expr.of(number(depth))
            one = draw.choice([left < 3, left == "n", left >= tid])
            other = draw.choice([left != 3, build.true, left.compare("le", 3, "i64")])
            return draw.choice([one & other, one | other, ~one, one])

        for _ in range(200):
            made = program(
                if_(condition(2), seq(array("A")[number(3)].set(number(2)), skip()), None),
                for_("i", number(1), number(1), array("A")["i"].set("i")),
                params=[param("n")],
                threads=4,
            )
            self.assertEqual(made, babycuda.parse(str(made)))

    def test_atomics_and_barriers(self):
        made = program(
            array("C")[0].atomic("add", 1, "t", lambda t: array("A")[t].set(tid)),
            for_("i", 0, 4, lambda i: [sync("warp"), array("C")[i].atomic("cas", 1, expected=0, scope="block")]),
            threads=4,
        )
        self.assertIn("forS i", str(made))
        self.assertIn("atomic.block C[i] cas 1 if 0", str(made))
        self.assertEqual(made, babycuda.parse(str(made)))

    def test_mistakes(self):
        wrong = [
            lambda: bool(tid < 3), lambda: 0 <= tid < 3, lambda: tid / 2, lambda: hash(tid), lambda: (tid == 1) == (tid == 2),
        ]  # fmt: skip
        for one in wrong:
            self.assertRaises(TypeError, one)
        wrong = [
            lambda: tid + -1, lambda: tid + 1.5, lambda: tid + True, lambda: tid.machine("add", 1, "u7"),
            lambda: var(""), lambda: array("a;b`"), lambda: array("A", space="heap"), lambda: if_(tid, skip()),
            lambda: seq("skip"), lambda: seq(3), lambda: array("A", contents="any; threads 3"), lambda: sync("planet"),
            lambda: array("A")[0].atomic("cas", 1), lambda: array("A")[0].atomic("add", 1, expected=2),
            lambda: program(skip(), threads="x"), lambda: program(skip(), params=["n"]),
            lambda: program(skip(), assume=["x; threads 2"]), lambda: program(skip(), params=[param("n"), param("n")]),
            lambda: program(array("A")[var("nobody")].set(0)), lambda: param("n", "u32 = 4"), lambda: var("\ud800"),
            lambda: babycuda.parse("threads 2; wr[tid]"), lambda: babycuda.parse_protocol("threads 2; A[tid] := 0"),
            lambda: babycuda.parse(3), lambda: build.cast(1, "u8", 1), lambda: tid.machine("\ud800", 1), lambda: sync(3), lambda: babycuda.parse("\ud800"), lambda: babycuda.parse(""),
        ]  # fmt: skip
        for number, one in enumerate(wrong):
            with self.subTest(number=number):
                self.assertRaises(babycuda.Error, one)

    def test_deep_programs_do_not_end_the_process(self):
        n = tid
        for _ in range(50_000):
            n = n + 1
        flat = program(array("A")[n].set(0), threads=2)
        self.assertIn(babycuda.check(flat, timeout=1).verdict, ("drf", "unknown"))
        body = skip()
        for _ in range(20_000):
            body = if_(tid == 0, body)
        deep = program(body, threads=2)
        self.assertRaises(babycuda.LimitError, babycuda.parse, str(deep))
        self.assertRaises(babycuda.LimitError, babycuda.check, deep)

    def test_long_numbers_come_and_go(self):
        long = 10**6000 + 7
        made = program(array("A")[long].set(tid), threads=2)
        self.assertEqual(made, babycuda.parse(str(made)))
        race = babycuda.check(made).races[0]
        self.assertEqual(race.index, long)
        self.assertEqual(babycuda.run(made).verdict, "racy")

    def test_names_that_are_keywords(self):
        made = program(array("in")[0].set(tid), threads=1, arrays=[array("in")])
        self.assertEqual(made, babycuda.parse(str(made)))


class Running(unittest.TestCase):
    TEXT = "threads 2; A[tid] := tid; sync; let x = A[1 - tid] in A[tid] := x"
    ILL = "threads 2; A[tid] := tid; sync; let x = A[1 - tid] in A[x] := 9"

    def test_a_history(self):
        history = babycuda.run(self.TEXT)
        self.assertEqual((history.verdict, len(history.phases)), ("racy", 2))
        self.assertEqual([phase.racy for phase in history.phases], [False, True])
        first = history.phases[0].accesses
        self.assertEqual([(e.thread, e.mode, e.cell, e.value) for e in first], [(0, "wr", "A[0]", 0), (1, "wr", "A[1]", 1)])
        self.assertIn("RACY", str(history))
        self.assertIn("<table>", history._repr_html_())
        self.assertTrue(history.races and history.racy_cells)
        race = history.races[0]
        self.assertEqual((race.phase, {race.first[0], race.second[0]}), (1, {0, 1}))

    def test_what_stands_before_narrow_barriers_comes_first(self):
        history = babycuda.run("threads 12; A[tid] := tid; sync.tile4; let x = A[tid / 4 * 4] in B[tid] := x")
        self.assertEqual((history.verdict, len(history.phases)), ("drf", 1))
        each = [(e.thread, e.mode, e.cell, e.value) for e in history.phases[0].accesses]
        self.assertEqual(sorted(each[:12]), [(i, "wr", f"A[{i}]", i) for i in range(12)])
        after = [e for i in range(12) for e in ((i, "rd", f"A[{i // 4 * 4}]", None), (i, "wr", f"B[{i}]", i // 4 * 4))]
        self.assertEqual(each[12:], after)
        self.assertEqual(history.runs[0].document["history"]["format"], "babycuda/history")

    def test_runs_of_kernels_need_their_launch(self):
        kernel = "__global__ void k(int *a, int n) { a[blockIdx.x * blockDim.x + threadIdx.x] = n; }"
        history = babycuda.run(kernel, threads=4, grid=2, n=7)
        self.assertEqual((history.verdict, len(history.runs)), ("drf", 2))
        self.assertRaises(babycuda.UsageError, babycuda.run, kernel)
        self.assertRaises(babycuda.UsageError, babycuda.run, kernel, threads=4, block=4)
        self.assertRaises(babycuda.UsageError, babycuda.run, kernel, threads=4, grid=1, n=7, choose="luck")

    def test_contents_and_choices(self):
        text = "threads 1; global B = any; let x = B[0] in A[x] := x"
        text = "threads 1; global B = any; shared A; let x = B[0] in A[x] := x"
        history = babycuda.run(text, contents={"B": [7]})
        self.assertIn("A[7]", [event.cell for event in history.phases[0].accesses])
        self.assertRaises(babycuda.UsageError, babycuda.run, text, contents={"C": [7]})
        self.assertRaises(babycuda.UsageError, babycuda.run, text, contents=[7])

    def test_between_blocks(self):
        kernel = "__global__ void k(int *a) { a[threadIdx.x] = 1; }"
        history = babycuda.run(kernel, threads=2, grid=2)
        self.assertEqual((history.verdict, history.races), ("racy", ()))
        self.assertEqual(history.across_blocks["count"], 2)

    def test_derivations(self):
        derivation = babycuda.derive(self.TEXT)
        self.assertIn("thread/read", derivation.text)
        self.assertIn("<", derivation.html)
        self.assertIn("\\", derivation.latex)
        self.assertIn("<svg", derivation.svg)
        self.assertIn("derivation", derivation.json())
        self.assertIn("<iframe srcdoc=", derivation._repr_html_())
        self.assertNotIn("<style", derivation._repr_html_())
        types = babycuda.derive("threads 2; A[tid] := tid", "type")
        self.assertTrue(types.text and types.html and types.json())
        self.assertIn("documentclass", types.latex)
        self.assertRaises(babycuda.UsageError, babycuda.derive, self.TEXT, "proof")

    def test_types(self):
        typed = babycuda.type("threads 2; if tid == 0 { A[0] := tid }")
        self.assertEqual((typed.typed, typed.rule), (True, None))
        protocol = babycuda.protocol("threads 2; A[tid] := tid")
        self.assertEqual((str(protocol.body), babycuda.check(protocol).verdict), ("wr[tid]", "drf"))
        self.assertIn("threads 2", str(protocol))
        of_kernel = babycuda.protocol("__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }")
        self.assertEqual(babycuda.check(of_kernel, block=8, n=3).verdict, "drf")
        rejected = babycuda.type(self.ILL)
        self.assertEqual((rejected.typed, rejected.line, rejected.column), (False, 1, 55))
        self.assertTrue(rejected.rule and rejected.premise and rejected.premise_text and rejected.reason)
        with self.assertRaises(babycuda.UsageError) as caught:
            babycuda.protocol(self.ILL)
        self.assertEqual(caught.exception.line, 1)
        self.assertRaises(babycuda.UsageError, babycuda.type, self.ILL, n=3)


class Comparing(unittest.TestCase):
    def test_techniques_beside_the_truth(self):
        kernel = "__global__ void k(int *a) { a[threadIdx.x / 2] = threadIdx.x; }"
        (compared,) = babycuda.compare(kernel, threads=4)
        self.assertEqual((compared.truth.verdict, compared["protocols"].verdict), ("racy", "racy"))
        self.assertIn("two-thread", [answer.technique for answer in compared.answers])
        self.assertIn("technique", str(compared))
        self.assertRaises(KeyError, lambda: compared["luck"])
        self.assertRaises(babycuda.UsageError, babycuda.compare, "threads 2; A[0] := 1")


if __name__ == "__main__":
    unittest.main()
