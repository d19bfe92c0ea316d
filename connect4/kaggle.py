"""`python -m connect4.kaggle -o submission.py`: write an agent for Kaggle's ConnectX, one file of plain Python.

The file is a copy of `connect4/submission.py`: it imports the standard library only and plays boards of any size.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from connect4 import submission
from numerics.commands import Command, dashed_option
from numerics.exits import leave, run_guarded
from numerics.output.files import atomic_write


class Kaggle(Command, module="connect4.kaggle"):
    """Where the agent is written."""

    output: str = dashed_option("submission.py", "-o", "--output", help="output file; default submission.py")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line and write the file."""
    path = Path(Kaggle.read(words).output)
    if path.suffix != ".py":
        raise ValueError(f"--output must be a Python file, such as submission.py; got {str(path)!r}")
    text = Path(submission.__file__).read_text(encoding="utf-8")
    try:
        with atomic_write(path) as file:
            file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"--output must be a file that can be written; {str(path)!r}: {error.strerror}") from None
    print(f"{path}: {len(text.splitlines())} lines, for kaggle.com/competitions/connectx")


if __name__ == "__main__":
    leave(run_guarded(main))
