"""What is read as a log, and what is refused."""

from __future__ import annotations

import csv
import gzip
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from bandits import Log, read_log
from tests.bandits.logs import REAL, thompson, value_from
from tests.internals import LEAST_EFFECTIVE, TARGETS
from tests.refusals import refused

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
        "when,what,p,paid\n2019-11-24 00:00:00,10,0.5,1.5\n2019-11-24T00:00:01.5,9,1,-2\n"
        "2019-11-24 00:00:02,10,0.25,0\n"
    )
    columns = {"arm_column": "what", "reward_column": "paid", "propensity_column": "p", "time_column": "when"}
    log = read(content, **columns)
    assert log.names == ("9", "10")
    assert log.arm.tolist() == [1, 0, 1]
    assert log.reward.tolist() == [1.5, -2.0, 0.0]
    assert log.propensity.tolist() == [0.5, 1.0, 0.25]
    assert log.time.tolist() == [1574553600.0, 1574553601.5, 1574553602.0]
    assert "all estimators and intervals from blocks of time are possible" in log.answers()


@pytest.mark.parametrize(
    ("content", "facts"),
    [
        ("item,click,p,t\na,1,0.5,1\nb,0,1.5,2\n", ("line 3", "'p'", "got '1.5'")),
        ("item,click,p,t\na,1,0.5,1\nb,0,nan,2\n", ("line 3", "'p'", "got 'nan'")),
        ("item,click,p,t\na,1_000,0.5,1\nb,0,0.5,2\n", ("line 2", "'click'", "got '1_000'")),
        ("item,click,p,t\na,1,0.5,1\nb,0,0.5,soon\n", ("line 3", "'t'", "got 'soon'")),
        ("item,click,p,t\na,1,0.5,1\nb,0,0.5,2\na,0,0.5,1\n", ("line 4", "'t'", "got '1'")),
        ("item,click,p,t\na,1,0.5,1\na,0,0.5,2\n", ("'item'", "2 arms")),
    ],
)
def test_a_log_that_is_wrong_is_refused_with_the_row(read, content, facts):
    refused(lambda: read(content, propensity_column="p", time_column="t"), "", *facts)


def test_wrong_rows_are_left_out_on_request_and_listed(read):
    content = "item,click,p\na,1,0.5\nb,x,0.5\n,1,0.5\nb,0,0.5,9\nb,0,0.5\nb,0,7\n"
    log = read(content, propensity_column="p", leave_out=True)
    assert (log.reward.tolist(), log.bad) == ([1.0, 0.0], 4)
    reasons = [sentence.split(":")[0] for sentence in log.left_out]
    assert reasons == ["line 3", "line 4", "line 5", "line 7"]
    assert "got 4" in log.left_out[2]


def test_blank_lines_at_the_end_are_no_rows_and_a_row_with_other_cells_is_one(read):
    assert len(read("item,click,more\na,1,x\nb,0,y\n\n,,\n\n")) == 2
    refused(lambda: read("item,click,more\na,1,x\nb,0,y\n\n,,z\n\n"), "path", "line 4", "'click'", "got ''")


def test_a_wide_log_knows_every_reward(read):
    log = read("a,b,t\n1,0,1\n0,1,2\n1,0,3\n" * 1 + "1,1,4\n" * 40 + "0,1,5\n" * 57, "wide", reward_columns=["a", "b"])
    assert log.rewards.shape == (100, 2)
    value = value_from(log, "probabilities arms=[a,b] shares=[0.25,0.75]")
    assert value.estimator == "all rewards known"
    assert value.value == pytest.approx(0.25 * log.rewards[:, 0].mean() + 0.75 * log.rewards[:, 1].mean())
    assert value.low < value.value < value.high
    refused(lambda: read("a,b\n1,2\n", "wide", reward_columns="a"), "", "reward_columns", "got 'a'")


