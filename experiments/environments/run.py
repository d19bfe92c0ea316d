"""Every pair of several players in PettingZoo's Connect Four and, from the same seeds, under our own referee.

Both games of a number have the same players, made anew from the same seed, so that players who draw only from their own
streams play them move for move alike. What can differ is what is compared: the results, and the time.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from connect4 import pettingzoo_agents, referee
from experiments.engine import console as report
from experiments.engine.executors.serial import Serial
from experiments.engine.store import RunFolder
from experiments.engine.tasks import complete
from experiments.match import games
from experiments.players.specs import PlayerSpec, player_specs
from experiments.statistics.intervals import tally
from numerics.kernels.sources import digest
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

    from connect4 import Board

PLACES = ("environment", "native")
CONFIDENCE = 0.95
_BOARD = {"board": "7x6", "connect": 4, "openings": "none"}  # the only one that the environment has
_SHARDS = 100  # of a run, about
_COMPARED = ("moves", "plies", "result", "winner", "ending")  # what a game of each place has of its own

GAMES = {**games.GAMES, **{f"native_{name}": games.GAMES[name] for name in _COMPARED}}
"""The columns of games.parquet, one row a game.

game ... ending
    As in `experiments.match.games`; moves, plies, result, winner and ending are those of the environment's game.
native_moves ... native_ending
    The same of the game under this project's own referee.
"""
TIMINGS = {
    "game": "int64",
    **{f"{place}_{what}": "float64" for place in PLACES for what in ("seconds", "thinking")},
}
"""The columns of timings.parquet: seconds of the whole game, and what the two players took of them."""


@dataclass(frozen=True)
class Shard:
    """Games `first` ... `first + count - 1` of a run, all of one pair, each played in both places.

    `before` is the number of the pair's first game.
    """

    pair: tuple[PlayerSpec, PlayerSpec]
    terms: games.Terms
    before: int
    first: int
    count: int
    folder: Path

    @property
    def path(self) -> Path:
        """The shard's file, there only when it is whole."""
        return self.folder / f"game{self.first:09d}.parquet"

    def __call__(self) -> None:
        """Play the games and store them."""
        import pandas as pd

        env = pettingzoo_agents.environment()
        rows = [self._play(game, env) for game in range(self.first, self.first + self.count)]
        tables.write(pd.DataFrame(rows).astype({**GAMES, **TIMINGS}), self.path)

    def _play(self, game: int, env: Any) -> dict[str, Any]:
        """Play a game in both places; return its row of both tables."""

        def in_environment(first: Any, second: Any, board: Board) -> referee.GameRecord:
            return pettingzoo_agents.play_environment(
                pettingzoo_agents.Agent(first), pettingzoo_agents.Agent(second), env=env
            )

        there = self._timed("environment", in_environment, game)
        here = self._timed("native", referee.play_game, game)
        ours = {name: value for name, value in here.items() if name.startswith("native_")}
        return {**there, **ours, **{f"native_{name}": here[name] for name in _COMPARED}}

    def _timed(self, place: str, judge: games.Referee, game: int) -> dict[str, Any]:
        """Play a game under a referee; the row has its seconds, without those that made the players."""
        seconds = []

        def watched(*sides: Any) -> referee.GameRecord:
            start = time.perf_counter()
            played = judge(*sides)
            seconds.append(time.perf_counter() - start)
            return played

        row = games.play(self.pair, self.terms, game - self.before, game, watched)
        return {**row, f"{place}_seconds": seconds[0], f"{place}_thinking": row["seconds1"] + row["seconds2"]}


