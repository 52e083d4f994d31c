"""Cameras: geometry of the images, depth and labels by rays, and the kind of sensor `camera`."""
