"""The hooks of a game: the whole interface between a search and the game that it searches.

A game has two sides that move in turn, and what one wins the other loses; it has no chance, and both sides see
everything. A side that moves twice in a row needs a move with which the other passes. `numerics.promises` checks it.

A position is a small vector of integers, int64[S], whose words only the game interprets. A search copies the vector and
passes it to the hooks, functions of the types below (`SIGNATURES` has Numba's types). A `Game` compiles them. All
except `Outcome` are called only for positions whose outcome is UNDECIDED.

A board offers its hooks as `board.game`, a `Game`; a search reads no other attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from numerics import checks
from numerics.kernels.users import Misbehaves, hook_of, user_errors, users_module

WON, DRAWN, LOST, UNDECIDED = 1, 0, -1, 2  # of the side that made the last move
MOST_PLIES = 1_000_000  # of a game: a search has room for a path of so many nodes

Words = npt.NDArray[np.int64]


class Legal(Protocol):
    """The legal moves."""

    def __call__(self, state: Words, moves: Words, /) -> int:
        """Write the moves, from 0 to 32,767, to the front of `moves`, int64[most_moves]; return their number."""


class Play(Protocol):
    """Making a move."""

    def __call__(self, state: Words, move: int, /) -> None:
        """Change the vector: the side to move plays."""


class Outcome(Protocol):
    """The outcome of the game so far."""

    def __call__(self, state: Words, /) -> int:
        """Return the outcome for the side that made the last move: WON, DRAWN, LOST or UNDECIDED."""


class Playout(Protocol):
    """One random game to its end.

    It is one hook, and not a loop over the first three, because calling hooks at every move costs a third of the time.
    """

    def __call__(self, state: Words, rng: npt.NDArray[np.uint64], r: int, /) -> float:
        """Play to the end with random stream r of `rng`, uint64[L, 4]; may overwrite the vector.

        Returns
        -------
        float
            The result for the side to move at the start: 1 for a win, 1/2 for a draw, 0 for a loss.
        """


class Prior(Protocol):
    """Prior probabilities of the moves, before any simulation."""

    def __call__(self, state: Words, moves: Words, out: npt.NDArray[np.float64], /) -> None:
        """Write the probability of each of `moves`; they sum to 1."""


class Plies(Protocol):
    """How long a decided game still lasts."""

    def __call__(self, state: Words, /) -> int:
        """Return the most plies to the end if the winner plays well, for a position whose outcome is known; or -1."""


class Narrow(Protocol):
    """Part of an exact search of a position."""

    def __call__(self, state: Words, bounds: Words, least: int, positions: int, memory: Words, /) -> int:
        """Narrow bounds of a score until it is known to be at least, or below, `least`.

        A score belongs to the side to move, and 0 is a draw. A win is worth 1, and one more for every move that there
        would still be room for after it. That is r - n + 1 if its n-th move from here is the last and r the most that
        the game can last from here. A loss is worth the negative, so that the score after a move, negated, is the score
        of the move.

        Parameters
        ----------
        state : int64[S]
            The position, unfinished; not changed.
        bounds : int64[2]
            In-out: the least and greatest score that are possible.
        least : int
            The question; above bounds[0] and at most bounds[1].
        positions : int
            The most that may be looked at, about; at least 1.
        memory : int64[M]
            In-out: what earlier calls left there, so that a call with the same position and question goes on.

        Returns
        -------
        int
            How many positions were looked at.
        """


class Exact(NamedTuple):
    """An exact search of a game, a part at a time: see `Game.exact_search`.

    Attributes
    ----------
    narrow : hook
        Searches a position for a while.
    memory : callable
        Takes a position and about how many positions its search will look at; returns fresh memory, int64[M].
    """

    narrow: Narrow
    memory: Callable[[Words, int], Words]


class Tactics(NamedTuple):
    """Hooks that know more than the rules, for a search with tactics: see `Game.tactical`.

    Attributes
    ----------
    legal : hook
        Writes at least one move; among the written moves is one that keeps the value of the position.
    outcome : hook
        Returns the outcome of the last move, also for a game that goes on but whose outcome is known.
    plies : hook, optional
        Returns how many plies such a game still lasts at most; without it nothing is known of that.
    """

    legal: Legal
    outcome: Outcome
    plies: Plies | None = None


@dataclass(frozen=True)
class Game:
    """A position and the hooks that play on from it: kernels, or functions that this class compiles.

    Attributes
    ----------
    state : int64[S]
        The position; hooks change copies of it.
    most_moves : int
        The most moves that any position of the game can have.
    most_plies : int
        The most moves that a game can still last from here, up to 1,000,000. A search goes no deeper: a playout gives
        the result of a position there, also where the hooks would let the game go on.
    legal, play, outcome : hook
        The rules.
    playouts : mapping of str to hook
        By name; every game has "uniform".
    priors : mapping of str to hook
        By name; most games have none.
    tactics : Tactics, optional
        Replacements for `legal` and `outcome`; most games have none.
    exact : Exact, optional
        A search for exact scores; most games have none.
    to_move : int, optional
        The index of the word of the state that names the side to move, if there is one: it must change with every move.
        Only the check of a user's game reads it.
    pass_move : int, optional
        The move with which a side waits while the other moves again, if the game has one. It must be the only legal
        move where it is legal. Lines of moves do not show passes, and distances and depths do not count them.

    Raises
    ------
    ValueError
        A number out of its range, or a state that is not a vector of integers. A hook that is not a function, takes
        other arguments, or cannot be compiled. No playout "uniform".
    """

    state: Words
    most_moves: int
    most_plies: int
    legal: Legal
    play: Play
    outcome: Outcome
    playouts: Mapping[str, Playout]
    priors: Mapping[str, Prior] = field(default_factory=dict)
    tactics: Tactics | None = None
    exact: Exact | None = None
    to_move: int | None = None
    pass_move: int | None = None

    def __post_init__(self) -> None:
        """Make every hook a kernel of its signature."""
        state = np.asarray(self.state)
        if state.ndim != 1 or state.dtype.kind not in "iu":
            raise ValueError(f"state must be a vector of whole numbers, int64[S]; got {self.state!r}")
        kept: dict[str, Any] = {"state": np.ascontiguousarray(state, dtype=np.int64)}
        kept["most_moves"] = checks.check_whole("most_moves", self.most_moves, 1)
        kept["most_plies"] = checks.check_whole("most_plies", self.most_plies, 0, most=MOST_PLIES)
        if self.pass_move is not None:
            kept["pass_move"] = checks.check_whole("pass_move", self.pass_move, 0, most=_MOST_MOVE)
        if self.to_move is not None:
            kept["to_move"] = checks.check_whole("to_move", self.to_move, 0, state.size - 1)
        kept |= {kind: _compile_hook(kind, getattr(self, kind)) for kind in ("legal", "play", "outcome")}
        kept["playouts"] = {name: _compile_hook("playout", part) for name, part in self.playouts.items()}
        kept["priors"] = {name: _compile_hook("prior", part) for name, part in self.priors.items()}
        if self.tactics is not None:
            given = {kind: hook for kind, hook in self.tactics._asdict().items() if hook is not None}
            kept["tactics"] = Tactics(**{kind: _compile_hook(kind, hook) for kind, hook in given.items()})
        if self.exact is not None:
            kept["exact"] = Exact(_compile_hook("exact", self.exact.narrow), self.exact.memory)
        for name, value in kept.items():
            object.__setattr__(self, name, value)
        if "uniform" not in self.playouts:
            raise ValueError(f"playouts must include one named 'uniform'; got {', '.join(self.playouts) or 'none'}")

    def playout(self, name: str) -> Playout:
        """Return the playout hook of a name, or raise ValueError."""
        if name not in self.playouts:
            raise ValueError(f"playouts must be one of {', '.join(self.playouts)}; got {name!r}")
        return self.playouts[name]

    def prior(self, name: str) -> Prior:
        """Return the prior hook of a name, or raise ValueError."""
        if name not in self.priors:
            raise ValueError(f"prior must be one of {', '.join(self.priors) or 'none here'}; got {name!r}")
        return self.priors[name]

    def tactical(self) -> Game:
        """Return the game with its tactics in place of `legal` and `outcome`, or raise ValueError."""
        if self.tactics is None:
            raise ValueError("tactics must be false in a game that has none; Connect 4 has them")
        return self._but(legal=self.tactics.legal, outcome=self.tactics.outcome)

    def exact_search(self) -> Exact:
        """Return the game's exact search, or raise ValueError."""
        if self.exact is None:
            raise ValueError("exact must be false in a game that has no exact search; Connect 4 has one")
        return self.exact

    def at(self, state: Words, most_plies: int) -> Game:
        """Return another position of the game; its hooks are not checked again."""
        return self._but(state=state, most_plies=most_plies)

    def _but(self, **checked: Any) -> Game:
        """Return the game with other values of some attributes, which are as the class keeps them."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, **checked)
        return other

    def legal_moves(self) -> Words:
        """Return the legal moves of the position, in the order of the game."""
        moves = np.empty(self.most_moves, dtype=np.int64)
        with user_errors((self,)):
            return moves[: self.legal(self.state, moves)].copy()

    @property
    def who(self) -> str:
        """The name of a user's game in an error message."""
        return f"a hook of the game {self._of_user}"

    @property
    def is_ours(self) -> bool:
        """Whether all hooks are written in files of this project."""
        return not self._of_user

    @property
    def _of_user(self) -> str:
        """The module of a hook that is not of this project, or an empty text."""
        hooks = (
            self.legal,
            self.play,
            self.outcome,
            *self.playouts.values(),
            *self.priors.values(),
            *(self.tactics or ()),
            *((self.exact.narrow,) if self.exact else ()),
        )
        return next(filter(None, map(users_module, hooks)), "")


