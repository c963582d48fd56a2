"""What the command line does, as functions: calibrations, conversions, releases, audits, reports."""

import hashlib
import json
import math
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np
import pandas

import modicum
from _support import SOURCE, PackageTest

EXAMPLES = SOURCE / "examples"
TARGET = {"epsilon": 1.0, "delta": 1e-6}
RANGES = {"age": (18, 70), "schooling": (0, 20), "hours": (0, 80), "wage": (0, 60)}


def program(*words):
    out = subprocess.run([os.environ["MODICUM_PROGRAM"], *words, "--json"], capture_output=True, text=True,
                         check=True)
    return json.loads(out.stdout)


def wages():
    return pandas.read_csv(EXAMPLES / "wages.csv")


class Calibrations(PackageTest):
    def test_each_is_that_of_the_program(self):
        for found, words in (
                (modicum.calibrate_gaussian(**TARGET, count=100), "gaussian --sensitivity 1 --count 100"),
                (modicum.calibrate_laplace(**TARGET, sensitivity=2), "laplace --sensitivity 2"),
                (modicum.calibrate_l2(**TARGET, dimension=3), "l2 --sensitivity 1 --dimension 3"),
                (modicum.calibrate_spherical(**TARGET, dimension=3, alpha=2, p=1.5),
                 "spherical --sensitivity 1 --dimension 3 --alpha 2 --p 1.5"),
                (modicum.calibrate_projection(**TARGET, columns=300, row_norm_bound=1),
                 "projection --columns 300 --row-norm-bound 1"),
                (modicum.calibrate_covariance(**TARGET, row_norm_bound=2), "covariance --row-norm-bound 2"),
                (modicum.calibrate_objective(**TARGET, lipschitz=1, smoothness=0.25, regularization=10),
                 "objective --lipschitz 1 --smoothness 0.25 --regularization 10")):
            told = program("calibrate", *words.split(), "--epsilon", "1", "--delta", "1e-6")
            again = found.as_dict()
            for answer in (told, again):
                answer["certificate"].pop("time")
            self.assertEqual(again, told)

    def test_a_calibrated_parameter_meets_its_target(self):
        sigma = modicum.calibrate_gaussian(epsilon=0.5, delta=1e-8, sensitivity=3).standard_deviation
        self.assertLessEqual(modicum.gaussian(standard_deviation=sigma, sensitivity=3).delta(0.5), 1e-8)
        self.assertGreater(
            modicum.gaussian(standard_deviation=sigma * (1 - 1e-9), sensitivity=3).delta(0.5), 1e-8)
        steps = modicum.calibrate_subsampled_gaussian(epsilon=2, delta=1e-5, sampling_rate=0.01, count=1000)
        self.assertLessEqual(modicum.subsampled_gaussian(
            standard_deviation=steps.standard_deviation, sampling_rate=0.01, count=1000).delta(2.0), 1e-5)

    def test_a_calibrated_allocation_meets_its_target(self):
        noise = modicum.calibrate_allocated_gaussian(epsilon=1, delta=1e-5, batches=6).standard_deviation
        self.assertLessEqual(modicum.allocated_gaussian(standard_deviation=noise, batches=6).delta(1.0), 1e-5)
        self.assertGreater(
            modicum.allocated_gaussian(standard_deviation=noise * (1 - 1e-4), batches=6).delta(1.0), 1e-5)

    def test_least_squares_and_optimum(self):
        self.assertGreater(modicum.calibrate_least_squares(
            columns=100, features=2, row_norm_bound=1, **TARGET).ridge, 1)
        best = modicum.optimize_spherical(dimension=3, **TARGET)
        self.assertLessEqual(best.mean_squared_error, best.gaussian_mean_squared_error)
        names = [each.name for each in modicum.compare_noise(dimension=2, **TARGET).mechanisms]
        self.assertEqual(names[:3], ["gaussian", "laplace", "l2"])

    def test_components(self):
        eigenvalues = json.loads((EXAMPLES / "eigenvalues.json").read_text())
        found = modicum.calibrate_components(eigenvalues, rows=2500, components=2, mu=1)
        told = program("calibrate", "components", "--eigenvalues", str(EXAMPLES / "eigenvalues.json"),
                       "--rows", "2500", "--components", "2", "--mu", "1")
        self.assertEqual(found.beta, told["beta"])
        ranks = modicum.calibrate_components(eigenvalues, rows=2500, components=2, mu=1, ranks=True)
        self.assertAlmostEqual(ranks.pure_epsilon / found.pure_epsilon, 4.5, 9)
        with self.assertRaises(modicum.TargetUnreachable):
            modicum.calibrate_components(eigenvalues, rows=2500, components=2, mu=1e-6)

    def test_conversions(self):
        self.assertEqual(modicum.convert_zcdp(rho=0.1, delta=1e-6).epsilon,
                         program("convert", "zcdp", "--rho", "0.1", "--delta", "1e-6")["epsilon"])
        self.assert_relative(modicum.convert_pure(epsilon=1).rho, math.tanh(0.5), 1e-12)
        self.assert_relative(modicum.convert_sampling(epsilon=1, delta=1e-6, sampling_rate=0.1).epsilon,
                             math.log1p(0.1 * math.expm1(1)), 1e-12)
        self.assertGreater(modicum.convert_renyi(order=8, divergence=0.5, delta=1e-6).epsilon, 0.5)
        self.assertGreater(modicum.convert_gaussian_dp(mu=0.5, delta=1e-6).epsilon.upper, 0)
        self.assertGreater(modicum.quantile_goe(dimension=5, upper_tail=0.01).as_dict()["quantile"]["upper"], 2)

    def test_errors_are_those_of_the_library(self):
        self.assert_refuses("epsilon", lambda: modicum.calibrate_gaussian(epsilon=-1, delta=1e-6))
        self.assert_refuses("epsilon", lambda: modicum.calibrate_gaussian(epsilon=math.nan, delta=1e-6))
        self.assert_refuses("epsilon", lambda: modicum.calibrate_gaussian(epsilon=object(), delta=1e-6))
        with self.assertRaises(modicum.UsageError):
            modicum.command("calibrate gaussian", epsilon=1)
        with self.assertRaises(modicum.UsageError):
            modicum.command("calibrate nothing")
        with self.assertRaises(modicum.UnreadableFile):
            modicum.release("covariance", "/nowhere.csv", row_norm_bound=1, **TARGET)

    def test_answers_are_mappings_with_attributes(self):
        answer = modicum.calibrate_gaussian(**TARGET)
        self.assertIn("standard_deviation", answer)
        self.assertIn("standard_deviation", dir(answer))
        self.assertLessEqual(answer.delta.lower, answer.delta.upper)
        self.assertIn("4.22", repr(answer))
        with self.assertRaises(AttributeError):
            answer.nothing


