"""modicum.PrivacyAccountant and modicum.import_description."""

import collections
import math
import unittest

import modicum

Optimizer = collections.namedtuple("Optimizer", "noise_multiplier accumulated_iterations")


class Event:
    """Prints as an event of dp_accounting does."""

    def __repr__(self):
        return "SelfComposedDpEvent(event=GaussianDpEvent(noise_multiplier=np.float64(8.0)), count=4)"


class Accountant(unittest.TestCase):
    def test_a_training_run(self):
        accountant = modicum.PrivacyAccountant()
        for _ in range(1000):
            accountant.step(noise_multiplier=1.0, sample_rate=0.01)
        self.assertEqual(accountant.history, [(1.0, 0.01, 1000)])
        self.assertEqual(len(accountant), 1000)
        self.assertAlmostEqual(accountant.get_epsilon(1e-5), 1.82823666651658, 6)
        self.assertAlmostEqual(accountant.get_epsilon(delta=1e-5, alphas=[2, 3], mode="fast"), 1.82823666651658, 6)

    def test_it_is_called_as_opacus_calls_its_own(self):
        # The methods of opacus.accountants.IAccountant.
        for name in ("step", "get_epsilon", "__len__", "mechanism", "get_optimizer_hook_fn", "state_dict",
                     "load_state_dict"):
            self.assertTrue(callable(getattr(modicum.PrivacyAccountant, name)), name)
        self.assertEqual(modicum.PrivacyAccountant.mechanism(), "modicum")
        accountant = modicum.PrivacyAccountant()
        hook = accountant.get_optimizer_hook_fn(sample_rate=0.125)
        hook(Optimizer(2.0, 1))
        hook(Optimizer(2.0, 2))
        hook(Optimizer(2.0, 2))
        self.assertEqual(accountant.history, [(2.0, 0.125, 1), (2.0, 0.25, 2)])

    def test_nothing_done_costs_nothing(self):
        self.assertEqual(modicum.PrivacyAccountant().get_epsilon(1e-5), 0)
        self.assertEqual(len(modicum.PrivacyAccountant()), 0)

    def test_the_state_is_the_history(self):
        accountant = modicum.PrivacyAccountant()
        accountant.step(noise_multiplier=4.0, sample_rate=1.0)
        accountant.compose(Event()).compose({"mechanism": "laplace", "scale": 10, "sensitivity": 1}, count=2)
        state = accountant.state_dict()
        self.assertEqual(list(state)[:2], ["history", "mechanism"])
        other = modicum.PrivacyAccountant()
        other.load_state_dict(state)
        self.assertEqual(other.get_epsilon(1e-5), accountant.get_epsilon(1e-5))
        self.assertEqual(other.history, [(4.0, 1.0, 1)])
        # A checkpoint of Opacus: the method in place of its name.
        class Rdp:
            @classmethod
            def mechanism(cls):
                return "rdp"
        other.load_state_dict({"history": [(1.0, 0.5, 3), (1.0, 0.5, 2)], "mechanism": Rdp.mechanism})
        self.assertEqual(other.history, [(1.0, 0.5, 5)])

    def test_events_and_losses_compose(self):
        accountant = modicum.PrivacyAccountant()
        accountant.step(noise_multiplier=4.0, sample_rate=1.0)
        accountant.compose(Event())
        accountant.compose(modicum.gaussian(standard_deviation=8), count=3)
        # 1/16 + 4/64 + 3/64 = 11/64.
        truth = modicum.gaussian(standard_deviation=8, count=11)
        self.assertAlmostEqual(accountant.get_delta(0.5), truth.delta(0.5), 12)
        with self.assertRaises(ValueError):
            accountant.state_dict()

    def test_what_is_no_step_is_refused(self):
        accountant = modicum.PrivacyAccountant()
        for noise, rate in (0, 0.1), (-1, 0.1), (math.nan, 0.1), (math.inf, 0.1), (1, -0.1), (1, 1.5), (1, math.nan):
            with self.assertRaises(ValueError):
                accountant.step(noise_multiplier=noise, sample_rate=rate)
        self.assertEqual(accountant.history, [])
        accountant.step(noise_multiplier=1, sample_rate=0.5)
        for state in (None, {}, {"history": []}, {"mechanism": "rdp"}, {"history": [], "mechanism": "other"},
                      {"history": [(1, 0.5, 0)], "mechanism": "rdp"}, {"history": [(0, 0.5, 1)], "mechanism": "rdp"}):
            with self.assertRaises(ValueError):
                accountant.load_state_dict(state)
        self.assertEqual(accountant.history, [(1.0, 0.5, 1)])


class Imports(unittest.TestCase):
    def test_events_texts_histories_and_accountants(self):
        truth = modicum.gaussian(standard_deviation=8, count=4).delta(0.5)
        for history in (Event(), repr(Event()), [(8.0, 1.0, 4)],
                        {"class_name": "SelfComposedDpEvent", "count": 4,
                         "event": {"class_name": "GaussianDpEvent", "noise_multiplier": 8.0}}):
            description = modicum.import_description(history, adjacency="add_remove")
            self.assertEqual(modicum.loss(description).delta(0.5), truth)
        accountant = modicum.PrivacyAccountant()
        accountant.step(noise_multiplier=8, sample_rate=1)
        self.assertEqual(modicum.import_description(accountant, adjacency="add_remove")["mechanism"], "gaussian")

    def test_the_neighbors_are_kept(self):
        loss = modicum.loss(modicum.import_description(Event(), adjacency="replace_one"))
        self.assertEqual(loss.adjacency, "replace_one")
        self.assertEqual((2 * loss).adjacency, "replace_one")
        with self.assertRaisesRegex(ValueError, "one kind of neighbors"):
            loss + modicum.gaussian(standard_deviation=1)
        with self.assertRaises(TypeError):
            modicum.import_description(Event())

    def test_the_unit_is_kept(self):
        def of(**parameters):
            return modicum.loss({"mechanism": "x", "guarantee": "proved", "target": {}, "parameters": parameters,
                                 "loss": {"mechanism": "gaussian_dp", "mu": 0.1}})
        self.assertGreater((of(unit="person") + 2 * of(unit="person")).delta(0), of().delta(0))
        for one, other in ((of(unit="person"), of()), (of(), 2 * of(unit="person")), (of(unit="person"), of(unit="house"))):
            with self.assertRaisesRegex(ValueError, "unit is .* one kind of neighbors"):
                one + other

    def test_unknown_events_are_refused_by_name(self):
        with self.assertRaisesRegex(ValueError, "Unknown"):
            modicum.import_description("Unknown(x=1)", adjacency="add_remove")

    def test_known_curves_and_noise(self):
        curve = modicum.renyi([2, 4, 8], [0.25, 0.5, 1.25])
        self.assertAlmostEqual(curve.delta(1.5), 0.0052509798669231502, 10)
        noise = modicum.integer_noise([0.0625, 0.1875, 0.5, 0.1875, 0.0625], first=-2)
        self.assertAlmostEqual(noise.delta(1.0), 0.08010738572130967, 14)


if __name__ == "__main__":
    unittest.main()
