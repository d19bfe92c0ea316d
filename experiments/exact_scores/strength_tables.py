"""The tables that are made of the choices of players, by player, ply, source and pair; and their print."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.engine import console
from experiments.exact_scores.positions import RANDOM, SELF_PLAY
from experiments.statistics.holm import holm
from experiments.statistics.intervals import wilson
from experiments.statistics.paired_rates import paired

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


def summary_of(choices: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player, in the order of the configuration.

    Returns
    -------
    pandas.DataFrame
        player, name; simulations of a move, empty for a player without; positions; the rates keeps_value and best with
        the ends of their 95 % Wilson intervals; loss, the mean over the legal moves, with the ends of the 95 % interval
        of Student's t; failures: how many moves were illegal or none.
    """
    import pandas as pd

    rows = []
    for (player, name), own in choices.groupby(["player", "name"], sort=False):
        rows.append(
            {"player": player, "name": name, "simulations": own["simulations"].iloc[0], "positions": len(own)}
            | _rates(own)
            | _mean(_losses(own))
            | {"failures": int((own["failure"] != "").sum())}
        )
    return pd.DataFrame(rows).astype({"simulations": "Int64"})


def _rates(own: pd.DataFrame) -> dict[str, float]:
    """Return the rates of two columns with the ends of their intervals."""
    found: dict[str, float] = {}
    for name in ("keeps_value", "best"):
        low, high = wilson(float(own[name].sum()), len(own))
        found |= {name: float(own[name].mean()), f"{name}_low": low, f"{name}_high": high}
    return found


def _losses(own: pd.DataFrame) -> Floats:
    return own["loss"].dropna().to_numpy(np.float64)


def _mean(losses: Floats) -> dict[str, float]:
    """Return the mean loss with the ends of its interval; NaN where too few tell it."""
    from scipy.stats import t

    mean = float(losses.mean()) if losses.size else np.nan
    half = np.nan
    if losses.size > 1:
        half = float(t.ppf(0.975, losses.size - 1) * losses.std(ddof=1) / np.sqrt(losses.size))
    return {"loss": mean, "loss_low": max(0.0, mean - half), "loss_high": mean + half}


