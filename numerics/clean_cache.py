"""`python -m numerics.clean_cache`: remove the compiled kernels of this project and of the rules in this folder."""

from pathlib import Path

from numerics.jit import clear_cache


def main() -> None:
    """Remove every kernel cache below the project and below the current folder, and say what went."""
    removed = sorted({*clear_cache(Path(__file__).resolve().parent.parent), *clear_cache(Path.cwd())})
    for place in removed:
        print(f"removed {place}")
    if not removed:
        print("no kernel cache found")


if __name__ == "__main__":
    main()
