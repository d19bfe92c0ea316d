"""Members of families as text: a name, and key=value pairs with YAML values."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar

_TOKEN = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|\s+|.""", re.DOTALL)
_PLAIN = re.compile(r"(?!((?i:true|false)|null)$)[A-Za-z_][\w.\-/]*", re.ASCII)  # a text that needs no quotes
_SCALARS = {  # what is no text; YAML 1.1 itself takes 1e4 for one, and neither yes nor 2024-01-01
    "null": r"null|~|",
    "bool": r"(?i:true|false)",
    "int": r"[-+]?(0|[1-9][\d_]*)",
    "float": r"[-+]?(\d[\d_]*\.?\d*|\.\d+)([eE][-+]?\d+)?",
}


def read(text: str, argument: str) -> dict[str, Any]:
    """Return the mapping in a text: a name and key=value pairs with YAML values, or a YAML mapping.

    Blanks within brackets and quotes belong to a word.

    Raises
    ------
    ValueError
        A word that is no key=value, a key that stands twice, or a value that is not YAML.

    Examples
    --------
    >>> read("uct policy={name: ucb, c: 0.7} simulations=1e3 prior=null", "player")
    {'name': 'uct', 'policy': {'name': 'ucb', 'c': 0.7}, 'simulations': 1000.0, 'prior': None}
    >>> read("{name: program, command: ./my_engine --fast}", "player")
    {'name': 'program', 'command': './my_engine --fast'}
    """
    if text.startswith("{"):
        whole = read_yaml(text, argument)
        if not isinstance(whole, dict) or not isinstance(whole.get("name"), str):
            raise ValueError(f"{argument} must have a name, as {{name: NAME, ...}}; got {text!r}")
        return whole
    name, *words = split(text) or [""]
    node: dict[str, Any] = {"name": name}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key.isidentifier():
            raise ValueError(
                f"{argument} must be a name and parameters such as c=0.5, separated by spaces; got {word!r}"
            )
        if key in node:
            raise ValueError(f"{argument} must have each parameter once; got {key} twice")
        node[key] = read_yaml(value, f"{argument}.{key}")
    return node


def split(text: str, *, comma: bool = False) -> list[str]:
    """Return the words of a text, split at spaces (or commas) outside brackets and quotes.

    Examples
    --------
    >>> split("uct c=0.7 policy={name: ucb, c: 1}")
    ['uct', 'c=0.7', 'policy={name: ucb, c: 1}']
    >>> split("ucb, {name: ucb, c: 1}", comma=True)
    ['ucb', ' {name: ucb, c: 1}']
    """
    words, depth = [""], 0
    for sign in _TOKEN.findall(text):
        depth += (sign in ("(", "[", "{")) - (sign in (")", "]", "}"))
        if (sign == "," if comma else sign.isspace()) and depth <= 0:
            words.append("")
        else:
            words[-1] += sign
    return words if comma else [word for word in words if word]


def read_yaml(text: str, argument: str) -> Any:
    """Return the value of a text in YAML: a number, true, false, null, a text, a list or a mapping."""
    import yaml

    try:
        return yaml.load(text, _loader())
    except yaml.YAMLError:
        raise ValueError(f"{argument} must be a YAML value, such as 0.5 or [1, 2]; got {text!r}") from None


@functools.cache
def _loader() -> Any:
    """Return YAML's safe loader, which reads numbers, true, false and null, and all else as texts."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc, unused-ignore]
        yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}

    for kind, pattern in _SCALARS.items():
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{kind}", re.compile(f"(?:{pattern})$"), None)
    return Loader


def write_value(value: Any) -> str:
    """Return a value as text on one line, in YAML's flow style.

    Examples
    --------
    >>> write_value(0.5), write_value({"name": "ucb", "c": 1.0}), write_value(["a b", None, True, "true"])
    ('0.5', '{name: ucb, c: 1}', '["a b", null, true, "true"]')
    """
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {write_value(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(write_value, value))}]"
    if isinstance(value, float):
        short = f"{value + 0.0:g}"  # -0 is 0
        return short if float(short) == value else repr(value)
    if isinstance(value, str) and _PLAIN.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)
