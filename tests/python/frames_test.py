"""Rows of every common kind give the same statistics, and what a column is stored as tells nothing."""

import datetime
import decimal
import pathlib
import tempfile
import unittest
import warnings

import numpy as np
import pandas

import modicum
from _arrow import ArrayProducer, OldProducer, StreamProducer, bits, texts
from _support import PackageTest

TARGET = {"epsilon": 1.0, "delta": 1e-6}

REGIONS = ["north", "south", "north", None, "west", "south"]
WAGES = [10.0, 20.0, float("nan"), 40.0, 50.0, 60.0]
AGES = [20, 30, 40, 50, 60, 70]
SMOKES = [True, False, True, True, False, False]
BORN = ["2000-01-31", "2001-02-28", "2002-03-01", "1999-12-31", "2000-06-01", "2001-07-01"]


def frame():
    return pandas.DataFrame({"region": REGIONS, "wage": WAGES, "age": AGES, "smokes": SMOKES,
                             "born": pandas.to_datetime(BORN)})


def arrow(kind):
    return kind(6, {"region": ("u", texts(REGIONS)), "wage": ("g", [None, np.array(WAGES)]),
                    "age": ("i", [None, np.array(AGES, dtype=np.int32)]), "smokes": ("b", [None, bits(SMOKES)]),
                    "born": ("tdD", [None, np.array(BORN, dtype="datetime64[D]").astype(np.int32)])})