def test_many_blocks_are_read_as_one(tmp_path, monkeypatch):
    monkeypatch.setattr("bandits.logs.sources.BLOCK", 20_000)
    rng, rows = np.random.default_rng(0), 9_000
    arm, reward, p = rng.integers(9, size=rows), rng.random(rows).round(3), rng.random(rows).round(4) / 2 + 0.5
    text = "\n".join(f"arm {a},{r},{q:.4f}" for a, r, q in zip(arm.tolist(), reward.tolist(), p.tolist(), strict=True))
    (tmp_path / "log.csv").write_text(f"item,click,p\n{text}\n")  # 180 kB
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
    wrong = shown(rng, [0.6, 0.3, 0.1], [0.3333, 0.3333, 0.3333], 2_000)
    refused(lambda: read(wrong, propensity_column="p"), "path", "'p'", "arm a has 1,")
    refused(lambda: read(wrong, uniform=True), "uniform", "arm a has 1,")
    for rows in (12, 40, 400):
        for shares in ([0.6, 0.3, 0.1], [0.97, 0.02, 0.01]):
            for _ in range(8):
                content = shown(rng, shares, shares, rows)
                if len({line[0] for line in content.splitlines()[1:]}) > 1:
                    assert len(read(content, propensity_column="p")) == rows
    rare = shown(rng, [0.6, 0.3, 0.1], [0.6, 0.3, 1.0], 2_000)  # an arm may be impossible in some rows: 1 / p is small
    assert len(read(rare, propensity_column="p")) == 2_000


@pytest.mark.parametrize(
    ("name", "content", "fact"),
    [
        ("log.xlsx", b"PK\xff\xfe", "(.xlsx)"),
        ("log.csv", b"item,click\xff\na,1\n", "UTF-8"),
        ("log.parquet", b"PAR1 and no more", "Parquet"),
        ("log.jsonl", b'{"item": 1,\n', "line 1"),
    ],
)
def test_a_file_of_another_form_or_a_broken_one_is_refused(tmp_path, name, content, fact):
    (tmp_path / name).write_bytes(content)
    refused(lambda: read_log(f"rows path={tmp_path / name}"), "path", fact)


def test_words_among_features_are_refused(read):
    content = "item,click,city\na,1,Rome\nb,0,Oslo\n"
    refused(lambda: read(content, feature_columns=["city"]), "path", "'city'", "got 'Rome'", "one-hot")


def test_an_arm_of_no_row_but_those_left_out_is_none(read):
    log = read("item,click\nc,x\nb,1\na,0\n", uniform=True, leave_out=True)
    assert (log.names, log.arm.tolist(), log.propensity.tolist()) == (("a", "b"), [1, 0], [0.5, 0.5])


def test_a_file_that_was_written_again_is_read_again_however_soon_and_alike_it_is(tmp_path):
    path = tmp_path / "log.csv"
    for clicks, value in (("10", 0.5), ("00", 0.0), ("11", 1.0)):
        path.write_text(f"item,click\na,{clicks[0]}\nb,{clicks[1]}\n")
        os.utime(path, ns=(10**18, 10**18))  # as if no clock had gone on
        assert read_log(f"rows path={path}").value == value
        assert read_log(f"rows path={path}") is read_log(f"rows path={path}")


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        # commas of thousands, as another column has decimal points; points of thousands; either; both in one column
        ("item\tamount\tp\na\t0\t0.5\nb\t1,459\t0.5\nb\t870\t0.5\n", "got '1,459'; write 1459"),
        ("item;amount;p\na;12;0,5\nb;1.459;0,5\n", "got '1.459'"),
        ("item;amount;p\na;12;1\nb;-1,459;1\n", "got '-1,459'"),
        ("item\tamount\tp\na\t0.25\t1\nb\t1,459\t1\n", "got '1,459'"),
    ],
)
def test_numbers_that_may_have_thousands_are_refused(read, content, fact):
    for leave_out in (False, True):
        given = {"reward_column": "amount", "propensity_column": "p", "leave_out": leave_out}
        refused(lambda given=given: read(content, **given), "path", "line 3", "'amount'", fact)


@pytest.mark.parametrize(
    ("amounts", "p", "expected"),
    [
        (["1,459", "0,5"], "1", [1.459, 0.5]),  # the column itself shows decimal commas
        (["1,459", "2,125"], "0,5", [1.459, 2.125]),  # another column does
        (["1.459", "1234.567"], "1", [1.459, 1234.567]),  # thousands have a sign every three digits
        (["1,459", "0,125"], "1", [1.459, 0.125]),  # and do not begin with 0
        (["1,459", "12"], "1,000", [1.459, 12.0]),  # no probability is above 1
    ],
)
def test_numbers_of_three_decimals_are_read_where_the_file_shows_what_they_are(read, amounts, p, expected):
    rows = "".join(f"{item};{amount};{p}\n" for item, amount in zip("ab", amounts, strict=True))
    log = read(f"item;amount;p\n{rows}", reward_column="amount", propensity_column="p")
    assert log.reward.tolist() == expected


