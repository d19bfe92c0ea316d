"""When a replication may stop and name the best arm: rules, a file each."""

from bandits.stopping.base import Stopping
from numerics.importing import modules_of

Stopping.members.modules.update(modules_of(__name__, __path__))
