"""A file of a run or sweep that was cut, changed, exchanged or lost is one sentence that names it, never a result."""

from __future__ import annotations

import contextlib
import functools
import json
import shutil
from dataclasses import fields

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bandits import Bernoulli, Thompson
from experiments.engine import manifest
from experiments.replications import shards
from numerics.output import tables

SMALL = ("runs=7", "horizon=40", "arms.means=[0.2,0.4,0.6]")
RUN = ("bandit=ucb", *SMALL, "hydra.run.dir=run")
TABLES = ["curves.parquet", "pulls.parquet", "timings.parquet", "summary.csv"]


@pytest.fixture
def run(finished, tmp_path):
    """The folder of a finished run."""
    finished(*RUN)
    return tmp_path / "run"


def _cut(file):
    file.write_bytes(file.read_bytes()[:-5])


def _empty(file):
    file.write_bytes(b"")


def _flip(file):
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)


def _exchange(file):
    tables.write(pd.DataFrame({"x": [1]}), file)


def _lose(file):
    file.unlink()


def _make_a_folder(file):
    file.unlink()
    file.mkdir()


DAMAGES = [_cut, _empty, _flip, _exchange, _lose, _make_a_folder]


@pytest.mark.parametrize(("damage", "name"), [(damage, TABLES[at % 4]) for at, damage in enumerate(DAMAGES)])
def test_a_finished_run_is_not_told_or_drawn_from_another_table_than_it_left(attempt, run, name, damage):
    damage(run / name)
    attempt(*RUN).assert_refused([f"{run / name}: "])
    attempt("run", module="plot").assert_refused([f"run/{name}: "])


@pytest.fixture
def sweep(finished, tmp_path):
    """The folder of the second run of a finished sweep."""
    finished("-m", "bandit=ucb,moss", *SMALL, "hydra.sweep.dir=made")
    return tmp_path / "made" / "1"


def test_a_sweep_is_not_drawn_or_reported_from_other_files_than_its_runs_left(attempt, sweep):
    pulls = (sweep / "pulls.parquet").read_bytes()
    _flip(sweep / "pulls.parquet")
    attempt("made", module="plot").assert_refused(["made/1/pulls.parquet: "])
    (sweep / "pulls.parquet").write_bytes(pulls)
    _edited(_rename_a_key)(sweep / "manifest.json")
    for format in ("html", "markdown"):
        attempt("made", f"format={format}", module="report").assert_refused(["made/1/manifest.json"])


@pytest.mark.parametrize("change", [{"overrides": 3, "runs": []}, "", "[]"])
def test_a_note_of_a_sweep_that_was_changed_is_one_sentence(attempt, sweep, change):
    note = sweep / "combination.json"
    note.write_text(change if isinstance(change, str) else json.dumps(json.loads(note.read_text()) | change))
    for name in ("report", "plot"):
        attempt("made", module=name).assert_refused(["made/1/combination.json"])


def _edited(change):
    """Return a damage that changes what a manifest says."""

    def edit(file):
        contents = json.loads(file.read_text())
        change(contents)
        file.write_text(json.dumps(contents, indent=2))

    return edit


def _rename_a_key(contents):
    contents["arnz"] = contents.pop("arms")


def _write(content):
    """Return a damage that leaves other content."""
    return lambda file: file.write_bytes(content)


DESCRIBING = {
    "a key of another name": ("manifest.json", _edited(_rename_a_key)),
    "another number": ("manifest.json", _edited(lambda contents: contents["arms"].update(gaps=[0.0, 0.1, 0.2]))),
    "another command": ("manifest.json", _edited(lambda contents: contents.update(command=["rm"]))),
    "no digest": ("manifest.json", _edited(lambda contents: contents.pop("digest"))),
    "an empty manifest": ("manifest.json", _empty),
    "a manifest without tables": ("manifest.json", _write(b'{"tables": {}}')),
    "no configuration": ("config.yaml", _lose),
    "an empty configuration": ("config.yaml", _empty),
    "another kind": ("config.yaml", _write(b"kind: match\n")),
    "no YAML": ("config.yaml", _write(b"a: [")),
    "no UTF-8": ("config.yaml", _write(b"\xff\xfe\x00")),
    "a name that is not there": ("config.yaml", _write(b"a: ${b}")),
}


