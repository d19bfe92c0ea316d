"""An agent for Kaggle's ConnectX in plain Python: `python -m connect4.kaggle -o submission.py` writes this file.

Alpha-beta with iterative deepening on bitboards, for any number of rows, columns and stones in a row. It leaves the
other side no immediate win that it can prevent, and stops before the time is over. Winning cells are weighted by their
row: odd rows for the player who began, even rows for the other. Kaggle plays the last function of the file, `agent`.
"""

from __future__ import annotations

import time
from typing import Any

WIN = 1_000_000  # minus the stones on the board at the end
SHARE = 0.7  # of the time of a move; the rest is a margin for slow machines
LOOK = 32  # positions between two looks at the clock
EXACT, LOWER, UPPER = 0, 1, 2  # kinds of stored values


class OutOfTime(Exception):
    """The time for the move is over."""


class Search:
    """A search on bitboards, one bit a cell: column by column from the bottom, with an empty bit on top of each.

    Parameters
    ----------
    rows, columns, inarow : int
        The board, and the stones in a row that win.
    until : float
        When to stop, as `time.monotonic` counts.
    """

    def __init__(self, rows: int, columns: int, inarow: int, until: float):
        self.rows: int = rows
        self.columns: int = columns
        self.inarow: int = inarow
        self.until: float = until
        self.stride: int = rows + 1
        self.cells: int = rows * columns
        self.bottom: int = sum(1 << column * self.stride for column in range(columns))
        self.full: int = self.bottom * ((1 << rows) - 1)
        by_row = [self.bottom << row for row in range(rows)]
        self.odd: int = sum(by_row[0::2])  # rows 1, 3, ...
        self.even: int = sum(by_row[1::2])  # rows 2, 4, ...
        self.lines: dict[int, int] = self._lines()
        self.shares: list[tuple[int, int]] = [
            (1 << bit, sum(cell for cell, lines in self.lines.items() if lines >> bit & 1))
            for bit in range(max(self.lines.values()).bit_length())
        ]  # weights and cells: the lines through a cell are the sum of its weights
        self.table: dict[int, tuple[int, int, int, int]] = {}  # depth, kind, value, move
        self.seen: int = 0

    def _lines(self) -> dict[int, int]:
        """Return how many lines of `inarow` cells go through each cell."""
        through = {}
        for column in range(self.columns):
            for row in range(self.rows):
                lines = 0
                for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                    for back in range(self.inarow):
                        ends = [
                            (column + right * (step - back), row + up * (step - back)) for step in (0, self.inarow - 1)
                        ]
                        lines += all(0 <= c < self.columns and 0 <= r < self.rows for c, r in ends)
                through[1 << column * self.stride + row] = lines
        return through

    def winning(self, stones: int, taken: int) -> int:
        """Return the empty cells, playable or not, that complete a row of these stones."""
        need, winning = self.inarow - 1, 0
        for step in (1, self.stride, self.stride - 1, self.stride + 1):
            below, above = [self.full], [self.full]  # item n: cells with n of the stones right below, right above
            up, down = stones << step, stones >> step
            for _ in range(need):
                below.append(below[-1] & up)
                above.append(above[-1] & down)
                up, down = up << step, down >> step
            for count in range(need + 1):
                winning |= below[count] & above[need - count]
        return winning & self.full & ~taken

    def worth(self, mine: int, taken: int, to_win: int, to_lose: int) -> int:
        """Return a heuristic value of a position for the side to move, without looking ahead."""
        other = mine ^ taken
        value = 0
        for weight, cells in self.shares:
            value += weight * ((mine & cells).bit_count() - (other & cells).bit_count())
        begins = taken.bit_count() % 2 == 0  # whether the side to move began the game
        first, second = (to_win, to_lose) if begins else (to_lose, to_win)
        if self.rows % 2 == 0:  # the player who began gets the odd rows if both fill columns in turn
            parity = 24 * (first & self.odd).bit_count() - 18 * (second & self.even).bit_count()
        else:
            parity = 12 * ((first & self.odd).bit_count() - (second & self.odd).bit_count())
        value += parity if begins else -parity
        return value + 10 * (to_win.bit_count() - to_lose.bit_count())

    def value(self, mine: int, taken: int, to_win: int, to_lose: int, alpha: int, beta: int, depth: int) -> int:
        """Return the value of a position for the side to move, whose stones are `mine`.

        Parameters
        ----------
        mine, taken : int
            Its stones, and all.
        to_win, to_lose : int
            The cells that complete a row of its stones, and of the other side's.
        alpha, beta : int
            Bounds between which the value is exact.
        depth : int
            Moves to look ahead.

        Raises
        ------
        OutOfTime
            The time is over.
        """
        self.seen += 1
        if self.seen % LOOK == 0 and time.monotonic() > self.until:
            raise OutOfTime
        stones = taken.bit_count()
        if stones == self.cells:
            return 0
        possible = (taken + self.bottom) & self.full
        if to_win & possible:
            return WIN - stones - 1
        forced = to_lose & possible
        moves = (forced or possible) & ~(to_lose >> 1)
        if not moves or forced & (forced - 1):  # the other side wins, on top of the move or beside it
            return stones + 2 - WIN
        if depth <= 0 and not forced:
            return self.worth(mine, taken, to_win, to_lose)
        start, key, first = alpha, mine + taken + self.bottom, 0
        if (stored := self.table.get(key)) is not None:
            deep, kind, value, first = stored
            if deep >= depth and (
                kind == EXACT or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha)
            ):
                return value
        best, chosen, other = -WIN, 0, mine ^ taken
        for _, _, _, move, threats in self.ordered(mine, taken, moves, first):
            value = -self.value(other, taken | move, to_lose & ~move, threats, -beta, -alpha, depth - 1)
            if value > best:
                best, chosen = value, move
                if value > alpha:
                    alpha = value
                    if alpha >= beta:
                        break
        kind = LOWER if best >= beta else EXACT if best > start else UPPER
        self.table[key] = (depth, kind, best, chosen)
        return best

    def ordered(self, mine: int, taken: int, moves: int, first: int) -> list[tuple[bool, int, int, int, int]]:
        """Return moves, the most promising first, each with the cells that would complete a row after it."""
        ranked: list[tuple[bool, int, int, int, int]] = []
        while moves:
            move = moves & -moves
            moves ^= move
            threats = self.winning(mine | move, taken | move)
            ranked.append((move == first, threats.bit_count(), self.lines[move], move, threats))
        ranked.sort(reverse=True)
        return ranked

    def best(self, mine: int, taken: int) -> int:
        """Return the best cell to play, by ever deeper searches until the time is over."""
        possible = (taken + self.bottom) & self.full
        other = mine ^ taken
        to_win, to_lose = self.winning(mine, taken), self.winning(other, taken)
        if now := to_win & possible:
            return now & -now
        moves = self.ordered(mine, taken, to_lose & possible or possible, 0)
        moves.sort(key=lambda ranked: bool(to_lose >> 1 & ranked[3]))  # below a win of the other side: last
        try:
            for depth in range(self.cells - taken.bit_count() if len(moves) > 1 else 0):
                alpha = -WIN
                for ranked in list(moves):
                    move, threats = ranked[3:]
                    value = -self.value(other, taken | move, to_lose & ~move, threats, -WIN, -alpha, depth)
                    if value > alpha:  # even if time ends before the others, it beats the last depth's move
                        alpha = value
                        moves.remove(ranked)
                        moves.insert(0, ranked)
                if abs(alpha) > WIN - 2 * self.cells - 4:  # decided
                    break
        except OutOfTime:
            pass
        return moves[0][3]


