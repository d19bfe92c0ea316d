"""A rule in the user's own file is as good as a built-in one; its mistakes are sentences."""

from __future__ import annotations

import functools
import json
import math
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import (
    UCB,
    Bernoulli,
    Custom,
    Gaussian,
    Greedy,
    Policy,
    Replications,
    bonus_rule,
    choice_rule,
    index_rule,
    learn_rule,
    simulate,
)
from bandits.policies import greedy, ucb
from bandits.simulation import bonuses_of, replicate_steps
from connect4 import Board
from mcts import search
from numerics.kernels.jit import kernel

ROOT = Path(__file__).resolve().parents[2]
ARMS, HORIZON, RUNS, SEED = Bernoulli([0.2, 0.5, 0.7]), 80, 20, 3
HERE = __name__

SCORE = "def {name}(pulls, means, widths, variances, priors, t, horizon, params, rng, out):"


def numbers(played: Replications) -> list[str]:
    """All that was kept, to the last bit."""
    kept = (played.pulls, played.pseudo_regret, played.reward_sum, played.best_reward_sum, played.reward)
    return [values.tobytes().hex() for values in (*kept, played.optimal)]


def rule(body: str, name: str = "my_index", top: str = "") -> str:
    """A file with one rule, which writes out[i] = `body` for every entry i."""
    return f"""
import math
from bandits import index_rule
{top}

@index_rule
{SCORE.format(name=name)}
    for i in range(out.size):
        out[i] = {body}
"""


@pytest.fixture
def rules_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on Python's path, whose modules are forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


def write(path: Path, text: str) -> None:
    """Write a source file."""
    path.write_text(textwrap.dedent(text), encoding="utf-8")


# ---------------------------------------------------------------- three kinds of rule, as users write them
@kernel()
def slower(t):
    """A helper of rules."""
    return math.log(1.0 + math.log(t))


@bonus_rule
def slow(t, params):
    return params[0] * math.sqrt(slower(t)) + t**0.25 / 100.0