def by_ply(choices: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player and ply: positions, both rates with their intervals, and the mean loss."""
    import pandas as pd

    rows = [
        {"player": player, "ply": ply, "positions": len(own)} | _rates(own) | {"loss": float(own["loss"].mean())}
        for (player, ply), own in choices.groupby(["player", "ply"], sort=False)
    ]
    order = {player: place for place, player in enumerate(choices["player"].unique())}
    return pd.DataFrame(rows).sort_values(
        ["player", "ply"], key=lambda column: column.map(order) if column.name == "player" else column,
        ignore_index=True,
    )  # fmt: skip


def by_source(choices: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player and source of positions: positions, and both rates and the mean loss with intervals."""
    import pandas as pd

    rows = [
        {"player": player, "source": source, "positions": len(own)} | _rates(own) | _mean(_losses(own))
        for player, of_player in choices.groupby("player", sort=False)
        for source, own in of_player.groupby("source", sort=True)
    ]
    return pd.DataFrame(rows)


def differences_of(choices: pd.DataFrame) -> pd.DataFrame:
    """Compare every pair of players on the same positions.

    Returns
    -------
    pandas.DataFrame
        player_a, player_b; positions; only_a and only_b, where only one of the two kept the value; difference, the rate
        of a minus that of b, with the ends of its 95 % interval, for which one position is added to both counts (Bonett
        and Price, JEBS 37, 2012); p_value of the exact McNemar test; p_adjusted by Holm's method over all pairs; and
        loss_difference, the mean loss of a minus that of b where both moves were legal.
    """
    import pandas as pd

    kept, losses = (choices.pivot(index="position", columns="player", values=name) for name in ("keeps_value", "loss"))
    rows = [
        {"player_a": a, "player_b": b, **paired(kept[a].to_numpy(bool), kept[b].to_numpy(bool))}
        | {"loss_difference": float((losses[a] - losses[b]).mean())}
        for a, b in combinations(choices["player"].unique(), 2)
    ]
    table = pd.DataFrame(rows)
    table.insert(list(table.columns).index("p_value") + 1, "p_adjusted", holm(list(table["p_value"])))
    return table


def strength_table(summary: pd.DataFrame, timings: pd.DataFrame) -> Any:
    """Return the printed form of the summary."""
    from rich.table import Table
    from rich.text import Text

    seconds = timings.groupby("player")["seconds"].median()
    table = Table(
        title=f"moves in {summary['positions'].iloc[0]:,} positions, judged by exact scores; intervals: 95 %",
        title_justify="left",
    )
    table.add_column("player", overflow="fold")
    for name in ("keeps the value, %", "plays a best move, %", "loss of score, mean", "time, median"):
        table.add_column(name, justify="right")
    for row in summary.to_dict("records"):
        cells = [_percent(row, "keeps_value"), _percent(row, "best"), _loss_text(row)]
        table.add_row(Text(str(row["player"])), *cells, _time_text(float(seconds[row["player"]])))
    return table


def _percent(row: Mapping[Any, Any], name: str) -> str:
    return f"{100 * row[name]:.1f} ({100 * row[f'{name}_low']:.1f} to {100 * row[f'{name}_high']:.1f})"


def _loss_text(row: Mapping[Any, Any]) -> str:
    return f"{row['loss']:.2f} ({row['loss_low']:.2f} to {row['loss_high']:.2f})"


def sources_table(rows: pd.DataFrame) -> Any:
    """Return the printed form of the rates in positions of random games beside those in positions of self-play."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title="the same by the games that the positions come from; intervals: 95 %", title_justify="left")
    table.add_column("player", overflow="fold")
    for what in ("keeps the value, %", "loss of score, mean"):
        for source in (RANDOM, SELF_PLAY):
            table.add_column(f"{what}\n{source.replace('_', '-')}", justify="right")
    for player, own in rows.groupby("player", sort=False):
        both = own.set_index("source").to_dict("index")
        told = [cell(both[source]) for cell in (_kept_text, _loss_text) for source in (RANDOM, SELF_PLAY)]
        table.add_row(Text(str(player)), *told)
    return table


def _kept_text(row: Mapping[Any, Any]) -> str:
    return _percent(row, "keeps_value")


def _time_text(seconds: float) -> str:
    return f"{1e3 * seconds:,.2f} ms" if seconds < 1.0 else f"{seconds:,.2f} s"


def best_pairs_table(differences: pd.DataFrame, summary: pd.DataFrame) -> Any:
    """Return the printed form of every player's difference from the one that keeps the value most often."""
    from rich.table import Table
    from rich.text import Text

    best = str(summary["player"].iloc[int(summary["keeps_value"].to_numpy().argmax())])
    title = f"share that keeps the value, minus that of {best}, on the same positions; in points of %"
    table = Table(title=Text(title), title_justify="left")
    table.add_column("player", overflow="fold")
    for name in ("difference", "95 % interval", "better in", "worse in", "adjusted p"):
        table.add_column(name, justify="right")
    for row in differences.to_dict("records"):
        if best not in (row["player_a"], row["player_b"]):
            continue
        turned = row["player_a"] == best
        sign = -1.0 if turned else 1.0
        difference, *ends = (100.0 * sign * row[f"difference{end}"] for end in ("", "_low", "_high"))
        better, worse = (row["only_b"], row["only_a"]) if turned else (row["only_a"], row["only_b"])
        table.add_row(
            Text(str(row["player_b" if turned else "player_a"])), f"{difference:+.1f}",
            f"{min(ends):+.1f} to {max(ends):+.1f}", f"{better:,}", f"{worse:,}", console.p_text(row["p_adjusted"]),
        )  # fmt: skip
    return table
