"""modicum report per-instance --confidential, and files that do not fit."""

import csv
import hashlib
import json
import math
import stat
import unittest

from _reports import FITS, RANGES, TARGET, TOTAL, WAGES, ReportTest
from _support import dot, solved


def logistic_losses(records, certificate, coefficients, others=()):
    """Signed losses of the records, and of others had they been added, by the textbook."""
    parameters = certificate["parameters"]
    scales = list(zip(parameters["coordinates"], parameters["centers"], parameters["scales"]))

    def row_of(record):
        return [1.0 if name == "intercept" else
                min(1, max(-1, (float(record[name]) - center) / scale))
                for name, center, scale in scales]

    def derivatives(record):
        x = row_of(record)
        y = 1 if float(record[parameters["label"]]) > parameters["threshold"] else -1
        p = 1 / (1 + math.exp(y * dot(x, coefficients)))
        return x, -y * p, p * (1 - p)

    d, ridge = len(coefficients), parameters["regularization"]
    variance = parameters["standard_deviation"] ** 2
    gradient = [ridge * c for c in coefficients]
    hessian = [[ridge * (i == j) for j in range(d)] for i in range(d)]
    for record in records:
        x, slope, curvature = derivatives(record)
        for i in range(d):
            gradient[i] += slope * x[i]
            for j in range(d):
                hessian[i][j] += curvature * x[i] * x[j]

    def loss(record, sign):
        x, slope, curvature = derivatives(record)
        m = curvature * dot(x, solved(hessian, x))
        return (-math.log1p(-sign * m) + slope * slope * dot(x, x) / (2 * variance)
                - sign * slope * dot(gradient, x) / variance)

    return [loss(record, 1) for record in records], [loss(record, -1) for record in others]


def wages():
    with open(WAGES, newline="") as file:
        return list(csv.DictReader(file))