FORMS = {"number": "1574553602", "no offset": "2019-11-24 00:00:02", "offset": "2019-11-24T01:00:02+01:00"}


@pytest.mark.parametrize("first", FORMS)
@pytest.mark.parametrize("second", FORMS)
def test_times_of_a_column_have_one_form(read, first, second):
    content = f"item,click,t\na,1,{FORMS[first]}\nb,0,{FORMS[second]}\n"
    if first == second:
        assert read(content, time_column="t").time.tolist() == [1574553602.0] * 2
        return
    for leave_out in (False, True):
        given = {"time_column": "t", "leave_out": leave_out}
        refused(lambda given=given: read(content, **given), "path", "line 3", "'t'", FORMS[second])


def test_offsets_from_utc_may_differ(read):
    content = "item,click,t\na,1,2026-03-29T01:59:00+01:00\nb,0,2026-03-29T03:01:00+02:00\n"
    assert np.diff(read(content, time_column="t").time).tolist() == [120.0]


def test_a_row_that_is_not_utf_8_is_named_or_left_out_wherever_it_stands(tmp_path, capfd):
    path = tmp_path / "log.csv"
    for rows in (2, 4_000):  # within what is read at once, and beyond
        for bad in (b"caf\xe9,1,0.5", b"a,1,0.5,caf\xe9"):
            path.write_bytes(b"item,click,p\n" + b"a,1,0.5\nb,0,0.5\n" * (rows // 2) + bad + b"\na,0,0.5\n")
            form = f"rows path={path} propensity_column=p"
            refused(lambda form=form: read_log(form), "path", f"line {rows + 2}", "got 'caf\\xe9'")
            log = read_log(f"{form} leave_out=true")
            assert (len(log), log.bad, log.names) == (rows + 1, 1, ("a", "b"))
            assert log.left_out[0].startswith(f"line {rows + 2}: ")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_do_on_any_system(tmp_path, ending):
    path = tmp_path / "log.csv"
    path.write_bytes(ending.join(["", "item,click", "a,1", "b,0", ""]).encode())
    log = read_log(f"rows path={path}")
    assert (len(log), log.value) == (2, 0.5)
    path.write_bytes(ending.join(["item,click", "a,1", "b,x", ""]).encode())
    refused(lambda: read_log(f"rows path={path}"), "path", "line 3", "'click'")


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (["10.0", "9.0", "2.0"], ["2.0", "9.0", "10.0"]),
        (["1", "-2", "-10"], ["-10", "-2", "1"]),
        (["12345678901234567891", "12345678901234567890", "9"], ["9", "12345678901234567890", "12345678901234567891"]),
    ],
)
def test_arms_that_are_numbers_are_ordered_as_numbers(read, names, ordered):
    log = read("item,click\n" + "".join(f"{name},1\n" for name in names))
    assert list(log.names) == ordered
    assert [log.names[arm] for arm in log.arm] == names


ROWS = {
    "item": ["1.50", "1.75", "2024-01-01", "caf\u00e9", "1.50"],
    "click": [1, 0, 1, 0, 0],
    "p": [0.5, 0.25, 0.125, 0.25, 0.5],
    "t": pd.date_range("2019-11-24 00:01:13.5", periods=5, freq="min", tz="Europe/Berlin"),
    "seen": [True, False, True, True, False],
}
COLUMNS = {"propensity_column": "p", "time_column": "t", "feature_columns": ["seen"]}


def written(path: Path, frame: pd.DataFrame) -> dict[str, object]:
    """Write a log in the form of a file's name; return what reads it."""
    if path.suffix == ".parquet":
        frame.astype({"item": "category"}).to_parquet(path)
    elif "json" in path.name:
        rows = [json.dumps({**row, "t": str(row["t"]), "more": [1]}) for row in frame.to_dict("records")]
        path.write_text("\n".join(rows) + "\n\n", encoding="utf-8")
        if path.suffix == ".gz":
            path.write_bytes(gzip.compress(path.read_bytes()))
    elif path.name == "bare.csv":
        frame.to_csv(path, header=False, index=False)
        return {"header": False, "columns": list(frame)}
    else:
        frame.to_csv(path, index=False, sep=";")
    return {}


