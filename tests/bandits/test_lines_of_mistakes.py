"""A mistake in a user's code is a sentence that names the file, the line and its text, and shows below few frames."""

from __future__ import annotations

import importlib
import sys
import traceback

import pytest

from bandits import Custom, CustomArms, bonus_rule, simulate
from numerics.places import failure, missing_name, syntax_place

HEAD = "import math\nimport numba\nfrom bandits import bonus_rule, choice_rule, index_rule, learn_rule, reward_law\n"
BONUS = "@bonus_rule\ndef mine(t, params):\n"
INDEX = "@index_rule\ndef mine(pulls, means, widths, variances, priors, t, horizon, params, rng, out):\n"
CHOICE = "@choice_rule\ndef mine(pulls, means, widths, variances, priors, t, horizon, params, rng, memory, arm):\n"
LAW = "@reward_law\ndef mine(uniform, mean, arm, params, reward):\n"
CLASS = """class mine:
    def __init__(self, arms):
        self.t = 0

    def update(self, arm, reward):
        pass

    def choose(self):
        self.t += 1
"""
WRITES = "    out[:] = means\n    "
CHOOSES = "    arm[:] = 0\n    "
TENTH = "if t == 10.0: raise RuntimeError('tenth')"
HELPER = "@numba.njit\ndef helper(t):\n    return t + nowhere\n\n"
TYPES = pytest.mark.jit


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Write a file of the user's, and refuse what it holds; returns the sentence."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def refused(text, law=False):
        (tmp_path / "my_own.py").write_text(text)
        sys.modules.pop("my_own", None)
        importlib.invalidate_caches()
        arms = CustomArms([0.2, 0.5], law="my_own.mine") if law else [0.2, 0.5]
        with pytest.raises(ValueError, match="my_own") as caught:
            simulate("ucb" if law else Custom("my_own.mine", [1.0]), arms, 100, 4)
        lines = "".join(traceback.format_exception(caught.value)).splitlines()
        assert sum(line.startswith("Traceback") for line in lines) == 1
        assert sum(line.startswith('  File "') for line in lines) <= 3
        return str(caught.value)

    return refused


@pytest.mark.sampled(2)
@pytest.mark.kernels
@pytest.mark.parametrize(
    ("text", "says"),
    [
        (BONUS + "    return 2.0 * nowhere", "NameError: name 'nowhere' is not defined"),
        (BONUS + "    return math.squareroot(t)", "AttributeError: math has no 'squareroot'"),
        (BONUS + "    if t > 9.5: raise RuntimeError('tenth')\n    return 1.0", "RuntimeError: tenth"),
        pytest.param(BONUS + "    return 'high'", "str", marks=TYPES),
        pytest.param(BONUS + "    2.0 * t", "none to float64", marks=TYPES),
        (INDEX + "    out[0] = nowhere", "NameError: name 'nowhere' is not defined"),
        (INDEX + WRITES + TENTH, "RuntimeError: tenth"),
        pytest.param(INDEX + "    out[0] = 'high'", "setitem(array(float64, 1d, C), ", marks=TYPES),
        (CHOICE + "    arm[0] = nowhere", "NameError: name 'nowhere' is not defined"),
        (CHOICE + CHOOSES + TENTH, "RuntimeError: tenth"),
        pytest.param(CHOICE + "    arm[0] = 'left'", "setitem(array(int64, 1d, C), ", marks=TYPES),
        (LAW + "    reward[0] = nowhere", "NameError: name 'nowhere' is not defined"),
        (LAW + "    reward[:] = mean\n    if uniform[0] >= 0.0: raise RuntimeError('tenth')", "RuntimeError: tenth"),
        pytest.param(LAW + "    reward[0] = 'much'", "setitem(array(float64, 1d, C), ", marks=TYPES),
        (CLASS + "        return nowhere", "NameError: name 'nowhere' is not defined"),
        (CLASS + "        return self.t // 0", "ZeroDivisionError"),
        (CLASS + "        if self.t == 10: raise RuntimeError('tenth')\n        return 0", "RuntimeError: tenth"),
        ("x = 1 / 0", "ZeroDivisionError"),
        ("import a_library_that_nobody_has", "a_library_that_nobody_has, which it imports, was not found"),
    ],
)
def test_the_line_of_a_mistake_stands_in_the_sentence(written, text, says):
    sentence = written(HEAD + text, law=text.startswith("@reward_law"))
    lines = (HEAD + text).splitlines()
    wrong = next(number for number, line in enumerate(lines, 1) if "raise" in line or number == len(lines))
    assert says in sentence
    assert f"my_own.py, line {wrong}: {lines[wrong - 1].strip()}" in sentence


def test_the_line_of_a_mistake_in_a_compiled_function_that_a_rule_calls(written):
    sentence = written(HEAD + HELPER + BONUS + "    return helper(t)")
    assert "name 'nowhere' is not defined (my_own.py, line 6: return t + nowhere)" in sentence


def test_a_syntax_error_has_its_line_and_reason(written):
    assert "has a syntax error in line 2 of my_own.py: expected ':': def mine(t, params)" in written(
        "@bonus_rule\ndef mine(t, params)\n    return 1.0\n"
    )


def test_what_has_no_line_of_its_own_has_the_one_where_its_function_begins():
    @bonus_rule
    def wrong(t, params):
        return 1.0

    place = failure(RuntimeError("no"), wrong.function)
    assert place.startswith("RuntimeError: no (test_lines_of_mistakes.py, from line ")
    assert place.endswith(": def wrong(t, params):)")
    assert failure(RuntimeError()) == "RuntimeError"
    assert syntax_place(SyntaxError("odd")) == "its file: odd"


def test_a_name_of_a_nested_function_and_of_a_builtin_is_looked_for_too():
    exec("def outer(t, params):\n    return sum([nowhere for _ in range(3)])", names := {})
    assert missing_name(names["outer"]).startswith("NameError: name 'nowhere' is not defined")
    assert missing_name(failure) == ""
