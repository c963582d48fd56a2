"""Runs the notebooks of examples/notebooks with fresh kernels, and checks that they are stored without outputs.

Their noise is fresh in every run and there is no seed, so that stored outputs could not be made again; what must hold
in every run is asserted in their cells.
"""
import asyncio
import os
import shutil
import tempfile
import unittest
from pathlib import Path

import nbclient
import nbformat

SOURCE = Path(os.environ.get("MODICUM_SOURCE_DIR", Path(__file__).resolve().parents[2]))
PYTHON_PATH = os.environ.get("MODICUM_PYTHON_PATH", "")
NOTEBOOKS = sorted((SOURCE / "examples" / "notebooks").glob("*.ipynb"))


def read(path):
    return nbformat.read(path, as_version=4)


class Stored(unittest.TestCase):
    def test_there_are_five(self):
        self.assertEqual(len(NOTEBOOKS), 5)

    def test_they_are_valid_and_without_outputs(self):
        for path in NOTEBOOKS:
            with self.subTest(path.name):
                book = read(path)
                nbformat.validate(book)
                for cell in book.cells:
                    if cell.cell_type == "code":
                        self.assertEqual((cell.outputs, cell.execution_count), ([], None))

    def test_the_list_names_all(self):
        text = (SOURCE / "examples" / "notebooks" / "README.md").read_text(encoding="utf-8")
        for path in NOTEBOOKS:
            self.assertIn(f"({path.name})", text)


@unittest.skipUnless(PYTHON_PATH, "MODICUM_PYTHON_PATH is not set")
class Run(unittest.TestCase):
    def test_they_run(self):
        with tempfile.TemporaryDirectory(prefix="modicum-notebooks-") as folder:
            shutil.copytree(SOURCE / "examples", Path(folder, "examples"))
            # Pictures come back as outputs, and nobody's own settings are read.
            environment = {**os.environ, "IPYTHONDIR": str(Path(folder, "ipython")), "PYTHONPATH": os.path.abspath(PYTHON_PATH)}
            environment.pop("MPLBACKEND", None)
            books = [read(path) for path in NOTEBOOKS]

            async def run(book):
                client = nbclient.NotebookClient(book, timeout=120, resources={
                    "metadata": {"path": str(Path(folder, "examples", "notebooks"))}})
                await client.async_execute(env=environment)

            async def run_all():
                return await asyncio.gather(*map(run, books), return_exceptions=True)

            for path, book, error in zip(NOTEBOOKS, books, asyncio.run(run_all())):
                with self.subTest(path.name):
                    if error is not None:
                        raise error
                    outputs = [output for cell in book.cells for output in cell.get("outputs", [])]
                    self.assertTrue(any("image/png" in output.get("data", {}) for output in outputs), "no picture")
            wanted = os.environ.get("MODICUM_NOTEBOOKS_OUTPUT")  # to look at them
            if wanted:
                for path, book in zip(NOTEBOOKS, books):
                    nbformat.write(book, Path(wanted, path.name))


if __name__ == "__main__":
    unittest.main(verbosity=2)
