"""Releases of all kinds of noise within a mu, a rho, or a share of what a ledger has left."""

import pathlib
import unittest

from _support import CommandLineTest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples"
WAGES = EXAMPLES / "wages.csv"
RANGES = [item for text in ("age=18:70", "schooling=0:20", "hours=0:80", "wage=0:60") for item in ("--range", text)]
WAGE = ["--select", "wage", "--bounds", "wage=0:60"]
COMPONENTS = ["components", WAGES, *RANGES, "--components", 2, "--center", "none", "--method"]

# Their losses are bounded, so that they have a price without slack.
BOUNDED = {"discrete-laplace": ["count", WAGES, "--noise", "discrete-laplace"],
           "optimal": ["count", WAGES, "--noise", "optimal"],
           "median": ["median", WAGES, *WAGE],
           "l2": ["vector", WAGES, "--statistic", "sum", "--select", "age", "wage", "--noise", "l2", *RANGES[:2],
                  *RANGES[6:]],
           "exponential": [*COMPONENTS, "exponential"]}
GAUSSIAN = {"goe": [*COMPONENTS, "gaussian-orthogonal-ensemble"], "analyze-gauss": [*COMPONENTS, "analyze-gauss"],
            "centered": ["components", WAGES, *RANGES, "--components", 2], "count": ["count", WAGES],
            "scales": ["scales", WAGES, *RANGES]}
UNBOUNDED = {"projection": ["projection", WAGES, *RANGES, "--columns", 20],
             "discrete-gaussian": ["count", WAGES, "--integers"],
             "discover": ["count", EXAMPLES / "visits.csv", "--by", "region", "--discover"],
             "tested": ["projection", WAGES, *RANGES, "--columns", 20, "--method", "propose-test-release"]}


