"""Estimators: scikit-learn's own checks, their attributes, their releases, refusals."""

import math
import unittest
import warnings

import numpy as np
import pandas
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import modicum
from _support import SOURCE, PackageTest

TARGET = {"epsilon": 1.0, "delta": 1e-6}
RANGES = {"age": (18, 70), "schooling": (0, 20), "hours": (0, 80)}


def checked_estimators():
    return [
        modicum.PrivateLinearRegression(row_norm_bound=10, **TARGET),
        modicum.PrivateLinearRegression(ranges=(-3, 3), target_range=(-10, 10), method="objective", **TARGET),
        # So little noise that no class is lost in it.
        modicum.PrivateLogisticRegression(row_norm_bound=3, epsilon=100, delta=1e-3),
        modicum.PrivateBayesianLogisticRegression(row_norm_bound=3, epsilon=100, delta=1e-3),
        modicum.PrivateGaussianProcessRegressor(ranges=(-3, 3), target_range=(-10, 10), largest_rows=1000,
                                                **TARGET),
        modicum.PrivatePCA(n_components=1, row_norm_bound=3, **TARGET),
        modicum.PrivateStandardScaler(row_norm_bound=3, **TARGET),
        modicum.PrivateRandomProjection(row_norm_bound=3, columns=20, **TARGET),
        modicum.PrivateCovariance(ranges=(-3, 3), **TARGET),
    ]


def wages():
    frame = pandas.read_csv(SOURCE / "examples" / "wages.csv")
    return frame[["age", "schooling", "hours"]], frame["wage"]


class Checks(unittest.TestCase):
    def test_scikit_learns_own(self):
        for estimator in checked_estimators():
            with self.subTest(type(estimator).__name__), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                check_estimator(estimator)


class Conventions(PackageTest):
    def test_settings_are_keywords_and_there_is_no_seed(self):
        for estimator in checked_estimators():
            settings = estimator.get_params()
            self.assertNotIn("random_state", settings)
            with self.assertRaises(TypeError):
                type(estimator)(1.0, 1e-6)
            with self.assertRaises(TypeError):
                type(estimator)(**settings, random_state=1)
            self.assertEqual(clone(estimator).get_params(), settings)

    def test_fit_returns_the_estimator_with_a_certificate(self):
        chance = np.random.default_rng(1)
        X = chance.normal(size=(60, 2))
        y = (X[:, 0] > 0).astype(int)
        for estimator in checked_estimators():
            self.assertIs(estimator.fit(X, y), estimator)
            self.assertEqual(estimator.certificate_.target.epsilon, estimator.epsilon)
            self.assertLessEqual(estimator.certificate_.delta.upper, estimator.delta)
            self.assertIn("differential privacy", str(estimator.certificate_))
            self.assertIn("provided that", str(estimator.certificate_))
            self.assertEqual(estimator.n_features_in_, 2)


