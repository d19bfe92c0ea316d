"""Tables on disk, written atomically, with the types of their columns: Parquet stores them, CSV quotes text only."""

from __future__ import annotations

import contextlib
import csv
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numerics.output.files import atomic_write

if TYPE_CHECKING:
    import pandas as pd

_ROW_GROUP = 2**20  # rows of a Parquet table that are compressed together, pyarrow's default


def table_of(rows: Any, columns: list[str] | None = None) -> pd.DataFrame:
    """Return a table of rows, or of columns by their names; pandas, slow to import, is loaded when it is needed."""
    import pandas as pd

    return pd.DataFrame(rows, columns=columns)


def join_tables(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of several tables, one table after another, numbered anew."""
    import pandas as pd

    return pd.concat(list(parts), ignore_index=True)


def write(table: pd.DataFrame, path: Path) -> None:
    """Write a table as Parquet or CSV, by its file's ending; readers never see half a table.

    A CSV file quotes all text and no numbers, not even NaN, so that `read` can distinguish them.

    Files are opened here and not by Arrow, which takes every path for UTF-8: there are locales where it is not.
    """
    with atomic_write(path) as beside:
        if path.suffix == ".parquet":
            with beside.open("wb") as packed:
                table.to_parquet(packed, index=False, engine="pyarrow", write_page_checksum=True)
        else:
            with beside.open("w", encoding="utf-8", newline="") as file:
                rows = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
                rows.writerow(table.columns)
                rows.writerows(table.apply(_cells).itertuples(index=False))


@contextlib.contextmanager
def written_in_parts(path: Path) -> Iterator[Callable[[pd.DataFrame], None]]:
    """Yield a function that adds rows to a Parquet table, which is never in memory as a whole.

    The file has the same bytes as that of `write`, however the rows are divided.
    """
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer: Any = None
    waiting: list[pd.DataFrame] = []

    def flush(least: int) -> None:
        nonlocal writer, waiting
        rows = pd.concat(waiting, ignore_index=True)
        while len(rows) >= least and (len(rows) or writer is None):
            table = pa.Table.from_pandas(rows[:_ROW_GROUP], preserve_index=False)
            if writer is None:
                writer = pq.ParquetWriter(packed, table.schema, compression="snappy", write_page_checksum=True)
            writer.write_table(table, row_group_size=_ROW_GROUP)
            rows = rows[_ROW_GROUP:]
        waiting = [rows.copy()]

    def add(rows: pd.DataFrame) -> None:
        waiting.append(rows)
        if sum(map(len, waiting)) >= _ROW_GROUP:
            flush(_ROW_GROUP)

    with atomic_write(path) as beside, beside.open("wb") as packed:
        try:
            yield add
            flush(0)
        finally:
            if writer is not None:
                writer.close()


def _cells(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return a column as texts, or as numbers with NaN, which is not quoted, for missing ones."""
    if column.dtype.kind not in "iuf":
        return column.fillna("").astype("str")
    return column.astype("object").where(column.notna(), float("nan"))


def read(path: Path) -> pd.DataFrame:
    """Read a table that `write` wrote; a label such as NA or 007 stays text.

    Raises
    ------
    ValueError
        The file is missing or damaged; the sentence names it and says what to do.
    """
    import pandas as pd

    with explain_unreadable(path, "run the experiment again in a new folder"):
        if path.suffix == ".parquet":
            with path.open("rb") as packed:
                return pd.read_parquet(packed, engine="pyarrow", page_checksum_verification=True)
        table = pd.read_csv(path, encoding="utf-8", dtype=str, keep_default_na=False)
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file, quoting=csv.QUOTE_NONNUMERIC)  # of which a cell without quotes is a number
            next(rows, None)
            texts = [isinstance(cell, str) for cell in next(rows, ())]
    for name, quoted in zip(table.columns, texts, strict=False):
        if not quoted:
            table[name] = pd.to_numeric(table[name].where(table[name] != "nan"))
    return table


def read_all(paths: Sequence[Path]) -> pd.DataFrame:
    """Read Parquet tables of the same columns into one table, faster than one by one.

    Raises
    ------
    ValueError
        A file is missing or damaged; the sentence names it and says what to do.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts = []
    for path in paths:
        with explain_unreadable(path, "run the experiment again in a new folder"), path.open("rb") as packed:
            parts.append(pq.read_table(packed, page_checksum_verification=True, use_threads=False))
    # Combine the chunks: pandas picks rows slowly from a column in ten thousand chunks.
    frame: pd.DataFrame = pa.concat_tables(parts).combine_chunks().to_pandas()
    return frame


@contextlib.contextmanager
def explain_unreadable(path: Path, cure: str) -> Iterator[None]:
    """Turn errors of reading a missing or damaged table into a sentence that ends with the cure."""
    import pyarrow

    try:
        yield
    except MemoryError:  # pyarrow's derives from it
        raise
    except FileNotFoundError as error:
        raise ValueError(f"{path}: no such table; {cure}") from error
    except (ValueError, OSError, csv.Error, pyarrow.ArrowException) as error:
        if "Resource temporarily unavailable" in str(error) or "Cannot allocate memory" in str(error):
            raise MemoryError from error  # a temporary shortage, not a fault of the file
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"{path}: not a readable table ({reason}); {cure}") from error
