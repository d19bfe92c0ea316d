"""The best value of a parameter, identified with few rewards and confirmed by a sequential test on fresh seeds.

A step of the method is a stage of the run: its tasks depend only on the rewards of earlier steps, so that a stopped
run asks for the same ones.
"""

from __future__ import annotations

import functools
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

from bandits.identification.plans import Identified, Plan, grid_draws, kl_lucb, paired_lucb, sequential_halving
from experiments.engine import printing
from experiments.engine.executors import Executor
from experiments.engine.experiment import Experiment, group
from experiments.engine.families import EXECUTOR
from experiments.engine.sweep.table import value_text
from experiments.engine.tasks import Task
from experiments.games.playing import MatchSettings, source_digest
from experiments.games.rules import CONNECT, GAME, SIZE, Connect4, Rules
from experiments.graded_positions.positions import BOTH, sourced_positions
from experiments.kinds.tune import continuous
from experiments.kinds.tune.rewards import GAMES, POSITIONS, SIGNALS, UNITS, Rewards
from experiments.kinds.tune.tuning_sheets import FIGURES, PICKED, VALUES, caveats, notes
from experiments.players.specs import PLAYER, PlayerSpec, check_programs
from experiments.players.swept import SWEPT, different_values, with_values
from experiments.sequential.stages import SequentialTest
from numerics.output import tables
from numerics.parameters import parameter as setting
from numerics.random import Purpose, derived_seed
from numerics.statistics.sprt import MODELS, MOST_ELO, NORMALIZED

PAIRED, KL_LUCB, HALVING, OPTUNA = "paired_lucb", "kl_lucb", "sequential_halving", "optuna"
METHODS = (PAIRED, KL_LUCB, HALVING, OPTUNA)
_SURE = {PAIRED: paired_lucb, KL_LUCB: kl_lucb}
_VALUES = [0.05, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 0.5, 0.6, 0.7, 0.85, 1.0, 1.2, 1.4, 1.7, 2.0, 2.8, 4.0]
_BUDGET = 20_000  # of optuna, unless given