class Playable(Protocol):
    """The interface of a board for a player that searches."""

    @property
    def game(self) -> Game:
        """The position, for kernels."""


_STATE = "int64[::1]"
SIGNATURES = {  # of each hook, in Numba's words
    "legal": f"int64({_STATE}, int64[::1])",
    "play": f"void({_STATE}, int64)",
    "outcome": f"int64({_STATE})",
    "plies": f"int64({_STATE})",
    "playout": f"float64({_STATE}, uint64[:, ::1], int64)",
    "prior": f"void({_STATE}, int64[::1], float64[::1])",
    "exact": f"int64({_STATE}, int64[::1], int64, int64, int64[::1])",
}


_MOST_MOVE = 2**15 - 1
_WHO = ""  # the hook in the forms below, by its name; `_hook` stands for it there


def _hook(*given: Any) -> Any: ...


def _watched_legal(state: Words, moves: Words) -> int:
    count: int = _hook(state, moves)
    wrong = count < 1 or count > moves.size
    for i in range(0 if wrong else count):
        wrong |= moves[i] < 0 or moves[i] > _MOST_MOVE
    if wrong:
        raise Misbehaves(
            _WHO, "must give 1 to most_moves moves, each from 0 to 32767, unless the game is over", "", 0.0
        )
    return count


