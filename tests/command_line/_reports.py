"""Releases by objective perturbation, for the tests of reports beside this file."""

import csv
import functools
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from _support import PROGRAM, CommandLineTest

WAGES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "wages.csv"
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
TOTAL = ["--epsilon", 2, "--delta", "2e-6"]
RANGES = [item for text in ("age=18:70", "schooling=0:20", "hours=0:80")
          for item in ("--range", text)]
METHODS = {"data-independent": [], "data-dependent": TOTAL, "adaptive": TOTAL}

# One of each loss, of each format, with and without intercept and ranges.
FITS = {
    "logistic.csv": ["logistic", WAGES, "--target", "wage", "--threshold", 20, "--intercept",
                     *RANGES],
    "hinge.npy": ["logistic", WAGES, "--target", "wage", "--threshold", 20, "--select", "age",
                  "hours", "--row-norm-bound", 40, "--loss", "smoothed-hinge"],
    "huber.json": ["regression", WAGES, "--target", "wage", *RANGES, "--range", "wage=0:60"],
    "squared.csv": ["regression", WAGES, "--target", "wage", *RANGES, "--range", "wage=0:60",
                    "--intercept", "--row-norm-bound", 1.2, "--loss", "squared"],
    "log_cosh.csv": ["regression", WAGES, "--target", "wage", *RANGES, "--range", "wage=0:60",
                     "--loss", "log-cosh"],
}


@functools.cache
def fitted(name):
    """A fit beside its certificate, made once; nothing writes to its folder."""
    folder = tempfile.mkdtemp()
    unittest.addModuleCleanup(shutil.rmtree, folder)
    path = pathlib.Path(folder) / name
    subprocess.run([PROGRAM, "release", *map(str, FITS[name]), "--method", "objective",
                    *map(str, TARGET), "--output", path], check=True, capture_output=True)
    return path


class ReportTest(CommandLineTest):
    reports = {}

    def fit(self, name="logistic.csv"):
        return fitted(name)

    def certificate_file(self, name="logistic.csv"):
        return fitted(name).with_name(name + ".certificate.json")

    def certificate(self, name="logistic.csv"):
        return json.loads(self.certificate_file(name).read_text())

    def copied(self, name="logistic.csv"):
        """The fit and its certificate where a test may spoil them."""
        for path in self.fit(name), self.certificate_file(name):
            shutil.copy(path, self.folder)
        return self.folder / name, self.folder / (name + ".certificate.json")

    def report(self, name="logistic.csv", method="data-independent", *more):
        """What the program says of this report, which is made once and, with its page and its
        certificate, put into the folder of each test that asks for it."""
        if (name, method, more) not in self.reports:
            folder = pathlib.Path(tempfile.mkdtemp())
            unittest.addModuleCleanup(shutil.rmtree, folder)
            data = [] if method == "data-independent" else [WAGES]
            self.reports[name, method, more] = folder, self.answer(
                "report", "per-instance", *data, "--release", self.fit(name), "--method", method,
                *METHODS[method], "--output", folder / "report.json", "--page",
                folder / "report.html", *more)
        folder, said = self.reports[name, method, more]
        shutil.copytree(folder, self.folder, dirs_exist_ok=True)
        return said

    def losses(self, *more, data=WAGES, name="logistic.csv"):
        return self.answer("report", "per-instance", data, "--release", self.fit(name),
                           "--confidential", "--output", self.folder / "losses.csv", *more)

    def table(self, name="losses.csv"):
        with open(self.folder / name, newline="") as file:
            return list(csv.DictReader(file))

    def nothing_written(self, *kept):
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), sorted(kept))

    def assert_self_contained(self, page):
        self.assertNotRegex(page, r"(?i)\b(?:src|href)\s*=|@import|<link|<iframe")
        links = set(re.findall(r"https?://[^'\"\s<]+", page))
        self.assertLessEqual(links, {"http://www.w3.org/2000/svg"})
        self.assertIn("default-src 'none'", page)
