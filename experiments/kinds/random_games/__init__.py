"""Play at random as an object of study: how long games are, how often drawn, how many there are."""
