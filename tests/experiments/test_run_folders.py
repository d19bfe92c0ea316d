"""A folder admits one process, configuration and source, keeps what is not finished, and runs nothing that it names."""

from __future__ import annotations

import os

import pytest

from tests.internals import RunFolder, _lock, existing


def test_a_folder_admits_one_process_at_a_time(tmp_path):
    with (
        RunFolder.open(tmp_path, {"seed": 0}, "code"),
        pytest.raises(ValueError, match=r"^hydra\.run\.dir "),
        RunFolder.open(tmp_path, {"seed": 0}, "code"),
    ):
        pass
    with RunFolder.open(tmp_path, {"seed": 0}, "code"):
        pass
    with _lock(tmp_path):  # before the first has written
        (tmp_path / ".config.yaml.4711.half").write_text("half")
        with pytest.raises(ValueError, match=r"^hydra\.run\.dir "), RunFolder.open(tmp_path, {"seed": 0}, "code"):
            pass


def test_parts_that_claim_a_folder_at_the_same_moment_enter_it(tmp_path, monkeypatch):
    half = tmp_path / ".source.digest.4711.half"
    half.write_text("code\n")
    listdir = os.listdir

    def late(path="."):
        names = listdir(path)
        if half.exists():  # the first part goes on while the second looks at what it has listed
            half.rename(tmp_path / "source.digest")
            (tmp_path / "config.yaml").write_text("seed: 0\n")
            (tmp_path / "shards").mkdir()
        return names

    monkeypatch.setattr(os, "listdir", late)
    with RunFolder.open(tmp_path, {"seed": 0}, "code", alone=False):
        assert not half.exists()


@pytest.mark.parametrize(
    ("config", "code", "said"),
    [
        ({"seed": 1}, "code", "seed=0, not 1"),
        ({"seed": 0}, "other", "source code"),
        ({"seed": 0, "foo": 1}, "code", "without foo"),
        ({}, "code", "seed=0, not without"),
    ],
)
def test_a_refused_run_folder_is_untouched(tmp_path, config, code, said):
    with RunFolder.open(tmp_path, {"seed": 0}, "code"):
        pass
    (tmp_path / ".lock").unlink()  # as in a copy
    before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match=said), RunFolder.open(tmp_path, config, code):
        pass
    assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before


def test_shards_stay_until_the_manifest_says_that_the_tables_are_there(tmp_path, monkeypatch):
    with RunFolder.open(tmp_path, {"seed": 0}, "code") as folder:
        (folder.shards / "one").write_text("played")
        with monkeypatch.context() as disk:
            disk.setattr("experiments.engine.store.write_text", lambda *_: (_ for _ in ()).throw(OSError("full")))
            with pytest.raises(OSError, match="full"):
                folder.finish({})
        assert (folder.shards / "one").exists()
        folder.finish({})
        assert not folder.shards.exists()


def test_a_run_killed_while_it_claimed_its_folder_can_be_started_again(tmp_path):
    for name in (".config.yaml.4711.half", ".source.digest.4711.half"):
        (tmp_path / name).write_text("half")
    with RunFolder.open(tmp_path, {"seed": 0}, "code"):
        pass
    (tmp_path / "figures").mkdir()
    for name in (".summary.csv.77.half", ".manifest.json.77.half", "figures/.regret.png.77.half"):
        (tmp_path / name).write_text("half")
    with RunFolder.open(tmp_path, {"seed": 0}, "code"):
        pass
    assert not list(tmp_path.rglob(".*.half"))


def test_a_finished_trace_that_has_lost_a_table_is_refused_as_any_run(command, attempt, tmp_path):
    run = ("experiment=trace", "bandit=ucb", "hydra.run.dir=run")
    command(*run)
    (tmp_path / "run" / "steps.csv").unlink()
    attempt(*run).assert_refused([str(tmp_path / "run" / "steps.csv"), "missing"])


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
    (tmp_path / "latest").mkdir()  # a folder of that name wins
    assert existing(tmp_path / "latest") == tmp_path / "latest"


PLACES = {"results/nowhere": True, "results/match/1": False, "results/match/latest": False, "nowhere": False}


@pytest.mark.parametrize(("given", "near"), PLACES.items())
def test_a_folder_that_is_not_there_is_answered_with_a_latest_that_is(attempt, tmp_path, given, near):
    made(tmp_path / "results" / "regret" / "1", 30)
    made(tmp_path / "results" / "match" / "2", 30, "config.yaml")  # not finished
    said = attempt(given, module="plot")
    said.assert_refused([f"folder '{given}'"])
    assert ("results/regret/latest" in said.err) == near


RUN = ("bandit=ucb", "arms=two_close", "horizon=50", "runs=20")
TARGET = "_target_: os.system\n{0}_args_: ['touch {1}']\n"


@pytest.fixture
def marked(finished, tmp_path, monkeypatch):
    """A finished run whose configuration a stranger can change; nothing that they name may leave the mark."""
    finished(*RUN, "hydra.run.dir=theirs")
    mark = tmp_path / "mark"
    (tmp_path / "evil.py").write_text(f"open({str(mark)!r}, 'w')\ndef rule(t, params):\n    return 1.0\n")
    yield tmp_path / "theirs" / "config.yaml", mark
    assert not mark.exists()


def changes(mark):
    target = TARGET.format("  ", mark)
    return {
        "target": lambda text: text.replace("bandit:\n", f"bandit:\n  {target}"),
        "top": lambda text: text + TARGET.format("", mark),
        "tag": lambda text: text + f"x: !!python/object/apply:os.system ['touch {mark}']\n",
        "rule": lambda text: text.replace("name: ucb", "name: custom\n  rule: evil.rule"),
    }


@pytest.mark.parametrize("change", changes(""))
def test_a_folder_of_a_stranger_is_drawn_without_running_what_it_names_and_not_resumed(marked, attempt, change):
    config, mark = marked
    config.write_text(changes(mark)[change](config.read_text()))
    for module in ("plot", "report"):
        assert attempt(str(config.parent), module=module).status in (0, 2)
    attempt(*RUN, f"hydra.run.dir={config.parent}").assert_refused([""])


@pytest.mark.parametrize("group", ["bandit", "arms", "executor"])
def test_a_preset_of_a_stranger_makes_no_object_but_ours(marked, attempt, tmp_path, group):
    _, mark = marked
    folder = tmp_path / "presets" / group
    folder.mkdir(parents=True)
    (folder / "theirs.yaml").write_text(TARGET.format("", mark))
    said = attempt("--config-dir", str(tmp_path / "presets"), f"{group}=theirs", "horizon=50", "runs=20")
    said.assert_refused([""])
    assert "_target_" in said.complaint or "_args_" in said.complaint
