"""An agent: a policy in a running program, which is asked for a choice, and told its reward when there is one."""

from __future__ import annotations

import math
import operator
import threading
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from bandits.arms.base import LARGEST
from bandits.arms.bernoulli import Bernoulli
from bandits.live.engine import CompiledEngine, engine_of, needs_horizon
from bandits.policies.base import POLICIES, Policy
from numerics import checks
from numerics.random import Purpose, draw_uniform, streams

if TYPE_CHECKING:
    import pandas as pd

    from bandits.live.summary import Summary
    from bandits.logs.log import Log

Floats = npt.NDArray[np.float64]
Arm = str | int

_PENDING, _FORGOTTEN = math.nan, math.inf  # what stands for the reward of a choice that has none
_MOST_ARMS = 100_000
_MOST_COUNTED = 1e9  # pulls that an agent may begin with


class Choice:
    """What an agent chose.

    Attributes
    ----------
    id : int
        Its number, from 0 on.
    arm : str or int
        The chosen arm.
    index : int
        The arm's place in `agent.arms`.
    features : ndarray of float64, shape (d,), or None
        What the policy saw.
    """

    __slots__ = ("_agent", "_before", "_chances", "arm", "features", "id", "index")

    def __init__(self, agent: Agent, id: int, arm: Arm, index: int, features: Floats | None, before: Any):
        self.id: int = id
        self.arm: Arm = arm
        self.index: int = index
        self.features: Floats | None = features
        self._agent = agent
        self._before: Any = before
        self._chances: tuple[Floats, float] | None = None  # of all arms, and the error of the chosen one's

    def __repr__(self) -> str:
        return f"Choice(id={self.id}, arm={self.arm!r}, index={self.index})"

    @property
    def propensity(self) -> float:
        """The probability with which the agent chose this arm; it is computed when it is first read."""
        return float(self._computed()[0][self.index])

    @property
    def propensity_error(self) -> float:
        """The standard error of the propensity where it is estimated by draws; 0 where it is exact."""
        return self._computed()[1]

    @property
    def chances(self) -> dict[Arm, float]:
        """The probability of every arm at this choice."""
        return dict(zip(self._agent.arms, self._computed()[0].tolist(), strict=False))

    def _computed(self) -> tuple[Floats, float]:
        if self._chances is None:
            if self._before is None:
                raise ValueError(
                    f"the propensity of choice {self.id} is not known: it was not read before the agent was saved"
                )
            self._chances = self._agent._chances_of(self._before, self.id, self.index)
            self._before = None
        return self._chances


