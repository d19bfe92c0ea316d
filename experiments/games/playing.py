"""The games of a match: their openings, colours and seeds; how they are played and stored.

Game number g of a run has a seed of its own, drawn from (the run's seed, g). Player k = 1, 2 of the pair is reset
before each game and plays it from that seed's stream number k. So results do not depend on who runs the games, in what
order, or in how many parts. Games 2 i and 2 i + 1 of a pair have one opening; each player has the first move in one.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4.referee import GameRecord
from experiments.engine.errors import say
from experiments.engine.tasks import Task, parts_of
from experiments.games.openings import Moves
from experiments.games.referee import Played
from experiments.games.rules import Connect4, Rules
from experiments.players.specs import PlayerSpec, source_files
from numerics.kernels.sources import digest
from numerics.output import tables
from numerics.players import Player
from numerics.random import Purpose, derived_seed

if TYPE_CHECKING:
    import pandas as pd

Pair = tuple[PlayerSpec, PlayerSpec]
Referee = Callable[..., GameRecord]  # (who moves first, the other, the opening, the game's seed) -> how it went

TIMINGS = {"game": "int64", "seconds1": "float64", "seconds2": "float64", "moves1": "int64", "moves2": "int64"}
GAMES = {
    "game": "int64",
    "seed": "uint64",
    "player1": "str",
    "player2": "str",
    "opening": "str",
    "first_player": "int64",
    "moves": "str",
    "plies": "int64",
    "result": "int64",
    "winner": "str",
    "ending": "str",
}
"""The columns of games.parquet, one row a game.

game
    Its number, from 0; unique in a run.
seed
    The game's own: `make_player(..., seed=seed)` with `.reset(1)` for player 1 and `.reset(2)` for player 2 plays it.
player1, player2
    Labels of the pair.
opening
    The moves that were given, in Pons notation (columns from 1); empty for none. Moves of another game than Connect 4
    are words, with blanks between them, as `experiments.games.referee.words_of` writes them.
first_player
    1 or 2: which of the two has the first move (and the stones X); where a game begins with chance, which is player 0.
moves, plies
    All moves on the board in Pons notation, the opening's among them, and their number. Draws of chance are no moves.
result
    From player 1's side: 1 won, 0 drawn, -1 lost.
winner
    A label, or "draw".
