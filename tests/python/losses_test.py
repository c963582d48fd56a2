"""Losses: one number or many, against values with many digits and against the program."""

import json
import math
import os
import subprocess
import threading
import time
import unittest
from decimal import Decimal

import numpy as np

import modicum
from _support import SOURCE, PackageTest, reference


class Answers(PackageTest):
    def test_a_composition_has_its_delta(self):
        parts = [modicum.gaussian(standard_deviation=50, count=1000), modicum.laplace(scale=20),
                 modicum.randomized_response(truth_probability=0.55)]
        whole = modicum.compose(parts)
        self.assertIsInstance(whole.delta(1.0), float)
        self.assertEqual(whole.delta(1.0), (parts[0] + parts[1] + parts[2]).delta(1.0))
        self.assertGreater(whole.delta(1.0), parts[0].delta(1.0))

    def test_the_subsampled_gaussian_has_its_known_epsilon(self):
        steps = modicum.subsampled_gaussian(standard_deviation=1, sampling_rate=0.01, count=1000)
        bounds = steps.epsilon_bounds(1e-5)
        self.assertLessEqual(bounds.lower, 1.828236666516576873)
        self.assertGreaterEqual(bounds.upper, 1.828236666516576873)
        self.assert_relative(steps.epsilon(1e-5), 1.828236666516576873, 1e-12)

    def test_randomly_allocated_batches_are_above_their_reference(self):
        epochs = modicum.allocated_gaussian(standard_deviation=2, batches=10)
        found = epochs.profile(0.5)
        for side, truth in (("forward", 0.000113084995658), ("reverse", 7.17262403175e-05)):
            self.assertGreaterEqual(getattr(found, side).upper, truth)
            self.assertLess(getattr(found, side).upper, 1.001 * truth)
        two = modicum.allocated_gaussian(standard_deviation=2, batches=10, count=2)
        self.assertGreater(two.epsilon(1e-5), epochs.epsilon(1e-5))

    def test_spectra_enclose_their_reference(self):
        rows = reference("gaussian_spectra.json")
        self.assertGreater(len(rows), 100)
        for row in rows[::5]:
            found = modicum.gaussian_spectrum(row["components"]).profile(row["epsilon"])
            for side in ("forward", "reverse"):
                bounds, truth = getattr(found, side), Decimal(row["delta_" + side])
                # The reference has 25 digits, the last of which is rounded.
                self.assertLessEqual(Decimal(bounds.lower), truth * (1 + Decimal("1e-24")), row["name"])
                self.assertGreaterEqual(Decimal(bounds.upper), truth * (1 - Decimal("1e-24")), row["name"])

    def test_pairs_from_arrays_are_pairs_from_descriptions(self):
        chance = np.random.default_rng(1)
        for dimension in (1, 2, 5):
            factors = chance.normal(size=(2, dimension, dimension))
            first, second = (f @ f.T + np.eye(dimension) for f in factors)
            means = chance.normal(size=(2, dimension))
            by_arrays = modicum.gaussian_pair(means[0], first, means[1], second)
            by_words = modicum.loss({"mechanism": "gaussian_pair", "mean1": means[0], "covariance1": first,
                                     "mean2": means[1], "covariance2": second})
            self.assertEqual(by_arrays.profile(0.5), by_words.profile(0.5))
            self.assertEqual(by_arrays.label, by_words.label)

    def test_many_points_are_one_call_with_the_shape_of_the_points(self):
        loss = modicum.gaussian(standard_deviation=2)
        epsilons = np.linspace(-1, 4, 12).reshape(3, 4)
        found = loss.profile(epsilons)
        self.assertEqual(found.delta.upper.shape, (3, 4))
        self.assertTrue((found.delta.lower <= found.delta.upper).all())
        self.assertTrue(found.proved.all())
        for place in np.ndindex(3, 4):
            self.assertEqual(found.delta.upper[place], loss.delta(float(epsilons[place])))
        self.assertEqual(loss.delta([1, 2]).shape, (2,))
        self.assertEqual(loss.delta(np.array([])).shape, (0,))
        self.assertEqual(loss.delta(1), loss.delta(1.0))
        self.assertEqual(loss.delta(np.float64(1.0)), loss.delta(1.0))

    def test_a_hundred_thousand_epsilons(self):
        epsilons = np.linspace(0, 5, 100_000)
        deltas = modicum.gaussian(standard_deviation=1).delta(epsilons, mode="fast")
        self.assertTrue((np.diff(deltas) <= 1e-15).all())

    def test_directions_and_kinds_agree_with_the_program(self):
        description = {"compose": [{"mechanism": "random_projection", "columns": 300, "leverage": 0.02},
                                   {"mechanism": "pure", "epsilon": 0.1, "count": 3}]}
        loss = modicum.loss(description)
        for command, option, point, ask in (
                ("profile", "--epsilon", 1.0, lambda x: loss.profile(x).forward),
                ("epsilon", "--delta", 1e-5, loss.epsilon_bounds),
                ("tradeoff", "--type1", 0.05, loss.tradeoff_bounds),
                ("renyi", "--order", 2.0, loss.renyi)):
            out = subprocess.run([os.environ["MODICUM_PROGRAM"], command, "-", option, str(point), "--json"],
                                 input=json.dumps(description), capture_output=True, text=True, check=True)
            told = json.loads(out.stdout)
            key = {"profile": "forward", "epsilon": "epsilon", "tradeoff": "type2", "renyi": "divergence"}[command]
            found = ask(point)
            self.assertEqual(told[key], found if command == "renyi" else {"lower": found.lower, "upper": found.upper})

    def test_safe_ends(self):
        loss = modicum.random_projection(columns=300, leverage=0.02)
        self.assertEqual(loss.tradeoff(0.05), loss.tradeoff_bounds(0.05).lower)
        self.assertEqual(loss.renyi(2), loss.renyi_bounds(2).upper)
        self.assertEqual(loss.renyi(math.inf), math.inf)
        self.assertEqual(modicum.laplace(scale=2).epsilon(0.0), 0.5)

    def test_descriptions_come_from_files_and_certificates_too(self):
        path = SOURCE / "examples" / "history.json"
        for given in (path, str(path), path.read_text(), json.loads(path.read_text())):
            self.assertEqual(modicum.loss(given).delta(1.0), modicum.loss(path).delta(1.0))
        released = modicum.release_vector([0.0], sensitivity=1, epsilon=1, delta=1e-6)
        self.assertLessEqual(modicum.loss(released.certificate.loss).delta(1.0), 1e-6)
        with self.assertRaises(modicum.UnreadableFile):
            modicum.loss("nowhere.json")

    def test_sums(self):
        parts = [modicum.pure(epsilon=0.1), modicum.gaussian(standard_deviation=5)]
        self.assertEqual(sum(parts).delta(0.5), modicum.compose(parts).delta(0.5))
        self.assert_refuses("parts", lambda: modicum.compose([parts[0], 3]))

    def test_counts(self):
        once = modicum.gaussian(standard_deviation=10)
        self.assertEqual((1000 * once).delta(0.5), modicum.gaussian(standard_deviation=10, count=1000).delta(0.5))
        self.assertIn("1000 times", (once * 1000).label)
        self.assertIn("1000 times", repr(modicum.gaussian(standard_deviation=10, count=1000)))

    def test_tables_of_losses(self):
        table = modicum.tabulated([math.log(3), -math.log(3)], [0.75, 0.25])
        response = modicum.randomized_response(truth_probability=0.75)
        for epsilon in (0.0, 0.5, 1.0):
            self.assert_relative(table.delta(epsilon), response.delta(epsilon), 1e-9)
        self.assertGreaterEqual(modicum.tabulated([0.0], [0.9], infinite=0.1).delta(5.0), 0.1)


