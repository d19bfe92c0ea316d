"""Moves without a text of their own, or with the same text: a stored game is the one that was played."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.experiments.own_games import Nim
from tests.internals import GAMES, CustomRules, Person, judge_game, rules_game, words_of

HERE = "tests.experiments.test_words_of_moves"


class Taken:
    """A move that says nothing of itself."""

    def __init__(self, count: int):
        self.count = count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Taken) and self.count == other.count

    def __hash__(self) -> int:
        return hash(self.count)


class Named(Taken):
    """All are called the same."""

    def __repr__(self) -> str:
        return "take"


class Sticks:
    """Take one to three; whoever takes the last wins."""

    kind: type[Taken] = Taken

    def __init__(self, left: int = 10, mover: int = 0):
        self.left, self.mover = left, mover

    def moves(self) -> list[Any]:
        return [self.kind(count) for count in (1, 2, 3) if count <= self.left]

    def play(self, move: Any) -> Sticks:
        return type(self)(self.left - move.count, 1 - self.mover)

    def player(self) -> int:
        return self.mover

    def result(self) -> tuple[int, int] | None:
        return None if self.left else (-1, 1) if self.mover == 0 else (1, -1)

    def scores(self) -> list[int]:
        return [1 if (self.left - move.count) % 4 == 0 else -1 for move in self.moves()]

    def __str__(self) -> str:
        return "|" * self.left


class Same(Sticks):
    kind = Named


class Mixed(Sticks):
    """Texts that coincide once they are words, and a number beside its text."""

    class Count(str):
        """One of three texts."""

        @property
        def count(self) -> int:  # type: ignore[override]
            return {"a b": 1, "a_b": 2, "c": 3}[self]

    def moves(self) -> list[Any]:
        return [self.Count(text) for text in ("a b", "a_b", "c")][: self.left]


KINDS = ["Sticks", "Same", "Mixed"]


@given(st.lists(st.one_of(st.integers(0, 3), st.sampled_from(["1", "a b", "a_b", "1#1", "1#2", "x"])), max_size=6))
def test_words_of_different_moves_differ(moves: list[Any]) -> None:
    words = words_of(moves)
    assert len(set(words)) == len(words) == len(moves)
    assert not any(" " in word for word in words)
    plain = words_of(list(range(len(moves))))
    assert plain == [str(number) for number in range(len(moves))], "texts that differ are the words"


@pytest.mark.parametrize("kind", KINDS)
def test_a_stored_game_is_replayed_and_judged_as_it_was_played(kind: str) -> None:
    rules = GAMES.of(f"{HERE}.{kind}")
    assert isinstance(rules, CustomRules)
    for opening in ((), (1,), (2, 0)):
        best = lambda position: position.moves()[position.scores().index(max(position.scores()))]  # noqa: E731
        last = lambda position: position.moves()[-1]  # noqa: E731
        record = rules.play(best, last, opening, seed=0)
        text = rules.write(record)
        assert "0x" not in text
        again = list(rules.replayed(text, 0))
        assert [move.position.left for move in again] == lefts_of(record)
        assert text.startswith(rules.write_opening(opening))
        row = {
            "game": 0,
            "player1": "best",
            "player2": "last",
            "first_player": 1,
            "moves": text,
            "opening": rules.write_opening(opening),
            "seed": 0,
            "result": record.result,
            "ending": record.ending,
        }
        judged, _ = judge_game(row, rules, 1.0)
        assert all(one["keeps_value"] for one in judged if one["player"] == "best"), "the best player never blunders"
        page = rules_game(rules, [("best", best), ("last", last)], rules.write_opening(opening), 0, "")
        assert page == rules_game(rules, [("best", best), ("last", last)], rules.write_opening(opening), 0, "")
        assert "0x" not in repr(page)


def lefts_of(record: Any) -> list[int]:
    """The sticks before each move and at the end."""
    lefts = [10]
    for move in record.moves:
        lefts.append(lefts[-1] - move.count)
    return lefts


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_may_type_each_of_the_moves(kind: str) -> None:
    position = globals()[kind]()
    for move, word in zip(position.moves(), words_of(position.moves()), strict=True):
        sink = StringIO()
        assert Person(StringIO(f"{word}\n"), sink).play(position).count == move.count
        assert f"moves: {', '.join(words_of(position.moves()))}" in sink.getvalue()


def test_moves_with_texts_are_written_as_they_are() -> None:
    assert words_of(Nim((1, 2)).moves()) == ["(0,1)", "(1,1)", "(1,2)"]