@pytest.mark.parametrize("name", ["bare.csv", "semicolons.csv", "log.ndjson.gz", "log.parquet"])
def test_a_log_is_the_same_in_every_form_of_a_file(tmp_path, name):
    frame = pd.DataFrame(ROWS)
    frame.to_csv(tmp_path / "log.csv", index=False)
    expected = read_log({"name": "rows", "path": str(tmp_path / "log.csv"), **COLUMNS})
    given = written(tmp_path / name, frame)
    log = read_log({"name": "rows", "path": str(tmp_path / name), **COLUMNS, **given})
    assert log.names == expected.names == ("1.50", "1.75", "2024-01-01", "caf\u00e9")
    for column in ("arm", "reward", "propensity", "time", "features"):
        np.testing.assert_array_equal(getattr(log, column), getattr(expected, column))


@pytest.mark.parametrize("name", ["bare.csv", "log.jsonl", "log.parquet"])
def test_a_wrong_row_is_named_in_every_form_of_a_file(tmp_path, name):
    frame = pd.DataFrame({**ROWS, "p": [0.5, 0.25, 7.0, 0.25, 0.5]})
    given = {"name": "rows", "path": str(tmp_path / name), **COLUMNS, **written(tmp_path / name, frame)}
    where = "row" if name == "log.parquet" else "line"
    refused(lambda: read_log(given), "path", f"{where} 3", "'p'", "got '7")
    log = read_log({**given, "leave_out": True})
    assert (len(log), log.bad) == (4, 1)
    refused(lambda: read_log({**given, "reward_column": "paid"}), "reward_column 'paid'", "'item', 'click'")


def test_ids_of_many_digits_and_missing_cells_of_json_lines_are_kept_apart(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"item": 12345678901234567891, "click": 1}\n{"item": 12345678901234567890, "click": 0}\n'
        '{"item": 7}\nno object\n{"item": null, "click": 1}\n'
    )
    log = read_log(f"rows path={path} leave_out=true")
    assert log.names == ("12345678901234567890", "12345678901234567891")
    assert log.reward.tolist() == [1.0, 0.0]
    for said, facts in zip(log.left_out, ("3 'click' ''", "4 'no object'", "5 'item' ''"), strict=True):
        line, *quoted = facts.split(" ", 2)
        assert said.startswith(f"line {line}: ")
        assert all(each in said for each in quoted)


def test_one_number_of_json_lines_is_one_arm_however_it_is_written(tmp_path):
    path = tmp_path / "log.jsonl"
    rows = ["1", "1.0", "1.00", "1.50", '"1.0"', "1.0e1"]
    path.write_text("".join(f'{{"item": {item}, "click": 1.0}}\n' for item in rows))
    log = read_log(f"rows path={path}")
    assert {name: int(count) for name, count in zip(log.names, np.bincount(log.arm), strict=True)} == {
        "1": 3,
        "1.0": 1,
        "1.0e1": 1,
        "1.50": 1,
    }


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ({"header": False}, ("log.columns", "got []")),
        ({"columns": ["a"]}, ("log.columns", "got ['a']")),
        ({"header": False, "columns": ["item", "x"]}, ("reward_column 'click'",)),
        ({"header": False, "columns": ["item", "click", "p"]}, ("path", "line 1", "3 cells")),
    ],
)
def test_columns_stand_for_a_header_that_is_not_there(read, given, facts):
    refused(lambda: read("a,1,2,3\nb,0,2,3\n", **given), *facts)


def test_a_file_with_names_of_its_own_takes_no_others(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"item": "a", "click": 1}\n')
    given = {"name": "rows", "path": str(path), "header": False, "columns": ["item", "click"]}
    refused(lambda: read_log(given), "header", "JSON lines", "got false")


def test_a_column_of_lists_is_refused_by_its_name(tmp_path):
    pd.DataFrame({"item": ["a", "b"], "click": [[1], [0]]}).to_parquet(tmp_path / "log.parquet")
    refused(lambda: read_log(f"rows path={tmp_path / 'log.parquet'}"), "path", "'click'", "list")


