"""Whatever is sent to the page's server, the answer is data or a sentence, and no search is left running."""

from __future__ import annotations

import copy
import json
import urllib.parse

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.experiments.commands import until
from tests.experiments.served import ADDRESS, HOST, PORT, SMALL, refused
from tests.internals import OFFERED
from treebandit.page import work
from treebandit.page.app import make_app

TEXTS = st.text(max_size=12) | st.sampled_from(
    ["ucb", "uct", "perfect", "minimax", "custom", "os.system", "1", "4453", "", "a\ud800b"]
)
NUMBERS = st.integers(-3, 70) | st.integers() | st.floats() | st.sampled_from([2**31, 2**63, 2**64, 1e308, -0.0])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
MOVE = {"position": SMALL, "player": {"name": "uct", "simulations": 20, "policy": {"name": "ucb", "c": 1}}, "seed": 1}
PLAYED = [{**MOVE, "id": "fuzzed-id", "player": {"name": name}} for name in OFFERED]
RECORDED = {"position": SMALL, "rules": [{"name": "ucb", "c": 1}, {"name": "kl_ucb"}], "simulations": 9, "exact": False}
BANDIT = {"means": [0.2, 0.5], "rules": [{"name": "thompson", "alpha": 1}], "horizon": 9, "seed": 1}
REQUESTS = {
    "/api/moves": [{**MOVE, "id": "fuzzed-id"}, *PLAYED],
    "/api/scores": [SMALL],
    "/api/hint": [SMALL],
    "/api/recordings": [RECORDED],
    "/api/recordings?file": [RECORDED],
    "/api/bandits": [BANDIT],
}


def places_in(value, way=()):
    """Yield the ways to every value in a JSON value."""
    yield way
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, own in inner:
        yield from places_in(own, (*way, key))


@st.composite
def nearly_right(draw, requests):
    """Return a request of which one or two values are others, or gone."""
    found = copy.deepcopy(draw(st.sampled_from(requests)))
    for _ in range(draw(st.integers(1, 2))):
        *way, last = draw(st.sampled_from([way for way in places_in(found) if way]))
        inner = found
        for key in way:
            inner = inner[key]
        what = draw(st.sampled_from(["other", "other", "gone", "more"]))
        if what == "other":
            inner[last] = draw(VALUES)
        elif what == "gone":
            del inner[last]
        elif isinstance(inner, dict):
            inner[draw(TEXTS)] = draw(VALUES)
        if not found:
            break
    return found


def survives(client, place, value):
    """Assert that an answer is data or a sentence, and that nothing goes on afterwards."""
    answer = client.post(place, content=json.dumps(value).encode())
    assert answer.status_code in (200, 400, 403, 404, 405, 413, 429), (answer.status_code, answer.text)
    if answer.status_code != 200:
        refused(answer, status=answer.status_code)
    works = client.app.state.works
    for one in works.running:
        one.stop()
    until(lambda: not works.running)
    errors = [one.error for one in works._works.values() if one.error is not None]
    assert [error for error in errors if not isinstance(error, ValueError | work.Stopped)] == []
    works._works.clear()


@pytest.fixture
def impatient(client, monkeypatch):
    """A page whose server gives up soon what takes long."""
    for name in ("given.SCORES", "positions._HINT"):
        monkeypatch.setattr(f"treebandit.page.{name}", 0.05)
    return client


@pytest.mark.parametrize("examples", [120, pytest.param(1_000, marks=pytest.mark.long)])
def test_no_request_makes_the_server_fail_or_leaves_a_search_behind(impatient, examples):
    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from([*REQUESTS]), st.data())
    def sent(place, data):
        survives(impatient, place, data.draw(st.one_of(nearly_right(REQUESTS[place]), VALUES)))

    sent()


WAYS = st.sampled_from(["", "static/", "api/", "api/moves/", "api/runs/", "api/runs/x/games/"])


@settings(max_examples=60, deadline=None, database=None)
@given(under=WAYS, way=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_no_address_makes_the_server_fail(under, way):
    client = TestClient(make_app(HOST, PORT), base_url=ADDRESS)
    answer = client.get(f"/{under}{urllib.parse.quote(way, safe='/?&=')}")
    assert answer.status_code in (200, 400, 404, 405), answer.text
