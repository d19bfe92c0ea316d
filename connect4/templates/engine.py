"""A Connect 4 engine to begin with.

It wins at once if it can, else stops a row of the opponent, else plays nearest the middle. Write a better `choose`.

    treebandit template python -o my_engine.py
    treebandit judge command="python my_engine.py" positions=60

Each input line is a position: the moves so far, as columns from 1. With a time budget, a space and the seconds for this
move follow, as in "4453 0.05". Boards of more than nine columns have commas between the moves. The answer is a line
with a column, such as "4". It may also have the value for the side to move, from 0 (a loss) to 1 (a win), as in "4
0.62".
"""

import os
import sys

WIDTH, HEIGHT = map(int, os.environ.get("BOARD", "7x6").split("x"))
CONNECT = int(os.environ.get("CONNECT", "4"))


def position_of(moves: list[int]) -> list[list[int]]:
    """Return the stones of each column from the bottom: 1 is who moved first, 2 the other."""
    columns: list[list[int]] = [[] for _ in range(WIDTH)]
    for ply, column in enumerate(moves):
        columns[column].append(1 + ply % 2)
    return columns


def stones(columns: list[list[int]], column: int, row: int, right: int, up: int, player: int) -> int:
    """Return the number of stones of a player next to a cell in one direction."""
    count = 0
    while True:
        column, row = column + right, row + up
        if not (0 <= column < WIDTH and 0 <= row < len(columns[column]) and columns[column][row] == player):
            return count
        count += 1


def wins(columns: list[list[int]], column: int, player: int) -> bool:
    """Return whether a stone of a player on an open column wins."""
    row = len(columns[column])
    return any(
        1 + stones(columns, column, row, right, up, player) + stones(columns, column, row, -right, -up, player)
        >= CONNECT
        for right, up in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


def choose(columns: list[list[int]], player: int, seconds: float) -> int:
    """Return the column, from 0, that a player plays within some seconds (0: no budget)."""
    open_columns = [column for column in range(WIDTH) if len(columns[column]) < HEIGHT]
    for winner in (player, 3 - player):
        for column in open_columns:
            if wins(columns, column, winner):
                return column
    return min(open_columns, key=lambda column: abs(2 * column - WIDTH + 1))


def main() -> None:
    """Answer each line until the input ends."""
    for line in sys.stdin:
        text, _, budget = line.rstrip("\n").partition(" ")
        moves = [int(column) - 1 for column in (text.split(",") if WIDTH > 9 else text) if column]
        column = choose(position_of(moves), 1 + len(moves) % 2, float(budget or 0))
        print(column + 1, flush=True)  # or the answer stays here


if __name__ == "__main__":
    main()
