"""Releases while disks are full, calls fail and processes are killed: at each call that writes."""

import subprocess
import unittest

from _faults import FILE_SYSTEMS, FaultTest, Place, aside, faulty
from _support import PROGRAM

TARGET = ["--epsilon", 1, "--delta", "1e-6"]


class Faults(FaultTest):
    def setUp(self):
        super().setUp()
        self.vector = self.file("[1, 2.5, -1000]", "vector.json")
        self.released = self.folder / "released"
        self.released.mkdir()
        self.place = Place(self.released, "out.csv")
        self.words = ["release", "vector", self.vector, "--statistic", "given", "--sensitivity", 1,
                      *TARGET, "--output", self.place.output]

    def earlier(self):
        """The files of a release."""
        self.place.clear()
        self.succeed(*self.words)
        return self.place.content()

    def every_call(self, words, before, kinds, file_system=""):
        self.place.clear(before)
        clean = faulty(words, file_system=file_system)
        self.assertEqual(clean.code, 0, clean.error)
        self.settle(self.place, before, clean, 0, "", file_system)
        self.assertGreaterEqual(clean.calls.count("fsync"), 2)
        for kind in kinds:
            for at in range(1, len(clean.calls) + 1):
                self.strike(self.place, words, before, at, kind, file_system)

    def test_a_first_release(self):
        self.every_call(self.words, {}, ("error", "kill"))

    def test_a_release_in_place_of_another(self):
        self.every_call([*self.words, "--replace"], self.earlier(), ("error", "kill"))

    def test_signals_and_full_disks(self):
        self.every_call([*self.words, "--replace"], self.earlier(), ("term", "full"))

    def test_other_file_systems(self):
        before = self.earlier()
        for file_system in FILE_SYSTEMS[1:]:
            self.every_call([*self.words, "--replace"], before, ("error", "kill"), file_system)


class Crowds(FaultTest):
    """Many processes at once, on one place."""

    COUNT = 16

    def crowd(self, *more):
        vector = self.file("[1, 2.5, -1000]", "vector.json")
        folder = self.folder / "released"
        folder.mkdir(exist_ok=True)
        place = Place(folder, "out.csv")
        words = ["release", "vector", vector, "--statistic", "given", "--sensitivity", 1, *TARGET,
                 "--output", place.output, *more]
        runs = [subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True) for _ in range(self.COUNT)]
        while any(run.poll() is None for run in runs):
            self.look(place)
        errors = [run.communicate()[1] for run in runs]
        self.assertTrue(place.fits(place.certificate, place.output))
        return place, [run.returncode for run in runs], errors

    def look(self, place):
        """No moment at which the numbers are not those of the certificate."""
        try:
            first = place.certificate.read_bytes()
            fits = place.fits(place.certificate, place.output)
            if place.certificate.read_bytes() == first:
                self.assertTrue(fits)
        except FileNotFoundError:
            pass

    def test_one_of_them_releases(self):
        place, codes, errors = self.crowd()
        self.assertEqual(sorted(codes), [0] + [2] * (self.COUNT - 1), errors)
        for error in errors:
            self.assertRegex(error, r"\A(modicum: (--output|--certificate) is [^\n]*--replace[^\n]*\n)?\Z")
        self.assertEqual(sorted(place.content()), sorted(place.files))

    def test_each_of_them_replaces_another(self):
        place, codes, errors = self.crowd("--replace")
        self.assertEqual(codes, [0] * self.COUNT, errors)
        kept = [aside(place.certificate, number) for number in range(1, self.COUNT)]
        self.assertEqual(set(place.content()), {*place.files, *kept})
        self.assertEqual(len({path.read_bytes() for path in (place.certificate, *kept)}), self.COUNT)


if __name__ == "__main__":
    unittest.main()
