"""Rewards that chance brings count with the move before: all kinds of positions agree with the process of a table."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from mcts import exact_values, search
from mcts.policy import IN_A_TREE
from tests.internals import Search as Reference
from tests.internals import process_of
from tests.refusals import refused

gymnasium: Any = pytest.importorskip("gymnasium", reason="gymnasium is not installed")

Table = dict[int, dict[int, list[tuple[float, int, float, bool]]]]
STATES, ACTIONS, END = 6, 3, 6


def a_table(seed: int) -> Table:
    """Return three actions at first, and then one by three names; rewards are of chance."""
    rng = random.Random(seed)

    def row() -> list[tuple[float, int, float, bool]]:
        after = [rng.randint(1, END) for _ in range(2)]
        chance = rng.choice((0.2, 0.5))
        rewards = [rng.choice((-1.0, 0.0, 1.0, 2.0)) for _ in after]
        return list(zip((chance, 1.0 - chance), after, rewards, (there == END for there in after), strict=True))

    table: Table = {0: {action: row() for action in range(ACTIONS)}}
    for state in range(1, END + 1):
        table[state] = dict.fromkeys(range(ACTIONS), row())
    return table


class Tabular(gymnasium.Env[int, int]):  # type: ignore[misc]
    """An environment of a table."""

    action_space = gymnasium.spaces.Discrete(ACTIONS)
    observation_space = gymnasium.spaces.Discrete(STATES + 1)

    def __init__(self, table: Table):
        self.P = table

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.s = 0
        return 0, {}

    def step(self, action: int) -> Any:
        chances, after, rewards, ended = zip(*self.P[self.s][action], strict=True)
        i = int(self.np_random.random() >= chances[0])
        self.s = after[i]
        return self.s, rewards[i], ended[i], False, {}


class Untold(Tabular):
    """One that does not show its table."""

    def __init__(self, table: Table):
        self.table = table

    def step(self, action: int) -> Any:
        self.P = self.table
        answer = super().step(action)
        del self.P
        return answer


class Own:
    """A class with chance, whose rewards chance brings."""

    def __init__(self, table: Table, state: int = 0, action: int | None = None):
        self.table, self.state, self.action = table, state, action

    def moves(self) -> list[int]:
        return list(range(ACTIONS))

    def play(self, move: int) -> Any:
        return type(self)(self.table, self.state, move)

    def player(self) -> int | str:
        return 0 if self.action is None else "chance"

    def result(self) -> Any:
        return (0.0,) if self.state == END and self.action is None else None

    def chance(self) -> Any:
        assert self.action is not None
        return [(p, type(self)(self.table, s), [r]) for p, s, r, _ in self.table[self.state][self.action]]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Own) and (self.state, self.action) == (other.state, other.action)

    def __hash__(self) -> int:
        return hash((self.state, self.action))


class Drawn(Own):
    """The same by `sample`."""

    chance = property()  # which has no getter: the attribute is missing

    def sample(self, rng: random.Random) -> Any:
        outcomes = Own.chance(self)
        _, after, rewards = outcomes[int(rng.random() >= outcomes[0][0])]
        return after, rewards


def problem(form: str, table: Table) -> Any:
    env = {"table": Tabular, "copies": Untold, "chance": Own, "sample": Drawn}[form](table)
    if form in ("table", "copies"):
        env.reset(seed=0)
    return env


@pytest.mark.parametrize(
    ("form", "discount"),
    [("table", 0.5), ("chance", 1.0), ("sample", 0.9), pytest.param("copies", 0.9, marks=pytest.mark.long)],
)
def test_a_search_has_the_values_of_the_process_for_any_discount_and_steps(form: str, discount: float):
    for seed, steps in enumerate((1, 2, 5)):
        table = a_table(seed)
        exact = exact_values(process_of(problem("table", table), discount), steps=steps).action_values()
        found = search(problem(form, table), {"name": "ucb", "c": 30.0}, 400, discount=discount, steps=steps, seed=seed)
        assert found.visits.min() > 60
        sizes = [max(abs(reward - exact[a]) for _, _, reward, _ in table[0][a]) + steps for a in range(ACTIONS)]
        assert (np.abs(found.values - exact) <= 3.0 * np.array(sizes) / np.sqrt(found.visits)).all()


def test_the_reference_counts_rewards_of_chance_as_the_search_does():
    for seed in range(3):
        policy = IN_A_TREE.of("ucb", "policy")
        root = Reference(Own(a_table(seed)), policy, 300, seed, discount=0.8).run()
        found = search(Own(a_table(seed)), "ucb", 300, discount=0.8, seed=seed)
        moves = {move.move: (move.visits, move.value) for move in root.moves}
        assert [moves[move][0] for move in found.moves] == found.visits.tolist()
        np.testing.assert_allclose([moves[move][1] for move in found.moves], found.values, rtol=0.0, atol=1e-12)


BAD_ROWS: list[Any] = [
    *([(chance, END, 0.0, True)] for chance in (0.9, float("nan"), "1")),
    *([(1.0, after, 0.0, False)] for after in (99, "x")),
    *([(1.0, END, reward, True)] for reward in (None, float("inf"), np.zeros(2))),
    *([], [(1.0, END, 0.0)], None, [(1.0, END, 0.0, 2)]),
]


def test_a_table_that_breaks_its_form_is_refused():
    for row in BAD_ROWS:
        env = Tabular({**a_table(0), 2: dict.fromkeys(range(ACTIONS), row)})
        env.reset(seed=0)
        for use in (search, process_of):
            refused(lambda env=env, use=use: use(env), "P of Tabular", "(probability, state, reward, ended)")  # type: ignore[misc]
    env.P = {}
    refused(lambda: process_of(env), "P of Tabular", "empty")


class Answering(Untold):
    """One whose steps answer what a test says."""

    answer: Any = None

    def step(self, action: int) -> Any:
        return self.answer


def test_a_step_that_breaks_its_form_is_refused():
    rewards = [(0, reward, True, False, {}) for reward in (None, np.zeros(2), np.nan, "1")]
    for answer in [5, (0, 0.0, True, False), (0, 0.0, None, False, {}), *rewards]:
        env = Answering({})
        env.reset(seed=0)
        env.answer = answer
        refused(lambda env=env: search(env, simulations=5), "step(0) of Answering", "reward")  # type: ignore[misc]


@pytest.mark.parametrize("name", ["CliffWalking-v1", "Taxi-v4"])
def test_masked_actions_are_no_moves(name: str):
    env, rng = gymnasium.make(name), np.random.default_rng(1)
    _, info = env.reset(seed=1)
    for _ in range(6):
        mask = info.get("action_mask", np.ones(env.action_space.n))
        allowed = np.flatnonzero(mask).tolist()
        assert search(env, simulations=30).moves == allowed
        assert np.flatnonzero(~np.isnan(exact_values(process_of(env, 0.5)).action_values())).tolist() == allowed
        _, _, over, _, info = env.step(int(rng.choice(allowed)))
        if over:
            _, info = env.reset()


class Masked(Untold):
    """One that allows the actions by which its state is divided, and says so after each step."""

    def step(self, action: int) -> Any:
        assert self.s == 0 or action in self.allowed
        seen, reward, ended, cut, _ = super().step(action)
        self.allowed = [action for action in range(ACTIONS) if seen % (action + 1) == 0]
        return seen, reward, ended, cut, {"action_mask": [action in self.allowed for action in range(ACTIONS)]}


def test_masks_of_steps_hold_in_the_tree_and_in_playouts():
    for seed in range(3):
        env = Masked(a_table(seed))
        env.reset(seed=seed)
        assert search(env, simulations=40).visits.sum() == 40
