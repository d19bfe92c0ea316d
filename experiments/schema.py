"""What may stand in a configuration: names, types and defaults, registered with Hydra.

The groups `bandit` and `arms` are made from the policies and arms themselves, so that the command line has the names,
parameters and defaults of the library. Ranges are checked where the objects are built. Imports nothing slow.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, get_type_hints

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING

from bandits import POLICIES, RandomBernoulli, RandomGaussian
from experiments.players import PLAYERS


@dataclass
class BernoulliArms:
    """Bernoulli arms with fixed means."""

    kind: str = "bernoulli"
    means: list[float] = MISSING


@dataclass
class GaussianArms:
    """Gaussian arms with fixed means and one standard deviation."""

    kind: str = "gaussian"
    means: list[float] = MISSING
    scale: float = 1.0


@dataclass
class RandomBernoulliArms:
    """Bernoulli arms with means from Beta(a, b), anew in every replication."""

    kind: str = "random_bernoulli"
    arms: int = RandomBernoulli.arms
    a: float = RandomBernoulli.a
    b: float = RandomBernoulli.b


@dataclass
class RandomGaussianArms:
    """Gaussian arms with means from a normal law, anew in every replication."""

    kind: str = "random_gaussian"
    arms: int = RandomGaussian.arms
    center: float = RandomGaussian.center
    spread: float = RandomGaussian.spread
    scale: float = RandomGaussian.scale


@dataclass
class LogArms:
    """Bernoulli arms with the means of a click log."""

    kind: str = "from_log"
    path: str = MISSING
    arm_column: str = "item"
    reward_column: str = "click"


ARMS = {
    "bernoulli": BernoulliArms,
    "gaussian": GaussianArms,
    "random_bernoulli": RandomBernoulliArms,
    "random_gaussian": RandomGaussianArms,
    "from_log": LogArms,
}


@dataclass
class SerialExecutor:
    """One shard after another."""

    kind: str = "serial"


@dataclass
class ThreadsExecutor:
    """Threads; workers null means one a core."""

    kind: str = "threads"
    workers: int | None = None


@dataclass
class LocalExecutor:
    """Processes; workers null means one a core."""

    kind: str = "local"
    workers: int | None = None


EXECUTORS = {"serial": SerialExecutor, "threads": ThreadsExecutor, "local": LocalExecutor}


@dataclass
class Regret:
    """One policy, many replications."""

    kind: str = "regret"
    bandit: Any = MISSING
    arms: Any = MISSING
    executor: Any = MISSING
    horizon: int = 10_000
    runs: int = 1_000
    seed: int = 0


@dataclass
class Comparison:
    """Several policies on the same random numbers."""

    kind: str = "comparison"
    bandits: list[Any] = field(default_factory=list)
    arms: Any = MISSING
    executor: Any = MISSING
    horizon: int = 10_000
    runs: int = 1_000
    seed: int = 0


@dataclass
class Trace:
    """One replication, step by step; `rows` is how many steps are printed."""

    kind: str = "trace"
    bandit: Any = MISSING
    arms: Any = MISSING
    horizon: int = 40
    run: int = 0
    seed: int = 0
    rows: int = 60


@dataclass
class Match:
    """Two players against each other, both colours, on one board."""

    kind: str = "match"
    player1: Any = MISSING
    player2: Any = MISSING
    executor: Any = MISSING
    games: int = 100
    openings: str = "none"
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


@dataclass
class Tournament:
    """Every pair of several players; `games` is the number of games of each pair."""

    kind: str = "tournament"
    players: list[Any] = field(default_factory=list)
    executor: Any = MISSING
    games: int = 100
    openings: str = "none"
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


@dataclass
class UctSweep:
    """A player with each value of one parameter against one opponent; `games` is the number of games of each value."""

    kind: str = "uct_sweep"
    parameter: str = "c"
    values: list[Any] = field(default_factory=lambda: [0.1, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0])
    player: Any = MISSING
    opponent: Any = MISSING
    executor: Any = MISSING
    games: int = 196
    openings: str = "pairs"
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


@dataclass
class PGames:
    """How often the root move of a P-game tree is wrong, against iterations: UCT, flat Monte Carlo and alpha-beta.

    `sizes` are trees as BRANCHINGxDEPTH; each of `trees` random ones is searched `runs` times by what is random, for up
    to `iterations`; `rules` are the index policies of UCT.
    """

    kind: str = "p_game"
    sizes: list[str] = field(default_factory=lambda: ["2x20", "8x8"])
    rules: list[Any] = field(default_factory=lambda: ["ucb"])
    executor: Any = MISSING
    trees: int = 500
    runs: int = 1
    iterations: int = 65_536
    seed: int = 0


@dataclass
class RandomGames:
    """The combinatorics of play at random: length, draws, numbers of games and positions.

    `paths` and `position_paths` are the random paths from which numbers of games and of positions are estimated,
    `fillings` the full boards coloured at random, and `exact_positions` the most positions of a ply that are counted.
    They are needed for random players only.
    """

    kind: str = "random_games"
    player1: Any = MISSING
    player2: Any = MISSING
    executor: Any = MISSING
    games: int = 10_000
    paths: int = 1_000_000
    position_paths: int = 10_000
    fillings: int = 100_000
    exact_positions: int = 10_000_000
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


@dataclass
class Environments:
    """Players against each other in PettingZoo's Connect Four and on the board of this project."""

    kind: str = "environments"
    players: list[Any] = field(default_factory=list)
    games: int = 100
    seed: int = 0


