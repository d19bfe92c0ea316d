"""`experiment=live` and `experiment=evaluate log=journal`: reports of a running agent, which repeat up to an event."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from numerics.exits import say
from tests.internals import Event, Journal, Serial, described

pytestmark = [pytest.mark.jit]
BEGINNING = 1.7e9  # seconds since 1970
RATES = (0.05, 0.1, 0.3)
LOG = ("log.url=sqlite:///shop.db", "log.agent=banner")
LIVE = ("experiment=live", *LOG, "hydra.run.dir=run")
EVALUATE = ("experiment=evaluate", "log=journal", *LOG, "hydra.run.dir=run", "figures=false")


def events_of(choices, every=4, delay=30.0, rewarded=True):
    """Choices one a minute, every 4th without a reward, after which the reward of the choice before comes."""
    rng, due = np.random.default_rng(0), None
    for number in range(choices):
        chances = (0.2, 0.3, 0.5)
        arm = int(rng.choice(3, p=chances))
        time = BEGINNING + 60.0 * number
        yield Event("choice", time, number, arm, chances[arm])
        paid = float(rng.random() < RATES[arm])
        if due is not None and rewarded:
            yield due
        due = Event("reward", time + delay, number, arm, reward=paid) if number % every else None


def append(folder: Path, events, name="banner", **options):
    """Append events to the journal of an agent, which is made if it is not there; return how many it has now."""
    database = Journal(f"sqlite:///{folder / 'shop.db'}")
    if database.use(name) is None:
        options = {"policy": "thompson", "arms": ["red", "green", "blue"], "floor": 0.1, **options}
        database.create(name, described(**options).as_json())
    events, last = list(events), database.last()
    insert = database._tables.events.insert()
    rows = [{"agent": database._agent, "seq": last + at, **event._asdict()} for at, event in enumerate(events, 1)]
    with database._connected() as connection:
        connection.execute(insert, rows)
    database.close()
    return last + len(events)


def one_more(number):
    """A choice and its reward, days later."""
    return [Event("choice", BEGINNING + 1e6, number, 0, 0.2), Event("reward", BEGINNING + 1e6, number, 0, reward=1.0)]


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix == ".csv"}


@pytest.mark.figures
@pytest.mark.reported
def test_the_report_has_the_arms_four_figures_and_tables_of_the_journal(command, tmp_path):
    last = append(tmp_path, events_of(400))
    said = command(*LIVE)
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "<h1>Agent banner</h1>" in page
    assert re.findall(r"<figcaption>(\w+)", page) == ["means", "shares", "propensities", "pending"]
    arms = pd.read_csv(tmp_path / "run" / "arms.csv")
    assert arms["arm"].tolist() == ["red", "green", "blue"]
    assert (arms["pulls"].sum(), arms["pending"].sum()) == (299, 101)
    assert (arms["mean_low"] <= arms["mean"]).all()
    assert (arms["mean"] <= arms["mean_high"]).all()
    assert arms["best"].sum() == pytest.approx(1.0)
    assert f"log.up_to={last}" in said.out
    means, ages, chances, shares = (
        pd.read_csv(tmp_path / "run" / f"{name}.csv") for name in ("means", "ages", "propensities", "shares")
    )
    last = means.groupby("arm").tail(1).set_index("arm")
    arms = arms.set_index("arm")
    for name in ("mean", "mean_low", "mean_high"):
        assert last[name].to_dict() == pytest.approx(arms[name].to_dict())
    assert last["rewards"].to_dict() == arms["pulls"].to_dict()
    assert ages["rewards"].tolist() == [0, 0, 299, 0, 0, 0, 0, 0, 0]
    assert ages["pending"].sum() == 101
    assert chances["choices"].sum() == shares["rows"].sum() == 400
    assert chances[["least", "high"]].agg(["min", "max"]).loc[["min", "max"], ["least", "high"]].to_numpy().max() == 0.5
    assert chances["least"].min() == 0.2


def test_an_agent_without_a_reward_has_a_report(command, tmp_path):
    append(tmp_path, events_of(60, rewarded=False))
    command(*LIVE)
    assert pd.read_csv(tmp_path / "run" / "arms.csv")["pending"].sum() == 60
    assert pd.read_csv(tmp_path / "run" / "means.csv").empty


def test_left_out_choices_call_for_care_and_may_count(command, tmp_path):
    append(tmp_path, events_of(400))
    assert "101 choices" in " ".join(command(*EVALUATE).out.split())
    assert "400 rows" in command(*EVALUATE, "log.unrewarded=0", "hydra.run.dir=filled").out


def test_a_rule_of_ones_own_and_rewards_without_bounds_have_a_report(command, tmp_path):
    append(tmp_path, [event._replace(kept=None) for event in events_of(80)], policy="ucb", rewards=None, floor=0.0)
    database = Journal(f"sqlite:///{tmp_path / 'shop.db'}")
    described_now = database.use("banner")
    database.describe({**described_now, "policy": "my_shop.MyRule c=2"})
    database.close()
    said = command(*LIVE)
    assert "my_shop.MyRule c=2" in said.out
    assert pd.read_csv(tmp_path / "run" / "arms.csv")["mean_low"].isna().all()


@pytest.mark.parametrize("words", [LIVE, EVALUATE])
def test_a_run_is_repeated_up_to_the_same_event(command, tmp_path, words):
    last = append(tmp_path, events_of(300))
    command(*words, "figures=false")
    append(tmp_path, one_more(300))
    command(*words, "figures=false", f"log.up_to={last}", "hydra.run.dir=again")
    command(*words, "figures=false", "hydra.run.dir=now")
    first, again, now = (files_of(tmp_path / name) for name in ("run", "again", "now"))
    assert first == again
    assert first != now
    assert f"up_to: {last}" in (tmp_path / "run" / "config.yaml").read_text(encoding="utf-8")
    command(*words, "figures=false")  # finished: told again, though the journal has grown


@pytest.mark.parametrize(("words", "done"), [(LIVE, 2), ((*EVALUATE, "policies=[uniform,{name: arm, arm: red}]"), 1)])
def test_a_run_that_failed_goes_on_up_to_the_event_where_it_began(command, attempt, tmp_path, monkeypatch, words, done):
    words = (*words, "figures=false", *([] if words is LIVE else ["executor=serial"]))
    append(tmp_path, events_of(300))
    command(*words, "hydra.run.dir=whole")

    def dying(_, planned):
        for task in planned[:done]:
            yield task()
        raise OSError("the power went")

    with monkeypatch.context() as patch:
        patch.setattr(Serial, "run", dying)
        assert attempt(*words).status == 2
    append(tmp_path, one_more(300))
    said = command(*words)
    assert f"{done} of" in said.out
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ("log.agent=bannr", ["log.agent", "banner", "'bannr'"]),
        ("log.url=sqlite:///no.db", ["log.url", "'no.db'"]),
        ("log.url=sqlite:///text.db", ["log.url"]),
        ("log.url=postgresql://me:secret@host/shop", ["log.url", "password"]),
        ("log.up_to=9999", ["log.up_to", "8"]),
        ("log.unrewarded=0", ["log.unrewarded"]),
        ("log.wait=60", ["log.wait"]),
    ],
)
def test_mistakes_are_one_sentence(attempt, tmp_path, words, parts):
    append(tmp_path, events_of(5))
    (tmp_path / "text.db").write_text("no database\n" * 200, encoding="utf-8")
    said = attempt("experiment=live", *LOG, words, "hydra.run.dir=run")
    said.assert_refused(parts)
    assert "secret" not in said.err + said.out
    assert not (tmp_path / "run").exists()


def test_no_sentence_shows_a_password(capsys):
    say("cannot read 'log.url=postgresql://me:se{cret@host/shop'")
    assert capsys.readouterr().err == "cannot read 'log.url=postgresql://me:***@host/shop'\n"
