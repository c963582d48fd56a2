"""People on two private principal components.

Variants at 12 places of the genome of 2000 made-up people in three regions. The components are private
and may be published; beside them are the true ones. The dots are rows of the table either way: the
picture is for the holder of the data.

    python3 examples/python/private_pca.py [--output FOLDER]
"""

import argparse
import pathlib

import matplotlib.pyplot as plt
import numpy as np
import pandas
from scipy.linalg import subspace_angles
from sklearn.decomposition import TruncatedSVD

import modicum
from modicum import plot

TABLE = pathlib.Path(__file__).resolve().parents[1] / "genotypes.csv"


def main() -> None:
    parser = argparse.ArgumentParser(description="People on two private principal components.")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("."), metavar="FOLDER")
    folder = parser.parse_args().output
    folder.mkdir(parents=True, exist_ok=True)

    people = pandas.read_csv(TABLE)
    region, counts = people["region"], people.drop(columns="region")
    private = modicum.PrivatePCA(n_components=2, epsilon=1, delta=1e-6, ranges=(0, 2)).fit(counts)
    print(private.certificate_)

    # No mean is taken off: the range from 0 to 2 puts its middle, 1, at 0. Signs are arbitrary.
    true = TruncatedSVD(n_components=2, algorithm="arpack").fit(counts - 1.0)
    signs = np.sign(np.sum(true.components_ * private.components_, axis=1))
    true.components_ *= signs[:, np.newaxis]
    angle = np.degrees(subspace_angles(true.components_.T, private.components_.T)[0])
    print(f"\nConfidential: the largest angle between the private and the true plane is {angle:.2f} degrees.")

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 6), layout="constrained", sharex=True,
                                         sharey=True)
    plot.projections(private, counts, labels=region, ax=left)
    left.set_title("Private components, epsilon 1", loc="left", pad=22)
    plot.projections(true, counts - 1.0, labels=region, ax=right)
    right.set_title("True components", loc="left", pad=22)
    figure.suptitle("Confidential: the dots are rows of the table")
    for ending in ("svg", "png"):
        figure.savefig(folder / f"private_pca.{ending}", dpi=150)
    print(f"Pictures: {folder / 'private_pca.svg'}, {folder / 'private_pca.png'}")


if __name__ == "__main__":
    main()
