"""An agent in a program: it chooses what the simulation chooses, and each reward counts once."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bandits import Agent, Arms, Bernoulli, Choice, Gaussian, Log, Policy, compare_means, make, trace
from bandits.hooks import ChoiceRule
from bandits.live.summary import frame_of
from tests.bandits.policies import ALL, EXAMPLES, FEATURED, LIMITED, PLANNED, SEEN
from tests.bandits.test_plain import WinStay
from tests.internals import Description, Journal, described, of_json
from tests.refusals import refused

pytestmark = pytest.mark.kernels

HORIZON, SEED, RUN = 40, 23, 2
FOUR = Bernoulli([0.3, 0.62, 0.6, 0.1])
LATE = ["fixed delay=7", "batch size=9", "geometric mean=6.5"]
PLAYED = [*EXAMPLES, *PLANNED, *LIMITED, *FEATURED]
VARIED = [policy for policy in ALL if policy not in EXAMPLES]


class Coin:
    """A class of a user's: the second arm in a quarter of all choices."""

    def __init__(self, rng):
        self.rng = rng

    def choose(self):
        return int(self.rng.random() < 0.25)

    def update(self, arm, reward):
        pass


def replayed(policy: Policy, arms: Arms, delivery: str) -> tuple[list[int], list[int]]:
    """The arms of a replication, and those of an agent that is given its rewards as they arrive."""
    steps = trace(policy, arms, HORIZON, SEED, RUN, delivery=delivery).steps
    given = {
        "features": arms.dimension if policy.needs_features else None,
        "rewards": (0, 1) if arms.unit_rewards else None,
    }
    agent = Agent(policy, arms.count, seed=SEED, run=RUN, horizon=HORIZON, **given)
    seen = arms.with_features(SEED, RUN, 1, HORIZON)[2][0] if policy.needs_features else [None] * HORIZON
    arriving: dict[int, list[tuple[Choice, float]]] = defaultdict(list)
    chosen = []
    for step in range(HORIZON):
        choice = agent.choose(seen[step])
        arriving[int(steps.arrival[step])].append((choice, float(steps.reward[step])))
        for known in arriving.pop(step, ()):
            assert agent.reward(*known)
        chosen.append(choice.index)
    assert len(agent.pending) == sum(map(len, arriving.values()))
    return steps.arm.tolist(), chosen


@pytest.mark.parametrize(
    "policy", [*PLAYED, *(pytest.param(policy, marks=pytest.mark.long) for policy in VARIED)], ids=str
)
def test_an_agent_chooses_the_arms_of_the_replication_whose_rewards_it_is_given(policy: Policy):
    arms = SEEN if policy.needs_features else Bernoulli([0.4, 0.6]) if policy.limits is not None else FOUR
    simulated, chosen = replayed(policy, arms, LATE[[*PLAYED, *VARIED].index(policy) % 3])
    assert chosen == simulated


@pytest.mark.parametrize("delivery", ["at_once", LATE[2]])
def test_rewards_of_any_size_and_classes_of_a_user_are_played_alike(delivery: str):
    for policy in ("ucb", "thompson_gaussian", "epsilon_greedy"):
        simulated, chosen = replayed(make(policy), Gaussian([0.1, -0.4, 3.0]), delivery)
        assert chosen == simulated
    for own in (Coin, WinStay) if delivery == "at_once" else (Coin,):  # the latter expects each reward at once
        simulated, chosen = replayed(make("custom", rule=own), FOUR, delivery)
        assert chosen == simulated


def test_a_choice_names_its_arm_and_a_reward_counts_once():
    agent = Agent("ucb", ["red", "green"])
    choice = agent.choose()
    assert repr(choice) == "Choice(id=0, arm='red', index=0)"
    assert [waiting.id for waiting in agent.pending] == [0]
    assert agent.reward(choice, 1.0) is True
    assert agent.reward(choice, 1.0) is False
    assert agent.reward(0, True) is False, "the same reward by the id"
    assert agent.pending == []
    refused(lambda: agent.reward(0, 0.0), "reward of choice 0", "got 0")
    assert agent.to_frame()["pulls"].tolist() == [1, 0]


