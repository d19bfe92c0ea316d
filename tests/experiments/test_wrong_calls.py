"""Wrong Python calls of the search, the solver and the experiments name the argument and what it takes."""

from __future__ import annotations

import numpy as np
import pytest

from connect4 import Board, analyse
from experiments import record_bandit, record_search, sheets
from mcts import Search, search

CALLS = [
    (lambda: Search(Board(), simulations="100"), "simulations must be a whole number of at least 1; got '100'"),
    (
        lambda: Search(Board(), simulations=10**400),
        "simulations must be a whole number of at most 1000000000000; got a",
    ),
    (lambda: search(Board(), simulations=9, workers=np.array([1, 2])), "workers must be a whole number from 1 to 1024"),
    (lambda: analyse(Board(), 3), "solver must be a Solver, such as Solver(7, 6); got 3"),
    (
        lambda: record_search("44", None),
        "rules must be one or two rules, such as 'ucb' or ['ucb', 'thompson']",
    ),
    (lambda: record_bandit([0.1, 0.5], 3), "rules must be one or two rules"),
    (lambda: record_bandit([0.1, 0.5], "ucb", 9, 1.5), "seed must be a whole number of at least 0; got 1.5"),
    (lambda: record_bandit([0.1, 0.5], "ucb", 9, True), "seed must be a whole number of at least 0; got True"),
    (lambda: sheets(3), "folder must be a path, such as 'results/regret/latest'; got 3"),
]


@pytest.mark.parametrize(("call", "sentence"), CALLS, ids=[sentence for _, sentence in CALLS])
def test_a_wrong_call_is_one_sentence(call, sentence):
    with pytest.raises(ValueError, match=r"\w") as caught:
        call()
    assert str(caught.value).startswith(sentence)