class Releases(PackageTest):
    def test_arrays_frames_and_files_give_the_same_certificate(self):
        frame = wages()
        options = {"range": RANGES, **TARGET}
        certificates = []
        for rows, more in ((frame, {}), (frame.to_numpy(), {"names": list(frame.columns)}),
                           (EXAMPLES / "wages.csv", {"strict": True})):
            certificate = modicum.release("covariance", rows, **more, **options)
            self.assertEqual(certificate.values.shape, (4, 4))
            self.assertEqual(certificate.row_names, list(frame.columns))
            plain = certificate.certificate.as_dict()
            plain.pop("time")
            certificates.append(plain)
        self.assertEqual(certificates[0], certificates[1])
        certificates[2]["assumptions"].remove(
            "the first line of each file is a header: names of columns, and no row")
        self.assertEqual(certificates[0], certificates[2])
        self.assertEqual(certificates[0]["guarantee"], "proved")

    def test_the_truth_shows_through_the_noise(self):
        # Noise of known size: eight deviations are exceeded with probability 1e-15 each.
        frame = wages()
        released = modicum.release_sum(frame, range=RANGES, epsilon=50, delta=1e-3)
        deviation = released.certificate.parameters.standard_deviation
        for name, (low, high) in RANGES.items():
            middle, half = (low + high) / 2, (high - low) / 2
            truth = ((frame[name].clip(low, high) - middle) / half).sum()
            self.assertLess(abs(released.column(released.column_names[0])[name] - truth), 8 * deviation + 0.01)

    def test_means_histograms_vectors_and_matrices(self):
        mean = modicum.release_mean(wages(), range=RANGES, epsilon=10, delta=1e-3)
        self.assertLess(abs(mean.column("mean")["age"] - wages()["age"].mean()), 5)
        counts = modicum.release_histogram(EXAMPLES / "visits.csv", column="region", epsilon=10, delta=1e-3,
                                           categories=["north", "south", "east", "west"])
        self.assertEqual(counts.row_names, ["north", "south", "east", "west"])
        by_edges = modicum.release_histogram(wages(), column="age", edges=[18, 30, 50, 70], **TARGET)
        self.assertEqual(by_edges.values.shape[0], 3)
        noisy = modicum.release_vector(np.arange(5.0), sensitivity=1, **TARGET)
        self.assertEqual(noisy.values.shape, (5, 1))
        self.assertGreater(noisy.classical_noise_ratio, 1.2)
        self.assertEqual(modicum.release_matrix(np.eye(3), sensitivity=0.5, **TARGET).values.shape, (3, 3))

    def test_the_classical_ratio_is_the_one_of_the_formula(self):
        released = modicum.release_vector(np.zeros(2), sensitivity=2, epsilon=0.5, delta=1e-6)
        classical = 2 * math.sqrt(2 * math.log(1.25e6)) / 0.5
        self.assert_relative(released.classical_noise_ratio,
                             classical / released.certificate.parameters.standard_deviation, 1e-6)
        # No theorem, no comparison.
        self.assertIsNone(modicum.release_vector(np.zeros(2), sensitivity=2, epsilon=2, delta=1e-6)
                          .classical_noise_ratio)

    def test_a_certificate_in_words_rounds_nothing(self):
        certificate = modicum.release_vector(np.zeros(2), sensitivity=1, **TARGET).certificate
        words = dict(line.strip().split(": ", 1) for line in str(certificate).splitlines() if ": " in line)
        self.assertEqual(float(words["standard deviation"]), certificate.parameters.standard_deviation)
        self.assertIn(f"delta at most {certificate.delta.upper!r}", str(certificate))

    def test_two_releases_differ(self):
        first, second = (modicum.release_vector(np.zeros(3), sensitivity=1, **TARGET).values for _ in range(2))
        self.assertFalse((first == second).any())

    def test_saved_releases_can_be_read_again(self):
        released = modicum.release_vector(np.arange(3.0), sensitivity=1, **TARGET)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("numbers.csv", "numbers.json", "numbers.npy"):
                path = pathlib.Path(folder) / name
                released.save(path)
                told = json.loads((path.parent / (name + ".certificate.json")).read_text())
                self.assertEqual(told.pop("output")["sha256"], hashlib.sha256(path.read_bytes()).hexdigest())
                self.assertEqual(told, released.certificate.as_dict())
            again = pandas.read_csv(pathlib.Path(folder) / "numbers.csv", index_col="name", float_precision="round_trip")
            np.testing.assert_array_equal(again.to_numpy(), released.values)
            self.assert_refuses("output", lambda: released.save(pathlib.Path(folder) / "numbers.xlsx"))
            self.assert_refuses("output", lambda: released.save("-"))

    def test_a_saved_release_is_replaced_only_when_told_so(self):
        first, second = (modicum.release_vector(np.arange(3.0), sensitivity=1, **TARGET) for _ in range(2))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            path = folder / "numbers.npy"
            first.save(path)
            record = (folder / "numbers.npy.certificate.json").read_bytes()
            self.assert_refuses("replace", lambda: second.save(path))
            np.testing.assert_array_equal(np.load(path), first.values)
            second.save(path, replace=True)
            np.testing.assert_array_equal(np.load(path), second.values)
            self.assertEqual((folder / "numbers.npy.certificate.1.json").read_bytes(), record)
            self.assertEqual(len(list(folder.iterdir())), 3)
            self.assert_refuses("cannot be written", lambda: second.save(folder / "none" / "numbers.npy"))
            # A job that writes files goes the same way.
            options = dict(statistic="given", sensitivity=1, output=path, **TARGET)
            self.assert_refuses("replace", lambda: modicum.command("release vector", np.zeros((2, 1)), **options))
            modicum.command("release vector", np.zeros((2, 1)), replace=True, **options)
            self.assertEqual((folder / "numbers.npy.certificate.2.json").exists(), True)

    def test_bad_rows_are_refused(self):
        self.assert_refuses("not finite", lambda: modicum.release_sum([[1.0, math.nan]], row_norm_bound=1, **TARGET))
        self.assert_refuses("dimensions", lambda: modicum.release_sum([1.0, 2.0], row_norm_bound=1, **TARGET))
        self.assert_refuses("numbers", lambda: modicum.release_sum([["a", "b"]], row_norm_bound=1, **TARGET))
        self.assert_refuses("names", lambda: modicum.release_sum([[1.0, 2.0]], names=["a"], row_norm_bound=1,
                                                                 **TARGET))
        self.assert_refuses("row_norm_bound", lambda: modicum.release_sum([[1.0, 2.0]], **TARGET))

    def test_names_may_be_any_text(self):
        names = ["a=b", "c:d", "--e", 'quote"', "comma,", "é"]
        released = modicum.release_sum(np.ones((10, 6)), names=names, row_norm_bound=3, **TARGET)
        self.assertEqual(released.row_names, names)

    def test_names_are_text(self):
        class Columns:
            columns = [pandas.Series([1.0, 2.0]), pandas.Series([3.0, 4.0])]

            def __array__(self, dtype=None):
                return np.ones((2, 2))

        for rows, names in ((Columns(), None), (np.ones((2, 2)), ["", "b"])):
            self.assert_refuses("names", lambda: modicum.release_sum(rows, names=names, row_norm_bound=1, **TARGET))

    def test_nothing_is_dropped_silently(self):
        rows = np.random.default_rng(3).uniform(size=(20, 2))
        released = modicum.release_sum(rows, row_norm_bound=1, **TARGET)
        self.assertIn("malformed", " ".join(released.certificate.assumptions))
        for options, what in (({"no_header": True}, "no_header"), ({"certificate": ""}, "certificate"),
                              ({"select": []}, "select"), ({"range": {"1": 5}}, "range"),
                              ({"range": {"1": (1, 2, 3)}}, "range"), ({"threads": b"1"}, "threads")):
            self.assert_refuses(what, lambda: modicum.release_sum(rows, row_norm_bound=1, **options, **TARGET))
        self.assert_refuses("epsilon", lambda: modicum.release_sum(rows, row_norm_bound=1, epsilon=b"1", delta=0.1))
        for categories in (['a"b', "c"], "xy", [1.5, 2]):
            self.assert_refuses("categories", lambda: modicum.release_histogram(
                EXAMPLES / "visits.csv", column="region", categories=categories, **TARGET))
        with tempfile.TemporaryDirectory() as folder:
            bare = pathlib.Path(folder) / "bare.csv"
            np.savetxt(bare, rows, delimiter=",")
            named = modicum.release_sum(bare, names=["a", "b"], no_header=True, row_norm_bound=1, **TARGET)
            self.assertEqual(named.row_names, ["a", "b"])

    def test_comparisons(self):
        answer = modicum.compare_regression(wages(), target="wage", range=RANGES, trials=3, epsilon=1, delta=1e-3)
        self.assertIn("covariance", repr(answer.as_dict()))
        modicum.compare_projection(wages(), range=RANGES, trials=3, epsilon=1, delta=1e-3)
        modicum.compare_components(wages(), components=1, range=RANGES, trials=3, epsilon=1, delta=1e-3)


