"""Parquet files and queries from Python, and DuckDB as a producer of the Arrow interface."""

import ctypes
import os
import pathlib
import sys
import tempfile
import unittest

import modicum
import numpy as np
from _arrow import Array, Schema, new_capsule
from _support import SOURCE, PackageTest

sys.path.insert(0, str(SOURCE / "tests" / "command_line"))
import _duckdb  # noqa: E402

ROWS = ("SELECT i AS id, i % 50 AS age, (i % 7) * 10.5 AS wage, CASE i % 3 WHEN 0 THEN 'north' WHEN 1 THEN 'south' "
        "END AS region, date '2020-01-01' + (i % 5)::INTEGER AS day FROM range(900) t(i)")


class Exported:
    """The first chunk of a query, as DuckDB hands it over."""

    def __init__(self, query):
        self.library = ctypes.CDLL(os.environ["MODICUM_DUCKDB"])
        for name in "duckdb_fetch_chunk", "duckdb_column_logical_type", "duckdb_to_arrow_schema", \
                    "duckdb_data_chunk_to_arrow":
            getattr(self.library, name).restype = ctypes.c_void_p
        self.library.duckdb_column_name.restype = ctypes.c_char_p
        self.library.duckdb_column_count.restype = ctypes.c_uint64
        database, self.connection = ctypes.c_void_p(), ctypes.c_void_p()
        assert self.library.duckdb_open(None, ctypes.byref(database)) == 0
        assert self.library.duckdb_connect(database, ctypes.byref(self.connection)) == 0
        self.result = _duckdb._Result()
        assert self.library.duckdb_query(self.connection, query.encode(), ctypes.byref(self.result)) == 0

    def __arrow_c_array__(self, requested_schema=None):
        options = ctypes.c_void_p()
        self.library.duckdb_connection_get_arrow_options(self.connection, ctypes.byref(options))
        count = self.library.duckdb_column_count(ctypes.byref(self.result))
        types, names = (ctypes.c_void_p * count)(), (ctypes.c_char_p * count)()
        for i in range(count):
            types[i] = self.library.duckdb_column_logical_type(ctypes.byref(self.result), ctypes.c_uint64(i))
            names[i] = self.library.duckdb_column_name(ctypes.byref(self.result), ctypes.c_uint64(i))
        self.schema, self.array = Schema(), Array()
        assert not self.library.duckdb_to_arrow_schema(options, types, names, ctypes.c_uint64(count),
                                                       ctypes.byref(self.schema))
        chunk = ctypes.c_void_p(self.library.duckdb_fetch_chunk(self.result))
        assert not self.library.duckdb_data_chunk_to_arrow(options, chunk, ctypes.byref(self.array))
        return (new_capsule(ctypes.addressof(self.schema), b"arrow_schema", None),
                new_capsule(ctypes.addressof(self.array), b"arrow_array", None))


