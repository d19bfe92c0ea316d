"""A user's rule or law: how its answers are watched while it is played, and how it is tried before a run.

Compiled code does not check bounds: a rule that reads past `params` would read whatever lies there, and one that leaves
a score unwritten would be played on with what was there before. So the hooks of a user are compiled with bounds checks,
and kernels call them in the forms below, which look at each answer: a wrong one is an exception. That costs a few
hundredths of a rule's time.

Before a run its replications 0 and 1 are played by the general kernel with these forms, for as long as a trial may
take: side by side and then one at a time, which must come to the same. Where two replications are side by side, the
forms also see that nothing is written into what a rule may only read.
"""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from bandits.kernels import general
from bandits.kernels.arguments import KernelSpec, Problem, Steps, Streams
from bandits.kernels.pointed import file_of
from bandits.kernels.signatures import NEEDS, POINTED, SIGNATURES
from bandits.replications import Replications
from numerics.kernels.jit import compile_now, kernel
from numerics.kernels.pointers import array_at
from numerics.kernels.users import Misbehaves, copied, sentence
from numerics.random import GOLDEN, Purpose, streams, unit

if TYPE_CHECKING:
    from bandits.arms.base import Arms
    from bandits.spec import PolicySpec

_SECONDS = 1.5  # of processor time that a trial may take, about; then it is content
PATIENCE = 20.0  # seconds in which a trial makes a step, or a law answers
_PAIR = 2  # replications of a trial
_ENTRIES = 4_000_000  # numbers of the steps that a trial keeps at a time, at most
_MEANS, _GRID = 8, 4_000  # means, and evenly spread uniforms, at which a law is tried
_OFF = 0.05  # standard deviations by which the average reward on that grid may miss the mean

Floats = npt.NDArray[np.float64]
Function = Callable[..., Any]
T = TypeVar("T")


# --- watched forms ---------------------------------------------------------------------------------------------------

_WHO = ""  # the hook in the forms below, such as "rule my_rules.my_index"
_UNWRITTEN = 0x7FF8_0000_5EED_BEEF  # the bits of a NaN that no arithmetic gives
_NO_ARM = -(2**62)


_LEAVES, _NAN, _INFINITE, _NO_WINNER, _WRITES, _NO_CHOICE, _OUTSIDE, _CHOICE_WRITES, _LEARN_WRITES, _PAYS = range(10)
_INPUTS = "writes into pulls, means, widths, variances, priors or params"


class WrongAnswer(Misbehaves):
    """A wrong answer, by the number of its text: a compiled form takes long to compile with texts of its own."""

    texts: ClassVar[dict[int, tuple[str, str]]] = {  # what a hook does, and what is allowed
        _LEAVES: ("leaves {0:.0f} of {2} entries of out unwritten ({3} x {4}: replications and arms)", ""),
        _NAN: ("writes NaN for arms with pulls {0:g} and mean {1:g}", "a score is a number, inf or -inf"),
        _INFINITE: (
            "writes inf for an arm that has been pulled",
            "only an arm without pulls may score inf, because it is what a division by zero gives",
        ),
        _NO_WINNER: ("writes -inf for every arm", "an arm that can win must have a higher score"),
        _WRITES: (_INPUTS, "it may write only into out"),
        _NO_CHOICE: ("leaves the arm of a replication unwritten", ""),
        _OUTSIDE: ("chooses arm {0}", "arms are 0 to {1}"),
        _CHOICE_WRITES: (_INPUTS, "it may write only into memory and arm"),
        _LEARN_WRITES: ("writes into arm or reward", "it may write only into memory"),
        _PAYS: ("pays NaN or inf, or leaves a reward unwritten", ""),
    }

    def __init__(self, who: str, text: int, t: float, *numbers: float):
        super().__init__(who, *self.texts[text], t, *numbers)


def _hook(*given: Any) -> None:
    """Stand for the hook in the forms, which `watched` copies for each hook."""


@kernel()
def _mixed(values, total):
    """Return a number that changes when one of `values` does."""
    bits = values.view(np.uint64)
    for i in range(bits.size):
        total = (total ^ bits[i]) * GOLDEN
    return total


@kernel()
def _mark(pulls, means, widths, variances, priors, params):
    """Return a number that changes when something changes that a rule may only read."""
    total = _mixed(means, _mixed(pulls, GOLDEN))
    return _mixed(params, _mixed(priors, _mixed(variances, _mixed(widths, total))))


