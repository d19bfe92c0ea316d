"""Hooks as objects: a plain function, compiled when it is needed; a user's with bounds checks and watched answers.

`bandits.rules` makes them and says what they are given.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Self

from bandits.kernels.pointed import file_of, pointed, score_of
from bandits.kernels.signatures import ARGUMENTS, NEEDS, SIGNATURES, STATISTICS, Distribution, Divergence
from bandits.users import watched
from numerics import importing
from numerics.kernels.bounds import with_bounds
from numerics.kernels.jit import compile_now, kernel
from numerics.kernels.users import compiled_or_refused

_STATE = (*STATISTICS, "t", "horizon", "params", "rng")
RowCount = int | Callable[[int], int]  # of a memory: a number, or a function of the number of features


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
        self.function: Any = function
        functools.update_wrapper(self, function)
        names = list(inspect.signature(function).parameters)
        places = dict(zip(names, self.arguments, strict=False))
        moved = [name for name, wanted in places.items() if name in self.arguments and name != wanted]
        self._fault = ""  # raised when the hook is used: another of its file may be right
        if len(names) != len(self.arguments) or moved:
            count = f"it takes {len(names)}"
            fault = count if len(names) != len(self.arguments) else f"{moved[0]} stands in another's place"
            self._fault = (
                f"{self.who} must take the {len(self.arguments)} arguments of a {self.kind} hook "
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
        """Whether the hook is of this package: then its failures are bugs, not a user's mistakes."""
        return self.path.startswith(f"{__package__}.")

    @property
    def who(self) -> str:
        """What a sentence calls it."""
        return f"{self.noun} {self.path}"

    def check_arguments(self) -> Self:
        """Return the hook, or raise ValueError where its function takes other arguments than its kind of hook."""
        if self._fault:
            raise ValueError(self._fault)
        return self

    @functools.cached_property
    def compiled(self) -> Any:
        """The compiled hook, as kernels call it; a user's with a look at its answers."""
        if self.is_ours:
            return compile_now(kernel(SIGNATURES[self.kind])(self.function))
        return self._watched()

    def _watched(self) -> Any:
        """Return a user's hook, compiled with bounds checks and a look at its answers."""
        kind = "score" if isinstance(self, IndexRule) else self.kind
        return self._tried(lambda: compile_now(watched(self.checked, self.function, self.who, kind)))

    @functools.cached_property
    def checked(self) -> Any:
        """The compiled hook with bounds checks, in it and in the user's functions that it calls."""
        return self._tried(lambda: with_bounds(self.function, SIGNATURES[self.kind]))

    def _tried(self, compile_it: Callable[[], Any]) -> Any:
        """Return what compiles, or say in a sentence why the hook does not."""
        self.check_arguments()
        return compiled_or_refused(self.who, self.function, compile_it)


class Rule(CompiledHook):
    """A hook that chooses arms: an index rule or a choice rule."""

    def __init__(
        self,
        function: Callable[..., Any],
        needs: Iterable[str] = (),
        every_arm_first: bool = True,
        can_lock: bool | None = None,
    ):
        super().__init__(function)
        self.can_lock = can_lock
        self.needs: tuple[str, ...] = (needs,) if isinstance(needs, str) else tuple(needs)
        self.every_arm_first: bool = bool(every_arm_first)
        allowed = NEEDS if self.kind == "select" else ARGUMENTS
        for need in self.needs:
            if need not in allowed:
                more = "; only a choice rule has the memory in which they stand" if need in NEEDS else ""
                raise ValueError(f"needs of rule {self.path} must be some of {', '.join(allowed)}; got {need!r}{more}")


class IndexRule(Rule):
    """A score hook; make one with `index_rule`."""

    kind: ClassVar[str] = "score"
    arguments: ClassVar[tuple[str, ...]] = (*_STATE, "out")

    @property
    def score(self) -> Callable[..., None]:
        """The function with the score hook's ten arguments."""
        score: Callable[..., None] = self.function
        return score

    @functools.cached_property
    def compiled(self) -> Any:
        """The compiled score hook."""
        return self._tried(lambda: compile_now(kernel(SIGNATURES["score"])(self.score)))

    @functools.cached_property
    def pointed(self) -> Any:
        """The compiled score hook as kernels call it; see `bandits.kernels.pointed`."""
        return compile_now(pointed(self.score, self.function)) if self.is_ours else self._watched()


class BonusRule(IndexRule):
    """A bonus hook, and the score hook that is made of it; make one with `bonus_rule`."""

    kind: ClassVar[str] = "bonus"
    arguments: ClassVar[tuple[str, ...]] = ("t", "params")

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
        """The compiled bonus hook; a user's with bounds checks."""
        if self.is_ours:
            return compile_now(kernel(SIGNATURES["bonus"])(self.function))
        return self._tried(lambda: with_bounds(self.function, SIGNATURES["bonus"]))

    @functools.cached_property
    def checked(self) -> Any:
        """The compiled score hook with bounds checks."""
        bonus = self.bonus  # by itself first, so that what it may not return is refused at its line
        return self._tried(lambda: with_bounds(score_of(self.function, lambda _: bonus), SIGNATURES["score"]))


