"""`latest` in the place of a run's time is the run that finished last."""

from __future__ import annotations

import os

import pytest

from tests.internals import existing


def made(folder, time, file="manifest.json"):
    folder.mkdir(parents=True)
    (folder / file).write_text("{}")
    os.utime(folder / file, (time, time))


def test_the_run_that_finished_last_is_taken(tmp_path):
    made(tmp_path / "a", 30)
    made(tmp_path / "b", 50)
    made(tmp_path / "c", 40)
    made(tmp_path / "d", 60, "config.yaml")  # not finished
    assert existing(tmp_path / "latest") == tmp_path / "b"
    made(tmp_path / "e", 70, "sweep.csv")
    assert existing(tmp_path / "latest") == tmp_path / "e"


def test_a_folder_of_that_name_wins(tmp_path):
    made(tmp_path / "a", 30)
    (tmp_path / "latest").mkdir()
    assert existing(tmp_path / "latest") == tmp_path / "latest"


@pytest.mark.parametrize("module", ["plot", "replay", "annotate"])
def test_where_nothing_has_finished_a_sentence_says_so(attempt, module):
    said = attempt("results/regret/latest", module=module)
    said.assert_refused(["folder 'results/regret/latest': no finished run or sweep in 'results/regret'"])
    attempt("results/regret/lates", module=module).assert_refused(["folder 'results/regret/lates': no such folder"])


@pytest.mark.parametrize("given", ["results/nowhere", "results/regret/nowhere", "results/match/1", "nowhere"])
def test_a_folder_that_is_not_there_is_answered_with_a_latest_that_is(attempt, tmp_path, given):
    near = {"results/nowhere", "results/regret/nowhere"}
    made(tmp_path / "results" / "regret" / "1", 30)
    made(tmp_path / "results" / "match" / "2", 30, "config.yaml")  # not finished
    said = attempt(given, module="plot")
    said.assert_refused([f"folder '{given}': no such folder; give the folder of a run or sweep"])
    assert ("or results/regret/latest for the newest one" in said.err) == (given in near)
    assert ("latest" in said.err) == (given in near)
