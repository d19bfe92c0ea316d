"""Import modules of a package by name, and objects by dotted path, with one message for every failure."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Iterable
from typing import Any

from numerics.parameters import did_you_mean
from numerics.places import failure, is_a_stop, place_of, syntax_place


def modules_of(package: str, path: Iterable[str]) -> dict[str, str]:
    """Return the modules of a package by the names of their files, without importing any.

    A file `base` and packages are left out.

    Examples
    --------
    >>> import json
    >>> modules_of("json", json.__path__)["decoder"]
    'json.decoder'
    """
    modules = pkgutil.iter_modules(path)
    return {module.name: f"{package}.{module.name}" for module in modules if module.name != "base" and not module.ispkg}


def import_named(argument: str, path: str, example: str) -> Any:
    """Return the object that a dotted path names.

    Parameters
    ----------
    argument : str
        The first word of an error message, such as "rule" or "heuristic".
    path : str
        The module, a dot, and a name in it.
    example : str
        An example of a path, for the error message.

    Raises
    ------
    ValueError
        No dotted path, no such module or name, or a module that fails when it is imported.

    Examples
    --------
    >>> import_named("heuristic", "math.fsum", "my_heuristics.count")([0.5, 0.5])
    1.0
    """
    module_name, _, name = path.rpartition(".") if isinstance(path, str) else ("", "", "")
    if not all(part.isidentifier() for part in [*module_name.split("."), name]):
        raise ValueError(f"{argument} must be a dotted path such as {example}; got {path!r}")
    if "" not in sys.path and "." not in sys.path:
        sys.path.append("")
    if getattr(getattr(sys.modules.get(module_name), "__spec__", None), "_initializing", False):
        raise ValueError(
            f"{argument} {path!r} is used while {module_name} is being imported; "
            'put the code that uses it under if __name__ == "__main__":'
        )
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        missing = "it was not found"
        if error.name and not f"{module_name}.".startswith(f"{error.name}."):
            missing = f"{error.name}, which it imports, was not found: {place_of(error)}"
        raise ValueError(
            f"{argument} {path!r}: no module {module_name!r} can be imported from here ({missing})"
        ) from None
    except SyntaxError as error:
        raise ValueError(f"{argument} {path!r}: {module_name} has a syntax error in {syntax_place(error)}") from None
    except SystemExit:
        raise ValueError(f"{argument} {path!r}: {module_name} calls sys.exit when imported") from None
    except BaseException as error:
        if is_a_stop(error):
            raise
        raise ValueError(f"{argument} {path!r}: {module_name} fails when imported: {failure(error)}") from None
    value = getattr(module, name, None)
    if value is None and name in vars(module):
        raise ValueError(f"{argument} {path!r} is None; it must be an object, such as {example}")
    if value is None:
        cure = did_you_mean(name, (known for known in vars(module) if not known.startswith("_")))
        if name == "py":
            cure = f"; give the function, not its file, such as {example}"
        raise ValueError(f"{argument} {path!r}: module {module_name!r} has no {name!r}{cure}")
    return value
