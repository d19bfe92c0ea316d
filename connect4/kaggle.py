"""`python -m connect4.kaggle -o submission.py`: write an agent for Kaggle's ConnectX, one file of plain Python.

The file is a copy of `connect4/submission.py`: it imports the standard library only and plays boards of any size.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from connect4 import submission
from numerics.output.files import written_whole


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and write the file; exit status 2 where it cannot be written."""
    parser = argparse.ArgumentParser(prog="python -m connect4.kaggle", description=__doc__.partition("\n\n")[0])
    parser.add_argument("-o", "--output", metavar="FILE", default="submission.py", help="submission.py when left out")
    target = Path(parser.parse_args(arguments).output)
    try:
        if target.suffix != ".py":
            raise ValueError(f"--output must be a file of Python, such as submission.py; got {str(target)!r}")
        text = Path(submission.__file__).read_text(encoding="utf-8")
        try:
            with written_whole(target) as file:
                file.write_text(text, encoding="utf-8")
        except OSError as error:
            raise ValueError(
                f"--output must be a file that can be written; {str(target)!r}: {error.strerror}"
            ) from None
    except ValueError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    print(f"{target}: {len(text.splitlines())} lines, for kaggle.com/competitions/connectx")


if __name__ == "__main__":
    main()
