"""Figure 2 of the NDIS paper, arXiv:2309.01243v4."""

from program import ask
from study import Result, Study


def figure_2(folder, name, quick):
    columns = [50, 500] if quick else [50, 100, 200, 500]
    epsilons = [0.1, 1, 5] if quick else [0.1, 0.2, 0.5, 1, 1.5, 2, 3, 4, 5]
    rows = ask("plot", "leverage", "--delta", 1e-6, "--columns", *columns, "--epsilon", *epsilons,
               "--output", folder / f"{name}.svg")["rows"]
    factors = [row["factor"] for row in rows]
    return Result(
        "NDIS paper, Figure 2: allowable leverage, exact over least-singular-value bound",
        [("r", "g"), ("epsilon", "g"), ("p_NDIS", ".6g"), ("p_LSV", ".6g"), ("factor", ".4f")],
        [[row[key] for key in ("columns", "epsilon", "leverage", "singular_value_leverage",
                               "factor")] for row in rows],
        ["delta = 1e-6, rows of norm at most 1. The paper prints no table. It says that the factor "
         "is above 1 over the whole range of epsilon from 0.1 to 5.",
         f"Ours lies between {min(factors):.2f} and {max(factors):.2f}, and falls with epsilon. "
         "Below epsilon = 2 it is the larger the fewer columns there are, above 3 the other way "
         "round.",
         "p_LSV is epsilon / (4 (sqrt(2 r log(4/delta)) + log(4/delta))). How much it gives away: "
         "`modicum audit claim singular-value-projection`, with a true delta of 1e-70 and less for "
         "a claimed 1e-6."],
        [f"{name}.svg"])


STUDIES = [Study("ndis-figure-2", "leverage of a random projection", figure_2)]
