"""The command line as a fixture."""

import pytest

from tests.experiments.commands import Command, make_command


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path) -> Command:
    return make_command(monkeypatch, capfd, tmp_path)
