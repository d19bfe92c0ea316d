"""Policies as plain Python classes, for prototypes: played pull by pull, a hundred times slower than a compiled rule.

    class Mine:
        def __init__(self, arms, rng): ...
        def choose(self): ...                   returns an arm, 0 to arms - 1
        def update(self, arm, reward): ...      receives the reward of that arm

An object plays one replication. Its class is given what it takes of these, by their names:

    arms       K, how many there are
    horizon    T, the pulls of the replication
    rng        a numpy.random.Generator of this replication; with it the same seed gives the same choices

All other arguments are parameters of the policy, numbers with defaults such as ``step=0.1``. One with a whole default
stays whole.

A class with `needs = ("features",)` plays arms with features, and sees them: `choose(features)` is given those of the
step, float64[d], and `update(arm, reward, features)` those of the pull.

Where rewards come late, `update` is called when one arrives: not at all after some pulls, several times after others.
Rewards are those that any other policy meets in the same replications, and so are the tables.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.delivery.kernels.delayed import fill_arrivals
from bandits.hooks import PlainRule, RewardLaw
from bandits.kernels.arguments import Delays, Problem, Record, Steps, Streams
from bandits.kernels.changes import count_pulls, next_segments, room_for_changes, write_changes
from bandits.kernels.step import write_checkpoint
from bandits.spec import PolicySpec
from numerics.checks import shown
from numerics.places import failure, is_a_stop
from numerics.random import fill_uniforms

_TABLE = 100_000  # rewards that are made at once
_of_changes: Any = (next_segments, count_pulls, write_changes, room_for_changes)  # kernels, which run in Python too


def play(
    spec: PolicySpec,
    law: RewardLaw,
    problem: Problem,
    drawn: Streams,
    record: Record,
    steps: Steps,
    delays: Delays | None = None,
) -> None:
    """Play every replication of a problem and fill the record, as the kernels do.

    Without delays, `update` follows each `choose`; else it is called when a reward arrives.

    Raises
    ------
    ValueError
        The class takes other arguments, raises, or chooses an arm that is not there.
    """
    for run in range(problem.means.shape[0]):
        _Replication(spec, law, problem, drawn, run).play(record, steps, delays)


class _Replication:
    """A replication while it is played."""

    def __init__(self, spec: PolicySpec, law: RewardLaw, problem: Problem, drawn: Streams, run: int):
        assert isinstance(spec.rule, PlainRule)
        self.rule, self.law, self.problem, self.run, self.t = spec.rule, law, problem, run, 1
        self.means = problem.means[run]
        self.state = np.stack([drawn.reward[run], drawn.best[run]], axis=1).ravel()  # of `fill_uniforms`
        words = [int(word) for word in drawn.rule[run]]
        own = {
            name: int(value) if isinstance(self.rule.defaults[name], int) and value.is_integer() else value
            for name, value in zip(self.rule.parameters, spec.params, strict=True)
        }
        run_of = {
            "arms": self.means.size,
            "horizon": int(problem.checkpoints[-1]),
            "rng": np.random.default_rng(words),
        }
        given = {name: value for name, value in run_of.items() if name in self.rule.names}
        self.sees = "features" in self.rule.needs
        self.mine = self._asked(self.rule.function, **given, **own)

    def play(self, record: Record, steps: Steps, delays: Delays | None = None) -> None:
        """Play from the first pull to the last."""
        arms, horizon, changing = self.means.size, int(self.problem.checkpoints[-1]), self.problem.starts.size > 0
        pulls, sums, best_sum, reached = np.zeros(arms), np.zeros(arms), np.zeros(1), 0
        gaps, best = self.means.max() - self.means, (np.zeros(1), np.zeros(1, np.int64))
        known, earned = np.zeros(arms), np.zeros(arms)  # what has arrived: how many rewards, and their sums
        on_their_way: dict[int, list[tuple[Any, ...]]] = {}
        write: Any = write_checkpoint
        write_arrivals: Any = fill_arrivals
        change, count, write_too, room = _of_changes
        changes, at_once = room(arms, 1), max(1, _TABLE // arms)
        for begun in range(0, horizon, at_once):
            rewards, best_rewards = self._rewards(begun, min(at_once, horizon - begun))
            arrivals = np.arange(begun, begun + len(rewards))
            if delays is not None:
                write_arrivals(delays, self.run, begun, arrivals)
            for step, (row, best_reward) in enumerate(zip(rewards, best_rewards, strict=True), begun):
                self.t = step + 1
                seen = (self._features(step),) if self.sees else ()
                arm = self._arm(self._asked(self.mine.choose, *seen))
                if changing:
                    change(self.problem, self.run, step, changes, gaps, *best)
                    count(changes, np.array([arm]), gaps, changes.truth[arm : arm + 1])
                if self.run < steps.runs:
                    steps.arm[step], steps.reward[step], steps.best_reward[step] = arm, row[arm], best_reward
                    steps.means[step] = np.divide(earned, known, out=np.zeros(arms), where=known > 0.0)
                    steps.arrival[step] = arrivals[step - begun]
                pulls[arm] += 1.0
                sums[arm] += row[arm]
                on_their_way.setdefault(int(arrivals[step - begun]), []).append((arm, row[arm], *seen))
                for of, reward, *seen_then in on_their_way.pop(step, ()):
                    self._asked(self.mine.update, of, reward, *seen_then)
                    known[of] += 1.0
                    earned[of] += reward
                best_sum += best_reward
                if step + 1 == self.problem.checkpoints[reached]:
                    paid = np.array([arm]), np.array([row[arm]]), best_sum
                    averages = earned / np.maximum(known, 1.0)
                    write(record, reached, self.run, 1, 1, gaps, pulls, sums, known, averages, *paid)
                    if changing:
                        write_too(record, reached, self.run, step + 1, changes)
                    reached += 1

    def _features(self, step: int) -> npt.NDArray[np.float64]:
        """Return the features of a step, in memory of their own."""
        each = self.problem.features.shape[1] // int(self.problem.checkpoints[-1])
        seen: npt.NDArray[np.float64] = self.problem.features[self.run, step * each : (step + 1) * each].copy()
        return seen

    def _truth(self, begun: int, steps: int) -> npt.NDArray[np.float64]:
        """Return the means at the next steps, float64[steps, K]."""
        if not self.problem.starts.size:
            return np.tile(self.means, (steps, 1))
        rows = self.problem.segments[self.run].reshape(-1, self.means.size)
        at_step = np.searchsorted(self.problem.starts[self.run], np.arange(begun, begun + steps), side="right")
        truth: npt.NDArray[np.float64] = rows[at_step - 1]
        return truth

    def _rewards(self, begun: int, steps: int) -> tuple[list[list[float]], list[float]]:
        """Return what each arm would pay in the next steps, and what the best arm pays beside it."""
        arms, params, truth = self.means.size, self.problem.params, self._truth(begun, steps)
        uniforms, table, beside = np.empty(2 * steps), np.empty(steps * arms), np.empty(steps)
        pay: Any = self.law.compiled
        fill: Any = fill_uniforms
        with np.errstate(all="ignore"):
            fill(self.state, uniforms)
            pay(
                np.repeat(uniforms[0::2], arms),
                truth.ravel(),
                np.tile(np.arange(arms), steps),
                params,
                table,
            )
            pay(np.ascontiguousarray(uniforms[1::2]), truth.max(axis=1), truth.argmax(axis=1), params, beside)
        return table.reshape(steps, arms).tolist(), beside.tolist()

    def _asked(self, method: Any, *given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except BaseException as error:
            if is_a_stop(error):
                raise
            raise ValueError(f"{self.rule.who} fails at t = {self.t}: {failure(error)}") from None

    def _arm(self, chosen: Any) -> int:
        try:
            arm = operator.index(chosen)
        except TypeError:
            arm = -1
        if not 0 <= arm < self.means.size:
            raise ValueError(
                f"{self.rule.who} must choose a whole number, an arm from 0 to {self.means.size - 1}; "
                f"got {shown(chosen)} at t = {self.t}"
            )
        return arm
