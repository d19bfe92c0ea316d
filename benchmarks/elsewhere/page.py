"""The tables of the page, in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.elsewhere import regret
from benchmarks.elsewhere.claims import (
    CONSTANT,
    LEVEL,
    MISLED,
    OPTION,
    REGRET,
    ROOT,
    RULE,
    USUAL,
    Results,
)
from benchmarks.elsewhere.kept import REPORT, kept_in
from benchmarks.elsewhere.players import OPTIONS, REFERENCE, ROOTS, RULES, family
from benchmarks.solved_games import GAMES
from experiments.engine.store import write_text
from experiments.kinds.root_regret.arms import PLAYOUTS, TREE
from experiments.kinds.root_regret.root_regret_tables import growth_of
from numerics.output.sheets import write_number

if TYPE_CHECKING:
    import pandas as pd

NONE, SAME = "not in this game", "c = 1 is best"
Lines = list[str]
Cell = Callable[[str], str]  # of a game


def tables_of(results: Results) -> dict[str, Lines]:
    """Return the tables of the page by name."""
    parts = {
        "summary": _summary,
        "constants": _constants,
        "rules": _rules,
        "options": _options,
        "roots": _roots,
        "misleading": _misleading,
        "regret": _regret,
        "growth": _growth,
    }
    return {name: _table(results.study.games, rows(results)) for name, rows in parts.items()}


def _table(games: Sequence[str], rows: Iterator[tuple[str, Cell]]) -> Lines:
    heads = ["", *(GAMES[game].title for game in games)]
    body = [[label, *(cell(game) for game in games)] for label, cell in rows]
    return [f"| {' | '.join(cells)} |" for cells in (heads, ["---"] * len(heads), *body)]


def _comparison(
    results: Results, section: str, game: str, label: str | None, simulations: int
) -> pd.Series[Any] | None:
    """Return a comparison, the only one of a section if the label is None; None if there is none."""
    frame = results.comparisons
    where = (frame["section"] == section) & (frame["game"] == game) & (frame["simulations"] == simulations)
    rows = frame[where if label is None else where & (frame["label"] == label)]
    return rows.iloc[0] if len(rows) else None


def _difference(row: pd.Series[Any] | None, absent: str = NONE, form: str = "+.1f", scale: float = 100.0) -> str:
    """Return a difference with its interval, bold if it stands after Holm's correction."""
    if row is None:
        return absent
    middle, low, high = (write_number(row[f"difference{end}"], form, scale) for end in ("", "_low", "_high"))
    text = f"{middle} ({low} to {high})"
    return f"**{text}**" if row["p_adjusted"] < LEVEL else text


def _compared(results: Results, section: str, label: str | None, simulations: int, absent: str = NONE) -> Cell:
    return lambda game: _difference(_comparison(results, section, game, label, simulations), absent)


def _reference(results: Results, simulations: int) -> Cell:
    """Return the rate of UCB1 with its tuned constant."""
    return lambda game: f"{_kept(results, game, results.reference(game, simulations), simulations):.1f}"


def _count(simulations: int) -> str:
    return f"{simulations:,}"


def _constant(policy: str) -> str:
    return policy.rpartition("=")[2]


def _kept(results: Results, game: str, policy: str, simulations: int) -> float:
    return 100.0 * float(kept_in(results.study.asking(game, REPORT, policy, {}, simulations)).mean())


