"""The games of finished runs, with the blunders of each by exact scores."""

from __future__ import annotations

import contextlib
import shlex
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from connect4 import Board
from experiments.engine.store import read_config, read_manifest
from experiments.games.judged_moves import judged
from experiments.games.results import ending_text, game_of
from experiments.page.recordings.html import page_of
from experiments.page.recordings.packed import position_of
from experiments.page.server import given
from experiments.page.server.answers import Refused, answered
from experiments.page.server.requests import asked, done
from experiments.page.server.work import Work
from experiments.players.labels import short_labels
from experiments.players.perfect import solver_of
from experiments.players.proven import after_move

_GAMES = "games.parquet"
_MOST = 200  # folders that are listed, the newest first
_QUICKLY, _PATIENTLY = 0.3, 3.0  # seconds for a position; the second if the first is too short for some
_LONGEST = 20.0  # seconds for a game that is judged patiently
_NAME = 200  # letters of a player's name
_NOT_JUDGED: dict[str, Any] = {"blunders": [], "deciding": None, "decided_by": "unknown", "moves": []}


class _Enough(Exception):
    """Raised when judging a game takes too long."""


async def get_runs(request: Request) -> Response:
    """Answer with the folders that hold games, the newest first."""
    results = request.app.state.results
    return answered(await done(request, lambda work: _runs(results)))


async def get_game(request: Request) -> Response:
    """Answer with a game, its blunders, and the blunder that decided it; with `?file` as a file to keep."""
    name, number = request.path_params["folder"], request.path_params["number"]
    file = listed(request.app.state.results).get(name)  # nothing that was sent becomes a path
    if file is None:
        raise Refused(f"folder must be one of those in /api/runs; got {name!r}", 404)
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise ValueError(f"game must be a whole number of at least 0; got {number!r}")
    game = await done(request, lambda work: _game(file.parent, int(number), work))
    if "file" not in request.query_params:
        return answered(game)
    return _kept(game, f"python -m experiments.replay {shlex.quote(str(file.parent))} game={number}")


async def record_game(request: Request) -> Response:
    """Answer with a game that was played in the page as a file to keep."""
    values = given.mapping("the request", await asked(request), ("position", "players"))
    board, players = given.board_of(values.get("position"), unfinished=False), values.get("players")
    listed_names = players if isinstance(players, list) else []
    names = [name for name in listed_names if isinstance(name, str) and 1 <= len(name) <= _NAME]
    if len(names) != 2 or names != players:
        raise ValueError(f"players must be a list of two texts of 1 to {_NAME} signs; got {players!r}")
    return _kept(await done(request, lambda work: _played(board, names, work)), "")


def _kept(game: Mapping[str, Any], command: str) -> Response:
    """Return a game as one file."""
    title = f"{' against '.join(game['players'])}: {game['ending']}"
    text = page_of({"kind": "game", "version": 1, "title": title, "command": command, **game})
    return HTMLResponse(text, headers={"Content-Disposition": 'attachment; filename="game.html"'})


def _played(board: Board, players: list[str], work: Work) -> dict[str, Any]:
    """Return a game played in the page, in the form that `_game` gives to one of a run."""
    result = board.winner()
    row = {
        "moves": board.notation,
        "plies": board.plies,
        "result": result,
        "player1": players[0],
        "player2": players[1],
        "winner": {1: players[0], 0: "draw", -1: players[1]}[result],
        "first_player": 1,
        "opening": "",
        "ending": "row" if result else "full",
        "game": 0,
    }
    if board.is_finished():
        return _judged_game(row, board, work)
    described = _plainly(row, board) | {"ending": f"Left after {board.plies} {'ply' if board.plies == 1 else 'plies'}"}
    return {**described, **_NOT_JUDGED, "why": "the game is not over"}


