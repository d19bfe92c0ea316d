"""`treebandit completion bash`: what makes a shell complete the words of `treebandit`; zsh and fish likewise.

Put `eval "$(treebandit completion bash)"` into ~/.bashrc, the same with zsh into ~/.zshrc, and
`treebandit completion fish | source` into ~/.config/fish/config.fish.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Sequence

from treebandit.__main__ import say
from treebandit.commands import COMMANDS

# Each asks `treebandit completion words LINE` for the words that the last one of the line may become.
SHELLS = {
    "bash": r"""_treebandit() {
    local line="${COMP_LINE:0:COMP_POINT}" IFS=$'\n'
    local word="${line##* }"
    COMPREPLY=($(treebandit completion words "$line" 2>/dev/null))
    if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then  # bash replaces what stands behind the sign only
        COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*=}"}"}")
    fi
    if [[ ${COMPREPLY[0]} == *[=.] ]]; then compopt -o nospace; fi
}
complete -o default -F _treebandit treebandit""",
    "zsh": r"""#compdef treebandit
_treebandit() {
    local -a found
    found=("${(@f)$(treebandit completion words "$LBUFFER" 2>/dev/null)}")
    if [[ -z "$found" ]]; then _files; return; fi
    compadd -Q -S '' -- ${(M)found:#*[=.]}
    compadd -Q -- ${found:#*[=.]}
}
compdef _treebandit treebandit""",
    "fish": "complete -c treebandit -a '(treebandit completion words (commandline -cp) 2>/dev/null)'",
}


def words(line: str) -> list[str]:
    """Return what the last word of a line may become; it is empty after a space.

    Examples
    --------
    >>> words("treebandit so")
    ['solve']
    """
    _, *typed, last = [*line.split(" ")] if " " in line else ["", line]
    typed = [word for word in typed if word]
    if not typed:
        candidates: Sequence[str] = list(COMMANDS)
    elif typed[0] == "completion":
        candidates = list(SHELLS)
    elif typed[0] == "run":  # the configuration declares its keys
        candidates = importlib.import_module("experiments.engine.configuration").completed(typed[1:], last)
    elif typed[0] in COMMANDS:
        candidates = _declared(COMMANDS[typed[0]][0], last)
    else:
        candidates = ()
    return [word for word in candidates if word.startswith(last)]


def _declared(module: str, last: str) -> Sequence[str]:
    """Return the keys that a command declares, or the values of one."""
    spec = importlib.util.find_spec(module)
    is_package = spec is not None and spec.submodule_search_locations is not None
    importlib.import_module(f"{module}.__main__" if is_package else module)
    declared = importlib.import_module("numerics.commands").Command.members.get(module)
    return declared.completed(last) if declared else ()


def main() -> int:
    """Print the lines for a shell, or the words for one of them."""
    name, *line = sys.argv[1:] or [os.path.basename(os.environ.get("SHELL", ""))]
    if name in ("-h", "--help"):
        return say(__doc__ or "")
    if name == "words":
        return say("\n".join(words(" ".join(line))))
    if name in SHELLS:
        return say(SHELLS[name])
    print(f"SHELL must be one of {', '.join(SHELLS)}; got {name!r}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
