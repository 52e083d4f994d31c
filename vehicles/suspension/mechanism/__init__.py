"""An axle from a mechanism file: the door for every suspension that has no kernels of its own."""