def listed(results: Path) -> dict[str, Path]:
    """Return the tables of games of finished runs, also of those of sweeps, by their folders' names."""
    files = [file for depth in ("*/*", "*/*/*") for file in results.glob(f"{depth}/{_GAMES}")]
    finished = [file for file in files if (file.parent / "manifest.json").is_file() and not file.is_symlink()]
    newest = sorted(finished, key=lambda file: (file.stat().st_mtime_ns, str(file)), reverse=True)
    return {file.parent.relative_to(results).as_posix(): file for file in newest[:_MOST]}


def _runs(results: Path) -> list[dict[str, Any]]:
    """Return the entries of the list of runs, without damaged ones."""
    runs = []
    for name, file in listed(results).items():
        with contextlib.suppress(ValueError, OSError):
            runs.append(_run(name, file))
    return runs


def _run(name: str, file: Path) -> dict[str, Any]:
    """Return the entry of a run in the list."""
    import pyarrow.parquet

    config, manifest = read_config(file.parent / "config.yaml"), read_manifest(file.parent) or {}
    players = list(short_labels(str(player["label"]) for player in manifest.get("players", [])).values())
    games = pyarrow.parquet.read_metadata(file).num_rows
    kind, board = config.get("kind", "games"), config.get("board", "7x6")
    return {"folder": name, "label": f"{kind} on {board}: {', '.join(players) or name}", "games": games}


def _game(folder: Path, number: int, work: Work) -> dict[str, Any]:
    try:
        row, board = game_of(folder, number)
    except OSError as error:
        raise Refused(f"folder {folder.name!r} cannot be read: {error.strerror or error}", 404) from error
    return _judged_game(row, board, work)


def _plainly(row: Mapping[Any, Any], board: Board) -> dict[str, Any]:
    """Return the description of a game that is not judged."""
    names = (str(row["player1"]), str(row["player2"]))
    return {
        "position": position_of(board),
        "players": list(names if row["first_player"] == 1 else names[::-1]),  # X, who moves first, and O
        "result": int(row["result"]) * (1 if row["first_player"] == 1 else -1),  # of X: 1, 0 or -1
        "ending": ending_text(row),
        "opening": str(row["opening"]),
    }


def _judged_game(row: Mapping[Any, Any], board: Board, work: Work) -> dict[str, Any]:
    """Return the description of a game, judged if its positions can be solved."""
    described = _plainly(row, board)
    empty = Board(board.width, board.height, board.connect)
    try:
        with solver_of(empty):
            pass
    except ValueError as error:
        return {**described, **_NOT_JUDGED, "why": str(error)}
    rows, decision, seconds = _judged(row, empty, work)
    return {
        **described,
        "blunders": [_blunder(move, board, seconds) for move in rows if move["keeps_value"] is False],
        "deciding": decision["ply"],
        "decided_by": decision["decided_by"],
        "moves": [{name: move[name] for name in ("ply", "score_before", "score_after", "loss")} for move in rows],
        "why": None,
    }


def _judged(row: Mapping[Any, Any], empty: Board, work: Work) -> tuple[list[dict[str, Any]], dict[str, Any], float]:
    """Judge a game; return its moves, what decided it, and the seconds that a position took at most."""
    end = time.monotonic() + _LONGEST

    def look() -> None:
        work.check()
        if time.monotonic() > end:
            raise _Enough

    judgement = (*judged(row, empty, _QUICKLY, work.check), _QUICKLY)
    if any(move["keeps_value"] is None for move in judgement[0]):
        with contextlib.suppress(_Enough):
            judgement = (*judged(row, empty, _PATIENTLY, look), _PATIENTLY)
    return judgement


def _blunder(row: Mapping[str, Any], game: Board, seconds: float) -> dict[str, Any]:
    """Return the description of a blunder: the played column and the best ones, 0-based."""
    before = game.copy()
    while before.plies > row["ply"]:
        before.undo()
    known = {column: after_move(before, column, seconds) for column in before.legal_moves()}
    best = max(known, key=lambda column: (known[column].low, known[column].high, -column))
    return {"ply": row["ply"], "played": row["column"], "best": best, "loss": row["loss"]}
