"""Makes the larger files beside it: made-up people, the same in every run."""

import json
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


def genotypes(people=2000, places=12):
    """How often, of two times, a variant is there at each of some places of the genome: in some
    regions it is common at the first places, in others at the last."""
    chance = random.Random(2028)
    often = {region: [0.5 + (0.28 + 0.015 * place) * sign(place) for place in range(places)]
             for region, sign in (("coast", lambda place: 1 if place < 6 else -1),
                                  ("hills", lambda place: 1 if place % 6 < 3 else -1),
                                  ("plain", lambda place: -1 if place % 6 < 3 else 1))}
    yield "region," + ",".join(f"place_{place + 1}" for place in range(places))
    for _ in range(people):
        region = chance.choices(list(often), [6, 2, 2])[0]
        counts = [(chance.random() < p) + (chance.random() < p) for p in often[region]]
        yield f"{region}," + ",".join(map(str, counts))


def eigenvalues(dimension=200):
    """Of a normalized covariance with three directions that stand out."""
    values = [9.0, 5.0, 2.5] + [1.6 * (1 - i / dimension) ** 2 for i in range(dimension - 3)]
    yield json.dumps([round(value, 6) for value in values])


for name, lines in (("wages.csv", wages()), ("visits.csv", visits()),
                    ("genotypes.csv", genotypes()), ("eigenvalues.json", eigenvalues())):
    (FOLDER / name).write_text("".join(line + "\n" for line in lines))
