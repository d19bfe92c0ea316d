"""The hooks: what a rule or a reward law sees, what it writes, and how a plain function becomes a compiled hook.

A rule scores arms from their statistics. The bandit kernel calls it on all K arms of L replications at once, a tree
search on the children of one node (L = 1). Entry i belongs to arm i // L of replication i % L:

          replication 0   1  ...  L-1
    arm 0          [  0   1  ...  L-1 ]
    arm 1          [  L  L+1 ... 2L-1 ]      so one loop over all entries serves any L, and the compiler vectorises it
    ...

There are three kinds of rule. The first is the shortest and the fastest, the last can do everything:

    @bonus_rule    bonus(t, params) -> b                   the index is mean + b / sqrt(pulls)
    @index_rule    score(pulls, means, widths, variances, priors, t, horizon, params, rng, out)        writes all of out
    @choice_rule   select(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm)      writes arm
    @learn_rule    learn(memory, arm, reward)              optional, of a choice rule: called after every pull

and one of law:

    @reward_law    law(uniform, mean, scale, reward)       writes what arms of these means pay

pulls, means, widths, variances, priors, out
    float64[K * L]. widths = 1 / sqrt(pulls); variances divide by the pulls; priors = 1 / K unless a game gives others.
t, horizon
    float64. t is the index of the pull being chosen, 1 + the pulls of all competing arms together.
params
    float64[...], the rule's own numbers.
rng
    uint64[L, 4], one random stream a replication, for `numerics.random`.
out
    The scores, all of them written: never NaN; -inf for an arm that cannot win, inf for one that must be pulled. The
    caller takes the argmax and breaks ties at random.
memory, arm, reward
    float64[M, L], the rule's own rows, 0 at first; int64[L], the chosen arm; float64[L], what it paid.
uniform, mean
    float64[...], one uniform number in [0, 1) a reward, and the mean that the reward must have in expectation.

A rule declares in `needs` what not every caller keeps: variances, priors, and the horizon, which a search by the clock
does not know. What is not declared holds nothing of use. Hooks compile when first used, not when imported.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from types import FunctionType, ModuleType
from typing import Any, ClassVar, Protocol, overload

import numpy as np
import numpy.typing as npt

from bandits.kernels.pointed import file_of, pointed, score_of
from bandits.kernels.signatures import SIGNATURES
from numerics import importing
from numerics.kernels.jit import COMPILED, Lazy, compile_now, kernel, typed
from numerics.kernels.users import compiled_or_refused

Vector = npt.NDArray[np.float64]
Words = npt.NDArray[np.uint64]
Chosen = npt.NDArray[np.int64]


class Bonus(Protocol):
    """What `bonus_rule` takes."""

    def __call__(self, t: float, params: Vector, /) -> float:
        """Return b of the index mean + b / sqrt(pulls), the same for all arms."""


class Score(Protocol):
    """What `index_rule` takes."""

    def __call__(
        self, pulls: Vector, means: Vector, widths: Vector, variances: Vector, priors: Vector, t: float,
        horizon: float, params: Vector, rng: Words, out: Vector, /,
    ) -> None:  # fmt: skip
        """Write the scores, `out`, float64[K * L]."""


class Select(Protocol):
    """What `choice_rule` takes."""

    def __call__(
        self, pulls: Vector, means: Vector, widths: Vector, variances: Vector, priors: Vector, t: float,
        horizon: float, params: Vector, rng: Words, memory: Vector, arm: Chosen, /,
    ) -> None:  # fmt: skip
        """Write `arm`, int64[L]; change `memory`, float64[M, L], at will."""


class Learn(Protocol):
    """What `learn_rule` takes."""

    def __call__(self, memory: Vector, arm: Chosen, reward: Vector, /) -> None:
        """Change `memory`, float64[M, L], by the `reward`, float64[L], of each `arm`, int64[L]."""


class Law(Protocol):
    """What `reward_law` takes."""

    def __call__(self, uniform: Vector, mean: Vector, scale: float, reward: Vector, /) -> None:
        """Write `reward`, float64[...], from as many uniforms and means."""


class Divergence(Protocol):
    """What `reward_law` takes as its divergence."""

    def __call__(self, p: Vector, q: Vector, scale: float, /) -> Vector:
        """Return Kullback and Leibler's divergence of rewards of mean p from those of mean q, elementwise."""


STATISTICS = ("pulls", "means", "widths", "variances", "priors")
NEEDS = ("variances", "priors", "horizon")
_STATE = (*STATISTICS, "t", "horizon", "params", "rng")


