"""The Hydra configuration: values only. What may stand in each file is typed in `experiments.engine.schema`."""
