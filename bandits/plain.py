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
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits.hooks import PlainRule, RewardLaw
from bandits.kernels import delayed, general
from bandits.kernels.arguments import Delays, Problem, Record, Steps, Streams
from bandits.rules import choice_rule
from bandits.spec import PolicySpec
from numerics.checks import show
from numerics.kernels.addresses import address_of
from numerics.places import failure, is_a_stop
from numerics.random import fill_uniforms

_TABLE = 100_000  # rewards that are made at once
Floats = npt.NDArray[np.float64]


@choice_rule(needs=("horizon",), every_arm_first=False)
def _chosen_before(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    """Pull what a class chose; the word rng[r, 0] is the number of the replication."""
    for r in range(arm.size):
        arm[r] = int(params[int(rng[r, 0]) * int(horizon) + int(t) - 1])


def play_plain(
    spec: PolicySpec,
    law: RewardLaw,
    problem: Problem,
    drawn: Streams,
    record: Record,
    steps: Steps,
    delays: Delays | None = None,
) -> None:
    """Play every replication of a problem and fill the record, as the kernels do.

    Without delays, `update` follows each `choose`; else it is called when a reward arrives. Then a kernel pulls the
    same arms for the same rewards and keeps the record.

    Raises
    ------
    ValueError
        The class takes other arguments, raises, or chooses an arm that is not there.
    """
    (runs, arms), horizon = problem.means.shape, int(problem.checkpoints[-1])
    late = None if delays is None else delays._replace(rng=delays.rng.copy())
    chosen = np.concatenate([_Replication(spec, law, problem, drawn, run).play(late) for run in range(runs)])
    same = PolicySpec(_chosen_before)
    numbers = same.kernel_spec(horizon, arms)._replace(params=chosen)
    numbered = drawn._replace(rule=np.arange(runs, dtype=np.uint64)[:, None] * np.array([1, 0, 0, 0], np.uint64))
    kernel: Any = general.play if delays is None else delayed.play_delayed
    if delays is None:
        kernel(same.addresses(), address_of(law.compiled), numbers, problem, numbered, record, steps, 1)
    else:
        kernel(same.addresses(), address_of(law.compiled), numbers, problem, numbered, delays, record, steps)


class PlainPlay:
    """An object of a user's class during play: its creation, choices, rewards, and checks.

    Parameters
    ----------
    spec : PolicySpec
        Of a policy whose rule is a `PlainRule`.
    words : sequence of int
        The seed of its generator: a replication's stream.
    arms, horizon : int
        K and T.
    """

    def __init__(self, spec: PolicySpec, words: Iterable[int], arms: int, horizon: int):
        assert isinstance(spec.rule, PlainRule)
        self.rule, self.arms, self.t = spec.rule, arms, 1
        parameters = {
            name: int(value) if isinstance(self.rule.defaults[name], int) and value.is_integer() else value
            for name, value in zip(self.rule.parameters, spec.params, strict=True)
        }
        self.rng = np.random.default_rng([int(word) for word in words])
        known = {"arms": arms, "horizon": horizon, "rng": self.rng}
        given = {name: value for name, value in known.items() if name in self.rule.names}
        self.mine = self._asked(self.rule.function, **given, **parameters)

    def choose(self, *seen: Floats) -> int:
        """Return the arm of pull t; `seen` are its features, if the class uses any."""
        chosen = self._asked(self.mine.choose, *seen)
        try:
            arm = operator.index(chosen)
        except TypeError:
            arm = -1
        if not 0 <= arm < self.arms:
            raise ValueError(
                f"{self.rule.who} must choose an arm, a whole number from 0 to {self.arms - 1}; "
                f"got {show(chosen)} at t = {self.t}"
            )
        return arm

    def update(self, arm: int, reward: float, *seen: Floats) -> None:
        """Tell the object a reward."""
        self._asked(self.mine.update, arm, reward, *seen)

    def _asked(self, method: Any, *given: Any, **named: Any) -> Any:
        try:
            return method(*given, **named)
        except BaseException as error:
            if is_a_stop(error):
                raise
            raise ValueError(f"{self.rule.who} fails at t = {self.t}: {failure(error)}") from None


class _Replication:
    """A replication while it is played."""

    def __init__(self, spec: PolicySpec, law: RewardLaw, problem: Problem, drawn: Streams, run: int):
        self.law, self.problem, self.run = law, problem, run
        self.means, self.horizon = problem.means[run], int(problem.checkpoints[-1])
        self.state = np.stack([drawn.reward[run], drawn.best[run]], axis=1).ravel()  # of `fill_uniforms`
        self.played = PlainPlay(spec, drawn.rule[run], self.means.size, self.horizon)
        self.sees = "features" in self.played.rule.needs

    def play(self, delays: Delays | None) -> Floats:
        """Play from the first pull to the last, and return the arms that the class chose."""
        chosen, on_their_way = np.empty(self.horizon), dict[int, list[tuple[Any, ...]]]()
        write_arrivals: Any = delayed.fill_arrivals
        at_once = max(1, _TABLE // self.means.size)
        for begun in range(0, self.horizon, at_once):
            rewards = self._rewards(begun, min(at_once, self.horizon - begun))
            arrivals = np.arange(begun, begun + len(rewards))
            if delays is not None:
                write_arrivals(delays, self.run, begun, arrivals)
            for step, (row, arrival) in enumerate(zip(rewards, arrivals.tolist(), strict=True), begun):
                self.played.t = step + 1
                seen = (self._features(step),) if self.sees else ()
                chosen[step] = arm = self.played.choose(*seen)
                on_their_way.setdefault(arrival, []).append((arm, row[arm], *seen))
                for known in on_their_way.pop(step, ()):
                    self.played.update(*known)
        return chosen

    def _features(self, step: int) -> Floats:
        """Return the features of a step, in memory of their own."""
        each = self.problem.features.shape[1] // self.horizon
        seen: Floats = self.problem.features[self.run, step * each : (step + 1) * each].copy()
        return seen

    def _truth(self, begun: int, steps: int) -> Floats:
        """Return the means at the next steps, float64[steps, K]."""
        if not self.problem.starts.size:
            return np.tile(self.means, (steps, 1))
        rows = self.problem.segments[self.run].reshape(-1, self.means.size)
        at_step = np.searchsorted(self.problem.starts[self.run], np.arange(begun, begun + steps), side="right")
        truth: Floats = rows[at_step - 1]
        return truth

    def _rewards(self, begun: int, steps: int) -> list[list[float]]:
        """Return what each arm would pay in the next steps."""
        arms, uniforms, table = self.means.size, np.empty(2 * steps), np.empty(steps * self.means.size)
        pay: Any = self.law.compiled
        fill: Any = fill_uniforms
        with np.errstate(all="ignore"):
            fill(self.state, uniforms)
            each = np.tile(np.arange(arms), steps)
            pay(np.repeat(uniforms[0::2], arms), self._truth(begun, steps).ravel(), each, self.problem.params, table)
        return table.reshape(steps, arms).tolist()
