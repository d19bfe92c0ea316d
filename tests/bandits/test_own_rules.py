"""A rule of the user's own: a formula with arguments by name, or a hook of arrays; its mistakes are sentences."""

from __future__ import annotations

import json
import logging
import math
import os
import pickle
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import (
    UCB,
    Bernoulli,
    Custom,
    CustomArms,
    Gaussian,
    Greedy,
    Linear,
    Policy,
    RandomBernoulli,
    Replications,
    UCBTuned,
    bonus_rule,
    choice_rule,
    identify_best,
    index_rule,
    learn_rule,
    reward_law,
    simulate,
    stopping_rule,
    vector_rule,
)
from bandits.hooks import FormulaRule
from bandits.policies import greedy, ucb
from bandits.simulation import bonuses_of, replicate_steps
from connect4 import Board
from mcts import search
from numerics.importing import import_named
from numerics.places import failure
from tests.internals import POLICIES, CannotCompile, digests, kernel
from tests.refusals import refused

pytestmark = pytest.mark.kernels

ROOT = Path(__file__).resolve().parents[2]
ARMS, HORIZON, RUNS, SEED = Bernoulli([0.2, 0.5, 0.7]), 80, 20, 3
HERE = __name__


def numbers(played: Replications) -> list[str]:
    """All that was kept, to the last bit."""
    kept = (played.pulls, played.pseudo_regret, played.reward_sum, played.best_reward_sum, played.reward)
    return [values.tobytes().hex() for values in (*kept, played.optimal)]


def plays_alike(one: Any, other: Any, arms: Any = ARMS, **options: Any) -> bool:
    first, second = (simulate(policy, arms, 40, 70, SEED, **options).replications for policy in (one, other))
    return numbers(first) == numbers(second)


# ---------------------------------------------------------------- rules as users write them
@kernel()
def slower(t):
    """A helper of rules."""
    return math.log(1.0 + math.log(t))


@bonus_rule
def slow(t, c=0.7):
    return c * math.sqrt(slower(t)) + t**0.25 / 100.0


@index_rule
def slow_index(mean, width, t, c=0.7):
    return mean + (c * math.sqrt(slower(t)) + t**0.25 / 100.0) * width


