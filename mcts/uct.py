"""The player that searches a tree: UCT with any index rule of the bandits package."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bandits import UCB, Policy
from mcts.parallel import ParallelSearch, check_workers
from mcts.policy import policy_of, text_of
from mcts.result import CHOICES
from mcts.search import LEAST_MEMORY, Search, begin, check_budget, index_hooks
from mcts.streams import STREAMS
from numerics import checks
from numerics.player import Player

_SIMULATIONS = 1_000  # of a move, where no budget is given
_C = 1.0
PRIORS = ("lines",)
# What a name tells only where it is not the default; the memory changes no move of a search that fits it.
_OPTIONS = ("playouts", "playouts_per_leaf", "final", "solve", "transpositions", "prior", "workers", "keep")


@dataclass(kw_only=True)
class UCTPlayer(Player):
    """Searches with UCT and plays the most visited move.

    Parameters
    ----------
    simulations : int, optional
        Of a move, at least 1; 1,000 when neither this nor `seconds` is given.
    seconds : float, optional
        Of a move, above 0; with `simulations` too, the first of both ends the search.
    c : float, optional
        The exploration constant of the rule "ucb": mean + c sqrt(ln t / n) for values in [0, 1]; 1 unless given. A
        constant for results in [-1, 1], as in OpenSpiel, is twice this one.
    rule : Policy, str or mapping, default "ucb"
        Any index policy of the bandits package, by its name, as ``{name: kl_ucb, c: 0}``, or as an object.
    playouts : {"uniform", "biased"}
        How a game goes on from a leaf: at random, or winning and blocking at once where that is possible.
    playouts_per_leaf : int, default 1
        Their mean is the result of one simulation.
    final : {"visits", "value", "index"}
        Which move is played: of most visits, of highest mean, or of highest score of the rule.
    solve : bool, default False
        Back up proven wins, losses and draws.
    transpositions : bool, default False
        Let positions that different orders of moves reach share what is known of them.
    prior : {"lines"}, optional
        For a rule that reads priors, such as puct: each column's share of the winning lines through its next cell.
        Equal ones otherwise.
    workers : int, default 1
        Independent searches in as many threads, which share the simulations; the visits of their moves are added.
    keep : bool, default False
        Keep the tree between the moves of one game.
    memory : int, default 2 GiB
        Bytes for the tree, at most.
    """

    kind: ClassVar[str] = "uct"
    streams: ClassVar[int] = STREAMS
    simulations: int | None = None
    seconds: float | None = None
    c: float | None = None
    rule: Policy | str | Mapping[str, Any] = "ucb"
    playouts: str = "uniform"
    playouts_per_leaf: int = 1
    final: str = "visits"
    solve: bool = False
    transpositions: bool = False
    prior: str | None = None
    workers: int = 1
    keep: bool = False
    memory: int = 2 * 1024**3

    def check(self) -> None:
        """Check the parameters."""
        super().check()
        self._search: Search | ParallelSearch | None = None
        check_budget(self.simulations, self.seconds)
        checks.whole("playouts_per_leaf", self.playouts_per_leaf, 1)
        checks.whole("memory", self.memory, LEAST_MEMORY)
        check_workers(self.workers, self.simulations)
        if self.prior is not None and self.prior not in PRIORS:
            raise ValueError(f"prior must be one of {', '.join(PRIORS)}; got {self.prior!r}")
        for name, allowed in (("playouts", ("uniform", "biased")), ("final", CHOICES)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(allowed)}; got {getattr(self, name)!r}")
        if self.c is not None:
            checks.number("c", self.c, 0.0)
        self.budget = _SIMULATIONS if self.simulations is None and self.seconds is None else self.simulations
        if self.rule == "ucb":
            self.policy: Policy = UCB(c=_C if self.c is None else float(self.c))
        elif self.c is not None:
            raise ValueError(f"c must be left out unless rule is ucb, whose constant it is; got {self.c}")
        else:
            self.policy = policy_of(self.rule, "rule", horizon=self.budget)
        hooks = index_hooks(self.policy, horizon=self.budget is not None)
        if self.prior is not None and not hooks.rule.reads("priors"):
            raise ValueError(f"prior must be left out unless rule reads it, as puct does; got {self.policy.name}")

    @property
    def name(self) -> str:
        """The kind with its budget, its rule with every parameter, and what else is not as it is unless given."""
        budget = [f"simulations={self.budget}"] if self.budget is not None else []
        budget += [f"seconds={self.seconds:g}"] if self.seconds is not None else []
        shown = [*budget, f"rule={text_of(self.policy)}"]
        given = {name: getattr(self, name) for name in _OPTIONS}
        shown += [f"{name}={value}" for name, value in given.items() if value != getattr(type(self), name)]
        return f"{self.kind}({', '.join(shown)})"

    def reset(self, game: int | None = None) -> None:
        """Forget everything and begin game number `game`; without a number, the one after the last."""
        super().reset(game)
        self._seen: tuple[int, ...] | None = None  # the moves of the game when it was last asked

    def __getstate__(self) -> dict[str, Any]:
        """A pickled player has its parameters and its game's number, but no tree."""
        return {**self.__dict__, "_search": None, "_seen": None}

    def play(self, board: Any) -> int:
        """Return the move to play."""
        return self.think(board).choose(self.final)

    def think(self, board: Any) -> Search | ParallelSearch:
        """Search the position, spending the whole budget, and return the search."""
        moves = tuple(board.moves) if self.keep else ()
        search, seen = self._search, self._seen
        if search is not None and seen is not None and moves[: len(seen)] == seen and len(moves) > len(seen):
            search.advance(board, moves[len(seen) :])
        elif not isinstance(search, Search) or not search.begin_again(board, self.rng):
            search = begin(
                board, self.policy, workers=self.workers, simulations=self.budget, playouts=self.playouts,
                playouts_per_leaf=self.playouts_per_leaf, solve=self.solve, transpositions=self.transpositions,
                prior=self.prior, memory=self.memory, rng=self.rng,
            )  # fmt: skip
        search.spend(self.budget, self.seconds)
        self._search = search
        if self.keep:
            self._seen = moves
        return search
