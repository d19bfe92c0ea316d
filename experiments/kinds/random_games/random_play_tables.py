"""The tables of an experiment on random play: lengths, summary, draws, fitted laws, numbers of games and positions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from connect4.combinatorics import bounds, published
from connect4.combinatorics.counting import Ply, Totals, totals
from numerics.output import tables
from numerics.statistics.intervals import clopper_pearson, wilson
from numerics.statistics.laws import GROUPS, fit_all

if TYPE_CHECKING:
    import numpy.typing as npt
    import pandas as pd

    from connect4.combinatorics.estimates import Estimate, Sums

Shape = tuple[int, int, int]  # width, height, connect
_RESULTS = {"first": 1, "second": -1, "draw": 0}  # names of results, from the side of the player who began

LENGTHS = ("first_player", "plies", "winner", "games")
DRAWS = ("source", "value", "low", "high", "games")
_OF_A_FIT = ("law", "parameters", "games", "chi_square", "degrees", "p_value", "total_variation", "aic", "verdict")
LAWS = ("first_player", "won_by", *_OF_A_FIT)
CURVES = ("first_player", "won_by", "law", "plies", "probability")
CHANCES = ("plies", "winner", "probability")
_OF_AN_ESTIMATE = ("log10_low", "log10_high", "relative_error", "effective", "reliable")
COUNTS = ("quantity", "ply", "source", "value", "log10", *_OF_AN_ESTIMATE)
"""The columns of counts.csv.

quantity
    "sequences" of moves of a ply, a won game not extended; games "finished" at a ply, or, without a ply, at any;
    distinct "positions" of a ply, or, without a ply, of all.
ply
    Empty for all plies together.
