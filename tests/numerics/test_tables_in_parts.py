"""A Parquet table that is written in parts has the bytes of one that is written at once."""

from __future__ import annotations

import pandas as pd
import pyarrow.parquet as pq
import pytest

from numerics.output import tables


@pytest.mark.parametrize("cuts", [[], [7], [1, 5, 8, 9], [4], [4, 8]])
def test_the_bytes_do_not_depend_on_the_cut(tmp_path, monkeypatch, cuts):
    table = pd.DataFrame({"policy": ["ucb"] * 12, "run": range(12), "mean": [0.1 * n for n in range(12)]})
    monkeypatch.setattr(tables, "_ROW_GROUP", 4)
    with tables.written_in_parts(tmp_path / "parts.parquet") as add:
        for begin, end in zip([0, *cuts], [*cuts, 12], strict=True):
            add(table[begin:end])
    table.to_parquet(tmp_path / "whole.parquet", index=False, write_page_checksum=True, row_group_size=4)
    assert (tmp_path / "parts.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()
    assert pq.ParquetFile(tmp_path / "parts.parquet").num_row_groups == 3
    pd.testing.assert_frame_equal(tables.read(tmp_path / "parts.parquet"), table)


def test_a_table_of_one_row_group_is_that_of_write(tmp_path):
    table = pd.DataFrame({"policy": ["ucb"] * 12, "run": range(12)})
    with tables.written_in_parts(tmp_path / "parts.parquet") as add:
        add(table[:5])
        add(table[5:])
    tables.write(table, tmp_path / "whole.parquet")
    assert (tmp_path / "parts.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_a_failure_between_parts_leaves_nothing(tmp_path):
    def fail():
        with tables.written_in_parts(tmp_path / "parts.parquet") as add:
            add(pd.DataFrame({"run": [1]}))
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fail()
    assert list(tmp_path.iterdir()) == []


def test_many_tables_are_read_as_one_and_a_broken_one_is_named(tmp_path):
    parts = [
        pd.DataFrame({"winner": [name, "draw"], "seed": pd.Series([n, 2**63], dtype="uint64"), "seconds": 0.5})
        for n, name in enumerate(("uct", "NA", ""))
    ]
    paths = [tmp_path / f"{number}.parquet" for number in range(len(parts))]
    for part, path in zip(parts, paths, strict=True):
        tables.write(part, path)
    expected = pd.concat([tables.read(path) for path in paths], ignore_index=True)
    pd.testing.assert_frame_equal(tables.read_all(paths), expected)
    paths[1].write_bytes(paths[1].read_bytes()[:-5])
    with pytest.raises(ValueError, match=f"^{paths[1]}: not a readable table"):
        tables.read_all(paths)
