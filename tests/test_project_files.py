"""What the project says of itself beside its pages is true: CONTRIBUTING, CITATION, the hooks, the forms of issues."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import bootstrap
from treebandit import __version__

ROOT = Path(__file__).resolve().parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

pytestmark = pytest.mark.jit


def test_the_citation_is_of_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["version"], cited["license"]) == (__version__, PROJECT["license"])
    assert cited["title"].startswith(f"{PROJECT['name']}:")
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_paths_and_verbs_of_contributing_are_there():
    verbs = {*bootstrap.VERBS}
    named = set(re.findall(r"\bmake ([a-z-]+)`", CONTRIBUTING))
    assert {"dev", "check", "test", "test-slow", "test-jit", "test-python", "test-bounds"} <= named
    assert named <= verbs
    paths = re.findall(r"\]\(((?!http)[^)#]+)\)|`(tests/[\w/.]+|\w+\.txt)`", CONTRIBUTING)
    assert len(paths) >= 8
    for link, path in paths:
        assert (ROOT / (link or path)).exists(), link or path
    marks = {mark.partition(":")[0] for mark in _options()["markers"]}
    assert {"kernels", "jit", "long", "drawn", "figures"} <= marks


def _options() -> dict[str, list[str]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]


def test_the_hooks_are_local_and_their_programs_are_of_the_extra_dev():
    (only,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    assert only["repo"] == "local"
    programs = {hook["entry"].split()[0] for hook in only["hooks"]}
    assert programs == {".venv/bin/ruff", ".venv/bin/mypy"}
    assert {Path(program).name for program in programs} <= {*PROJECT["optional-dependencies"]["dev"]}
    assert all(hook["language"] == "system" for hook in only["hooks"])


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("[!c]*.yml")), ids=lambda form: form.stem
)
def test_a_form_has_what_an_issue_form_must_have(form):
    told = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= {*told}
    names = [field["id"] for field in told["body"]]
    assert len(names) == len({*names})
    for field in told["body"]:
        assert field["type"] in ("input", "textarea")
        assert field["attributes"]["label"]
        assert isinstance(field["validations"]["required"], bool)
