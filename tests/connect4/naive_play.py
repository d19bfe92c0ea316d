"""Naive twins of the playouts: columns as lists of stones, every cell looked at after every move, no kernel called."""

from __future__ import annotations

from tests.connect4.naive_search import Columns, after_moves, has_row
from tests.naive import Xoshiro


def choices(columns: Columns, height: int, connect: int, player: int, biased: bool) -> tuple[str, list[int]]:
    """The columns among which chance decides: all open ones; biased: those that win, else those that block a win."""
    for kind, side in (("win", player), ("block", -player)) if biased else ():
        if found := [number for number, then in after_moves(columns, height, side) if has_row(then, connect, side)]:
            return kind, found
    return "any", [number for number, _ in after_moves(columns, height, player)]


def playout(columns: Columns, height: int, connect: int, player: int, rng: Xoshiro, biased: bool) -> float:
    """Play to the end; what the side to move got. Each word of the stream names a column, until one is a choice."""
    kind, chosen = choices(columns, height, connect, player, biased)
    if kind == "win":
        return 1.0
    column = chosen[0] if kind == "block" and len(chosen) == 1 else -1  # no chance, no word
    while column not in chosen:
        column = (rng.word() >> 32) * len(columns) >> 32
    then = dict(after_moves(columns, height, player))[column]
    if has_row(then, connect, player):
        return 1.0
    if all(len(stones) == height for stones in then):
        return 0.5
    return 1.0 - playout(then, height, connect, -player, rng, biased)
