"""Every pair of several players: cross table, and standings with Elo ratings."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from experiments.engine.experiment import list_of
from experiments.games.anytime import ANYTIME
from experiments.games.match_figures import LONG
from experiments.games.matches import AnyGame
from experiments.games.playing import Pair
from experiments.games.results import FORFEITS, forfeit, ground, tally_of
from experiments.games.score_sheets import REPLAY, RESULTS, of_games
from experiments.players.specs import PLAYER, PlayerSpec
from numerics.output import plots, style, tables
from numerics.output.captions import Caption, called_all, label_of
from numerics.output.figures import Figure
from numerics.output.scales import Scale
from numerics.output.sheets import Column, Facts, Sheet, interval, number, word
from numerics.statistics.ratings import Observed, ratings

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def pairs_of(games: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player and opponent, in the order of the configuration.

    games, wins, draws, losses, score and its 95 % interval.
    """
    first = str(games["player1"].iloc[0])  # who meets all others, one after another
    players = [first, *dict.fromkeys(games.loc[games["player1"] == first, "player2"])]
    grouped = dict(list(_sides(games).groupby(["player", "opponent"])))
    return tables.table_of(
        [
            {"player": player, "opponent": other} | tally_of(grouped[player, other])
            for player, other in itertools.permutations(players, 2)
        ]
    )


def crosstable_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player, in the order of the configuration.

    Its points (wins + draws / 2) against every player, none against itself; then points, their sum; games; and score,
    the points of a game.
    """
    import pandas as pd

    points = points_of(pairs)
    total, games = points.sum(axis=1), pairs.groupby("player")["games"].sum()
    sums = pd.DataFrame({"points": total, "games": games, "score": total / games}, index=points.index)
    return pd.concat([points, sums], axis=1).rename_axis("player").reset_index()


def points_of(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return the points of each player, a row, against each other, a column."""
    players = list(dict.fromkeys(pairs["player"]))
    points = pairs.assign(points=pairs["wins"] + pairs["draws"] / 2.0)
    return points.pivot(index="player", columns="opponent", values="points").reindex(index=players, columns=players)


