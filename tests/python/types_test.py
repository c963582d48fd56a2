"""Stubs in step with the module, types that a strict checker accepts, and all names documented."""

import inspect
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import modicum
from _support import SOURCE


class Types(unittest.TestCase):
    def test_stubs_are_those_of_the_module(self):
        done = subprocess.run([sys.executable, str(SOURCE / "scripts" / "make_stubs.py"), "--check"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_strict_checker_is_content(self):
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run(
                ["/usr/bin/mypy", "--config-file", str(SOURCE / "pyproject.toml"), "--cache-dir", cache,
                 "-p", "modicum"], capture_output=True, text=True, cwd=SOURCE,
                env={**os.environ, "MYPYPATH": str(SOURCE / "python"), "PYTHONPATH": ""})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_every_name_is_there_and_documented(self):
        for name in modicum.__all__:
            thing = getattr(modicum, name)
            if inspect.isclass(thing) and issubclass(thing, Exception):
                continue
            self.assertTrue(inspect.getdoc(thing), name)

    def test_settings_are_keywords(self):
        for name in modicum.__all__:
            thing = getattr(modicum, name)
            if not inspect.isfunction(thing):
                continue
            for parameter in inspect.signature(thing).parameters.values():
                if parameter.name in ("epsilon", "delta", "sensitivity", "standard_deviation", "count"):
                    self.assertEqual(parameter.kind, parameter.KEYWORD_ONLY, f"{name} {parameter.name}")

    def test_no_generator_but_the_secure_one(self):
        for source in (SOURCE / "python" / "modicum").glob("*.py"):
            text = source.read_text()
            for word in ("np.random", "numpy.random", "import random", "default_rng"):
                self.assertNotIn(word, text, source.name)


if __name__ == "__main__":
    unittest.main()
