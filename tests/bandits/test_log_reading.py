"""What is read as a log, and what is refused."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from bandits import read_log
from bandits.logs.limits import LEAST_EFFECTIVE
from bandits.logs.log import Log
from tests.bandits.logs import REAL, thompson, value_from

pytestmark = pytest.mark.jit  # how kernels run decides nothing here


@pytest.fixture
def read(tmp_path: Path):
    """Write a file and read it in some form."""

    def reading(content: str, form: str = "rows", **columns: object) -> Log:
        path = tmp_path / "log.csv"
        path.write_text(content)
        return read_log({"name": form, "path": str(path), **columns})

    return reading


def test_rows_of_any_columns_are_read_with_propensities_and_times(read):
    content = (
        "when,what,p,paid\n2019-11-24 00:00:00,10,0.5,1.5\n2019-11-24 00:00:01.5+00:00,9,1,-2\n1574553602,10,0.25,0\n"
    )
    columns = {"arm_column": "what", "reward_column": "paid", "propensity_column": "p", "time_column": "when"}
    log = read(content, **columns)
    assert log.names == ("9", "10")
    assert log.arm.tolist() == [1, 0, 1]
    assert log.reward.tolist() == [1.5, -2.0, 0.0]
    assert log.propensity.tolist() == [0.5, 1.0, 0.25]
    assert log.time.tolist() == [1574553600.0, 1574553601.5, 1574553602.0]
    assert "all estimators can answer, and intervals from blocks of time" in log.answers()


def test_a_log_that_was_shown_uniformly_can_say_so(read):
    log = read("item,click\na,1\nb,0\nb,1\n", uniform=True)
    assert log.is_uniform
    assert log.propensity.tolist() == [0.5] * 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "item,click,p,t\na,1,0,1\nb,0,0.5,2\n",
            "line 2: column 'p' must hold a probability above 0",
        ),
        ("item,click,p,t\na,1,0.5,1\nb,0,1.5,2\n", "line 3: column 'p' must hold a probability above 0 and at most 1"),
        ("item,click,p,t\na,1,0.5,1\nb,0,nan,2\n", "line 3: column 'p' must hold a probability above 0 and at most 1"),
        ("item,click,p,t\na,1,0.5,1\nb,inf,0.5,2\n", "line 3: column 'click' must hold a finite number"),
        ("item,click,p,t\na,1,0.5,1\nb,0,0.5,soon\n", "line 3: column 't' must hold a time, such as"),
        (
            "item,click,p,t\na,1,0.5,1\nb,0,0.5,2\na,0,0.5,1\n",
            "line 4: column 't' must hold a time no earlier than the row before has (sort the file by it); got '1'",
        ),
        ("item,click,p,t\na,1,0.5,1\na,0,0.5,2\n", "column 'item' must name at least 2 arms; it names 1"),
        ("item,click,t\na,1,1\nb,0,2\n", "propensity_column 'p' is no column of"),
    ],
)
def test_a_log_that_is_wrong_is_refused_with_the_row(read, content, words):
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        read(content, propensity_column="p", time_column="t")
    assert words in str(caught.value)


def test_wrong_rows_are_left_out_on_request_and_listed(read):
    content = "item,click,p\na,1,0.5\nb,x,0.5\n,1,0.5\nb,0,0.5,9\nb,0,0.5\nb,0,7\n"
    log = read(content, propensity_column="p", leave_out=True)
    assert (log.reward.tolist(), log.bad) == ([1.0, 0.0], 4)
    reasons = [sentence.split(":")[0] for sentence in log.left_out]
    assert reasons == ["line 3", "line 4", "line 5", "line 7"]
    assert "got 4" in log.left_out[2]


def test_blank_lines_at_the_end_are_no_rows_and_a_row_with_other_cells_is_one(read):
    assert len(read("item,click,more\na,1,x\nb,0,y\n\n,,\n\n")) == 2
    with pytest.raises(ValueError, match=r"line 4: column 'click' must hold a finite number.*got ''"):
        read("item,click,more\na,1,x\nb,0,y\n\n,,z\n\n")


def test_a_wide_log_knows_every_reward(read):
    log = read("a,b,t\n1,0,1\n0,1,2\n1,0,3\n" * 1 + "1,1,4\n" * 40 + "0,1,5\n" * 57, "wide", reward_columns=["a", "b"])
    assert log.rewards.shape == (100, 2)
    value = value_from(log, "probabilities arms=[a,b] shares=[0.25,0.75]")
    assert value.estimator == "all rewards known"
    assert value.value == pytest.approx(0.25 * log.rewards[:, 0].mean() + 0.75 * log.rewards[:, 1].mean())
    assert value.low < value.value < value.high
    with pytest.raises(ValueError, match="reward_columns must be a list of at least 2 columns; got 'a'"):
        read("a,b\n1,2\n", "wide", reward_columns="a")


@pytest.mark.long
def test_many_blocks_are_read_as_one(tmp_path):
    rng = np.random.default_rng(0)
    arm, reward, p = rng.integers(9, size=900_000), rng.random(900_000).round(3), rng.random(900_000).round(4) / 2 + 0.5
    rows = "\n".join(f"arm {a},{r},{q:.4f}" for a, r, q in zip(arm.tolist(), reward.tolist(), p.tolist(), strict=True))
    (tmp_path / "log.csv").write_text(f"item,click,p\n{rows}\n")  # 18 MB: more than a block
    log = read_log(f"rows path={tmp_path / 'log.csv'} propensity_column=p")
    assert log.names == tuple(f"arm {a}" for a in range(9))
    np.testing.assert_array_equal(log.arm, arm)
    np.testing.assert_array_equal(log.reward, reward)
    np.testing.assert_allclose(log.propensity, p, atol=5.1e-5)


def test_the_open_bandit_sample_is_read_whole():
    path = REAL / "open_bandit_thompson_men.csv.gz"
    log = thompson("men")
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [log.names[arm] for arm in log.arm] == [row["item_id"] for row in rows]
    assert log.reward.sum() == 69
    assert log.propensity.tolist() == [float(row["propensity_score"]) for row in rows]
    assert log.time[-1] - log.time[0] == pytest.approx(7 * 86_400, rel=1e-3)
    assert value_from(log).rest.effective >= LEAST_EFFECTIVE


def shown(rng: np.random.Generator, shares: list[float], said: list[float], rows: int) -> str:
    arms = rng.choice(len(shares), size=rows, p=shares)
    return "item,click,p\n" + "".join(f"{'abc'[arm]},{row % 2},{said[arm]}\n" for row, arm in enumerate(arms))


def test_propensities_that_the_rows_refute_are_refused_and_right_ones_are_not(read):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        read(shown(rng, [0.6, 0.3, 0.1], [0.3333, 0.3333, 0.3333], 2_000), propensity_column="p")
    assert "column 'p' must hold the probability with which the row's arm was shown; arm a has 1," in str(caught.value)
    assert "times as many as they say" in str(caught.value)
    with pytest.raises(ValueError, match=r"uniform must be false for .*: arm a has .* times as many as 1 / K says"):
        read(shown(rng, [0.6, 0.3, 0.1], [1.0, 1.0, 1.0], 2_000), uniform=True)
    for rows in (12, 40, 400):
        for shares in ([0.6, 0.3, 0.1], [0.97, 0.02, 0.01]):
            for _ in range(20):
                content = shown(rng, shares, shares, rows)
                if len({line[0] for line in content.splitlines()[1:]}) > 1:
                    assert len(read(content, propensity_column="p")) == rows
    rare = shown(rng, [0.6, 0.3, 0.1], [0.6, 0.3, 1.0], 2_000)  # an arm may be impossible in some rows: 1 / p is small
    assert len(read(rare, propensity_column="p")) == 2_000


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("log.parquet", b"PAR1\xff\xfe", "not a readable CSV file but .parquet; save it as CSV"),
        ("log.csv.zip", b"PK\x03\x04\xff\xfe", "not a readable CSV file but .zip; unpack it first"),
        ("log.csv", b"item,click\na,\xff\n", "not a readable CSV file in UTF-8; save it in that"),
    ],
)
def test_a_file_of_another_form_is_refused_with_what_to_do(tmp_path, name, content, sentence):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=r"^[^\n]*$") as caught:
        read_log(f"rows path={tmp_path / name}")
    assert str(caught.value).endswith(sentence)


def test_words_among_features_are_refused_with_what_to_do(read):
    with pytest.raises(ValueError, match=r"column 'city' .*; got 'Rome'; for words make a column of 0 and 1 of each$"):
        read("item,click,city\na,1,Rome\nb,0,Oslo\n", feature_columns=["city"])
    with pytest.raises(ValueError, match=r"column 'click' .*; got 'x'$"):
        read("item,click\na,x\nb,0\n")


def test_a_row_that_was_left_out_is_not_told_to_be_left_out(read):
    (sentence,) = read("item,click,p\na,1,0.5\nb,0,\nb,0,0.5\n", propensity_column="p", leave_out=True).left_out
    assert sentence.endswith("; got ''")