BAD_CALLS: list[tuple[Any, str, str]] = [
    (lambda agent: agent.reward(7, 1.0), "choice", "got 7"),
    (lambda agent: agent.reward(0, math.nan), "reward", "got nan"),
    (lambda agent: agent.reward(0, 1.5), "reward", "from 0 to 1; got 1.5"),
    (lambda agent: agent.reward(0, "1"), "reward", "got '1'"),
    (lambda agent: agent.choose([1.0]), "features", "thompson"),
    (lambda agent: agent.choose_many(0), "n", "got 0"),
    (lambda agent: agent.retire_arm("pink"), "arm", "red, green, blue; got 'pink'"),
    (lambda agent: agent.add_arm("red"), "arm", "got 'red'"),
]


def test_a_wrong_call_is_refused_and_changes_nothing():
    agent, twin = (Agent("thompson", ["red", "green", "blue"]) for _ in range(2))
    agent.choose(), twin.choose()
    for call, argument, fact in BAD_CALLS:
        refused(lambda call=call: call(agent), f"{argument} ", fact)
    assert repr(agent) == repr(twin)
    assert [choice.arm for choice in agent.choose_many(20)] == [choice.arm for choice in twin.choose_many(20)]


BAD_AGENTS: list[tuple[dict[str, Any], str, str]] = [
    ({"policy": "thomson"}, "policy", "thompson"),
    ({"arms": ["a"]}, "arms", "at least 2; got 1"),
    ({"arms": ["a", "b", "a"]}, "arms", "'a' twice"),
    ({"arms": [1, "1"]}, "arms", "1 and '1'"),
    ({"arms": ["a\x01", "a\\x01"]}, "arms", "got"),
    ({"arms": ["a", "\ud800"]}, "arms", "ud800"),
    ({"arms": "ab"}, "arms", "got 'ab'"),
    ({"seed": -1}, "seed", "at least 0; got -1"),
    ({"floor": 0.6}, "floor", "0.5 for 2 arms; got 0.6"),
    ({"features": 3}, "features", "thompson"),
    ({"policy": "linucb"}, "features", "linucb"),
    ({"policy": "moss"}, "horizon", "moss"),
    ({"rewards": (0, 5)}, "rewards", "[0, 1] for thompson; got (0, 5)"),
    ({"rewards": None}, "rewards", "(0, 1) for thompson; got None"),
    ({"policy": "ucb", "rewards": (1, 1)}, "rewards[1]", "above 1; got 1"),
    ({"policy": "linucb", "arms": 1_000, "features": 1_000}, "arms, features or horizon", "linucb"),
    ({"policy": "bayes_optimal", "arms": 3, "horizon": 10}, "arms", "2 Bernoulli arms"),
]


@pytest.mark.parametrize(("given", "argument", "fact"), BAD_AGENTS, ids=lambda value: ascii(value))
def test_an_agent_with_a_wrong_argument_is_refused(given: dict[str, Any], argument: str, fact: str):
    refused(lambda: Agent(**{"policy": "thompson", "arms": ["a", "b"], **given}), argument, fact)


def test_features_are_checked_before_the_agent_changes():
    agent, twin = (Agent("lin_thompson", 3, features=2) for _ in range(2))
    for wrong, fact in [
        (None, "lin_thompson uses 2"),
        ([1.0], "(1,)"),
        ([1.0, math.nan], "got nan"),
        ([1e101, 1.0], "1e+100 in size; got 1e+101"),
        (["a", "b"], "numbers"),
    ]:
        refused(lambda wrong=wrong: agent.choose(wrong), "features", fact)
    assert agent.choose([1.0, 0.5]).index == twin.choose([1.0, 0.5]).index
    refused(lambda: agent.choose_many(2, [[1.0, 0.5]]), "features", "2 choices; got 1")


