"""Runs reproduction/run, for the tests beside this file."""

import csv
import os
import pathlib
import re
import subprocess

from _support import CommandLineTest

SOURCE = pathlib.Path(os.environ["MODICUM_SOURCE_DIR"])


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


class StudyTest(CommandLineTest):
    def run_studies(self, *arguments, data=None):
        given = {"MODICUM_DATA": str(data)} if data else {}
        return subprocess.run([SOURCE / "reproduction" / "run", "--output", self.folder,
                               *arguments], capture_output=True, text=True, timeout=500,
                              env={**os.environ, **given})

    def study(self, name, data=None):
        """The rows of a study's table, as dictionaries of numbers."""
        done = self.run_studies("--quick", name, data=data)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        markdown = (self.folder / f"{name}.md").read_text()
        for picture in re.findall(r"]\((.*)\)", markdown):
            self.assertTrue((self.folder / picture).read_text().endswith("</svg>\n"))
        with open(self.folder / f"{name}.csv", newline="") as file:
            return [{key: number(value) for key, value in row.items()}
                    for row in csv.DictReader(file)]