@index_rule
def slow_by_hand(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    bonus = params[0] * math.sqrt(slower(t)) + t**0.25 / 100.0
    for i in range(out.size):
        out[i] = means[i] + bonus * widths[i]


@bonus_rule
def negative(t, params):
    return 1.0 - t


@learn_rule
def keep(memory, arm, reward):
    for r in range(arm.size):
        memory[0, r], memory[1, r] = arm[r], reward[r]


@choice_rule(memory=2, learn=keep, every_arm_first=False)
def win_stay(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):
    arms = means.size // arm.size
    for r in range(arm.size):
        arm[r] = int(memory[0, r]) if memory[1, r] > 0.0 else (int(memory[0, r]) + 1) % arms


def plays_alike(one: Policy, other: Policy, arms: Any, **options: Any) -> bool:
    first, second = (simulate(policy, arms, 40, 70, SEED, **options).replications for policy in (one, other))
    return numbers(first) == numbers(second)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("arms", [ARMS, Gaussian([0.1, 0.7, 0.5])], ids=lambda arms: arms.name)
def test_a_bonus_rule_plays_as_the_same_rule_written_by_hand_to_the_last_bit_in_both_kernels(arms):
    short, long = Custom(slow, [0.7]), Custom(slow_by_hand, [0.7])
    assert (bonuses_of(short, arms, 40) is not None) == (arms is ARMS)
    assert bonuses_of(long, arms, 40) is None
    assert plays_alike(short, long, arms)
    assert plays_alike(short, long, arms, block=64)


def test_a_bonus_that_the_counting_kernel_cannot_hold_is_played_by_the_general_one():
    assert bonuses_of(Custom(negative), ARMS, HORIZON) is None
    assert simulate(Custom(negative), ARMS, HORIZON, RUNS).pulls.sum() == HORIZON * RUNS


def test_a_choice_rule_of_a_user_chooses_and_learns_as_it_says():
    policy = Custom(win_stay)
    assert policy.spec().estimates.explore == 0
    _, steps = replicate_steps(policy, ARMS, 60, SEED, 2)
    arm, reward = 1, 0.0  # memory begins with zeros: arm 0 that paid nothing
    assert steps.arm[0] == arm
    for t in range(60):
        assert steps.arm[t] == arm
        reward = steps.reward[t]
        arm = arm if reward > 0.0 else (arm + 1) % 3
    assert plays_alike(policy, policy, ARMS, block=3)
    with pytest.raises(ValueError, match=r"^policy must be an index policy"):
        search(Board(), policy, simulations=10)


def test_a_rule_names_its_needs_from_a_list_and_a_choice_rule_its_rows_and_its_learn_rule():
    assert index_rule(needs="variances")(slow_by_hand.function).needs == ("variances",)
    with pytest.raises(
        ValueError, match=r"^needs of rule .* must be some of variances, priors, horizon; got 'spread'$"
    ):
        index_rule(needs=("spread",))(slow_by_hand.function)
    for memory in (-1, 0.5, True):
        with pytest.raises(ValueError, match=r"^memory of rule .* must be a number of rows, 0 or more; got "):
            choice_rule(memory=memory)(win_stay.function)
        with pytest.raises(ValueError, match=r"^arm_memory of rule .* must be a number of rows, 0 or more; got "):
            choice_rule(arm_memory=memory)(win_stay.function)
    with pytest.raises(ValueError, match=r"^learn of rule .* must be a function under @learn_rule; got "):
        choice_rule(learn=keep.function)(win_stay.function)


# ---------------------------------------------------------------- a file of its own, in a process of its own
PLAY = """
import json, sys
from bandits import Bernoulli, Custom, simulate
from tests.bandits.test_user_rules import numbers

result = simulate(Custom("my_rules.my_bonus", [0.9]), Bernoulli([0.2, 0.5, 0.7]), 80, 20, seed=3)
print(json.dumps(numbers(result.replications)))
"""


@pytest.mark.long
@pytest.mark.jit
def test_a_rule_equal_to_ucb_plays_as_ucb_to_the_last_bit_in_a_new_process_and_after_every_edit(tmp_path: Path):
    for factor in (0.9, 0.5):
        text = "import math\nfrom bandits import bonus_rule\n\n@bonus_rule\ndef my_bonus(t, params):\n"
        write(tmp_path / "my_rules.py", f"{text}    return {factor} * math.sqrt(math.log(t))\n")
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


# ---------------------------------------------------------------- mistakes
MISTAKES = {
    "writes_nan": ("out[i] = means[i] / 0.0 - means[i] / 0.0", "writes NaN for arms with pulls "),
    "lets_none_win": ("out[i] = -math.inf", "writes -inf for every arm"),
    "leaves_some": ("if i != 2:\n            out[i] = 1.0", "leaves 1 of 6 entries of out unwritten"),
    "leaves_all": ("pass", "leaves 6 of 6 entries of out unwritten"),
    "reads_past_params": ("out[i] = means[i] + params[2]", "params holds 1 number, the statistics 6"),
    "reads_past_means": ("out[i] = means[i + 1]", "reads or writes outside an argument"),
    "writes_into_means": ("means[i] = 0.75; out[i] = 0.5", "writes into pulls, means, widths, "),
    "writes_into_params": ("params[0] = t; out[i] = 0.5", "it may write only into out"),
    "takes_arms_for_replications": (
        "out[i] = means[i] + (i % (out.size // rng.shape[0])) * widths[i]",
        "entry i belongs to arm i // L of replication i % L",
    ),
    "looks_only_at_the_first_replication": ("out[i] = means[i] - means[0]", "two replications side by side differ"),
    "raises": ("out[i] = [1.0, 2.0][int(t)]", "outside an argument"),
    "ends_the_program": ("raise SystemExit(3)", "cannot be compiled: Encountered unsupported exception"),
    "misspells": ("out[i] = mean[i]", "NameError: name 'mean' is not defined"),
    "cannot_be_compiled": ("out[i] = means[i] + eval('0.0')", "cannot be compiled"),
    "does_not_declare": ("out[i] = means[i] + variances[i]", "reads variances without declaring it; write @index"),
}


@pytest.mark.long
@pytest.mark.jit
def test_every_mistake_in_a_rule_is_one_sentence_that_begins_with_its_path(rules_here: Path):
    body = "".join(
        f"\n@index_rule\n{SCORE.format(name=name)}\n    for i in range(out.size):\n        {line}\n"
        for name, (line, _) in MISTAKES.items()
    )
    write(rules_here / "wrong.py", "import math\nfrom bandits import index_rule\n" + body)
    short = "from bandits import {0}\n\n@{0}\ndef my_index(pulls, means, out):\n    out[:] = means\n"
    write(rules_here / "short.py", short.format("index_rule"))
    write(rules_here / "long.py", short.format("bonus_rule"))
    write(rules_here / "plain.py", "def my_index(pulls, means):\n    return means\n")
    write(rules_here / "broken.py", "from bandits import index_rule\ndef my_index(:\n")
    write(rules_here / "needs.py", "import a_library_that_nobody_has\n")
    expected = {f"wrong.{name}": part for name, (_, part) in MISTAKES.items()} | {
        "short.my_index": "must take the 10 arguments of a score hook (pulls, means, widths, variances, priors, t, "
        "horizon, params, rng, out); it takes 3 (pulls, means, out)",
        "long.my_index": "must take the 2 arguments of a bonus hook (t, params); it takes 3 (pulls, means, out)",
        "plain.my_index": "it takes 2 (pulls, means)",
        "broken.my_index": "has a syntax error in line 2",
        "needs.my_index": "a_library_that_nobody_has, which it imports, was not found",
        "short.other": "module 'short' has no 'other'",
        "absent.my_index": "no module 'absent'",
    }
    for path, part in expected.items():
        with pytest.raises(ValueError, match=r"^rule ") as caught:
            simulate(Custom(path, [0.5]), ARMS, 80, 20)
        message = str(caught.value)
        assert part in message, path
        assert path.rpartition(".")[0] in message
        assert "\n" not in message, path


@pytest.mark.sampled(1)
@pytest.mark.parametrize("replications", [1, 6, 70])
def test_a_built_in_rule_that_writes_nan_at_a_single_pull_is_told_which(replications):
    @index_rule
    def once(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        size = rng.shape[0]
        for i in range(out.size):
            wrong = t == params[0] and pulls[i] > 0.0 and i % size == size - 1
            out[i] = math.nan if wrong else means[i] + widths[i]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ucb, "ucb", once)
        with pytest.raises(
            ValueError,
            match=r"^rule .*once writes NaN for arms with pulls .* at t = 65; a score is a number, inf or -inf$",
        ):
            simulate(UCB(c=65.0), ARMS, 80, replications, SEED, checkpoints=[10, 70])
        simulate(UCB(c=81.0), ARMS, 80, replications, SEED, checkpoints=[10, 70])


def test_a_rule_that_raises_at_a_pull_that_was_not_tried_is_named():
    @index_rule
    def late(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        if t == 65.0:
            raise RuntimeError("not now")
        for i in range(out.size):
            out[i] = means[i]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ucb, "ucb", late)
        with pytest.raises(
            ValueError,
            match=r"^rule .*late fails while it is played: RuntimeError: not now \(test_user_rules\.py, line \d+: rai",
        ):
            simulate(UCB(), ARMS, 80, 6, SEED)


def test_a_failure_of_a_rule_of_ours_is_no_mistake_of_a_user(monkeypatch):
    def failing(*arguments):
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr("bandits.kernels.general.play", failing)
    with pytest.raises(RuntimeError, match="a bug of ours"):
        simulate(UCB(), ARMS, 80, 6, SEED, block=4)


def test_a_bonus_that_is_nan_at_a_single_pull_is_told_too():
    @bonus_rule
    def once(t, params):
        return (t - params[0]) / (t - params[0])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ucb, "ucb", once)
        with pytest.raises(
            ValueError,
            match=r"^rule .*once writes NaN for arms with pulls .* at t = 65; a score is a number, inf or -inf$",
        ):
            simulate(UCB(c=65.0), ARMS, 80, 6, SEED, checkpoints=[10, 70])
        simulate(UCB(c=81.0), ARMS, 80, 6, SEED, checkpoints=[10, 70])


