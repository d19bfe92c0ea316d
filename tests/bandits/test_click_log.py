"""Click logs: what is read, what is refused, and the real ones."""

from __future__ import annotations

import bz2
import csv
import gzip
import math
import re
from collections import Counter
from pathlib import Path
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import ndtr

from bandits import UCB, Bernoulli, ClickLog, simulate
from bandits.logs.size import impressions_of_each
from numerics.checks import escape_controls
from tests.internals import LoggedBernoulli
from tests.refusals import refused

pytestmark = pytest.mark.jit  # how kernels run decides nothing here

REAL = Path(__file__).resolve().parents[2] / "data" / "open_bandit"


@pytest.fixture
def log(tmp_path: Path):
    """Write a file and read it as a log."""

    def read(content: str | bytes, **columns: str) -> ClickLog:
        path = tmp_path / "log.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return ClickLog.read(path, **columns)

    return read


def _counts(log: ClickLog) -> list[tuple[str, int, int]]:
    table = log.estimates
    return list(zip(table["arm"], table["impressions"], table["successes"], strict=True))


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffitem,click\nred,1\nblue,0\nred,0\n",
        '\ufeff"item","click"\n"red",1\nblue,"0"\nred,0\n',
        "item,click\r\nred,1\r\nblue,0\r\nred,0",
        "click,item\n1, red \n0,blue\n 0,red\n",
        "when;item;price;click\n1;red;3,5;1,0\n2;blue;2,0;0,0\n3;red;1,5;0\n",
        "a,b;item;click\n1;red;1\n1;blue;0\n1;red;0\n",
        "item,click\nred,TRUE\nblue,false\nred, False \n",
        " item\tclick \nred\t1\nblue\t0\nred\t0\n",
        "\n \nitem,click\nred,1\nblue,0\nred,0\n\n\n",  # blank lines
    ],
)
def test_spellings_of_one_log_are_read_alike(log, content: str):
    read = log(content)
    assert _counts(read) == [("blue", 1, 0), ("red", 2, 1)]
    assert read.arms().fixed_means == (0.0, 0.5)
    assert read.arms().names == ("blue", "red")


names = st.text(st.characters(codec="utf-8", exclude_characters="\r\n\0"), min_size=1).filter(lambda s: s == s.strip())


@settings(max_examples=15, deadline=None, derandomize=True)
@given(
    st.lists(st.tuples(names, st.integers(0, 1)), min_size=2, max_size=40).filter(lambda r: len({a for a, _ in r}) > 1)
)
def test_any_log_that_a_csv_writer_wrote_is_counted_right(tmp_path_factory, rows: list[tuple[str, int]]):
    path = tmp_path_factory.mktemp("logs") / "log.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("arm", "paid"), *rows])
    shown, paid = Counter(arm for arm, _ in rows), Counter(arm for arm, click in rows if click)
    read = ClickLog.read(path, arm_column="arm", reward_column="paid")
    assert {arm: (shows, pays) for arm, shows, pays in _counts(read)} == {
        escape_controls(arm): (shown[arm], paid[arm]) for arm in shown
    }


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        ("item,click\n\n\n", ["path", "no rows"]),
        ("item|click\nx|1\ny|0\n", ["arm_column 'item'", "'item|click'"]),
        ("item,click,click\nx,1,1\ny,0,0\n", ["reward_column 'click'", "2 columns"]),
        ("item;click;x,item,click\nx;1;1,1,1\n", ["path", "commas and semicolons"]),
        ("item;click\nx;1,0\ny;0.0\n", ["path", "line 3", "got '0.0'"]),
        ('item,click\nx,"1,0"\ny,0\n', ["path", "line 2", "got '1,0'"]),
        ("item,click\nx,true\ny,no\n", ["path", "line 2", "got 'true'"]),
        ("item,click\nx,1\n,0\n", ["path", "line 3", "'item'", "got ''"]),
        ("item,click\nx,1\nx,0\n", ["path", "at least 2"]),
        ('item,click\n"x,1\ny,0\n', ["path", "CSV"]),
        ("item,more,click\nx,1,1\ny,1\n", ["path", "line 3", "2 of the 3"]),
        ('item,click\n"a\nb",1\ny,0,7\n', ["path", "line 4", "2 cells", "got 3"]),
        ('item,click\n"a\nb",1\n"c\nd",0\nz,2\n', ["path", "line 6", "got '2'"]),
        ("\n  \nitem,click\nx,1\nz,2\n", ["path", "line 5", "got '2'"]),
        (f"item,click\nx,1\n{'y' * 500_000},3{'0' * 900}\n", ["path", "line 3", "got '3000", "..."]),
        (b"item,click\n%b\xe9,1\n" % (b"x,1\n" * 20_000), ["path", "line 20002", "got '\\xe9'"]),
        (gzip.compress(b"item,click\nx,1\ny,0\n", mtime=0)[:-9], ["path", "CSV"]),
        (gzip.compress(b'item,click\n"a\nb",1\ny,7\n', mtime=0), ["path", "line 4", "got '7'"]),
        ("item,click\nx,1\ny,0\n".encode("utf-16"), ["path", "CSV"]),
    ],
)
def test_a_log_that_cannot_be_used_is_refused_with_the_place(log, content, parts: list[str]):
    assert len(refused(lambda: log(content), *parts, "log.csv")) < 500