def test_an_agent_of_a_horizon_makes_no_choice_beyond_it():
    agent = Agent("moss", 2, horizon=3)
    refused(lambda: agent.choose_many(4), "n ", "at most 3", "got 4")
    agent.choose_many(3)
    refused(agent.choose, "horizon", "3 choices")
    agent = Agent("bayes_optimal", 2, horizon=3)
    refused(lambda: agent.reward(agent.choose(), 0.5), "reward", "0 or 1 for bayes_optimal; got 0.5")


def test_threads_share_an_agent_and_no_reward_is_lost():
    agent = Agent("ucb", 4)

    def serve() -> None:
        for _ in range(300):
            choice = agent.choose()
            agent.reward(choice, float(choice.index == 2))

    with ThreadPoolExecutor(4) as threads:
        for each in [threads.submit(serve) for _ in range(4)]:
            each.result()
    assert agent.choices == agent.to_frame()["pulls"].sum() == 1_200
    assert agent.pending == []


# ------------------------------------------------------------ other beginnings


def test_counts_are_the_statistics_of_the_same_rewards():
    for policy in ("ucb_tuned", "kl_ucb", "ucb_v", "thompson"):
        one, other = Agent(policy, 3, seed=4), Agent.from_counts(policy, {0: (2, 1), 1: (0, 2), 2: (1, 0)}, seed=4)
        for arm, reward in [(0, 0.0), (0, 1.0), (0, 1.0), (1, 0.0), (1, 0.0), (2, 1.0)]:
            one._play.engine.update(arm, reward, b"")
        one._play.step = 6
        assert [one.choose().index for _ in range(9)] == [other.choose().index for _ in range(9)]
        assert one.probabilities == other.probabilities


def test_an_agent_from_a_log_goes_on_as_one_that_was_given_its_rewards():
    log = Log(["a", "b"], arm=[0, 1, 1, 0], reward=[0, 1, 0, 1], propensity=[0.5] * 4)
    warm = Agent.from_log(log, "ucb_tuned", seed=3)
    assert warm.arms == ["a", "b"]
    assert warm.to_frame()["pulls"].tolist() == [2, 2]
    counted = Agent.from_counts("ucb_tuned", {"a": (1, 1), "b": (1, 1)}, seed=3)
    assert [warm.choose().arm for _ in range(5)] == [counted.choose().arm for _ in range(5)]


def test_wrong_beginnings_are_refused():
    log = Log(["a", "b"], arm=[0, 1], reward=[0, 1])
    for policy, counts, facts in [
        ("thompson", {"a": (1, 1)}, ("arms", "at least 2; got 1")),
        ("thompson", [1, 2], ("counts",)),
        ("thompson", {"a": (1, 1), "b": (-1, 2)}, ("counts['b'][0]", "got -1")),
        ("thompson", {"a": (1, 1), "b": 3}, ("counts['b']", "got 3")),
        ("thompson", {"a": (1, 1), "b": (1e9, 1)}, ("the sum of counts['b']", "1e+09")),
        ("exp3", {"a": (1, 1), "b": (1, 1)}, ("from_counts", "exp3")),
        ("greedy step_size=0.1", {"a": (1, 1), "b": (1, 1)}, ("policy", "greedy step_size=0.1")),
    ]:
        refused(lambda policy=policy, counts=counts: Agent.from_counts(policy, counts), *facts)  # type: ignore[arg-type]
    refused(lambda: Agent.from_log(log, "exp3"), "policy", "exp3")
    refused(lambda: Agent.from_log(log, "linucb"), "log", "linucb")
    refused(lambda: Agent.from_log(log, "moss", horizon=2), "horizon", "2 rows", "got 2")


# ------------------------------------------------------------ arms that come and go


@pytest.mark.parametrize("policy", ["ucb", "epsilon_greedy", "softmax"])
def test_a_new_arm_gets_its_first_pulls_and_then_competes_as_if_it_had_been_there(policy: str):
    agent = Agent(policy, ["a", "b"], seed=5)
    agent.add_arm("c")
    order = []
    while not all(agent.to_frame()["pulls"]):
        choice = agent.choose()
        agent.reward(choice, float(choice.arm == "c"))
        order.append(choice.arm)
    if make(policy).spec().estimates.explore:
        assert order[0] == "c", "its first pull is next"
    known = agent.to_frame()
    won = (known["pulls"] * known["mean"]).round()
    counts = dict(zip(known["arm"], zip(won, known["pulls"] - won, strict=True), strict=True))
    expected = Agent.from_counts(policy, counts).probabilities
    assert agent.probabilities == {arm: pytest.approx(expected[arm], abs=1e-9) for arm in agent.arms}


