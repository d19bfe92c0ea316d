"""When a policy learns what its pulls have paid: at once, late, or in batches, a file for each way.

A member of `base.Delivery` in this folder is registered automatically.
"""

from numerics.importing import import_all

import_all(__name__, __path__)
