"""The players that value moves by playouts with a rule of the bandits package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bandits import Policy
from mcts.flat import MOST_SIMULATIONS, simulate, simulate_endings
from mcts.policy import UNIFORM, policy_of, text_of
from mcts.position import game_of, legal_moves
from mcts.streams import STREAMS
from numerics import checks
from numerics.game import Playable
from numerics.player import Player

PLAYOUTS = ("uniform", "biased")
_MOST_ENDINGS = 10**6  # after each move


@dataclass(kw_only=True)
class MonteCarloPlayer(Player):
    """Shares simulations out over the legal moves and plays the one of the best mean: a search of depth one.

    Of equal means it plays a move that ends the game, then the one of most simulations, then any.

    Parameters
    ----------
    simulations : int, default 1,000
        Of a move to play, at least 1.
    policy : Policy, str or mapping, default "uniform"
        What shares them out: uniform, or a policy of the bandits package by its name, such as ``ucb``, with parameters
        ``{name: ucb, c: 0.7}``, or as an object.
    playouts : {"uniform", "biased"}
        How the game goes on after the move: at random, or winning and blocking at once where that is possible.
    """

    kind: ClassVar[str] = "monte_carlo"
    streams: ClassVar[int] = STREAMS
    simulations: int = 1_000
    policy: Policy | str | Mapping[str, Any] = UNIFORM
    playouts: str = "uniform"

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        checks.whole("simulations", self.simulations, 1, most=MOST_SIMULATIONS)
        self.chooser: Policy = policy_of(self.policy, horizon=self.simulations)
        if self.playouts not in PLAYOUTS:
            raise ValueError(f"playouts must be one of {', '.join(PLAYOUTS)}; got {self.playouts!r}")

    @property
    def name(self) -> str:
        """The kind with every parameter, those of the policy among them."""
        return f"{self.kind}(simulations={self.simulations}, policy={text_of(self.chooser)}, playouts={self.playouts})"

    def play(self, board: Playable) -> int:
        """Return the move to play."""
        game = game_of(board)
        self.chooser.probe((legal_moves(game).size,), self.simulations)  # a board may be wider than was foreseen
        found = simulate(game, self.chooser.hooks(), self.playouts, self.simulations, self.rng)
        return found.best_move


@dataclass(kw_only=True)
class BiasedMonteCarloPlayer(Player):
    """Plays a fixed number of biased endings after every legal move, and then the move of most wins.

    Of equal wins it plays the move of fewest losses, then one that ends the game, then any. The biased random player,
    for both sides of an ending, wins at once where it can, else blocks, else plays any open column.

    Parameters
    ----------
    endings : int, default 100
        After each legal move, at least 1.
    """

    kind: ClassVar[str] = "biased_monte_carlo"
    streams: ClassVar[int] = STREAMS
    endings: int = 100

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        checks.whole("endings", self.endings, 1, most=_MOST_ENDINGS)

    def play(self, board: Playable) -> int:
        """Return the move to play."""
        return simulate_endings(game_of(board), "biased", self.endings, self.rng).best_move
