"""The games of finished runs, with the blunders of each by exact scores."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from connect4 import Board
from experiments.engine.manifest import read_manifest
from experiments.engine.store import read_config
from experiments.games import results
from experiments.games.positions import PositionRules
from experiments.games.results import ground, played_in
from experiments.games.rules import GAMES, Connect4, Rules
from experiments.recordings.game import game_recording, judged_game, left_game, row_of
from experiments.recordings.html import page_of
from experiments.recordings.positions import stored_game
from treebandit.page import given
from treebandit.page.answers import Refused, answer
from treebandit.page.requests import asked, done
from treebandit.page.work import Work

_GAMES = "games.parquet"
_MOST = 200  # folders that are listed, the newest first
_NAME = 200  # letters of a player's name


async def get_runs(request: Request) -> Response:
    """Answer with the folders that hold games of Connect 4, or of the class of this page, the newest first."""

    def list_runs(work: Work) -> list[dict[str, Any]]:
        runs = []
        for name, file in list_games(request.app.state.results).items():
            with contextlib.suppress(ValueError, OSError):  # of a damaged one
                if _is_shown(results.rules_of(read_config(file.parent / "config.yaml")), request.app.state.game):
                    runs.append(_run(name, file))
        return runs

    return answer(await done(request, list_runs))


async def get_game(request: Request) -> Response:
    """Answer with a game, its blunders, and the blunder that decided it; with `?file` as a file to keep."""
    name, number = request.path_params["folder"], request.path_params["number"]
    file = list_games(request.app.state.results).get(name)  # nothing that was sent becomes a path
    if file is None:
        raise Refused(f"folder must be listed in /api/runs; got {name!r}", 404)
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise ValueError(f"game must be a whole number of at least 0; got {number!r}")
    command = f"python -m experiments.replay {shlex.quote(str(file.parent))} game={number}"
    own = request.app.state.game
    game = await done(request, lambda work: _game(file.parent, int(number), own, command, work))
    if "file" not in request.query_params:
        return answer(game)
    return _game_as_file(game, command)


async def record_game(request: Request) -> Response:
    """Answer with a game that was played in the page as a file to keep."""
    values = given.mapping("the request", await asked(request), ("position", "players"))
    board, players = given.board_of(values.get("position"), unfinished=False), values.get("players")
    listed_names = players if isinstance(players, list) else []
    names = [name for name in listed_names if isinstance(name, str) and 1 <= len(name) <= _NAME]
    if len(names) != 2 or names != players:
        raise ValueError(f"players must be a list of two strings of 1 to {_NAME} characters; got {players!r}")
    row = row_of(board, names)
    if not board.is_finished():
        return _game_as_file(left_game(row, board), "")
    return _game_as_file(await done(request, lambda work: judged_game(row, board, work.check)), "")


def _game_as_file(game: Mapping[str, Any], command: str) -> Response:
    """Return a game as one file."""
    text = page_of(game if "kind" in game else game_recording(game, command))
    return HTMLResponse(text, headers={"Content-Disposition": 'attachment; filename="game.html"'})


def list_games(folder: Path) -> dict[str, Path]:
    """Return the tables of games of finished runs, also of those of sweeps, by their folders' names."""
    files = [file for depth in ("*/*", "*/*/*") for file in folder.glob(f"{depth}/{_GAMES}")]
    finished = [file for file in files if (file.parent / "manifest.json").is_file() and not file.is_symlink()]
    newest = sorted(finished, key=lambda file: (file.stat().st_mtime_ns, str(file)), reverse=True)
    return {file.parent.relative_to(folder).as_posix(): file for file in newest[:_MOST]}


def _run(name: str, file: Path) -> dict[str, Any]:
    """Return the entry of a run in the list."""
    import pyarrow.parquet

    config, manifest = read_config(file.parent / "config.yaml"), read_manifest(file.parent) or {}
    players = [str(player["label"]) for player in manifest.get("players", [])]
    with file.open("rb") as packed:
        games = pyarrow.parquet.read_metadata(packed).num_rows
    kind, where = config.get("kind", "games"), ground(config)
    return {"folder": name, "label": f"{kind} {where}: {', '.join(players) or name}", "games": games}


def _is_shown(rules: Rules, own: PositionRules | None) -> bool:
    """Return whether the page shows games of some rules: those of Connect 4, and of the class that it began with."""
    return isinstance(rules, Connect4) or (own is not None and GAMES.node(own) == GAMES.node(rules))


def _game(folder: Path, number: int, own: PositionRules | None, command: str, work: Work) -> dict[str, Any]:
    try:
        games, rules = played_in(folder)
    except OSError as error:
        raise Refused(f"folder {folder.name!r} cannot be read: {error.strerror or error}", 404) from error
    row = results.row_of(games, number)
    if isinstance(rules, PositionRules):
        if not _is_shown(rules, own):  # no run makes the page import a class
            raise ValueError(f"games {rules.title} require a page that is started with game={GAMES.text(rules)!r}")
        return stored_game(rules, row, command)
    assert isinstance(rules, Connect4)
    empty = rules.empty
    board = Board.from_moves(str(row["moves"]), empty.width, empty.height, empty.connect)
    return judged_game(row, board, work.check)