class Regression(PackageTest):
    def test_much_privacy_budget_gives_least_squares(self):
        X, y = wages()
        # Noise that is ten standard deviations within the tolerance.
        model = modicum.PrivateLinearRegression(epsilon=1e4, delta=1e-3, ranges=RANGES, target_range=(0, 60))
        model.fit(X, y)
        exact = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)[0]
        np.testing.assert_allclose([model.intercept_, *model.coef_], exact, rtol=0.1, atol=0.05)
        self.assertGreater(model.score(X, y), 0.5)
        np.testing.assert_allclose(model.predict(X), X.to_numpy() @ model.coef_ + model.intercept_)
        self.assertEqual(model.release_.row_names[0], "intercept")

    def test_methods(self):
        X, y = wages()
        for options in ({"method": "objective"}, {"method": "objective", "loss": "squared"},
                        {"columns": 500}, {"method": "adaptive-sufficient-statistics"}):
            model = modicum.PrivateLinearRegression(epsilon=5, delta=1e-3, ranges=RANGES, target_range=(0, 60),
                                                    **options)
            self.assertTrue(np.isfinite(model.fit(X, y).predict(X)).all())
        self.assert_refuses("method", lambda: modicum.PrivateLinearRegression(
            ranges=RANGES, target_range=(0, 60), method="none", **TARGET).fit(X, y))

    def test_columns_called_y(self):
        X, y = wages()
        X = X.rename(columns={"age": "y", "hours": "y_"})
        model = modicum.PrivateLinearRegression(ranges=(0, 80), target_range=(0, 60), **TARGET).fit(X, y)
        self.assertEqual(model.coef_.shape, (3,))

    def test_a_feature_called_intercept(self):
        X, y = wages()
        X = X.rename(columns={"age": "intercept"})
        model = modicum.PrivateLinearRegression(ranges=(0, 80), target_range=(0, 60), fit_intercept=False, **TARGET)
        model.fit(X, y)
        coefficients = model.release_.values[:, 0]
        self.assertEqual([model.intercept_, *model.coef_], coefficients.tolist())

    def test_bounds_must_be_given(self):
        X, y = wages()
        self.assert_refuses("row_norm_bound", lambda: modicum.PrivateLinearRegression(**TARGET).fit(X, y))
        self.assert_refuses("ranges", lambda: modicum.PrivateLinearRegression(
            ranges={"none": (0, 1)}, row_norm_bound=1, **TARGET).fit(X, y))
        self.assert_refuses("ranges", lambda: modicum.PrivateLinearRegression(
            ranges=[(0, 1)] * 2, row_norm_bound=1, **TARGET).fit(X, y))

    def test_cross_validation(self):
        X, y = wages()
        model = modicum.PrivateLinearRegression(epsilon=100, delta=1e-3, ranges=RANGES, target_range=(0, 60))
        self.assertTrue(np.isfinite(cross_val_score(model, X, y, cv=3)).all())


