"""The journal of an agent as a log: its rows, what is left out, and what a database is refused for."""

from __future__ import annotations

import importlib
import json
import sys

import numpy as np
import pytest

from bandits import Agent, Bernoulli, evaluate, read_log, simulate
from bandits.logs.forms import LOGS
from bandits.logs.journal import pin
from numerics.texts import read_yaml
from tests import pages
from tests.internals import Event, Journal, described
from tests.refusals import refused


def journal_of(path, events, name="banner", **options):
    """Write a journal of given events to a file of a folder, and return its URL."""
    url = f"sqlite:///{path / 'shop.db'}"
    options = {"policy": "random", "arms": ["red", "green"], **options}
    database = Journal(url)
    database.create(name, described(**options).as_json())
    for seq, event in enumerate(events):
        assert database.append(seq, event)
    database.close()
    return url


def choice(number, arm, propensity=0.5, time=None, **more):
    return Event("choice", float(number) if time is None else time, number, arm, propensity, **more)


def reward(number, arm, paid):
    return Event("reward", 100.0, number, arm, reward=paid)


SHOWN = [
    choice(0, 0, 0.25),
    choice(1, 1, 0.75),
    reward(1, 1, 1.0),
    choice(2, 1, 0.625),
    Event("forgotten", 3.0, 2, 1),
    reward(0, 0, 0.0),
    choice(3, 0, 0.4),
]


def test_rows_are_the_choices_with_a_reward_in_the_order_of_the_choices(tmp_path):
    log = read_log(journal_of(tmp_path, SHOWN), agent="banner")
    assert log.names == ("green", "red")
    assert [log.names[arm] for arm in log.arm] == ["red", "green"]
    assert log.reward.tolist() == [0.0, 1.0]
    assert log.propensity.tolist() == [0.25, 0.75]
    assert log.time.tolist() == [0.0, 1.0]
    assert log.unrewarded == 2
    every = read_log(f"sqlite:///{tmp_path / 'shop.db'}", agent="banner", unrewarded=0.0)
    assert every.reward.tolist() == [0.0, 1.0, 0.0, 0.0]
    assert every.propensity.tolist() == [0.25, 0.75, 0.625, 0.4]
    assert [each.describe().count("2 choices without a reward") for each in (log, every)] == [1, 1]


def test_choices_that_are_younger_than_a_reward_may_take_are_left_out(tmp_path):
    events = [choice(0, 0, time=0.0), choice(1, 1, time=50.0), choice(2, 0, time=70.0), reward(0, 1, 1.0)]
    events[-1] = events[-1]._replace(choice=2, arm=0, time=100.0)
    url = journal_of(tmp_path, events)
    log = read_log(url, agent="banner", unrewarded=0.0, wait=50.0)
    assert (log.arm.size, log.reward.tolist(), log.unrewarded) == (2, [0.0, 0.0], 2), (
        "the third is younger, and has a reward"
    )
    assert "50 s" in log.describe()
    assert read_log(url, agent="banner", unrewarded=0.0, wait=30.0).reward.tolist() == [0.0, 0.0, 1.0]
    refused(lambda: read_log(url, agent="banner", wait=50.0), "", "agent 'banner'", "50 s", "event 4")


def test_a_log_ends_at_an_event(tmp_path):
    url = journal_of(tmp_path, SHOWN)
    for up_to, rewards, unrewarded in [(3, [1.0], 1), (6, [0.0, 1.0], 1), (7, [0.0, 1.0], 2)]:
        log = read_log(url, agent="banner", up_to=up_to)
        assert (log.reward.tolist(), log.unrewarded) == (rewards, unrewarded)
    prints = [
        LOGS.of({"name": "journal", "url": url, "agent": "banner", "up_to": at}).fingerprint() for at in (6, 7, 7)
    ]
    assert prints[0] != prints[1] == prints[2]


def test_an_arm_that_came_later_and_one_that_was_never_chosen_are_arms_of_the_log(tmp_path):
    events = [
        choice(0, 0),
        Event("arm_added", 1.0, arm=2, name=json.dumps("blue")),
        Event("arm_retired", 1.0, arm=0, name=json.dumps("red")),
        choice(1, 2, 0.3),
        reward(0, 0, 1.0),
        reward(1, 2, 0.0),
    ]
    url = journal_of(tmp_path, events)
    assert read_log(url, agent="banner").names == ("blue", "green", "red")
    assert read_log(url, agent="banner").arm.tolist() == [2, 0]


