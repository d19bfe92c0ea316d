"""Moves without a text of their own, or with the same text: a stored game is the one that was played."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.internals import GAMES, CustomRules, Person, judge_game, rules_game, words_of

HERE = "tests.experiments.test_words_of_moves"


@dataclass(frozen=True, repr=False)
class Taken:
    """A move that says nothing of itself."""

    count: int


class Named(Taken):
    """All are called the same."""

    def __repr__(self):
        return "take"


class Sticks:
    """Take one to three; whoever takes the last wins."""

    kind = Taken

    def __init__(self, left=10, mover=0):
        self.left, self.mover = left, mover

    def moves(self):
        return [self.kind(count) for count in (1, 2, 3)][: self.left]

    def play(self, move):
        return type(self)(self.left - move.count, 1 - self.mover)

    def player(self):
        return self.mover

    def result(self):
        return None if self.left else (-1, 1) if self.mover == 0 else (1, -1)

    def scores(self):
        return [1 if (self.left - move.count) % 4 == 0 else -1 for move in self.moves()]

    def __str__(self):
        return "|" * self.left


class Same(Sticks):
    kind = Named


class Mixed(Sticks):
    """Texts that coincide once they are words."""

    class Count(str):
        """One of three texts."""

        @property
        def count(self):
            return {"a b": 1, "a_b": 2, "c": 3}[self]

    def moves(self):
        return [self.Count(text) for text in ("a b", "a_b", "c")][: self.left]


KINDS = ["Sticks", "Same", "Mixed"]


@given(st.lists(st.one_of(st.integers(0, 3), st.sampled_from(["1", "a b", "a_b", "1#1", "1#2", "x"])), max_size=6))
def test_words_of_different_moves_differ(moves: list[Any]) -> None:
    words = words_of(moves)
    assert len(set(words)) == len(words) == len(moves)
    assert not any(" " in word for word in words)
    plain = words_of(list(range(len(moves))))
    assert plain == [str(number) for number in range(len(moves))], "texts that differ are the words"


def best(position):
    return position.moves()[position.scores().index(max(position.scores()))]


def last(position):
    return position.moves()[-1]


@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_game_is_replayed_and_judged_as_it_was_played(kind: str) -> None:
    rules = GAMES.of(f"{HERE}.{kind}")
    assert isinstance(rules, CustomRules)
    for opening in ((), (1,), (2, 0)):
        record = rules.play(best, last, opening, seed=0)
        text = rules.write(record)
        assert "0x" not in text
        again = list(rules.replayed(text, 0))
        taken = [move.count for move in record.moves]
        assert [move.position.left for move in again] == [10 - sum(taken[:at]) for at in range(len(taken) + 1)]
        assert text.startswith(rules.write_opening(opening))
        row = {"game": 0, "player1": "best", "player2": "last", "first_player": 1, "moves": text, "seed": 0}
        row |= {"opening": rules.write_opening(opening), "result": record.result, "ending": record.ending}
        judged, _ = judge_game(row, rules, 1.0)
        assert all(one["keeps_value"] for one in judged if one["player"] == "best"), "the best player never blunders"
        page = rules_game(rules, [("best", best), ("last", last)], rules.write_opening(opening), 0, "")
        assert "0x" not in repr(page)


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_may_type_each_of_the_moves(kind: str) -> None:
    position = globals()[kind]()
    for move, word in zip(position.moves(), words_of(position.moves()), strict=True):
        sink = StringIO()
        assert Person(StringIO(f"{word}\n"), sink).play(position).count == move.count
        assert f"moves: {', '.join(words_of(position.moves()))}" in sink.getvalue()
