"""Decorators for your own rules and reward laws: their arguments, and what they return or write.

A rule that is a formula is the score of one arm, with arguments by name:

    @index_rule    score(mean, width, t, c=1.5) -> score        what it takes of the statistics, and its own parameters
    @bonus_rule    bonus(t, c=1.5) -> b                         the index is mean + b / sqrt(pulls): the fastest

mean, width, pulls, variance
    The arm's average reward, 1 / sqrt(pulls), its pulls, and the variance of its rewards, which divides by the pulls.
prior
    1 / K unless a game gives others.
t, horizon, arms
    `t` is the index of the pull being chosen, which is 1 + the pulls of all arms. `horizon` is T, and `arms` is K. In a
    tree the arms are the moves of a node, and the horizon is the number of simulations. A search with a time limit does
    not know it.

Every other argument is a parameter of the rule, a number with a default. The score is a number; -inf for an arm that
cannot win; inf only for an arm without pulls. The highest wins, and ties are broken at random.

All other hooks take arrays, of all K arms of L replications at once. A search has the children of one node (L = 1).
Entry i belongs to arm i // L of replication i % L:

    @vector_rule   score(pulls, means, widths, variances, priors, t, horizon, params, rng, out)        writes all of out
    @choice_rule   select(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm)      writes arm
    @learn_rule    learn(memory, arm, reward)              optional, of a choice rule: called after every pull

and one of law:

    @reward_law    law(uniform, mean, arm, params, reward)                          writes what these arms pay

and one of stopping rule, for best-arm identification:

    @stopping_rule  stop(pulls, means, variances, t, params) -> bool                        True ends a replication

pulls, means, widths, variances, priors, out
    float64[K * L]. On a bandit the same rewards of 0 and 1 have the same mean and variance in any order, so that equal
    arms tie. In a tree both are running averages, whose last bits depend on the order.
t, horizon
    float64.
params
    float64[...], the rule's own numbers, in the order of its `parameters`.
rng
    uint64[L, 4], one random stream a replication, for `numerics.random`.
out
    The scores, all of them written.
memory, arm, reward
    `memory` is float64[M, L], the rule's own M = memory + pull_memory T + arm_memory K rows, 0 at first. `arm` is
    int64[L], the chosen arm. `reward` is float64[L], its reward. A rule that needs features finds them above its rows,
    see `choice_rule`.
uniform, mean, arm
    Of a law. `uniform` is float64[N], one uniform number in [0, 1) a reward. `mean` is float64[N], the mean that the
    reward must have in expectation. `arm` is int64[N], the arm that pays it. The `params` of a law is float64[K, P],
    its own numbers, a row an arm.

A stopping rule is called after every pull once all arms have a pull. It gets the pulls, means and variances,
float64[K], and t, the number of pulls so far.

A vector or choice rule declares in `needs` what not every caller keeps: variances, priors, and the horizon. On a
bandit, what is not declared holds NaN. Hooks compile when first used, not when imported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypedDict, Unpack, overload

from bandits.hooks import (
    BonusRule,
    ChoiceRule,
    FormulaRule,
    IndexRule,
    LearnRule,
    PropensityHook,
    RewardLaw,
    RowCount,
    StopHook,
)
from bandits.kernels.signatures import Distribution, Divergence, Law, Learn, Propensities, Score, Select, Stop

Formula = Callable[..., float]


class VectorOptions(TypedDict, total=False):
    """What `vector_rule` takes as keywords, and `choice_rule` too."""

    needs: Iterable[str]
    every_arm_first: bool
    can_lock: bool | None
    parameters: Mapping[str, float]


class ChoiceOptions(VectorOptions, total=False):
    """What `choice_rule` takes as keywords."""

    memory: RowCount
    arm_memory: RowCount
    pull_memory: int
    kept_rows: int
    kept_arm_rows: int
    learn: LearnRule | None


def bonus_rule(function: Formula) -> BonusRule:
    """Make an index rule of its bonus b, the same for all arms: the index is mean + b / sqrt(pulls).

    Every arm is pulled once first. Arms that pay 0 or 1 are played by a faster kernel (`bandits.kernels.counting`),
    which pulls the same arms.

    Parameters
    ----------
    function : callable
        Takes `t` and the rule's own parameters, which have defaults, and returns b.

    Examples
    --------
    >>> @bonus_rule
    ... def slow_logarithm(t, c=0.5):
    ...     return c * t**0.25
    >>> slow_logarithm(16.0)
    1.0
    """
    return BonusRule(function)


@overload
def index_rule(function: Formula) -> FormulaRule: ...
@overload
def index_rule(*, every_arm_first: bool = True, can_lock: bool | None = None) -> Callable[[Formula], FormulaRule]: ...
def index_rule(function: Formula | None = None, *, every_arm_first: bool = True, can_lock: bool | None = None) -> Any:
    """Make a rule of the score of one arm, a function with arguments by name.

    Parameters
    ----------
    function : callable
        Takes what it needs of mean, width, pulls, variance, prior, t, horizon and arms, and the rule's own parameters,
        which have defaults. It returns the score; see the module's text.
    every_arm_first : bool, default True
        Pull every arm once before the rule is asked. Without it the rule may see pulls = mean = variance = 0 and
        width = inf.
    can_lock : bool, optional
        Whether a replication may, rarely even, stop trying the best arm, as greedy play may: the interval of the mean
        regret then reckons with that. Left out, the replications are looked at.

    Examples
    --------
    >>> @index_rule
    ... def my_index(mean, width, variance, c=1.5):
    ...     return mean + c * variance * width
    >>> my_index(0.5, 0.1, 0.2), my_index(0.5, 0.1, variance=0.2, c=1.0)
    (0.53, 0.52)
    """
    if function is None:
        return lambda decorated: FormulaRule(decorated, every_arm_first, can_lock)
    return FormulaRule(function, every_arm_first, can_lock)


@overload
def vector_rule(function: Score) -> IndexRule: ...
@overload
def vector_rule(**options: Unpack[VectorOptions]) -> Callable[[Score], IndexRule]: ...
def vector_rule(function: Score | None = None, **options: Any) -> Any:
    """Make a rule of a function that writes the scores of all arms, such as one that draws.

    Parameters
    ----------
    function : callable
        `function(pulls, means, widths, variances, priors, t, horizon, params, rng, out)`; see the module's text.
    needs : some of "variances", "priors", "horizon"
        What it reads of these.
    every_arm_first, can_lock
        As of `index_rule`.
    parameters : mapping, optional
        The names and defaults of what stands in `params`.

    Raises
    ------
    ValueError
        When the function does not take ten arguments.

    Examples
    --------
    >>> @vector_rule(parameters={"c": 1.5})
    ... def my_index(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    ...     for i in range(out.size):
    ...         out[i] = means[i] + params[0] * widths[i]
    """
    if function is None:
        return lambda decorated: IndexRule(decorated, **options)
    return IndexRule(function, **options)


@overload
def choice_rule(function: Select) -> ChoiceRule: ...
@overload
def choice_rule(**options: Unpack[ChoiceOptions]) -> Callable[[Select], ChoiceRule]: ...
def choice_rule(function: Select | None = None, **options: Any) -> Any:
    """Make a choice rule of a function with the select hook's eleven arguments.

    Parameters
    ----------
    function : callable
        `function(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm)`; see the module's
        text.
    memory, arm_memory : int or callable, optional
        Rows of `memory`, none unless given, and more rows for each arm. They are 0 at first. A rule that needs features
        may give functions of d, how many features there are.
    pull_memory : int, optional
        More rows for each of the T pulls of the run, for example to store every reward. `memory` is then float64[memory
        + pull_memory T + arm_memory K, L], with its rows in this order.
    kept_rows, kept_arm_rows : int, optional
        Number of leading rows of `memory`, and of more rows for each arm, that `select` writes for `learn`, such as the
        arm's probability. If a reward is late, `learn` gets these rows as they were at its pull. All other rows are as
        they are when the reward arrives.
    learn : LearnRule, optional
        What changes the memory after every pull, the first ones too: a function under `@learn_rule`.
    needs : some of "variances", "priors", "horizon", "features"
        What it reads of these. With features, d of them, d + 1 rows stand before the rule's own ones: row 0 of `memory`
        holds d, and rows 1 ... d hold the features of the step. `learn` finds them as they were at the pull, however
        late the reward. Only arms with features can then be played.
    every_arm_first, can_lock, parameters
        As of `vector_rule`.

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
    if function is None:
        return lambda decorated: ChoiceRule(decorated, **options)
    return ChoiceRule(function, **options)


def learn_rule(function: Learn) -> LearnRule:
    """Make the learn hook of a choice rule of a function `learn(memory, arm, reward)`; see the module's text."""
    return LearnRule(function)


def propensity_hook(function: Propensities) -> PropensityHook:
    """Make the hook of a policy's probabilities of a function that writes one for each arm, of one replication.

    It takes what a vector rule takes, and before `out` the memory as the choice left it.
    """
    return PropensityHook(function)


@overload
def reward_law(function: Law) -> RewardLaw: ...
@overload
def reward_law(
    *, unit: bool = False, divergence: Divergence | None = None, distribution: Distribution | None = None
) -> Callable[[Law], RewardLaw]: ...
def reward_law(
    function: Law | None = None,
    *,
    unit: bool = False,
    divergence: Divergence | None = None,
    distribution: Distribution | None = None,
) -> Any:
    """Make a reward law of a function `law(uniform, mean, arm, params, reward)`.

    All policies of a run get the same uniform at step t of replication r (common random numbers). So a law must need
    exactly one.

    Parameters
    ----------
    function : callable
        Writes rewards of these means; see the module's text.
    unit : bool, default False
        Every reward lies in [0, 1]: policies that are defined only there may play.
    divergence : callable, optional
        `divergence(p, q, params)`, for the lower bound of Lai and Robbins among laws of this kind; without it no bound
        is known. p, q and the result are float64[N], params is float64[N, P].
    distribution : callable, optional
        `distribution(mean, params)` returns values and their weights, for the lower bound where arms of several kinds
        meet; params is float64[P].

    Examples
    --------
    >>> @reward_law
    ... def exponential(uniform, mean, arm, params, reward):
    ...     for r in range(reward.size):
    ...         reward[r] = -mean[r] * np.log(1.0 - uniform[r])
    """
    if function is None:
        return lambda decorated: RewardLaw(decorated, unit, divergence, distribution)
    return RewardLaw(function, unit, divergence, distribution)


def stopping_rule(function: Stop) -> StopHook:
    """Make a stop hook of a function `stop(pulls, means, variances, t, params)`; see the module's text.

    Examples
    --------
    >>> @stopping_rule
    ... def long_enough(pulls, means, variances, t, params):
    ...     return t >= params[0]
    """
    return StopHook(function)
