"""The command line and a browser as fixtures, and finished runs that several tests begin with."""

import shutil

import pytest

from tests.browser import browser as browser
from tests.browser import page as page
from tests.experiments.commands import MARKS, Command, Said, make_command
from tests.experiments.served import client as client
from tests.experiments.tabs import opened as opened
from tests.experiments.tabs import served as served


@pytest.fixture
def attempt(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path
) -> Command:
    """A command that may fail."""
    return make_command(monkeypatch, capfd, tmp_path, [mark.name for mark in request.node.iter_markers()])


@pytest.fixture
def command(attempt: Command) -> Command:
    """A command that must succeed."""

    def command(*words: str, module: str = "run") -> Said:
        said = attempt(*words, module=module)
        assert said.status == 0, said.err
        return said

    return command


_kept = {}


@pytest.fixture
def finished(request: pytest.FixtureRequest, command: Command, tmp_path, tmp_path_factory):
    """A command that must succeed: the first test that gives it runs it, the others begin with copies of its files."""
    marks = frozenset(mark.name for mark in request.node.iter_markers()) & {*MARKS}

    def finished(*words: str, module: str = "run") -> None:
        key = (marks, module, words)
        if key not in _kept:
            command(*words, module=module)
            _kept[key] = tmp_path_factory.mktemp("kept")
            shutil.copytree(tmp_path, _kept[key], dirs_exist_ok=True)
        else:
            shutil.copytree(_kept[key], tmp_path, dirs_exist_ok=True)

    return finished
