"""modicum convert."""

import math
import unittest

from _support import CommandLineTest


class Convert(CommandLineTest):
    def convert(self, *arguments):
        return self.answer("convert", *arguments)

    def test_renyi(self):
        result = self.convert("renyi", "--order", 8, "--divergence", 0.5, "--delta", "1e-6")
        self.assertEqual(list(result), ["epsilon", "delta", "from"])
        self.assertEqual(result["delta"], 1e-6)
        self.assertEqual(result["from"], {"order": 8, "divergence": 0.5})
        exact = 0.5 + math.log(7 / 8) - math.log(8e-6) / 7
        self.assertAlmostEqual(result["epsilon"], exact, 12)

    def test_zcdp_is_the_best_order(self):
        result = self.convert("zcdp", "--rho", 0.1, "--delta", "1e-6")
        self.assertEqual(result["from"], {"rho": 0.1})
        for order in 5, 8, 11, 12, 13, 20:
            other = self.convert("renyi", "--order", order, "--divergence", repr(0.1 * order),
                                 "--delta", "1e-6")
            self.assertLessEqual(result["epsilon"], other["epsilon"] * (1 + 1e-9))
        # The older rho + 2 sqrt(rho log(1/delta)) is larger.
        self.assertLess(result["epsilon"], 0.1 + 2 * math.sqrt(0.1 * math.log(1e6)))

    def test_gaussian_dp(self):
        result = self.convert("gaussian-dp", "--mu", 0.5, "--delta", "1e-6")
        self.assertEqual(list(result), ["epsilon", "delta", "rho", "from"])
        same = self.ask("epsilon", {"mechanism": "gaussian_dp", "mu": 0.5}, "--delta", "1e-6")
        self.assert_encloses(result["epsilon"], same["epsilon"]["upper"])
        self.assertAlmostEqual(result["rho"], 0.125, 15)
        # Exact accounting beats the way through rho.
        other = self.convert("zcdp", "--rho", 0.125, "--delta", "1e-6")
        self.assertLess(result["epsilon"]["upper"], other["epsilon"])

    def test_pure(self):
        result = self.convert("pure", "--epsilon", 1)
        self.assertEqual(list(result), ["rho", "from"])
        self.assertAlmostEqual(result["rho"], math.tanh(0.5), 14)
        self.assertGreaterEqual(result["rho"], math.tanh(0.5) * (1 - 1e-16))

    def test_sampling(self):
        result = self.convert("sampling", "--epsilon", 1, "--delta", "1e-6", "--sampling-rate", 0.01)
        self.assertAlmostEqual(result["epsilon"], math.log1p(0.01 * math.expm1(1)), 15)
        self.assertAlmostEqual(result["delta"] / 1e-8, 1, 12)
        self.assertEqual(result["from"], {"epsilon": 1, "delta": 1e-6, "sampling_rate": 0.01})
        whole = self.convert("sampling", "--epsilon", 1, "--delta", 0, "--sampling-rate", 1)
        self.assert_just_above(whole["epsilon"], 1, 1e-14)
        self.assertEqual(whole["delta"], 0)

    def test_nothing_costs_nothing(self):
        self.assertEqual(self.convert("zcdp", "--rho", 0, "--delta", 0.1)["epsilon"], 0)
        self.assertEqual(self.convert("pure", "--epsilon", 0)["rho"], 0)
        self.assertEqual(self.convert("gaussian-dp", "--mu", 0, "--delta", 0.1)["epsilon"],
                         {"lower": 0, "upper": 0})

    def test_words(self):
        for arguments in (["renyi", "--order", 8, "--divergence", 0.5, "--delta", "1e-6"],
                          ["zcdp", "--rho", 0.1, "--delta", "1e-6"],
                          ["gaussian-dp", "--mu", 0.5, "--delta", "1e-6"],
                          ["pure", "--epsilon", 1],
                          ["sampling", "--epsilon", 1, "--delta", 0, "--sampling-rate", 0.1]):
            self.assertIn("Proved", self.succeed("convert", *arguments))

    def test_bad_arguments(self):
        for kind, good, bad in (
                ("renyi", {"--order": 2, "--divergence": 1, "--delta": 0.1},
                 {"--order": [1, 0.5, "inf", "nan"], "--divergence": [-1, "nan", "inf"],
                  "--delta": [0, 1, "nan"]}),
                ("zcdp", {"--rho": 1, "--delta": 0.1}, {"--rho": [-1, "nan"], "--delta": [0, 1]}),
                ("gaussian-dp", {"--mu": 1, "--delta": 0.1},
                 {"--mu": [-1, "inf"], "--delta": [-1, 1.5, "nan"]}),
                ("pure", {"--epsilon": 1}, {"--epsilon": [-1, "nan", "x"]}),
                ("sampling", {"--epsilon": 1, "--delta": 0, "--sampling-rate": 0.1},
                 {"--epsilon": [-1], "--delta": [1], "--sampling-rate": [0, 1.5, "nan"]})):
            for name in good:
                arguments = [item for pair in good.items() if pair[0] != name for item in pair]
                self.assertIn(f"{name} is missing", self.refuse(2, "convert", kind, *arguments))
                for value in bad[name]:
                    arguments = [item for pair in {**good, name: value}.items() for item in pair]
                    error = self.refuse(2, "convert", kind, *arguments)
                    self.assertRegex(error, name.strip("-").replace("-", "."))
                    self.assertIn("must", error)
        self.refuse(2, "convert")
        self.refuse(3, "convert", "gaussian-dp", "--mu", 1, "--delta", 0)


if __name__ == "__main__":
    unittest.main()
