"""Exact values of small random processes with slow and fast parts, traps and loops, against rationals."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mcts import Process, exact_values
from tests.refusals import refused

STATES, ACTIONS, OUTCOMES = 5, 2, 2
COUNT = 24  # processes of a test
Row = list[tuple[Any, int, Any]]  # chance, state and reward of each outcome; none of an action that is none
Table = list[list[Row]]
Values = list[Fraction]


def process_of(table: Table, discount: float = 1.0, start: int = 0, **more: Any) -> Process:
    """Return a table as a process, whose states carry it: one hook does for all tables."""
    words = [start, start % 2]  # the state, and who moves there, of two players
    for rows in table:
        for row in rows + [[]] * (ACTIONS - len(rows)):
            padded = row + [(Fraction(0), 0, Fraction(0))] * (OUTCOMES - len(row))
            words += [len(row), *(int(n) for p, s, r in padded for n in (p * 2**40, s, r))]
    return Process(np.array(words), ACTIONS, OUTCOMES, outcomes, discount, **more)


def outcomes(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    first = 2 + (state[0] * ACTIONS + action) * (1 + 3 * OUTCOMES)
    for i in range(state[first]):
        states[i] = state
        chances[i] = state[first + 1 + 3 * i] / 2.0**40
        states[i, 0] = state[first + 2 + 3 * i]
        states[i, 1] = states[i, 0] % 2
        rewards[i] = state[first + 3 + 3 * i]
    return state[first]  # type: ignore[no-any-return]


def a_table(rng: random.Random, *, signs: tuple[int, ...] = (-1, 0, 1), is_certain: bool = False) -> Table:
    """Return a process whose last state is the end; some outcomes are rare, and some lead back at once."""
    table: Table = []
    for state in range(STATES - 1):
        rows: list[Row] = []
        for _ in range(rng.randint(1, ACTIONS)):
            kind, rare = rng.random(), Fraction(1, 2 ** rng.choice((1, 2, 10, 18)))
            first, second = rng.randrange(STATES), rng.randrange(STATES)
            first = state if kind < 0.3 else first
            reward, other = (Fraction(rng.choice(signs) * rng.choice((1, 3, 50))) for _ in range(2))
            rows.append(
                [(Fraction(1), second, reward)] if is_certain else [(1 - rare, first, reward), (rare, second, other)]
            )
        table.append(rows)
    return [*table, []]


def reached(table: Table) -> set[int]:
    """Return the states that the first one leads to."""
    found, waiting = {0}, [0]
    while waiting:
        after = {t for row in table[waiting.pop()] for p, t, _ in row if p} - found
        found |= after
        waiting += after
    return found


def solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Return the solution of a linear system in rationals."""
    rows = [[*row, number] for row, number in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = next(k for k in range(i, len(rows)) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [number / rows[i][i] for number in rows[i]]
        for k in range(len(rows)):
            if k != i and rows[k][i]:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def reward_of(row: Row) -> Fraction:
    return sum((p * r for p, _, r in row), Fraction(0))


def worth(table: Table, chosen: tuple[int, ...], discount: Fraction) -> tuple[list[Fraction | None], list[float]]:
    """Return what a policy is worth in each state, None where it is paid for ever, and the most it has been paid there.

    The most is infinite where the mean reward of a step is above 0, and the highest expected sum where it is 0.
    """
    rows = [table[s][a] if table[s] else [] for s, a in enumerate(chosen)]
    reach = [{s} for s in range(STATES)]
    for _ in range(STATES):
        reach = [known.union(*({t for p, t, _ in rows[u] if p} for u in known)) for known in reach]
    stays = [discount == 1 and all(s in reach[t] for t in reach[s]) for s in range(STATES)]
    paid = [stays[s] and any(reward_of(rows[t]) for t in reach[s]) for s in range(STATES)]
    known = [s for s in range(STATES) if not any(paid[t] for t in reach[s])]
    moving = [s for s in known if not stays[s]]
    matrix = [[(s == t) - discount * sum(p for p, u, _ in rows[s] if u == t) for t in moving] for s in moving]
    numbers = dict(zip(moving, solved(matrix, [reward_of(rows[s]) for s in moving]), strict=True))
    most = [-np.inf] * STATES
    for s in (s for s in range(STATES) if paid[s]):
        inside = sorted(reach[s])
        flows = [[(t == u) - sum(p for p, v, _ in rows[t] if v == u) for t in inside] for u in inside]
        law = solved([*flows[:-1], [Fraction(1)] * len(inside)], [Fraction(0)] * (len(inside) - 1) + [Fraction(1)])
        mean = sum(share * reward_of(rows[t]) for share, t in zip(law, inside, strict=True))
        most[s] = np.inf if mean > 0 else -np.inf if mean < 0 else max(sums_of(rows, s))
    return [numbers.get(s, Fraction(0)) if s in known else None for s in range(STATES)], most


def sums_of(rows: list[Row], start: int) -> list[float]:
    """Return the expected sums of the rewards of the first steps."""
    at, total, sums = np.eye(STATES)[start], 0.0, list[float]()
    for _ in range(40):
        total += sum(at[s] * float(reward_of(row)) for s, row in enumerate(rows))
        sums.append(total)
        at = sum(
            (at[s] * float(p) * np.eye(STATES)[t] for s, row in enumerate(rows) for p, t, _ in row), np.zeros(STATES)
        )
    return sums


def best(table: Table, discount: Fraction) -> list[Fraction] | None:
    """Return the highest values of all policies; None where one state has none, or is paid more for ever."""
    policies = [
        worth(table, chosen, discount) for chosen in itertools.product(*(range(len(rows) or 1) for rows in table))
    ]
    found = []
    for s in range(STATES):
        values = [value for values, _ in policies if (value := values[s]) is not None]
        if not values or max(values) < max(most[s] for _, most in policies):
            return None
        found.append(max(values))
    return found


def check(table: Table, discount: Fraction) -> str:
    """Compare the values with the highest of all policies; return "known", "none" or "too slow"."""
    there = reached(table)
    table = [rows if s in there else [] for s, rows in enumerate(table)]
    known, process = best(table, discount), process_of(table, float(discount))
    if known is None:
        refused(lambda: exact_values(process), "process", "discount")
        return "none"
    try:
        values = exact_values(process)
    except ValueError as error:  # rewards that cancel out in a loop, a million times
        assert "above 1e-10" in str(error)  # noqa: PT017
        return "too slow"
    largest = max(abs(n) for n in [*known, *(r for rows in table for row in rows for _, _, r in row)])
    for s in there:
        found = Fraction(values.of([s, s % 2, *process.state[2:]]))
        assert abs(found - known[s]) <= Fraction(1, 10**10) * largest, (s, float(found), float(known[s]), table)
    return "known"


SIGNS = [(1,), (-1,), (0, 1), (0, -1), (-1, 0, 1)]


@pytest.mark.parametrize("discount", [Fraction(1), Fraction(1, 2), 1 - Fraction(1, 2**24)])
def test_values_are_the_highest_of_all_policies(discount: Fraction) -> None:
    rng = random.Random(1)
    found = Counter(check(a_table(rng, signs=rng.choice(SIGNS)), discount) for _ in range(COUNT))
    assert found["known"] >= (COUNT // 4 if discount == 1 else COUNT - COUNT // 50)
    assert found["too slow"] <= COUNT // 50


def test_loops_of_certain_rewards_have_a_value_where_leaving_them_is_best() -> None:
    rng = random.Random(2)
    found = Counter(check(a_table(rng, signs=(-1, 1), is_certain=True), Fraction(1)) for _ in range(COUNT))
    assert found["known"] >= COUNT // 10
    assert found["known"] + found["none"] == COUNT


@pytest.mark.parametrize("discount", [Fraction(1, 2), 1 - Fraction(1, 2**14)])
def test_values_of_two_players_are_those_of_their_best_answers(discount: Fraction) -> None:
    rng = random.Random(3)
    for _ in range(COUNT // 2):
        table = a_table(rng)
        process, known = process_of(table, float(discount), to_move=1), dict[tuple[int, ...], Values]()
        choices = [range(len(rows) or 1) for rows in table]
        for chosen in itertools.product(*choices):
            known[chosen] = [value or Fraction(0) for value in worth(table, chosen, discount)[0]]
        values = exact_values(process)
        for s in reached(table):
            answers: dict[tuple[int, ...], list[Fraction]] = {}
            for chosen, worths in known.items():
                answers.setdefault(chosen[::2], []).append(worths[s])
            best = max(map(min, answers.values()))
            found = Fraction(values.of([s, s % 2, *process.state[2:]]))
            assert abs(found - best) <= Fraction(1, 10**10) * max(Fraction(50), abs(best))


@pytest.mark.parametrize("places", [20, 300])
def test_a_fair_walk_ends_on_either_side_as_often(places: int) -> None:
    half = Fraction(1, 2)
    walk: Table = [[[(half, n - 1, 0), (half, n + 1, int(n + 1 == places))]] for n in range(1, places)]
    values = exact_values(process_of([[], *walk, []], start=places // 2))
    known = values.states[:, 0] / places
    np.testing.assert_allclose(values.values, np.where(known == 1.0, 0.0, known), rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("digits", [3, 13, 30])
def test_a_rare_prize_and_a_discount_near_1_have_their_values(digits: int) -> None:
    rare = Fraction(1, 2**digits)
    wait = exact_values(process_of([[[(1 - rare, 0, 0), (rare, 1, 1)]], []]))
    assert wait.value == pytest.approx(1.0, rel=1e-10)
    forever = exact_values(process_of([[[(Fraction(1), 0, 1)]]], float(1 - rare)))
    assert forever.value == pytest.approx(2.0**digits, rel=1e-10)


def test_a_slow_part_is_as_exact_as_a_fast_one_beside_it() -> None:
    rare, half = Fraction(1, 2**20), Fraction(1, 2)
    fast, slow = [(1 - half, 0, 2**40), (half, 2, 2**40)], [(1 - rare, 1, 1), (rare, 2, 1)]
    table: Table = [[fast], [slow], [], [[(half, 0, 0), (half, 1, 0)]]]
    process = process_of(table, start=3)
    values, there = exact_values(process), process.state[2:].tolist()
    assert values.of([1, 1, *there]) == pytest.approx(2.0**20, rel=1e-9)
    assert values.of([0, 0, *there]) == pytest.approx(2.0**41, rel=1e-10)


def test_a_refusal_says_what_goes_on_for_ever() -> None:
    for can_leave, sign, fact in [(0, 0, "go on"), (0, 1, "go on"), (1, 0, "infinity"), (1, 1, "no sum")]:
        stays = [[(Fraction(1), 1 - state, 1 - 2 * state * sign)] for state in range(2)]
        leaves: list[Row] = [[(Fraction(1), 2, -10)]] * can_leave
        table: Table = [*([one, *leaves] for one in stays), []]
        refused(lambda table=table: exact_values(process_of(table)), "process", "from state", fact)  # type: ignore[misc]
