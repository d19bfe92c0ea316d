"""`python -m treebandit.clean_cache`: remove the compiled kernels of this project."""

from __future__ import annotations

from collections.abc import Sequence

from numerics.commands import Command
from numerics.exits import leave, run_guarded
from numerics.kernels.cache import clear_cache


class CleanCache(Command, module="treebandit.clean_cache"):
    """Nothing to choose."""


def main(words: Sequence[str] | None = None) -> None:
    """Remove every kernel cache, and say what went."""
    CleanCache.read(words)
    removed = clear_cache()
    print("\n".join(f"removed {folder}" for folder in removed) or "no kernel cache found")


if __name__ == "__main__":
    leave(run_guarded(main))
