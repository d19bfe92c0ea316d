"""An agent in memory: it chooses an arm, and learns from the reward when it arrives."""

from __future__ import annotations

import contextlib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from bandits.arms.base import LARGEST
from bandits.live import files, shared
from bandits.live.base import BaseAgent
from bandits.live.choices import Choice, check_arm
from bandits.live.description import Arm, Description, described, of_json
from bandits.live.engine import CompiledEngine
from bandits.live.ledger import FORGOTTEN, PENDING, Ledger
from bandits.live.summary import Known
from bandits.policies.base import POLICIES, Policy
from numerics import checks

if TYPE_CHECKING:
    from bandits.logs.log import Log

_MOST_COUNTED = 1e9  # pulls that an agent may begin with


class _Inherited(contextlib.nullcontext[None]):
    """The lock of an agent in memory that a forked process has inherited."""

    def __enter__(self) -> None:
        raise ValueError("agent must be created, loaded or opened in each process; a parent process created this one")


class Agent(BaseAgent):
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
        The least and the largest reward. The policy learns (reward - least) / (largest - least), so its parameters are
        in units of this range; a rule of one's own learns the reward itself. None: any number, as it is, and no
        intervals of means.

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
        self._begin(described(policy, arms, seed, run, horizon, features, floor, rewards))

    def _begin(self, description: Description) -> None:
        """Begin, with the arguments of a description."""
        super()._begin(description)
        self._simple = description.rewards is not None and description.policy.limits is None
        self._sees = description.features is not None
        self._low, self._high = description.rewards or (-LARGEST, LARGEST)
        self._ledger = Ledger(len(self.arms))
        self._running: tuple[Any, ...] = ()  # what was before the call that runs, or was interrupted

    def _after_fork(self) -> None:
        """Refuse all calls in a child, which would make the choices of its parent and its siblings."""
        self._lock = _Inherited()

    @classmethod
    def _of(cls, description: Description) -> Self:
        """Return an agent of a description."""
        agent = cls.__new__(cls)
        agent._begin(description)
        return agent

    def __repr__(self) -> str:
        return (
            f"Agent({POLICIES.text(self.policy)!r}, arms={self.arms}, choices={self.choices:,}, "
            f"pending={len(self._ledger.pending):,})"
        )

    @property
    def choices(self) -> int:
        """The number of choices made."""
        return len(self._ledger.outcomes)

    @property
    def pending(self) -> list[Choice]:
        """The choices without a reward, in order."""
        with self._lock:
            return [choice for choice, _ in self._ledger.pending.values()]

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
        seen = None if features is None and not self._sees else self.description.check_features(features)
        with self._lock:
            if self._running:
                self._settle()
            play, ledger = self._play, self._ledger
            at = len(ledger.outcomes)
            self._running = at, play.step
            index, state, kept = play.choose(seen)
            choice = Choice(play, at, play.arms[index], index, seen, state)
            ledger.pending[at] = choice, kept
            ledger.outcomes.append(PENDING)
            self._running = ()
            return choice

    def choose_many(self, n: int, features: Sequence[Sequence[float]] | None = None) -> list[Choice]:
        """Choose n arms before any of their rewards is known; `features` has a row for each choice."""
        n = checks.check_whole("n", n, 1, most=10**7)
        rows = self._rows_of(n, features)
        with self._lock:
            left = (self.description.horizon or n) - (self._play.step if self.description.horizon else 0)
            if n > left:
                raise ValueError(f"n must be at most {left}, the number of choices left until the horizon; got {n}")
            return [self.choose(row) for row in rows]

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
        at = choice.id if type(choice) is Choice and choice._play is self._play else self._id_of(choice)
        if type(reward) is not float or not self._simple or not self._low <= reward <= self._high:
            reward = self.description.check_reward(reward)
        with self._lock:
            if self._running:
                self._settle()
            ledger = self._ledger
            if at not in ledger.pending:
                return ledger.known(at, reward)
            chosen, kept = entry = ledger.pending[at]
            if chosen is not choice:
                check_arm(choice, chosen.arm)
            mark = self._play.mark() if isinstance(self._play.engine, CompiledEngine) else None  # no copy of a class
            self._running = at, mark, entry, len(ledger.paid[chosen.index])
            self._play.learn(chosen.index, reward, kept)
            del ledger.pending[at]
            ledger.outcomes[at] = reward
            ledger.paid[chosen.index].append(reward)
            self._running = ()
            return True

    def _settle(self) -> None:
        """Come to a whole state after an exception from outside: forget a choice that was lost, undo a reward."""
        ledger = self._ledger
        if len(self._running) == 2:
            at, step = self._running
            if self._play.step > step and len(ledger.outcomes) == at:
                ledger.outcomes.append(PENDING if at in ledger.pending else FORGOTTEN)
        else:
            at, mark, entry, paid = self._running
            if mark is not None:
                self._play.rewind(mark)
            ledger.outcomes[at] = PENDING
            ledger.pending = dict(sorted({**ledger.pending, at: entry}.items()))
            del ledger.paid[entry[0].index][paid:]
        self._running = ()

    def forget(self, choices: Iterable[Choice | int]) -> None:
        """Forget pending choices that will get no reward; each holds a copy of the policy's statistics.

        Forgetting a choice again changes nothing.

        Raises
        ------
        ValueError
            An unknown choice, or one with a reward; then none is forgotten.
        """
        given = self._ids_of(choices)
        with self._lock:
            pending, outcomes = self._ledger.pending, self._ledger.outcomes
            for at, choice in given.items():
                if at in pending:
                    check_arm(choice, pending[at][0].arm)
                elif not 0 <= at < len(outcomes) or outcomes[at] != FORGOTTEN:
                    raise ValueError(f"choices must be pending; choice {at} is not pending")
            for at in given:  # a choice that an interrupt leaves in between can be forgotten again
                if at in pending:
                    outcomes[at] = FORGOTTEN
                    del pending[at]

    # ------------------------------------------------------------ arms that come and go

    def add_arm(self, arm: Arm) -> None:
        """Add an arm, or bring back a retired one with its statistics.

        A new arm gets its first pulls next, as every arm does at the beginning of a simulation. The policy sees it when
        it has their rewards. Policies that keep more than statistics of their arms, such as `exp3`, refuse.

        Raises
        ------
        ValueError
            An arm that is there already, or a policy whose arms cannot change.
        """
        with self._lock:
            self._check_arm(arm)
            if self._play.add_arm(arm) == len(self._ledger.paid):
                self._ledger.paid.append(array("d"))
                self._ledger.counted.append((0.0, 0.0))

    def retire_arm(self, arm: Arm) -> None:
        """Stop choosing an arm. Rewards of its choices may still arrive, and `add_arm` brings it back.

        Raises
        ------
        ValueError
            An arm that is not there, one of the last two, or a policy whose arms cannot change.
        """
        with self._lock:
            self._play.retire_arm(arm)

    # ------------------------------------------------------------ other beginnings

    @classmethod
    def from_counts(cls, policy: Policy | str, counts: Mapping[Arm, tuple[float, float]], **options: Any) -> Self:
        """Return an agent that starts with successes and failures of each arm.

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
            checks.number(f"the sum of counts[{arm!r}]", sum(pairs[-1]), 0.0, _MOST_COUNTED)
        agent._play.check_statistics("from_counts")
        engine = agent._play.engine
        if engine.spec.estimates.step_size > 0.0:
            raise ValueError(f"policy must estimate means by sample averages; {agent.policy} needs each reward")
        for index, (won, lost) in enumerate(pairs):
            engine.write_column(index, engine.counted(won + lost, won))
            agent._ledger.counted[index] = won + lost, won
        agent._play.step = int(sum(won + lost for won, lost in pairs))
        return agent

    @classmethod
    def from_log(cls, log: Log, policy: Policy | str, **options: Any) -> Self:
        """Return an agent that has learned from the rows of a log, in order, as if it had shown their arms.

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
            raise ValueError("log must have one shown arm in each row; a wide log has the rewards of all arms")
        chosen = POLICIES.of(policy)
        if chosen.needs_features:
            if log.features is None:
                raise ValueError(f"log must have features for {chosen.name}; got a log without features")
            options.setdefault("features", log.features.shape[1])
        if log.reward.min() < 0.0 or log.reward.max() > 1.0:
            options.setdefault("rewards", None)
        agent = cls(chosen, list(log.names), **options)
        engine = agent._play.engine
        if engine.own_rows > 0:
            raise ValueError(f"policy must not learn from its own choice probabilities; {chosen.name} does")
        for reward in (float(log.reward.min()), float(log.reward.max())):
            agent.description.check_reward(reward)
        if agent.description.horizon is not None and agent.description.horizon <= len(log):
            raise ValueError(f"horizon must be above the {len(log):,} rows of the log; got {agent.description.horizon}")
        rows = log.features if agent.description.features is not None else None
        for step, (arm, reward) in enumerate(zip(log.arm.tolist(), log.reward.tolist(), strict=True)):
            _, _, kept = engine.choose(step, None if rows is None else rows[step])
            agent._play.learn(arm, reward, kept)
            agent._ledger.paid[arm].append(reward)
        agent._play.step = len(log)
        return agent

    # ------------------------------------------------------------ save and show

    @staticmethod
    def open(
        url: str,
        name: str,
        policy: Policy | str | None = None,
        arms: Sequence[Arm] | int | None = None,
        *,
        durable: str = "process",
        retain: float | None = None,
        **options: Any,
    ) -> shared.SharedAgent:
        """Return an agent in a database that several processes may share; create it if the name is new.

        Every choice is in the database before it is returned, and every reward before it is acknowledged.

        Parameters
        ----------
        url : str
            ``sqlite:///PATH``, or ``postgresql://USER@HOST/DATABASE``, whose password comes from the environment
            (PGPASSWORD) or a pgpass file.
        name : str
            Of the agent.
        policy, arms : optional
            As for `Agent`; needed for a new one. Of one that exists they must be the same, or left out. A rule of one's
            own is always given.
        durable : {"process", "power"}, default "process"
            Whether no killed process can lose anything, or no loss of power either.
        retain : float, optional
            For how many days features and keys are kept. Calls delete older ones, at opening and at most once an hour.
            A deleted key is unknown: its request is a new one. Not for a Python class of one's own.
        **options
            As for `Agent`.

        Returns
        -------
        SharedAgent

        Raises
        ------
        ValueError
            As for `Agent`; another policy or other arms than those of the agent in the database.
        JournalError
            The database did not answer; the next call tries again.

        Examples
        --------
        >>> import tempfile
        >>> shop = f"sqlite:///{tempfile.mkdtemp()}/shop.db"
        >>> with Agent.open(shop, "banner", "thompson", ["red", "green"]) as agent:
        ...     choice = agent.choose()
        ...     agent.reward(choice, 1.0)
        True
        >>> with Agent.open(shop, "banner") as agent:
        ...     agent.choices, agent.pending
        (1, [])
        """
        return shared.open_agent(url, name, policy, arms, durable, retain, options)

    def save(self, path: str | Path) -> None:
        """Save the agent to a JSON file. `Agent.load` reads it and continues with the same choices.

        Raises
        ------
        ValueError
            A policy that is a class of one's own, whose objects no file can hold.
        """
        with self._lock:
            content = {"agent": self.description.as_json(), "play": self._play.as_json()}
            files.write(Path(path), {**content, "ledger": self._ledger.as_json()})

    @classmethod
    def load(cls, path: str | Path, policy: Policy | str | None = None) -> Self:
        """Load a saved agent.

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
        content = files.read(Path(path))
        agent = cls._of(of_json(content["agent"], policy))
        agent._play.restore(content["play"])
        agent._ledger.restore(content["ledger"], agent._play)
        return agent

    def _known(self) -> Known:
        with self._lock:
            ledger, waiting = self._ledger, [0] * len(self.arms)
            for choice, _ in ledger.pending.values():
                waiting[choice.index] += 1
            paid = [rewards[:] for rewards in ledger.paid]
            return Known(self.arms, self._are_retired(), self.choices, paid, waiting, list(ledger.counted))
