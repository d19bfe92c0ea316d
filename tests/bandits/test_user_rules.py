"""A rule in the user's own file: as good as a built-in one, compiled once, never stale; its mistakes are sentences."""

from __future__ import annotations

import functools
import itertools
import json
import math
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bandits import UCB, Bernoulli, Custom, Greedy, Replications, index_rule, rules, simulate

ROOT = Path(__file__).resolve().parents[2]
ARMS, HORIZON, RUNS, SEED = Bernoulli([0.2, 0.5, 0.7]), 80, 20, 3

PLAY = """
import json, sys
from bandits import Bernoulli, Custom, kernel, simulate
from bandits.hooks import resolve
from tests.bandits.test_user_rules import numbers

path, *params = sys.argv[1:]
result = simulate(Custom(path, [float(number) for number in params]), Bernoulli([0.2, 0.5, 0.7]), 80, 20, seed=3)
rule, play = resolve(path).pointed.stats, kernel.play.stats
print(json.dumps({
    "numbers": numbers(result.replications),
    "rule_hits": sum(rule.cache_hits.values()), "rule_misses": sum(rule.cache_misses.values()),
    "play_hits": sum(play.cache_hits.values()), "play_misses": sum(play.cache_misses.values()),
}))
"""

SCORE = "def {name}(pulls, means, widths, variances, priors, t, horizon, params, rng, out):"


def numbers(played: Replications) -> list[str]:
    """All that was kept, to the last bit."""
    kept = (played.pulls, played.pseudo_regret, played.gain, played.best_gain, played.reward, played.optimal)
    return [values.tobytes().hex() for values in kept]


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


_clock = itertools.count(1)