def standings_of(games: pd.DataFrame, pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row a player, the highest rating first.

    The columns are rank, player, games, wins, draws, losses, and score with its 95 % interval. elo and the ends of its
    95 % interval are rounded to hundredths of a point; for infinite ones see `numerics.statistics.ratings.ratings`.
    lost_by_illegal_move, lost_by_error and lost_by_time count forfeits.
    """
    points, sides = points_of(pairs), _sides(games)
    rows = []
    for player, elo, low, high in zip(
        points.index, *ratings(points.to_numpy(), observed_in(games, list(points.index))), strict=True
    ):
        of_player = sides[sides["player"] == player]
        lost = of_player.loc[of_player["result"] == -1, "ending"].map(forfeit)
        rows.append(
            {"player": player}
            | tally_of(of_player, "opponent")
            | {"elo": round(elo, 2), "elo_low": round(low, 2), "elo_high": round(high, 2)}
            | {f"lost_by_{reason}": int((lost == reason).sum()) for reason in FORFEITS}
        )
    table = tables.table_of(rows).sort_values("elo", ascending=False, kind="stable", ignore_index=True)
    table.insert(0, "rank", np.arange(1, len(table) + 1))
    return table


def observed_in(games: pd.DataFrame, players: Sequence[str]) -> list[Observed]:
    """Return the games of every pair by observations: the two that follow each other with colours swapped are one."""
    observed = []
    for (player, other), of_pair in games.groupby(["player1", "player2"], sort=False):
        points = (0.5 + 0.5 * of_pair["result"]).groupby(of_pair["game"] // 2, sort=False).agg(["size", "sum"])
        rows = (points[name].to_numpy(np.float64) for name in ("size", "sum"))
        observed.append(Observed(players.index(str(player)), players.index(str(other)), *rows))
    return observed


def _sides(games: pd.DataFrame) -> pd.DataFrame:
    """Return every game twice, once from each side, with the columns player, opponent, result and others."""
    as_first = games.rename(columns={"player1": "player", "player2": "opponent"})
    other = games.rename(columns={"player2": "player", "player1": "opponent"}).assign(result=-games["result"])
    return tables.join_tables([as_first, other])


STANDINGS = Sheet(
    "standings.csv",
    "standings; score: wins + draws / 2; Elo: Bradley-Terry fit, mean 0, 95 % interval",
    (
        word("player"),
        *RESULTS,
        interval("Elo", "elo", "+,.0f"),
        Column("lost by forfeit", lambda row: f"{sum(row[f'lost_by_{reason}'] for reason in FORFEITS):,}", optional=1),
    ),
)


def _read(folder: Path, facts: Facts) -> pd.DataFrame:
    """Return the cross table with the points against each player in columns against_0, against_1, ..."""
    stored = tables.read(folder / "crosstable.csv")
    sums = ["points", "games", "score"]
    stored.columns = ["player", *(f"against_{index}" for index in range(len(stored))), *sums]
    return stored.assign(pair=tables.read(folder / "pairs.csv")["games"].iloc[0])


def _title(frame: pd.DataFrame, facts: Facts) -> str:
    games = frame["pair"].iloc[0]
    return f"cross table: points of the row against the column, of {games:,} games of each pair"


def _columns(frame: pd.DataFrame, facts: Facts) -> list[Column]:
    points = [number(str(name), f"against_{index}", ",g") for index, name in enumerate(frame["player"])]
    return [word("player"), *points, number("points", form=",g"), number("of games", "games")]


CROSS_TABLE = Sheet("crosstable.csv", _title, _columns, read=_read, leading=1)


_MOST_ROOMY = 8  # columns with intervals in their cells


def _width_of_names(standings: pd.DataFrame) -> float:
    """Return the inches that the longest name takes beside the axes."""
    return 0.6 + 0.065 * min(LONG, standings["player"].str.len().max())


def draw_crosstable(pairs: pd.DataFrame, standings: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw every player's score against every other as a heat map."""
    order = list(standings["player"])
    numbers = 100.0 * pairs[["score", "score_low", "score_high"]].to_numpy()
    roomy = len(order) <= _MOST_ROOMY
    annotations = [
        f"{style.number(round(score, 1))}\n{low:.0f} to {high:.0f}" if roomy else f"{score:.0f}"
        for score, low, high in numbers
    ]
    cells = pairs.assign(score=numbers[:, 0], text=annotations)
    scores, texts = (
        cells.pivot(index="player", columns="opponent", values=name).loc[order, order] for name in ("score", "text")
    )
    scores = scores.rename(index=called_all(order, LONG), columns=called_all(order, 24))
    plots.heat_map(axes, scores, texts, norm=(0.0, 100.0), cmap="RdBu", bar="score (%)", size=style.SMALL + 1.0)
    games = style.number(int(pairs["games"].iloc[0]))
    interval = ", and its 95 % interval" if roomy else ""
    sentence = f"Score of the row against the column in %{interval}; {games} games of each pair"
    title = f"{len(order)} players {ground(facts['settings'])}, each against each"
    return Caption(sentence, title, wide=True)


def draw_ratings(standings: pd.DataFrame, axes: Axes, facts: Facts) -> Caption:
    """Draw every player's Elo rating with its 95 % interval, the best on top."""
    names = [label_of(str(name), LONG) for name in standings["player"]]
    ratings, scale = plots.estimates(standings, "elo"), Scale("Elo rating (the players' mean is 0)", log=False)
    plots.rows(axes, names, (ratings, {}), beside=plots.interval_texts(ratings), scale=scale)
    axes.axvline(0.0, color="0.6", linewidth=0.8)
    sentence = "Bradley-Terry fit with 95 % intervals; 400 points: odds of 10 to 1"
    title = f"Elo ratings of {len(names)} players {ground(facts['settings'])}"
    return Caption(sentence, title, wide=True)


FIGURES = (
    Figure(
        "crosstable",
        ("pairs.csv", "standings.csv"),
        draw_crosstable,
        size=lambda pairs, standings, facts: (
            _width_of_names(standings) + 2.0 + 0.72 * len(standings),
            2.2 + 0.5 * len(standings),
        ),
    ),
    Figure(
        "ratings",
        "standings.csv",
        draw_ratings,
        size=lambda standings, facts: (_width_of_names(standings) + 6.0, 1.5 + 0.38 * len(standings)),
    ),
)


def caveats(folder: Path, facts: Facts) -> list[str]:
    """Return the caveats of a tournament: neighbours whose intervals overlap, and those of any games."""
    standings = tables.read(folder / "standings.csv")
    ends = zip(itertools.pairwise(standings["player"]), standings["elo_low"], standings["elo_high"][1:], strict=False)
    close = [f"{better} and {other}" for (better, other), low, high in ends if low <= high]
    return [*([f"The intervals of neighbours overlap: {'; '.join(close)}."] if close else []), *of_games(folder)]


class Tournament(AnyGame, name="tournament"):
    """Every pair of several players; `games` is the number of games of each pair."""

    summary: ClassVar[str | None] = "standings.csv"

    players: Sequence[PlayerSpec] = list_of(PLAYER)

    figures = FIGURES
    caveats = staticmethod(caveats)
    sheets = (CROSS_TABLE, STANDINGS, ANYTIME)
    hint = REPLAY

    @property
    def pairs(self) -> list[Pair]:
        """Every pair."""
        return list(itertools.combinations(self.players, 2))

    def write_results(self, games: pd.DataFrame, folder: Path) -> None:
        pairs = pairs_of(games)
        tables.write(pairs, folder / "pairs.csv")
        tables.write(crosstable_of(pairs), folder / "crosstable.csv")
        tables.write(standings_of(games, pairs), folder / "standings.csv")
