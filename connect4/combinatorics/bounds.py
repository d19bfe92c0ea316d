"""Upper bounds on the numbers of games and positions, and on the share of draws, from formulas.

All numbers are exact: Python's integers have no largest value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from connect4.lines import Cell, winning_lines
from numerics import checks


def games_by_width(width: int, height: int) -> int:
    """Return width ** cells: every one of at most `cells` moves chooses among `width` columns.

    A finished game of fewer plies can be continued in some way to `cells` moves. Distinct games stay distinct, because
    no finished game is the beginning of another.

    Examples
    --------
    >>> f"{games_by_width(7, 6):.3g}"
    '3.12e+35'
    """
    width, height = _check(width, height)
    return int(width ** (width * height))


def games_by_fillings(width: int, height: int) -> int:
    r"""Return the number of orders in which the columns of an empty board can be filled, (w h)! / (h!)^w.

    It bounds the number of distinct finished games. A finished game is a sequence of columns. Its players go on, after
    a win too, by any fixed rule until the board is full. The result is a sequence in which every column stands `height`
    times, and there are (w h)! / (h!)^w of these. Two different finished games give different results. A game ends when
    it is won, so neither is the beginning of the other. They differ at a move that both results keep.

    Examples
    --------
    >>> f"{games_by_fillings(7, 6):.3g}"
    '1.4e+31'
    """
    width, height = _check(width, height)
    return int(math.factorial(width * height) // math.factorial(height) ** width)


def sequences_by_ply(width: int, height: int) -> list[int]:
    r"""Return, for p = 0 ... cells, the number of ways to drop p stones one after the other, ignoring wins.

    It is p! [x^p] (\sum_{k \le h} x^k / k!)^w, the sum of multinomials over the heights of the columns. It bounds the
    number of move sequences of p plies in Connect 4, where a won game is not extended.

    Examples
    --------
    >>> sequences_by_ply(7, 6)[6:9]
    [117649, 823536, 5764458]
    """
    width, height = _check(width, height)
    counts = [1]
    for _ in range(width):  # one column more, with k of the p stones: C(p, k) ways to merge the two orders
        longer = [0] * (len(counts) + height)
        for stones, ways in enumerate(counts):
            mixed = ways
            for more in range(height + 1):
                longer[stones + more] += mixed
                mixed = mixed * (stones + more + 1) // (more + 1)
        counts = longer
    return counts


def positions_by_cells(width: int, height: int) -> int:
    """Return 3 ** cells: every cell is empty or has one of two colours.

    Examples
    --------
    >>> f"{positions_by_cells(7, 6):.3g}"
    '1.09e+20'
    """
    width, height = _check(width, height)
    return int(3 ** (width * height))


def positions_by_gravity(width: int, height: int) -> int:
    """Return (2^(height + 1) - 1) ** width: a column of k stones, k = 0 ... height, is coloured in one of 2^k ways.

    Examples
    --------
    >>> f"{positions_by_gravity(7, 6):.3g}"
    '5.33e+14'
    """
    width, height = _check(width, height)
    return int((2 ** (height + 1) - 1) ** width)


def positions_by_ply(width: int, height: int) -> list[int]:
    r"""Return, for p = 0 ... cells, the ways to fill p cells without a gap below a stone, with the colours of ply p.

    There are [x^p] (1 + x + ... + x^h)^w vectors of column heights. Each has C(p, floor(p / 2)) ways to colour its p
    cells with floor(p / 2) stones of the second player. Every position of ply p is among these.

    Examples
    --------
    >>> positions_by_ply(7, 6)[:4], f"{sum(positions_by_ply(7, 6)):.3g}"
    ([1, 7, 56, 252], '7.07e+13')
    """
    width, height = _check(width, height)
    shapes = [1]
    for _ in range(width):
        shapes = _product(shapes, [1] * (height + 1))
    return [ways * math.comb(stones, stones // 2) for stones, ways in enumerate(shapes)]


def line_in_one_colour(cells: int, connect: int) -> Fraction:
    r"""Return the probability that one given line has one colour on a full board coloured at random.

    The first player gets a = ceil(n / 2) of the n cells, the second b = floor(n / 2). All ways to choose them are
    equally likely. A line of k cells has the colour of the first in C(n - k, a - k) of the C(n, a) ways. So p = (C(n -
    k, a - k) + C(n - k, b - k)) / C(n, a). If n is even, this is 2 C(n - k, n/2 - k) / C(n, n/2).

    Examples
    --------
    >>> line_in_one_colour(42, 4)
    Fraction(57, 533)
    """
    cells, connect = checks.check_whole("cells", cells, 1), checks.check_whole("connect", connect, 2)
    if connect > cells:
        return Fraction(0)
    second = cells // 2
    first = cells - second
    ways = sum(math.comb(cells - connect, colour - connect) for colour in (first, second) if colour >= connect)
    return Fraction(ways, math.comb(cells, first))


def draw_with_independent_lines(width: int, height: int, connect: int) -> float:
    r"""Return (1 - p)^lines, the share of draws under the simplifying assumption of the course handout.

    The handout asks to bound the probability of a draw under simplifying assumptions and leaves them to the reader. We
    assume two things. First, the full board is coloured at random with equal numbers of both colours. The game is a
    draw if and only if no winning line has one colour. Second, the lines are independent of each other, though they
    share cells. Then every one of the `lines` lines is mixed with probability 1 - p, p as in `line_in_one_colour`.

    Neither assumption is true. Lines share cells and colours, so that they are not independent. On 7 x 6 the
    random-filling model has 0.13 % draws by simulation, and this formula gives 0.041 %. On 4 x 4 they are 41.6 % and
    44.9 %, in the opposite order. Nor does random play colour the board at random. Let the players continue after a win
    until the board is full. The game is a draw if and only if no line has one colour. But colours alternate in time, so
    that neighbours in a column differ more often than by chance. In such games on 7 x 6, 8.8 % of the vertical, 9.7 %
    of the horizontal and 10.8 % of the diagonal lines have one colour. In a random filling 10.7 % of all lines do.
    Random play therefore has more draws than the random filling, 0.256 % on 7 x 6. The formula gives an order of
    magnitude, not a bound; `draw_with_disjoint_lines` is a bound for the random-filling model.

    Examples
    --------
    >>> f"{draw_with_independent_lines(7, 6, 4):.2e}"
    '4.08e-04'
    """
    lines = winning_lines(width, height, connect)
    return float(1 - line_in_one_colour(width * height, connect)) ** len(lines)


def draw_with_disjoint_lines(width: int, height: int, connect: int) -> float:
    r"""Return a proven upper bound on the share of draws of the random-filling model.

    In a draw no line has one colour, and so none of m disjoint lines does. Colour the board with a cells for the first
    player. The number of ways in which all of these m lines are mixed is
    [x^a] ((1 + x)^k - 1 - x^k)^m (1 + x)^(n - k m). Each line of k cells contributes its mixed colourings, by the
    number of the first player's cells. A cell outside the lines contributes either colour. Divided by C(n, a), this is
    the bound. It holds for randomly coloured full boards, not for real games.

    Examples
    --------
    >>> round(draw_with_disjoint_lines(7, 6, 4), 4)
    0.3755
    """
    cells, chosen = width * height, disjoint_lines(width, height, connect)
    first = cells - cells // 2
    mixed = [math.comb(connect, cell) for cell in range(connect + 1)]
    mixed[0] -= 1
    mixed[-1] -= 1
    ways = [1]
    for _ in chosen:
        ways = _product(ways, mixed)
    free = cells - connect * len(chosen)
    ways = _product(ways, [math.comb(free, cell) for cell in range(free + 1)])
    return float(Fraction(ways[first], math.comb(cells, first)))


def disjoint_lines(width: int, height: int, connect: int) -> list[tuple[Cell, ...]]:
    """Return pairwise disjoint winning lines: horizontal lines filled up with vertical ones, or the other way round.

    Examples
    --------
    >>> len(disjoint_lines(7, 6, 4))
    9
    """
    across = [line for line in winning_lines(width, height, connect) if line[0][0] == line[-1][0]]
    upright = [line for line in winning_lines(width, height, connect) if line[0][1] == line[-1][1]]
    best: list[tuple[Cell, ...]] = []
    for order in (across + upright, upright + across):
        taken: set[Cell] = set()
        chosen = []
        for line in order:
            if taken.isdisjoint(line):
                taken.update(line)
                chosen.append(line)
        best = max(best, chosen, key=len)
    return best


def _product(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Multiply two polynomials, lowest power first."""
    result = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            result[i + j] += a * b
    return result


def _check(width: int, height: int) -> tuple[int, int]:
    return checks.check_whole("width", width, 1), checks.check_whole("height", height, 1)
