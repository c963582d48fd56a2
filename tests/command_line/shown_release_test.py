"""Releases that are shown instead of written (--output -), and names for files without any."""

import json
import pathlib
import struct
import unittest

from _support import CommandLineTest

WAGES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "wages.csv"
RANGES = [item for text in ("age=18:70", "schooling=0:20", "hours=0:80", "wage=0:60")
          for item in ("--range", text)]
TARGET = ["--epsilon", 1, "--delta", "1e-6"]
MEAN = ["release", "vector", WAGES, "--statistic", "mean", *RANGES]


class ShownReleaseTest(CommandLineTest):
    def test_people_see_result_certificate_and_comparison(self):
        text = self.succeed(*MEAN, *TARGET, "--output", "-")
        for expected in ("Released (1, 1e-06)-differentially private: the mean of 4 coordinates",
                         "schooling", "guarantee", "proved", "Proved, provided that",
                         "The classical Gaussian mechanism would have needed 1."):
            self.assertIn(expected, text)
        self.assertNotIn("written to", text)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_json_has_the_numbers(self):
        result = self.answer(*MEAN, *TARGET, "--output", "-")
        self.assertEqual(list(result), ["output", "certificate", "classical_noise_ratio", "released"])
        self.assertEqual(result["released"]["rows"][:4], ["age", "schooling", "hours", "wage"])
        self.assertEqual(len(result["released"]["values"]), len(result["released"]["rows"]))
        self.assertNotIn("output", result["certificate"])
        self.assertIn("time", result["certificate"])

    def test_a_certificate_that_is_named_is_written(self):
        path = self.folder / "certificate.json"
        result = self.answer(*MEAN, *TARGET, "--output", "-", "--certificate", path)
        self.assertEqual(json.loads(path.read_text()), result["certificate"])
        self.assertEqual(result["certificate_file"], str(path))

    def test_words_say_what_is_proved(self):
        # Pure privacy of draws in double arithmetic is that of the ideal sampler.
        words = self.succeed("release", "components", WAGES, *RANGES, "--components", 1, "--epsilon", 1,
                             "--delta", 0, "--output", "-")
        self.assertRegex(words, r"guarantee +proved for the ideal sampler\n +arithmetic +mitigated\n")
        self.assertIn("\nProved for the ideal sampler (double arithmetic comes close to it: mitigated), provided "
                      "that\n", words)
        words = self.succeed("release", "covariance", WAGES, *RANGES, *TARGET, "--output", "-")
        self.assertRegex(words, r"guarantee +proved\n +arithmetic +exact\n")
        self.assertIn("\nProved, provided that\n", words)

    def test_every_kind_can_be_shown(self):
        matrix = self.file("2,1\n1,3\n", "matrix.csv")
        queries = self.file("schooling\n8\n12\n", "queries.csv")
        features = RANGES[:6]
        for words in (["projection", WAGES, *RANGES, "--columns", 20], ["covariance", WAGES, *RANGES],
                      ["regression", WAGES, *RANGES, "--target", "wage"],
                      ["regression", WAGES, *RANGES, "--target", "wage", "--method", "objective"],
                      ["logistic", WAGES, *features, "--target", "wage", "--threshold", 20],
                      ["gaussian-process", WAGES, "--target", "wage", "--select", "schooling", "--queries",
                       queries, "--range", "schooling=0:20", "--range", "wage=0:60", "--noise-variance", 1,
                       "--largest-rows", 1000],
                      ["components", WAGES, *RANGES, "--components", 2],
                      ["matrix", matrix, "--sensitivity", 1],
                      ["vector", self.file("1\n2\n", "vector.csv"), "--statistic", "given", "--sensitivity", 1]):
            result = self.answer("release", *words, *TARGET, "--output", "-")
            released = result["released"]
            self.assertEqual({len(row) for row in released["values"]}, {len(released["columns"])}, words)
            self.assertIn("Released", self.succeed("release", *words, *TARGET, "--output", "-"))

    def test_losses_and_reports(self):
        fit = self.folder / "fit.csv"
        self.succeed("release", "logistic", WAGES, *RANGES[:6], "--target", "wage", "--threshold", 20,
                     "--method", "objective", *TARGET, "--output", fit)
        losses = self.answer("report", "per-instance", WAGES, "--release", fit, "--confidential", "--output", "-")
        self.assertEqual(len(losses["inside"]["signed_loss"]), 500)
        self.assertEqual(len(losses["inside"]["bound"]), 500)
        report = self.answer("report", "per-instance", "--release", fit, "--method", "data-independent",
                             "--output", "-")
        path = self.file(report["report"], "report.json")
        self.file(report["certificate"], "report.json.certificate.json")
        self.assertEqual(len(self.answer("report", "evaluate", path, "--records", WAGES)["records"]), 500)
        text = self.succeed("report", "per-instance", WAGES, "--release", fit, "--confidential", "--output", "-")
        self.assertTrue(text.startswith("Confidential"))
        self.assertIn("row,membership,epsilon_1,signed_loss,bound\n1,inside,", text)
        text = self.succeed("report", "per-instance", "--release", fit, "--method", "data-independent",
                            "--output", "-")
        self.assertIn('"report": "per-instance privacy"', text)

    def test_spectra(self):
        result = self.answer("report", "spectrum", WAGES, *RANGES, "--confidential", "--output", "-")
        self.assertEqual(len(result["eigenvalues"]), 4)


class NamesTest(CommandLineTest):
    def npy(self):
        rows = [tuple(map(float, line.split(","))) for line in WAGES.read_text().splitlines()[1:]]
        header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, 4), }}".ljust(117) + "\n"
        path = self.folder / "wages.npy"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                         + b"".join(struct.pack("<4d", *row) for row in rows))
        return path

    def certificate(self, *words):
        result = self.answer("release", "covariance", *words, *RANGES, *TARGET, "--output", "-")
        del result["certificate"]["time"]
        return result["certificate"]

    def test_a_file_with_names_given_is_one_with_a_header(self):
        expected = self.certificate(WAGES)
        expected["assumptions"].remove("the first line of each file is a header: names of columns, and no row")
        names = ["--names", "age", "schooling", "hours", "wage"]
        self.assertEqual(self.certificate(self.npy(), *names), expected)
        bare = self.file("".join(line + "\n" for line in WAGES.read_text().splitlines()[1:]), "bare.csv")
        self.assertEqual(self.certificate(bare, "--no-header", *names), expected)

    def test_what_is_refused(self):
        target = ["--row-norm-bound", 1, *TARGET, "--output", "-"]
        self.assertIn("names", self.refuse(2, "release", "covariance", self.npy(), "--names", "a", "b", *target))
        self.assertIn("names", self.refuse(2, "release", "covariance", WAGES, "--names", "a", "b", "c", "d", *target))
        self.assertIn("several", self.refuse(2, "release", "covariance", self.npy(), "--names", "a", "a", "c", "d", *target))


if __name__ == "__main__":
    unittest.main()
