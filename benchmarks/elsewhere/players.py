"""Who is asked for moves: rules and options of a search, by the names that the page gives them.

A constant is tuned where `{}` stands: each value plays the positions for tuning, and the best plays the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.solved_games import CONNECT4
from mcts import MonteCarloPlayer, UCTPlayer
from numerics.players import Player

REFERENCE = "ucb c={}"
CONSTANTS: dict[str, tuple[float, ...]] = {
    REFERENCE: (0.1, 0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0),
    "asymptotic_ucb c={}": (0.35, 0.7, 1.1, 1.4),
    "ucb_v zeta={}": (0.1, 0.25, 0.5, 1.0),
    "moss_anytime alpha={}": (0.2, 0.5, 1.35),
    "polynomial c={}": (0.1, 0.2, 0.45, 1.0),
    "puct c={}": (0.5, 1.0, 2.0, 4.0),
    "optimistic prior_pulls={}": (1.0, 3.0, 10.0, 30.0),
    "gittins discount={}": (0.95, 0.99),
    "thompson_gaussian scale={}": (0.125, 0.25, 0.5, 1.0),
    "boltzmann_gumbel c={}": (0.1, 0.2, 0.35, 1.0),
    "maillard scale={}": (0.1, 0.2, 0.35, 0.5),
}
"""The constants of each rule among which one is chosen."""
RULES = (
    "ucb_tuned",
    "kl_ucb",
    "thompson",
    "moss",
    "puct c={}",
    "imed",
    "ucb_v zeta={}",
    "polynomial c={}",
    "greedy",
    "gittins discount={}",
    "optimistic prior_pulls={}",
    "asymptotic_ucb c={}",
    "moss_anytime alpha={}",
    "kl_ucb_plus",
    "kl_ucb_plus_plus",
    "kl_ucb_switch",
    "thompson_gaussian scale={}",
    "boltzmann_gumbel c={}",
    "maillard scale={}",
    "kl_ms",
    "bayes_ucb",
)
"""Every index rule other than UCB1."""


@dataclass(frozen=True)
class Option:
    """Something that is added to the search with UCB1 at its tuned constant.

    Attributes
    ----------
    label : str
        Its name on the page.
    added : mapping
        Parameters of the player `uct`.
    games : tuple of str
        The games that have it; all where empty.
    """

    label: str
    added: Mapping[str, Any] = field(hash=False)
    games: tuple[str, ...] = ()

    def is_in(self, game: str) -> bool:
        """Return whether a game has it."""
        return not self.games or game in self.games


OPTIONS = (
    Option("`solve`", {"solve": True}),
    Option("`transpositions`", {"transpositions": True}),
    Option("`final: value`", {"final": "value"}),
    Option("`final: index`", {"final": "index"}),
    Option("`playouts: biased`", {"playouts": "biased"}, (CONNECT4,)),
    Option("`playouts: careful`", {"playouts": "careful"}, (CONNECT4,)),
    Option("`tactics`", {"tactics": True}, (CONNECT4,)),
    Option("prior `lines`, PUCT with c = 2", {"policy": "puct c=2", "prior": "lines"}, (CONNECT4,)),
)
ROOTS = (
    Option("sequential halving", {"root_policy": "sequential_halving"}),
    Option("Gumbel halving, equal priors", {"root_policy": "gumbel_halving"}),
    Option("successive rejects", {"root_policy": "successive_rejects"}),
    Option("KL-LUCB", {"root_policy": "kl_lucb rate=heuristic", "final": "value"}),
    Option("each move in turn", {"root_policy": "round_robin", "final": "value"}),
)
FLAT = Option("flat Monte Carlo", {})


def family(rule: str) -> list[str]:
    """Return a rule with each of its constants, or the rule itself if it has none.

    Examples
    --------
    >>> family("puct c={}"), family("imed")
    (['puct c=0.5', 'puct c=1', 'puct c=2', 'puct c=4'], ['imed'])
    """
    return [rule.format(f"{value:g}") for value in CONSTANTS.get(rule, (0.0,))]


def tuned_rules() -> Iterator[str]:
    """Yield the rules that have a constant, UCB1 first."""
    yield from (rule for rule in (REFERENCE, *RULES) if rule in CONSTANTS)


def player_of(policy: str, added: Mapping[str, Any], simulations: int, seed: int) -> Player:
    """Return a player: UCT with a policy and options, or flat Monte Carlo if the policy is empty."""
    if not policy:
        return MonteCarloPlayer(simulations=simulations, seed=seed)
    return UCTPlayer(**{"policy": policy, **added}, simulations=simulations, seed=seed)
