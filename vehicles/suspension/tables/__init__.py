"""Tables that stand for the closed form of the corners."""
