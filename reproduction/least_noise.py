"""What the family of the spherical paper, arXiv:2606.08681, leaves: the least noise there is, and how much less it is."""

import pictures
import radial_program
from program import ask
from radial_shells import Spherical
from study import Result, Study

TARGETS = [(0.1, 0.003), (0.5, 1e-3), (1, 1e-5), (2, 1e-6)]
NONE = "-"

REMARKS = [
    "epsilon = 0.1, sensitivity 1, mean squared errors of the whole vector. The first gain, and the upper half of the "
    "figure, is that over the better of Gaussian and Laplace or l2 noise; the second, and the lower half, that over the "
    "best member of the spherical family.",
    "The paper asks which additive noise is best in low dimension, and answers within one family. For one number, "
    "whole or real, `modicum optimize noise` answers it among all additive noises: no noise that meets the target "
    "has an error below the proved bound, and the gap is what is left between the two.",
    "For more numbers the least noise is that of the densities that depend on the distance from the center alone and "
    "never rise with it, by linear programs over densities on shells (`radial_program.py` derives them), or the noise "
    "of `optimize noise --dimension 2` or of the family where that has less. Each density found is a noise whose delta "
    "was integrated again by a finer rule: its error is an upper end of the least. Programs over coarser and finer "
    "shells tell how far it is from the least; nothing of this is proved. The proved bound is at least T times that of "
    "one number, and the gap says little from two numbers on.",
    "What the family leaves shrinks with T: at T = 10 it has next to all there is."]
WITHOUT = "scipy is missing here: there are no linear programs."


class Known:
    """What the program knows for a target: mean squared errors for sensitivity 1."""

    def __init__(self, kind, epsilon, delta):
        integers = ["--integers"] if kind == "integers" else []
        self.dimension = 1 if integers else kind
        found = ask("compare", "--dimension", self.dimension, *integers, "--epsilon", epsilon, "--delta", delta,
                    "--sensitivity", 1)
        errors = {each["name"]: each for each in found["mechanisms"]}
        self.usual = min(each["mean_squared_error"] for name, each in errors.items()
                         if not name.startswith(("optimal", "generalized")))
        self.family = errors.get("optimal_spherical")
        self.optimal = errors["optimal"]["mean_squared_error"] if "optimal" in errors else None
        self.bound = found["lower_bound"]

    def spherical_error(self):
        return self.family["mean_squared_error"] if self.family else None

    def spherical(self):
        return Spherical(self.dimension, *(self.family["parameters"][key] for key in ("alpha", "beta", "p")))


def percent_less(error, than):
    return 100 * (1 - error / than)


def against_delta(kind, delta, most):
    """A row of the first table, from at most so many shells, and its gains over usual and over spherical noise."""
    known = Known(kind, 0.1, delta)
    errors = {"`optimize spherical`": known.spherical_error(), "`optimize noise`": known.optimal}
    if known.dimension > 1 and radial_program.available():
        _, noise = radial_program.noise_on_shells(known.spherical(), 0.1, delta, most)
        errors["linear programs"] = noise.error
    errors = {name: error for name, error in errors.items() if error is not None}
    by = min(errors, key=errors.get)
    least = errors[by]
    gain, beyond = percent_less(least, known.usual), percent_less(least, known.spherical_error() or known.usual)
    row = [str(kind), delta, known.usual, known.spherical_error() or NONE, least, by, known.bound, gain,
           beyond if known.family else NONE, percent_less(known.bound, least)]
    return row, gain, beyond


def at_target(dimension, epsilon, delta, most, lines):
    """A row of the second table."""
    known = Known(dimension, epsilon, delta)
    spherical = known.spherical_error()
    errors, rest = [spherical, *([known.optimal] if known.optimal else [])], [NONE, NONE, NONE, NONE]
    if radial_program.available():
        per_shift, noise = radial_program.noise_on_shells(known.spherical(), epsilon, delta, most)
        half = radial_program.least_radial_noise(known.spherical(), epsilon, delta, per_shift / 2)
        check = radial_program.delta_on_lines(noise, epsilon, lines) / delta if dimension > 1 else NONE
        errors.append(noise.error)
        rest = [noise.error, per_shift, half.error, check]
    return [dimension, epsilon, delta, spherical, known.optimal or NONE, rest[0], percent_less(min(errors), spherical),
            *rest[1:]]


def targets(quick):
    cases = [(3, 0.1, 0.003, 90, 1000)] if quick else [
        (dimension, *target, 120 if dimension == 10 else 330, 3000) for dimension in (1, 2, 3, 10) for target in TARGETS]
    return Result(
        "Four targets",
        [("T", "g"), ("epsilon", "g"), ("delta", "g"), ("best spherical", ".6g"), ("`optimize noise`", ".6g"),
         ("linear programs", ".6g"), ("gain, %", ".2f"), ("shells a shift", "g"), ("with half of them", ".6g"),
         ("delta along lines / delta", ".5f")],
        [at_target(*case) for case in cases],
        ["The gain is that of the least of these errors over the best spherical noise. For T = 1, where `optimize noise` "
         "is within 0.03 % of a proved bound, linear programs show what they are worth. They stop within some 5e-5 of "
         "the least error on their shells. Where twice as many shells still make a difference, as much again may be "
         "left: at T = 2, (0.5, 0.001), 16 shells a shift have 21.394, since the steps of the density get ever narrower "
         "outward. The last column is delta integrated along lines parallel to the shift."],
        [])


def least_noise(folder, name, quick):
    deltas = [1e-6, 0.003] if quick else [1e-8, 1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1]
    kinds = ["integers", 1, 2] if quick else ["integers", 1, 2, 3, 10]
    rows, over_usual, over_spherical = [], [], []
    for kind in kinds:
        found = [against_delta(kind, delta, 90 if quick else 150) for delta in deltas]
        rows += [row for row, _, _ in found]
        label = "whole numbers" if kind == "integers" else f"T = {kind}"
        over_usual.append((label, [(delta, gain) for delta, (_, gain, _) in zip(deltas, found)]))
        over_spherical.append((label, [(delta, beyond) for delta, (_, _, beyond) in zip(deltas, found)]))
    # Whole numbers, which have no spherical noise, come last: lines look alike in both panels.
    panels = [pictures.Panel(f"Gain over {than}, epsilon = 0.1", "delta", "gain in per cent", lines)
              for than, lines in (("the better of Gaussian and Laplace or l2 noise", over_usual[1:] + over_usual[:1]),
                                  ("the best spherical noise", over_spherical[1:]))]
    pictures.draw(folder / f"{name}.svg", "Gain of the least noise over others", panels)
    return Result(
        "What is left beyond the spherical family: the least noise for one number and for several",
        [("T", ""), ("delta", ".4g"), ("Gaussian or Laplace, l2", ".6g"), ("best spherical", ".6g"),
         ("least noise", ".6g"), ("found by", ""), ("proved bound", ".6g"), ("gain, %", ".2f"),
         ("gain over spherical, %", ".2f"), ("gap, %", ".2g")],
        rows, REMARKS if radial_program.available() else [*REMARKS, WITHOUT], [f"{name}.svg"], {"targets": targets(quick)})


STUDIES = [Study("least-noise", "what is left beyond the spherical family", least_noise)]
