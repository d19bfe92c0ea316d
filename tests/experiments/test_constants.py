"""Exploration constants of other programs: each conversion gives the index that the program itself computes."""

from __future__ import annotations

import importlib
import math

import numpy as np
import pytest

from experiments.constants import CONVENTIONS, convert

PULLS, SUMS = np.array([3.0, 5.0, 9.0]), np.array([1.0, 3.0, 4.0])  # of rewards in [0, 1]
N = PULLS.sum()


def ours(program, value, count):
    """Return mean + c sqrt(ln count / n) with the c that a setting of a program has here."""
    rule, c = convert(program, f"{CONVENTIONS[program].parameter}={value!r}")
    assert rule == "ucb"
    return SUMS / PULLS + c * np.sqrt(math.log(count) / PULLS)


def smpybandits(value):
    special = pytest.importorskip("scipy.special")
    pytest.importorskip("SMPyBandits")
    special.btdtri = getattr(special, "btdtri", special.betaincinv)  # a name that SciPy gave up
    policy = importlib.import_module("SMPyBandits.Policies").UCBalpha(3, alpha=value)
    policy.startGame()
    policy.pulls[:], policy.rewards[:], policy.t = PULLS, SUMS, N
    return [policy.computeIndex(arm) for arm in range(3)]


def mabwiser(value):
    mab = pytest.importorskip("mabwiser.mab")
    policy = mab.MAB([0, 1, 2], mab.LearningPolicy.UCB1(alpha=value))
    arms = np.repeat([0, 1, 2], PULLS.astype(int))
    policy.fit(arms, np.repeat(SUMS / PULLS, PULLS.astype(int)))
    return list(policy.predict_expectations().values())


def river(value):
    """What it tells of the three indices is the greatest: an arm's mean is raised until it is chosen."""
    bandit = pytest.importorskip("river.bandit")

    def chosen(raised):
        policy = bandit.UCB(delta=value, seed=0)
        for arm in range(3):
            for _ in range(int(PULLS[arm])):
                policy.update(arm, SUMS[arm] / PULLS[arm] + (raised if arm == 2 else 0.0))
        return policy.pull(range(3))

    low, high = 0.0, 10.0
    while high - low > 1e-9:
        middle = (low + high) / 2
        low, high = (low, middle) if chosen(middle) == 2 else (middle, high)
    others = ours("river", value, N)
    return [others[0], others[1], others[:2].max() - high]


def pymab(value):
    policies = pytest.importorskip("pymab.policies")
    policy = policies.UCBPolicy(n_arms=3, c=value)
    for arm in range(3):
        for _ in range(int(PULLS[arm])):
            policy.update(action=arm, reward=SUMS[arm] / PULLS[arm])
    return policy.estimates + policy._confidence_bonus()


def openspiel(value):
    mcts = pytest.importorskip("open_spiel.python.algorithms.mcts")
    found = []
    for pulls, total in zip(PULLS, SUMS, strict=True):
        node = mcts.SearchNode(0, 0, 0.3)
        node.explore_count, node.total_reward = pulls, 2 * total - pulls  # results in [-1, 1]
        found.append((node.uct_value(N, value) + 1) / 2)
    return found


@pytest.mark.parametrize("theirs", [smpybandits, mabwiser, river, pymab, openspiel], ids=lambda one: one.__name__)
def test_a_conversion_gives_the_index_of_the_program_itself(theirs):
    count = N + 1 if theirs is pymab else N  # it counts the pull being chosen, the others those before it
    assert theirs(2.0) == pytest.approx(ours(theirs.__name__, 2.0, count), abs=1e-6)


def test_the_constant_of_puct_is_that_of_openspiel():
    mcts = pytest.importorskip("open_spiel.python.algorithms.mcts")
    node = mcts.SearchNode(0, 0, 0.3)
    node.explore_count, node.total_reward = 4, 2.0
    rule, c = convert("openspiel_puct", "uct_c=1.5")
    assert rule == "puct"
    assert (node.puct_value(N, 1.5) + 1) / 2 == pytest.approx((0.5 + 1) / 2 + c * 0.3 * math.sqrt(N) / (1 + 4))


def test_every_conversion_goes_both_ways():
    for one in CONVENTIONS.values():
        assert one.theirs(one.ours(0.7)) == pytest.approx(0.7)


UCB1 = {
    "kocsis_szepesvari": f"C_p={1 / math.sqrt(2)!r}",
    "smpybandits": "alpha=4",
    "mabwiser": "alpha=1",
    "river": "delta=1",
    "pymab": "c=2",
    "openspiel": f"uct_c={2 * math.sqrt(2)!r}",
}


def test_what_is_called_ucb1_is_our_default():
    found = {program: convert(program, setting)[1] for program, setting in UCB1.items()}
    assert found == pytest.approx(dict.fromkeys(UCB1, math.sqrt(2)))


def test_the_command_says_what_a_constant_is_here_and_everywhere(command):
    said = command("convert=openspiel uct_c=2", module="catalogue")
    assert "equals c = 1 here" in said.out
    assert "player1.c=1" in said.out
    for part in ("alpha=2 ", "delta=0.707107", "C_p=0.353553", "facteur_uct=2"):
        assert part in said.out
    said = command("convert=alphazero c_puct=1.25", module="catalogue")
    assert "'player1.policy={name: puct, c: 0.625}'" in said.out
