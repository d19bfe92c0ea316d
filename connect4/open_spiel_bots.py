"""Players as bots of OpenSpiel: a bot chooses in OpenSpiel's positions of connect_four, on boards of any size.

    import pyspiel
    from connect4.open_spiel_bots import Bot
    from experiments.players import make_player
    game = pyspiel.load_game("connect_four")
    bots = [Bot(make_player("uct", simulations=1_000)), pyspiel.make_uniform_random_bot(1, 7)]
    pyspiel.evaluate_bots(game.new_initial_state(), bots, 5)  # [1.0, -1.0] where the first one wins

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


class Bot(_pyspiel.Bot):  # type: ignore[misc]  # OpenSpiel tells no types
    """A player as a bot of OpenSpiel.

    It knows nothing but the position it is asked about, so that any position may follow any other. An exception of the
    player goes through.

    Parameters
    ----------
    player : player
        Anything with ``play(board) -> column``, or a function of a board.

    Raises
    ------
    ValueError
        No player, such as the name of one: `experiments.players.make_player` makes one of any name.

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
        """Begin another game, as `evaluate_bots` asks before each: the player's next stream."""
        if isinstance(self.player, Player) and not self._fresh:
            self.player.reset()
        self._fresh = True

    def restart_at(self, state: Any) -> None:
        """Begin another game at a position."""
        self.restart()

    def provides_policy(self) -> bool:
        """Return whether `step_with_policy` tells one: it does, of every player."""
        return True

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """Return how likely each legal action is, and the one to play.

        For a search by simulations the shares of its visits; else the whole for the action.
        """
        think = getattr(self.player, "think", None)
        if think is None:
            action = self.step(state)
            return [(legal, float(legal == action)) for legal in state.legal_actions()], action
        self._fresh = False
        search = think(board_of(state))
        found = search.result()
        visits = dict(zip(found.moves.tolist(), found.visits.tolist(), strict=True))
        total = max(1, sum(visits.values()))
        shares = [(legal, visits.get(legal, 0) / total) for legal in state.legal_actions()]
        return shares, int(search.choose(self.player.final))  # type: ignore[union-attr]

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Return how likely each legal action is."""
        return self.step_with_policy(state)[0]


def board_of(state: Any) -> Board:
    """Return the board of OpenSpiel's position.

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
