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
from tests.internals import FOLDER, SCRIPTS
from treebandit.page.app import make_app

# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "short"}, "id must be 8 to 64 letters"),
        ({"id": None}, "id must be"),
        ({"id": "../../etc/passwd"}, "id must be"),
        ({"seed": -1}, "seed must be a whole number from 0"),
        ({"seed": 2**60}, "seed must be"),
        ({"more": 1}, "the request takes position, player, seed, id; got 'more'"),
        ({"position": {**EMPTY, "moves": "8"}}, "position.moves must be columns from 1 to 7"),
        ({"position": {**EMPTY, "moves": "4" * 7}}, "position.moves must be legal"),
        ({"position": {**EMPTY, "moves": "1212121"}}, "it is over after 7 stones"),
        ({"position": {**EMPTY, "moves": "1" * 20_001}}, "position.moves must be a string of at most"),
        ({"position": {**EMPTY, "width": 65}}, "position.width must be a whole number from 1 to 64; got 65"),
        ({"position": {**EMPTY, "depth": 1}}, "position takes moves, width, height, connect; got 'depth'"),
        ({"position": [1]}, "position must be a mapping"),
        (
            {"player": {"name": "uct", "simulations": 1_000_001}},
            "player.simulations must be at most 1,000,000 here; got",
        ),
        (
            {"player": {"name": "uct_best", "simulations": 1_000_001}},
            "player.simulations must be at most 1,000,000 here; got",
        ),
        ({"player": {"name": "uct", "seconds": 61.0}}, "player.seconds must be at most 60 here; got 61"),
        ({"player": {"name": "uct", "playouts_per_leaf": 101}}, "player.playouts_per_leaf must be at most 100 here"),
        ({"player": {"name": "uct", "workers": 2}}, "player.workers must be left out"),
        ({"player": {"name": "uct", "memory": 10**12}}, "player.memory must be left out"),
        ({"player": {"name": "uct", "c": -1}}, "player.c must be a finite number of at least 0"),
        ({"player": {"name": "uct", "cc": 1}}, "player.cc is not a parameter of uct"),
        ({"player": {"name": "uct", "playouts": "none"}}, "player.playouts must be one of uniform, biased"),
        ({"player": {"name": "minimax", "depth": 12}}, "player.depth must be at most 11 here; got 12"),
        ({"player": {"name": "lookahead", "ply": 12}}, "player.ply must be at most 11 here; got 12"),
        ({"player": {"name": "monte_carlo", "simulations": 10**6}}, "player.simulations must be at most 238,095 here"),
        (
            {"player": {"name": "biased_monte_carlo", "playouts_per_move": 10**5}},
            "must be at most 3,401 here",
        ),
        ({"player": {"name": "perfect", "simulations": 10**6}}, "player.simulations must be at most 100,000 here"),
        ({"player": {"name": "perfect"}, "position": LARGE}, "board must have at most 40 empty cells if it"),
        ({"player": {"name": "human"}}, "player.name must be one of"),
        ({"player": {"name": "custom", "path": "os.getcwd"}}, "player.name must be one of"),
        ({"player": {"name": "program", "command": "touch here"}}, "player.name must be one of"),
        ({"player": {"name": "kaggle", "file": "submission.py"}}, "player.name must be one of"),
        ({"player": {"name": "pettingzoo", "agent": "os.getcwd"}}, "player.name must be one of"),
        ({"player": {"name": "open_spiel", "bot": "os.getcwd"}}, "player.name must be one of"),
        ({"player": {"name": "minimax", "heuristic": "os.getcwd"}}, "player.heuristic must consist of letters"),
        ({"player": {"name": "uct", "policy": "custom"}}, "player.policy must consist of letters"),
        (
            {"player": {"name": "uct", "policy": {"name": "custom", "rule": "os.x"}}},
            "player.policy.name must be one of",
        ),
        ({"player": {"name": "uct", "policy": {"name": "ucb", "c": {"name": "custom"}}}}, "player.policy.c.name must"),
    ],
)
def test_a_move_that_cannot_be_asked_for_is_one_sentence(client, change, said):
    assert said in refused(ask(client, **change))
    assert client.app.state.works.running == []


@pytest.mark.parametrize(
    ("player", "said"),
    [
        ({"name": "program", "command": "touch here"}, "player takes name, seconds; got 'command'"),
        ({"name": "program", "limit": 1e6}, "player takes name, seconds; got 'limit'"),
        ({"name": "program", "seconds": 6}, "player.seconds must be at most limit=5; got 6"),
        ({"name": "graded", "engine": "program"}, "player.engine must consist of letters"),
        ({"name": "uct", "policy": "program"}, "player.policy must consist of letters"),
    ],
)
def test_a_request_cannot_change_the_program_of_the_command_line(client, player, said):
    client.app.state.program = ProgramPlayer(command="./never", limit=5.0)
    refused(ask(client, player=player), said)
    assert client.app.state.works.kept == []