@kernel()
def _wrong_scores(arms, runs, pulls, means, out):
    """Return what is wrong with scores, a number of a text and two of what it tells; -1, 0, 0 if nothing is."""
    wrong, infinite = False, False
    for i in range(out.size):
        wrong |= out[i] != out[i]
        infinite |= (out[i] == math.inf) & (pulls[i] > 0.0)
    if wrong:
        bits, unwritten, nan = out.view(np.int64), 0, 0
        for i in range(out.size - 1, -1, -1):
            unwritten += bits[i] == _UNWRITTEN
            nan = i if out[i] != out[i] else nan
        return (_LEAVES, float(unwritten), 0.0) if unwritten > 0 else (_NAN, pulls[nan], means[nan])
    if infinite:
        return _INFINITE, 0.0, 0.0
    for r in range(runs):
        if out[r] == -math.inf:
            best = -math.inf
            for a in range(1, arms):
                best = max(best, out[a * runs + r])
            if best == -math.inf:
                return _NO_WINNER, 0.0, 0.0
    return -1, 0.0, 0.0


def _watched_score(arms, runs, pulls, means, widths, variances, priors, t, horizon, params, numbers, rng, out):
    cells = arms * runs
    pulls, means, widths = array_at(pulls, cells), array_at(means, cells), array_at(widths, cells)
    variances, priors, params = array_at(variances, cells), array_at(priors, cells), array_at(params, numbers)
    out, before = array_at(out, cells), GOLDEN
    bits = out.view(np.int64)
    for i in range(cells):
        bits[i] = _UNWRITTEN
    if runs == _PAIR:
        before = _mark(pulls, means, widths, variances, priors, params)
    _hook(pulls, means, widths, variances, priors, t, horizon, params, array_at(rng, (runs, 4)), out)
    wrong, first, second = _wrong_scores(arms, runs, pulls, means, out)
    if runs == _PAIR and before != _mark(pulls, means, widths, variances, priors, params):
        wrong = _WRITES
    if wrong >= 0:
        raise WrongAnswer(_WHO, wrong, t, first, second, cells, runs, arms)


