"""The addresses: the page, its files, and its requests."""

from __future__ import annotations

import gzip
import string
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from connect4.players.program import ProgramPlayer
from experiments.games.positions import PositionRules
from experiments.recordings import scripts
from treebandit.page import positions, runs, safety
from treebandit.page.answers import Refused, answer, error_answer, text_of
from treebandit.page.catalogue import catalogue
from treebandit.page.work import Works

RESULTS = Path("results")
SCRIPTS = Path(__file__).parent / "scripts"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def make_app(
    host: str,
    port: int,
    results: Path = RESULTS,
    token: str | None = None,
    program: ProgramPlayer | None = None,
    game: PositionRules | None = None,
) -> Starlette:
    """Return the application of a server.

    Parameters
    ----------
    host : str
    port : int
        Where it listens.
    results : Path, default "results"
        The folder of the runs whose games are shown.
    token : str, optional
        The secret that a page must send to change anything; a new one by default.
    program : ProgramPlayer, optional
        A program that can be played against; no request names another one.
    game : PositionRules, optional
        A game of the user's whose searches are shown; no request names another one.

    Returns
    -------
    Starlette
        Its ``state`` has `token`, `results`, `program`, `game`, and `works`, the works of its threads.
    """
    token = token or safety.new_secret()
    app = Starlette(
        routes=[
            Route("/", page_of_all),
            Route("/static/{name:path}", static),
            Route("/api/catalogue", get_catalogue),
            Route("/api/moves", positions.begin_move, methods=["POST"]),
            Route("/api/moves/{id}", positions.stop_move, methods=["DELETE"]),
            Route("/api/moves/{id}", positions.pause_move, methods=["PATCH"]),
            Route("/api/moves/{id}/events", positions.watch_move),
            Route("/api/scores", positions.get_scores, methods=["POST"]),
            Route("/api/hint", positions.get_hint, methods=["POST"]),
            Route("/api/recordings", positions.record_search, methods=["POST"]),
            Route("/api/bandits", positions.record_bandit, methods=["POST"]),
            Route("/api/games", runs.record_game, methods=["POST"]),
            Route("/api/runs", runs.get_runs),
            Route("/api/runs/{folder:path}/games/{number}", runs.get_game),
        ],
        middleware=[
            Middleware(safety.Guard, names=safety.Names(host, port), token=token),
            Middleware(GZipMiddleware),  # streams of events are left as they are
        ],
        exception_handlers={
            ValueError: lambda request, error: error_answer(error, 400),
            Refused: lambda request, error: error_answer(error, error.status),
            HTTPException: _of_starlette,
        },
    )
    app.state.token, app.state.results, app.state.works = token, results, Works()
    app.state.program, app.state.game = program, game
    return app


async def page_of_all(request: Request) -> Response:
    """Answer with the page, which holds the token and the addresses of its modules."""
    nonce = safety.new_secret()
    names = [name.removesuffix(".js") for name in _files() if name.endswith(".js")]
    modules = {f"{scripts.PREFIX}{name}": f"{safety.STATIC}{name}.js" for name in names}
    text = string.Template((SCRIPTS / "index.html").read_text(encoding="utf-8")).substitute(
        token=request.app.state.token, nonce=nonce, imports=text_of({"imports": modules})
    )
    return HTMLResponse(text, headers={"Content-Security-Policy": safety.policy_of_page(nonce)})


def _files() -> dict[str, Path]:
    """Return the page's and the recordings' modules and style sheets by their places, such as shared/board.js."""
    folders = (scripts.FOLDER, SCRIPTS)
    pairs = [(file.relative_to(folder).as_posix(), file) for folder in folders for file in folder.rglob("*")]
    return {name: file for name, file in sorted(pairs) if file.suffix in _TYPES}


async def static(request: Request) -> Response:
    """Answer with a module or a style sheet."""
    name = request.path_params["name"]
    files = _files()
    if name not in files:
        raise Refused(f"no file {name!r} here", 404)
    content, headers = files[name].read_bytes(), {"Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        content, headers["Content-Encoding"] = gzip.compress(content, 6), "gzip"
    return Response(content, media_type=_TYPES[files[name].suffix], headers=headers)


async def get_catalogue(request: Request) -> Response:
    """Answer with the names of players and rules, with their parameters."""
    return answer(catalogue(request.app.state.program, request.app.state.game))


async def _of_starlette(request: Request, error: Exception) -> Response:
    """Answer requests that Starlette refuses, for other addresses or methods, with a sentence."""
    status = error.status_code if isinstance(error, HTTPException) else 400
    sentences = {404: "no such address here", 405: f"{request.method} is not how this address is asked"}
    return error_answer(sentences.get(status, "the request cannot be read"), status)
