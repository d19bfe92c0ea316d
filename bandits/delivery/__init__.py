"""When a policy learns what its pulls have paid: at once, late, or in batches, a file for each way."""

from bandits.delivery.base import Delivery
from numerics.importing import modules_of

Delivery.members.modules.update(modules_of(__name__, __path__))