class Frames(PackageTest):
    def truth(self, kind, rows, **options):
        """Without noise, as the holder of the data may see it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            released = getattr(modicum, f"release_{kind}")(rows, confidential=True, **options, **TARGET)
        return {name[5:]: round(value, 4) for name, value in released.confidential.items()
                if name.startswith("true_")}

    def sources(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name) / "rows.csv"
        frame().to_csv(path, index=False)
        categories = frame()
        categories["region"] = categories["region"].astype("category")
        nullable = frame().astype({"age": "Int64", "smokes": "boolean", "region": "string"})
        objects = frame().astype(object)
        return {"path": path, "frame": frame(), "categories": categories, "nullable": nullable, "objects": objects,
                "dictionary": {"region": REGIONS, "wage": np.array(WAGES), "age": tuple(AGES), "smokes": SMOKES,
                               "born": BORN},
                "array": arrow(ArrayProducer), "stream": arrow(StreamProducer), "old": arrow(OldProducer)}

    def test_all_kinds_of_rows_give_the_same(self):
        by = {"by": "region", "categories": ["north", "south"]}
        for name, rows in self.sources().items():
            with self.subTest(name):
                self.assertEqual(self.truth("count", rows), {"all": 6})
                self.assertEqual(self.truth("count", rows, **by), {"north": 2, "south": 2})
                self.assertEqual(self.truth("sum", rows, select="wage", bounds=(0, 100), **by),
                                 {"north": 10, "south": 80})
                self.assertEqual(self.truth("mean", rows, select=["age"], bounds={"age": (0, 100)},
                                            by="smokes", categories=[True, False], booleans="smokes"),
                                 {"true": round(110 / 3, 4), "false": round(160 / 3, 4)})
                self.assertEqual(self.truth("histogram", rows, select=["region", "age"],
                                            categories={"region": ["north", "missing"]},
                                            edges={"age": [0, 45, 100]}, missing="category"),
                                 {"north, 0:45": 2, "north, 45:100": 0, "missing, 0:45": 0, "missing, 45:100": 1})
                self.assertEqual(self.truth("count", rows, by="born", dates={"born": "year"}, categories=[2000, 2001]),
                                 {"2000": 2, "2001": 2})
                self.assertEqual(self.truth("quantile", rows, select="age", bounds=(0, 100), level=[0.5],
                                            integers=True).keys(), {"age"})

    def test_a_type_tells_nothing(self):
        """One odd cell makes another type of the column, and takes out its own row only."""
        for odd in (None, float("nan"), "Smith", [1], pandas.NA, 3 + 4j, b"\xff", "\ud800"):
            rows = {"x": [1, 2, 3, odd], "smokes": [True, True, False, odd], "region": ["a", "b", "a", odd]}
            for table in (rows, pandas.DataFrame({name: pandas.Series(cells, dtype=object)
                                                  for name, cells in rows.items()})):
                with self.subTest(odd=type(odd).__name__, table=type(table).__name__):
                    self.assertEqual(self.truth("sum", table, select="x", bounds=(0, 10)), {"x": 6})
                    self.assertEqual(self.truth("sum", table, select="smokes", bounds=(0, 10)), {"smokes": 2})
                    self.assertEqual(self.truth("count", table, by="region", categories=["a", "b"]), {"a": 2, "b": 1})

    def test_cells_of_many_types(self):
        cells = [np.float32(1), np.int8(2), decimal.Decimal("3"), "4", np.str_("5"), b"6", np.bool_(True), True]
        self.assertEqual(self.truth("sum", {"x": cells}, select="x", bounds=(0, 100)), {"x": 23})
        dates = [datetime.date(2020, 1, 2), datetime.datetime(2020, 3, 4, 5), pandas.Timestamp("2021-01-01"),
                 np.datetime64("2021-05-01"), pandas.NaT]
        self.assertEqual(self.truth("count", {"d": np.array(dates[:3] + dates[4:], dtype=object)}, by="d",
                                    dates={"d": "month"}, categories=["2020-01", "2020-03", "2021-01"]),
                         {"2020-01": 1, "2020-03": 1, "2021-01": 1})
        for unit in "D", "s", "ms", "us", "ns", "M", "h":
            array = np.array(["2020-01", "2021-02", "NaT"], dtype="datetime64[M]").astype(f"datetime64[{unit}]")
            self.assertEqual(self.truth("count", {"d": array}, by="d", dates={"d": "year"}, categories=[2020, 2021]),
                             {"2020": 1, "2021": 1})
        for dtype in "i1", "u2", ">i4", "u8", "f2", "f4", ">f8", "?":
            array = np.array([0, 1, 1, 1], dtype=dtype)[::-1]
            self.assertEqual(self.truth("sum", {"x": array}, select="x", bounds=(0, 1)), {"x": 3})
        masked = np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0])
        self.assertEqual(self.truth("sum", {"x": masked}, select="x", bounds=(0, 9)), {"x": 4})

    def test_series_and_arrays(self):
        series = pandas.Series([1.0, 2.0, None], name="x")
        self.assertEqual(self.truth("sum", series, select="x", bounds=(0, 10)), {"x": 3})
        self.assertEqual(self.truth("sum", np.array([1, 2, 3]), select="value", bounds=(0, 10)), {"value": 6})
        table = np.array([(1, "a"), (2, "b")], dtype=[("x", "f8"), ("t", "U1")])
        self.assertEqual(self.truth("sum", table, select="x", bounds=(0, 10)), {"x": 3})
        rows = np.array([[1.0, 5.0], [2.0, np.nan]])
        self.assertEqual(self.truth("sum", rows, select="2", bounds=(0, 10)), {"2": 5})
        self.assertEqual(self.truth("sum", rows, names=["a", "b"], select="a", bounds=(0, 10)), {"a": 3})

    def test_arrow_is_let_go(self):
        for kind, expected in (ArrayProducer, ["array", "schema"]), (StreamProducer, ["array", "array", "schema", "stream"]):
            table = arrow(kind)
            table.batches = 2
            count = self.truth("count", table, by="region", categories=["north"])
            self.assertEqual(count, {"north": 2 if kind is ArrayProducer else 4})
            self.assertEqual(sorted(table.released), expected)

    def test_arrow_dictionaries(self):
        table = StreamProducer(3, {"region": ("c", [bits([True, True, False]), np.array([1, 0, 1], dtype=np.int8)],
                                              (2, "u", texts(["north", "south"])))})
        self.assertEqual(self.truth("count", table, by="region", categories=["north", "south"]),
                         {"north": 1, "south": 1})

    def test_messages_name_the_column(self):
        rows = frame()
        for words, call in [
                ("'wages', but must be a column of the table (did you mean wage?)",
                 lambda: modicum.release_mean(rows, select="wages", bounds=(0, 1), **TARGET)),
                ("bounds of column 'wage' are (60, 0), but must have the low end first",
                 lambda: modicum.release_mean(rows, select="wage", bounds={"wage": (60, 0)}, **TARGET)),
                ("bounds must be given for age", lambda: modicum.release_sum(
                    rows, select=["wage", "age"], bounds={"wage": (0, 60)}, **TARGET)),
                ("categories of column 'region' must be a list", lambda: modicum.release_count(
                    rows, by="region", categories={"region": "north"}, **TARGET)),
                ("categories or edges must be given for the column region",
                 lambda: modicum.release_count(rows, by="region", **TARGET)),
                ("column 'x' must have one dimension",
                 lambda: modicum.release_sum({"x": np.ones((2, 2))}, select="x", bounds=(0, 1), **TARGET)),
                ("different lengths", lambda: modicum.release_count({"x": [1], "y": [1, 2]}, **TARGET)),
                ("bounds must not be given with range", lambda: modicum.release_sum(
                    rows, select="wage", bounds=(0, 1), range={"wage": (0, 1)}, **TARGET)),
                ("must be a data frame", lambda: modicum.release_count(object(), **TARGET)),
                ("rows are of type list", lambda: modicum.release_count([["Smith"], []], **TARGET)),
                ("row 3, column wage: not a finite number", lambda: modicum.release_mean(
                    rows, select="wage", bounds=(0, 60), strict=True, **TARGET))]:
            with self.assertRaises(ValueError) as caught:
                call()
            self.assertIn(words, str(caught.exception))

    def test_what_is_not_used_is_not_looked_at(self):
        class Closed:
            def __len__(self):
                return 3

            def __getitem__(self, _):
                raise AssertionError("was looked at")
        self.assertEqual(self.truth("count", {"x": [1, 2, 3], "secret": Closed()}), {"all": 3})

    def test_warnings_follow_from_what_is_released(self):
        # Noise exceeds what is compatible with none once in 2e7 runs.
        with self.assertWarnsRegex(UserWarning, "compatible with none"):
            released = modicum.release_mean({"x": ["a"] * 500}, select="x", bounds=(0, 1), confidence=0.9999999, **TARGET)
        self.assertIn("compatible with none", released.warnings[0])

    def test_explanations_look_at_no_cell(self):
        uses = {each["name"]: each["use"] for each in modicum.explain_release(
            "mean", frame(), select=["wage"], bounds={"wage": (0, 60)}, by=["region"], categories=["north"]).columns}
        self.assertEqual(uses, {"region": "category", "wage": "number", "age": "none", "smokes": "none",
                                "born": "none"})


class Results(PackageTest):
    def test_a_data_frame_of_what_is_released(self):
        rows = {"region": ["north", "south"] * 300, "wage": [30.0] * 600}
        released = modicum.release_mean(rows, select="wage", bounds=(0, 60), by="region",
                                        categories=["north", "south"], **TARGET)
        table = released.to_frame()
        self.assertEqual(list(table.columns), ["value", "lower", "upper"])
        self.assertEqual(list(table.index), ["north", "south"])
        self.assertTrue((table["lower"] <= table["upper"]).all())

    def test_certificates_are_read_back(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "count.csv"
            released = modicum.release_count(frame(), **TARGET)
            released.save(path)
            for place in path, f"{path}.certificate.json":
                certificate = modicum.read_certificate(place)
                self.assertEqual(certificate.mechanism, released.certificate.mechanism)
                self.assertIn("proved", str(certificate))
            for text in "", "[]", "{}":
                path.with_name("other.json").write_text(text)
                with self.assertRaises(modicum.UnreadableFile):
                    modicum.read_certificate(path.with_name("other.json"))

    def test_several_under_one_budget(self):
        rows = pandas.DataFrame({"region": ["north", "south"] * 500, "wage": [10.0, 20.0] * 500})
        joint = modicum.release_many(rows, [
            {"count": {}},
            {"mean": {"select": "wage", "bounds": (0, 60), "by": "region", "categories": ["north", "south"],
                      "weight": 2}},
            {"histogram": {"select": ["wage"], "edges": {"wage": [0, 15, 30]}}}], **TARGET)
        self.assertEqual(list(joint.parts), ["count", "mean of wage by region", "count by wage"])
        means = joint.parts["mean of wage by region"].column("value")
        self.assertEqual(list(means), ["north", "south"])
        # the deviation of a mean is 0.5: beyond 5 once in 10^20
        self.assertLess(abs(means["north"] - 10), 5)
        self.assertEqual(joint.whole.values.shape, (5, 3))
        self.assertLessEqual(modicum.loss(joint.certificate.loss).profile(1.0).delta.upper, 1e-6)
        for releases in ([], ["count"], [{"count": {}, "sum": {}}], [{"mode": {}}]):
            with self.assertRaises(ValueError):
                modicum.release_many(rows, releases, **TARGET)


if __name__ == "__main__":
    unittest.main()