class Audits(PackageTest):
    def test_an_exact_delta_decides(self):
        loss = modicum.gaussian(standard_deviation=4)
        self.assertEqual(modicum.audit_loss(loss, epsilon=1, delta=1e-3).verdict, "consistent")
        self.assertEqual(modicum.audit_loss(loss, epsilon=1, delta=1e-12).verdict, "violated")

    def test_samples_of_too_little_noise_are_caught(self):
        # Noise of half the deviation that the claim needs; 20,000 samples a side. That a claim which
        # holds is refuted has probability 1e-6.
        chance = np.random.default_rng(2)
        sigma = modicum.calibrate_gaussian(epsilon=1, delta=1e-5).standard_deviation
        for factor, verdict in ((0.5, "violated"), (1.0, "not refuted")):
            with_record, without = (chance.normal(shift, factor * sigma, 20_000) for shift in (1, 0))
            found = modicum.audit_samples(with_record, without, epsilon=1, delta=1e-5, confidence=1 - 1e-6)
            self.assertEqual(found.verdict.replace("_", " "), verdict, found)
        self.assert_refuses("with_record", lambda: modicum.audit_samples(
            [[math.nan]] * 100, [[1.0]] * 100, epsilon=1, delta=0.1))

    def test_mechanisms_on_data(self):
        found = modicum.audit_mechanism("covariance", wages(), range=RANGES, confidential=True, **TARGET)
        self.assertEqual(found.verdict, "consistent")
        self.assertGreater(modicum.audit_inherent(wages(), columns=100, target="wage").as_dict()["rows"], 0)
        self.assertIn("violated", repr(modicum.audit_claim("r1smg")))
        self.assertIn("r1smg", [claim.name for claim in modicum.published_claims().claims])

    def test_spectrum_and_simulated_components(self):
        found = modicum.spectrum(wages(), range=RANGES)
        self.assertEqual(len(found.eigenvalues), 4)
        self.assertEqual(sorted(found.eigenvalues, reverse=True), found.eigenvalues)
        eigenvalues = json.loads((EXAMPLES / "eigenvalues.json").read_text())
        modicum.audit_components(eigenvalues, rows=2500, components=1, mu=1, draws=200, points=5)

    def test_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("a.txt", "b.txt")]
            for number, file in enumerate(files):
                file.write_text(f"{100 * number}\n")
            found = modicum.audit_program("cat", input=files[0], neighbor=files[1], epsilon=1, delta=1e-3,
                                          trials=200)
        self.assertEqual(found.verdict, "violated")


