"""modicum audit inherent."""

import unittest

from _support import CommandLineTest, dot, solved
from _tables import as_csv, regression_rows


def gram(rows):
    columns = list(zip(*rows))
    return [[dot(a, b) for b in columns] for a in columns]


def largest_leverage(rows):
    matrix = gram(rows)
    return max(dot(row, solved(matrix, row)) for row in rows)


def solution(rows):
    features, target = [row[:-1] for row in rows], [row[-1] for row in rows]
    return solved(gram(features), [dot(column, target) for column in zip(*features)])


class Inherent(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.rows = regression_rows(60)
        self.path = self.file(as_csv(self.rows), "rows.csv")

    def inherent(self, *arguments, columns=100):
        return self.answer("audit", "inherent", self.path, "--columns", columns, "--confidential",
                           *arguments)

    def test_projection(self):
        result = self.inherent("--epsilon", 0.5, 1)
        self.assertEqual(list(result), ["confidential", "rows", "dimension", "rank", "leverage",
                                        "columns", "points"])
        self.assertEqual((result["rows"], result["dimension"], result["rank"]), (60, 3, 3))
        self.assertAlmostEqual(result["leverage"], largest_leverage(self.rows), 12)
        for point in result["points"]:
            exact = self.ask("profile", {"mechanism": "random_projection", "columns": 100,
                                         "leverage": result["leverage"]},
                             "--epsilon", point["epsilon"])
            self.assertAlmostEqual(point["projection_delta"] / exact["delta"]["upper"], 1, 6)

    def test_regression(self):
        result = self.inherent("--target", "y", "--epsilon", 1)
        regression = result["regression"]
        features = [row[:-1] for row in self.rows]
        self.assertAlmostEqual(regression["set_leverage"], largest_leverage(features), 12)
        x = solution(self.rows)
        residuals = [row[-1] - dot(row[:-1], x) for row in self.rows]
        self.assertAlmostEqual(regression["set_residual"],
                               max(e * e for e in residuals) / dot(residuals, residuals), 12)
        moves = []
        for i in range(len(self.rows)):
            other = solution(self.rows[:i] + self.rows[i + 1:])
            moves.append(sum((a - b)**2 for a, b in zip(x, other))**0.5)
        self.assertAlmostEqual(regression["solution_sensitivity"], max(moves), 9)
        self.assertLess(regression["undominated_pairs"], 40)
        # No pair in the declared rectangle has less than the worst row.
        delta = result["points"][0]["least_squares_delta"]
        for row in features[:5]:
            matrix = gram(features)
            p = dot(row, solved(matrix, row))
            q = dot(self.rows[features.index(row)],
                    solved(gram(self.rows), self.rows[features.index(row)]))
            one = self.ask("profile", {"mechanism": "least_squares", "columns": 100, "features": 2,
                                       "row_leverage": p, "full_leverage": q}, "--epsilon", 1)
            self.assertLessEqual(one["delta"]["lower"], delta * (1 + 1e-6))

    def test_columns_are_chosen_and_scaled(self):
        two = self.inherent("--select", "u", "v")
        self.assertAlmostEqual(two["leverage"],
                               largest_leverage([row[:2] for row in self.rows]), 12)
        # Leverages do not change with the scale, but with the origin.
        scaled = self.inherent("--select", "u", "v", "--range", "u=-4:4", "--range", "v=-8:8")
        self.assertAlmostEqual(scaled["leverage"], two["leverage"], 12)
        with_ones = self.inherent("--select", "u", "v", "--intercept")
        self.assertEqual(with_ones["dimension"], 3)
        self.assertAlmostEqual(with_ones["leverage"],
                               largest_leverage([[1, *row[:2]] for row in self.rows]), 12)
        self.file(as_csv(self.rows, header=None), "rows.csv")
        self.assertAlmostEqual(self.inherent("--no-header", "--select", 1, 2)["leverage"],
                               two["leverage"], 12)

    def test_files_are_one_table(self):
        first = self.file(as_csv(self.rows[:20]), "part-1.csv")
        self.file(as_csv(self.rows[20:]), "part-2.csv")
        parts = self.answer("audit", "inherent", first.parent / "part-*.csv", "--columns", 100,
                            "--confidential")
        self.assertAlmostEqual(parts["leverage"], self.inherent()["leverage"], 12)

    def test_a_row_of_its_own_is_given_away(self):
        alone = [[*row[:2], 0, row[2]] for row in self.rows]
        alone[3][2] = 1
        self.file(as_csv(alone, "u,v,w,y"), "rows.csv")
        result = self.inherent("--target", "y", "--epsilon", 1, 20)
        self.assertIsNone(result["regression"]["solution_sensitivity"])
        for point in result["points"]:
            self.assertEqual((point["projection_delta"], point["least_squares_delta"]), (1, 1))
        self.assertIn("inf", self.succeed("audit", "inherent", self.path, "--columns", 100,
                                          "--target", "y", "--confidential"))

    def test_dependent_columns(self):
        more = [[*row, row[0] + row[1]] for row in self.rows]
        self.file(as_csv(more, "u,v,y,s"), "rows.csv")
        self.assertEqual(self.inherent()["rank"], 3)
        error = self.refuse(2, "audit", "inherent", self.path, "--columns", 9, "--target", "y",
                            "--confidential")
        self.assertIn("linearly dependent", error)

    def test_words(self):
        text = self.succeed("audit", "inherent", self.path, "--columns", 100, "--target", "y",
                            "--confidential")
        self.assertTrue(text.startswith("Confidential"))
        for part in "60", "largest leverage", "delta of approximate least squares", "not private":
            self.assertIn(part, text)

    def test_only_for_the_holder_of_the_data(self):
        error = self.refuse(2, "audit", "inherent", self.path, "--columns", 100)
        self.assertIn("--confidential is missing", error)
        self.assertIn("private itself", error)

    def test_bad_arguments(self):
        start = ["audit", "inherent", self.path, "--confidential"]
        self.assertIn("--columns is missing", self.refuse(2, *start))
        for arguments, message in (
                (["--columns", 0], "columns is 0"), (["--columns", "x"], '--columns is "x"'),
                (["--columns", 9, "--epsilon", -1], "--epsilon is -1"),
                (["--columns", 9, "--epsilon", "nan"], "--epsilon is nan"),
                (["--columns", 9, "--target", "z"], "--target is 'z'"),
                (["--columns", 9, "--select", "u", "z"], "must be a column"),
                (["--columns", 9, "--select", "u", "--target", "u"], "must not be the target"),
                (["--columns", 9, "--range", "u=1"], "--range is"),
                (["--columns", 9, "--delta", 0.1], "unknown option --delta"),
                (["--columns", 9, "--output", "x.csv"], "unknown option --output")):
            self.assertIn(message, self.refuse(2, *start, *arguments), arguments)
        self.refuse(4, "audit", "inherent", self.folder / "none.csv", "--columns", 9,
                    "--confidential")
        self.refuse(4, "audit", "inherent", self.file("u,v\n", "empty.csv"), "--columns", 9,
                    "--confidential")
        self.assertIn("FILE is missing",
                      self.refuse(2, "audit", "inherent", "--columns", 9, "--confidential"))


if __name__ == "__main__":
    unittest.main()
