"""modicum release matrix and modicum quantile."""

import json
import math
import unittest

from _support import CommandLineTest

MATRIX = [[41.5, 6.2, -3.1], [6.2, 18.9, 2.4], [-3.1, 2.4, 12.7]]
TARGET = ("--epsilon", 1, "--delta", "1e-6")


class ReleaseMatrix(CommandLineTest):
    def release(self, *arguments, matrix=MATRIX, output="noisy.json"):
        path = self.file(matrix, "matrix.json")
        return self.answer("release", "matrix", path, *TARGET, "--output", self.fresh(output),
                           *arguments)

    def released(self, name="noisy.json"):
        return json.loads((self.folder / name).read_text())

    def test_a_symmetric_matrix_near_the_given_one(self):
        result = self.release("--sensitivity", 0.25)
        certificate = result["certificate"]
        self.assertEqual(certificate["mechanism"], "gaussian_orthogonal_ensemble")
        self.assertEqual(certificate["guarantee"], "proved")
        self.assertEqual(certificate["arithmetic"], "exact")
        self.assertLessEqual(certificate["delta"]["upper"], 1e-6)
        self.assertNotIn("confidential", result)
        values = self.released()["values"]
        for i in range(3):
            for j in range(3):
                self.assertEqual(values[i][j], values[j][i])
                # 12 deviations: a false alarm has probability below 1e-30.
                self.assertLess(abs(values[i][j] - MATRIX[i][j]), 12 * 1.06)
        written = json.loads((self.folder / "noisy.json.certificate.json").read_text())
        self.assertEqual(written, certificate)

    def test_what_is_certified_is_what_the_description_of_its_loss_says(self):
        certificate = self.release("--sensitivity", 0.25)["certificate"]
        point = self.ask("profile", certificate["loss"], "--epsilon", 1, "--certified")
        self.assertLessEqual(point["delta"]["lower"], certificate["delta"]["upper"])
        self.assertLessEqual(certificate["delta"]["lower"], point["delta"]["upper"])

    def test_analyze_gauss_has_twice_the_variance_off_the_diagonal(self):
        one = self.release("--sensitivity", 2)["certificate"]["parameters"]
        other = self.release("--sensitivity", 2, "--noise", "analyze-gauss")["certificate"]
        self.assertEqual(other["mechanism"], "analyze_gauss")
        other = other["parameters"]
        self.assertEqual(one["diagonal_standard_deviation"], other["diagonal_standard_deviation"])
        self.assertAlmostEqual(other["standard_deviation"] / one["standard_deviation"],
                               math.sqrt(2), 14)

    def test_the_norm_of_the_noise(self):
        given = self.release("--sensitivity", 1, "--failure", "1e-6")["certificate"]["parameters"]
        quantile = self.answer("quantile", "goe", "--dimension", 3, "--upper-tail", "5e-7")
        self.assertEqual(given["noise_norm_failure"], 1e-6)
        self.assertAlmostEqual(given["noise_norm_bound"] / given["standard_deviation"],
                               quantile["quantile"]["upper"], 6)

    def test_the_smallest_eigenvalue(self):
        result = self.release("--sensitivity", 0.25, "--smallest-eigenvalue", "--confidential")
        self.assertAlmostEqual(result["confidential"]["least_eigenvalue"], 11.00163, 5)
        self.assertEqual(result["certificate"]["mechanism"], "gaussian")
        ((value,),) = self.released()["values"]
        self.assertAlmostEqual(value - result["confidential"]["least_eigenvalue"],
                               result["confidential"]["error"], 9)
        for name in "noisy.json", "noisy.json.certificate.json":
            self.assertNotIn("11.0016", (self.folder / name).read_text())

    def test_confidential_numbers_are_printed_on_request_only(self):
        numbers = self.release("--sensitivity", 0.25, "--confidential")["confidential"]
        self.assertEqual(list(numbers), ["spectral_error", "relative_spectral_error",
                                         "frobenius_error", "relative_frobenius_error"])
        self.assertNotIn("error", (self.folder / "noisy.json.certificate.json").read_text())

    def test_files_in_other_formats(self):
        text = "\n".join(",".join(map(repr, row)) for row in MATRIX) + "\n"
        path = self.file(text, "matrix.csv")
        out = self.succeed("release", "matrix", path, *TARGET, "--sensitivity", 1, "--output",
                           self.folder / "noisy.csv")
        self.assertIn("a symmetric matrix of 3 rows", out)
        self.assertEqual(len((self.folder / "noisy.csv").read_text().splitlines()), 4)

    def refused(self, code, *arguments, matrix=MATRIX):
        path = self.file(matrix, "matrix.json")
        error = self.refuse(code, "release", "matrix", path, "--output",
                            self.folder / "noisy.json", *arguments)
        self.assertFalse((self.folder / "noisy.json").exists())
        self.assertFalse((self.folder / "noisy.json.certificate.json").exists())
        return error

    def test_refusals(self):
        sensitivity = ("--sensitivity", 1)
        self.assertIn("--sensitivity", self.refused(2, *TARGET))
        for bad in 0, -1, "nan", "inf":
            self.assertIn("sensitivity is ", self.refused(2, *TARGET, "--sensitivity", bad))
        self.assertIn("--noise", self.refused(2, *TARGET, *sensitivity, "--noise", "uniform"))
        self.assertIn("--noise", self.refused(2, *TARGET, *sensitivity, "--noise", "goe",
                                              "--smallest-eigenvalue"))
        self.assertIn("--strict", self.refused(2, *TARGET, *sensitivity, "--strict"))
        for bad in 0, 1, -1, "nan":
            self.assertIn("failure is ", self.refused(2, *TARGET, *sensitivity, "--failure", bad))
        self.refused(3, "--epsilon", 1, "--delta", 0, *sensitivity)
        self.assertIn("square", self.refused(4, *TARGET, *sensitivity, matrix=[[1, 2, 3]]))

    def test_data_that_are_refused_are_not_quoted(self):
        for arguments in (), ("--smallest-eigenvalue",):
            error = self.refused(2, *TARGET, "--sensitivity", 1, *arguments,
                                 matrix=[[1.25, 77.25], [-77.25, 3.5]])
            self.assertIn("not symmetric", error)
            self.assertNotIn("77", error)

    def test_help(self):
        for command in ["release", "matrix"], ["quantile"], ["quantile", "goe"]:
            text = self.succeed(*command, "--help")
            self.assertIn("Usage: " + " ".join(["modicum", *command]), text)
            self.assertIn("Example:", text)
            self.assertLess(max(map(len, text.splitlines())), 121)


class Quantile(CommandLineTest):
    def test_known_ones(self):
        for dimension, tail, digits in ((2, "0.5", "1.23195843304747544"),
                                        (10, "0.5", "5.28027448075890772"),
                                        (50, "4.2325e-6", "16.97056091409416525")):
            result = self.answer("quantile", "goe", "--dimension", dimension, "--upper-tail", tail)
            self.assertEqual(list(result), ["dimension", "upper_tail", "quantile"])
            self.assert_holds(result["quantile"], digits)
        text = self.succeed("quantile", "goe", "--dimension", 50, "--upper-tail", "4.2325e-6")
        self.assertIn("16.9705609140942", text)

    def test_refusals(self):
        for bad in 0, 2.5, 1001, "nan":
            self.assertIn("dimension is ", self.refuse(2, "quantile", "goe", "--dimension", bad,
                                                       "--upper-tail", 0.1))
        for bad in 0, 1, -0.1, "1e-299", "nan":
            error = self.refuse(2, "quantile", "goe", "--dimension", 3, "--upper-tail", bad)
            self.assertRegex(error, "upper[_-]tail is ")


if __name__ == "__main__":
    unittest.main()
