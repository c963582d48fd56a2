"""Figure 5 of the paper on private principal components, and its bounds of pure privacy."""

import csv
import math
import random
import statistics

import pictures
from components_data import (CONFIDENTIAL, DRAWS, LEVELS, RANKS, SAMPLER, at_once, audit,
                             calibrated, fresh, genotypes, written)
from program import ask
from study import Result, Study, agreement


# --- Figure 5: trade-off functions ----------------------------------------------------------------

def pure_bound(epsilon, level):
    """The least type II error under pure epsilon-differential privacy."""
    return max(0.0, 1 - math.exp(epsilon) * level, math.exp(-epsilon) * (1 - level))


def estimated_mu(points):
    """The mu whose curve is nearest: the median over levels of what each point says."""
    normal = statistics.NormalDist()
    return statistics.median(normal.inv_cdf(1 - each["type1"]) - normal.inv_cdf(each["type2"])
                             for each in points
                             if 0.05 <= each["type1"] <= 0.95 and 0 < each["type2"] < 1)


def row_5(k, mu, one):
    points = one["tradeoff"]["points"]
    worst = max(points, key=lambda each: abs(each["type2"] - each["predicted"]))
    outside = sum(not each["lower"] <= each["predicted"] <= each["upper"] for each in points)
    near = min(points, key=lambda each: abs(each["type1"] - 0.05))
    return [k, mu, one["beta"], one["tradeoff"]["worst_row_share"], near["predicted"],
            near["type2"], pure_bound(one["pure_epsilon_add_remove"], near["type1"]),
            worst["type2"] - worst["predicted"], max(each["upper"] - each["type2"]
                                                     for each in points),
            f"{outside} of {len(points)}", estimated_mu(points), one["pure_epsilon"]]


def panel_5(k, audits):
    lines, measured, bands = [], {}, {}
    for mu, one in audits:
        label, points = f"mu = {mu:g}", one["tradeoff"]["points"]
        lines.append((label, [(0, 1), *((each["type1"], each["predicted"]) for each in points),
                              (1, 0)]))
        measured[label] = [(each["type1"], each["type2"]) for each in points[4::10]]
        bands[label] = [(each["type1"], each["lower"], each["upper"]) for each in points]
    epsilon = min(one["pure_epsilon"] for _, one in audits)
    lines.append((f"pure epsilon = {epsilon:.3g}, the least",
                  [(x, pure_bound(epsilon, x)) for x in (0, 1 / (1 + math.exp(epsilon)), 1)]))
    return pictures.Panel(f"k = {k}", "type I error", "type II error", lines,
                          logarithmic=(False, False), measured=measured, bands=bands)


def figure_5(folder, name, quick):
    data, draws = genotypes(quick), 500 if quick else DRAWS
    pairs = [(k, mu) for k in RANKS[::-1] for mu in LEVELS]
    reached = [(k, mu) for k, mu in pairs if calibrated(data, k, mu)]
    found = dict(zip(reached, at_once(
        lambda pair: audit(data, pair[0], draws, "--mu", pair[1]), reached)))
    panels, rows, points = [], [], []
    for k in RANKS:
        audits = [(mu, found[k, mu]) for mu in LEVELS if (k, mu) in found]
        rows += [row_5(k, mu, one) for mu, one in audits]
        panels += [panel_5(k, audits)] if audits else []
        points += [[k, mu, *each.values()] for mu, one in audits
                   for each in one["tradeoff"]["points"]]
    title = "Principal components paper, Figure 5: trade-off functions against the worst neighbor"
    pictures.draw(folder / f"{name}.svg", title, panels)
    written(folder, name, ["k", "mu", "type I", "type II", "lower", "upper", "predicted"], points)
    left = ", ".join(f"mu = {mu:g} for k = {k}" for k, mu in sorted(pairs) if (k, mu) not in found)
    return Result(
        title,
        [("k", "d"), ("mu", "g"), ("beta", ".4g"), ("share t", ".3f"),
         ("type II at 0.05, theory", ".4f"), ("simulated", ".4f"), ("proved", ".2g"),
         ("worst gap", ".4f"), ("widest half of the band", ".4f"), ("theory outside the band", ""),
         ("mu, simulated", ".3f"), ("pure epsilon", ".4g")], rows,
        ["The paper says that the asymptotic predictions closely track the empirical trade-off "
         "functions, that bounds of pure privacy are essentially vacuous for these beta, and that "
         "for k = 3 only mu = 1.5 can be had.", data.words,
         (f"Below the plateau here, so that no beta will do: {left}." if left else
          "All of these mu can be had here."),
         f"{draws} draws with and {draws} without the row sqrt p (sqrt t u_k + sqrt(1 - t) "
         "u_(k+1)), told apart by |V^T x|^2, of which the likelihood ratio is a function. As in "
         "the paper, the row joins the ranks, which stay as they are. It is the worst row in the "
         "limit; at this p another may be worse. The band holds the whole true curve with 95 % "
         "confidence. *Gap*: simulated less theory, over 99 levels; the largest is "
         f"{max(abs(row[7]) for row in rows):.3f}. Where theory is outside the band, the limit is "
         "off at this p, or the sampler, but for 5 % of all curves. *mu, simulated*: of the "
         "Gaussian curve nearest to the simulated one.",
         "*Proved*: the least type II error at that level by pure privacy for adding a row, half "
         "of *pure epsilon*. That is 9 beta p^2/(2 n), for ranks that the row moves; the paper's "
         "bound, beta p^2/n, is for ranks that are the data themselves. The pictures have the one "
         "for replacing a row, at the least epsilon of the three: the line is on the axes.",
         SAMPLER, CONFIDENTIAL],
        [f"{name}.svg"])


