"""What the page's server refuses, and whom: every mistake is one sentence, and no page of others may ask."""

from __future__ import annotations

import json
import re

import pytest
from starlette.testclient import TestClient

from connect4.players import ProgramPlayer
from tests.experiments.served import (
    ADDRESS,
    EMPTY,
    ID,
    LARGE,
    PORT,
    SMALL,
    ask,
    refused,
)
from tests.internals import FOLDER, SCRIPTS, UNOFFERED
from treebandit.page.app import make_app

# --- what is refused --------------------------------------------------------------------------------------------------


CHANGES = [
    ({"id": "../../etc/passwd"}, "id", "../../etc/passwd"),
    ({"seed": 2**60}, "seed", f"{2**53 - 1}", f"{2**60}"),
    ({"position": {**EMPTY, "moves": "8"}}, "position.moves", "7", "8"),
    ({"position": {**EMPTY, "moves": "1" * 20_001}}, "position.moves", "20,000"),
    ({"position": {**EMPTY, "depth": 1}}, "position", "connect", "'depth'"),
    ({"player": {"name": "uct", "cc": 1}}, "player.cc", "uct"),
    ({"player": {"name": "perfect"}, "position": LARGE}, "board", "40"),
    *(({"player": {"name": name}}, "player.name", f"'{name}'") for name in UNOFFERED),
    ({"player": {"name": "custom", "path": "os.getcwd"}}, "player.name", "'custom'"),
    ({"player": {"name": "minimax", "heuristic": "os.getcwd"}}, "player.heuristic", "os.getcwd"),
    ({"player": {"name": "uct", "policy": "custom"}}, "player.policy", "'custom'"),
    ({"player": {"name": "uct", "policy": {"name": "ucb", "c": {"name": "custom"}}}}, "player.policy.c.name", "custom"),
]


@pytest.mark.parametrize(("change", "place", "facts"), [(change, place, facts) for change, place, *facts in CHANGES])
def test_a_move_that_cannot_be_asked_for_is_one_sentence(client, change, place, facts):
    assert refused(ask(client, **change), *facts).startswith(place)
    assert client.app.state.works.running == []


@pytest.mark.parametrize(
    ("player", "place", "facts"),
    [
        ({"name": "program", "command": "touch here"}, "player", "seconds 'command'"),
        ({"name": "program", "limit": 1e6}, "player", "seconds 'limit'"),
        ({"name": "program", "seconds": 6}, "player.seconds", "limit=5 6"),
        ({"name": "graded", "engine": "program"}, "player.engine", "'program'"),
        ({"name": "uct", "policy": "program"}, "player.policy", "'program'"),
    ],
)
def test_a_request_cannot_change_the_program_of_the_command_line(client, player, place, facts):
    client.app.state.program = ProgramPlayer(command="./never", limit=5.0)
    assert refused(ask(client, player=player), *facts.split()).startswith(place)
    assert client.app.state.works.kept == []


def test_a_pause_is_true_or_false(client):
    for body in ({}, {"paused": 1}, {"paused": None}):
        refused(client.patch(f"/api/moves/{ID}", json=body), "paused")
    assert client.patch(f"/api/moves/{ID}", json={"paused": True}).json() == {"id": ID, "found": False}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        *((body, "JSON") for body in (b"", b"{", b"\xff", b"[" * 50_000)),
        (b"[]", "{...}"),
        (b'{"seed": NaN}', "NaN"),
        (b'{"id": "' + b"x" * 10_000 + b'"}', " ... "),
    ],
)
def test_what_is_no_request_is_one_sentence(client, body, said):
    assert len(refused(client.post("/api/moves", content=body), said)) < 400


def test_half_a_character_anywhere_is_one_sentence(client):  # more of them: test_serve_fuzzed.py
    asked = {"position": EMPTY, "player": {"name": "uct"}, "seed": 0, "id": ID}
    for change in ({"id": "\ud800"}, {"player": {"name": "a\ud800b"}}, {"position": {**EMPTY, "\ud800": 0}}):
        answer = client.post("/api/moves", content=json.dumps({**asked, **change}).encode())
        refused(answer, "the request", "Unicode")
    assert client.app.state.works.kept == []


def test_a_request_is_no_larger_than_needed(client):
    refused(client.post("/api/moves", content=b" " * 70_000), "65,536", status=413)


# --- who may ask ------------------------------------------------------------------------------------------------------


OTHERS = {
    "Host": ["evil.example:8765", "127.0.0.1", "127.0.0.1:80", "10.0.0.1:8765"],
    "Origin": ["http://evil.example", "null", "http://127.0.0.1:81"],
    "Sec-Fetch-Site": ["cross-site", "same-site"],
}


