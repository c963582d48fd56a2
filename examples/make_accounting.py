"""Writes one history in five ways: accounting/*.json. Ten answers have Gaussian noise of standard deviation 5,
ten have Laplace noise of scale 5; a record moves each answer by at most 1.

- losses: the mechanisms themselves
- discretized: their losses on a grid, rounded upwards, as tools store them
- renyi: divergences at the usual list of orders
- zcdp: one number each
- guarantees: an epsilon each, with delta 1e-8 for the Gaussian answers
"""

import json
import math
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent / "accounting"
ANSWERS, DEVIATION, SCALE, INTERVAL = 10, 5.0, 5.0, 0.01


def up(value):
    return math.nextafter(value, math.inf)


def normal_above(x):
    return math.erfc(x / math.sqrt(2)) / 2


def on_grid(above, least, largest):
    """Masses of a loss with P[L > l] = above(l), each moved up to the next point of the grid."""
    first, last = math.floor(least / INTERVAL), math.ceil(largest / INTERVAL)
    masses = [above((k - 1) * INTERVAL) - above(k * INTERVAL) for k in range(first, last + 1)]
    masses[0] += 1 - above((first - 1) * INTERVAL)
    return {"mechanism": "loss_distribution", "count": ANSWERS,
            "remove": {"lowest": first, "interval": INTERVAL, "probabilities": masses,
                       "infinite": above(last * INTERVAL)}}


def gaussian_above(loss):
    mu = 1 / DEVIATION
    return normal_above(loss / mu - mu / 2)


def laplace_above(loss):
    """L = a for x <= 0, a - 2x up to x = a, -a beyond, a = 1/scale; an atom is at or below its place."""
    a = 1 / SCALE
    if loss >= a:
        return 0.0
    return 1.0 if loss < -a else 1 - math.exp(-(a - loss) / 2) / 2


def laplace_divergence(order):
    a = 1 / SCALE
    return math.log(order / (2 * order - 1) * math.exp((order - 1) * a)
                    + (order - 1) / (2 * order - 1) * math.exp(-order * a)) / (order - 1)


def write(name, parts):
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / f"{name}.json").write_text(json.dumps({"compose": parts}) + "\n")


ORDERS = [1 + k / 10 for k in range(1, 100)] + [*range(11, 64), 128, 256, 512, 1024]

write("losses", [{"mechanism": "gaussian", "standard_deviation": DEVIATION, "sensitivity": 1, "count": ANSWERS},
                 {"mechanism": "laplace", "scale": SCALE, "sensitivity": 1, "count": ANSWERS}])
write("discretized", [on_grid(gaussian_above, -1.7, 1.7), on_grid(laplace_above, -1 / SCALE, 1 / SCALE)])
write("renyi", [{"mechanism": "renyi", "count": ANSWERS, "orders": ORDERS, "divergences": divergences}
                for divergences in ([up(order / (2 * DEVIATION ** 2)) for order in ORDERS],
                                    [up(up(laplace_divergence(order))) for order in ORDERS])])
write("zcdp", [{"mechanism": "zcdp", "rho": up(1 / (2 * DEVIATION ** 2)), "count": ANSWERS},
               {"mechanism": "zcdp", "rho": up(up(math.tanh(0.5 / SCALE) / SCALE)), "count": ANSWERS}])
write("guarantees", [{"mechanism": "approximate", "epsilon": 1.0212, "delta": 1e-8, "count": ANSWERS},
                     {"mechanism": "pure", "epsilon": 1 / SCALE, "count": ANSWERS}])
