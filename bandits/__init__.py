"""Multi-armed bandits: arms, policies, fast simulation, regret.

    >>> from bandits import Bernoulli, UCB, simulate
    >>> result = simulate(UCB(), Bernoulli([0.1, 0.5, 0.9]), horizon=1_000, runs=100, seed=0)
    >>> result.pulls.shape
    (100, 3)

Importing this package loads NumPy and nothing slower; compiled code, pandas and matplotlib come when they are needed.
"""

from treebandit.strangers import refuse_strangers

refuse_strangers("numerics")

from bandits.arms.base import Arms
from bandits.arms.bernoulli import Bernoulli, RandomBernoulli, bernoulli_kl
from bandits.arms.beta import Beta
from bandits.arms.binomial import Binomial
from bandits.arms.bounded import k_inf
from bandits.arms.changing.abrupt_best import AbruptBest
from bandits.arms.changing.drift import Drift
from bandits.arms.changing.piecewise import Piecewise
from bandits.arms.changing.sine import Sine
from bandits.arms.click_log import ClickLog
from bandits.arms.contextual.linear import Linear
from bandits.arms.contextual.logistic import Logistic
from bandits.arms.custom import CustomArms
from bandits.arms.exponential import Exponential
from bandits.arms.finite import Finite
from bandits.arms.gaussian import Gaussian, RandomGaussian
from bandits.arms.mixture import Mixture
from bandits.arms.poisson import Poisson
from bandits.arms.uniform import Uniform
from bandits.chances import Chances, compare_means, compare_rates
from bandits.identification.characteristic import CharacteristicTime, characteristic_time
from bandits.identification.play import Stopped, identify_best
from bandits.logs.evaluate import Evaluation, evaluate
from bandits.logs.files import LogFile, read_log
from bandits.logs.log import Log
from bandits.policies.anytime_halving import AnytimeHalving
from bandits.policies.asymptotic_ucb import AsymptoticUCB
from bandits.policies.base import Policy
from bandits.policies.bayes_optimal import BayesOptimal
from bandits.policies.bayes_ucb import BayesUCB
from bandits.policies.besa import BESA
from bandits.policies.boltzmann_gumbel import BoltzmannGumbel
from bandits.policies.custom import Custom
from bandits.policies.cusum_ucb import CUSUMUCB
from bandits.policies.discounted_thompson import DiscountedThompson
from bandits.policies.discounted_ucb import DiscountedUCB
from bandits.policies.eb_tci import EBTCI
from bandits.policies.epsilon_greedy import EpsilonGreedy
from bandits.policies.exp3 import Exp3
from bandits.policies.exp3_ix import Exp3IX
from bandits.policies.exp3_s import Exp3S
from bandits.policies.explore_then_commit import ExploreThenCommit
from bandits.policies.gittins import Gittins
from bandits.policies.glr_kl_ucb import GLRKLUCB
from bandits.policies.gradient import Gradient
from bandits.policies.greedy import Greedy
from bandits.policies.gumbel_halving import GumbelHalving
from bandits.policies.imed import IMED
from bandits.policies.improved_ucb import ImprovedUCB
from bandits.policies.kl_lucb import KLLUCB
from bandits.policies.kl_ms import KLMS
from bandits.policies.kl_ucb import KLUCB
from bandits.policies.kl_ucb_plus import KLUCBPlus
from bandits.policies.kl_ucb_plus_plus import KLUCBPlusPlus
from bandits.policies.kl_ucb_switch import KLUCBSwitch
from bandits.policies.lin_epsilon_greedy import LinEpsilonGreedy
from bandits.policies.lin_thompson import LinThompson
from bandits.policies.linucb import LinUCB
from bandits.policies.logistic_thompson import LogisticThompson
from bandits.policies.lucb import LUCB
from bandits.policies.m_ucb import MUCB
from bandits.policies.maillard import Maillard
from bandits.policies.moss import MOSS
from bandits.policies.moss_anytime import MOSSAnytime
from bandits.policies.optimistic import Optimistic
from bandits.policies.polynomial import Polynomial
from bandits.policies.puct import PUCT
from bandits.policies.random import Random
from bandits.policies.round_robin import RoundRobin
from bandits.policies.sequential_halving import SequentialHalving
from bandits.policies.sliding_window_ucb import SlidingWindowUCB
from bandits.policies.softmax import Softmax
from bandits.policies.successive_elimination import SuccessiveElimination
from bandits.policies.successive_rejects import SuccessiveRejects
from bandits.policies.thompson import Thompson
from bandits.policies.thompson_gaussian import ThompsonGaussian
from bandits.policies.top_two_thompson import TopTwoThompson
from bandits.policies.track_and_stop import TrackAndStop
from bandits.policies.tsallis_inf import TsallisINF
from bandits.policies.ucb import UCB
from bandits.policies.ucb_e import UCBE
from bandits.policies.ucb_tuned import UCBTuned
from bandits.policies.ucb_v import UCBV
from bandits.policies.ugape import UGapE
from bandits.replications import Replications
from bandits.results import Comparison, Result
from bandits.rules import bonus_rule, choice_rule, index_rule, learn_rule, reward_law, stopping_rule, vector_rule
from bandits.simulation import simulate
from bandits.stopping.base import Stopping
from bandits.theory import lai_robbins_constant
from bandits.traces import Trace, trace

