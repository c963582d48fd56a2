"""modicum audit claim."""

import unittest

from _support import CommandLineTest

NAMES = ["classical-gaussian", "gaussian-optimality", "lemma2-direction", "r1smg",
         "singular-value-projection"]


class Claim(CommandLineTest):
    def test_the_list(self):
        claims = self.answer("audit", "claim")["claims"]
        self.assertEqual([claim["name"] for claim in claims], NAMES)
        text = self.succeed("audit", "claim")
        for claim in claims:
            self.assertEqual(list(claim), ["name", "claim"])
            self.assertIn(claim["claim"], text)

    def test_every_claim_has_one_shape(self):
        for name in NAMES:
            result = self.answer("audit", "claim", name)
            self.assertEqual(list(result), ["name", "claim", "source", "verdict", "cases"])
            self.assertEqual(result["name"], name)
            for case in result["cases"]:
                self.assertEqual(list(case)[:5],
                                 ["epsilon", "claimed_delta", "delta", "verdict", "proof"])
                self.assertEqual(list(case["delta"]), ["lower", "upper"])

    def test_verdicts(self):
        for name, verdict in zip(NAMES, ["violated", "consistent", "violated", "violated",
                                         "consistent"]):
            self.assertEqual(self.answer("audit", "claim", name)["verdict"], verdict)
            self.assertIn(f"Verdict: {verdict}", self.succeed("audit", "claim", name))

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
