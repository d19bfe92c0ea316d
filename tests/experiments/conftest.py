"""The command line and a browser as fixtures, and finished runs that several tests begin with."""

import shutil

import pytest

from tests.browser import browser as browser
from tests.browser import page as page
from tests.experiments.commands import MARKS, Command, make_command
from tests.experiments.served import client as client
from tests.experiments.tabs import opened as opened
from tests.experiments.tabs import served as served


@pytest.fixture
def command(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path
) -> Command:
    return make_command(monkeypatch, capfd, tmp_path, [mark.name for mark in request.node.iter_markers()])


_kept = {}


@pytest.fixture
def finished(request: pytest.FixtureRequest, command: Command, tmp_path, tmp_path_factory):
    """A command that must succeed: the first test that gives it runs it, the others begin with copies of its files."""
    marks = frozenset(mark.name for mark in request.node.iter_markers()) & {*MARKS}

    def finished(*words: str, module: str = "run") -> None:
        key = (marks, module, words)
        if key not in _kept:
            said = command(*words, module=module)
            assert said.status == 0, said.err
            _kept[key] = tmp_path_factory.mktemp("kept")
            shutil.copytree(tmp_path, _kept[key], dirs_exist_ok=True)
        else:
            shutil.copytree(_kept[key], tmp_path, dirs_exist_ok=True)

    return finished
