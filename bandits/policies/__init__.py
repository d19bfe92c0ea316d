"""The policies, a file each. A member of `base.Policy` in this folder is registered automatically."""

from numerics.importing import import_all

import_all(__name__, __path__)
