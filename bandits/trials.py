"""A user's rule or law is tried before a run.

Replications 0 and 1 of the run are played by the general kernel with the watched forms of `bandits.users`, for as long
as a trial may take: side by side and then one at a time, which must come to the same.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from bandits.kernels import general
from bandits.kernels.arguments import KernelSpec, Problem, Steps
from bandits.kernels.signatures import ARGUMENTS, NEEDS, SIGNATURES
from bandits.replications import Replications
from bandits.users import PAIR
from numerics.kernels.jit import compile_now, kernel
from numerics.kernels.users import Misbehaves, sentence
from numerics.places import failure, place_of
from numerics.random import Purpose, streams, unit

if TYPE_CHECKING:
    from bandits.arms.base import Arms
    from bandits.hooks import CompiledHook
    from bandits.spec import PolicySpec

_SECONDS = 1.5  # of processor time that a trial may take, about
PATIENCE = 20.0  # seconds in which a trial makes a step, or a law answers
_ENTRIES = 4_000_000  # numbers of the steps that a trial keeps at a time, at most
_MEANS, _GRID = 8, 4_000  # means, and evenly spread uniforms, at which a law is tried
_MOST_FEATURES = 4_000_000  # numbers that a trial draws for each replication, at most
_OFF = 0.05  # standard deviations by which the average reward on that grid may miss the mean

Floats = npt.NDArray[np.float64]
T = TypeVar("T")


class Fault(NamedTuple):
    """What is wrong with a rule: at which t it shows, and a sentence."""

    t: int
    sentence: str


@kernel(SIGNATURES["law"])
def _coins(uniform, mean, arm, params, reward):
    """Pay 0 or 1."""
    for r in range(reward.size):
        reward[r] = 1.0 if uniform[r] < mean[r] else 0.0


@functools.lru_cache(maxsize=1024)
def check_rule(spec: PolicySpec, bandit: Arms | int, horizon: int) -> None:
    """Play a rule on a bandit, or on so many arms that pay 0 or 1, and refuse it if it misbehaves.

    The same question is answered only once.

    Raises
    ------
    ValueError
        A hook cannot be compiled, raises, does not come to an end, reads or writes outside its arguments, writes into
        its inputs, leaves an answer unwritten, writes NaN, inf for an arm with pulls, or -inf for all arms, chooses an
        arm that is not there, reads what it does not declare, or answers for two replications side by side otherwise
        than for one at a time.
    """
    arms = bandit if isinstance(bandit, int) else bandit.count
    horizon = max(horizon, spec.estimates.explore * arms + 1)  # a shorter run never asks the rule
    features = 0 if isinstance(bandit, int) else bandit.dimension
    if "features" in spec.rule.needs:
        horizon = min(horizon, max(1, _MOST_FEATURES // max(1, features)))
    numbers = spec.kernel_spec(horizon, arms, features)
    fault = _Trial(spec, numbers, bandit, horizon).fault()
    undeclared = [need for need in ARGUMENTS if need not in spec.rule.needs]
    if fault is not None and undeclared:
        with_all = _Trial(spec, _given(numbers, horizon, ARGUMENTS), bandit, horizon).fault()
        if with_all is None or with_all.t > fault.t:
            read = [
                need
                for need in undeclared
                if _Trial(spec, _given(numbers, horizon, set(ARGUMENTS) - {need}), bandit, fault.t).fault() is not None
            ] or undeclared
            needs = tuple(need for need in NEEDS if need in read or need in spec.rule.needs)
            raise ValueError(
                f"{spec.rule.who} reads {' and '.join(read)} without declaring it; write "
                f"@{'choice' if numbers.is_choice else 'index'}_rule(needs={(needs if needs[1:] else needs[0])!r})"
            )
    if fault is not None:
        raise ValueError(fault.sentence)


def _given(numbers: KernelSpec, horizon: int, needs: Collection[str]) -> KernelSpec:
    """Return the numbers of a kernel that gives a rule these inputs, and NaN for the other ones of `ARGUMENTS`."""
    return numbers._replace(
        needs_variances="variances" in needs,
        needs_priors="priors" in needs,
        horizon=float(horizon) if "horizon" in needs else math.nan,
    )


class _Trial:
    """Two replications of a rule, played again and again, each time further."""

    def __init__(self, spec: PolicySpec, numbers: KernelSpec, bandit: Arms | int, horizon: int):
        self.spec, self.numbers, self.horizon = spec, numbers, horizon
        if isinstance(bandit, int):
            means, params, law = np.tile(np.linspace(0.0, 1.0, bandit), (PAIR, 1)), np.zeros((bandit, 0)), _coins
        else:
            means, params, law = bandit.draw_means(0, 0, PAIR), bandit.law_params, bandit.reward_law.compiled
        self.problem = Problem.still(means, params, np.zeros(0, np.int64))
        if numbers.features > 0 and not isinstance(bandit, int):
            starts, rows, seen = bandit.with_features(0, 0, PAIR, horizon)
            self.problem = self.problem._replace(
                starts=starts, segments=rows.reshape(PAIR, -1), features=seen.reshape(PAIR, -1)
            )
        self.hooks = (*spec.compiled(), compile_now(law))
        compile_now(general.play)
        self.arms, self.memory = means.shape[1], numbers.memory + numbers.arm_memory * means.shape[1]
        self.before = 0 if spec.learn is not None else spec.estimates.explore * self.arms  # learn sees first pulls too
        self.steps, self.played = self._room(self.before, self.before + 1)

    def fault(self) -> Fault | None:
        """Play until the horizon, or until the time is over, and return what is wrong, if anything is."""
        try:
            return in_time(self._run, lambda: (self.before, self.steps.arm.sum(), id(self.steps)))
        except TimeoutError:
            what = f"has not answered after {PATIENCE:g} s at {self._where}"
        except (Exception, SystemExit) as error:
            if isinstance(error, MemoryError):
                raise
            if isinstance(error, Misbehaves):
                return Fault(self._t, sentence(error, self._where))
            what = f"fails at {self._where}: {failure(error, self._hook.function)}"
            if isinstance(error, IndexError):
                count, cells = self.numbers.params.size, PAIR * self.arms
                what = (
                    f"reads or writes outside an argument ({error}) at {self._where}; params holds {count} "
                    f"number{'' if count == 1 else 's'}, the statistics {cells} ({PAIR} x {self.arms}) "
                    f"({place_of(error, self._hook.function)})"
                )
        return Fault(self._t, f"{self._hook.who} {what}")

    def _run(self) -> Fault | None:
        play: Any = general.play
        begun, end = time.thread_time(), self.before + 1
        while self.before < self.horizon and time.thread_time() - begun < _SECONDS / 2:  # the next may take as long
            kept = []
            for block in (PAIR, 1):
                self.steps, self.played = self._room(self.before, end)
                problem = self.problem._replace(checkpoints=self.played.checkpoints)
                numbers = self.numbers._replace(params=self.numbers.params.copy())  # a rule may write there
                t = play(
                    *self.hooks, numbers, problem, self.played.streams(0), self.played.record(0), self.steps, block
                )
                if t:
                    return Fault(t, f"{self.spec.rule.who} writes NaN at {self._where}")
                kept.append(self.steps)
            if (fault := self._difference(*kept)) is not None:
                return fault
            at_once = max(1, _ENTRIES // (PAIR * (2 * self.arms + self.memory)))
            self.before, end = end, min(self.horizon, 2 * end, end + at_once)
        return None

    def _room(self, before: int, end: int) -> tuple[Steps, Replications]:
        """Return room for the steps behind `before`, and for checkpoints at each of them."""
        played = Replications.room(
            np.arange(before + 1, end + 1), 0, PAIR, self.arms, changing=self.problem.starts.size > 0
        )
        played.reward[:] = np.nan
        return Steps.room(PAIR, before, end, self.arms, self.memory), played

    def _difference(self, beside: Steps, alone: Steps) -> Fault | None:
        """Return the first step at which two replications side by side differ from one at a time, if any."""

        def first(differs: npt.NDArray[np.bool_]) -> float:
            steps = np.flatnonzero(differs.reshape(PAIR, -1).any(axis=0))
            return self.before + 1 + float(steps[0]) if steps.size else math.inf

        chosen = first((beside.arm != alone.arm) | _unlike(beside.scores, alone.scores))
        learnt = first(_unlike(beside.memory, alone.memory))
        if min(chosen, learnt) == math.inf:
            return None
        t, rule, learn = int(min(chosen, learnt)), self.spec.rule, self.spec.learn
        same = "of two replications side by side differ{} from the same two one at a time"
        if learn is not None and learnt < chosen:
            where = f"{rule.who} or {learn.path} at {self._at(t)}"
            return Fault(t, f"{where}: what is learnt {same.format('s')}; memory[:, r] belongs to replication r")
        what = "choices" if self.numbers.is_choice else "scores"
        rest = "entry i belongs to arm i // L of replication i % L, with L = rng.shape[0]"
        return Fault(t, f"{rule.who} at {self._at(t)}: {what} {same.format('')}; {rest}")

    @property
    def _recorded(self) -> npt.NDArray[np.int64]:
        """How many of the steps of each replication have ended."""
        return np.asarray((~np.isnan(self.played.reward)).sum(axis=1))

    @property
    def _t(self) -> int:
        """The t of the step that has not ended."""
        unfinished = self._recorded[self._recorded < self.played.checkpoints.size]
        return self.before + 1 + int(unfinished[0] if unfinished.size else 0)

    @property
    def _hook(self) -> CompiledHook:
        """The hook that is at work: of a step whose arm is known, the learn rule."""
        learning = (self.steps.arm >= 0).sum() > self._recorded.sum()
        return self.spec.learn if self.spec.learn is not None and learning else self.spec.rule

    @property
    def _where(self) -> str:
        return self._at(self._t)

    def _at(self, t: int) -> str:
        return f"t = {t} of {self.horizon} with {self.arms} arm{'' if self.arms == 1 else 's'}"


def _unlike(left: Floats, right: Floats) -> npt.NDArray[np.bool_]:
    """Return in which rows two tables differ; NaN is the same as NaN."""
    return np.asarray(((left != right) & ((left == left) | (right == right))).any(axis=1))


def in_time(work: Callable[[], T], progress: Callable[[], object] = lambda: 0) -> T:
    """Return what some work gives, done in a thread of its own, or raise TimeoutError where it makes no progress.

    The thread of what has no end is left behind: nothing can stop compiled code but the end of the process.
    """
    done: list[T | BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            done.append(error)

    thread = threading.Thread(target=run, daemon=True)
    before: object = None
    thread.start()
    while thread.is_alive():
        if before == (before := progress()):
            raise TimeoutError
        thread.join(PATIENCE)
    (result,) = done
    if isinstance(result, BaseException):
        raise result
    return result


@functools.lru_cache(maxsize=1024)
def check_law(arms: Arms) -> None:
    """Ask a law for rewards of some of the arms' means, and refuse it if it misbehaves.

    Raises
    ------
    ValueError
        It cannot be compiled, raises, reads or writes outside its arguments, writes into its inputs, leaves a reward
        unwritten, pays NaN or inf, pays by an entry's place, leaves [0, 1] though it declares not to, or pays something
        else than the mean on average.
    """
    law, truth = arms.reward_law, arms.draw_means(0, 0, 1)[0]
    ends = [0.0, 2.0**-53, 1.0 - 2.0**-53]
    grid = (np.arange(_GRID) + 0.5) / _GRID
    uniform = np.concatenate([ends, unit(streams(0, (Purpose.REWARD,), 0, _MEANS)).ravel(), grid])
    for arm in np.unique(np.linspace(0, truth.size - 1, _MEANS).astype(np.int64)):
        mean = float(truth[arm])
        reward = _rewards(arms, uniform, mean, arm)
        if not np.array_equal(reward, _rewards(arms, uniform[::-1].copy(), mean, arm)[::-1]):
            raise ValueError(
                f"law {law.path} pays otherwise when its entries come in another order; take them one by one"
            )
        if law.unit and not ((reward >= 0.0) & (reward <= 1.0)).all():
            raise ValueError(f"law {law.path} declares rewards in [0, 1] and pays {reward.min():g} to {reward.max():g}")
        even = reward[-_GRID:]
        if abs(even.mean() - mean) > _OFF * even.std() + 1e-9 * max(1.0, abs(mean)):
            raise ValueError(
                f"law {law.path} pays {even.mean():.4g} on average where the mean is {mean:.4g}; regret is counted in "
                "means"
            )


def _rewards(arms: Arms, uniform: Floats, mean: float, arm: int) -> Floats:
    law, reward = arms.reward_law, np.full(uniform.size, np.nan)
    given = [uniform.copy(), np.full(uniform.size, mean), np.full(uniform.size, arm), arms.law_params]
    before = [array.copy() for array in given]
    pay: Any = law.checked

    def trial() -> None:
        with np.errstate(all="ignore"):
            pay(*given, reward)

    try:
        in_time(trial)
    except TimeoutError:
        raise ValueError(f"law {law.path} has not answered after {PATIENCE:g} s at mean {mean:g}") from None
    except IndexError as error:
        raise ValueError(
            f"law {law.path} reads or writes outside an argument ({error}; {place_of(error, law.function)})"
        ) from None
    except (Exception, SystemExit) as error:
        raise ValueError(f"law {law.path} fails at mean {mean:g}: {failure(error, law.function)}") from None
    if not all(map(np.array_equal, given, before)):
        raise ValueError(f"law {law.path} writes into uniform, mean, arm or params; it may write only into reward")
    if not np.isfinite(reward).all():
        wrong = int((~np.isfinite(reward)).argmax())
        raise ValueError(
            f"law {law.path} pays {reward[wrong]} for uniform {uniform[wrong]:g} and mean {mean:g}; it must "
            "write a finite reward into every entry"
        )
    return reward
