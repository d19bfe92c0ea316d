"""Machine code that is kept on disk and called without Numba, whose import takes longer than a short command.

A kernel of one signature is stored as Numba made it: its object file, the names of its functions, and the external
names. `load` hands it to LLVM, and binds those names to the functions of Numba's C extensions and of the C library.
What cannot be loaded is left to Numba, which compiles it again.

A file begins with the digest of its place and its content. A damaged file, one of another kernel, and one that another
user could have written are not loaded.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import functools
import hashlib
import importlib.machinery
import importlib.util
import os
import pickle
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from numerics.kernels.cache import is_private

SUFFIX = ".code"
_engines: list[Any] = []  # of the loaded files, which last as long as the process
_NUMBERS = {
    "bool": (int, np.bool_),
    "int": (int, np.integer),
    "float": (float, int, np.floating, np.integer),
}
_EXTENSIONS = ("_dynfunc", "_helperlib", "core.runtime._nrt_python")

Kind = Any  # of an argument: "bool", "int" or "float", ("d", 2) for float64[:, ::1], or a list of kinds


class Code(NamedTuple):
    """What is kept of a kernel."""

    file: bytes  # the object file
    function: str  # the kernel's own name in it
    wrapper: str  # the name of what Python calls
    environment: str  # the name of the variable that holds the wrapper's environment
    constants: tuple[Any, ...]  # of that environment, such as the dtype of an array that is returned
    needed: tuple[str, ...]  # names of other files
    of_numba: tuple[str, ...]  # mathematical functions that Numba takes from its own extension
    kinds: list[Kind] | None  # of the arguments; None where they cannot be checked without Numba


class Loaded(NamedTuple):
    """A kernel in memory."""

    address: int  # of the kernel itself, for kernels that call it as a hook
    entry: Callable[..., Any]  # calls it with arguments that are not looked at
    kinds: list[Kind] | None


def keep(path: Path, compiled: Any, context: Any) -> None:
    """Write the code of a kernel that Numba has just compiled, if there is room; `context` is Numba's target."""
    from numba.core.intrinsics import INTR_MATH

    library, described = compiled.library, compiled.fndesc
    if library.has_dynamic_globals:  # addresses of this process
        return
    module = library._final_module
    needed = (part.name for part in (*module.functions, *module.global_variables) if part.is_declaration)
    code = Code(
        library._get_compiled_object(),
        described.llvm_func_name,
        described.llvm_cpython_wrapper_name,
        context.get_env_name(described),
        tuple(compiled.environment.consts),
        tuple(name for name in needed if not name.startswith("llvm.")),
        tuple(INTR_MATH),
        _kinds_of(compiled.signature.args),
    )
    content = pickle.dumps(tuple(code))
    with contextlib.suppress(OSError):  # a full disk, for example
        path.parent.mkdir(mode=0o700, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent)  # no process reads half a file
        try:
            with open(handle, "wb") as file:
                file.write(_digest(path, content) + content)
            os.replace(beside, path)
        except OSError:
            os.unlink(beside)


def _digest(path: Path, content: bytes) -> bytes:
    """Return the digest of a file; the names of the file and of its folder tell its kernel from all others."""
    return hashlib.sha256(f"{path.parent.name}/{path.name}\n".encode() + content).digest()


def _content(path: Path) -> bytes | None:
    """Return the content of a file, None where it is not what this user wrote there."""
    try:
        with open(path, "rb") as file:
            is_ours, kept = is_private(file.fileno()), file.read()
    except OSError:
        return None
    size = hashlib.sha256().digest_size
    return kept[size:] if is_ours and kept[:size] == _digest(path, kept[size:]) else None


def load(path: Path, function: Any) -> Loaded | None:
    """Load the code of a kernel, made of a Python function; None if there is none, or what it needs is not there."""
    content = _content(path)
    if content is None:
        return None
    import llvmlite.binding as llvm

    code = Code._make(pickle.loads(content))
    extensions = _bound(code.of_numba)
    if not all(llvm.address_of_symbol(name) or hasattr(ctypes.pythonapi, name) for name in code.needed):
        return None
    engine = _engine()
    _engines.append(engine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.file))
    engine.finalize_object()
    entry = engine.get_function_address(code.wrapper)
    environment = extensions["_dynfunc"].Environment(function.__globals__)
    environment.consts.extend(code.constants)
    place = ctypes.c_void_p.from_address(engine.get_global_value_address(code.environment))
    place.value = id(environment)
    module = ModuleType(function.__module__)
    made = extensions["_dynfunc"].make_function(module, function.__name__, "", entry, environment, ())
    return Loaded(engine.get_function_address(code.function), made, code.kinds)


