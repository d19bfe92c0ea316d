"""One game of two players from a position of a user's class, with chance and rewards: an illegal move loses.

A fault of the game is not a player's: it ends the run with one sentence.
"""

from __future__ import annotations

import contextlib
import math
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from connect4.referee import GameRecord, one_line
from mcts import MonteCarloPlayer, UCTPlayer
from numerics import checks
from numerics.places import failure
from numerics.places import place_of as place_of_error
from numerics.players import Forfeit, Player, Plays, chooser_of, why_lost
from numerics.positions import CHANCE, MOST_STEPS, after_move, draw_from, endless, fault, moves_of, payoffs, player_of

ENDED = "result"  # the ending of a game by its own result
_TWO = 2  # players
_SEARCHES = (MonteCarloPlayer, UCTPlayer)  # which ask a position only as it promises


@dataclass(frozen=True)
class Played(GameRecord):
    """How a game from a position went.

    Attributes
    ----------
    result : int
        1 where the first player's total is greater, -1 where it is less, else 0; of a game lost otherwise, who lost it.
    moves : tuple
        The user's moves, including the opening; draws of chance are not among them.
    words : tuple of str
        The same moves, as `words_of` writes them.
    ending : str
        "result"; for a game lost otherwise the reason, such as "illegal move: returned 7".
    movers : tuple of int
        Who made each move: 0 for the first player, 1 for the other.
    totals : tuple of two floats
        The sum of the rewards and the result of each; NaN in a game lost otherwise.
    draws : int
        How often chance was drawn.
    """

    words: tuple[str, ...]
    movers: tuple[int, ...]
    totals: tuple[float, float]
    draws: int


class _Game:
    """A game that goes on: its position, and what has happened so far."""

    def __init__(self, start: Any, seed: int):
        self.position, self.rng, self.draws = start, random.Random(seed), 0
        self.moves: list[Any] = []
        self.words: list[str] = []
        self.movers: list[int] = []
        self.paid: list[tuple[float, ...]] = []
        with self.blamed():
            player = player_of(start, _TWO)
        self.lead = 0 if player == CHANCE else int(player)

    @contextlib.contextmanager
    def blamed(self) -> Iterator[None]:
        """Make one sentence of what the game does wrong."""
        try:
            yield
        except Exception as error:
            raise ValueError(fault(error, self.moves)) from error

    def next_mover(self) -> int | None:
        """Draw what chance decides; return who moves then, 0 for the first player, or None where the game is over."""
        while (result := self.position.result()) is None:
            if len(self.moves) + self.draws >= MOST_STEPS:
                raise endless(self.position)
            player = player_of(self.position, _TWO)
            if player != CHANCE:
                return int(player) ^ self.lead
            self.position = draw_from(self.position, self.rng)
            self.draws += 1
        self.paid.append(payoffs(self.position, "result", result, _TWO))
        return None

    def play(self, possible: Sequence[Any], place: int, mover: int) -> None:
        """Play the move at a place among the possible ones."""
        position, move = self.position, possible[place]
        self.moves.append(move)
        self.words.append(words_of(possible)[place])
        self.movers.append(mover)
        self.position, rewards = after_move(position, move)
        if rewards is not None:
            self.paid.append(payoffs(position, "play", rewards, _TWO))

    @property
    def totals(self) -> tuple[float, float]:
        """The sums of rewards and result of the first player and of the other."""
        return total_of(self.paid, self.lead), total_of(self.paid, 1 - self.lead)


def total_of(paid: Sequence[Sequence[float]], seat: int) -> float:
    """Return the sum of what a player was paid.

    Examples
    --------
    >>> total_of([(1.0, 0.0), (0.5, 2.0)], 0)
    1.5
    """
    return math.fsum(numbers[seat] for numbers in paid)