# --- Bounds of pure privacy -----------------------------------------------------------------------

PRINTED_EPSILON = {0.01: 0.16, 0.2: 3.19, 1.2: 19.17}
PAPER_ROWS, PAPER_COLUMNS = 2504, 200


def small_table():
    """A few rows of as many columns: what is proved does not depend on them."""
    chance, path = random.Random(200), fresh("csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([f"place_{place + 1}" for place in range(PAPER_COLUMNS)])
        writer.writerows([chance.randrange(3) for _ in range(PAPER_COLUMNS)] for _ in range(20))
    return path


def proved(table, beta, components, delta, *scaling):
    return ask("release", "components", table, *scaling, "--components", components, "--beta", beta,
               "--rows", PAPER_ROWS, "--delta", delta, "--output", fresh("csv"))[
                   "certificate"]["target"]["epsilon"]


def pure(folder, name, quick):
    table, eigenvalues = small_table(), fresh("json")
    eigenvalues.write_text(str([1.0] * PAPER_COLUMNS))
    separate = ["--range-of-all", "0:2"]
    rows = []
    for beta, printed in PRINTED_EPSILON.items():
        whole = ask("audit", "components", "--eigenvalues", eigenvalues, "--rows", PAPER_ROWS,
                    "--components", 1, "--beta", beta, "--draws", 100)["pure_epsilon"]
        rows.append([beta, printed, whole, proved(table, beta, 1, 0, *separate),
                     *(proved(table, beta, k, 1e-6, *separate) for k in RANKS),
                     proved(table, beta, 1, 1e-6, "--ranks")])
    return Result(
        "Principal components paper: what is proved at beta = 0.01, 0.2 and 1.2",
        [("beta", "g"), ("epsilon, paper", ".2f"), ("replacing a row", ".4f"),
         ("adding or removing one", ".4f"), ("delta = 1e-6, k = 1", ".4f"), ("k = 2", ".4f"),
         ("k = 3", ".4f"), ("k = 1, by ranks", ".4f")], rows,
        ["The paper gives epsilon = beta p^2/n, the bound of pure differential privacy of "
         "[ChaudhuriSarwateSinha2013], for p = 200 and n = 2504. "
         + agreement([(row[1], row[2]) for row in rows], 2),
         "It is for replacing a row. For adding or removing one, half of it is enough. With delta "
         "= 1e-6 a little less is proved, for one direction drawn exactly, and for k of them one "
         "after the other. All of these hold for rows that are scaled one by one.",
         "By ranks within columns, as the paper prepares its data, a new row moves every other "
         "one, and the last column is what is proved: the range of the exponent is 4.5 times as "
         "large. The paper's bound is for ranks that are the data themselves."],
        [])


STUDIES = [
    Study("components-figure-5", "trade-off functions against the worst row", figure_5),
    Study("components-pure", "what is proved for the paper's beta", pure),
]
