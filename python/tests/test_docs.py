"""The code of the documentation and of the notebook, executed; the stubs, beside the module."""

import ast
import contextlib
import inspect
import io
import json
import os
import pathlib
import re
import unittest

import babycuda
from babycuda import _call, _native, build

ROOT = pathlib.Path(os.environ.get("BABYCUDA_ROOT", pathlib.Path(__file__).resolve().parents[2]))
BLESS = bool(os.environ.get("BABYCUDA_BLESS"))


def printed(code, names):
    """What a piece of code prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "<page>", "exec"), names)
    return out.getvalue()


def ending(code, names):
    """What a cell prints, and its last expression, as a notebook has them."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    out, value = io.StringIO(), None
    with contextlib.redirect_stdout(out):
        exec(compile(tree, "<cell>", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    return out.getvalue(), value


class Pages(unittest.TestCase):
    maxDiff = None

    def test_the_page_says_what_its_code_prints(self):
        for path in (ROOT / "docs" / "PYTHON.md", ROOT / "python" / "README.md"):
            page, names = path.read_text(), {"__name__": "page"}
            fence = re.compile(r"```(\w*)\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.S)
            out, end, blocks = "", 0, 0
            for block in fence.finditer(page):
                language, code, said = block.groups()
                self.assertEqual(language, "python", f"{path.name}: a block that no test executes")
                found = printed(code, names)
                blocks += 1
                if said is not None:
                    out += page[end : block.start(3)] + found
                    end = block.end(3)
                    if not BLESS:
                        self.assertEqual(said, found, code)
            self.assertGreater(blocks, 0)
            if BLESS:
                path.write_text(out + page[end:])

    def test_the_notebook_shows_what_its_cells_print(self):
        for path in sorted((ROOT / "python" / "examples").glob("*.ipynb")):
            notebook, names, number = json.loads(path.read_text()), {"__name__": "notebook"}, 0
            for cell in notebook["cells"]:
                if cell["cell_type"] != "code":
                    continue
                number += 1
                said, value = ending("".join(cell["source"]), names)
                outputs = []
                if said:
                    outputs.append({"name": "stdout", "output_type": "stream", "text": said.splitlines(True)})
                if value is not None:
                    data = {"text/plain": repr(value).splitlines(True)}
                    if hasattr(value, "_repr_html_"):
                        data["text/html"] = value._repr_html_().splitlines(True)
                    outputs.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
                if BLESS:
                    cell["execution_count"], cell["outputs"] = number, outputs
                else:
                    self.assertEqual(cell["outputs"], outputs, cell["source"])
            self.assertGreater(number, 0)
            if BLESS:
                path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n")


class Stubs(unittest.TestCase):
    def test_the_stub_of_the_native_part_is_that_part(self):
        path = pathlib.Path(inspect.getfile(babycuda)).parent / "_native.pyi"
        said = {}
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                for one in node.body:
                    said[f"{node.name}.{one.name}"] = one
            elif isinstance(node, ast.FunctionDef):
                said[node.name] = node
            elif isinstance(node, ast.AnnAssign):
                said[node.target.id] = None
        found = {}
        for name, value in vars(_native).items():
            if inspect.isclass(value):
                own = vars(value).items()
                found.update({f"{name}.{part}": one for part, one in own if not part.startswith("__")})
            elif not name.startswith("__") or name == "__version__":
                found[name] = value
        self.assertEqual(sorted(said), sorted(found))
        for name, node in said.items():
            signature = getattr(found[name], "__func__", found[name])
            text = getattr(signature, "__text_signature__", None)
            if node is None or text is None or not callable(signature):
                continue
            # `from` is a word of Python's, and `self` has no type.
            arguments = [argument.arg.rstrip("_") for argument in node.args.args]
            words = [word.split("=")[0].strip(" $()") for word in text.split(",")]
            words = [word for word in words if word not in ("", "/")]
            self.assertEqual(arguments, words, name)

    def test_everything_public_is_documented_and_there(self):
        for module in (babycuda, build):
            for name in module.__all__:
                value = getattr(module, name)
                if inspect.isclass(value) or inspect.isfunction(value):
                    self.assertTrue(value.__doc__, name)
                    hints = inspect.signature(value) if inspect.isfunction(value) else None
                    if hints is not None:
                        self.assertIsNot(hints.return_annotation, inspect.Signature.empty, name)
        self.assertTrue((pathlib.Path(inspect.getfile(babycuda)).parent / "py.typed").exists())

    def test_the_keywords_of_check_are_in_its_documentation(self):
        for name in _call.DEFAULTS:
            if name not in ("params", "choose", "contents", "solvers"):
                self.assertIn(f"``{name}", babycuda.check.__doc__, name)
        empty = {"params": None, "assume": (), "defines": (), "undefines": (), "includes": (), "solver": None, "language": None}
        others = {k: v for k, v in _call.DEFAULTS.items() if k not in ("solvers", "choose", "contents", *empty)}
        for function in (babycuda.check, babycuda.check_file):
            self.assertEqual(function.__kwdefaults__, {**others, **empty})
        every = {**_call.DEFAULTS, **empty, "contents": None, "threads": None}
        for function in (babycuda.run, babycuda.derive, babycuda.compare, babycuda.type):
            for name, value in function.__kwdefaults__.items():
                self.assertEqual(value, every[name], f"{function.__name__}: {name}")


if __name__ == "__main__":
    unittest.main()