def test_a_retired_arm_is_chosen_no_more_keeps_its_rewards_and_comes_back():
    agent = Agent("thompson", ["a", "b", "c"], seed=1)
    waiting = [choice for choice in agent.choose_many(12) if choice.arm == "b"]
    agent.retire_arm("b")
    assert agent.retired == ["b"]
    assert agent.arms == ["a", "b", "c"]
    assert agent.probabilities["b"] == 0.0
    assert {choice.arm for choice in agent.choose_many(40)} == {"a", "c"}
    assert agent.reward(waiting[0], 1.0), "a late reward still counts"
    assert agent.to_frame().set_index("arm")["pulls"]["b"] == 1
    refused(lambda: agent.retire_arm("a"), "arm", "at least 2", "'a'")
    agent.add_arm("b")
    assert agent.retired == []
    assert agent.probabilities["b"] > 0.4, "it has one success, as others have nothing"


@pytest.mark.parametrize("policy", [*PLANNED, *LIMITED, *FEATURED, make("exp3"), make("gradient")], ids=str)
def test_policies_that_keep_more_than_statistics_of_their_arms_refuse_new_ones(policy: Policy):
    more = {"features": 2} if policy.needs_features else {}
    agent = Agent(policy, 2 if policy.limits is not None else 3, horizon=20, **more)
    refused(lambda: agent.add_arm("new"), "add_arm", policy.name)


# ------------------------------------------------------------ propensities


def test_a_propensity_is_that_of_the_statistics_at_the_choice():
    agent = Agent("thompson", ["a", "b"], seed=2)
    first = agent.choose()
    agent.reward(first, 0.0)
    second = agent.choose()
    agent.reward(second, 1.0)
    assert first.propensity == pytest.approx(0.5, abs=1e-9)
    assert second.chances[first.arm] == pytest.approx(1 / 3, abs=1e-9)
    assert (first.propensity_error, second.propensity_error) == (0.0, 0.0)


@pytest.mark.jit
def test_with_a_floor_every_arm_is_chosen_as_often_as_it_says():
    agent, floor = Agent("thompson", 4, seed=3, floor=0.05), 0.05
    chances, chosen = np.zeros(4), np.zeros(4)
    for _ in range(800):
        choice = agent.choose()
        each = np.array(list(choice.chances.values()))
        assert each.min() >= floor - 1e-12
        assert each.sum() == pytest.approx(1.0)
        chances += each
        chosen[choice.index] += 1
        agent.reward(choice, float(choice.index == 1))
    assert (np.abs(chosen - chances) < 5.0 * np.sqrt(chances)).all()


BY_CHANCES = [
    policy
    for policy in [*EXAMPLES, *PLANNED, *FEATURED]
    if isinstance(rule := policy.spec().rule, ChoiceRule) and rule.kept_rows + rule.kept_arm_rows > 0
]  # a choice of theirs stores more than its features for its reward


@pytest.mark.parametrize("policy", BY_CHANCES, ids=str)
def test_under_a_floor_a_reward_is_weighted_by_the_probability_with_which_its_arm_was_shown(policy: Policy):
    assert {each.name for each in BY_CHANCES} >= {"exp3", "exp3_ix", "exp3_s", "tsallis_inf", "gradient"}
    beyond = []  # what is kept beside the probabilities, such as the constant of exp3_ix
    for floor in (0.0, 0.2, 1.0 / 3.0):
        agent = Agent(policy, 3, seed=4, floor=floor, horizon=500)
        rng, added = np.random.default_rng(1), []
        for _ in range(40):
            choice = agent.choose()
            kept = np.frombuffer(agent._ledger.pending[choice.id][1])
            chances = np.array(list(choice.chances.values()))
            added.append(kept - chances if kept.size > 1 else kept - choice.propensity)
            agent.reward(choice, float(rng.random() < [0.2, 0.8, 0.5][choice.index]))
        beyond.append(np.stack(added))
    assert beyond[0].max() < 0.5
    for added in beyond[1:]:
        np.testing.assert_allclose(added, beyond[0], atol=1e-12)


