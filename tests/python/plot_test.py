"""Pictures: the lines hold the package's own numbers, labels are in words, bad input is refused."""

import inspect
import math
import pathlib
import tempfile
import unittest

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import to_hex

import modicum
from modicum import plot

GAUSSIAN = modicum.gaussian(standard_deviation=2)
LAPLACE = modicum.laplace(scale=1)
OKABE_ITO = {"#000000", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7"}


class PlotTest(unittest.TestCase):
    def setUp(self):
        self.settings = matplotlib.rcParams.copy()

    def tearDown(self):
        plt.close("all")
        self.assertEqual(dict(matplotlib.rcParams), dict(self.settings))

    def assert_axes(self, ax, x, y):
        self.assertIsInstance(ax, matplotlib.axes.Axes)
        self.assertEqual((ax.get_xlabel(), ax.get_ylabel()), (x, y))
        self.assertEqual(ax.yaxis.label.get_rotation(), 0)
        ax.figure.canvas.draw()

    def refused(self, function, *inputs, **options):
        figures = plt.get_fignums()
        with self.assertRaises(modicum.InvalidParameter) as refusal:
            function(*inputs, **options)
        self.assertIsInstance(refusal.exception, ValueError)
        self.assertEqual(plt.get_fignums(), figures)  # no empty picture is left behind
        return str(refusal.exception)

    def legend(self, ax):
        return [text.get_text() for text in ax.get_legend().get_texts()]


class Profiles(PlotTest):
    def test_lines_are_delta_at_most(self):
        places = [0, 0.25, 0.5, 0.75]
        ax = plot.profiles([GAUSSIAN, LAPLACE], epsilon=places)
        self.assert_axes(ax, "epsilon", "delta")
        self.assertEqual(ax.get_yscale(), "log")
        self.assertEqual(len(ax.lines), 2)
        for line, loss in zip(ax.lines, (GAUSSIAN, LAPLACE)):
            np.testing.assert_array_equal(line.get_xdata(), places)
            np.testing.assert_array_equal(line.get_ydata(), loss.delta(np.array(places)))
        self.assertEqual(self.legend(ax), [GAUSSIAN.label, LAPLACE.label])

    def test_the_range_ends_where_delta_is_small(self):
        ax = plot.profiles(GAUSSIAN)
        first, last = ax.get_xlim()
        self.assertEqual(first, 0)
        self.assertLess(GAUSSIAN.delta(last), 1e-10)
        self.assertGreater(GAUSSIAN.delta(0.9 * last), 1e-10)
        self.assertAlmostEqual(ax.get_ylim()[0], 1e-10)
        self.assertEqual(ax.get_ylim()[1], 1)

    def test_a_bounded_loss_drops_at_its_largest_value(self):
        ax = plot.profiles([LAPLACE, GAUSSIAN])
        x, y = ax.lines[0].get_data()
        shown = np.isfinite(y)
        self.assertEqual(x[shown].max(), LAPLACE.epsilon(0))
        self.assertLess(y[shown].min(), ax.get_ylim()[0])

    def test_a_loss_that_never_gets_small(self):
        ax = plot.profiles(modicum.approximate(epsilon=1, delta=1e-5))
        self.assert_axes(ax, "epsilon", "delta")
        self.assertGreater(ax.get_xlim()[1], 1)
        self.assertLess(ax.get_ylim()[0], 1.1e-5)

    def test_shading_only_between_bounds_that_are_apart(self):
        self.assertFalse(plot.profiles(GAUSSIAN).collections)
        wide = _Wide(GAUSSIAN)
        ax = plot.profiles(wide, epsilon=[0, 1, 2])
        self.assertEqual(len(ax.collections), 1)
        corners = ax.collections[0].get_paths()[0].vertices[:, 1]
        self.assertAlmostEqual(corners.max(), wide.delta(0.0))
        self.assertAlmostEqual(corners.min() / (wide.delta(2.0) / 2), 1)
        plot.profiles(wide).figure.canvas.draw()

    def test_one_place_and_very_small_deltas(self):
        self.assert_axes(plot.profiles(GAUSSIAN, epsilon=[1]), "epsilon", "delta")
        ax = plot.profiles(GAUSSIAN, epsilon=np.linspace(0, 15, 4))
        self.assertLess(ax.get_ylim()[0], 1e-100)
        ax.figure.canvas.draw()

    def test_given_axes_are_used(self):
        _, (left, right) = plt.subplots(1, 2)
        self.assertIs(plot.profiles(GAUSSIAN, ax=right), right)
        self.assertFalse(left.lines)

    def test_lines_differ_in_color_and_dashes(self):
        losses = [modicum.gaussian(standard_deviation=1 + i / 10) for i in range(9)]
        ax = plot.profiles(losses, epsilon=[0, 1])
        looks = {(line.get_color(), str(line._dash_pattern)) for line in ax.lines}
        self.assertEqual(len(looks), 9)
        self.assertLessEqual({to_hex(line.get_color()) for line in ax.lines}, OKABE_ITO)
        self.assertNotEqual(str(ax.lines[0]._dash_pattern), str(ax.lines[1]._dash_pattern))

    def test_refusals(self):
        self.refused(plot.profiles, [])
        self.refused(plot.profiles, [GAUSSIAN] * 43)
        self.assertIn("labels are 1", self.refused(plot.profiles, [GAUSSIAN, LAPLACE], labels=["one"]))
        self.refused(plot.profiles, GAUSSIAN, epsilon=[])
        self.refused(plot.profiles, GAUSSIAN, epsilon=[math.nan])
        self.refused(plot.profiles, GAUSSIAN, epsilon=["one"])


class _Wide(modicum.Loss):
    """Known up to a factor of two."""

    def __init__(self, loss):
        super().__init__(loss._core)

    def profile(self, epsilon, *, mode="automatic"):
        point = super().profile(epsilon, mode=mode)
        return point._replace(delta=modicum.Bounds(point.delta.lower / 2, point.delta.upper))


class TradeoffCurves(PlotTest):
    def test_lines_are_errors_at_least(self):
        ax = plot.tradeoff_curves([GAUSSIAN, LAPLACE], labels=["normal", "Laplace"])
        self.assert_axes(ax, "type I error", "type II error")
        diagonal, *curves = ax.lines
        np.testing.assert_array_equal(diagonal.get_data(), [[0, 1], [1, 0]])
        self.assertTrue(diagonal.is_dashed())
        self.assertEqual(len(curves), 2)
        for curve, loss in zip(curves, (GAUSSIAN, LAPLACE)):
            x, y = curve.get_data()
            self.assertEqual((x[0], x[-1]), (0, 1))
            np.testing.assert_array_equal(y, loss.tradeoff(x))
            self.assertTrue(np.all(y <= 1 - x))
        self.assertEqual(self.legend(ax)[1:], ["normal", "Laplace"])

    def test_places(self):
        ax = plot.tradeoff_curves(GAUSSIAN, type1=[0.5, 0.1])
        np.testing.assert_array_equal(ax.lines[1].get_xdata(), [0.1, 0.5])
        self.assertEqual(ax.get_xlim(), (0, 1))

    def test_refusals(self):
        self.refused(plot.tradeoff_curves, [])
        self.refused(plot.tradeoff_curves, GAUSSIAN, type1=[])
        self.refused(plot.tradeoff_curves, [GAUSSIAN], labels=["one", "two"])


class Comparison(PlotTest):
    def bars(self, ax):
        names = [text.get_text() for text in ax.get_yticklabels()]
        return {name: patch.get_width() for name, patch in zip(names, ax.patches)}

    def test_noise(self):
        answer = modicum.compare_noise(dimension=3, epsilon=1, delta=1e-5)
        ax = plot.comparison(answer)
        self.assert_axes(ax, "mean squared error", "noise")
        bars = self.bars(ax)
        self.assertEqual(len(bars), len(answer.mechanisms))
        self.assertEqual(bars["gaussian"], answer.mechanisms[0]["mean_squared_error"])
        self.assertIn("laplace (pure)", bars)
        self.assertEqual(list(bars.values()), sorted(bars.values(), reverse=True))
        self.assertIsNone(ax.get_legend())

    def test_methods(self):
        answer = {"methods": [
            {"name": "one", "guarantee": "proved", "relative_error": {"mean": 0.5, "half_width": 0.1},
             "residual_ratio": {"mean": 2, "half_width": 0.2}},
            {"name": "two", "guarantee": "asymptotic", "relative_error": {"mean": 0.25, "half_width": 0.1},
             "residual_ratio": {"mean": None, "half_width": None}},
            {"name": "never", "guarantee": "proved"}]}
        ax = plot.comparison(answer)
        self.assert_axes(ax, "relative error", "method")
        self.assertEqual(self.bars(ax), {"one": 0.5, "two": 0.25})
        self.assertEqual(ax.get_xscale(), "linear")
        self.assertEqual(self.legend(ax), ["proved", "asymptotic"])
        self.assertEqual([patch.get_hatch() for patch in ax.patches], [None, "////"])
        ax = plot.comparison(answer, measure="residual_ratio")
        self.assertEqual((ax.get_xlabel(), self.bars(ax)), ("residual ratio", {"one": 2}))

    def test_errors_of_different_size(self):
        answer = {"methods": [{"name": name, "spectral_error": {"mean": mean, "half_width": mean / 10}}
                              for name, mean in (("one", 0.03), ("two", 0.0003))]}
        ax = plot.comparison(answer)
        self.assert_axes(ax, "spectral error", "method")
        self.assertEqual(ax.get_xscale(), "log")

    def test_on_data(self):
        rows = np.random.default_rng(1).uniform(-1, 1, size=(200, 3))
        regression = modicum.compare_regression(rows, names=["a", "b", "y"], target="y", row_norm_bound=2,
                                                epsilon=1, delta=1e-6, trials=4)
        ax = plot.comparison(regression)
        self.assertEqual(ax.get_xlabel(), "relative error")
        means = {entry["name"]: entry["relative_error"]["mean"] for entry in regression.methods}
        self.assertEqual(self.bars(ax), means)
        components = modicum.compare_components(rows, row_norm_bound=2, components=1, epsilon=1, delta=1e-6,
                                                trials=4)
        self.assertEqual(plot.comparison(components).get_xlabel(), "spectral error")
        self.assertEqual(plot.comparison(components, measure="captured").get_xlabel(), "captured")
        sketches = modicum.compare_projection(rows, row_norm_bound=2, columns=20, epsilon=1, delta=1e-6,
                                              trials=4)
        self.assertEqual(plot.comparison(sketches).get_xlabel(), "relative spectral error")

    def test_refusals(self):
        self.refused(plot.comparison, {})
        self.refused(plot.comparison, {"methods": []})
        self.refused(plot.comparison, {"methods": [{"name": "never"}]})
        answer = modicum.compare_noise(dimension=1, epsilon=1, delta=1e-5)
        self.refused(plot.comparison, answer, measure="beauty")
        self.refused(plot.comparison, answer, measure="delta")


class LossesHistogram(PlotTest):
    def losses(self, signed, bound, epsilon=1.0):
        return modicum.RecordLosses(np.array(signed), np.array(bound),
                                    modicum.Answer({"epsilon": epsilon, "delta": 1e-6}))

    def test_every_record_is_counted_once(self):
        ax = plot.losses_histogram(self.losses([0.01, -0.2, 0.0, 1e-9], [0.3, 0.4, math.inf, 0.2]))
        self.assert_axes(ax, "epsilon", "number of records")
        self.assertEqual(ax.get_xscale(), "log")
        self.assertEqual(sum(patch.get_height() for patch in ax.containers[0]), 4)
        self.assertEqual(list(ax.lines[0].get_xdata()), [1, 1])
        self.assertIn("worst case: epsilon 1, delta 1e-06", self.legend(ax))

    def test_losses_that_are_the_worst_case(self):
        ax = plot.losses_histogram(self.losses([1.0, -1.0], [2.0, 2.0]))
        self.assertEqual(sum(patch.get_height() for patch in ax.containers[0]), 2)

    def test_refusals(self):
        self.refused(plot.losses_histogram, self.losses([], []))
        self.refused(plot.losses_histogram, self.losses([math.inf], [1.0]))


class _Turned:
    """Rows along components that are known."""

    def transform(self, X):
        return np.asarray(X, dtype=float)[:, ::-1]


class Projections(PlotTest):
    rows = np.arange(12.0).reshape(4, 3)

    def test_dots_are_rows_along_components(self):
        ax = plot.projections(_Turned(), self.rows, axes=(2, 0))
        self.assert_axes(ax, "component 3", "component 1")
        np.testing.assert_array_equal(ax.collections[0].get_offsets(), self.rows[:, [0, 2]])
        self.assertIsNone(ax.get_legend())

    def test_labels(self):
        ax = plot.projections(_Turned(), self.rows, labels=["b", "a", "b", "b"])
        self.assertEqual(self.legend(ax), ["a", "b"])
        self.assertEqual([len(dots.get_offsets()) for dots in ax.collections], [1, 3])
        colors = {to_hex(dots.get_facecolor()[0]) for dots in ax.collections}
        self.assertEqual(len(colors), 2)
        self.assertLessEqual(colors, OKABE_ITO)

    def test_private_components(self):
        rows = np.random.default_rng(1).uniform(-1, 1, size=(50, 3))
        pca = modicum.PrivatePCA(n_components=2, epsilon=1, delta=1e-6, ranges=(-1, 1)).fit(rows)
        ax = plot.projections(pca, rows)
        np.testing.assert_array_equal(ax.collections[0].get_offsets(), pca.transform(rows))

    def test_refusals(self):
        pca = _Turned()
        self.assertIn("labels are 3", self.refused(plot.projections, pca, self.rows, labels=[1, 2, 3]))
        self.refused(plot.projections, pca, self.rows, axes=(0, 3))
        self.refused(plot.projections, pca, self.rows, axes=(1, 1))
        self.refused(plot.projections, pca, self.rows, axes=(0,))
        self.refused(plot.projections, pca, self.rows[:0])


class Composition(PlotTest):
    def test_line_is_epsilon_at_most(self):
        ax = plot.composition(GAUSSIAN, [4, 1, 2], delta=1e-6)
        self.assert_axes(ax, "number of uses", "epsilon at delta 1e-06")
        x, y = ax.lines[0].get_data()
        np.testing.assert_array_equal(x, [1, 2, 4])
        np.testing.assert_array_equal(y, [GAUSSIAN.repeated(count).epsilon(1e-6) for count in (1, 2, 4)])
        self.assertEqual((ax.get_xscale(), ax.get_ylim()[0]), ("linear", 0))

    def test_many_uses(self):
        ax = plot.composition(GAUSSIAN, [1, 10, 100], delta=1e-6)
        self.assertEqual((ax.get_xscale(), ax.get_yscale()), ("log", "log"))
        ax.figure.canvas.draw()

    def test_refusals(self):
        self.refused(plot.composition, GAUSSIAN, [], delta=1e-6)
        self.refused(plot.composition, GAUSSIAN, [0, 1], delta=1e-6)
        with self.assertRaises(modicum.Error):
            plot.composition(GAUSSIAN, [1], delta=-1)


class Module(unittest.TestCase):
    def test_every_picture_takes_axes_and_says_what_it_is(self):
        for name in ("profiles", "tradeoff_curves", "comparison", "losses_histogram", "projections",
                     "composition"):
            function = getattr(plot, name)
            self.assertIsNone(inspect.signature(function).parameters["ax"].default)
            self.assertTrue(function.__doc__)


class Charts(unittest.TestCase):
    def test_the_program_draws_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "claim.svg"
            plot.chart("claim", "classical-gaussian", output=path, points=5)
            self.assertIn("<svg", path.read_text())
            plot.chart("profile", {"mechanism": "gaussian_dp", "mu": 1}, output=path, points=5)
            with self.assertRaises(modicum.UsageError):
                plot.chart("nothing", output=path)


class StatisticsTest(PlotTest):
    def test_bars_are_the_released_numbers(self):
        released = modicum.release_count({"x": ["a", "b"] * 500}, by="x", categories=["a", "b"], epsilon=1,
                                         delta=1e-6)
        ax = plot.statistics(released)
        self.assert_axes(ax, "(1, 1e-06)-differentially private, proved", "count")
        self.assertEqual([bar.get_height() for bar in ax.patches], released.values[:, 0].tolist())
        self.assertEqual([label.get_text() for label in ax.get_xticklabels()], ["a", "b"])
        (segments,) = [each.get_segments() for each in ax.collections]
        self.assertEqual([[end[1] for end in each] for each in segments], released.values[:, 1:].tolist())

    def test_quantiles_are_dots(self):
        released = modicum.release_quantile({"x": np.arange(1000.0)}, select="x", bounds=(-1000, 1000), epsilon=1,
                                            delta=1e-6)
        ax = plot.statistics(released)
        self.assertEqual((len(ax.patches), len(ax.lines), len(ax.collections)), (0, 1, 0))

    def test_refusals(self):
        self.refused(plot.statistics, modicum.release_vector([1.0], sensitivity=1, epsilon=1, delta=1e-6))


if __name__ == "__main__":
    unittest.main()
