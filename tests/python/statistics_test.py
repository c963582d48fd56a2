"""Counts, variances and quantiles by group."""

import pathlib
import tempfile
import unittest

import numpy as np

import modicum

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
TARGET = {"epsilon": 1.0, "delta": 1e-6}


class StatisticsTest(unittest.TestCase):
    def test_counts_by_group_from_a_file(self):
        released = modicum.release_count(EXAMPLES / "visits.csv", by="region",
                                         categories=["north", "south"], **TARGET)
        self.assertEqual(released.row_names, ["north", "south"])
        self.assertEqual(released.column_names, ["value", "lower", "upper"])
        self.assertTrue((released.values[:, 1] <= released.values[:, 0]).all())

    def test_a_release_prints_its_numbers(self):
        released = modicum.release_count(EXAMPLES / "visits.csv", **TARGET)
        head, row = str(released).splitlines()
        self.assertEqual(head.split(), released.column_names)
        self.assertEqual(row.split(), [*released.row_names, *(f"{each:.7g}" for each in released.values[0])])

    def test_numbers_of_an_array(self):
        rows = np.column_stack([np.arange(1000) % 2, np.linspace(0, 10, 1000)])
        released = modicum.release_variance(rows, names=["side", "x"], select="x", bounds=(0, 10), by="side",
                                            categories=["0", "1"], epsilon=10.0, delta=1e-3)
        # the truth is 8.35; beyond 2 once in 10^20
        self.assertTrue((abs(released.values[:, 0] - 8.35) < 2).all(), released.values)
        middle = modicum.release_quantile(rows, names=["side", "x"], select="x", bounds={"x": (0, 10)},
                                          level=[0.25, 0.75], epsilon=10.0, delta=1e-3)
        self.assertEqual(middle.row_names, ["x: 0.25", "x: 0.75"])
        self.assertLess(middle.values[0, 0], middle.values[1, 0])
        self.assertTrue(np.isnan(middle.values[:, 1:]).all())

    def test_several_columns_of_groups(self):
        released = modicum.release_count(EXAMPLES / "visits.csv", by=["region", "visits"],
                                         categories={"region": ["north", "a, b"]},
                                         edges={"visits": [0, 4, 20]}, **TARGET)
        self.assertEqual(released.row_names, ["north, 0:4", "north, 4:20", "a, b, 0:4", "a, b, 4:20"])

    def test_every_statistic_has_a_function(self):
        people = {"wage": [float(i % 50) for i in range(2000)], "town": ["Ulm", "Bern"] * 1000,
                  "id": [str(i) for i in range(2000)]}
        wage = {"select": "wage", "bounds": (0, 60), **TARGET}
        # Each is off by so much once in 10^9 times at most.
        for function, truth, off in ((modicum.release_sum, 49000, 2000), (modicum.release_mean, 24.5, 2),
                                     (modicum.release_variance, 208, 60),
                                     (modicum.release_standard_deviation, 14.4, 2.5),
                                     (modicum.release_quantile, 24.5, 3), (modicum.release_median, 24.5, 3),
                                     (modicum.release_minimum, 1, 3), (modicum.release_maximum, 49, 11.1)):
            with self.subTest(function.__name__):
                self.assertLess(abs(function(people, **wage).values[0, 0] - truth), off)
                found = function(people, **wage, by="town", discover=True, unit="id", unit_rows=1)
                self.assertEqual(found.row_names, ["Bern", "Ulm"])
                self.assertEqual(found.certificate.parameters.unit, "id")
        self.assertEqual(modicum.release_histogram(people, select="town", discover=True, **TARGET).row_names,
                         ["Bern", "Ulm"])
        whole = modicum.release_sum(people, **wage, integers=True)
        self.assertEqual((whole.certificate.parameters.noise, whole.values[0, 0] % 1), ("optimal", 0))
        many = modicum.release_many(people, [{"count": {}}, {"median": {"select": "wage", "bounds": (0, 60)}},
                                             {"maximum": {"select": "wage", "bounds": (0, 60)}}], **TARGET)
        self.assertEqual(len(many.parts), 3)
        self.assertLess(modicum.release_many(people, [{"count": {}}, {"mean": {"select": "wage", "bounds": (0, 60)}}],
                                             mu=0.1).certificate.target.epsilon, 0.5)

    def test_names_of_any_bytes_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "rows.csv"
            path.write_bytes(b"region,x\n" + b"caf\xe9,1\n" * 500)
            released = modicum.release_count(path, by="region", discover=True, **TARGET)
            self.assertEqual(released.row_names, ["caf\udce9"])
            again = modicum.release_count(path, by="region", categories=released.row_names, **TARGET)
            self.assertGreater(again.column("value")["caf\udce9"], 400)  # below once in 10^20
            again.save(path.with_name("out.csv"))
            self.assertIn(b"\ncaf\xe9,", path.with_name("out.csv").read_bytes())

    def test_refuses_what_is_no_list(self):
        with self.assertRaises(ValueError):
            modicum.release_count(EXAMPLES / "visits.csv", by="region", categories="north", **TARGET)
        with self.assertRaises(ValueError):
            modicum.release_quantile(EXAMPLES / "wages.csv", select="wage", bounds=(0, 60), level=2, **TARGET)


if __name__ == "__main__":
    unittest.main()