class Classification(PackageTest):
    def test_both_methods_tell_classes_apart(self):
        X, y = wages()
        labels = np.where(y > 20, "above", "below")
        kinds = [(modicum.PrivateLogisticRegression, {"method": method})
                 for method in (None, "best", "standardized", "gradient", "objective")]
        for kind, own in [*kinds, (modicum.PrivateBayesianLogisticRegression, {})]:
            model = kind(epsilon=50, delta=1e-3, ranges=RANGES, classes=["below", "above"], **own)
            model.fit(X, labels)
            self.assertEqual(list(model.classes_), ["above", "below"])
            self.assertGreater(model.score(X, labels), 0.6)
            chances = model.predict_proba(X)
            np.testing.assert_allclose(chances.sum(axis=1), 1)
            np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), chances)
            np.testing.assert_array_equal(model.predict(X), model.classes_[chances.argmax(axis=1)])

    def test_several_classes(self):
        chance = np.random.default_rng(4)
        codes = chance.integers(0, 3, 2000)
        angles = 2 * np.pi * codes / 3
        X = np.column_stack([20 + 3 * np.cos(angles), -5 + 3 * np.sin(angles), np.zeros(2000)])
        X += chance.normal(size=X.shape)
        y = np.array(["red", "green", "blue"])[codes]
        model = modicum.PrivateLogisticRegression(
            epsilon=2, delta=1e-6, ranges=[(0, 60), (-30, 30), (-9, 9)], classes=["red", "green", "blue"])
        model.fit(X, y)
        self.assertEqual(list(model.classes_), ["blue", "green", "red"])
        self.assertEqual((model.coef_.shape, model.intercept_.shape), ((3, 3), (3,)))
        self.assertGreater(model.score(X, y), 0.9)
        self.assertEqual(model.certificate_.parameters.method, "multinomial")
        chances = model.predict_proba(X)
        np.testing.assert_allclose(chances.sum(axis=1), 1)
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), chances)
        np.testing.assert_array_equal(model.predict(X), model.classes_[chances.argmax(axis=1)])
        self.assertEqual(model.decision_function(X).shape, (2000, 3))
        self.assert_refuses("loss", lambda: modicum.PrivateLogisticRegression(
            ranges=(-9, 60), loss="smoothed-hinge", **TARGET).fit(X, y))
        self.assert_refuses("binary", lambda: modicum.PrivateBayesianLogisticRegression(
            ranges=(-9, 60), **TARGET).fit(X, y))

    def test_what_records_lost_to_noise(self):
        X, _ = wages()
        found = modicum.release("covariance", X, row_norm_bound=100, **TARGET)
        losses = modicum.report_noise(found, X)
        self.assertEqual(losses.epsilon.shape, (len(X),))
        told = modicum.report_noise(found, records=X[:4])
        np.testing.assert_allclose([each.bound for each in told], losses.bound[:4])
        for each in told:  # exceeded in 5 % of all releases
            half = each.mu**2 / 2
            above = sum(math.erfc((each.bound + side * half) / each.mu / math.sqrt(2)) / 2 for side in (-1, 1))
            self.assertAlmostEqual(above, 0.05, 9)
        # All records share the noise of the release, so that many can be above at once. Bounds that
        # fail with probability 1e-9 each: any of the 500 does in at most one of 2,000,000 runs.
        losses = modicum.report_noise(found, X, failure=1e-9)
        self.assertEqual(len(X), 500)
        self.assertTrue((losses.epsilon <= losses.bound).all())
        self.assertTrue(all(0 < each.epsilon <= 1 + 1e-9 for each in told))
        matrix = modicum.release_matrix(np.eye(2), sensitivity=0.25, **TARGET)
        self.assertAlmostEqual(modicum.report_noise(matrix, shift=0.25)[0].epsilon, 1, 6)

    def test_standard_errors(self):
        X, y = wages()
        model = modicum.PrivateLogisticRegression(epsilon=20, delta=1e-3, ranges=RANGES, errors=True)
        model.fit(X, y > 20)
        coefficients = model.coef_[0]
        self.assertTrue((model.standard_errors_ > 0).all())
        self.assertEqual(model.intervals_.shape, (len(coefficients), 2))
        np.testing.assert_allclose(model.intervals_.mean(axis=1), coefficients)
        np.testing.assert_allclose(np.diff(model.intervals_)[:, 0], 2 * 1.959964 * model.standard_errors_,
                                   rtol=1e-5)

    def test_labels_must_be_those_named(self):
        X, y = wages()
        self.assert_refuses("classes", lambda: modicum.PrivateLogisticRegression(
            ranges=RANGES, classes=[0, 1], **TARGET).fit(X, np.full(len(X), 2)))
        model = modicum.PrivateLogisticRegression(ranges=RANGES, classes=[0, 1], **TARGET)
        model.fit(X, np.ones(len(X), dtype=int))  # one of the two need not occur

    def test_what_records_lost(self):
        X, y = wages()
        labels = y > 20
        model = modicum.PrivateLogisticRegression(ranges=RANGES, method="objective", **TARGET)
        model.fit(X, labels)
        losses = model.losses(X, labels)
        self.assertEqual(losses.epsilon.shape, (len(X),))
        # The bound fails for a record with probability 0.05; of 500 records all but a few keep it.
        self.assertLess((losses.epsilon > losses.bound).mean(), 0.2)
        self.assertEqual(losses.worst_case.epsilon, 1.0)
        self.assertEqual(list(losses.row), list(range(1, len(X) + 1)))
        # Who has the data knows how many rows there are.
        report = model.report(largest_rows=len(X))
        told = model.bounds(report, X[:10], labels[:10])
        np.testing.assert_allclose([each.inside for each in told], losses.bound[:10], rtol=1e-9)
        self.assertEqual(report.certificate.guarantee, "proved")
        sharper = model.report(X, labels, method="adaptive", epsilon=2, delta=2e-6)
        self.assertEqual(len(model.bounds(sharper, X[:3], labels[:3])), 3)
        self.assert_refuses("y", lambda: model.bounds(report, X[:1], ["neither"]))
        self.assertGreater(modicum.report_budget(model.release_, method="adaptive", epsilon=2, delta=2e-6).mu, 0)


