#!/usr/bin/env python3
"""Randomized response with categories, many times, by whole numbers: writes lattice.json.

The loss of one answer is e, 0 or -e, e = log(p / q), with the probabilities p, (k - 2) q and q, q = (1 - p)/(k - 1). The
probabilities of the sums are the coefficients of a power of a polynomial, in fixed point with BITS bits: polynomials are
multiplied as one large whole number each, and the product is cut off again, which errs by 1 in 2^BITS per factor.
"""
import json
import pathlib
from fractions import Fraction

from mpmath import exp, log, mp, mpf, nstr

mp.dps = 60
BITS = 400
SLOT = 2 * BITS + 32
# truth probability, categories, copies, epsilons; delta for epsilon.
CASES = [(0.22, 5, 1000, [0, 5, 20]), (0.35, 3, 400, [-1, 1, 12]), (0.11, 10, 4000, [0.5, 10]),
         (0.22, 5, 10000, [10, 66])]
DELTA = 1e-6


def fixed(number):
    return (number.numerator << BITS) // number.denominator


def packed(coefficients):
    return int.from_bytes(b"".join(c.to_bytes(SLOT // 8, "little") for c in coefficients), "little")


def product(a, b):
    size = len(a) + len(b) - 1
    data = (packed(a) * packed(b)).to_bytes(size * SLOT // 8 + SLOT, "little")
    width = SLOT // 8
    return [int.from_bytes(data[k * width:(k + 1) * width], "little") >> BITS for k in range(size)]


def power(base, count):
    result = None
    while count:
        if count % 2:
            result = base if result is None else product(result, base)
        count //= 2
        if count:
            base = product(base, base)
    return result


def exact(number):
    return mpf(number.numerator) / mpf(number.denominator)


def main():
    rows = []
    for truth, categories, count, epsilons in CASES:
        p = Fraction(truth)
        q = (1 - p) / (categories - 1)
        step = log(exact(p) / exact(q))
        masses = [mpf(c) / mpf(2)**BITS
                  for c in power([fixed(q), fixed((categories - 2) * q), fixed(p)], count)]
        assert abs(sum(masses) - 1) < mpf(10)**-50

        def delta(epsilon):
            first = max(0, int(mp.floor(epsilon / step)) + count + 1)
            return sum(masses[k] * (1 - exp(epsilon - (k - count) * step)) for k in range(first, 2 * count + 1))

        low, high = mpf(0), count * step
        while high - low > mpf(10)**-40:
            middle = (low + high) / 2
            low, high = (middle, high) if delta(middle) > mpf(DELTA) else (low, middle)
        rows.append({"truth_probability": truth, "categories": categories, "count": count,
                     "delta": DELTA, "epsilon": nstr(low, 25),
                     "profile": [[epsilon, nstr(delta(mpf(epsilon)), 25)] for epsilon in epsilons]})
        print(rows[-1])
    path = pathlib.Path(__file__).with_name("lattice.json")
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
