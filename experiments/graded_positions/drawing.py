"""Positions that are drawn and solved for a run: those of any game with exact values.

They come from random games and self-play in turn, unless a kind is asked for. No two of them are equal, nor mirror
images in Connect 4. Held-out ones come from other games of the seed, and none is among as many of the test set.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.engine.store import write_text
from experiments.engine.tasks import Task, parts_of
from experiments.games.rules import GAMES, Rules, try_rules
from experiments.graded_positions.candidates import candidates
from experiments.graded_positions.positions import (
    ALL,
    BOTH,
    EARLY,
    HELD_OUT,
    MIXTURES,
    PACKED,
    SETS,
    TEST,
    TRAPS,
    Graded,
    take_in_turns,
)
from experiments.graded_positions.sources import source_of
from numerics import checks
from numerics.parameters import must_be_one_of
from numerics.random import Purpose, derived_seed

_BLOCK = 7  # positions of a part: a third of all plies, so that parts take equally long
_CANDIDATES = 5  # of each number: small games have few positions
_MORE, _SPARE = 1.05, 5  # numbers that are searched: times those that are wanted, and so many more
MOST_DRAWN = 100_000

Ends = tuple[int, int]


def search(
    path: Path,
    kind: str,
    seed: int,
    numbers: Sequence[int],
    count: int,
    rules: Rules = PACKED,
    plies: Ends | None = None,
) -> None:
    """Store the first `count` candidates for each of these numbers; `plies` are those of the game, where known."""
    source = source_of(rules, plies)
    graded = {number: candidates(kind, number, seed, count, source) for number in numbers}
    plain = {
        number: [[position.moves, position.scores] for position in positions] for number, positions in graded.items()
    }
    write_text(path, json.dumps(plain))


def found_by(tasks: Sequence[Task], rules: Rules = PACKED) -> dict[int, list[Graded]]:
    """Return the candidates that tasks stored for each number."""
    return {
        int(number): [Graded(tuple(moves), tuple(scores), rules) for moves, scores in positions]
        for task in tasks
        for number, positions in json.loads(task.path.read_text(encoding="utf-8")).items()
    }


def settle(
    options: Mapping[int, Sequence[Graded]], apart_from: Iterable[Graded] = ()
) -> tuple[list[Graded], list[int]]:
    """Return each number's first candidate that is new, also as a mirror image, and the numbers without one.

    New is a position that no smaller number has, nor `apart_from`.
    """
    taken = {twin for position in apart_from for twin in position.twins}
    kept, without = [], []
    for number in sorted(options):
        fresh = next((position for position in options[number] if taken.isdisjoint(position.twins)), None)
        if fresh is None:
            without.append(number)
        else:
            kept.append(fresh)
            taken.update(fresh.twins)
    return kept, without


@dataclass(frozen=True)
class Drawing:
    """What is drawn: so many positions of a game, of a set or a kind, and a seed."""

    rules: Rules
    count: int
    positions_from: str = BOTH
    seed: int = 0

    @property
    def _held_out(self) -> bool:
        return self.positions_from.startswith(HELD_OUT)

    @property
    def turns(self) -> tuple[str, ...]:
        """The kinds that alternate."""
        name = self.positions_from.removeprefix(HELD_OUT).removeprefix("_")
        name = BOTH if name in ("", TEST, ALL) else name
        return MIXTURES.get(name, (name,))

    @functools.cached_property
    def plies(self) -> Ends | None:
        """The least and the most plies of a position."""
        return source_of(self.rules).plies

    def check(self) -> None:
        """Refuse, before any work, a game that is not solved, and a kind that it does not have.

        Raises
        ------
        ValueError
            One sentence.
        """
        if self.positions_from not in SETS:
            raise ValueError(must_be_one_of("positions_from", self.positions_from, SETS))
        if TRAPS in self.turns or EARLY in self.turns:
            raise ValueError(
                "positions_from must be random, self_play, both or misleading (or held_out_ and one of these), except "
                f"for Connect 4 on 7x6; got {self.positions_from!r}"
            )
        checks.check_whole("positions", self.count, 1, MOST_DRAWN)
        source_of(self.rules).check()

    def _sets(self) -> list[tuple[str, int]]:
        """The kinds and seeds that are drawn one after the other: those of the test set before held-out ones."""
        seeds = [self.seed, derived_seed(self.seed, (Purpose.GRADED_HELD_OUT,))] if self._held_out else [self.seed]
        return [(kind, seed) for seed in seeds for kind in self.turns]

    @property
    def _each(self) -> int:
        """Numbers of each kind that are searched, some of which have no position of their own."""
        return int(_MORE * -(-self.count // len(self.turns))) + _SPARE

    def tasks(self, folder: Path) -> list[Task]:
        """Return the tasks that draw and solve, whose files lie in a folder."""
        return [
            Task(
                folder / f"drawn{index}_{kind}{part[0]:07d}.json",
                search,
                (kind, seed, part, _CANDIDATES, self.rules, self.plies),
                len(part),
            )
            for index, (kind, seed) in enumerate(self._sets())
            for part in parts_of(self._each, _BLOCK)
        ]

    def read(self, folder: Path) -> list[tuple[Graded, str]]:
        """Return the positions that the tasks of a folder drew, each with its kind; fewer in a small game.

        Raises
        ------
        ValueError
            There is none.
        """
        tasks = self.tasks(folder)
        return self._settled(
            found_by([task for task in tasks if task.arguments[:2] == drawn], self.rules) for drawn in self._sets()
        )

    def draw(self) -> list[tuple[Graded, str]]:
        """Draw and solve them here, and return what `read` does."""
        source = source_of(self.rules, self.plies)
        return self._settled(
            {number: candidates(kind, number, seed, _CANDIDATES, source) for number in range(self._each)}
            for kind, seed in self._sets()
        )

    def _settled(self, candidates_of_sets: Iterable[Mapping[int, Sequence[Graded]]]) -> list[tuple[Graded, str]]:
        kept: dict[tuple[str, int], list[Graded]] = {}
        for drawn, options in zip(self._sets(), candidates_of_sets, strict=True):
            kept[drawn], _ = settle(options, (position for others in kept.values() for position in others))
        kinds = {kind: positions for (kind, _), positions in kept.items()}  # held-out ones come last
        chosen = list(take_in_turns(kinds, self.turns))[: self.count]
        if not chosen:
            raise ValueError(
                "game must have positions in which moves differ in value; none was found with seed "
                f"{self.seed} {self.rules.title}"
            )
        return chosen


def say_fewer(drawn: int, wanted: int) -> list[str]:
    """Return the caveat of a game that has fewer positions than were wanted; nothing if it has enough.

    Examples
    --------
    >>> say_fewer(17, 200), say_fewer(200, 200)
    (['17 of the 200 requested positions were found, because the game is small.'], [])
    """
    sentence = f"{drawn:,} of the {wanted:,} requested positions were found, because the game is small."
    return [sentence] if drawn < wanted else []


def drawn_positions(game: Rules | str, count: int = 2_000, positions_from: str = BOTH, seed: int = 0) -> list[Graded]:
    """Draw positions of a game and solve them.

    Parameters
    ----------
    game : Rules or str
        With exact values, such as "hex size=4", "dots_and_boxes", or "my_games.Nim size=5" with a class that has
        `scores`.
    count : int
        How many; fewer are returned where a game has no more.
    positions_from : str
        "random", "self_play" or "both" in turn; "misleading"; and "held_out_random" and so on, none of which is among
        the first `count` without "held_out".
    seed : int
        At least 0; game, count, kind and seed decide the positions.

    Raises
    ------
    ValueError
        A game without exact values or too large to be solved, an unknown kind, or a number out of range.

    Examples
    --------
    >>> first, second = drawn_positions("hex size=3", 2)
    >>> first.chance < 1.0, len(first.scores) == len(first.board.moves()) == 9 - len(first.moves)
    (True, True)
    """
    rules = try_rules(GAMES.of(game, "game"), "game") if isinstance(game, str) else game
    drawing = Drawing(rules, count, positions_from, checks.check_whole("seed", seed, 0))
    drawing.check()
    return [position for position, _ in drawing.draw()]
