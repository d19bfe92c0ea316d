"""Reward laws and arms, a file for each. Arms have the name of their file; `random_` means that the means are drawn."""

from bandits.arms.base import Arms
from numerics.importing import modules_of

for _folder in ("", "changing", "contextual"):
    _package = f"{__name__}.{_folder}".rstrip(".")
    Arms.members.modules |= modules_of(_package, [f"{__path__[0]}/{_folder}"])
Arms.members.modules |= {f"random_{law}": f"{__name__}.{law}" for law in ("bernoulli", "gaussian")}
