"""Short labels of players: what differs from the defaults, no two alike, and tables that keep the full names."""

from __future__ import annotations

import pandas as pd
import pytest

from experiments.players import make_player
from experiments.players.labels import short_columns, short_labels

LABELS = [
    ("minimax", {"depth": 5, "ties": "centre"}, "minimax depth=5 ties=centre"),
    ("uct", {"simulations": 1000, "c": 0.7, "solve": True}, "uct simulations=1000 c=0.7 solve"),
    ("uct", {"seconds": 0.01, "policy": "thompson"}, "uct 0.01 s thompson"),
    ("uct", {"simulations": 100, "policy": {"name": "kl_ucb", "c": 3}}, "uct simulations=100 {name: kl_ucb, c: 3}"),
    ("monte_carlo", {}, "monte_carlo"),
    ("custom", {"path": "tests.connect4.my_players.Wanderer"}, "custom Wanderer"),
]


@pytest.mark.parametrize(("kind", "parameters", "label"), LABELS, ids=[label for _, _, label in LABELS])
def test_a_label_has_what_differs_from_the_defaults(kind, parameters, label):
    name = str(make_player(kind, **parameters))
    assert short_labels([name]) == {name: label}


def test_two_players_never_share_a_label():
    names = [
        "custom path=a.Corner",
        "custom path=b.Corner",  # the same last part
        "uct simulations=100",
        "uct n=100",
        "minimax depth=2 (1)",
        "minimax depth=2 (2)",
    ]
    labels = short_labels(names)
    assert len(set(labels.values())) == len(names)
    assert labels["uct n=100"] == "uct n=100"
    assert labels["minimax depth=2 (2)"] == "minimax depth=2 (2)"


@pytest.mark.parametrize("own", ["my (best) one", "f(x, y)", "a(b=1", "", "uct (old)", "50 % (half)", "a=b(c"])
def test_a_label_of_a_users_own_stays(own):
    assert short_labels([own]) == {own: own}


def test_columns_of_one_table_share_their_labels():
    table = pd.DataFrame({"player": ["custom path=a.P"], "opponent": ["custom path=b.P"], "games": [2]})
    assert short_columns(table, "player", "opponent").equals(table)  # the last parts alone would be alike
    assert short_columns(table, "player")["player"].tolist() == ["custom P"]
