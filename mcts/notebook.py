"""What a search shows of itself in a notebook: its board, its moves in a table with bars, and best play."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from numerics.output.notebook import bar, paragraph, table

_MOST_ROWS = 20  # of moves; the most visited ones, where a position has more
_LINE = 12  # moves of best play


class Searched(Protocol):
    """What is shown: a `mcts.SearchResult`."""

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


def html_of(found: Searched) -> str:
    """Return the board, where it shows itself, and a table of the moves with what stands above and below it."""
    moves, visits, values, outcomes = found.moves, found.visits, found.values, found.outcomes
    if not visits.sum():
        return paragraph("no visits")
    order = np.sort(np.argsort(-visits, kind="stable")[:_MOST_ROWS])
    proven = any(outcomes)
    rows = []
    for place in order:
        share = visits[place] / visits.sum()
        mean = "" if np.isnan(values[place]) else f"{values[place]:.3f}"
        cells = [str(moves[place]), f"{visits[place]:,}", bar(share), f"{100.0 * share:.1f} %", mean]
        rows.append([*cells, outcomes[place]] if proven else cells)
    best = found.best_move
    line = found.principal_variation
    play = ", ".join(map(str, line[:_LINE])) + (", ..." if len(line) > _LINE else "")
    bold = moves[order].tolist().index(best) if best in moves[order] else None
    heads = ["move", "visits", "", "share", "value", *(["proven"] if proven else [])]
    more = f"; the {len(order)} most visited of {len(moves)} moves" if len(order) < len(moves) else ""
    picture = getattr(found.board, "_repr_html_", str)()
    return (
        picture
        + paragraph(f"best move {best}, value {found.value:.2f}: {found.simulations:,} simulations{more}")
        + table(heads, rows, bold)
        + paragraph(f"best play: {play}; moves as Python counts them, from 0; values for the side to move")
    )