class GaussianProcess(PackageTest):
    def test_values_at_queries_and_beyond(self):
        X, y = wages()
        model = modicum.PrivateGaussianProcessRegressor(
            epsilon=1e4, delta=0.1, ranges={"schooling": (0, 20)}, target_range=(0, 60), largest_rows=500,
            noise_variance=0.1, query_points=np.arange(4, 20, 2.0))
        model.fit(X[["schooling"]], y)
        self.assertEqual(model.values_.shape, (8,))
        predicted = model.predict(X[["schooling"]])
        self.assertLess(np.abs(predicted - y).mean(), 8)
        self.assertEqual(model.predict([[30.0]]), model.predict([[20.0]]))  # clamped to the range

    def test_a_grid_of_its_own_needs_ranges(self):
        X, y = wages()
        settings = {"target_range": (0, 60), "largest_rows": 500, **TARGET}
        self.assert_refuses("ranges", lambda: modicum.PrivateGaussianProcessRegressor(
            ranges=None, **settings).fit(X, y))
        model = modicum.PrivateGaussianProcessRegressor(ranges=RANGES, **settings).fit(X, y)
        self.assertEqual(model.query_points_.shape, (96, 3))
        self.assertTrue((model.query_points_ <= [70, 20, 80]).all())


class Components(PackageTest):
    def rows(self):
        return pandas.read_csv(SOURCE / "examples" / "genotypes.csv").drop(columns="region")

    def test_components_are_orthonormal_and_rows_lie_along_them(self):
        X = self.rows()
        for options in ({}, {"method": "exponential"}, {"method": "joint", "sweeps": 5},
                        {"method": "adaptive", "rows": 2000}):
            model = modicum.PrivatePCA(n_components=2, ranges=(0, 2), **TARGET, **options).fit(X)
            np.testing.assert_allclose(model.components_ @ model.components_.T, np.eye(2), atol=1e-5)
            along = model.transform(X)
            np.testing.assert_allclose(along, (X.to_numpy() - model.mean_) @ model.components_.T, atol=1e-12)
            np.testing.assert_allclose((model.inverse_transform(along) - model.mean_) @ model.components_.T, along,
                                       atol=1e-5)
            if options:
                np.testing.assert_allclose(model.mean_, 1, atol=1e-12)
                self.assertFalse(hasattr(model, "explained_variance_"))
            self.assertEqual(model.certificate_.guarantee,
                             "asymptotic" if options.get("method") in ("joint", "adaptive") else "proved")
        self.assertEqual(list(model.get_feature_names_out()), ["privatepca0", "privatepca1"])

    def test_many_data_find_the_true_ones(self):
        X = self.rows()
        for center, mean in ("private", X.mean().to_numpy()), (None, X.mean().to_numpy()), ("none", 1.0):
            model = modicum.PrivatePCA(n_components=2, ranges=(0, 2), epsilon=100, delta=1e-3, center=center).fit(X)
            centered = X.to_numpy() - mean
            values, vectors = np.linalg.eigh(centered.T @ centered / len(X))
            self.assertGreater(np.linalg.norm(model.components_ @ vectors[:, -2:]) ** 2, 1.98)
            np.testing.assert_allclose(model.mean_, mean, atol=0.02)
        given = modicum.PrivatePCA(n_components=2, ranges=(0, 2), epsilon=100, delta=1e-3,
                                   centers=X.mean().to_numpy()).fit(X)
        np.testing.assert_allclose(given.mean_, X.mean())
        X = X.to_numpy() - X.mean().to_numpy()
        values = np.sort(np.linalg.eigvalsh(X.T @ X / len(X)))[::-1]
        np.testing.assert_allclose(given.explained_variance_, values[:2], rtol=0.05)
        np.testing.assert_allclose(given.explained_variance_ratio_, values[:2] / values.sum(), rtol=0.05)

    def test_other_budgets(self):
        X = self.rows()
        by_mu = modicum.PrivatePCA(n_components=1, ranges=(0, 2), mu=0.5).fit(X)
        self.assertAlmostEqual(modicum.loss(by_mu.certificate_.loss).epsilon(1e-6),
                               modicum.gaussian_dp(mu=0.5).epsilon(1e-6), 5)
        by_beta = modicum.PrivatePCA(n_components=1, ranges=(0, 2), beta=4, rows=2000).fit(X)
        self.assertEqual(by_beta.certificate_["parameters"]["method"], "exponential")
        by_ranks = modicum.PrivatePCA(n_components=1, ranks=True, **TARGET).fit(X)
        self.assertEqual(by_ranks.certificate_["parameters"]["scaling"], "ranks")

    def test_in_a_pipeline(self):
        X = self.rows()
        steps = make_pipeline(modicum.PrivatePCA(n_components=2, ranges=(0, 2), **TARGET))
        self.assertEqual(steps.fit_transform(X).shape, (len(X), 2))


