"""The rule hook: what a rule sees, what it writes, and how a plain function becomes a compiled rule.

An index rule scores arms from their statistics; the bandit kernel calls it on all K arms of L replications at once, a
tree search on the children of one node (L = 1). Entry i belongs to arm i // L of replication i % L:

          replication 0   1  ...  L-1
    arm 0          [  0   1  ...  L-1 ]
    arm 1          [  L  L+1 ... 2L-1 ]      so one loop over all entries serves any L, and the compiler vectorises it
    ...

    score(pulls, means, widths, variances, priors, t, horizon, params, rng, out)

pulls, means, widths, variances, priors, out
    float64[K * L]. widths = 1 / sqrt(pulls); variances divide by the pulls; priors = 1 / K unless a game gives others.
t, horizon
    float64. t is the index of the pull being chosen, 1 + the pulls of all competing arms together.
params
    float64[...], the rule's own numbers.
rng
    uint64[L, 4], one random stream a replication, for `numerics.random`.
out
    the scores, all of them written: never NaN; -inf for an arm that cannot win, inf for one that must be pulled. The
    caller takes the argmax and breaks ties at random.

A rule that writes means[i] + b * widths[i], with a b of t and params alone, is seen to be one (`bandits.form`) and is
played faster (`bandits.counting`); no argument tells so, and none need be given.

What is no index (a coin, a softmax, a commitment) is a choice rule and writes the chosen arm of each replication:

    select(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm)      # memory float64[M, L]
    learn(memory, arm, reward)                                                                # optional; arm int64[L]

Hooks compile when first used, not when imported.
"""

from __future__ import annotations

import dis
import functools
import inspect
from collections.abc import Callable
from typing import Any

from numerics import importing

STATISTICS = ("pulls", "means", "widths", "variances", "priors")
SCORE_ARGUMENTS = (*STATISTICS, "t", "horizon", "params", "rng", "out")
SELECT_ARGUMENTS = (*STATISTICS, "t", "horizon", "params", "rng", "memory", "arm")
LEARN_ARGUMENTS = ("memory", "arm", "reward")

Hook = Callable[..., None]


@functools.cache
def signatures() -> dict[str, Any]:
    """Return the Numba signature of each hook by name; Numba is imported only here."""
    from numba import float64, int64, types, uint64, void

    vector, words = float64[::1], uint64[:, ::1]
    common = (vector, vector, vector, vector, vector, float64, float64, vector, words)
    return {
        "score": void(*common, vector),
        "select": void(*common, float64[:, ::1], int64[::1]),
        "learn": void(float64[:, ::1], int64[::1], vector),
        "law": types.void(vector, vector, float64, vector),
    }


