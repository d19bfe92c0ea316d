"""`python -m benchmarks.live_shop`: what an agent's journal says of other policies, beside the known truth.

A simulated shop shows three banners to 20,000 visitors. Thompson sampling chooses live, and a journal keeps its choices.
From the journal alone uniform play and UCB1 are evaluated. Their truth is known, as the click rates are.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from bandits import Agent, Bernoulli, evaluate, read_log, simulate
from numerics.commands import Command
from numerics.exits import leave, run_guarded
from numerics.output.progress import progress
from numerics.parameters import parameter

RATES = {"red": 0.04, "green": 0.05, "blue": 0.065}
FLOOR = 0.1
RUNS = 2_000  # of UCB1, for its truth


class LiveShop(Command, module="benchmarks.live_shop"):
    """How many visitors, and where the journal is kept."""

    visitors: int = parameter(20_000, low=1_000, help="how many visitors the shop has")
    seed: int = parameter(0, low=0, help="decides all random numbers")
    path: str = parameter("", help="where the journal is kept; a temporary file unless given")


class Answers(NamedTuple):
    """What a journal says, and the truth."""

    estimates: pd.DataFrame
    truth: dict[str, float]


def serve(url: str, visitors: int, seed: int) -> None:
    """Show banners to visitors, as an agent chooses, and tell it who clicked."""
    clicks = np.random.default_rng(seed).random(visitors)
    with (
        Agent.open(url, "banner", "thompson", list(RATES), seed=seed, floor=FLOOR) as agent,
        progress(visitors, "visitors", visitors) as advance,
    ):
        for click in clicks.tolist():
            choice = agent.choose()
            agent.reward(choice, float(click < RATES[str(choice.arm)]))
            advance("")


def ask(url: str, seed: int) -> Answers:
    """Return what uniform play and UCB1 would have earned a visitor, by the journal and in truth."""
    log = read_log(url, agent="banner")
    frame = evaluate(log, ["uniform"], learners=["ucb"], seed=seed).to_frame()
    horizon = int(frame.loc[frame["policy"] == "ucb", "effective_rows"].iloc[0])
    arms = Bernoulli([RATES[name] for name in log.names])
    played = simulate("ucb", arms, horizon=horizon, runs=RUNS, seed=seed + 1)
    earned = played.pulls.mean(axis=0) @ np.array([RATES[name] for name in log.names]) / horizon
    return Answers(frame, {"uniform": float(np.mean(list(RATES.values()))), "ucb": float(earned)})


def main() -> None:
    """Print what the journal says beside the truth."""
    given = LiveShop.read()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{given.path or Path(folder) / 'shop.db'}"
        serve(url, given.visitors, given.seed)
        print(read_log(url, agent="banner").describe())
        estimates, truth = ask(url, given.seed)
    for row in estimates.to_dict("records"):
        name = str(row["policy"])
        known = f", truth {1_000.0 * truth[name]:.1f}" if name in truth else ""
        ends = [1_000.0 * float(row[end]) for end in ("value", "value_low", "value_high")]
        print(f"{name}: {ends[0]:.1f} clicks per 1,000 visitors ({ends[1]:.1f} to {ends[2]:.1f}){known}")


if __name__ == "__main__":
    leave(run_guarded(main))
