"""The strongest search that is no solver: UCT with all that measurably helps in Connect 4."""

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
    prior="lines",
):
    """Searches as uct does, with the options that are best for Connect 4 together; boards of up to 64 bits.

    Threats and follow-up play decide nodes early, playouts give no winning cell away and spare those below their own,
    a prior leans to cells with many lines, orders of moves share what is known, and what is proven is backed up.
    docs/measured/search.md has the measurements.
    """
