"""Faults in all kinds of commands that write: a sample with a fixed seed, or with MODICUM_CAMPAIGN set every
call, kind of fault and kind of file system (some minutes). MODICUM_CAMPAIGN_SEED=N takes another sample."""

import os
import pathlib
import random
import subprocess
import unittest

from _faults import FILE_SYSTEMS, KINDS, FaultTest, Files, Place, faulty
from _support import PROGRAM

EXAMPLES = pathlib.Path(os.environ["MODICUM_SOURCE_DIR"]) / "examples"
WAGES = EXAMPLES / "wages.csv"
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
FEATURES = [item for text in ("age=18:70", "schooling=0:20", "hours=0:80") for item in ("--range", text)]
RANGES = [*FEATURES, "--range", "wage=0:60"]
SPECTRUM = ["--eigenvalues", EXAMPLES / "eigenvalues.json", "--rows", 2500, "--components", 1]
EVERYTHING = "MODICUM_CAMPAIGN" in os.environ
SEED = int(os.environ.get("MODICUM_CAMPAIGN_SEED", 20240501))
SAMPLE = 4  # faults of each command


class Campaign(FaultTest):
    def fit(self):
        path = self.folder / "fit.csv"
        if not path.exists():
            subprocess.run([PROGRAM, "release", "logistic", WAGES, *FEATURES, "--target", "wage", "--threshold",
                            "20", "--method", "objective", *map(str, TARGET), "--output", path],
                           check=True, stdout=subprocess.DEVNULL)
        return path

    def releases(self):
        """(how, where) for releases; the place is without files."""
        folder = self.folder / "released"
        folder.mkdir()
        for output, certificate, words in (
                ("out.csv", None, ["vector", WAGES, *RANGES]),
                ("out.npy", "records/record.json", ["covariance", WAGES, *RANGES]),
                ("out.json", None, ["regression", WAGES, *RANGES, "--target", "wage"]),
                ("axes.csv", None, ["components", WAGES, *RANGES, "--components", 2]),
                (None, "record.json", ["matrix", EXAMPLES / "hessian.csv", "--sensitivity", 1])):
            place = Place(folder, output, certificate)
            yield ["release", *words, *TARGET, "--output", place.output or "-", "--certificate",
                   place.certificate], place
        place = Place(folder, "report.json", page="report.html")
        yield ["report", "per-instance", WAGES, "--release", self.fit(), "--method", "adaptive", "--epsilon", 2,
               "--delta", "2e-6", "--output", place.output, "--page", place.files[1]], place

    def others(self):
        """The same for what is no release: bytes that are the same each time."""
        folder = self.folder / "files"
        losses = Files(folder, "losses.csv", "losses.html")
        yield ["report", "per-instance", WAGES, "--release", self.fit(), "--confidential", "--output",
               losses.files[0], "--page", losses.files[1]], losses
        values = Files(folder, "values.json")
        yield ["report", "spectrum", WAGES, *RANGES, "--confidential", "--output", values.files[0]], values
        picture = Files(folder, "picture.svg")
        out = ["--output", picture.files[0], "--confidential"]
        yield ["plot", "components", *SPECTRUM, *out], picture
        yield ["plot", "projections", WAGES, *RANGES, *out], picture
        yield ["plot", "profile", EXAMPLES / "gaussian_dp.json", "--points", 5, *out[:2]], picture

    def attack(self, words, place, before, chance, expected=None):
        for file_system in FILE_SYSTEMS if EVERYTHING else [chance.choice(FILE_SYSTEMS)]:
            place.clear(before)
            clean = faulty(words, file_system=file_system)
            self.assertEqual(clean.code, 0, clean.error)
            self.settle(place, before, clean, 0, "", file_system, expected)
            faults = [(at, kind) for kind in KINDS for at in range(1, len(clean.calls) + 1)]
            for at, kind in faults if EVERYTHING else chance.sample(faults, SAMPLE):
                self.strike(place, words, before, at, kind, file_system, expected)

    def test_releases(self):
        chance = random.Random(SEED)
        for words, place in self.releases():
            place.clear()
            self.attack(words, place, {}, chance)
            place.clear()
            self.succeed(*words)
            self.attack([*words, "--replace"], place, place.content(), chance)
            place.clear()

    def test_other_files(self):
        chance = random.Random(SEED + 1)
        for words, place in self.others():
            place.clear()
            self.succeed(*words)
            expected = place.content()
            self.attack(words, place, {}, chance, expected)
            self.attack(words, place, {path: b"older" for path in place.files}, chance, expected)
            place.clear()


if __name__ == "__main__":
    unittest.main()
