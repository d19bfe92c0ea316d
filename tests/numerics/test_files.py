"""Files that are whole or not there, even after a loss of power."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.internals import RunFolder, atomic_write, stale_temporaries


@pytest.fixture
def told(monkeypatch):
    """What is flushed to the disk, renamed and removed, in its order; a descriptor by the name of its file."""
    told, flush, rename, remove = [], os.fsync, os.replace, os.rmdir

    def fsync(descriptor):
        told.append(("flushed", Path(os.readlink(f"/proc/self/fd/{descriptor}")).name))
        flush(descriptor)

    def replace(source, target):
        told.append(("renamed", Path(target).name))
        rename(source, target)

    def rmdir(path, **more):
        told.append(("removed", Path(path).name))
        remove(path, **more)

    for name, function in (("fsync", fsync), ("replace", replace), ("rmdir", rmdir)):
        monkeypatch.setattr(os, name, function)
    return told


pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs the names of open files")


def test_the_content_is_on_the_disk_before_the_name(tmp_path, told):
    with atomic_write(tmp_path / "table.csv") as beside:
        beside.write_text("a,b")
    assert told == [("flushed", beside.name), ("renamed", "table.csv")]


def test_the_manifest_is_there_before_the_shards_go(tmp_path, told):
    with RunFolder.open(tmp_path / "run", {"seed": 0}, "code") as folder:
        told.clear()
        folder.finish({})
    assert [one for one in told if not one[1].startswith(".")] == [("renamed", "manifest.json"), ("removed", "shards")]


def test_what_a_killed_process_left_is_a_file_with_the_number_of_that_process(tmp_path):
    for name in (".table.csv.12.half", ".table.csv.mine.half", "table.csv"):
        (tmp_path / name).touch()
    (tmp_path / ".table.csv.13.half").mkdir()
    assert [path.name for path in stale_temporaries(tmp_path)] == [".table.csv.12.half"]
