"""What rules and stopping rules compute of an arm's statistics: indices, bounds, draws and probabilities."""
