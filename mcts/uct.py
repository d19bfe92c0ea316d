"""The player that searches a tree: UCT with any index policy of the bandits package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import numpy as np
import numpy.typing as npt

from bandits import UCB, Policy
from mcts.at_root.policies import root_policy_of
from mcts.ordinary.boards import game_of, plain
from mcts.ordinary.workers import MOST_WORKERS, check_workers
from mcts.parallel import AnySearch, ParallelSearch, begin, spend
from mcts.players import PLAYOUTS_HELP
from mcts.policy import IN_A_TREE, check_policy, index_rule_of
from mcts.processes.search import is_planned
from mcts.result import CHOICES, SearchResult
from mcts.streams import STREAMS
from mcts.tree import LEAST_MEMORY, MEMORY
from mcts.tree_search import MOST_SIMULATIONS, Search
from numerics import checks
from numerics.games import Game
from numerics.parameters import parameter, parameter_as
from numerics.players import Player
from numerics.positions import name_of

_SIMULATIONS = 1_000  # of a move, where no budget is given


class UCTPlayer(Player, name="uct"):
    """Searches with UCT and plays the most visited move.

    The budget is a number of simulations, seconds, seconds of processor time, or several of these. The first limit
    reached ends the search. The default is 1,000 simulations. The constant c is that of the policy ucb, mean + c
    sqrt(ln t / n) for values in [0, 1], and 1 unless given. A constant for results in [-1, 1], as in OpenSpiel, is
    twice this one.
    """

    streams: ClassVar[int] = STREAMS
    simulations: int | None = parameter(
        None, low=1, most=MOST_SIMULATIONS, help="simulations per move; default: 1,000 if there is no other budget"
    )
    seconds: float | None = parameter(None, low=0.0, above=True, help="time budget per move")
    cpu_seconds: float | None = parameter(
        None,
        low=0.0,
        above=True,
        help="processor time per move of each worker, in seconds; hardly affected by a busy machine",
    )
    c: float | None = parameter_as(UCB, "c", default=None, help="exploration constant of the policy ucb; default: 1")
    policy: Policy | str | Mapping[str, Any] = parameter(
        "ucb", of=IN_A_TREE, help="any index policy, such as kl_ucb, or {name: kl_ucb, c: 0}"
    )
    root_policy: Policy | str | Mapping[str, Any] | None = parameter(
        None, of=IN_A_TREE, help="policy at the root, such as sequential_halving or kl_lucb; default: that of the tree"
    )
    playouts: str = parameter("uniform", help=PLAYOUTS_HELP)
    playouts_per_leaf: int = parameter(1, low=1, help="playouts per leaf; their mean is the result of the simulation")
    final: str | None = parameter(
        None,
        choices=CHOICES,
        help="the move to play: most visits, highest mean, or highest index; default: the recommendation of "
        "the policy at the root, for most policies the most visited move",
    )
    solve: bool = parameter(False, help="back up proven wins, losses and draws")
    transpositions: bool = parameter(
        False,
        help="share statistics between move orders that reach the same position; always on for your own class"
        " if it compares positions",
    )
    tactics: bool = parameter(
        False, help="skip moves that lose immediately, and detect decided endings early (Connect 4)"
    )
    exact: bool = parameter(
        False,
        help="alternate with an exact search, for two thirds of the time (Connect 4, Hex up to 5x5); requires solve",
    )
    prior: str | None = parameter(
        None,
        help="prior of the game, such as lines of Connect 4; requires a policy that uses priors, such as puct",
    )
    workers: int = parameter(
        1,
        low=1,
        high=MOST_WORKERS,
        help="number of threads; each searches its own tree with a share of the simulations, and the visits are added",
    )
    keep: bool = parameter(False, help="keep the tree between the moves of a game; requires board.moves")
    memory: int = parameter(MEMORY, low=LEAST_MEMORY, help="maximal size of the tree, in bytes")

    def check(self) -> None:
        """Try the policy for the budget, and check what goes together."""
        self._search: AnySearch | None = None
        check_workers(self.workers, self.simulations)
        has_time = self.seconds is not None or self.cpu_seconds is not None
        self.budget: int | None = self.simulations if has_time else self.simulations or _SIMULATIONS
        self.selector: Policy = cast(Policy, self.policy)
        if self.c is not None:
            if self.policy != IN_A_TREE.of("ucb"):
                raise ValueError(f"c must be left out unless policy is ucb; got {self.c}")
            self.selector = UCB(c=self.c)
        check_policy(self.selector)
        rule = index_rule_of(self.selector, horizon=self.budget is not None)
        self.at_root: Policy | None = root_policy_of(self.root_policy, self.selector, self.budget)
        needs = {*rule.needs, *(() if self.at_root is None else self.at_root.spec().rule.needs)}
        if self.exact and not self.solve:
            raise ValueError("exact must be false unless solve is true")
        if self.prior is not None and "priors" not in needs:
            raise ValueError(
                f"prior must be left out unless policy uses priors, as puct does; got {self.selector.name}"
            )

    def check_board(self, board: Any) -> None:
        """Refuse a board whose game lacks what the options need."""
        board = plain(board)
        self._refuse_to_keep(board)
        if is_planned(board, {}):
            self._begin(board, self.rng.copy())
        else:
            self.check_game(game_of(board))

    def check_game(self, game: Game) -> None:
        """Refuse playouts, tactics and a prior that a game does not have."""
        if self.tactics:
            game.tactical()
        if self.exact:
            game.exact_search()
        game.playout(self.playouts)
        if self.prior is not None:
            game.prior(self.prior)

    def _refuse_to_keep(self, board: Any) -> None:
        if self.keep and callable(getattr(board, "moves", None)):
            raise ValueError(
                f"keep must be false for a class whose positions do not store the moves so far; got {name_of(board)}"
            )
        if self.keep and not hasattr(board, "moves"):
            raise ValueError(f"keep requires board.moves, the moves of the game so far; got {checks.show(board)}")

    def reset(self, game: int | None = None) -> None:
        """Forget everything and begin game number `game`; without a number, the one after the last."""
        super().reset(game)
        self._seen: tuple[int, ...] | None = None  # the moves of the game when it was last asked

    def __getstate__(self) -> dict[str, Any]:
        """A pickled player has its parameters and its game's number, but no tree."""
        return {**self.__dict__, "_search": None, "_seen": None}

    def play(self, board: Any) -> Any:
        """Return the move to play."""
        return self.think(board).choose(self.final)

    @property
    def value(self) -> float | None:
        """What the last search says that the side to move gets, from 0 to 1; None without wins, draws and losses."""
        result = None if self._search is None else self._search.result()
        return result.value if isinstance(result, SearchResult) else None

    def think(self, board: Any) -> AnySearch:
        """Search the position, spending the whole budget, and return the search."""
        search, board = self.begin(board), plain(board)
        budget = self.budget, self.seconds, self.cpu_seconds
        self._search = spend(search, lambda **more: self._begin(board, self.rng, **more), *budget)
        return self._search

    def begin(self, board: Any) -> AnySearch:
        """Return the search of the position before its budget is spent, for those who spend it in parts."""
        board = plain(board)
        self._refuse_to_keep(board)
        moves = tuple(board.moves) if self.keep else ()
        search, seen, self._seen = self._search, self._seen, None  # unless all of this is done
        follows = seen is not None and moves[: len(seen)] == seen and len(moves) > len(seen)
        if seen is not None and follows and isinstance(search, Search | ParallelSearch):
            search.advance(board, moves[len(seen) :])
        elif is_planned(board, {}) or not isinstance(search, Search) or not search.begin_again(board, self.rng):
            search = self._begin(board, self.rng)
        self._search = search
        if self.keep:
            self._seen = moves
        return search

    def _begin(self, board: Any, rng: npt.NDArray[np.uint64], **more: Any) -> AnySearch:
        return begin(
            board,
            self.selector,
            workers=self.workers,
            simulations=self.budget,
            root_policy=self.at_root,
            playouts=self.playouts,
            playouts_per_leaf=self.playouts_per_leaf,
            solve=self.solve,
            transpositions=self.transpositions,
            tactics=self.tactics,
            exact=self.exact,
            prior=self.prior,
            memory=self.memory,
            rng=rng,
            **more,
        )