@vector_rule(parameters={"c": 0.7})
def slow_by_hand(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = params[0] * math.sqrt(slower(t)) + t**0.25 / 100.0
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@index_rule
def tuned(mean, width, variance, t, most=0.25):
    """UCB1-tuned, as `bandits.policies.ucb_tuned` has it."""
    level = math.log(t)
    return mean + math.sqrt(level) * math.sqrt(min(most, variance + math.sqrt(2.0 * level) * width)) * width


@index_rule
def sees(mean, width, pulls, variance, prior, t, horizon, arms, runs=80.0, count=3.0):
    """A score of NaN where a statistic is not what it is said to be; a trial has 20 pulls behind the first ones."""
    right = abs(width * width * pulls - 1.0) < 1e-9 and 0.0 <= variance <= 0.2500001 and 0.0 <= mean <= 1.0
    right = right and abs(prior * arms - 1.0) < 1e-9 and horizon in (20.0 + arms, runs) and arms <= count and pulls < t
    return mean + width if right else math.nan


@bonus_rule
def negative(t):
    return 1.0 - t


@index_rule(every_arm_first=False)
def curious(pulls):
    return 0.0 if pulls > 0.0 else math.inf


@learn_rule
def keep(memory, arm, reward):
    for r in range(arm.size):
        memory[0, r], memory[1, r] = arm[r], reward[r]


@choice_rule(memory=2, learn=keep, every_arm_first=False)
def win_stay(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    arms = means.size // arm.size
    for r in range(arm.size):
        arm[r] = int(memory[0, r]) if memory[1, r] > 0.0 else (int(memory[0, r]) + 1) % arms


@choice_rule(parameters={"first": 1.0})
def one_arm(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    arm[:] = int(params[0])


# ---------------------------------------------------------------- a formula
def test_a_formula_is_a_function_of_numbers():
    assert tuned(0.5, 0.1, 0.2, 100) == tuned(mean=0.5, width=0.1, variance=0.2, t=100)
    assert tuned(0.5, 0.1, 0.2, 100, most=0.0) == 0.5
    assert (tuned.needs, tuned.parameters) == (("variances",), {"most": 0.25})
    assert pickle.loads(pickle.dumps(tuned)) is tuned


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arms", [ARMS, Gaussian([0.1, 0.7, 0.5])], ids=lambda arms: arms.name)
def test_a_bonus_a_formula_and_a_loop_play_alike_to_the_last_bit_in_all_kernels(arms):
    assert (bonuses_of(Custom(slow), arms, 40) is not None) == (arms is ARMS)
    assert bonuses_of(Custom(slow_index), arms, 40) is None
    for options in ({}, {"block": 64}, {"delivery": "fixed delay=3"}):
        assert plays_alike(Custom(slow, c=0.3), Custom(slow_index, c=0.3), arms, **options)
        assert plays_alike(Custom(slow_by_hand), Custom(slow_index), arms, **options)


def test_a_formula_of_the_user_plays_as_the_built_in_one_wherever_rules_are_asked():
    own, ours = Custom(tuned), UCBTuned()
    assert plays_alike(own, ours, RandomBernoulli(arms=5))
    one, other = (search(Board(), policy, simulations=300, seed=1).visits.tolist() for policy in (own, ours))
    assert one == other
    one, other = (identify_best(policy, ARMS, runs=4, seed=1, most=400).pulls for policy in (own, ours))
    np.testing.assert_array_equal(one, other)


def test_a_formula_is_given_the_statistics_by_their_names():
    assert simulate(Custom(sees), ARMS, 80, 3, SEED).pulls.sum() == 240
    assert search(Board(5, 4), Custom(sees, runs=200, count=5), simulations=200, seed=1).visits.sum() == 200
    refused(lambda: search(Board(5, 4), Custom(sees, runs=200, count=4), simulations=200), "", "sees scores nan")


def test_a_rule_that_wants_no_first_pulls_is_asked_from_the_first_step():
    assert simulate(Custom(curious), ARMS, 3, 30, SEED).pulls.tolist() == [[1, 1, 1]] * 30


def test_parameters_have_names_in_python_texts_and_mappings():
    half = Custom(slow_index, c=0.5)
    text = f"{HERE}.slow_index c=0.5"
    forms = [text, f"custom rule={HERE}.slow_index c=0.5", {"name": "custom", "rule": f"{HERE}.slow_index", "c": 0.5}]
    for form in [*forms, {"name": f"{HERE}.slow_index", "c": 0.5}, POLICIES.node(half)]:
        assert POLICIES.of(form) == half
    assert str(half) == half.formula == text
    assert pickle.loads(pickle.dumps(half)) == half != Custom(slow_index)
    assert half.spec().params == (0.5,)
    assert list(simulate([text, Custom(slow_index)], ARMS, 10, 2)) == [text, f"{HERE}.slow_index"]
    assert f"{HERE}.slow_index, c: 0.5" in str(POLICIES.node(half)).replace("'", "")


def test_parameters_of_our_policies_are_the_defaults_of_their_rules():
    for name in sorted(Policy.members):
        if name != "custom" and isinstance(rule := (spec := Policy.make(name).spec()).rule, FormulaRule):
            assert tuple(rule.parameters.values()) == spec.params, name


def test_a_built_in_rule_can_be_named_as_a_custom_one_and_replaced_in_its_one_place(monkeypatch):
    assert plays_alike("bandits.policies.ucb.ucb c=1.3", UCB(c=1.3))
    assert not plays_alike(UCB(), Greedy())
    best = numbers(simulate(Greedy(), ARMS, 40, 6, SEED).replications)
    monkeypatch.setattr(ucb, "ucb", vector_rule(parameters={"c": 0.0})(greedy_by_hand))
    assert numbers(simulate(UCB(), ARMS, 40, 6, SEED).replications) == best
    assert isinstance(greedy.greedy, FormulaRule)


def greedy_by_hand(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = means[i]


# ---------------------------------------------------------------- mistakes while it plays
@index_rule
def misspells(mean):
    return maen  # noqa: F821 (the mistake)


@index_rule
def is_nan(mean, t):
    return math.nan if t > 9.0 else mean


@index_rule
def is_infinite(mean, t):
    return math.inf if t > 9.0 else mean


@index_rule
def raises(mean, t):
    if t > 9.0:
        raise RuntimeError(f"not at {int(t)}", t)
    return mean


@vector_rule
def leaves_nan(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    out[:] = means / 0.0 - means / 0.0


@pytest.mark.parametrize(
    ("rule", "facts"),
    [
        (is_nan, ("scores nan", "t = 10")),
        (is_infinite, ("scores inf", "t = 10")),
        (leaves_nan, ("scores nan", "1 pulls")),
        (raises, ("RuntimeError: ('not at 10', 10.0) (test_own_rules.py, line ",)),
    ],
    ids=lambda value: getattr(value, "path", ""),
)
def test_a_wrong_score_is_refused_before_a_run_and_in_a_tree(rule, facts):
    refused(lambda: simulate(Custom(rule), ARMS, 5, 1), f"rule {rule.path}", *facts)
    if rule in (is_nan, raises):
        refused(lambda: search(Board(), Custom(rule), simulations=50), f"rule {rule.path}", *facts)


@index_rule
def returns_nothing(mean):
    mean + 1.0  # the mistake


@index_rule
def returns_sometimes(mean):
    if mean > 0.5:
        return mean


@pytest.mark.jit
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("rule", "facts"),
    [(returns_nothing, ("None",)), (returns_sometimes, ("None",)), (misspells, ("misspells", "'maen'"))],
)
def test_a_rule_that_cannot_be_compiled_is_told_with_its_line(rule, facts):
    for play in (lambda: simulate(rule, ARMS, 5, 1), lambda: search(Board(), rule, simulations=50)):
        refused(play, f"rule {rule.path}", *facts, "(test_own_rules.py, ", "line ")


def test_what_no_other_process_could_import_is_refused():
    def stop(pulls, means, variances, t, params):
        return t > 100.0

    class Within(SeesFeatures): ...

    for play in (
        lambda: simulate(index_rule(lambda mean: mean), ARMS, 5, 1),
        lambda: simulate(Within, ARMS, 5, 1),
        lambda: CustomArms([0.2, 0.5], law=reward_law(lambda uniform, mean, arm, params, reward: None)),
        lambda: identify_best(UCB(), ARMS, runs=1, stopping=stopping_rule(stop)),
    ):
        with pytest.raises(ValueError, match=r"^(rule|law) .*top level.*<\w+>"):
            play()


def undecorated(pulls):
    return -pulls


from_the_start = index_rule(every_arm_first=False)(undecorated)


def test_a_rule_under_another_name_is_not_taken_for_its_function():
    refused(lambda: simulate(from_the_start, ARMS, 5, 1), "rule ", "undecorated")
    assert simulate(f"{HERE}.from_the_start", ARMS, 3, 30, SEED).pulls.tolist() == [[1, 1, 1]] * 30


def test_a_late_mistake_stops_the_run(monkeypatch):
    monkeypatch.setattr(ucb, "ucb", is_nan)
    refused(lambda: simulate(UCB(), ARMS, 80, 6, SEED), "", "is_nan", "nan", "t = 10")


def test_a_failure_of_a_rule_of_ours_is_no_mistake_of_a_user(monkeypatch):
    def failing(*arguments):
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr("bandits.kernels.general.play", failing)
    with pytest.raises(RuntimeError, match="a bug of ours"):
        simulate(UCBTuned(), ARMS, 5, 1)


# ---------------------------------------------------------------- a choice rule
def test_a_choice_rule_chooses_and_learns_as_it_says():
    policy = Custom(win_stay)
    assert policy.spec().estimates.explore == 0
    _, steps = replicate_steps(policy, ARMS, 60, SEED, 2)
    arm = 1  # memory begins with zeros: arm 0 that paid nothing
    for t in range(60):
        assert steps.arm[t] == arm
        arm = arm if steps.reward[t] > 0.0 else (arm + 1) % 3
    assert plays_alike(policy, policy, block=3)
    refused(lambda: search(Board(), policy, simulations=10), "policy ")


def test_a_choice_rule_has_named_parameters_and_must_choose_an_arm():
    assert simulate(Custom(one_arm, first=0), ARMS, 30, 2).pulls.tolist() == [[28, 1, 1]] * 2
    refused(lambda: simulate(Custom(one_arm, first=7), ARMS, 30, 2), "", "one_arm", "0 to 2", "t = 4")


class SeesFeatures:
    needs = ("features",)

    def choose(self, features):
        return int(features[-1] > 0.0)

    def update(self, arm, reward, features):
        assert features.size == 3


@choice_rule(needs=("features",), every_arm_first=False)
def by_features(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    for r in range(arm.size):
        arm[r] = 1 if memory[int(memory[0, r]), r] > 0.0 else 0


def test_a_class_and_a_choice_rule_see_features_in_their_trial_and_in_the_run():
    assert plays_alike(SeesFeatures, Custom(by_features), Linear(arms=3, features=3))


# ---------------------------------------------------------------- files of the user's
PLAY = """
import json, sys
from bandits import Bernoulli, simulate
from tests.bandits.test_own_rules import numbers

print(json.dumps(numbers(simulate("my_rules.my_bonus", Bernoulli([0.2, 0.5, 0.7]), 80, 20, seed=3).replications)))
"""


@pytest.mark.long
@pytest.mark.jit
def test_a_rule_equal_to_ucb_plays_as_ucb_to_the_last_bit_in_a_new_process_and_after_every_edit(tmp_path: Path):
    for factor in (0.9, 0.5):
        text = "import math\nfrom bandits import bonus_rule\n\n@bonus_rule\ndef my_bonus(t):\n"
        (tmp_path / "my_rules.py").write_text(f"{text}    return {factor} * math.sqrt(math.log(t))\n")
        os.utime(tmp_path / "my_rules.py", (2e9, 2e9))  # an edit within one tick of the clock
        kept = {"NUMBA_CACHE_DIR"}  # where all other kernels are compiled already
        environment = {
            name: value for name, value in os.environ.items() if not name.startswith("NUMBA_") or name in kept
        }
        done = subprocess.run(
            [sys.executable, "-W", "error", "-P", "-B", "-c", PLAY],  # -P: the current folder is not on Python's path
            cwd=tmp_path,
            env=environment | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == numbers(simulate(UCB(c=factor), ARMS, HORIZON, RUNS, SEED).replications)


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a function that writes a module and returns its name."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def write(text: str) -> str:
        (tmp_path / "odd_module.py").write_text(textwrap.dedent(text), encoding="utf-8")
        return "odd_module"

    yield write
    sys.modules.pop("odd_module", None)


@pytest.mark.jit
@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("def rule(:\n", ("line 1",)),
        ("import a_library_that_nobody_has\n", ("a_library_that_nobody_has",)),
        ("import sys\nsys.exit(3)\n", ("sys.exit",)),
        ("x = 1\n", ("has no 'rule'",)),
        ("rule = 5\n", ("int",)),
        ("rule = None", ("is None",)),
        ("import math\nx = 1\0\n", ("null bytes",)),
        ("class Mine(BaseException): pass\nraise Mine('stop')", ("Mine: stop (odd_module.py,",)),
        ("from bandits import simulate\nsimulate(f'{__name__}.rule', [0.1, 0.2], 5, 1)\n", ("if __name__",)),
    ],
)
def test_a_file_without_the_rule_is_refused(module, text, facts):
    name = module(text)
    refused(lambda: simulate(f"{name}.rule", ARMS, 5, 1), f"rule '{name}.rule'", *facts)


def test_ctrl_c_while_a_module_is_imported_is_no_mistake_of_the_module(module):
    with pytest.raises(KeyboardInterrupt):
        import_named("rule", f"{module('raise KeyboardInterrupt')}.rule", "my_rules.my_index")


def test_an_exception_that_cannot_be_written_is_named_by_its_class(module):
    class Bad(Exception):
        def __str__(self):
            raise RuntimeError

    assert failure(Bad()) == "Bad"
    name = module("""
        class Bad(BaseException):
            def __str__(self): raise RuntimeError("no")
        class rule:
            def choose(self): raise Bad()
            def update(self, arm, reward): pass
    """)
    refused(lambda: simulate(Custom(f"{name}.rule"), [0.1, 0.5], 10, 2), f"rule {name}.rule ", "Bad", "line 5")


def test_numba_is_silent_where_all_loggers_are_at_debug():
    assert logging.getLogger("numba").getEffectiveLevel() >= logging.WARNING


RULE = """
    import math, ctypes, unittest.mock
    from bandits import index_rule

    class Odd:
        def __getattr__(self, name): raise OSError("odd")

    odd, mock = Odd(), unittest.mock.MagicMock()

    @index_rule
    def rule(mean):
        return {score}
"""


@pytest.mark.jit
@pytest.mark.parametrize("score", ["ctypes.cdll", "odd", "mock.x"])
def test_a_rule_that_uses_what_answers_for_any_name_is_refused(module, score):
    name = module(RULE.replace("{score}", score))
    with pytest.raises(CannotCompile, match=rf"^rule {name}.rule .*{name}.py"):
        Custom(f"{name}.rule").spec().compiled()


def test_a_rule_that_exec_has_made_belongs_to_its_module(module):
    name = module("""
        from bandits import bonus_rule
        exec("def rule(t):\\n    return 0.5\\n")
        rule = bonus_rule(rule)
    """)
    rule = import_named("rule", f"{name}.rule", "my_rules.my_index")
    assert digests([rule.function]) == digests([sys.modules[name].__file__])


@pytest.mark.jit
def test_what_numba_cannot_type_names_the_function_of_the_user(module):
    name = module("""
        import math
        from bandits import bonus_rule

        @bonus_rule
        def rule(t):
            return y if (y := math.sqrt(math.log(t))) > 0.1 else 0.1
    """)
    with pytest.raises(CannotCompile, match=rf"{name}.py, line 6: def rule"):
        Custom(f"{name}.rule").spec().compiled()
