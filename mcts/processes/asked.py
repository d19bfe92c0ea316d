"""What a search asks: the hooks of a problem by their addresses, and the arrays into which they write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from mcts.kernels import problems
from mcts.kernels.problems import Problem
from mcts.processes.process import Process
from numerics.kernels.addresses import address_of
from numerics.kernels.users import user_errors

Words = npt.NDArray[np.int64]
_hooks: Any = problems  # which have no types


class Answers:
    """The arrays into which a problem of P players writes.

    Parameters
    ----------
    moves, outcomes, words, players : int
        A, O, S and P: the most moves of a state and outcomes of a move, the words of a state, and the players.

    Attributes
    ----------
    moves : int64[A]
    states : int64[O, S]
    chances : float64[O]
    rewards : float64[O * P]
    returns : float64[P]
    """

    def __init__(self, moves: int, outcomes: int, words: int, players: int):
        self.moves = np.empty(moves, np.int64)
        self.states, self.chances = np.empty((outcomes, words), np.int64), np.empty(outcomes)
        self.rewards, self.returns = np.empty(outcomes * players), np.empty(players)


@dataclass(frozen=True)
class Asked:
    """A problem as a search sees it.

    Attributes
    ----------
    hooks : Problem
    given : int64[k]
        Numbers by which the hooks know the problem.
    root : int64[S]
    answers : Answers
    opposed : bool
        Whether player 1 loses what player 0 gains.
    names : sequence, optional
        Of the moves, by their numbers; without it a move is a number.
    watch : callable
        A context in which exceptions of hooks become sentences.
    fail : callable, optional
        Raises, given the state, that it names no player; without it all states do.
    held : object
        What `hooks.back` is the address of.
    """

    hooks: Problem
    given: Words
    root: Words
    answers: Answers
    opposed: bool
    names: Sequence[Any] | None
    watch: Callable[[], AbstractContextManager[None]]
    fail: Callable[[Words], NoReturn] | None = None
    held: object = None

    @property
    def players(self) -> int:
        """P."""
        return int(self.answers.returns.size)


def ask_process(process: Process) -> Asked:
    """Return how a search asks a process."""
    players = process.players or (1 if process.to_move is None else 2)
    to_move = -1 if process.to_move is None else process.to_move
    hook: Any = process.outcomes

    def fail(state: Words) -> NoReturn:
        raise ValueError(
            f"word {to_move} of a state must be the player to move, from 0 to {players - 1}; got {state[to_move]} "
            f"from {process.who}"
        )

    return Asked(
        hooks_of("process", address_of(hook)),
        np.array([process.most_actions, to_move, players, process.players or 1], np.int64),
        process.state,
        Answers(process.most_actions, process.most_outcomes, process.state.size, players),
        opposed=players == 2 and process.players is None,
        names=None,
        watch=lambda: user_errors((process,)),
        fail=fail,
        held=hook,
    )


def hooks_of(kind: str, back: Any) -> Problem:
    """Return the hooks of one kind of problems, "process" or "positions", which ask `back`."""
    return Problem._make([*(address_of(getattr(_hooks, f"{hook}_of_{kind}")) for hook in Problem._fields[:-1]), back])
