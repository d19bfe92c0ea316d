"""Searches and games of a user's class as JSON: positions and moves are texts, as the class writes them."""

from __future__ import annotations

import json
import shlex
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bandits import Policy
from experiments.games.positions import PositionRules
from experiments.games.referee import text_of, words_of
from experiments.games.results import ending_text
from experiments.games.rules import GAMES
from experiments.recordings.packed import BYTES, check_steps, count_steps, pack
from experiments.recordings.rules import COMMAND, describe_rule
from experiments.recordings.search import pack_search
from mcts.ordinary.boards import plain
from mcts.ordinary.turns import takes_turns
from mcts.policy import IN_A_TREE
from mcts.recording import Recording, record
from numerics.checks import show
from numerics.places import failure
from numerics.positions import OtherKind, after_move, moves_of, name_of, payoffs, player_of

OF_A_SIMULATION = (60, 4)  # bytes, with a path of 24 moves in the tree; and of each move
_LETTERS = 250_000  # for the positions of a file at least
_ALL = 700_000  # for positions and steps
ROOM = BYTES - _LETTERS * 3 // 4  # bytes for steps
_NONE = 2**16 - 1  # the text of a position for which there was no room
_GOES_ON, _FIRST, _DRAWN, _SECOND = range(4)  # how a position has ended


class _Texts:
    """What positions look like, each text once, as long as a file has room."""

    def __init__(self, start: Any, letters: int = _ALL):
        self.is_html = callable(getattr(start, "_repr_html_", None))
        self.is_html = self.is_html and self._written(start) is not None
        self.texts: list[str] = []
        self._places: dict[str, int] = {}
        self._left = letters

    def place_of(self, position: Any) -> int:
        """Return the place of a position's text; _NONE where there is no room."""
        text = str(self._written(position))
        if text not in self._places:
            letters = len(json.dumps(text))
            if letters > self._left or len(self.texts) == _NONE:
                return _NONE
            self._left -= letters
            self._places[text] = len(self.texts)
            self.texts.append(text)
        return self._places[text]

    def _written(self, position: Any) -> Any:
        try:
            return position._repr_html_() if self.is_html else text_of(position)
        except Exception as error:
            method = "_repr_html_()" if self.is_html else "__str__()"
            raise ValueError(f"{method} of {name_of(position)} fails: {failure(error)}") from error

    def json(self) -> dict[str, Any]:
        return {"html": self.is_html, "texts": self.texts}


@dataclass
class _Node:
    """A node of a recorded tree."""

    position: Any
    visits: int = 0


def check_recorded(start: Any, name: str) -> None:
    """Refuse a game whose searches cannot be recorded."""
    if not takes_turns(start):
        raise _not_recorded(name)


def _not_recorded(name: str) -> ValueError:
    return ValueError(
        f"game must be for two players, without chance, with results win, draw or loss, for a recording; got {name}"
    )


def positions_recording(
    start: Any,
    policies: Sequence[Policy],
    simulations: int | None = None,
    seed: int = 0,
    *,
    name: str | None = None,
    command: str = "",
) -> dict[str, Any]:
    """Search a position of an ordinary class with each policy and return every simulation, as JSON.

    Parameters
    ----------
    start : object
        A position of a game of two players that take turns; see `mcts.search`.
    policies : sequence of Policy
        One or two index policies.
    simulations : int, optional
        As many at most as a file of a megabyte has room for; 2,000 by default, or fewer to fit.
    seed : int, default 0
        As for `mcts.search`.
    name : str, optional
        What the position is called; that of its class unless given.
    command : str
        What makes the same recording again.

    Raises
    ------
    ValueError
        A game with chance, rewards or other results than a win, a draw and a loss, or too many simulations.
    """
    start = plain(start)
    name = name_of(start) if name is None else name
    check_recorded(start, name)
    fixed, each = OF_A_SIMULATION
    simulations = check_steps("simulations", simulations, fixed + each * len(moves_of(start)), len(policies), ROOM)
    try:
        kept = [record(start, policy, simulations, seed=seed) for policy in policies]
    except OtherKind:
        raise _not_recorded(name) from None
    moves, trees, searches = _Moves(), list[list[_Node]](), list[dict[str, Any]]()
    for recording in kept:
        first = moves.numbers_of(recording.moves.tolist())
        nodes, path, lengths = _grown(recording, start, moves)
        trees.append(nodes)
        searches.append(pack_search(recording, first, path, lengths, "u2"))
    letters = len(json.dumps(searches)) + sum(4 * len(nodes) for nodes in trees)  # and 3 bytes of each node
    if letters > _ALL - _LETTERS:
        raise ValueError(
            f"simulations must be fewer for a file below 1 MB, because games of {name} are long; got {simulations}"
        )
    texts = _Texts(start, _ALL - letters)
    shown = [np.full(len(nodes), _NONE) for nodes in trees]
    ranked = sorted((-node.visits, index, tree) for tree, nodes in enumerate(trees) for index, node in enumerate(nodes))
    for _, index, tree in ranked:  # the most visited positions first, while there is room
        shown[tree][index] = texts.place_of(trees[tree][index].position)
    for search, nodes, places in zip(searches, trees, shown, strict=True):
        ends = [_ending_of(node.position) for node in nodes]
        search.update(shown=pack(places, "u2"), ends=pack(ends, "u1"))
    labels = " and ".join(describe_rule(policy)["label"] for policy in policies)
    verb = "searches" if len(policies) == 1 else "search"
    return {
        "kind": "search",
        "version": 1,
        "title": f"{labels} {verb} {name}: {count_steps(simulations, 'simulation')}, seed {seed}",
        "command": command,
        "position": {"mover": player_of(start), "moves": moves.texts, **texts.json()},
        "exact": None,
        "searches": searches,
    }


