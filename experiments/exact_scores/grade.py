r"""The grade of a player: the rate of worse moves at which perfect play scores one half against it.

`graded` (experiments.players.perfect) plays perfectly but for a rate r of worse moves. Its expected score falls
from at least one half at r = 0, where nobody beats it, and in a first round it plays the player at several rates over
all of [0, 1]. On

    expected score  =  1 / (1 + e^-(a + b sqrt(r)))

as fitted to all games so far, each further round plays at the two rates where 2/3 and 1/3 are expected, which tells
most of where 1/2 lies. The square root is what makes the scores of many players a line; where they leave it, the
interval of the grade grows. Nothing but the seed decides which rates are tried: a run that was stopped tries the same.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.engine import console as report
from experiments.engine import tasks
from experiments.engine.families import EXECUTOR
from experiments.engine.store import RunFolder
from experiments.match.console import say_forfeits
from experiments.match.games import Terms, gather, labelled_apart, plan, source_digest, terms_of
from experiments.players.perfect import GradedPlayer
from experiments.players.specs import PlayerSpec, check_board, player_spec
from experiments.statistics.intervals import tally
from experiments.statistics.logistic import Line, fit_line
from numerics import checks
from numerics.kernels.sources import digest
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_ASIDE = (2.0 / 3.0, 1.0 / 3.0)  # the scores that later rounds aim at
_DIGITS = 4  # of a rate
_MOST_ROUNDS = 100


@dataclass(frozen=True)
class Grade:
    """A player's grade.

    Attributes
    ----------
    rate, low, high : float
        The rate of worse moves with its 95 % interval, in [0, 1]; NaN where no rate scores one half.
    line : Line
        The fitted scores against the square root of the rate.
    """

    rate: float
    low: float
    high: float
    line: Line


def run_grade(config: Mapping[str, Any], folder: Path) -> None:
    """Find a player's grade and leave the tables and the figure in `folder`."""
    player = player_spec(config["player"], "player")
    if player.is_human:
        raise ValueError("player must be a program, which can play every game of a search for its grade; got 'human'")
    terms = terms_of(config)
    rates, rounds = _rates(config["rates"]), checks.whole("rounds", config["rounds"], 0, most=_MOST_ROUNDS)
    graded = _graded(0.0, config["simulations"])
    graded.player(0)  # checked here, before any work
    check_board([graded], terms.board)
    execute = EXECUTOR.build(config["executor"], "executor").run
    code = hashlib.sha256((source_digest([player, graded], terms) + digest(__file__)).encode()).hexdigest()[:16]
    with RunFolder.open(folder, config, code) as store:
        each = f"{terms.games:,} games at each rate"
        board = f"{terms.board.width}x{terms.board.height} with {terms.board.connect} in a row"
        report.say(f"{player.name}\n{each} of worse moves of its opponent, graded, on {board}")
        if store.manifest is None:
            games, timings = _play(player, config["simulations"], terms, rates, rounds, store.shards, execute)
            start = time.perf_counter()
            tables.write(games, folder / "games.parquet")
            tables.write(timings, folder / "timings.parquet")
            _leave_results(games, folder)
            seconds = {
                "playing": round(float(timings[["seconds1", "seconds2"]].to_numpy().sum()), 3),
                "tables_and_figures": round(time.perf_counter() - start, 3),
            }
            named = [{"label": player.label, "name": player.name}]
            store.finish({"seed": terms.seed, "timings": seconds, "players": named})
        else:
            store.drop_shards()
            games = tables.read(folder / "games.parquet")
    table = rates_of(games)
    report.console().print(rates_table(table))
    say_forfeits(games)
    report.say(said(player.label, grade_of(table), table))
    report.say_places(folder)
    report.say(f"each move of a game by its exact score: python -m experiments.annotate {folder} --game 0")


def _rates(given: Sequence[Any]) -> list[float]:
    """Check the rates of the first round."""
    rates = [round(checks.number(f"rates[{place}]", one, 0.0, 1.0), _DIGITS) for place, one in enumerate(given)]
    if len(rates) < 2 or len(set(rates)) < len(rates):
        told = ",".join(f"{one:g}" for one in rates)
        raise ValueError(f"rates must hold at least 2 different ones, such as [0,0.1,0.4,1]; got [{told}]")
    return rates


def _graded(rate: float, simulations: Any) -> PlayerSpec:
    """Return the graded player at a rate."""
    return PlayerSpec(f"graded {rate:g}", GradedPlayer.kind, {"rate": rate, "simulations": simulations})


