"""Exact values of two games of chance, written as a user would write them: Blackjack, and 2048 on 2x2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mcts import Process, exact_values

pytestmark = [pytest.mark.kernels, pytest.mark.jit]

KNOWN = json.loads((Path(__file__).parents[1] / "data" / "process_values.json").read_text(encoding="utf-8"))

# Blackjack: the cards come one by one, each of 1 to 10 and three pictures of 10 as likely as the others, from a deck
# without end. A state: the phase; own points, whether an ace counts 11, own cards; the same of the dealer; the rules.
FIRST, SECOND, SHOWN, CHOICE, DEALER, OVER = range(6)
PHASE, OWN, SOFT, CARDS, DEALERS, DEALERS_SOFT, DEALERS_CARDS, PAYS = range(8)
PLAIN, SAB, NATURAL = range(3)  # a natural pays 1 like other wins; wins against 21; pays 1.5
STICK, HIT = 0, 1


def blackjack(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    """Deal the next card to whom it goes; the reward is that of a bet of 1."""
    phase = state[PHASE]
    if phase == OVER or (action == HIT and phase != CHOICE):
        return 0
    if phase == CHOICE and action == STICK:
        states[0] = state
        states[0, PHASE] = DEALER
        chances[0], rewards[0] = 1.0, 0.0
        return 1
    dealt = 4 if phase in (SHOWN, DEALER) else 1  # the word of the points that a card adds to
    for card in range(1, 11):
        after = states[card - 1]
        after[:] = state
        chances[card - 1], rewards[card - 1] = (4.0 if card == 10 else 1.0) / 13.0, 0.0
        after[dealt] += card
        after[dealt + 2] += 1
        if card == 1 and after[dealt + 1] == 0 and after[dealt] + 10 <= 21:
            after[dealt] += 10
            after[dealt + 1] = 1
        if after[dealt] > 21 and after[dealt + 1] == 1:
            after[dealt] -= 10
            after[dealt + 1] = 0
        if phase < CHOICE:
            after[PHASE] = phase + 1
        elif after[dealt] > 21:
            after[PHASE] = OVER
            rewards[card - 1] = -1.0 if phase == CHOICE else 1.0
        elif phase == DEALER and after[DEALERS] >= 17:
            after[PHASE] = OVER
            won = 1.0 if after[OWN] > after[DEALERS] else 0.0 if after[OWN] == after[DEALERS] else -1.0
            rewards[card - 1] = won
        if phase == DEALER and after[PHASE] == OVER and after[OWN] == 21 and after[CARDS] == 2:
            has_natural = after[DEALERS] == 21 and after[DEALERS_CARDS] == 2
            if after[PAYS] == SAB and not has_natural:
                rewards[card - 1] = 1.0
            elif after[PAYS] == NATURAL and rewards[card - 1] == 1.0:
                rewards[card - 1] = 1.5
    return 10


@pytest.mark.long
@pytest.mark.parametrize(("rules", "name"), [(PLAIN, "plain"), (SAB, "sab"), (NATURAL, "natural")])
def test_blackjack_has_its_known_values(rules: int, name: str):
    state = np.zeros(8, np.int64)
    state[PAYS] = rules
    values = exact_values(Process(state, 2, 10, blackjack))
    assert values.value == pytest.approx(KNOWN["blackjack"][name], rel=0.0, abs=1e-10)
    # Hard 16 against a 10 is hit, against a 6 it is not; own cards: 3.
    for shown, best in ((10, HIT), (6, STICK)):
        of_actions = values.action_values([CHOICE, 16, 0, 3, shown, 0, 1, rules])
        assert int(np.argmax(of_actions)) == best


# 2048: a state has the exponents of the cells, row by row, tiles still to be placed before the first move, and the
# exponent of the tile that wins, or 0 where points count.
TO_PLACE, GOAL = 4, 5


def slide(state: Any, action: int, states: Any, chances: Any, rewards: Any) -> int:
    """Push all tiles left, right, up or down (0 to 3); a tile of 2, seldom of 4, appears in an empty cell."""
    board, points, has_moved = states[7], 0.0, False
    board[:] = state
    if state[TO_PLACE] > 0:
        if action > 0:
            return 0
        board[TO_PLACE] -= 1
        has_moved = True
    elif state[GOAL] > 0 and state[:4].max() == state[GOAL]:
        return 0
    else:
        for line in range(2):
            near = 2 * line if action < 2 else line
            far = near + (1 if action < 2 else 2)
            if action % 2 == 1:
                near, far = far, near
            if board[far] > 0 and board[near] in (0, board[far]):
                has_moved = True
                if board[near] > 0:
                    points += 2.0 ** (board[far] + 1)
                    board[near] += 1
                else:
                    board[near] = board[far]
                board[far] = 0
    if not has_moved:
        return 0
    if state[GOAL] > 0:
        points = 1.0 if board[:4].max() == state[GOAL] else 0.0
    empty = 0
    for cell in range(4):
        empty += board[cell] == 0
    count = 0
    for cell in range(4):
        if board[cell] == 0:
            for tile in range(1, 3):
                if count < 7:
                    states[count] = board
                states[count, cell] = tile
                chances[count], rewards[count] = (0.9 if tile == 1 else 0.1) / empty, points
                count += 1
    return count


@pytest.mark.parametrize("goal", ["8", "16", "32", "score"])
def test_2048_on_2x2_has_its_known_values(goal: str):
    state = np.zeros(6, np.int64)
    state[TO_PLACE] = 2
    state[GOAL] = 0 if goal == "score" else int(goal).bit_length() - 1
    found = exact_values(Process(state, 4, 8, slide)).value
    assert found == pytest.approx(KNOWN["2048 on 2x2"][goal], rel=0.0, abs=1e-10 * max(1.0, KNOWN["2048 on 2x2"][goal]))