@pytest.mark.parametrize("place", ["/api/catalogue", "/static/app.js"])
def test_only_the_servers_own_pages_may_ask(client, place):
    for name, values in OTHERS.items():
        for value in values:
            refused(client.get(place, headers={name: value}), value if "-site" in value else name, status=403)


def test_what_changes_anything_needs_the_token(client):
    values = {"position": SMALL, "player": {"name": "random"}, "id": ID}
    for token in ("", "wrong", "é"):
        headers = {"X-Token": token.encode()}
        refused(client.post("/api/moves", json=values, headers=headers), "X-Token", status=403)
        refused(client.delete(f"/api/moves/{ID}", headers=headers), "X-Token", status=403)
        refused(client.get(f"/api/moves/{ID}/events", headers=headers), "id", status=404)


NAMES = [  # where a server listens, its port, and the names by which it is asked or not
    ("127.0.0.1", PORT, "127.0.0.1:8765 localhost:8765 [::1]:8765", "desk:8765"),
    ("0.0.0.0", PORT, "192.168.1.7:8765 desk:8765 desk.local:8765", "desk.evil:8765 evil.example:8765"),
    ("127.0.0.1", 80, "127.0.0.1 localhost [::1] 127.0.0.1:80", "127.0.0.1:8765 [::1]:8765 evil.example"),
]


@pytest.mark.parametrize(("place", "port", "known", "unknown"), NAMES)
def test_a_server_is_asked_by_its_addresses_and_for_others_by_the_name_of_its_machine(
    tmp_path, monkeypatch, place, port, known, unknown
):
    monkeypatch.setattr("socket.gethostname", lambda: "Desk")
    client = TestClient(make_app(place, port, tmp_path), base_url="http://127.0.0.1")
    for host in known.split():
        headers = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
        assert client.get("/api/catalogue", headers=headers).status_code == 200, host
    for host in unknown.split():
        refused(client.get("/", headers={"Host": host}), "Host", status=403)


def test_the_page_knows_the_token_and_runs_no_script_but_the_servers(client):
    answers = [client.get("/", headers={"Sec-Fetch-Site": "cross-site"}) for _ in range(2)]  # a link elsewhere
    policies = [one.headers["content-security-policy"] for one in answers]
    assert policies[0] != policies[1], "a nonce is used once"
    for answer, policy in zip(answers, policies, strict=True):
        (nonce,) = re.findall(r"script-src 'self' 'nonce-([\w-]+)';", policy)
        assert f'<script type="importmap" nonce="{nonce}">' in answer.text
        assert f'<meta name="token" content="{client.app.state.token}">' in answer.text
        assert "$" not in answer.text
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
    modules = json.loads(re.search(r'importmap" nonce="[^"]+">(.*?)</script>', answers[0].text)[1])["imports"]
    assert modules["lab/shared/board"] == "/static/shared/board.js"
    assert {*_files("*.js")} == set(modules.values())
    for place in re.findall(r'(?:src|href)="(/static/[^"]+)"', answers[0].text):
        assert client.get(place).status_code == 200, place
        assert client.get(place).text == client.get(place, headers={"Accept-Encoding": "identity"}).text


@pytest.mark.parametrize("place", ["/", "/static/shared/board.js", "/api/catalogue", "/nowhere", "/static/__init__.py"])
def test_every_answer_has_the_headers_of_safety_and_none_for_other_origins(client, place):
    headers = client.get(place, headers={"Origin": ADDRESS}).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == ("no-cache" if place == "/static/shared/board.js" else "no-store")
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in headers if name.startswith("access-control")]


def _files(pattern):
    return [f"/static/{file.relative_to(top)}" for top in (FOLDER, SCRIPTS) for file in top.rglob(pattern)]


def test_all_of_the_page_is_less_than_150_kb_to_load(client):
    places = ["/", *_files("*.*s")]
    assert sum(int(client.get(place).headers["content-length"]) for place in places) < 150_000


def test_only_files_of_the_page_are_given(client):
    assert client.get("/static/shared/board.js").headers["content-type"].startswith("text/javascript")
    assert client.get("/static/style.css").headers["content-type"].startswith("text/css")
    for name in (
        "__init__.py",
        "index.html",
        "shared",
        "shared/../__init__.py",
        "..%2f__init__.py",
        "nothing.js",
        "a%00b.js",
        "x" * 20_000 + ".js",
        "%ed%a0%80.js",
        "%5c..%5cserve.py",
    ):
        refused(client.get(f"/static/{name}"), status=404)
    refused(client.post("/"), "POST", status=405)
