"""Stopping rules of best-arm identification, one file each."""

from bandits.stopping.base import Stopping
from numerics.importing import modules_of

Stopping.members.modules.update(modules_of(__name__, __path__))
