"""modicum price and ledger."""

import json
import math
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import unittest

from _support import GAUSSIAN, LAPLACE, PROGRAM, CommandLineTest

PROJECTION = {"mechanism": "random_projection", "columns": 300, "leverage": 0.02}
ANSWER = {"mechanism": "gaussian", "standard_deviation": 10, "sensitivity": 1}


class Price(CommandLineTest):
    def test_known_values(self):
        result = self.ask("price", PROJECTION, "--slack", "1e-9")
        self.assertEqual(list(result), ["mu", "slack"])
        self.assertAlmostEqual(result["mu"], 0.2826, 4)
        self.assertEqual(result["slack"], 1e-9)
        self.assertAlmostEqual(self.ask("price", LAPLACE, "--slack", 0)["mu"], 0.56176, 4)

    def test_a_shift_is_exact(self):
        result = self.ask("price", GAUSSIAN, "--slack", "1e-9")
        self.assertAlmostEqual(result["mu"], math.sqrt(0.4), 15)
        self.assertEqual(result["slack"], 0)

    def test_dominates(self):
        # The profile of the price against that of the loss, at points that are no grid's.
        paid = self.ask("price", PROJECTION, "--slack", "1e-7")
        pair = {"compose": [{"mechanism": "gaussian_dp", "mu": paid["mu"]},
                            {"mechanism": "approximate", "epsilon": 0, "delta": paid["slack"]}]}
        points = [str(0.0173 * i) for i in range(90)]
        loss = self.ask("profile", PROJECTION, "--epsilon", *points)["points"]
        bound = self.ask("profile", pair, "--epsilon", *points)["points"]
        for a, b in zip(loss, bound):
            self.assertLessEqual(a["delta"]["lower"], b["delta"]["upper"], a["epsilon"])

    def test_refusals(self):
        self.assertIn("unbounded", self.refuse(3, "price", self.file(PROJECTION), "--slack", 0))
        approximate = {"mechanism": "approximate", "epsilon": 1, "delta": 1e-3}
        self.assertIn("infinite", self.refuse(3, "price", self.file(approximate), "--slack", 1e-4))
        self.assertIn("--slack", self.refuse(2, "price", self.file(PROJECTION), "--slack", 1))
        self.assertIn("--slack", self.refuse(2, "price", self.file(PROJECTION)))


class LedgerTest(CommandLineTest):
    """Whatever holds for a file holds for a server: ledger_postgresql_test.py runs this too."""

    @property
    def store(self):
        return self.folder / "study.db"

    def create(self, *arguments, name="study"):
        arguments = arguments or ("--epsilon", 1, "--delta", "1e-6")
        return self.answer("ledger", "create", "--ledger", self.store, "--budget", name, *arguments)

    def charge(self, description, *arguments):
        return self.answer("ledger", "charge", self.file(description), "--ledger", self.store, *arguments)

    def status(self):
        return self.answer("ledger", "status", "--ledger", self.store)["budgets"]


