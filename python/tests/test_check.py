"""Verdicts: their data, and that they are those of the program."""

import copy
import json
import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import babycuda

ROOT = pathlib.Path(os.environ.get("BABYCUDA_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("BABYCUDA_PROGRAM")

RACY = """__global__ void k(int *a, int n) {
  int i = threadIdx.x;
  if (i + 1 < n) a[i] = a[i + 1];
}
"""
FREE = "__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }"


class Verdicts(unittest.TestCase):
    def test_a_race_and_its_witness(self):
        report = babycuda.check(RACY, block=256, n=1024)
        self.assertEqual((report.verdict, report.racy, report.race_free, report.status), ("racy", True, False, 1))
        race = report.races[0]
        self.assertEqual((race.array, race.kind, race.certainty, race.phase), ("a", "rw", "replayed", 0))
        self.assertEqual((race.first.line, race.second.line), (3, 3))
        self.assertNotEqual(race.first.thread, race.second.thread)
        self.assertEqual({race.first.mode, race.second.mode}, {"rd", "wr"})
        self.assertEqual((race.launch.block, race.parameters), ((256, 1, 1), {"n": 1024}))
        self.assertIn("read-write race", race.message)
        self.assertIn("__syncthreads", race.cause)
        self.assertIn("racy", repr(report))

    def test_the_fix_makes_it_race_free(self):
        text = """__global__ void k(int *out) {
  __shared__ int s[256];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[255 - threadIdx.x];
}
"""
        report = babycuda.check(text, block=256, grid=1)
        self.assertEqual(report.verdict, "racy")
        fixed = report.fixed()
        self.assertIn("__syncthreads", fixed)
        self.assertTrue(babycuda.check(fixed, block=256, grid=1).race_free)
        with self.assertRaises(babycuda.UsageError):
            report.fix.apply("short")

    def test_what_is_race_free_says_for_which_launches(self):
        report = babycuda.check(FREE, grid=1, assume="n > 0")
        self.assertTrue(report.race_free)
        self.assertEqual(report[0].scope["block"][0], "1..=1024")
        self.assertTrue(any("n" in text for text in report.assumptions), report.assumptions)
        self.assertIsNone(report.fixed())

    def test_several_kernels_are_as_the_worst(self):
        both = FREE.replace("k(", "f(") + RACY
        report = babycuda.check(both, block=32, grid=1)
        self.assertEqual([kernel.verdict for kernel in report], ["drf", "racy"])
        self.assertEqual((report.verdict, len(report), report["f"].race_free), ("racy", 2, True))
        self.assertEqual(babycuda.check(both, kernel="f", block=32, grid=1).verdict, "drf")
        with self.assertRaises(KeyError):
            report["g"]

    def test_what_is_not_known_has_a_reason(self):
        report = babycuda.check("__global__ void k(int *a) { asm(\"x\"); a[0] = 1; }", block=1)
        self.assertEqual((report.verdict, report.race_free), ("unknown", False))
        self.assertIn("not supported", report.reason)

    def test_no_kernel_is_not_race_free(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "none.cu"
            path.write_text("int x;")
            report = babycuda.check_file(path)
        self.assertRaises(babycuda.UsageError, babycuda.check, "int x;", language="cuda")
        self.assertEqual((report.verdict, report.race_free, len(report)), ("unknown", False, 0))
        self.assertEqual(report.reason, "there is no kernel")

    def test_a_verdict_is_no_truth_value(self):
        report = babycuda.check(FREE, block=8, grid=1)
        for value in (report, report[0]):
            with self.assertRaises(TypeError):
                bool(value)

    def test_programs_protocols_and_files(self):
        text = "threads 2; A[0] := tid"
        self.assertEqual(babycuda.check(text).verdict, "racy")
        self.assertEqual(babycuda.check(babycuda.parse(text)).json(), babycuda.check(text, language="babycuda").json())
        self.assertEqual(babycuda.check("threads 2; wr[tid]").verdict, "drf")
        path = ROOT / "examples" / "paper" / "lcl22-fig3.bcuda"
        if path.exists():
            self.assertEqual(babycuda.check_file(path).json(), babycuda.check(path).json())
            self.assertEqual(babycuda.check_file(str(path)).document["file"], str(path))

    def test_reports_in_all_forms(self):
        report = babycuda.check(RACY, block=8, grid=1)
        self.assertEqual(json.loads(report.json()), report.document)
        self.assertEqual(json.loads(report.sarif())["version"], "2.1.0")
        self.assertIn("[BC", report.short())
        self.assertIn("a[i] = a[i + 1]", str(report))
        self.assertIn("<table>", report._repr_html_())

    def test_a_time_limit_makes_unknown(self):
        text = "threads 1024; param n: u32; " + "forS i in 0..1000000 { A[tid * tid * i] := tid; sync }"
        report = babycuda.check(text, time_limit=0.2, n=3)
        self.assertIn(report.verdict, ("unknown", "racy", "drf"))

    def test_a_contract_is_looked_for_where_no_block_is_said(self):
        text = "__global__ void k(int *a, int n) { a[threadIdx.x % n] = threadIdx.x; }"
        self.assertIn("n >= blockDim.x", babycuda.check(text, grid=1).contract["conditions"][0])
        self.assertIsNone(babycuda.check(text, grid=1, block=256).contract)
        found = babycuda.check(text, grid=1, block=256, contract="infer").contract
        self.assertIn("n >= 256", found["conditions"])

    def test_codes(self):
        self.assertIn("BC002", babycuda.codes())
        self.assertIn("repair", babycuda.explain("BC002"))
        with self.assertRaises(babycuda.UsageError):
            babycuda.explain("BC999")


class Mistakes(unittest.TestCase):
    def test_what_does_not_parse_has_a_place(self):
        with self.assertRaises(babycuda.ParseError) as caught:
            babycuda.check("threads 2;\nA[tid] = 1", language="babycuda")
        error = caught.exception
        self.assertEqual((error.line, error.column), (2, 8))
        self.assertIn(":=", error.message)
        self.assertIn("^", error.rendered)
        self.assertIsInstance(error, babycuda.Error)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((again.line, str(again)), (error.line, str(error)))
        self.assertEqual(copy.copy(error).column, 8)

    def test_wrong_words_are_usage_errors(self):
        wrong = [
            dict(block="x"), dict(block=(1, 2, 3, 4)), dict(block=-1), dict(block=2**32), dict(block=True),
            dict(grid=1.5), dict(n="3"), dict(n=True), dict(n=2.0), dict(tiemout=3), dict(timeout=-1),
            dict(timeout=float("nan")), dict(time_limit=0), dict(time_limit="1"), dict(solver="z4"),
            dict(method="guess"), dict(contract="x"), dict(language="fortran"), dict(parser="gcc"),
            dict(defines={"1x": 2}), dict(undefines="a b"), dict(warp=3), dict(max_races=0), dict(kernel=3),
            dict(kernel="nobody"), dict(array="zz"), dict(assume=3), dict(params={"n": 1}, n=2), dict(params={3: 1}),
            dict(fix_time=-1), dict(n=10**100_000), dict(memory_limit=0),
        ]  # fmt: skip
        for options in wrong:
            with self.subTest(**{name: str(type(value)) for name, value in options.items()}):
                with self.assertRaises(babycuda.Error):
                    babycuda.check(FREE, **options)

    def test_wrong_sources_are_usage_errors(self):
        for source in (None, 3, b"x", [FREE], "kernel.cu", "\ud800"):
            with self.subTest(source=repr(source)):
                with self.assertRaises(babycuda.UsageError):
                    babycuda.check(source)
        for path in (None, 3, b"x.cu", "nowhere.cu", "nowhere.txt", "x\0.cu", "x\udcff.cu"):
            with self.subTest(path=path):
                with self.assertRaises(babycuda.UsageError):
                    babycuda.check_file(path)

    def test_a_lone_surrogate_is_named(self):
        for call, said in [
            (lambda: babycuda.check("\ud800"), "source: a lone surrogate, '\\ud800', at 0"),
            (lambda: babycuda.check(FREE + "// \udcff"), f"source: a lone surrogate, '\\udcff', at {len(FREE) + 3}"),
            (lambda: babycuda.run("A[0] := \udfff", threads=2), "source: a lone surrogate, '\\udfff', at 8"),
            (lambda: babycuda.check(pathlib.Path("\udcff.cu")), "path: a lone surrogate, '\\udcff', at 0"),
            (lambda: babycuda.parse("A\ud800"), "text: a lone surrogate, '\\ud800', at 1"),
            (lambda: babycuda.check(FREE, assume="\ud800"), "assume: a lone surrogate, '\\ud800', at 0"),
        ]:
            with self.subTest(said=said):
                with self.assertRaises(babycuda.UsageError) as raised:
                    call()
                self.assertEqual(str(raised.exception), said)
        # A character that takes two of them is a character.
        self.assertTrue(babycuda.check(FREE + "// \U0001f600").race_free)

    def test_depth_and_length_are_limits(self):
        deep = "A[" + "(" * 20_000 + "0" + ")" * 20_000 + "] := 0"
        with self.assertRaises(babycuda.LimitError):
            babycuda.parse(deep)
        with self.assertRaises(babycuda.LimitError):
            babycuda.check("threads 2; " + deep, language="babycuda")
        kernel = "__global__ void k(int *a) { a[" + "(" * 5_000 + "0" + ")" * 5_000 + "] = 0; }"
        self.assertEqual(babycuda.check(kernel, block=2).verdict, "unknown")

    def test_a_long_program_is_no_problem(self):
        text = "threads 2; " + "A[tid] := 0; " * 20_000
        program = babycuda.parse(text)
        self.assertEqual(program, babycuda.parse(str(program)))


def shape(document):
    """What of a document does not depend on the speed of the machine."""
    return [(k["name"], k["verdict"], sorted({race["array"] for race in k["races"]})) for k in document["kernels"]]


@unittest.skipUnless(PROGRAM, "BABYCUDA_PROGRAM names no program")
class AsTheProgram(unittest.TestCase):
    def test_documents_are_those_of_the_program(self):
        """Of all files of the papers."""
        files = sorted((ROOT / "examples" / "paper").glob("*"))
        files = [path for path in files if path.suffix in (".cu", ".cl", ".bcuda", ".map")]
        self.assertGreater(len(files), 20)
        others = []
        # Which solver is the first to answer is not the same each time.
        options = ["--fix-time", "0", "--contract", "none", "--block", "4", "--solver", "builtin"]
        for path in files:
            with self.subTest(path=path.name):
                words = [PROGRAM, "check", str(path), "--format", "json", *options]
                done = subprocess.run(words, capture_output=True, text=True, check=False)
                try:
                    report = babycuda.check_file(path, fix_time=0, contract=None, block=4, solver="builtin")
                except babycuda.Error as error:
                    self.assertEqual(done.returncode, 2, f"{error}: {done.stdout}")
                    self.assertIn(error.message, json.loads(done.stdout)["error"])
                    continue
                self.assertEqual(done.returncode, report.status)
                if done.stdout.strip() != report.json():
                    # What is looked for within a time need not be found twice, on a busy machine: then the verdicts are.
                    others.append(path.name)
                    self.assertEqual(shape(json.loads(done.stdout)), shape(report.document))
        self.assertLess(len(others), 3, others)

    def test_standard_input(self):
        words = [PROGRAM, "check", "-", "--format", "json", "--block", "256", "--param", "n=1024"]
        done = subprocess.run(words, input=RACY, capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout.strip(), babycuda.check(RACY, block=256, n=1024, contract="source").json())


if __name__ == "__main__":
    unittest.main()
