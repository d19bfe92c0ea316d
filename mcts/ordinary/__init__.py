"""Positions of an ordinary class: what they promise, and how a search plays on from them."""
