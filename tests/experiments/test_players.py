"""Every player by its name: `make_player`, and the help in `configs/player`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from experiments.players import PLAYERS, make_player
from numerics.parameters import parameters
from tests.internals import PLAYER, preset, text_of

ROOT = Path(__file__).resolve().parents[2]
NEEDED: dict[str, dict[str, Any]] = {
    "custom": {"path": "tests.connect4.my_players.leftmost"},
    "kaggle": {"file": str(ROOT / "tests" / "connect4" / "my_submission.py")},
    "pettingzoo": {"agent": "tests.connect4.my_agents.leftmost"},
    "program": {"command": "cat"},
}
every_kind = pytest.mark.parametrize("kind", sorted(PLAYERS.members))


@every_kind
def test_the_comments_of_a_preset_are_the_help_of_the_parameters(kind: str):
    declared = [one for one in parameters(PLAYERS.members[kind]) if one.name != "seed"]  # which a run gives
    comments = [line.partition("  # ")[2].strip() for line in text_of("player", kind).splitlines()[3:]]
    assert comments == [one.metadata["range"].help for one in declared]


@every_kind
def test_the_values_of_a_configuration_make_the_player_by_default(kind: str):
    made = PLAYER.build(preset("player", kind) | NEEDED.get(kind, {}), "player").player(seed=3)
    assert (type(made), made.seed) == (PLAYERS.members[kind], 3)
    assert str(made) == str(make_player(kind, **NEEDED.get(kind, {})))


@pytest.mark.parametrize(
    ("player", "expected"),
    [
        ("monte_carlo", "monte_carlo simulations=1000"),
        ("biased_monte_carlo", "biased_monte_carlo playouts_per_move=100"),
        ("minimax ties=left", "minimax depth=4 ties=left"),
        ("uct c=0.5", "uct simulations=1000 c=0.5"),
        ("uct seconds=0.1", "uct seconds=0.1"),
        ("uct cpu_seconds=0.5 c=2", "uct cpu_seconds=0.5 c=2"),
        ("lookahead", "lookahead ply=2"),
        ("perfect", "perfect"),
        ("random", "random"),
    ],
)
def test_a_budget_is_said_also_where_it_is_the_default(player: str, expected: str):
    spec = PLAYER.build(player, "player")
    assert (spec.label, spec.name_with_budget) == (expected, expected)
