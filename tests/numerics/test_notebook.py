"""What results show of themselves in a notebook: one line, small tables, pictures, and each figure once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import types
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from bandits import simulate
from connect4 import Board, analyse
from mcts import search
from numerics.output import notebook
from tests.internals import PGame

pytestmark = pytest.mark.jit  # how kernels run decides nothing here


def parsed(markup: str) -> ET.Element:
    """HTML of a notebook, which is XML too."""
    return ET.fromstring(f"<body>{markup}</body>")


def cells(markup: str) -> list[list[str]]:
    return [["".join(cell.itertext()) for cell in row] for row in parsed(markup).iter("tr")]


def test_a_search_shows_its_moves_in_a_table_with_bars():
    found = search(Board.from_moves("4435"), simulations=500, seed=1)
    assert re.fullmatch(r"SearchResult\(best \d, value 0\.\d\d, [\d,]+ of 500 visits\)", repr(found))
    html = found._repr_html_()
    head, *rows = cells(html)
    assert head == ["move", "visits", "", "share", "value"]
    assert [int(row[0]) for row in rows] == found.moves.tolist()
    assert [int(row[1]) for row in rows] == found.visits.tolist()
    bars = [float(one.attrib["width"]) for one in parsed(html).iter("rect")]
    np.testing.assert_allclose(np.array(bars) / sum(bars), found.visits / 500, atol=2e-3)
    bold = [row for row in parsed(html).iter("tr") if "bold" in row.get("style", "")]
    assert ["".join(row[0].itertext()) for row in bold] == [str(found.best_move)]
    assert html.startswith(Board.from_moves("4435").to_svg())
    assert search(PGame(3, 3, seed=1), simulations=20)._repr_html_().startswith("<p>best move"), "no board, no picture"


def test_proven_values_are_shown_and_of_many_moves_the_most_visited_ones():
    won = search(Board.from_moves("112233"), simulations=500, seed=1, solve=True)._repr_html_()
    assert cells(won)[0][-1] == "proven"
    assert "won in 1" in [row[-1] for row in cells(won)]
    wide = search(PGame(30, 3, seed=1), simulations=100, seed=1)
    shown = [int(row[1]) for row in cells(wide._repr_html_())[1:]]
    assert len(shown) == 20
    assert sum(shown) == np.sort(wide.visits)[-20:].sum()
    assert "the 20 most visited of 30 moves" in wide._repr_html_()


@pytest.mark.long
def test_simulations_show_their_final_numbers_and_their_figure():
    result = simulate(["ucb", "thompson"], [0.1, 0.9], horizon=50, runs=8, seed=3)
    html = result._repr_html_()
    _, first, second = cells(html)
    mean, low, high = (result.summary[f"pseudo_regret_{name}"][0] for name in ("mean", "low", "high"))
    assert [first[0], first[2], second[0]] == ["ucb", f"{mean:.2f} +{high - mean:.2f} −{mean - low:.2f}", "thompson"]
    (image,) = parsed(html).iter("img")
    assert image.attrib["src"].startswith("data:image/png;base64,iVBOR")


def test_an_analysis_shows_the_board_with_the_score_below_each_column():
    found = analyse(Board.from_moves("4445555422"))
    assert re.fullmatch(r"Analysis\(best \(0, 2\), score \+15, [\d,]+ positions in [\d.]+ s\)", repr(found))
    texts = ["".join(one.itertext()) for one in ET.fromstring(found._repr_html_()).iter() if one.tag.endswith("text")]
    assert texts[:14] == [*"1234567", "+15", "0", "+15", "+4", "+1", "0", "+4"]
    assert texts[14:] == ["to move: a win, score +15", "best: 1, 3; best play: 113", "columns from 1; in Python from 0"]


def test_what_a_cell_holds_is_escaped():
    assert parsed(notebook.table(["<a>"], [["<b>&"]])).find(".//td").text == "<b>&"
    assert parsed(notebook.paragraph("a < b")).find("p").text == "a < b"


@pytest.mark.figures
def test_a_figure_that_was_shown_leaves_pyplot_so_that_a_notebook_shows_it_once(monkeypatch):
    plt = pytest.importorskip("matplotlib.pyplot")
    figure = simulate("ucb", [0.1, 0.9], horizon=50, runs=8).plot()
    shown = []
    display = types.ModuleType("IPython.display")
    display.display_png = lambda data, raw: shown.append(data[:4])
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    try:
        for backend, left in (("agg", True), ("module://matplotlib_inline.backend_inline", False)):
            assert plt.fignum_exists(figure.number), "a script's plt.show() shows it"
            monkeypatch.setattr(plt, "get_backend", lambda backend=backend: backend)
            figure._ipython_display_()
            assert shown.pop() == b"\x89PNG"
            assert plt.fignum_exists(figure.number) == left
    finally:
        plt.close(figure)


@pytest.mark.long
def test_a_backend_that_is_chosen_while_drawing_still_shows_later_figures(tmp_path):
    (tmp_path / "inline.py").write_text(
        "from matplotlib import interactive\nfrom matplotlib.backends.backend_agg import *\ninteractive(True)\n"
    )
    script = (
        "import matplotlib\nfrom matplotlib import pyplot\nfrom numerics.output.style import house_style\n"
        "with house_style():\n    pyplot.figure()\nassert matplotlib.is_interactive()\n"
    )
    paths = os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])])
    environment = {**os.environ, "PYTHONPATH": paths, "MPLBACKEND": "module://inline"}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
