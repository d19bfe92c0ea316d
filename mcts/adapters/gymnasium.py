"""Environments of Gymnasium with a discrete action space: positions of one player, and processes.

    >>> import gymnasium
    >>> env = gymnasium.make("FrozenLake-v1")
    >>> start = env.reset(seed=0)
    >>> position, rewards = position_of(env).play(1)
    >>> [(round(chance, 3), str(outcome)) for chance, outcome, _ in position.chance()]
    [(0.333, 'state 0, 99 steps left'), (0.333, 'state 4, 99 steps left'), (0.333, 'state 1, 99 steps left')]
    >>> from mcts import exact_values
    >>> round(exact_values(process_of(env)).value, 9)  # 14/17, without a limit of steps
    0.823529412

An environment with a table `P` of its outcomes, as most of toy text have, is neither copied nor stepped: the table says
all. Others are copied for every step. Needs the package gymnasium, which the extra [interop] brings.
"""

from __future__ import annotations

import functools
import math
import operator
import pickle
import random
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np

from mcts.adapters.copies import copy_environment
from mcts.processes.process import Process
from numerics import checks

Outcome = tuple[int, float, bool]  # the next state, the reward, whether it ends
Table = dict[int, dict[int, dict[Outcome, float]]]  # the probability of each outcome by state and action

_TRANSPARENT = {"TimeLimit", "OrderEnforcing", "PassiveEnvChecker", "RecordEpisodeStatistics"}  # change no step
_SUM = 1e-9  # by which probabilities may miss 1
_HIDING = {"BlackjackEnv": "the dealer's second card"}


class TablePosition:
    """A state of an environment whose table says what follows. Make it with `position_of`.

    Attributes
    ----------
    state : int
    left : int, optional
        Steps that are left; None where they are not limited.
    action : int, optional
        Where chance has the move: the action whose outcome it decides.
    """

    __slots__ = ("_ended", "_table", "action", "left", "state")

    def __init__(self, table: Table, state: int, left: int | None, action: int | None = None, ended: bool = False):
        self.state, self.left, self.action = state, left, action
        self._table, self._ended = table, ended

    def moves(self) -> list[int]:
        """Return all actions that no mask forbids."""
        return list(self._table[self.state])

    def play(self, move: int) -> tuple[TablePosition, tuple[float]]:
        """Return the next position, which is one of chance if there are several outcomes, and the reward."""
        outcomes = self._table[self.state][move]
        if len(outcomes) > 1:
            return TablePosition(self._table, self.state, self.left, move), (0.0,)
        ((state, reward, ended),) = outcomes
        return TablePosition(self._table, state, _less(self.left), None, ended), (reward,)

    def player(self) -> int | str:
        """Return 0 or "chance"."""
        return 0 if self.action is None else "chance"

    def chance(self) -> list[tuple[float, TablePosition, tuple[float]]]:
        """Return the outcomes of the action: the probability of each, the position after it, and the reward."""
        outcomes = self._table[self.state][self.action].items()  # type: ignore[index]  # chance follows an action
        return [
            (chance, TablePosition(self._table, state, _less(self.left), None, ended), (reward,))
            for (state, reward, ended), chance in outcomes
        ]

    def result(self) -> tuple[float] | None:
        """Return 0 at the end, where all rewards have been paid; None before."""
        return (0.0,) if self._ended or self.left == 0 else None

    @property
    def _identity(self) -> tuple[Hashable, ...]:
        return self.state, self.left, self.action, self._ended

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TablePosition):
            return NotImplemented
        same = self._table is other._table or self._table == other._table
        return same and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __str__(self) -> str:
        steps = "" if self.left is None else f", {self.left} steps left"
        return f"state {self.state}{steps}{'' if self.action is None else f', after action {self.action}'}"