class Agent:
    """A policy in a running program.

    It chooses what the simulation would choose: replication `run` of `simulate` under the same seed, given its rewards.
    Several threads may use one agent.

    Parameters
    ----------
    policy : Policy or str
        As for `simulate`.
    arms : sequence of str or int, or int
        The names of K >= 2 arms; a number K stands for 0, ..., K - 1.
    seed : int, default 0
        At least 0; the same seed, and the same rewards in the same order, give the same choices.
    run : int, default 0
        Agents of one seed and different runs draw independently: number the processes that share a seed.
    horizon : int, optional
        How many choices there will be; for policies that need to know.
    features : int, optional
        How many numbers the policy sees before each choice; for policies that see features.
    floor : float, default 0
        Every arm is chosen with at least this probability, at most 1 / K: of all choices the share K floor is uniform.
    rewards : (float, float) or None, default (0, 1)
        The least and the largest reward. None: any number, and no intervals of means.

    Raises
    ------
    ValueError
        An argument out of its range, or a policy that is not defined for these arms.

    Examples
    --------
    >>> agent = Agent("thompson", arms=["red", "green", "blue"], seed=0)
    >>> choice = agent.choose()
    >>> choice.id, choice.arm in agent.arms, round(choice.propensity, 6)
    (0, True, 0.333333)
    >>> agent.reward(choice, 1.0)
    True
    >>> agent.pending
    []
    """

    def __init__(
        self,
        policy: Policy | str,
        arms: Sequence[Arm] | int,
        seed: int = 0,
        *,
        run: int = 0,
        horizon: int | None = None,
        features: int | None = None,
        floor: float = 0.0,
        rewards: tuple[float, float] | None = (0.0, 1.0),
    ):
        self.policy: Policy = POLICIES.of(policy)
        self._arms: list[Arm] = _names("arms", arms)
        count = len(self._arms)
        if count < 2:
            raise ValueError(f"arms must be at least 2; got {count}")
        self.seed, self.run = checks.check_whole("seed", seed, 0), checks.check_whole("run", run, 0, most=10**9)
        self.horizon: int | None = _horizon(self.policy, horizon, count)
        self.features: int | None = _features(self.policy, features)
        self.floor: float = checks.number("floor", floor, 0.0)
        if self.floor * count > 1.0:
            raise ValueError(f"floor must be at most 1 / K = {1 / count:.6g} for {count} arms; got {floor:g}")
        self.rewards: tuple[float, float] | None = _range_of(self.policy, rewards)
        self._binary = self.policy.limits is not None  # whether a reward is 0 or 1
        self._low, self._high = (-LARGEST, LARGEST) if self.rewards is None else self.rewards
        if self.features is None:
            self.policy.probe(Bernoulli([0.5] * count))
        stream, self._coin = (streams(self.seed, (purpose,), self.run, 1) for purpose in _STREAMS)
        self._engine: Any = engine_of(self.policy, count, stream, self.horizon or 0, self.features or 0)
        self._columns: tuple[int, ...] = tuple(range(count))  # of the engine's arms the indices
        self._column_of: dict[int, int] = {index: index for index in range(count)}
        self._new: dict[int, list[float]] = {}  # arms that the policy does not know yet: choices, and their rewards
        self._retired: dict[int, Any] = {}  # what was known of arms that left, and rewards that came later
        self._earlier = 0  # choices before the first: those of a log, or of counts
        self._kept: dict[int, tuple[Choice, bytes]] = {}  # the pending choices
        self._outcomes = array("d")  # of every choice
        self._paid: list[array[float]] = [array("d") for _ in self._arms]  # of each arm, as the rewards came
        self._counted: list[tuple[float, float]] = [(0.0, 0.0)] * count  # pulls and sums that it began with
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return (
            f"Agent({POLICIES.text(self.policy)!r}, arms={self.arms}, choices={self.choices:,}, "
            f"pending={len(self._kept):,})"
        )

    @property
    def arms(self) -> list[Arm]:
        """All arms that it has, or had, in the order in which they came."""
        return list(self._arms)

    @property
    def retired(self) -> list[Arm]:
        """The arms that are not chosen any more."""
        return [self._arms[index] for index in self._retired]

    @property
    def choices(self) -> int:
        """How many choices it has made."""
        return len(self._outcomes)

    @property
    def pending(self) -> list[Choice]:
        """The choices whose reward has not come, in their order."""
        with self._lock:
            return [choice for choice, _ in self._kept.values()]

    # ------------------------------------------------------------ choose and learn

    def choose(self, features: Sequence[float] | None = None) -> Choice:
        """Choose an arm.

        Parameters
        ----------
        features : sequence of float, shape (d,), optional
            What is known before the choice; for policies that see features, and only for these.

        Returns
        -------
        Choice

        Raises
        ------
        ValueError
            Features of a wrong length or not finite, or more choices than the horizon.
        """
        seen = None if features is None and self.features is None else self._check_features(features)
        with self._lock:
            index, before, kept = self._choose(seen)
            choice = Choice(self, len(self._outcomes), self._arms[index], index, seen, before)
            self._kept[choice.id] = choice, kept
            self._outcomes.append(_PENDING)
            return choice

    def choose_many(self, n: int, features: Sequence[Sequence[float]] | None = None) -> list[Choice]:
        """Choose n times, before any of the rewards is known; `features` has a row for each choice."""
        n = checks.check_whole("n", n, 1, most=10**7)
        if features is not None and len(features) != n:
            raise ValueError(f"features must have a row for each of the {n} choices; got {len(features)}")
        if self.horizon is not None and self._step + n > self.horizon:
            raise ValueError(f"n must be at most {self.horizon - self._step} until the horizon; got {n}")
        rows = [None] * n if features is None else [self._check_features(row) for row in features]
        with self._lock:
            return [self.choose(row) for row in rows]  # type: ignore[arg-type]

    def reward(self, choice: Choice | int, reward: float) -> bool:
        """Tell the agent a reward.

        Parameters
        ----------
        choice : Choice or int
            A choice, or its id.
        reward : float
            A number of the agent's range, `rewards`.

        Returns
        -------
        bool
            Whether it counts: False for the same reward of the same choice again, which changes nothing.

        Raises
        ------
        ValueError
            An unknown choice, a reward out of its range, or another reward than before.
        """
        at = choice.id if type(choice) is Choice else self._id(choice)
        if type(reward) is not float or self._binary or not self._low <= reward <= self._high:
            reward = self._check_reward(reward)
        with self._lock:
            if at not in self._kept:
                return self._known(at, reward)
            chosen, kept = self._kept.pop(at)
            try:
                self._learn(chosen.index, reward, kept)
            except BaseException:
                self._kept[at] = chosen, kept
                raise
            self._outcomes[at] = reward
            self._paid[chosen.index].append(reward)
            return True

    def forget(self, choices: Iterable[Choice | int]) -> None:
        """Let go of pending choices whose reward will never come; each takes a copy of the policy's statistics."""
        with self._lock:
            ids = [choice.id if isinstance(choice, Choice) else self._id(choice) for choice in choices]
            for at in ids:
                if at not in self._kept:
                    raise ValueError(f"choices must be pending; choice {at} is not")
            for at in ids:
                del self._kept[at]
                self._outcomes[at] = _FORGOTTEN

    @property
    def _step(self) -> int:
        return self._earlier + len(self._outcomes)

    def _choose(self, seen: Floats | None) -> tuple[int, Any, bytes]:
        """Return the index of the next arm, what its propensity is computed from, and what its reward will need."""
        step, engine, columns = self._step, self._engine, self._columns
        if self.horizon is not None and step >= self.horizon:
            raise ValueError(f"horizon must be higher: all its {self.horizon:,} choices are made")
        if self._new or self.floor:
            return self._choose_among_more(seen)
        arm, before, kept = engine.choose(step, seen)
        return columns[arm], (engine, columns, None, before, step), kept

    def _choose_among_more(self, seen: Floats | None) -> tuple[int, Any, bytes]:
        """Choose as `_choose` does, where some arms are new, or all have a least probability."""
        step, engine, columns = self._step, self._engine, self._columns
        first = self._first
        arm, before, kept = engine.choose(step, seen)
        index = columns[arm] if first is None else first
        active = (*columns, *self._new)
        if self.floor:
            uniform: Any = draw_uniform
            u, share = uniform(self._coin, 0), self.floor * len(active)
            if u < share:
                index = active[min(int(u / share * len(active)), len(active) - 1)]
        if index in self._new:
            self._new[index][0] += 1
        return index, (engine, columns, (first, active), before, step), kept

    @property
    def _firsts(self) -> int:
        """How many pulls of a new arm come before the policy is asked about it."""
        return max(int(self._engine.spec.estimates.explore), 0)

    @property
    def _first(self) -> int | None:
        """The new arm that is chosen next, if there is one."""
        return next((index for index, (served, *_) in self._new.items() if served < self._firsts), None)

    def _learn(self, index: int, reward: float, kept: bytes) -> None:
        """Have the policy learn a reward of an arm."""
        if index in self._column_of:
            self._engine.update(self._column_of[index], reward, kept)
        elif index in self._new:
            self._new[index].append(reward)
            self._admit(index)
        else:
            self._retired[index][1].append(reward)

    def _known(self, at: int, reward: float) -> bool:
        """Return False for a reward that is known already; raise ValueError where it is not this one."""
        if not 0 <= at < len(self._outcomes):
            raise ValueError(f"choice must be the id of a choice of this agent, below {len(self._outcomes)}; got {at}")
        known = self._outcomes[at]
        if known == _FORGOTTEN:
            raise ValueError(f"choice must not be forgotten; choice {at} is")
        if known != reward:
            raise ValueError(f"reward of choice {at} must be {known:g}, which it had already; got {reward:g}")
        return False

    # ------------------------------------------------------------ what is allowed

    def _id(self, choice: Any) -> int:
        try:
            return operator.index(choice)
        except TypeError:
            raise ValueError(f"choice must be a Choice or its id; got {checks.show(choice)}") from None

    def _check_reward(self, reward: Any) -> float:
        given = float(reward) if isinstance(reward, bool | np.bool_) else reward
        try:
            number = checks.number("reward", given, self._low, self._high)
        except ValueError as error:
            if self.policy.unit_rewards or self.rewards is None:
                raise
            raise ValueError(f"{error}; an agent takes others with rewards=(low, high), or rewards=None") from None
        if self._binary and number not in (0.0, 1.0):
            raise ValueError(f"reward must be 0 or 1 for {self.policy.name}; got {number:g}")
        return number

    def _check_features(self, features: Any) -> Floats:
        if self.features is None:
            raise ValueError(f"features must be left out: {self.policy.name} sees none")
        if features is None:
            raise ValueError(f"features must be given: {self.policy.name} sees {self.features} numbers")
        seen = checks.numbers_in("features", features)
        if seen.shape != (self.features,):
            raise ValueError(f"features must be {self.features} numbers; got an array of shape {seen.shape}")
        if not (np.abs(seen) <= LARGEST).all():
            raise ValueError(f"features must be finite numbers; got {checks.show(seen.tolist())}")
        return seen

    # ------------------------------------------------------------ propensities

    @property
    def probabilities(self) -> dict[Arm, float]:
        """The probability of each arm at the next choice, of a policy that sees no features."""
        if self.features is not None:
            raise ValueError("probabilities depend on the features; read `chances` of a choice")
        with self._lock:
            engine, columns = self._engine, self._columns
            more = self._new or self.floor
            others = (self._first, (*columns, *self._new)) if more else None
            before = engine, columns, others, engine.before(None), self._step
            chances, _ = self._chances_of(before, len(self._outcomes), None)
            return dict(zip(self._arms, chances.tolist(), strict=True))

    def _chances_of(self, before: Any, id: int, served: int | None) -> tuple[Floats, float]:
        """Return the probability of every arm at a choice, and the standard error of that of the served one."""
        engine, columns, more, state, step = before
        chances, error = np.zeros(len(self._arms)), 0.0
        first, active = more or (None, columns)
        if first is not None:
            chances[first] = 1.0
        else:
            stream = streams(self.seed, (Purpose.PROPENSITY, self.run), id, 1)
            asked = columns.index(served) if served in columns else None
            found = engine.propensities(state, step, stream, asked)
            chances[list(columns)] = found.chances
            error = 0.0 if asked is None else float(found.errors[asked])
        if more and self.floor:
            share = self.floor * len(active)
            chances *= 1.0 - share
            chances[list(active)] += self.floor
            error *= 1.0 - share
        return chances, error

    # ------------------------------------------------------------ arms that come and go

    def add_arm(self, arm: Arm) -> None:
        """Add an arm, or bring back one that was retired, with what is known of it.

        The policy sees a new arm when it has had its first pulls, as at the beginning of a simulation: until then it is
        chosen next. Policies that keep more than statistics of their arms, such as `exp3`, cannot do that.

        Raises
        ------
        ValueError
            An arm that is there already, or a policy whose arms cannot change.
        """
        with self._lock:
            name = _names("arm", [arm])[0]
            index = self._arms.index(name) if name in self._arms else len(self._arms)
            if index < len(self._arms) and index not in self._retired:
                raise ValueError(f"arm must be a new one, or one that was retired; got {name!r}")
            self._check_changes("add_arm")
            if self.floor * (len(self._columns) + len(self._new) + 1) > 1.0:
                raise ValueError(f"arm must wait: floor = {self.floor:g} leaves no room for another one")
            if index < len(self._arms):
                known, later = self._retired.pop(index)
                if isinstance(known, list):
                    self._new[index] = [*known, *later]
                    self._admit(index)
                else:
                    self._insert(index, known, later)
                return
            self._arms.append(name)
            self._paid.append(array("d"))
            self._counted.append((0.0, 0.0))
            self._new[index] = [0]
            self._admit(index)

    def retire_arm(self, arm: Arm) -> None:
        """Choose an arm no more; rewards of its choices may still come, and `add_arm` brings it back.

        Raises
        ------
        ValueError
            An arm that is not there, one of the last two, or a policy whose arms cannot change.
        """
        with self._lock:
            active = [self._arms[index] for index in (*self._columns, *self._new)]
            if arm not in active:
                raise ValueError(f"arm must be one of {_shown(active)}; got {checks.show(arm)}")
            self._check_changes("retire_arm")
            if len(active) == 2:
                raise ValueError(f"arm must leave at least 2 others; {arm!r} would leave 1")
            index = self._arms.index(arm)
            if index in self._new:
                self._retired[index] = self._new.pop(index), []
                return
            if len(self._columns) == 2:
                raise ValueError(f"arm must wait until another arm has its first rewards; got {arm!r}")
            column = self._column_of[index]
            self._retired[index] = self._engine.column(column), []
            left = [at for at in range(len(self._columns)) if at != column]
            self._resize([self._columns[at] for at in left], [self._engine.column(at) for at in left])

    def _check_changes(self, method: str) -> None:
        why = "is a class" if not isinstance(self._engine, CompiledEngine) else self._engine.changes_arms
        if why:
            raise ValueError(f"{method} must be left out for {self.policy.name}, which {why}; make a new agent")

    def _admit(self, index: int) -> None:
        """Have the policy know a new arm once it has its first rewards."""
        if len(self._new[index]) > self._firsts:
            _, *come = self._new.pop(index)
            self._insert(index, None, come)

    def _insert(self, index: int, known: Floats | None, rewards: Sequence[float]) -> None:
        """Have the policy know an arm, by what is known of it and rewards that came since."""
        columns = [self._engine.column(at) for at in range(len(self._columns))]
        self._resize([*self._columns, index], [*columns, known])
        for reward in rewards:
            self._engine.update(len(columns), reward, b"")

    def _resize(self, indices: Sequence[int], columns: Sequence[Floats | None]) -> None:
        self._engine = self._engine.resized(columns)
        self._columns = tuple(indices)
        self._column_of = {index: column for column, index in enumerate(indices)}

    # ------------------------------------------------------------ other beginnings

    @classmethod
    def from_counts(cls, policy: Policy | str, counts: Mapping[Arm, tuple[float, float]], **options: Any) -> Self:
        """Return an agent that begins with successes and failures of each arm.

        Parameters
        ----------
        policy : Policy or str
            One that looks at nothing but the statistics of its arms.
        counts : mapping of arms to (successes, failures)
            Numbers of at least 0.
        **options
            As for `Agent`.

        Raises
        ------
        ValueError
            As for `Agent`; a policy that keeps more than statistics.

        Examples
        --------
        >>> agent = Agent.from_counts("thompson", {"a": (2, 0), "b": (0, 0)})
        >>> {arm: round(p, 6) for arm, p in agent.probabilities.items()}
        {'a': 0.75, 'b': 0.25}
        """
        if not isinstance(counts, Mapping):
            raise ValueError(f"counts must map each arm to (successes, failures); got {checks.show(counts)}")
        agent = cls(policy, list(counts), **options)
        pairs = []
        for arm, pair in counts.items():
            if not isinstance(pair, Sequence) or len(pair) != 2:
                raise ValueError(f"counts[{arm!r}] must be (successes, failures); got {checks.show(pair)}")
            names = (f"counts[{arm!r}][0]", f"counts[{arm!r}][1]")
            pairs.append([checks.number(n, v, 0.0, _MOST_COUNTED) for n, v in zip(names, pair, strict=True)])
        agent._check_changes("from_counts")
        if agent._engine.spec.estimates.step_size > 0.0:
            raise ValueError(f"policy must have sample averages; the estimates of {agent.policy} need each reward")
        for index, (won, lost) in enumerate(pairs):
            agent._engine.write_column(index, agent._engine.counted(won + lost, won))
            agent._counted[index] = won + lost, won
        agent._earlier = int(sum(won + lost for won, lost in pairs))
        return agent

    @classmethod
    def from_log(cls, log: Log, policy: Policy | str, **options: Any) -> Self:
        """Return an agent that has learned the rows of a log, in their order, as if it had shown their arms.

        Parameters
        ----------
        log : Log
            As `read_log` returns it, with an arm and a reward in each row.
        policy : Policy or str
            One that does not learn by the probabilities of its own choices.
        **options
            As for `Agent`.

        Raises
        ------
        ValueError
            As for `Agent`; a log without arms or features that the policy needs.

        Examples
        --------
        >>> from bandits import Log
        >>> log = Log(["red", "blue"], arm=[0, 1, 1], reward=[0, 1, 0], propensity=[0.5, 0.5, 0.5])
        >>> Agent.from_log(log, "ucb").to_frame()["pulls"].tolist()
        [1, 2]
        """
        if log.rewards is not None:
            raise ValueError("log must have the shown arm in each row; it has the rewards of all arms")
        chosen = POLICIES.of(policy)
        if chosen.needs_features:
            if log.features is None:
                raise ValueError(f"log must have features for {chosen.name}; it has none")
            options.setdefault("features", log.features.shape[1])
        if log.reward.min() < 0.0 or log.reward.max() > 1.0:
            options.setdefault("rewards", None)
        agent = cls(chosen, list(log.names), **options)
        engine = agent._engine
        if isinstance(engine, CompiledEngine):
            own = engine.numbers_of_rule.kept_rows - (1 + engine.sees if engine.sees else 0)
            if own > 0:
                raise ValueError(f"policy must not learn by its own probabilities, as {chosen.name} does")
        agent._check_reward(float(log.reward.min())), agent._check_reward(float(log.reward.max()))
        if agent.horizon is not None and agent.horizon <= len(log):
            raise ValueError(f"horizon must be above the {len(log):,} rows of the log; got {agent.horizon}")
        rows = log.features if agent.features is not None else None
        for step, (arm, reward) in enumerate(zip(log.arm.tolist(), log.reward.tolist(), strict=True)):
            _, _, kept = engine.choose(step, None if rows is None else rows[step])
            engine.update(arm, reward, kept)
            agent._paid[arm].append(reward)
        agent._earlier = len(log)
        return agent

    # ------------------------------------------------------------ save and show

    def save(self, path: str | Path) -> None:
        """Write the agent to a file of JSON; `Agent.load` reads it, and the agent goes on to the same choices.

        Raises
        ------
        ValueError
            A policy that is a class of one's own, whose objects no file can hold.
        """
        from bandits.live.files import write

        with self._lock:
            write(self, Path(path))

    @classmethod
    def load(cls, path: str | Path, policy: Policy | str | None = None) -> Self:
        """Return an agent as it was saved.

        Parameters
        ----------
        path : str or Path
            A file that `save` wrote.
        policy : Policy or str, optional
            The policy, where it is a rule of one's own: to import it would run code that a file names.

        Raises
        ------
        ValueError
            No such file, a damaged one, one of a newer version, or another policy.
        """
        from bandits.live.files import read

        return read(cls, Path(path), policy)

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each arm: see `Summary.frame`."""
        return self.summary().frame

    def summary(self) -> Summary:
        """Return what is known of each arm: means, intervals, and what it would cost to stop now."""
        from bandits.live.summary import summarise

        with self._lock:
            return summarise(self)


_STREAMS = (Purpose.POLICY, Purpose.FLOOR)


def _names(argument: str, arms: Any) -> list[Arm]:
    """Return the names of arms, or raise ValueError."""
    if isinstance(arms, int | np.integer) and not isinstance(arms, bool):
        return list(range(checks.check_whole(argument, arms, 2, most=_MOST_ARMS)))
    if isinstance(arms, str | bytes | Mapping) or not isinstance(arms, Iterable):
        raise ValueError(f"{argument} must be a list of names, or how many there are; got {checks.show(arms)}")
    names = []
    for name in arms:
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise ValueError(f"{argument} must be names or whole numbers; got {checks.show(name)}")
        names.append(name)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{argument} must differ; got {twice!r} twice")
    if len(names) > _MOST_ARMS:
        raise ValueError(f"{argument} must be at most {_MOST_ARMS:,}; got {len(names):,}")
    return names


def _shown(names: Sequence[Arm], most: int = 8) -> str:
    return ", ".join(map(str, names[:most])) + (", ..." if len(names) > most else "")


def _horizon(policy: Policy, horizon: Any, arms: int) -> int | None:
    spec = policy.spec()
    if not needs_horizon(spec) and policy.limits is None:
        if horizon is not None:
            return checks.check_whole("horizon", horizon, 1, most=10**12)
        return None
    if horizon is None:
        raise ValueError(f"horizon must be given for {policy.name}, which needs the number of choices")
    horizon = checks.check_whole("horizon", horizon, 1, most=10**12)
    if policy.limits is not None:
        policy.limits.check(policy.name, Bernoulli([0.5] * arms), horizon)
    return horizon


def _features(policy: Policy, features: Any) -> int | None:
    if not policy.needs_features:
        if features is not None:
            raise ValueError(f"features must be left out for {policy.name}, which sees none; got {features!r}")
        return None
    if features is None:
        raise ValueError(f"features must be given for {policy.name}: how many numbers it sees before each choice")
    return checks.check_whole("features", features, 1, most=10_000)


def _range_of(policy: Policy, rewards: Any) -> tuple[float, float] | None:
    if rewards is None:
        if policy.unit_rewards:
            raise ValueError(f"rewards must be (0, 1) for {policy.name}, which is defined only there; got None")
        return None
    if not isinstance(rewards, Sequence) or isinstance(rewards, str) or len(rewards) != 2:
        raise ValueError(f"rewards must be (low, high) or None; got {checks.show(rewards)}")
    low = checks.number("rewards[0]", rewards[0], most=LARGEST)
    high = checks.number("rewards[1]", rewards[1], low, above=True, most=LARGEST)
    if policy.unit_rewards and (low < 0.0 or high > 1.0):
        raise ValueError(f"rewards must lie in [0, 1] for {policy.name}, which is defined only there; got {rewards}")
    return low, high
