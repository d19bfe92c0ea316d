"""The games of a match: which are played, with which openings, colours and seeds; played and stored in shards.

Game number g of a run has a seed of its own, drawn from (the run's seed, g). Player k = 1, 2 of the pair is made anew
for each game from that seed and plays from its stream number k, so that nothing depends on who runs the games, in what
order, or in how many parts. Games 2 i and 2 i + 1 of a pair have one opening; each player has the first move in one.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4 import Board, notation
from connect4.referee import GameRecord, play_game
from experiments.engine.experiment import Task
from experiments.matches.openings import Moves, openings_of
from experiments.players.specs import PlayerSpec, source_files
from numerics import checks
from numerics.kernels.sources import digest
from numerics.output import tables
from numerics.random import Purpose, derived_seed

if TYPE_CHECKING:
    import pandas as pd

_TASKS = 100  # of a run, about: each pays a few milliseconds for its file
_MOST_GAMES = 10_000_000
TOO_LATE = "no move after"  # how the ending of a game begins that was lost by the limit of a custom player
FORFEITS = {"illegal_move": "illegal move", "error": "error", "time": "time"}

Pair = tuple[PlayerSpec, PlayerSpec]
Referee = Callable[..., GameRecord]  # (who moves first, the other, the board to begin on) -> how it went

TIMINGS = {"game": "int64", "seconds1": "float64", "seconds2": "float64", "moves1": "int64", "moves2": "int64"}
GAMES = {
    "game": "int64", "seed": "uint64", "player1": "str", "player2": "str", "opening": "str", "first_player": "int64",
    "moves": "str", "plies": "int64", "result": "int64", "winner": "str", "ending": "str",
}  # fmt: skip
"""The columns of games.parquet, one row a game.

game
    Its number, from 0; unique in a run.
seed
    The game's own: `make_player(..., seed=seed)` with `.reset(1)` for player 1 and `.reset(2)` for player 2 plays it.
player1, player2
    Labels of the pair.
opening
    The moves that were given, in Pons notation (columns from 1); empty for none.
first_player
    1 or 2: which of the two has the first move (and the stones X).
moves, plies
    All moves on the board in Pons notation, the opening's among them, and their number.
result
    From player 1's side: 1 won, 0 drawn, -1 lost.
winner
    A label, or "draw".
ending
    "row", "full", or what the loser did: "illegal move 7" (a 0-based column), or an exception with its text.
"""


@dataclass(frozen=True)
class Terms:
    """What all games of a run have in common.

    `games` is the number of games of each pair. With `paired`, game number n of every pair has the seed of game n of
    the first one, so that pairs that differ in a parameter can be compared game by game.
    """

    board: Board
    openings: tuple[Moves, ...]
    games: int
    seed: int
    paired: bool = False


def terms_of(config: Mapping[str, Any], *, whole_rounds: bool = True) -> Terms:
    """Check the terms of a match or a tournament.

    Raises
    ------
    ValueError
        A value out of its range; with `whole_rounds`, a number of games that does not give both players each opening
        equally often with the first move.
    """
    games = checks.whole("games", config["games"], 1, most=_MOST_GAMES)
    seed = checks.whole("seed", config["seed"], 0)
    board = Board.of_size(config["board"], config["connect"])
    openings = openings_of(config["openings"], board)
    if whole_rounds:
        check_rounds(games, len(openings))
    return Terms(board, tuple(openings), games, seed)


def check_rounds(games: int, openings: int) -> None:
    """Refuse a number of games that does not give both players each opening equally often with the first move."""
    together = 2 * openings
    if games % together == 0:
        return
    rounds = max(1, games // together)
    each = "with either player moving first"
    raise ValueError(
        f"games must be a multiple of {together} ({openings} openings, each {each}), "
        f"such as {rounds * together} or {(rounds + 1) * together}; got {games}"
        if openings > 1
        else f"games must be a multiple of 2, half of them {each}; got {games}"
    )


def plan(pairs: Sequence[Pair], terms: Terms, folder: Path, first: int = 0) -> list[Task]:
    """Cut all games of all pairs, numbered from `first` on, into tasks; the cut does not depend on the executor."""
    size = -(-len(pairs) * terms.games // _TASKS)
    return [
        Task(
            folder / f"game{before + start:09d}.parquet",
            play_games,
            (pair, terms, before, before + start, min(size, terms.games - start)),
        )
        for before, pair in zip(itertools.count(first, terms.games), pairs, strict=False)
        for start in range(0, terms.games, size)
    ]


def play_games(path: Path, pair: Pair, terms: Terms, before: int, first: int, count: int) -> None:
    """Play games `first` ... `first + count - 1` of a run and store them; number `before` is the pair's first."""
    import pandas as pd

    rows = [play(pair, terms, game - before, game) for game in range(first, first + count)]
    tables.write(pd.DataFrame(rows).astype({**GAMES, **TIMINGS}), path)