def test_what_is_no_path_of_a_file_is_refused_as_it_was_given(log, tmp_path: Path):
    for path, fact in [
        (str(tmp_path / "nothing.csv"), "nothing.csv"),
        (str(tmp_path), "folder"),
        (None, "got None"),
        ("http://x/y.csv", "got 'http://x/y.csv'"),
    ]:
        refused(lambda path=path: ClickLog.read(path), "path", fact)
    refused(lambda: log("item,click\nx,1\ny,0\n", reward_column="item"), "arm_column and reward_column", "'item'")


def test_the_real_log_holds_46_clicks_in_10_000_and_its_intervals_are_clopper_pearsons():
    path, arms = REAL / "open_bandit_random_men.csv", 34
    read = ClickLog.read(path)
    table = read.estimates
    with path.open(encoding="utf-8", newline="") as file:
        rows = [(row["item"], int(row["click"])) for row in csv.DictReader(file)]
    shown, paid = Counter(arm for arm, _ in rows), Counter(arm for arm, click in rows if click)
    assert len(table) == len(shown) == arms
    assert table["arm"].tolist() == sorted(shown, key=int)
    assert table["impressions"].tolist() == [shown[arm] for arm in table["arm"]]
    assert table["successes"].tolist() == [paid[arm] for arm in table["arm"]]
    assert table["successes"].sum() == 46
    assert table["impressions"].sum() == 10_000
    k, n = table["successes"].to_numpy(), table["impressions"].to_numpy()
    low = np.where(k == 0, 0.0, stats.beta.ppf(0.025, np.maximum(k, 1), n - k + 1))
    high = stats.beta.ppf(0.975, k + 1, n - k)
    np.testing.assert_allclose(table["low"], low, atol=1e-10)
    np.testing.assert_allclose(table["high"], high, atol=1e-10)
    np.testing.assert_array_equal(table["mean"], k / n)


def test_intervals_of_an_arm_that_never_or_always_paid_end_at_0_and_1(log):
    table = log("item,click\n" + "x,1\n" * 5 + "y,0\n" * 8).estimates.set_index("arm")
    assert table.loc["x", "high"] == 1.0
    assert table.loc["x", "low"] == pytest.approx(0.025 ** (1 / 5))
    assert table.loc["y", "low"] == 0.0
    assert table.loc["y", "high"] == pytest.approx(1.0 - 0.025 ** (1 / 8))


def test_control_characters_of_names_reach_no_terminal(log):
    read = log('item,click\n\x1b[31mred,1\n"two\nlines",1\nto the left \u202e,1\ncafé au lait,0\n')
    shown = ["\\x1b[31mred", "café au lait", "to the left \\u202e", "two\\nlines"]
    assert list(read.arms().names) == list(read.table()["name"]) == shown
    assert read.summary().isprintable()
    assert Bernoulli([0.1, 0.2], labels=["\x1b[2J", "b"]).names == ("\\x1b[2J", "b")


def test_a_log_without_a_success_can_still_be_told_and_played(log):
    read = log("item,click\nx,0\ny,0\n")
    assert "0 successes" in read.summary()
    assert simulate(UCB(), read.arms(), 20, 2).pseudo_regret.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("rows", "parts"),
    [
        ("a,1\na,0\nb,0\nb,0\n", ["1 success (1 in 4)", "1 arm has", "interval 0.0063 to 0.9937", "from 1 in 2"]),
        ("a,1\nb,1\nc,1\nd,1\ne,1\n", ["every arm has", "a, b, c and 2 more tie, mean 1.0000"]),
    ],
)
def test_a_summary_counts_successes_ties_and_overlapping_intervals(log, rows: str, parts: list[str]):
    told = log(f"item,click\n{rows}").summary()
    assert all(part in told for part in parts), told


@pytest.mark.parametrize("ending", [".zip", ".bz2"])
def test_a_file_is_what_it_holds_and_not_what_its_name_says(tmp_path, ending):
    file = tmp_path / f"log.csv{ending}"
    file.write_text("item,click\na,1\nb,0\n")
    assert ClickLog.read(file).estimates["impressions"].sum() == 2
    file.write_bytes(gzip.compress(b"\n\nitem,click\nx,1\ny,0\ny,1\n", mtime=0))
    assert _counts(ClickLog.read(file)) == [("x", 1, 1), ("y", 2, 1)]
    file.write_bytes(bz2.compress(b"item,click\nx,1\ny,0\n"))
    refused(lambda: ClickLog.read(file), "path", ending)