class Losses(ReportTest):
    def test_are_those_of_the_formula(self):
        others = [{"age": 25, "schooling": 3, "hours": 79, "wage": 50},
                  {"age": 200, "schooling": 12, "hours": 40, "wage": 1}]
        text = "age,schooling,hours,wage\n" + "".join(
            ",".join(str(value) for value in other.values()) + "\n" for other in others)
        result = self.losses("--records", self.file(text, "others.csv"))
        with open(self.fit(), newline="") as file:
            coefficients = [float(row["standardized"]) for row in csv.DictReader(file)]
        inside, outside = logistic_losses(wages(), self.certificate(), coefficients, others)
        rows = self.table()
        self.assertEqual(list(rows[0]), ["row", "membership", "epsilon_1", "signed_loss", "bound"])
        self.assertEqual([row["row"] for row in rows],
                         [str(i + 1) for i in [*range(500), *range(2)]])
        self.assertEqual([row["membership"] for row in rows], ["inside"] * 500 + ["outside"] * 2)
        for row, loss in zip(rows, inside + outside):
            # Rows are rounded to some 2^-20 of the norm bound.
            self.assertAlmostEqual(float(row["signed_loss"]), loss, 5)
            self.assertEqual(float(row["epsilon_1"]), abs(float(row["signed_loss"])))
        sizes = sorted(float(row["epsilon_1"]) for row in rows[:500])
        summary = result["losses"]
        self.assertEqual(result["confidential"], True)
        self.assertEqual(result["worst_case"], {"epsilon": 1, "delta": 1e-6})
        self.assertEqual((summary["rows"], summary["largest"], summary["median"]),
                         (500, sizes[-1], sizes[249]))
        self.assertEqual((summary["quantile_90"], summary["quantile_99"]), (sizes[449], sizes[494]))
        self.assertAlmostEqual(summary["mean"], sum(sizes) / 500, 12)
        self.assertEqual(summary["share_below_a_tenth"], sum(s < 0.1 for s in sizes) / 500)
        above = sum(float(row["epsilon_1"]) > float(row["bound"]) for row in rows[:500])
        self.assertEqual(summary["share_above_bound"], above / 500)
        self.assertEqual(result["records"]["rows"], 2)

    def test_files_are_for_their_owner_alone(self):
        self.losses("--page", self.folder / "losses.html")
        for name in "losses.csv", "losses.html":
            self.assertEqual(stat.S_IMODE((self.folder / name).stat().st_mode), 0o600, name)

    def test_page(self):
        self.losses("--page", self.folder / "losses.html", "--records", WAGES)
        page = (self.folder / "losses.html").read_text()
        self.assertLess(page.index("CONFIDENTIAL"), page.index("<table>"))
        self.assertEqual(page.count("<svg"), 4)
        self.assertIn("worst case: 1 at delta 1e-06", page)
        self.assert_self_contained(page)

    def test_words(self):
        text = self.succeed("report", "per-instance", WAGES, "--release", self.fit(),
                            "--confidential", "--output", self.folder / "losses.csv")
        self.assertTrue(text.startswith("Confidential"))
        for part in "500", "worst case: epsilon 1 at delta 1e-06", "largest loss", "median":
            self.assertIn(part, text)

    def test_every_loss_and_format(self):
        for name in FITS:
            # False alarms: at most 500 records at 1e-10 each, so 5e-8 for each release.
            result = self.losses("--failure", "1e-10", name=name)
            self.assertEqual(result["losses"]["rows"], 500, name)
            self.assertEqual(result["losses"]["share_above_bound"], 0, name)

    def test_only_with_the_flag(self):
        arguments = ["report", "per-instance", WAGES, "--release", self.fit(), "--output",
                     self.folder / "losses.csv"]
        error = self.refuse(2, *arguments, "--page", self.folder / "losses.html")
        self.assertIn("--confidential is missing", error)
        self.assertIn("--records must not be given without --confidential",
                      self.refuse(2, *arguments, "--records", WAGES, "--method", "adaptive"))
        self.assertIn("--method must not be given with --confidential",
                      self.refuse(2, *arguments, "--confidential", "--method", "adaptive"))
        self.nothing_written()

    def test_no_rows_and_one_class(self):
        empty = self.file("age,schooling,hours,wage\n", "empty.csv")
        result = self.losses("--page", self.folder / "losses.html", data=empty)
        self.assertEqual((result["losses"]["rows"], result["losses"]["largest"]), (0, None))
        self.assertEqual(self.table(), [])
        self.assertIn("no records to draw", (self.folder / "losses.html").read_text())
        one = self.file("age,schooling,hours,wage\n" + "30,12,40,50\n" * 9, "one.csv")
        self.assertEqual(self.losses(data=one)["losses"]["rows"], 9)
        self.assertEqual(len({row["epsilon_1"] for row in self.table()}), 1)

    def test_rows_with_missing_values_are_dropped(self):
        lines = WAGES.read_text().splitlines()
        self.losses()
        whole = [row["signed_loss"] for row in self.table()]
        # Bad rows before, between and behind, and an empty line, which is no row.
        lines[1:1] = ["30,,40,20", ""]
        lines[101:101] = ["1,2,3", "40,12,x,3"]
        path = self.file("\n".join(lines) + "\n30,12,40,nan\n", "more.csv")
        numbers = [*range(2, 100), *range(102, 504)]
        result = self.losses("--records", path, data=path)
        self.assertEqual(result["losses"]["rows"], 500)
        rows = self.table()
        self.assertEqual([int(row["row"]) for row in rows], numbers * 2)
        # The losses are those of the same people.
        self.assertEqual([row["signed_loss"] for row in rows[:500]], whole)
        shown = self.answer("report", "per-instance", path, "--release", self.fit(),
                            "--confidential", "--output", "-")
        self.assertEqual(shown["inside"]["row"], numbers)
        self.refuse(4, "report", "per-instance", path, "--release", self.fit(), "--confidential",
                    "--output", self.folder / "other.csv", "--strict")

    def test_many_rows_are_drawn_as_a_band(self):
        many = self.file(WAGES.read_text() + "".join(WAGES.read_text().splitlines(True)[1:]) * 2,
                         "many.csv")
        fit = self.folder / "fit.csv"
        self.succeed("release", "logistic", many, *FITS["logistic.csv"][2:], "--method",
                     "objective", *TARGET, "--output", fit)
        self.answer("report", "per-instance", many, "--release", fit, "--confidential", "--output",
                    self.folder / "losses.csv", "--page", self.folder / "losses.html")
        self.assertIn("from 5 % to 95 %", (self.folder / "losses.html").read_text())

    def test_another_table_is_refused(self):
        # A hundred times the rows: the gradient is a hundred times as long, and too short to be
        # noticed once in 10^5 releases.
        many = self.file(WAGES.read_text() + "".join(WAGES.read_text().splitlines(True)[1:]) * 99,
                         "many.csv")
        error = self.refuse(2, "report", "per-instance", many, "--release", self.fit(),
                            "--confidential", "--output", self.folder / "losses.csv")
        self.assertIn("must be the one that the coefficients were released from", error)
        self.nothing_written("many.csv")