make = Policy.make

__all__ = [
    "BESA",
    "CUSUMUCB",
    "EBTCI",
    "GLRKLUCB",
    "IMED",
    "KLLUCB",
    "KLMS",
    "KLUCB",
    "LUCB",
    "MOSS",
    "MUCB",
    "PUCT",
    "UCB",
    "UCBE",
    "UCBV",
    "AbruptBest",
    "AnytimeHalving",
    "Arms",
    "AsymptoticUCB",
    "BayesOptimal",
    "BayesUCB",
    "Bernoulli",
    "Beta",
    "Binomial",
    "BoltzmannGumbel",
    "Chances",
    "CharacteristicTime",
    "ClickLog",
    "Comparison",
    "Custom",
    "CustomArms",
    "DiscountedThompson",
    "DiscountedUCB",
    "Drift",
    "EpsilonGreedy",
    "Evaluation",
    "Exp3",
    "Exp3IX",
    "Exp3S",
    "ExploreThenCommit",
    "Exponential",
    "Finite",
    "Gaussian",
    "Gittins",
    "Gradient",
    "Greedy",
    "GumbelHalving",
    "ImprovedUCB",
    "KLUCBPlus",
    "KLUCBPlusPlus",
    "KLUCBSwitch",
    "LinEpsilonGreedy",
    "LinThompson",
    "LinUCB",
    "Linear",
    "Log",
    "LogFile",
    "Logistic",
    "LogisticThompson",
    "MOSSAnytime",
    "Maillard",
    "Mixture",
    "Optimistic",
    "Piecewise",
    "Poisson",
    "Policy",
    "Polynomial",
    "Random",
    "RandomBernoulli",
    "RandomGaussian",
    "Replications",
    "Result",
    "RoundRobin",
    "SequentialHalving",
    "Sine",
    "SlidingWindowUCB",
    "Softmax",
    "Stopped",
    "Stopping",
    "SuccessiveElimination",
    "SuccessiveRejects",
    "Thompson",
    "ThompsonGaussian",
    "TopTwoThompson",
    "Trace",
    "TrackAndStop",
    "TsallisINF",
    "UCBTuned",
    "UGapE",
    "Uniform",
    "bernoulli_kl",
    "bonus_rule",
    "characteristic_time",
    "choice_rule",
    "compare_means",
    "compare_rates",
    "evaluate",
    "identify_best",
    "index_rule",
    "k_inf",
    "lai_robbins_constant",
    "learn_rule",
    "make",
    "read_log",
    "reward_law",
    "simulate",
    "stopping_rule",
    "trace",
    "vector_rule",
]


def __dir__() -> list[str]:
    """Return the public names, for completion; modules can be imported all the same."""
    return __all__
