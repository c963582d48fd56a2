"""Made-up tables for the tests beside this file."""

import random


def regression_rows(count=200, seed=1, noise=0.1):
    """Rows (u, v, y) with y = 0.5 u - 0.25 v and some noise; u and v in [-1, 1]."""
    source = random.Random(seed)
    rows = []
    for _ in range(count):
        u, v = source.uniform(-1, 1), source.uniform(-1, 1)
        rows.append([u, v, 0.5 * u - 0.25 * v + source.gauss(0, noise)])
    return rows


def as_csv(rows, header="u,v,y"):
    lines = [header] if header else []
    return "\n".join([*lines, *(",".join(map(repr, row)) for row in rows)]) + "\n"
