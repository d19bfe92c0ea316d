"""States of OpenSpiel as positions: all its games of perfect information in which players move one after another.

    >>> position = position_of("pig(winscore=20)")
    >>> position.player(), position.moves()
    (0, [0, 1])
    >>> [chance for chance, _ in position.play(0).chance()][:2]
    [0.16666666666666666, 0.16666666666666666]

Needs the package open_spiel, which the extra [interop] brings.
"""

from __future__ import annotations

import importlib
import random
from collections.abc import Sequence
from typing import Any

from numerics import checks
from numerics.positions import WIN_DRAW_LOSS


class OpenSpielPosition:
    """A state of a game without chance. Make it with `position_of`.

    No two positions are equal: what a state's text leaves out, as repetitions, may matter.

    Attributes
    ----------
    state : pyspiel.State
        Not changed.
    """

    __slots__ = ("_game", "_paid", "state")

    def __init__(self, state: Any, game: str, paid: Sequence[float] | None):
        self.state = state
        self._game = game
        self._paid = paid  # the returns that rewards have given so far; None where all comes at the end

    @property
    def kind(self) -> str:
        """What its game is, as `numerics.positions` says."""
        game = self.state.get_game()
        if game.get_type().chance_mode.name != "DETERMINISTIC" or self._paid is not None:
            return "process"
        is_won = game.num_players() == 2 and (game.min_utility(), game.max_utility()) == (-1.0, 1.0)
        return WIN_DRAW_LOSS if is_won else "points"

    def moves(self) -> list[int]:
        """Return the legal actions."""
        actions: list[int] = self.state.legal_actions()
        return actions

    def play(self, move: int) -> Any:
        """Return the next position; in a game with rewards on the way, that and the rewards."""
        after = self._after(self.state.child(move))
        return after if len(after) > 1 else after[0]

    def _after(self, child: Any) -> tuple[Any, ...]:
        """Return the position of a state that follows; in a game with rewards on the way, that and the rewards."""
        if self._paid is None:
            return (type(self)(child, self._game, None),)
        returns = child.returns()
        return type(self)(child, self._game, returns), self._unpaid(returns)

    def player(self) -> int | str:
        """Return who moves: 0, 1, ... or "chance"."""
        number: int = self.state.current_player()
        return "chance" if number == -1 else number

    def result(self) -> list[float] | None:
        """Return the returns of all players at the end, less what rewards have given; None before."""
        if not self.state.is_terminal():
            return None
        returns: list[float] = self.state.returns()
        return returns if self._paid is None else self._unpaid(returns)

    def playout(self, rng: random.Random, steps: int, discount: float = 1.0) -> list[float]:
        """Return what a game of uniformly random moves still brings each player, if it ends within some steps."""
        state, rewards, worth, moved = self.state.clone(), _Rewards(self._paid, discount), 1.0, False
        for _ in range(steps):
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(actions, chances)[0])
                rewards.note(state, worth)
                continue
            actions = state.legal_actions()
            if not actions:
                break
            worth, moved = worth * discount if moved else 1.0, True
            state.apply_action(actions[int(rng.random() * len(actions))])
            rewards.note(state, worth)
        return rewards.all(state, worth)

    def _unpaid(self, returns: Sequence[float]) -> list[float]:
        return [now - before for now, before in zip(returns, self._paid or (), strict=True)]

    def __str__(self) -> str:
        return str(self.state)

    def __repr__(self) -> str:
        return f"<{self._game}, move {self.state.move_number()}>"


class OpenSpielChancePosition(OpenSpielPosition):
    """A state of a game with chance, such as pig. Make it with `position_of`."""

    __slots__ = ()

    def chance(self) -> list[tuple[Any, ...]]:
        """Return the outcomes of chance: the probability of each, the position after it, and rewards if there are."""
        outcomes = self.state.chance_outcomes()
        return [(chance, *self._after(self.state.child(action))) for action, chance in outcomes]


class _Rewards:
    """The rewards of a playout, each worth as much as its step; without a discount the last returns say all."""

    def __init__(self, paid: Sequence[float] | None, discount: float):
        self._before, self._discount = paid, discount
        self._sums = [0.0] * len(paid or ())

    def note(self, state: Any, worth: float) -> None:
        """Add what a step has brought."""
        if self._before is not None and self._discount < 1.0:
            returns = state.returns()
            self._sums = [
                total + worth * (now - before)
                for total, now, before in zip(self._sums, returns, self._before, strict=True)
            ]
            self._before = returns

    def all(self, state: Any, worth: float) -> list[float]:
        """Return the sum, for a playout that has come to a state."""
        returns: list[float] = state.returns()
        if self._before is None:
            return [worth * number for number in returns]
        return [total + now - before for total, now, before in zip(self._sums, returns, self._before, strict=True)]


def position_of(game: Any) -> OpenSpielPosition:
    """Return a position of a state of OpenSpiel, of a game at its start, or of a game by its name.

    Parameters
    ----------
    game : pyspiel.State, pyspiel.Game or str
        A name may have parameters, such as "hex(board_size=5)".

    Raises
    ------
    ValueError
        A game that hides information, in which players move at once, or that draws its own random numbers; an unknown
        name.
    ImportError
        A name, and open_spiel is not installed.

    Examples
    --------
    >>> import pyspiel
    >>> state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    >>> position_of(state).play(4)
    <tic_tac_toe(), move 1>
    """
    if isinstance(game, str):
        game = _load(game)
    state = game.new_initial_state() if hasattr(game, "new_initial_state") else game.clone()
    kind = state.get_game().get_type()
    if kind.dynamics.name != "SEQUENTIAL":
        raise ValueError(f"game must be sequential; {kind.short_name} is {_words(kind.dynamics)}")
    if kind.information.name != "PERFECT_INFORMATION":
        raise ValueError(f"game must have perfect information; {kind.short_name} has {_words(kind.information)}")
    if kind.chance_mode.name == "SAMPLED_STOCHASTIC":
        raise ValueError(
            f"game must have explicit chance probabilities; {kind.short_name} is {_words(kind.chance_mode)}, and the "
            "copies of a state share one random generator"
        )
    paid = state.returns() if kind.reward_model.name == "REWARDS" else None
    has_chance = kind.chance_mode.name != "DETERMINISTIC"
    return (OpenSpielChancePosition if has_chance else OpenSpielPosition)(state, str(state.get_game()), paid)


def _load(name: str) -> Any:
    try:
        pyspiel: Any = importlib.import_module("pyspiel")
    except ModuleNotFoundError:
        raise ImportError(
            "games of OpenSpiel require the package open_spiel, which is not installed; use "
            'pip install "treebandit[interop]"',
            name="pyspiel",
        ) from None
    try:
        return pyspiel.load_game(name)
    except pyspiel.SpielError as error:
        reason = str(error).partition(". ")[0]  # of an unknown game, the names of all others follow
        raise ValueError(f"game must be a game of OpenSpiel; got {checks.show(name)}: {reason}") from None


def _words(kind: Any) -> str:
    """Return the name of a member of an enumeration of OpenSpiel as words: "imperfect information"."""
    return str(kind.name).lower().replace("_", " ")
