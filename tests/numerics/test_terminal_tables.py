"""Tables in a terminal of any width: what has no room leaves by name, and nothing is cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from bandits import simulate, summaries


@pytest.fixture(scope="module")
def filled():
    played = simulate(["ucb", "epsilon_greedy"], [0.1, 0.5, 0.9], horizon=200, runs=20)
    (sheet,) = summaries.SHEET.of(played.summary)
    return sheet


def lines_of(filled, width):
    out = io.StringIO()
    for part in filled.terminal(width):
        Console(width=width, file=out, highlight=False).print(part)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 81, 95, 100, 120, 130, 150, 200])
def test_no_number_is_cut_at_the_edge(filled, width):
    lines = lines_of(filled, width)
    assert all(len(line) <= width for line in lines)
    rows = [line for line in lines if line[:1] == "│"]
    assert rows
    assert all(line.endswith("│") for line in rows)
    left_out = " ".join(" ".join(lines).split()).partition("but in the report: ")[2]
    printed = ["".join(cells).replace(" ", "") for cells in zip(*(row.split("│") for row in rows), strict=True)]
    for column in filled.columns:
        if column.head not in left_out:
            assert "".join(column.cell(row) for row in filled.rows).replace(" ", "") in printed, column.head


def test_all_columns_stand_where_there_is_room(filled):
    assert "no room" not in " ".join(lines_of(filled, 200))
    assert "not shown on 80 columns" in " ".join(lines_of(filled, 80))
