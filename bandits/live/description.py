"""The description of an agent: its policy, arms, seed, and the range of its rewards."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bandits.arms.base import LARGEST
from bandits.arms.bernoulli import Bernoulli
from bandits.live.engine import needs_horizon
from bandits.policies.base import POLICIES, Policy
from bandits.policies.custom import Custom
from numerics import checks
from numerics.checks import escape_controls

Arm = str | int
OPTIONS = ("seed", "run", "horizon", "features", "floor", "rewards")
"""The arguments of an agent beside its policy and arms."""

_MOST_ARMS, _MOST_FEATURES, _LONGEST = 100_000, 10_000, 10**12
_MOST_KEPT = 10**7  # numbers of a policy, 80 MB
_SHOWN = 8  # arms that a sentence names


@dataclass(frozen=True)
class Description:
    """The arguments of an agent, as checked by `described`.

    Attributes
    ----------
    policy, arms, seed, run, horizon, features, floor, rewards
        As for `Agent`; `arms` are those of the beginning.
    is_scaled : bool
        Whether the policy learns rewards as parts of their range; agents of earlier versions do not.
    """

    policy: Policy
    arms: tuple[Arm, ...]
    seed: int = 0
    run: int = 0
    horizon: int | None = None
    features: int | None = None
    floor: float = 0.0
    rewards: tuple[float, float] | None = (0.0, 1.0)
    is_scaled: bool = True

    @property
    def scale(self) -> tuple[float, float] | None:
        """The range that the policy learns as [0, 1], where it is another one; a rule of one's own learns as it is."""
        own = isinstance(self.policy, Custom)
        return None if own or not self.is_scaled or self.rewards == (0.0, 1.0) else self.rewards

    def as_json(self) -> dict[str, Any]:
        """Return the description as JSON holds it: the policy as its text, and its revision."""
        return {
            "policy": POLICIES.text(self.policy),
            "revision": self.policy.revision,
            "arms": list(self.arms),
            "seed": self.seed,
            "run": self.run,
            "horizon": self.horizon,
            "features": self.features,
            "floor": self.floor,
            "rewards": None if self.rewards is None else list(self.rewards),
            "is_scaled": self.is_scaled,
        }

    def check_reward(self, reward: Any) -> float:
        """Return a reward as a number within the range.

        Raises
        ------
        ValueError
            No number, or one out of the range.
        """
        low, high = self.rewards or (-LARGEST, LARGEST)
        given = float(reward) if isinstance(reward, bool | np.bool_) else reward
        try:
            number = checks.number("reward", given, low, high)
        except ValueError as error:
            if self.policy.unit_rewards or self.rewards is None:
                raise
            raise ValueError(f"{error}; for other rewards, create the agent with rewards=(low, high) or None") from None
        if self.policy.limits is not None and number not in (0.0, 1.0):
            raise ValueError(f"reward must be 0 or 1 for {self.policy.name}; got {number:g}")
        return number

    def check_features(self, features: Any) -> Any:
        """Return the features of a choice as float64[d], or None for a policy without features.

        Raises
        ------
        ValueError
            Features of a policy that sees none, no features, others than d, or one that is not finite.
        """
        if self.features is None:
            if features is not None:
                raise ValueError(f"features must be left out: {self.policy.name} does not use features")
            return None
        if features is None:
            raise ValueError(f"features must be given: {self.policy.name} uses {self.features} features")
        seen = checks.numbers_in("features", features)
        if seen.shape != (self.features,):
            raise ValueError(f"features must be {self.features} numbers; got an array of shape {seen.shape}")
        if not (np.abs(seen) <= LARGEST).all():
            at = int(np.argmax(~(np.abs(seen) <= LARGEST)))
            raise ValueError(f"features must be finite numbers of at most {LARGEST:g} in size; got {seen[at]:g}")
        return seen


def described(
    policy: Policy | str,
    arms: Sequence[Arm] | int,
    seed: int = 0,
    run: int = 0,
    horizon: int | None = None,
    features: int | None = None,
    floor: float = 0.0,
    rewards: tuple[float, float] | None = (0.0, 1.0),
    *,
    is_new: bool = True,
) -> Description:
    """Return the description of an agent; one that is not new may have arms that are refused today.

    Raises
    ------
    ValueError
        An argument out of its range, or a policy that is not defined for these arms.
    """
    chosen, names = POLICIES.of(policy), names_of("arms", arms)
    if is_new:
        check_new_arms("arms", names)
    if len(names) < 2:
        raise ValueError(f"arms must be at least 2; got {len(names)}")
    made = Description(
        chosen,
        names,
        checks.check_whole("seed", seed, 0),
        checks.check_whole("run", run, 0, most=10**9),
        _horizon(chosen, horizon, len(names)),
        _features(chosen, features),
        checks.number("floor", floor, 0.0),
        _range_of(chosen, rewards),
    )
    if made.floor * len(names) > 1.0:
        raise ValueError(f"floor must be at most 1 / K = {1 / len(names):.6g} for {len(names)} arms; got {floor:g}")
    rows = 0
    if chosen.spec().plan is None:  # a plan takes long, and bounds its memory itself
        given = chosen.spec().kernel_spec(made.horizon or 0, len(names), made.features or 0)
        rows = given.memory + given.arm_memory * len(names)
    if rows > _MOST_KEPT:
        raise ValueError(
            f"arms, features or horizon must be lower; {chosen} would store {rows:,} numbers, at most {_MOST_KEPT:,}"
        )
    if made.features is None:
        chosen.probe(Bernoulli([0.5] * len(names)))
    return made


