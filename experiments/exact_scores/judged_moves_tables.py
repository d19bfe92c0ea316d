"""The tables that are made of judged moves: each player's loss and blunders, and its loss by ply; and their print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from experiments.exact_scores.judged_moves import FORFEIT, MOVE, PHASES, START, UNKNOWN, phase
from experiments.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


def players_table(moves: pd.DataFrame, decisions: pd.DataFrame, cells: int) -> pd.DataFrame:
    """Return one row a player.

    Parameters
    ----------
    moves, decisions : pandas.DataFrame
        As `experiments.exact_scores.judged_moves` describes them.
    cells : int
        Of the board.

    Returns
    -------
    pandas.DataFrame
        player; games; moves, and how many of them have a known loss; loss, the mean of these, with the ends of its 95 %
        interval, for which the games are taken as independent, not the moves; the rate of blunders among the moves
        whose value is known, with the ends of its Wilson interval; how many blunders there are, and how many in each
        third of the board with the number of moves judged there; and how many games its blunder decided.
    """
    import pandas as pd

    rows = []
    for player, own in moves.groupby("player", sort=False):
        known = own[own["keeps_value"].notna()]
        wrong = ~known["keeps_value"].astype(bool)
        low, high = wilson(float(wrong.sum()), len(known))
        third = known["ply"].map(lambda ply: phase(int(ply), cells))
        row = {"player": player, "games": own["game"].nunique(), "moves": len(own)}
        row |= {"known": int(own["loss"].notna().sum()), **_mean_of_games(own)}
        row |= {"blunder_rate": float(wrong.mean()) if len(known) else np.nan, "blunder_rate_low": low}
        row |= {"blunder_rate_high": high, "blunders": int(wrong.sum())}
        for name in PHASES:
            row |= {f"blunders_{name}": int(wrong[third == name].sum()), f"moves_{name}": int((third == name).sum())}
        row["decided"] = int((decisions["player"] == player).sum())
        rows.append(row)
    return pd.DataFrame(rows)


def _mean_of_games(own: pd.DataFrame) -> dict[str, float]:
    """Return the mean loss of a move and its interval: a ratio of sums over games (Cochran 1977, section 6.4)."""
    from scipy.stats import t

    known = own[own["loss"].notna()]
    if known.empty:
        return {"loss": np.nan, "loss_low": np.nan, "loss_high": np.nan}
    sums = known.groupby("game")["loss"].agg(["sum", "size"]).to_numpy(np.float64)
    mean, games = float(sums[:, 0].sum() / sums[:, 1].sum()), len(sums)
    half = np.nan
    if games > 1:
        spread = float(((sums[:, 0] - mean * sums[:, 1]) ** 2).sum()) * games / (games - 1)
        half = float(t.ppf(0.975, games - 1) * np.sqrt(spread) / sums[:, 1].sum())
    return {"loss": mean, "loss_low": max(0.0, mean - half), "loss_high": mean + half}


def by_ply(moves: pd.DataFrame, group: int = 1) -> pd.DataFrame:
    """Return one row a player and ply, or a group of so many plies that follow one another.

    Returns
    -------
    pandas.DataFrame
        player; ply, the first of the group; moves, how many of them have a known loss, and in how many games; loss,
        their mean, with the ends of its 95 % interval over games; and blunders.
    """
    import pandas as pd

    rows = []
    for (player, block), own in moves.groupby(["player", moves["ply"] // group], sort=False):
        known = own[own["loss"].notna()]
        row = {"player": player, "ply": group * int(str(block)), "moves": len(own), "known": len(known)}
        blunders = int((~known["keeps_value"].astype(bool)).sum())
        rows.append({**row, "games": known["game"].nunique(), **_mean_of_games(own), "blunders": blunders})
    order = {player: place for place, player in enumerate(dict.fromkeys(moves["player"]))}
    names = ["player", "ply", "moves", "known", "games", "loss", "loss_low", "loss_high", "blunders"]
    return pd.DataFrame(rows, columns=names).sort_values(
        ["player", "ply"], key=lambda column: column.map(order) if column.name == "player" else column,
        ignore_index=True,
    )  # fmt: skip


def printed(table: pd.DataFrame) -> Any:
    """Return the printed form of the table of players."""
    from rich.table import Table
    from rich.text import Text

    title = "moves judged by exact scores; blunders: moves that lose value (win, draw, loss); intervals: 95 %"
    shown = Table(title=title, title_justify="left")
    shown.add_column("player", overflow="fold")
    names = ["moves", "of these solved", "loss of score, mean", "blunders, %"]
    for name in [*names, *(f"{third}, %" for third in PHASES), "decided games"]:
        shown.add_column(name, justify="right")
    for row in table.to_dict("records"):
        thirds = [_share(row[f"blunders_{third}"], row[f"moves_{third}"]) for third in PHASES]
        shown.add_row(
            Text(str(row["player"])), f"{row['moves']:,}", f"{row['known']:,}", _interval(row, "loss", 1.0, 2),
            _interval(row, "blunder_rate", 100.0, 1), *thirds, f"{row['decided']:,} of {row['games']:,}",
        )  # fmt: skip
    return shown


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def _interval(row: Mapping[Any, Any], name: str, factor: float, digits: int) -> str:
    middle, low, high = (factor * row[f"{name}{end}"] for end in ("", "_low", "_high"))
    if middle != middle:
        return "-"
    return f"{middle:.{digits}f}" + (f" ({low:.{digits}f} to {high:.{digits}f})" if high == high else "")


def said(decisions: pd.DataFrame) -> str:
    """Say what decided the games."""
    told = {
        MOVE: "by the last blunder",
        START: "by the position they began with, which nobody changed",
        FORFEIT: "by a forfeit",
        UNKNOWN: "at a position that is not solved",
    }
    counts = decisions["decided_by"].value_counts()
    parts = [f"{counts[key]:,} {text}" for key, text in told.items() if key in counts]
    return f"{len(decisions):,} game{'s' if len(decisions) > 1 else ''} decided: {'; '.join(parts)}"


def said_unsolved(moves: pd.DataFrame) -> str:
    """Say how many moves have no score, or nothing where all have one."""
    unsolved = moves[moves["loss"].isna()]
    if unsolved.empty:
        return ""
    plies = f"of {unsolved['ply'].min()} to {unsolved['ply'].max()} stones"
    return (
        f"{len(unsolved):,} of {len(moves):,} moves, in positions {plies}, have no score within the time of a position "
        "and count in no mean; more time: --seconds"
    )