def _play(
    player: PlayerSpec, simulations: int, terms: Terms, rates: Sequence[float], rounds: int, folder: Path, execute: Any
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Play all rounds; return all games, with their round and rate, and their timings."""
    import pandas as pd

    played: list[pd.DataFrame] = []
    timed: list[pd.DataFrame] = []
    for number in range(rounds + 1):
        here = list(rates) if number == 0 else next_rates(fit_rates(rates_of(pd.concat(played))))
        report.say(f"round {number + 1} of {rounds + 1}: rates {', '.join(f'{one:g}' for one in here)}")
        first = sum(map(len, played))
        pairs = [labelled_apart((_graded(rate, simulations), player)) for rate in here]
        planned = plan(pairs, terms, folder, first)
        tasks.carry_out(planned, execute, "games")
        games, timings = gather(planned)
        own = (games["game"] - first) // terms.games
        played.append(games.assign(round=number + 1, rate=own.map(dict(enumerate(here)))))
        timed.append(timings)
    return pd.concat(played, ignore_index=True), pd.concat(timed, ignore_index=True)


def rates_of(games: pd.DataFrame) -> pd.DataFrame:
    """Return one row a rate, in increasing order.

    Returns
    -------
    pandas.DataFrame
        rate; round, the first in which it was tried; and graded's games, wins, draws, losses and score, with the ends
        of its 95 % Wilson interval.
    """
    import pandas as pd

    rows = [
        {"rate": rate, "round": int(own["round"].min())} | tally(own["result"])
        for rate, own in games.groupby("rate", sort=True)
    ]
    return pd.DataFrame(rows)


def fit_rates(table: pd.DataFrame) -> Line:
    """Fit the scores of a table of rates against the square root of the rate."""
    return fit_line(np.sqrt(table["rate"]), table["score"] * table["games"], table["games"])


def next_rates(line: Line) -> list[float]:
    """Return the rates that tell most of where one half lies: where 2/3 and 1/3 are expected, as far as they exist.

    Without a line that falls, there is nothing to aim at, and the middle of the roots is tried.
    """
    if not line.slope < 0.0:
        return [0.25]
    roots = [min(1.0, max(0.0, line.place(score))) for score in _ASIDE]
    return sorted({round(root**2, _DIGITS) for root in roots})


def grade_of(table: pd.DataFrame) -> Grade:
    """Return the grade that a table of rates tells."""
    line = fit_rates(table)
    root, (left, right) = line.place(0.5), line.half()
    if not line.slope < 0.0 or root > 1.0:
        return Grade(np.nan, np.nan, np.nan, line)
    low, high = (min(1.0, max(0.0, end)) ** 2 for end in (left, right))
    return Grade(max(0.0, root) ** 2, low, high, line)


def said(player: str, found: Grade, table: pd.DataFrame) -> str:
    """Say what the grade is."""
    if found.rate != found.rate:
        worst = table.iloc[-1]
        return (
            f"{player} has no grade: graded scores {100 * worst['score']:.1f} % against it at a rate of "
            f"{worst['rate']:g}, and no rate up to 1 is found at which it scores one half"
        )
    interval = f"95 % interval {found.low:.4f} to {found.high:.4f}"
    every = f", one move in {1.0 / found.rate:.3g}" if found.rate > 0.0 else ""
    return f"{player} beats graded half the time at a rate of {found.rate:.4f} ({interval}){every}"


def _leave_results(games: pd.DataFrame, folder: Path) -> None:
    """Write the tables that are made of the games, and draw the figure."""
    import pandas as pd

    table = rates_of(games)
    found = grade_of(table)
    row = {
        "player": games["player2"].iloc[0], "rate": found.rate, "rate_low": found.low, "rate_high": found.high,
        "start": found.line.start, "slope": found.line.slope, "games": int(table["games"].sum()),
    }  # fmt: skip
    tables.write(table, folder / "rates.csv")
    tables.write(pd.DataFrame([row]), folder / "grade.csv")
    draw_grade(folder, games)


def draw_grade(folder: Path, games: pd.DataFrame | None = None) -> list[Path]:
    """Draw the figure of a run from its games, read from the folder unless they are given."""
    from experiments.exact_scores import grade_figures
    from numerics.output.style import files, page

    games = tables.read(folder / "games.parquet") if games is None else games
    table = rates_of(games)
    with page(folder / "figures" / "grade", (7.6, 4.6)) as figure:
        grade_figures.draw_grade(figure.subplots(), table, grade_of(table), str(games["player2"].iloc[0]))
    return files(folder / "figures" / "grade")


def rates_table(table: pd.DataFrame) -> Any:
    """Return the printed form of the table of rates."""
    from rich.table import Table

    printed = Table(title="graded against the player, by its rate of worse moves", title_justify="left")
    for name in ("rate", "round", "games", "wins", "draws", "losses", "score", "95 % interval", "fitted"):
        printed.add_column(name, justify="right")
    line = fit_rates(table)
    for row in table.to_dict("records"):
        counts = [f"{row[name]:,}" for name in ("round", "games", "wins", "draws", "losses")]
        interval = f"{100 * row['score_low']:.1f} to {100 * row['score_high']:.1f} %"
        fitted = f"{100 * float(line.score(np.sqrt(row['rate']))):.1f} %"
        printed.add_row(f"{row['rate']:g}", *counts, f"{100 * row['score']:.1f} %", interval, fitted)
    return printed