class Samplers(PackageTest):
    def test_discrete_gaussians(self):
        drawn = modicum.sample_discrete_gaussian(standard_deviation=3.0, count=20_000)
        self.assertEqual(drawn.dtype, np.int64)
        # Six standard errors of mean and variance: false alarms with probability 4e-9.
        self.assertLess(abs(drawn.mean()), 6 * 3 / math.sqrt(20_000))
        self.assertLess(abs(drawn.var() - 9), 6 * 9 * math.sqrt(2 / 20_000))

    def test_spherical_noise_lies_on_its_grid(self):
        noise = modicum.sample_spherical(dimension=4, alpha=3, beta=0.5, p=1.5, grid=2**-10)
        self.assertTrue((noise * 1024 == np.round(noise * 1024)).all())

    def test_component_frames_are_orthonormal(self):
        for sampler in ("deflation", "gibbs", "gaussian"):
            frames = modicum.sample_components([3, 2, 1, 0.5], beta=20, components=2, sampler=sampler, count=3)
            self.assertEqual(frames.shape, (3, 4, 2))
            for frame in frames:
                np.testing.assert_allclose(frame.T @ frame, np.eye(2), atol=1e-12)
        self.assert_refuses("sampler", lambda: modicum.sample_components([1, 0], beta=1, components=1, sampler="x"))
        self.assert_refuses("count", lambda: modicum.sample_components([1, 0], beta=1, components=1, count=0))


if __name__ == "__main__":
    unittest.main()
