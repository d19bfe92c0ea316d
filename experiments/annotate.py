"""`python -m experiments.annotate FOLDER`: each move of the games of a run judged by its exact score.

The tables and the figure lie in FOLDER/annotation, unless --into names another place. Which scores are found in time
depends on the machine; what is found is exact, and a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from connect4 import Board
from connect4.notation import SIGNS
from experiments.engine import console as report
from experiments.engine import tasks
from experiments.engine.errors import guarded, leave
from experiments.engine.executors.threads import Threads
from experiments.engine.store import RunFolder
from experiments.exact_scores import judged_moves_tables
from experiments.exact_scores.judged_moves import DECISIONS, FORFEIT, MOVE, MOVES, START, after_move, judged
from experiments.match.games import ending_text
from experiments.players.perfect import solver_of
from experiments.replay import games_of, row_of, show_board
from numerics import checks
from numerics.kernels.sources import digest
from numerics.output import tables

if TYPE_CHECKING:
    import pandas as pd

_SECONDS = 10.0  # of a position
_SHARDS = 100  # of a run, about
_GROUP = 3  # plies of a point in the figure
VALUES = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}


@dataclass(frozen=True)
class Part:
    """Some games of a run, and the file of their judged moves."""

    games: pd.DataFrame
    empty: Board
    seconds: float
    folder: Path

    @property
    def path(self) -> Path:
        """The part's file, there only when it is whole."""
        return self.folder / f"game{self.games['game'].iloc[0]:09d}.parquet"

    def __call__(self) -> None:
        """Judge the games and store their moves and decisions."""
        import pandas as pd

        found = [judged(game, self.empty, self.seconds) for game in self.games.to_dict("records")]
        decisions = pd.DataFrame([decision for _, decision in found]).astype(DECISIONS)
        tables.write(decisions, self.path.with_name(f"decided_{self.path.name}"))
        moves = pd.DataFrame([row for rows, _ in found for row in rows], columns=list(MOVES)).astype(MOVES)
        tables.write(moves, self.path)

    def read(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the moves and the decisions."""
        return tables.read(self.path), tables.read(self.path.with_name(f"decided_{self.path.name}"))


def annotate(folder: Path, place: Path, seconds: float, workers: int | None) -> pd.DataFrame:
    """Judge all games of a run in `folder` and leave tables and figure in `place`; return the table of the players.

    Raises
    ------
    ValueError
        No finished run with games, a board too large, or another budget than that of an annotation that is there.
    """
    games, empty = games_of(folder)
    _check_size(folder, empty)
    execute = Threads(workers=workers).run
    config = {
        "kind": "annotation", "seconds": seconds, "board": f"{empty.width}x{empty.height}", "connect": empty.connect,
    }  # fmt: skip
    code = hashlib.sha256((folder / "games.parquet").read_bytes() + digest(__file__).encode()).hexdigest()[:16]
    with _opened(place, config, code) as store:
        if store.manifest is None:
            block = -(-len(games) // _SHARDS)
            parts = [
                Part(games.iloc[first : first + block], empty, seconds, store.shards)
                for first in range(0, len(games), block)
            ]
            tasks.carry_out(parts, execute, "games")
            _leave_results(parts, empty, place)
            store.finish({"games": len(games)})
        else:
            store.drop_shards()
    return judged_moves_tables.players_table(
        tables.read(place / "moves.parquet"), tables.read(place / "decisions.parquet"), empty.width * empty.height
    )


@contextlib.contextmanager
def _opened(place: Path, config: Mapping[str, Any], code: str) -> Iterator[RunFolder]:
    """Open the folder of the annotation; a sentence on it names the option of this command."""
    with contextlib.ExitStack() as stack:
        try:
            store = stack.enter_context(RunFolder.open(place, config, code))
        except ValueError as error:
            raise ValueError(str(error).replace("hydra.run.dir", "--into", 1)) from None
        yield store


def _check_size(folder: Path, empty: Board) -> None:
    try:
        with solver_of(empty):
            pass
    except ValueError as error:
        raise ValueError(f"folder {str(folder)!r} cannot be annotated: {error}") from None


def _leave_results(parts: Sequence[Part], empty: Board, place: Path) -> None:
    """Write the tables of all parts, and draw the figure."""
    import pandas as pd

    moves, decisions = (pd.concat(own, ignore_index=True) for own in zip(*map(Part.read, parts), strict=True))
    tables.write(moves, place / "moves.parquet")
    tables.write(decisions, place / "decisions.parquet")
    tables.write(judged_moves_tables.players_table(moves, decisions, empty.width * empty.height), place / "players.csv")
    tables.write(judged_moves_tables.by_ply(moves), place / "by_ply.csv")
    draw_annotation(place)


def draw_annotation(place: Path) -> list[Path]:
    """Draw the figure of an annotation from its tables."""
    from experiments.exact_scores import judged_moves_figures
    from numerics.output.style import files, page

    with page(place / "figures" / "loss_by_ply", (7.6, 4.4)) as figure:
        table = judged_moves_tables.by_ply(tables.read(place / "moves.parquet"), _GROUP)
        judged_moves_figures.draw_loss(figure.subplots(), table, _GROUP)
    return files(place / "figures" / "loss_by_ply")


def show_game(folder: Path, number: int, seconds: float) -> None:
    """Judge one game and print it: each move with its scores, and the board and all scores before each blunder."""
    games, empty = games_of(folder)
    _check_size(folder, empty)
    game = row_of(games, number)
    rows, decision = judged(game, empty, seconds)
    players = {SIGNS[1]: game["player1"], SIGNS[-1]: game["player2"]}
    if game["first_player"] == 2:
        players = dict(zip(players, reversed(players.values()), strict=True))
    report.say(f"game {number}: {players[SIGNS[1]]} (X) moves first, {players[SIGNS[-1]]} (O) second")
    report.console().print(_moves_table(rows, str(game["opening"])))
    for row in rows:
        if row["keeps_value"] is False:
            _show_blunder(game, row, empty, seconds)
    report.say(f"\n{ending_text(game)}; {_decided(decision)}")


def _moves_table(rows: Sequence[Mapping[str, Any]], opening: str) -> Any:
    """Return the printed form of a game's judged moves."""
    from rich.table import Table
    from rich.text import Text

    after = f" after the opening {opening}" if opening else ""
    table = Table(
        title=Text(f"exact scores for the side that moves{after}; columns from 0; empty: not solved"),
        title_justify="left",
    )
    for name in ("move", "side", "column", "score before", "score after", "loss", ""):
        table.add_column(name, justify="right" if name else "left")
    for row in rows:
        cells = ["" if row[name] is None else _signed(row[name]) for name in ("score_before", "score_after")]
        loss = "" if row["loss"] is None else f"{row['loss']}"
        note = "" if row["keeps_value"] is not False else _change(row) + (", decided the game" * row["decided"])
        table.add_row(
            str(row["ply"] + 1), "XO"[row["ply"] % 2], str(row["column"]), *cells, loss, note,
            style="bold" if note else None,
        )  # fmt: skip
    return table


def _signed(score: int) -> str:
    return f"{score:+d}" if score else "0"


def _change(row: Mapping[str, Any]) -> str:
    return f"blunder: {VALUES[row['value_before']]} becomes {VALUES[row['value_after']]}"


def _show_blunder(game: Mapping[Any, Any], row: Mapping[str, Any], empty: Board, seconds: float) -> None:
    """Print the position before a blunder with the score of each column beside it."""
    board = Board.from_moves(str(game["moves"]), empty.width, empty.height, empty.connect)
    while board.plies > row["ply"]:
        board.undo()
    sign = SIGNS[board.to_move]
    report.say(f"\nbefore move {row['ply'] + 1}, {row['player']} ({sign}) to move:")
    show_board(board)
    known = {column: after_move(board, column, seconds) for column in board.legal_moves()}
    told = [
        f"{column}: {_signed(one.low)}{'' if one.score is not None else f' to {_signed(one.high)}'}"
        for column, one in known.items()
    ]
    report.say(f"scores by column: {', '.join(told)}")
    report.say(f"{sign} played column {row['column']}; {_change(row)}")


def _decided(decision: Mapping[str, Any]) -> str:
    """Say what decided a game."""
    if decision["decided_by"] == MOVE:
        return f"{decision['player']} decided it by move {decision['ply'] + 1}"
    if decision["decided_by"] == START:
        return "that was the value of the position it began with, and nobody changed it"
    if decision["decided_by"] == FORFEIT:
        return "a forfeit decided it"
    return "what decided it is not known, because a position is not solved"


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line, judge, and say what is found."""
    parser = argparse.ArgumentParser(prog="python -m experiments.annotate", description=__doc__)
    parser.add_argument("folder", type=Path, help="of a match or tournament, such as results/match/<time>")
    parser.add_argument("--game", metavar="NUMBER", help="print this one game and its blunders instead")
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="where; FOLDER/annotation unless given")
    parser.add_argument("--seconds", default=str(_SECONDS), help=f"for a position at most; {_SECONDS:g} unless given")
    parser.add_argument("--workers", type=int, default=None, help="threads; one a core unless given")
    given = parser.parse_args(arguments)
    try:
        seconds = float(given.seconds)
    except ValueError:
        raise ValueError(f"--seconds must be a number above 0; got {given.seconds!r}") from None
    seconds = checks.number("--seconds", seconds, 0.0, above=True)
    if given.workers is not None:
        checks.whole("--workers", given.workers, 1)
    if given.game is not None:
        if not (given.game.isascii() and given.game.isdigit()):
            raise ValueError(f"--game must be a whole number of at least 0; got {given.game!r}")
        show_game(given.folder, int(given.game), seconds)
        return
    place: Path = given.into or given.folder / "annotation"
    report.console().print(judged_moves_tables.printed(annotate(given.folder, place, seconds, given.workers)))
    report.say(judged_moves_tables.said(tables.read(place / "decisions.parquet")))
    unsolved = judged_moves_tables.said_unsolved(tables.read(place / "moves.parquet"))
    if unsolved:
        report.say(unsolved)
    report.say(f"tables: {place}")
    report.say(f"figures: {place / 'figures'}")


if __name__ == "__main__":
    leave(guarded(main))
