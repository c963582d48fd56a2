#!/usr/bin/env python3
"""Writes few_steps.json: two subsampled Gaussian steps, by quadrature over the losses themselves.

No inversion integral: delta of two steps is the mean over one of them of the profile of the other, in closed form
(law_routes.repeated_gaussian). Every value is computed with two orders and refused unless they agree to 20 digits. See README.md.
"""
import json
import os
import sys

from mpmath import mp, mpf

import law_routes as laws
from law_routes import FORWARD, REVERSE


# (deviation, rate, epsilons)
CASES = [
    (1.0, 0.01, (-0.015, 0.01, 0.3, 1.0, 8.0)),
    (0.05, 0.01, (3.0,)),
    (0.2, 0.1, (-0.1, 0.05, 3.0, 40.0)),
    (10.0, 0.3, (0.02, 0.3, 1.0)),
    (100.0, 0.001, (4e-5,)),
    (1.0, 0.999, (-5.0, 0.5, 6.0, 25.0)),
]


def value(law, direction, e):
    first, second = (laws.repeated_gaussian(law, direction, 2, mpf(e), order=order) for order in (24, 31))
    if not abs(first - second) <= mpf(10) ** -20 * abs(first):
        raise ArithmeticError("%s %s %s" % (law, first, second))
    return mp.nstr(first, 25) if first != 0 else "0.0"


def main():
    rows = []
    mp.dps = 70
    for deviation, rate, epsilons in CASES:
        law = ("gaussian", mpf(rate), 1 / mpf(deviation))
        for e in epsilons:
            row = {"standard_deviation": deviation, "sampling_rate": rate, "count": 2, "epsilon": e}
            for name, direction in (("delta_forward", FORWARD), ("delta_reverse", REVERSE)):
                row[name] = value(law, direction, e)
            print(row, file=sys.stderr, flush=True)
            rows.append(json.dumps(row))
    target = os.path.join(os.path.dirname(os.path.abspath(__file__)), "few_steps.json")
    with open(target, "w") as file:
        file.write("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
