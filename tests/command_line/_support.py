"""Runs the program, for the tests beside this file."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
from decimal import Decimal

PROGRAM = os.environ["MODICUM_PROGRAM"]
INSTRUMENTED = os.environ.get("MODICUM_INSTRUMENTED") == "1"
REFERENCE = pathlib.Path(__file__).resolve().parents[1] / "reference"

GAUSSIAN = {"mechanism": "gaussian", "standard_deviation": 50, "sensitivity": 1, "count": 1000}
LAPLACE = {"mechanism": "laplace", "scale": 2, "sensitivity": 1}
WIDER = {"mechanism": "gaussian_spectrum", "components": [{"mean": 0, "variance_ratio": 4}]}
SINGULAR = {"mechanism": "gaussian_pair",
            "mean1": [0, 0], "covariance1": [[1, 0], [0, 0]],
            "mean2": [0, 0], "covariance2": [[1, 0], [0, 1]]}
TRIVIAL = {"mechanism": "gaussian", "standard_deviation": 1, "sensitivity": 0}


def solved(matrix, right):
    """A small system of equations, by elimination with pivots."""
    size = len(matrix)
    rows = [[*row, value] for row, value in zip(matrix, right)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(size):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][size] / rows[i][i] for i in range(size)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


class CommandLineTest(unittest.TestCase):
    def setUp(self):
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        self.folder = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory()))

    def run_program(self, *arguments, text=None):
        """The finished process; `text` goes to standard input."""
        return subprocess.run([PROGRAM, *map(str, arguments)], input=text or "",
                              capture_output=True, text=True, timeout=300)

    def file(self, description, name="mechanism.json"):
        """A description, or any text, as a file."""
        path = self.folder / name
        path.write_text(description if isinstance(description, str) else json.dumps(description))
        return path

    def fresh(self, name):
        """A place for a release, which replaces none that is there."""
        for path in self.folder / name, self.folder / f"{name}.certificate.json":
            path.unlink(missing_ok=True)
        return self.folder / name

    def succeed(self, *arguments, text=None):
        """Standard output of a run that must end well."""
        done = self.run_program(*arguments, text=text)
        self.assertEqual((done.returncode, done.stderr), (0, ""), arguments)
        return done.stdout

    def answer(self, *arguments, text=None):
        """The JSON object that a run prints, which must be all that it prints."""
        out = self.succeed(*arguments, "--json", text=text)
        self.assertEqual(out.count("\n"), 1)
        # Not even Python's extensions, NaN and Infinity.
        return json.loads(out, parse_constant=lambda name: self.fail(f"{name} is not JSON"))

    def ask(self, command, description, *arguments):
        """The same for a description on standard input."""
        return self.answer(command, "-", *arguments, text=json.dumps(description))

    def refuse(self, code, *arguments, text=None):
        """The one line on standard error of a run that must fail in this way."""
        done = self.run_program(*arguments, text=text)
        self.assertEqual((done.returncode, done.stdout), (code, ""), (arguments, done.stderr))
        self.assertRegex(done.stderr, r"\Amodicum: [^\n]+\n\Z")
        return done.stderr

    def assert_holds(self, enclosure, digits, message=None):
        """The enclosure holds a number of more digits than a double has."""
        self.assertLessEqual(Decimal(enclosure["lower"]), Decimal(digits), message)
        self.assertGreaterEqual(Decimal(enclosure["upper"]), Decimal(digits), message)

    def assert_just_above(self, number, digits, relative=1e-9):
        """The number is at least the other, and larger by this share at most."""
        self.assertGreaterEqual(Decimal(number), Decimal(digits))
        self.assertLessEqual(number, float(digits) * (1 + relative))

    def assert_encloses(self, enclosure, value, relative=1e-9):
        """The enclosure holds the value, up to the value's own rounding, and is this narrow."""
        self.assertEqual(list(enclosure), ["lower", "upper"])
        lower, upper = enclosure["lower"], enclosure["upper"]
        slack = 1e-15 * abs(value)
        self.assertLessEqual(lower, value + slack)
        self.assertGreaterEqual(upper, value - slack)
        self.assertLessEqual(upper - lower, relative * abs(value))
