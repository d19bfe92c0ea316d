"""`python -m connect4.templates c -o my_engine.c`: a small complete engine to begin with, one file.

It answers the lines of `experiments.judge` and of the player `program`, on boards of any size. Its first lines explain
how to build and judge it. Without `-o` it is printed.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from numerics.commands import Command, dashed_option, word
from numerics.exits import leave, run_guarded
from numerics.output.files import atomic_write
from numerics.parameters import must_be_one_of

LANGUAGES = {"c": "engine.c", "javascript": "engine.js", "python": "engine.py", "rust": "engine.rs"}


class Template(Command, module="connect4.templates"):
    """In which language, and where it is written."""

    language: str = word(help=f"{', '.join(LANGUAGES)}")
    output: str | None = dashed_option(None, "-o", "--output", help="output file; printed to the screen if left out")


def main(words: Sequence[str] | None = None) -> None:
    """Read the command line, then write the engine or print it."""
    given = Template.read(words)
    if given.language not in LANGUAGES:
        raise ValueError(must_be_one_of("language", given.language, LANGUAGES))
    text = resources.files("connect4.templates").joinpath(LANGUAGES[given.language]).read_text(encoding="utf-8")
    if given.output is None:
        print(text, end="")
        return
    path = Path(given.output)
    if path.exists():
        raise ValueError(f"--output must be a new file; {given.output!r} already exists")
    try:
        with atomic_write(path) as file:
            file.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise ValueError(f"--output must be a file that can be written; {given.output!r}: {error.strerror}") from None
    print(f"{path}: {len(text.splitlines())} lines; the first lines explain how to build and test it")


if __name__ == "__main__":
    leave(run_guarded(main))
