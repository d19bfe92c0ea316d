"""A trial of a user's rule or law before the run: its mistakes are a sentence, not garbage after hours.

Compiled code does not check bounds: a rule that reads past `params` would read whatever lies there. So replications 0
and 1 of the run itself are played, side by side, by hooks compiled with bounds checks, for as long as the trial may
take; `bandits.kernels.probe` says what is looked at.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable, Collection
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from bandits.arms.base import Arms
from bandits.arms.bernoulli import bernoulli
from bandits.hooks import NEEDS, STATISTICS, ChoiceRule, IndexRule
from bandits.kernels import probe as kernels
from bandits.kernels.arguments import KernelSpec
from bandits.spec import PolicySpec, no_learn, no_score, no_select
from numerics.kernels.jit import compile_now
from numerics.random import Purpose, streams, unit

_SECONDS = 1.5  # of processor time that a trial may take; then it is content
_WORK = 5_000  # scores between two looks at the clock, at most
PATIENCE = 20.0  # seconds in which a trial makes a step, or a law answers
_MEANS, _GRID = 8, 4_000  # means, and evenly spread uniforms, at which a law is tried
_OFF = 0.05  # standard deviations by which the average reward on that grid may miss the mean

Floats = npt.NDArray[np.float64]
T = TypeVar("T")


class Fault(NamedTuple):
    """What is wrong with a rule: after how many pulls it shows, and a sentence."""

    step: int
    sentence: str


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
    fault = _fault(spec, bandit, horizon, spec.rule.needs)
    undeclared = [need for need in NEEDS if need not in spec.rule.needs]
    if fault is not None and undeclared:
        told = _fault(spec, bandit, horizon, NEEDS)
        if told is None or told.step > fault.step:
            raise ValueError(
                f"rule {spec.rule.path} reads {' or '.join(undeclared)} without declaring it; write, for example, "
                f"@{'choice' if isinstance(spec.rule, ChoiceRule) else 'index'}_rule(needs={undeclared[0]!r})"
            )
    if fault is not None:
        raise ValueError(fault.sentence)


def _fault(spec: PolicySpec, bandit: Arms | int, horizon: int, needs: Collection[str]) -> Fault | None:
    """Play until the horizon, or until the time is over, and return what is wrong, if anything is."""
    rule, learn = spec.rule, spec.learn
    if isinstance(bandit, Arms):
        truth, law, params = bandit.draw_means(0, 0, 2), bandit.reward_law, bandit.law_params
    else:
        truth, law, params = np.tile(np.linspace(0.0, 1.0, bandit), (2, 1)), bernoulli, np.zeros((bandit, 0))
    arms = truth.shape[1]
    horizon = max(horizon, spec.estimates.explore * arms + 1)  # a shorter run never asks the rule
    hooks = (
        rule.checked if isinstance(rule, IndexRule) else no_score.compiled,
        rule.checked if isinstance(rule, ChoiceRule) else no_select.compiled,
        no_learn.compiled if learn is None else learn.checked,
        law.compiled,
    )
    numbers = spec.kernel_spec(horizon)._replace(needs_variances="variances" in needs)
    told = float(horizon) if "horizon" in needs else math.nan
    state = _start(spec, numbers, arms, needs)
    play: Any = compile_now(kernels.play)

    def trial() -> int:
        begun, work, verdict = time.thread_time(), 1, kernels.FINE
        while verdict == kernels.FINE and state.place[0] < horizon and time.thread_time() - begun < _SECONDS:
            verdict = play(*hooks, numbers, truth, params, horizon, told, state, work)
            work = min(2 * work, _WORK)
        return int(verdict)

    try:
        verdict = in_time(trial, lambda: int(state.place[0]))
    except TimeoutError:
        sentence = f"rule {_name(spec, state)} has not answered after {PATIENCE:g} s at {_where(state, horizon)}"
    except (Exception, SystemExit) as error:
        if isinstance(error, MemoryError):
            raise
        sentence = _failure(spec, state, horizon, error)
    else:
        if verdict == kernels.FINE:
            return None
        sentence = _sentence(spec, state, horizon, verdict, told)
    return Fault(int(state.place[0]), sentence)


def in_time(work: Callable[[], T], progress: Callable[[], int] = lambda: 0) -> T:
    """Return what some work gives, done in a thread of its own, or raise TimeoutError where it makes no progress.

    The thread of what has no end is left behind: nothing can stop compiled code but the end of the process.
    """
    done: list[T | BaseException] = []

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:
            done.append(error)

    thread, before = threading.Thread(target=run, daemon=True), -1
    thread.start()
    while thread.is_alive():
        if before == (before := progress()):
            raise TimeoutError
        thread.join(PATIENCE)
    (result,) = done
    if isinstance(result, BaseException):
        raise result
    return result


def _start(spec: PolicySpec, numbers: KernelSpec, arms: int, needs: Collection[str]) -> kernels.State:
    """Return two replications before their first pull; what the rule does not declare holds NaN."""
    cells, none = 2 * arms, math.nan
    start = (
        0.0,
        spec.estimates.initial,
        math.inf,
        0.0 if "variances" in needs else none,
        1 / arms if "priors" in needs else none,
    )
    return kernels.State(
        statistics=np.repeat(np.array(start), cells).reshape(5, cells),
        sums=np.zeros(cells),
        squares=np.zeros(cells),
        out=np.zeros((1, cells)),
        memory=np.zeros((numbers.memory + numbers.arm_memory * arms, 2)),
        arm=np.zeros(2, np.int64),
        rule_rng=streams(0, (Purpose.POLICY,), 0, 2),
        reward_rng=streams(0, (Purpose.REWARD,), 0, 2),
        place=np.zeros(2, np.int64),
    )


def _name(spec: PolicySpec, state: kernels.State) -> str:
    """Return the path of the hook that is at work."""
    return spec.learn.path if state.place[1] and spec.learn is not None else spec.rule.path


def _where(state: kernels.State, horizon: int) -> str:
    arms = state.out.size // 2
    return f"t = {state.place[0] + 1} of {horizon} with {arms} arm{'' if arms == 1 else 's'}"


def _failure(spec: PolicySpec, state: kernels.State, horizon: int, error: BaseException) -> str:
    """Say what a hook raised."""
    name, where, cells = _name(spec, state), _where(state, horizon), state.out.size
    if isinstance(error, IndexError):
        numbers = len(spec.params)
        return (
            f"rule {name} reads or writes outside an argument ({error}) at {where}; params holds {numbers} "
            f"number{'' if numbers == 1 else 's'}, the statistics {cells} (2 x {cells // 2})"
        )
    return f"rule {name} fails at {where}: {type(error).__name__}: {' '.join(str(error).split())}"


def _sentence(spec: PolicySpec, state: kernels.State, horizon: int, verdict: int, told: float) -> str:
    """Say what a verdict of the kernel means."""
    is_choice = isinstance(spec.rule, ChoiceRule)
    arms, where = state.out.size // 2, _where(state, horizon)
    alike = "of two replications side by side differ from the same two one at a time"
    said = {
        kernels.WRITES: f"writes into {', '.join(STATISTICS)} or params; it may write only into "
        f"{'memory and arm' if is_choice else 'out'}",
        kernels.NONE_CAN_WIN: f"writes -inf for every arm at {where}; an arm that can win must have a higher score",
        kernels.NOT_ALIKE: f"at {where}: {'choices' if is_choice else 'scores'} {alike}; entry i belongs to arm i // L "
        "of replication i % L, with L = rng.shape[0]",
        kernels.LEARN_WRITES: "writes into arm or reward; it may write only into memory",
        kernels.LEARNS_UNALIKE: f"at {where}: what is learnt {alike}; memory[:, r] belongs to replication r",
    }
    if verdict == kernels.NAN:
        unwritten, wrong = _unwritten(spec, state, told), int(np.isnan(state.out).argmax())
        pulls, mean = state.statistics[0, wrong], state.statistics[1, wrong]
        said[verdict] = (
            f"leaves {unwritten} of {2 * arms} entries of out unwritten (2 x {arms}: replications and arms) at {where}"
            if unwritten
            else f"writes NaN for arms with pulls {pulls:g} and mean {mean:g} at {where}; a score is a number, inf or "
            "-inf"
        )
    if verdict == kernels.INFINITE:
        pulls = float(state.statistics[0, np.isposinf(state.out[0]) & (state.statistics[0] > 0.0)][0])
        said[verdict] = (
            f"writes inf for an arm of {pulls:g} {'pull' if pulls == 1 else 'pulls'} at {where}, as a division by zero "
            "gives; only an arm without pulls may score inf"
        )
    if verdict == kernels.ARM:
        chosen = next(int(arm) for arm in state.arm if not 0 <= arm < arms)
        said[verdict] = (
            f"leaves the arm of a replication unwritten at {where}"
            if chosen == kernels.NO_ARM
            else f"chooses arm {chosen} at {where}; arms are 0 to {arms - 1}"
        )
    return f"rule {_name(spec, state)} {said[verdict]}"


def _unwritten(spec: PolicySpec, state: kernels.State, told: float) -> int:
    """Return how many scores a rule leaves as they were, where it is asked once more."""
    mark = -1.2345678912345e300  # a score that no rule has a reason to give
    score: Any = spec.rule.checked
    out, params = np.full(state.out.size, mark), np.array(spec.params, dtype=np.float64)
    with np.errstate(all="ignore"):
        score(*state.statistics.copy(), float(state.place[0] + 1), told, params, state.rule_rng.copy(), out)
    return int((out == mark).sum())


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
    before = [one.copy() for one in given]
    pay: Any = law.checked

    def trial() -> None:
        with np.errstate(all="ignore"):
            pay(*given, reward)

    try:
        in_time(trial)
    except TimeoutError as error:
        raise ValueError(f"law {law.path} has not answered after {PATIENCE:g} s at mean {mean:g}") from error
    except IndexError as error:
        raise ValueError(f"law {law.path} reads or writes outside an argument ({error})") from error
    except (Exception, SystemExit) as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())}"
        raise ValueError(f"law {law.path} fails at mean {mean:g}: {reason}") from error
    if not all(map(np.array_equal, given, before)):
        raise ValueError(f"law {law.path} writes into uniform, mean, arm or params; it may write only into reward")
    if not np.isfinite(reward).all():
        wrong = int((~np.isfinite(reward)).argmax())
        raise ValueError(
            f"law {law.path} pays {reward[wrong]} for uniform {uniform[wrong]:g} and mean {mean:g}; it must "
            "write a finite reward into every entry"
        )
    return reward
