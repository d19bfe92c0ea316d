"""What the project says of itself beside its pages is true: CONTRIBUTING, CITATION, the hooks, the forms of issues."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.test_makefile import MINORS, VERBS
from treebandit import __version__

ROOT = Path(__file__).resolve().parents[1]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

pytestmark = pytest.mark.jit


def test_the_citation_is_of_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (cited["version"], cited["license"]) == (__version__, PROJECT["license"])
    assert cited["title"].startswith(f"{PROJECT['name']}:")
    assert f"## {__version__} ({cited['date-released']})" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_paths_and_verbs_of_contributing_are_there():
    verbs = VERBS
    named = set(re.findall(r"\bmake ([a-z-]+)`", CONTRIBUTING))
    assert {"dev", "check", "test", "test-all"} <= named
    assert named <= verbs
    paths = re.findall(r"\]\(((?!http)[^)#]+)\)|`(tests/[\w/.]+|\w+\.txt)`", CONTRIBUTING)
    assert len(paths) >= 8
    for link, path in paths:
        assert (ROOT / (link or path)).exists(), link or path
    marks = {mark.partition(":")[0] for mark in _options()["markers"]}
    assert {"kernels", "jit", "long", "sampled(n)", "drawn", "figures"} <= marks


@pytest.mark.parametrize("name", ["CODE_OF_CONDUCT", "SECURITY", "SUPPORT", "RELEASING", "CHANGELOG"])
def test_the_links_and_commands_of_the_papers_for_people_lead_somewhere(name):
    text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
    for link, anchor in re.findall(r"\]\(((?!http)[^)#]+)(?:#([^)]+))?\)", text):
        assert (ROOT / link).exists(), link
        heads = re.findall(r"^#+ (.*)$", (ROOT / link).read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert not anchor or anchor in {head.lower().replace(" ", "-") for head in heads}, anchor
    assert {*re.findall(r"`make ([a-z-]+)", text)} <= VERBS


def _options() -> dict[str, list[str]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]


def test_every_library_has_a_lower_bound_and_its_trial():
    """Whether the bounds are true is `make extras`, which needs the network."""
    extras = PROJECT["optional-dependencies"]
    for wanted in [*PROJECT["dependencies"], *(one for extra in extras.values() for one in extra)]:
        assert wanted.startswith("treebandit[") or re.match(r"[\w-]+>=\d", wanted), wanted
    trials = (ROOT / ".ci" / "extras.py").read_text(encoding="utf-8").partition("TRIALS = {")[2]
    assert {*re.findall(r'(?m)^    "(\w+)": \[', trials)} == {"base", *extras}


def _licences() -> dict[str, tuple[str, set[str]]]:
    """The licence of each package of the table, and the extras that bring it."""
    text = (ROOT / "docs" / "reference" / "licences.md").read_text(encoding="utf-8")
    rows = re.findall(r"(?m)^\| ([\w-]+) \| (.+?) \| (.+?) \| .+ \|$", text)
    return {name: (licence, {*re.findall(r"[\w]+", extras)}) for name, licence, extras in rows if name != "package"}


def test_the_licences_of_every_requirement_and_of_each_extra_are_listed():
    asked: dict[str, set[str]] = {}
    for extra, wanted in {"always": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}.items():
        for name in (re.match(r"[\w-]+", one)[0] for one in wanted if not one.startswith("treebandit[")):  # type: ignore[index]
            asked.setdefault(name, set()).add(extra)
    assert {name: extras for name, (_, extras) in _licences().items()} == asked
    assert not {"chess", "python-chess"} & set(asked)


FAMILIES = r"AGPL|LGPL|GPL|MPL|Apache|BSD|PSF|MIT"
WORDS = {"AFFERO": "AGPL", "Lesser General": "LGPL", "GNU General": "GPL", "Mozilla": "MPL"}
WORDS |= {"Python Software Foundation": "PSF"}


def families(text: str) -> set[str]:
    """The families of licences that a text names."""
    for words, family in WORDS.items():
        text = text.replace(words, family)
    return {*re.findall(FAMILIES, text)}


def test_the_listed_licences_are_those_that_installed_packages_name():
    compared = 0
    for name, (licence, _) in _licences().items():
        try:
            data = metadata.metadata(name)
        except metadata.PackageNotFoundError:
            continue
        said = data.get("License-Expression") or data.get("License") or ""
        kinds = [kind for kind in data.get_all("Classifier") or [] if kind.startswith("License")]
        known, listed = families(f"{said[:80]} {kinds}"), families(licence)
        assert not known or known & listed, (name, licence, said)
        assert not (known & {"AGPL", "LGPL", "GPL", "MPL"}) - listed, (name, licence, said)
        compared += bool(known)
    assert compared > 15


WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def _steps(workflow: Path) -> list[dict[str, Any]]:
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    return [step for job in jobs for step in job.get("steps", [])]


def test_every_action_is_pinned_to_a_commit_whose_version_is_beside_it():
    used = [line for file in WORKFLOWS for line in file.read_text(encoding="utf-8").splitlines() if "uses: " in line]
    foreign = [line for line in used if "uses: ./" not in line]
    assert len(foreign) >= 10
    for line in foreign:
        assert re.search(r"uses: [\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$", line), line
    assert len({line.partition("uses: ")[2] for line in foreign}) == 5, "one version of each action"


def test_workflows_call_the_verbs_of_a_person_for_every_python_and_system():
    verbs = set()
    for step in (step for workflow in WORKFLOWS for step in _steps(workflow)):
        verbs |= {*re.findall(r"(?m)(?:make|\$DO) ([a-z-]+)(?: ARGS=.+)?$", step.get("run", ""))}
    assert {"run", "check", "docs", "wheel", "newest", "test", "extras"} == verbs
    assert verbs <= VERBS
    text = (ROOT / ".github" / "workflows" / "checks.yml").read_text(encoding="utf-8")
    matrix = yaml.safe_load(text)["jobs"]["fast"]["strategy"]["matrix"]
    assert matrix["python"] == [f"3.{minor}" for minor in MINORS]
    assert [system["do"] for system in matrix["system"]] == ["make", "make", "nox -s"]


# --- each number of the paper stands on a page, beside the command that prints it ---

BODY = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8").split("---\n", 2)[2]
NUMBER = r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w,]*\d)"
ROWS = re.findall(
    r"^\| ([\d.,]+) \| (\S+) \| `(.+)` \|$", (ROOT / "paper" / "numbers.md").read_text(encoding="utf-8"), re.MULTILINE
)


def numbers(text: str) -> set[str]:
    return set(re.findall(NUMBER, text))


def measured(body: str) -> set[str]:
    """Return the numbers of the paper, but for those in names and links, and those of its own tables and figures."""
    return numbers(re.sub(r"`[^`]*`|\]\([^)]*\)|\[@[^\]]*\]|Connect 4|(?:Table|Figure) \d", " ", body))


def test_every_number_of_the_paper_has_a_row_and_every_row_a_number():
    assert len(ROWS) > 30
    assert measured(BODY) == {number for number, _, _ in ROWS}


@pytest.mark.parametrize(("number", "page", "command"), ROWS)
def test_a_number_stands_on_its_page_beside_its_command(number, page, command):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert command in text
    prose = "\n".join(line for line in text.splitlines() if not line.startswith("python -m "))
    assert number in numbers(prose)
