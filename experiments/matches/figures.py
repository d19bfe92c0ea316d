"""Figures of matches and tournaments: results by colour, lengths, cross table, ratings, a sweep, and a single game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from bandits.drawing import PALETTE, SMALL, called, caption, line_style, number, plain
from experiments.regret.figures import apart
from experiments.statistics.against_best import BEST, LIKE_BEST, LOWER
from experiments.statistics.doubling import BUDGETS

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from connect4 import Board
    from experiments.statistics.doubling import Doubling

ONE, TWO, DRAW = PALETTE[0], PALETTE[1], "0.72"  # player 1 or stones X, player 2 or stones O, nobody
_BARS = 64  # of a histogram of lengths, at most
_SHORT, _LONG = 9, 60  # letters of a name that fits under a column, and beside a row
_DECADE = 10.0  # a sweep that spans it has a logarithmic axis

Floats = npt.NDArray[np.float64]


def draw_results(axes: Axes, summary: pd.DataFrame, colours: Mapping[str, str]) -> None:
    """Draw the shares of wins, draws and losses of player 1 by colour, and the score with its 95 % interval.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    summary : pandas.DataFrame
        What `experiments.matches.match.summary_of` returns.
    colours : mapping
        What the rows are called.
    """
    rows = summary[summary["games"] > 0].reset_index(drop=True)
    player, opponent = called(str(rows["player"].iloc[0])), called(str(rows["opponent"].iloc[0]))
    start = np.zeros(len(rows))
    for name, colour, label in (
        ("wins", ONE, f"{player} wins"),
        ("draws", DRAW, "draws"),
        ("losses", TWO, f"{opponent} wins"),
    ):
        share = rows[name].to_numpy(np.float64) / rows["games"].to_numpy(np.float64)
        axes.barh(rows.index, 100.0 * share, left=100.0 * start, height=0.62, color=colour, label=label)
        for place, count in enumerate(rows[name]):
            if share[place] >= 0.05:
                middle = 100.0 * (start[place] + share[place] / 2.0)
                axes.text(
                    middle, place + 0.2, number(count), ha="center", va="center", fontsize=SMALL, color=_ink(name)
                )
        start += share
    score, low, high = (100.0 * rows[name].to_numpy(np.float64) for name in ("score", "score_low", "score_high"))
    axes.errorbar(
        score, rows.index, xerr=_arms(score, low, high), fmt="o", color="0.05", markersize=4.5, capsize=3.0,
        linewidth=1.4, label="score, 95 % interval",
    )  # fmt: skip
    for place, text in enumerate(_scores(rows)):
        axes.text(1.015, place, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_yticks(
        rows.index, [f"{colours[row['colour']]}\n({row['games']:,} games)" for row in rows.to_dict("records")]
    )
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(0.0, 100.0)
    axes.set_xlabel(f"score of {player} (% of the points: a win counts 1, a draw ½)")
    caption(axes, f"Results of {player}; numbers in the bars: games")
    plain(axes, "x")


def _ink(name: str) -> str:
    return "white" if name == "wins" else "0.1"


def _arms(score: Floats, low: Floats, high: Floats) -> Floats:
    """Return the lengths of both arms of an error bar; rounding does not make one negative."""
    return np.maximum(np.vstack([score - low, high - score]), 0.0)


def _scores(rows: pd.DataFrame) -> list[str]:
    return [
        f"{100 * row['score']:.1f} % [{100 * row['score_low']:.1f}, {100 * row['score_high']:.1f}]"
        for row in rows.to_dict("records")
    ]


def draw_lengths(axes: Axes, games: pd.DataFrame) -> None:
    """Draw how many games lasted how many plies, by winner.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    games : pandas.DataFrame
        The games of one pair: player1, player2, plies, result and ending.
    """
    from matplotlib.ticker import MaxNLocator

    plies = games["plies"].to_numpy(np.int64)
    on_board = bool(games["ending"].isin(("row", "full")).all())
    step = 1
    while (int(plies.max()) - int(plies.min())) // step >= _BARS:
        step *= 2  # an even number of plies holds as many moves of either side
    edges = np.arange(plies.min(), plies.max() + step + 1, step) - 0.5
    start = np.zeros(len(edges) - 1)
    names = [called(str(games[name].iloc[0])) for name in ("player1", "player2")]
    for result, colour, name in ((1, ONE, f"{names[0]} wins"), (-1, TWO, f"{names[1]} wins"), (0, DRAW, "draw")):
        own = plies[games["result"].to_numpy() == result]
        if own.size == 0:
            continue
        counts = np.histogram(own, edges)[0]
        label = f"{name}: {number(own.size)} game{'s' if own.size > 1 else ''}, mean {number(own.mean(), 3)} plies"
        axes.bar(edges[:-1] + step / 2.0, counts, bottom=start, width=0.86 * step, color=colour, label=label)
        start += counts
    axes.set_xlabel("length of the game (plies)" + (f", {step} together" if step > 1 else ""))
    axes.set_ylabel("games")
    axes.set_ylim(0.0, 1.05 * start.max())
    odd = "; odd lengths are won by whoever moved first, even ones by the other" if step == 1 and on_board else ""
    caption(axes, f"Bars are stacked{odd}")
    plain(axes, "y")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True, nbins="auto", steps=[1, 2, 5, 10]))


def draw_crosstable(figure: Figure | SubFigure, axes: Axes, pairs: pd.DataFrame, order: Sequence[str]) -> None:
    """Draw every player's score against every other as a heat map.

    Parameters
    ----------
    figure, axes : matplotlib.figure.Figure, matplotlib.axes.Axes
        Where to draw, the scale beside it.
    pairs : pandas.DataFrame
        One row a player and opponent: player, opponent, score.
    order : sequence of str
        The players from top to bottom and from left to right.
    """
    place = {name: number for number, name in enumerate(order)}
    scores = np.full((len(order), len(order)), np.nan)
    for row in pairs.to_dict("records"):
        scores[place[row["player"]], place[row["opponent"]]] = 100.0 * row["score"]
    axes.set_facecolor("0.88")  # of the diagonal, which is no score of 50
    image = axes.imshow(scores, cmap="PuOr_r", vmin=0.0, vmax=100.0, aspect="auto")
    for i, j in zip(*np.nonzero(np.isfinite(scores)), strict=True):
        dark = abs(scores[i, j] - 50.0) > 32.0
        axes.text(
            j, i, number(round(scores[i, j], 1)), ha="center", va="center", fontsize=SMALL + 1.0,
            color="white" if dark else "0.1",
        )  # fmt: skip
    short = all(len(name) <= _SHORT for name in order)
    numbered = [f"{called(name, _LONG)}  {row + 1}" for name, row in place.items()]
    axes.set_yticks(range(len(order)), [called(name) for name in order] if short else numbered, fontsize=SMALL)
    columns = [called(name) if short else str(row + 1) for name, row in place.items()]
    axes.set_xticks(range(len(order)), columns, fontsize=SMALL)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0.0)
    scale = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
    scale.ax.tick_params(labelsize=SMALL)
    scale.set_label("score (%)", fontsize=SMALL)
    games = int(pairs["games"].iloc[0])
    caption(axes, f"Score of the row against the column, in %; {number(games)} games of each pair")


def draw_ratings(axes: Axes, standings: pd.DataFrame) -> None:
    """Draw every player's Elo rating with its 95 % interval, the best on top.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    standings : pandas.DataFrame
        One row a player, sorted: player, elo, elo_low, elo_high.
    """
    elo, low, high = (standings[name].to_numpy(np.float64) for name in ("elo", "elo_low", "elo_high"))
    y = np.arange(len(standings))
    axes.axvline(0.0, color="0.6", linewidth=0.8)
    axes.errorbar(
        elo, y, xerr=_arms(elo, low, high), fmt="o", color=PALETTE[0], markersize=5.0, capsize=3.0, linewidth=1.6
    )
    for place in y:
        text = f"{number(round(elo[place]))} [{number(round(low[place]))}, {number(round(high[place]))}]"
        axes.text(1.015, float(place), text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_yticks(y, [called(str(name), _LONG) for name in standings["player"]])
    axes.set_ylim(len(y) - 0.5, -0.5)
    axes.set_xlabel("Elo rating (the players' mean is 0)")
    caption(axes, "Bradley-Terry fit with 95 % intervals; 400 points: odds of 10 to 1")
    plain(axes, "x")


def draw_sweep(axes: Axes, table: pd.DataFrame, key: str, *, numeric: bool) -> None:
    """Draw the score of player 1, with its 95 % interval, against what was swept.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    table : pandas.DataFrame
        One row a match: value, line (what else was swept, one line each), games, score, score_low, score_high,
        score_moving_first, score_moving_second and standing, as in `experiments.matches.sweep.sweep_table`.
    key : str
        What the values are, such as "player1.depth".
    numeric : bool
        Whether the values are numbers, on an axis that is logarithmic where they span a decade, or names.
    """
    lines = list(dict.fromkeys(table["line"]))
    names = list(dict.fromkeys(table["value"]))
    for place, line in enumerate(lines):
        own = table[table["line"] == line]
        own = own.sort_values("value") if numeric else own
        score, low, high = (100.0 * own[name].to_numpy(np.float64) for name in ("score", "score_low", "score_high"))
        style = line_style(place) if len(lines) > 1 else {"color": PALETTE[0], "marker": "o", "linestyle": "-"}
        x = np.array([value if numeric else names.index(value) for value in own["value"]], dtype=np.float64)
        if not numeric or axes.lines:  # names have no order, and a fitted curve is there already
            style["linestyle"] = "none"
        if not numeric:
            x += 0.5 * (place - (len(lines) - 1) / 2) / len(lines)
        axes.errorbar(
            x, score, _arms(score, low, high), label=called(line) if line else None, capsize=3.0, linewidth=1.4,
            markersize=6.0, **style,
        )  # fmt: skip
        lower = (own["standing"] == LOWER).to_numpy()
        style["linestyle"] = "none"
        axes.plot(x[lower], score[lower], markersize=4.2, **{**style, "color": "white"}, zorder=4.0)
        best = (own["standing"] == BEST).to_numpy()
        axes.plot(x[best], score[best], "o", color="0.1", markerfacecolor="none", markersize=12.0, zorder=5.0)
        if key == "board" and len(lines) == 1:
            for name, marker, shift in (("first", "^", -0.14), ("second", "v", 0.14)):
                share = 100.0 * own[f"score_moving_{name}"].to_numpy(np.float64)
                axes.plot(x + shift, share, marker, color="0.55", markersize=4.5, label=f"player 1 moving {name}")
    if numeric:
        values = np.unique(table["value"].to_numpy(np.float64))
        budget = key.rpartition(".")[2] in BUDGETS
        logarithmic = bool(values[0] > 0.0 and (budget or values[-1] >= _DECADE * values[0]))
        if logarithmic:
            from matplotlib.ticker import NullLocator

            axes.set_xscale("log", base=2 if budget else 10)
            axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(apart(values, logarithmic))
    axes.axhline(50.0, color="0.6", linewidth=0.8)
    axes.set_ylim(-2.0, 102.0)
    axes.set_xlabel(key)
    axes.set_ylabel("score of player 1 (% of the points)")
    marks = "; circle: best; filled: not distinguishable from it" if len(table) > 1 else ""
    counted = _counted(table["games"])
    caption(axes, f"Wins + draws / 2 of {counted}; bars: 95 % intervals{marks}; level line: as strong as the opponent")
    plain(axes, "both" if numeric else "y")
    if numeric:
        axes.xaxis.set_major_formatter(lambda value, _: number(value, 4))
    else:
        axes.set_xticks(range(len(names)), [called(str(name), 32) for name in names])
        for text in axes.get_xticklabels() if len(names) > 4 else ():
            text.set(rotation=20.0, ha="right", rotation_mode="anchor")
        axes.set_xlim(-0.6, len(names) - 0.4)


def draw_rows(axes: Axes, table: pd.DataFrame, key: str) -> None:
    """Draw the score of player 1, with its 95 % interval, one row a value that has a long name.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    table : pandas.DataFrame
        One row a match: value, games, score, score_low, score_high and standing.
    key : str
        What the values are, such as "player.settings".
    """
    score, low, high = (100.0 * table[name].to_numpy(np.float64) for name in ("score", "score_low", "score_high"))
    rows = np.arange(len(table))
    axes.axvline(50.0, color="0.6", linewidth=0.8)
    axes.errorbar(
        score, rows, xerr=_arms(score, low, high), fmt="o", color=PALETTE[0], markersize=6.0, capsize=3.0, linewidth=1.4
    )
    lower = (table["standing"] == LOWER).to_numpy()
    axes.plot(score[lower], rows[lower], "o", color="white", markersize=4.2, zorder=4.0)
    best = (table["standing"] == BEST).to_numpy()
    axes.plot(score[best], rows[best], "o", color="0.1", markerfacecolor="none", markersize=12.0, zorder=5.0)
    for place, text in enumerate(_scores(table)):
        axes.text(1.015, place, text, transform=axes.get_yaxis_transform(), va="center", fontsize=SMALL)
    axes.set_yticks(rows, [called(str(value), _LONG) for value in table["value"]])
    axes.set_ylim(len(table) - 0.4, -0.6)
    axes.set_xlim(-2.0, 102.0)
    axes.set_xlabel(f"score of player 1 (% of the points) by {key}")
    caption(
        axes,
        f"Wins + draws / 2 of {_counted(table['games'])}; bars: 95 % intervals;\n"
        "circle: best; filled: not distinguishable from it",
    )
    plain(axes, "x")


def draw_doubling(axes: Axes, fit: Doubling, budgets: pd.Series[float], place: int) -> None:
    """Draw the fitted score against a budget, as curve number `place`, before `draw_sweep` draws what was measured."""
    low, high = float(budgets.min()), float(budgets.max())
    x = low * (high / low) ** np.linspace(0.0, 1.0, 200)
    text = f"fit: {number(round(fit.elo))} Elo a doubling [{number(round(fit.elo_low))}, {number(round(fit.elo_high))}]"
    axes.plot(x, 100.0 * fit.score(x), color=PALETTE[place % len(PALETTE)], linewidth=1.2, alpha=0.7, label=text)


def draw_heat_map(figure: Figure | SubFigure, axes: Axes, table: pd.DataFrame, across: str, down: str) -> None:
    """Draw the score of player 1 for every combination of two numbers, with the numbers in the cells.

    Parameters
    ----------
    figure, axes : matplotlib.figure.Figure, matplotlib.axes.Axes
        Where to draw, the scale beside it.
    table : pandas.DataFrame
        One row a combination: the two keys, games, score and standing.
    across, down : str
        The keys of the horizontal and of the vertical axis.
    """
    x, y = (table[key].astype(float) for key in (across, down))
    columns, rows = sorted(set(x)), sorted(set(y), reverse=True)
    scores = np.full((len(rows), len(columns)), np.nan)
    for row, value, standing, score in zip(y, x, table["standing"], 100.0 * table["score"], strict=True):
        i, j = rows.index(row), columns.index(value)
        scores[i, j] = score
        told = f"{score:.1f}" + ("*" if standing in (BEST, LIKE_BEST) else "")
        axes.text(
            j, i, told, ha="center", va="center", fontsize=SMALL + 1.0, fontweight="bold" if standing == BEST else None,
            color="white" if abs(score - 50.0) > 32.0 else "0.1",
        )  # fmt: skip
    axes.set_facecolor("0.88")  # of a combination that was refused
    image = axes.imshow(scores, cmap="PuOr_r", vmin=0.0, vmax=100.0, aspect="auto")
    axes.set_xticks(range(len(columns)), [number(value, 4) for value in columns], fontsize=SMALL)
    axes.set_yticks(range(len(rows)), [number(value, 4) for value in rows], fontsize=SMALL)
    axes.set_xlabel(across, fontsize=SMALL + 1.0)
    axes.set_ylabel(down, fontsize=SMALL + 1.0)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0.0)
    scale = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
    scale.ax.tick_params(labelsize=SMALL)
    scale.set_label("score (%)", fontsize=SMALL)
    counted = _counted(table["games"])
    caption(axes, f"Score of player 1 in %, {counted}; bold: best; star: not distinguishable from it")


def _counted(games: pd.Series[int]) -> str:
    low, high = int(games.min()), int(games.max())
    return f"{number(low)} games each" if low == high else f"{number(low)} to {number(high)} games each"


def draw_game(axes: Axes, board: Board, given: int, names: Mapping[str, str], title: str) -> None:
    """Draw a position with the number of its move in each stone.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    board : Board
        A game's last position.
    given : int
        How many of the first moves were an opening's; their stones are paler.
    names : mapping of "X" and "O" to str
        Who has the stones of the first and of the second move.
    title : str
        Written above it.
    """
    from matplotlib.patches import Circle

    heights = [0] * board.width
    winning = set(board.winning_line())
    room = axes.bbox.width * 72.0 / axes.figure.dpi / (board.width + 1)  # points of a cell, as far as it is known
    for ply, column in enumerate(board.moves):
        row = heights[column]
        heights[column] += 1
        won = (board.height - 1 - row, column) in winning
        axes.add_patch(
            Circle(
                (column, row), 0.42, facecolor=(ONE, TWO)[ply % 2], alpha=0.45 if ply < given else 1.0,
                edgecolor="0.05" if won else "none", linewidth=2.4 if won else 0.0, zorder=2.0,
            )
        )  # fmt: skip
        axes.text(
            column, row, str(ply + 1), ha="center", va="center", fontsize=min(13.0, 0.36 * room), zorder=3.0,
            color="white" if ply % 2 == 0 and ply >= given else "0.05", fontweight="bold" if won else "normal",
        )  # fmt: skip
    for column in range(board.width):
        for row in range(heights[column], board.height):
            axes.add_patch(Circle((column, row), 0.42, facecolor="none", edgecolor="0.8", linewidth=0.8))
    axes.set_xlim(-0.6, board.width - 0.4)
    axes.set_ylim(-0.6, board.height - 0.4)
    axes.set_aspect("equal")
    axes.set_xticks(range(board.width), [str(column) for column in range(board.width)])
    axes.set_yticks([])
    axes.tick_params(length=0.0, labelsize=SMALL)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("column", fontsize=SMALL + 1)
    for (sign, name), colour, turn in zip(names.items(), (ONE, TWO), ("first", "second"), strict=True):
        axes.plot([], [], "o", color=colour, markersize=7.0, label=f"{called(name)} ({sign}, moves {turn})")
    opening = f"; pale: the opening's {given} move{'s' if given > 1 else ''}" if given else ""
    caption(axes, f"{title}; numbers: moves{opening}")


def game_size(board: Board) -> tuple[float, float]:
    """Return the width and height in inches that a drawing of a game needs."""
    most = 14.0 / max(board.width, board.height)
    width = max(5.2, min(0.62, most) * board.width + 0.6)
    cell = min((width - 0.6) / board.width, most)  # as large as the caption is wide
    return width, max(2.4, cell * board.height + 2.0)
