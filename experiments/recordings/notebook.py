"""Recordings in a notebook: `record_search`, `record_bandit`, and `%load_ext experiments`, which plays results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bandits import Arms, Comparison, Policy, Result, Trace
from bandits.arms.base import ARMS
from bandits.hooks import PlainRule
from bandits.policies.base import POLICIES
from connect4 import Board
from experiments.recordings.bandit import bandit_recording
from experiments.recordings.html import frame_of, page_of
from experiments.recordings.positions import positions_recording
from experiments.recordings.result import result_recording
from experiments.recordings.search import search_recording
from mcts import SearchResult
from mcts.ordinary.boards import plain
from mcts.policy import index_policy
from numerics import checks
from numerics.output.files import atomic_write
from numerics.positions import is_position

_PULLS = 1_000  # of a result's first replication that are shown, at most
_NOT_PRINTED = "<style>@media print { details.recording { display: none } }</style>"  # a frame would be cut


@dataclass(frozen=True, repr=False, eq=False)
class Recorded:
    """A recording that shows itself in a notebook.

    Attributes
    ----------
    data : dict
        The recording as JSON has it.
    """

    data: dict[str, Any]

    def __repr__(self) -> str:
        """Describe the recording in one line."""
        return f"Recorded({self.data['title']!r})"

    def _repr_html_(self) -> str:
        return frame_of(self.data)

    def save(self, path: str | Path) -> Path:
        """Write one file that any browser opens, and return its path."""
        file = Path(path)
        with atomic_write(file) as beside:
            beside.write_text(page_of(self.data), encoding="utf-8", newline="\n")
        return file


def record_search(
    board: Any,
    rules: Policy | str | Iterable[Policy | str] = "ucb",
    simulations: int | None = None,
    seed: int = 0,
    *,
    exact: bool = False,
) -> Recorded:
    """Search a position with one rule, or with two side by side, and keep every simulation.

    Parameters
    ----------
    board : Board, str or position
        The position, or the moves that lead to it on 7 x 6, such as "4453"; or a position of a class of yours.
    rules : Policy, str, or two of them
        Index policies; a text is a name and parameters, such as "ucb c=0.5".
    simulations, seed, exact
        As for `python -m experiments.record`.

    Raises
    ------
    ValueError
        An argument out of its range.

    Examples
    --------
    >>> record_search("4453", ["ucb", "thompson"], 100)
    Recorded('ucb c=1 and thompson search 4453: 100 simulations, seed 0')
    """
    position = Board.from_moves(board) if isinstance(board, str) else plain(board)
    policies = [index_policy(rule, "rules") for rule in _list_rules(rules)]
    if is_position(position):
        if exact:
            raise ValueError(f"exact must be false for games other than Connect 4; got {exact}")
        return Recorded(positions_recording(position, policies, simulations, seed))
    if not isinstance(position, Board):
        raise ValueError(
            "board must be a connect4.Board, a string of moves, or a position of your own class; got "
            f"{checks.show(position)}"
        )
    return Recorded(search_recording(position, policies, simulations, seed, exact=exact))


def record_bandit(
    arms: Arms | Iterable[float],
    rules: Policy | str | Iterable[Policy | str] = "ucb",
    horizon: int = 1_000,
    seed: int = 0,
) -> Recorded:
    """Play one replication with one rule, or with two that meet the same rewards, and keep every pull.

    Parameters
    ----------
    arms : Arms or sequence of float
        What pays; a list of means stands for Bernoulli arms.
    rules : Policy, str, or two of them
        A text is a name and parameters, such as "ucb c=0.5".
    horizon, seed
        As for `python -m experiments.record`.

    Raises
    ------
    ValueError
        An argument out of its range.

    Examples
    --------
    >>> record_bandit([0.3, 0.7], "thompson", 50)
    Recorded('thompson pulls 2 Bernoulli arms, means 0.3, 0.7: 50 pulls, seed 0')
    """
    policies = [POLICIES.of(rule, "rules") for rule in _list_rules(rules)]
    return Recorded(bandit_recording(ARMS.of(arms), policies, horizon, seed))


def _list_rules(rules: Policy | str | Iterable[Policy | str]) -> list[Policy | str]:
    if not isinstance(rules, Policy | str | Iterable):
        raise ValueError(
            f"rules must be one or two rules, such as 'ucb' or ['ucb', 'thompson']; got {checks.show(rules)}"
        )
    listed = [rules] if isinstance(rules, Policy | str) else list(rules)
    if not 1 <= len(listed) <= 2:
        raise ValueError(f"rules must be one or two rules; got {len(listed)}")
    return listed


def load(shell: Any) -> None:
    """Display results of searches and bandits with recordings below their usual display.

    Results that cannot be recorded, such as a search of another game, are displayed as before.
    """
    formats = shell.display_formatter.formatters["text/html"]
    for kind, (recording, words) in _MOVING.items():
        formats.for_type(kind, _show(recording, words))


def _show(recording: Callable[[Any], dict[str, Any]], words: str) -> Callable[[Any], str]:
    """Return what shows a result: its table and figure, and below them the recording, which paper leaves out."""

    def html_of(result: Any) -> str:
        still: str = result._repr_html_()
        try:
            frame = frame_of(recording(result))
        except ValueError:
            return still
        return f'{still}{_NOT_PRINTED}<details open class="recording"><summary>{words}</summary>{frame}</details>'

    return html_of


def _of_results(results: list[Result]) -> dict[str, Any]:
    """Return the first replication of one result, or of two of the same run."""
    first = results[0]
    if first.arms.fixed_means is None or len(results) > 2:
        raise ValueError("results must be one or two results of arms with fixed means")
    policies = [each.policy for each in results]
    rules = [policy.spec().rule for policy in policies]
    knows_horizon = any(isinstance(rule, PlainRule) or "horizon" in rule.needs for rule in rules)
    if first.horizon > _PULLS and knows_horizon:  # on which the first pulls may depend
        raise ValueError(
            f"horizon must be at most {_PULLS} for a policy that depends on the horizon; got {first.horizon}"
        )
    return bandit_recording(first.arms, policies, min(first.horizon, _PULLS), first.seed)


# What is recorded of a result, and what it is called there.
_MOVING: dict[type, tuple[Callable[[Any], dict[str, Any]], str]] = {
    SearchResult: (result_recording, "the finished tree"),
    Result: (lambda result: _of_results([result]), "the first replication, step by step"),
    Comparison: (lambda compared: _of_results(list(compared.values())), "the first replication, step by step"),
    Trace: (
        lambda trace: bandit_recording(trace.arms, [trace.policy], trace.horizon, trace.seed, trace.run),
        "step by step",
    ),
}
