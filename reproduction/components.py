"""Figures 3 and 4 of the paper on private principal components: errors, mu, projections."""

import math

import pictures
from components_data import (CONFIDENTIAL, DRAWS, LABEL, LEVELS, RANKS, SAMPLER, at_once, audit,
                             calibrated, fresh, genotypes, plateau, written)
from program import ask
from study import Result, Study

NORMS = {"spectral": "spectral", "frobenius": "Frobenius"}


# --- Figure 3: errors -----------------------------------------------------------------------------

def places(thresholds, count):
    """beta, evenly in its logarithm, from where nothing is seen to where nearly all is."""
    low, high = math.log(thresholds[0] / 3), math.log(thresholds[-1] * 12)
    return [math.exp(low + (high - low) * step / (count - 1)) for step in range(count)]


def theory(data, norm, betas):
    """What is predicted, as lines."""
    rows = ask("plot", *data.spectrum(RANKS), "--quantity", norm, "--from", betas[0], "--to",
               betas[-1], "--points", 1000, "--output", fresh("svg"), "--confidential")["rows"]
    return [(f"k = {k}", [(row["beta"], row[norm]) for row in rows if row["components"] == k])
            for k in RANKS]


def row_3(k, norm, threshold, audits):
    """How far simulated means are from the limit; far from the threshold also as a share of it."""
    errors = [(one["beta"], one["error"][norm]) for one in audits]
    beta, worst = max(errors, key=lambda pair: abs(pair[1]["mean"] - pair[1]["predicted"]))
    gap = worst["mean"] - worst["predicted"]
    captured = [abs(each["mean"] / each["predicted"] - 1) for beta, each in errors
                if beta >= 2 * threshold]
    return [k, NORMS[norm], threshold, gap, beta, abs(gap) / worst["standard_error"],
            max(each["standard_error"] for _, each in errors), 100 * max(captured)]


def figure_3(folder, name, quick):
    data = genotypes(quick)
    thresholds = [plateau(data, k)["plateau_from"] for k in RANKS]
    betas = places(thresholds, 6 if quick else 24)
    draws = 500 if quick else DRAWS
    pairs = [(k, beta) for k in RANKS[::-1] for beta in betas]
    found = dict(zip(pairs, at_once(
        lambda pair: audit(data, pair[0], draws, "--beta", pair[1], "--points", 0), pairs)))
    panels, rows, points = [], [], []
    marks = [(f"H(lambda_{k}) = {at:.3g}", at) for k, at in zip(RANKS, thresholds)]
    for norm, called in NORMS.items():
        measured = {f"k = {k}": [(beta, found[k, beta]["error"][norm]["mean"]) for beta in betas]
                    for k in RANKS}
        panels.append(pictures.Panel(
            f"Squared {called} error", "beta", "error", theory(data, norm, betas),
            marks, measured=measured))
        for k, threshold in zip(RANKS, thresholds):
            audits = [found[k, beta] for beta in betas]
            rows.append(row_3(k, norm, threshold, audits))
            points += [[k, called, one["beta"], *one["error"][norm].values()] for one in audits]
    title = "Principal components paper, Figure 3: errors of the exponential mechanism"
    pictures.draw(folder / f"{name}.svg", title, panels)
    written(folder, name, ["k", "norm", "beta", "mean", "standard error", "predicted"], points)
    return Result(
        title,
        [("k", "d"), ("norm", ""), ("H(lambda_k)", ".4g"), ("worst gap", ".4f"), ("at beta", ".3g"),
         ("in standard errors", ".0f"), ("largest standard error", ".1g"),
         ("worst gap from 2 H(lambda_k) on, %", ".1f")], rows,
        ["The paper says that the finite-p performance \"closely tracks\" the asymptotic "
         "predictions, and that the error has kinks at H(lambda_1), .., H(lambda_k).",
         data.words,
         f"Circles: means of {draws} simulated draws for each of {len(betas)} values of beta; "
         "lines: the limits min(1, H(lambda_k)/beta) and 2 sum_i min(1, H(lambda_i)/beta). *Gap*: "
         "simulated less predicted. It is many standard errors, so it is not chance: the limit is "
         "for p = infinity. At this p the kinks are rounded, and where two of the H(lambda_i) "
         "are near each other the larger error is above both limits. In all the gap is at most "
         f"{max(abs(row[3]) for row in rows[:len(RANKS)]):.3f} of 1 for the spectral norm and "
         f"{max(abs(row[3]) / (2 * row[0]) for row in rows[len(RANKS):]):.3f} of the largest "
         "value, 2 k, for the Frobenius norm.",
         SAMPLER + " Standard errors of chains allow for their correlation.", CONFIDENTIAL],
        [f"{name}.svg"])


