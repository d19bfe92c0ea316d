"""Check what a user's game promises to a search, by random games; get the game of a board.

A search takes for granted, and no type says, that

- two sides move in turn, and what one wins the other loses;
- hooks depend on the position alone: no chance, and nothing hidden;
- `legal` and `outcome` leave the state as it is, and `play` changes it;
- an outcome belongs to the side that made the last move, a playout's result to the side to move;
- no game is longer than `most_plies`, and no position has more than `most_moves` moves.
"""

from __future__ import annotations

import contextlib
import random
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from numerics.checks import show
from numerics.games import UNDECIDED, Game, Playable, Words
from numerics.kernels.users import Told, user_errors
from numerics.random import Purpose, streams

_TRIED: set[tuple[Any, ...]] = set()  # the hooks of games that have kept their promises in this process
_GAMES, _PLIES, _SECONDS = 16, 200, 0.05  # of the games that a first search tries
_STEPS = 60  # moves that are played to know which results can follow a position
_LATE = 4  # last positions of a game for which that is asked
_SLACK = 4_096  # words behind `moves`, for a kernel of a user's that writes too many
_STREAMS, _ROW = 3, 2  # of the random numbers of a playout
_SHOWN = 12  # moves of a game in a sentence
_GUIDE = "docs/guides/own_game.md"


def unfinished_game(board: Playable) -> Game:
    """Return the game of an unfinished position, with its own state; check the promises of a new game.

    Raises
    ------
    ValueError
        The board has no game, its game is over, or a user's game breaks a promise.
    """
    game = getattr(board, "game", None)
    if not isinstance(game, Game):
        wanted = "board must be a position with a game, such as connect4.Board()"
        raise ValueError(f"{wanted}; got {show(board)}; {_GUIDE} shows how to write the hooks of a game")
    game = game.at(game.state.copy(), game.most_plies)  # a user may go on to change the array
    with user_errors((game,)):
        finished = game.most_plies < 1 or game.outcome(game.state) != UNDECIDED
    if finished:
        _refuse_bool(game)
        raise ValueError(f"board must be a position that is not finished; got {show(board)}")
    if not game.is_ours:
        hooks = (game.legal, game.play, game.outcome, *game.playouts.values(), *game.priors.values(), game.to_move)
        if hooks not in _TRIED:
            try_promises(game, _GAMES, most_plies=_PLIES, seconds=_SECONDS)
            _TRIED.add(hooks)
    return game


def _refuse_bool(game: Game) -> None:
    """Raise ValueError if a user's outcome hook returns a bool, which compiled code takes for DRAWN or WON."""
    plain, answer = getattr(game.outcome, "plain", None), None
    if plain is not None:
        with contextlib.suppress(Exception):  # it may run only where it is compiled
            answer = plain(game.state.copy())
        if isinstance(answer, bool | np.bool_):
            raise ValueError(
                f"{_name('outcome', game.outcome)} must return WON, DRAWN, LOST or UNDECIDED; got {answer}"
            )


def try_promises(
    game: Game, games: int, *, seed: int = 0, most_plies: int | None = None, seconds: float = np.inf
) -> int:
    """Play random games by the hooks of a game, and compare what the hooks say; return how many games were played.

    Parameters
    ----------
    game : Game
        A position that is not over.
    games : int
        How many games to play.
    seed : int, default 0
        Of the random moves.
    most_plies : int, optional
        Moves of all games together, after which no other is begun, and a game is broken off. Without it, a game that
        is longer than it says breaks a promise; a search would end it there by a playout.
    seconds : float, optional
        After which the games are broken off.

    Raises
    ------
    ValueError
        A promise is broken: one sentence names the hook, and the moves that lead to the position.
    """
    draws, end, played, plies = random.Random(seed), time.monotonic() + seconds, 0, 0
    trial = _Trial(game, seed)
    with user_errors((game,)), np.errstate(over="ignore"):
        while played < games and (most_plies is None or plies < most_plies) and time.monotonic() < end:
            longest = game.most_plies if most_plies is None else min(game.most_plies, most_plies - plies)
            plies += trial.play(draws, longest, end, is_whole=most_plies is None)
            played += 1
    return played


