"""The exact score that every move of a played game gave away, and the move that decided the game.

A game of Connect 4 is judged from its end to its beginning, because each solved position helps to solve the one before.
Only proven facts are stored. A position that is not solved in time has no score, and has a value only if the proven
bounds decide it. The positions of other games give their scores by `scores()`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from connect4 import Board, notation
from connect4.solver.solver import check_solvable
from experiments.games.positions import PositionRules
from experiments.games.referee import words_of
from experiments.games.results import forfeit
from experiments.games.rules import Connect4, Rules
from experiments.players import proven
from experiments.players.proven import Bounds
from numerics.output import tables
from numerics.positions import moves_of, scores_of, told

if TYPE_CHECKING:
    import pandas as pd

MOVE, START, FORFEIT, UNKNOWN = "move", "start", "forfeit", "unknown"  # what decided a game
PHASES = ("early", "middle", "late")

MOVES = {
    "game": "int64",
    "ply": "int64",
    "player": "str",
    "column": "int64",
    "score_before": "Int64",
    "score_after": "Int64",
    "loss": "Int64",
    "value_before": "Float64",
    "value_after": "Float64",
    "keeps_value": "boolean",
    "decided": "bool",
}
"""The columns of moves.parquet, one row a move of a player; moves of the opening have none.

game, ply
    The game's number, and the moves before this one: the stones on the board.
player, column
    Who made it (a label), and the 0-based column; in another game than Connect 4 `move`, as games.parquet writes it.
score_before, score_after
    The exact score of the position for the player, before and after the move; empty where it is not proven.
loss
    By how much the score fell, at least 0; a point of Connect 4 is a win two plies later, or a loss two plies sooner.
value_before, value_after
    1 for a win, 1/2 for a draw, 0 for a loss of the player, if both sides play their best; empty if not proven.
keeps_value
    Whether the two are equal; a move that does not keep the value is a blunder.
decided
    Whether it is the blunder that decided the game: the last one, after which the value was the result to the end.
"""
DECISIONS = {"game": "int64", "decided_by": "str", "ply": "Int64", "player": "str"}
"""The columns of decisions.parquet, one row a game.

decided_by
    "move" (a blunder), "start" (the result is the value of the position that the players began with, which nobody
    changed), "forfeit" (an illegal move, an error or the time), or "unknown" (a position is not solved that may have
    been changed in value last).
ply, player
    Of the blunder; empty where none decided the game.
"""


class Judged(NamedTuple):
    """A move of a game, and what is proven of the score for the side that made it."""

    ply: int
    mover: int  # 0 the player who moved first, 1 the other
    move: int | str  # the 0-based column; of another game than Connect 4 a word
    before: Bounds
    after: Bounds


def check_exact(rules: Rules, games: pd.DataFrame) -> None:
    """Refuse games whose positions have no exact scores.

    Raises
    ------
    ValueError
        A board too large to be solved, or a game whose positions have no scores.
    """
    if isinstance(rules, Connect4):
        check_solvable(rules.empty)
        return
    next(chain.from_iterable(_say_scores(game, rules) for game in games.to_dict("records")), None)


def judge(path: Path, games: pd.DataFrame, rules: Rules, seconds: float) -> None:
    """Judge games, and store their decisions and then their moves."""
    judgements = [judge_game(game, rules, seconds) for game in games.to_dict("records")]
    moves, columns = [row for rows, _ in judgements for row in rows], columns_of(rules)
    tables.write(tables.table_of([decision for _, decision in judgements]).astype(DECISIONS), _decisions_of(path))
    tables.write(tables.table_of(moves, columns=list(columns)).astype(columns), path)


def columns_of(rules: Rules) -> dict[str, str]:
    """Return the columns of moves.parquet with their types: MOVES, with `move` as the column of another game."""
    if isinstance(rules, Connect4):
        return MOVES
    return {"move" if name == "column" else name: "str" if name == "column" else kind for name, kind in MOVES.items()}


def read(path: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the moves and the decisions that `judge` stored."""
    return tables.read(path), tables.read(_decisions_of(path))


def _decisions_of(path: Path) -> Path:
    return path.with_name(f"decided_{path.name}")


