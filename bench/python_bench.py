"""What Python adds to a call, and what a call on an array saves.

    PYTHONPATH=build/python/python /usr/bin/python3 bench/python_bench.py

The time of C++ is that of the same profile, asked at many equal epsilons in one call.
"""

import time

import numpy as np

import modicum


def best(call, repetitions, runs=7):
    """Seconds for one of the calls, the best of several runs."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        for _ in range(repetitions):
            call()
        times.append((time.perf_counter() - start) / repetitions)
    return min(times)


def one_profile(name, loss, mode, repetitions):
    many = np.full(2000, 1.0)
    inside = best(lambda: loss.delta(many, mode=mode), 1) / many.size
    scalar = best(lambda: loss.delta(1.0, mode=mode), repetitions)
    whole = best(lambda: loss.profile(1.0, mode=mode), repetitions)
    print(f"{name:34} {1e6 * inside:8.2f} {1e6 * (scalar - inside):10.2f} {1e6 * (whole - inside):12.2f}")


def main():
    print("microseconds                          in C++    + delta()  + profile()")
    one_profile("Gaussian, 1000 times, fast", modicum.gaussian(standard_deviation=50, count=1000), "fast", 20000)
    one_profile("Gaussian, 1000 times, proved", modicum.gaussian(standard_deviation=50, count=1000), "automatic",
                20000)
    one_profile("projection, both directions, fast", modicum.random_projection(columns=300, leverage=0.02), "fast",
                5000)
    epsilons = np.linspace(0, 5, 100_000)
    loss = modicum.gaussian(standard_deviation=2)
    seconds = best(lambda: loss.delta(epsilons, mode="fast"), 1, runs=3)
    found = loss.profile(epsilons[::1000], mode="certified").delta
    fast = loss.delta(epsilons[::1000], mode="fast")
    error = np.max(np.abs(fast - found.upper) / found.upper)
    print(f"100,000 epsilons in one call: {seconds:.3f} s, at most {error:.1e} above the proved value, relative")
    rows = np.random.default_rng(1).normal(size=(100_000, 50))
    seconds = best(lambda: modicum.PrivateCovariance(row_norm_bound=8, epsilon=1, delta=1e-6).fit(rows), 1, runs=3)
    print(f"PrivateCovariance of 100,000 x 50: {seconds:.3f} s")
    seconds = best(lambda: rows.T @ rows, 1, runs=3)
    print(f"X.T @ X of the same, without privacy: {seconds:.3f} s")


if __name__ == "__main__":
    main()
