"""Numbers that a rebuilding must not change: regrets, visits of trees, games and exact scores of a few seeds.

`python -m tests.golden > tests/data/golden.json` writes them anew; do that only for a change that is meant to change
results, and say so where the change is told. Names of players are not among them.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bandits
from bandits import Arms, Bernoulli, Gaussian, Linear, Logistic, Policy, simulate
from connect4 import Board, analyse
from mcts import search
from numerics.random import next_beta, next_gamma, next_normal, streams
from tests.bandits.policies import ALL, FEATURED, PLANNED
from tests.data import read

Run = Callable[..., Path]  # of the overrides of a command: its folder

_POLICIES = "random greedy explore_then_commit epsilon_greedy optimistic ucb puct ucb_v kl_ucb moss thompson softmax"
POLICIES = _POLICIES.split()
SOURCE = (
    "python -m tests.golden, made at 308b869, before the rebuilding; 'curves', 'values' and all below 'scores': digests"
    "; trees under kl_ucb by that code with math.log in place of a logarithm of its own, whose last bit decides paths"
    "; grade without the rounds in which a fit chooses the rates; 'draws' and 'plays', which hold in plain Python too, "
    "with compiled kernels, the latter 4 runs of 90 steps on each kind of arms"
)
ARMS: tuple[Arms, ...] = (Bernoulli([0.3, 0.62, 0.6, 0.05]), Gaussian([0.4, -0.3, 0.35], scale=0.5))
PAIRS = [(arms, policy) for arms in ARMS for policy in [*ALL, *PLANNED] if arms.unit_rewards or not policy.unit_rewards]
CONTEXTS: tuple[Arms, ...] = (Linear(arms=4, features=3), Logistic(arms=4, features=3))
PAIRS += [(arms, policy) for arms in CONTEXTS for policy in FEATURED if arms.unit_rewards or not policy.unit_rewards]
SEED = 11  # of draws and plays
RULES = ("ucb", "kl_ucb", "thompson", "puct")
OPENINGS = ("", "4", "44", "112233")
CURVES = [
    *("t", "pseudo_regret_mean", "pseudo_regret_se", *(f"pseudo_regret_q{share}" for share in ("05", 25, 50, 75, 95))),
    *("realised_regret_mean", "realised_regret_se", "optimal_share", "reward_mean"),
]
COLUMNS = {
    "p_game": ("sizes=[2x8,4x4] trees=20 iterations=256", "failures.parquet", "iterations failure"),
    "root_regret": ("positions=6 simulations=60", "visits.parquet", "n visits4 mean4"),
    "strength": (
        "'players=[random,level_3,{name: uct, simulations: 100}]' positions=12",
        "choices.parquet",
        "position column best loss",
    ),
    "random_games": (
        "board=4x4 games=100 paths=1000 position_paths=100 fillings=100",
        "counts.csv",
        "value log10 log10_low log10_high effective",
    ),
    "tournament": ("players=[random,level_2,minimax] games=6", "games.parquet", "seed moves result"),
    "uct_sweep": (
        "values=[0.25,1] games=4 openings=none player.simulations=50 opponent=monte_carlo opponent.simulations=50",
        "games.parquet",
        "seed moves result",
    ),
    "grade": (
        "player=level_2 rates=[0,0.3,1] rounds=0 games=4 openings=none simulations=20 board=4x3 connect=3",
        "games.parquet",
        "moves result",
    ),
}
"""Of the kinds without a function below: overrides, a table, and its columns that are compared by digest.

Numbers of a CSV file are compared to 12 digits: libraries differ in how they add up, and how they read, the last ones.
"""


def draws() -> dict[str, list[float]]:
    """Draws of every kind from one stream."""
    rng = streams(SEED, (9,), 0, 1)
    with np.errstate(all="ignore"):  # words wrap round when this is plain Python
        return {
            "normal": [float(next_normal(rng, 0)) for _ in range(5)],
            "gamma and beta": [
                float(draw)
                for a, b in ((0.4, 2.0), (1.0, 3.0), (2.5, 40.0), (700.0, 300.0))
                for draw in (next_gamma(a, rng, 0), next_beta(a, b, rng, 0), next_beta(b, a, rng, 0))
            ],
        }


def play(arms: Arms, policy: Policy) -> dict[str, Any]:
    """Pulls of every arm, and the sums of rewards and of the best arm's, in each replication."""
    result = simulate(policy, arms, 90, 4, SEED).replications
    return {
        "pulls": result.pulls.tolist(),
        "reward_sum": result.reward_sum[:, -1].tolist(),
        "best_reward_sum": result.best_reward_sum[:, -1].tolist(),
    }