class Refusals(PackageTest):
    def test_bad_numbers_are_value_errors_that_name_the_argument(self):
        self.assert_refuses("standard_deviation", lambda: modicum.gaussian(standard_deviation=-1))
        self.assert_refuses("standard_deviation", lambda: modicum.gaussian(standard_deviation=math.nan))
        self.assert_refuses("standard_deviation", lambda: modicum.gaussian(standard_deviation="wide"))
        self.assert_refuses("count", lambda: modicum.gaussian(standard_deviation=1, count=0.5))
        self.assert_refuses("epsilon", lambda: modicum.gaussian(standard_deviation=1).delta(math.nan))
        self.assert_refuses("epsilon", lambda: modicum.gaussian(standard_deviation=1).delta([1, math.nan]))
        self.assert_refuses("epsilon", lambda: modicum.gaussian(standard_deviation=1).delta("one"))
        self.assert_refuses("delta", lambda: modicum.gaussian(standard_deviation=1).epsilon(2))
        self.assert_refuses("mode", lambda: modicum.gaussian(standard_deviation=1).delta(1.0, mode="quick"))
        self.assert_refuses("mode", lambda: modicum.gaussian(standard_deviation=1).delta(1.0, mode=None))
        self.assert_refuses("standard_deviation", lambda: modicum.gaussian(standard_deviation=10**400))
        self.assert_refuses("epsilon", lambda: modicum.gaussian(standard_deviation=1).delta(10**400))
        self.assert_refuses("parts", lambda: modicum._core.Loss.composed([None]))

    def test_bad_arrays(self):
        one = np.eye(2)
        self.assert_refuses("mean1", lambda: modicum.gaussian_pair([[0, 0]], one, [0, 0], one))
        self.assert_refuses("covariance2", lambda: modicum.gaussian_pair([0, 0], one, [0, 0], [1, 1]))
        self.assert_refuses("covariance1", lambda: modicum.gaussian_pair([0, 0], [[1, math.nan], [0, 1]], [0, 0], one))
        self.assert_refuses("covariance1", lambda: modicum.gaussian_pair([0, 0], -one, [0, 0], one))
        self.assert_refuses("mean1", lambda: modicum.gaussian_pair(["a", "b"], one, [0, 0], one))

    def test_bad_descriptions(self):
        for description in ({"mechanism": "none"}, {"compose": []}, "{", {"mechanism": "gaussian"}):
            with self.assertRaises(modicum.InvalidDescription):
                modicum.loss(description)

    def test_a_delta_that_cannot_be_reached(self):
        with self.assertRaises(modicum.TargetUnreachable):
            modicum.approximate(epsilon=1, delta=0.1).epsilon(0.01)

    def test_every_error_is_a_value_error(self):
        for error in (modicum.Error, modicum.InvalidParameter, modicum.InvalidDescription, modicum.UsageError,
                      modicum.UnreadableFile, modicum.TargetUnreachable, modicum.CalibrationFailed):
            self.assertTrue(issubclass(error, ValueError))
        self.assertTrue(issubclass(modicum.CalibrationFailed, modicum.TargetUnreachable))


class Threads(unittest.TestCase):
    def test_other_threads_run_during_long_calls(self):
        loss = modicum.gaussian(standard_deviation=1)
        epsilons = np.linspace(0, 5, 200_000)
        finished = threading.Event()

        def work():
            loss.profile(epsilons, mode="fast")
            finished.set()

        thread = threading.Thread(target=work)
        thread.start()
        turns = 0
        while not finished.is_set():
            turns += 1
            time.sleep(0.001)
        thread.join()
        # With the lock held there would be one turn before and one after.
        self.assertGreater(turns, 20)


if __name__ == "__main__":
    unittest.main()