class CopiedPosition:
    """An environment that is copied for every step. Make it with `position_of`.

    A step that draws random numbers leads to a position of chance, whose samples draw from the generator that they are
    given. Two positions are equal if they come from the same environment by the same actions, and those that draw gave
    the same observations and rewards.

    Attributes
    ----------
    env : gymnasium.Env
        A copy; not changed.
    action : int, optional
        Where chance has the move: the action whose outcome it decides.
    """

    __slots__ = ("_ended", "_mask", "_path", "_start", "action", "env")

    def __init__(
        self,
        env: Any,
        start: object,
        path: tuple[Hashable, ...] = (),
        action: int | None = None,
        ended: bool = False,
        mask: Any = None,
    ):
        self.env, self.action, self._ended, self._mask = env, action, ended, mask
        self._start, self._path = start, path  # the position that `position_of` gave, by its identity; what happened

    def moves(self) -> list[int]:
        """Return the actions that the mask of the last step allows, all without a mask."""
        space = self.env.action_space
        first, actions = int(space.start), range(int(space.start), int(space.start + space.n))
        return list(actions) if self._mask is None else _allowed(self._mask, actions, first)

    def play(self, move: int) -> tuple[CopiedPosition, tuple[float]]:
        """Return the next position, which is one of chance if the step draws random numbers, and the reward."""
        env, generators = copy_environment(self.env)
        before = [*map(_state_of, generators)]
        _, reward, ended, mask = _step(env, move)
        if before != [*map(_state_of, generators)]:
            return CopiedPosition(self.env, self._start, self._path, move), (0.0,)
        return CopiedPosition(env, self._start, (*self._path, move), None, ended, mask), (reward,)

    def player(self) -> int | str:
        """Return 0 or "chance"."""
        return 0 if self.action is None else "chance"

    def sample(self, rng: random.Random) -> tuple[CopiedPosition, tuple[float]]:
        """Return a position after the action, whose random numbers are drawn anew, and the reward."""
        env = _other_future(self.env, rng)
        seen, reward, ended, mask = _step(env, self.action)
        path = (*self._path, (self.action, pickle.dumps(seen), reward, ended))
        return CopiedPosition(env, self._start, path, None, ended, mask), (reward,)

    def playout(self, rng: random.Random, steps: int, discount: float = 1.0) -> tuple[float]:
        """Return what random actions still bring, until the end or for some steps."""
        total, worth, over, action = 0.0, 1.0, self._ended, self.action
        env, actions = _other_future(self.env, rng), self.moves()
        every = range(int(env.action_space.start), int(env.action_space.start + env.action_space.n))
        for _ in range(steps):
            if over:
                break
            _, reward, over, mask = _step(env, rng.choice(actions) if action is None else action)
            total, action = total + worth * reward, None
            if mask is not None:
                actions = _allowed(mask, every, every.start)
            worth *= discount
        return (total,)

    def result(self) -> tuple[float] | None:
        """Return 0 at the end, where all rewards have been paid; None before."""
        return (0.0,) if self._ended else None

    @property
    def _identity(self) -> tuple[Hashable, ...]:
        return id(self._start), self._path, self.action

    def __eq__(self, other: object) -> bool:
        return self._identity == other._identity if isinstance(other, CopiedPosition) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._identity)

    def __str__(self) -> str:
        actions = " ".join(str(part[0] if isinstance(part, tuple) else part) for part in self._path) or "no actions"
        return f"{type(self.env.unwrapped).__name__} after {actions}"


def position_of(env: Any) -> TablePosition | CopiedPosition:
    """Return a position of an environment that has been reset.

    Parameters
    ----------
    env : gymnasium.Env
        With a discrete action space; not changed. The limit of its steps holds.

    Raises
    ------
    ValueError
        Another action space; an environment that has not been reset, has ended, hides what a copy of it would show, or
        cannot be copied.
    """
    name = _check(env)
    if name in _HIDING:
        raise ValueError(f"env must have no hidden state; {name} hides {_HIDING[name]}")
    if _has_table(env):
        state, left = getattr(env.unwrapped, "s", None), _steps_left(env)
        if state is None:
            raise ValueError(f"env must have been reset; call reset() of {name} first")
        if left == 0:
            raise ValueError(f"env must not have ended; {name} has no steps left")
        table = _table_of(env)
        if _has_ended(env, table, int(state)):
            raise ValueError(f"env must not have ended; {name} is in state {state}, where an episode has ended")
        return TablePosition(table, int(state), left)
    if getattr(env.unwrapped, "steps_beyond_terminated", None) is not None:
        raise ValueError(f"env must not have ended; {name} has")
    env.unwrapped.np_random  # noqa: B018  # made when it is first asked for: then a copy has it too
    position = CopiedPosition(copy_environment(env)[0], object())
    (once, shared), (again, still_shared) = (_first_step(position.env, position.moves()[0]) for _ in range(2))
    if shared and still_shared:  # once may be another thread's doing
        raise ValueError(
            f"env must draw from its own np_random; step() of {name} used a global generator (random or numpy.random)"
        )
    if once != again:
        raise ValueError(f"env must support copies; two copies of {name} returned different results")
    return position


