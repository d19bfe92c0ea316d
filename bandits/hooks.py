"""Hooks as objects: a plain function, compiled when it is needed.

`bandits.rules` makes them and says what they are given.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from bandits.formulas import BONUS, NEEDED, SCORE, SCORE_OF_BONUS, STATISTICS, hook_of, not_a_number
from bandits.kernels.pointed import checked_choice, file_of, with_pointers
from bandits.kernels.signatures import ARGUMENTS, NEEDS, SIGNATURES, Distribution, Divergence
from numerics import checks, importing
from numerics.kernels.jit import compile_now, kernel
from numerics.kernels.users import CannotCompile, compiled_or_refused, constants_of
from numerics.parameters import did_you_mean
from numerics.places import start_of

RowCount = int | Callable[[int], int]  # of a memory: a number, or a function of the number of features
_STATE = ("pulls", "means", "widths", "variances", "priors", "t", "horizon", "params", "rng")
_NONE: Mapping[str, float] = MappingProxyType({})

Hook = TypeVar("Hook", bound="CompiledHook")


def compiled_form(make: Callable[[Any], Any]) -> Any:
    """Make a property of a hook's compiled form, compiled again if a global of the function has changed.

    Older forms are kept for whoever holds their addresses.
    """

    @functools.wraps(make)
    def form(hook: CompiledHook) -> Any:
        key = make, hook.constants
        if key not in hook._forms:
            hook._forms[key] = make(hook)
        return hook._forms[key]

    return property(form)


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
            raise ValueError(f"a {self.noun} must be a function (def ...); got {type(function).__name__}")
        self.function: Any = function
        self._forms: dict[Any, Any] = {}
        functools.update_wrapper(self, function)
        self._check_arguments(list(inspect.signature(function).parameters.values()))

    def _check_arguments(self, taken: list[inspect.Parameter]) -> None:
        """Raise ValueError for a function that takes other arguments than its kind of hook."""
        if len(taken) != len(self.arguments):
            raise ValueError(
                f"{self.who} must take the {len(self.arguments)} arguments {', '.join(self.arguments)}; "
                f"it takes {len(taken)} ({', '.join(each.name for each in taken)})"
            )

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Run the function in plain Python."""
        return self.function(*arguments, **named)

    def __reduce__(self) -> tuple[Any, ...]:
        return (resolve, (self.path, self.noun))

    @property
    def path(self) -> str:
        """The dotted path under which the hook can be imported."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    @property
    def is_ours(self) -> bool:
        """Whether the hook is of this package: then its failures are bugs, not a user's mistakes."""
        ours: bool = self.function.__module__.startswith(f"{__package__}.")
        return ours

    @property
    def who(self) -> str:
        """Its name in error messages."""
        return f"{self.noun} {self.path}"

    @property
    def constants(self) -> tuple[Any, ...]:
        """The globals of a function of a user, as `constants_of` returns them; none of a class."""
        is_plain = self.is_ours or not inspect.isfunction(self.function)
        return () if is_plain else constants_of(self.function)

    @compiled_form
    def compiled(self) -> Any:
        """The compiled hook, as kernels call it; a user's with bounds checks."""
        if self.is_ours:
            return compile_now(kernel(SIGNATURES[self.kind])(self.function))
        hook = kernel(SIGNATURES[self.kind], file=os.devnull, bounds=True)(self.function)
        return self._tried(lambda: compile_now(hook))

    def _tried(self, compile_it: Callable[[], Any]) -> Any:
        """Return what compiles, or say in a sentence why the hook does not."""
        return compiled_or_refused(self.who, self.function, compile_it)


class Rule(CompiledHook):
    """A hook that chooses arms: an index rule or a choice rule."""

    def __init__(
        self,
        function: Callable[..., Any],
        needs: Iterable[str] = (),
        every_arm_first: bool = True,
        can_lock: bool | None = None,
        parameters: Mapping[str, float] = _NONE,
    ):
        super().__init__(function)
        self.can_lock = can_lock
        self.every_arm_first: bool = bool(every_arm_first)
        self.needs: tuple[str, ...] = (needs,) if isinstance(needs, str) else tuple(needs)
        self.parameters: dict[str, float] = {
            name: self._number(name, value) for name, value in dict(parameters).items()
        }
        allowed = NEEDS if self.kind == "select" else ARGUMENTS
        for need in self.needs:
            if need not in allowed:
                more = "; only a choice rule can use features" if need in NEEDS else ""
                raise ValueError(f"needs of {self.who} must be some of {', '.join(allowed)}; got {need!r}{more}")

    def _number(self, name: str, value: Any) -> float:
        """Return the default of a parameter, or raise ValueError."""
        if name in ("name", "label", "rule"):
            raise ValueError(f"{self.who} must not have a parameter called {name}; the name is reserved")
        try:
            return checks.number(name, value)
        except ValueError as error:
            raise ValueError(f"{self.who}: {error}") from None

    def numbers(self, given: Mapping[str, float]) -> tuple[float, ...]:
        """Return the rule's parameters in their order, some of them as given."""
        for name in given:
            if name not in self.parameters:
                takes = ", ".join(self.parameters) or "none"
                near = did_you_mean(name, self.parameters)
                raise ValueError(f"{name} is not a parameter of {self.path}{near}; it takes {takes}")
        return tuple({**self.parameters, **given}.values())


