"""Rows in files and in memory: what is refused, and what is said about it."""

import pathlib
import tempfile
import unittest

import numpy as np
import pandas

import modicum
from _support import SOURCE, PackageTest

WAGES = SOURCE / "examples" / "wages.csv"
TARGET = {"epsilon": 1.0, "delta": 1e-6}


class Tables(PackageTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, text, name="rows.csv"):
        path = self.folder / name
        path.write_text(text)
        return path

    def refusal(self, call):
        with self.assertRaises(ValueError) as caught:
            call()
        return str(caught.exception)

    def test_no_message_quotes_a_value(self):
        rows = [["Smith", "HIV"], ["Jones", "flu"]]
        mixed = pandas.DataFrame({"age": [1.0, 2.0], "name": ["Smith", "Jones"]})
        numbered = pandas.DataFrame(rows)
        calls = [lambda: modicum.release_sum(mixed, row_norm_bound=1, **TARGET),
                 lambda: modicum.release_sum(numbered, row_norm_bound=1, **TARGET),
                 lambda: modicum.release_sum(rows, row_norm_bound=1, **TARGET),
                 lambda: modicum.release_vector(["Smith"], sensitivity=1, **TARGET),
                 lambda: modicum.release_sum(self.file("Smith HIV,flu\n"), row_norm_bound=1, **TARGET)]
        # Past the checks of the package, too.
        for given in (mixed, rows, b"Smith", np.array(["Smith"]), {"Smith": "HIV"}, [mixed, mixed]):
            calls.append(lambda given=given: modicum.command("release vector", given, row_norm_bound=1,
                                                             output="-", **TARGET))
        for call in calls:
            message = self.refusal(call)
            for value in "Smith", "HIV", "Jones", "flu":
                self.assertNotIn(value, message)
        self.assertIn("'name'", self.refusal(calls[0]))

    def test_a_table_is_given_once(self):
        rows = np.ones((3, 2))
        options = dict(row_norm_bound=1, output="-", **TARGET)
        for inputs, more in (([rows, rows], {}), ([rows, WAGES], {}), ([rows], {"table": rows}),
                             ([rows], {"table": WAGES}), ([WAGES], {"table": rows}), ([WAGES, WAGES], {})):
            self.assert_refuses("", lambda: modicum.command("release covariance", *inputs, **options, **more))
        modicum.command("release covariance", rows, **options)

    def test_explanations(self):
        uses = {each["name"]: each["use"] for each in modicum.explain_release(
            "regression", WAGES, target="wage", select=["age"], range_of_all=(0, 100)).columns}
        self.assertEqual(uses, {"age": "number", "schooling": "none", "hours": "none", "wage": "target"})
        answer = modicum.explain_release("covariance", np.ones((2, 2)), names=["a", "b"], range={"a": (0, 1)},
                                         row_norm_bound=1)
        self.assertEqual([each.as_dict() for each in answer.columns],
                         [{"name": "a", "use": "number", "range": [0, 1]}, {"name": "b", "use": "number"}])

    def test_shapes(self):
        path = self.file("a,b\n1,x\n")
        self.assertIn("public_shape", self.refusal(lambda: modicum.release_sum(
            path, public_shape=True, row_norm_bound=1, **TARGET)))
        released = modicum.release_sum(path, public_shape=True, select="a", row_norm_bound=1, **TARGET)
        self.assertIn("which of them are numbers", " ".join(released.certificate.assumptions))


if __name__ == "__main__":
    unittest.main()
