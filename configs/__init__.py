"""The Hydra configuration of treebandit: values only. What may stand in each file is typed in `experiments.engine`."""
