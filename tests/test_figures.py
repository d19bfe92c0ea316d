"""Figures: what is drawn, that it can be read, and that the same tables give the same bytes."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations
from pathlib import Path

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from bandits import (
    UCB,
    Bernoulli,
    RandomBernoulli,
    drawing,
    figures,
    pulls_figure,
    regret_figures,
    simulate,
    tables,
    theory,
)
from bandits.click_log import ClickLog
from bandits.replications import Replications
from experiments.regret import figures as more
from experiments.regret import sweep as regret_sweep

MEANS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.9]
POLICIES = ("random", "greedy", "epsilon_greedy", "ucb", "thompson")


def played(speed=30.0, linear=0.0, *, runs=20, horizon=10_000, means=MEANS, spread=True, seed=1) -> Replications:
    """Make up replications whose mean regret is about speed ln t + linear t, without playing."""
    rng = np.random.default_rng(seed)
    checkpoints = np.unique(np.geomspace(1.0, horizon, 60).round().astype(np.int64))
    factor = 1.0 + 0.2 * rng.standard_normal((runs, 1)) * spread
    regret = factor * (speed * np.log(checkpoints) + linear * checkpoints)
    share = rng.dirichlet(np.full(np.shape(means)[-1], 0.5), runs)
    pulls = np.floor(share * horizon).astype(np.int64)
    pulls[:, -1] += horizon - pulls.sum(axis=1)
    truth = np.tile(means, (runs, 1)) if np.ndim(means) == 1 else means
    none = np.zeros_like(regret)
    return Replications(checkpoints, 0, truth, pulls, regret, none, none, none, none.astype(np.uint8))


def curves(**policies: Replications) -> pd.DataFrame:
    return pd.concat([tables.curves(name, one) for name, one in policies.items()], ignore_index=True)


def counts(**policies: Replications) -> pd.DataFrame:
    return pd.concat([tables.pulls(name, one) for name, one in policies.items()], ignore_index=True)


def new_axes(width: float = 7.6, height: float = 4.8) -> Axes:
    return Figure(figsize=(width, height), layout="constrained").subplots()


def lines_by_label(axes: Axes) -> dict[str, object]:
    return {str(line.get_label()): line for line in axes.get_lines() if not str(line.get_label()).startswith("_")}


def legend_text(axes: Axes) -> str:
    legend = axes.get_legend()
    return "\n".join([legend.get_title().get_text(), *(text.get_text() for text in legend.get_texts())])


def assert_readable(axes: Axes, kinds: str = "xy") -> None:
    """No two tick labels of an axis touch, no label leaves the figure, and the legend covers nothing."""
    figure = axes.figure
    figure.draw_without_rendering()
    whole = figure.bbox
    for kind in kinds:
        axis = {"x": axes.xaxis, "y": axes.yaxis}[kind]
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_ticklabels(), axis.get_ticklocs(), strict=True)
        shown = [text.get_window_extent() for text, place in ticks if text.get_text() and low <= place <= high]
        assert shown
        assert not any(a.overlaps(b) for a, b in combinations(shown, 2))
        corners = axis.label.get_window_extent().corners() if axis.label.get_text() else []
        assert all(whole.padded(1.0).contains(*corner) for corner in corners)
    legend = axes.get_legend()
    if legend is not None:
        box = legend.get_window_extent()
        assert box.y0 >= axes.bbox.y1 - 1.0
        assert box.x1 <= whole.x1 + 1.0


def test_palette_is_seaborns_colorblind_one():
    import seaborn

    assert sorted(drawing.PALETTE) == sorted(seaborn.color_palette("colorblind").as_hex())


def test_theory_is_of_arms_or_of_stored_numbers():
    arms = Bernoulli(MEANS)
    assert regret_figures.Theory.of(arms) == regret_figures.Theory(
        theory.lai_robbins_constant(arms), theory.uniform_regret(arms)
    )
    assert np.isnan([regret_figures.Theory.of(RandomBernoulli()).lai_robbins, regret_figures.Theory().uniform]).all()


@pytest.mark.parametrize("log", [False, True])
def test_regret_shows_mean_bands_and_theory_and_the_uniform_line_does_not_ruin_the_view(log):
    axes, one = new_axes(), played()
    regret_figures.draw_regret(axes, curves(ucb=one), theory=regret_figures.Theory(7.2, 0.41), log=log, runs=one.runs)
    lines = lines_by_label(axes)
    assert len(lines) == 3
    mean = next(line for label, line in lines.items() if label.startswith("ucb: "))
    np.testing.assert_allclose(mean.get_ydata(), one.pseudo_regret.mean(axis=0))
    slope = lines["Lai–Robbins slope C ln t (asymptotic, no bound at finite t)"]
    np.testing.assert_allclose(slope.get_ydata(), 7.2 * np.log(slope.get_xdata()))
    assert slope.get_linestyle() == "--"
    assert lines["uniform play, leaves the view"].get_ydata()[-1] == pytest.approx(4_100)
    assert axes.get_ylim() == (0.0, pytest.approx(1.06 * np.quantile(one.pseudo_regret[:, -1], 0.95)))
    assert len(axes.collections) == 2
    high = axes.collections[0].get_paths()[0].vertices[:, 1].max()
    assert high == pytest.approx(np.quantile(one.pseudo_regret, 0.95, axis=0).max())
    assert axes.get_ylabel() == "cumulative pseudo-regret (rewards lost)"
    assert axes.get_xlabel().startswith("t (pulls)")
    assert axes.get_xscale() == ("log" if log else "linear")
    text = legend_text(axes)
    for words in ("20 replications, horizon 10,000", "5–95 % of replications", "95 % confidence of the mean"):
        assert words in text
    assert_readable(axes)


def test_a_policy_near_uniform_play_brings_the_line_into_the_view():
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(random=played(0.0, 0.41)), theory=regret_figures.Theory(7.2, 0.41))
    assert "uniform play" in lines_by_label(axes)
    assert axes.get_ylim()[1] > 4_100


def test_many_policies_are_told_apart_without_colour_and_the_view_is_not_ruined_by_one():
    table = curves(
        random=played(0.0, 0.41), greedy=played(0, 0.05), epsilon_greedy=played(0.0, 0.04), ucb=played(30.0),
        thompson=played(4.0),
    )  # fmt: skip
    for log in (False, True):
        axes = new_axes()
        regret_figures.draw_regret(axes, table, theory=regret_figures.Theory(7.2, 0.41), log=log)
        lines = [line for label, line in lines_by_label(axes).items() if label.startswith(POLICIES)]
        assert len(lines) == 5
        assert len({line.get_color() for line in lines}) == len({line.get_marker() for line in lines}) == 5
        assert len(axes.collections) == 5  # confidence alone
        assert 500 < axes.get_ylim()[1] < 1_000
        assert "leaves the view" in legend_text(axes).splitlines()[1]
        assert legend_text(axes).count("leaves the view") == 2  # and uniform play
        assert_readable(axes)


@pytest.mark.parametrize("log", [False, True])
def test_two_policies_far_above_the_others_leave_the_view_with_their_final_values_and_more_do_not(log):
    slow = {"ucb": played(30.0), "thompson": played(4.0), "kl_ucb": played(6.0)}
    far = {"random": played(0.0, 0.41), "worse": played(0.0, 0.6)}
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(**far, **slow), log=log)
    assert axes.get_ylim()[1] < 600
    gone = [line for line in legend_text(axes).splitlines() if line.endswith(", leaves the view")]
    assert [line.split(":")[0] for line in gone] == ["random", "worse"]
    assert all("±" in line for line in gone)
    for shown in ({**far, "third": played(0.0, 0.5), **slow}, {**far, "ucb": slow["ucb"]}):
        axes = new_axes()
        regret_figures.draw_regret(axes, curves(**shown), log=log)
        assert axes.get_ylim()[1] > 6_000
        assert "leaves the view" not in "".join(legend_text(axes).split("replications")[0])


def test_policies_of_different_horizons_all_stay_in_the_view():
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(short=played(0.0, 0.4, horizon=100), long=played(0.0, 0.4)))
    assert axes.get_ylim()[1] > 4_000


def test_two_logarithmic_policies_stay_in_the_log_view_however_far_apart():
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(ucb=played(40.0), thompson=played(4.0)), log=True)
    assert "leaves the view" not in legend_text(axes)
    assert len(axes.collections) == 4


def test_a_chosen_order_of_policies_is_kept():
    axes, table = new_axes(), curves(ucb=played(30.0), thompson=played(4.0), greedy=played(9.0))
    regret_figures.draw_regret(axes, table, policies=["greedy", "ucb"])
    assert [label.split(":")[0] for label in lines_by_label(axes)] == ["greedy", "ucb"]
    assert [to_hex(line.get_color()) for line in axes.get_lines()] == list(drawing.PALETTE[:2])


def test_more_than_ten_policies_differ_in_dashes():
    styles = [drawing.line_style(place) for place in range(20)]
    assert len({str(sorted(style.items())) for style in styles}) == 20


@pytest.mark.parametrize("horizon", [1, 100])
def test_one_replication_draws_no_band_and_claims_no_interval(horizon, tmp_path):
    one = played(runs=1, horizon=horizon)
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(ucb=one), theory=regret_figures.Theory(7.2, 0.41), runs=1)
    assert not axes.collections
    assert "±" not in legend_text(axes)
    assert "1 replication," in legend_text(axes)
    paths = figures.save_all(tmp_path, curves(ucb=one), counts(ucb=one), regret_figures.Theory(7.2, 0.41))
    assert len(paths) == 6


def test_no_regret_at_all_still_draws():
    axes = new_axes()
    regret_figures.draw_regret(axes, curves(ucb=played(0.0)), theory=regret_figures.Theory(0.0, 0.0))
    assert axes.get_ylim() == (0.0, 1.0)
    assert len(axes.get_lines()) == 1


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("means", "said"), [([0.1] * 3, True), ([0.5, 0.5], True), ([0.5, 0.500001], False)])
def test_regret_of_equal_arms_says_why_the_figure_is_empty(means, said, log):
    axes = new_axes()
    regret_figures.draw_regret(
        axes, curves(ucb=played(0.0)), theory=regret_figures.Theory.of(Bernoulli(means)), log=log
    )
    texts = [text.get_text() for text in axes.texts]
    assert texts == ["all arms have the same mean: there is no regret"] * said
    assert_readable(axes)


def test_means_that_are_estimates_are_called_so_and_all_means_are_written_alike(tmp_path):
    axes = new_axes()
    pulls_figure.draw_pulls(axes, counts(ucb=played(means=[0.0, 0.5])), ["a", "b"], estimated=True)
    assert axes.get_xlabel() == "arm (below: estimated mean; bold: best)"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["a\n0.00", "b\n0.50"]
    figure = Figure(layout="constrained")
    more.draw_trace(figure, steps(2, 5), [0.0, 0.5], ["a", "b"], estimated=True)
    assert "their means as estimated from the log" in legend_text(figure.axes[1])
    (tmp_path / "log.csv").write_text("arm,reward\na,0\na,1\nb,0\n")
    log = ClickLog.read(tmp_path / "log.csv", "arm", "reward")
    for arms, called in ((log.arms(), "estimated mean"), (Bernoulli([0.0, 0.5]), "true mean")):
        figure = simulate(UCB(), arms, horizon=20, runs=3).plot()
        assert called in figure.axes[1].get_xlabel()


def test_more_policies_than_one_view_shows_have_their_quantiles_in_panels():
    names = ("random", "a", "b", "c", "d")
    table = curves(**{name: played(20.0 + 5 * place, seed=place) for place, name in enumerate(names[1:])})
    table = pd.concat([curves(random=played(0.0, 0.4)), table], ignore_index=True)
    figure = Figure(layout="constrained")
    regret_figures.draw_quantiles(figure, table, runs=20)
    panels = figure.axes
    assert len(panels) == len(names)
    assert [axes.get_title(loc="left").split(":")[0] for axes in panels] == list(names)
    last = table[table["t"] == table["t"].max()].set_index("policy")
    for name, axes in zip(names, panels, strict=True):
        wide, middle = (one for one in axes.collections if isinstance(one, FillBetweenPolyCollection))
        for band, low, high in ((wide, "q05", "q95"), (middle, "q25", "q75")):
            ends = [y for x, y in band.get_paths()[0].vertices if x == last["t"].max()]
            assert {min(ends), max(ends)} == {last.loc[name, f"pseudo_regret_{one}"] for one in (low, high)}
        assert axes.get_ylim()[1] >= last.loc[name, "pseudo_regret_q95"]
        assert len(axes.get_lines()) == len(names) + 1  # the others in grey, its own mean and median


@pytest.mark.parametrize(("count", "drawn"), [(3, False), (4, True), (11, True)])
def test_quantiles_in_panels_are_saved_where_one_view_has_no_room(tmp_path, count, drawn):
    many = {f"policy {place}": played(20.0 + place, seed=place) for place in range(count)}
    saved = figures.save_all(tmp_path, curves(**many), counts(**many))
    assert ("regret_quantiles.png" in {path.name for path in saved}) == drawn
    assert all(path.is_file() for path in saved)


def test_pulls_are_quantiles_of_every_arm():
    axes, one = new_axes(), played(means=[0.1, 0.5, 0.9])
    pulls_figure.draw_pulls(axes, counts(ucb=one), ["left", "middle", "right"])
    [median] = axes.get_lines()
    np.testing.assert_allclose(median.get_ydata(), np.median(one.pulls, axis=0))
    whiskers = np.array([path.vertices[:, 1] for path in axes.collections[0].get_paths()])
    np.testing.assert_allclose(whiskers, np.quantile(one.pulls, (0.05, 0.95), axis=0).T)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["left\n0.10", "middle\n0.50", "right\n0.90"]
    assert [text.get_fontweight() for text in axes.get_xticklabels()][1:] == ["normal", "bold"]
    assert legend_text(axes).startswith("20 replications, horizon 10,000")
    assert legend_text(axes).splitlines()[-1] == "ucb"  # a single policy is named, too
    assert_readable(axes)


def test_pulls_of_several_policies_stand_side_by_side():
    axes, table = new_axes(), counts(ucb=played(), thompson=played(seed=2), greedy=played(seed=3))
    pulls_figure.draw_pulls(axes, table)
    places = np.sort(np.concatenate([line.get_xdata() for line in lines_by_label(axes).values()]))
    assert len(places) == 30
    assert np.diff(places).min() > 0.2
    assert {"ucb", "thompson", "greedy"} <= set(legend_text(axes).splitlines())
    assert_readable(axes)


@pytest.mark.parametrize(("low", "scale"), [(0, "symlog"), (5, "log"), (900, "linear")])
def test_the_axis_of_pulls_is_logarithmic_where_counts_are_far_apart_and_zero_has_a_place(low, scale):
    table = counts(ucb=played(means=[0.1, 0.9], runs=4))
    table["pulls"] = np.where(table["arm"] == 0, low, 1_000)
    axes = new_axes()
    pulls_figure.draw_pulls(axes, table)
    assert axes.get_yscale() == scale
    assert ("logarithmic above 1" in axes.get_ylabel()) == (low == 0)
    assert axes.get_ylim()[0] <= low
    assert_readable(axes)


def test_arms_with_random_means_are_ranked_in_each_replication():
    means = np.array([[0.2, 0.8, 0.5], [0.9, 0.1, 0.4]])
    one = played(means=means, runs=2)
    axes = new_axes()
    pulls_figure.draw_pulls(axes, counts(ucb=one))
    best = (one.pulls[0, 1] + one.pulls[1, 0]) / 2
    assert axes.get_lines()[0].get_ydata()[0] == best
    assert [text.get_text() for text in axes.get_xticklabels()] == ["best\n0.85", "2nd\n0.45", "3rd\n0.15"]
    assert "ranked by true mean" in axes.get_xlabel()


@pytest.mark.parametrize("arms", [2, 34, 100])
@pytest.mark.parametrize("wide", [5.0, 9.5])
def test_names_of_many_arms_do_not_overlap(arms, wide):
    means = np.linspace(0.003, 0.0147, arms)
    axes = new_axes(wide)
    pulls_figure.draw_pulls(axes, counts(ucb=played(means=list(means), runs=5), ts=played(means=list(means), runs=5)))
    assert_readable(axes)
    assert sum("\n" in text.get_text() for text in axes.get_xticklabels()) in (0, arms)


def test_long_names_are_cut():
    axes = new_axes()
    pulls_figure.draw_pulls(
        axes, counts(ucb=played(means=MEANS)), [f"a headline far too long, {arm}" for arm in range(10)]
    )
    assert_readable(axes)
    assert all("…" in text.get_text() for text in axes.get_xticklabels())


def test_names_are_written_as_they_are():
    axes, odd = new_axes(), {"$5 or $10": played(), "_private": played(4.0)}
    regret_figures.draw_regret(axes, curves(**odd))
    assert len(axes.get_legend().get_texts()) == 4
    assert_readable(axes)
    assert [drawing.called(name, 8) for name in ("a$b", "_a", "123456789")] == [r"a\$b", " _a", "1234567…"]


def test_the_same_tables_give_the_same_bytes_whatever_the_users_style(tmp_path):
    table, pulls = curves(ucb=played(), ts=played(4.0)), counts(ucb=played(), ts=played(4.0))
    first = figures.save_all(tmp_path / "new" / "a", table, pulls, regret_figures.Theory(7.2, 0.41))
    with matplotlib.rc_context({"font.size": 20.0, "axes.facecolor": "black", "savefig.dpi": 50.0}):
        second = figures.save_all(tmp_path / "b", table, pulls, regret_figures.Theory(7.2, 0.41))
    names = [f"{name}{ending}" for name in ("regret", "regret_log", "pulls") for ending in (".png", ".svg")]
    assert [path.name for path in first] == names
    assert sorted(path.name for path in (tmp_path / "new" / "a").iterdir()) == sorted(names)  # nothing beside them
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes()
    assert b"dc:date" not in (tmp_path / "new" / "a" / "regret.svg").read_bytes()


def test_characters_that_no_font_has_are_said_once_in_one_sentence(tmp_path, caplog, capsys, monkeypatch):
    monkeypatch.setattr(drawing, "_font_with", lambda characters: None)
    drawing._say_lacking.cache_clear()
    odd = {"\u65e5\u672c": played(), "\u65e5": played(4.0)}
    figures.save_all(tmp_path, curves(**odd), counts(**odd), names=[f"\u672c{arm}" for arm in range(10)])  # no warning
    [record] = caplog.records
    assert record.getMessage().startswith("no installed font has all characters")
    assert capsys.readouterr().err == ""


def test_characters_that_the_font_lacks_come_from_another_one(tmp_path, caplog):
    drawing._say_lacking.cache_clear()
    script = "\U0001d4d0"  # a letter of STIXGeneral, which Matplotlib brings, and not of DejaVu Sans
    with drawing.page(tmp_path / "lent") as figure:
        axes = figure.subplots()
        axes.set_title(script, fontweight="bold")
        axes.set_xticks([0.0, 1.0], ["plain \u00b1", f"arm {script}"])
    families = [text.get_fontfamily() for text in (axes.title, *axes.get_xticklabels())]
    assert [len(family) for family in families] == [2, 1, 2]
    assert families[0][0] == "DejaVu Sans"
    assert not caplog.records


def test_the_places_of_axes_in_a_saved_figure_have_no_more_digits_than_a_layout_repeats(tmp_path):
    figure = Figure(layout="constrained")
    for axes in figure.subplots(3, 1):
        axes.plot([0.0, 1.0], [0.0, 3.0])
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


def test_drawing_files_loads_neither_pyplot_nor_seaborn(tmp_path):
    curves(ucb=played()).to_pickle(tmp_path / "curves")
    counts(ucb=played()).to_pickle(tmp_path / "pulls")
    code = (
        "import sys, bandits\n"
        "assert 'matplotlib' not in sys.modules and 'pandas' not in sys.modules\n"
        "import pandas as pd\n"
        "from bandits import figures\n"
        "assert 'matplotlib' not in sys.modules\n"
        "figures.save_all('figures', pd.read_pickle('curves'), pd.read_pickle('pulls'))\n"
        "assert 'matplotlib.pyplot' not in sys.modules and 'seaborn' not in sys.modules\n"
    )
    root = Path(figures.__file__).resolve().parents[1]
    code = f"import sys; sys.path.insert(0, {str(root)!r})\n" + code
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 3, "0"), (4_099.3063, 3, "4,099"), (340.6, 3, "341"), (42.94, 3, "42.9"), (-0.01234, 3, "−0.0123"),
        (1e6, 10, "1,000,000"), (1.4142135, 4, "1.414"), (0.3 - 0.1, 10, "0.2"), (2.04, 2, "2"),
    ],
)  # fmt: skip
def test_numbers_are_written_out(value, digits, text):
    assert drawing.number(value, digits) == text


def sweep(values, means, **columns) -> pd.DataFrame:
    mean = np.asarray(means, dtype=float)
    return pd.DataFrame(
        {
            "value": values, "pseudo_regret_mean": mean, "pseudo_regret_se": 0.02 * mean,
            "pseudo_regret_q05": 0.8 * mean, "pseudo_regret_q95": 1.3 * mean, **columns,
        }
    )  # fmt: skip


def test_a_sweep_marks_its_lowest_value():
    axes = new_axes()
    more.draw_final(axes, sweep([2.0, 0.05, 0.5, 1.0], [480, 250, 48, 160]), "c (factor of the exploration term)")
    assert axes.get_xscale() == "log"
    assert axes.get_xlabel() == "c (factor of the exploration term) (log scale)"
    assert "lowest: 48 ± 1.9 at 0.5" in legend_text(axes)
    marks = [line for line in axes.get_lines() if line.get_markersize() > 10.0]
    assert [(*mark.get_xdata(), *mark.get_ydata()) for mark in marks] == [(0.5, 48.0)]
    line = next(iter(lines_by_label(axes).values()))
    np.testing.assert_array_equal(line.get_xdata(), [0.05, 0.5, 1.0, 2.0])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0.05", "0.5", "1", "2"]
    assert_readable(axes)


def test_a_sweep_with_zero_of_several_policies_sets_zero_apart_and_has_a_line_each():
    table = pd.concat([sweep([0, 0.1, 5], [90, 60, 90], policy="a"), sweep([0, 0.1, 5], [80, 50, 9], policy="b")])
    table["pseudo_regret_se"] = np.nan
    axes = new_axes()
    more.draw_final(axes, table, "epsilon")
    assert axes.get_xlabel() == "epsilon (log scale, 0 set apart)"
    assert [text.get_text() for text in axes.get_xticklabels()] == ["0", "0.1", "5"]
    assert len(lines_by_label(axes)) == 2
    assert "±" not in legend_text(axes)
    assert_readable(axes)


@pytest.mark.parametrize("zero", [True, False])
def test_every_value_of_a_sweep_of_twelve_has_a_label_and_its_own_place(zero):
    values = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 5.0]
    values = [0.0 if zero else 0.005, *values]
    axes = new_axes()
    more.draw_final(axes, sweep(values, range(1, 13)), "c")
    assert_readable(axes)
    places = axes.transData.transform([(value, 1.0) for value in values])[:, 0]
    assert (places[1] - places[0]) / np.ptp(places) > 0.08
    assert axes.bbox.x0 < places[0] < places[-1] < axes.bbox.x1
    assert len(axes.get_xticks()) == 12
    more.draw_final(axes := new_axes(), sweep(np.arange(1.0, 11.0), range(1, 11)), "window")
    assert list(axes.get_xticks()) == list(range(1, 11))
    assert axes.get_xlabel() == "window"


def test_a_sweep_says_what_was_played_and_lists_nothing_that_is_not_drawn():
    axes = new_axes()
    more.draw_final(axes, sweep([0.5], [30.0], runs=20, horizon=1_000), "c")
    assert "20 replications, horizon 1,000; mean, bars" in legend_text(axes)
    assert "5–95" not in legend_text(axes)
    assert not any(isinstance(drawn, FillBetweenPolyCollection) for drawn in axes.collections)
    axes = new_axes()
    more.draw_final(axes, sweep([100, 200], [3.0, 300.0], runs=1, horizon=[100, 200]), "horizon")
    assert "1 replication, horizon 100 to 200; mean" in legend_text(axes)
    assert "5–95" in legend_text(axes)
    assert axes.get_ylabel() == "pseudo-regret at the horizon (rewards lost, log scale)"


def test_a_line_of_a_sweep_of_policies_names_its_policy_once(tmp_path, monkeypatch):
    seen = []
    monkeypatch.setattr(more, "draw_final", lambda axes, table, key: seen.append((list(table["policy"]), key)))
    monkeypatch.setattr(drawing, "save", lambda figure, place: [])
    own = ["ucb", "kl_ucb", "ucb", "kl_ucb"]
    for labels, lines in ((own, own), (["a", "b", "a", "b"], ["ucb a", "kl_ucb b", "ucb a", "kl_ucb b"])):
        table = pd.DataFrame({"bandit": own, "horizon": [100, 100, 200, 200], "policy": "", "own_label": labels})
        regret_sweep._draw_final(table, ["bandit", "horizon"], tmp_path)
        assert seen.pop() == (lines, "horizon")


def test_differences_are_sorted_and_say_their_numbers():
    table = pd.DataFrame(
        {
            "policy_a": ["random", "ucb", "greedy"],
            "policy_b": ["thompson", "epsilon_greedy", "ucb"],
            "difference_mean": [4_056.0, -98.0, 12.0],
            "ci_low": [4_054.0, -103.0, -8.0],
            "ci_high": [4_059.0, -93.0, 32.0],
            "p_adjusted": [0.0, 0.0001, 0.234],
        }
    )
    axes = new_axes(8.0, 1.6 + 0.34 * 3)
    more.draw_differences(axes, table)
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == ["ucb − epsilon_greedy", "greedy − ucb", "random − thompson"]
    said = [text.get_text() for text in axes.texts]
    assert said == ["−98 [−103, −93]   p < 0.001", "12 [−8, 32]   p = 0.234", "4,056 [4,054, 4,059]   p < 0.001"]
    filled, hollow = (line for line in axes.get_lines() if line.get_marker() == "o")
    assert (list(filled.get_xdata()), list(hollow.get_xdata())) == ([-98.0, 4_056.0], [12.0])
    assert axes.yaxis_inverted()
    assert_readable(axes)
    for text in axes.texts:
        assert text.get_window_extent().x1 <= axes.figure.bbox.x1


def test_differences_of_one_replication_claim_nothing():
    row = {"policy_a": ["a"], "policy_b": ["b"], "difference_mean": [3.0]}
    axes = new_axes(8.0, 2.0)
    more.draw_differences(axes, pd.DataFrame({**row, "ci_low": np.nan, "ci_high": np.nan, "p_adjusted": np.nan}))
    assert [text.get_text() for text in axes.texts] == ["3"]
    assert "no statement" in axes.figure.get_suptitle()


@pytest.mark.parametrize("letters", [1, 12, 40, 90])
@pytest.mark.parametrize("pairs", [1, 3, 30])
def test_the_heading_of_differences_is_never_cut(letters, pairs):
    names = [f"{place}".rjust(letters, "w") for place in range(pairs)]
    numbers = {"difference_mean": 4_056.0, "ci_low": 4_054.0, "ci_high": 4_059.0, "p_adjusted": 0.001}
    table = pd.DataFrame({"policy_a": names, "policy_b": names[::-1], **numbers})
    figure = Figure(figsize=more.differences_size(table), layout="constrained")
    more.draw_differences(figure.subplots(), table)
    figure.draw_without_rendering()
    [axes] = figure.axes
    [heading] = (text for text in figure.texts if text.get_text().startswith("Left of 0"))
    box = heading.get_window_extent()
    for part in (box, *(text.get_window_extent() for text in (*axes.texts, *axes.get_yticklabels()))):
        assert part.x0 >= 0.0
        assert part.x1 <= figure.bbox.x1
    assert box.x0 < 0.02 * figure.bbox.width
    assert box.y0 >= axes.bbox.y1
    assert box.y1 <= figure.bbox.y1
    assert axes.bbox.width > 1.2 * figure.dpi


def steps(arms: int, horizon: int, *, indexed: bool = True) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    table = {
        "t": np.arange(1, horizon + 1),
        "arm": rng.integers(0, arms, horizon),
        "reward": rng.integers(0, 2, horizon),
    }
    table |= {f"mean_{arm}": rng.random(horizon) for arm in range(arms)}
    table |= {f"index_{arm}": rng.random(horizon) if indexed else np.full(horizon, np.nan) for arm in range(arms)}
    return pd.DataFrame(table)


def test_a_trace_shows_choices_estimates_and_indices():
    table = steps(3, 50)
    table.loc[10:19, "index_1"] = -np.inf
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    more.draw_trace(figure, table, [0.1, 0.9, 0.5], ["left", "best", "right"])
    choices, estimates, indices = figure.axes
    dots = {(x, y) for line in choices.get_lines() for x, y in zip(*line.get_data(), strict=True)}
    assert dots == set(zip(table["t"], table["arm"], strict=True))
    assert [text.get_fontweight() for text in choices.get_yticklabels()] == ["normal", "bold", "normal"]
    thin = sorted(line.get_ydata()[0] for line in estimates.get_lines() if len(line.get_ydata()) == 2)
    assert thin == [0.1, 0.5, 0.9]
    drawn = lines_by_label(estimates)["best"].get_ydata()
    first = int(np.argmax(table["arm"] == 1))
    assert np.isnan(drawn[: first + 1]).all()  # no estimate before a pull
    np.testing.assert_array_equal(drawn[first + 1 :], table["mean_1"][first + 1 :])
    assert np.isnan(indices.get_lines()[1].get_ydata()[10:20]).all()
    assert "could not win" in indices.get_title(loc="left")
    marked = {}
    for line in indices.get_lines():
        if line.get_marker() == "o":
            marked |= dict(zip(*line.get_data(), strict=True))
    pulled = table[[f"index_{arm}" for arm in range(3)]].to_numpy()[np.arange(50), table["arm"]]
    np.testing.assert_array_equal([marked[t] for t in table["t"]], np.where(np.isfinite(pulled), pulled, np.nan))
    assert all(axes.get_ylabel() for axes in figure.axes)


def test_twelve_arms_of_a_trace_differ_in_colour_or_dashes_and_like_colours_in_dashes():
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    more.draw_trace(figure, steps(12, 100), np.linspace(0.1, 0.9, 12), [str(arm) for arm in range(12)])
    lines = list(lines_by_label(figure.axes[1]).values())
    assert len(lines) == 12
    looks = {(to_hex(line.get_color()), str(line._dash_pattern)) for line in lines}
    assert len(looks) == 12
    for group in ((0, 7), (1, 5), (1, 3), (4, 8), (1, 9)):  # blues, browns, reds, pinks, yellows
        dashes = [look for look in looks if look[0] in [drawing.PALETTE[place] for place in group]]
        assert len({dash for _, dash in dashes}) == len(dashes)
    assert_readable(figure.axes[1], "y")


def test_a_trace_of_one_step_of_equal_arms_draws():
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    more.draw_trace(figure, steps(2, 1), [0.5, 0.5], ["a", "b"])
    figure.draw_without_rendering()
    assert len(figure.axes) == 3


def test_a_sweep_of_one_value_draws():
    axes = new_axes()
    more.draw_final(axes, sweep([0.5], [0.0]), "c")
    assert axes.get_lines()
    assert_readable(axes)


def test_a_trace_without_indices_has_two_panels_and_many_arms_are_grey():
    figure = Figure(figsize=(10.0, 9.0), layout="constrained")
    more.draw_trace(figure, steps(34, 400, indexed=False), np.linspace(0.0, 0.1, 34), [str(arm) for arm in range(34)])
    assert len(figure.axes) == 2
    labels = legend_text(figure.axes[1]).splitlines()[1:]
    assert len(labels) == 9
    assert labels.count("others") == 1
    assert "33" in labels
    assert figure.axes[0].get_yticklabels()[-1].get_text() == "33"
    assert_readable(figure.axes[0], "y")
    assert_readable(figure.axes[1])
