"""Random kernels, the fuzzer, threads, and signals."""

import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import babycuda


class Generating(unittest.TestCase):
    def test_kernels_are_as_their_seed(self):
        one, two = babycuda.generate("kernels", 3, 11), babycuda.generate("kernels", 3, 11)
        self.assertEqual(one, two)
        self.assertEqual(len({sample.profile for sample in one}), 11)
        self.assertEqual(babycuda.generate("kernels", 3, 2, first=4), one[4:6])
        self.assertIn("__kernel", babycuda.generate("affine", 1, 1, language="opencl")[0].source)

    def test_what_is_true_is_what_check_says(self):
        for sample in babycuda.generate("affine", 5, 12):
            at = sample.launch
            report = babycuda.check(sample.source, block=at.block, grid=at.grid, contract=None, fix_time=0)
            self.assertEqual(report.verdict, sample.truth, sample.source)

    def test_programs(self):
        for sample in babycuda.generate("programs", 1, 10):
            self.assertEqual(babycuda.parse(str(sample.program())), sample.program())
        self.assertIn("programs", babycuda.profiles())

    def test_mistakes(self):
        for wrong in (dict(profile="x"), dict(n=-1), dict(seed=-1), dict(language="fortran"), dict(n=1.5)):
            with self.subTest(wrong=wrong):
                self.assertRaises(babycuda.UsageError, babycuda.generate, **wrong)


class Fuzzing(unittest.TestCase):
    def test_a_function_that_knows_agrees(self):
        def tool(source, launch):
            return babycuda.check(source, block=launch.block, grid=launch.grid, contract=None, fix_time=0).verdict

        campaign = babycuda.fuzz(tool, programs=22, seed=1, profiles=["affine", "modular"])
        self.assertEqual((list(campaign), sum(campaign.kernels.values())), ([], 22))
        self.assertEqual(sum(next(iter(campaign.answers.values())).values()), 22)

    def test_a_function_that_guesses_is_found_out(self):
        free = babycuda.fuzz(lambda source, launch: "racy", programs=20, profiles=["affine", "racy"], coverage=True)
        self.assertEqual(len(free), 0)
        self.assertRaises(babycuda.UsageError, babycuda.fuzz, "protocols", programs=2, profiles=["racy", "typed"])
        campaign = babycuda.fuzz(lambda source, launch: "drf", programs=40, seed=1, profiles="affine")
        self.assertTrue(campaign)
        finding = campaign[0]
        self.assertEqual((finding.kind, finding.truth), ("missed-race", "racy"))
        self.assertIn("__global__", finding.source)
        self.assertEqual(babycuda.check(finding.source, block=finding.launch.block, grid=finding.launch.grid).verdict, "racy")
        self.assertIn("missed-race", campaign._repr_html_())

    def test_exceptions_are_crashes_and_other_answers_are_mistakes(self):
        def crashes(source, launch):
            raise ValueError("no")

        campaign = babycuda.fuzz(crashes, programs=4, profiles="affine")
        self.assertEqual({finding.kind for finding in campaign}, {"crash"})
        self.assertIn("ValueError", campaign[0].words)
        self.assertRaises(babycuda.UsageError, babycuda.fuzz, lambda s, l: "maybe", programs=4)
        self.assertRaises(SystemExit, babycuda.fuzz, lambda s, l: sys.exit(3), programs=4)

    def test_names_commands_and_folders(self):
        self.assertEqual(len(babycuda.fuzz("protocols", programs=6, profiles="affine", jobs=1)), 0)
        self.assertRaises(babycuda.UsageError, babycuda.fuzz, "nobody", programs=1)
        with tempfile.TemporaryDirectory() as folder:
            campaign = babycuda.fuzz(lambda s, l: "drf", programs=16, profiles="affine", out=folder)
            self.assertTrue((pathlib.Path(folder) / "state.json").exists())
            self.assertTrue(list(pathlib.Path(folder).glob("findings/*/kernel.cu")), campaign)

    def test_one_run_has_contents(self):
        seen = []

        def tool(source, launch):
            seen.append(launch.d)
            return "unknown"

        babycuda.fuzz(tool, programs=3, profiles="data-dependent-index", about="run")
        self.assertTrue(all(len(d) == 4 for d in seen))


class Calling(unittest.TestCase):
    SLOW = "threads 64; " + "forU i in 0..100000000 { A[tid] := i }"

    def test_other_threads_run_meanwhile(self):
        ticks = []
        done = threading.Event()

        def tick():
            while not done.is_set():
                ticks.append(1)
                time.sleep(0.005)

        other = threading.Thread(target=tick)
        other.start()
        try:
            babycuda.run(self.SLOW, time_limit=1)
        except babycuda.LimitError:
            pass
        done.set()
        other.join()
        self.assertGreater(len(ticks), 20)

    def test_several_threads_check_at_once(self):
        verdicts = []
        text = "__global__ void k(int *a) { a[threadIdx.x] = 1; }"
        one = lambda: verdicts.append(babycuda.check(text, block=8, grid=1).verdict)  # noqa: E731
        threads = [threading.Thread(target=one) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(verdicts, ["drf"] * 8)

    @unittest.skipUnless(hasattr(signal, "setitimer"), "no timers here")
    def test_signals_interrupt(self):
        def interrupt(*_):
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            start = time.monotonic()
            with self.assertRaises(KeyboardInterrupt):
                babycuda.run(self.SLOW, time_limit=60)
            self.assertLess(time.monotonic() - start, 30)
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with self.assertRaises(KeyboardInterrupt):
                babycuda.fuzz(lambda s, l: "unknown", programs=10**9)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_a_program_that_is_interrupted_ends(self):
        code = "import babycuda, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\nprint('on', flush=True)\n" + f"babycuda.run({self.SLOW!r}, time_limit=60)"
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ) as child:
            child.stdout.readline()
            time.sleep(0.3)
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=60)
        self.assertTrue(re.search(rb"KeyboardInterrupt", said), said)


if __name__ == "__main__":
    unittest.main()
