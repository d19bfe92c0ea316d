"""Problems beyond two players who alternate: chance, rewards on the way, any number of players; their exact values."""
