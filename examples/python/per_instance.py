"""What single records lost to a release.

A guarantee is for the worst record of the worst data. After a logistic regression (does somebody earn
more than 20?) the holder of the data can see what each record really lost, mostly far less. The owner
of a record is told a bound, by a report that reads no data and costs nothing.

    python3 examples/python/per_instance.py [--output FOLDER]
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np
import pandas

import modicum
from modicum import plot

TABLE = pathlib.Path(__file__).resolve().parents[1] / "wages.csv"
RANGES = {"age": (18, 70), "schooling": (0, 20), "hours": (0, 80)}


def main() -> None:
    parser = argparse.ArgumentParser(description="What single records lost to a release.")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)

    people = pandas.read_csv(TABLE)
    features, well_paid = people[list(RANGES)], people["wage"] > 20
    model = modicum.PrivateLogisticRegression(epsilon=1, delta=1e-6, ranges=RANGES, classes=[False, True],
                                              method="objective")
    model.fit(features, well_paid)
    print(f"Released coefficients of {', '.join(RANGES)}: {np.round(model.coef_[0], 4)}, with epsilon 1.")

    losses = model.losses(features, well_paid)
    print(f"For the holder of the data: the median loss is {np.median(losses.epsilon):.4f}, the largest "
          f"{losses.epsilon.max():.4f}.")

    report = model.report()
    bound = model.bounds(report, features.head(1), well_paid.head(1))[0]
    print(f"For the owner of the first record: it lost at most {bound.inside:.4f}, if it is in the data.")

    figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
    plot.losses_histogram(losses, ax=axes)
    axes.set_title("What 500 records lost (confidential)", loc="left", pad=22)
    for ending in ("svg", "png"):
        figure.savefig(folder / f"per_instance.{ending}", dpi=150)
    print(f"Pictures: {folder / 'per_instance.svg'}, {folder / 'per_instance.png'}")


if __name__ == "__main__":
    main()
