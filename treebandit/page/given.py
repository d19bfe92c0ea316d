"""The contents of requests, read and checked before any work: numbers, positions, players, rules."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from bandits import Policy
from connect4 import Board
from connect4.lines import LARGEST
from connect4.players.lookahead import Lookahead
from connect4.players.minimax import Minimax
from connect4.players.program import ProgramPlayer
from experiments.players import PLAYERS
from mcts import MonteCarloPlayer, UCTPlayer
from mcts.players import BiasedMonteCarloPlayer
from numerics import checks
from numerics.checks import prefix_errors
from numerics.families import Family
from numerics.parameters import did_you_mean, must_be_one_of
from numerics.players import Player

MEMORY = 256 * 1024**2  # bytes of a search's tree
SECONDS = 60.0  # of a move, at most
SCORES = 20.0  # seconds for the exact scores of a position
_SEARCH = {"simulations": 1_000_000, "seconds": SECONDS, "cpu_seconds": SECONDS, "playouts_per_leaf": 100}
MOST: dict[str, dict[str, float]] = {  # of parameters, whatever the board
    "uct": _SEARCH,
    "uct_best": _SEARCH,
    "perfect": {"simulations": 100_000},  # of the search between equal moves, which cannot be stopped
    "graded": {"simulations": 100_000},
}
# Limits for players that cannot be stopped during a move, so that a move takes at most about a second on any board:
MONTE_CARLO_CELLS = 10_000_000  # playouts x cells
BIASED_CELLS = 1_000_000  # playouts after a move x columns x cells; their stones look for wins and blocks
POSITIONS = 2_000_000_000  # columns ^ depth; alpha-beta sees few of them
SEED = 2**53 - 1  # the largest whole number that JavaScript has
_MOVES = 20_000  # signs of a string of moves
_ID = re.compile(r"[\w-]{8,64}", re.ASCII)
_NAME = re.compile(r"[\w-]{0,64}", re.ASCII)  # no text with a dot, by which players import files

# Players and rules that run what the user has, or sit at the terminal:
UNOFFERED = ("custom", "human", "kaggle", "open_spiel", "pettingzoo", "program")
OFFERED = sorted(set(PLAYERS.members) - {*UNOFFERED})
RULES = sorted(name for name in set(Policy.members) - {*UNOFFERED} if not Policy.make(name).needs_features)
_PLAYERS = PLAYERS.usual(uct={"memory": MEMORY}, uct_best={"memory": MEMORY})
PROGRAM = "program"  # which is offered where the command line has given one
OWN = ("seed", "memory", "workers", "keep")  # parameters that the server sets, or that mean nothing without a game


def json_of(body: bytes) -> dict[str, Any]:
    """Return the mapping that a request holds.

    Raises
    ------
    ValueError
        No JSON, text that no file can hold, or no mapping.
    """

    def refuse(name: str) -> Any:
        raise ValueError(f"numbers must be finite; got {name}")

    try:
        value = json.loads(body, parse_constant=refuse)
    except (RecursionError, ValueError) as error:
        raise ValueError(f"the request must be JSON; {error}") from None
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("the request must be Unicode text; it has half of a surrogate pair") from None
    return mapping("the request", value)


def mapping(name: str, value: Any, known: Iterable[str] | None = None) -> dict[str, Any]:
    """Return a mapping that has only known keys."""
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a mapping {{...}}; got {value!r}")
    names = list(value if known is None else known)
    for key in value:
        if key not in names:
            raise ValueError(f"{name} takes {', '.join(names)}; got {key!r}{did_you_mean(key, names)}")
    return value


def id_of(value: Any) -> str:
    """Return an id: 8 to 64 letters, digits, hyphens or underscores."""
    if not isinstance(value, str) or not _ID.fullmatch(value):
        raise ValueError(f"id must be 8 to 64 letters, digits, - or _; got {value!r}")
    return value


def seed_of(value: Any) -> int:
    """Return a seed, one that JavaScript can write."""
    return checks.check_whole("seed", value, 0, SEED)


def board_of(value: Any, *, unfinished: bool = True) -> Board:
    """Return the board of a position {"moves": "4453", "width": 7, "height": 6, "connect": 4}.

    Raises
    ------
    ValueError
        No position, or one whose game is over where it must go on.
    """
    values = mapping("position", value, ("moves", "width", "height", "connect"))
    moves = values.get("moves", "")
    with prefix_errors("position"):
        if not isinstance(moves, str) or len(moves) > _MOVES:
            raise ValueError(f"moves must be a string of at most {_MOVES:,} characters, such as 4453; got {moves!r}")
        board = Board.from_moves(moves, values.get("width", 7), values.get("height", 6), values.get("connect", 4))
        if unfinished and board.is_finished():
            raise ValueError(f"moves must not end the game; it is over after {board.plies} stones")
    return board


def player_of(value: Any, seed: int, board: Board, program: ProgramPlayer | None = None) -> Player:
    """Return the player of {"name": "uct", "simulations": 1000, ...}, at the start of its stream for a position.

    A move after p stones is made from stream number p + 1 of the seed. In a match of that seed, players 1 and 2 make
    their first moves on the empty board from streams 1 and 2. The player called program is `program`: a request says no
    more of it than its budget.

    Raises
    ------
    ValueError
        No player, a value out of its range, or more work than may be asked for.
    """
    values = mapping("player", value)
    offered = OFFERED if program is None else [*OFFERED, PROGRAM]
    if values.get("name") not in offered:
        raise ValueError(must_be_one_of("player.name", values.get("name"), offered))
    if program is not None and values["name"] == PROGRAM:
        mapping("player", value, ("name", "seconds"))
        with prefix_errors("player"):
            return dataclasses.replace(program, seconds=values.get("seconds"))
    for key in OWN:
        if key in values:
            raise ValueError(f"player.{key} must be left out; it cannot be set on this page")
    check_texts("player", values)
    player = _PLAYERS.of(values)
    player.seed = seed
    with prefix_errors("player"):
        if isinstance(player, MonteCarloPlayer | UCTPlayer):
            player.check_game(Board().game)  # what no board has; then what this one lacks
        check_work(player, board)
    player.check_board(board)
    player.reset(board.plies + 1)
    return player


def check_texts(name: str, value: Any) -> None:
    """Refuse a text that is not a name: a dotted path would import a file and run the user's code."""
    if isinstance(value, list):
        for position, member in enumerate(value):
            check_texts(f"{name}[{position}]", member)
    elif isinstance(value, Mapping):
        if value.get("name") in UNOFFERED:
            raise ValueError(must_be_one_of(f"{name}.name", value["name"], RULES))
        for key, member in value.items():
            check_texts(f"{name}.{key}", member)
    elif isinstance(value, str) and (not _NAME.fullmatch(value) or value in UNOFFERED):
        raise ValueError(
            f"{name} must consist of letters, digits, - and _, such as ucb, and must not name a file; got {value!r}"
        )


