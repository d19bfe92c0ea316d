"""Executors, which carry out tasks: one file each, registered by lying here."""

import importlib
import pkgutil

from experiments.engine.tasks import Executor

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["Executor"]
