"""`python -m numerics.kernels.clean_cache`: remove the compiled kernels of this project."""

from __future__ import annotations

import argparse

from numerics.kernels.cache import clear_cache


def main() -> None:
    """Remove all kernel caches and print their folders."""
    argparse.ArgumentParser(prog="python -m numerics.kernels.clean_cache", description=__doc__).parse_args()
    removed = clear_cache()
    print("\n".join(f"removed {folder}" for folder in removed) or "no kernel cache found")


if __name__ == "__main__":
    main()
