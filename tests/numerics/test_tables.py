"""Tables: written in parts, as an author would write them, and in a terminal of any width."""

from __future__ import annotations

import contextlib
import io
import re

import pandas as pd
import pyarrow.parquet as pq
import pytest
from rich.console import Console

from bandits import simulate, summaries
from experiments.collect import sheet_of
from numerics.output import tables
from tests.internals import Sheet, word
from tests.refusals import refused


@pytest.mark.parametrize("cuts", [[], [1, 5, 8, 9], [4, 8]])
def test_the_bytes_do_not_depend_on_the_cut(tmp_path, monkeypatch, cuts):
    table = pd.DataFrame({"policy": ["ucb"] * 12, "run": range(12), "mean": [0.1 * n for n in range(12)]})
    monkeypatch.setattr(tables, "_ROW_GROUP", 4)
    with tables.written_in_parts(tmp_path / "parts.parquet") as add:
        for begin, end in zip([0, *cuts], [*cuts, 12], strict=True):
            add(table[begin:end])
    table.to_parquet(tmp_path / "whole.parquet", index=False, write_page_checksum=True, row_group_size=4)
    assert (tmp_path / "parts.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert pq.ParquetFile(tmp_path / "parts.parquet").num_row_groups == 3
    pd.testing.assert_frame_equal(tables.read(tmp_path / "parts.parquet"), table)


def test_a_failure_between_parts_leaves_nothing(tmp_path):
    with contextlib.suppress(OSError), tables.written_in_parts(tmp_path / "parts.parquet") as add:
        add(pd.DataFrame({"run": [1]}))
        raise OSError("full")
    assert list(tmp_path.iterdir()) == []


def test_many_tables_are_read_as_one_and_a_broken_one_is_named(tmp_path):
    parts = [
        pd.DataFrame({"winner": [name, "draw"], "seed": pd.Series([n, 2**63], dtype="uint64"), "seconds": 0.5})
        for n, name in enumerate(("uct", "NA", ""))
    ]
    paths = [tmp_path / f"{number}.parquet" for number in range(len(parts))]
    for part, path in zip(parts, paths, strict=True):
        tables.write(part, path)
    expected = pd.concat([tables.read(path) for path in paths], ignore_index=True)
    pd.testing.assert_frame_equal(tables.read_all(paths), expected)
    paths[1].write_bytes(paths[1].read_bytes()[:-5])
    refused(lambda: tables.read_all(paths), str(paths[1]))


# --- in Markdown and LaTeX ---


CELLS = [
    ("a_b & c", r"a\_b \& c"),
    ("92.45 ± 3.36", r"92.45 $\pm$ 3.36"),
    ("33.77 +8.11 −4.35", "33.77 +8.11 $-$4.35"),
    ("-4.1 (-20.1 to +12.4)", "$-$4.1 ($-$20.1 to +12.4)"),
    ("< 0.0001", "$<$ 0.0001"),
    ("7x6, 2-3 and 2026-11-25", "7x6, 2-3 and 2026-11-25"),
    ("a|b ≤ c", r"a$|$b $\leq$ c"),
]


@pytest.mark.parametrize(("text", "expected"), CELLS)
def test_a_text_is_what_an_author_would_write(text: str, expected: str):
    (filled,) = Sheet("", "50 % of all", [word("text")]).of(pd.DataFrame({"text": [text]}))
    assert f"\\midrule\n{expected} \\\\\n\\bottomrule" in filled.latex()
    assert r"\caption{50 \% of all}" in filled.latex()


def test_an_upright_line_in_a_cell_of_markdown_is_no_edge():
    (filled,) = Sheet("", "", [word("text")]).of(pd.DataFrame({"text": ["a|b"]}))
    assert filled.markdown() == "| text |\n| --- |\n| a\\|b |"


def test_the_numbers_of_a_column_have_the_same_decimals():
    frame = pd.DataFrame(
        {"policy": ["a", "b", "c"], "c": [0.1, 2.0, None], "mean": [1.5, 10.25, -0.5], "seed": [1, 12345678, 3]}
        | {"p": [1.0, 2e-9, 0.5]}
    )
    (filled,) = sheet_of(frame, None, aligned=True).of(frame)
    rows = re.findall(r"^(.*) \\\\$", filled.latex(), flags=re.MULTILINE)[1:]
    assert rows == ["a & 0.1 & 1.50 & 1 & 1", "b & 2.0 & 10.25 & 12345678 & 2e-09", "c &  & $-$0.50 & 3 & 0.5"]


# --- in a terminal ---


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


@pytest.mark.parametrize("width", [40, 81, 130])
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
    assert ["report" in " ".join(lines_of(filled, width)) for width in (200, 80)] == [False, True]
