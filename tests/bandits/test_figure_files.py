"""Figures on disk: the same tables give the same bytes, whatever the fonts, and no half-written file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from bandits.figures import regret
from bandits.figures import save as figures
from numerics.output import captions
from numerics.output import style as drawing
from tests.drawn import assert_readable, counts, curves, legend_text, new_axes, played
from tests.internals import Theory

# how kernels run decides nothing here
pytestmark = [pytest.mark.jit, pytest.mark.usefixtures("house_style")]

# Machado, Oliveira and Fernandes (2009), severity 1: what readers who lack one kind of cones see of linear light
DEFICIENCIES = {
    "red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def test_the_palette_begins_with_eight_colours_of_seaborns_colorblind_one():
    import seaborn

    assert set(drawing.PALETTE[:8]) <= set(seaborn.color_palette("colorblind").as_hex())
    assert len(set(drawing.PALETTE)) == 10


def linear(colour: str) -> np.ndarray:
    """Return red, green and blue as shares of light."""
    shown = np.array(to_rgb(colour))
    return np.where(shown <= 0.04045, shown / 12.92, ((shown + 0.055) / 1.055) ** 2.4)


def test_every_colour_stands_out_on_white():
    # the contrast ratio of WCAG 2; seaborn's pale pink and yellow, of 1.7 and 1.4, would not pass
    luminance = [linear(colour) @ [0.2126, 0.7152, 0.0722] for colour in drawing.PALETTE]
    assert all(1.05 / (one + 0.05) > 2.2 for one in luminance)


@pytest.mark.parametrize("lacking", DEFICIENCIES)
def test_indigo_and_wine_stay_apart_from_all_other_colours_for_colour_blind_readers(lacking):
    # distances in CIELAB (1976), where 2.3 is just noticeable; the nearest of all, wine and green, are 23 apart
    def seen(colour: str) -> np.ndarray:
        light = np.clip(np.array(DEFICIENCIES[lacking]) @ linear(colour), 0.0, 1.0)
        xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ light
        x, y, z = np.cbrt(xyz / [0.9505, 1.0, 1.089])
        return np.array([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)])

    lab = [seen(colour) for colour in drawing.PALETTE]
    assert min(np.linalg.norm(lab[new] - lab[other]) for new in (8, 9) for other in range(10) if new != other) > 20.0


def test_names_are_written_as_they_are():
    axes, odd = new_axes(), {"$5 or $10": played(), "_private": played(4.0)}
    regret.draw_regret(axes, curves(**odd))
    assert [line.split(":")[0] for line in legend_text(axes).splitlines()[1:3]] == [r"\$5 or \$10", " _private"]
    assert_readable(axes)
    assert [captions.label_of(name, 8) for name in ("a$b", "_a", "123456789")] == [r"a\$b", " _a", "1234567…"]


@pytest.mark.long
def test_the_same_tables_give_the_same_bytes_whatever_the_users_style(tmp_path):
    table, pulls = curves(ucb=played(), ts=played(4.0)), counts(ucb=played(), ts=played(4.0))
    with drawing.vectors():
        first = figures.save_all(tmp_path / "new" / "a", table, pulls, Theory(7.2, 0.41))
    styled = matplotlib.rc_context({"font.size": 20.0, "axes.facecolor": "black", "savefig.dpi": 50.0})
    with styled, drawing.vectors():
        second = figures.save_all(tmp_path / "b", table, pulls, Theory(7.2, 0.41))
    names = [f"{name}.{ending}" for name in ("regret", "regret_log", "pulls") for ending in ("png", "svg", "pdf")]
    assert [path.name for path in first] == names
    assert sorted(path.name for path in (tmp_path / "new" / "a").iterdir()) == sorted(names)  # nothing beside them
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes()
    assert b"dc:date" not in (tmp_path / "new" / "a" / "regret.svg").read_bytes()


@pytest.fixture
def other_fonts(monkeypatch):
    """Set which fonts may lend characters."""

    def set_to(*names):
        monkeypatch.setattr(drawing, "OTHER_FONTS", names)
        drawing._families.cache_clear()
        drawing._warn_of_missing_characters.cache_clear()

    yield set_to
    drawing._families.cache_clear()


@pytest.mark.long
def test_characters_that_no_font_has_are_said_once_in_one_sentence(tmp_path, caplog, capsys, other_fonts):
    other_fonts("No Such Font")
    odd = {"\u65e5\u672c": played(), "\u65e5": played(4.0)}
    figures.save_all(tmp_path, curves(**odd), counts(**odd), names=[f"\u672c{arm}" for arm in range(10)])  # no warning
    [record] = caplog.records
    assert record.getMessage().startswith("no installed font has all characters")
    assert capsys.readouterr().err == ""


def test_characters_that_the_font_lacks_come_from_another_one(tmp_path, caplog, other_fonts):
    other_fonts("No Such Font", "STIXGeneral")  # the second one comes with Matplotlib
    with drawing.vectors(), drawing.page(tmp_path / "lent") as figure:
        figure.subplots().set_title("\U0001d4d0")  # a letter that DejaVu Sans lacks
    assert not caplog.records
    assert "STIXGeneral" in (tmp_path / "lent.svg").read_text()


def test_the_places_of_axes_in_a_saved_figure_have_no_more_digits_than_a_layout_repeats(tmp_path):
    figure = Figure(layout="constrained")
    for axes in figure.subplots(3, 1):
        axes.plot([0.0, 1.0], [0.0, 3.0])
    with drawing.vectors():
        drawing.save(figure, tmp_path / "f")
    places = np.array([axes.get_position(original=bool(which)).bounds for axes in figure.axes for which in (0, 1)])
    points = np.array(
        [axes.get_position(original=bool(which)).get_points() for axes in figure.axes for which in (0, 1)]
    )
    assert places.min() > 0.0
    np.testing.assert_array_equal(points, points.round(9))


def test_a_failed_drawing_leaves_the_old_file_and_nothing_beside(tmp_path, monkeypatch):
    (tmp_path / "f.png").write_bytes(b"old")
    figure = Figure()
    monkeypatch.setattr(figure, "savefig", lambda path, **_: (Path(path).write_bytes(b"half"), 1 / 0))
    with pytest.raises(ZeroDivisionError):
        drawing.save(figure, tmp_path / "f")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"old"]


@pytest.mark.long
def test_drawing_files_loads_neither_pyplot_nor_seaborn(tmp_path):
    curves(ucb=played()).to_pickle(tmp_path / "curves")
    counts(ucb=played()).to_pickle(tmp_path / "pulls")
    code = (
        "import sys, bandits\n"
        "assert 'matplotlib' not in sys.modules and 'pandas' not in sys.modules\n"
        "import pandas as pd\n"
        "from bandits.figures import save\n"
        "assert 'matplotlib' not in sys.modules\n"
        "save.save_all('figures', pd.read_pickle('curves'), pd.read_pickle('pulls'))\n"
        "assert 'matplotlib.pyplot' not in sys.modules and 'seaborn' not in sys.modules\n"
    )
    root = Path(__file__).resolve().parents[2]
    code = f"import sys; sys.path.insert(0, {str(root)!r})\n" + code
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 3, "0"),
        (4_099.3063, 3, "4,099"),
        (340.6, 3, "341"),
        (42.94, 3, "42.9"),
        (-0.01234, 3, "−0.0123"),
        (1e6, 10, "1,000,000"),
        (1.4142135, 4, "1.414"),
        (0.3 - 0.1, 10, "0.2"),
        (2.04, 2, "2"),
    ],
)
def test_numbers_are_written_out(value, digits, text):
    assert drawing.number(value, digits) == text


@pytest.mark.long
@pytest.mark.parametrize(("count", "drawn"), [(3, False), (4, True), pytest.param(12, True, marks=pytest.mark.long)])
def test_quantiles_in_panels_are_saved_where_one_view_has_no_room(tmp_path, count, drawn):
    many = {f"policy {place}": played(20.0 + place, seed=place) for place in range(count)}
    saved = figures.save_all(tmp_path, curves(**many), counts(**many))
    names = {path.name for path in saved}
    assert {"regret_quantiles.png", "regret_quantiles_log.png"} & names == (
        {"regret_quantiles.png", "regret_quantiles_log.png"} if drawn else set()
    )
    assert names == {path.name for path in tmp_path.iterdir()}


def test_a_number_keeps_its_percent_sign_and_both_sides_of_its_plus_minus_on_its_line():
    for room in range(80, 160, 4):
        text = captions.fill("a b c: 533 ± 106 and more words ± 95 % confidence", room, drawing.SMALL)
        assert "533\u00a0±\u00a0106" in text
        assert "±\u00a095\u00a0%" in text
