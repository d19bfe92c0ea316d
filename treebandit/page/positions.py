"""Requests about a position: a move, exact scores, a hint, a recording; and the recording of a bandit."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from bandits import Arms, Bernoulli, Piecewise
from bandits.policies.base import POLICIES
from connect4 import Board
from experiments.players.advice import Advice
from experiments.players.perfect import of_best_score
from experiments.players.proven import scores_within
from experiments.recordings.bandit import bandit_recording
from experiments.recordings.html import page_of
from experiments.recordings.positions import rules_recording
from experiments.recordings.search import search_recording
from mcts import search
from mcts.policy import IN_A_TREE
from numerics import checks
from numerics.kernels.compiling import compiling
from treebandit.page import given
from treebandit.page.answers import Refused, answer, text_of
from treebandit.page.moves import move_of
from treebandit.page.requests import LOOK, asked, done, works_of
from treebandit.page.work import Stopped, Work

_EVENTS = 0.1  # seconds between two events
_HINT = 2.0  # seconds for the exact scores of a hint; without them a search gives it
_SIMULATIONS = 20_000  # of that search
_ARMS = 100  # of a bandit, at most


async def begin_move(request: Request) -> Response:
    """Let a player think; a known id changes nothing."""
    values = given.mapping("the request", await asked(request), ("position", "player", "seed", "id"))
    name = given.id_of(values.get("id"))
    board = given.board_of(values.get("position"))
    seed, program = given.seed_of(values.get("seed", 0)), request.app.state.program
    player = given.player_of(values.get("player"), seed, board, program)
    works_of(request).begin(name, lambda work: move_of(player, board, work))
    return answer({"id": name})


async def stop_move(request: Request) -> Response:
    """Stop a player that thinks."""
    name = request.path_params["id"]
    works_of(request).of(name).stop()
    return answer({"id": name})


async def pause_move(request: Request) -> Response:
    """Pause a player that thinks, or let it go on; answer whether it is found, and has not been stopped."""
    paused = given.mapping("the request", await asked(request), ("paused",)).get("paused")
    if not isinstance(paused, bool):
        raise ValueError(f"paused must be true or false; got {paused!r}")
    name = request.path_params["id"]
    try:
        work = works_of(request).of(name)
    except Refused:
        return answer({"id": name, "found": False})
    work.watch()
    work.paused = paused
    return answer({"id": name, "found": not (work.was_stopped or isinstance(work.error, Stopped))})


async def watch_move(request: Request) -> Response:
    """Answer with the player's view, ten times a second, until it has moved."""
    work = works_of(request).of(request.path_params["id"])
    return StreamingResponse(_events(work), media_type="text/event-stream")


async def _events(work: Work) -> AsyncIterator[str]:
    last = 0.0
    while not work.has_ended and not work.was_stopped:
        work.watch()
        if work.seen is not None and time.monotonic() - last >= _EVENTS:
            last = time.monotonic()
            yield _event("thinking", {**work.seen, "compiling": compiling.now})
        await asyncio.sleep(LOOK)
    if not work.has_ended or isinstance(work.error, Stopped):
        yield _event("cancelled", {})
    elif work.error is None:
        yield _event("moved", work.outcome)
    else:
        yield _event("failed", {"error": str(work.error)})
        if not isinstance(work.error, ValueError):
            raise work.error


def _event(kind: str, value: Any) -> str:
    return f"event: {kind}\ndata: {text_of(value)}\n\n"


async def get_scores(request: Request) -> Response:
    """Answer with the exact score of every column: null for a full one, and null for all if they are not found."""
    board = given.board_of(await asked(request))
    begun = time.perf_counter()
    scores, why = await done(request, lambda work: _scores(board, given.SCORES, work))
    return answer({"scores": scores, "seconds": round(time.perf_counter() - begun, 3), "why": why})


def _scores(board: Board, seconds: float, work: Work) -> tuple[list[int | None] | None, str | None]:
    """Return exact scores, or the reason why there are none."""
    try:
        scores = scores_within(board, seconds, work.is_unwanted)
    except ValueError as error:
        return None, str(error)
    work.check()
    return scores, None if scores else f"this position could not be solved in {seconds:g} s"


