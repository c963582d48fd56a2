"""Counts the records of a file and adds noise: a program for `modicum audit program`.

    python3 noisy_count.py [--epsilon 1] [--noise laplace|gaussian] [--factor 1] [--samples 1] FILE

Prints the noisy count, once for each sample, one a line. The noise is that of a count, which one
record moves by 1: Laplace noise of scale 1 / epsilon, or Gaussian noise of standard deviation
3.730632 (for epsilon 1 and delta 1e-5: `modicum calibrate gaussian`). --factor 0.7 makes it 30 %
too small. In floating point: an example for audits, not for release.
"""

import argparse
import random


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epsilon", type=float, default=1.0)
    parser.add_argument("--noise", choices=["laplace", "gaussian"], default="laplace")
    parser.add_argument("--factor", type=float, default=1.0)
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("file")
    request = parser.parse_args()
    with open(request.file, encoding="utf-8") as lines:
        records = sum(1 for _ in lines) - 1  # without the heading
    chance = random.SystemRandom()
    laplace = request.factor / request.epsilon
    gaussian = request.factor * 3.730632
    for _ in range(request.samples):
        if request.noise == "laplace":
            noise = laplace * (chance.expovariate(1.0) - chance.expovariate(1.0))
        else:
            noise = chance.gauss(0.0, gaussian)
        print(records + noise)


if __name__ == "__main__":
    main()
