"""Releases that are charged to a ledger before they show anything."""

import hashlib
import json
import gzip
import pathlib
import random
import signal
import sqlite3
import subprocess
import time
import unittest

from _support import PROGRAM, CommandLineTest

WAGES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "wages.csv"
RANGES = [item for text in ("age=18:70", "schooling=0:20", "hours=0:80", "wage=0:60")
          for item in ("--range", text)]
SUM = ["release", "vector", WAGES, "--statistic", "sum", *RANGES]


class ReleaseLedger(CommandLineTest):
    def setUp(self):
        super().setUp()
        self.store = self.folder / "study.db"
        self.answer("ledger", "create", "--ledger", self.store, "--budget", "study", "--epsilon", 1,
                    "--delta", "1e-6")
        self.ledger = ["--ledger", self.store]

    def status(self):
        return self.answer("ledger", "status", *self.ledger)["budgets"][0]

    def entries(self):
        return self.answer("ledger", "list", *self.ledger)["entries"]

    def test_a_release_is_charged(self):
        path = self.folder / "sum.csv"
        result = self.answer(*SUM, *self.ledger, "--epsilon", 0.5, "--delta", "1e-7", "--output", path)
        [entry] = self.entries()
        self.assertEqual((entry["entry"], entry["state"]), (result["ledger"]["entry"], "released"))
        self.assertEqual(entry["price"], result["ledger"]["price"])
        self.assertEqual(entry["loss"], result["certificate"]["loss"])
        self.assertEqual(entry["file_sha256"], hashlib.sha256(path.read_bytes()).hexdigest())
        certificate = self.folder / "sum.csv.certificate.json"
        self.assertEqual(entry["certificate_sha256"], hashlib.sha256(certificate.read_bytes()).hexdigest())
        self.assertEqual(entry["certificate"], json.loads(certificate.read_text()))
        price = self.ask("price", result["certificate"]["loss"], "--slack", 0)["mu"] ** 2
        self.assertAlmostEqual(self.status()["mu_squared"]["spent"] / price, 1, 12)
        self.assertIn("statistic", entry["command"])
        self.assertNotIn(str(self.store), entry["command"])

    def test_what_does_not_fit_is_not_released(self):
        path = self.folder / "sum.csv"
        error = self.refuse(3, *SUM, *self.ledger, "--epsilon", 2, "--delta", "1e-6", "--output", path)
        self.assertIn("does not fit", error)
        self.assertFalse(path.exists())
        self.assertEqual(self.entries(), [])

    # One for each way to read a table, whose first line is that of the wages.
    def releases(self, table):
        logistic = ["logistic", table, *RANGES[:6], "--target", "wage", "--threshold", 20, "--method"]
        regression = ["regression", table, *RANGES, "--target", "wage", "--method"]
        jobs = self.file({"budget": {"epsilon": 0.5, "delta": 1e-7}, "table": str(table),
                          "releases": [{"count": {}}, {"mean": {"select": ["wage"], "bounds": {"wage": [0, 60]}}}]},
                         "jobs.json")
        for words in (["vector", table, "--statistic", "sum", *RANGES],
                      ["vector", table, "--statistic", "histogram", "--select", "age", "--edges", "18,40,70"],
                      ["mean", table, "--select", "wage", "--bounds", "wage=0:60"],
                      ["median", table, "--select", "wage", "--bounds", "wage=0:60"],
                      ["projection", table, *RANGES, "--columns", 20, "--method", "propose-test-release"],
                      ["covariance", table, *RANGES], ["scales", table, *RANGES], [*regression, "preconditioned"],
                      [*regression, "adaptive-sufficient-statistics"], [*regression, "objective"],
                      [*logistic, "standardized"], [*logistic, "gradient"],
                      ["logistic", table, "--target", "schooling", "--labels", 10, 12, 14, "--select", "age",
                       "--range", "age=18:70"],
                      ["components", table, *RANGES, "--components", 2],
                      ["components", table, *RANGES, "--components", 2, "--center", "none"],
                      ["gaussian-process", table, "--target", "wage", "--select", "schooling", "--queries",
                       self.file("10\n12\n", "queries.csv"), "--range", "schooling=0:20", "--range", "wage=0:60",
                       "--noise-variance", 30, "--largest-rows", 1000]):
            yield ["release", *words, "--epsilon", 0.5, "--delta", "1e-7"]
        yield ["release", jobs]

    def test_a_refused_release_reads_no_row_and_a_failed_one_stays_spent(self):
        header = WAGES.read_text().splitlines()[0]
        table = self.file(f"{header}\n30,12,40,20\nnot a row\n", "broken.csv")
        large = self.folder / "large.db"
        for name, epsilon, store in ("small", 0.01, self.store), ("large", 50, large):
            self.answer("ledger", "create", "--ledger", store, "--budget", name, "--epsilon", epsilon, "--delta", "1e-4")
        count = 0
        for words in self.releases(table):
            words += ["--strict", "--output", "-"]
            # Whether a row can be read would show by another exit code.
            self.assertIn("does not fit", self.refuse(3, *words, *self.ledger, "--budget", "small"), words)
            self.refuse(4, *words, "--ledger", large)
            count += 1
        entries = self.answer("ledger", "list", "--ledger", large)["entries"]
        self.assertEqual([each["state"] for each in entries], ["failed"] * count)
        self.assertEqual(self.entries(), [])
        spent = self.answer("ledger", "status", "--ledger", large)["budgets"][0]["mu_squared"]["spent"]
        self.assertAlmostEqual(spent / sum(each["price"]["mu_squared"] for each in entries), 1, 12)
        # A table that is not there, or has other columns, is found before anything is spent.
        self.refuse(4, *SUM[:2], self.folder / "none.csv", *SUM[3:], "--mu", 0.1, "--ledger", large, "--output", "-")
        self.refuse(2, *SUM, "--range", "height=0:3", "--mu", 0.1, "--ledger", large, "--output", "-")
        self.assertEqual(len(self.answer("ledger", "list", "--ledger", large)["entries"]), count)
        self.answer("ledger", "verify", "--ledger", large)

    def test_what_is_released_is_what_was_paid(self):
        large = self.folder / "large.db"
        self.answer("ledger", "create", "--ledger", large, "--budget", "large", "--epsilon", 50, "--delta", "1e-4")
        losses = [self.answer(*words, "--ledger", large, "--output", "-")["certificate"]["loss"]
                  for words in self.releases(WAGES)]
        entries = self.answer("ledger", "list", "--ledger", large)["entries"]
        self.assertEqual([(each["state"], each["loss"]) for each in entries], [("released", loss) for loss in losses])

    def test_files_that_end_too_early(self):
        packed = self.folder / "wages.csv.gz"
        packed.write_bytes(gzip.compress(WAGES.read_bytes() * 200)[:-2000])
        self.refuse(4, *SUM[:2], packed, *SUM[3:], *self.ledger, "--mu", 0.1, "--output", "-")
        [entry] = self.entries()
        self.assertEqual(entry["state"], "failed")
        # What was computed elsewhere: its shape is public, its numbers are not.
        vector = self.file("1\n2\nnan\n", "vector.csv")
        given = ["release", "vector", vector, "--statistic", "given", "--sensitivity", 1, *self.ledger, "--output", "-"]
        self.refuse(3, *given, "--mu", 1)
        self.refuse(4, *given, "--mu", 0.01)
        self.assertEqual([each["state"] for each in self.entries()], ["failed", "failed"])

    def test_killed_while_it_reads(self):
        words = ["release", "logistic", WAGES, *RANGES[:6], "--target", "wage", "--threshold", 20, "--method", "gradient",
                 "--steps", 10000, "--epsilon", 0.5, "--delta", "1e-7", *self.ledger, "--output", self.folder / "fit.csv"]
        started = subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self.entries() and started.poll() is None:
            time.sleep(0.05)
        started.kill()
        self.assertEqual(started.wait(60), -signal.SIGKILL)
        [entry] = self.entries()
        self.assertEqual((entry["state"], entry["certificate_sha256"]), ("reserved", ""))
        self.assertEqual(self.status()["mu_squared"]["spent"], entry["price"]["mu_squared"])
        self.assertEqual(list(self.folder.glob("fit.csv*")), [])
        self.answer("ledger", "verify", *self.ledger)

    def test_no_number_without_an_entry(self):
        # Eight at once, most of them killed at some moment, which chance decides.
        self.answer("ledger", "create", *self.ledger, "--budget", "large", "--mu", 1)
        chance, running = random.Random(5), []

        def end_some():
            for each in list(running):
                if each[0].poll() is None and time.monotonic() > each[1]:
                    each[0].kill()
                if each[0].poll() is not None:
                    running.remove(each)
            time.sleep(0.002)

        for i in range(80):
            words = ["release", "count", WAGES, "--mu", 0.06, *self.ledger, "--budget", "large", "--output",
                     self.folder / f"count-{i}.csv"]
            running.append((subprocess.Popen([PROGRAM, *map(str, words)], stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL),
                            time.monotonic() + chance.uniform(0, 0.3)))
            while len(running) == 8:
                end_some()
        while running:
            end_some()
        entries = self.entries()
        written = {str(path) for path in self.folder.glob("count-*.csv")}
        self.assertLessEqual(written, {json.loads(each["command"])["output"] for each in entries})
        self.assertLessEqual(sum(each["state"] == "released" for each in entries), len(written))
        spent = self.answer("ledger", "status", *self.ledger, "--budget", "large")["budgets"][0]["mu_squared"]["spent"]
        self.assertAlmostEqual(spent, sum(each["price"]["mu_squared"] for each in entries), 12)
        self.answer("ledger", "verify", *self.ledger)

    def test_all_at_once(self):
        words = [*SUM, *self.ledger, "--delta", "1e-6", "--output", "-"]
        error = self.refuse(3, *words, "--epsilon", 1)
        self.assertIn("of the --delta is set aside as --slack", error)
        self.assertIn("--rest takes all that is left", error)
        self.assertNotIn("`", error)
        told = self.answer(*SUM, *self.ledger, "--delta", "1e-6", "--epsilon", 1, "--explain")["ledger"]
        self.assertIn(told["refusal"], error)
        # What it says to type fits, and nothing is left then.
        epsilon = error.split("which is --epsilon ")[1].split()[0]
        self.assertGreater(float(epsilon), 0.99)
        self.answer(*words, "--epsilon", epsilon)
        self.assertNotIn("set aside", self.refuse(3, *words, "--epsilon", 1))

    def test_shares_and_the_rest(self):
        total = self.status()["mu_squared"]["total"]
        self.answer(*SUM, *self.ledger, "--share", 0.25, "--output", "-")
        spent = self.status()["mu_squared"]["spent"]
        self.assertLessEqual(spent, 0.25 * total)
        self.assertAlmostEqual(spent / (0.25 * total), 1, 6)
        self.answer(*SUM, *self.ledger, "--rest", "--output", "-")
        spent = self.status()["mu_squared"]["spent"]
        self.assertLessEqual(spent, total)
        self.assertAlmostEqual(spent / total, 1, 6)
        self.refuse(3, *SUM, *self.ledger, "--epsilon", 0.1, "--delta", "1e-7", "--output", "-")

    def test_mu_and_rho(self):
        for words, mu in ((["--mu", 0.2], 0.2), (["--rho", 0.02], 0.2)):
            result = self.answer(*SUM, *words, "--output", "-")
            found = self.ask("price", result["certificate"]["loss"], "--slack", 0)["mu"]
            self.assertLessEqual(found, mu)
            self.assertAlmostEqual(found / mu, 1, 6)

    def test_a_standard_deviation(self):
        vector = self.file("1\n2\n3\n", "vector.csv")
        matrix = self.file("2,1\n1,3\n", "matrix.csv")
        for words in (SUM[1:], ["vector", WAGES, "--statistic", "histogram", "--select", "age", "--edges",
                                "18,40,70"],
                      ["vector", vector, "--statistic", "given", "--sensitivity", 3],
                      ["matrix", matrix, "--sensitivity", 1], ["covariance", WAGES, *RANGES]):
            result = self.answer("release", *words, "--standard-deviation", 40, "--output", "-")
            found = result["certificate"]["parameters"]["standard_deviation"]
            self.assertGreaterEqual(found, 40)
            self.assertLess(found, 40 * (1 + 1e-8))
        # What it costs is (sensitivity / standard deviation)^2.
        result = self.answer("release", "vector", vector, "--statistic", "given", "--sensitivity", 3,
                             *self.ledger, "--standard-deviation", 40, "--output", "-")
        self.assertAlmostEqual(result["ledger"]["price"]["mu_squared"] / (3 / 40) ** 2, 1, 6)
        self.assertIn("Gaussian", self.refuse(2, *SUM, "--noise", "l2", "--standard-deviation", 1, "--output", "-"))
        self.refuse(2, "release", "projection", WAGES, *RANGES, "--columns", 20, "--standard-deviation", 1,
                    "--output", "-")
        for bad in 0, -1, "nan":
            self.refuse(2, *SUM, "--standard-deviation", bad, "--output", "-")

    def test_parts(self):
        self.answer("ledger", "create", *self.ledger, "--budget", "parts", "--mu", 0.2, "--parts", "sex=f,m")
        for part in "sex=f", "sex=m":
            self.answer(*SUM, *self.ledger, "--budget", "parts", "--part", part, "--rest", "--output", "-")
        budget = self.answer("ledger", "status", *self.ledger, "--budget", "parts")["budgets"][0]
        self.assertAlmostEqual(budget["mu_squared"]["spent"], 0.04, 7)
        self.refuse(3, *SUM, *self.ledger, "--budget", "parts", "--mu", 0.1, "--output", "-")
        self.refuse(2, *SUM, "--part", "sex=f", "--mu", 0.1, "--output", "-")

    def test_releases_draw_from_a_plan(self):
        plan = self.answer("ledger", "plan", self.file([{"mechanism": "gaussian_dp", "mu": 0.05, "count": 2}]),
                           *self.ledger)["entry"]
        spent = self.status()["mu_squared"]
        path = self.folder / "sum.csv"
        result = self.answer(*SUM, *self.ledger, "--plan", plan, "--mu", 0.05, "--output", path)
        self.assertEqual((result["ledger"]["entry"], result["ledger"]["drawn"], result["ledger"]["state"]),
                         (plan, 1, "released"))
        self.refuse(3, *SUM, *self.ledger, "--plan", plan, "--mu", 0.06, "--output", "-")
        [entry] = self.entries()
        [draw] = entry["draws"]
        certificate = self.folder / "sum.csv.certificate.json"
        self.assertEqual((draw["state"], draw["certificate"]), ("released", json.loads(certificate.read_text())))
        self.assertEqual(draw["file_sha256"], hashlib.sha256(path.read_bytes()).hexdigest())
        self.assertEqual(draw["certificate_sha256"], hashlib.sha256(certificate.read_bytes()).hexdigest())
        self.assertRegex(self.succeed("ledger", "list", *self.ledger), rf"{draw['draw']} of {plan} +20.*released +by the plan")
        for mu, fits in (0.05, True), (0.06, False):
            told = self.answer(*SUM, *self.ledger, "--plan", plan, "--mu", mu, "--explain")["ledger"]
            self.assertEqual((told["fits"], told["plan"]), (fits, plan))
            self.assertEqual(told.get("left_in_plan"), 0 if fits else None)
        words = self.succeed(*SUM, *self.ledger, "--plan", plan, "--standard-deviation", 200, "--output", "-")
        self.assertIn(f"Drawn from the plan {plan} of the budget study, at no further cost", words)
        self.assertIn("none of this description left",
                      self.refuse(3, *SUM, *self.ledger, "--plan", plan, "--mu", 0.05, "--output", "-"))
        self.assertEqual(self.status()["mu_squared"], spent)
        records = self.answer("ledger", "export", *self.ledger, "--output", self.folder / "all.json")["records"]
        self.assertEqual(records, 6)
        # Before any data are read.
        self.assertIn('--plan is 99, but must be the number of a plan', self.refuse(
            2, *SUM, *self.ledger, "--plan", 99, "--mu", 0.05, "--output", "-"))
        for words in (["--plan", 99], ["--plan", plan, "--share", 0.5], ["--plan", 0.5],
                      ["--plan", plan, "--budget", "other"]):
            self.refuse(2, *SUM, *self.ledger, *words, *([] if "--share" in words else ["--mu", 0.05]),
                        "--output", "-")
        self.refuse(2, *SUM, "--plan", plan, "--mu", 0.05, "--output", "-")

    def test_discovered_groups_take_their_own_slack(self):
        table = self.file("town\n" + "Ulm\n" * 900, "towns.csv")
        count = ["release", "count", table, "--by", "town", "--discover", "--output", "-", *self.ledger]
        result = self.answer(*count, "--epsilon", 0.1, "--delta", "1e-9")
        self.assertLess(result["ledger"]["price"]["slack"], 1.1e-9)
        sigma = result["certificate"]["parameters"]["standard_deviation"]
        self.assertLess(result["ledger"]["price"]["mu_squared"], 1.001 / sigma ** 2)
        error = self.refuse(3, *count, "--epsilon", 0.1, "--delta", "1e-7")
        self.assertIn("a smaller --delta takes less", error)
        self.assertIn("give --epsilon and --delta instead", self.refuse(3, *count, "--mu", 0.01))

    def test_rows_and_persons_are_told_apart(self):
        visits = self.file("id,x\n" + "".join(f"p{i % 5},{i}\n" for i in range(20)), "visits.csv")
        self.answer("ledger", "create", *self.ledger, "--budget", "persons", "--mu", 1, "--unit", "id")
        count = ["release", "count", visits, "--mu", 0.05, "--output", "-", *self.ledger, "--budget"]
        self.answer(*count, "study")
        self.answer(*count, "persons", "--unit", "id")
        self.assertIn('give the --unit "id" here', self.refuse(3, *count, "persons"))
        self.assertIn('make a budget with the --unit "id"', self.refuse(3, *count, "study", "--unit", "id"))
        jobs = self.file('{"budget": {"mu": 0.05}, "table": "visits.csv", "unit": "id", "releases": [{"count": {}}]}',
                         "jobs.json")
        self.answer("release", jobs, *self.ledger, "--budget", "persons", "--output", "-")
        self.refuse(3, "release", jobs, *self.ledger, "--budget", "study", "--output", "-")
        self.refuse(3, *SUM, *self.ledger, "--budget", "persons", "--mu", 0.05, "--output", "-")

    def test_a_given_sensitivity_says_what_it_is_about(self):
        given = ["release", "vector", self.file("1\n2\n", "vector.csv"), "--statistic", "given", "--sensitivity", 1]
        matrix = ["release", "matrix", self.file("2,1\n1,3\n", "matrix.csv"), "--sensitivity", 1]
        kinds = {"rows": ([], "add_remove", "add or remove one row"),
                 "replaced": (["--neighbors", "replace_one"], "replace_one", "replace one row"),
                 "persons": (["--unit", "id"], "add_remove", "add or remove all rows with one value of id")}
        for name, (words, _, _) in kinds.items():
            self.answer("ledger", "create", *self.ledger, "--budget", name, "--mu", 1, *words)
        for words in given, matrix:
            for name, (own, adjacency, sentence) in kinds.items():
                for budget in kinds:
                    line = [*words, *own, "--mu", 0.1, *self.ledger, "--budget", budget, "--output", "-"]
                    if budget != name:
                        self.assertIn("one is not the other", self.refuse(3, *line))
                        continue
                    certificate = self.answer(*line)["certificate"]
                    self.assertEqual((certificate["adjacency"], certificate["neighbors"]), (adjacency, sentence))
                    # A composition takes it for the same.
                    composed = {"compose": [certificate, {"mechanism": "gaussian_dp", "mu": 0.1, "adjacency": adjacency}]}
                    self.ask("epsilon", composed, "--delta", "1e-6")
                    other = "add_remove" if adjacency == "replace_one" else "replace_one"
                    composed["compose"][1]["adjacency"] = other
                    self.refuse(2, "epsilon", self.file(composed), "--delta", "1e-6")
        self.assertEqual(len(self.entries()), 6)

    # Whatever is wrong and can be told without a row costs nothing.
    def test_mistakes_that_need_no_row_are_not_charged(self):
        target = ["--epsilon", 0.5, "--delta", "1e-7", *self.ledger, "--output", "-"]
        wage = ["--select", "wage", "--bounds"]
        for words in (["sum", WAGES, *wage, "wage=0:1e308"], ["variance", WAGES, *wage, "wage=0:1e200"],
                      ["covariance", WAGES, *RANGES, "--center", "private", "--range", "age=0:1e300"],
                      ["covariance", WAGES, *RANGES, "--center", "given", "--centers", "1e300", 2, 3, 4],
                      ["count", WAGES, "--threads", 5000]):
            self.refuse(2, "release", *words, *target)
        # Pieces that answer another question, or the first of several passes alone.
        job = {"budget": {"epsilon": 0.5, "delta": 1e-7}, "table": str(WAGES),
               "releases": [{"mean": {"select": ["wage"], "bounds": {"wage": [0, 60]}}}]}
        piece = self.folder / "piece.gathered"
        self.answer("gather", WAGES, "--for", self.file(job, "job.json"), "--output", piece)
        job["releases"][0]["mean"]["bounds"]["wage"] = [0, 50]
        pieces = ["--gathered", piece]
        self.assertIn("differs in question.bounds", self.refuse(
            2, "release", self.file(job, "other.json"), *pieces, *self.ledger, "--output", "-"))
        for words in (["median", *wage, "wage=0:60"], ["projection", *RANGES, "--columns", 20],
                      ["components", *RANGES, "--components", 2]):
            self.refuse(2, "release", *words, *pieces, *target)
        for i, words in enumerate((["regression", *RANGES, "--target", "wage"],
                                   ["regression", *RANGES, "--target", "wage", "--method", "objective"],
                                   ["scales", *RANGES], ["components", *RANGES, "--components", 2])):
            first = self.folder / f"first-{i}.gathered"
            self.answer("release", *words, WAGES, "--gather", *target[:4], "--output", first)
            self.assertIn("another question", self.refuse(2, "release", *words, "--gathered", first, *target))
        visits = self.file("id,x\n1,2\n", "visits.csv")
        self.answer("ledger", "create", *self.ledger, "--budget", "persons", "--mu", 1, "--unit", "id")
        first = self.folder / "visits.gathered"
        self.answer("release", "count", visits, "--unit", "id", "--gather", *target[:4], "--output", first)
        self.refuse(2, "release", "count", "--unit", "id", "--gathered", first, *target, "--budget", "persons")
        self.assertEqual(self.entries(), [])
        # What fits is released from the pieces themselves, not from numbers that were made up.
        result = self.answer("release", self.folder / "job.json", *pieces, *self.ledger, "--budget", "study", "--output", "-")
        self.assertLess(result["released"]["values"][0][0], 61)

    def test_reports_are_charged(self):
        fit = self.folder / "fit.csv"
        self.answer("ledger", "create", *self.ledger, "--budget", "large", "--epsilon", 9, "--delta", "1e-5")
        ledger = [*self.ledger, "--budget", "large"]
        self.answer("release", "logistic", WAGES, *RANGES[:6], "--target", "wage", "--threshold", 20,
                    "--method", "objective", "--epsilon", 1, "--delta", "1e-6", "--output", fit)
        report = self.folder / "report.json"
        words = ["report", "per-instance", WAGES, "--release", fit, "--method", "adaptive", "--epsilon", 2,
                 "--delta", "2e-6"]
        result = self.answer(*words, *ledger, "--output", report)
        entry = self.entries()[-1]
        self.assertEqual((entry["entry"], entry["state"]), (result["ledger"]["entry"], "released"))
        self.assertEqual(entry["loss"], result["certificate"]["loss"])
        self.assertEqual(entry["file_sha256"], hashlib.sha256(report.read_bytes()).hexdigest())
        # Where it does not fit nothing is written; where nothing is read nothing is charged.
        other = self.folder / "other.json"
        self.answer("ledger", "create", *self.ledger, "--budget", "small", "--mu", 1e-3)
        self.refuse(3, *words, *self.ledger, "--budget", "small", "--output", other)
        self.assertFalse(other.exists())
        self.refuse(2, "report", "per-instance", "--release", fit, "--method", "data-independent", *ledger,
                    "--output", other)
        self.assertEqual(len(self.entries()), 1)

    def test_one_budget_must_be_given(self):
        for words in ([], ["--epsilon", 1], ["--delta", "1e-6"], ["--mu", 1, "--rho", 1],
                      ["--epsilon", 1, "--delta", "1e-6", "--mu", 1], ["--rest"], ["--share", 0.5],
                      ["--epsilon", 1, "--delta", "1e-6", "--budget", "study"]):
            self.refuse(2, *SUM, *words, "--output", "-")
        self.refuse(2, *SUM, *self.ledger, "--share", 2, "--output", "-")
        self.refuse(2, *SUM, *self.ledger, "--budget", "other", "--epsilon", 1, "--delta", "1e-6", "--output", "-")
        self.refuse(4, *SUM, "--ledger", self.folder / "none.db", "--epsilon", 1, "--delta", "1e-6",
                    "--output", "-")
        self.assertEqual(self.entries(), [])

    def test_a_ledger_that_cannot_be_used_stops_the_release(self):
        path = self.folder / "sum.csv"
        connection = sqlite3.connect(self.store)
        connection.execute("UPDATE modicum_ledger SET version = 99")
        connection.commit()
        connection.close()
        self.refuse(1, *SUM, *self.ledger, "--epsilon", 0.5, "--delta", "1e-7", "--output", path)
        self.assertFalse(path.exists())

    def test_other_releases(self):
        self.answer("ledger", "create", *self.ledger, "--budget", "large", "--epsilon", 20, "--delta", "1e-4")
        target = [*self.ledger, "--budget", "large", "--epsilon", 0.5, "--delta", "1e-7", "--output", "-"]
        features = RANGES[:6]
        for words in (["projection", WAGES, *RANGES, "--columns", 20], ["covariance", WAGES, *RANGES],
                      ["logistic", WAGES, *features, "--target", "wage", "--threshold", 20],
                      ["components", WAGES, *RANGES, "--components", 2],
                      ["matrix", self.file("2,1\n1,3\n", "matrix.csv"), "--sensitivity", 1]):
            result = self.answer("release", *words, *target)
            self.assertGreater(result["ledger"]["price"]["mu_squared"], 0, words)
            slack = result["ledger"]["price"]["slack"]
            self.assertEqual(slack > 0, words[0] in ("projection", "logistic"), words)
        self.assertEqual(len(self.entries()), 5)
        self.assertEqual(self.answer("ledger", "verify", *self.ledger)["records"], 12)

    def test_words(self):
        out = self.succeed(*SUM, *self.ledger, "--share", 0.5, "--output", "-")
        self.assertIn("Charged to the budget study, entry 2: mu^2", out)


if __name__ == "__main__":
    unittest.main()
