"""When a replication may stop and name the best arm: rules, a file each.

A member of `base.Stopping` in this folder is registered automatically.
"""

from numerics.importing import import_all

import_all(__name__, __path__)