class IndexRule(Rule):
    """A score hook, with arguments for all arms at once; make one with `vector_rule`."""

    kind: ClassVar[str] = "score"
    arguments: ClassVar[tuple[str, ...]] = (*_STATE, "out")

    @property
    def score(self) -> Callable[..., None]:
        """The function with the score hook's ten arguments."""
        score: Callable[..., None] = self.function
        return score

    @property
    def _bounds(self) -> bool:
        """Whether indices in the score hook are checked: of a user's; those of a formula are checked in itself."""
        return not self.is_ours and self.score is self.function

    @compiled_form
    def compiled(self) -> Any:
        """The compiled score hook."""
        hook = kernel(SIGNATURES["score"], file=file_of(self.function), bounds=self._bounds)(self.score)
        return compile_now(hook) if self.is_ours else self._tried(lambda: compile_now(hook))

    @compiled_form
    def pointed(self) -> Any:
        """The compiled score hook as kernels call it, of a user's with a check of the scores; see `kernels.pointed`."""
        if self.is_ours:
            return compile_now(with_pointers(self.score, self.function))
        return self._tried(lambda: compile_now(with_pointers(self.score, self.function, self.who, self._bounds)))


class FormulaRule(IndexRule):
    """A rule that is the score of one arm, with arguments by name; make one with `index_rule`."""

    given: ClassVar[tuple[str, ...]] = tuple(STATISTICS)  # the arguments that it may take

    def __init__(self, function: Callable[..., Any], every_arm_first: bool = True, can_lock: bool | None = None):
        super().__init__(function, (), every_arm_first, can_lock)
        taken = inspect.signature(self.function).parameters
        self.names = tuple(taken)
        self.needs = tuple(NEEDED[name] for name in taken if name in NEEDED)
        self.parameters = {
            name: self._number(name, each.default) for name, each in taken.items() if name not in STATISTICS
        }

    def _check_arguments(self, taken: list[inspect.Parameter]) -> None:
        for each in taken:
            if each.kind is not each.POSITIONAL_OR_KEYWORD:
                raise ValueError(f"{self.who} must take ordinary named arguments; got {each}")
            is_own = each.default is not each.empty
            if is_own and each.name in STATISTICS:
                raise ValueError(f"{self.who} must not give {each.name} a default; it is a statistic, not a parameter")
            if not is_own and each.name not in self.given:
                near = did_you_mean(each.name, self.given)
                raise ValueError(
                    f"{self.who} must take only {', '.join(self.given)}, and parameters with defaults such as c=1.5; "
                    f"got {each.name}{near}"
                )

    @property
    def score(self) -> Callable[..., None]:
        """The score hook that is made of it."""
        return hook_of(SCORE, self.function, self.names, self._formula)

    @compiled_form
    def _formula(self) -> Any:
        """The function as the hooks call it."""
        return kernel(file=file_of(self.function), bounds=not self.is_ours)(self.function)

    def _tried(self, compile_it: Callable[[], Any]) -> Any:
        """Return what compiles; that a function returns no number is told in place of what Numba says of its use."""

        def compile_and_look() -> Any:
            try:
                return compile_it()
            finally:
                if wrong := not_a_number(self._formula):
                    where = start_of(self.function)
                    raise CannotCompile(f"{self.who} must return a number; it returns {wrong} ({where})") from None

        return super()._tried(compile_and_look)


class BonusRule(FormulaRule):
    """A rule that is the bonus b(t) of the index mean + b(t) / sqrt(pulls); make one with `bonus_rule`."""

    kind: ClassVar[str] = "bonus"
    given: ClassVar[tuple[str, ...]] = ("t",)

    @property
    def score(self) -> Callable[..., None]:
        """The score hook: mean + bonus / sqrt(pulls)."""
        return hook_of(SCORE_OF_BONUS, self.function, self.names, self._formula)

    @compiled_form
    def bonus(self) -> Any:
        """The compiled bonus hook, of t and params."""
        bonus = hook_of(BONUS, self.function, self.names, self._formula)
        hook = kernel(SIGNATURES["bonus"], file=file_of(self.function))(bonus)
        return compile_now(hook) if self.is_ours else self._tried(lambda: compile_now(hook))


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
            raise ValueError(f"needs of rule {self.path} must include features, because its memory depends on them")
        counts = {name: _rows(rows, 1) for name, rows in of_features.items()} | {"pull_memory": pull_memory}
        for name, rows in {**counts, "kept_rows": kept_rows, "kept_arm_rows": kept_arm_rows}.items():
            if isinstance(rows, bool) or not isinstance(rows, int) or rows < 0:
                raise ValueError(f"{name} of rule {self.path} must be a number of rows, 0 or more; got {rows!r}")
        if not isinstance(learn, LearnRule | None):
            raise ValueError(f"learn of rule {self.path} must be a function with @learn_rule; got {learn!r}")
        if not 0 <= kept_rows + kept_arm_rows <= counts["memory"] + counts["arm_memory"]:
            raise ValueError(f"kept_rows of rule {self.path} must not exceed its memory rows; got {kept_rows}")
        self.memory: RowCount = memory
        self.arm_memory: RowCount = arm_memory
        self.pull_memory: int = pull_memory
        self.learn: LearnRule | None = learn
        self.kept_rows: int = kept_rows
        self.kept_arm_rows: int = kept_arm_rows

    @compiled_form
    def compiled(self) -> Any:
        """The compiled hook, as kernels call it; a user's with bounds checks and a check of the arms."""
        if self.is_ours:
            return super().compiled
        return compile_now(checked_choice(super().compiled, self.function, self.who))

    def rows(self, features: int = 0) -> tuple[int, int]:
        """Return its rows of memory for this number of features, and the further rows for each arm."""
        return _rows(self.memory, features), _rows(self.arm_memory, features)


