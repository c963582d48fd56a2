"""Accounting for private gradient descent (DP-SGD).

A thousand steps, each on a Poisson sample of 1 % of the records, with Gaussian noise of standard
deviation 1 on the sum of the clipped gradients. Shows what they cost together, how much noise a target
needs, and what composing the guarantees of the steps instead of their losses would give.

    python3 examples/python/dp_sgd.py [--output FOLDER]
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import modicum
from modicum import plot

STEPS, RATE, DELTA = 1000, 0.01, 1e-5


def main() -> None:
    parser = argparse.ArgumentParser(description="Accounting for private gradient descent.")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)

    step = modicum.subsampled_gaussian(standard_deviation=1, sampling_rate=RATE)
    steps = STEPS * step
    low, high = steps.epsilon_bounds(DELTA)
    print(f"{steps.label}: at delta {DELTA:g} epsilon is between {low!r} and {high!r}.")

    needed = modicum.calibrate_subsampled_gaussian(sampling_rate=RATE, epsilon=1, delta=DELTA, count=STEPS)
    print(f"For epsilon 1 the standard deviation must be {needed.standard_deviation:.6f}.")

    # The other way: one (epsilon, delta) for each step, and the best theorem about a thousand of those.
    each = DELTA / (2 * STEPS)
    guarantees = modicum.approximate(epsilon=step.epsilon(each), delta=each, count=STEPS)
    print(f"Each step is ({step.epsilon(each):.4f}, {each:g})-private. Composing these guarantees gives "
          f"epsilon {guarantees.epsilon(DELTA):.1f}.")

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    places = np.concatenate([np.geomspace(0.1, 4, 30), np.geomspace(300, 1000, 30)])
    plot.profiles([steps, guarantees], epsilon=places, mode="fast", ax=left,
                  labels=["the losses composed", "the guarantees composed"])
    left.set_xscale("log")
    left.set_ylim(1e-10, 1)
    left.set_title("A thousand steps", loc="left", pad=22)
    plot.composition(step, [300, 1000, 3000, 10000, 30000], delta=DELTA, mode="fast", ax=right)
    right.set_title("More and more steps", loc="left", pad=22)
    for ending in ("svg", "png"):
        figure.savefig(folder / f"dp_sgd.{ending}", dpi=150)
    print(f"Pictures: {folder / 'dp_sgd.svg'}, {folder / 'dp_sgd.png'}")


if __name__ == "__main__":
    main()
