"""The players that value moves by playouts with a rule of the bandits package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

from bandits import Policy
from mcts.flat import MOST_SIMULATIONS, run_playouts, run_simulations
from mcts.ordinary.boards import game_of
from mcts.policy import IN_A_TREE, check_policy
from mcts.streams import STREAMS
from numerics.games import Game, Playable
from numerics.parameters import parameter
from numerics.players import Player

PLAYOUTS_HELP = (
    "playouts: uniform, biased (wins and blocks immediately) or careful (also avoids giving away a winning cell)"
)
_MOST_PLAYOUTS = 10**6  # after each move


class MonteCarloPlayer(Player, name="monte_carlo"):
    """Shares simulations out over the moves and plays that of the best mean: a search of depth one.

    Of equal means it plays a move that ends the game, then the one of most simulations, then any.
    """

    streams: ClassVar[int] = STREAMS
    simulations: int = parameter(1_000, low=1, most=MOST_SIMULATIONS, help="simulations per move")
    policy: Policy | str | Mapping[str, Any] = parameter(
        "random",
        of=IN_A_TREE,
        help="policy that allocates the simulations, such as random or {name: ucb, c: 0.7}",
    )
    playouts: str = parameter("uniform", help=PLAYOUTS_HELP)

    def check(self) -> None:
        """Try the policy."""
        self.chooser: Policy = cast(Policy, self.policy)
        check_policy(self.chooser)

    def check_board(self, board: Any) -> None:
        """Refuse a board whose game lacks the playouts."""
        self.check_game(game_of(board))

    def check_game(self, game: Game) -> None:
        """Refuse playouts that a game does not have."""
        game.playout(self.playouts)

    def play(self, board: Playable) -> Any:
        """Return the move to play."""
        game = game_of(board)
        return run_simulations(game, self.chooser.spec(), self.playouts, self.simulations, self.rng).best_move


class BiasedMonteCarloPlayer(Player, name="biased_monte_carlo"):
    """Makes so many biased playouts after every move, and plays that of most wins.

    Of equal wins it plays the move of fewest losses, then one that ends the game, then any. In a biased playout both
    sides win at once where they can, else block, else play any open column.
    """

    streams: ClassVar[int] = STREAMS
    playouts_per_move: int = parameter(100, low=1, most=_MOST_PLAYOUTS, help="playouts after each legal move")

    def check_board(self, board: Any) -> None:
        """Refuse a board whose game lacks biased playouts."""
        game_of(board).playout("biased")

    def play(self, board: Playable) -> Any:
        """Return the move to play."""
        return run_playouts(game_of(board), "biased", self.playouts_per_move, self.rng).best_move