def test_choices_without_a_propensity_are_rows_that_are_left_out_unless_none_has_one(tmp_path):
    paid = [reward(at, at % 2, float(at % 2)) for at in range(6)]
    for lacking in ([1], [0, 4], [0, 1, 2, 3, 4], range(6)):
        (folder := tmp_path / str(len(lacking))).mkdir()
        given = [choice(at, at % 2, [None, 0.0][at % 2] if at in lacking else 0.5) for at in range(6)]
        log = read_log(journal_of(folder, [*given, *paid]), agent="banner")
        if len(lacking) == 6:
            assert (len(log), log.propensity, log.bad) == (6, None, 0)
            continue
        assert log.propensity.tolist() == [0.5] * (6 - len(lacking))
        assert (len(log), log.bad) == (6 - len(lacking), len(lacking))
        assert log.left_out[0].startswith(f"choice {lacking[0]} ")


def test_clocks_of_several_processes_may_differ(tmp_path):
    events = [choice(0, 0, time=5.0), choice(1, 1, time=4.0), reward(0, 0, 1.0), reward(1, 1, 0.0)]
    assert read_log(journal_of(tmp_path, events), agent="banner").time.tolist() == [5.0, 5.0]


SEEN = [choice(0, 0, features="[1.0, 0.5]"), choice(1, 1, features="[1.0, 2.0]"), reward(0, 0, 1.0), reward(1, 1, 0.0)]


def test_forgotten_features_are_missed_only_where_they_are_needed(tmp_path):
    events = [SEEN[0]._replace(features=None), *SEEN[1:]]
    log = read_log(journal_of(tmp_path, events, policy="linucb", features=2), agent="banner")
    assert log.features is None
    assert len(log) == 2
    refused(lambda: evaluate(log, "uniform", model="ridge"), "", "got 'ridge'", "retain", "1 of 2 rows")
    (tmp_path / "other").mkdir()
    blind = read_log(journal_of(tmp_path / "other", SHOWN), agent="banner")
    refused(lambda: evaluate(blind, "uniform", model="ridge"), "", "got 'ridge'", "agent")


def test_an_agent_in_use_is_read_and_left_as_it_is(tmp_path):
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    with Agent.open(url, "banner", "random", ["red", "green"]) as agent:
        chosen = [agent.choose() for _ in range(4)]
        agent.reward(chosen[1], 1.0)
        log = read_log(url, agent="banner")
        agent.reward(chosen[0], 0.0)
        assert agent.check_journal() == 6
    assert (len(log), log.unrewarded, log.is_uniform) == (1, 3, True)
    assert len(read_log(url, agent="banner")) == 2


def test_a_database_that_is_made_anew_is_read_anew(tmp_path):
    assert read_log(journal_of(tmp_path, SHOWN), agent="banner").reward.tolist() == [0.0, 1.0]
    for file in tmp_path.iterdir():
        file.unlink()
    url = journal_of(tmp_path, [event._replace(reward=None if event.reward is None else 1.0) for event in SHOWN])
    assert read_log(url, agent="banner").reward.tolist() == [1.0, 1.0]


def test_a_journal_is_pinned_to_the_event_of_an_earlier_start(tmp_path):
    node = {"name": "journal", "url": journal_of(tmp_path, SHOWN), "agent": "banner", "unrewarded": None, "up_to": None}
    assert pin(node, None)["up_to"] == 7
    assert pin(node, {**node, "up_to": 3})["up_to"] == 3
    assert pin(node, {**node, "unrewarded": 0.0, "up_to": 3})["up_to"] == 7
    assert pin({**node, "up_to": 5}, {**node, "up_to": 3})["up_to"] == 5
    assert pin(["uniform", {"name": "of_log", "log": node}], None)[1]["log"]["up_to"] == 7


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ({"agent": "bannr"}, ("agent", "banner; got 'bannr'")),
        ({"agent": None}, ("agent",)),
        ({"up_to": 8}, ("up_to", "at most 7", "got 8")),
        ({"up_to": 0}, ("no choice", "event 0")),
        ({"up_to": 1}, ("no reward", "event 1")),
        ({"up_to": -1}, ("up_to",)),
        ({"unrewarded": "no"}, ("unrewarded",)),
        ({"columns": ["p"]}, ("columns", "got ['p']")),
    ],
)
def test_what_a_journal_cannot_give_is_refused(tmp_path, given, facts):
    refused(lambda: read_log(journal_of(tmp_path, SHOWN), **{"agent": "banner", **given}), "", *facts)


