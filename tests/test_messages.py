"""What the program prints is in tests/data/messages.txt, in sentences of at most twenty words."""

from __future__ import annotations

import pytest

from tests.messages import LONGEST, TABLE, is_message, longest_sentence, messages


def test_the_table_has_every_message():
    """A changed message shows up in the diff of the table; python -m tests.messages writes it."""
    assert TABLE.read_text(encoding="utf-8").splitlines() == messages()


def test_no_sentence_is_long():
    long = [line for line in messages() if longest_sentence(line.partition(": ")[2]) > LONGEST]
    assert not long, "\n".join(long)


def test_values_stand_in_braces_and_every_sentence_counts():
    assert "mcts/clocks.py: seconds or cpu_seconds must be given" in messages()
    assert any("{...}" in line for line in messages())
    assert longest_sentence("c must be at least 0; got -1. Leave it out.") == 4


@pytest.mark.parametrize(
    "text",
    [
        "void(int64[::1], int64, uint64[:, ::1], float64, boolean)",
        '<text x="{...}" font-family="DejaVu Sans, Verdana, Arial, sans-serif">',
        "table.sheet td { text-align: right; padding: 0 1em; }",
        "SELECT name, policy, arms, features FROM agents WHERE name = ?",
        "a short label",
    ],
)
def test_code_and_labels_are_no_messages(text: str):
    assert not is_message(text)
