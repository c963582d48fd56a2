"""Losses known by their laws: subsampled, spherical and bounded-range noise, and tables."""

import json
import math
import os
import unittest

from _support import REFERENCE, CommandLineTest


def rows(file, part, step):
    """Every so many rows of a reference table, by description."""
    found = {}
    for row in json.loads((REFERENCE / f"{file}.json").read_text())[part][::step]:
        found.setdefault(json.dumps(row["description"]), []).append(row)
    return [(json.loads(text), group) for text, group in found.items()]


class Reference(CommandLineTest):
    def points(self, command, description, option, group):
        values = [repr(row[option]) for row in group]
        result = self.ask(command, description, f"--{option}", *values)
        return zip(group, result.get("points", [result]))

    def check_profiles(self, file, part, step, *columns):
        for description, group in rows(file, part, step):
            for row, point in self.points("profile", description, "epsilon", group):
                for direction, column in zip(("forward", "reverse"), columns):
                    self.assert_holds(point[direction], row[column], (row, point))

    def test_subsampled(self):
        self.check_profiles("subsampled", "profile", 3, "delta_forward", "delta_reverse")

    def test_spherical(self):
        self.check_profiles("spherical", "profile", 1, "delta", "delta")

    def test_repeated_l2(self):
        self.check_profiles("spherical", "composition", 2, "delta", "delta")

    def test_compositions(self):
        self.check_profiles("composed_laws", "profile", 7, "delta_forward", "delta_reverse")

    def test_renyi(self):
        for description, group in rows("subsampled", "renyi", 10):
            for row, point in self.points("renyi", description, "order", group):
                larger = max(row["divergence_forward"], row["divergence_reverse"], key=float)
                self.assert_holds(point["enclosure"], larger, (row, point))

    def test_epsilon(self):
        checked = 0
        for description, group in rows("composed_laws", "epsilon_at_delta", 1):
            # Of the subsampled ones only the quickest.
            if description.get("standard_deviation") == 5 or description.get("range") == 0.1:
                checked += 1
                for row, point in self.points("epsilon", description, "delta", group[:1]):
                    self.assert_holds(point["epsilon"], row["epsilon"], (row, point))
        self.assertGreater(checked, 2)

    def test_l2_is_a_member(self):
        member = {"mechanism": "spherical_generalized_gamma", "dimension": 7, "alpha": 6,
                  "beta": 0.5, "p": 1, "sensitivity": 1}
        l2 = {"mechanism": "l2", "dimension": 7, "scale": 2, "sensitivity": 1}
        self.assertEqual(self.ask("profile", l2, "--epsilon", 0.3),
                         self.ask("profile", member, "--epsilon", 0.3))


