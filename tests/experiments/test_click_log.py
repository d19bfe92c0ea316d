"""A click log at the command line: what is known of every arm is printed and kept."""

from __future__ import annotations

import pandas as pd
import pytest

from bandits import ClickLog
from numerics.output import tables
from tests.internals import on_few_rows

pytestmark = pytest.mark.drawn  # arms whose figures are unlike others

ARMS = ("arms=from_log", "arms.path=log.csv", "horizon=40", "runs=3")
ROWS = "item,click\n007,0\nNA,1\nNA,0\nblue,1\nblue,0\nblue,0\n007,0\n"


def cells(out):
    """The rows of the table of arms, without the lines."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]
    return [row for row in rows if len(row) == 5]


def test_a_run_on_a_log_prints_and_keeps_every_arm_with_its_interval(command, tmp_path):
    (tmp_path / "log.csv").write_text(ROWS)
    said = command(*ARMS, "hydra.run.dir=run")
    assert cells(said.out) == [
        ["NA", "2", "1", "0.5000", "0.0126 to 0.9874"],
        ["blue", "3", "1", "0.3333", "0.0084 to 0.9057"],
        ["007", "2", "0", "0.0000", "0.0000 to 0.8419"],
    ]
    assert said.out.count("2 successes (1 in 4)") == 1
    assert ClickLog.read("log.csv").needed() in " ".join(said.out.split())
    kept = tables.read(tmp_path / "run" / "log.csv")
    assert kept["arm"].tolist() == [0, 1, 2]
    assert kept["name"].tolist() == ["007", "NA", "blue"]
    pd.testing.assert_frame_equal(kept, ClickLog.read("log.csv").table())


def test_of_very_many_arms_the_best_are_printed_and_all_are_kept(command, tmp_path):
    rows = [f"{arm},{int(look < arm)}" for arm in range(60) for look in range(60)]
    (tmp_path / "log.csv").write_text("\n".join(["item,click", *rows]))
    said = command(*ARMS[:2], "horizon=100", "runs=1")
    assert [row[0] for row in cells(said.out)] == [str(arm) for arm in range(59, 9, -1)]
    assert "10 more arms" in said.out
    assert len(tables.read(said.folder / "log.csv")) == 60


def test_a_trace_names_the_arms_of_a_log_beside_their_numbers(command, tmp_path):
    (tmp_path / "log.csv").write_text("item,click\n[red] and much more,0\nblue,1\n")
    said = command("experiment=trace", *ARMS[:-1])
    (head,) = [line for line in said.out.splitlines() if line.startswith("┃  t")]
    assert [cell.strip() for cell in head.split("┃")[5:7]] == ["arm 0 [red] and muc...", "arm 1 blue"]


@pytest.mark.parametrize(
    ("arms", "rare"),
    [
        ({"red": (400, 45), "blue": (900, 94), "green": (900, 850)}, ""),
        ({"red": (1, 1), "blue": (900, 94)}, "1 of 2, such as red with 1. "),
        ({"red": (12, 4), "blue": (900, 94), "green": (1000, 3)}, "2 of 3, such as red with 12. "),
    ],
)
def test_arms_that_were_rarely_shown_are_counted_and_the_rarest_named(tmp_path, arms, rare):
    rows = [f"{name},{int(row < won)}" for name, (shown, won) in arms.items() for row in range(shown)]
    (tmp_path / "log.csv").write_text("\n".join(["item,click", *rows]))
    sentence = on_few_rows(ClickLog.read(tmp_path / "log.csv").table())
    assert rare in sentence
    assert bool(sentence) == bool(rare)


HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "to the \u202eleft",
    "a\u2066b",
    "<script>alert(1)</script>",
    "[bold]x[/bold]",
    "$\\bad$",
)


@pytest.mark.reported
def test_names_of_a_log_act_on_no_terminal_and_no_page(command, tmp_path):
    path = tmp_path / "x\x1b[31m.csv"
    path.write_text("item,cl\u202eick\n" + "".join(f"{name},{row % 2}\n" for row in range(30) for name in HOSTILE))
    column = "cl\u202eick"
    for words in (
        (*ARMS[2:], "arms=from_log", f'arms.path="{path}"', f'arms.reward_column="{column}"'),
        (
            "experiment=evaluate",
            f'log.path="{path}"',
            f'log.reward_column="{column}"',
            "log.uniform=true",
            "policies=[uniform,{name: arm, arm: '<script>alert(1)</script>'},{name: arm, arm: '[bold]x[/bold]'},"
            f'{{name: of_log, log: {{name: rows, path: "{path}", reward_column: "{column}"}}}}]',
        ),
    ):
        said = command(*words)
        report = (said.folder / "report.html").read_text(encoding="utf-8")
        assert all(line.isprintable() for line in f"{said.out}\n{said.err}".replace("\r", "\n").split("\n"))
        assert "[bold]x[/bold]" in said.out
        assert not any(name in report for name in HOSTILE[:4])
        assert "&lt;script&gt;alert" in report


def test_a_table_of_counts_is_played_as_the_log_that_it_counts(command, tmp_path):
    (tmp_path / "log.csv").write_text(ROWS)
    (tmp_path / "counts.csv").write_text("arm,shown,clicked\n007,2,0\nNA,2,1\nblue,3,1\n")
    of_rows = command(*ARMS, "hydra.run.dir=rows")
    counts = ("arms.path=counts.csv", "arms.arm_column=arm", "arms.shown_column=shown", "arms.reward_column=clicked")
    of_counts = command(*ARMS[:1], *counts, *ARMS[2:], "hydra.run.dir=counts")
    assert cells(of_counts.out) == cells(of_rows.out)
    kept = [tables.read(tmp_path / folder / "summary.csv") for folder in ("rows", "counts")]
    pd.testing.assert_frame_equal(*kept)
