"""`python -m numerics.clean_cache [FOLDER ...]`: remove compiled kernels.

Those of this project go, those below the current folder, those of rules elsewhere that you have run, and those below
every folder that is named.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from numerics.kernel_cache import clear_cache


def main(arguments: Sequence[str] = ()) -> int:
    """Remove every kernel cache, say what went, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m numerics.clean_cache", description=__doc__)
    parser.add_argument("folder", nargs="*", type=Path, help="a folder of rules that another user has run")
    folders: list[Path] = parser.parse_args(arguments).folder
    for folder in folders:
        if not folder.is_dir():
            print(f"folder must be one that is there; got {str(folder)!r}", file=sys.stderr)
            return 2
    places = dict.fromkeys([Path(__file__).resolve().parent.parent, Path.cwd(), *(one.resolve() for one in folders)])
    removed = sorted({gone for place in places for gone in clear_cache(place)})
    for place in removed:
        print(f"removed {place}")
    if not removed:
        print("no kernel cache found")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
