"""The service of live agents: what it answers, what it refuses, and its page in a browser."""

from __future__ import annotations

import json
import math
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bandits import Agent
from tests.browser import accessible, quiet
from tests.experiments.test_serve_fuzzed import VALUES, nearly_right
from tests.pages import ROOT
from tests.refusals import refused

fastapi = pytest.importorskip("fastapi", reason="FastAPI is not installed (extra live)")
pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed (extra live)")

from starlette.testclient import TestClient  # noqa: E402

from bandits import JournalError  # noqa: E402
from tests.internals import Names, OpenAgents, make_app  # noqa: E402
from treebandit.agents import open_agents  # noqa: E402
from treebandit.agents.agents import token_of  # noqa: E402

PORT = 8080
AS_JSON = {"Content-Type": "application/json"}
BANNER = {"name": "banner", "policy": "thompson", "arms": ["red", "green", "blue"]}


ROUTES: list[tuple[str, str, Any]] = [
    ("GET", "/agents", None),
    ("POST", "/agents", BANNER),
    ("GET", "/agents/banner", None),
    ("GET", "/agents/banner/course", None),
    ("POST", "/agents/banner/choices", {"key": "request 1", "features": None}),
    ("POST", "/agents/banner/rewards", {"choice": 0, "reward": 1}),
    ("POST", "/agents/banner/forgotten", {"choices": [0]}),
    ("POST", "/agents/banner/arms", {"arm": "pink"}),
    ("POST", "/agents/banner/arms/retire", {"arm": "red"}),
]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'shop.db'}"


@pytest.fixture
def agents(url: str) -> Iterator[OpenAgents]:
    made = OpenAgents(url, rules=("bandits.policies.ucb.ucb",))
    yield made
    made.close()


def client_of(agents: OpenAgents, token: str | None = None) -> TestClient:
    app = make_app(agents, Names("127.0.0.1", PORT), token)
    return TestClient(app, base_url=f"http://127.0.0.1:{PORT}")