@pytest.mark.parametrize("body", [{}, {"paused": 1}, {"paused": None}])
def test_a_pause_is_true_or_false(client, body):
    refused(client.patch(f"/api/moves/{ID}", json=body), "paused must be true or false")
    assert client.patch(f"/api/moves/{ID}", json={"paused": True}).json() == {"id": ID, "found": False}


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "must be JSON"),
        (b"{", "must be JSON"),
        (b"\xff", "must be JSON"),
        (b"[" * 50_000, "must be JSON"),
        (b"[]", "must be a mapping"),
        (b'{"seed": NaN}', "numbers must be finite; got NaN"),
        (b'{"id": "' + b"x" * 10_000 + b'"}', " ... "),
    ],
)
def test_what_is_no_request_is_one_sentence(client, body, said):
    assert len(refused(client.post("/api/moves", content=body), said)) < 400


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/moves", {"position": EMPTY, "player": {"name": "uct"}, "seed": 0, "id": ID}),
        ("PATCH", f"/api/moves/{ID}", {"paused": True}),
        ("POST", "/api/scores", EMPTY),
        ("POST", "/api/hint", EMPTY),
        ("POST", "/api/recordings", {"position": EMPTY, "rules": [{"name": "ucb"}], "simulations": 9, "seed": 0}),
        ("POST", "/api/bandits", {"means": [0.5, 0.6], "rules": [{"name": "ucb"}], "horizon": 9, "seed": 0}),
        ("POST", "/api/games", {"position": EMPTY, "players": ["one", "two"]}),
    ],
)
def test_half_a_character_anywhere_is_one_sentence(client, method, path, body):
    assert {place for place, _ in changed(body)} >= {*body}
    for _, one in changed(body):
        answer = client.request(method, path, content=json.dumps(one).encode())
        refused(answer, "the request must be Unicode text; it has half of a surrogate pair")
    assert client.app.state.works.kept == []


def changed(value, lone="\ud800"):
    """Return every copy of a value in which one text, number or name is half a character, with its place."""
    if isinstance(value, dict):
        inside = [(key, {**value, key: one}) for key, old in value.items() for _, one in changed(old)]
        return [*inside, ("", {**value, lone: 0})]
    if isinstance(value, list):
        return [("", [*value[:at], one, *value[at + 1 :]]) for at, old in enumerate(value) for _, one in changed(old)]
    return [("", lone), ("", f"a{lone}b")]


def test_a_request_is_no_larger_than_needed(client):
    refused(client.post("/api/moves", content=b" " * 70_000), "at most 65,536 bytes", status=413)


# --- who may ask ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({"Host": "evil.example:8765"}, "Host must be"),
        ({"Host": "127.0.0.1"}, "Host must be"),
        ({"Host": "127.0.0.1:80"}, "Host must be"),
        ({"Host": "10.0.0.1:8765"}, "Host must be"),
        ({"Origin": "http://evil.example"}, "Origin must be"),
        ({"Origin": "null"}, "Origin must be"),
        ({"Origin": "http://127.0.0.1:81"}, "Origin must be"),
        ({"Sec-Fetch-Site": "cross-site"}, "this one is cross-site"),
        ({"Sec-Fetch-Site": "same-site"}, "this one is same-site"),
    ],
)
@pytest.mark.parametrize("place", ["/api/catalogue", "/static/app.js"])
def test_only_the_servers_own_pages_may_ask(client, headers, said, place):
    refused(client.get(place, headers=headers), said, status=403)


@pytest.mark.parametrize("token", ["", "wrong", "é"])
def test_what_changes_anything_needs_the_token(client, token):
    headers = {"X-Token": token.encode()}
    values = {"position": SMALL, "player": {"name": "random"}, "id": ID}
    refused(client.post("/api/moves", json=values, headers=headers), "X-Token", status=403)
    refused(client.delete(f"/api/moves/{ID}", headers=headers), "X-Token", status=403)
    refused(client.get(f"/api/moves/{ID}/events", headers=headers), "id must be that of a recent search", status=404)


@pytest.mark.parametrize("host", ["127.0.0.1:8765", "localhost:8765", "[::1]:8765"])
def test_this_machine_has_several_names(client, host):
    headers = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
    assert client.get("/api/catalogue", headers=headers).status_code == 200


def test_a_server_for_others_is_asked_by_its_address_and_by_no_name_but_its_own(tmp_path):
    client = TestClient(make_app("0.0.0.0", PORT, tmp_path), base_url=ADDRESS)
    assert client.get("/", headers={"Host": "192.168.1.7:8765"}).status_code == 200
    refused(client.get("/", headers={"Host": "evil.example:8765"}), "Host must be", status=403)


def test_a_server_for_others_is_asked_by_the_name_of_its_machine_and_one_for_this_machine_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "Desk")
    for host, statuses in (
        ("0.0.0.0", {"desk": 200, "desk.local": 200, "desk.evil": 403}),
        ("127.0.0.1", {"desk": 403}),
    ):
        client = TestClient(make_app(host, PORT, tmp_path), base_url=ADDRESS)
        for name, status in statuses.items():
            assert client.get("/", headers={"Host": f"{name}:{PORT}"}).status_code == status, (host, name)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "127.0.0.1:80"])
def test_on_port_80_the_port_may_be_left_out(tmp_path, host):
    client = TestClient(make_app("127.0.0.1", 80, tmp_path), base_url="http://127.0.0.1")
    headers = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
    assert client.get("/api/catalogue", headers=headers).status_code == 200
    refused(client.get("/", headers={"Host": f"{host.removesuffix(':80')}:8765"}), "Host must be", status=403)
    refused(client.get("/", headers={"Host": "evil.example"}), "Host must be", status=403)


def test_a_link_to_the_page_may_stand_anywhere(client):
    assert client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_the_page_knows_the_token_and_runs_no_script_but_the_servers(client):
    answers = [client.get("/") for _ in range(2)]
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
        "board.js",
        "shared",
        "shared/../__init__.py",
        "..%2f__init__.py",
        "%2e%2e/serve.py",
        "nothing.js",
        "a%00b.js",
        "x" * 300 + ".js",
        "x" * 20_000 + ".js",
        "%ff.js",
        "%ed%a0%80.js",
        "style.css%00",
        "%5c..%5cserve.py",
    ):
        refused(client.get(f"/static/{name}"), status=404)
    refused(client.post("/"), "POST is not how this address is asked", status=405)