# --- Figure 4: privacy, and projections -----------------------------------------------------------

PRINTED_BETA = {0.5: 1.2, 1: 3.97, 1.5: 8.47}       # for k = 2


def projected(data, picture, title, *arguments):
    ask("plot", "projections", *data.reading(), "--label", LABEL, "--output", picture, "--title",
        title, "--confidential", *arguments)
    picture.chmod(0o644)        # the data are public
    return picture.name


def private_projection(data, folder, name, mu, beta):
    """The picture for one release, and its error."""
    components = fresh("csv")
    errors = ask("release", "components", *data.reading(), "--components", 2, "--method", "joint",
                 "--beta", beta, "--rows", data.rows, "--output", components,
                 "--confidential")["confidential"]
    picture = folder / f"{name}-mu-{mu:g}.svg"
    return errors, projected(data, picture, f"Two private components, mu = {mu:g}, beta = "
                             f"{beta:.3g}", "--components", components, "--align")


def rows_4(data):
    for k in RANKS:
        for mu in LEVELS:
            found, printed = calibrated(data, k, mu), PRINTED_BETA[mu] if k == 2 else ""
            least = plateau(data, k)["mu_minimum"]
            if found is None:
                yield [k, least, mu, "none", printed, "", "", ""]
            else:
                error = found["predicted_error"]
                yield [k, least, mu, found["beta"], printed, error["spectral"],
                       error["frobenius"], found["pure_epsilon"]]


def figure_4(folder, name, quick):
    data = genotypes(quick)
    rows = list(rows_4(data))
    plateaus = {k: plateau(data, k) for k in RANKS}
    shown_to = max([row[3] for row in rows if row[2] == 1 and row[3] != "none"]
                   + [2 * each["plateau_to"] for each in plateaus.values()])
    picture = folder / f"{name}.svg"
    ask("plot", *data.spectrum(RANKS), "--to", 1.1 * shown_to, "--output", picture, "--confidential",
        "--title", f"Privacy of k of {data.columns} components, {data.rows} rows")
    picture.chmod(0o644)        # the data are public
    shown = [projected(data, folder / f"{name}-true.svg", "The true components")]
    drawn = []
    for mu in LEVELS:
        found = calibrated(data, 2, mu)
        if found:
            errors, picture = private_projection(data, folder, name, mu, found["beta"])
            shown.append(picture)
            drawn.append(f"{errors['spectral_error']:.3f} at mu = {mu:g} (predicted: "
                         f"{found['predicted_error']['spectral']:.3f}), with "
                         f"{100 * errors['variance_captured']:.0f} % of the variance")
    return Result(
        "Principal components paper, Figure 4: mu against beta, and projections",
        [("k", "d"), ("least mu", ".4f"), ("mu", "g"), ("beta", ".4g"), ("beta, paper", "g"),
         ("predicted spectral error", ".4f"), ("predicted Frobenius error", ".4f"),
         ("pure epsilon", ".4g")], rows,
        ["The paper says that mu is constant on a plateau: below its end components get worse and "
         "privacy no better; and that two components with mu = 0.5, 1 and 1.5 keep the clusters of "
         "the data.", data.words,
         "The plateau: " + "; ".join(
             f"beta from {each['plateau_from']:.4g} to {each['plateau_to']:.4g} for k = {k}, with "
             f"mu = {each['mu_minimum']:.4f}" for k, each in plateaus.items())
         + ". No beta that shows all components has a smaller mu: *none* in the table.",
         "The private components are one draw each, turned within their span to be near the true "
         "ones, as in the paper. Squared spectral errors of these draws: " + "; ".join(drawn)
         + " that the true ones have. beta was computed from the data, so these are no private "
         "releases; and what is proved for such a beta says little: *pure epsilon*, for replacing a "
         "row, 4.5 times the paper's bound, which is for ranks that are the data themselves.", SAMPLER,
         CONFIDENTIAL],
        [f"{name}.svg", *shown])


STUDIES = [
    Study("components-figure-3", "private principal components, errors", figure_3),
    Study("components-figure-4", "privacy plateau, projections of genotypes", figure_4),
]