def read(given: Any, name: str, usual: Any) -> Any:
    """Return a value of a mapping or of an object."""
    value = given.get(name) if isinstance(given, dict) else getattr(given, name, None)
    return usual if value is None else value


def agent(observation: Any, configuration: Any) -> int:
    """Return the column to play, counted from 0.

    Parameters
    ----------
    observation : mapping or object
        `board`, the cells row by row from the top, 0 where empty, else 1 or 2; `mark`, the player to move, 1 or 2.
    configuration : mapping or object
        `rows`, `columns`, `inarow`, and `actTimeout` or `timeout`, the seconds of a move.

    Examples
    --------
    >>> agent({"board": [0, 0, 0, 1, 0, 2, 1, 0, 2], "mark": 1}, {"rows": 3, "columns": 3, "inarow": 3})
    0
    """
    start = time.monotonic()
    rows, columns, inarow = (read(configuration, *setting) for setting in (("rows", 6), ("columns", 7), ("inarow", 4)))
    seconds = read(configuration, "actTimeout", read(configuration, "timeout", 2))
    search = Search(rows, columns, inarow, start + SHARE * seconds)
    board, mark = read(observation, "board", []), read(observation, "mark", 1)
    mine = taken = 0
    for index, cell in enumerate(board):
        if cell:
            bit = 1 << index % columns * search.stride + rows - 1 - index // columns
            taken |= bit
            mine |= bit if cell == mark else 0
    return (search.best(mine, taken).bit_length() - 1) // search.stride
