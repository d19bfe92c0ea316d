"""Multi-armed bandits: arms, policies, fast simulation, regret.

    >>> from bandits import Bernoulli, UCB, simulate
    >>> result = simulate(UCB(), Bernoulli([0.1, 0.5, 0.9]), horizon=1_000, runs=100, seed=0)
    >>> result.pulls.shape
    (100, 3)

Importing this package loads NumPy and nothing slower; compiled code, pandas and matplotlib come when they are needed.
"""

from bandits.arms import Arms, Bernoulli, Gaussian, RandomBernoulli, RandomGaussian
from bandits.click_log import ClickLog
from bandits.hooks import choice_rule, index_rule, learn_rule
from bandits.policies import (
    KLUCB,
    MOSS,
    PUCT,
    UCB,
    UCBV,
    Custom,
    EpsilonGreedy,
    ExploreThenCommit,
    Greedy,
    Optimistic,
    Random,
    Softmax,
    Thompson,
    make,
)
from bandits.policy import POLICIES, Policy
from bandits.replications import Replications
from bandits.result import Result
from bandits.simulate import simulate
from bandits.theory import bernoulli_kl, lai_robbins_constant

__all__ = [
    "KLUCB", "MOSS", "POLICIES", "PUCT", "UCB", "UCBV", "Arms", "Bernoulli", "ClickLog", "Custom",
    "EpsilonGreedy", "ExploreThenCommit", "Gaussian", "Greedy", "Optimistic", "Policy", "Random", "RandomBernoulli",
    "RandomGaussian", "Replications", "Result", "Softmax", "Thompson", "bernoulli_kl", "choice_rule", "index_rule",
    "lai_robbins_constant", "learn_rule", "make", "simulate",
]  # fmt: skip
