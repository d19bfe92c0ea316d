"""Arms whose means change during a run, one file per kind of change; rewards follow the law of other arms."""
