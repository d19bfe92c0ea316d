"""A search in a notebook: its board, its moves in a table with bars, and best play."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from numerics.output.notebook import bar, paragraph, table

_MOST_ROWS = 20  # a table shows at most this many moves, the most visited
_LINE = 12  # most moves of best play


class Searched(Protocol):
    """The result to show: a `mcts.SearchResult`."""

    @property
    def simulations(self) -> int: ...  # noqa: D102
    @property
    def moves(self) -> npt.NDArray[np.int64]: ...  # noqa: D102
    @property
    def visits(self) -> npt.NDArray[np.int64]: ...  # noqa: D102
    @property
    def values(self) -> npt.NDArray[np.float64]: ...  # noqa: D102
    @property
    def outcomes(self) -> list[str]: ...  # noqa: D102
    @property
    def value(self) -> float: ...  # noqa: D102
    @property
    def best_move(self) -> int: ...  # noqa: D102
    @property
    def principal_variation(self) -> list[int]: ...  # noqa: D102
    @property
    def board(self) -> object: ...  # noqa: D102


def html_of(result: Searched) -> str:
    """Return the board, if it has an HTML view, and a table of the moves, with sentences above and below it."""
    moves, visits, values, outcomes = result.moves, result.visits, result.values, result.outcomes
    if not visits.sum():
        return paragraph("no visits")
    order = np.sort(np.argsort(-visits, kind="stable")[:_MOST_ROWS])
    proven = any(outcomes)
    rows = []
    for row in order:
        share = visits[row] / visits.sum()
        mean = "" if np.isnan(values[row]) else f"{values[row]:.3f}"
        cells = [str(moves[row]), f"{visits[row]:,}", bar(share), f"{100.0 * share:.1f} %", mean]
        rows.append([*cells, outcomes[row]] if proven else cells)
    best = result.best_move
    line = result.principal_variation
    play = ", ".join(map(str, line[:_LINE])) + (", ..." if len(line) > _LINE else "")
    bold = moves[order].tolist().index(best) if best in moves[order] else None
    heads = ["move", "visits", "", "share", "value", *(["proven"] if proven else [])]
    more = f"; the {len(order)} most visited of {len(moves)} moves" if len(order) < len(moves) else ""
    picture = getattr(result.board, "_repr_html_", str)()
    return (
        picture
        + paragraph(f"best move {best}, value {result.value:.2f}: {result.simulations:,} simulations{more}")
        + table(heads, rows, bold)
        + paragraph(f"best play: {play}; moves as Python counts them, from 0; values for the side to move")
    )
