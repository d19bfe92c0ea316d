"""How people read the scaling of regret: a row for each number that was varied and each policy."""

from __future__ import annotations

from numerics.output import tables
from numerics.output.sheets import Sheet, interval, word

SLOPES = Sheet(
    "slopes.csv",
    "b of a line fitted to the regret R; in brackets: 95 % intervals of b, were the law true",
    (word("varied"), word("law"), word("policy"), interval("b", "slope", ".3g")),
    read=lambda folder, facts: (
        tables.read(folder / "slopes.csv")
        .rename(columns={"ci_low": "slope_low", "ci_high": "slope_high"})
        .sort_values("varied", kind="stable")
    ),
    group=lambda row: row["varied"],
)
