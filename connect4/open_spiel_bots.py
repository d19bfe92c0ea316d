"""Players as bots of OpenSpiel: bots that choose in OpenSpiel's positions of connect_four, on boards of any size.

    import pyspiel
    from connect4.open_spiel_bots import Bot
    from experiments.players import make_player
    game = pyspiel.load_game("connect_four")
    bots = [Bot(make_player("uct", simulations=1_000)), pyspiel.make_uniform_random_bot(1, 7)]
    pyspiel.evaluate_bots(game.new_initial_state(), bots, 5)  # [1.0, -1.0] if the first wins

Needs the extra [interop].
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from connect4.board import Board
from numerics.players import Player, Plays, chooser_of

try:
    _pyspiel: Any = importlib.import_module("pyspiel")
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "connect4.open_spiel_bots needs the package open_spiel, which is not installed: the extra [interop] brings it, "
        'pip install "treebandit[interop]"',
        name="pyspiel",
    ) from None


class Bot(_pyspiel.Bot):  # type: ignore[misc]  # OpenSpiel has no types
    """A player as a bot of OpenSpiel.

    It uses only the position in question, so that any position may follow any other. It does not catch the player's
    exceptions.

    Parameters
    ----------
    player : player
        Anything with ``play(board) -> column``, or a function of a board.

    Raises
    ------
    ValueError
        Not a player, such as a name: `experiments.players.make_player` makes a player from its name.

    Examples
    --------
    >>> bot = Bot(lambda board: board.width // 2)
    >>> bot.step(_pyspiel.load_game("connect_four").new_initial_state())
    3
    """

    def __init__(self, player: Plays[Board] | Callable[[Board], int]):
        _pyspiel.Bot.__init__(self)
        self._choose = chooser_of(player)
        self.player = player
        self._fresh = True

    def step(self, state: Any) -> int:
        """Return the action to play in a position."""
        self._fresh = False
        return int(self._choose(board_of(state)))

    def restart(self) -> None:
        """Begin another game with the player's next stream; `evaluate_bots` calls this before each game."""
        if isinstance(self.player, Player) and not self._fresh:
            self.player.reset()
        self._fresh = True

    def restart_at(self, state: Any) -> None:
        """Begin another game at a position."""
        self.restart()

    def provides_policy(self) -> bool:
        """Return True: `step_with_policy` works for every player."""
        return True

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Return the probability of each legal action, and the action to play.

        For a search the shares of its visits; for other players 1 for the action to play.
        """
        think = getattr(self.player, "think", None)
        if think is None:
            action = self.step(state)
            return [(legal, float(legal == action)) for legal in state.legal_actions()], action
        self._fresh = False
        search = think(board_of(state))
        result = search.result()
        visits = dict(zip(result.moves.tolist(), result.visits.tolist(), strict=True))
        total = max(1, sum(visits.values()))
        shares = [(legal, visits.get(legal, 0) / total) for legal in state.legal_actions()]
        return shares, int(search.choose(self.player.final))  # type: ignore[union-attr]

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Return the probability of each legal action."""
        return self.step_with_policy(state)[0]


def board_of(state: Any) -> Board:
    """Return the board of an OpenSpiel position.

    Raises
    ------
    ValueError
        A position of another game.

    Examples
    --------
    >>> state = _pyspiel.load_game("connect_four", {"columns": 5}).new_initial_state()
    >>> state.apply_action(4)
    >>> board_of(state) == Board.from_moves("5", 5, 6)
    True
    """
    game = state.get_game()
    if game.get_type().short_name != "connect_four":
        raise ValueError(f"state must be a position of connect_four; got one of {game.get_type().short_name}")
    size = game.get_parameters()
    return Board.from_moves(state.history(), size["columns"], size["rows"], size["x_in_row"])