def name_of(arms: Arms, policy: Policy) -> str:
    """Return the key of a play."""
    return f"{arms.name} {policy!r}"


def regrets(run: Run) -> dict[str, Any]:
    """Pulls of every arm in each replication and the regret of all policies, on the same random numbers."""
    folder = run("experiment=comparison", f"bandits=[{','.join(POLICIES)}]", "horizon=500", "runs=5", "seed=3")
    pulls, summary = pd.read_parquet(folder / "pulls.parquet"), pd.read_csv(folder / "summary.csv", index_col="policy")
    curves = pd.read_parquet(folder / "curves.parquet")
    return {
        policy: {
            "pulls": [own["pulls"].tolist() for _, own in pulls[pulls["policy"] == policy].groupby("run")],
            "regret": summary.loc[policy, ["pseudo_regret_mean", "realised_regret_mean"]].tolist(),
            "curves": digest(curves[curves["policy"] == policy][CURVES].to_numpy().ravel()),
        }
        for policy in POLICIES
    }


def trees() -> dict[str, Any]:
    """Visits and values of the moves at the root under four rules, plain and with proven values."""
    found = {}
    for rule in RULES:
        for solve_too in (False, True):
            for moves in OPENINGS:
                result = search(Board.from_moves(moves), bandits.make(rule), simulations=1_000, seed=0, solve=solve_too)
                name = f"{rule}{', proven values' if solve_too else ''}, after {moves or 'no move'}"
                found[name] = {"visits": result.visits.tolist(), "values": digest(result.values)}
    return found


def match(run: Run) -> dict[str, Any]:
    """Moves and results of six games of a tree against flat Monte Carlo."""
    players = ("player1=uct", "player1.simulations=200", "player2=monte_carlo", "player2.simulations=200")
    games = pd.read_parquet(run("experiment=match", *players, "games=6") / "games.parquet")
    return {name: games[name].tolist() for name in ("seed", "opening", "first_player", "moves", "result")}


def scores() -> dict[str, list[int | None]]:
    """Exact scores of all moves of a few late positions; None where a column is full."""
    return {
        moves: [*analyse(Board.from_moves(moves)).scores] for moves, _ in read("pons_late_positions")["positions"][::8]
    }


def digest(values: Any) -> str:
    """Return a short digest of numbers or texts as they are written."""
    return hashlib.sha256(repr(values.tolist()).encode()).hexdigest()[:16]


def digests(run: Run, kind: str) -> dict[str, str]:
    """Return the digests of some columns of a run of a kind."""
    overrides, file, columns = COLUMNS[kind]
    path = run(f"experiment={kind}", *shlex.split(overrides)) / file
    if path.suffix == ".csv":
        return {name: digest(pd.read_csv(path)[name].map("{:.12g}".format)) for name in columns.split()}
    table = pd.read_parquet(path)
    return {name: digest(table[name]) for name in columns.split()}


def everything(run: Run) -> dict[str, Any]:
    """Return all the numbers."""
    return {
        "draws": draws(),
        "plays": {name_of(*pair): play(*pair) for pair in PAIRS},
        "regrets": regrets(run),
        "trees": trees(),
        "match": match(run),
        "scores": scores(),
        **{kind: digests(run, kind) for kind in COLUMNS},
    }


def main() -> None:
    """Print the numbers as JSON, made by commands of their own."""
    with tempfile.TemporaryDirectory() as place:

        def run(*overrides: str) -> Path:
            folder = Path(place) / str(len(list(Path(place).iterdir())))
            command = [sys.executable, "-m", "experiments.run", *overrides, f"hydra.run.dir={folder}"]
            subprocess.run(command, check=True, stdout=sys.stderr)
            return folder

        parts = everything(run).items()
    lines = [
        f" {json.dumps(part)}: {{\n"
        + ",\n".join(f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in found.items())
        + "\n }"
        for part, found in parts
    ]
    print(",\n".join([f'{{\n "source": {json.dumps(SOURCE)}', *lines]) + "\n}")


if __name__ == "__main__":
    main()
