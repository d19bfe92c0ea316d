"""What bandits pay: one file a law. A law is registered by lying here, as a member of `base.Arms`."""

from numerics.importing import import_all

import_all(__name__, __path__)
