"""What a cell says does not depend on the type of its column: one odd cell changes that."""

import datetime
import unittest

import numpy as np
import pandas

import modicum

BUDGET = {"epsilon": 400, "delta": 1e-6}  # noise is 0.04: half of one is twelve standard deviations


def counted(values, category):
    """How many rows have this category, with hardly any noise."""
    return round(modicum.release_count(pandas.DataFrame({"x": values}), by=["x"], categories=[category], **BUDGET).values[0][0])


class CellTypes(unittest.TestCase):
    def test_an_odd_cell_leaves_the_others_where_they_were(self):
        cases = {
            "2020-07-02": pandas.to_datetime(["2020-07-02"] * 5),
            "5": np.full(5, 5),
            "0.5": np.full(5, 0.5),
            "true": np.full(5, True),
            "0.10000000149011612": np.full(5, 0.1, dtype=np.float32),
        }
        for category, values in cases.items():
            with self.subTest(category):
                alone = pandas.Series(values)
                odd = pandas.Series([*alone.astype(object), "odd"])
                self.assertEqual(odd.dtype, object)
                self.assertEqual(counted(alone, category), 5)
                self.assertEqual(counted(odd, category), 5)
        days = [datetime.date(2020, 7, 2)] * 4
        self.assertEqual(counted(pandas.Series(days, dtype=object), "2020-07-02"), 4)

    def test_numbers_that_doubles_run_together_are_no_persons(self):
        big = 2**53
        for ids in (np.array([big, big + 1]), np.array([float(big), float(big)]), np.array([big, "x"], dtype=object)):
            frame = pandas.DataFrame({"who": ids, "v": [1.0, 1.0]})
            total = modicum.release_sum(frame, select=["v"], bounds={"v": (0, 1)}, unit="who", **BUDGET)
            expected = 1 if ids.dtype == object else 0  # "x" is somebody
            self.assertEqual(round(total.values[0][0]), expected, ids.dtype)


if __name__ == "__main__":
    unittest.main()
