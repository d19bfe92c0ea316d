"""Files of a user's with odd contents: each is played, or refused in one sentence."""

from __future__ import annotations

import logging
import sys
import textwrap

import pytest

from bandits import Custom, simulate
from numerics.importing import import_named
from numerics.places import failure
from tests.internals import CannotCompile, digests
from tests.refusals import refused

EXAMPLE = "my_rules.my_index"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a function that writes a module and returns its name."""
    monkeypatch.syspath_prepend(str(tmp_path))
    made = []

    def write(text: str) -> str:
        name = f"odd_module_{len(made)}"
        (tmp_path / f"{name}.py").write_text(textwrap.dedent(text), encoding="utf-8")
        made.append(name)
        return name

    yield write
    for name in made:
        sys.modules.pop(name, None)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("class Mine(BaseException): pass\nraise Mine('stop')", "Mine: stop ({name}.py,"),
        ("rule = None", "is None"),
        ("import math\nx = 1\0\n", "null bytes"),
    ],
    ids=["any exception", "None", "a nul"],
)
def test_a_module_of_odd_contents_is_refused(module, text, fact):
    name = module(text)
    refused(lambda: import_named("rule", f"{name}.rule", EXAMPLE), f"rule '{name}.rule'", fact.format(name=name))


def test_ctrl_c_while_a_module_is_imported_is_no_mistake_of_the_module(module):
    with pytest.raises(KeyboardInterrupt):
        import_named("rule", f"{module('raise KeyboardInterrupt')}.rule", EXAMPLE)


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
    rule = import_named("rule", f"{name}.rule", EXAMPLE)
    assert digests([rule.function]) == digests([sys.modules[name].__file__])


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