def write(path: Path, text: str) -> None:
    """Write a source file later than all before it: an edit within one tick of the clock is no edit to Python."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    later = path.stat().st_mtime + 10.0 * next(_clock)
    os.utime(path, (later, later))


@pytest.fixture(scope="module")
def cache(tmp_path_factory) -> Path:
    """A kernel cache of these tests' own, so that they see what compiles and what is loaded."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def play(tmp_path: Path, cache: Path) -> Callable[..., dict[str, Any]]:
    """Play a rule that lies in tmp_path in a new Python process."""

    def run(path: str, *params: float, code: str = PLAY, options: tuple[str, ...] = ()) -> dict[str, Any]:
        unset = ("NUMBA_", "PYTHONDONTWRITEBYTECODE")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(unset)}
        environment |= {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(cache)}
        done = subprocess.run(
            [sys.executable, "-W", "error", *options, "-c", code, path, *map(str, params)],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return run


def _linear(factor: float) -> list[str]:
    """What the rule mean + factor * width plays, by the test's own hook in this process."""

    @index_rule
    def linear(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        for i in range(out.size):
            out[i] = means[i] + params[0] * widths[i]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "ucb", linear)
        return numbers(simulate(UCB(c=factor), ARMS, HORIZON, RUNS, SEED).replications)


@pytest.mark.jit
def test_an_edit_within_the_same_tick_and_of_the_same_size_counts_in_a_new_process(tmp_path: Path, play):
    for name in ("my_rules.py", "my_helpers.py"):
        for factor in (0.5, 2.0):
            write(tmp_path / "my_helpers.py", f"FACTOR = {factor if name == 'my_helpers.py' else 1.0}")
            own = "1.0" if name == "my_helpers.py" else str(factor)
            write(tmp_path / "my_rules.py", f"import my_helpers\nF = {own} * my_helpers.FACTOR\n")
            with (tmp_path / "my_rules.py").open("a") as file:
                file.write(rule("means[i] + F * widths[i]"))
            for one in ("my_rules.py", "my_helpers.py"):
                os.utime(tmp_path / one, (2e9, 2e9))
            assert play("my_rules.my_index")["numbers"] == _linear(factor)


@pytest.mark.jit
@pytest.mark.slow
def test_a_rule_equal_to_ucb_plays_as_ucb_to_the_last_bit_and_the_next_process_compiles_nothing(tmp_path: Path, play):
    write(tmp_path / "my_rules.py", rule("means[i] + params[0] * math.sqrt(math.log(t)) * widths[i]"))
    expected = numbers(simulate(UCB(c=0.9), ARMS, HORIZON, RUNS, SEED).replications)
    first = play("my_rules.my_index", 0.9)
    assert first["numbers"] == expected
    assert (first["rule_hits"], first["rule_misses"]) == (0, 1)
    second = play("my_rules.my_index", 0.9, options=("-P",))  # -P: the current folder is not on Python's path
    assert second["numbers"] == expected
    assert (second["rule_hits"], second["rule_misses"]) == (1, 0)
    assert (second["play_hits"], second["play_misses"]) == (1, 0)


@pytest.mark.jit
def test_an_edited_rule_counts_at_once_and_a_restored_one_is_not_compiled_again(tmp_path: Path, play):
    file = tmp_path / "my_rules.py"
    write(file, rule("means[i] + 0.5 * widths[i]"))
    assert play("my_rules.my_index")["numbers"] == _linear(0.5)
    write(file, rule("means[i] + 2.0 * widths[i]"))
    edited = play("my_rules.my_index")
    assert edited["numbers"] == _linear(2.0) != _linear(0.5)
    assert edited["rule_misses"] == 1
    write(file, rule("means[i] + 0.5 * widths[i]"))
    restored = play("my_rules.my_index")
    assert restored["numbers"] == _linear(0.5)
    assert restored["rule_hits"] == 1


HELPER = "import numba\n\n@numba.njit\ndef bonus(width):\n    return {factor} * width\n"


@pytest.mark.jit
@pytest.mark.parametrize(
    ("top", "call", "helper"),
    [
        ("import helper", "helper.bonus(widths[i])", "helper.py"),
        ("from helper import bonus", "bonus(widths[i])", "helper.py"),
        ("from parts import helper", "helper.bonus(widths[i])", "parts/helper.py"),
        ("from between import bonus", "bonus(widths[i])", "helper.py"),
    ],
)
def test_an_edited_helper_in_a_second_file_counts_at_once(tmp_path: Path, play, top: str, call: str, helper: str):
    write(tmp_path / "my_rules.py", rule(f"means[i] + {call}", top=top))
    write(tmp_path / "between.py", "from helper import bonus\n")
    write(tmp_path / helper, HELPER.format(factor=0.5))
    write(tmp_path / "parts" / "__init__.py", "")
    assert play("my_rules.my_index")["numbers"] == _linear(0.5)
    write(tmp_path / helper, HELPER.format(factor=2.0))
    assert play("my_rules.my_index")["numbers"] == _linear(2.0)


FOUND_AT_RUN_TIME = 'import importlib\n\nmod = importlib.import_module("help" + "er")\nbonus = mod.bonus'
CONSTANT = 'import json\n\nFACTOR = json.load(open("factor.json"))'
VARIABLE = 'import os\n\nFACTOR = float(os.environ["FACTOR"])'


@pytest.mark.jit
@pytest.mark.parametrize(
    ("top", "body"),
    [
        (FOUND_AT_RUN_TIME, "bonus(widths[i])"),
        (FOUND_AT_RUN_TIME, "mod.bonus(widths[i])"),
        (CONSTANT, "FACTOR * widths[i]"),
        (VARIABLE, "FACTOR * widths[i]"),
        (VARIABLE + "\nSETTINGS = (0.0, FACTOR)", "SETTINGS[1] * widths[i]"),
        (VARIABLE + "\nimport numpy as np\n\nTABLE = np.array([[FACTOR]])", "TABLE[0, 0] * widths[i]"),
    ],
    ids=["helper", "module", "data file", "environment", "tuple", "array"],
)
def test_what_no_import_statement_names_counts_at_once_too_and_is_compiled_once(
    tmp_path: Path, play, monkeypatch: pytest.MonkeyPatch, top: str, body: str
):
    def set_factor(factor: float) -> None:
        write(tmp_path / "helper.py", HELPER.format(factor=factor))
        (tmp_path / "factor.json").write_text(str(factor))
        monkeypatch.setenv("FACTOR", str(factor))

    write(tmp_path / "my_rules.py", rule(f"means[i] + {body}", top=top))
    for factor, hits in ((0.5, 0), (2.0, 0), (0.5, 1)):
        set_factor(factor)
        played = play("my_rules.my_index")
        assert played["numbers"] == _linear(factor)
        assert (played["rule_hits"], played["rule_misses"]) == (hits, 1 - hits)


MISTAKES = {
    "writes_nan": ("out[i] = means[i] / 0.0 - means[i] / 0.0", "writes NaN for arms with pulls "),
    "lets_none_win": ("out[i] = -math.inf", "writes -inf for every arm"),
    "leaves_some": ("if means[i] > 0.4:\n            out[i] = 1.0", " entries of out unwritten"),
    "leaves_all": ("pass", "leaves 6 of 6 entries of out unwritten"),
    "reads_past_params": ("out[i] = means[i] + params[2]", "params holds 1 number, the statistics 6"),
    "reads_past_means": ("out[i] = means[i + 1]", "reads or writes outside an argument"),
    "writes_into_means": ("means[i] = 0.5; out[i] = 0.5", "writes into pulls, means, widths, "),
    "writes_into_params": ("params[0] = t; out[i] = 0.5", "it may write only into out"),
    "takes_arms_for_replications": (
        "out[i] = means[i] + (i % (out.size // rng.shape[0])) * widths[i]",
        "entry i belongs to arm i // L of replication i % L",
    ),
    "looks_only_at_the_first_replication": ("out[i] = means[i] - means[0]", "two replications side by side differ"),
    "raises": ("out[i] = [1.0, 2.0][int(horizon)]", "outside an argument"),
    "ends_the_program": ("raise SystemExit(3)", "SystemExit: 3"),
    "misspells": ("out[i] = mean[i]", "NameError: name 'mean' is not defined"),
    "divides_whole_numbers": ("out[i] = 1 // int(means[i] * 0.0)", "ZeroDivisionError"),
    "cannot_be_compiled": ("out[i] = means[i] + eval('0.0')", "cannot be compiled"),
}  # fmt: skip

ASK = """
import importlib, json
from bandits import Bernoulli, Custom, simulate

said = {}
for path in json.load(open("paths.json")):
    try:
        simulate(Custom(path, [0.5]), Bernoulli([0.2, 0.5, 0.7]), 80, 20)
        said[path] = "nothing"
    except ValueError as error:
        said[path] = str(error)
print(json.dumps(said))
"""


@pytest.mark.parametrize("replications", [1, 6, 8, 9, 70])
def test_a_rule_that_writes_nan_at_a_single_pull_is_told_which(replications):
    @index_rule
    def once(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        size = rng.shape[0]
        for i in range(out.size):
            wrong = t == params[0] and pulls[i] > 0.0 and i % size == size - 1
            out[i] = math.nan if wrong else means[i] + widths[i]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "ucb", once)
        with pytest.raises(ValueError, match=r"^rule .*once scored an arm NaN at pull 65, "):
            simulate(UCB(c=65.0), ARMS, 80, replications, SEED, checkpoints=[10, 70])
        simulate(UCB(c=81.0), ARMS, 80, replications, SEED, checkpoints=[10, 70])


def test_a_rule_that_raises_at_a_pull_that_the_probe_did_not_try_is_named():
    @index_rule
    def late(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        if t == 65.0:
            raise RuntimeError("not now")
        for i in range(out.size):
            out[i] = means[i]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "ucb", late)
        with pytest.raises(ValueError, match=r"^rule .*late fails while it is played: RuntimeError not now$"):
            simulate(UCB(), ARMS, 80, 6, SEED)


def test_a_failure_of_a_rule_of_ours_is_no_mistake_of_a_user(monkeypatch):
    def failing(*arguments):
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr("bandits.kernel.play", failing)
    with pytest.raises(RuntimeError, match="a bug of ours"):
        simulate(UCB(), ARMS, 80, 6, SEED, block=4)


@pytest.mark.jit
def test_an_edited_helper_of_a_package_counts_at_once_in_the_same_process(tmp_path: Path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    write(tmp_path / "a_package" / "__init__.py", "")
    write(tmp_path / "a_package" / "rules.py", "from . import helper\n" + rule("means[i] + helper.FACTOR * widths[i]"))
    for factor in (0.5, 2.0, 0.5):
        write(tmp_path / "a_package" / "helper.py", f"FACTOR = {factor}\n")
        played = simulate(Custom("a_package.rules.my_index"), ARMS, HORIZON, RUNS, SEED)
        assert numbers(played.replications) == _linear(factor)


def test_a_rule_that_is_played_while_its_file_is_imported_is_refused_and_does_not_wait_for_ever(rules_here):
    call = "simulate(Custom('plays_itself.my_index'), Bernoulli([0.1, 0.2]), 9, 2)"
    text = f"{rule('means[i]')}\nfrom bandits import Bernoulli, Custom, simulate\n{call}\n"
    write(rules_here / "plays_itself.py", text)
    with pytest.raises(ValueError, match=r"plays_itself fails when imported: .* is used while plays_itself is being "):
        simulate(Custom("plays_itself.my_index"), ARMS, 20, 2)


def test_a_rule_of_the_counted_form_whose_bonus_is_nan_at_a_single_pull_is_told_too():
    @index_rule
    def once(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        for i in range(out.size):
            out[i] = means[i] + (t - params[0]) / (t - params[0]) * widths[i]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "ucb", once)
        with pytest.raises(ValueError, match=r"^rule .*once scored an arm NaN at pull 65, "):
            simulate(UCB(c=65.0), ARMS, 80, 6, SEED, checkpoints=[10, 70])
        simulate(UCB(c=81.0), ARMS, 80, 6, SEED, checkpoints=[10, 70])


@pytest.mark.jit
def test_every_mistake_in_a_rule_is_one_sentence_that_begins_with_its_path(tmp_path: Path, play):
    body = "".join(
        f"\n@index_rule\n{SCORE.format(name=name)}\n    for i in range(out.size):\n        {line}\n"
        for name, (line, _) in MISTAKES.items()
    )
    write(tmp_path / "wrong.py", "import math\nfrom bandits import index_rule\n" + body)
    write(
        tmp_path / "short.py",
        "from bandits import index_rule\n\n@index_rule\ndef my_index(pulls, means, out):\n    out[:] = means\n",
    )
    write(tmp_path / "plain.py", "def my_index(pulls, means):\n    return means\n")
    write(tmp_path / "broken.py", "from bandits import index_rule\ndef my_index(:\n")
    write(tmp_path / "needs.py", "import a_library_that_nobody_has\n")
    expected = {f"wrong.{name}": part for name, (_, part) in MISTAKES.items()} | {
        "short.my_index": "must take the 10 arguments of a score hook (pulls, means, widths, variances, priors, t, "
        "horizon, params, rng, out); it takes 3 (pulls, means, out)",
        "plain.my_index": "it takes 2 (pulls, means)",
        "broken.my_index": "has a syntax error in line 2",
        "needs.my_index": "a_library_that_nobody_has, which it imports, was not found",
        "short.other": "rule short.my_index must take",
        "absent.my_index": "no module 'absent'",
    }
    (tmp_path / "paths.json").write_text(json.dumps(list(expected)))
    said = play("", code=ASK)
    assert list(said) == list(expected)
    for path, part in expected.items():
        message = said[path]
        assert part in message, path
        assert message.startswith("rule "), path
        assert path.rpartition(".")[0] in message
        assert "\n" not in message, path


@pytest.fixture
def rules_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on Python's path, whose modules are forgotten afterwards."""
    monkeypatch.syspath_prepend(tmp_path)
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("helped", [False, True])
def test_an_edit_counts_at_once_in_the_same_process_too(rules_here: Path, helped: bool):
    factor = "helper.FACTOR" if helped else "{factor}"
    text = rule(f"means[i] + {factor} * widths[i]", top="import helper" if helped else "")
    for value in (0.5, 2.0, 0.7):  # within a second, and of the same size
        write(rules_here / "edited_rules.py", text.format(factor=value))
        write(rules_here / "helper.py", f"FACTOR = {value}\n")
        policy = Custom("edited_rules.my_index")
        assert numbers(simulate(policy, ARMS, 40, 6, SEED).replications) == numbers(
            simulate(Custom("tests.bandits.test_form.by_first_param", [value]), ARMS, 40, 6, SEED).replications
        )
    assert policy.hooks().rule is policy.hooks().rule, "what was not edited is not imported again"


def test_a_rule_of_a_compiled_function_is_a_rule_and_can_be_given_itself(rules_here: Path):
    text = rule("means[i] + 0.5 * widths[i]", top="import numba").replace("@index_rule", "@index_rule\n@numba.njit")
    write(rules_here / "compiled_rules.py", text)
    found = Custom("compiled_rules.my_index").hooks().rule
    assert Custom(found) == Custom("compiled_rules.my_index")
    assert simulate(Custom(found), ARMS, 40, 6, SEED).pulls.sum() == 240


def test_what_is_no_function_and_arguments_in_other_places_are_refused():
    def swapped(means, pulls, widths, variances, priors, t, horizon, params, rng, out):
        pass

    with pytest.raises(ValueError, match="means stands in another's place"):
        index_rule(swapped)
    with pytest.raises(ValueError, match=r"must be made of a function \(def \.\.\.\); got partial"):
        index_rule(functools.partial(print))


@pytest.mark.jit
def test_a_helper_that_numba_keeps_on_disk_by_itself_is_refused(rules_here: Path):
    helper = "@numba.njit(cache=True)\ndef half(x):\n    return 0.5 * x\n"
    write(rules_here / "cached_rules.py", rule("means[i] + half(widths[i])", top=f"import numba\n\n{helper}"))
    with pytest.raises(
        ValueError, match=r"^helper cached_rules\.half must be made with @numba\.njit without cache=True"
    ):
        simulate(Custom("cached_rules.my_index"), ARMS, 40, 6, SEED)


def test_a_module_that_fails_is_told_with_its_own_line(rules_here: Path):
    write(rules_here / "failing_rules.py", "from bandits import index_rule\n\n\nindex_rule(lambda pulls: None)\n")
    with pytest.raises(ValueError, match=r"\(line 4\)$"):
        Custom("failing_rules.my_index").hooks()


def test_a_module_that_ends_the_program_is_a_sentence(rules_here: Path):
    write(rules_here / "leaving_rules.py", "import sys\n\nsys.exit(3)\n")
    with pytest.raises(ValueError, match=r"leaving_rules ends the program when imported \(sys\.exit\)$"):
        Custom("leaving_rules.my_index").hooks()


def test_replacing_a_rule_in_its_one_place_changes_the_bandit(monkeypatch: pytest.MonkeyPatch):
    def play(policy) -> list[str]:
        return numbers(simulate(policy, ARMS, 40, 6, SEED).replications)

    before, greedy = play(UCB()), play(Greedy())
    assert before != greedy
    monkeypatch.setattr(rules, "ucb", index_rule(rules.greedy.function))
    assert play(UCB()) == greedy
    monkeypatch.undo()
    assert play(UCB()) == before


def test_a_built_in_rule_can_be_named_as_a_custom_one():
    named = simulate(Custom("bandits.rules.ucb", [1.3]), ARMS, 40, 6, SEED).replications
    assert numbers(named) == numbers(simulate(UCB(c=1.3), ARMS, 40, 6, SEED).replications)


def test_a_rule_that_wants_no_first_pulls_is_asked_from_the_first_step():
    @index_rule(every_arm_first=False)
    def curious(pulls, means, widths, variances, priors, t, horizon, params, rng, out):
        for i in range(out.size):
            out[i] = 0.0 if pulls[i] > 0.0 else np.inf

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rules, "curious", curious, raising=False)
        patch.setattr(curious.function, "__module__", "bandits.rules")
        patch.setattr(curious.function, "__qualname__", "curious")
        result = simulate(Custom("bandits.rules.curious"), ARMS, 3, 30, SEED)
    assert result.pulls.tolist() == [[1, 1, 1]] * 30


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
