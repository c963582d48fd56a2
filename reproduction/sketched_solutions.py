"""Approximate least squares as a program to audit: solutions of sketches of a table, a line each.

    sketched_solutions.py --columns R --samples N TABLE.csv

The last column is the target. The sketch G [B, b], G of R normal rows, enters through its second
moments only, which are drawn from their distribution (Wishart, by Bartlett's decomposition). Deliberately
without any noise: what it gives away is what the audit looks for.
"""

import argparse
import csv
import math
import os
import random


def triangle_of_moments(path, ridge=0.0):
    """T, lower triangular, with T T^T the second moments of the table, and a ridge on their diagonal."""
    with open(path, newline="", encoding="utf-8") as file:
        rows = [[float(x) for x in row] for row in list(csv.reader(file))[1:]]
    columns = list(zip(*rows))
    size = len(columns)
    triangle = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = math.fsum(a * b for a, b in zip(columns[i], columns[j])) + ridge * (i == j) - sum(
                triangle[i][k] * triangle[j][k] for k in range(j))
            triangle[i][j] = math.sqrt(rest) if i == j else rest / triangle[j][j]
    return triangle


def solution(triangle):
    """x of least squares from T: T11^T x = t21."""
    last = len(triangle) - 1
    x = triangle[last][:last]
    for i in reversed(range(last)):
        x[i] = (x[i] - sum(triangle[k][i] * x[k] for k in range(i + 1, last))) / triangle[i][i]
    return x


def sketched(triangle, columns, source):
    """T A, A A^T a Wishart matrix with so many degrees of freedom."""
    size = len(triangle)
    factor = [[math.sqrt(2.0 * source.gammavariate((columns - i) / 2.0, 1.0)) if i == j
               else source.gauss(0.0, 1.0) for j in range(i + 1)] for i in range(size)]
    return [[sum(triangle[i][k] * factor[k][j] for k in range(j, i + 1)) for j in range(i + 1)]
            for i in range(size)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--columns", type=int, required=True)
    parser.add_argument("--samples", type=int, required=True)
    parser.add_argument("table")
    request = parser.parse_args()
    triangle, source = triangle_of_moments(request.table), random.Random(os.urandom(16))
    for _ in range(request.samples):
        print(*solution(sketched(triangle, request.columns, source)))


if __name__ == "__main__":
    main()
