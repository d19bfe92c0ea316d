"""The service of live agents: what it answers, what it refuses, and its page in a browser."""

from __future__ import annotations

import asyncio
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
from tests.pages import ROOT

fastapi = pytest.importorskip("fastapi", reason="FastAPI is not installed (extra live)")
pytest.importorskip("sqlalchemy", reason="SQLAlchemy is not installed (extra live)")

from starlette.testclient import TestClient  # noqa: E402

from bandits import JournalError  # noqa: E402
from tests.internals import Names, OpenAgents, make_app  # noqa: E402
from treebandit.agents import open_agents  # noqa: E402
from treebandit.agents.agents import token_of  # noqa: E402
from treebandit.agents.door import Door  # noqa: E402

PORT = 8080
BANNER = {"name": "banner", "policy": "thompson", "arms": ["red", "green", "blue"]}


ROUTES: list[tuple[str, str, Any]] = [
    ("GET", "/agents", None),
    ("POST", "/agents", BANNER),
    ("GET", "/agents/banner", None),
    ("GET", "/agents/banner/course", None),
    ("POST", "/agents/banner/choices", {}),
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


def told(answer: Any, status: int) -> str:
    """The sentence of a refusal."""
    assert answer.status_code == status, answer.text
    (sentence,) = answer.json().values()
    assert "\n" not in sentence
    return str(sentence)


def test_choices_and_rewards_are_those_of_the_library(client: TestClient, url: str):
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


def test_a_key_gets_the_same_choice_and_arms_come_and_go(client: TestClient):
    first, again = (client.post("/agents/banner/choices", json={"key": "request 1"}).json() for _ in range(2))
    assert first == again
    assert client.post("/agents/banner/arms", json={"arm": "pink"}).json()["arms"] == [*BANNER["arms"], "pink"]
    assert client.post("/agents/banner/arms/retire", json={"arm": "red"}).json()["retired"] == ["red"]
    course = client.get("/agents/banner/course").json()
    assert (course["edges"], len(course["shares"]), course["earned"]) == ([0, 1], 1, [0.0, 0.0])
    seeing = {"name": "seeing", "policy": "linucb alpha=0.5", "arms": 3, "features": 2, "floor": 0.05}
    assert client.post("/agents", json=seeing).status_code == 201
    assert client.post("/agents/seeing/choices", json={"features": [0.5, 1.0]}).json()["propensity"] > 0.05


def test_choices_whose_reward_never_comes_are_forgotten(client: TestClient, agents: OpenAgents):
    for _ in range(3):
        client.post("/agents/banner/choices", json={})
    assert client.post("/agents/banner/forgotten", json={"choices": [0, 2]}).json() == {"forgotten": 2}
    with agents.using("banner") as agent:
        assert [choice.id for choice in agent.pending] == [1]
    said = told(client.post("/agents/banner/rewards", json={"choice": 0, "reward": 1.0}), 422)
    assert said == "choice must not be forgotten; choice 0 is forgotten"


def test_what_takes_long_to_show_is_shown_again(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("treebandit.agents.open_agents._QUICK", 0.0)
    monkeypatch.setattr("treebandit.agents.open_agents._SHARE", 1e-9)
    assert client.get("/agents/banner").json()["choices"] == 0
    client.post("/agents/banner/choices", json={})
    assert client.get("/agents/banner").json()["choices"] == 0
    assert client.get("/agents/banner/course").json()["choices"] == 1


def test_two_services_share_an_agent(client: TestClient, url: str):
    others = OpenAgents(url)
    other = client_of(others)
    ids = [(client, other)[at % 2].post("/agents/banner/choices", json={}).json()["id"] for at in range(6)]
    assert ids == list(range(6))
    assert other.post("/agents/banner/rewards", json={"choice": 0, "reward": 1}).json() == {"counts": True}
    assert client.post("/agents/banner/rewards", json={"choice": 0, "reward": 1}).json() == {"counts": False}
    others.close()


def test_requests_of_many_threads_get_choices_of_their_own(client: TestClient):
    ids: list[int] = []

    def serve() -> None:
        for _ in range(20):
            ids.append(client.post("/agents/banner/choices", json={}).json()["id"])

    threads = [threading.Thread(target=serve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(ids) == list(range(80))


BAD: list[tuple[str, Any, int, str]] = [
    ("/agents/banner/rewards", {"choice": 9, "reward": 1.0}, 422, "choice must be the id of one of this agent's"),
    ("/agents/banner/rewards", {"choice": 0, "reward": 3.0}, 422, "reward must be a finite number from 0 to 1; got 3"),
    ("/agents/banner/rewards", {"choice": 0}, 422, "reward must be given"),
    ("/agents/banner/rewards", {"choice": "0", "reward": 1.0}, 422, "choice must be a valid integer; got '0'"),
    ("/agents/banner/choices", {"features": [1.0]}, 422, "features must be left out: thompson does not use features"),
    ("/agents/banner/choices", {"feature": [1.0]}, 422, "feature must be left out; it is not a known field"),
    ("/agents/banner/choices", {"features": ["a"]}, 422, "features[0] must be a valid number; got 'a'"),
    ("/agents/banner/choices", {"key": "x" * 201}, 422, "key must have at most 200 characters"),
    ("/agents/banner/arms", {"arm": "red"}, 422, "arm must be new or retired; got 'red'"),
    ("/agents/other/choices", {}, 404, "name must be the name of an agent; got 'other'"),
    ("/agents", {**BANNER, "policy": "ucb"}, 422, "policy must be that of the saved agent, 'thompson'; got 'ucb'"),
    ("/agents", {**BANNER, "name": "b", "policy": "os.system"}, 422, "policy must be a registered policy, or one"),
    ("/agents", {**BANNER, "name": "b", "policy": "custom rule=os.system"}, 422, "policy must be a registered policy"),
    ("/agents", {**BANNER, "name": "b", "arms": ["a", "a"]}, 422, "arms must have different names; got 'a' twice"),
    ("/agents", {**BANNER, "name": "b", "floor": 0.5}, 422, "floor must be at most 1 / K"),
    ("/agents", {"name": "b"}, 422, "policy must be given"),
    ("/agents", {**BANNER, "name": "a/b"}, 422, "name must match pattern"),
    ("/agents", {**BANNER, "name": ".."}, 422, "name must match pattern"),
    ("/agents/banner/choices", {"key": "a\x00b"}, 422, "key must match pattern"),
    (
        "/agents/banner/arms",
        {"arm": []},
        422,
        "arm must be a string of 1 to 200 characters, or an integer of",
    ),
    ("/agents", {**BANNER, "name": "b", "arms": [[]]}, 422, "arms must be the number of arms, or a list of"),
    ("/agents/banner/forgotten", {"choices": [3]}, 422, "choice must be the id of one of this agent's"),
    ("/agents/banner/forgotten", {"choices": [-1]}, 422, "choices[0] must be greater than or equal to 0; got -1"),
    ("/agents", [], 422, "body must be a valid dictionary"),
]


@pytest.mark.parametrize(("path", "body", "status", "sentence"), BAD, ids=[sentence for *_, sentence in BAD])
def test_a_wrong_request_gets_one_sentence(client: TestClient, path: str, body: Any, status: int, sentence: str):
    assert told(client.post(path, json=body), status).startswith(sentence)
    assert client.get("/agents/banner").json()["choices"] == 0


def test_rules_of_ones_own_are_taken_only_if_they_were_named_at_the_start(client: TestClient, url: str):
    own = {**BANNER, "name": "own", "policy": "bandits.policies.ucb.ucb c=0.5"}
    assert client.post("/agents", json=own).status_code == 201
    others = OpenAgents(url)
    assert "rules= at the start" in told(client_of(others).post("/agents/own/choices", json={}), 422)
    others.close()


@pytest.mark.parametrize("rule", ["nosuch.thing", "3"])
def test_rules_that_are_none_are_refused_at_the_start(url: str, rule: str):
    with pytest.raises(ValueError, match=r"^rules\[1\]"):
        OpenAgents(url, rules=["bandits.policies.ucb.ucb", rule])


def test_only_programs_and_its_own_page_may_ask(client: TestClient):
    assert "Host must be" in told(client.get("/agents", headers={"Host": "evil.example:8080"}), 403)
    assert "Origin must be" in told(client.get("/agents", headers={"Origin": "http://evil.example"}), 403)
    assert "own page may send requests" in told(client.get("/agents", headers={"Sec-Fetch-Site": "cross-site"}), 403)
    answer = client.get("/agents", headers={"Origin": f"http://127.0.0.1:{PORT}"})
    assert answer.status_code == 200
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    long = "x" * 300_000
    assert "body must be at most" in told(client.post("/agents", content=long), 413)
    parts = (b"x" * 50_000 for _ in range(7))  # of no length that is said beforehand
    json = {"Content-Type": "application/json"}
    assert "body must be at most" in told(client.post("/agents", content=parts, headers=json), 413)


def test_a_token_opens_everything_but_the_empty_page(agents: OpenAgents):
    client = client_of(agents, "secret")
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "secret"}):
        assert "Authorization must be" in told(client.get("/agents", headers=headers), 401)
    for scheme in ("Bearer", "bearer", "BEARER", "bEaReR "):
        assert client.get("/agents", headers={"Authorization": f"{scheme} secret"}).json() == []
    assert client.get("/").status_code == 200
    assert client.get("/static/page.js").status_code == 200
    assert client.get("/static/../app.py", headers={"Authorization": "Bearer secret"}).status_code == 404


@pytest.mark.parametrize("token", ["", " ", "a b", "é", "ключ", "\udcff", "a\n", "\x00", "\x7f"])
def test_a_token_that_no_request_can_carry_is_refused_and_not_shown(token: str):
    with pytest.raises(ValueError, match="TREEBANDIT_TOKEN must be ASCII") as caught:
        token_of({"TREEBANDIT_TOKEN": token})
    assert str(caught.value).endswith("; got other characters" if token else "; got nothing")


@pytest.mark.parametrize("token", [None, "x", "".join(map(chr, range(33, 127)))])
def test_every_token_that_is_taken_opens_the_service(agents: OpenAgents, token: str | None):
    taken = token_of({} if token is None else {"TREEBANDIT_TOKEN": token})
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    assert client_of(agents, taken).get("/agents", headers=headers).status_code == 200


STRANGE = ["x" * 300 + ".js", "x" * 20_000 + ".js", "a%00b.js", "%00", "%ff.js", "%ed%a0%80.js", "..%2fapp.py"]
STRANGE += ["%2e%2e/app.py", ".", "%2fetc%2fpasswd", "page.js%00", "index.html", "%5c..%5capp.py"]


@pytest.mark.parametrize("name", STRANGE, ids=[name[:20] for name in STRANGE])
def test_only_the_files_of_the_page_are_given(client: TestClient, name: str):
    assert told(client.get(f"/static/{name}"), 404).startswith("no such address")


@pytest.mark.parametrize(
    ("method", "path", "status", "said"),
    [
        ("GET", "/nowhere", 404, "no such address; /openapi.json lists all"),
        ("POST", "/nowhere", 404, "no such address; /openapi.json lists all"),
        ("GET", "/agents/a/b", 404, "the service cannot reach names with '/'"),
        ("GET", "/agents/a%2Fb", 404, "the service cannot reach names with '/'"),
        ("DELETE", "/agents/banner", 405, "DELETE is not for this address"),
        ("PUT", "/agents", 405, "PUT is not for this address"),
        ("GET", "/agents/banner/choices", 405, "GET is not for this address"),
    ],
)
def test_an_address_that_is_none_is_one_sentence(client: TestClient, method: str, path: str, status: int, said: str):
    answer = client.request(method, path, json={} if method in ("POST", "PUT") else None)
    assert said in told(answer, status)
    assert ("allow" in answer.headers) == (status == 405)


def test_head_is_answered_as_get(client: TestClient):
    for path in ("/", "/agents", "/agents/banner", "/static/page.js", "/openapi.json"):
        assert client.head(path).status_code == 200
        assert client.head(path).headers == client.get(path).headers
    assert client.head("/nowhere").status_code == 404
    assert client.head("/agents/banner/choices").status_code == 405


@pytest.mark.parametrize("kind", [None, "application/x-www-form-urlencoded", "text/plain", "", "json", "text/jsonx"])
@pytest.mark.parametrize("path", [path for method, path, _ in ROUTES if method == "POST"])
def test_a_body_must_be_said_to_be_json(client: TestClient, kind: str | None, path: str):
    headers = {} if kind is None else {"Content-Type": kind}
    assert told(client.post(path, content=b"{}", headers=headers), 415).startswith("Content-Type must be application/j")


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8", "application/vnd.api+json"])
def test_json_has_several_names(client: TestClient, kind: str):
    assert client.post("/agents/banner/choices", content=b"{}", headers={"Content-Type": kind}).status_code == 201


UNREADABLE = [b"", b"{", b"\xff", b"[" * 100_000, b'{"a":' * 30_000, b"1" * 5_000, b"-" * 9]


@pytest.mark.parametrize("body", UNREADABLE, ids=[repr(body[:8]) for body in UNREADABLE])
@pytest.mark.parametrize("path", [path for method, path, _ in ROUTES if method == "POST"])
def test_a_body_that_cannot_be_read_is_one_sentence(client: TestClient, path: str, body: bytes):
    said = told(client.post(path, content=body, headers={"Content-Type": "application/json"}), 422)
    assert said in ("body must be JSON", "body must be given")


LONE = "\ud800"


@pytest.mark.parametrize(("method", "path", "body"), [route for route in ROUTES if route[2]])
def test_half_a_character_anywhere_is_one_sentence(client: TestClient, method: str, path: str, body: Any):
    given: list[Any] = [{**body, LONE: 1}, *({**body, field: LONE} for field in body), [LONE], LONE]
    for one in [*given, {"key": LONE}, {"arm": LONE}, {**BANNER, "arms": ["a", LONE]}]:
        answer = client.request(
            method, path, content=json.dumps(one).encode(), headers={"Content-Type": "application/json"}
        )
        told(answer, 422)


def test_no_agent_gets_more_arms_than_a_new_one_may_have(client: TestClient, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("treebandit.agents.app._MOST_ARMS", 4)
    assert client.post("/agents/banner/arms", json={"arm": "pink"}).status_code == 201
    assert "arms must be at most 4" in told(client.post("/agents/banner/arms", json={"arm": "grey"}), 422)
    client.post("/agents/banner/arms/retire", json={"arm": "red"})
    assert client.post("/agents/banner/arms", json={"arm": "red"}).json()["retired"] == []


# ------------------------------------------------------------ what is the service's fault


def failing_with(error: Exception) -> Any:
    def fail(*_: Any, **__: Any) -> Any:
        raise error

    return fail


@pytest.mark.parametrize(("method", "path", "body"), ROUTES, ids=[f"{method} {path}" for method, path, _ in ROUTES])
def test_a_database_that_does_not_answer_is_a_503_and_only_the_log_says_which(
    url: str, method: str, path: str, body: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
):
    agents = OpenAgents(url)
    for method_of_journal in ("_rows", "_run"):
        monkeypatch.setattr(
            f"bandits.journal.store.Journal.{method_of_journal}",
            failing_with(JournalError("the journal postgresql://me@db.lan did not answer: timeout")),
        )
    said = told(client_of(agents).request(method, path, json=body), 503)
    assert "the database did not answer" in said
    assert not {"me", "db.lan"} & set(re.split(r"[^a-z.]", said))
    (number,) = re.findall(r"\b[0-9a-f]{8}\b", said)
    (line,) = capfd.readouterr().err.splitlines()
    assert number in line
    assert "me@db.lan did not answer: timeout" in line
    agents.close()


@pytest.mark.parametrize(("method", "path", "body"), ROUTES, ids=[f"{method} {path}" for method, path, _ in ROUTES])
@pytest.mark.parametrize("error", [ValueError("max() arg is an empty sequence"), OSError(24, "Too many open files")])
def test_an_error_of_the_service_is_a_500_with_its_number_in_the_log(
    url: str,
    method: str,
    path: str,
    body: Any,
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    agents = OpenAgents(url)
    monkeypatch.setattr(agents._journal, "use", failing_with(error))
    monkeypatch.setattr(agents._journal, "agents", failing_with(error))
    monkeypatch.setattr(agents, "_check", failing_with(error))
    said = told(client_of(agents).request(method, path, json=body), 500)
    assert str(error) not in said
    (number,) = re.findall(r"\b[0-9a-f]{8}\b", said)
    assert number in caplog.text
    assert str(error) in caplog.text
    agents.close()


def test_a_request_that_is_cut_off_at_the_end_of_the_service_gets_a_503(agents: OpenAgents):
    sent: list[Any] = []

    async def app(*_: Any) -> None:
        raise asyncio.CancelledError

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/agents", "headers": [(b"host", f"127.0.0.1:{PORT}".encode())]}
    asyncio.run(Door(app, Names("127.0.0.1", PORT), None)(scope, failing_with(AssertionError()), send))
    assert [message.get("status") for message in sent] == [503, None]
    assert b"the service ended before the answer" in sent[1]["body"]


# ------------------------------------------------------------ many agents


def test_more_agents_than_stay_open_are_served(url: str):
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


def test_an_agent_in_use_stays_open(url: str):
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


def test_requests_at_once_open_an_agent_once_and_compute_once_what_is_shown(url: str, monkeypatch: pytest.MonkeyPatch):
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
    threads = [threading.Thread(target=agents.shown, args=("banner", True)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(opened), len(computed)) == (1, 1)
    agents.close()


# ------------------------------------------------------------ malformed requests

_ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def values(schema: dict[str, Any], known: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values of a schema of OpenAPI, and some that are not."""
    if "$ref" in schema:
        schema = known[schema["$ref"].rpartition("/")[2]]
    kinds = schema.get("anyOf", [schema])
    if len(kinds) > 1:
        return st.one_of(*(values(kind, known) for kind in kinds))
    kind = schema.get("type")
    if kind == "object":
        wanted = {name: values(of, known) | _ANY for name, of in schema["properties"].items()}
        needed = {name: wanted.pop(name) for name in schema.get("required", [])}
        return st.fixed_dictionaries(needed, optional=wanted)
    if kind == "array":
        return st.lists(values(schema.get("items", {"type": "number"}), known) | _ANY, max_size=4)
    made: dict[str | None, st.SearchStrategy[Any]] = {
        "string": st.sampled_from(["banner", "ucb", "thompson", "exp3", "red", "ucb c=-1", "custom rule=x.y"])
        | st.text(),
        "integer": st.integers(-2, 5) | st.integers(),
        "number": st.floats(allow_nan=False, allow_infinity=False) | st.floats(0.0, 1.0),
    }
    return made.get(kind, st.none())


def fuzzed(client: TestClient, requests: int) -> None:
    """Ask every address that takes a body for what its schema allows, or nearly: no answer is the service's fault."""
    schema = client.get("/openapi.json").json()
    known = schema["components"]["schemas"]
    bodies = {
        path: values(methods["post"]["requestBody"]["content"]["application/json"]["schema"], known)
        for path, methods in schema["paths"].items()
        if "post" in methods
    }
    names = st.sampled_from(["banner", "none", "%00", "a b"])

    @settings(
        max_examples=requests,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(st.sampled_from(sorted(bodies)), names, st.data())
    def ask(path: str, name: str, data: st.DataObject) -> None:
        body = data.draw(bodies[path] | _ANY)
        answer = client.post(path.replace("{name}", name), json=body)
        assert answer.status_code < 500, (path, body, answer.text)
        assert answer.headers["content-type"].startswith("application/json")

    ask()


def test_malformed_requests_are_no_fault_of_the_service(client: TestClient):
    fuzzed(client, 150)
    for body in (b"", b"{", b"\xff", b'{"choice": NaN, "reward": 1}', b'{"choice": 0, "reward": Infinity}'):
        answer = client.post("/agents/banner/rewards", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422)


@pytest.mark.long
def test_ten_thousand_malformed_requests_are_no_fault_of_the_service(client: TestClient):
    fuzzed(client, 10_000)


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


def test_the_command_answers_until_it_is_interrupted(service: tuple[str, subprocess.Popen[str]], url: str):
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


def test_a_wrong_word_of_the_command_is_a_sentence_and_status_2():
    for words, sentence in [
        ([], "database must be given"),
        (["database=mysql://x"], "url must be sqlite:///PATH or postgresql://USER@HOST/DATABASE; got mysql://"),
        (["database=sqlite:///x.db", "port=99999999"], "port must be a whole number from 0 to 65535; got 99999999"),
    ]:
        done = subprocess.run(
            [sys.executable, "-m", "treebandit", "agents", *words], capture_output=True, encoding="utf-8", cwd=ROOT
        )
        assert done.returncode == 2, done
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1


@pytest.mark.long
@pytest.mark.jit
def test_the_page_shows_an_agent_and_what_changes(service: tuple[str, Any], url: str, page: Any):
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