def run_environments(config: Mapping[str, Any], folder: Path) -> None:
    """Play every pair in both places and leave tables and figures in `folder`.

    Raises
    ------
    ValueError
        A setting that is not allowed, or PettingZoo is not installed; one sentence, before anything is written.
    """
    seated = _seated(config["players"])
    terms = games.terms_of({**config, **_BOARD})
    pairs = list(combinations(seated, 2))
    try:
        pettingzoo_agents.environment()
    except ImportError as error:
        raise ValueError(f"experiment=environments cannot run: {error}") from error
    version = f"PettingZoo {importlib.metadata.version('pettingzoo')}"
    code = "".join((games.source_digest(seated, terms), digest(__file__), version))
    code = hashlib.sha256(code.encode()).hexdigest()[:16]
    with RunFolder.open(folder, config, code) as store:
        each = f"{terms.games:,} games of each of {len(pairs)} pairs" if len(pairs) > 1 else f"{terms.games:,} games"
        report.say(f"{'; '.join(one.label for one in seated)}\n{each}, in {version} and, from the same seeds, here")
        planned = _plan(pairs, terms, store.shards)

        def leave() -> dict[str, Any]:
            seconds = {"playing": _write_tables(planned, folder)}
            draw_environments(folder)
            players = [{"label": one.label, "name": one.name} for one in seated]
            return {"seed": terms.seed, "timings": seconds, "players": players, "environment": version}

        complete(store, planned, Serial().run, "games", leave)
    _say_results(folder)


def _seated(nodes: Sequence[Any]) -> list[PlayerSpec]:
    """Check the players; a person cannot play the same game twice."""
    found = player_specs(nodes)
    for place, one in enumerate(found):
        if one.is_human:
            raise ValueError(f"players[{place}] must be a program, which can play a game in both places; got 'human'")
    return found


