"""Reward laws and arms, a file for each law. A member of `base.Arms` in this folder is registered automatically."""

from numerics.importing import import_all

import_all(__name__, __path__)