def process_of(env: Any, discount: float = 1.0) -> Process:
    """Return an environment with a table of its outcomes as a process.

    It begins at the environment's state or, before a reset, at the only state where the environment can begin.

    A state is [s, 1 if it has ended]. The process knows no limit of steps: give that to `exact_values`.

    Parameters
    ----------
    env : gymnasium.Env
        With `P`, such as FrozenLake, CliffWalking and Taxi; not changed.
    discount : float, default 1.0
        From 0 to 1.

    Raises
    ------
    ValueError
        An environment without such a table; one that has not been reset, and may begin in several states.
    """
    name = _check(env)
    if not _has_table(env):
        raise ValueError(f"env must have a transition table P, and no wrapper that changes it; got {name}")
    state = getattr(env.unwrapped, "s", None)
    if state is None:
        firsts = np.flatnonzero(getattr(env.unwrapped, "initial_state_distrib", ()))
        if len(firsts) != 1:
            raise ValueError(f"env must have been reset; {name} has {len(firsts)} possible initial states")
        state = firsts[0]
    table = _table_of(env)
    rows = tuple(
        (here, action, after, reward, ended, chance)
        for here, actions in table.items()
        for action, outcomes in actions.items()
        for (after, reward, ended), chance in outcomes.items()
    )
    most_actions, most_outcomes, hook = _hook_of(rows)
    return Process(np.array([int(state), 0]), most_actions, most_outcomes, hook, discount)


@functools.lru_cache(maxsize=16)
def _hook_of(rows: tuple[tuple[int, int, int, float, bool, float], ...]) -> tuple[int, int, Any]:
    """Return the most actions, the most outcomes, and the hook of a table. The same table has the same hook."""
    shape = 1 + max(row[0] for row in rows), 1 + max(row[1] for row in rows)
    counts = np.zeros(shape, np.int64)
    for here, action, *_ in rows:
        counts[here, action] += 1
    most = int(counts.max())
    after, ends = np.zeros((2, *shape, most), np.int64)
    chance, reward = np.zeros((2, *shape, most))
    counts[:] = 0
    for here, action, next_state, paid, ended, likely in rows:
        entry = here, action, counts[here, action]
        after[entry], reward[entry], ends[entry], chance[entry] = next_state, paid, ended, likely
        counts[here, action] += 1

    def outcomes(state, action, states, chances, rewards):  # type: ignore[no-untyped-def]  # Numba has its types
        if state[1] == 1:
            return 0
        for i in range(counts[state[0], action]):
            states[i, 0], states[i, 1] = after[state[0], action, i], ends[state[0], action, i]
            chances[i], rewards[i] = chance[state[0], action, i], reward[state[0], action, i]
        return counts[state[0], action]

    return shape[1], most, outcomes


def _check(env: Any) -> str:
    """Return the name of an environment's class; refuse an action space that is not discrete."""
    if type(env.action_space).__name__ != "Discrete":
        raise ValueError(f"env must have a Discrete action space; got {checks.show(env.action_space)}")
    return type(env.unwrapped).__name__


def _wrappers(env: Any) -> Iterator[Any]:
    """Yield the wrappers of an environment, the outermost first."""
    while env is not env.unwrapped:
        yield env
        env = env.env


def _has_table(env: Any) -> bool:
    """Return whether a table says what each step does."""
    wrappers = {type(wrapper).__name__ for wrapper in _wrappers(env)}
    changes = getattr(env.unwrapped, "fickle_passenger", False)  # Taxi's table does not know of these
    return isinstance(getattr(env.unwrapped, "P", None), dict) and wrappers <= _TRANSPARENT and not changes


def _table_of(env: Any) -> Table:
    """Return the table of an environment, without the actions that its mask forbids.

    Raises
    ------
    ValueError
        An entry that is no list of outcomes.
    """
    name, given, table = type(env.unwrapped).__name__, env.unwrapped.P, Table()
    mask_of = getattr(env.unwrapped, "action_mask", None)
    for state, actions in given.items():
        allowed = _allowed(mask_of(state), actions) if callable(mask_of) else list(actions)
        rows = table[int(state)] = {}
        for action in allowed:
            chances = rows[int(action)] = {}
            try:
                for chance, after, reward, ended in actions[action]:
                    outcome = operator.index(after), _number(reward), _flag(ended)
                    if not (_number(chance) >= 0.0 and (ended or after in given)):
                        raise ValueError
                    chances[outcome] = chances.get(outcome, 0.0) + float(chance)
            except (TypeError, ValueError):
                chances.clear()
            if not abs(math.fsum(chances.values()) - 1.0) <= _SUM:
                raise ValueError(
                    f"P of {name} must hold (probability, state, reward, ended) tuples whose probabilities sum to 1; "
                    f"P[{checks.show(state)}][{checks.show(action)}] is {checks.show(actions[action])}"
                )
            for outcome in [outcome for outcome, chance in chances.items() if not chance]:
                del chances[outcome]
    if not table:
        raise ValueError(f"P of {name} must have states; it is empty")
    return table