def test_a_class_of_ones_own_has_estimated_propensities():
    agent = Agent(Coin, 2)  # type: ignore[arg-type]
    choice = agent.choose()
    assert choice.propensity_error > 0.0
    assert abs(choice.propensity - [0.75, 0.25][choice.index]) < 5.0 * choice.propensity_error
    assert agent.choose().index == Agent(Coin, 2).choose_many(2)[1].index, "draws leave the agent as it was"  # type: ignore[arg-type]


# ------------------------------------------------------------ the summary


def test_the_summary_has_means_intervals_and_chances_of_each_arm():
    agent = Agent("ucb", ["a", "b"], seed=1)
    for _ in range(200):
        choice = agent.choose()
        agent.reward(choice, float(choice.arm == "b"))
    waiting = agent.choose()
    frame = agent.to_frame().set_index("arm")
    assert frame["pulls"].sum() == 200
    assert frame["pending"][waiting.arm] == 1
    assert frame["mean"].tolist() == [0.0, 1.0]
    assert frame["mean_high"]["a"] < frame["mean_low"]["b"]
    assert frame["best"].sum() == pytest.approx(1.0)
    assert frame["loss"]["b"] < 1e-3 < frame["loss"]["a"]
    assert "| b |" in repr(agent.summary())
    assert "<table" in agent.summary()._repr_html_()


def summary_of(rewards: dict[str, list[float]], bounds: tuple[float, float] | None) -> pd.DataFrame:
    """The summary of arms that paid these rewards."""
    none = [0] * len(rewards)
    return frame_of([*rewards], none, [*rewards.values()], none, bounds, [(0.0, 0.0)] * len(none)).set_index("arm")


@pytest.mark.parametrize(
    ("rewards", "scale", "shift"),
    [
        ({"x": [0.0, 1.0, 1.0, 0.0, 1.0], "y": [1.0, 1.0, 1.0], "z": []}, 50.0, 0.0),
        ({"x": [0.06, 0.18, 0.02, 0.08, 0.3], "y": [0.7] * 6, "z": [0.1]}, 3.0, -0.7),
        ({"x": [0.06, 0.18, 0.02, 0.08, 0.3], "y": [0.1] * 6, "z": [0.1] * 7}, 1e-3, 1e3),
        ({"x": [0.7] * 6, "y": [0.3] * 12, "z": [0.0, 0.0]}, 1.0001, 0.0),
    ],
)
def test_a_summary_changes_only_its_units_with_its_rewards(rewards: dict[str, list[float]], scale: float, shift: float):
    other = {arm: [scale * r + shift for r in paid] for arm, paid in rewards.items()}
    plain, found = summary_of(rewards, (0.0, 1.0)), summary_of(other, (shift, scale + shift))
    np.testing.assert_allclose(found["best"], plain["best"], atol=1e-9)
    np.testing.assert_allclose(found["loss"], scale * plain["loss"], atol=1e-9 * scale)


def test_the_law_of_fractions_is_that_of_their_means_and_the_range_does_not_matter():
    rng = np.random.default_rng(0)
    paid = {"a": rng.normal(0.5, 0.009, 35).tolist(), "b": rng.normal(0.5015, 0.009, 45).tolist()}
    expected = compare_means([np.mean(values) for values in paid.values()], [stats.sem(one) for one in paid.values()])
    for bounds in [(0.0, 50.0), (-0.001, 1.0), None]:
        found = summary_of(paid, bounds)
        assert found["mean_low"].isna().all() == (bounds is None)
        np.testing.assert_allclose(found["best"], expected.best, atol=1e-9)
        np.testing.assert_allclose(found["loss"], expected.loss, atol=1e-9)