class CompiledHook:
    """A plain function that is compiled to a hook's signature when it is first needed.

    It pickles by its name, so that a worker process finds the same function, and it can be called like the function.
    """

    kind = ""
    arguments: tuple[str, ...] = ()

    def __init__(self, function: Hook):
        function = getattr(function, "py_func", function)  # of what is compiled already
        if not inspect.isfunction(function):
            raise ValueError(f"a rule must be made of a function (def ...); got {type(function).__name__}")
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function):
            raise ValueError(f"a rule must be a plain function, without async or yield; got {function.__qualname__}")
        self.function = function
        functools.update_wrapper(self, function)
        names = list(inspect.signature(function).parameters)
        places = dict(zip(names, self.arguments, strict=False))
        moved = [name for name, own in places.items() if name in self.arguments and name != own]
        if len(names) != len(self.arguments) or moved:
            count = f"it takes {len(names)}"
            told = count if len(names) != len(self.arguments) else f"{moved[0]} stands in another's place"
            raise ValueError(
                f"rule {self.path} must take the {len(self.arguments)} arguments of a {self.kind} hook "
                f"({', '.join(self.arguments)}); {told} ({', '.join(names)})"
            )

    def __call__(self, *arguments: Any) -> None:
        """Run the function in plain Python."""
        self.function(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return (resolve, (self.path,))

    @property
    def path(self) -> str:
        """The dotted path under which the hook can be imported."""
        return f"{self.function.__module__}.{self.function.__qualname__}"

    @functools.cached_property
    def compiled(self) -> Hook:
        """The compiled hook; loaded from disk when no file or value that it stands on has changed."""
        from numerics.jit import kernel

        return self._tried(lambda: kernel(signatures()[self.kind], captured=self.captured)(self.function))

    @property
    def captured(self) -> str:
        """A digest of what a user's hook is compiled with besides its text; empty for those of this project."""
        from numerics.captures import captured

        return captured(self.function)

    def _tried(self, compile_it: Callable[[], Hook]) -> Hook:
        """Return what compiles, or say in a sentence why the rule does not."""
        from numba.core.errors import NumbaError, UnsupportedBytecodeError

        try:
            return compile_it()
        except (NumbaError, UnsupportedBytecodeError) as error:
            raise ValueError(f"rule {self.path} cannot be compiled: {_reason(error)}") from error

    @property
    def reads_variances(self) -> bool:
        """Whether the rule uses variances; where it does not, the kernel need not keep them."""
        return self.reads("variances")

    @functools.cache  # noqa: B019 (hooks live as long as their modules)
    def reads(self, argument: str) -> bool:
        """Return whether the function uses one of its arguments, named as in this module's text, at all."""
        name = list(inspect.signature(self.function).parameters)[self.arguments.index(argument)]
        return any(
            name == used or (isinstance(used, tuple) and name in used)
            for used in (step.argval for step in dis.get_instructions(self.function) if "LOAD" in step.opname)
        )


def _reason(error: Exception) -> str:
    """Return what Numba says in the lines of its report that matter: the cause, and where it stands."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    cause = next(line for line in lines if not line.startswith("Failed in "))
    return "; ".join([cause, *(line.rstrip(":") for line in lines if line.startswith("File "))][:2])


class IndexRule(CompiledHook):
    """A score hook; make one with `index_rule`."""

    kind = "score"
    arguments = SCORE_ARGUMENTS

    def __init__(self, function: Hook, every_arm_first: bool = True):
        super().__init__(function)
        self.every_arm_first = every_arm_first

    @functools.cached_property
    def pointed(self) -> Hook:
        """The compiled hook as kernels call it; see `bandits.pointed`."""
        from bandits.pointed import pointed

        return self._tried(lambda: pointed(self))


class ChoiceRule(CompiledHook):
    """A select hook; make one with `choice_rule`."""

    kind = "select"
    arguments = SELECT_ARGUMENTS


class LearnRule(CompiledHook):
    """A learn hook, which updates a choice rule's memory from one reward; make one with `learn_rule`."""

    kind = "learn"
    arguments = LEARN_ARGUMENTS


class RewardLaw(CompiledHook):
    """A law hook `law(uniform, mean, scale, reward)`, all float64[L] but the scale: turns uniforms into rewards."""

    kind = "law"
    arguments = ("uniform", "mean", "scale", "reward")


def index_rule(function: Hook | None = None, *, every_arm_first: bool = True) -> Any:
    """Make an index rule of a function with the score hook's ten arguments.

    Parameters
    ----------
    function : callable
        `function(pulls, means, widths, variances, priors, t, horizon, params, rng, out)`; see the module's text.
    every_arm_first : bool, default True
        Pull every arm once before the rule is asked. Without it the rule may see pulls = means = variances = 0 and
        widths = inf.

    Raises
    ------
    ValueError
        When the function does not take ten arguments.

    Examples
    --------
    >>> @index_rule
    ... def my_index(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    ...     for i in range(out.size):
    ...         out[i] = means[i] + params[0] * widths[i]
    """
    if function is None:
        return lambda decorated: IndexRule(decorated, every_arm_first)
    return IndexRule(function, every_arm_first)


choice_rule = ChoiceRule
learn_rule = LearnRule
reward_law = RewardLaw


def resolve(path: str) -> CompiledHook:
    """Import a hook by its dotted path, from the current folder too; a plain function becomes an index rule.

    Raises
    ------
    ValueError
        When the module or the name does not exist, or what it names is no function of the right signature.
    """
    found = importing.named("rule", path, "my_rules.my_index")
    if isinstance(found, CompiledHook):
        return found
    if not inspect.isfunction(found):
        kind = type(found).__name__
        article = "an" if kind[0] in "aeiouAEIOU" else "a"
        raise ValueError(f"rule {path!r} must name a function made with @index_rule; it names {article} {kind}")
    return _rule_of(found)


@functools.cache
def _rule_of(function: Hook) -> IndexRule:
    """Return one index rule for the same plain function, so that it is compiled and tried once."""
    return IndexRule(function)