def _summary(results: Results) -> Iterator[tuple[str, Cell]]:
    study = results.study
    few, middle, many = study.sizes

    def rules(sign: float) -> Cell:
        def cell(game: str) -> str:
            frame = results.comparisons
            of = frame[(frame["section"] == RULE) & (frame["game"] == game)]
            stands = of[(of["p_adjusted"] < LEVEL) & (sign * of["difference"] > 0.0)]
            names = ", ".join(f"`{label.partition(' ')[0]}`" for label in stands["label"])
            return f"**{len(stands)}**: {names}" if len(stands) else "none"

        return cell

    def constants(game: str) -> str:
        return ", ".join(_constant(results.reference(game, size)) for size in study.sizes)

    def misleading(game: str) -> str:
        return f"{100.0 * (~kept_in(study.misleading(game))).mean():.1f}"

    def best_regret(game: str) -> str:
        finals = {policy: _regret_of(results, game, policy)[:, -1].mean() for policy in regret.POLICIES}
        best = min(finals, key=lambda policy: float(finals[policy]))
        return f"`{best}`, {finals[best]:,.0f} ({finals[USUAL]:,.0f})"

    yield f"rules that beat UCB1 with a tuned c, of {len(RULES)}; {middle:,} simulations", rules(+1.0)
    yield f"rules that lose to it; {middle:,}", rules(-1.0)
    yield f"tuned c at {few:,}, {middle:,} and {many:,}", constants
    for size in study.sizes[1:]:
        yield (
            f"tuned c instead of 1; {size:,}",
            _compared(results, CONSTANT, None, size, SAME),
        )
    for size in study.sizes[1:]:
        yield f"`solve`; {size:,}", _compared(results, OPTION, "`solve`", size)
    yield f"`transpositions`; {many:,}", _compared(results, OPTION, "`transpositions`", many)
    yield f"prior `lines`; {middle:,}", _compared(results, OPTION, OPTIONS[-1].label, middle)
    yield f"`playouts: careful`; {middle:,}", _compared(results, OPTION, "`playouts: careful`", middle)
    for size in study.sizes:
        yield f"sequential halving at the root; {size:,}", _compared(results, ROOT, ROOTS[0].label, size)
    yield "playouts rank a losing move first, % of positions", misleading
    yield f"`solve` in these positions; {many:,}", _compared(results, MISLED, "misleading", many)
    yield f"least regret at the root (that of UCB1, c = 1); {many:,}", best_regret
    for right, name in ((True, "right"), (False, "wrong")):
        yield f"regret grows as n^x where playouts are {name}, x", _exponent(results, TREE, right)


def _constants(results: Results) -> Iterator[tuple[str, Cell]]:
    study, frame = results.study, results.tuning
    for policy in family(REFERENCE):

        def cell(game: str, policy: str = policy) -> str:
            parts = []
            for size in study.sizes:
                of = frame[(frame["game"] == game) & (frame["policy"] == policy) & (frame["simulations"] == size)].iloc[
                    0
                ]
                text = f"{100.0 * of['rate']:.1f}"
                parts.append(f"**{text}**" if results.reference(game, size) == policy else text)
            return ", ".join(parts)

        yield f"c = {_constant(policy)}", cell
    for size in study.sizes:
        yield (
            f"tuned c instead of 1 at {size:,}, other positions",
            _compared(results, CONSTANT, None, size, SAME),
        )


def _rules(results: Results) -> Iterator[tuple[str, Cell]]:
    middle = results.study.simulations
    yield (
        "UCB1, tuned c, % kept",
        _reference(results, middle),
    )
    for rule in RULES:
        name, _, constant = rule.partition(" ")

        def cell(game: str, rule: str = rule) -> str:
            policy = results.chosen.get((game, rule, middle), rule)
            chosen = f"{_constant(policy)}: " if policy != rule else ""
            return chosen + _difference(_comparison(results, RULE, game, policy, middle))

        yield f"`{name}`" + (f", {constant.partition('=')[0]}" if constant else ""), cell


def _options(results: Results) -> Iterator[tuple[str, Cell]]:
    for option in OPTIONS:
        for size in results.study.sizes[1:]:
            yield (
                f"{option.label}, {_count(size)}",
                _compared(results, OPTION, option.label, size),
            )


