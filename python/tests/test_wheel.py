"""The package as it is installed from its wheel (`scripts/wheel`): what it says of itself, and which files it has."""

import importlib.metadata
import os
import pathlib
import sysconfig
import unittest

import babycuda

ROOT = pathlib.Path(os.environ.get("BABYCUDA_ROOT", pathlib.Path(__file__).resolve().parents[2]))


@unittest.skipUnless(os.environ.get("BABYCUDA_WHEEL"), "not installed from a wheel")
class Wheel(unittest.TestCase):
    def setUp(self):
        self.installed = importlib.metadata.distribution("babycuda")
        self.files = [str(path) for path in self.installed.files or ()]

    def test_it_is_the_one_that_is_installed(self):
        folder = pathlib.Path(babycuda.__file__).resolve().parent
        self.assertEqual(folder.parent, pathlib.Path(sysconfig.get_path("platlib")).resolve())

    def test_it_says_what_it_is(self):
        said = self.installed.metadata
        self.assertEqual((said["Name"], said["Version"]), ("babycuda", babycuda.__version__))
        self.assertEqual(said["Requires-Python"], ">=3.9")
        self.assertEqual(said["License-Expression"], "MIT OR Apache-2.0")
        self.assertIsNone(self.installed.requires)
        classifiers = said.get_all("Classifier")
        self.assertIn("Typing :: Typed", classifiers)
        self.assertIn("Programming Language :: Rust", classifiers)
        self.assertIn("markdown", said["Description-Content-Type"])
        readme = (ROOT / "python" / "README.md").read_text()
        self.assertEqual(said.get_payload().strip(), readme.strip())

    def test_it_has_its_licenses_types_and_native_part_and_nothing_else(self):
        for name in ("LICENSE-MIT", "LICENSE-APACHE"):
            self.assertEqual(sum(path.endswith(name) for path in self.files), 1, name)
        sources = {f"babycuda/{path.name}" for path in (ROOT / "python/python/babycuda").iterdir() if path.is_file()}
        natives = [path for path in self.files if path.startswith("babycuda/_native.") and not path.endswith(".pyi")]
        self.assertEqual(len(natives), 1, natives)
        self.assertTrue(natives[0].endswith((".abi3.so", ".pyd")), natives)
        own = {path for path in self.files if path.startswith("babycuda/") and not path.endswith(".pyc")}
        self.assertEqual(own, sources | set(natives))
        others = [path for path in self.files if not path.startswith(("babycuda/", "babycuda-"))]
        self.assertEqual(others, [])

    def test_it_serves_every_python(self):
        tags = [line for line in self.installed.read_text("WHEEL").splitlines() if line.startswith("Tag: ")]
        self.assertTrue(tags and all(tag.startswith("Tag: cp39-abi3-") for tag in tags), tags)


if __name__ == "__main__":
    unittest.main()
