"""A linear regression that may be published.

Wages of 500 made-up people on age, schooling and hours of work. All that is said about the data is
public: the ranges of the columns. The certificate says what is promised and on which grounds. The
coefficients without noise, and the errors of all methods on these data, are for their holder only.

    python3 examples/python/private_regression.py [--output FOLDER]
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import pandas
from sklearn.linear_model import LinearRegression

import modicum
from modicum import plot

TABLE = pathlib.Path(__file__).resolve().parents[1] / "wages.csv"
RANGES = {"age": (18, 70), "schooling": (0, 20), "hours": (0, 80)}
WAGES = (0, 60)


def main() -> None:
    parser = argparse.ArgumentParser(description="A linear regression that may be published.")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)

    people = pandas.read_csv(TABLE)
    features, wage = people[list(RANGES)], people["wage"]
    model = modicum.PrivateLinearRegression(epsilon=1, delta=1e-6, ranges=RANGES, target_range=WAGES)
    model.fit(features, wage)
    print(model.certificate_)

    exact = LinearRegression().fit(features, wage)
    print(f"\n{'':12}{'released':>12}{'without noise (confidential)':>32}")
    for name, private, true in zip(["intercept", *RANGES], [model.intercept_, *model.coef_],
                                   [exact.intercept_, *exact.coef_]):
        print(f"{name:12}{private:12.4f}{true:32.4f}")

    errors = modicum.compare_regression(people, target="wage", range={**RANGES, "wage": WAGES},
                                        intercept=True, epsilon=1, delta=1e-6)
    figure, axes = plt.subplots(figsize=(8, 4.2), layout="constrained")
    plot.comparison(errors, ax=axes)
    axes.set_title("Methods of private regression on these data (confidential)", loc="left", pad=22)
    for ending in ("svg", "png"):
        figure.savefig(folder / f"private_regression.{ending}", dpi=150)
    print(f"\nPictures: {folder / 'private_regression.svg'}, {folder / 'private_regression.png'}")


if __name__ == "__main__":
    main()
