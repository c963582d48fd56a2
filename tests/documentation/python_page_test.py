"""Runs the Python of the README and of pages of docs/ and compares what it prints.

The blocks of a page marked `python` are run one after the other in one namespace. A block marked `text` that
follows one is what it prints: "..." stands for anything, white space may differ in amount. The
folder has a link to examples/.
"""
import contextlib
import io
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(os.environ.get("MODICUM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PYTHON_PATH = os.environ.get("MODICUM_PYTHON_PATH", "")
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)


def blocks_of(text):
    """[(line number, code, expected output or None)]"""
    found = []
    for match in BLOCK.finditer(text):
        kind, content = match.groups()
        if kind == "python":
            found.append((text.count("\n", 0, match.start()) + 2, content, None))
        elif found:
            found[-1] = (*found[-1][:2], content)
    return found


def same_text(expected, actual):
    """Whether the texts agree but for white space and what dots stand for."""
    parts = " ".join(expected.split()).split("...")
    pattern = ".*".join(re.escape(part) for part in parts)
    return re.fullmatch(pattern, " ".join(actual.split())) is not None


class Comparison(unittest.TestCase):
    def test_dots_stand_for_anything(self):
        self.assertTrue(same_text("1.82...\n", "1.8282366"))
        self.assertTrue(same_text("a ...\n... z", "a b\nc\nz\n"))
        self.assertFalse(same_text("1.82...", "1.9"))
        self.assertFalse(same_text("1.82", "1.829"))

    def test_finds_blocks(self):
        text = "a\n```python\nb\n```\n\n```text\nc\n```\n```python\nd\n```\n```sh\ne\n```\n"
        self.assertEqual(blocks_of(text), [(3, "b\n", "c\n"), (10, "d\n", None)])


@unittest.skipUnless(PYTHON_PATH, "MODICUM_PYTHON_PATH is not set")
class PythonPage(unittest.TestCase):
    def test_python(self):
        self.run_page("docs/python.md")

    def test_pipelines(self):
        self.run_page("docs/pipelines.md")

    def test_first_pages(self):
        self.run_page("README.md")
        self.run_page("docs/index.md")

    def run_page(self, page):
        os.environ.setdefault("MPLBACKEND", "Agg")
        sys.path.insert(0, os.path.abspath(PYTHON_PATH))
        blocks = blocks_of((SOURCE / page).read_text(encoding="utf-8"))
        self.assertTrue(blocks, page + " has no blocks")
        namespace = {"__name__": "page"}
        before = os.getcwd()
        with tempfile.TemporaryDirectory(prefix="modicum-page-") as folder:
            os.symlink(SOURCE.resolve() / "examples", os.path.join(folder, "examples"))
            os.chdir(folder)
            self.addCleanup(os.chdir, before)
            for line, code, expected in blocks:
                printed = io.StringIO()
                with self.subTest(f"{page}:{line}"), contextlib.redirect_stdout(printed):
                    exec(compile("\n" * (line - 1) + code, page, "exec"), namespace)
                    if expected is not None:
                        self.assertTrue(same_text(expected, printed.getvalue()),
                                        f"\n{printed.getvalue()}\nexpected:\n{expected}")
            os.chdir(before)


if __name__ == "__main__":
    unittest.main(verbosity=2)
