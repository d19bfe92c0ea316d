"""A folder or a preset of a stranger's runs nothing of theirs: `_target_`, tags of YAML, a rule that is named."""

from __future__ import annotations

import pytest

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
