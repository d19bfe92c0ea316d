"""A recorded bandit as JSON: one replication under one rule, or under two with the same random numbers."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from bandits import Arms, Bernoulli, Policy, Thompson
from bandits.arms.changing.base import ChangingArms
from bandits.policies.base import POLICIES
from bandits.simulation import MOST_RUNS, check_pair, replicate_steps
from experiments.recordings.packed import check_steps, count_steps, pack
from experiments.recordings.rules import COMMAND, describe_rule, with_left_out
from numerics import checks

_MOST_CHANGES = 100
OF_A_PULL = (14, 8)  # bytes of a pull, and of each arm

Numbers = npt.ArrayLike


def bandit_recording(
    arms: Arms, policies: Sequence[Policy], horizon: int = 1_000, seed: int = 0, run: int = 0
) -> dict[str, Any]:
    """Play one replication with each policy and return every pull, as JSON.

    Parameters
    ----------
    arms : Arms
    policies : sequence of Policy
        One or two.
    horizon : int, default 1,000
        T, as many pulls at most as a file of a megabyte has room for.
    seed, run : int, default 0
        Which replication of `bandits.simulate` it is.

    Raises
    ------
    ValueError
        A policy that is not defined for these arms, or too long a horizon.

    Examples
    --------
    >>> from bandits import Bernoulli, make
    >>> bandit_recording(Bernoulli([0.3, 0.7]), [make("ucb")], 50)["title"]
    'ucb pulls 2 Bernoulli arms, means 0.3, 0.7: 50 pulls, seed 0'
    """
    horizon = check_horizon(horizon, arms.count, len(policies))
    seed, run = checks.check_whole("seed", seed, 0), checks.check_whole("run", run, 0, most=MOST_RUNS)
    if arms.changing and not 0 < len(arms.moments) <= _MOST_CHANGES:
        raise ValueError(
            f"arms must change at most {_MOST_CHANGES} times, at fixed times, in a recording; got {arms.describe()}"
        )
    for policy in policies:
        check_pair(policy, arms, horizon)
    plays = [_json(arms, policy, horizon, seed, run) for policy in policies]
    labels, pull = " and ".join(play["label"] for play in plays), "pulls" if len(plays) == 1 else "pull"
    means = arms.draw_means(seed, run, 1)[0].tolist()
    which = f"replication {run}, seed {seed}" if run else f"seed {seed}"
    law = type(arms.arms if isinstance(arms, ChangingArms) else arms).__name__
    return {
        "kind": "bandit",
        "version": 1,
        "title": f"{labels} {pull} {arms.describe()}: {count_steps(horizon, 'pull')}, {which}",
        "command": "" if run or type(arms) is not Bernoulli else _command(arms, policies, horizon, seed),
        "arms": {"names": list(arms.names), "means": means, "law": law} | _changes(arms, horizon, seed, run),
        "horizon": horizon,
        "seed": seed,
        "run": run,
        "plays": plays,
    }


def _json(arms: Arms, policy: Policy, horizon: int, seed: int, run: int) -> dict[str, Any]:
    played, steps = replicate_steps(policy, arms, horizon, seed, run)
    chosen = steps.arm[:, None] == np.arange(arms.count)
    scores = with_left_out(policy, steps.scores, np.cumsum(chosen, axis=0) - 1.0 * chosen, steps.means, horizon)
    return describe_policy(policy) | packed_steps(
        steps.arm, steps.reward, steps.means, scores, played.pseudo_regret[0], played.realised_regret[0]
    )


def _changes(arms: Arms, horizon: int, seed: int, run: int) -> dict[str, Any]:
    """Return the pulls after which the arms have other means, each with these; nothing of means that stay."""
    if not arms.changing:
        return {}
    starts, means = arms.segments(seed, run, 1, horizon)
    return {"changes": list(zip(starts[0, 1:].tolist(), means[0, 1:].tolist(), strict=True))}


def describe_policy(policy: Policy) -> dict[str, Any]:
    """Return a recording's description of the policy of a bandit."""
    prior = {"alpha": policy.alpha, "beta": policy.beta} if isinstance(policy, Thompson) else None
    return {**describe_rule(policy), "posterior": prior}


def packed_steps(
    arm: Numbers, reward: Numbers, means: Numbers, scores: Numbers, pseudo_regret: Numbers, realised_regret: Numbers
) -> dict[str, str]:
    """Return a recording's data of T pulls of K arms: two tables [T, K], and otherwise one number per pull."""
    return {
        "arm": pack(arm, "u2"),
        "reward": pack(reward, "f4"),
        "means": pack(means, "f4"),
        "scores": pack(scores, "f4"),
        "pseudo_regret": pack(pseudo_regret, "f4"),
        "realised_regret": pack(realised_regret, "f4"),
    }


def check_horizon(horizon: int, arms: int, rules: int) -> int:
    """Return a number of pulls that a file has room for, or raise ValueError."""
    return check_steps("horizon", horizon, OF_A_PULL[0] + OF_A_PULL[1] * arms, rules)


def _command(arms: Arms, policies: Sequence[Policy], horizon: int, seed: int) -> str:
    """Return the command that records the same."""
    words = [f"arms={','.join(f'{mean!r}' for mean in arms.fixed_means or ())}"]
    words += [f"{key}={POLICIES.text(policy)}" for key, policy in zip(("rule", "rule2"), policies, strict=False)]
    words += [f"horizon={horizon}", *([f"seed={seed}"] if seed else [])]
    return f"{COMMAND} {shlex.join(words)}"