class ChoiceRule(Rule):
    """A select hook, its learn hook if it has one, and its rows of memory; make one with `choice_rule`."""

    kind: ClassVar[str] = "select"
    arguments: ClassVar[tuple[str, ...]] = (*_STATE, "memory", "arm")

    def __init__(
        self,
        function: Callable[..., Any],
        memory: RowCount = 0,
        arm_memory: RowCount = 0,
        pull_memory: int = 0,
        kept_rows: int = 0,
        kept_arm_rows: int = 0,
        learn: LearnRule | None = None,
        **options: Any,
    ):
        super().__init__(function, **options)
        of_features = {"memory": memory, "arm_memory": arm_memory}
        if any(map(callable, of_features.values())) and "features" not in self.needs:
            raise ValueError(f"needs of rule {self.path} must name features, of which its memory is a function")
        counts = {name: _rows(rows, 1) for name, rows in of_features.items()} | {"pull_memory": pull_memory}
        for name, rows in {**counts, "kept_rows": kept_rows, "kept_arm_rows": kept_arm_rows}.items():
            if isinstance(rows, bool) or not isinstance(rows, int) or rows < 0:
                raise ValueError(f"{name} of rule {self.path} must be a number of rows, 0 or more; got {rows!r}")
        if not isinstance(learn, LearnRule | None):
            raise ValueError(f"learn of rule {self.path} must be a function under @learn_rule; got {learn!r}")
        if not 0 <= kept_rows + kept_arm_rows <= counts["memory"] + counts["arm_memory"]:
            raise ValueError(f"kept_rows of rule {self.path} must be rows of its memory; got {kept_rows}")
        self.memory: RowCount = memory
        self.arm_memory: RowCount = arm_memory
        self.pull_memory: int = pull_memory
        self.learn: LearnRule | None = learn
        self.kept_rows: int = kept_rows
        self.kept_arm_rows: int = kept_arm_rows

    def rows(self, features: int = 0) -> tuple[int, int]:
        """Return how many rows of memory it has where it sees so many features, and how many more for each arm."""
        return _rows(self.memory, features), _rows(self.arm_memory, features)


def _rows(rows: RowCount, features: int) -> int:
    return rows(features) if callable(rows) else rows


class PlainRule(Rule):
    """A class of a user's that chooses arms, an object a replication; see `bandits.plain`."""

    kind: ClassVar[str] = "class"

    def __init__(self, cls: type):
        self.function, self._fault = cls, ""
        needs = getattr(cls, "needs", ())
        self.needs: tuple[str, ...] = (needs,) if isinstance(needs, str) else tuple(needs)
        if set(self.needs) - {"features"}:
            raise ValueError(f'needs of {self.who} must be ("features",) or (); got {needs!r}')
        self.every_arm_first: bool = False
        self.can_lock: bool | None = getattr(cls, "can_lock", None)


class LearnRule(CompiledHook):
    """A learn hook, which updates a choice rule's memory from one reward; make one with `learn_rule`."""

    kind: ClassVar[str] = "learn"
    arguments: ClassVar[tuple[str, ...]] = ("memory", "arm", "reward")


class RewardLaw(CompiledHook):
    """A law hook, and what is known of its rewards; make one with `reward_law`."""

    noun: ClassVar[str] = "law"
    kind: ClassVar[str] = "law"
    arguments: ClassVar[tuple[str, ...]] = ("uniform", "mean", "arm", "params", "reward")

    def __init__(
        self,
        function: Callable[..., Any],
        unit: bool = False,
        divergence: Divergence | None = None,
        distribution: Distribution | None = None,
    ):
        super().__init__(function)
        self.unit: bool = bool(unit)
        self.divergence: Divergence | None = divergence
        self.distribution: Distribution | None = distribution


class StopHook(CompiledHook):
    """A stop hook, which ends a replication; make one with `stopping_rule`."""

    noun: ClassVar[str] = "stopping rule"
    kind: ClassVar[str] = "stop"
    arguments: ClassVar[tuple[str, ...]] = ("pulls", "means", "variances", "t", "params")

    @functools.cached_property
    def compiled(self) -> Any:
        """The compiled hook, as the kernel calls it; a user's with bounds checks."""
        return super().compiled if self.is_ours else self.checked


def resolve(path: str, noun: str = "rule") -> CompiledHook:
    """Import a hook by its dotted path, from the current folder too; a function becomes an index rule or a law.

    Raises
    ------
    ValueError
        When the module or the name does not exist, or what it names is no function of the right signature.
    """
    example, decorators = {
        "rule": ("my_rules.my_index", "@bonus_rule, @index_rule or @choice_rule"),
        "law": ("my_laws.my_law", "@reward_law"),
        "stopping rule": ("my_stops.my_stop", "@stopping_rule"),
    }[noun]
    named = importing.named(noun, path, example)
    if isinstance(named, CompiledHook):
        return named.check_arguments()
    if noun == "rule" and inspect.isclass(named):
        for method in ("choose", "update"):
            if not callable(getattr(named, method, None)):
                raise ValueError(f"rule {path!r} must have the methods choose() and update(arm, reward); no {method}")
    elif not inspect.isfunction(named):
        kind = type(named).__name__
        article = "an" if kind[0] in "aeiouAEIOU" else "a"
        plain = ", or a class with choose and update" if noun == "rule" else ""
        raise ValueError(
            f"{noun} {path!r} must name a function made with {decorators}{plain}; it names {article} {kind}"
        )
    return _hook_of(named, noun).check_arguments()


@functools.cache
def _hook_of(function: Callable[..., Any], noun: str) -> CompiledHook:
    """Return one hook for the same plain function, so that it is compiled and tried once."""
    if inspect.isclass(function):
        return PlainRule(function)
    kinds: dict[str, Callable[[Callable[..., Any]], CompiledHook]] = {"law": RewardLaw, "stopping rule": StopHook}
    return kinds.get(noun, IndexRule)(function)
