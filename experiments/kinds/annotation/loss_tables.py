"""The tables of judged moves: each player's loss and blunders, and its loss by ply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from experiments.games.judged_moves import PHASES, phase
from numerics.output import tables
from numerics.statistics.bounded import mean_interval, rare_values
from numerics.statistics.intervals import NORMAL_95, wilson

if TYPE_CHECKING:
    import pandas as pd

Floats = npt.NDArray[np.float64]


def players_table(moves: pd.DataFrame, decisions: pd.DataFrame, cells: int | None) -> pd.DataFrame:
    """Return one row a player.

    Parameters
    ----------
    moves, decisions : pandas.DataFrame
        As `experiments.games.judged_moves` describes them.
    cells : int, optional
        Of the board of Connect 4, which are as many as the points that a move can lose; None for another game.

    Returns
    -------
    pandas.DataFrame
        player, games, moves, and `known`, how many of the moves have a known loss. `loss` is the mean of the known
        losses, with the ends of its 95 % interval. `blunder_rate` is the rate among the moves whose value is known,
        with the ends of its own interval. Both intervals take the games as independent, not the moves. Then come the
        number of blunders, and the blunders and judged moves in each third. Thirds are those of the board, or in other
        games those of the moves of each game. `decided` is the number of games that a blunder of the player decided.
    """
    worst, rows = _worst_loss(moves, cells), []
    lengths = 1 + moves.groupby("game")["ply"].max()
    for player, of_player in moves.groupby("player", sort=False):
        known = of_player[of_player["keeps_value"].notna()]
        wrong = ~known["keeps_value"].astype(bool)
        low, high = _rate_of_games(wrong.groupby(known["game"]).agg(["sum", "size"]).to_numpy(np.float64))
        third = known.apply(lambda move: phase(int(move["ply"]), cells or int(lengths[move["game"]])), axis=1)
        row = {"player": player, "games": of_player["game"].nunique(), "moves": len(of_player)}
        row |= {"known": int(of_player["loss"].notna().sum()), **_mean_of_games(of_player, worst)}
        row |= {"blunder_rate": float(wrong.mean()) if len(known) else np.nan, "blunder_rate_low": low}
        row |= {"blunder_rate_high": high, "blunders": int(wrong.sum())}
        for name in PHASES:
            row |= {f"blunders_{name}": int(wrong[third == name].sum()), f"moves_{name}": int((third == name).sum())}
        row["decided"] = int((decisions["player"] == player).sum())
        rows.append(row)
    return tables.table_of(rows)


def _worst_loss(moves: pd.DataFrame, cells: int | None) -> int:
    """Return the most points that a move can lose; of another game than Connect 4, twice the highest score in it."""
    if cells is not None:
        return cells
    return 2 * max(int(moves[name].abs().max()) for name in ("score_before", "score_after"))


def _mean_of_games(judged: pd.DataFrame, worst: int) -> dict[str, float]:
    """Return the mean loss of a move and its interval: a ratio of sums over games (Cochran 1977, section 6.4).

    Where nearly all games are alike, as those without a loss, what they leave uncertain is less than rare losses do, up
    to the worst one. Each end is then the farther of that and the one of all moves, as if each stood for itself.
    """
    known = judged[judged["loss"].notna()]
    if known.empty:
        return {"loss": np.nan, "loss_low": np.nan, "loss_high": np.nan}
    sums = known.groupby("game")["loss"].agg(["sum", "size"]).to_numpy(np.float64)
    mean, games = float(sums[:, 0].sum() / sums[:, 1].sum()), len(sums)
    pulls = mean + (sums[:, 0] - mean * sums[:, 1]) * games / sums[:, 1].sum()  # of each game on the mean
    low, high = (float(end) for end in mean_interval(pulls))
    if games > 1 and rare_values(sums[:, 0] / sums[:, 1], worst):
        least, most = (float(end) for end in mean_interval(known["loss"].to_numpy(np.float64), 0.0, worst))
        low, high = min(low, least), max(high, most)
    return {"loss": mean, "loss_low": max(0.0, low), "loss_high": high}


def _rate_of_games(sums: Floats) -> tuple[float, float]:
    """Return the interval of a rate of moves, of which games hold some that are alike.

    It is Wilson's interval for the effective number of moves. This is the number of independent moves that would leave
    the rate as uncertain, at most the actual number. It is the actual number divided by the design effect, and by a
    factor for the small number of games (Korn and Graubard, Survey Methodology 24, 1998).

    Parameters
    ----------
    sums : float64[games, 2]
        Blunders and moves of each game.
    """
    from scipy.special import stdtrit

    games, (wrong, moves) = len(sums), sums.sum(axis=0)
    rate = wrong / moves if moves else 0.0
    effect = 1.0
    if games > 1 and 0.0 < rate < 1.0:
        spread = float(((sums[:, 0] - rate * sums[:, 1]) ** 2).sum()) * games / (games - 1)
        few = float(stdtrit(games - 1, 0.975)) / NORMAL_95
        effect = max(1.0, few**2 * spread / (moves * rate * (1.0 - rate)))
    return wilson(wrong / effect, moves / effect)


def by_ply(moves: pd.DataFrame, cells: int | None, group: int = 1) -> pd.DataFrame:
    """Return one row a player and ply, or a group of so many plies that follow one another.

    Parameters
    ----------
    moves, cells
        As for `players_table`.
    group : int, default 1
        Plies.

    Returns
    -------
    pandas.DataFrame
        player, ply (the first of the group), moves, `known` (how many of the moves have a known loss), and in how many
        games. `loss` is the mean of the known losses, with the ends of its 95 % interval over games. `blunders` is the
        number of blunders.
    """
    worst, rows = _worst_loss(moves, cells), []
    for player, of_player in moves.groupby("player", sort=False):
        for ply, of_ply in of_player.groupby(of_player["ply"] - of_player["ply"] % group):
            known = of_ply[of_ply["loss"].notna()]
            row = {"player": player, "ply": ply, "moves": len(of_ply), "known": len(known)}
            blunders = int((~known["keeps_value"].astype(bool)).sum())
            rows.append(
                {**row, "games": known["game"].nunique(), **_mean_of_games(of_ply, worst), "blunders": blunders}
            )
    names = ["player", "ply", "moves", "known", "games", "loss", "loss_low", "loss_high", "blunders"]
    return tables.table_of(rows, columns=names)
