"""One frame over many runs: which columns and rows it has, and which folders are named and left out."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from experiments.collect import _optional_columns, collect, sheet_of

SWEEP = ("-m", "bandit.c=0.5,1,2", "horizon=50", "runs=4", "hydra.sweep.dir=results/c")
MATCH = ("experiment=match", "player1=level_2", "games=2", "board=4x3", "connect=3", "hydra.run.dir=results/match")


@pytest.fixture
def results(finished):
    finished(*SWEEP)
    finished(*MATCH)


def test_settings_that_differ_and_the_summary_and_the_folder_are_columns_also_of_several_kinds(results):
    frame = collect("results", kind="regret")
    assert list(frame.columns[:2]) == ["kind", "bandit.c"]
    assert frame.columns[-1] == "folder"
    assert frame["bandit.c"].to_list() == [0.5, 1.0, 2.0]
    for _, row in frame.iterrows():
        own = pd.read_csv(f"{row['folder']}/summary.csv")
        assert own["pseudo_regret_mean"].to_list() == [row["pseudo_regret_mean"]]
    assert "arms.means" not in frame.columns
    assert not any(name.startswith("executor") for name in frame.columns)
    both = collect("results")
    assert set(both["kind"]) == {"regret", "match"}
    assert both[both["kind"] == "match"]["bandit.c"].isna().all()


@pytest.mark.parametrize(
    ("condition", "kept"),
    [("bandit.c<1", [0.5]), ("bandit.c >= 1", [1, 2]), ("policy=ucb c=0.5", [0.5]), ("policy!=ucb c=0.5", [1, 2])],
)
def test_rows_that_meet_a_condition_are_kept(results, condition, kept):
    assert collect("results", kind="regret", where=[condition])["bandit.c"].to_list() == kept


def test_the_frame_is_written_whole(results, command):
    for ending, read in (("parquet", pd.read_parquet), ("csv", pd.read_csv)):
        command("results", "-o", f"all.{ending}", module="collect")
        written = read(f"all.{ending}")
        assert list(written.columns) == list(collect("results").columns)
        assert len(written) == len(collect("results"))


def test_to_the_output_it_is_nothing_but_csv_and_the_latest_run_is_one_folder(results, command):
    said = command("results", "kind=regret", "columns=bandit.c,policy", "-o", "-", module="collect")
    assert said.out == "bandit.c,policy\n0.5,ucb c=0.5\n1.0,ucb c=1\n2.0,ucb c=2\n"
    said = command("results/latest", "columns=kind,player", "-o", "-", module="collect")
    assert set(said.out.split()[1:]) == {"match,level_2"}


def test_unfinished_and_damaged_folders_are_named_and_left_out(results, command, tmp_path):
    runs = sorted(path.parent for path in (tmp_path / "results/c").glob("*/manifest.json"))
    (runs[0] / "manifest.json").unlink()
    with (runs[1] / "summary.csv").open("a") as table:
        table.write("more")
    said = command("results", "kind=regret", module="collect")
    left_out = said.err.splitlines()
    assert [line.startswith("left out: ") for line in left_out] == [True, True]
    assert f"{runs[0].name}: not finished" in left_out[0]
    assert "changed" in left_out[1]
    assert json.dumps(str(runs[2].relative_to(tmp_path)))[1:-1] in said.out


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["results", "where=bandit.c"], ["where", "COLUMN"]),
        (["results", "where=bandit.d<1"], ["where 'bandit.d'", "bandit.c?"]),
        (["results", "where=bandit.c<x"], ["where", "bandit.c", "'bandit.c<x'"]),
        (["results", "columns=bandit.c,regret"], ["columns", "'regret'"]),
        (["results", "-o", "all.xlsx"], ["--output", "'all.xlsx'"]),
        (["results", "format=latex", "-o", "all.csv"], ["format=latex", "--output"]),
        (["results/match", "kind=regret"], ["folder 'results/match'", "kind regret"]),
    ],
)
def test_mistakes_are_one_sentence(results, attempt, words, parts):
    attempt(*words, module="collect").assert_refused(parts)


def test_a_narrow_screen_leaves_out_errors_before_other_results_and_settings_last():
    frame = pd.DataFrame(
        {"kind": ["regret"], "regret_mean": [1.0], "elo": [2.0], "elo_se": [0.1], "horizon": [50], "folder": ["a"]}
    )
    assert _optional_columns(frame) == ["elo_se", "elo", "horizon"]


def test_the_table_as_markdown_and_latex_has_every_row_and_whole_texts(results, command):
    frame = collect("results", kind="match", columns=["player", "games", "score"])
    long = "a player of a very long name, with 50 % & more"
    said = command("results", "kind=match", "columns=player,games,score", "format=markdown", module="collect")
    head, sides, *rows = said.out.splitlines()
    assert head == "| player | games | score |"
    assert sides == "| --- | --: | --: |"
    assert rows == [f"| {row.player} | {row.games} | {row.score:.6g} |" for row in frame.itertuples()]
    said = command("results", "kind=match", "columns=player,games,score", "format=latex", module="collect")
    inside = [line for line in said.out.splitlines() if "&" in line]
    assert inside[0] == r"player & games & score \\"
    names = [name.replace("_", r"\_") for name in frame["player"]]
    assert [line.partition(" & ")[0] for line in inside[1:]] == names
    assert sheet_of(frame.assign(player=long), None).of(frame.assign(player=long))[0].cells[0][0] == long