@dataclass
class Strength:
    """Players judged by exact scores on the first `positions` of a fixed set on 7x6.

    `positions_from` says which set: random, self_play, or both. Players that think as long as they are told, and whose
    node does not say how long, do so for each of `simulations` and for each of `seconds`.
    """

    kind: str = "strength"
    players: list[Any] = field(default_factory=list)
    executor: Any = MISSING
    positions: int = 2_000
    positions_from: str = "both"
    simulations: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    seed: int = 0


@dataclass
class RootRegret:
    """The root of a search as a bandit with known means, on the first `positions` of a fixed set on 7x6.

    `rules` are the index policies; `simulations` those of the root's moves, and `endings` the playouts after each move
    from which the means of playouts are estimated.
    """

    kind: str = "root_regret"
    rules: list[Any] = field(default_factory=list)
    executor: Any = MISSING
    positions: int = 400
    simulations: int = 10_000
    endings: int = 2_000
    seed: int = 0


@dataclass
class Grading:
    """A player against `graded`, which plays worse moves at a rate, to find the rate at which it scores one half.

    `games` is the number of games at each rate: of `rates` in the first round, of two more in each of `rounds` further
    ones. `simulations` are those of graded, which tell its equal moves apart.
    """

    kind: str = "grade"
    player: Any = MISSING
    executor: Any = MISSING
    rates: list[float] = field(default_factory=lambda: [0.0, 0.04, 0.16, 0.36, 0.64, 1.0])
    rounds: int = 3
    games: int = 98
    simulations: int = 1_000
    openings: str = "pairs"
    board: str = "7x6"
    connect: int = 4
    seed: int = 0


EXPERIMENTS = {
    "regret": Regret,
    "comparison": Comparison,
    "trace": Trace,
    "match": Match,
    "tournament": Tournament,
    "uct_sweep": UctSweep,
    "p_game": PGames,
    "random_games": RandomGames,
    "environments": Environments,
    "strength": Strength,
    "grade": Grading,
    "root_regret": RootRegret,
}


def bandit_node(name: str) -> type:
    """Return the configuration of one policy: its name, a label for tables and figures, and its parameters."""
    policy: Any = POLICIES[name]
    hints = get_type_hints(policy)
    parameters: list[tuple[str, Any, Any]] = [
        (one.name, list[float], field(default_factory=list))
        if one.name == "params"
        else (one.name, hints[one.name], field(default=one.default))
        for one in dataclasses.fields(policy)
    ]
    return dataclasses.make_dataclass(f"Bandit_{name}", [*_named(name), *parameters])


def player_node(name: str) -> type:
    """Return the configuration of one player: its name, a label for tables and figures, and its parameters.

    The seed is not among them: a match gives every player of every game its own.
    """
    player: Any = PLAYERS[name]
    hints = get_type_hints(player)
    parameters: list[tuple[str, Any, Any]] = [
        (
            one.name,
            _plain(hints[one.name]),
            field(default=MISSING if one.default is dataclasses.MISSING else one.default),
        )
        for one in dataclasses.fields(player)
        if one.name != "seed"
    ]
    return dataclasses.make_dataclass(f"Player_{name}", [*_named(name), *parameters])


def _plain(hint: Any) -> Any:
    """Return a type that a configuration can check; what it cannot is checked where the player is built."""
    return hint if hint in (bool, int, float, str, bool | None, int | None, float | None, str | None) else Any


def _named(name: str) -> list[tuple[str, Any, Any]]:
    return [("name", str, field(default=name)), ("label", str | None, field(default=None))]


def register() -> None:
    """Tell Hydra every schema; safe to call twice."""
    # The store is one for the whole process and copies what it hands out. Hydra copies it whole all the same, a hundred
    # times for --help, which took two of two and a half seconds.
    ConfigStore.__deepcopy__ = lambda itself, _: itself  # type: ignore[attr-defined]
    store = ConfigStore.instance()
    for name in POLICIES:
        store.store(group="bandit", name=name, node=bandit_node(name))
    for name in PLAYERS:
        for group in ("player1", "player2", "player", "opponent"):
            store.store(group=group, name=name, node=player_node(name))
    for group, nodes in (("arms", ARMS), ("executor", EXECUTORS)):
        for name, node in nodes.items():
            store.store(group=f"schema/{group}", name=name, node=node)
    for name, node in EXPERIMENTS.items():
        store.store(group="schema", name=name, node=node, package="_global_")