def check_work(player: Player, board: Board) -> None:
    """Refuse more work than one move may take."""
    cells = board.width * board.height
    most = dict(MOST.get(player.name, {}))
    if isinstance(player, MonteCarloPlayer):
        most["simulations"] = MONTE_CARLO_CELLS // cells
    elif isinstance(player, BiasedMonteCarloPlayer):
        most["playouts_per_move"] = BIASED_CELLS // (board.width * cells)
    elif isinstance(player, Minimax):
        most["depth"] = deepest(board.width)
    elif isinstance(player, Lookahead):
        most["ply"] = deepest(board.width)
    for name, bound in most.items():
        value = getattr(player, name)
        if value is not None and value > bound:
            raise ValueError(f"{name} must be at most {bound:,.0f} here; got {value}")


def deepest(width: int) -> int:
    """Return how many stones may be looked ahead on a board of so many columns.

    Examples
    --------
    >>> deepest(7), deepest(64), deepest(1)
    (11, 5, 64)
    """
    return next((depth for depth in range(1, LARGEST) if width ** (depth + 1) > POSITIONS), LARGEST)


def rules_of(value: Any, policies: Family[Policy]) -> list[Policy]:
    """Return one or two policies of [{"name": "ucb", "c": 1}, ...].

    Raises
    ------
    ValueError
        No such list, an unknown name or parameter, or a value out of its range.
    """
    if not isinstance(value, list) or not 1 <= len(value) <= 2:
        raise ValueError(f"rules must be a list of one or two rules, such as [{{name: ucb}}]; got {value!r}")
    check_texts("rules", value)
    return [policies.of(rule, f"rules[{position}]") for position, rule in enumerate(value)]
