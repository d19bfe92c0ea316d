"""Players as bots of OpenSpiel, in every game of perfect information whose players take turns.

    import pyspiel
    from experiments.players import make_player
    from experiments.players.open_spiel_bots import Bot
    game = pyspiel.load_game("hex(board_size=5)")
    bots = [Bot(make_player("uct", simulations=1_000)), pyspiel.make_uniform_random_bot(1, 7)]
    pyspiel.evaluate_bots(game.new_initial_state(), bots, 5)  # [1.0, -1.0] if the first wins

Needs the extra [interop].
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from connect4.open_spiel import GAME, board_of
from mcts.adapters.open_spiel import position_of
from numerics.players import Player, Plays, chooser_of

try:
    _pyspiel: Any = importlib.import_module("pyspiel")
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        'experiments.players.open_spiel_bots requires the package open_spiel: pip install "treebandit[interop]"',
        name="pyspiel",
    ) from None


class Bot(_pyspiel.Bot):  # type: ignore[misc]  # OpenSpiel has no types
    """A player as a bot of OpenSpiel.

    The player sees a `connect4.Board` in connect_four. In other games it sees the position of `mcts.adapters`. Any
    position may follow any other. The player's exceptions are not caught.

    Parameters
    ----------
    player : player
        Anything with ``play(position) -> move``, or a function of a position.

    Raises
    ------
    ValueError
        Not a player, such as a name: `experiments.players.make_player` makes a player from its name.

    Examples
    --------
    >>> bot = Bot(lambda position: position.moves()[-1])
    >>> bot.step(_pyspiel.load_game("tic_tac_toe").new_initial_state())
    8
    """

    def __init__(self, player: Plays[Any] | Callable[[Any], Any]):
        _pyspiel.Bot.__init__(self)
        self._choose = chooser_of(player)
        self.player = player
        self._fresh = True

    def step(self, state: Any) -> int:
        """Return the action to play in a position."""
        self._fresh = False
        return int(self._choose(_seen(state)))

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
        player: Any = self.player
        if not hasattr(player, "think"):
            action = self.step(state)
            return [(legal, float(legal == action)) for legal in state.legal_actions()], action
        self._fresh = False
        search = player.think(_seen(state))
        result = search.result()
        visits = {int(move): int(count) for move, count in zip(result.moves, result.visits, strict=True)}
        total = max(1, sum(visits.values()))
        shares = [(legal, visits.get(legal, 0) / total) for legal in state.legal_actions()]
        return shares, int(search.choose(player.final))

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Return the probability of each legal action."""
        return self.step_with_policy(state)[0]


def _seen(state: Any) -> Any:
    """Return what a player sees of a position."""
    return (board_of if state.get_game().get_type().short_name == GAME else position_of)(state)