def play_position(
    first: Plays[Any] | Callable[[Any], Any],
    other: Plays[Any] | Callable[[Any], Any],
    start: Any,
    opening: Sequence[int] = (),
    seed: int = 0,
) -> Played:
    """Play a game of two players from a position to its end, and return its record.

    Parameters
    ----------
    first, other : player
        Anything with ``play(position) -> move``, or a function of a position. `first` is the player that moves first,
        or player 0 if the game begins with chance.
    start : object
        The position to begin from.
    opening : sequence of int
        The first moves that are given, by their places in `moves()`.
    seed : int
        Decides chance.

    Raises
    ------
    ValueError
        The game breaks a promise, or one of its methods fails.
    """
    game, players, seconds = _Game(start, seed), (first, other), [0.0, 0.0]
    given_up, given = None, list(opening)
    while given_up is None:
        with game.blamed():
            mover = game.next_mover()
            if mover is None:
                break
            possible = moves_of(game.position)
        if given:
            index = given.pop(0)
        else:
            begun = time.perf_counter()
            try:
                answer = chooser_of(players[mover])(game.position)
                index = place_of(answer, possible)
            except Illegal as illegal:
                given_up = str(illegal)
            except Exception as error:
                if isinstance(players[mover], _SEARCHES) and not isinstance(error, Forfeit):
                    raise ValueError(_fault_in_a_search(error, len(game.moves))) from error
                given_up = why_lost(error)
            finally:
                seconds[mover] += time.perf_counter() - begun
        if given_up is None:
            with game.blamed():
                game.play(possible, index, mover)
    if given_up is None:
        totals = game.totals
        result, ending = (totals[0] > totals[1]) - (totals[0] < totals[1]), ENDED
    else:
        totals, result, ending = (math.nan, math.nan), 1 if mover == 1 else -1, one_line(given_up)
    for player in players:
        if isinstance(player, Player):
            player.watch(game.position, ending)
    moves, words, movers = tuple(game.moves), tuple(game.words), tuple(game.movers)
    return Played(result, moves, ending, (seconds[0], seconds[1]), words, movers, totals, game.draws)


def _fault_in_a_search(error: Exception, plies: int) -> str:
    is_told = isinstance(error, ValueError) and not place_of_error(error)
    text = str(error) if is_told else f"a method fails: {failure(error)}"
    return f"{text}, in a search after {plies} move{'s' * (plies != 1)} of a game"


class Illegal(Exception):
    """A move that is not possible."""


def place_of(answer: Any, moves: Sequence[Any]) -> int:
    """Return the place of a player's answer among the moves.

    Raises
    ------
    Illegal
        It is none of them.

    Examples
    --------
    >>> place_of("b2", ["a1", "b2"])
    1
    """
    for index, move in enumerate(moves):
        if move is answer or (isinstance(move, bool) is isinstance(answer, bool) and _are_equal(move, answer)):
            return index
    raise Illegal(f"illegal move: returned {checks.show(answer)}")


def _are_equal(move: Any, answer: Any) -> bool:
    try:
        return bool(move == answer)
    except Exception:  # such as of an array
        return False


def words_of(moves: Sequence[Any]) -> list[str]:
    """Return the moves of a position as one word each, all different and the same in every process.

    A move is written with its place among them, from 1, where its text is that of another move or an address.

    Examples
    --------
    >>> words_of([(0, 2), "castle long", 1, "1", object()])
    ['(0,2)', 'castle_long', '1#3', '1#4', 'object#5']
    """
    words = ["_".join(str(move).replace(", ", ",").split()) for move in moves]
    has_address = ["_at_0x" in word for word in words]  # of an object without a text of its own
    words = [type(move).__name__ if bare else word for move, word, bare in zip(moves, words, has_address, strict=True)]
    counts, numbered = Counter(words), [f"{word}#{place}" for place, word in enumerate(words, start=1)]
    mixed = [
        number if bare or counts[word] > 1 else word
        for word, number, bare in zip(words, numbered, has_address, strict=True)
    ]
    return mixed if len(set(mixed)) == len(mixed) else numbered


def text_of(position: Any) -> str:
    """Return a position as its class writes it, or nothing where the class does not say.

    Examples
    --------
    >>> from fractions import Fraction
    >>> text_of(Fraction(1, 2)), text_of(object())
    ('1/2', '')
    """
    says = any({"__str__", "__repr__"} & {*vars(cls)} for cls in type(position).__mro__[:-1])
    return str(position) if says else ""


def replay_moves(start: Any, moves: Sequence[str], seed: int) -> Iterator[tuple[int, str, Any]]:
    """Play a game again; yield who moved, 0 for the first player, the move, and the position once chance has decided.

    The first is the position that the players began from, with -1 and an empty text.

    Parameters
    ----------
    start : object
        The position that it began from.
    moves : sequence of str
        As `words_of` writes them.
    seed : int
        That of the game's chance.

    Raises
    ------
    ValueError
        A move that is not possible, such as in a class that has changed.
    """
    game = _Game(start, seed)
    with game.blamed():
        mover = game.next_mover()
    yield -1, "", game.position
    for number, word in enumerate(moves, start=1):
        with game.blamed():
            possible = [] if mover is None else moves_of(game.position)
            words = words_of(possible)
        if mover is None or word not in words:
            raise ValueError(f"move {number}, {word}, is not legal in the class as it is now; has it changed?")
        moved = mover
        with game.blamed():
            game.play(possible, words.index(word), moved)
            mover = game.next_mover()
        yield moved, word, game.position
