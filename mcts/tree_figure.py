"""A picture of the top of a search tree: the most searched moves with their visits and values.

A disc is a move: its number inside, its visits and mean result beside it; its area shows its visits. A move of an
ordinary class, whose text is longer, stands beside the disc, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from bandits import Policy
from mcts.kernels.nodes import Nodes
from mcts.policy import IN_A_TREE
from numerics import checks
from numerics.games import LOST, UNDECIDED, WON
from numerics.output import style
from numerics.output.captions import caption


class Searched(Protocol):
    """What is drawn of a `SearchResult`."""

    @property
    def policy(self) -> Policy:
        """The policy that selected the children."""

    @property
    def tree(self) -> Nodes:
        """The nodes; number 0 is the root."""

    @property
    def value(self) -> float:
        """The mean result for the side to move at the root."""

    @property
    def principal_nodes(self) -> list[int]:
        """The nodes of best play by visits."""

    @property
    def names(self) -> Sequence[Any] | None:
        """The moves of an ordinary class; None of moves that are numbers."""

    def name_of(self, move: int) -> Any:
        """Return a move as it is shown."""

    def children(self, node: int) -> npt.NDArray[np.int64]:
        """Return the children of a node."""

    def node_values(self, nodes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the values of nodes."""


_PROVEN = {WON: "won", 0: "drawn", LOST: "lost"}
_COLUMN, _ROW, _MARGIN = 0.62, 1.25, 0.9  # inches of a leaf, of a level, and of the margin
_LARGEST, _SMALLEST = 900.0, 130.0  # areas of discs, in square points
_LEAVES = 40  # most leaves that stay readable
_NARROWEST = 6.4  # inches, so that the caption fits
_COLOURS = "RdYlBu"
_INSIDE, _BESIDE = 2, 10  # most letters of a move in a disc, and beside it


def draw(result: Searched, path: str | Path, levels: int = 3, share: float = 0.03) -> list[Path]:
    """Write a picture of the tree as `path`.png, .svg and .pdf; see `SearchResult.draw`."""
    levels = checks.check_whole("levels", levels, 1, 20)
    share = checks.number("share", share, 0.0, 1.0, above=True)
    if result.tree.visits[0] < 1.0:
        raise ValueError("result must have at least one simulation to be drawn; got 0")
    shown, places = _layout(result, levels, share)
    leaves, depth = max(x for x, _ in places.values()) + 1.0, max(level for _, level in places.values())
    size = (max(_NARROWEST, _COLUMN * leaves + _MARGIN), _ROW * depth + 2.0 * _MARGIN)
    with style.vectors():
        with style.page(path, size) as figure:
            axes = figure.subplots()
            axes.set_xlim(-0.7, leaves - 0.3)
            axes.set_ylim(-depth - 0.55, 0.3)
            axes.axis("off")
            _edges(axes, result, shown, places)
            _nodes(axes, result, shown, places)
            caption(axes, _words(result, share))
        return style.files(path)


def _layout(result: Searched, levels: int, share: float) -> tuple[dict[int, list[int]], dict[int, tuple[float, int]]]:
    """Return the shown children of each node, and every node's column and level.

    Leaves lie side by side, every other node above the middle of its children.
    """
    visits, least = result.tree.visits, share * result.tree.visits[0]
    shown: dict[int, list[int]] = {0: []}
    front = [0]
    for _ in range(levels):
        below = [(node, int(child)) for node in front for child in result.children(node) if visits[child] >= least]
        if len(below) > _LEAVES:
            below = sorted(below, key=lambda pair: -visits[pair[1]])[:_LEAVES]
        for node, child in sorted(below, key=lambda pair: int(result.tree.move[pair[1]])):
            if child not in shown:  # children of several parents lie below the first
                shown[node].append(child)
                shown[child] = []
        front = [child for _, child in below]
    places: dict[int, tuple[float, int]] = {}
    taken = 0.0

    def put(node: int, level: int) -> float:
        nonlocal taken
        if not shown[node]:
            taken += 1.0
            places[node] = (taken - 1.0, level)
        else:
            columns = [put(child, level + 1) for child in shown[node]]
            places[node] = ((columns[0] + columns[-1]) / 2.0, level)
        return places[node][0]

    put(0, 0)
    return shown, places


def _edges(axes: Any, result: Searched, shown: dict[int, list[int]], places: dict[int, tuple[float, int]]) -> None:
    """Draw a line from every node to its children, wider for more visits; best play in another colour."""
    best = result.principal_nodes
    for node, children in shown.items():
        for child in children:
            (x1, y1), (x2, y2) = places[node], places[child]
            width = 0.8 + 7.0 * result.tree.visits[child] / result.tree.visits[0]
            colour = style.PALETTE[1] if child in best else "0.75"
            axes.plot([x1, x2], [-y1, -y2], color=colour, linewidth=width, solid_capstyle="round", zorder=1)


def _nodes(axes: Any, result: Searched, shown: dict[int, list[int]], places: dict[int, tuple[float, int]]) -> None:
    """Draw the discs with their moves inside, visits and values below."""
    import matplotlib

    tree = result.tree
    nodes = list(shown)
    values = [result.value if node == 0 else float(result.node_values(np.array([node]))[0]) for node in nodes]
    areas = [_SMALLEST + (_LARGEST - _SMALLEST) * tree.visits[node] / tree.visits[0] for node in nodes]
    spots = [(places[node][0], -places[node][1]) for node in nodes]
    colours = matplotlib.colormaps[_COLOURS](values)
    axes.scatter(*zip(*spots, strict=True), s=areas, c=colours, edgecolors="0.25", linewidths=0.9, zorder=2)
    for node, (x, y), value, area, colour in zip(nodes, spots, values, areas, colours, strict=True):
        ink = "white" if colour[:3] @ (0.299, 0.587, 0.114) < 0.5 else "black"
        move = "" if node == 0 else str(result.name_of(int(tree.move[node])))
        inside, above = (move, "") if len(move) <= _INSIDE else ("", f"{_shorten(move)}\n")
        axes.annotate(inside, (x, y), ha="center", va="center", fontsize=style.SMALL, color=ink, zorder=3)
        known = int(tree.outcome[node])
        if node == 0 and known < UNDECIDED:
            known = -known  # the root's value is for the side to move
        text = f"{above}{int(tree.visits[node]):,}\n{_PROVEN[known] if known < UNDECIDED else f'{value:.2f}'}"
        radius = 0.5 * np.sqrt(area)
        inner = bool(shown[node])  # text goes beside a disc with children, else below it
        axes.annotate(
            text,
            (x, y),
            (radius + 5.0, 0.0) if inner else (0.0, -radius - 3.0),
            textcoords="offset points",
            ha="left" if inner else "center",
            va="bottom" if inner else "top",
            fontsize=style.SMALL - 1.0,
            zorder=4,
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.8},
        )


def _shorten(move: str) -> str:
    return move if len(move) <= _BESIDE else f"{move[: _BESIDE - 3]}..."


def _words(result: Searched, share: float) -> str:
    total = int(result.tree.visits[0])
    beside = "In a disc: the move; beside it: visits" if result.names is None else "Beside a disc: the move, visits"
    return (
        f"{IN_A_TREE.text(result.policy)}, {total:,} simulations; nodes with at least {100.0 * share:g} % of them. "
        f"{beside} and mean result for the side that moved (root: to move), "
        "from 0 (red) to 1 (blue). Orange: principal variation."
    )