class _Moves:
    """The moves of a recording by their numbers."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._numbers: dict[Hashable, int] = {}

    def numbers_of(self, moves: Iterable[Any]) -> list[int]:
        """Return the numbers of some moves of the class."""
        return [self.number_of(move) for move in moves]

    def number_of(self, move: Any, *, waits: bool = False) -> int:
        """Return the number of a move of the class, or of the pass of who waits, whose text is "pass"."""
        key = (move, waits)
        if key not in self._numbers:
            self._numbers[key] = len(self.texts)
            self.texts += ["pass"] if waits else words_of([move])
        return self._numbers[key]


def _grown(kept: Recording, start: Any, moves: _Moves) -> tuple[list[_Node], list[int], list[int]]:
    """Return the nodes of a recorded tree in the order of their first visits, and the numbers and lengths of its paths.

    Sides alternate on the page, as in the search: where a player moves again, the other passes in between.
    """
    nodes, known, numbers, lengths, at = [_Node(start)], dict[tuple[int, int], int](), list[int](), list[int](), 0
    lead = int(player_of(start))
    for length in kept.lengths.tolist():
        node, depth, nodes[0].visits = 0, 0, nodes[0].visits + 1
        line = kept.path[at : at + length].tolist()
        while True:
            position = nodes[node].position
            is_over = depth > 0 and (nodes[node].visits == 1 or position.result() is not None)
            waits = not is_over and player_of(position) != (lead + depth) % 2
            if not waits and not line:
                break
            move = None if waits else line.pop(0)
            number = moves.number_of(move, waits=waits)
            if (node, number) not in known:
                known[node, number] = len(nodes)
                nodes.append(_Node(position if waits else after_move(position, move)[0]))
            node, depth = known[node, number], depth + 1
            nodes[node].visits += 1
            numbers.append(number)
        lengths.append(depth)
        at += length
    return nodes, numbers, lengths


def _ending_of(position: Any) -> int:
    result = position.result()
    if result is None:
        return _GOES_ON
    first, second = payoffs(position, "result", result, 2)
    return _FIRST if first > second else _SECOND if second > first else _DRAWN


# ---------------------------------------------------------------- of a game of the command line


def rules_recording(
    rules: PositionRules, moves: str, policies: Sequence[Policy], simulations: int | None, seed: int
) -> dict[str, Any]:
    """Return the recorded search of a game after some moves, which are written as `replay` prints them."""
    position = [position for _, position in _line_of(rules, moves, seed)][-1]
    if position.result() is not None:
        raise ValueError(f"moves must not end the game; got {moves!r}")
    words = [moves] if moves else []
    words += [f"game={GAMES.text(rules)}"]
    words += [f"{key}={IN_A_TREE.text(policy)}" for key, policy in zip(("rule", "rule2"), policies, strict=False)]
    words += [] if simulations is None else [f"simulations={simulations}"]
    words += [f"seed={seed}"] if seed else []
    name = rules.title.removeprefix("at ") + (f" after {moves}" if moves else "")
    return positions_recording(
        position, policies, simulations, seed, name=name, command=f"{COMMAND} {shlex.join(words)}"
    )


def _line_of(rules: PositionRules, moves: str, seed: int) -> Iterator[tuple[int, Any]]:
    """Yield the place of each move among the possible ones, and the position after it; -1 with the first position."""
    try:
        for made in rules.replayed(moves, seed):
            yield made.place, made.position
    except ValueError as error:
        raise ValueError(f"moves {show(moves)}: {str(error).partition(' in the class as')[0]}") from error


def rules_game(
    rules: PositionRules, players: Sequence[tuple[str, Any]], moves: str, seed: int, command: str
) -> dict[str, Any]:
    """Play a game and return it as JSON: every position and who moved.

    Parameters
    ----------
    rules : PositionRules
    players : two pairs
        The name of the player who moves first and that player, and those of the other.
    moves : str
        The first moves, which are given.
    seed : int
        Decides chance.
    command : str
        What makes the same recording again.
    """
    opening = tuple(index for index, _ in _line_of(rules, moves, seed))[1:]
    (first, mover), (second, other) = players
    played = rules.play(mover, other, opening, seed)
    row = {
        "player1": first,
        "player2": second,
        "first_player": 1,
        "result": played.result,
        "winner": {1: first, 0: "draw", -1: second}[played.result],
        "plies": len(played.moves),
        "ending": played.ending,
        "opening": moves,
        "moves": rules.write(played),
        "seed": seed,
    }
    return stored_game(rules, row, command)


def stored_game(rules: PositionRules, row: Mapping[str, Any], command: str) -> dict[str, Any]:
    """Return a game of games.parquet as JSON: every position and who moved.

    Parameters
    ----------
    rules : PositionRules
    row : mapping
        A row of the table.
    command : str
        What makes the same recording again.
    """
    players = [str(row["player1"]), str(row["player2"])]
    players = players if row["first_player"] == 1 else players[::-1]
    texts, shown, moves = _Texts(rules.start), list[int](), list[tuple[int, str]]()
    for made in rules.replayed(str(row["moves"]), int(row["seed"])):
        shown.append(texts.place_of(made.position))
        moves.append((made.mover, made.word))
    ending = ending_text(row)
    return {
        "kind": "game",
        "version": 1,
        "title": f"{' against '.join(players)} {rules.title}: {ending}",
        "command": command,
        "players": players,
        "ending": ending,
        "given": len(str(row["opening"]).split()),
        "moves": moves[1:],
        "shown": shown,
        "position": texts.json(),
    }