class _Trial:
    """Random games by the hooks of a game."""

    def __init__(self, game: Game, seed: int):
        self._game, self._seed, self._playouts = game, seed, 0
        self._line: list[int] = []  # the moves so far
        room = np.empty(game.most_moves + _SLACK, np.int64)
        self._moves = room[: game.most_moves]
        self._sides = {} if game.to_move is None else {0: int(game.state[game.to_move])}  # by the parity of the move

    def play(self, draws: random.Random, longest: int, end: float, *, is_whole: bool) -> int:
        """Play a game, of so many moves at most; return its length."""
        game, state, known = self._game, self._game.state.copy(), UNDECIDED
        states, self._line = [], list[int]()
        while known == UNDECIDED:
            if len(self._line) >= longest or time.monotonic() > end:
                break
            states.append(state)
            moves = self._legal(state)
            self._prior(state, moves)
            self._playout(state, 0.0, 1.0)
            move = draws.choice(moves)
            state = self._play(state, move)
            self._line.append(move)
            self._turn(state)
            known = self._outcome(state)
        if known == UNDECIDED and is_whole:
            self._broken(f"most_plies is {game.most_plies}, but", "a game is not over")
        length = len(self._line)
        for ply in range(length - 1, max(-1, length - 1 - _LATE), -1) if known != UNDECIDED else ():
            self._line = self._line[:ply]
            results = self._results(states[ply], [_STEPS], longest - ply)
            if results is None:
                break
            self._playout(states[ply], *results)
        return max(length, 1)

    def _broken(self, what: str, wrong: str) -> None:
        shown = f"{', '.join(map(str, self._line[:_SHOWN]))}{', ...' * (len(self._line) > _SHOWN)}"
        where = f" after the moves {shown}" if self._line else " in the given position"
        raise Told(f"{what} {wrong}{where}")

    def _outcome(self, state: Words) -> int:
        hook, first, second = self._game.outcome, state.copy(), state.copy()
        answers = int(hook(first)), int(hook(second))
        if not np.array_equal(first, state):
            self._broken(_name("outcome", hook), "must not change the state; it does")
        if answers[0] != answers[1]:
            self._broken(_name("outcome", hook), "must depend on the state alone; it gives two different answers")
        return answers[0]

    def _legal(self, state: Words) -> list[int]:
        hook, lists = self._game.legal, list[list[int]]()
        for _ in range(2):
            own = state.copy()
            self._moves.fill(-1)
            count = int(hook(own, self._moves))
            if not 1 <= count <= self._moves.size:
                self._broken(_name("legal", hook), f"must give 1 to most_moves moves; it gives {count}")
            lists.append(self._moves[:count].tolist())
            if not np.array_equal(own, state):
                self._broken(_name("legal", hook), "must not change the state; it does")
        moves = lists[0]
        wrong = [move for move in moves if not 0 <= move <= 32_767]
        if wrong:
            self._broken(
                _name("legal", hook),
                f"must write moves from 0 to 32767; it writes {wrong[0]}, or fewer than it returns",
            )
        if len(set(moves)) < len(moves):
            twice = next(move for move in moves if moves.count(move) > 1)
            self._broken(_name("legal", hook), f"must give each move once; it gives {twice} twice")
        if self._game.pass_move in moves and len(moves) > 1:
            self._broken(_name("legal", hook), f"must give pass_move, {self._game.pass_move}, as the only move")
        if moves != lists[1]:
            self._broken(_name("legal", hook), "must depend on the state alone; it gives two different lists")
        return moves

    def _play(self, state: Words, move: int) -> Words:
        hook, first, second = self._game.play, state.copy(), state.copy()
        hook(first, move)
        hook(second, move)
        name = _name("play", hook)
        if not np.array_equal(first, second):
            self._broken(name, f"must not use chance; move {move} leads to two positions")
        if np.array_equal(first, state):
            self._broken(name, f"must change the state; move {move} does not")
        return first

    def _turn(self, after: Words) -> None:
        """Compare who is to move with who was before the last two moves, where the state shows it."""
        word = self._game.to_move
        if word is not None:
            side = int(after[word])
            known = self._sides.setdefault(len(self._line) % 2, side)
            if side != known or len(set(self._sides.values())) < 2:
                self._broken(f"state[{word}], the side to move,", f"must alternate between two values; it is {side}")

    def _prior(self, state: Words, moves: Sequence[int]) -> None:
        for hook in self._game.priors.values():
            own, out = state.copy(), np.full(len(moves), np.nan)
            hook(own, np.array(moves, dtype=np.int64), out)
            if not (out >= 0.0).all() or abs(out.sum() - 1.0) > 1e-6:
                self._broken(_name("prior", hook), f"must write probabilities that sum to 1; it writes {out.tolist()}")
            if not np.array_equal(own, state):
                self._broken(_name("prior", hook), "must not change the state; it does")

    def _playout(self, state: Words, low: float, high: float) -> None:
        """Make a playout by each hook, twice, and compare a win or a loss with the results that can follow."""
        for hook in self._game.playouts.values():
            first = streams(self._seed, (Purpose.TREE_SEARCH,), self._playouts, _STREAMS)
            self._playouts += 1
            before, second = first.copy(), first.copy()
            results = float(hook(state.copy(), first, _ROW)), float(hook(state.copy(), second, _ROW))
            name, result = _name("playout", hook), results[0]
            if not 0.0 <= result <= 1.0:
                self._broken(name, f"must return a number from 0 to 1; it returns {result:g}")
            if results[0] != results[1]:
                self._broken(name, "must draw from row r of rng alone; the same row gives two results")
            if not np.array_equal(first[:_ROW], before[:_ROW]):
                self._broken(name, "must draw from row r of rng alone; it changes another")
            if (result == 1.0 and high < 1.0) or (result == 0.0 and low > 0.0):  # other numbers may be estimates
                only = f"{low:g}" if low == high else f"{low:g} to {high:g}"
                self._broken(
                    name,
                    f"gives the side to move {result:g}, but with alternating sides the outcomes allow only {only},",
                )

    def _results(self, state: Words, steps: list[int], left: int) -> tuple[float, float] | None:
        """Return the least and greatest result that can follow for the side to move; None after too many steps."""
        worst, best = 1.0, 0.0
        for after in self._positions_after(state):
            steps[0] -= 1
            known = int(self._game.outcome(after.copy()))
            if known != UNDECIDED:
                low = high = 0.5 + 0.5 * known
            elif steps[0] < 0 or left <= 1:
                return None
            else:
                below = self._results(after, steps, left - 1)
                if below is None:
                    return None
                low, high = 1.0 - below[1], 1.0 - below[0]
            worst, best = min(worst, low), max(best, high)
        return worst, best

    def _positions_after(self, state: Words) -> Iterator[Words]:
        room = np.full(self._moves.size, -1, np.int64)
        count = int(self._game.legal(state.copy(), room))
        for move in room[:count].tolist():
            after = state.copy()
            self._game.play(after, move)
            yield after


def _name(kind: str, hook: Any) -> str:
    return f"{kind} hook {hook.__module__}.{hook.__qualname__.partition('._watched_')[0]}"