class Queries(PackageTest):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = pathlib.Path(place.name)
        self.parquet = _duckdb.parquet(self.folder / "people.parquet", ROWS)
        self.budget = {"epsilon": 1, "delta": 1e-6, "confidential": True}

    def test_all_sources_give_the_same(self):
        options = {"select": "wage", "bounds": (0, 70), "by": "region", "categories": ["north", "south"], **self.budget}
        csv = self.folder / "people.csv"
        _duckdb.run(f"COPY ({ROWS}) TO '{csv}' (FORMAT csv, HEADER)")
        expected = modicum.release_mean(csv, **options).confidential
        self.assertEqual(modicum.release_mean(self.parquet, **options).confidential, expected)
        self.assertEqual(modicum.release_mean(query=f"select * from '{self.parquet}'", **options).confidential, expected)
        self.assertEqual(modicum.release_mean(Exported(ROWS), **options).confidential, expected)

    def test_a_query_chooses_rows(self):
        query = f"select age, wage from '{self.parquet}' where age < 10 and day = '2020-01-02'"
        expected = sum(i % 50 < 10 and i % 5 == 1 for i in range(900))
        self.assertEqual(modicum.release_count(query=query, **self.budget).confidential["rows_used"], expected)
        found = modicum.release("covariance", query=query, range={"age": (0, 50), "wage": (0, 70)}, **self.budget)
        self.assertEqual(found.confidential["rows_used"], expected)
        self.assertEqual(found.certificate["parameters"]["query"], query)
        many = modicum.release_many(None, [{"count": {}}], query=query, **self.budget)
        self.assertEqual(many.whole.confidential["release_1_rows_used"], expected)

    def test_estimators_take_a_query(self):
        query = f"select age, wage, id % 2 as odd, region from '{self.parquet}' where age < 40"
        numbers = f"select age, wage from '{self.parquet}' where age < 40"
        frame = {"age": [i % 50 for i in range(900) if i % 50 < 40],
                 "wage": [(i % 7) * 10.5 for i in range(900) if i % 50 < 40]}
        budget = {"epsilon": 1e6, "delta": 1e-6}  # hardly any noise
        ranges = {"age": (0, 50)}
        fitted = modicum.PrivateLinearRegression(**budget, ranges=ranges, target_range=(0, 70)).fit(query=numbers, y="wage")
        X, y = np.array([frame["age"]]).T, np.array(frame["wage"])
        expected = modicum.PrivateLinearRegression(**budget, ranges=(0, 50), target_range=(0, 70)).fit(X, y)
        self.assertEqual(fitted.feature_names_in_.tolist(), ["age"])
        np.testing.assert_allclose(fitted.coef_, expected.coef_, atol=1e-3)
        self.assertEqual(fitted.certificate_["parameters"]["query"], numbers)
        scaler = modicum.PrivateStandardScaler(**budget, ranges={"age": (0, 50), "wage": (0, 70)}).fit(query=numbers)
        np.testing.assert_allclose(scaler.mean_, [np.mean(frame["age"]), np.mean(frame["wage"])], rtol=1e-2)
        for estimator in (modicum.PrivateCovariance(**budget, ranges=(0, 70)),
                          modicum.PrivatePCA(n_components=1, **budget, ranges=(0, 70)),
                          modicum.PrivateRandomProjection(**budget, columns=2, ranges=(0, 70))):
            self.assertEqual(estimator.fit(query=numbers).n_features_in_, 2)
        labels = query.replace(", region", "")
        classifier = modicum.PrivateLogisticRegression(epsilon=5, delta=1e-6, ranges=(0, 70), classes=[0, 1])
        self.assertEqual(classifier.fit(query=labels, y="odd").coef_.shape, (1, 2))
        several = modicum.PrivateLogisticRegression(epsilon=5, delta=1e-6, ranges=(0, 70), steps=5,
                                                    classes=["north", "south", "west"])
        self.assertEqual(several.fit(query=query.replace("id % 2 as odd, ", ""), y="region").coef_.shape, (3, 2))
        process = modicum.PrivateGaussianProcessRegressor(epsilon=5, delta=1e-6, ranges=ranges, target_range=(0, 70),
                                                          largest_rows=2000)
        self.assertEqual(process.fit(query=numbers, y="wage").values_.shape, (25,))
        self.assert_refuses("name a column", lambda: classifier.fit(query=numbers, y="odd"))
        self.assert_refuses("name a column", lambda: classifier.fit(query=numbers))
        self.assert_refuses("X must not be given", lambda: scaler.fit(X, query=numbers))
        self.assert_refuses("X is missing", lambda: scaler.fit())
        self.assert_refuses("two numbers", lambda: modicum.PrivateLogisticRegression(
            **budget, ranges=(0, 70), classes=["north", "south"]).fit(query=query, y="region"))
        self.assert_refuses("classes", lambda: modicum.PrivateLogisticRegression(
            **budget, ranges=(0, 70)).fit(query=labels, y="odd"))

    def test_what_does_not_treat_rows_one_by_one_is_refused(self):
        self.assert_refuses("rows one by one", lambda: modicum.release_count(
            query=f"select age from '{self.parquet}' limit 3", epsilon=1, delta=1e-6))
        self.assert_refuses("table", lambda: modicum.release_count(epsilon=1, delta=1e-6))
        self.assert_refuses("names", lambda: modicum.release_count(
            names=["a"], query=f"select age from '{self.parquet}'", epsilon=1, delta=1e-6))
        self.assert_refuses("query", lambda: modicum.release_count(
            {"age": [1.0]}, query=f"select age from '{self.parquet}'", epsilon=1, delta=1e-6))


if __name__ == "__main__":
    unittest.main()