ending
    "row", "full" ("result" in another game than Connect 4), or what the loser did: "illegal move: column 1 is full"
    (counted from 1), "illegal move: returned 7" (what the player's `play_pairs` gave), or an exception with its text.
"""
ELSEWHERE = {"total1": "float64", "total2": "float64", "chance_draws": "int64"}
"""Further columns of another game than Connect 4.

total1, total2
    The sum of rewards and result of each player, which decide who wins; NaN in a game that was lost otherwise.
chance_draws
    How often chance was drawn.
"""


@dataclass(frozen=True)
class MatchSettings:
    """The settings that all games of a run share.

    `games` is the number of games of each pair. With `paired`, game number n of every pair has the seed of game n of
    the first pair. So pairs that differ in a parameter can be compared game by game.
    """

    rules: Rules
    openings: tuple[Moves, ...]
    games: int
    seed: int
    paired: bool = False


def in_whole_rounds(games: int, openings: int = 1) -> dict[str, int]:
    """Return the number of games rounded up to whole rounds (each opening, with either player moving first); print it.

    A sweep prints it too, beside the run.

    Examples
    --------
    >>> in_whole_rounds(100, 7), in_whole_rounds(112, 7)
    ({'games': 112}, {})
    """
    whole = 2 * openings
    rounded = -(-games // whole) * whole
    if rounded == games:
        return {}
    each = f"{openings} openings, each" if openings > 1 else "half of them"
    say(f"games={rounded} instead of {games}, to be a multiple of {whole}: {each} with either player moving first")
    return {"games": rounded}


def source_digest(players: Iterable[PlayerSpec], terms: MatchSettings) -> str:
    """Return the other inputs of games, besides the configuration and this file: openings, and the source of users."""
    files = {file for player in players for file in source_files(player)} | {*terms.rules.source_files()}
    return " ".join([repr(terms.openings), *map(digest, sorted(files))])


def plan(pairs: Sequence[Pair], terms: MatchSettings, folder: Path, first: int = 0) -> list[Task]:
    """Cut all games of all pairs, numbered from `first` on, into tasks; the cut does not depend on the executor."""
    return [
        Task(
            folder / f"game{before + part[0]:09d}.parquet",
            play_games,
            (pair, terms, before, before + part[0], len(part)),
            len(part),
        )
        for before, pair in zip(itertools.count(first, terms.games), pairs, strict=False)
        for part in parts_of(terms.games, among=len(pairs))
    ]


def play_games(path: Path, pair: Pair, terms: MatchSettings, before: int, first: int, count: int) -> None:
    """Play games `first` ... `first + count - 1` of a run and store them; number `before` is the pair's first."""
    pair = copy_pair(pair)
    rows = [play_pairs(pair, terms, game - before, game) for game in range(first, first + count)]
    columns = {**GAMES, **({} if isinstance(terms.rules, Connect4) else ELSEWHERE), **TIMINGS}
    tables.write(tables.table_of(rows).astype(columns), path)


def play_pairs(
    pair: Pair, terms: MatchSettings, number: int, game: int, referee: Referee | None = None
) -> dict[str, Any]:
    """Play game `number` of a pair, `game` of the run, under a referee, that of the rules by default; return its row.

    The players are reset, so that threads need pairs of their own: see `copy_pair`.
    """
    opening = terms.openings[number // 2 % len(terms.openings)]
    first = 1 + number % 2
    seed = derived_seed(terms.seed, (Purpose.MATCH_GAME, number if terms.paired else game))
    sides = [_begin(spec.made, seed, seat) for seat, spec in enumerate(pair, start=1)]
    mover, other = sides if first == 1 else reversed(sides)
    played = (referee or terms.rules.play)(mover, other, opening, seed)
    result = played.result if first == 1 else -played.result
    seconds = played.seconds if first == 1 else played.seconds[::-1]
    movers = terms.rules.movers(played, len(opening))
    more: dict[str, Any] = {}
    if isinstance(played, Played):
        totals = played.totals if first == 1 else played.totals[::-1]
        more = dict(zip(ELSEWHERE, (*totals, played.draws), strict=True))
    return {
        "game": game,
        "seed": seed,
        "player1": pair[0].label,
        "player2": pair[1].label,
        "opening": terms.rules.write_opening(opening),
        "first_player": first,
        "moves": terms.rules.write_game(played),
        "plies": len(played.moves),
        "result": result,
        "winner": {1: pair[0].label, 0: "draw", -1: pair[1].label}[result],
        "ending": played.ending,
        "seconds1": seconds[0],
        "seconds2": seconds[1],
        "moves1": movers.count(0 if first == 1 else 1),
        "moves2": movers.count(1 if first == 1 else 0),
        **more,
    }


def copy_pair(pair: Pair) -> Pair:
    """Return a pair with copies of its players, which play the games of one task."""
    first, second = (dataclasses.replace(spec, made=spec.player()) for spec in pair)
    return first, second


def _begin(player: Player, seed: int, seat: int) -> Any:
    """Return a player at the start of its stream for a game; one that cannot be reset loses at its first move."""
    player.seed = seed
    try:
        player.reset(seat)
    except Exception as error:
        failure = error

        def fail(board: Any) -> Any:
            raise failure

        return fail
    return player


def gather(planned: Sequence[Task]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return all games of a run and their timings, in the order of the games."""
    rows = tables.read_all([task.path for task in planned])
    return rows[[name for name in (*GAMES, *ELSEWHERE) if name in rows]], rows[list(TIMINGS)]


def facts_of(seed: int, players: Iterable[PlayerSpec], timings: pd.DataFrame) -> dict[str, Any]:
    """Return what the manifest keeps of a run's games: the seed, the seconds of the players, and who they are."""
    seconds = round(float(timings[["seconds1", "seconds2"]].to_numpy().sum()), 3)
    named = [{"label": spec.label, "name": spec.name} for spec in players]
    return {"seed": seed, "timings": {"playing": seconds}, "players": named}


def labelled_apart(pair: Pair) -> Pair:
    """Return the pair with labels that tables can tell apart, where both players are the same."""
    if pair[0].label != pair[1].label:
        return pair
    first, second = (dataclasses.replace(spec, label=f"{spec.label} ({seat})") for seat, spec in enumerate(pair, 1))
    return first, second