source
    "exact" (counted here), "published" (by others), "estimate" (Knuth's random paths), or the name of an upper bound.
value, log10
    The number, empty beyond float64, and its decimal logarithm, empty for 0.
log10_low, log10_high
    The ends of an estimate's interval of 95 %, log(estimate) +- 1.96 (relative error).
relative_error, effective, reliable
    An estimate's standard error over itself, how many paths effectively contribute to it, and whether these are at
    least 100. Below that the error is itself an underestimate more often than not.
"""


def of_games(
    lengths: pd.DataFrame, summary: pd.DataFrame, shape: Shape, mixed: int = 0, fillings: int = 0
) -> dict[str, pd.DataFrame]:
    """Return the tables that games of all players have; `mixed` of the `fillings` have no line in one colour."""
    fitted, curves = laws(lengths, shape)
    measured = draws(summary.iloc[0].to_dict(), shape, mixed, fillings)
    named = {"lengths": lengths, "summary": summary, "draws": measured, "laws": fitted, "law_curves": curves}
    return {f"{name}.csv": table for name, table in named.items()}


def lengths_of_random(parts: Iterable[npt.ArrayLike]) -> pd.DataFrame:
    """Return one row for every length and winner that occurred, from parts' counts int64[3, cells + 1] by result."""
    winners = np.array([1, -1, 0])
    games = np.sum([np.asarray(part, dtype=np.int64) for part in parts], axis=0)[winners]
    row, plies = np.nonzero(games)
    return tables.table_of(
        {"first_player": "random", "plies": plies, "winner": winners[row], "games": games[row, plies]}
    )[list(LENGTHS)]


def lengths_of_match(games: pd.DataFrame, label: str | None) -> pd.DataFrame:
    """Return the same for games of a match; a forfeited game has no length of its own and is left out.

    `label` is the label of both players if they are the same, and None if they differ.
    """
    played = games[games["ending"].isin(["row", "full"])]
    began = played["first_player"] == 1
    first = played["player1"].where(began, played["player2"]) if label is None else label
    table = played[["plies"]].assign(first_player=first, winner=played["result"].where(began, -played["result"]))
    counted = table.value_counts().rename("games").reset_index()
    counted = counted.sort_values(["first_player", "winner", "plies"], ascending=[True, False, True])
    return counted[list(LENGTHS)].reset_index(drop=True)


def summary(
    lengths: pd.DataFrame, shape: Shape, players: tuple[str, str], walked: Sequence[Ply], forfeits: int = 0
) -> pd.DataFrame:
    """Return one row: shares of games by who moved first, with Wilson's interval of 95 % (draws: Clopper-Pearson).

    The shares are of the games that were played to their end. Exact values are added if the enumeration was
    complete.
    """
    games = int(lengths["games"].sum())
    by_winner = {name: int(lengths["games"][lengths["winner"] == sign].sum()) for name, sign in _RESULTS.items()}
    wins = [_wins(lengths, winner, other) for winner, other in (players, players[::-1])]
    row: dict[str, Any] = {
        "board": f"{shape[0]}x{shape[1]}",
        "connect": shape[2],
        "player1": players[0],
        "player2": players[1],
        "games": games,
        "forfeits": forfeits,
        "player1_wins": wins[0],
        "player2_wins": wins[1],
    }
    for name, count in by_winner.items():
        low, high = map(float, (clopper_pearson if name == "draw" else wilson)(count, games))
        row |= {f"{name}_games": count, name: count / games if games else math.nan}
        row |= {f"{name}_low": low, f"{name}_high": high}
    mean, deviation = _moments(lengths)
    error = deviation / math.sqrt(games) if games > 1 else math.nan
    row |= {"length_mean": mean, "length_error": error, "length_deviation": deviation}
    for name in ("first", "second"):
        mean, deviation = _moments(lengths[lengths["winner"] == _RESULTS[name]])
        row |= {f"length_mean_{name}": mean, f"length_deviation_{name}": deviation}
    known = totals(walked) if walked else None
    for name in ("first", "second", "draw", "mean_length"):
        row[f"exact_{name}"] = math.nan if known is None else getattr(known, name)
    return tables.table_of([row])


def _wins(lengths: pd.DataFrame, player: str, other: str) -> float:
    """Return how many games a player won, of either colour; NaN where both are the same."""
    if player == other:
        return math.nan
    won = (lengths["first_player"] == player) & (lengths["winner"] == 1)
    won |= (lengths["first_player"] == other) & (lengths["winner"] == -1)
    return float(lengths["games"][won].sum())


def draws(row: Mapping[Any, Any], shape: Shape, mixed: int, fillings: int) -> pd.DataFrame:
    """Return P(draw) as measured, as counted exactly where it is known, and by the models of `combinatorics.bounds`.

    The sources "measured" and "random filling" have 95 % intervals (Clopper-Pearson). The others are "exact",
    "independent lines" (the simplifying assumption) and "disjoint lines" (a proved upper bound of the random
    filling).
    """
    rows = [("measured", row["draw"], row["draw_low"], row["draw_high"], row["games"])]
    if row["exact_draw"] == row["exact_draw"]:
        rows.append(("exact", row["exact_draw"], math.nan, math.nan, math.nan))
    if fillings:
        low, high = clopper_pearson(mixed, fillings)
        rows.append(("random filling", mixed / fillings, float(low), float(high), fillings))
    rows.append(("independent lines", bounds.draw_with_independent_lines(*shape), math.nan, math.nan, math.nan))
    rows.append(("disjoint lines", bounds.draw_with_disjoint_lines(*shape), math.nan, math.nan, math.nan))
    return tables.table_of(rows, columns=list(DRAWS))


def chances(walked: Sequence[Ply]) -> pd.DataFrame:
    """Return the exact probability that a random game ends at a ply with a result, as far as the walk went."""
    rows = [(ply.ply, 1 if ply.ply % 2 else -1, ply.win_chance) for ply in walked if ply.won]
    rows += [(ply.ply, 0, ply.draw_chance) for ply in walked if ply.full]
    return tables.table_of(rows, columns=list(CHANCES))


def laws(lengths: pd.DataFrame, shape: Shape) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return one row for every group of won games and every law, the best first, and their probabilities by ply.

    Games in which different players have the first move are fitted apart.
    """
    rows, curves = [], []
    for player, of_first in lengths.groupby("first_player", sort=False):
        for name, sign in GROUPS.items():
            width, height, connect = shape
            cells = width * height
            least = 2 * connect - (sign >= 0)  # the second player's connect-th stone is the one of ply 2 connect
            step = 1 if sign == 0 else 2
            most = cells - (cells - least) % step
            won = of_first[of_first["winner"] == sign if sign else of_first["winner"] != 0]
            by_length = won.groupby("plies")["games"].sum()
            for fit in fit_all(by_length.index, by_length, least, most, step) if len(by_length) else []:
                text = " ".join(f"{key.replace(' ', '_')}={value:.5g}" for key, value in fit.parameters.items())
                columns = {column: getattr(fit, column) for column in _OF_A_FIT}
                rows.append({"first_player": player, "won_by": name, **columns, "parameters": text})
                curves += [(player, name, fit.law, int(x), y) for x, y in zip(fit.plies, fit.probability, strict=True)]
    return tables.table_of(rows, columns=list(LAWS)), tables.table_of(curves, columns=list(CURVES))


def counts(
    shape: Shape, walked: Sequence[Ply], games: Mapping[str, Sums], positions: Mapping[str, Sums]
) -> pd.DataFrame:
    """Return the numbers of sequences, finished games and positions: bounds, estimates, exact and published numbers."""
    rows = [*_bound_rows(shape), *_exact_rows(shape, walked, totals(walked) if walked else None)]
    for quantity, sums in (("sequences", games["sequences"]), ("finished", games["finished"])):
        rows += [_row_of_estimate(quantity, ply, estimate) for ply, estimate in enumerate(sums.estimates())]
    rows.append(_row_of_estimate("finished", None, games["all"].estimates()[0]))
    by_ply = positions["by_ply"].estimates()
    rows += [_row_of_estimate("positions", ply, estimate) for ply, estimate in enumerate(by_ply)]
    if len(by_ply) == shape[0] * shape[1] + 1:
        rows.append(_row_of_estimate("positions", None, positions["all"].estimates()[0]))
    table = tables.table_of(rows, columns=list(COUNTS))
    return table.astype({"ply": "Int64"})


def _bound_rows(shape: Shape) -> Iterator[dict[str, Any]]:
    width, height, _ = shape
    for ply, bound in enumerate(bounds.sequences_by_ply(width, height)):
        yield _row_of_exact("sequences", ply, "column orders", bound)
    for ply, bound in enumerate(bounds.positions_by_ply(width, height)):
        yield _row_of_exact("positions", ply, "gravity and colours", bound)
    yield _row_of_exact("finished", None, "width^cells", bounds.games_by_width(width, height))
    yield _row_of_exact("finished", None, "column orders", bounds.games_by_fillings(width, height))
    yield _row_of_exact("positions", None, "3^cells", bounds.positions_by_cells(width, height))
    yield _row_of_exact("positions", None, "gravity", bounds.positions_by_gravity(width, height))
    yield _row_of_exact("positions", None, "gravity and colours", sum(bounds.positions_by_ply(width, height)))


def _exact_rows(shape: Shape, walked: Sequence[Ply], known: Totals | None) -> Iterator[dict[str, Any]]:
    cells = shape[0] * shape[1]
    for counted in walked:
        yield _row_of_exact("sequences", counted.ply, "exact", counted.sequences)
        drawn = counted.sequences - counted.winning_sequences if counted.ply == cells else 0
        yield _row_of_exact("finished", counted.ply, "exact", counted.winning_sequences + drawn)
        yield _row_of_exact("positions", counted.ply, "exact", counted.positions)
    for ply, number in enumerate(published.positions_by_ply(*shape) or ()):
        yield _row_of_exact("positions", ply, "published", number)
    if known is not None:
        yield _row_of_exact("finished", None, "exact", known.games)
        yield _row_of_exact("positions", None, "exact", known.positions)
    total = published.positions(*shape)
    if total is not None:
        yield _row_of_exact("positions", None, "published", total)


def _row_of_exact(quantity: str, ply: int | None, source: str, number: int) -> dict[str, Any]:
    """Return the row of an exact number."""
    logarithm = math.log10(number) if number else math.nan
    value = float(number) if logarithm != logarithm or logarithm < 308.0 else math.nan
    return {"quantity": quantity, "ply": ply, "source": source, "value": value, "log10": logarithm}


def _row_of_estimate(quantity: str, ply: int | None, estimate: Estimate) -> dict[str, Any]:
    """Return the row of an estimate."""
    zero = math.isinf(estimate.log)
    ten = math.log(10.0)
    low, high = estimate.interval()
    return {
        "quantity": quantity,
        "ply": ply,
        "source": "estimate",
        "value": estimate.value if math.isfinite(estimate.value) else math.nan,
        "log10": math.nan if zero else estimate.log / ten,
        "log10_low": math.nan if zero else low / ten,
        "log10_high": math.nan if zero else high / ten,
        "relative_error": estimate.relative_error,
        "effective": estimate.effective,
        "reliable": "yes" if estimate.reliable else "no",
    }


def _moments(lengths: pd.DataFrame) -> tuple[float, float]:
    """Return the mean and the standard deviation of the lengths in a table; NaN without games."""
    games, plies = lengths["games"].to_numpy(np.float64), lengths["plies"].to_numpy(np.float64)
    total = float(games.sum())
    if total == 0.0:
        return math.nan, math.nan
    mean = float(games @ plies) / total
    return mean, math.sqrt(float(games @ np.square(plies - mean)) / (total - 1.0)) if total > 1.0 else math.nan