class CompiledHook:
    """A plain function that is compiled to a hook's signature when it is first needed.

    It pickles by its name, so that a worker process finds the same function, and it can be called like the function.
    """

    noun: ClassVar[str] = "rule"
    kind: ClassVar[str] = ""  # of its signature, in `bandits.kernels.signatures`
    arguments: ClassVar[tuple[str, ...]] = ()

    def __init__(self, function: Callable[..., Any]):
        function = getattr(function, "py_func", function)  # of what is compiled already
        if not inspect.isfunction(function):
            raise ValueError(f"a {self.noun} must be made of a function (def ...); got {type(function).__name__}")
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise ValueError(
                f"a {self.noun} must be a plain function, without async or yield; got {function.__qualname__}"
            )
        self.function = function
        functools.update_wrapper(self, function)
        names = list(inspect.signature(function).parameters)
        places = dict(zip(names, self.arguments, strict=False))
        moved = [name for name, own in places.items() if name in self.arguments and name != own]
        if len(names) != len(self.arguments) or moved:
            count = f"it takes {len(names)}"
            fault = count if len(names) != len(self.arguments) else f"{moved[0]} stands in another's place"
            raise ValueError(
                f"{self.noun} {self.path} must take the {len(self.arguments)} arguments of a {self.kind} hook "
                f"({', '.join(self.arguments)}); {fault} ({', '.join(names)})"
            )

    def __call__(self, *arguments: Any) -> Any:
        """Run the function in plain Python."""
        return self.function(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return (resolve, (self.path, self.noun))

    @property
    def path(self) -> str:
        """The dotted path under which the hook can be imported."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    @property
    def is_ours(self) -> bool:
        """Whether the hook is of this package: where it fails, that is no mistake of a user's."""
        return self.path.startswith(f"{__package__}.")

    @functools.cached_property
    def compiled(self) -> Any:
        """The compiled hook."""
        return self._tried(lambda: compile_now(kernel(SIGNATURES[self.kind])(self.function)))

    @functools.cached_property
    def checked(self) -> Any:
        """The compiled hook with bounds checks, in it and in the user's functions that it calls."""
        return self._tried(lambda: with_bounds(self.function, SIGNATURES[self.kind]))

    def _tried(self, compile_it: Callable[[], Any]) -> Any:
        """Return what compiles, or say in a sentence why the hook does not."""
        return compiled_or_refused(f"{self.noun} {self.path}", compile_it)


class Rule(CompiledHook):
    """A hook that chooses arms: an index rule or a choice rule."""

    def __init__(self, function: Callable[..., Any], needs: Iterable[str] = (), every_arm_first: bool = True):
        super().__init__(function)
        self.needs = (needs,) if isinstance(needs, str) else tuple(needs)
        self.every_arm_first = bool(every_arm_first)
        for need in self.needs:
            if need not in NEEDS:
                raise ValueError(f"needs of rule {self.path} must be some of {', '.join(NEEDS)}; got {need!r}")


class IndexRule(Rule):
    """A score hook; make one with `index_rule`."""

    kind = "score"
    arguments: ClassVar[tuple[str, ...]] = (*_STATE, "out")

    @property
    def score(self) -> Callable[..., None]:
        """The function with the score hook's ten arguments."""
        return self.function

    @functools.cached_property
    def compiled(self) -> Any:
        """The compiled score hook."""
        return self._tried(lambda: compile_now(kernel(SIGNATURES["score"])(self.score)))

    @functools.cached_property
    def pointed(self) -> Any:
        """The compiled score hook as kernels call it; see `bandits.kernels.pointed`."""
        return self._tried(lambda: compile_now(pointed(self.score, self.function)))


class BonusRule(IndexRule):
    """A bonus hook, and the score hook that is made of it; make one with `bonus_rule`."""

    kind = "bonus"
    arguments = ("t", "params")

    @functools.cached_property
    def score(self) -> Callable[..., None]:
        """The score hook: mean + bonus / sqrt(pulls)."""
        return score_of(self.function)

    @functools.cached_property
    def compiled(self) -> Any:
        """The compiled score hook."""
        hook = kernel(SIGNATURES["score"], file=file_of(self.function))(self.score)
        return self._tried(lambda: compile_now(hook))

    @functools.cached_property
    def bonus(self) -> Any:
        """The compiled bonus hook."""
        return self._tried(lambda: compile_now(kernel(SIGNATURES["bonus"])(self.function)))

    @functools.cached_property
    def checked(self) -> Any:
        """The compiled score hook with bounds checks."""
        return self._tried(lambda: with_bounds(score_of(self.function, with_bounds), SIGNATURES["score"]))


class ChoiceRule(Rule):
    """A select hook, its learn hook if it has one, and its rows of memory; make one with `choice_rule`."""

    kind = "select"
    arguments = (*_STATE, "memory", "arm")

    def __init__(self, function: Callable[..., Any], memory: int = 0, learn: LearnRule | None = None, **options: Any):
        super().__init__(function, **options)
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 0:
            raise ValueError(f"memory of rule {self.path} must be a number of rows, 0 or more; got {memory!r}")
        if not isinstance(learn, LearnRule | None):
            raise ValueError(f"learn of rule {self.path} must be a function under @learn_rule; got {learn!r}")
        self.memory, self.learn = memory, learn


class LearnRule(CompiledHook):
    """A learn hook, which updates a choice rule's memory from one reward; make one with `learn_rule`."""

    kind = "learn"
    arguments = ("memory", "arm", "reward")


class RewardLaw(CompiledHook):
    """A law hook, and what is known of its rewards; make one with `reward_law`."""

    noun = "law"
    kind = "law"
    arguments = ("uniform", "mean", "scale", "reward")

    def __init__(self, function: Callable[..., Any], unit: bool = False, divergence: Divergence | None = None):
        super().__init__(function)
        self.unit, self.divergence = bool(unit), divergence


def bonus_rule(function: Bonus) -> BonusRule:
    """Make an index rule of its bonus: the index is mean + bonus(t, params) / sqrt(pulls).

    Every arm is pulled once first. Arms that pay 0 or 1 are played by a faster kernel (`bandits.kernels.counting`),
    which pulls the same arms.

    Parameters
    ----------
    function : callable
        `function(t, params)` returns b, the same for all arms; see the module's text.

    Examples
    --------
    >>> @bonus_rule
    ... def slow_logarithm(t, params):
    ...     return params[0] * t**0.25
    """
    return BonusRule(function)


@overload
def index_rule(function: Score) -> IndexRule: ...
@overload
def index_rule(*, needs: Iterable[str] = (), every_arm_first: bool = True) -> Callable[[Score], IndexRule]: ...
def index_rule(function: Score | None = None, *, needs: Iterable[str] = (), every_arm_first: bool = True) -> Any:
    """Make an index rule of a function with the score hook's ten arguments.

    Parameters
    ----------
    function : callable
        `function(pulls, means, widths, variances, priors, t, horizon, params, rng, out)`; see the module's text.
    needs : some of "variances", "priors", "horizon"
        What it reads of these.
    every_arm_first : bool, default True
        Pull every arm once before the rule is asked. Without it the rule may see pulls = means = variances = 0 and
        widths = inf.

    Raises
    ------
    ValueError
        When the function does not take ten arguments.

    Examples
    --------
    >>> @index_rule(needs=("variances",))
    ... def my_index(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    ...     for i in range(out.size):
    ...         out[i] = means[i] + params[0] * variances[i] * widths[i]
    """
    if function is None:
        return lambda decorated: IndexRule(decorated, needs, every_arm_first)
    return IndexRule(function, needs, every_arm_first)


@overload
def choice_rule(function: Select) -> ChoiceRule: ...
@overload
def choice_rule(
    *, memory: int = 0, learn: LearnRule | None = None, needs: Iterable[str] = (), every_arm_first: bool = True
) -> Callable[[Select], ChoiceRule]: ...
def choice_rule(
    function: Select | None = None,
    *,
    memory: int = 0,
    learn: LearnRule | None = None,
    needs: Iterable[str] = (),
    every_arm_first: bool = True,
) -> Any:
    """Make a choice rule of a function with the select hook's eleven arguments.

    Parameters
    ----------
    function : callable
        `function(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm)`; see the module's
        text.
    memory : int, default 0
        Rows of `memory`, float64[memory, L], which are 0 at first.
    learn : LearnRule, optional
        What changes the memory after every pull, the first ones too: a function under `@learn_rule`.
    needs, every_arm_first
        As of `index_rule`.

    Examples
    --------
    >>> @learn_rule
    ... def keep(memory, arm, reward):
    ...     for r in range(arm.size):
    ...         memory[0, r], memory[1, r] = arm[r], reward[r]
    >>> @choice_rule(memory=2, learn=keep)
    ... def stay_if_it_paid(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    ...     arms = means.size // arm.size
    ...     for r in range(arm.size):
    ...         arm[r] = int(memory[0, r]) if memory[1, r] > 0.0 else (int(memory[0, r]) + 1) % arms
    """
    options: Any = {"memory": memory, "learn": learn, "needs": needs, "every_arm_first": every_arm_first}
    if function is None:
        return lambda decorated: ChoiceRule(decorated, **options)
    return ChoiceRule(function, **options)


def learn_rule(function: Learn) -> LearnRule:
    """Make the learn hook of a choice rule of a function `learn(memory, arm, reward)`; see the module's text."""
    return LearnRule(function)


@overload
def reward_law(function: Law) -> RewardLaw: ...
@overload
def reward_law(*, unit: bool = False, divergence: Divergence | None = None) -> Callable[[Law], RewardLaw]: ...
def reward_law(function: Law | None = None, *, unit: bool = False, divergence: Divergence | None = None) -> Any:
    """Make a reward law of a function `law(uniform, mean, scale, reward)`.

    All policies of a run meet the same uniform at step t of replication r (common random numbers), so that a law must
    need exactly one.

    Parameters
    ----------
    function : callable
        Writes rewards of these means; see the module's text.
    unit : bool, default False
        Every reward lies in [0, 1]: policies that are defined only there may play.
    divergence : callable, optional
        `divergence(p, q, scale)`, for the lower bound of Lai and Robbins; without it no bound is known.

    Examples
    --------
    >>> @reward_law
    ... def exponential(uniform, mean, scale, reward):
    ...     for r in range(reward.size):
    ...         reward[r] = -mean[r] * np.log(1.0 - uniform[r])
    """
    if function is None:
        return lambda decorated: RewardLaw(decorated, unit, divergence)
    return RewardLaw(function, unit, divergence)


def resolve(path: str, noun: str = "rule") -> CompiledHook:
    """Import a hook by its dotted path, from the current folder too; a plain function becomes an index rule or a law.

    Raises
    ------
    ValueError
        When the module or the name does not exist, or what it names is no function of the right signature.
    """
    example, decorators = {
        "rule": ("my_rules.my_index", "@bonus_rule, @index_rule or @choice_rule"),
        "law": ("my_laws.my_law", "@reward_law"),
    }[noun]
    found = importing.named(noun, path, example)
    if isinstance(found, CompiledHook):
        return found
    if not inspect.isfunction(found):
        kind = type(found).__name__
        article = "an" if kind[0] in "aeiouAEIOU" else "a"
        raise ValueError(f"{noun} {path!r} must name a function made with {decorators}; it names {article} {kind}")
    return _hook_of(found, noun)


@functools.cache
def _hook_of(function: Callable[..., Any], noun: str) -> CompiledHook:
    """Return one hook for the same plain function, so that it is compiled and tried once."""
    return RewardLaw(function) if noun == "law" else IndexRule(function)


def with_bounds(function: Callable[..., Any], signature: str | None = None) -> Any:
    """Compile a copy of a user's function with bounds checks in it and in the compiled functions that it calls.

    In plain Python, where arrays check their bounds themselves, the function itself.
    """
    return _with_bounds(function, {}, signature) if COMPILED else function


def _with_bounds(function: Any, seen: dict[Any, Any], signature: str | None = None) -> Any:
    import numba

    if function not in seen:
        names = dict(function.__globals__)
        copy = FunctionType(function.__code__, names, function.__name__, function.__defaults__, function.__closure__)
        njit: Any = numba.njit
        seen[function] = compiled = njit(nogil=True, error_model="numpy", boundscheck=True)(copy)
        for name in function.__code__.co_names:
            if name in names:
                names[name] = _helper(names[name], seen)
        if signature is not None:
            compiled.compile(typed(signature))
            compiled.disable_compile()
    return seen[function]


def _helper(value: Any, seen: dict[Any, Any]) -> Any:
    """Return a user's compiled function, or module of such, with bounds checks; anything else as kernels see it."""
    if isinstance(value, Lazy):
        return value.dispatcher
    if hasattr(value, "py_func"):
        return _with_bounds(value.py_func, seen)
    if isinstance(value, ModuleType) and any(hasattr(member, "py_func") for member in vars(value).values()):
        copy = ModuleType(value.__name__)
        vars(copy).update({name: _helper(member, seen) for name, member in vars(value).items()})
        return copy
    return value