def play(pair: Pair, terms: Terms, number: int, game: int, referee: Referee = play_game) -> dict[str, Any]:
    """Play game `number` of a pair, `game` of the run, under a referee; return its row of both tables."""
    opening = terms.openings[number // 2 % len(terms.openings)]
    first = 1 + number % 2
    seed = derived_seed(terms.seed, (Purpose.MATCH_GAME, number if terms.paired else game))
    board = terms.board.copy()
    for column in opening:
        board.play(column)
    sides = [_seated(spec, seed, place) for place, spec in enumerate(pair, start=1)]
    played = referee(*(sides if first == 1 else reversed(sides)), board)
    width, plies = terms.board.width, len(played.moves)
    result = played.result if first == 1 else -played.result
    seconds = played.seconds if first == 1 else played.seconds[::-1]
    own = [ply % 2 for ply in range(len(opening), plies)]  # 0 where the player with the first move moved
    return {
        "game": game,
        "seed": seed,
        "player1": pair[0].label,
        "player2": pair[1].label,
        "opening": notation.write(opening, width),
        "first_player": first,
        "moves": notation.write(played.moves, width),
        "plies": plies,
        "result": result,
        "winner": {1: pair[0].label, 0: "draw", -1: pair[1].label}[result],
        "ending": played.ending,
        "seconds1": seconds[0],
        "seconds2": seconds[1],
        "moves1": own.count(0 if first == 1 else 1),
        "moves2": own.count(1 if first == 1 else 0),
    }


def _seated(spec: PlayerSpec, seed: int, place: int) -> Any:
    """Return a player at the start of its stream; one that cannot be made or reset loses at its first move."""
    try:
        player = spec.player(seed)
        player.reset(place)
    except Exception as error:
        failure = error

        def fail(board: Board) -> int:
            raise failure

        return fail
    return player


def gather(planned: Sequence[Task]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return all games of a run and their timings, in the order of the games."""
    import pandas as pd

    rows = pd.concat([tables.read(task.path) for task in planned], ignore_index=True)
    return rows[list(GAMES)], rows[list(TIMINGS)]


def forfeit(ending: str) -> str:
    """Return by what a game was lost, a key of FORFEITS, or nothing where it was played to its end.

    Examples
    --------
    >>> forfeit("illegal move 7"), forfeit("row")
    ('illegal_move', '')
    """
    if ending in ("row", "full"):
        return ""
    if ending.startswith("illegal move"):
        return "illegal_move"
    return "time" if ending.startswith(TOO_LATE) else "error"


def labelled_apart(pair: tuple[PlayerSpec, PlayerSpec]) -> tuple[PlayerSpec, PlayerSpec]:
    """Return the pair with labels that tables can tell apart, where both players are the same."""
    if pair[0].label != pair[1].label:
        return pair
    one, two = (dataclasses.replace(spec, label=f"{spec.label} ({place})") for place, spec in enumerate(pair, start=1))
    return one, two


def source_digest(specs: Sequence[PlayerSpec], terms: Terms) -> str:
    """Return a digest of what the games depend on besides the configuration: all source code, and the openings."""
    total = hashlib.sha256(repr(terms.openings).encode())
    for file in sorted({__file__, *(file for spec in specs for file in source_files(spec))}):
        total.update(digest(file).encode())
    return total.hexdigest()[:16]
