"""The table of speeds in the README: one answer of each kind, asked from Python of a loss that is new each time.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 python3 bench/answers_bench.py      # with the package installed

Processor time of one call, the least of several rounds, in doubles and proved.
"""

import copy
import itertools
import json
import pathlib
import time

import modicum
import numpy as np

HISTORY = json.loads((pathlib.Path(__file__).resolve().parents[1] / "examples" / "history.json").read_text())
STEPS = itertools.count()


def near(value):
    """Almost this number, and never the same twice: nothing is remembered from one call to the next."""
    return value * (1 + 1e-9 * next(STEPS))


def seconds(call, rounds=5):
    call()
    calls, taken = 1, 0.0
    while taken < 0.02:
        start = time.process_time()
        for _ in range(calls):
            call()
        taken, calls = time.process_time() - start, 2 * calls
    calls //= 2
    best = taken / calls
    for _ in range(rounds if taken < 1 else 1):
        start = time.process_time()
        for _ in range(calls):
            call()
        best = min(best, (time.process_time() - start) / calls)
    return best


def spectrum():
    return modicum.gaussian_spectrum([
        {"mean": near(0.1), "variance_ratio": 1.2, "multiplicity": 3},
        {"mean": 0, "variance_ratio": 1.1, "multiplicity": 5},
        {"mean": 0.2, "variance_ratio": 0.9, "multiplicity": 2}])


def history():
    description = copy.deepcopy(HISTORY)
    description["compose"][0]["standard_deviation"] = near(20)
    return modicum.loss(description)


def training():
    return modicum.subsampled_gaussian(standard_deviation=1, sampling_rate=near(0.01), count=1000)


def dense_pair(dimension):
    draw = np.random.default_rng(1)
    factor = draw.normal(size=(dimension, 3 * dimension + 5))
    covariance = factor @ factor.T / factor.shape[1] + np.eye(dimension)
    row = 0.3 * draw.normal(size=dimension)
    mean = 0.05 * draw.normal(size=dimension)
    return lambda: modicum.gaussian_pair(mean, covariance, np.zeros(dimension), covariance + np.outer(row, row))


def main():
    delta = lambda loss: lambda mode: loss().delta(near(1), mode=mode)
    epsilon = lambda loss, at: lambda mode: loss().epsilon(near(at), mode=mode)
    rows = [
        ("Gaussian mechanism, 1000 times: delta",
         delta(lambda: modicum.gaussian(standard_deviation=near(50), sensitivity=1, count=1000))),
        ("random projection: delta", delta(lambda: modicum.random_projection(columns=300, leverage=near(0.02)))),
        ("two Gaussians with three variance ratios: delta", delta(spectrum)),
        ("examples/history.json: delta", delta(history)),
        ("examples/history.json: epsilon", epsilon(history, 1e-6)),
        ("1000 training steps: delta", delta(training)),
        ("1000 training steps: epsilon", epsilon(training, 1e-5)),
        ("dense pair of dimension 10: delta", delta(dense_pair(10))),
        ("dense pair of dimension 50: delta", delta(dense_pair(50)))]
    for name, ask in rows:
        taken = [seconds(lambda: ask(mode)) for mode in ("fast", "certified")]
        print(f"{name:50}" + "".join(f"{1000 * each:12.3f} ms" for each in taken), flush=True)
    large = delta(dense_pair(1000))
    print(f"{'dense pair of dimension 1000: delta':50}{1000 * seconds(lambda: large('fast')):12.3f} ms")
    calibrate = lambda: modicum.calibrate_gaussian(epsilon=near(1), delta=1e-6, sensitivity=1)
    print(f"{'calibration of the Gaussian mechanism':50}{'':15}{1000 * seconds(calibrate):12.3f} ms")


if __name__ == "__main__":
    main()
