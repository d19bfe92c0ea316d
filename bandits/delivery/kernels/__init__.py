"""The simulation kernel for rewards that come late."""