def test_a_rule_that_is_played_while_its_file_is_imported_is_refused_and_does_not_wait_for_ever(rules_here):
    call = "simulate(Custom('plays_itself.my_index'), Bernoulli([0.1, 0.2]), 9, 2)"
    text = f"{rule('means[i]')}\nfrom bandits import Bernoulli, Custom, simulate\n{call}\n"
    write(rules_here / "plays_itself.py", text)
    with pytest.raises(ValueError, match=r"plays_itself fails when imported: .* is used while plays_itself is being "):
        simulate(Custom("plays_itself.my_index"), ARMS, 20, 2)


def test_a_rule_of_a_compiled_function_is_a_rule_and_can_be_given_itself(rules_here: Path):
    text = rule("means[i] + 0.5 * widths[i]", top="import numba").replace("@index_rule", "@index_rule\n@numba.njit")
    write(rules_here / "compiled_rules.py", text)
    found = Custom("compiled_rules.my_index").spec().rule
    assert Custom(found) == Custom("compiled_rules.my_index")
    assert simulate(Custom(found), ARMS, 40, 6, SEED).pulls.sum() == 240


def test_what_is_no_function_and_arguments_in_other_places_are_refused():
    def swapped(means, pulls, widths, variances, priors, t, horizon, params, rng, out):
        pass

    with pytest.raises(ValueError, match="means stands in another's place"):
        index_rule(swapped).check_arguments()
    with pytest.raises(ValueError, match=r"must be made of a function \(def \.\.\.\); got partial"):
        index_rule(functools.partial(print))