@pytest.mark.parametrize(("constant", "bounds"), [(0.0, (0.0, 1.0)), (0.7, (0.0, 50.0)), (0.3, None)])
def test_an_arm_without_spread_is_a_known_mean(constant: float, bounds: tuple[float, float] | None):
    paid = [0.06, 0.18, 0.02, 0.08, 0.3, 0.5]
    found = summary_of({"x": paid, "y": [constant] * 6, "new": []}, bounds)
    error = stats.sem(paid)
    z = (float(np.mean(paid)) - constant) / error
    assert found["best"]["x"] == pytest.approx(stats.norm.cdf(z), abs=1e-9)
    assert found["loss"]["y"] == pytest.approx(error * (stats.norm.pdf(z) + z * stats.norm.cdf(z)), abs=1e-9)
    assert math.isnan(found["best"]["new"])


def test_equal_arms_without_spread_are_best_alike():
    found = summary_of({"x": [0.7] * 6, "y": [0.7] * 11, "z": [0.1] * 3}, (0.0, 1.0))
    assert found["best"].tolist() == pytest.approx([0.5, 0.5, 0.0])
    assert found["loss"].tolist() == pytest.approx([0.0, 0.0, 0.6])


# ------------------------------------------------------------ the range of rewards


RANGES = [(-4.0, 4.0), (1000.0, 1001.0), (0.0, 2.0**-20)]
ANY = [policy for policy in [*EXAMPLES, *PLANNED, *FEATURED] if not policy.unit_rewards and policy.name != "custom"]


def courses(agent: Any, steps: int = 80, add: bool = False) -> list[Any]:
    """The arms of an agent that is paid multiples of 1 / 8 of its range, with some rewards late."""
    low, high = agent.description.rewards
    rng, late, chosen = np.random.default_rng(2), [], list[Any]()
    for step in range(steps):
        if add and step == 40:
            agent.add_arm("new")
            agent.retire_arm(0)
        choice = agent.choose(rng.normal(size=2) if agent.description.features else None)
        late.append((choice, low + (high - low) * int(rng.binomial(8, [0.3, 0.6, 0.5, 0.9][choice.index])) / 8.0))
        if step % 3:
            agent.reward(*late.pop(0))
        chosen.append(choice.arm)
    return chosen


@pytest.mark.parametrize("policy", ANY, ids=str)
def test_choices_do_not_change_if_rewards_and_their_range_are_scaled_and_shifted(policy: Policy):
    options: dict[str, Any] = {"horizon": 200, "features": 2 if policy.needs_features else None}
    expected = courses(Agent(policy, 3, seed=5, **options))
    for bounds in RANGES:
        assert courses(Agent(policy, 3, seed=5, rewards=bounds, **options)) == expected, bounds


def test_that_holds_in_files_databases_and_for_arms_that_come_and_go(file: str, tmp_path: Path):
    for policy, bounds in zip(["ucb", "thompson_gaussian", "softmax"], RANGES, strict=True):
        expected = courses(Agent(policy, 3), add=True)
        with Agent.open(file, policy, policy, 3, rewards=bounds) as shared:
            assert courses(shared, add=True) == expected
            shared.check_journal()
        with Agent.open(file, policy) as shared:
            agent = Agent(policy, 3, rewards=bounds)
            courses(agent, add=True)
            agent.save(tmp_path / "agent.json")
            assert courses(Agent.load(tmp_path / "agent.json"), 20) == courses(shared, 20) == courses(agent, 20)
            means = agent.to_frame()["mean"].to_numpy()
            assert ((bounds[0] <= means) & (means <= bounds[1])).all(), "the summary is of the rewards themselves"


def test_without_a_range_and_by_a_rule_of_ones_own_rewards_are_learned_as_they_are():
    own = next(policy for policy in EXAMPLES if policy.name == "custom")
    for policy, bounds in [(make("ucb"), None), (own, (0.0, 50.0))]:
        assert Description(policy, (0, 1), rewards=bounds).scale is None


