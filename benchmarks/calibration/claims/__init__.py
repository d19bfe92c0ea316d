"""The claims, a file for each subject with a list CLAIMS; files in this folder are registered automatically."""

from __future__ import annotations

import importlib
import pkgutil

from benchmarks.calibration.claim import Claim


def claims() -> dict[str, tuple[Claim, str]]:
    """Return every claim by name, with its file, in the order of files and of their CLAIMS."""
    by_name: dict[str, tuple[Claim, str]] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        subject = importlib.import_module(f"{__name__}.{module}")
        for claim in subject.CLAIMS:
            if claim.name in by_name:
                raise ValueError(f"two claims are called {claim.name!r}")
            by_name[claim.name] = (claim, str(subject.__file__))
    return by_name
