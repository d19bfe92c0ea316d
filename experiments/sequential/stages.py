"""A sequential test: pairs of games are played until the log-likelihood ratio leaves its bounds.

A stage is a number of pairs that are played at once. The test is evaluated pair by pair in the order of their numbers.
Pairs after its end do not count, so the result does not depend on the workers.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from experiments.engine import printing
from experiments.engine.experiment import SHARDS, group
from experiments.engine.tasks import Task
from experiments.games.matches import AnyGame
from experiments.games.openings import BALANCED
from experiments.games.playing import MatchSettings, Pair, facts_of, gather, labelled_apart, play_games
from experiments.games.rules import Connect4
from experiments.players.specs import PLAYER, PlayerSpec, check_programs
from experiments.sequential.lines import hundredths
from experiments.sequential.notes import COUNTS, FIGURES, caveats, notes
from numerics import checks
from numerics.output import tables
from numerics.output.figures import Figure
from numerics.parameters import parameter
from numerics.statistics.sprt import KINDS, MODELS, MOST_ELO, NORMALIZED, Sprt, counts_of, strength

if TYPE_CHECKING:
    import pandas as pd

_FIRST, _GROWTH, _MOST = 64, 8, 4_096  # pairs of the first stage; of a later one: a part of all before, and at most
_TASKS = 16  # of a stage
_MOST_GAMES = 10_000_000
RESULTS = {"wins": 1, "draws": 0, "losses": -1}


def _check_even(name: str, value: Any) -> int:
    games = checks.check_whole(name, value, 2, _MOST_GAMES)
    if games % 2:
        raise ValueError(f"{name} must be even, pairs of one opening with colours swapped; got {games}")
    return games


@dataclass(frozen=True)
class Stage:
    """Pairs that are played at once, from number `first` on; `before` are the counts of those before them."""

    first: int
    pairs: int
    before: npt.NDArray[np.int64]
    planned: Sequence[Task]

    @functools.cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """The counts after each of its pairs: int64 (pairs, 5)."""
        return self.before + counts_of(kinds_of(gather(self.planned)[0]))


class SequentialTest(AnyGame):
    """A sequential test of whether player 1 is stronger than player 2: pairs of games until H0 or H1 is accepted."""

    player1: PlayerSpec = group(PLAYER)
    player2: PlayerSpec = group(PLAYER)
    elo0: float = parameter(0.0, low=-MOST_ELO, high=MOST_ELO, help="advantage of player 1 under the hypothesis H0")
    elo1: float = parameter(10.0, low=-MOST_ELO, high=MOST_ELO, help="advantage under the hypothesis H1, above elo0")
    alpha: float = parameter(0.05, low=0.0, high=1.0, help="type I error: probability of accepting H1 if H0 is true")
    beta: float = parameter(0.05, low=0.0, high=1.0, help="type II error: probability of accepting H0 if H1 is true")
    model: str = parameter(NORMALIZED, choices=MODELS, help="Elo scale of the hypotheses")
    games: int = parameter(
        40_000, check=_check_even, help="maximal number of games; even, because games are played in pairs"
    )
    openings: str = parameter(
        BALANCED,
        help="balanced: openings that best play draws, in other games than Connect 4 pairs; or a file with one opening "
        "per line",
    )

    figures: ClassVar[Sequence[Figure]] = FIGURES
    caveats: ClassVar[Callable[..., list[str]]] = staticmethod(caveats)
    notes: ClassVar[Callable[..., list[str]]] = staticmethod(notes)

    @property
    def test(self) -> Sprt:
        """The hypotheses and errors."""
        return Sprt(self.elo0, self.elo1, self.alpha, self.beta, self.model)

    @property
    def pairs(self) -> list[Pair]:
        """The one pair of players."""
        return [labelled_apart((self.player1, self.player2))]

    @functools.cached_property
    def terms(self) -> MatchSettings:
        openings = self.rules.balanced_openings(self.openings, self.seed)
        return MatchSettings(self.rules, tuple(openings), self.games, self.seed)

    def adjusted(self) -> dict[str, Any]:
        follows = {"openings": self.rules.varied} if self.openings == BALANCED else {}
        return {**self.rules.settings, **follows}

    def prepare(self) -> None:
        check_programs({"player1": self.player1, "player2": self.player2}, "play thousands of games")
        if self.anytime:
            raise ValueError(
                "anytime must be false in a sequential test, whose result is already adjusted for early stopping; "
                "got true"
            )
        _ = self.test, self.terms
        super().prepare()

    def announce(self) -> None:
        test, (low, high) = self.test, self.test.bounds
        printing.say(
            f"{self.who}\nH0: {test.elo0:g}, H1: {test.elo1:g} {test.model} Elo; the test ends when the LLR leaves "
            f"({low:.2f}, {high:.2f}), or after {self.games:,} games; {self.rules.title}, "
            f"{self.opened}, each with both colours"
        )

    @property
    def opened(self) -> str:
        is_drawn = isinstance(self.rules, Connect4)  # whose openings are drawn with best play
        return f"{len(self.terms.openings):,} balanced openings" if is_drawn else super().opened

    def stages(self, folder: Path) -> Iterator[Sequence[Task]]:
        for stage in self._stages(folder):
            begun = all(task.path.exists() for task in stage.planned)
            yield stage.planned
            if not begun:
                pairs, llr = stage.first + stage.pairs, float(self.test.llr(stage.counts[-1]))
                printing.say(f"{pairs:,} pairs: LLR {hundredths(llr)}")

    def _stages(self, folder: Path) -> Iterator[Stage]:
        """Yield every stage; whether there is a next one depends on the pairs before it."""
        first, before = 0, np.zeros(len(KINDS), dtype=np.int64)
        while first < self.games // 2:
            pairs = min(max(_FIRST, min(first // _GROWTH, _MOST)), self.games // 2 - first)
            size, end = -(-pairs // _TASKS), first + pairs  # the cut into tasks does not depend on the executor
            planned = [
                Task(
                    folder / SHARDS / f"pair{start:08d}.parquet",
                    play_games,
                    (self.pairs[0], self.terms, 0, 2 * start, 2 * min(size, end - start)),
                    2 * min(size, end - start),
                )
                for start in range(first, end, size)
            ]
            stage = Stage(first, pairs, before, planned)
            yield stage
            if self.test.end(self.test.llr(stage.counts))[1]:
                return
            first, before = first + pairs, stage.counts[-1]

    def tables(self, folder: Path) -> dict[str, Any]:
        stages = list(self._stages(folder))
        games, timings = gather([task for stage in stages for task in stage.planned])
        counts = np.concatenate([stage.counts for stage in stages])
        llr = self.test.llr(counts)
        pairs, accepted = self.test.end(llr)
        counted = games.iloc[: 2 * pairs]
        tables.write(counted, folder / "games.parquet")
        tables.write(timings, folder / "timings.parquet")
        columns = {  # of pairs: the number, the opening, the result from player 1's side, and the LLR after it
            "pair": np.arange(1, pairs + 1),
            "opening": counted["opening"].to_numpy()[::2],
            "result": [KINDS[kind] for kind in kinds_of(counted)],
            "llr": llr[:pairs],
        }
        tables.write(tables.table_of(columns), folder / "llr.parquet")
        tables.write(self._summary(counted, counts[pairs - 1], float(llr[pairs - 1]), accepted), folder / "sprt.csv")
        return {
            **facts_of(self.seed, self.everybody, timings),
            "test": dataclasses.asdict(self.test),
            "games_beyond": len(games) - len(counted),
        }

    def _summary(self, games: pd.DataFrame, counts: npt.NDArray[np.int64], llr: float, accepted: str) -> pd.DataFrame:
        measured, results, (low, high) = strength(counts, self.test), games["result"], self.test.bounds
        row = {
            "player": games["player1"].iloc[0],
            "opponent": games["player2"].iloc[0],
            **dataclasses.asdict(self.test),
            "pairs": int(counts.sum()),
            **dict(zip(COUNTS, counts.tolist(), strict=True)),
            "games": len(games),
            **{name: int((results == result).sum()) for name, result in RESULTS.items()},
            "points": 0.5 + 0.5 * float(results.mean()),
            "llr": llr,
            "llr_low": low,
            "llr_high": high,
            "accepted": accepted or "none",
        }
        for name, values in (("score", measured.score), ("elo", measured.elo), ("normalized_elo", measured.normalized)):
            row |= {f"{name}{end}": value for end, value in zip(("", "_low", "_high"), values, strict=True)}
        return tables.table_of([row])


def kinds_of(games: pd.DataFrame) -> npt.NDArray[np.int64]:
    """Return the place of every pair's result in `numerics.statistics.sprt.KINDS`."""
    results = games["result"].to_numpy(np.int64)
    kinds: npt.NDArray[np.int64] = results[::2] + results[1::2] + 2
    return kinds
