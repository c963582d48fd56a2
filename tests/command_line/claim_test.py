"""modicum audit claim."""

import unittest

from _support import INSTRUMENTED, CommandLineTest

VERDICTS = {
    "classical-gaussian": "violated", "gaussian-optimality": "consistent",
    "goe-quantile": "violated", "least-squares-monotone": "violated",
    "lemma2-direction": "violated", "lifted-gaussian": "violated", "ptr-overspend": "violated",
    "r1smg": "violated", "singular-value-projection": "consistent"}
NAMES = list(VERDICTS)


class Claim(CommandLineTest):
    def test_the_list(self):
        claims = self.answer("audit", "claim")["claims"]
        self.assertEqual([claim["name"] for claim in claims], NAMES)
        text = self.succeed("audit", "claim")
        for claim in claims:
            self.assertEqual(list(claim), ["name", "claim"])
            self.assertIn(claim["claim"], text)

    @unittest.skipIf(INSTRUMENTED, "takes minutes")
    def test_every_claim_has_one_shape_and_its_verdict(self):
        for name, verdict in VERDICTS.items():
            result = self.answer("audit", "claim", name)
            self.assertEqual(list(result), ["name", "claim", "source", "verdict", "cases"])
            self.assertEqual((result["name"], result["verdict"]), (name, verdict))
            what = "probability" if name == "goe-quantile" else "delta"
            shape = [] if name == "goe-quantile" else ["epsilon"]
            shape += ["claimed_" + what, what, "verdict", "proof"]
            for case in result["cases"]:
                self.assertEqual(list(case)[:len(shape)], shape)
                self.assertEqual(list(case[what]), ["lower", "upper"])
                if case["verdict"] == "violated":
                    self.assertGreater(case[what]["lower"], case["claimed_" + what])
                else:
                    self.assertEqual(case["verdict"], "consistent")

    def test_words(self):
        for name in "goe-quantile", "lemma2-direction", "singular-value-projection":
            text = self.succeed("audit", "claim", name)
            self.assertIn(f"Verdict: {VERDICTS[name]}", text)
            self.assertIn("Proved.", text)
        self.assertIn("claimed probability", self.succeed("audit", "claim", "goe-quantile"))

    def test_eigenvalue_quantile(self):
        paper, halved, true = self.answer("audit", "claim", "goe-quantile")["cases"]
        self.assertAlmostEqual(paper["probability"]["lower"], 1 - 0.00897722516342157, delta=1e-12)
        self.assertEqual((paper["bound"], halved["bound"], true["bound"]), (12, 12, 16.9706))
        self.assertEqual(halved["off_diagonal_variance"], 0.5)

    def test_a_test_that_overspends(self):
        cases = self.answer("audit", "claim", "ptr-overspend")["cases"]
        self.assertEqual([case["release_epsilon"] == 0 for case in cases],
                         [case["verdict"] == "violated" for case in cases])
        self.assertAlmostEqual(cases[-1]["delta"]["lower"], 0.2384218, delta=1e-7)

    def test_rank_one_gaussian_at_other_parameters(self):
        # With the dimension the claimed delta is missed by more.
        own = ["audit", "claim", "r1smg", "--delta", "1e-6", "--epsilon", 1, 2, "--dimension"]
        for dimension in 16, 200:
            found = self.answer(*own, dimension)
            self.assertEqual([case["epsilon"] for case in found["cases"]], [1, 2])
            for case in found["cases"]:
                self.assertEqual((case["dimension"], case["claimed_delta"]), (dimension, 1e-6))
                self.assertEqual(case["verdict"], "violated")
        same = ["audit", "claim", "r1smg", "--dimension", 128, "--delta", "1e-5", "--epsilon", 1]
        self.assertAlmostEqual(self.answer(*same)["cases"][0]["delta"]["upper"], 0.983594, 6)
        self.assertIn("together", self.refuse(2, "audit", "claim", "r1smg", "--dimension", 5))
        self.assertIn("dimension", self.refuse(2, *own, 2))
        self.refuse(2, "audit", "claim", "goe-quantile", "--dimension", 5, "--delta", 0.1, "--epsilon", 1)

    def test_rank_one_gaussian(self):
        cases = self.answer("audit", "claim", "r1smg")["cases"]
        self.assertEqual([case["epsilon"] for case in cases], [0.1, 1, 2, 4, 8])
        for case, truth in zip(cases, [0.813284, 0.983594, 0.995020, 0.998804, 0.999755]):
            self.assertEqual(case["claimed_delta"], 1e-5)
            self.assertAlmostEqual(case["delta"]["lower"], truth, delta=5e-7)
            self.assertAlmostEqual(case["delta"]["upper"], truth, delta=5e-7)
            self.assertEqual((case["dimension"], case["sensitivity"]), (128, 1))
            self.assertEqual(case["proof"], "certified")

    def test_unknown(self):
        error = self.refuse(2, "audit", "claim", "r2smg")
        for name in ["r2smg", *NAMES]:
            self.assertIn(name, error)

    def test_help(self):
        self.assertIn("Example:", self.succeed("audit", "claim", "--help"))


if __name__ == "__main__":
    unittest.main()