def _plan(pairs: Sequence[tuple[PlayerSpec, PlayerSpec]], terms: games.Terms, folder: Path) -> list[Shard]:
    """Cut all games of all pairs into shards."""
    size = -(-len(pairs) * terms.games // _SHARDS)
    return [
        Shard(pair, terms, number * terms.games, number * terms.games + start, min(size, terms.games - start), folder)
        for number, pair in enumerate(pairs)
        for start in range(0, terms.games, size)
    ]


def _write_tables(planned: Sequence[Shard], folder: Path) -> float:
    """Write all tables of a run from its shards; return the seconds that its games took."""
    import pandas as pd

    rows = pd.concat([tables.read(shard.path) for shard in planned], ignore_index=True)
    tables.write(rows[list(GAMES)], folder / "games.parquet")
    tables.write(rows[list(TIMINGS)], folder / "timings.parquet")
    tables.write(summary_of(rows), folder / "summary.csv")
    return round(float(rows[[f"{place}_seconds" for place in PLACES]].to_numpy().sum()), 3)


def summary_of(played: pd.DataFrame) -> pd.DataFrame:
    """Return one row a pair: the first player's results in both places, and whether they differ.

    Parameters
    ----------
    played : pandas.DataFrame
        The columns GAMES.

    Returns
    -------
    pandas.DataFrame
        player, opponent; games, and how many of them have the same moves and ending in both places; of each place wins,
        draws, losses, score = (wins + draws / 2) / games with the ends of its 95 % Wilson interval, and games ended by
        an illegal move; the difference of the scores, environment minus native, with the ends of its 95 % interval, the
        p-value, and that adjusted for the number of pairs (`paired`; Benjamini and Hochberg 1995).
    """
    import pandas as pd
    from scipy.stats import false_discovery_control

    rows = []
    for (player, opponent), own in played.groupby(["player1", "player2"], sort=False):
        row: dict[str, Any] = {"player": player, "opponent": opponent, "games": len(own)}
        row["identical"] = int((_same(own, "moves") & _same(own, "ending")).sum())
        for place, prefix in zip(PLACES, ("", "native_"), strict=True):
            counted = tally(own[f"{prefix}result"])
            row |= {f"{place}_{name}": value for name, value in counted.items() if name != "games"}
            row[f"{place}_illegal"] = int(own[f"{prefix}ending"].str.startswith("illegal move").sum())
        points = 0.5 * (own["result"] - own["native_result"]).to_numpy(np.float64)
        rows.append(row | dict(zip(("difference", "low", "high", "p_value"), paired(points), strict=True)))
    table = pd.DataFrame(rows)
    return table.assign(p_adjusted=false_discovery_control(table["p_value"].to_numpy()))


def _same(own: pd.DataFrame, name: str) -> pd.Series[bool]:
    return own[name] == own[f"native_{name}"]


def paired(differences: npt.NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Return the mean of paired differences of points, the ends of its 95 % interval, and the p-value of a mean of 0.

    Student's t where the differences vary. Where every one is 0 the interval is that of the share q of games that could
    differ, by at most a point: q <= 1 - 0.025^(1/n) (Clopper and Pearson 1934); few games do not pass for proof.

    Examples
    --------
    >>> [round(float(one), 3) for one in paired(np.zeros(100))]
    [0.0, -0.036, 0.036, 1.0]
    """
    from scipy.stats import ttest_1samp

    mean, count = float(differences.mean()), differences.size
    if not differences.any():
        most = 1.0 - ((1.0 - CONFIDENCE) / 2.0) ** (1.0 / count)
        return 0.0, -most, most, 1.0
    if np.ptp(differences) == 0.0:  # always the same points more or less: nothing is uncertain
        return mean, mean, mean, 0.0
    test = ttest_1samp(differences, 0.0)
    low, high = test.confidence_interval(CONFIDENCE)
    return mean, float(low), float(high), float(test.pvalue)


def verdict(row: Mapping[Any, Any]) -> str:
    """Say what a row of the summary means."""
    if row["identical"] == row["games"]:
        return "the same games"
    return "different" if row["p_adjusted"] < 1.0 - CONFIDENCE else "equal within noise"


def draw_environments(folder: Path) -> list[Path]:
    """Draw the figure of a run again from its tables."""
    from experiments.environments.figures import draw_scores, draw_times
    from numerics.output.style import files, page

    summary = summary_of(tables.read(folder / "games.parquet"))
    times = times_of(tables.read(folder / "games.parquet"), tables.read(folder / "timings.parquet"))
    place = folder / "figures" / "environments"
    with page(place, (10.0, 1.9 + 0.34 * len(summary))) as figure:
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
        draw_scores(left, summary)
        draw_times(right, times)
    return files(place)


def times_of(played: pd.DataFrame, timings: pd.DataFrame) -> pd.DataFrame:
    """Return the median seconds of a game of every pair in both places, in the order of the pairs.

    The median, because the first game of a run also loads kernels.
    """
    columns = [f"{place}_{what}" for place in PLACES for what in ("seconds", "thinking")]
    everything = played[["game", "player1", "player2"]].merge(timings, on="game")
    return everything.groupby(["player1", "player2"], sort=False)[columns].median().reset_index()


def _say_results(folder: Path) -> None:
    played, timings = tables.read(folder / "games.parquet"), tables.read(folder / "timings.parquet")
    summary, times = summary_of(played), times_of(played, timings)
    report.console().print(_printed(summary, times))
    same, total = int(summary["identical"].sum()), int(summary["games"].sum())
    one, other = (1e3 * float(times[f"{place}_seconds"].median()) for place in PLACES)
    report.say(
        f"{'all ' if same == total else ''}{same:,} of {total:,} games are the same in both places, move for move; "
        f"a game takes {one:.2f} ms there and {other:.2f} ms here (median), {one / other:.1f} times as long"
    )
    report.say_places(folder)


def _printed(summary: pd.DataFrame, times: pd.DataFrame) -> Any:
    """Return the printed form of the summary with the times."""
    from rich.table import Table
    from rich.text import Text

    title = (
        "the player's score in PettingZoo and here; illegal: games lost by an illegal move; ms: median of a game's time"
    )
    table = Table(title=title, title_justify="left")
    for name in ("player", "opponent"):
        table.add_column(name, overflow="fold")
    for name in ("games", "PettingZoo", "native", "difference", "adjusted p", "illegal", "same", "ms", "ms, native"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for row, seconds in zip(summary.to_dict("records"), times.to_dict("records"), strict=True):
        half = 100.0 * (row["high"] - row["low"]) / 2.0
        table.add_row(
            Text(row["player"]), Text(row["opponent"]), f"{row['games']:,}",
            *(f"{100 * row[f'{place}_score']:.1f} %" for place in PLACES),
            f"{100 * row['difference']:+.1f} ± {half:.1f} %", report.p_text(row["p_adjusted"]),
            f"{row['environment_illegal']} / {row['native_illegal']}", f"{row['identical']:,}",
            *(f"{1e3 * seconds[f'{place}_seconds']:.2f}" for place in PLACES), verdict(row),
        )  # fmt: skip
    return table
