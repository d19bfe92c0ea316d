"""The strongest search: UCT with every option that measurably helps in Connect 4."""

from __future__ import annotations

from mcts import UCTPlayer


class BestUCTPlayer(
    UCTPlayer,
    name="uct_best",
    policy="puct",
    playouts="careful",
    solve=True,
    transpositions=True,
    tactics=True,
    exact=True,
    prior="lines",
):
    """Searches as uct does, with the options that are best for Connect 4 together.

    Threats and follow-up play decide nodes early. Playouts give no winning cell away and avoid the cells below their
    own. A prior favours cells with many lines, transpositions share their statistics, and proven values are backed up.
    Two thirds of the time are spent on an exact search of the moves, which sees who wins with the last stones.
    `docs/measured/search.md` has the measurements.
    """
