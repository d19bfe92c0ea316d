"""Published numbers of positions, to compare estimates with on boards too large to walk.

Distinct positions of Connect 4 with four in a row, including the empty board and the final positions; a won game is not
extended. By board: John Tromp's Connect Four page (tromp.github.io/c4/c4.html), extended by M. Böck, arXiv 2507.05267
(2025). 7 x 6 by ply: Böck, and OEIS A212693.
"""

from __future__ import annotations

POSITIONS_7X6: tuple[int, ...] = (
    1,
    7,
    49,
    238,
    1120,
    4263,
    16422,
    54859,
    184275,
    558186,
    1662623,
    4568683,
    12236101,
    30929111,
    75437595,
    176541259,
    394591391,
    858218743,
    1763883894,
    3568259802,
    6746155945,
    12673345045,
    22010823988,
    38263228189,
    60830813459,
    97266114959,
    140728569039,
    205289508055,
    268057611944,
    352626845666,
    410378505447,
    479206477733,
    488906447183,
    496636890702,
    433471730336,
    370947887723,
    266313901222,
    183615682381,
    104004465349,
    55156010773,
    22695896495,
    7811825938,
    1459332899,
)
"""Positions of 7 x 6 by ply, from 0 to 42."""

# By height from 1 on: the numbers of each width from 1 to the largest known.
_BY_HEIGHT: tuple[tuple[int, ...], ...] = (
    (2, 5, 13, 35, 96, 267, 750, 2118, 6010, 17120, 48930, 140243, 402956),
    (3, 18, 116, 741, 4688, 29737, 189648, 1216721, 7844298, 50780523, 329842064, 2148495091, 14027829516),
    (
        4,
        58,
        869,
        12031,
        158911,
        2087325,
        27441956,
        362940958,
        4816325017,
        64137689503,
        856653299180,
        11470572730124,
        153906772806519,
    ),
    (
        5,
        179,
        6000,
        161029,
        3945711,
        94910577,
        2265792710,
        54233186631,
        1295362125552,
        30932968221097,
        738548749700312,
        17631656694578592,
        420788402285901824,
    ),
    (6, 537, 38310, 1706255, 69763700, 2818972642, 112829665923, 4499431376127, 178942601291926),
    (7, 1571, 235781, 15835683, 1044334437, 69173028785, 4531985219092, 290433534225566),
    (8, 4587, 1417322, 135385909, 14171315454, 1523281696228, 161965120344045),
    (9, 13343, 8424616, 1104642469, 182795971462, 31936554362084),
    (10, 38943, 49867996, 8754703921, 2284654770108),
    (11, 113835, 294664010, 67916896758),
    (12, 333745, 1741288730, 519325538608),
    (13, 980684, 10300852227, 3928940117357),
    (14, 2888780, 61028884959, 29499214177403),
)


def positions(width: int, height: int, connect: int) -> int | None:
    """Return the published number of distinct positions of a board; None if there is none.

    Examples
    --------
    >>> positions(7, 6, 4), positions(9, 9, 4)
    (4531985219092, None)
    """
    known = _BY_HEIGHT[height - 1] if connect == 4 and height <= len(_BY_HEIGHT) else ()
    return known[width - 1] if width <= len(known) else None


def positions_by_ply(width: int, height: int, connect: int) -> tuple[int, ...] | None:
    """Return the published numbers of a board by ply; None if there are none.

    Examples
    --------
    >>> sum(positions_by_ply(7, 6, 4)) == positions(7, 6, 4)
    True
    """
    return POSITIONS_7X6 if (width, height, connect) == (7, 6, 4) else None