class WrongFiles(ReportTest):
    def refused(self, code, release, *more, data=()):
        return self.refuse(code, "report", "per-instance", *data, "--release", release, "--method",
                           "data-independent", "--output", self.folder / "report.json", *more)

    def test_other_numbers(self):
        fit, certificate = self.copied()
        text = fit.read_text()
        fit.write_text(text.replace("1", "2", 1))
        self.assertIn("SHA-256", self.refused(2, fit))
        fit.write_text(text)
        self.assertIn("SHA-256", self.refused(2, fit, "--certificate",
                                              self.certificate_file("squared.csv")))
        self.nothing_written(fit.name, certificate.name)

    def test_other_mechanism(self):
        other = self.folder / "other.csv"
        self.succeed("release", "regression", WAGES, "--target", "wage", *RANGES, "--range",
                     "wage=0:60", *TARGET, "--output", other)
        self.assertIn("objective perturbation", self.refused(2, other))
        certificate = self.answer("calibrate", "objective", *TARGET, "--lipschitz", 1,
                                  "--smoothness", 0.25, "--regularization", 10)["certificate"]
        self.assertIn("calibration", self.refused(2, other, "--certificate",
                                                  self.file(certificate, "calibration.json")))

    def test_spoilt_certificates(self):
        fit, path = self.copied()
        whole = json.loads(path.read_text())

        def spoilt(change):
            copy = json.loads(json.dumps(whole))
            change(copy)
            path.write_text(json.dumps(copy))
            return self.refused(2, fit)

        parameters = whole["parameters"]
        for key in parameters:
            if key not in ("centers", "scales"):  # these follow from the ranges
                self.assertIn("must be", spoilt(lambda c, key=key: c["parameters"].pop(key)), key)
            if isinstance(parameters[key], float) and key not in ("grid", "largest_rows"):
                for value in "1", None, True, [1.0]:
                    error = spoilt(lambda c, key=key, v=value: c["parameters"].update({key: v}))
                    self.assertIn(key, error)
        for key in "regularization", "standard_deviation", "row_norm_bound", "minimizer_error":
            self.assertIn(key, spoilt(lambda c, key=key: c["parameters"].update({key: -1.0})))
        self.assertIn("smoothness",
                      spoilt(lambda c: c["parameters"].update(smoothness=0.125)))
        self.assertIn("surprise", spoilt(lambda c: c["parameters"].update(surprise=1)))
        self.assertIn("surprise", spoilt(lambda c: c.update(surprise=1)))
        self.assertIn("ranged", spoilt(lambda c: c["parameters"]["range_lows"].pop()))
        self.assertIn("loss", spoilt(lambda c: c["parameters"].update(loss="huber")))
        # What was written from other numbers must follow from them again.
        for key in "standard_deviation", "minimizer_error", "output_standard_deviation":
            self.assertIn("must be that of the parameters", spoilt(
                lambda c, key=key: c["parameters"].update({key: 1.001 * parameters[key]})), key)
        self.assertIn("loss", spoilt(lambda c: c["loss"].update(standard_deviation=10.0)))

        def scaled(certificate, share):
            for part in "parameters", "loss":
                certificate[part]["standard_deviation"] *= share

        for share in 0.99, 1.01:
            self.assertIn("delta.upper", spoilt(lambda c, share=share: scaled(c, share)))
        self.assertIn("delta.upper", spoilt(lambda c: c["target"].update(epsilon=0.9)))
        self.assertIn("target.delta", spoilt(lambda c: c["target"].update(delta=9e-7)))
        self.assertIn("centers", spoilt(
            lambda c: c["parameters"]["centers"].__setitem__(1, 43.0)))
        self.assertIn("scales", spoilt(lambda c: c["parameters"]["scales"].pop()))
        path.write_text("{")
        self.assertIn("not JSON", self.refused(2, fit))
        path.unlink()
        self.refused(4, fit)

    def test_files_that_are_no_coefficients(self):
        fit, path = self.copied()
        whole = json.loads(path.read_text())
        text = fit.read_text()
        lines = text.splitlines(True)
        for content in ("", "x", text + "\n", text.replace("\n", "\r\n"), "".join(lines[:-1]),
                        text + lines[-1], text.replace("standardized", "standard"),
                        text.replace(",", ", "), "".join(lines[:1])):
            fit.write_bytes(content.encode())
            whole["output"]["sha256"] = hashlib.sha256(content.encode()).hexdigest()
            path.write_text(json.dumps(whole))
            self.refused(4, fit)
        self.refused(4, self.folder / "none.csv")

    def test_certificates_in_the_old_spelling(self):
        for name in "logistic.csv", "huber.json":
            fit, path = self.copied(name)
            content = fit.read_text().replace("standardized", "standardised")
            fit.write_text(content)
            text = path.read_text()
            for new, old in (("centers", "centres"), ("minimizer_error", "minimiser_error")):
                self.assertIn(f'"{new}"', text)
                text = text.replace(f'"{new}"', f'"{old}"')
            whole = json.loads(text)
            whole["output"]["sha256"] = hashlib.sha256(content.encode()).hexdigest()
            path.write_text(json.dumps(whole))
            budget = ["report", "budget", "--method", "adaptive", *TOTAL, "--release"]
            self.assertEqual(self.answer(*budget, fit), self.answer(*budget, self.fit(name)))

    def test_changed_columns(self):
        other = self.file(WAGES.read_text().replace("hours", "minutes"), "other.csv")
        for more in (["--confidential", "--output", self.folder / "losses.csv"],
                     ["--method", "adaptive", *TOTAL, "--output", self.folder / "report.json"]):
            error = self.refuse(2, "report", "per-instance", other, "--release", self.fit(), *more)
            self.assertIn("hours", error)
        self.nothing_written(other.name)

    def test_a_column_that_is_named_like_the_ones(self):
        lines = WAGES.read_text().splitlines()
        text = "\n".join([lines[0] + ",intercept"] + [line + ",7" for line in lines[1:]]) + "\n"
        other = self.file(text, "other.csv")
        outputs = []
        for data in (WAGES, other):
            output = self.folder / f"losses-{len(outputs)}.csv"
            self.succeed("report", "per-instance", data, "--release", self.fit(), "--confidential",
                         "--output", output)
            outputs.append(output.read_text())
        self.assertEqual(*outputs)

    def test_places(self):
        start = ["report", "per-instance", WAGES, "--release", self.fit(), "--confidential"]
        for more, message in (
                (["--output", "x.json"], "must end in .csv"),
                (["--output", self.fit()], "a file of its own"),
                (["--output", WAGES], "data files"),
                (["--output", self.folder / "a.csv", "--page", self.folder / "a.csv"],
                 "a file of its own"),
                ([], "--output is missing")):
            self.assertIn(message, self.refuse(2, *start, *more), more)
        self.assertIn("cannot be written", self.refuse(
            1, *start, "--output", self.folder / "none" / "a.csv"))
        self.assertIn("must end in .json", self.refuse(
            2, "report", "per-instance", "--release", self.fit(), "--method", "data-independent",
            "--output", self.folder / "report.csv"))
        self.nothing_written()


if __name__ == "__main__":
    unittest.main()
