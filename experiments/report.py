"""What is printed: the problem before a run, progress on a terminal, the result table after it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bandits import Arms, tables

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console


class Stored(Protocol):
    """A task that leaves a file when it is done."""

    @property
    def path(self) -> Path:
        """Where the file is then."""

    def __call__(self) -> None:
        """Do it."""


_HEAD = 60  # columns of a cross table that its row names and sums take
_WIDTH_OF_A_FILE = 150  # where the output is no terminal, columns are not squeezed
_muted = False


def console(*, error: bool = False) -> Console:
    """Return a console on standard output or standard error as it is now."""
    from rich.console import Console

    stream = sys.stderr if error else sys.stdout
    width = None if stream.isatty() else _WIDTH_OF_A_FILE
    return Console(file=stream, width=width, highlight=False, emoji=False, quiet=_muted)


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Print nothing inside: a sweep says one line a run and one table at its end."""
    global _muted
    before, _muted = _muted, True
    try:
        yield
    finally:
        _muted = before


def say(sentence: str) -> None:
    """Print a sentence as it is."""
    console().print(sentence, markup=False, soft_wrap=True)


def say_problem(arms: Arms, note: str | None) -> None:
    """Say what is played, and what is known of the log it comes from."""
    say(note or arms.describe())


@contextlib.contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[], None]]:
    """Show a bar of `total` parts on a terminal, and nothing in a file; yields the function that advances it."""
    if total < 2 or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.progress import Progress

    with Progress(console=console(error=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)


def carry_out(tasks: Sequence[Stored], execute: Callable[[Sequence[Stored]], Iterator[None]], what: str) -> None:
    """Run the tasks whose file is not there yet, and show how far they are."""
    missing = [task for task in tasks if not task.path.exists()]
    if len(missing) < len(tasks):
        say(f"{len(tasks) - len(missing)} of {len(tasks)} shards are there already")
    with progress(len(missing), what) as advance:
        for _ in execute(missing):
            advance()


def say_results(folder: Path) -> None:
    """Print the summary of a run folder, the tests of its differences, and where its figures lie."""
    console().print(results_table(tables.read(folder / "summary.csv")))
    if (folder / "differences.csv").exists():
        console().print(differences_table(tables.read(folder / "differences.csv")))
    say_places(folder)


def say_places(folder: Path) -> None:
    """Say where the tables and figures of a run lie."""
    say(f"tables: {folder}")
    say(f"figures: {folder / 'figures'}")


def results_table(summary: pd.DataFrame) -> Any:
    """Return the printed form of a summary table."""
    from rich.table import Table

    sizes = [
        f"{n} {what}"
        for n, what in ((_common(summary["runs"]), "replications"), (_common(summary["horizon"]), "pulls"))
        if n
    ]
    table = Table(title="; ".join([" of ".join(sizes), "mean ± standard error"]).removeprefix("; "))
    for name in ("policy", "formula"):
        table.add_column(name, overflow="fold")
    for name in ("pseudo-regret", "realised regret", "gain", "best arm pulled", "Lai-Robbins C"):
        table.add_column(name, justify="right")
    for _, row in summary.iterrows():
        constant = row["lai_robbins_constant"]
        table.add_row(
            _text(row["policy"]), _text(row["formula"]),
            plus_minus(row["pseudo_regret_mean"], row["pseudo_regret_se"]),
            plus_minus(row["realised_regret_mean"], row["realised_regret_se"]),
            f"{row['gain_mean']:,.1f}", f"{100 * row['optimal_share']:.1f} %",
            "-" if constant != constant else f"{constant:.3f}",
        )  # fmt: skip
    return table


def _common(column: pd.Series[Any]) -> str | None:
    """Return the one value of a column, or None where rows differ."""
    return f"{column.iloc[0]:,}" if column.nunique() == 1 else None


def differences_table(differences: pd.DataFrame) -> Any:
    """Return the printed form of the paired differences, the surest first."""
    from rich.table import Table

    table = Table(title="final pseudo-regret, a minus b, over the same random numbers; p adjusted for all pairs")
    for name in ("a", "b"):
        table.add_column(name, overflow="fold")
    for name in ("difference", "95 % interval", "a lower in", "p", "adjusted p"):
        table.add_column(name, justify="right")
    for _, row in differences.iterrows():
        table.add_row(
            _text(row["policy_a"]), _text(row["policy_b"]), f"{row['difference_mean']:+,.2f}",
            f"{row['ci_low']:+,.2f} to {row['ci_high']:+,.2f}", f"{100 * row['share_a_lower']:.0f} % of runs",
            p_text(row["p_value"]), p_text(row["p_adjusted"]),
        )  # fmt: skip
    return table


def match_table(summary: pd.DataFrame, colours: Mapping[str, str]) -> Any:
    """Return the printed form of the summary of a match."""
    from rich.table import Table

    player, opponent = summary["player"].iloc[0], summary["opponent"].iloc[0]
    table = Table(title=_text(f"results of {player} against {opponent}; score: wins + draws / 2"), title_justify="left")
    table.add_column(_text(player), overflow="fold")
    for name in ("games", "wins", "draws", "losses", "score", "95 % interval", "plies, mean"):
        table.add_column(name, justify="right")
    for row in summary[summary["games"] > 0].to_dict("records"):
        plies = f"{row['plies_mean']:.1f}"
        table.add_row(colours[row["colour"]], *_result_cells(row), plies, end_section=row["colour"] == "second")
    return table


def _result_cells(row: Mapping[Any, Any]) -> list[str]:
    """Return the cells games, wins, draws, losses, score and interval of a row that `intervals.tally` made."""
    counts = [f"{row[name]:,}" for name in ("games", "wins", "draws", "losses")]
    return [*counts, f"{100 * row['score']:.1f} %", f"{100 * row['score_low']:.1f} to {100 * row['score_high']:.1f} %"]


def match_sweep_table(table: pd.DataFrame, keys: Sequence[str]) -> Any:
    """Return the printed form of a sweep of matches: what was swept, player 1's results, and how far off the best.

    Without a key the rows are told by their players.
    """
    from rich.table import Table

    printed = Table(title="player 1's results; score: wins + draws / 2; intervals: 95 %", title_justify="left")
    for name in keys or ("player", "opponent"):
        printed.add_column(_text(name), overflow="fold")
    for name in ("games", "wins", "draws", "losses", "score", "interval", "minus the best, %", "p", "standing"):
        printed.add_column(name, justify="right")
    for row in table.to_dict("records"):
        difference, low, high = (100 * row[f"difference{end}"] for end in ("", "_low", "_high"))
        known = low == low
        cells = [f"{difference:+.1f} ({low:+.1f} to {high:+.1f})", p_text(row["p_adjusted"])] if known else ["", ""]
        swept = [_text(value_text(row[key])) for key in keys or ("player", "opponent")]
        printed.add_row(*swept, *_result_cells(row), *cells, str(row["standing"]))
    return printed


def value_text(value: object) -> str:
    """Write a swept value as the command line does."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def standings_table(standings: pd.DataFrame) -> Any:
    """Return the printed form of a tournament's standings, the highest rating first."""
    from rich.table import Table

    table = Table(title="standings; score: wins + draws / 2; Elo: mean 0, 95 % interval", title_justify="left")
    table.add_column("player", overflow="fold")
    for name in ("games", "wins", "draws", "losses", "score", "95 % interval", "Elo", "lost by forfeit"):
        table.add_column(name, justify="right")
    for row in standings.to_dict("records"):
        elo = f"{row['elo']:+,.0f} ({row['elo_low']:+,.0f} to {row['elo_high']:+,.0f})"
        forfeits = sum(int(row[name]) for name in row if str(name).startswith("lost_by_"))
        table.add_row(_text(row["player"]), *_result_cells(row), elo, f"{forfeits:,}")
    return table


def crosstable_table(crosstable: pd.DataFrame, games: int) -> Any:
    """Return the printed form of a cross table: the points of the row's player against the column's, and their sum."""
    from rich.table import Table

    title = f"cross table: points of the row against the column, of {games:,} games of each pair; rows sum up"
    table = Table(title=title, title_justify="left")
    players = [str(name) for name in crosstable["player"]]
    named = sum(len(name) + 3 for name in players) <= console().width - _HEAD
    numbers = [str(place) for place in range(1, len(players) + 1)]
    table.add_column("player", overflow="fold")
    for name in players if named else numbers:
        table.add_column(_text(name), justify="right")
    table.add_column("points", justify="right")
    table.add_column("of games", justify="right")
    for number, (player, *points, total, played, _) in zip(numbers, crosstable.itertuples(index=False), strict=True):
        cells = ["-" if one != one else f"{one:,g}" for one in points]
        table.add_row(_text(player if named else f"{number} {player}"), *cells, f"{total:,g}", f"{played:,}")
    return table


def plus_minus(mean: float, error: float) -> str:
    """Write a mean with its standard error, or alone where there is none."""
    return f"{mean:,.2f}" if error != error else f"{mean:,.2f} ± {error:,.2f}"


def p_text(value: float) -> str:
    """Write a p-value without pretending to more digits than it has."""
    return "-" if value != value else "< 0.0001" if value < 1e-4 else f"{value:.4f}"


def _text(value: object) -> Any:
    from rich.text import Text

    return Text(str(value))