@pytest.mark.parametrize(("name", "damage"), DESCRIBING.values(), ids=DESCRIBING)
def test_what_describes_a_run_is_believed_only_as_the_run_left_it(attempt, run, name, damage):
    damage(run / name)
    readers = [(RUN, "run")] if name == "config.yaml" else []
    for words, module in [*readers, (["run"], "report"), (["run"], "plot"), (["."], "collect")]:
        attempt(*words, module=module).assert_refused(["", "run" if name == "config.yaml" else name])


def test_a_source_digest_that_is_gone_is_one_sentence(attempt, run):
    (run / "source.digest").unlink()
    attempt(*RUN).assert_refused(["hydra.run.dir", "source code"])


@pytest.mark.long
@pytest.mark.drawn
def test_figures_that_are_gone_are_told_with_what_draws_them(command, run):
    shutil.rmtree(run / "figures")
    assert f"python -m experiments.plot {run}" in command(*RUN).out
    command("run", module="plot")
    assert f"figures: {run / 'figures'}" in command(*RUN).out


@pytest.fixture
def shard(tmp_path):
    """A shard that is played and stored."""
    (tmp_path / "shards").mkdir()
    (task,) = shards.plan([Thompson()], shards.Setting(Bernoulli([0.2, 0.5]), 30, 5, 3), tmp_path)
    task()
    return task


@pytest.mark.parametrize("damage", [_cut, _empty, _exchange, _lose, _make_a_folder])
def test_a_damaged_shard_is_named_with_what_to_do(shard, damage):
    shards.read(shard)
    damage(shard.path)
    with pytest.raises(ValueError, match=f"^{shard.path}: .*hydra.run.dir"):
        shards.read(shard)


def test_no_bit_of_a_shard_can_change_its_numbers_unnoticed(shard):
    """A bit of every eighth byte is changed; where the file is taken nevertheless, its numbers are what they were."""

    def content():
        (arms, _), (played,) = shards.read(shard), shards.columns([shard])
        return [(one.name, getattr(part, one.name)) for part in (arms, played) for one in fields(part)]

    whole, right = shard.path.read_bytes(), content()
    for place in range(4, len(whole), 8):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << (place // 8 % 8)
        shard.path.write_bytes(damaged)
        with contextlib.suppress(ValueError):
            for (name, found), (_, expected) in zip(content(), right, strict=True):
                assert np.array_equal(found, expected), (place, name)


def test_too_little_memory_is_not_a_broken_file(shard, monkeypatch):
    def lacking(*anything, **options):
        raise pa.ArrowMemoryError("malloc of size 99 failed")

    monkeypatch.setattr(pa.ipc, "open_file", lacking)
    with pytest.raises(MemoryError):
        shards.read(shard)


def test_a_broken_shard_ends_a_run_that_can_be_finished_when_it_is_removed(command, attempt, tmp_path, monkeypatch):
    play = shards.play_shard

    @functools.wraps(play)
    def half(path, shard):
        play(path, shard)
        _cut(path)

    with monkeypatch.context() as patch:
        patch.setattr(shards, "play_shard", half)
        said = attempt(*RUN, "executor=serial")
    (shard,) = (tmp_path / "run" / "shards").iterdir()
    said.assert_refused([f"{shard}: ", f"hydra.run.dir={tmp_path / 'run'}"])
    shard.unlink()
    command(*RUN)


def test_a_run_of_an_earlier_version_is_refused_in_a_sentence(tmp_path, monkeypatch):
    (tmp_path / "manifest.json").write_text('{"commit": "of then"}')
    with pytest.raises(ValueError, match="'simple_regret'"), manifest.reading_runs(tmp_path):
        raise KeyError("simple_regret")
    monkeypatch.setattr(manifest, "_commit", lambda: "of then")
    with pytest.raises(KeyError), manifest.reading_runs(tmp_path):
        raise KeyError("a mistake of ours")