def _watched_play(state: Words, move: int) -> None:
    _hook(state, move)


def _watched_outcome(state: Words) -> int:
    outcome: int = _hook(state)
    if outcome < LOST or outcome > UNDECIDED:
        raise Misbehaves(_WHO, "must return WON, DRAWN, LOST or UNDECIDED", "", 0.0)
    return outcome


def _watched_plies(state: Words) -> int:
    plies: int = _hook(state)
    if plies < -1 or plies > MOST_PLIES:
        raise Misbehaves(_WHO, "must return a number of moves, or -1 if unknown", "", 0.0)
    return plies


def _watched_playout(state: Words, rng: npt.NDArray[np.uint64], r: int) -> float:
    result: float = _hook(state, rng, r)
    if not 0.0 <= result <= 1.0:
        raise Misbehaves(_WHO, "must return a number from 0 to 1", "", 0.0)
    return result


def _watched_prior(state: Words, moves: Words, out: npt.NDArray[np.float64]) -> None:
    out[:] = -1.0
    _hook(state, moves, out)
    total = 0.0
    for i in range(out.size):
        total += out[i] if out[i] >= 0.0 else np.nan
    if not abs(total - 1.0) <= 1e-6:
        raise Misbehaves(_WHO, "must write a probability for each move; they must sum to 1", "", 0.0)


def _watched_exact(state: Words, bounds: Words, least: int, positions: int, memory: Words) -> int:
    low, high = bounds[0], bounds[1]
    looked_at: int = _hook(state, bounds, least, positions, memory)
    if bounds[0] < low or bounds[1] > high or bounds[0] > bounds[1]:
        raise Misbehaves(
            _WHO, "must only narrow the bounds, and must keep the lower one at most the upper one", "", 0.0
        )
    if looked_at < 1 and bounds[0] < least and bounds[1] >= least:
        raise Misbehaves(_WHO, "must answer the question or visit a position", "", 0.0)
    return looked_at


_FORMS: dict[str, Callable[..., Any]] = {
    "legal": _watched_legal,
    "play": _watched_play,
    "outcome": _watched_outcome,
    "plies": _watched_plies,
    "playout": _watched_playout,
    "prior": _watched_prior,
    "exact": _watched_exact,
}


def _compile_hook(kind: str, function: Any) -> Any:
    return hook_of(f"{kind} hook", function, SIGNATURES[kind], _FORMS[kind])