@pytest.mark.parametrize("names", [["2026.10", "b"], ["1e3", "true"], ["a=b, c"]])
def test_every_agent_is_read_by_its_name_as_a_text_and_as_a_command_line_makes_it(tmp_path, names):
    for name in names:
        url = journal_of(tmp_path, SHOWN, name)
    for name in names:
        for word in (name, read_yaml(name, "agent") if "," not in name else name):
            log = LOGS.of({"name": "journal", "url": url, "agent": word})
            assert LOGS.of(LOGS.text(log)) == log
            assert log.read().source.startswith(f"agent {name!r} up to")
            assert log.pinned().agent == name


def test_agents_that_are_the_same_number_are_read_by_their_texts_alone(tmp_path):
    for name in ("2026.1", "2026.10"):
        url = journal_of(tmp_path, SHOWN, name)
    for name in ("2026.1", "2026.10"):
        assert read_log(url, agent=name).source.startswith(f"agent {name!r}")
    number = LOGS.of({"name": "journal", "url": url, "agent": 2026.1})
    refused(number.read, "", "agent", "2026.1, 2026.10", "same number")
    refused(lambda: read_log(url, agent="2026.100"), "", "agent", "got '2026.100'")


def test_a_file_that_is_no_journal_is_refused_and_left_alone(tmp_path):
    missing, other, empty = (tmp_path / f"{name}.db" for name in ("no", "text", "empty"))
    other.write_text("this is no database, but a text that is long enough to be looked at\n" * 20)
    empty.touch()
    for path, fact in [(missing, "no file"), (other, "not a database"), (empty, "no journal")]:
        refused(lambda path=path: read_log(f"sqlite:///{path}", agent="banner"), "", fact)
    assert not missing.exists()
    assert not empty.read_bytes()


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://me:secret@host/shop",
        "postgresql://:secret@host/shop",
        "postgresql://me@host/shop?password=secret",
        "postgresql://me:sec/ret@host/shop",
    ],
)
def test_a_password_is_refused_and_never_shown(url):
    for call in (
        lambda: read_log(url, agent="banner"),
        lambda: read_log({"name": "journal", "url": url, "agent": "banner"}),
        lambda: evaluate(url, "uniform"),
        lambda: evaluate({"name": "journal", "url": url, "agent": "banner"}, "uniform"),
    ):
        with pytest.raises(ValueError, match=r"PGPASSWORD|agent") as refused:
            call()
        assert "ret" not in str(refused.value).replace("stored", "").replace("store", "")


def test_a_path_may_hold_a_colon(tmp_path):
    folder = tmp_path / "a:b@c"
    folder.mkdir()
    assert len(read_log(journal_of(folder, SHOWN), agent="banner")) == 2


def test_missing_packages_are_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlalchemy", None)
    refused(lambda: read_log("sqlite:///shop.db", agent="banner"), "", "'treebandit[live]'")


# ---------------------------------------------------------------- the guide's simulated shop

GUIDE = "guides/live_evaluate"


@pytest.mark.long
def test_the_journal_of_the_guides_shop_holds_the_truth(tmp_path, monkeypatch):
    pages.page(GUIDE).write_files(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("bandits.live.shared.time.time", lambda: 1.7e9)
    shop = importlib.import_module("shop")
    sys.modules.pop("shop")
    url = f"sqlite:///{tmp_path / 'shop.db'}"
    shop.main(url)
    log = read_log(url, agent="banner")
    rates = np.array([shop.RATES[name] for name in log.names])
    frame = evaluate(log, ["uniform"], learners=["ucb"]).to_frame().set_index("policy")
    horizon = int(frame.loc["ucb", "effective_rows"])
    played = simulate("ucb", Bernoulli(rates.tolist()), horizon=horizon, runs=2_000, seed=1)
    truth = {"uniform": rates.mean(), "ucb": played.pulls.mean(axis=0) @ rates / horizon}
    page = pages.page(GUIDE).text
    for policy, value in truth.items():
        row = frame.loc[policy]
        assert row["value_low"] < value < row["value_high"]
        estimate, low, high = (1_000.0 * row[name] for name in ("value", "value_low", "value_high"))
        assert f"| {policy} | {estimate:.1f} | {low:.1f} to {high:.1f} |" in page
        assert f"{1_000.0 * value:.1f} |\n" in page
    assert abs(frame.loc["uniform", "mean_weight"] - 1.0) < 0.02