class ReleaseBudgets(CommandLineTest):
    def released(self, words, *budget):
        return self.answer("release", *words, *budget, "--output", "-")

    def new_ledger(self, *terms):
        store = self.folder / "study.db"
        store.unlink(missing_ok=True)
        self.answer("ledger", "create", "--ledger", store, "--budget", "study", *terms)
        return ["--ledger", store]

    def shares(self, ledger):
        budget = self.answer("ledger", "status", *ledger)["budgets"][0]
        return {clock: budget[clock]["spent"] / budget[clock]["total"]
                for clock in ("mu_squared", "slack", "pure") if budget.get(clock) and budget[clock]["total"]}

    def test_mu_is_the_price_without_slack(self):
        for name, words in (BOUNDED | GAUSSIAN).items():
            certificate = self.released(words, "--mu", 0.2)["certificate"]
            mu = self.ask("price", certificate["loss"], "--slack", 0)["mu"]
            self.assertLessEqual(mu, 0.2, name)
            self.assertGreater(mu, 0.2 * (1 - 1e-3), name)
            # The target is met, and no better one.
            target = certificate["target"]
            delta = self.ask("profile", certificate["loss"], "--epsilon", target["epsilon"])["delta"]
            self.assertLessEqual(delta["upper"], target["delta"] * (1 + 1e-12), name)
            epsilon = self.ask("epsilon", certificate["loss"], "--delta", target["delta"])["epsilon"]["upper"]
            self.assertAlmostEqual(epsilon / target["epsilon"], 1, 6, name)

    def test_rho_is_zero_concentrated(self):
        for name, words in (BOUNDED | GAUSSIAN | {"discrete-gaussian": UNBOUNDED["discrete-gaussian"]}).items():
            loss = self.released(words, "--rho", 0.02)["certificate"]["loss"]
            for order in 1.5, 2, 8, 64:
                divergence = self.ask("renyi", loss, "--order", order)["divergence"]
                self.assertLessEqual(divergence, 0.02 * order * (1 + 1e-9), (name, order))

    def test_what_has_no_price_without_slack(self):
        for name, words in UNBOUNDED.items():
            error = self.refuse(3, "release", *words, "--mu", 0.2, "--output", "-")
            self.assertIn("loses everything" if name in ("discover", "tested") else "unbounded", error, name)
            self.assertIn("give --epsilon and --delta instead", error)

    def test_a_share_of_every_clock(self):
        for name, words in (BOUNDED | {"goe": GAUSSIAN["goe"]} | UNBOUNDED).items():
            if name in ("l2", "tested"):  # that take long
                continue
            ledger = self.new_ledger("--epsilon", 1, "--delta", "1e-5")
            self.released(words, *ledger, "--share", 0.3)
            shares = self.shares(ledger)
            self.assertLessEqual(max(shares.values()), 0.3 * (1 + 1e-12), (name, shares))
            self.assertGreater(shares["mu_squared"], 0.3 * (1 - 1e-3), (name, shares))
        # Of the last one.
        told = self.answer("release", *words, *ledger, "--rest", "--explain", "--output", "-")["ledger"]
        self.assertTrue(told["fits"])
        self.assertEqual(self.released(words, *ledger, "--rest")["ledger"]["price"], told["price"])
        shares = self.shares(ledger)
        self.assertLessEqual(max(shares.values()), 1 + 1e-12)
        self.assertGreater(shares["mu_squared"], 0.999)

    def test_a_budget_of_pure_privacy(self):
        ledger = self.new_ledger("--epsilon", 1, "--delta", 0)
        for name, words in (BOUNDED | {"count": GAUSSIAN["count"], "components": [*COMPONENTS[:-1], "--delta", 0]}).items():
            before = self.shares(ledger)["pure"]
            target = self.released(words, *ledger, "--share", 0.2)["certificate"]["target"]
            self.assertEqual(target["delta"], 0, name)
            taken = (self.shares(ledger)["pure"] - before) / (1 - before)
            self.assertLessEqual(taken, 0.2 * (1 + 1e-9), name)
            self.assertGreater(taken, 0.2 * (1 - 1e-3), name)
        self.refuse(3, "release", *UNBOUNDED["projection"], *ledger, "--share", 0.2, "--output", "-")

    def test_jobs_of_mixed_noise(self):
        releases = [{"count": {}}, {"median": {"select": ["wage"], "bounds": {"wage": [0, 60]}}}]
        jobs = {"table": str(WAGES), "releases": releases}
        loss = self.released([self.file(jobs | {"budget": {"mu": 0.2}}, "jobs.json")])["certificate"]["loss"]
        mu = self.ask("price", loss, "--slack", 0)["mu"]
        self.assertTrue(0.2 * (1 - 1e-3) < mu <= 0.2, mu)
        ledger = self.new_ledger("--epsilon", 1, "--delta", "1e-6")
        self.released([self.file(jobs | {"budget": {"share": 0.5}}, "jobs.json")], *ledger)
        self.assertTrue(0.4995 < self.shares(ledger)["mu_squared"] <= 0.5)

    def test_what_a_ledger_writes_it_can_read(self):
        # Deltas and bounds near the least number there is.
        discover = UNBOUNDED["discover"]
        for terms, words, budget in ((("--epsilon", 1, "--delta", "1e-6", "--slack", "1e-300"), discover, ("--share", "1e-9")),
                                     (("--mu", "1e6"), ["count", WAGES], ("--rest",))):
            ledger = self.new_ledger(*terms)
            done = self.run_program("release", *words, *ledger, *budget, "--output", "-")
            self.assertIn(done.returncode, (0, 3), done.stderr)
            listed = self.answer("ledger", "list", *ledger)
            self.assertEqual(len(listed["entries"]), 1 if done.returncode == 0 else 0)
            self.succeed("ledger", "verify", *ledger)

    def test_components(self):
        # What holds in a limit only is planned for the target of that limit, and no ledger takes it.
        adaptive = self.released([*COMPONENTS, "adaptive"], "--rho", 0.02)["certificate"]
        self.assertEqual(adaptive["target"]["delta"], 1e-6)
        # Several at once have no loss to be compared with a budget of another kind.
        for budget in ("--rho", 0.02), ("--mu", 0.2):
            self.refuse(2, "release", *COMPONENTS, "joint", *budget, "--output", "-")
        for method, code in ("joint", 2), ("adaptive", 3):
            ledger = self.new_ledger("--epsilon", 1, "--delta", "1e-5")
            self.refuse(code, "release", *COMPONENTS, method, *ledger, "--share", 0.3, "--output", "-")
            self.assertEqual(self.shares(ledger)["mu_squared"], 0)
        for method, fits in ("gaussian-orthogonal-ensemble", True), ("analyze-gauss", True), ("wishart", False), \
                ("exponential", False), ("joint", False):
            words = [*COMPONENTS, method, "--standard-deviation", 40]
            if fits:
                found = self.released(words)["certificate"]["parameters"]["standard_deviation"]
                self.assertTrue(40 <= found < 40 * (1 + 1e-8), method)
            else:
                self.assertIn("must not be given", self.refuse(2, "release", *words, "--output", "-"))
        for word in "--mu", "--rho", "--standard-deviation", "--share":
            error = self.refuse(2, "release", *COMPONENTS, "exponential", "--beta", 5, "--rows", 1000, word, 0.5, "--output", "-")
            self.assertIn(f"{word} must not be given with --beta", error)


if __name__ == "__main__":
    unittest.main()