def _watched_select(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    arm[:] = _NO_ARM
    before, arms, wrong, chosen = GOLDEN, means.size // arm.size, -1, 0
    if arm.size == _PAIR:
        before = _mark(pulls, means, widths, variances, priors, params)
    _hook(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm)
    for r in range(arm.size - 1, -1, -1):
        if arm[r] < 0 or arm[r] >= arms:
            wrong, chosen = _NO_CHOICE if arm[r] == _NO_ARM else _OUTSIDE, arm[r]
    if arm.size == _PAIR and before != _mark(pulls, means, widths, variances, priors, params):
        wrong = _CHOICE_WRITES
    if wrong >= 0:
        raise WrongAnswer(_WHO, wrong, t, chosen, arms - 1)


def _watched_learn(memory, arm, reward):
    first, second, paid, beside = arm[0], arm[-1], reward[0], reward[-1]
    _hook(memory, arm, reward)
    if first != arm[0] or second != arm[-1] or paid != reward[0] or beside != reward[-1]:
        raise WrongAnswer(_WHO, _LEARN_WRITES, 0.0)


def _watched_law(uniform, mean, arm, params, reward):
    reward[:] = math.nan
    _hook(uniform, mean, arm, params, reward)
    wrong = False
    for r in range(reward.size):
        wrong |= not math.isfinite(reward[r])
    if wrong:
        raise WrongAnswer(_WHO, _PAYS, 0.0)


_FORMS: dict[str, Function] = {
    "score": _watched_score,
    "select": _watched_select,
    "learn": _watched_learn,
    "law": _watched_law,
}


def watched(checked: Function, source: Function, who: str, kind: str) -> Function:
    """Return a kernel of a user's hook that looks at its answers.

    Parameters
    ----------
    checked : callable
        The hook, compiled with bounds checks.
    source : callable
        What the user wrote.
    who : str
        What a sentence calls it.
    kind : str
        "score", whose kernel takes pointers; "select", "learn" or "law".
    """
    call = copied(_FORMS[kind], source, _hook=checked, _WHO=who)
    made: Function = kernel(POINTED if kind == "score" else SIGNATURES[kind], file=file_of(source))(call)
    return made


# --- the trial of a rule ---------------------------------------------------------------------------------------------


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
    numbers = spec.kernel_spec(horizon)
    fault = _Trial(spec, numbers, bandit, horizon).fault()
    undeclared = [need for need in NEEDS if need not in spec.rule.needs]
    if fault is not None and undeclared:
        numbers = numbers._replace(needs_variances=True, needs_priors=True, horizon=float(horizon))
        with_all = _Trial(spec, numbers, bandit, horizon).fault()
        if with_all is None or with_all.t > fault.t:
            raise ValueError(
                f"{spec.rule.who} reads {' or '.join(undeclared)} without declaring it; write, for example, "
                f"@{'choice' if numbers.is_choice else 'index'}_rule(needs={undeclared[0]!r})"
            )
    if fault is not None:
        raise ValueError(fault.sentence)


class _Trial:
    """Two replications of a rule, played again and again, each time further."""

    def __init__(self, spec: PolicySpec, numbers: KernelSpec, bandit: Arms | int, horizon: int):
        self.spec, self.numbers, self.horizon = spec, numbers, horizon
        if isinstance(bandit, int):
            means, params, law = np.tile(np.linspace(0.0, 1.0, bandit), (_PAIR, 1)), np.zeros((bandit, 0)), _coins
        else:
            means, params, law = bandit.draw_means(0, 0, _PAIR), bandit.law_params, bandit.reward_law.compiled
        self.problem = Problem(means, params, np.zeros(0, np.int64))
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
            what = f"fails at {self._where}: {type(error).__name__}: {' '.join(str(error).split())}"
            if isinstance(error, IndexError):
                count, cells = self.numbers.params.size, _PAIR * self.arms
                what = (
                    f"reads or writes outside an argument ({error}) at {self._where}; params holds {count} "
                    f"number{'' if count == 1 else 's'}, the statistics {cells} ({_PAIR} x {self.arms})"
                )
        return Fault(self._t, f"{self._who} {what}")

    def _run(self) -> Fault | None:
        play: Any = general.play
        begun, end = time.thread_time(), self.before + 1
        while self.before < self.horizon and time.thread_time() - begun < _SECONDS / 2:  # the next may take as long
            kept = []
            for block in (_PAIR, 1):
                self.steps, self.played = self._room(self.before, end)
                drawn = Streams(*(streams(0, (purpose,), 0, _PAIR) for purpose in _PURPOSES))
                problem = self.problem._replace(checkpoints=self.played.checkpoints)
                numbers = self.numbers._replace(params=self.numbers.params.copy())  # a rule may write there
                t = play(*self.hooks, numbers, problem, drawn, self.played.record, self.steps, block)
                if t:
                    return Fault(t, f"{self.spec.rule.who} writes NaN at {self._where}")
                kept.append(self.steps)
            if (fault := self._difference(*kept)) is not None:
                return fault
            at_once = max(1, _ENTRIES // (_PAIR * (2 * self.arms + self.memory)))
            self.before, end = end, min(self.horizon, 2 * end, end + at_once)
        return None

    def _room(self, before: int, end: int) -> tuple[Steps, Replications]:
        """Return room for the steps behind `before`, and for checkpoints at each of them."""
        played = Replications.room(np.arange(before + 1, end + 1), 0, _PAIR, self.arms)
        played.reward[:] = np.nan
        return Steps.room(_PAIR, before, end, self.arms, self.memory), played

    def _difference(self, beside: Steps, alone: Steps) -> Fault | None:
        """Return the first step at which two replications side by side differ from one at a time, if any."""

        def first(differs: npt.NDArray[np.bool_]) -> float:
            steps = np.flatnonzero(differs.reshape(_PAIR, -1).any(axis=0))
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
    def _who(self) -> str:
        """The hook that is at work: of a step whose arm is known, the learn rule."""
        learning = (self.steps.arm >= 0).sum() > self._recorded.sum()
        return self.spec.learn.who if self.spec.learn is not None and learning else self.spec.rule.who

    @property
    def _where(self) -> str:
        return self._at(self._t)

    def _at(self, t: int) -> str:
        return f"t = {t} of {self.horizon} with {self.arms} arm{'' if self.arms == 1 else 's'}"


_PURPOSES = (Purpose.POLICY, Purpose.REWARD, Purpose.BEST_REWARD)


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


# --- the trial of a law ----------------------------------------------------------------------------------------------


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
