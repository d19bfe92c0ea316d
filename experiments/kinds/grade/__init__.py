"""The grade of a player: the rate of worse moves at which perfect play scores one half against it."""
