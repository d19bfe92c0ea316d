"""The claims, one file a subject, which holds them in CLAIMS: they are known by lying here."""

from __future__ import annotations

import importlib
import pkgutil

from experiments.calibration.claim import Claim


def claims() -> dict[str, tuple[Claim, str]]:
    """Return every claim by its name, with the file that holds it, in the order of files and of CLAIMS in each."""
    found: dict[str, tuple[Claim, str]] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules(__path__)):
        own = importlib.import_module(f"{__name__}.{module}")
        for claim in own.CLAIMS:
            if claim.name in found:
                raise ValueError(f"two claims are called {claim.name!r}")
            found[claim.name] = (claim, str(own.__file__))
    return found