class Uncertainty(PackageTest):
    def test_standard_errors_and_intervals(self):
        X, y = wages()
        settings = {"ranges": RANGES, "target_range": (0, 60)}
        model = modicum.PrivateLinearRegression(epsilon=20, delta=1e-3, **settings).fit(X, y)
        self.assertEqual((model.standard_errors_.shape, model.intervals_.shape), ((3,), (3, 2)))
        np.testing.assert_allclose(model.intervals_.mean(axis=1), model.coef_)
        self.assertTrue((model.standard_errors_ > 0).all())
        # Sampling alone makes them as large as those of least squares.
        self.assertGreater(model.residual_standard_deviation_, 0)
        few = modicum.PrivateLinearRegression(epsilon=0.1, delta=1e-6, **settings).fit(X, y)
        self.assertTrue(np.isnan(few.standard_errors_).all())
        self.assertTrue((few.coef_ == 0).all())
        other = modicum.PrivateLinearRegression(method="covariance", **TARGET, **settings).fit(X, y)
        self.assertFalse(hasattr(other, "standard_errors_"))


class Scales(PackageTest):
    def test_means_and_deviations(self):
        X, _ = wages()
        scaler = modicum.PrivateStandardScaler(ranges=RANGES, epsilon=100, delta=1e-3).fit(X)
        np.testing.assert_allclose(scaler.mean_, X.mean(), rtol=0.05)
        np.testing.assert_allclose(scaler.scale_, X.std(), rtol=0.3)
        scaled = scaler.transform(X)
        np.testing.assert_allclose(scaler.inverse_transform(scaled), X, rtol=1e-12)
        self.assertEqual(list(scaler.get_feature_names_out()), list(X.columns))


class Moments(PackageTest):
    def test_mean_and_covariance(self):
        X, _ = wages()
        model = modicum.PrivateCovariance(ranges=RANGES, epsilon=1000, delta=1e-3).fit(X)
        np.testing.assert_allclose(model.location_, X.mean(), rtol=0.02)
        np.testing.assert_allclose(np.diag(model.covariance_), X.var(ddof=0), rtol=0.1)
        self.assertLess(abs(model.n_rows_ - len(X)), 10)
        self.assertGreaterEqual(np.linalg.eigvalsh(model.covariance_)[0], -1e-9)
        centered = modicum.PrivateCovariance(ranges=RANGES, assume_centered=True, **TARGET).fit(X)
        self.assertEqual(centered.second_moments_.shape, (3, 3))
        self.assertFalse(hasattr(centered, "covariance_"))

    def test_sketches(self):
        X, _ = wages()
        model = modicum.PrivateRandomProjection(ranges=RANGES, columns=50, **TARGET).fit(X)
        self.assertEqual(model.sketch_.shape, (3, 50))
        self.assertGreater(model.ridge_, 0)


if __name__ == "__main__":
    unittest.main()
