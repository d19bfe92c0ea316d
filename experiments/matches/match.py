"""Two players against each other, half of the games with either moving first: tables, figures and what is printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.engine import console as report
from experiments.engine.families import EXECUTOR
from experiments.engine.store import RunFolder
from experiments.engine.tasks import complete
from experiments.matches import printed
from experiments.matches.games import FORFEITS, Terms, forfeit, gather, labelled_apart, plan, source_digest, terms_of
from experiments.players.specs import PlayerSpec, check_board, player_spec
from experiments.statistics.intervals import tally
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd


COLOURS = {"first": "moving first", "second": "moving second", "both": "together"}


def run_match(config: Mapping[str, Any], folder: Path) -> None:
    """Play a match and leave its tables and figures in `folder`."""
    pair = labelled_apart((player_spec(config["player1"], "player1"), player_spec(config["player2"], "player2")))
    terms = terms_of(config, whole_rounds=not any(one.is_human for one in pair))
    games = play_pairs(config, folder, pair, [pair], terms, leave_results)
    summary = summary_of(games)
    report.console().print(printed.match_table(summary, COLOURS))
    say_what_limits(games)
    report.say_places(folder)
    report.say(f"a game move by move: python -m experiments.replay {folder} game={games['game'].iloc[0]}")


def play_pairs(
    config: Mapping[str, Any],
    folder: Path,
    specs: Sequence[PlayerSpec],
    pairs: Sequence[tuple[PlayerSpec, PlayerSpec]],
    terms: Terms,
    leave: Callable[[pd.DataFrame, Path], None],
    who: str | None = None,
) -> pd.DataFrame:
    """Play what is missing of all pairs' games; return their table.

    Parameters
    ----------
    config : mapping
        The whole configuration.
    folder : Path
        The run's.
    specs : sequence of PlayerSpec
        All players.
    pairs : sequence of pairs of PlayerSpec
        Who plays whom.
    terms : Terms
        What the games have in common.
    leave : callable
        Leaves the tables and figures of the games in the folder.
    who : str, optional
        How the players are announced; with all their names unless given.
    """
    check_board(specs, terms.board)
    persons = any(one.is_human for one in specs)
    execute: Any = _one_at_a_time if persons else EXECUTOR.build(config["executor"], "executor").run
    with RunFolder.open(folder, config, source_digest(specs, terms)) as store:
        _say_terms(who or _names(specs), terms, len(pairs), str(config["openings"]))
        planned = plan(pairs, terms, store.shards)

        def leave_all() -> dict[str, Any]:
            games, timings = gather(planned)
            tables.write(games, folder / "games.parquet")
            tables.write(timings, folder / "timings.parquet")
            leave(games, folder)
            seconds = {"playing": round(float(timings[["seconds1", "seconds2"]].to_numpy().sum()), 3)}
            players = [{"label": one.label, "name": one.name} for one in specs]
            return {"seed": terms.seed, "timings": seconds, "players": players}

        complete(store, planned, execute, "games", leave_all)
    return tables.read(folder / "games.parquet")


def _one_at_a_time(tasks: Sequence[Callable[[], None]]) -> Iterator[None]:
    """Play in the main thread, which alone can ask at the terminal."""
    for task in tasks:
        task()
        yield


def ending_text(game: Mapping[Any, Any]) -> str:
    """Say in a few words how a game of games.parquet ended."""
    if game["result"] == 0:
        return f"drawn after {game['plies']} plies"
    loser = game["player2"] if game["result"] == 1 else game["player1"]
    lost = f"; {loser} lost it by {game['ending']}" if forfeit(game["ending"]) else ""
    return f"{game['winner']} wins after {game['plies']} plies{lost}"


def _names(specs: Sequence[PlayerSpec]) -> str:
    names = [one.name if one.name == one.label else f"{one.label}: {one.name}" for one in specs]
    return " against ".join(names) if len(names) == 2 else "; ".join(names)


def _say_terms(who: str, terms: Terms, pairs: int, openings: str) -> None:
    """Say who plays, how often, on what."""
    board = f"{terms.board.width}x{terms.board.height} with {terms.board.connect} in a row"
    count = len(terms.openings)
    opened = "no openings" if openings == "none" else f"{count} opening{'s' if count > 1 else ''} ({openings})"
    each = f"{terms.games:,} game{'s' if terms.games > 1 else ''}" + (f" of each of {pairs} pairs" if pairs > 1 else "")
    report.say(f"{who}\n{each} on {board}, {opened}")


def leave_results(games: pd.DataFrame, folder: Path) -> None:
    """Write the summary of a match and draw its figures."""
    tables.write(summary_of(games), folder / "summary.csv")
    draw_match(folder, games)


def draw_match(folder: Path, games: pd.DataFrame | None = None) -> list[Path]:
    """Draw the figures of a match from its games, read from the folder unless they are given."""
    from experiments.matches import figures
    from numerics.output.style import files, page

    games = tables.read(folder / "games.parquet") if games is None else games
    places = [folder / "figures" / name for name in ("results", "lengths")]
    with page(places[0], (8.0, 2.6)) as figure:
        figures.draw_results(figure.subplots(), summary_of(games), COLOURS)
    with page(places[1], (8.0, 4.2)) as figure:
        figures.draw_lengths(figure.subplots(), games)
    return [file for place in places for file in files(place)]


def summary_of(games: pd.DataFrame) -> pd.DataFrame:
    """Return player 1's results: with the first move, with the second, and both together.

    Returns
    -------
    pandas.DataFrame
        player, opponent; colour: "first", "second" or "both"; games, wins, draws, losses; score = (wins + draws / 2) /
        games with the ends of its 95 % Wilson interval; the mean number of plies; how many games differ in their moves;
        lost_by_... and won_by_illegal_move, error and time: how many of the losses and wins were none of the board's.
    """
    import pandas as pd

    rows = []
    for colour, firsts in (("first", (1,)), ("second", (2,)), ("both", (1, 2))):
        own = games[games["first_player"].isin(firsts)]
        why = own["ending"].map(forfeit)
        rows.append(
            {"player": games["player1"].iloc[0], "opponent": games["player2"].iloc[0], "colour": colour}
            | tally(own["result"])
            | {"plies_mean": float(own["plies"].mean()), "distinct_games": own["moves"].nunique()}
            | {f"lost_by_{one}": int(((why == one) & (own["result"] == -1)).sum()) for one in FORFEITS}
            | {f"won_by_{one}": int(((why == one) & (own["result"] == 1)).sum()) for one in FORFEITS}
        )
    return pd.DataFrame(rows)


def say_what_limits(games: pd.DataFrame) -> None:
    """Say which games were lost otherwise than on the board, and when few games differ."""
    say_forfeits(games)
    for (one, other), own in games.groupby(["player1", "player2"], sort=False):
        different = own["moves"].nunique()
        if 2 * different <= len(own):
            report.say(
                f"only {different} of the {len(own)} games of {one} against {other} differ, while intervals take games "
                "as independent; openings=first_moves or openings=pairs varies them"
            )


def say_forfeits(games: pd.DataFrame) -> None:
    """Say which games were lost otherwise than on the board."""
    why = games["ending"].map(forfeit)
    loser = games["player2"].where(games["result"] == 1, games["player1"])
    for (label, one), own in games[why != ""].groupby([loser, why], sort=False):
        first = own.iloc[0]
        how = f"first in game {first['game']}: {first['ending']}"
        report.say(f"{label} lost {len(own)} game{'s' if len(own) > 1 else ''} by {FORFEITS[str(one)]} ({how})")
