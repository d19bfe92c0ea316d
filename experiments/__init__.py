"""The experiments: from a configuration to a folder with tables and figures. Nothing imports this package."""
