"""Budgets that outlive a run, from Python."""

import pathlib
import tempfile
import unittest
import warnings

import modicum
from _support import PackageTest

ANSWER = {"mechanism": "gaussian", "standard_deviation": 10, "sensitivity": 1}
COUNT = {"mechanism": "laplace", "scale": 20, "sensitivity": 1}


class LedgerTest(PackageTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = pathlib.Path(folder.name) / "study.db"
        self.ledger = modicum.Ledger.create(self.store, budget="study", epsilon=1, delta=1e-6,
                                            population="patients")

    def spent(self):
        [budget] = self.ledger.status()
        return budget.mu_squared.spent

    def test_charges(self):
        self.assertEqual(self.ledger.charge(ANSWER).price.mu_squared, 0.01)
        self.ledger.charge(modicum.gaussian(standard_deviation=10, sensitivity=1), budget="study")
        self.assertEqual(self.spent(), 0.02)
        [first, second] = modicum.Ledger.open(self.store).list()
        self.assertEqual((first.loss.as_dict(), second.loss), (ANSWER, None))
        self.assertEqual(self.ledger.verify().records, 3)

    def test_what_does_not_fit(self):
        with self.assertRaises(modicum.TargetUnreachable):
            self.ledger.charge(modicum.gaussian_dp(mu=1))
        self.assertEqual(self.spent(), 0)
        self.assert_refuses("budget", lambda: self.ledger.charge(ANSWER, budget="other"))
        self.assert_refuses("slack", lambda: self.ledger.charge(ANSWER, slack=2))

    def test_a_plan(self):
        with self.ledger.plan([{**COUNT, "count": 3}, {**ANSWER, "standard_deviation": 100}]) as plan:
            self.assertEqual(plan.draw({**COUNT, "scale": 20.0}).entry, plan.entry)
            plan.draw({**COUNT, "count": 2})
            with self.assertRaises(modicum.TargetUnreachable):
                plan.draw(COUNT)
        self.assertGreaterEqual(self.spent(), plan.price.mu_squared)
        with self.ledger.plan([ANSWER]):
            pass
        self.assert_relative(self.spent(), plan.price.mu_squared, 1e-15)
        self.assertEqual([each.state for each in self.ledger.list()], ["drawn", "cancelled"])

    def test_releases_draw_from_a_plan(self):
        people = {"age": [20, 30, 40], "id": ["a", "b", "c"]}
        with self.ledger.plan([{"mechanism": "gaussian_dp", "mu": 0.05, "count": 2}]) as plan:
            spent = self.spent()
            for _ in range(2):
                modicum.release_count(people, mu=0.05, ledger=self.ledger, plan=plan)
            with self.assertRaises(modicum.TargetUnreachable):
                modicum.release_count(people, mu=0.05, ledger=self.ledger, plan=plan)
        self.assertEqual(self.spent(), spent)
        [entry] = self.ledger.list()
        self.assertEqual((entry.state, entry.drawn), ("drawn", 2))
        self.assertEqual(self.ledger.verify().records, 6)  # the budget, the plan, and two of each draw

    def test_estimators_draw_from_a_plan(self):
        rows = [[0.5, 0.25], [0.75, 0.5]]
        model = modicum.PrivateCovariance(epsilon=0.1, delta=1e-7, ranges=(0, 1), ledger=self.ledger)
        loss = model.fit(rows).certificate_.loss.as_dict()
        with self.ledger.plan([{**loss, "count": 2}]) as plan:
            spent = self.spent()
            for number in plan, plan.entry:
                modicum.PrivateCovariance(epsilon=0.1, delta=1e-7, ranges=(0, 1), ledger=self.ledger,
                                          plan=number).fit(rows)
            with self.assertRaisesRegex(modicum.TargetUnreachable, "none of this description left"):
                model.set_params(plan=plan).fit(rows)
        self.assertEqual(self.spent(), spent)
        [_, entry] = self.ledger.list()
        self.assertEqual([draw.state for draw in entry.draws], ["released", "released"])
        self.assert_refuses("plan", lambda: model.set_params(plan=99).fit(rows))

    def test_rows_and_persons_are_told_apart(self):
        people = {"age": [20, 30, 40], "id": ["a", "b", "c"]}
        of_persons = modicum.Ledger.create(self.store, budget="persons", mu=0.5, unit="id")
        self.assertEqual([each.unit.kind for each in of_persons.status()], ["person", "row"])
        modicum.release_count(people, mu=0.05, unit="id", ledger=of_persons, budget="persons")
        modicum.release_many(people, [{"count": {}}], epsilon=0.1, delta=1e-6, unit="id", ledger=of_persons,
                             budget="persons")
        of_persons.charge(ANSWER, budget="persons", unit="id")
        for refused in (lambda: modicum.release_count(people, mu=0.05, ledger=of_persons, budget="persons"),
                        lambda: modicum.release_count(people, mu=0.05, unit="id", ledger=of_persons, budget="study"),
                        lambda: of_persons.charge(ANSWER, budget="persons")):
            with self.assertRaisesRegex(modicum.TargetUnreachable, "one is not the other"):
                refused()
        with of_persons.plan([ANSWER], budget="persons", unit="id") as plan:
            plan.draw(ANSWER)

    def test_there_must_be_one(self):
        with self.assertRaises(modicum.UnreadableFile):
            modicum.Ledger.open(self.store.with_name("none.db"))

    def test_export_and_head(self):
        head = self.ledger.export(self.store.with_name("out.json")).head
        self.ledger.charge(ANSWER)
        self.ledger.verify(head=head)
        with self.assertRaises(modicum.Error):
            self.ledger.verify(head="0" * 64)

    def test_releases_are_charged(self):
        rows = [[0.5], [0.25], [0.75]]
        released = modicum.release("vector", rows, names=["x"], statistic="sum", range={"x": (0, 1)},
                                   ledger=self.ledger, share=0.5)
        [entry] = self.ledger.list()
        self.assertEqual(entry.state, "released")
        self.assertEqual(entry.loss.as_dict(), released.certificate.loss.as_dict())
        self.assertNotIn("0.75", entry.command)

    def test_estimators_are_charged(self):
        modicum.PrivateCovariance(epsilon=0.5, delta=1e-7, ranges=(0, 1), ledger=self.ledger,
                                  budget="study").fit([[0.5, 0.25], [0.75, 0.5]])
        [entry] = self.ledger.list()
        self.assertEqual((entry.state, entry.budget), ("released", "study"))
        with self.assertRaises(modicum.TargetUnreachable):
            modicum.PrivateCovariance(epsilon=1, delta=1e-6, ranges=(0, 1), ledger=self.ledger).fit([[0.5]])
        self.assertEqual(len(self.ledger.list()), 1)

    def test_budgets_of_estimators_and_releases(self):
        rows = [[0.5, 0.25], [0.75, 0.5]]
        for words, mu in ({"mu": 0.1}, 0.1), ({"rho": 0.005}, 0.1):
            for model in (modicum.PrivateCovariance(ranges=(0, 1), **words), modicum.PrivateStandardScaler(ranges=(0, 1), **words),
                          modicum.PrivatePCA(n_components=1, ranges=(0, 1), **words)):
                self.assert_relative(modicum.price(model.fit(rows).certificate_.loss.as_dict(), slack=0).mu, mu, 1e-9)
        total = self.ledger.status()[0].mu_squared.total
        modicum.PrivateCovariance(ranges=(0, 1), share=0.25, ledger=self.ledger).fit(rows)
        self.assert_relative(self.spent(), 0.25 * total, 1e-9)
        people = {"age": [20, 30, 40]}
        modicum.release_count(people, noise="discrete-laplace", share=0.5, ledger=self.ledger)
        self.assert_relative(self.spent(), (0.25 + 0.75 / 2) * total, 1e-3)
        modicum.release_many(people, [{"count": {}}, {"median": {"select": ["age"], "bounds": {"age": (0, 90)}}}],
                             rest=True, ledger=self.ledger)
        self.assert_relative(self.spent(), total, 1e-3)
        with self.assertRaisesRegex(modicum.TargetUnreachable, "unbounded"):
            modicum.PrivateRandomProjection(ranges=(0, 1), columns=5, mu=0.1).fit(rows)
        for wrong in {}, {"mu": 1, "rho": 1}, {"epsilon": 1}, {"share": 0.5}, {"rest": True}:
            with self.assertRaises(ValueError):
                modicum.PrivateCovariance(ranges=(0, 1), **wrong).fit(rows)

    def test_cross_validation_is_charged_for_each_fit_and_says_so(self):
        from sklearn.model_selection import cross_val_score
        X, y = [[0.1 * i] for i in range(9)], [0.05 * i for i in range(9)]
        for place, ledger in enumerate((self.ledger, self.store, str(self.store))):
            model = modicum.PrivateLinearRegression(epsilon=0.1, delta=1e-8, ranges=(0, 1), target_range=(0, 1),
                                                    ledger=ledger, method="covariance")
            charged = []
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                warnings.showwarning = lambda *words, **more: (said.append(words),
                                                               charged.append(len(self.ledger.list())))
                cross_val_score(model, X, y, cv=3)
            self.assertEqual([each.state for each in self.ledger.list()], ["released"] * 3 * (place + 1))
            self.assertIn("each fit", str(said[0]))
            self.assertEqual(charged[0], 3 * place)  # before anything was
            self.assertEqual(model.ledger, ledger)

    def test_parts_share_a_charge(self):
        ledger = modicum.Ledger.create(self.store, budget="parts", mu=0.15, parts={"region": ["north", "south"]})
        ledger.charge(ANSWER, budget="parts", part="region=north")
        ledger.charge(ANSWER, budget="parts", part="region=south")
        [budget] = ledger.status(budget="parts")
        self.assertEqual(budget.mu_squared.spent, 0.01)
        self.assertEqual([each.part for each in budget.parts], ["north", "south"])
        released = modicum.release("vector", [[0.5]], names=["x"], statistic="sum", range={"x": (0, 1)},
                                   ledger=ledger, budget="parts", part="region=north", standard_deviation=10)
        self.assert_relative(released.certificate.parameters.standard_deviation, 10, 1e-8)
        self.assert_refuses("part", lambda: ledger.charge(ANSWER, budget="parts", part="region=west"))

    def test_parts_with_commas(self):
        ledger = modicum.Ledger.create(self.store, budget="parts", mu=0.15, parts={"region": ["n,x", "south"]})
        ledger.charge(ANSWER, budget="parts", part="region=n,x")
        [budget] = ledger.status(budget="parts")
        self.assertEqual([each.part for each in budget.parts], ["n,x", "south"])
        for parts in {"region": ["n,x"]}, {"region": ['"', "b"]}, {"a=b": ["c", "d"]}, {"region": "north"}:
            self.assert_refuses("parts", lambda parts=parts: modicum.Ledger.create(
                self.store, budget="other", mu=1, parts=parts))

    def test_a_clock_for_what_is_zero_concentrated(self):
        ledger = modicum.Ledger.create(self.store, budget="rho", rho=0.5, zcdp=0.25)
        ledger.charge({"mechanism": "zcdp", "rho": 0.125}, budget="rho")
        [budget] = ledger.status(budget="rho")
        self.assertEqual((budget.zcdp.spent, budget.mu_squared.spent), (0.125, 0))

    def test_price(self):
        loss = modicum.random_projection(columns=300, leverage=0.02)
        self.assert_relative(modicum.price(loss, slack=1e-9).mu, 0.282594, 1e-5)
        self.assertEqual(modicum.price(ANSWER, slack=1e-9).mu, 0.1)

    def test_no_password_is_shown(self):
        self.assertNotIn("secret", repr(modicum.Ledger("postgresql://me:secret@host/base")))


if __name__ == "__main__":
    unittest.main()
