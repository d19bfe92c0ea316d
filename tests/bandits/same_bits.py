"""A few numbers that must be the same with and without compilation, today and tomorrow.

`python -m tests.bandits.same_bits > tests/data/same_bits.json` writes them anew; do that only for a change that is
meant to change results, and say so where the change is told.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from bandits import Arms, Bernoulli, Gaussian, simulate
from bandits.policies.base import Policy
from numerics.random import next_beta, next_gamma, next_normal, streams
from tests.bandits.policies import ALL

ARMS: tuple[Arms, ...] = (Bernoulli([0.3, 0.62, 0.6, 0.05]), Gaussian([0.4, -0.3, 0.35], scale=0.5))
PAIRS = [(arms, policy) for arms in ARMS for policy in ALL if arms.unit_rewards or not policy.unit_rewards]
HORIZON, RUNS, SEED = 90, 4, 11
SOURCE = (
    "python -m tests.bandits.same_bits, with compiled kernels; 4 runs of 90 steps from seed 11 on each kind of arms."
)


def played(policy: Policy, arms: Arms) -> dict[str, Any]:
    """Pulls of every arm, and the sums of rewards and of the best arm's, in each replication."""
    result = simulate(policy, arms, HORIZON, RUNS, SEED).replications
    return {
        "pulls": result.pulls.tolist(),
        "reward_sum": result.reward_sum[:, -1].tolist(),
        "best_reward_sum": result.best_reward_sum[:, -1].tolist(),
    }


def draws() -> list[float]:
    """Draws of every kind from one stream."""
    rng = streams(SEED, (9,), 0, 1)
    with np.errstate(all="ignore"):  # words wrap round when this is plain Python
        return [float(next_normal(rng, 0)) for _ in range(5)] + [
            float(draw)
            for a, b in ((0.4, 2.0), (1.0, 3.0), (2.5, 40.0), (700.0, 300.0))
            for draw in (next_gamma(a, rng, 0), next_beta(a, b, rng, 0), next_beta(b, a, rng, 0))
        ]


def everything() -> dict[str, Any]:
    """All the numbers, by the arms and the policy that made them."""
    rows = {f"{arms.name} {policy!r}": played(policy, arms) for arms, policy in PAIRS}
    return {"source": SOURCE, "draws": draws(), "rows": rows}


def main() -> None:
    """Print the numbers as JSON, one row a line."""
    made = everything()
    rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in made.pop("rows").items())
    head = ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in made.items())
    print(f'{{\n{head},\n "rows": {{\n{rows}\n }}\n}}')


if __name__ == "__main__":
    main()
