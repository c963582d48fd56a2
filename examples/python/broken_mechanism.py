"""A mechanism with a bug, caught by its outputs alone.

A count with Laplace noise, claimed to be private with epsilon 1. One version has noise for half of the
sensitivity, a bug that no output shows by itself; its twin is right. Both are run many times on a
database with a record and on one without, and the claim is put to the test.

    python3 examples/python/broken_mechanism.py [--output FOLDER]
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np

import modicum
from modicum import plot

EPSILON, SENSITIVITY, RUNS = 1.0, 1.0, 100_000
CONFIDENCE = 1 - 1e-6  # a mechanism that keeps its claim is blamed once in a million audits
chance = np.random.default_rng(2026)  # part of what is audited; nothing is released here


def correct(count: float) -> np.ndarray:
    return count + chance.laplace(scale=SENSITIVITY / EPSILON, size=RUNS)


def broken(count: float) -> np.ndarray:
    return count + chance.laplace(scale=SENSITIVITY / 2 / EPSILON, size=RUNS)


def main() -> None:
    parser = argparse.ArgumentParser(description="A mechanism with a bug, caught by its outputs.")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)

    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    for panel, mechanism in zip(axes, (correct, broken)):
        outputs, others = mechanism(101), mechanism(100)
        audit = modicum.audit_samples(outputs, others, epsilon=EPSILON, delta=0, confidence=CONFIDENCE)
        print(f"{mechanism.__name__}: {audit.verdict}. epsilon is at least {audit.epsilon_lower_bound:.3f} "
              f"(claimed: {EPSILON:g}); p-value {audit.p_value:.3g}")
        for values, label, color in ((outputs, "with the record", "#d55e00"),
                                      (others, "without it", "#0072b2")):
            panel.hist(values, bins=np.linspace(94, 107, 131), histtype="step", color=color, label=label)
        panel.set(xlabel="output", yticks=[])
        panel.set_title(f"{mechanism.__name__}: {audit.verdict}", loc="left", pad=22)
        panel.legend(loc="upper left")
    plot.tradeoff_curves([modicum.pure(epsilon=1), modicum.laplace(scale=1), modicum.laplace(scale=0.5)],
                         labels=["the claim: epsilon 1", "correct", "broken"], ax=axes[2])
    axes[2].set_title("What an attacker can do", loc="left", pad=22)
    for ending in ("svg", "png"):
        figure.savefig(folder / f"broken_mechanism.{ending}", dpi=150)
    print(f"Pictures: {folder / 'broken_mechanism.svg'}, {folder / 'broken_mechanism.png'}")


if __name__ == "__main__":
    main()
