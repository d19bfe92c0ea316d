"""What runs experiments: configuration, tasks, store, executors, sweeps, errors, console."""
