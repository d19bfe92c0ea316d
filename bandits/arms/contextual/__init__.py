"""Arms whose means depend on features that are seen before each pull, a file for each way."""

from numerics.importing import import_all

import_all(__name__, __path__)