def test_an_agent_of_an_earlier_version_goes_on_as_it_was(file: str, tmp_path: Path):
    url, content = file, described("ucb", 3, rewards=(0, 50)).as_json()
    del content["is_scaled"]
    old = of_json(content, None)
    assert old.scale is None
    assert of_json(old.as_json(), None) == old
    database = Journal(url)
    database.create("a", content)
    database.close()
    with Agent.open(url, "a") as agent:
        assert courses(agent) == courses(Agent._of(old)) != courses(Agent("ucb", 3, rewards=(0, 50)))
    Agent._of(old).save(tmp_path / "old.json")
    assert Agent.load(tmp_path / "old.json").description == old


# ------------------------------------------------------------ whose choices, and what is forgotten


COLOURS = ["red", "green", "blue"]


@pytest.fixture(params=["memory", "database"])
def made(request: pytest.FixtureRequest) -> Any:
    """What makes agents: in memory, or of new names in one database."""
    if request.param == "memory":
        return Agent
    file, names = request.getfixturevalue("file"), itertools.count()
    return lambda *given, **options: Agent.open(file, f"agent {next(names)}", *given, **options)


def test_a_choice_of_another_agent_is_refused_and_changes_nothing(made: Any, tmp_path: Path):
    agent = made("thompson", COLOURS, seed=1)
    choices = agent.choose_many(8)
    others = [Agent("thompson", ["a", "b"], seed=1), Agent("thompson", COLOURS, seed=2), Agent("ucb", COLOURS, seed=1)]
    for other in [*others, made("thompson", COLOURS, seed=3)]:
        for theirs in other.choose_many(8):
            for act in (lambda theirs=theirs: agent.reward(theirs, 1.0), lambda theirs=theirs: agent.forget([theirs])):
                refused(act, "choice")
    assert [choice.id for choice in agent.pending] == list(range(8))
    assert agent.reward(choices[3], 1.0)


def test_agents_of_one_database_tell_their_choices_apart_by_their_names(file: str):
    one, other = (Agent.open(file, name, "thompson", COLOURS) for name in ("one", "other"))
    choice = one.choose()
    other.choose()
    refused(lambda: other.reward(choice, 1.0), "choice")
    with Agent.open(file, "one") as again:
        assert again.reward(choice, 1.0), "it is its own, whoever made it"
    one.close(), other.close()


def test_a_choice_from_before_save_counts_after_load_unless_its_arm_is_another_now(tmp_path: Path):
    agent = Agent("thompson", COLOURS, seed=1)
    for _ in range(20):
        agent.reward(agent.choose(), 1.0)
    agent.save(tmp_path / "agent.json")
    last = agent.choose_many(20)
    agent.save(tmp_path / "later.json")
    assert Agent.load(tmp_path / "later.json").reward(last[0], 1.0)
    Agent.load(tmp_path / "later.json").forget(last)
    earlier = Agent.load(tmp_path / "agent.json")
    for _ in range(3):
        earlier.reward(earlier.choose(), 0.0)
    mine = earlier.choose_many(17)
    differing = [theirs for own, theirs in zip(mine, last[3:], strict=True) if own.arm != theirs.arm]
    assert differing
    for theirs in differing:
        refused(lambda theirs=theirs: earlier.reward(theirs, 1.0), "choice")


def test_all_choices_are_forgotten_or_none_and_again_is_no_fault(made: Any):
    agent = made("thompson", COLOURS)
    choices = agent.choose_many(6)
    assert agent.reward(choices[5], 1.0), "before those that were chosen earlier"
    for wrong in (0, None, "0", choices[0], [[0]]):
        refused(lambda wrong=wrong: agent.forget(wrong), "choice")
    for last in (99, -1, 5, choices[5]):
        refused(lambda last=last: agent.forget([0, choices[1], last]), "choice")
        assert [choice.id for choice in agent.pending] == [0, 1, 2, 3, 4]
    agent.forget([0, choices[0], 0])
    agent.forget(choice for choice in choices[:2])
    agent.forget([0, 1, 2])
    agent.forget([])
    assert [choice.id for choice in agent.pending] == [3, 4]
    refused(lambda: agent.reward(2, 1.0), "choice ", "choice 2")
