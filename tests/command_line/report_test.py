"""modicum report: what may be published, and its page."""

import hashlib
import json
import pathlib
import random
import re
import subprocess
import unittest

from _reports import FITS, METHODS, TARGET, TOTAL, WAGES, ReportTest


class Reports(ReportTest):
    def evaluate(self, records=WAGES, output="report.json"):
        return self.answer("report", "evaluate", self.folder / output, "--records", records)

    def test_certificates(self):
        for method in METHODS:
            result = self.report("logistic.csv", method)
            certificate = result["certificate"]
            path = self.folder / "report.json"
            self.assertEqual(json.loads(pathlib.Path(result["certificate_file"]).read_text()),
                             certificate)
            self.assertEqual(certificate["output"]["sha256"],
                             hashlib.sha256(path.read_bytes()).hexdigest())
            self.assertEqual(certificate["parameters"]["report"], method)
            free = method == "data-independent"
            self.assertEqual(certificate["parameters"]["mu"] == 0, free)
            self.assertLessEqual(certificate["delta"]["upper"], 1e-6 if free else 2e-6)
            self.assertEqual("released" in json.loads(path.read_text()), not free)

    def test_no_data_are_read_for_a_report_that_is_free(self):
        first = self.report()
        self.assertEqual(first["certificate"]["target"], {"epsilon": 1, "delta": 1e-6})
        self.assertIn("FILE must not be given", self.refuse(
            2, "report", "per-instance", WAGES, "--release", self.fit(), "--method",
            "data-independent", "--output", self.folder / "other.json"))
        self.assertIn("--epsilon must not be given", self.refuse(
            2, "report", "per-instance", "--release", self.fit(), "--method", "data-independent",
            *TOTAL, "--output", self.folder / "other.json"))

    def test_bounds_of_all_rows_are_those_of_the_losses(self):
        for name in FITS:
            self.losses(name=name)
            # The holder of the data knows how many rows there are.
            self.report(name, "data-independent", "--largest-rows", 500)
            bounds = [float(row["bound"]) for row in self.table()]
            self.assertEqual([record["inside"] for record in self.evaluate()["records"]], bounds)

    def test_coverage_widens_the_bounds(self):
        values = {}
        for cover, more in (("one-record", []), ("all-rows", ["--largest-rows", 1000]),
                            ("everyone", [])):
            self.report("logistic.csv", "data-independent", "--cover", cover, *more)
            answer = self.evaluate()
            self.assertEqual(answer["cover"], cover)
            values[cover] = [record["inside"] for record in answer["records"]]
        for one, rows in zip(values["one-record"], values["all-rows"]):
            self.assertLess(one, rows)
        for one, everyone in zip(values["one-record"], values["everyone"]):
            self.assertLess(one, everyone)

    def test_page_computes_what_the_program_does(self):
        source = random.Random(5)
        lines = ["age,schooling,hours,wage"]
        for _ in range(200):
            spread = 10 ** source.uniform(-3, 4)
            lines.append(",".join(repr(center + source.uniform(-spread, spread))
                                  for center in (44, 10, 40, 20)))
        lines += ["44,10,40,20", "0,0,0,0", "1e300,-1e300,1e-300,20.0", "18,0,0,60", "70,20,80,0"]
        records = self.file("\n".join(lines) + "\n", "records.csv")
        expected, scripts = {}, []
        for name in FITS:
            for method in METHODS:
                for cover in [], ["--cover", "everyone"]:
                    self.report(name, method, *cover)
                    expected[name, method, *cover] = self.evaluate(records)["records"]
                    scripts.append(self.evaluation(lines))
        found = self.run_script("".join(scripts)).splitlines()
        self.assertEqual(len(found), len(expected))
        for (what, theirs), ours in zip(expected.items(), map(json.loads, found)):
            self.assertEqual((len(theirs), len(ours)), (len(lines) - 1, len(lines) - 1))
            for one, other in zip(ours, theirs):
                for key in "inside", "outside", "leverage", "cost", "cost_epsilon":
                    self.assertAlmostEqual(one[key], other[key], delta=1e-8 * abs(other[key]) + 1e-300,
                                           msg=(what, key))

    def parts_of_page(self):
        """The script, and the numbers that it reads."""
        page = (self.folder / "report.html").read_text()
        return [re.search(start + "(.*?)</script>", page, re.DOTALL).group(1)
                for start in ("<script>\n", '<script type="application/json" id="report">')]

    def script(self):
        code, numbers = self.parts_of_page()
        return f"{code}\nconst report = {numbers};\n"

    def evaluation(self, lines):
        """A script that writes, in a line, what the script of the page makes of the records."""
        header = lines[0].split(",")
        records = [dict(zip(header, map(float, line.split(",")))) for line in lines[1:]]
        return "(() => {" + self.script() + f"const records = {json.dumps(records)};" + """
            const answer = report.response.label || report.response.target;
            console.log(JSON.stringify(records.map((record) => evaluate(
              report, report.features.map((feature) => record[feature.name]), record[answer]))));
          })();
        """

    def run_script(self, code):
        path = self.file(code, "script.js")
        done = subprocess.run(["node", path], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def test_page_rounds_upwards(self):
        self.report("logistic.csv", "data-independent")
        source = random.Random(6)
        values = [10 ** source.uniform(-12, 6) for _ in range(2000)] + [0, 1, 9.9999, 0.99999, 1e-5]
        shown = json.loads(self.run_script(
            self.script() + f"console.log(JSON.stringify({values}.map(shownUpwards)));"))
        for value, text in zip(values, shown):
            self.assertGreaterEqual(float(text), value)
            self.assertLessEqual(float(text), value * 1.0011)

    def test_page_answers_in_words(self):
        for method, cost in (("data-independent", "cost the record nothing"),
                             ("adaptive", "hides a shift of mu"),
                             ("data-dependent", "at delta = 0.000002")):
            self.report("logistic.csv", method)
            said = self.run_script(self.script() + """
                console.log(answerIn(report, ["30", "12", " 40 ", "25"]).join("\\n"));
                console.log(answerIn(report, ["30", "", "40", "25"]).join("\\n"));
                console.log(answerIn(report, ["30", "12", "x", "25"]).join("\\n"));""")
            for part in ("If this record is in the data", "If it is not", cost, "owner"):
                self.assertIn(part, said)
            self.assertEqual(said.count("fill in every field"), 2)

    def test_what_is_promised_is_the_whole(self):
        for method in METHODS:
            certificate = self.report("logistic.csv", method)["certificate"]
            page = (self.folder / "report.html").read_text()
            report = json.loads((self.folder / "report.json").read_text())
            told = self.evaluate()
            text = self.succeed("report", "evaluate", self.folder / "report.json", "--records",
                                WAGES)
            self.assertEqual(told["promise"]["coefficients"], {"epsilon": 1, "delta": 1e-6})
            self.assertIn("(1, 1e-06)", page)
            if method == "data-independent":
                self.assertNotIn("promise", report)
                self.assertNotIn("together", told["promise"])
                self.assertIn("costs nothing", page)
                self.assertEqual({record["cost_epsilon"] for record in told["records"]}, {0})
                continue
            parameters = certificate["parameters"]
            self.assertEqual(report["promise"], {
                "epsilon": 2, "delta": 2e-6, "mu": parameters["mu"],
                "report_epsilon": parameters["report_epsilon"]})
            self.assertEqual(told["promise"]["together"], {"epsilon": 2, "delta": 2e-6})
            self.assertEqual(told["promise"]["mu"], parameters["mu"])
            exact = self.ask("epsilon", {"mechanism": "gaussian_dp", "mu": parameters["mu"]},
                             "--delta", 2e-6)["epsilon"]["upper"]
            self.assertAlmostEqual(parameters["report_epsilon"] / exact, 1, 6)
            for words in page, text:
                self.assertIn("(2, 2e-06)", words)
            self.assertIn("epsilon = 1.622 at delta = 2e-06", page)
            self.assertIn("as epsilon at delta 2e-06", text)
            for record in told["records"]:
                self.assertLess(record["cost"], parameters["mu"])
                self.assertLess(record["cost_epsilon"], 1.01 * exact)
                exact_cost = self.ask("epsilon", {"mechanism": "gaussian_dp",
                                                  "mu": record["cost"]}, "--delta", 2e-6)
                self.assertGreaterEqual(record["cost_epsilon"], exact_cost["epsilon"]["lower"])
                break

    def test_more_rows_than_promised(self):
        arguments = ["report", "per-instance", WAGES, "--release", self.fit(), "--method",
                     "data-dependent", *TOTAL, "--output", self.folder / "report.json"]
        self.assertIn("more rows than was promised",
                      self.refuse(1, *arguments, "--largest-rows", 499))
        self.nothing_written()
        certificate = self.answer(*arguments, "--largest-rows", 500)["certificate"]
        self.assertTrue(any("at most 500 rows: a run that ends" in text
                            for text in certificate["assumptions"]))

    def test_another_table_is_noticed(self):
        many = self.file(WAGES.read_text() + "".join(WAGES.read_text().splitlines(True)[1:]) * 99,
                         "many.csv")
        result = self.answer("report", "per-instance", many, "--release", self.fit(), "--method",
                             "data-dependent", *TOTAL, "--output", self.folder / "report.json")
        self.assertIn("bounds mean nothing", result["warning"])
        self.assertIn("bounds mean nothing", self.evaluate()["warning"])
        self.report("logistic.csv", "data-dependent")
        self.assertNotIn("warning", self.evaluate())

    def test_files_that_were_changed(self):
        self.report("logistic.csv", "adaptive")
        path = self.folder / "report.json"
        certificate = self.folder / "report.json.certificate.json"
        evaluate = ["report", "evaluate", path, "--records", WAGES]
        text, words = path.read_text(), certificate.read_text()
        whole = json.loads(text)
        whole["failure"] = 0.04
        path.write_text(json.dumps(whole))
        self.assertIn("SHA-256", self.refuse(2, *evaluate))
        # With a certificate that was made to fit, promises are computed again.
        for part, key, value in (("release", "standard_deviation", 5), ("release", "epsilon", 0.5),
                                 ("promise", "epsilon", 1.5), ("promise", "mu", 0.3),
                                 ("promise", "report_epsilon", 1), ("noise", "gradient", 1),
                                 ("release", "output_spread", 0)):
            whole = json.loads(text)
            whole[part][key] = value
            path.write_text(json.dumps(whole))
            fitted = json.loads(words)
            fitted["output"]["sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()
            if part == "promise" and key == "epsilon":
                fitted["target"]["epsilon"] = value
            certificate.write_text(json.dumps(fitted))
            self.refuse(2, *evaluate)
        path.write_text(text)
        self.refuse(2, *evaluate)
        certificate.write_text(words)
        self.succeed(*evaluate)
        other = self.file(words, "elsewhere.json")
        certificate.unlink()
        self.assertIn("--certificate is missing", self.refuse(2, *evaluate))
        self.succeed(*evaluate, "--certificate", other)
        self.refuse(2, *evaluate, "--certificate", self.certificate_file())

    def test_form_is_connected(self):
        self.report("logistic.csv", "data-independent")
        page = (self.folder / "report.html").read_text()
        for part in '<form id="record">', '<div id="answer"', 'id="report">':
            self.assertEqual(page.count(part), 1, part)
        code, numbers = self.parts_of_page()
        said = self.run_script("""
            let submit, shown, prevented = false;
            const inputs = ["30", "12", "40", "25"].map((value) => ({ value: value }));
            const answer = { hidden: true, replaceChildren: (...lines) => { shown = lines; } };
            const elements = {
              report: { textContent: %s },
              record: { addEventListener: (name, action) => { submit = action; },
                        querySelectorAll: (what) => what === "input" ? inputs : [] },
              answer: answer,
            };
            globalThis.document = { getElementById: (name) => elements[name],
                                    createElement: (name) => ({ name: name }) };
            %s
            submit({ preventDefault: () => { prevented = true; } });
            console.log(JSON.stringify([prevented, answer.hidden, shown]));
        """ % (json.dumps(numbers), code))
        prevented, hidden, shown = json.loads(said)
        self.assertEqual((prevented, hidden), (True, False))
        self.assertEqual({line["name"] for line in shown}, {"p"})
        self.assertIn("If this record is in the data", shown[0]["textContent"])

    def test_page_is_self_contained(self):
        for name in FITS:
            self.report(name, "data-dependent")
            page = (self.folder / "report.html").read_text()
            self.assert_self_contained(page)
            self.assertEqual(page.count("<input"), 3 if name == "hinge.npy" else 4)
            self.assertNotIn("CONFIDENTIAL", page)

    def test_names_cannot_steer_the_page(self):
        evil = "</script><b>&\"'"
        data = self.file(WAGES.read_text().replace("age,schooling", '"' + evil.replace('"', '""') +
                                                   '",schooling', 1), "evil.csv")
        fit = self.folder / "fit.csv"
        self.succeed("release", "logistic", data, "--header", "--method", "objective", "--target", "wage",
                     "--threshold", 20, "--row-norm-bound", 100, *TARGET, "--output", fit)
        page = self.folder / "report.html"
        self.succeed("report", "per-instance", "--release", fit, "--method", "data-independent",
                     "--output", self.folder / "report.json", "--page", page)
        text = page.read_text()
        self.assertEqual(text.count("</script>"), 2)
        self.assertNotIn("<b>", text)
        self.assertIn("&lt;/script&gt;", text)

    def test_no_rows_and_one_class(self):
        for name, text in (("empty.csv", ""), ("one.csv", "30,12,40,50\n" * 9)):
            data = self.file("age,schooling,hours,wage\n" + text, name)
            for method in "data-dependent", "adaptive":
                self.answer("report", "per-instance", data, "--release", self.fit(), "--method",
                            method, *TOTAL, "--output", self.fresh("report.json"))
                for record in self.evaluate()["records"]:
                    self.assertGreater(record["inside"], 0)

    def test_budget_that_is_spent(self):
        for total in (["--epsilon", 0.99, "--delta", "1e-6"], ["--epsilon", 1, "--delta", "9e-7"],
                      ["--epsilon", 2, "--delta", 0]):
            self.refuse(3, "report", "per-instance", WAGES, "--release", self.fit(), "--method",
                        "adaptive", *total, "--output", self.folder / "report.json", "--page",
                        self.folder / "report.html")
            self.refuse(3, "report", "budget", "--release", self.fit(), "--method", "adaptive",
                        *total)
        self.nothing_written()

    def test_bad_arguments(self):
        start = ["report", "per-instance", WAGES, "--release", self.fit(), "--output",
                 self.folder / "report.json"]
        adaptive = ["--method", "adaptive", *TOTAL]
        for more, message in (
                (["--method", "x"], "must be one of: data-independent, data-dependent, adaptive"),
                (["--method", "adaptive"], "--epsilon is missing"),
                (["--method", "adaptive", "--epsilon", 2], "--delta is missing"),
                ([*adaptive, "--cover", "x"], "must be one of: one-record, all-rows, everyone"),
                ([*adaptive, "--cover", "all-rows"], "--largest-rows is missing"),
                ([*adaptive, "--cover", "all-rows", "--largest-rows", 0.5], "--largest-rows is"),
                ([*adaptive, "--failure", 0], "--failure is 0"),
                ([*adaptive, "--failure", "nan"], "--failure is nan"),
                ([*adaptive, "--failure", 1], "--failure is 1"),
                ([*adaptive, "--shares", "1,1"], "must be three numbers"),
                ([*adaptive, "--shares", "1,1,0"], "--shares is 0"),
                ([*adaptive, "--shares", "1,-1,1"], "--shares is -1"),
                ([*adaptive, "--shares", "1,,1"], "--shares is"),
                ([*adaptive, "--shares", "1,nan,1"], "--shares is"),
                (["--method", "data-dependent", *TOTAL, "--shares", "1,1,1"],
                 "must be two numbers")):
            self.assertIn(message, self.refuse(2, *start, *more), more)
        self.assertIn("FILE is missing", self.refuse(
            2, "report", "per-instance", "--release", self.fit(), *adaptive, "--output",
            self.folder / "report.json"))
        self.refuse(4, "report", "per-instance", self.folder / "none.csv", "--release", self.fit(),
                    *adaptive, "--output", self.folder / "report.json")
        self.nothing_written()

    def test_evaluate_in_words(self):
        self.report("logistic.csv", "adaptive")
        mine = self.file("age,schooling,hours,wage\n30,12,40,25\n", "mine.csv")
        text = self.succeed("report", "evaluate", self.folder / "report.json", "--records", mine)
        for part in "if in the data", "cost of the report", "owner of the record alone":
            self.assertIn(part, text)

    def test_records_with_missing_values_are_refused(self):
        self.report()
        for text in "30,,40,25\n", "30,12,40\n", "30,12,x,25\n":
            mine = self.file("age,schooling,hours,wage\n" + text, "mine.csv")
            self.refuse(4, "report", "evaluate", self.folder / "report.json", "--records", mine)
        mine = self.file("age,schooling,wage\n1,1,1\n", "mine.csv")
        self.assertIn("hours", self.refuse(2, "report", "evaluate", self.folder / "report.json",
                                           "--records", mine))

    def test_spoilt_reports(self):
        self.report("huber.json", "adaptive")
        whole = json.loads((self.folder / "report.json").read_text())

        def visit(value, path=()):
            if isinstance(value, dict):
                for key in value:
                    yield (*path, key)
                    yield from visit(value[key], (*path, key))

        def spoilt(path, change):
            copy = json.loads(json.dumps(whole))
            inner = copy
            for key in path[:-1]:
                inner = inner[key]
            change(inner, path[-1])
            spoilt_path = self.file(copy, "spoilt.json")
            certificate = json.loads((self.folder / "report.json.certificate.json").read_text())
            certificate["output"]["sha256"] = hashlib.sha256(spoilt_path.read_bytes()).hexdigest()
            self.file(certificate, "spoilt.json.certificate.json")
            error = self.refuse(2, "report", "evaluate", spoilt_path, "--records", WAGES)
            self.assertNotIn("certificate", error)
            return error

        for path in visit(whole):
            if path == ("version",):
                continue
            if path != ("failure_shares",):  # earlier reports have none, and their own
                spoilt(path, lambda inner, key: inner.pop(key))
            spoilt(path, lambda inner, key: inner.update({key: None}))
            spoilt(path, lambda inner, key: inner.update(surprise=1))
        for path in (("failure",), ("noise", "gradient"), ("release", "regularization"),
                     ("release", "standard_deviation"), ("rows", "row_norm_bound")):
            spoilt(path, lambda inner, key: inner.update({key: -1}))
        spoilt(("released", "hessian"), lambda inner, key: inner[key][0].__setitem__(1, 7.0))
        spoilt(("released", "gradient"), lambda inner, key: inner[key].pop())
        spoilt(("release", "coefficients"), lambda inner, key: inner[key].pop())
        self.refuse(4, "report", "evaluate", self.folder / "none.json", "--records", WAGES)
        self.refuse(2, "report", "evaluate", WAGES, "--records", WAGES)


if __name__ == "__main__":
    unittest.main()
