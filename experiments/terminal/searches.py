"""Print the result of a search of a position, and the value of every column."""

from __future__ import annotations

from connect4 import Board, screen
from connect4.notation import SIGNS, number_of_column
from connect4.solver.results import with_sign
from experiments.engine import printing
from experiments.players.advice import advise
from mcts import SearchResult

_LINE = 12  # moves of the principal variation that are shown


def show_search(result: SearchResult, column: int, sign: str) -> None:
    """Print a search's statistics of each column and the line of play that it expects, from the mover's side."""
    from rich.table import Table

    table = Table(title=f"search of {sign}: {result.simulations:,} simulations ({result.seconds:.2f} s)")
    proves = any(result.outcomes)
    for name in ("column", "visits", "share of visits", "value for " + sign, *(["proven"] if proves else [])):
        table.add_column(name, justify="right")
    total = max(1, int(result.visits.sum()))
    for move, visits, value, proven in zip(result.moves, result.visits, result.values, result.proofs, strict=True):
        chosen = "bold" if move == column else None
        text = "-" if value != value else f"{100 * value:.1f} %"
        share = f"{100 * visits / total:.1f} %"
        table.add_row(
            str(number_of_column(move)), f"{visits:,}", share, text, *([proven] if proves else []), style=chosen
        )
    printing.console().print()
    printing.console().print(table)
    printing.say(f"principal variation (columns): {expected_play(result)}; depth of the tree: {result.depth}")


def expected_play(result: SearchResult) -> str:
    """Return the first moves of the principal variation, by columns from 1."""
    line = result.principal_variation
    return " ".join(str(number_of_column(move)) for move in line[:_LINE]) + (" ..." if len(line) > _LINE else "")


def show_analysis(board: Board) -> None:
    """Print the value of every column for the side to move."""
    advice = advise(board)
    if advice.result is not None:
        show_search(advice.result, advice.result.best_move, SIGNS[board.to_move])
        return
    assert advice.scores is not None
    printing.say(
        f"\nexact scores for {SIGNS[board.to_move]}: above 0 a win, 0 a draw, below 0 a loss; higher is better"
    )
    below = ["" if score is None else with_sign(score) for score in advice.scores]
    printing.say_screen(screen.lines(board, below, colour=True))