class Table(CommandLineTest):
    # Randomized response with epsilon 1/2.
    ROWS = "loss,probability\n0.5,0.6224593312018546\n-0.5,0.3775406687981454\n"
    TABLE = {"mechanism": "tabulated", "file": "loss.csv"}

    def test_profile(self):
        self.file(self.ROWS, "loss.csv")
        result = self.answer("profile", self.file(self.TABLE), "--epsilon", 0.2)
        share = 0.6224593312018546
        self.assert_encloses(result["delta"], share - math.exp(0.2) * (1 - share), 1e-8)

    def test_the_path_is_relative_to_the_description(self):
        (self.folder / "tables").mkdir()
        self.file(self.ROWS, "tables/loss.csv")
        path = self.file(self.TABLE, "tables/mechanism.json")
        here = self.answer("profile", path, "--epsilon", 0.2)
        nested = self.file({"compose": [{"mechanism": "tabulated", "file": "tables/loss.csv"}]})
        self.assertEqual(self.answer("profile", nested, "--epsilon", 0.2), here)
        # To the current folder for standard input, and where the description is just a name.
        previous = os.getcwd()
        self.addCleanup(os.chdir, previous)
        os.chdir(self.folder / "tables")
        self.assertEqual(self.ask("profile", self.TABLE, "--epsilon", 0.2), here)
        self.assertEqual(self.answer("profile", "mechanism.json", "--epsilon", 0.2), here)

    def test_infinite_losses(self):
        self.file("# all or nothing\r\n\r\n 0 , 0.75 \r\ninf,0.25\r\n", "loss.csv")
        result = self.answer("profile", self.file(self.TABLE), "--epsilon", 1, 30)
        for point in result["points"]:
            self.assert_encloses(point["forward"], 0.25)

    def test_repeated(self):
        self.file(self.ROWS, "loss.csv")
        response = {"mechanism": "pure", "epsilon": 0.5, "count": 20}
        exact = self.ask("profile", response, "--epsilon", 1)["delta"]
        path = self.file({**self.TABLE, "count": 20})
        found = self.answer("profile", path, "--epsilon", 1)["delta"]
        self.assertLessEqual(found["lower"], exact["upper"] * (1 + 1e-7))
        self.assertGreaterEqual(found["upper"], exact["lower"] * (1 - 1e-7))

    def test_malformed(self):
        path = self.file(self.TABLE)
        for text, part in (
                ("0,0.5\n0;0.5\n", "line 2"),
                ("0,0.5\n\nx,0.5\n", 'line 3: loss is "x"'),
                ("0,2\n", "line 1: probability is 2"),
                ("-inf,1\n", "line 1: loss is"),
                ("0,nan\n", "line 1: probability is"),
                ("", "table is empty"),
                ("0,0.9\n", "sum of the probabilities is 0.9"),
                ("-1,1\n", "must be at most 1"),
                ("\x1b[31m\x00", "line 1")):
            self.file(text, "loss.csv")
            error = self.refuse(2, "profile", path, "--epsilon", 1)
            self.assertIn(part, error)
            self.assertIn("loss.csv", error)
            self.assertIn("must", error)

    def test_unreadable(self):
        self.assertIn("loss.csv", self.refuse(4, "profile", self.file(self.TABLE), "--epsilon", 1))
        folder = self.file({"mechanism": "tabulated", "file": "."})
        self.assertIn("directory", self.refuse(4, "profile", folder, "--epsilon", 1))
        for name in "", 3, None, "a\x00b":
            path = self.file({"mechanism": "tabulated", "file": name})
            self.assertIn("file is", self.refuse(2, "profile", path, "--epsilon", 1))

    def test_the_word_for_standard_input_is_a_file_here(self):
        description = {"mechanism": "tabulated", "file": "-"}
        self.refuse(4, "profile", self.file(description), "--epsilon", 1, text=self.ROWS)
        self.file(self.ROWS, "-")
        self.answer("profile", self.file(description), "--epsilon", 1)


class BadDescriptions(CommandLineTest):
    def test_missing_keys_and_values_outside_their_range(self):
        for good, bad in (
                ({"mechanism": "subsampled_gaussian", "standard_deviation": 1, "sensitivity": 1,
                  "sampling_rate": 0.1},
                 {"standard_deviation": 0, "sensitivity": -1, "sampling_rate": 1.5}),
                ({"mechanism": "subsampled_laplace", "scale": 1, "sensitivity": 1,
                  "sampling_rate": 0.1},
                 {"scale": -1, "sensitivity": "1", "sampling_rate": 0}),
                ({"mechanism": "spherical_generalized_gamma", "dimension": 3, "alpha": 1,
                  "beta": 1, "p": 1, "sensitivity": 1},
                 {"dimension": 2.5, "alpha": 2.5, "beta": 0, "p": 0, "sensitivity": -1}),
                ({"mechanism": "l2", "dimension": 3, "scale": 1, "sensitivity": 1},
                 {"dimension": 0, "scale": 0, "sensitivity": -1}),
                ({"mechanism": "bounded_range", "range": 1}, {"range": -1})):
            self.ask("profile", good, "--epsilon", 1)
            for key, value in bad.items():
                error = self.refuse(2, "profile", self.file({**good, key: value}), "--epsilon", 1)
                self.assertIn(f"{key} is ", error)
                missing = {name: good[name] for name in good if name != key}
                error = self.refuse(2, "profile", self.file(missing), "--epsilon", 1)
                self.assertIn(f"{key} is missing", error)
            error = self.refuse(2, "profile", self.file({**good, "sigma": 1}), "--epsilon", 1)
            self.assertIn("sigma is an unknown key", error)


if __name__ == "__main__":
    unittest.main()
