"""Makes wages.csv and visits.csv beside it: made-up people, the same in every run."""

import pathlib
import random

FOLDER = pathlib.Path(__file__).resolve().parent


def wages(people=500):
    """Age, years of schooling, hours a week, and a wage that depends on the three."""
    chance = random.Random(2026)
    yield "age,schooling,hours,wage"
    for _ in range(people):
        age = chance.randint(18, 69)
        schooling = min(20, max(4, round(chance.gauss(12, 3))))
        hours = min(70, max(5, round(chance.gauss(36, 9))))
        wage = 4 + 0.12 * age + 0.9 * schooling + 0.05 * hours + chance.gauss(0, 3)
        yield f"{age},{schooling},{hours},{max(5.0, wage):.2f}"


def visits(people=200):
    """A region and a number of visits."""
    chance = random.Random(2027)
    yield "region,visits"
    for _ in range(people):
        region = chance.choices(["north", "south", "east", "west"], [5, 3, 2, 1])[0]
        yield f"{region},{chance.randint(0, 9)}"


for name, lines in ("wages", wages()), ("visits", visits()):
    (FOLDER / f"{name}.csv").write_text("".join(line + "\n" for line in lines))
