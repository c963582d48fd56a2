"""What the tests of the package share."""

import json
import os
import pathlib
import unittest

SOURCE = pathlib.Path(os.environ.get("MODICUM_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[2]))


def reference(name):
    """Values with many digits, from tests/reference."""
    return json.loads((SOURCE / "tests" / "reference" / name).read_text())


class PackageTest(unittest.TestCase):
    """With what unittest lacks."""

    def assert_relative(self, value, expected, tolerance):
        self.assertLessEqual(abs(value - expected), tolerance * abs(expected), f"{value} {expected}")

    def assert_refuses(self, what, call):
        """A ValueError that names the argument."""
        with self.assertRaises(ValueError) as caught:
            call()
        self.assertIn(what, str(caught.exception))