def _rows(rows: RowCount, features: int) -> int:
    return rows(features) if callable(rows) else rows


class PlainRule(Rule):
    """A class of a user's that chooses arms, an object a replication; see `bandits.plain`."""

    kind: ClassVar[str] = "class"
    given: ClassVar[tuple[str, ...]] = ("arms", "horizon", "rng")  # what its constructor may take

    def __init__(self, cls: type):
        self.function: Any = cls
        needs = getattr(cls, "needs", ())
        self.needs: tuple[str, ...] = (needs,) if isinstance(needs, str) else tuple(needs)
        if set(self.needs) - {"features"}:
            raise ValueError(f'needs of {self.who} must be ("features",) or (); got {needs!r}')
        self.every_arm_first: bool = False
        self.can_lock: bool | None = getattr(cls, "can_lock", None)
        taken = inspect.signature(cls).parameters
        self.names = tuple(taken)
        for name, each in taken.items():
            if name not in self.given and each.default is each.empty:
                raise ValueError(
                    f"{self.who}: __init__ must take only {', '.join(self.given)}, and parameters with defaults such "
                    f"as step=0.1; got {each}"
                )
        self.defaults = {name: each.default for name, each in taken.items() if name not in self.given}
        self.parameters: dict[str, float] = {name: self._number(name, value) for name, value in self.defaults.items()}


class PropensityHook(CompiledHook):
    """A hook that writes the probabilities of a choice; make one with `propensity_hook`."""

    kind: ClassVar[str] = "propensities"
    arguments: ClassVar[tuple[str, ...]] = (*_STATE, "memory", "out")


class LearnRule(CompiledHook):
    """A learn hook, which updates a choice rule's memory from one reward; make one with `learn_rule`."""

    kind: ClassVar[str] = "learn"
    arguments: ClassVar[tuple[str, ...]] = ("memory", "arm", "reward")


class RewardLaw(CompiledHook):
    """A law hook and the range of its rewards; make one with `reward_law`."""

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


def named_hook(member: Any, kind: type[Hook]) -> Hook | None:
    """Return the hook with the name of a member's class, or of one above it, from the file of the class; or None."""
    for cls in type(member).__mro__:
        hook = getattr(sys.modules[cls.__module__], vars(cls).get("name", ""), None)
        if isinstance(hook, kind):
            return hook
    return None


def path_of(argument: str, value: Any) -> str:
    """Return the dotted path by which a hook or a class is found again, as in another process.

    Raises
    ------
    ValueError
        It is made within a function or a class, or its name stands for its function without the decorator.
    """
    function = value if inspect.isclass(value) else value.function
    module, name = function.__module__, function.__qualname__
    if not name.isidentifier():
        raise ValueError(f"{argument} must be defined at the top level of a module; got {module}.{name}")
    if value is not function and getattr(sys.modules.get(module), name, None) is function:
        raise ValueError(f"{argument} must have the name of its function; {module}.{name} is not decorated")
    return f"{module}.{name}"


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
    named = importing.import_named(noun, path, example)
    if isinstance(named, CompiledHook):
        return named
    if noun == "rule" and inspect.isclass(named):
        for method in ("choose", "update"):
            if not callable(getattr(named, method, None)):
                raise ValueError(
                    f"rule {path!r} must have methods choose() and update(arm, reward); it has no {method}"
                )
    elif not inspect.isfunction(named):
        kind = type(named).__name__
        article = "an" if kind[0] in "aeiouAEIOU" else "a"
        plain = ", or a class with choose and update" if noun == "rule" else ""
        raise ValueError(
            f"{noun} {path!r} must name a function made with {decorators}{plain}; it names {article} {kind}"
        )
    return _hook_of(named, noun)


@functools.cache
def _hook_of(function: Callable[..., Any], noun: str) -> CompiledHook:
    """Return one hook for the same plain function, so that it is compiled and tried once."""
    if inspect.isclass(function):
        return PlainRule(function)
    kinds: dict[str, Callable[[Callable[..., Any]], CompiledHook]] = {"law": RewardLaw, "stopping rule": StopHook}
    return kinds.get(noun, FormulaRule)(function)
