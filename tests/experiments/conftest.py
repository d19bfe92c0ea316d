"""The command line as a fixture, and which tests of commands the lanes without full speed run."""

from pathlib import Path

import pytest

from tests.experiments.commands import Command, make_command

_HERE = Path(__file__).parent
_IN_EVERY_LANE = {
    "test_every_kind",
    "test_run",
    "test_trace",
    "test_p_game",
    "test_perfect",
    "test_laws",
    "test_intervals",
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what plays whole commands: which kernels those run is seen by one command of each kind."""
    for item in items:
        if item.path.parent == _HERE and item.path.stem not in _IN_EVERY_LANE:
            item.add_marker(pytest.mark.commands)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path) -> Command:
    return make_command(monkeypatch, capfd, tmp_path)