def call(kernel: Any, *arguments: Any) -> Any:
    """Call a loaded kernel.

    Raises
    ------
    TypeError
        An argument of another kind than the kernel was compiled for.
    """
    _, entry, kinds = kernel.loaded
    if len(arguments) != len(kinds) or not all(map(fits, kinds, arguments)):
        raise TypeError(f"{kernel.__name__} takes {kernel.signature}; got {', '.join(map(_kind_of_value, arguments))}")
    return entry(*arguments)


def _kind_of_value(value: Any) -> str:
    return f"{value.dtype}{list(value.shape)}" if isinstance(value, np.ndarray) else type(value).__name__


def fits(kind: Kind, value: Any) -> bool:
    """Return whether an argument is of a kind.

    Examples
    --------
    >>> fits(("d", 1), np.zeros(3)), fits(("d", 1), np.zeros((3, 2))[:, 0]), fits("int", 2.0)
    (True, False, False)
    """
    if type(kind) is tuple:
        return type(value) is np.ndarray and (value.dtype.char, value.ndim) == kind and value.flags.carray
    if type(kind) is list:
        return isinstance(value, tuple) and len(value) == len(kind) and all(map(fits, kind, value))
    return isinstance(value, _NUMBERS[kind])


def _kinds_of(types: Any) -> list[Kind] | None:
    """Return the kinds of Numba's types, None if there is one that has no kind."""
    from numba import types as numba_types
    from numba.np.numpy_support import as_dtype

    kinds: list[Kind] = []
    for each in types:
        kind: Kind = None
        if isinstance(each, numba_types.Boolean):
            kind = "bool"
        elif isinstance(each, numba_types.Integer):
            kind = "int"
        elif isinstance(each, numba_types.Float):
            kind = "float"
        elif isinstance(each, numba_types.Array) and each.layout == "C":
            kind = as_dtype(each.dtype).char, each.ndim
        elif isinstance(each, numba_types.BaseTuple):
            kind = _kinds_of(each)
        if kind is None:
            return None
        kinds.append(kind)
    return kinds


@functools.cache
def _bound(of_numba: tuple[str, ...]) -> dict[str, Any]:
    """Tell LLVM where the functions of Numba's extensions are, and return these, by their names."""
    import llvmlite.binding as llvm

    extensions = {name: _extension(f"numba.{name}") for name in _EXTENSIONS}
    helpers = extensions["_helperlib"].c_helpers
    symbols = {f"numba_{name}": address for name, address in helpers.items()}
    symbols |= {name: helpers[name] for name in of_numba}
    of_memory = extensions["core.runtime._nrt_python"].c_helpers
    symbols |= {name if name.startswith("_") else f"NRT_{name}": address for name, address in of_memory.items()}
    errors = (each for each in vars(builtins).values() if isinstance(each, type) and issubclass(each, BaseException))
    symbols |= {f"PyExc_{each.__name__}": id(each) for each in errors} | {"_Py_NoneStruct": id(None)}
    for name, address in symbols.items():
        llvm.add_symbol(name, address)
    return extensions


def _extension(name: str) -> Any:
    """Return a C extension of Numba without its package, which takes half a second to import."""
    if name in sys.modules:
        return sys.modules[name]
    package: Any = importlib.util.find_spec("numba")
    folders = name.split(".")[1:-1]
    places = [os.path.join(place, *folders) for place in package.submodule_search_locations]
    spec: Any = importlib.machinery.PathFinder.find_spec(name, places)
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    return sys.modules.setdefault(name, extension)  # Numba, if it is imported later, takes the same


def _engine() -> Any:
    """Return an engine of LLVM for one file: helpers of two files, compiled in two processes, may have one name."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    empty = llvm.parse_assembly(f'target triple = "{llvm.get_process_triple()}"')
    machine = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(empty, machine, use_lmm=platform.machine().lower() in ("arm64", "aarch64"))
