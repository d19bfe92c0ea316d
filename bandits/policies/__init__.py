"""The policies: one file each. A policy is registered by lying here, as a member of `base.Policy`."""

from numerics.importing import import_all

import_all(__name__, __path__)
