from .recordings.notebook import record_bandit as record_bandit
from .recordings.notebook import record_search as record_search
from .report import sheets as sheets

def load_ipython_extension(shell: object) -> None: ...
