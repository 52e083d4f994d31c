"""Tables that replace the closed form of the corners."""