@pytest.fixture
def client(agents: OpenAgents) -> TestClient:
    made = client_of(agents)
    assert made.post("/agents", json=BANNER).status_code == 201
    return made


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A service that is asked for what it refuses, so that its agent has no choice at the end."""
    agents = OpenAgents(f"sqlite:///{tmp_path_factory.mktemp('refusing') / 'shop.db'}")
    made = client_of(agents)
    assert made.post("/agents", json=BANNER).status_code == 201
    yield made
    assert made.get("/agents/banner").json()["choices"] == 0
    agents.close()


def told(answer: Any, status: int) -> str:
    """The sentence of a refusal."""
    assert answer.status_code == status, answer.text
    (sentence,) = answer.json().values()
    assert "\n" not in sentence
    return str(sentence)


def test_choices_and_rewards_are_those_of_the_library(client, url):
    alone = Agent("thompson", BANNER["arms"])
    for _ in range(12):
        answer = client.post("/agents/banner/choices", json={})
        expected = alone.choose()
        assert answer.status_code == 201
        made = answer.json()
        assert (made["id"], made["arm"], made["index"]) == (expected.id, expected.arm, expected.index)
        assert (made["propensity"], made["propensity_error"]) == (expected.propensity, 0.0)
        paid = {"choice": made["id"], "reward": float(made["arm"] == "green")}
        assert client.post("/agents/banner/rewards", json=paid).json() == {"counts": True}
        assert client.post("/agents/banner/rewards", json=paid).json() == {"counts": False}
        alone.reward(expected, paid["reward"])
    shown = client.get("/agents/banner").json()
    assert shown["choices"] == 12
    assert [arm["pulls"] for arm in shown["arms"]] == alone.to_frame()["pulls"].tolist()
    with Agent.open(url, "banner") as other:
        assert other.check_journal() == 24
    assert client.get("/agents").json() == ["banner"]


def test_a_key_gets_the_same_choice_and_arms_come_and_go(client):
    first, again = (client.post("/agents/banner/choices", json={"key": "request 1"}).json() for _ in range(2))
    assert first == again
    assert client.post("/agents/banner/arms", json={"arm": "pink"}).json()["arms"] == [*BANNER["arms"], "pink"]
    assert client.post("/agents/banner/arms/retire", json={"arm": "red"}).json()["retired"] == ["red"]
    course = client.get("/agents/banner/course").json()
    assert (course["edges"], len(course["shares"]), course["earned"]) == ([0, 1], 1, [0.0, 0.0])
    seeing = {"name": "seeing", "policy": "linucb alpha=0.5", "arms": 3, "features": 2, "floor": 0.05}
    assert client.post("/agents", json=seeing).status_code == 201
    assert client.post("/agents/seeing/choices", json={"features": [0.5, 1.0]}).json()["propensity"] > 0.05


def test_choices_whose_reward_never_comes_are_forgotten(client, agents):
    for _ in range(3):
        client.post("/agents/banner/choices", json={})
    assert client.post("/agents/banner/forgotten", json={"choices": [0, 2]}).json() == {"forgotten": 2}
    with agents.using("banner") as agent:
        assert [choice.id for choice in agent.pending] == [1]
    assert "choice 0" in told(client.post("/agents/banner/rewards", json={"choice": 0, "reward": 1.0}), 422)


BAD: list[tuple[str, Any, int, str]] = [
    ("/agents/banner/rewards", {"choice": 9, "reward": 1.0}, 422, "choice"),
    ("/agents/banner/choices", {"features": [1.0]}, 422, "features"),
    ("/agents/banner/choices", {"features": ["a"]}, 422, "features[0]"),
    ("/agents/banner/arms", {"arm": "red"}, 422, "arm"),
    ("/agents/banner/arms", {"arm": []}, 422, "arm"),
    ("/agents/banner/forgotten", {"choices": [3]}, 422, "choice"),
    ("/agents/banner/forgotten", {"choices": [-1]}, 422, "choices[0]"),
    ("/agents/other/choices", {}, 404, "name"),
    ("/agents", {**BANNER, "policy": "ucb"}, 422, "policy"),
    ("/agents", {**BANNER, "name": "b", "policy": "os.system"}, 422, "policy"),
    ("/agents", {**BANNER, "name": "b", "policy": "custom rule=os.system"}, 422, "policy"),
    ("/agents", {**BANNER, "name": "b", "arms": ["a", "a"]}, 422, "arms"),
    ("/agents", {**BANNER, "name": "b", "arms": [[]]}, 422, "arms"),
    ("/agents", {**BANNER, "name": "b", "floor": 0.5}, 422, "floor"),
    ("/agents", {**BANNER, "name": ".."}, 422, "name"),
]


@pytest.mark.parametrize(("path", "body", "status", "key"), BAD, ids=repr)
def test_a_wrong_request_gets_one_sentence_on_its_field(refusing, path, body, status, key):
    assert told(refusing.post(path, json=body), status).startswith(f"{key} ")
    assert refusing.get("/agents").json() == ["banner"]


def test_no_agent_gets_more_arms_than_a_new_one_may_have(client, monkeypatch):
    monkeypatch.setattr("treebandit.agents.app._MOST_ARMS", 4)
    assert client.post("/agents/banner/arms", json={"arm": "pink"}).status_code == 201
    assert "4" in told(client.post("/agents/banner/arms", json={"arm": "grey"}), 422)
    client.post("/agents/banner/arms/retire", json={"arm": "red"})
    assert client.post("/agents/banner/arms", json={"arm": "red"}).json()["retired"] == []


def test_rules_of_ones_own_are_taken_only_if_they_were_named_at_the_start(client, url):
    for rule in ("nosuch.thing", "3"):
        refused(lambda rule=rule: OpenAgents(url, rules=["bandits.policies.ucb.ucb", rule]), "rules[1]")
    own = {**BANNER, "name": "own", "policy": "bandits.policies.ucb.ucb c=0.5"}
    assert client.post("/agents", json=own).status_code == 201
    others = OpenAgents(url)
    assert "rules= at the start" in told(client_of(others).post("/agents/own/choices", json={}), 422)
    others.close()


def test_only_programs_and_its_own_page_may_ask(refusing):
    strange = {"Host": "evil.example:8080", "Origin": "http://evil.example", "Sec-Fetch-Site": "cross-site"}
    for header, value in strange.items():
        assert value in told(refusing.get("/agents", headers={header: value}), 403)
    answer = refusing.get("/agents", headers={"Origin": f"http://127.0.0.1:{PORT}"})
    assert answer.status_code == 200
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    told(refusing.post("/agents", content="x" * 300_000), 413)
    parts = (b"x" * 50_000 for _ in range(7))  # of no length that is said beforehand
    told(refusing.post("/agents", content=parts, headers=AS_JSON), 413)


def test_a_token_opens_everything_but_the_empty_page(agents):
    everything = "".join(map(chr, range(33, 127)))
    for token, header in ((None, {}), (everything, {"Authorization": f"Bearer {everything}"})):
        taken = token_of({} if token is None else {"TREEBANDIT_TOKEN": token})
        assert client_of(agents, taken).get("/agents", headers=header).status_code == 200
    client = client_of(agents, "secret")
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "secret"}):
        told(client.get("/agents", headers=headers), 401)
    for scheme in ("Bearer", "bearer", "BEARER", "bEaReR "):
        assert client.get("/agents", headers={"Authorization": f"{scheme} secret"}).json() == []
    assert client.get("/").status_code == 200
    assert client.get("/static/page.js").status_code == 200
    assert client.get("/static/../app.py", headers={"Authorization": "Bearer secret"}).status_code == 404


@pytest.mark.parametrize("token", ["", " ", "a b", "é", "ключ", "\udcff", "a\n", "\x00", "\x7f"])
def test_a_token_that_no_request_can_carry_is_refused_and_not_shown(token):
    with pytest.raises(ValueError, match="TREEBANDIT_TOKEN") as caught:
        token_of({"TREEBANDIT_TOKEN": token})
    assert token not in str(caught.value).split()


STRANGE = ["x" * 300 + ".js", "x" * 20_000 + ".js", "a%00b.js", "%00", "%ff.js", "%ed%a0%80.js", "..%2fapp.py"]
STRANGE += ["%2e%2e/app.py", ".", "%2fetc%2fpasswd", "page.js%00", "index.html", "%5c..%5capp.py"]


def test_only_the_files_of_the_page_are_given(refusing):
    for name in STRANGE:
        told(refusing.get(f"/static/{name}"), 404)


def test_an_address_that_is_none_is_one_sentence(refusing):
    missing = [("GET", "/nowhere"), ("POST", "/nowhere"), ("GET", "/agents/a%2Fb")]
    for method, path in [*missing, ("DELETE", "/agents/banner"), ("PUT", "/agents"), ("GET", "/agents/banner/choices")]:
        answer = refusing.request(method, path, json={} if method in ("POST", "PUT") else None)
        status = 404 if (method, path) in missing else 405
        assert "/openapi.json" in told(answer, status)
        assert ("allow" in answer.headers) == (status == 405)
    for path in ("/agents", "/static/page.js"):
        assert refusing.head(path).status_code == 200
        assert refusing.head(path).headers == refusing.get(path).headers


POSTED = [path for method, path, _ in ROUTES if method == "POST"]
UNREADABLE = [b"", b"{", b"\xff", b"[" * 100_000, b'{"a":' * 30_000, b"1" * 5_000, b"-" * 9]
LONE = "\ud800"


def test_a_body_must_be_said_to_be_json_which_has_several_names(refusing):
    for path in POSTED:
        for kind in (None, "application/x-www-form-urlencoded", "text/plain", "", "json", "text/jsonx"):
            headers = {} if kind is None else {"Content-Type": kind}
            told(refusing.post(path, content=b"{}", headers=headers), 415)
        for kind in ("application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json"):
            told(refusing.post(path, content=b"[]", headers={"Content-Type": kind}), 422)


@pytest.mark.parametrize("body", UNREADABLE, ids=[repr(body[:8]) for body in UNREADABLE])
def test_a_body_that_cannot_be_read_is_one_sentence(refusing, body: bytes):
    for path in POSTED:
        said = told(refusing.post(path, content=body, headers=AS_JSON), 422)
        assert said.startswith("body ")


@pytest.mark.parametrize(("method", "path", "body"), [route for route in ROUTES if route[2]])
def test_half_a_character_anywhere_is_one_sentence(refusing, method, path, body):
    given: list[Any] = [{**body, LONE: 1}, *({**body, field: LONE} for field in body), [LONE], LONE]
    for one in [*given, {"key": LONE}, {"arm": LONE}, {**BANNER, "arms": ["a", LONE]}]:
        content = json.dumps(one).encode()
        told(refusing.request(method, path, content=content, headers=AS_JSON), 422)


# ------------------------------------------------------------ what is the service's fault


def failing_with(error: Exception) -> Any:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


NUMBER = re.compile(r"\b[0-9a-f]{8}\b")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (ValueError("max() arg is an empty sequence"), 500),
        (OSError(24, "Too many open files"), 500),
        (JournalError("the journal postgresql://me@db.lan did not answer: timeout"), 503),
    ],
    ids=str,
)
def test_an_error_of_the_service_or_its_database_has_a_number_and_only_the_log_says_which(
    agents, error, status, monkeypatch, caplog, capfd
):
    if status == 503:
        for name in ("_rows", "_run"):
            monkeypatch.setattr(f"bandits.journal.store.Journal.{name}", failing_with(error))
    else:
        for of, name in ((agents._journal, "use"), (agents._journal, "agents"), (agents, "_check")):
            monkeypatch.setattr(of, name, failing_with(error))
    for method, path, body in ROUTES:
        caplog.clear()
        said = told(client_of(agents).request(method, path, json=body), status)
        log = caplog.text if status == 500 else capfd.readouterr().err
        assert str(error) not in said
        assert NUMBER.findall(said)[0] in log
        assert str(error) in log


# ------------------------------------------------------------ many agents


def test_more_agents_than_stay_open_are_served(url):
    agents = OpenAgents(url, most=3)
    client = client_of(agents)
    names = [f"a{number}" for number in range(10)]
    for name in names:
        assert client.post("/agents", json={**BANNER, "name": name}).status_code == 201
    for at in range(3):
        for name in names:
            assert client.post(f"/agents/{name}/choices", json={}).json()["id"] == at
            assert client.get(f"/agents/{name}/course").json()["choices"] == at + 1
        assert list(agents._open) == names[-3:]
    told(client.get("/agents/none"), 404)
    assert list(agents._open) == names[-3:]
    agents.close()
    assert not agents._open


def test_an_agent_in_use_stays_open(url):
    agents = OpenAgents(url, most=1)
    client = client_of(agents)
    for name in ("a", "b", "c"):
        client.post("/agents", json={**BANNER, "name": name})
    with agents.using("a") as first, agents.using("b") as second:
        client.post("/agents/c/choices", json={})
        with agents._looking:
            agents.close()
        assert (first.choose().id, second.choose().id) == (0, 0)
        agents.close()
        assert (first.choose().id, second.choose().id) == (1, 1)
    assert not agents._open


def at_once(count: int, act: Any, *words: Any) -> None:
    """Call a function in so many threads."""
    threads = [threading.Thread(target=act, args=words) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_requests_of_many_threads_get_choices_of_their_own(client):
    ids: list[int] = []

    def serve() -> None:
        for _ in range(20):
            ids.append(client.post("/agents/banner/choices", json={}).json()["id"])

    at_once(4, serve)
    assert sorted(ids) == list(range(80))


def test_requests_at_once_open_an_agent_once_and_compute_once_what_is_shown(url, monkeypatch):
    with Agent.open(url, "banner", "thompson", BANNER["arms"]):
        pass
    agents, opened, computed = OpenAgents(url), [], []
    begin, compute = Agent.open, open_agents.arms_of

    def slowly_open(*words: Any, **options: Any) -> Any:
        opened.append(words)
        time.sleep(0.02)
        return begin(*words, **options)

    def slowly_compute(agent: Any) -> Any:
        computed.append(agent)
        time.sleep(0.02)
        return compute(agent)

    monkeypatch.setattr("treebandit.agents.open_agents.Agent.open", slowly_open)
    monkeypatch.setattr(open_agents, "arms_of", slowly_compute)
    monkeypatch.setattr(open_agents, "_QUICK", 0.0)
    monkeypatch.setattr(open_agents, "_SHARE", 1e-9)
    at_once(8, agents.shown, "banner", True)
    assert (len(opened), len(computed)) == (1, 1)
    client = client_of(agents)
    assert client.get("/agents/banner").json()["choices"] == 0
    client.post("/agents/banner/choices", json={})
    assert client.get("/agents/banner").json()["choices"] == 0  # what takes long to show is shown again
    agents.close()


# ------------------------------------------------------------ malformed requests


@pytest.mark.parametrize("requests", [60, pytest.param(1_000, marks=pytest.mark.long)])
def test_nearly_right_requests_to_every_address_are_no_fault_of_the_service(client, requests):
    bodies = {path: body for method, path, body in ROUTES if method == "POST"}
    known = {path for path, methods in client.get("/openapi.json").json()["paths"].items() if "post" in methods}
    assert {path.replace("banner", "{name}") for path in bodies} == known

    @settings(max_examples=requests, deadline=None, derandomize=True, database=None, suppress_health_check=HealthCheck)
    @given(st.sampled_from(sorted(bodies)), st.sampled_from(["banner", "banner", "none", "%00", "a b"]), st.data())
    def ask(path: str, name: str, data: st.DataObject) -> None:
        content = json.dumps(data.draw(nearly_right([bodies[path]]) | VALUES)).encode()
        answer = client.post(path.replace("banner", name), content=content, headers=AS_JSON)
        assert answer.status_code < 500, (path, content, answer.text)
        assert answer.headers["content-type"].startswith("application/json")

    ask()


# ------------------------------------------------------------ the command and the page


@pytest.fixture
def service(url: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    words = [sys.executable, "-m", "treebandit", "agents", f"database={url}", "port=0"]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", cwd=ROOT, start_new_session=True
    )
    assert process.stdout is not None
    found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
    assert found is not None
    yield found.group(), process
    process.kill()
    process.communicate()


def test_the_command_answers_until_it_is_interrupted(service, url):
    httpx = pytest.importorskip("httpx2")
    address, process = service
    patient = {"timeout": 120.0}  # the first choice compiles
    assert httpx.post(f"{address}agents", json=BANNER, **patient).status_code == 201
    assert httpx.post(f"{address}agents/banner/choices", json={}, **patient).json()["id"] == 0
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    with Agent.open(url, "banner") as agent:
        assert agent.choices == 1


@pytest.mark.long
@pytest.mark.jit
def test_the_page_shows_an_agent_and_what_changes(service, url, page):
    address, _ = service
    faults = quiet(page)
    with Agent.open(url, "banner", "thompson", BANNER["arms"]) as agent:
        for _ in range(60):
            choice = agent.choose()
            agent.reward(choice, float(choice.arm == "green"))
        page.goto(address)
        page.get_by_text("60 choices").wait_for()
        assert page.locator("#arms tr").count() == 3
        assert page.locator("#shares svg path").count() == 3
        assert page.locator("#earned svg path").count() == 1
        for _ in range(5):
            agent.choose()
        agent.retire_arm("red")
        page.get_by_text("65 choices").wait_for()
        page.get_by_text("red (retired)").wait_for()
    for width in (1200, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert accessible(page) == []
    assert faults == []
    assert math.isclose(float(page.locator("#arms tr").nth(1).locator("td").nth(2).inner_text().split()[0]), 1.0)