def _roots(results: Results) -> Iterator[tuple[str, Cell]]:
    for size in results.study.sizes:
        yield (
            f"UCB1, tuned c, {_count(size)}, % kept",
            _reference(results, size),
        )
        for option in ROOTS:
            yield (
                f"{option.label}, {_count(size)}",
                _compared(results, ROOT, option.label, size),
            )


def _misleading(results: Results) -> Iterator[tuple[str, Cell]]:
    study = results.study

    def share(game: str) -> str:
        wrong = ~kept_in(study.misleading(game))
        return f"{100.0 * wrong.mean():.1f} ({wrong.sum():,} of {wrong.size:,})"

    def rate(policy: str, size: int, where: bool) -> Cell:
        def cell(game: str) -> str:
            asked = results.reference(game, size) if policy else ""
            kept = kept_in(study.asking(game, REPORT, asked, {}, size))
            among = kept_in(study.misleading(game)) == where
            return f"{100.0 * kept[among].mean():.1f}" if among.any() else "-"

        return cell

    yield "positions in which playouts rank a losing move first, %", share
    for where, name in ((False, "there"), (True, "elsewhere")):
        for policy, label in (("", "flat Monte Carlo"), (REFERENCE, "UCB1, tuned c")):
            for size in study.sizes[1:] if policy else study.sizes[-1:]:
                yield f"{label}, {name}, {_count(size)}, % kept", rate(policy, size, where)
        label, many = "elsewhere" if where else "misleading", study.sizes[-1]
        yield f"`solve` adds {name}, {_count(many)}", _compared(results, MISLED, label, many, "-")


def _regret_of(results: Results, game: str, policy: str, arms: str = TREE) -> np.ndarray[Any, np.dtype[np.float64]]:
    return regret.regret_in(regret.task(results.study, game, policy, arms))


def _regret(results: Results) -> Iterator[tuple[str, Cell]]:
    size = results.study.sizes[-1]
    for policy in regret.POLICIES:

        def cell(game: str, policy: str = policy) -> str:
            task = regret.task(results.study, game, policy, TREE)
            right = 100.0 * kept_in(task).mean()
            row = _comparison(results, REGRET, game, policy, size)
            against = "" if policy == USUAL else f": {_difference(row, form='+,.0f', scale=1.0)}"
            return f"{regret.regret_in(task)[:, -1].mean():,.0f}{against}; {right:.1f} %"

        yield f"`{policy}`", cell


def _exponent(results: Results, arms: str, right: bool) -> Cell:
    def cell(game: str) -> str:
        values = _regret_of(results, game, regret.GROWING, arms)
        among = kept_in(results.study.misleading(game))[: len(values)] == right
        if among.sum() < 2:
            return "-"
        middle, low, high = growth_of(values[among], np.array(results.study.sizes[1:]))
        return f"{middle:.2f} ({low:.2f} to {high:.2f})"

    return cell


def _growth(results: Results) -> Iterator[tuple[str, Cell]]:
    for right, name in ((True, "right"), (False, "wrong")):
        for arms, label in ((TREE, "tree"), (PLAYOUTS, "bandit of playouts")):
            yield f"{label}, playouts {name}", _exponent(results, arms, right)


def fill(path: Path, tables: dict[str, Lines]) -> None:
    """Put tables into a page, each below the line `<!-- NAME -->` in place of the table that is there.

    Raises
    ------
    ValueError
        A page without the line of a table.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    for name, table in tables.items():
        mark = f"<!-- {name} -->"
        if mark not in lines:
            raise ValueError(f"page {str(path)!r} must have a line {mark}; got none")
        begin = lines.index(mark) + 1
        while begin < len(lines) and not lines[begin]:
            begin += 1
        end = begin
        while end < len(lines) and lines[end].startswith("|"):
            end += 1
        is_first = end == begin < len(lines)  # text follows at once
        lines[lines.index(mark) + 1 : end] = ["", *table, *([""] if is_first else [])]
    write_text(path, "\n".join(lines) + "\n")
