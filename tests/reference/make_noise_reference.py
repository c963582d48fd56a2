"""Least noise on the integers by linear programs (scipy, HiGHS): writes optimal_noise.json.

`falling`: over symmetric noises that do not rise away from 0, at the largest shift. `all`: over all noises and all
shifts. Both on |k| <= reach, which costs nothing where the optimum ends before it.

    python3 make_noise_reference.py > optimal_noise.json
"""

import json

import numpy as np
import scipy.sparse as sparse
from scipy.optimize import linprog

TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
CASES = [(1, 1e-5, 1, 30), (0.1, 0.003, 1, 60), (0.5, 0.9, 1, 10), (0, 0.02, 1, 60), (1, 1e-3, 2, 30),
         (1, 1e-5, 3, 60), (1, 1e-3, 3, 40), (0.5, 0.01, 5, 60), (0.5, 0.3, 5, 30), (0.1, 0.003, 2, 90),
         (3, 1e-4, 4, 30)]


def least(epsilon, delta, sensitivity, reach, power, falling):
    size, factor = reach + 1, np.exp(epsilon)
    rows, columns, values, limits = [], [], [], []

    def constraint(entries, limit):
        for column, value in entries:
            rows.append(len(limits))
            columns.append(column)
            values.append(value)
        limits.append(limit)

    variables = size
    for shift in [sensitivity] if falling else range(1, sensitivity + 1):
        excess = []
        for k in range(-reach, reach + 1):
            entries = [(abs(k), 1.0), (variables, -1.0)]
            if abs(k + shift) <= reach:
                entries.append((abs(k + shift), -factor))
            constraint(entries, 0.0)
            excess.append((variables, 1.0))
            variables += 1
        constraint(excess, delta)
    if falling:
        for k in range(reach):
            constraint([(k + 1, 1.0), (k, -1.0)], 0.0)
    both = np.where(np.arange(size) == 0, 1.0, 2.0)
    cost, total = np.zeros(variables), np.zeros(variables)
    cost[:size] = both * np.arange(size) ** power
    total[:size] = both
    matrix = sparse.csr_matrix((values, (rows, columns)), shape=(len(limits), variables))
    found = linprog(cost, A_ub=matrix, b_ub=limits, A_eq=sparse.csr_matrix(total[None]), b_eq=[1],
                    method="highs-ds", options=TIGHT)
    assert found.status == 0, found.message
    return found.fun


rows = [{"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity, "power": power,
         "falling": least(epsilon, delta, sensitivity, reach, power, True),
         "all": least(epsilon, delta, sensitivity, reach, power, False)}
        for epsilon, delta, sensitivity, reach in CASES for power in (1, 2)]
print(json.dumps({"integers": rows}, indent=1))