class Tune(Experiment, name="tune"):
    """The best value of a player's parameter, within epsilon and with confidence 1 - delta, confirmed by an SPRT."""

    summary: ClassVar[str | None] = "tune.csv"

    player: dict[str, Any] = group(SWEPT)
    opponent: PlayerSpec = group(PLAYER)
    game: Rules = group(GAME)
    executor: Executor = group(EXECUTOR)
    parameter: str = setting("c", help="of the player, or settings: several parameters at once")
    values: list[Any] = setting(
        _VALUES, check=different_values, help="to be compared; of method=optuna the least and the greatest"
    )
    signal: str = setting(
        POSITIONS, choices=SIGNALS, help="moves that keep the value of solved positions, or games with the opponent"
    )
    method: str = setting(PAIRED, choices=METHODS, help="the first two are sure, the others have a budget")
    epsilon: float = setting(0.02, low=0.001, high=0.5, help="tolerance: a score this close to the best is accepted")
    delta: float = setting(0.05, low=1e-6, high=0.5, help="probability that the pick is not within epsilon")
    budget: int | None = setting(None, low=1, help="rewards of all values; of a sure method at most")
    batch: int = setting(64, low=1, high=100_000, help="rewards of a value in a step of a sure method, at least")
    trials: int = setting(40, low=2, high=10_000, help="values that optuna tries")
    confirm: bool = setting(True, help="whether the pick is tested against the unchanged player")
    elo0: float = setting(0.0, low=-MOST_ELO, high=MOST_ELO, help="of the confirmation")
    elo1: float = setting(20.0, low=-MOST_ELO, high=MOST_ELO, help="of the confirmation")
    alpha: float = setting(0.05, low=0.0, high=1.0, help="of the confirmation")
    beta: float = setting(0.05, low=0.0, high=1.0, help="of the confirmation")
    model: str = setting(NORMALIZED, choices=MODELS, help="of the confirmation")
    games: int = setting(40_000, low=2, help="of the confirmation, at most")
    board: str | None = setting(SIZE, help="columns x rows, of games")
    connect: int | None = setting(CONNECT, low=2, help="stones in a row that win")
    seed: int = setting(0, low=0, help="decides all random numbers")

    unit = "rewards"
    figures = FIGURES
    sheets = (VALUES,)
    caveats = staticmethod(caveats)
    notes = staticmethod(notes)

    @functools.cached_property
    def given(self) -> PlayerSpec:
        """The player as it is given."""
        spec: PlayerSpec = PLAYER.build(self.player, "player")
        return spec

    @functools.cached_property
    def rules(self) -> Rules:
        """The rules of the games."""
        return self.game.sized(self.board, self.connect)

    @functools.cached_property
    def rewards(self) -> Rewards:
        """What values are judged by."""
        seed = derived_seed(self.seed, (Purpose.TUNING,))
        openings = self.rules.balanced_openings(self.rules.varied, seed) if self.signal == GAMES else ()
        return Rewards(self.signal, self.opponent, MatchSettings(self.rules, tuple(openings), 2, seed), seed)

    def confirmation(self, pick: PlayerSpec) -> SequentialTest:
        """Return the test of a pick against the unchanged player, whose games have seeds of their own."""
        names = ("executor", "elo0", "elo1", "alpha", "beta", "model", "games", "game", "board", "connect")
        same: dict[str, Any] = {name: getattr(self, name) for name in names}
        seed = derived_seed(self.seed, (Purpose.CONFIRMING,))
        openings = self.rules.varied
        return SequentialTest(player1=pick, player2=self.given, openings=openings, anytime=False, seed=seed, **same)

    def adjusted(self) -> dict[str, Any]:
        return self.rules.settings

    def prepare(self) -> None:
        check_programs({"player": self.given, "opponent": self.opponent}, "play thousands of games")
        if self.signal == POSITIONS and not self._on_the_standard_board:
            raise ValueError(
                f"signal={POSITIONS} must be of 7x6 with 4 in a row, whose positions are graded; give signal={GAMES}"
            )
        specs = with_values(self.player, self.parameter, self.values)
        self.rules.check_players([*specs, self.given, self.opponent])
        if self.method == OPTUNA:
            continuous.check(self.values)
        if self.method == HALVING and self.budget is not None:
            next(self._plan(list(self.values)))  # refuses a budget that is too small
        if self.confirm:
            self.confirmation(self.given).prepare()
        _ = self.rewards

    @property
    def _on_the_standard_board(self) -> bool:
        """Whether the graded positions are of this board."""
        return isinstance(self.rules, Connect4) and self.rules.empty == Connect4().empty

    def announce(self) -> None:
        sure = (
            f"epsilon={self.epsilon:g}, delta={self.delta:g}"
            if self.method in _SURE
            else f"{self._budget:,} {UNITS[self.signal]}"
        )
        printing.say(
            f"{self.given.name}: {self.parameter} of {', '.join(map(value_text, self.values))}; {self.method}, {sure}; "
            + ("moves in solved positions" if self.signal == POSITIONS else f"pairs of games with {self.opponent.name}")
        )

    @property
    def _grid(self) -> int:
        """How many rewards of all values a grid would need to be as sure."""
        return len(self.values) * grid_draws(len(self.values), self.epsilon, self.delta)

    @property
    def _budget(self) -> int:
        if self.budget is not None:
            return self.budget
        return _BUDGET if self.method == OPTUNA else self._grid // 5

    def _plan(self, values: list[Any]) -> Plan:
        """Return the method; `optuna` adds the values that it tries."""
        if self.method in _SURE:
            return _SURE[self.method](len(values), self.epsilon, self.delta, self.batch, self.budget, self.seed)
        if self.method == HALVING:
            return sequential_halving(len(values), self._budget, self.delta, self.seed)
        low, high = values
        values.clear()
        whole = continuous.is_whole(self.player, self.parameter)
        return continuous.try_values(values, low, high, whole, self.trials, self._budget, self.seed)

    def stages(self, folder: Path) -> Iterator[Sequence[Task]]:
        values = list(self.values)
        identified = yield from self._search(folder, values)
        pick = self._picked(values, identified)
        if self._is_confirmed(pick):
            printing.say(f"{self.parameter}={value_text(values[identified.best])} against the unchanged player")
            yield from self.confirmation(pick).stages(folder)

    def _search(self, folder: Path, values: list[Any]) -> Generator[list[Task], None, Identified]:
        """Yield the tasks of each step, whose files then are read; return what was found."""
        plan, done = self._plan(values), dict[int, int]()
        try:
            wanted = next(plan)
            while True:
                specs = with_values(self.player, self.parameter, values)
                planned = {
                    arm: self.rewards.planned(specs[arm], arm, done.get(arm, 0), count, folder)
                    for arm, count in wanted.items()
                }
                yield [task for tasks in planned.values() for task in tasks]
                done |= {arm: done.get(arm, 0) + count for arm, count in wanted.items()}
                wanted = plan.send({arm: self.rewards.read(tasks) for arm, tasks in planned.items()})
        except StopIteration as end:
            identified: Identified = end.value
            return identified

    def _picked(self, values: Sequence[Any], identified: Identified) -> PlayerSpec:
        return with_values(self.player, self.parameter, [values[identified.best]])[0]

    def _is_confirmed(self, pick: PlayerSpec) -> bool:
        return self.confirm and pick.name != self.given.name

    def source_fingerprint(self) -> str:
        positions = repr(sourced_positions(BOTH)) if self.signal == POSITIONS else ""
        return "\n".join([positions, source_digest([self.given, self.opponent], self.rewards.terms)])

    def tables(self, folder: Path) -> dict[str, Any]:
        values = list(self.values)
        identified = _result_of(self._search(folder, values))
        table = tables.table_of(
            {
                "parameter": self.parameter,
                "value": [value if isinstance(value, int | float) else value_text(value) for value in values],
                "rewards": identified.counts,
                "score": identified.means,
                "score_low": identified.low,
                "score_high": identified.high,
                "standing": [PICKED if arm == identified.best else "" for arm in range(len(values))],
            }
        )
        tables.write(table, folder / "tune.csv")
        pick = self._picked(values, identified)
        confirmed = (
            self.confirmation(pick).tables(folder) if self._is_confirmed(pick) else {"timings": {}, "test": None}
        )
        return {
            **confirmed,
            "seed": self.seed,
            "picked": pick.label,
            "given": self.given.name,
            "sure": identified.sure,
            "method": self.method,
            "signal": self.signal,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "grid": self._grid if self.method != OPTUNA else None,
            "opponent": self.opponent.name if self.signal == GAMES else None,
        }


Search = Generator[list[Task], None, Identified]


def _result_of(search: Search) -> Identified:
    """Return what a search finds whose files are all there."""
    while True:
        try:
            next(search)
        except StopIteration as end:
            identified: Identified = end.value
            return identified