def test_a_module_that_fails_is_told_with_its_own_line(rules_here: Path):
    write(rules_here / "failing_rules.py", "from bandits import index_rule\n\n\nindex_rule(3)\n")
    with pytest.raises(ValueError, match=r"\(failing_rules\.py, line 4: index_rule\(3\)\)$"):
        Custom("failing_rules.my_index").spec()


def test_a_module_that_ends_the_program_is_a_sentence(rules_here: Path):
    write(rules_here / "leaving_rules.py", "import sys\n\nsys.exit(3)\n")
    with pytest.raises(ValueError, match=r"leaving_rules ends the program when imported \(sys\.exit\)$"):
        Custom("leaving_rules.my_index").spec()


def test_replacing_a_rule_in_its_one_place_changes_the_bandit(monkeypatch: pytest.MonkeyPatch):
    def play(policy) -> list[str]:
        return numbers(simulate(policy, ARMS, 40, 6, SEED).replications)

    before, best = play(UCB()), play(Greedy())
    assert before != best
    monkeypatch.setattr(ucb, "ucb", index_rule(greedy.greedy.function))
    assert play(UCB()) == best
    monkeypatch.undo()
    assert play(UCB()) == before


def test_a_built_in_rule_can_be_named_as_a_custom_one():
    named = simulate(Custom("bandits.policies.ucb.ucb", [1.3]), ARMS, 40, 6, SEED).replications
    assert numbers(named) == numbers(simulate(UCB(c=1.3), ARMS, 40, 6, SEED).replications)


@index_rule(every_arm_first=False)
def curious(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    for i in range(out.size):
        out[i] = 0.0 if pulls[i] > 0.0 else np.inf


def test_a_rule_that_wants_no_first_pulls_is_asked_from_the_first_step():
    assert simulate(Custom(f"{HERE}.curious"), ARMS, 3, 30, SEED).pulls.tolist() == [[1, 1, 1]] * 30


async def _later(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    pass


def _in_parts(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
    yield


@pytest.mark.parametrize("function", [_later, _in_parts])
def test_a_rule_is_a_plain_function(function):
    with pytest.raises(ValueError, match=r"^a rule must be a plain function, without async or yield; got _"):
        index_rule(function)


def test_a_rule_file_with_a_sign_that_no_line_may_hold_is_one_sentence(rules_here):
    (rules_here / "with_a_null.py").write_text("x = 1\0\n")
    with pytest.raises(
        ValueError, match=r"^rule 'with_a_null.my_index': with_a_null (has a syntax error|fails when)"
    ) as caught:
        simulate(Custom("with_a_null.my_index"), ARMS, 20, 2)
    assert "None" not in str(caught.value)
