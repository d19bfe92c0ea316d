"""Two rules on one position: the searches' statistics of every column, side by side, as a table of text."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bandits import Policy
from connect4 import Board
from connect4.notation import SIGNS, number_of_column, shown_list
from connect4.solver.results import verdict, with_sign
from experiments.engine import printing
from experiments.players.advice import exact_scores
from experiments.players.perfect import of_best_score
from experiments.recordings.rules import describe_rule, kind_of_index
from experiments.terminal.searches import expected_play
from mcts import SearchResult, search

USUAL = ("ucb", "thompson")  # what is compared unless the person says otherwise
SIMULATIONS = 1_000  # of each rule
_SECONDS = 1.0  # for the exact score of a column
_GAP = "   "  # between the two rules
_PLAYED = ">"  # before the visits of the column that a rule would play
_LOW = "low"  # the index of a column that a rule left out because it could not win


def show(board: Board, rules: Sequence[Policy], simulations: int = SIMULATIONS, seed: int = 0) -> None:
    """Search a position with both rules and the same seed, and print the table."""
    results = [search(board, rule, simulations, seed=seed) for rule in rules]
    exact = exact_scores(board, _SECONDS)
    labels = [describe_rule(result.policy)["label"] for result in results]
    groups = [_group(result) for result in results]
    scores = ["" if exact[move] is None else with_sign(exact[move]) for move in results[0].moves] if exact else []
    columns = ["column", *(str(number_of_column(move)) for move in results[0].moves)]
    printing.say(
        f"\nthe same position and seed {seed}, searched with {results[0].simulations:,} simulations of each rule\n"
    )
    heads = [_cut(label, len(group[0])).rjust(len(group[0])) for label, group in zip(labels, groups, strict=True)]
    printing.say(_GAP.join([" " * len(columns[0]), *heads]))
    for row, name in enumerate(columns):
        last = [["exact", *scores][row].rjust(5)] if exact else []
        printing.say(_GAP.join([name.rjust(len(columns[0])), *(group[row] for group in groups), *last]).rstrip())
    for result, label in zip(results, labels, strict=True):
        printing.say(f"\n{label} plays column {number_of_column(result.best_move)}{_worth(result.best_move, exact)}")
        printing.say(f"  principal variation: {expected_play(result)}")
        printing.say(f"  index: {result.policy.formula}")
        printing.say(f"         {_KINDS[kind_of_index(result.policy)]}")
    sign = SIGNS[board.to_move]
    printing.say(f"\n{_PLAYED}      the column that the rule plays, the most visited one")
    printing.say(f"mean   mean result for {sign}, from 0 (lost) to 1 (won)")
    if any(_LOW in row for group in groups for row in group):
        printing.say(f"{_LOW}    index too low to be chosen, not computed")
    printing.say(
        f"exact  score for {sign}: above 0 a win, 0 a draw, below 0 a loss; higher is better"
        if exact
        else f"no exact scores: the solver did not finish within {_SECONDS:g} s per column"
    )


_KINDS = {
    "bonus": "mean plus an exploration bonus",
    "sample": "random sample, drawn at every choice",
    "other": "not mean plus bonus",
}


def _group(result: SearchResult) -> list[str]:
    """Return the head and the rows of one rule's columns, all of one width."""
    whole, best = kind_of_index(result.policy) == "bonus", result.best_move
    rows = []
    for move, visits, mean, index in zip(result.moves, result.visits, result.values, result.scores, strict=True):
        text = "-" if not visits else _LOW if math.isinf(index) else f"{index:.3f}"
        cells = [f"{_PLAYED if move == best else ''}{visits:,}", f"{mean:.3f}" if visits else "-"]
        if whole:
            cells.append(f"{index - mean:+.3f}" if visits and math.isfinite(index) else "-")
        cells.append(text)
        rows.append(cells)
    table = [["visits", "mean", *(["bonus"] if whole else []), "index"], *rows]
    wide = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(cell.rjust(room) for cell, room in zip(row, wide, strict=True)) for row in table]


def _worth(column: int, exact: Sequence[int | None] | None) -> str:
    """Return the exact score of the column, and a better column if there is one."""
    score = exact[column] if exact else None
    if exact is None or score is None:
        return ""
    top = max(score for score in exact if score is not None)
    if score == top:
        return f", a best move: {verdict(top)}"
    best = " or ".join(shown_list(of_best_score(exact)).rsplit(", ", 1))
    return f": {verdict(score)}; column {best}: {verdict(top)}"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 3]}..."
