"""Commands work wherever they are at home: blanks, umlauts, no UTF-8, packages that only an administrator writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from numerics.output import tables

ROOT = Path(__file__).resolve().parents[2]
RUN = ["-m", "experiments.run", "bandit=ucb", "horizon=300", "runs=20", "hydra.run.dir=out"]
# Found by Python before a command: the folder of the packages refuses whatever is written.
READ_ONLY = """
import errno, os, sys

def refuse(event, words):
    if event == "open":
        writes = isinstance(words[2], int) and words[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    else:
        writes = event in ("os.mkdir", "os.rename", "os.remove", "os.rmdir")
    if writes and isinstance(words[0], (str, bytes)):
        if os.path.abspath(os.fsdecode(words[0])).startswith(os.environ["READ_ONLY"]):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), words[0])

sys.addaudithook(refuse)
"""

pytestmark = pytest.mark.jit


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are texts here")
def test_tables_lie_in_folders_whose_names_are_no_utf_8(tmp_path: Path):
    folder = tmp_path / os.fsdecode(b"J\xf6rg M\xfcller")
    folder.mkdir()
    frame = pd.DataFrame({"name": ["ä", "b"], "pulls": [1, 2]})
    for name in ("a.parquet", "a.csv"):
        tables.write(frame, folder / name)
        pd.testing.assert_frame_equal(tables.read(folder / name), frame, check_dtype=False)
    with tables.written_in_parts(folder / "b.parquet") as add:
        add(frame)
    assert (folder / "b.parquet").read_bytes() == (folder / "a.parquet").read_bytes()
    assert len(tables.read_all([folder / "a.parquet", folder / "b.parquet"])) == 4


@pytest.mark.parametrize("sweep", [False, True], ids=["run", "sweep"])
def test_a_folder_may_have_a_name_that_looks_like_a_setting(command, tmp_path: Path, monkeypatch, sweep):
    here = tmp_path / "${x}"
    here.mkdir()
    monkeypatch.chdir(here)
    words = ["-m", "bandit=ucb,moss", "hydra.sweep.dir=out"] if sweep else ["bandit=ucb", "hydra.run.dir=out"]
    command(*words, "horizon=20", "runs=3")
    assert (here / "out" / ("1" if sweep else "") / "manifest.json").is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="the home is named otherwise there")
def test_a_home_that_cannot_be_written_is_not_told_by_matplotlib(tmp_path: Path):
    hidden = ("MPLCONFIGDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment |= {"HOME": os.devnull, "PYTHONPATH": str(ROOT)}
    draws = "import matplotlib; print(matplotlib.get_configdir())"
    guarded = f"from numerics.exits import run_guarded; run_guarded(lambda: exec({draws!r}))"
    for code, told in ((draws, True), (guarded, False)):
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True)
        assert done.stdout.strip(), done.stderr
        assert bool(done.stderr) == told


@pytest.mark.long
def test_a_run_without_utf_8_in_a_home_with_umlauts_beside_read_only_packages_is_the_same_run(tmp_path: Path):
    home, usual = tmp_path / "Jörg Müller", tmp_path / "usual"
    home.mkdir()
    usual.mkdir()
    (home / "sitecustomize.py").write_text(READ_ONLY, encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0", "HOME": str(home), "READ_ONLY": f"{ROOT}/"}
    strange = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")}
    strange |= plain | {"PYTHONPATH": f"{home}{os.pathsep}{ROOT}"}
    warned = ["-X", "warn_default_encoding"]
    done = subprocess.run([sys.executable, *warned, *RUN], cwd=home, env=strange, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr
    assert list((home / ".cache" / "treebandit").rglob("*.code")), "compiled kernels lie in the user's cache"
    warnings = [line for line in done.stderr.splitlines() if b"EncodingWarning" in line]
    assert not [line for line in warnings if b"site-packages" not in line], "a text file without an encoding"
    subprocess.run([sys.executable, *RUN], cwd=usual, check=True, capture_output=True, timeout=600)
    for name in ("summary.csv", "curves.parquet", "pulls.parquet", "source.digest"):
        assert (home / "out" / name).read_bytes() == (usual / "out" / name).read_bytes()
    listed = [sys.executable, "-m", "experiments.collect", "out", "--output", "-"]
    done = subprocess.run(listed, cwd=home, env=strange, capture_output=True, timeout=600)
    assert done.stdout.startswith(b"kind,policy,"), done.stderr