def is_described(content: Any) -> bool:
    """Return whether a content has what `as_json` writes."""
    return (
        isinstance(content, Mapping)
        and {"policy", "revision", "arms", *OPTIONS} <= set(content)
        and isinstance(content["policy"], str)
        and isinstance(content["rewards"], list | None)
    )


def of_json(content: Mapping[str, Any], policy: Policy | str | None) -> Description:
    """Return the description from `as_json`; warn if the policy has another revision now.

    Raises
    ------
    ValueError
        Another policy than the one that is given, or a rule of one's own that is not given.
    """
    text = content["policy"]
    name = text.split(" ", 1)[0]
    if policy is None and (name not in POLICIES.members or name == "custom"):
        raise ValueError(f"policy must be given: {text!r} is your own rule, and loading does not import it")
    chosen = POLICIES.of(text if policy is None else policy)
    if POLICIES.text(chosen) != text:
        raise ValueError(f"policy must be that of the saved agent, {text!r}; got {POLICIES.text(chosen)!r}")
    if chosen.revision != content["revision"]:
        warnings.warn(
            f"this agent was saved with revision {content['revision']} of {chosen.name}; revision {chosen.revision} "
            "makes other choices",
            stacklevel=4,
        )
    rewards = None if content["rewards"] is None else tuple(content["rewards"])
    options = {name: content[name] for name in OPTIONS} | {"rewards": rewards}
    made = described(chosen, content["arms"], **options, is_new=False)
    return replace(made, is_scaled=bool(content.get("is_scaled", False)))


def names_of(argument: str, arms: Any) -> tuple[Arm, ...]:
    """Return the names of arms; a number K stands for 0, ..., K - 1.

    Raises
    ------
    ValueError
        No list, a name that is no text and no whole number, or the same name twice.
    """
    if isinstance(arms, int | np.integer) and not isinstance(arms, bool):
        return tuple(range(checks.check_whole(argument, arms, 2, most=_MOST_ARMS)))
    if isinstance(arms, str | bytes | Mapping) or not isinstance(arms, Iterable):
        raise ValueError(f"{argument} must be a list of names, or the number of arms; got {checks.show(arms)}")
    names = []
    for name in arms:
        if isinstance(name, bool) or not isinstance(name, str | int):
            raise ValueError(f"{argument} must be names or whole numbers; got {checks.show(name)}")
        names.append(name)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{argument} must have different names; got {twice!r} twice")
    if len(names) > _MOST_ARMS:
        raise ValueError(f"{argument} must be at most {_MOST_ARMS:,}; got {len(names):,}")
    return tuple(names)


def check_new_arms(argument: str, names: Sequence[Arm], others: Sequence[Arm] = ()) -> None:
    """Refuse new arms that a log could not tell apart, or that no database can hold.

    Raises
    ------
    ValueError
        An arm whose text is that of another one, as 2 and "2", or that is not valid Unicode.
    """
    texts = {escape_controls(str(name)): name for name in others}
    for name in names:
        _check_unicode(argument, str(name))
        if (text := escape_controls(str(name))) in texts:
            raise ValueError(f"{argument} must have different texts; got {texts[text]!r} and {name!r}")
        texts[text] = name


def check_text(argument: str, text: Any, longest: int) -> None:
    """Refuse what is no text, or one that a database or JSON cannot hold.

    Raises
    ------
    ValueError
        No text, an empty or too long one, half a surrogate pair, or the character NUL.
    """
    if not isinstance(text, str) or not 0 < len(text) <= longest:
        raise ValueError(f"{argument} must be a text of 1 to {longest} characters; got {checks.show(text)}")
    _check_unicode(argument, text)


def _check_unicode(argument: str, text: str) -> None:
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise ValueError(f"{argument} must be valid Unicode without the character NUL; got {checks.show(text)}")


def some_of(names: Sequence[Arm]) -> str:
    """Return the first of some names as a sentence shows them.

    Examples
    --------
    >>> some_of(["red", "green"])
    'red, green'
    """
    return ", ".join(map(str, names[:_SHOWN])) + (", ..." if len(names) > _SHOWN else "")


def _horizon(policy: Policy, horizon: Any, arms: int) -> int | None:
    if horizon is None:
        if needs_horizon(policy.spec()) or policy.limits is not None:
            raise ValueError(f"horizon must be given for {policy.name}, which needs the number of choices")
        return None
    whole: int = checks.check_whole("horizon", horizon, 1, most=_LONGEST)
    if policy.limits is not None:
        policy.limits.check(policy.name, Bernoulli([0.5] * arms), whole)
    return whole


def _features(policy: Policy, features: Any) -> int | None:
    if not policy.needs_features:
        if features is not None:
            raise ValueError(f"features must be left out for {policy.name}, which uses none; got {features!r}")
        return None
    if features is None:
        raise ValueError(f"features must be given for {policy.name}: the number of features of each choice")
    return checks.check_whole("features", features, 1, most=_MOST_FEATURES)


def _range_of(policy: Policy, rewards: Any) -> tuple[float, float] | None:
    if rewards is None:
        if policy.unit_rewards:
            raise ValueError(f"rewards must be (0, 1) for {policy.name}; got None")
        return None
    if not isinstance(rewards, Sequence) or isinstance(rewards, str) or len(rewards) != 2:
        raise ValueError(f"rewards must be (low, high) or None; got {checks.show(rewards)}")
    low = checks.number("rewards[0]", rewards[0], most=LARGEST)
    high = checks.number("rewards[1]", rewards[1], low, above=True, most=LARGEST)
    if policy.unit_rewards and (low < 0.0 or high > 1.0):
        raise ValueError(f"rewards must lie in [0, 1] for {policy.name}; got {rewards}")
    return low, high