def _number(given: Any) -> float:
    """Return a finite number; raise TypeError or ValueError for anything else."""
    if np.ndim(given) or isinstance(given, str | bytes) or not math.isfinite(number := float(given)):
        raise ValueError
    return number


def _flag(given: Any) -> bool:
    """Return true or false; raise ValueError for anything else but 1 and 0."""
    if given not in (False, True):
        raise ValueError
    return bool(given)


def _allowed(mask: Any, actions: Iterable[int], first: int = 0) -> list[int]:
    """Return the actions that a mask allows; all if it allows none, or is of another length."""
    listed, flags = list(actions), np.atleast_1d(np.asarray(mask)).astype(bool)
    allowed = [action for action in listed if 0 <= action - first < flags.size and flags[action - first]]
    return allowed if flags.size == len(listed) and allowed else listed


def _has_ended(env: Any, table: Table, state: int) -> bool:
    """Return whether no episode that goes on comes to a state; False where it is not known how they begin."""
    waiting = np.flatnonzero(getattr(env.unwrapped, "initial_state_distrib", ())).tolist()
    found = set(waiting)
    while waiting:
        outcomes = [outcome for row in table[waiting.pop()].values() for outcome in row]
        after = {there for there, _, ended in outcomes if not ended} - found
        found |= after
        waiting += after
    return bool(found) and state not in found


def _steps_left(env: Any) -> int | None:
    limits = [wrapper for wrapper in _wrappers(env) if type(wrapper).__name__ == "TimeLimit"]
    return min((max(0, limit._max_episode_steps - (limit._elapsed_steps or 0)) for limit in limits), default=None)


def _less(left: int | None) -> int | None:
    return None if left is None else left - 1


def _step(env: Any, action: int | None) -> tuple[Any, float, bool, Any]:
    """Make a step; return the observation, the reward, whether it ends, and the action mask if there is one."""
    return _read(env, action, env.step(action))


def _read(env: Any, action: int | None, answer: Any) -> tuple[Any, float, bool, Any]:
    try:
        seen, reward, terminated, truncated, info = answer
        return seen, _number(reward), _flag(terminated) or _flag(truncated), info.get("action_mask")
    except (AttributeError, TypeError, ValueError):
        raise ValueError(
            f"step({action}) of {type(env.unwrapped).__name__} must return (observation, reward, terminated, "
            f"truncated, info) with a finite reward; got {checks.show(answer)}"
        ) from None


def _first_step(env: Any, action: int) -> tuple[bytes, bool]:
    """Return what a copy of an environment answers to an action, and whether generators that all share were used."""
    copied, _ = copy_environment(env)
    before = _states_of_shared_generators()
    try:
        answer = copied.step(action)
    except Exception as error:
        name = type(env.unwrapped).__name__
        raise ValueError(
            f"env must have been reset and not have ended; step({action}) of {name} failed: {error}"
        ) from None
    return pickle.dumps(_read(env, action, answer)[:3]), before != _states_of_shared_generators()


def _state_of(generator: Any) -> bytes:
    return pickle.dumps(generator.bit_generator.state if isinstance(generator, np.random.Generator) else generator)


def _states_of_shared_generators() -> tuple[Any, ...]:
    """Return the states of the generators that the whole program shares."""
    state: Any = np.random.get_state(legacy=False)  # noqa: NPY002  # it is looked at, not used
    return random.getstate(), state["state"]["pos"], state["state"]["key"].tobytes()


def _other_future(env: Any, rng: random.Random) -> Any:
    """Return a copy of an environment whose random numbers are drawn anew."""
    copied, generators = copy_environment(env)
    for generator in generators:
        _seed_anew(generator, rng.getrandbits(64))
    return copied


def _seed_anew(generator: Any, seed: int) -> None:
    """Let a generator begin anew, so that who else holds it draws from it as well."""
    if isinstance(generator, np.random.Generator):
        kind: Any = type(generator.bit_generator)
        generator.bit_generator.state = kind(seed).state
    else:
        generator.seed(seed % 2**32)