def test_it_says_how_many_impressions_make_the_best_estimate_that_of_the_best_arm(log):
    lines = [f"{arm},{int(row < paid)}" for arm, paid in (("a", 20), ("b", 19), ("c", 10)) for row in range(200)]
    sentence = log("\n".join(["item,click", *lines])).needed()
    sure, nearly = (int(number.replace(",", "")) for number in re.findall(r"about ([\d,]+)", sentence))
    for said, within in ((sure, 0.0), (nearly, 0.1)):
        assert 1.0 <= said / (3 * impressions_of_each([0.1, 0.095, 0.05], within=within)) <= 1.1
        assert len(str(said).rstrip("0")) <= 2
    assert log("item,click\nx,1\ny,1\n").needed() == ""
    assert "within" not in log("item,click\nx,1\ny,0\n").needed()


COUNTS = "arm,shown,clicked\nblue,3,1\nred,4,0\nblue,1,1\n"
OF_COUNTS = {"arm_column": "arm", "reward_column": "clicked", "shown_column": "shown"}


def test_a_table_of_counts_gives_the_arms_of_the_log_that_it_counts(log):
    of_rows = log("item,click\nblue,1\nblue,0\nblue,0\nred,0\nred,0\nred,0\nred,0\nblue,1\n")
    of_counts = log(COUNTS, **OF_COUNTS)
    pd.testing.assert_frame_equal(of_counts.estimates, of_rows.estimates)
    assert of_counts.arms().fixed_means == of_rows.arms().fixed_means == (0.5, 0.0)
    again = LoggedBernoulli(of_counts.path, **OF_COUNTS)
    assert (again.means, again.names, again.shown_column) == ((0.5, 0.0), ("blue", "red"), "shown")


@pytest.mark.parametrize(
    ("row", "facts"),
    [
        ("red,4,5", ("line 5", "'clicked'", "'shown'", "got '5'")),
        ("red,4,0.5", ("line 5", "'clicked'", "got '0.5'")),
        ("green,0,0", ("arm green",)),
    ],
)
def test_counts_that_cannot_be_are_refused(log, row, facts):
    refused(lambda: log(f"{COUNTS}{row}\n", **OF_COUNTS), "path", *facts)


# ---------------------------------------------------------------- how often arms must be shown

REPLICATIONS = 40_000


def wrong_share(means, shown, within=0.0):
    """Return how often the arm of the best mean is no right choice; ties are broken at random."""
    chance = np.random.default_rng(5)
    successes = chance.binomial(shown, means, size=(REPLICATIONS, len(means)))
    chosen = (successes + chance.random(successes.shape)).argmax(axis=1)
    right = np.asarray(means) >= (1.0 - within) * max(means)
    return 1.0 - right[chosen].mean()


@pytest.mark.parametrize(
    ("means", "miss", "least"),
    [
        ((0.1, 0.2), 0.05, 0.9),
        ((0.004, 0.006), 0.05, 0.9),
        ((0.01, 0.01, 0.01, 0.02), 0.05, 0.6),
        ((*[0.01] * 30, 0.02), 0.05, 0.4),
    ],
)
def test_the_choice_is_wrong_at_most_as_often_and_not_much_more_rarely(means, miss, least):
    share = wrong_share(means, impressions_of_each(means, miss))
    assert least * miss <= share <= 1.08 * miss  # the normal approximation, and 40,000 replications


def test_of_two_arms_it_is_the_textbooks_number():
    p, q, z = 0.3, 0.25, NormalDist().inv_cdf(0.95)
    exact = z**2 * (p * (1 - p) + q * (1 - q)) / (p - q) ** 2
    assert impressions_of_each([p, q]) == math.ceil(exact)
    assert impressions_of_each([q, p], 0.01) == math.ceil(exact * (NormalDist().inv_cdf(0.99) / z) ** 2)


def test_an_arm_that_is_nearly_as_good_may_be_chosen():
    means = [0.1, 0.095, 0.05]
    nearly = impressions_of_each(means, within=0.1)
    assert nearly == impressions_of_each([0.1, 0.05])
    assert nearly < impressions_of_each(means)
    assert wrong_share(means, nearly, 0.1) <= 0.054
    assert impressions_of_each(means, within=0.6) is None


def test_the_ends():
    assert impressions_of_each([0.0, 1.0]) == 1
    assert impressions_of_each([0.0, 0.0]) is None
    assert impressions_of_each([0.5, 0.5 - 1e-9]) > 1e17
    signal = (0.5 - 0.4) / np.sqrt(0.5 * 0.5 + 0.4 * 0.6)
    for shown in (1, 4, 7):  # a number that just misses no more often than may be is enough
        assert impressions_of_each([0.5, 0.4], miss=float(ndtr(-signal * np.sqrt(shown)))) == shown
    assert impressions_of_each([0.5, np.nextafter(0.5, 0.0)]) > 1e29
