"""A bot of OpenSpiel as a player: OpenSpiel's MCTS in C++, or any bot that a user's code makes.

    python -m experiments.run experiment=match player1=uct player2='{name: open_spiel, simulations: 1000}'

It plays Connect 4 on boards of any size, and the positions of `mcts.adapters.open_spiel`. Needs the package open_spiel,
from the extra [interop].
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
from collections.abc import Callable
from typing import Any

from connect4.board import Board
from connect4.open_spiel import state_of
from connect4.players.guest import LONGEST, Guest, call_with_offered, import_callable
from numerics.parameters import parameter

MCTS = "mcts"
C = 2.0  # for values in [-1, 1]; the same as 1 for our values in [0, 1]
_PLAIN, _MOST = 1_000, 10**9  # simulations
_MEMORY = 1_000  # MB of a tree, at most
_SEEDS = 2**31 - 1  # of mcts


def _bot(name: str, value: Any) -> str:
    """Return "mcts", or the path of a class or function that makes a bot."""
    if value != MCTS:
        if not isinstance(value, str) or "." not in value:
            raise ValueError(f"{name} must be {MCTS}, or a dotted path such as my_bots.make; got {value!r}")
        _maker(name, value)
    return str(value)


def _maker(name: str, path: str) -> Callable[..., Any]:
    maker: Callable[..., Any] = import_callable(name, path, "my_bots.make", "a class or a function that makes a bot")
    return maker


class OpenSpielPlayer(Guest, name="open_spiel"):
    """Plays what a bot of OpenSpiel plays, in Connect 4 and in OpenSpiel's games.

    mcts is its MCTSBot in C++, with one uniform playout a simulation, for games without rewards on the way. Any other
    bot is made once per game by your class or function. It is called with those of the arguments `game`, `player_id` (0
    moves first), `seed`, `simulations` and `seconds` that it takes. `inform_action` tells it the moves between its own,
    as OpenSpiel's `evaluate_bots` does. An exception, no move within the limit, or an illegal one loses the game; mcts
    has no limit, for it ends by itself. After a move of mcts, `value` is the estimate for the side to move. It is
    scaled from 0 (lowest utility of the game) to 1 (highest).
    """

    others = "a position of OpenSpiel"
    bot: str = parameter(
        MCTS, check=_bot, help="mcts, or dotted path of a class or function that makes a bot, as my_bots.make"
    )
    simulations: int | None = parameter(
        None, low=1, high=_MOST, help="simulations per move; default for mcts: 1,000 if there is no other budget"
    )
    seconds: float | None = parameter(None, low=0.0, above=True, high=LONGEST, help="time budget per move")
    uct_c: float = parameter(C, low=0.0, help="exploration constant of mcts, for values in [-1, 1]: 2 is our c=1")
    solve: bool = parameter(True, help="whether mcts backs up proven wins, losses and draws")
    limit: float = parameter(
        10.0, low=0.0, above=True, high=LONGEST, help="time limit for a move of another bot, in seconds"
    )

    def check(self) -> None:
        """Raise ValueError without OpenSpiel, and for two budgets of mcts."""
        self.value: float | None = None
        if importlib.util.find_spec("pyspiel") is None:
            raise ValueError(
                "player open_spiel requires the package open_spiel, which is not installed; use "
                'pip install "treebandit[interop]"'
            )
        if self.bot == MCTS and self.simulations is not None and self.seconds is not None:
            raise ValueError(f"simulations must be left out with seconds={self.seconds:g}; got {self.simulations}")

    def takes(self, board: Any) -> bool:
        """Return whether this is a position of OpenSpiel."""
        return isinstance(getattr(board, "state", None), importlib.import_module("pyspiel").State)

    def check_board(self, board: Any) -> None:
        """Refuse another game, one with rewards where mcts plays, and a path that makes no bot for it."""
        super().check_board(board)
        game = self.shown(board).get_game()
        if self.bot != MCTS:
            _try(self.bot, str(game))
        elif game.get_type().reward_model.name == "REWARDS":
            raise ValueError(
                f"bot must be a path, such as my_bots.make, for games with intermediate rewards ({game}); got 'mcts'"
            )

    def shown(self, board: Any) -> Any:
        """Return what a bot sees: a state of OpenSpiel that may be changed."""
        board = super().shown(board)
        return state_of(board) if isinstance(board, Board) else board.state.clone()

    @property
    def budget(self) -> int | None:
        """Simulations of a move of mcts; None for other bots and for a budget in seconds."""
        return None if self.bot != MCTS or self.seconds is not None else self.simulations or _PLAIN

    def choice(self) -> Callable[[Any], Any]:
        """Return a callable that asks the user's bot."""
        return Asked(self._made).choose

    def play(self, board: Any) -> Any:
        """Return the bot's move."""
        return self._search(self.shown(board)) if self.bot == MCTS else super().play(board)

    def _search(self, state: Any) -> int:
        """Search with a new tree, and a seed from the player's stream."""
        pyspiel, game, seed = importlib.import_module("pyspiel"), state.get_game(), self.pick(_SEEDS)
        bot = pyspiel.MCTSBot(
            game,
            pyspiel.RandomRolloutEvaluator(1, seed),
            self.uct_c,
            self.simulations or _PLAIN,
            _MEMORY,
            self.solve,
            seed,
            False,
            max_wall_clock_time=-1.0 if self.seconds is None else self.seconds,  # replaces the simulations
        )
        best = bot.mcts_search(state).best_child()  # what bot.step plays
        mean = best.outcome[best.player] if best.outcome else best.total_reward / best.explore_count
        self.value = (mean - game.min_utility()) / (game.max_utility() - game.min_utility())
        return int(best.action)

    def _made(self, state: Any) -> Any:
        budget = {"simulations": self.simulations, "seconds": self.seconds}
        given = {name: value for name, value in budget.items() if value is not None}
        return _bot_of(self.bot, state.get_game(), player_id=state.current_player(), seed=self.own_seed, **given)


class Asked:
    """Asks a bot position after position, and informs it of the moves and the chance in between.

    A position that does not follow from the previous one begins another game, with a new bot.
    """

    def __init__(self, make: Callable[[Any], Any]):
        self._make = make
        self._bot: Any = None
        self._seen: list[int] = []

    def choose(self, state: Any) -> Any:
        """Return the bot's action in a state."""
        actions = state.history()
        if self._bot is None or actions[: len(self._seen)] != self._seen:
            self._bot, self._seen = self._make(state), []
        before = state.get_game().new_initial_state()
        for number, action in enumerate(actions):
            if number >= len(self._seen):
                self._bot.inform_action(before, before.current_player(), action)
            before.apply_action(action)
        chosen = self._bot.step(state)
        self._seen = [*actions, chosen]
        return chosen


def _bot_of(path: str, game: Any, **offered: Any) -> Any:
    """Return a new bot.

    Raises
    ------
    ValueError
        It cannot be made, or is not a bot.
    """
    bot = call_with_offered("bot", path, _maker("bot", path), game=game, **offered)
    if not (callable(getattr(bot, "step", None)) and callable(getattr(bot, "inform_action", None))):
        raise ValueError(
            f"bot {path!r} must name a class or a function that returns a pyspiel.Bot, with step(state); "
            f"it returns a {type(bot).__name__}"
        )
    return bot


@functools.cache
def _try(path: str, game: str) -> None:
    """Make a bot once in a process, so that a path that fails is refused before any game."""
    _bot_of(path, importlib.import_module("pyspiel").load_game(game), player_id=0, seed=0)