def judge_game(
    game: Mapping[Any, Any], rules: Rules, seconds: float, before_each: Callable[[], None] = lambda: None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Judge a game.

    Parameters
    ----------
    game : mapping
        A row of games.parquet.
    rules : Rules
        What was played, of which scores are known.
    seconds : float
        At most, for each position of Connect 4.
    before_each : callable
        Called before each move is judged; an exception that it raises ends the work.

    Returns
    -------
    rows, decision
        The rows of moves.parquet, and the row of decisions.parquet.
    """
    players = (str(game["player1"]), str(game["player2"]))
    players = players if game["first_player"] == 1 else players[::-1]
    if isinstance(rules, Connect4):
        judged = _prove_scores(game, rules.empty, seconds, before_each)
    else:
        judged = list(_say_scores(game, rules, before_each))
    names = list(columns_of(rules))
    rows = [dict(zip(names, _facts(int(game["game"]), players[one.mover], one), strict=True)) for one in judged]
    return rows, _decision(rows, int(game["game"]), str(game["ending"]))


def _prove_scores(
    game: Mapping[Any, Any], empty: Board, seconds: float, before_each: Callable[[], None]
) -> list[Judged]:
    """Judge the moves of a game of Connect 4 by the solver, the last one first."""
    moves = notation.parse(str(game["moves"]), empty.width)
    given = len(notation.parse(str(game["opening"]), empty.width))
    board = Board.from_moves(moves, empty.width, empty.height, empty.connect)
    judged = []
    for ply in reversed(range(given, len(moves))):
        before_each()
        board.undo()
        after = proven.after_move(board, moves[ply], seconds)
        before = proven.bounds_of(board.copy(), seconds)
        if before.low < after.low:  # the move itself proves this bound
            before = Bounds(after.low, max(before.high, after.low))
        judged.append(Judged(ply, ply % 2, moves[ply], before, after))
    return judged[::-1]


def _say_scores(
    game: Mapping[Any, Any], rules: Rules, before_each: Callable[[], None] = lambda: None
) -> Iterator[Judged]:
    """Yield the moves of another game, judged by what its positions say."""
    assert isinstance(rules, PositionRules)
    given = len(str(game["opening"]).split())
    played = rules.replayed(str(game["moves"]), int(game["seed"]))
    for ply, ((_, _, position), (mover, word, _)) in enumerate(pairwise(played)):
        if ply >= given:
            before_each()
            try:
                words, scores = words_of(moves_of(position)), scores_of(position)
            except Exception as error:
                raise told(error, str(game["moves"]).split()[:ply]) from error
            before, after = max(scores), scores[words.index(word)]
            yield Judged(ply, mover, word, Bounds(before, before), Bounds(after, after))


def _facts(game: int, player: str, judged: Judged) -> tuple[Any, ...]:
    """Return the values of a row of moves.parquet; None for a fact that is not proven."""
    before, after = judged.before, judged.after
    scores, values = (before.score, after.score), (before.value, after.value)
    loss = None if None in scores else before.low - after.low
    keeps_value = None if None in values else values[0] == values[1]
    return game, judged.ply, player, judged.move, *scores, loss, *values, keeps_value, False


def _decision(rows: Sequence[dict[str, Any]], game: int, ending: str) -> dict[str, Any]:
    """Find the last blunder, mark it, and return the row of decisions.parquet."""
    decision = {"game": game, "decided_by": START, "ply": None, "player": ""}
    if forfeit(ending):
        return {**decision, "decided_by": FORFEIT}
    for row in reversed(rows):
        if row["keeps_value"] is None:
            return {**decision, "decided_by": UNKNOWN}
        if not row["keeps_value"]:
            row["decided"] = True
            return {**decision, "decided_by": MOVE, "ply": row["ply"], "player": row["player"]}
    return decision


def phase(ply: int, length: int) -> str:
    """Return the third of a game in which a move is made after so many others.

    Parameters
    ----------
    ply : int
        Below the length.
    length : int
        Plies of the game, or the cells of a board that is being filled.

    Examples
    --------
    >>> phase(0, 42), phase(13, 42), phase(14, 42), phase(41, 42)
    ('early', 'early', 'middle', 'late')
    """
    return PHASES[3 * ply // length]
