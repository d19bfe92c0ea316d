"""The results of games: counted with intervals, how each game ended, and the games of a finished run's folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4 import Board
from experiments.engine.manifest import read_finished
from experiments.engine.store import read_config
from experiments.games.referee import ENDED
from experiments.games.rules import CONNECT, GAMES, SIZE, Connect4, Rules
from numerics.output import tables
from numerics.statistics.scores import tally

if TYPE_CHECKING:
    import pandas as pd

TOO_LATE = "no move after"  # begins the ending of a game that a custom player lost by its time limit
COLOURS = {"first": "moving first", "second": "moving second", "both": "together"}
FORFEITS = {"illegal_move": "illegal move", "error": "error", "time": "time"}


def summary_of(games: pd.DataFrame) -> pd.DataFrame:
    """Return player 1's results: with the first move, with the second, and both together.

    Returns
    -------
    pandas.DataFrame
        player, opponent; colour: "first", "second" or "both"; games, wins, draws, losses. score = (wins + draws / 2) /
        games with the ends of its 95 % interval (`tally_of`). The mean number of plies, and the number of games with
        different moves. lost_by_... and won_by_illegal_move, error and time: the losses and wins by forfeit.
    """
    rows = []
    for colour, firsts in (("first", (1,)), ("second", (2,)), ("both", (1, 2))):
        of_firsts = games[games["first_player"].isin(firsts)]
        why = of_firsts["ending"].map(forfeit)
        rows.append(
            {"player": games["player1"].iloc[0], "opponent": games["player2"].iloc[0], "colour": colour}
            | tally_of(of_firsts)
            | {"plies_mean": float(of_firsts["plies"].mean()), "distinct_games": lines_of(of_firsts).nunique()}
            | {f"lost_by_{reason}": int(((why == reason) & (of_firsts["result"] == -1)).sum()) for reason in FORFEITS}
            | {f"won_by_{reason}": int(((why == reason) & (of_firsts["result"] == 1)).sum()) for reason in FORFEITS}
        )
    return tables.table_of(rows)


def lines_of(games: pd.DataFrame) -> pd.Series[str]:
    """Return what tells games apart: their moves, and where chance was drawn their seeds, too."""
    moves = games["moves"]
    if "chance_draws" not in games:
        return moves
    return moves.where(games["chance_draws"] == 0, moves + " " + games["seed"].astype(str))


def tally_of(games: pd.DataFrame, *strata: str) -> dict[str, int | float]:
    """Count player 1's results, with an interval for which games of one opening are one observation, not two.

    Without openings each game is one, and those with either player moving first are a stratum each.

    Parameters
    ----------
    games : pandas.DataFrame
        The columns game, opening, first_player and result.
    strata : str
        Further columns that tell which games have one law, such as the opponent.
    """
    opened = bool((games["opening"] != "").any())
    named = [*strata, *([] if opened else ["first_player"])]
    apart = games.groupby(named, sort=False).ngroup() if named else None
    return tally(games["result"], games["game"] // 2 if opened else None, apart)


def forfeit(ending: str) -> str:
    """Return the forfeit that lost a game, a key of FORFEITS, or nothing if the game was played to its end.

    Examples
    --------
    >>> forfeit("illegal move: column 1 is full"), forfeit("row")
    ('illegal_move', '')
    """
    if ending in ("row", "full", ENDED):
        return ""
    if ending.startswith("illegal move"):
        return "illegal_move"
    return "time" if ending.startswith(TOO_LATE) else "error"


def ending_text(game: Mapping[Any, Any]) -> str:
    """Return in a few words how a game of games.parquet ended."""
    if game["result"] == 0:
        return f"drawn after {game['plies']} plies"
    loser = game["player2"] if game["result"] == 1 else game["player1"]
    lost = f"; {loser} forfeited: {game['ending']}" if forfeit(game["ending"]) else ""
    return f"{game['winner']} wins after {game['plies']} plies{lost}"


def ground(settings: Mapping[str, Any]) -> str:
    """Return where the games of a configuration are played, as a title has it.

    Examples
    --------
    >>> ground({"board": "7x6", "connect": 4}), ground({"board": "4x3", "connect": 3})
    ('on 7x6', 'on 4x3 with 3 in a row')
    >>> ground({"game": {"name": "custom", "cls": "my_games.Nim", "size": 5}})
    'at my_games.Nim size=5'
    """
    rules = rules_of(settings)
    if not isinstance(rules, Connect4):
        return rules.title
    return f"on {rules.board}" + (f" with {rules.connect} in a row" if rules.connect != CONNECT else "")


def rules_of(settings: Mapping[str, Any]) -> Rules:
    """Return the rules of a run's configuration; one without a game, such as an older one, is of Connect 4."""
    rules = GAMES.of(settings.get("game", Connect4.name))
    return rules.sized(settings.get("board", SIZE), settings.get("connect", CONNECT))


def played_in(folder: Path) -> tuple[pd.DataFrame, Rules]:
    """Return the games of a finished run, and their rules.

    Raises
    ------
    ValueError
        No finished match or tournament in it.
    """
    if not (folder / "games.parquet").exists() or read_finished(folder) is None:
        raise ValueError(f"folder {str(folder)!r} holds no finished match or tournament (no games.parquet)")
    return tables.read(folder / "games.parquet"), rules_of(read_config(folder / "config.yaml"))


def games_of(folder: Path) -> tuple[pd.DataFrame, Board]:
    """Return the games of a finished run, and their empty board.

    Raises
    ------
    ValueError
        No finished match or tournament in it, or one of another game than Connect 4.
    """
    games, rules = played_in(folder)
    if not isinstance(rules, Connect4):
        raise ValueError(f"folder {str(folder)!r} must hold games of Connect 4; its games are {rules.title}")
    return games, rules.empty.copy()


def row_of(games: pd.DataFrame, number: int) -> Mapping[Any, Any]:
    """Return a game's row of games.parquet.

    Raises
    ------
    ValueError
        No such game.
    """
    chosen = games[games["game"] == number]
    if chosen.empty:
        raise ValueError(f"game must be from {games['game'].min()} to {games['game'].max()}; got {number}")
    return chosen.to_dict("records")[0]


def game_of(folder: Path, number: int) -> tuple[Mapping[Any, Any], Board]:
    """Return a game's row of games.parquet and its last position.

    Raises
    ------
    ValueError
        No finished match or tournament in it, or no such game.
    """
    games, empty = games_of(folder)
    row = row_of(games, number)
    return row, Board.from_moves(str(row["moves"]), empty.width, empty.height, empty.connect)