@pytest.mark.parametrize(
    ("column", "value"), [("item", {"id": "a"}), ("click", ["a", "b"]), ("item", []), ("click", {})]
)
def test_lists_and_objects_in_json_lines_are_refused_where_they_are_read(tmp_path, column, value):
    rows = [{"item": "a", "click": 1, "seen": [1]}, {"item": "b", "click": 0, "seen": {}}]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert read_log(f"rows path={path}").names == ("a", "b"), "the third column is not read"
    path.write_text("\n".join(map(json.dumps, [rows[0], rows[1] | {column: value}])))
    for leave_out in ("true", "false"):
        message = f"path {str(path)!r}, line 2: column {column!r} "
        refused(lambda leave_out=leave_out: read_log(f"rows path={path} leave_out={leave_out}"), message)
    path.write_text(json.dumps(rows))
    refused(lambda: read_log(f"rows path={path}"), f"path {str(path)!r} ")


@pytest.mark.parametrize(
    ("kind", "per"), [(pa.duration("s"), 1), (pa.timestamp("ms"), 10**3), (pa.duration("ns"), 10**9)], ids=str
)
def test_times_in_parquet_are_seconds_in_every_unit(tmp_path, kind, per):
    times = pa.array([0, per, 90 * per, 86_400 * per, None], pa.int64()).cast(kind)
    parquet.write_table(
        pa.table({"item": [*"abab", "a"], "click": [1, 0, 1, 0, 1], "t": times}), tmp_path / "log.parquet"
    )
    log = read_log(f"rows path={tmp_path / 'log.parquet'} time_column=t leave_out=true")
    assert (log.time.tolist(), log.bad) == ([0.0, 1.0, 90.0, 86_400.0], 1)


@pytest.mark.parametrize(
    ("yes", "no", "bad"), [("1", "0", ""), ("True", "False", "?"), ("yes", "no", "NULL"), ("0.5", "0.25", "?")]
)
def test_a_cell_that_is_wrong_in_every_form_decides_no_form(read, yes, no, bad):
    rows = [f"a,{yes}", f"b,{no}"] * 20
    for at in (0, 7, 40):
        content = "\n".join(["item,click", *rows[:at], f"a,{bad}", *rows[at:]])
        log = read(content, leave_out=True)
        assert (len(log), log.bad, log.names) == (40, 1, ("a", "b"))
        refused(lambda content=content: read(content), "", f"line {at + 2}", "'click'", f"got {bad!r}")


def test_an_arm_that_is_a_number_is_asked_for_as_the_file_has_it(read):
    log = read("item,click\n1.50,1\n1.75,0\n2.00,0\n-3,0\n1e5,1\n", uniform=True)
    for arm, place in (("1.50", 1), ("2.00", 3), ("1.75", 2), ("-3", 0), ("1e5", 4)):
        for text in (f"arm arm={arm}", f'arm arm="{arm}"', f"probabilities arms=[{arm}] shares=[1]"):
            assert TARGETS.of(text).probabilities(log)[0].argmax() == place
    refused(lambda: TARGETS.of("arm arm=1.51").probabilities(log), "", "got '1.51'", '"1.50"')
    refused(lambda: TARGETS.of("arm arm=true"), "", "arm ", "got True")
    twice = read("item,click\n1.5,1\n1.50,0\n")
    refused(lambda: TARGETS.of("arm arm=1.50").probabilities(twice), "", "got '1.5'", "1.5 and 1.50")


# ---------------------------------------------------------------- logs that a user makes in Python

GIVEN = {"names": ["a", "b"], "arm": [0, 1, 1], "reward": [0, 1, 0]}


def test_lists_are_as_good_as_arrays():
    log = Log(**GIVEN, propensity=[0.4, 0.6, 0.6], features=[[1], [2], [3]])
    assert log.names == ("a", "b")
    assert [log.arm.dtype, log.reward.dtype, log.propensity.dtype] == [np.int32, np.float64, np.float64]
    assert log.features.shape == (3, 1)


def test_names_act_on_no_terminal():
    log = Log(["\x1b[31mred", "to the \u202eleft"], arm=[0, 1], reward=[0, 1])
    assert log.names == ("\\x1b[31mred", "to the \\u202eleft")
