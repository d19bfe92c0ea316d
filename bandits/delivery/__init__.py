"""When a policy learns what its pulls have paid: at once, late, or in batches, a file for each way."""

from bandits.delivery.base import Delivery

for _name in ("at_once", "batch", "fixed", "from_log", "geometric"):
    Delivery.members.modules[_name] = f"{__name__}.{_name}"