async def get_hint(request: Request) -> Response:
    """Answer with a column to play, and the reason."""
    board = given.board_of(await asked(request))
    return answer(await done(request, lambda work: _hint(board, work)))


def _hint(board: Board, work: Work) -> dict[str, Any]:
    scores, _ = _scores(board, _HINT, work)
    if scores is not None:
        return {"column": of_best_score(scores)[0], "sentence": Advice(tuple(scores), None).sentence}
    simulations = min(_SIMULATIONS, given.MONTE_CARLO_CELLS // (board.width * board.height))
    result = search(board, simulations=simulations, seed=0, memory=given.MEMORY)
    return {"column": result.best_move, "sentence": Advice(None, result).sentence}


async def record_search(request: Request) -> Response:
    """Record a search, as JSON or, with ?file, as a file to keep."""
    known = ("position", "rules", "simulations", "seed", "exact", "game")
    values = given.mapping("the request", await asked(request), known)
    if values.get("game"):
        return await _record_game(request, values)
    board = given.board_of(values.get("position"))
    rules = given.rules_of(values.get("rules"), IN_A_TREE)
    simulations, seed, exact = (
        values.get("simulations"),
        given.seed_of(values.get("seed", 0)),
        values.get("exact", False),
    )
    if not isinstance(exact, bool):
        raise ValueError(f"exact must be true or false; got {exact!r}")

    def recorded(work: Work) -> dict[str, Any]:
        if exact:  # so that what can take long can be stopped; what is proven is found again at once
            scores, why = _scores(board, given.SCORES, work)
            if scores is None:
                raise ValueError(f"exact must be false for this position: {why}")
        return search_recording(board, rules, simulations, seed, exact=exact, seconds=given.SCORES)

    return _recording(request, await done(request, recorded), "search.html")


async def _record_game(request: Request, values: Mapping[str, Any]) -> Response:
    """Record a search of the game that the server was started with, after the moves of `game`."""
    game, moves = request.app.state.game, given.mapping("game", values["game"], ("moves",)).get("moves", "")
    if game is None:
        raise ValueError("game must be left out: the page was started without one")
    if not isinstance(moves, str):
        raise ValueError(f"game.moves must be a string; got {moves!r}")
    for key in ("position", "exact"):
        if values.get(key):
            raise ValueError(f"{key} must be left out with game; got {values[key]!r}")
    rules = given.rules_of(values.get("rules"), IN_A_TREE)
    simulations, seed = values.get("simulations"), given.seed_of(values.get("seed", 0))
    recording = await done(request, lambda work: rules_recording(game, moves, rules, simulations, seed))
    return _recording(request, recording, "search.html")


async def record_bandit(request: Request) -> Response:
    """Record a bandit, as JSON or, with ?file, as a file to keep."""
    values = given.mapping("the request", await asked(request), ("means", "rules", "horizon", "seed", "jump", "later"))
    means, horizon = values.get("means"), values.get("horizon", 1_000)
    if not isinstance(means, list) or not 2 <= len(means) <= _ARMS:
        raise ValueError(f"means must be a list of 2 to {_ARMS} numbers; got {means!r}")
    arms: Arms = Bernoulli(means)
    if (jump := values.get("jump")) is not None:
        if isinstance(jump, int) and isinstance(horizon, int) and jump >= horizon:
            raise ValueError(f"jump must be below the horizon, {horizon}; got {jump}")
        arms = Piecewise(arms, changes=[jump], means=[checks.number_list("later", values.get("later", means[::-1]))])
    rules = given.rules_of(values.get("rules"), POLICIES)
    seed = given.seed_of(values.get("seed", 0))
    recording = await done(request, lambda work: bandit_recording(arms, rules, horizon, seed))
    return _recording(request, recording, "bandit.html")


def _recording(request: Request, recording: dict[str, Any], name: str) -> Response:
    if "file" not in request.query_params:
        return answer(recording)
    return HTMLResponse(page_of(recording), headers={"Content-Disposition": f'attachment; filename="{name}"'})
