"""Best-arm identification: when it is sure which arm is the best, and how often the named arm is wrong."""
