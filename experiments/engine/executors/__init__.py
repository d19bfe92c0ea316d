"""Executors, which carry out tasks: one file each, registered by lying here."""

from experiments.engine.tasks import Executor
from numerics.importing import modules_of

Executor.members.modules.update(modules_of(__name__, __path__))

__all__ = ["Executor"]