class Ledger(LedgerTest):
    def test_create_and_status(self):
        self.create("--epsilon", 1, "--delta", "1e-6", "--pure", 0.25)
        [budget] = self.status()
        self.assertEqual(list(budget)[:7],
                         ["name", "epsilon", "delta", "mu_squared", "slack", "pure", "entries"])
        self.assertEqual((budget["name"], budget["epsilon"], budget["delta"], budget["entries"]),
                         ("study", 1, 1e-6, 0))
        self.assertEqual(list(budget["mu_squared"]), ["total", "spent"])
        self.assertAlmostEqual(budget["slack"]["total"] / 1e-8, 1, 6)
        self.assertEqual(budget["pure"], {"total": 0.25, "spent": 0})
        # What is promised is the composition of all that may be read off the clocks.
        whole = {"compose": [
            {"mechanism": "gaussian_dp", "mu": math.sqrt(budget["mu_squared"]["total"])},
            {"mechanism": "approximate", "epsilon": 0.25, "delta": budget["slack"]["total"]}]}
        delta = self.ask("profile", whole, "--epsilon", 1)["delta"]["upper"]
        self.assertAlmostEqual(delta / 1e-6, 1, 6)

    def test_charges_add_up_until_nothing_fits(self):
        self.create("--rho", 0.02)  # mu^2 = 4 / 100
        for i in range(4):
            result = self.charge(ANSWER)
            self.assertEqual((result["state"], result["price"]["slack"]), ("released", 0))
        before = self.status()
        self.assertEqual((before[0]["entries"], before[0]["mu_squared"]),
                         (4, {"total": 0.04, "spent": 0.04}))
        head = self.answer("ledger", "verify", "--ledger", self.store)["head"]
        error = self.refuse(3, "ledger", "charge", self.file(ANSWER), "--ledger", self.store)
        self.assertIn("does not fit", error)
        self.assertEqual(self.status(), before)
        self.assertEqual(self.answer("ledger", "verify", "--ledger", self.store)["head"], head)

    def test_what_has_no_price_is_refused(self):
        self.create("--mu", 1)
        self.refuse(3, "ledger", "charge", self.file(PROJECTION), "--ledger", self.store)
        self.assertEqual(self.status()[0]["entries"], 0)

    def test_slack_is_spent(self):
        self.create("--epsilon", 2, "--delta", "1e-6")
        price = self.charge(PROJECTION, "--slack", "1e-9")["price"]
        self.assertAlmostEqual(math.sqrt(price["mu_squared"]), 0.2826, 4)
        self.assertAlmostEqual(price["slack"] / 1e-9, 1, 6)
        self.assertEqual(self.status()[0]["slack"]["spent"], price["slack"])

    def test_words(self):
        out = self.succeed("ledger", "create", "--ledger", self.store, "--budget", "study", "--mu", 0.5,
                           "--population", "patients of 2024", "--unit-words", "a person")
        for words in ("study", "patients of 2024", "a person", "standard deviation of at least 2."):
            self.assertIn(words, out)
        out = self.succeed("ledger", "charge", self.file(ANSWER), "--ledger", self.store)
        self.assertIn("Charged", out)
        out = self.succeed("ledger", "status", "--ledger", self.store)
        self.assertIn("One more answer of sensitivity 1 needs a standard deviation of at least 2.041242", out)
        self.assertIn("Gaussian, sigma 10", self.succeed("ledger", "list", "--ledger", self.store))

    def test_list_says_who_when_and_what(self):
        self.create()
        self.charge(ANSWER)
        [entry] = self.answer("ledger", "list", "--ledger", self.store)["entries"]
        self.assertRegex(entry["time"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$")
        self.assertEqual(entry["loss"], ANSWER)
        self.assertTrue(entry["who"])
        self.assertNotIn(str(self.store), json.dumps(entry))

    def test_a_plan(self):
        self.create("--epsilon", 3, "--delta", "1e-6")
        item = {"mechanism": "laplace", "scale": 20, "sensitivity": 1}
        plan = self.answer("ledger", "plan", self.file([{**item, "count": 50}, ANSWER]),
                           "--ledger", self.store)
        alone = self.ask("price", item, "--slack", 0)["mu"] ** 2
        self.assertLess(plan["price"]["mu_squared"], 0.9 * (50 * alone + 0.01))
        spent = self.status()[0]["mu_squared"]
        for description in item, ANSWER, item:
            self.charge(description, "--plan", plan["entry"])
        self.refuse(3, "ledger", "charge", self.file(ANSWER), "--ledger", self.store,
                    "--plan", plan["entry"])
        self.assertEqual(self.status()[0]["mu_squared"], spent)
        self.assertEqual(self.answer("ledger", "list", "--ledger", self.store)["entries"][0]["drawn"], 3)
        self.refuse(2, "ledger", "cancel", "--ledger", self.store, "--plan", plan["entry"])
        words = self.succeed("ledger", "list", "--ledger", self.store)
        self.assertIn("laplace, scale 20, sensitivity 1, 50 times; gaussian, standard_deviation 10, sensitivity 1", words)
        self.assertEqual(words.count("by the plan"), 3)
        other = self.answer("ledger", "plan", self.file(ANSWER), "--ledger", self.store)
        self.answer("ledger", "cancel", "--ledger", self.store, "--plan", other["entry"])
        # Given back, but for the rounding in the 32nd digit.
        self.assertAlmostEqual(self.status()[0]["mu_squared"]["spent"], spent["spent"], 15)

    def test_certificates_are_charged(self):
        self.create()
        certificate = self.answer("calibrate", "gaussian", "--epsilon", 0.3, "--delta", "1e-7",
                                  "--sensitivity", 1)["certificate"]
        self.assertEqual(self.charge(certificate)["price"]["slack"], 0)
        certificate["guarantee"] = "asymptotic"
        error = self.refuse(3, "ledger", "charge", self.file(certificate), "--ledger", self.store)
        self.assertIn("asymptotic", error)
        self.charge(certificate, "--guarantee", "asymptotic")
        self.assertEqual(self.status()[0]["guarantee"], "asymptotic")
        certificate["guarantee"] = "per-instance"
        self.refuse(3, "ledger", "charge", self.file(certificate), "--ledger", self.store,
                    "--guarantee", "asymptotic")

    def test_parts_share_a_charge(self):
        self.create("--rho", 0.01, "--parts", "region=north,south", "--parts", "year=2023,2024")
        for part in "region=north", "region=south":
            self.charge(ANSWER, "--part", part)
        [budget] = self.status()
        self.assertEqual(budget["mu_squared"]["spent"], 0.01)
        self.assertEqual([each["part"] for each in budget["parts"]], ["north", "south", "2023", "2024"])
        self.assertEqual(budget["parts"][0]["spent"]["mu_squared"], 0.01)
        entry = self.answer("ledger", "list", "--ledger", self.store)["entries"][0]
        self.assertEqual(entry["part"], {"partition": "region", "part": "north"})
        self.charge(ANSWER, "--part", "year=2023")
        for words in [], ["--part", "region=north"], ["--part", "year=2023"]:
            self.refuse(3, "ledger", "charge", self.file(ANSWER), "--ledger", self.store, *words)
        self.charge(ANSWER, "--part", "year=2024")
        self.assertIn("--part", self.refuse(2, "ledger", "charge", self.file(ANSWER), "--ledger",
                                            self.store, "--part", "region=west"))
        self.assertIn("spent by its records", self.succeed("ledger", "status", "--ledger", self.store))
        self.assertEqual(self.answer("ledger", "verify", "--ledger", self.store)["records"], 5)
        self.refuse(2, "ledger", "create", "--ledger", self.store, "--budget", "other", "--mu", 1,
                    "--parts", "region=north,south", "--neighbors", "replace_one")

    def test_a_clock_for_what_is_zero_concentrated(self):
        known = {"mechanism": "zcdp", "rho": 0.125}
        self.create("--rho", 0.5)
        # Randomized response of rho 0.1225 needs mu 0.624, not the root of 2 rho.
        self.refuse(3, "ledger", "charge", self.file(known), "--ledger", self.store)
        self.create("--rho", 0.5, "--zcdp", 0.25, name="own")
        for spent in 0.125, 0.25:
            self.charge(known, "--budget", "own")
            budget = next(each for each in self.status() if each["name"] == "own")
            self.assertEqual((budget["zcdp"], budget["mu_squared"]["spent"]),
                             ({"total": 0.25, "spent": spent}, 0))
        self.refuse(3, "ledger", "charge", self.file(known), "--ledger", self.store, "--budget", "own")
        self.charge(ANSWER, "--budget", "own")
        self.assertIn("rho", self.succeed("ledger", "status", "--ledger", self.store, "--budget", "own"))

    def test_neighbors_of_a_description(self):
        sampled = {"mechanism": "subsampled_gaussian", "noise_multiplier": 2, "sampling_rate": 0.01}
        self.create("--epsilon", 1, "--delta", "1e-6", "--neighbors", "replace_one")
        # What says nothing is for records that come or go.
        for description in sampled, ANSWER, PROJECTION:
            error = self.refuse(3, "ledger", "charge", self.file(description), "--ledger", self.store)
            self.assertIn("add_remove", error)
        self.charge({**ANSWER, "adjacency": "replace_one"})
        self.charge({**sampled, "adjacency": "replace_one"})
        self.assertEqual(self.status()[0]["entries"], 2)

    def test_bad_numbers_and_names(self):
        self.create("--epsilon", 1, "--delta", 0)
        for slack in 2, 1, -1, "nan":
            self.assertIn("--slack", self.refuse(2, "ledger", "charge", self.file(LAPLACE), "--ledger",
                                                 self.store, "--slack", slack))
        self.assertIn("no mu^2", self.refuse(3, "ledger", "charge", self.file(ANSWER), "--ledger", self.store))
        for name in "a\nb", "a\x1b[31m":
            self.refuse(2, "ledger", "create", "--ledger", self.store, "--budget", name, "--mu", 1)
        self.assertEqual(len(self.status()), 1)

    def test_several_budgets(self):
        self.create(name="one")
        self.create("--mu", 1, name="two")
        error = self.refuse(2, "ledger", "charge", self.file(ANSWER), "--ledger", self.store)
        self.assertIn("--budget", error)
        self.assertIn("one, two", error)
        self.charge(ANSWER, "--budget", "two")
        self.assertEqual([each["entries"] for each in self.status()], [0, 1])
        self.assertIn("all together they promise", self.succeed("ledger", "status", "--ledger", self.store))
        self.assertIn("must be a new name", self.refuse(
            2, "ledger", "create", "--ledger", self.store, "--budget", "one", "--mu", 1))

    def test_what_budgets_promise_together(self):
        for name, epsilon in ("one", 1), ("two", 1):
            self.create("--epsilon", epsilon, "--delta", "1e-6", "--population", "patients", name=name)
        self.create("--mu", 1, "--population", "patients", "--unit", "id", name="persons")
        status = self.answer("ledger", "status", "--ledger", self.store)
        [together] = status["together"]
        self.assertEqual((together["budgets"], together["delta"]), (["one", "two"], 2e-6))
        budget = next(each for each in status["budgets"] if each["name"] == "one")
        whole = {"compose": [{"mechanism": "gaussian_dp", "mu": math.sqrt(budget["mu_squared"]["total"]), "count": 2},
                             {"mechanism": "approximate", "epsilon": 0, "delta": budget["slack"]["total"], "count": 2}]}
        self.assertAlmostEqual(together["epsilon"], self.ask("epsilon", whole, "--delta", "2e-6")["epsilon"]["upper"], 6)
        self.assertLess(together["epsilon"], 1.45)  # and not 2
        words = self.succeed("ledger", "status", "--ledger", self.store)
        self.assertIn("protect the same population: all together they promise (1.4", words)
        self.assertIn("not the same neighbors or units", words)
        [apart] = status["not_together"]
        self.assertEqual(apart["budgets"], ["one", "persons", "two"])
        self.assertIn("not the same neighbors or units", apart["reason"])

    def test_rows_and_persons_are_told_apart(self):
        self.create("--mu", 1, "--unit", "id")
        self.assertEqual(self.status()[0]["unit"], {"kind": "person", "column": "id"})
        for words in [], ["--unit", "row"], ["--unit", "name"]:
            error = self.refuse(3, "ledger", "charge", self.file(ANSWER), "--ledger", self.store, *words)
            self.assertIn('all rows with one value of id', error)
            self.assertIn('give the --unit "id"', error)
        # Certificates of rows stay so inside of a composition.
        certificate = {"mechanism": "gaussian", "guarantee": "proved", "adjacency": "add or remove one row", "loss": ANSWER}
        for description in certificate, {"compose": [certificate]}, {"compose": [{"compose": [certificate]}, ANSWER]}:
            self.refuse(3, "ledger", "charge", self.file(description), "--ledger", self.store)
            self.refuse(2, "ledger", "charge", self.file(description), "--ledger", self.store, "--unit", "id")
        other = {**certificate, "adjacency": "add or remove all rows with one value of id"}
        self.refuse(2, "ledger", "charge", self.file({"compose": [other, ANSWER]}), "--ledger", self.store)
        self.charge(ANSWER, "--unit", "id")
        self.assertEqual(self.answer("ledger", "list", "--ledger", self.store)["entries"][0]["unit"]["column"], "id")
        self.assertIn("of all rows with one value of id", self.succeed("ledger", "status", "--ledger", self.store))
        self.assertIn("--one-part-each", self.refuse(
            2, "ledger", "create", "--ledger", self.store, "--budget", "parts", "--mu", 1, "--unit", "id",
            "--parts", "year=2023,2024"))
        self.create("--mu", 1, "--unit", "id", "--parts", "year=2023,2024", "--one-part-each", name="parts")

    def test_export(self):
        self.create()
        self.charge(ANSWER)
        path = self.folder / "out.json"
        head = self.answer("ledger", "export", "--ledger", self.store, "--output", path)["head"]
        whole = json.loads(path.read_text())
        self.assertEqual((whole["head"], whole["records"][-1]["hash"]), (head, head))
        self.assertEqual(len(whole["records"]), 2)
        self.answer("ledger", "verify", "--ledger", self.store, "--head", head)
        self.assertIn("cut off", self.refuse(1, "ledger", "verify", "--ledger", self.store,
                                             "--head", "0" * 64))
        page = self.folder / "out.html"
        self.answer("ledger", "export", "--ledger", self.store, "--output", page)
        for words in ("Gaussian, sigma 10", "(1, 1e-06)-differential privacy", "<td>mu^2</td>", head):
            self.assertIn(words, page.read_text())
        self.assertEqual(json.loads(self.succeed("ledger", "export", "--ledger", self.store,
                                                 "--output", "-")), whole)

    def test_a_picture(self):
        self.create("--mu", 1)
        self.charge(ANSWER)
        self.charge(ANSWER)
        path = self.folder / "spent.svg"
        [curve] = self.answer("plot", "ledger", "--ledger", self.store, "--output", path)["rows"]
        self.assertEqual((curve["clock"], curve["share"][-1]), ("mu^2", 0.02))
        self.assertIn("share that is spent", path.read_text())
        self.assertNotIn("\N{MINUS SIGN}", path.read_text())  # nothing before the first entry, also within its second

    def test_several_processes(self):
        self.create("--rho", 0.02)
        path = self.file(ANSWER)
        started = [subprocess.Popen([PROGRAM, "ledger", "charge", path, "--ledger", str(self.store)],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                   for _ in range(8)]
        self.assertEqual(sorted(each.wait(120) for each in started), [0] * 4 + [3] * 4)
        self.assertEqual(self.status()[0]["mu_squared"], {"total": 0.04, "spent": 0.04})
        self.assertEqual(self.answer("ledger", "verify", "--ledger", self.store)["records"], 5)

    def test_terms_that_do_not_fit_together(self):
        for code, arguments in ((2, []), (2, ["--epsilon", 1]), (2, ["--mu", 1, "--rho", 1]),
                                (2, ["--epsilon", 1, "--delta", 2]), (2, ["--mu", "nan"]),
                                (3, ["--epsilon", 1, "--delta", "1e-6", "--slack", "1e-5"])):
            self.refuse(code, "ledger", "create", "--ledger", self.store, "--budget", "study", *arguments)


class File(LedgerTest):
    """What only a file can suffer."""

    def test_an_edit_is_seen(self):
        self.create()
        self.charge(ANSWER)
        with sqlite3.connect(self.store) as connection:
            connection.execute("UPDATE modicum_entries SET body = replace(body, 'sigma 10', 'sigma 99')")
        connection.close()
        self.assertIn("changed", self.refuse(1, "ledger", "verify", "--ledger", self.store))
        with sqlite3.connect(self.store) as connection:
            connection.execute("UPDATE modicum_entries SET body = replace(body, 'sigma 99', 'sigma 10')")
            connection.execute("UPDATE modicum_budgets SET mu_squared_spent = '0'")
        connection.close()
        self.assertIn("sums", self.refuse(1, "ledger", "verify", "--ledger", self.store))

    def test_a_cell_that_is_no_json_is_damage(self):
        self.create()
        self.charge(ANSWER)
        for change in ("UPDATE modicum_entries SET body = substr(body, 2) WHERE number = 2",
                       "UPDATE modicum_entries SET body = 'true' WHERE number = 2",
                       "UPDATE modicum_entries SET body = x'ff00' WHERE number = 2",
                       "UPDATE modicum_budgets SET unit = '{'", "UPDATE modicum_budgets SET parts = 'gone'",
                       "UPDATE modicum_budgets SET declared = ''", "UPDATE modicum_budgets SET declared = '[]'",
                       "UPDATE modicum_budgets SET entries = 'many'", "UPDATE modicum_budgets SET slack_total = ''"):
            copy = self.folder / "copy.db"
            copy.unlink(missing_ok=True)
            with sqlite3.connect(self.store) as whole, sqlite3.connect(copy) as damaged:
                whole.backup(damaged)
                damaged.execute(change)
            damaged.close()
            self.refuse(1, "ledger", "verify", "--ledger", copy)

    def test_no_ledger(self):
        error = self.refuse(4, "ledger", "status", "--ledger", self.store)
        self.assertIn(f'modicum ledger create --ledger "{self.store}" --budget NAME', error)
        self.refuse(4, "ledger", "charge", self.file(ANSWER), "--ledger", self.store)
        self.assertFalse(self.store.exists())
        for words in [], ["--mu", 1, "--population", "a\nb"], ["--mu", 1, "--parts", "a=b"]:
            self.refuse(2, "ledger", "create", "--ledger", self.store, "--budget", "study", *words)
        self.assertFalse(self.store.exists())
        self.store.write_text("no database " * 1000)
        self.refuse(4, "ledger", "status", "--ledger", self.store)

    @unittest.skipUnless(os.geteuid() == 0, "only root can become somebody who may not write")
    def test_a_file_that_may_not_be_written(self):
        self.create()
        self.folder.chmod(0o755)
        self.store.chmod(0o444)
        program = shutil.copy(PROGRAM, self.folder)  # the other may not look where it was built
        done = subprocess.run([program, "ledger", "charge", self.file(ANSWER), "--ledger", self.store],
                              capture_output=True, text=True, user=65534, group=65534, extra_groups=[])
        self.assertIn(done.returncode, (1, 4), done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(self.status()[0]["entries"], 0)

    def test_a_full_disk(self):
        # A limit of the size of files is met as the end of a disk is.
        self.create()
        rows, output = self.file("x\n0.5\n", "rows.csv"), self.folder / "sum.csv"

        def without_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1))

        for words in (["ledger", "charge", self.file(ANSWER)],
                      ["release", "vector", rows, "--statistic", "sum", "--range", "x=0:1", "--mu", "0.1", "--output", output]):
            done = subprocess.run([PROGRAM, *map(str, words), "--ledger", str(self.store)], capture_output=True, text=True,
                                  preexec_fn=without_room)
            self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
            self.assertIn("cannot be written", done.stderr)
        self.assertFalse(output.exists())
        self.assertEqual(self.status()[0]["entries"], 0)
        self.answer("ledger", "verify", "--ledger", self.store)

    def test_the_ledger_is_not_overwritten(self):
        store = self.folder / "study.json"
        self.answer("ledger", "create", "--ledger", store, "--budget", "study", "--mu", 1)
        before = store.read_bytes()
        rows = self.file("x\n0.5\n", "rows.csv")
        words = ["release", "vector", rows, "--statistic", "sum", "--range", "x=0:1", "--mu", 0.1]
        for place in (["--output", store], ["--output", self.folder / "sum.csv", "--certificate", store]):
            for more in [], ["--replace"], ["--ledger", store], ["--ledger", store, "--replace"]:
                self.refuse(2, *words, *place, *more)
        self.refuse(2, "ledger", "export", "--ledger", store, "--output", store)
        self.assertEqual(store.read_bytes(), before)
        self.answer("ledger", "verify", "--ledger", store)

    def test_the_prefix(self):
        self.answer("ledger", "create", "--ledger", f"sqlite:{self.store}", "--budget", "a", "--mu", 1)
        self.assertEqual(self.status()[0]["mu"], 1)


if __name__ == "__main__":
    unittest.main()
