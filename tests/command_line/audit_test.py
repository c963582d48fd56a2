"""modicum audit pair."""

import unittest

from _support import GAUSSIAN, LAPLACE, SINGULAR, WIDER, CommandLineTest


class Audit(CommandLineTest):
    def audit(self, description, epsilon, delta, *flags):
        return self.answer("audit", "pair", self.file(description), "--epsilon", epsilon,
                           "--delta", delta, *flags)

    def test_verdicts(self):
        for description, epsilon, delta, verdict in (
                (GAUSSIAN, 1, 0.0244, "violated"),
                (GAUSSIAN, 1, 0.0245, "consistent"),
                (WIDER, 0, 0.32, "violated"),
                (WIDER, 0, 0.33, "consistent"),
                (LAPLACE, 0.5, 0, "consistent"),
                (LAPLACE, 0.4999, 0, "violated"),
                (SINGULAR, 100, 0.99, "violated")):
            for flags in [], ["--fast"], ["--certified"]:
                result = self.audit(description, epsilon, delta, *flags)
                self.assertEqual(result["verdict"], verdict, (description, flags))

    def test_a_claim_inside_the_enclosure_is_undecided(self):
        point = self.ask("profile", GAUSSIAN, "--epsilon", 1)["delta"]
        if point["lower"] < point["upper"]:
            result = self.audit(GAUSSIAN, 1, repr(point["lower"]))
            self.assertEqual(result["verdict"], "undecided")

    def test_an_estimate_decides_nothing(self):
        # Dense covariances in 51 dimensions are reduced in doubles, unless a proof is asked for.
        size = 51
        wide = [[2.0 if i == j else 0.01 for j in range(size)] for i in range(size)]
        narrow = [[1.0 if i == j else 0.01 for j in range(size)] for i in range(size)]
        pair = {"mechanism": "gaussian_pair", "mean1": [0.1] * size, "covariance1": wide,
                "mean2": [0] * size, "covariance2": narrow}
        for delta, verdict in ((1e-6, "violated"), (0.999999, "consistent")):
            result = self.audit(pair, 1, delta)
            self.assertEqual((result["verdict"], result["proof"]), ("undecided", "estimated"))
            result = self.audit(pair, 1, delta, "--certified")
            self.assertEqual((result["verdict"], result["proof"]), (verdict, "certified"))
        self.assertIn("--certified proves it", self.succeed(
            "audit", "pair", self.file(pair), "--epsilon", 1, "--delta", 1e-6))

    def test_shape(self):
        result = self.audit(GAUSSIAN, 1, 1e-6)
        self.assertEqual(list(result),
                         ["verdict", "claim", "delta", "forward", "reverse", "proof"])
        self.assertEqual(result["claim"], {"epsilon": 1, "delta": 1e-6})
        self.assert_encloses(result["delta"], 0.02442102624531847128)

    def test_words(self):
        arguments = ["audit", "pair", self.file(GAUSSIAN), "--epsilon", 1]
        self.assertIn("VIOLATED", self.succeed(*arguments, "--delta", "1e-6"))
        self.assertIn("consistent", self.succeed(*arguments, "--delta", "0.1"))

    def test_bad_claims(self):
        path = self.file(GAUSSIAN)
        for epsilon, delta, name in (-1, 0.1, "epsilon"), (1, 1, "delta"), (1, "nan", "delta"):
            error = self.refuse(2, "audit", "pair", path, "--epsilon", epsilon, "--delta", delta)
            self.assertIn(name, error)
        self.refuse(2, "audit", "pair", path, "--epsilon", 1)
        self.refuse(2, "audit", "pair", "--epsilon", 1, "--delta", 0.1)
        self.refuse(2, "audit")
        self.refuse(4, "audit", "pair", self.folder / "none", "--epsilon", 1, "--delta", 0.1)


if __name__ == "__main__":
    unittest.main()
