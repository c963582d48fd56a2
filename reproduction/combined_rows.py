"""One random linear combination of the rows of a table, as a program to audit: D^T g, a line for each draw.

    combined_rows.py --ridge S --samples N TABLE.csv

g has independent standard normals, so that D^T g is normal with the second moments of the table as its covariance; a
ridge S is the variance of noise that is added. Deliberately not private: what it gives away is what the audit looks
for.
"""

import argparse
import os
import random

from sketched_solutions import triangle_of_moments


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ridge", type=float, required=True)
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("table")
    request = parser.parse_args()
    triangle, source = triangle_of_moments(request.table, request.ridge), random.Random(os.urandom(16))
    for _ in range(request.samples):
        normals = [source.gauss(0.0, 1.0) for _ in triangle]
        print(*(sum(entry * normal for entry, normal in zip(line, normals)) for line in triangle))


if __name__ == "__main__":
    main()
