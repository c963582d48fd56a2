"""meaning and convert people: what a guarantee means, by formulas of their own."""

import json
import math
import os
import subprocess
import unittest

PROGRAM = os.environ["MODICUM_PROGRAM"]


def run(*words, given=None):
    return subprocess.run([PROGRAM, *words], input=given and json.dumps(given), capture_output=True, text=True, check=False)


def answer(*words, given=None):
    said = run(*words, "--json", given=given)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def normal(x):
    return 0.5 * math.erfc(-x / math.sqrt(2))


class Meaning(unittest.TestCase):
    def test_the_best_guess_about_a_normal_answer(self):
        # The likelihood ratio test at threshold t = mu/2 + log((1 - prior)/prior)/mu is the best.
        for mu in (0.1, 0.5, 2.0):
            for prior in (0.001, 0.1, 0.5, 0.9):
                t = mu / 2 + math.log((1 - prior) / prior) / mu
                best = prior * normal(mu - t) + (1 - prior) * normal(t)
                got = answer("meaning", "-", "--prior", str(prior), given={"mechanism": "gaussian_dp", "mu": mu})
                self.assertLessEqual(got["right_with"]["lower"], best * (1 + 1e-14))
                self.assertGreaterEqual(got["right_with"]["upper"], best * (1 - 1e-14))
                self.assertLess(got["right_with"]["upper"] - got["right_with"]["lower"], 1e-12)
                self.assertEqual(got["right_without"], max(prior, 1 - prior))

    def test_belief_after_an_alarm_by_bayes(self):
        # Phi^{-1}(0.95) = 1.6448536269514722; the best test of level 0.05 finds Phi(mu - that).
        found = normal(1.0 - 1.6448536269514722)
        got = answer("meaning", "-", "--prior", "0.2", "--false-alarms", "0.05", given={"mechanism": "gaussian_dp", "mu": 1})
        self.assertAlmostEqual(got["found"]["upper"], found, delta=1e-12)
        self.assertAlmostEqual(got["belief"]["upper"], 0.2 * found / (0.2 * found + 0.8 * 0.05), delta=1e-12)
        self.assertGreaterEqual(got["belief"]["upper"], 0.2 * found / (0.2 * found + 0.8 * 0.05) * (1 - 1e-13))

    def test_randomized_response_is_right_as_often_as_it_tells_the_truth(self):
        got = answer("meaning", "-", "--prior", "0.5", given={"mechanism": "randomized_response", "truth_probability": 0.75})
        self.assertLessEqual(got["right_with"]["lower"], 0.75)
        self.assertGreaterEqual(got["right_with"]["upper"], 0.75)
        self.assertAlmostEqual(got["right_with"]["upper"], 0.75, delta=1e-12)

    def test_a_guess_is_never_worse_than_a_blind_one_nor_surer_than_certain(self):
        for given in ({"mechanism": "pure", "epsilon": 1e-9}, {"mechanism": "pure", "epsilon": 700},
                      {"mechanism": "gaussian_dp", "mu": 1e-8}, {"mechanism": "gaussian_dp", "mu": 60}):
            points = answer("meaning", "-", "--prior", "1e-12", "0.3", "0.999999", given=given)["points"]
            for point in points:
                self.assertGreaterEqual(point["right_with"]["upper"], point["right_without"] * (1 - 1e-15))
                self.assertLessEqual(point["right_with"]["upper"], 1.0)
                self.assertLessEqual(point["belief"]["upper"], 1.0)
                self.assertGreaterEqual(point["belief"]["upper"], point["prior"] * (1 - 1e-12))

    def test_bad_arguments(self):
        for words in (["--prior", "0"], ["--prior", "1"], ["--prior", "nan"], ["--prior", "0.5", "-1"], ["--false-alarms", "0"], ["--false-alarms", "1"]):
            said = run("meaning", "-", *words, given={"mechanism": "pure", "epsilon": 1})
            self.assertEqual((said.returncode, said.stdout), (2, ""), words)
            self.assertIn(words[0], said.stderr)


class People(unittest.TestCase):
    def test_as_many_give_the_same_precision(self):
        got = {each["noise"]: each for each in answer("convert", "people", "--epsilon", "1", "--delta", "1e-6", "--people", "1000", "--spread", "12", "--width", "60")["points"]}
        self.assertEqual(got["none"]["people_added"], 0)
        noise = answer("calibrate", "gaussian", "--epsilon", "1", "--delta", "1e-6", "--sensitivity", "60")["standard_deviation"]
        self.assertEqual(got["gaussian"]["standard_deviation"], noise)
        self.assertAlmostEqual(got["classical_gaussian"]["standard_deviation"], 60 * math.sqrt(2 * math.log(1.25e6)), places=9)
        for kind in ("gaussian", "classical_gaussian"):
            people, sigma = got[kind]["people_needed"], got[kind]["standard_deviation"]
            error = lambda n: 144 / n + (sigma / n) ** 2
            self.assertLessEqual(error(people), 144 / 1000)
            self.assertGreater(error(people - 1), 144 / 1000)

    def test_bad_arguments(self):
        good = {"epsilon": "1", "delta": "1e-6", "people": "10", "spread": "1", "width": "1"}
        for name in good:
            for value in ("0", "-1", "nan", "1e999"):
                words = [word for key, each in {**good, name: value}.items() for word in (f"--{key}", each)]
                said = run("convert", "people", *words)
                self.assertEqual((said.returncode, said.stdout), (2, ""), (name, value))
                self.assertIn(f"--{name}", said.stderr)


if __name__ == "__main__":
    unittest.main()
